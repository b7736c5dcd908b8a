"""A trained kernel regressor in the form of a one-machine `KernelMachine`."""

import numpy as np

from treesvm.machines.kernel_machine import KernelMachine
from treesvm.machines.layout import class_layout, one_machine
from treesvm.machines.path import solution_record
from treesvm.machines.squares_chain import solve_squares_alone
from treesvm.machines.training import assemble, gram_chain
from treesvm.solvers.regression import solve_regression


def train_regressor(
    X,
    targets,
    weight,
    kernel,
    C,
    epsilon,
    *,
    loss="hinge",
    tol=1e-3,
    max_iter=None,
    max_bytes=500 * 2**20,
    gram=None,
):
    """Fit a regressor; its value is the only column of the machine's decisions.

    Parameters are those of `regression.solve_regression`, with C, row weights and the
    loss: "squared" has no use for `epsilon`.
    """
    effort = {"tol": tol, "max_iter": max_iter}
    if loss == "squared":
        if 4 * len(targets) ** 2 <= max_bytes:
            machine = one_machine(targets)
            chain = gram_chain(X, machine, weight, kernel, loss=loss, **effort)
            records = chain.solve(C)
            return assemble(X, machine, kernel, chain.beta, records)
        block = kernel.row_block(X)
        solution = solve_squares_alone(block, targets, C * weight, **effort)
    else:
        solution = solve_regression(
            kernel,
            X,
            targets,
            C * weight,
            epsilon,
            max_bytes=max_bytes,
            gram=gram,
            **effort,
        )
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
