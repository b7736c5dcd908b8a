"""A trained kernel regressor in the form of a one-machine `KernelMachine`."""

import numpy as np

from treesvm.machines.kernel_machine import KernelMachine
from treesvm.machines.layout import class_layout
from treesvm.machines.path import solution_record
from treesvm.solvers.regression import solve_regression


def train_regressor(X, targets, weight, kernel, C, epsilon, **how):
    """Fit an epsilon-SVR; its value is the only column of the machine's decisions.

    Parameters are those of `regression.solve_regression`, with C and row weights.
    """
    solution = solve_regression(kernel, X, targets, C * weight, epsilon, **how)
    support = np.flatnonzero(solution.coefficients)
    layout = class_layout([0], "regression")
    return KernelMachine(
        kernel=kernel,
        vectors=kernel.vectors(X, support),
        support=support,
        class_starts=np.array([0, len(support)]),
        machine_ids=layout.machine_ids,
        coefficients=solution.coefficients[support, None],
        biases=np.array([solution.bias]),
        pairs=layout.pairs,
        n_classes=2,
        n_training_rows=X.shape[0],
        records=solution_record(solution),
    )
