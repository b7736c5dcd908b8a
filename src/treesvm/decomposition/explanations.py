"""What features do in a decomposed model: importances, gradients, Shapley values.

Everything is computed in the units in which a part sees its rows, and told in those of
the features as they were given. A feature that a part does not look at, and any feature
in a part with one class, has no share in the answers there.

Values belong to binary machines. With two classes, or for numbers, there is one, whose
value is the decision value. With more, a class gets the values of its machines: those
of its pairs with a plus where it is the positive side and a minus where it is not.
"""

import numpy as np
from scipy import sparse

from treesvm.machines.gradients import gradient_outer, machine_gradients
from treesvm.machines.shapley import shapley_values
from treesvm.trees.leaf_rows import rows_by_leaf

_LEADING = 3  # features that a part's report names


def importances(members, n_features):
    """Return the importance of each feature: not negative, summing to one.

    In every part the root mean square, over its vectors and machines, of how much the
    values change along the part's range of the feature; averaged over the rows of all
    parts. All zero where no part has a machine.
    """
    total = np.zeros(n_features)
    for member in members:
        for part in member.parts:
            total += part.n_rows * part_importances(part, n_features)
    return total / total.sum() if total.any() else total


def part_importances(part, n_features):
    """Return the importances in one part, not normalised."""
    found, machine = np.zeros(n_features), part.machine
    if machine is None or machine.n_vectors == 0:
        return found
    vectors = machine.vectors
    slopes = gradient_outer(machine, vectors)
    low, high = vectors.min(axis=0), vectors.max(axis=0)
    span = high - low
    span = span.toarray().ravel() if sparse.issparse(span) else span
    count = machine.n_vectors * machine.n_machines
    found[_columns(part, n_features)] = np.sqrt(slopes / count) * span
    return found


def leading_features(part, n_features, names):
    """Return the names of the features that matter most in a part, as one text.

    Empty where there is no machine, or its kernel has no gradient.
    """
    if part.machine is None or not part.machine.kernel.has_gradient:
        return ""
    found = part_importances(part, n_features)
    order = np.argsort(-found, kind="stable")[:_LEADING]
    return ", ".join(str(names[j]) for j in order if found[j] > 0)


def gradients(members, X):
    """Return the slope of the values by each feature as given.

    Returns
    -------
    ndarray of shape (n_rows, n_features), or (n_rows, n_features, n_classes)
    """

    def slopes(part, rows):
        seen = machine_gradients(part.machine, part.seen(rows)).transpose(0, 2, 1)
        return seen * _unit_slopes(part, rows)[:, :, None]

    return _averaged(members, X, slopes)


def explanations(members, X):
    """Return exact Shapley values of each feature as given; shapes as in `gradients`.

    They sum to the decision value minus that of a row of which no feature is known.
    """

    def values(part, rows):
        machine, seen = part.machine, _dense(part.seen(rows))
        if machine.kernel.is_additive:
            slopes = machine_gradients(machine, seen).transpose(0, 2, 1)
            return slopes * seen[:, :, None]
        _check_kernel(machine.kernel)
        return shapley_values(
            seen,
            _dense(machine.vectors),
            machine.coefficient_matrix,
            machine.kernel.gamma,
            machine.kernel.power == 2,
        )

    return _averaged(members, X, values)


def empty_values(members, X):
    """Return the values of rows of which no feature is known, part by part."""

    def values(part, rows):
        machine = part.machine
        empty = machine.biases
        if not machine.kernel.is_additive:  # each vector has the kernel value one
            empty = empty + machine.coefficient_matrix.sum(axis=0)
        return np.tile(empty, (rows.shape[0], 1, 1))

    found = _averaged(members, X, values, width=1)
    return found[:, 0]


def _averaged(members, X, values_of, width=None):
    """Average over members what ``values_of(part, rows)`` says of every row."""
    total = 0.0
    for member in members:
        total = total + _member_values(member, X, values_of, width)
    return total / len(members)


def _member_values(member, X, values_of, width):
    n_features = X.shape[1]
    n_classes = member.n_classes
    is_single = n_classes is None or n_classes == 2
    n_outputs = 1 if is_single else n_classes
    out = np.zeros((X.shape[0], width or n_features, n_outputs))
    groups = rows_by_leaf(member.apply(X), len(member.parts))
    for k in np.flatnonzero(groups.sizes):
        part, rows = member.parts[k], groups.rows(k)
        if part.machine is None:
            continue
        found = values_of(part, X[rows]) @ _to_classes(part.machine, n_outputs)
        places = np.arange(width) if width else _columns(part, n_features)
        out[rows[:, None], places] = found
    return out[:, :, 0] if is_single else out


def _to_classes(machine, n_outputs):
    """Return the matrix that adds the machines' values up to outputs."""
    if n_outputs == 1:
        return np.ones((1, 1))
    signs = np.zeros((machine.n_machines, n_outputs))
    for m, (positive, negative) in enumerate(machine.pairs):
        signs[m, positive] += 1.0
        if negative >= 0:
            signs[m, negative] -= 1.0
    return signs


def _columns(part, n_features):
    return np.arange(n_features) if part.scaling is None else part.scaling.columns


def _unit_slopes(part, rows):
    """Return how fast what the part sees changes with the features as given."""
    if part.scaling is None:
        return np.ones((1, rows.shape[1]))
    return part.scaling.slopes(rows)


def _dense(X):
    X = X.toarray() if sparse.issparse(X) else X
    return np.ascontiguousarray(X, dtype=np.float64)


def _check_kernel(kernel):
    if kernel.power is None:
        raise ValueError(
            f"kernel={kernel.name!r} is no product over features, so that its values "
            "cannot be told apart by them; use kernel='rbf', 'laplacian' or 'linear'."
        )
