"""Gradients of machines: equal to plain loops and to finite differences."""

import naive
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification

from treesvm import KernelSVC, KernelSVR
from treesvm.kernels.sign_sums import sign_sums
from treesvm.machines.gradients import gradient_outer, machine_gradients

KERNELS = ["rbf", "laplacian"]
GAMMA = 0.2


def trained(kernel, n_classes=3, multi_class="ovo", container=np.asarray, shift=0.0):
    X, y = make_classification(
        150, 7, n_informative=5, n_redundant=0, n_classes=n_classes,
        n_clusters_per_class=1, random_state=0,
    )  # fmt: skip
    X = np.where(np.abs(X) < 0.5, 0.0, X) + shift
    model = KernelSVC(kernel=kernel, gamma=GAMMA, multi_class=multi_class)
    return model.fit(container(X), y)._machine, X, y


def twin(machine, X):
    """Gradients by plain loops over machines, rows and vectors."""
    W, name = machine.coefficient_matrix, machine.kernel.name
    vectors = machine.vectors
    vectors = vectors.toarray() if sparse.issparse(vectors) else vectors
    found = [[naive.gradient(name, x, vectors, c, GAMMA) for c in W.T] for x in X]
    return np.array(found)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("n_classes", "multi_class"), [(2, "ovo"), (3, "ovo"), (3, "ovr")]
)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_gradients_equal_plain_loops(kernel, n_classes, multi_class, container):
    machine, X, y = trained(kernel, n_classes, multi_class, container)
    X, y = X[::3], y[::3]
    expected = twin(machine, X)
    found = machine_gradients(machine, container(X))
    np.testing.assert_allclose(found, expected, atol=1e-11)
    G = gradient_outer(machine, container(X))
    np.testing.assert_allclose(G, (expected**2).sum(axis=(0, 1)), rtol=1e-4)
    own = np.zeros(X.shape[1])
    for m, (positive, negative) in enumerate(machine.pairs):
        counts = [code == positive or negative in (-1, code) for code in y]
        own += (expected[counts, m] ** 2).sum(axis=0)
    np.testing.assert_allclose(gradient_outer(machine, container(X), y), own, rtol=1e-4)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shift", [0.0, 100.0])
def test_gradients_are_slopes_of_decision_values(rng, kernel, shift):
    machine, X, _ = trained(kernel, shift=shift)
    X = X[:20] + rng.uniform(0.01, 0.02, X[:20].shape)  # off the kinks
    found, step = machine_gradients(machine, X), 1e-6
    for j in range(X.shape[1]):
        there, back = X.copy(), X.copy()
        there[:, j] += step
        back[:, j] -= step
        slopes = (machine.decisions(there) - machine.decisions(back)) / (2 * step)
        np.testing.assert_allclose(found[:, :, j], slopes, atol=1e-6)


@pytest.mark.parametrize(("n", "s", "d"), [(1, 1, 1), (130, 70, 3), (16, 4, 5)])
@pytest.mark.parametrize(("dtype", "atol"), [(np.float32, 1e-4), (np.float64, 1e-12)])
def test_sign_sums_of_any_shape_equal_numpy(rng, n, s, d, dtype, atol):
    X, Z = rng.integers(0, 4, (n, d)), rng.integers(0, 4, (s, d))
    weights = rng.normal(size=(n, s)).astype(dtype)
    expected = np.einsum("is,isj->ij", weights, np.sign(X[:, None] - Z))
    found = sign_sums(X.astype(dtype), Z.astype(dtype), weights)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, atol=atol)


def test_regression_constants_and_what_has_no_gradient(rng):
    X = np.column_stack([rng.normal(size=(80, 3)), np.full(80, 2.0)])
    machine = KernelSVR(kernel="laplacian", gamma=GAMMA).fit(X, X[:, 0])._machine
    G = gradient_outer(machine, X)
    assert G[3] == 0
    assert G[0] > 10 * G[1:3].max()
    same = KernelSVR(epsilon=100.0).fit(X, X[:, 0])._machine  # no vectors
    assert machine.n_vectors > same.n_vectors == 0
    np.testing.assert_array_equal(machine_gradients(same, X), np.zeros((80, 1, 4)))
    np.testing.assert_array_equal(gradient_outer(same, X), np.zeros(4))
    linear = KernelSVC(kernel="linear").fit(X, X[:, 0] > 0)._machine
    with pytest.raises(ValueError, match="kernel='linear' has no gradient"):
        gradient_outer(linear, X)
