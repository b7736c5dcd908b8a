"""The thetas that a search over tables tries, the most promising first.

Measured on the training rows of public tables (docs/benchmarks/kernels.md): a Laplacian
kernel is ahead on tables of mixed columns, the Gaussian on letters, digits and signals,
learned weights help where few columns matter, local ones where a few thresholds do,
quantiles where tails are long, a linear machine where rows are few and noisy. Numbers
in units of their standard deviation count for more beside indicators of categories than
in [0, 1]. Least squares machines rank rows better where classes overlap, and are closer
to numbers on most tables. None wins everywhere, so all are tried.
"""

from treesvm.decomposition.theta import Theta
from treesvm.kernels.kernel import Gaussian, Laplacian, Linear

_VIEWS = (
    (Laplacian(), "minmax", None),
    (Gaussian(), "minmax", None),
    (Laplacian(), "quantile", "local"),
    (Gaussian(), "quantile", None),
    (Laplacian(), "minmax", "learned"),
    (Gaussian(), "minmax", "learned"),
    (Laplacian(), "quantile", None),
    (Gaussian(), "quantile", "learned"),
    (Linear(), "minmax", None),
)
_CLASS_VIEWS = (
    *_VIEWS,
    (Gaussian(), "standard", None),
    (Laplacian(), "standard", None),
)
_SPARSE_VIEWS = (
    (Linear(), None, None),
    (Gaussian(), None, None),
    (Laplacian(), "minmax", None),
)
# By least squares; noisy tables, on which ranks count, are theirs.
_SQUARED_CLASS_VIEWS = (
    (Laplacian(), "standard", None),
    (Gaussian(), "quantile", None),
    (Laplacian(), "quantile", "local"),
    (Gaussian(), "minmax", "learned"),
)
# Of numbers, beside those by least squares.
_NUMBER_VIEWS = (
    (Laplacian(), "minmax", None),
    (Laplacian(), "quantile", "local"),
    (Laplacian(), "minmax", "learned"),
    (Gaussian(), "minmax", None),
    (Linear(), "minmax", None),
)
_SQUARED_NUMBER_VIEWS = (
    (Laplacian(), "minmax", None),
    (Laplacian(), "minmax", "local"),
    (Laplacian(), "quantile", "local"),
    (Gaussian(), "minmax", "learned"),
    (Gaussian(), "minmax", "local"),
)
_CS = (10.0, 1.0, 100.0)
_SQUARED_CS = (3.0, 30.0, 0.3)
_SCALES = (1.0, 0.3, 3.0)
_STEP = 10.0 ** (1.0 / 3.0)  # a third of a decade
_STEPS = (_STEP**-2, 1.0 / _STEP, 1.0, _STEP, _STEP**2)


def first_thetas(is_sparse, n_classes, *, has_squares=True):
    """Return the coarse grid: every view with a few values of C and gamma.

    Parameters
    ----------
    is_sparse : bool
    n_classes : int or None
        None for numbers.
    has_squares : bool
        Whether machines by least squares are among them. All of their rows are
        vectors, which takes long to train and to ask where rows are many.
    """
    has_squares = has_squares and not is_sparse
    views, squared_views = _CLASS_VIEWS, _SQUARED_CLASS_VIEWS
    if n_classes is None:
        views = _NUMBER_VIEWS if has_squares else _VIEWS
        squared_views = _SQUARED_NUMBER_VIEWS
    views = _SPARSE_VIEWS if is_sparse else views
    thetas = []
    for kernel, scaling, weights in views:
        for scale in _SCALES if kernel.has_gamma else _SCALES[:1]:
            thetas += [
                Theta(C, "median", scale, kernel, scaling, weights, multi_class)
                for multi_class in _multi_classes(is_sparse, n_classes)
                for C in _CS
            ]
    if not has_squares:
        return thetas
    (multi_class,) = _multi_classes(is_sparse, n_classes)
    return thetas + [
        Theta(C, "median", scale, *view, multi_class, "squared")
        for view in squared_views
        for scale in _SCALES
        for C in _SQUARED_CS
    ]


def _multi_classes(is_sparse, n_classes):
    """In wide sparse rows, such as texts, a class against the others is ahead."""
    if n_classes is None:
        return (None,)
    return ("ovr", "ovo") if is_sparse and n_classes > 2 else ("ovo",)


def neighbours(theta, *, is_grid):
    """Return the thetas a third and two thirds of a decade around one.

    Parameters
    ----------
    is_grid : bool
        Whether C and gamma are moved together, or one at a time, which is cheaper.
    """
    scales = _STEPS if theta.kernel.has_gamma else (1.0,)
    return [
        theta._replace(C=theta.C * c, gamma_scale=theta.gamma_scale * g)
        for g in scales
        for c in _STEPS
        if is_grid or 1.0 in (g, c)
    ]


def smoothness(theta):
    """A key by which thetas of one view are ordered, the smoothest first."""
    return theta.C, theta.gamma_scale
