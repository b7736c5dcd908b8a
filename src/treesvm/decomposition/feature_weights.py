"""Feature weights of a part: given, or learned from its own machine's gradients.

A Gaussian kernel sees all features alike.  Learned weights (the diagonal of the average
gradient outer product, the idea of recursive feature machines: Radhakrishnan et al.,
Science 2024) look where the machine's values change: train without weights, take

    G_j = sum over rows and machines of (df / dx_j)^2,   w_j = (G_j / max G)^(1/2),

keep the kernel's width in units of the median distance, and train again; twice.  The
machines that only teach weights are smoother if the kernel is not.  In a part of few
rows the weights are drawn to the average over the parts of the partition.  Local
weights differ along a feature, too (`local_weights`).
"""

import numpy as np
from joblib import Parallel, delayed

from treesvm.decomposition.local_weights import LocalWeights, varying
from treesvm.decomposition.parts_loop import error_that_names
from treesvm.kernels.blas_threads import one_blas_thread
from treesvm.kernels.kernel import make_kernel
from treesvm.machines.gradients import gradient_outer
from treesvm.machines.scaling import identity_scaling, part_scaling

N_ROUNDS = 2
_SOME_ROWS = 150  # that tell a typical distance
_TEACHER_SHARE = 0.1  # of C, for machines that teach weights and are dropped
_LEAST_TAUGHT = 1.0  # a C of classifiers that is smooth enough
_FEW_ROWS = 500  # a part with fewer rows listens to the others
_PRIOR_ROWS = 100.0  # rows that their average counts for
_AVERAGED = 16  # parts, or all if there are fewer
_OF_A_PART = 250  # rows that learn its share of the average
_STREAM = 41  # keeps these draws apart from others of the same seed


def trained_with_weights(train, rows, scaling, options):
    """Return a machine and the scaling, with weights in it, that it sees rows by.

    Parameters
    ----------
    train : callable
        ``train(seen rows, kernel, share of C)`` returns the machine.
    rows : Rows
        As given.
    scaling : LeafScaling or None
        Without weights.
    options : MachineOptions
    """
    scaling, kernel = scaling_with_weights(train, rows, scaling, options)
    seen = _seen(rows, scaling)
    kernel = _settled(options.theta, seen.X) if kernel is None else kernel
    return train(seen, kernel, 1.0), scaling


def scaling_with_weights(train, rows, scaling, options):
    """Return the scaling with weights in it, and the kernel if they settle its width.

    Parameters are those of `trained_with_weights`.
    """
    theta = options.theta
    if theta.feature_weights is None:
        return scaling, None
    check_weighted(theta.kernel)
    n_features = rows.X.shape[1]
    base = identity_scaling(n_features) if scaling is None else scaling
    if isinstance(theta.feature_weights, str):
        return _learned(train, rows, base, options)[:2]
    return given_weights(theta.feature_weights, theta.kernel, base, n_features), None


def given_weights(weights, kernel, base, n_features):
    """Return a scaling followed by weights that a user has given."""
    given = np.asarray(weights, np.float64)
    if len(given) != n_features:
        raise ValueError(
            f"feature_weights has {len(given)} numbers, the rows have "
            f"{n_features} features; give one for each."
        )
    return base.weighted(given[base.columns] ** (1.0 / kernel.power))


def _learned(train, rows, base, options):
    """Train, learn weights, and again; return scaling, kernel and weights."""
    theta = options.theta
    learner = _learner(rows, base, theta)
    asked = rows.take(_spread(len(rows.target), learner.n_rows))
    codes = None if rows.n_classes is None else asked.target
    scaling, seen = base, _seen(rows, base)
    kernel = first = _settled(theta, seen.X)
    relative = first.gamma * first.typical_size(_some(seen.X))
    share = _teacher_share(theta, rows.n_classes)
    for _ in range(N_ROUNDS):
        machine = train(seen, kernel, share)
        slopes = learner.outer(machine, scaling.apply(asked.X), asked.X, codes)
        weight = _drawn(_as_weights(slopes), base, rows, options.prior)
        scaling = learner.scaling(weight)
        seen = _seen(rows, scaling)
        typical = first.typical_size(_some(seen.X))
        gamma = relative / typical if typical > 0 else first.gamma
        kernel = first.with_gamma(gamma)
    return scaling, kernel, weight


def _learner(rows, base, theta):
    """Return who turns gradients into weights, and weights into a scaling."""
    power = theta.kernel.power
    if theta.feature_weights == "local" and varying(rows.X, base).any():
        return LocalWeights(rows.X, base, power)
    return _EvenWeights(base, power)


class _EvenWeights:
    """One weight for each feature; the counterpart of `LocalWeights`."""

    n_rows = 150  # whose gradients are summed

    def __init__(self, base, power):
        self._base, self._power = base, power
        self._factor = np.ones(len(base.columns))
        self._seen = np.arange(len(base.columns))

    def outer(self, machine, X, given, codes):
        """Return G of a machine, by the features of the base."""
        slopes = np.zeros(len(self._factor))
        # Gradients by features before their weights: the chain rule's factors.
        factor = self._factor[self._seen]
        slopes[self._seen] = gradient_outer(machine, X, codes) * factor**2
        return slopes

    def scaling(self, weight):
        """Return the scaling with the weights in it."""
        self._factor = weight ** (1.0 / self._power)
        kept = np.flatnonzero(weight)
        self._seen = kept if len(kept) else np.zeros(1, np.intp)
        return self._base.weighted(self._factor)


def _teacher_share(theta, n_classes):
    """Return the share of C of machines that only teach weights.

    The slope of a Laplacian machine jumps at every vector, and a rough machine has many
    where nothing but noise is; a Gaussian one is smooth by itself.
    """
    if theta.kernel.power != 1:
        return 1.0
    if n_classes is None:
        return _TEACHER_SHARE
    return min(1.0, max(_TEACHER_SHARE, _LEAST_TAUGHT / theta.C))


def average_weights(train, rows_of, sizes, is_mixed, seed, options, n_jobs=None):
    """Return the mean, by rows, of what parts learn: one weight for each feature.

    Parameters
    ----------
    train : callable
        As in `trained_with_weights`.
    rows_of : callable
        From the number of a part to its `Rows`.
    sizes, is_mixed, seed
        As in `averaged_parts`.
    options : MachineOptions
    n_jobs : int, optional
        Threads; the weights do not depend on it.

    Returns
    -------
    ndarray of shape (n_features,), or None where no part needs a machine
    """
    parts = averaged_parts(is_mixed, seed)
    if not parts:
        return None

    def learned(k):
        with error_that_names(k, sizes[k]):
            rows = rows_of(k).drawn(_OF_A_PART, [seed, _STREAM, k])
            return _weights_alone(train, rows, options)

    with one_blas_thread():  # whose sums would depend on their number
        found = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(learned)(k) for k in parts
        )
    return np.average(found, axis=0, weights=sizes[parts])


def averaged_parts(is_mixed, seed):
    """Return the numbers of the parts, those with several classes, that are asked."""
    rng = np.random.default_rng([seed, _STREAM])
    return np.sort(rng.permutation(np.flatnonzero(is_mixed))[:_AVERAGED]).tolist()


def _weights_alone(train, rows, options):
    """Return the weights that rows learn without a look at others."""
    n_features = rows.X.shape[1]
    scaling = part_scaling(rows.X, options.theta.leaf_scaling)
    base = identity_scaling(n_features) if scaling is None else scaling
    weights = np.zeros(n_features)
    weights[base.columns] = _learned(train, rows, base, options)[2]
    return weights


def needs_prior(options, sizes):
    """Whether weights are learned in parts so small that they need help."""
    learns = isinstance(options.theta.feature_weights, str)
    return learns and len(sizes) > 1 and bool((sizes < _FEW_ROWS).any())


def _settled(theta, X):
    return theta.kernel.settled(theta.gamma, X, theta.gamma_scale)


def _seen(rows, scaling):
    return rows if scaling is None else rows._replace(X=scaling.apply(rows.X))


def _some(X):
    """Return a few rows, evenly spaced."""
    return X[_spread(X.shape[0], _SOME_ROWS)]


def _spread(n, n_most):
    """Return at most so many of n numbers, evenly spaced."""
    return np.arange(0, n, max(1, n // n_most))[:n_most]


def _as_weights(slopes):
    top = slopes.max(initial=0.0)
    return np.sqrt(slopes / top) if top > 0 else np.ones(len(slopes))


def _drawn(weight, base, rows, prior):
    """Draw the weights of a small part towards the average over parts."""
    n_rows = rows.X.shape[0]
    if prior is None or n_rows >= _FEW_ROWS:
        return weight
    drawn = n_rows * weight + _PRIOR_ROWS * prior[base.columns]
    return drawn / max(drawn.max(), np.finfo(float).tiny)


def weights_of(kernel, scaling, n_features):
    """Return the weights in a scaling that nothing but weights is in, else ones.

    Local weights are averaged along the feature.
    """
    if scaling is None:
        return np.ones(n_features)
    weights, slopes = np.zeros(n_features), scaling.factor
    if scaling.table is not None:
        slopes = slopes / (scaling.table.values[:, -1] - scaling.table.values[:, 0])
    weights[scaling.columns] = slopes**kernel.power
    return weights


def check_scaled_kernel(model):
    """Raise a ValueError for weights or a scale that the kernel has no use for."""
    kernel = make_kernel(model.kernel)
    if model.feature_weights is not None:
        check_weighted(kernel)
    if model.gamma_scale != 1.0 and not kernel.has_gamma:
        raise ValueError(
            f"gamma_scale={model.gamma_scale!r} has no gamma to multiply with "
            f"kernel={kernel.name!r}; leave it out, or use 'rbf' or 'laplacian'."
        )


def check_weighted(kernel):
    """Raise a ValueError if features cannot have weights in the kernel."""
    if kernel.power is None:
        raise ValueError(
            f"feature_weights need a kernel of distances; with kernel={kernel.name!r} "
            "use feature_weights=None, or kernel='rbf' or 'laplacian'."
        )
