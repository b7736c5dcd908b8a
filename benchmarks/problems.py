"""The fixed problems of the engine's benchmark."""

import numpy as np

from benchmarks import data
from benchmarks.leaves import largest_leaves

CS = [10.0**k for k in range(-1, 6)]
GAMMAS = [10.0**k for k in range(-4, 5)]
# Set -> number of leaves. covtype's differ most from one another.
LEAVES = {"covtype": 2, "letter": 1, "adult": 1}
FIT_ROWS, FIT_C, FIT_GAMMA = 20_000, 10.0, 0.1
MNIST_C, MNIST_GAMMA = 5.0, 0.02


def leaves(context):
    """The 1,500-row leaves of all sets; in a quick run only letter's."""
    wanted = {"letter": 1} if context.quick else LEAVES
    return [
        leaf
        for name, count in wanted.items()
        for leaf in largest_leaves(context.data, name, count)
    ]


def grid(context):
    """The 63 points, or nine harmless ones in a quick run."""
    if context.quick:
        return CS[1:4], GAMMAS[3:6]
    return CS, GAMMAS


def two_class_sets(context):
    """Yield (name, train, test): seeded rows of ijcnn1 and a9a, official test rows."""
    n_train = 2_000 if context.quick else FIT_ROWS
    for name in ("ijcnn1", "a9a"):
        stored = data.load(context.data, name)
        rows = data.sample_rows(len(stored.y), n_train)
        rows_test = data.sample_rows(len(stored.y_test), n_train // 2)
        train = stored.X[rows], stored.y[rows]
        test = stored.X_test[rows_test], stored.y_test[rows_test]
        yield f"{name}, {len(rows):,} rows", train, test


def mnist(folder, quick=False):
    """(train, test) with pixels in [0, 1]; all 60,000 rows unless quick."""
    stored = data.load(folder, "mnist")
    n_train = 3_000 if quick else len(stored.y)
    rows = data.sample_rows(len(stored.y), n_train)
    X, X_test = (A / np.float32(255.0) for A in (stored.X[rows], stored.X_test))
    n_test = 1_000 if quick else len(stored.y_test)
    return (X, stored.y[rows]), (X_test[:n_test], stored.y_test[:n_test])
