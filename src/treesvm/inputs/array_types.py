"""Names of types that many signatures share."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

__all__ = ["Array", "ArrayLike", "ClassWeight", "MatrixLike", "Seed"]

Array: TypeAlias = NDArray[Any]
MatrixLike: TypeAlias = ArrayLike | sparse.spmatrix | sparse.sparray  # data frames too
ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None
Seed: TypeAlias = int | np.random.RandomState | None
