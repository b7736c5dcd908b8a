"""The type of a file's name."""

import os
from typing import TypeAlias

FilePath: TypeAlias = str | os.PathLike[str]
