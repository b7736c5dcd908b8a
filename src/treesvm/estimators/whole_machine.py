"""What `KernelSVC` and `KernelSVR` share: one machine of the whole space."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treesvm.decomposition.feature_weights import check_scaled_kernel, weights_of
from treesvm.inputs.array_types import Array
from treesvm.inputs.estimator import Estimator
from treesvm.machines.kernel_machine import KernelMachine
from treesvm.machines.scaling import LeafScaling


class WholeMachine(Estimator):
    """Holds a trained machine and shows it under scikit-learn's names."""

    n_features_in_: int
    converged_: Any  # of the machine, or of each of its binary machines

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        super().check_parameters()
        check_scaled_kernel(self)

    def restore_fitted(self, machine: Any, scaling: LeafScaling | None = None) -> Self:
        """Set the fitted attributes from a trained machine, wherever it comes from."""
        self._machine, self.scaling_ = machine, scaling
        self.support_ = machine.support.astype(np.int32)
        self.support_vectors_ = machine.vectors
        self.dual_coef_ = machine.coefficients.T.copy()
        self.intercept_ = machine.biases
        return self

    @property
    def machine_(self) -> KernelMachine:
        """The trained machine, which the other attributes are read from."""
        return self._machine

    @property
    def fit_status_(self) -> int:
        """0 if every machine converged, else 1, as in scikit-learn."""
        return int(not np.all(self.converged_))

    @property
    def feature_weights_(self) -> Array:
        """Weights of the features in the kernel's distance."""
        check_is_fitted(self)
        return weights_of(self._machine.kernel, self.scaling_, self.n_features_in_)
