"""Grids on one leaf: every point certified, equal to separate solves, honest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.svm import SVC

from treesvm.kernels.kernel import Gaussian
from treesvm.machines.layout import build_machines
from treesvm.machines.path import PATIENCE, GramChain, leaf_path
from treesvm.solvers import smo
from treesvm.solvers.optimality import certificate, feasibility, svc_box

CS = [0.1, 1.0, 10.0, 1e3, 1e5]
GAMMAS = [1e-3, 0.05, 1.0, 30.0, 1e3]


class Leaf:
    """Rows sorted by class, their machines, and float64 certificates."""

    def __init__(self, seed, n=60, n_classes=2, multi_class="ovo", weighted=False):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 3))
        X[:5] = X[5:10]  # some of them with another label
        codes = np.digitize(X[:, 0] + 0.4 * rng.normal(size=n), [0.0, 0.8])
        codes = np.minimum(codes, n_classes - 1)
        codes[:n_classes] = np.arange(n_classes)
        self.machines = build_machines(codes, n_classes, multi_class)
        self.X = X[self.machines.order]
        self.weight = rng.uniform(0.0, 2.0, n) if weighted else np.ones(n)
        self.weight[-1] = self.weight[0] = 1.0
        if weighted:
            self.weight[10:14] = 0.0

    def path(self, gammas=GAMMAS, Cs=CS, **options):
        kernel = Gaussian()
        problem = kernel.gram(self.X), kernel, self.machines, self.weight
        return list(leaf_path(*problem, gammas, Cs, **options))

    def problem(self, m, gamma, C):
        """Float64 (K, y, sizes) of machine m."""
        own = slice(self.machines.starts[m], self.machines.starts[m + 1])
        rows = self.machines.rows[own]
        K = np.expm1(-gamma * cdist(self.X[rows], self.X[rows], "sqeuclidean"))
        return K, self.machines.signs[own], C * self.weight[rows]

    def beta(self, point, m):
        return point.coefficients[self.machines.starts[m] : self.machines.starts[m + 1]]

    def certificates(self, point):
        """Check feasibility; return the certificate of every machine at its bias."""
        proofs = []
        for m, record in enumerate(point.records):
            K, y, sizes = self.problem(m, point.gamma, point.C)
            beta = self.beta(point, m)
            assert feasibility(beta, *svc_box(y, sizes)) <= 1e-11 * (1 + sizes.sum())
            proofs.append(certificate(K, y, sizes, beta, record["bias"]))
        return proofs


def converged_share(points):
    return np.mean([record["converged"] for p in points for record in p.records])


@given(
    seed=st.integers(0, 10_000),
    n_classes=st.sampled_from([2, 3]),
    multi_class=st.sampled_from(["ovo", "ovr"]),
    weighted=st.booleans(),
)
@settings(max_examples=12, deadline=None)
def test_every_point_is_certified(seed, n_classes, multi_class, weighted):
    leaf = Leaf(seed, 60, n_classes, multi_class, weighted)
    points = leaf.path()
    assert [(p.gamma, p.C) for p in points] == [(g, C) for g in GAMMAS for C in CS]
    for point in points:
        for record, proof in zip(point.records, leaf.certificates(point), strict=True):
            if record["converged"]:
                assert proof.relative_gap <= 1e-3
    assert converged_share(points) >= 0.9


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_points_equal_cold_solves(multi_class):
    leaf = Leaf(1, 80, 3, multi_class, weighted=True)
    for point in leaf.path([0.05, 1.0], [0.1, 1.0, 100.0]):
        for m, proof in enumerate(leaf.certificates(point)):
            K, y, sizes = leaf.problem(m, point.gamma, point.C)
            cold = smo.solve_smo(K.astype(np.float32), y, *svc_box(y, sizes), tol=1e-5)
            expected = certificate(K, y, sizes, cold.coefficients).dual
            assert proof.dual == pytest.approx(expected, rel=1e-3)


def test_cs_may_come_in_any_order():
    leaf = Leaf(2)
    ascending = leaf.path([1.0], [0.1, 1.0, 10.0])
    mixed = leaf.path([1.0], [10.0, 0.1, 1.0])
    for one, two in zip(ascending, mixed, strict=True):
        assert one.C == two.C
        np.testing.assert_array_equal(one.coefficients, two.coefficients)


@pytest.mark.parametrize("seed", range(8))
def test_held_machines_stay_valid(seed):
    """Once no coefficient touches its bound, larger Cs cost nothing and hold."""
    leaf = Leaf(seed, 50)
    leaf.X[:, 0] += np.where(leaf.machines.signs > 0, 3.0, 0.0)  # separable
    points = leaf.path([0.3], [1.0, 1e2, 1e3, 1e4, 1e5])
    held = [bool(p.records["held"][0]) for p in points]
    assert held[-1]
    first = held.index(True)
    assert all(held[first:])
    for point in points:
        proof = leaf.certificates(point)[0]
        assert point.records["converged"][0]
        assert proof.relative_gap <= 1e-3
        assert point.records["gap"][0] == pytest.approx(proof.relative_gap, abs=1e-4)


@pytest.mark.parametrize("cap", [0, 5, 40])
def test_a_capped_path_is_honest(cap):
    leaf = Leaf(3, 100, 3)
    points = leaf.path(max_iter=cap)
    for point in points:
        assert point.records["n_iter"].max() <= cap
        for record, proof in zip(point.records, leaf.certificates(point), strict=True):
            if record["converged"]:
                assert proof.relative_gap <= 1.1e-3
    assert converged_share(points) < 1


@pytest.mark.parametrize("seed", range(3))
def test_a_cap_that_pays_for_newton_steps_solves_hard_points(seed):
    n = 100
    leaf = Leaf(seed, n)
    hard = {"gammas": [0.01, 0.1, 1.0], "Cs": [1e3, 1e4, 1e5]}
    paid = PATIENCE * n + n * n // 15 + 1
    points = leaf.path(**hard, max_iter=paid)
    assert converged_share(points) == 1
    for point in points:
        assert point.records["n_iter"].max() <= paid
        assert leaf.certificates(point)[0].relative_gap <= 1.1e-3
    assert converged_share(leaf.path(**hard, max_iter=paid - 2)) < 1


def test_points_own_their_arrays():
    first, second = Leaf(4).path([1.0], [0.1, 10.0])
    assert not np.shares_memory(first.coefficients, second.coefficients)
    assert not np.shares_memory(first.records, second.records)
    assert np.abs(first.coefficients).max() <= 0.1


def test_objective_is_libsvm_s_or_better():
    leaf = Leaf(5, 200)
    signs = leaf.machines.signs
    for point in leaf.path(Cs=[0.1, 1.0, 10.0, 100.0, 1e3]):
        K, y, sizes = leaf.problem(0, point.gamma, point.C)
        svc = SVC(C=point.C, gamma=point.gamma).fit(leaf.X, signs)
        beta = np.zeros(len(y))
        beta[svc.support_] = svc.dual_coef_[0]
        theirs = certificate(K, y, sizes, beta)
        ours = leaf.certificates(point)[0]
        assert point.records["converged"][0]
        assert ours.dual >= theirs.dual * (1 - 1e-3)


def test_a_chain_takes_any_kernel(rng):
    """A linear Gram matrix with values far from one, and no exact kernel."""
    X = rng.normal(size=(60, 4)) * 10
    codes = (X[:, 0] + 5 * rng.normal(size=60) > 0).astype(int)
    machines = build_machines(codes, 2, "ovo")
    X = X[machines.order]
    K = X @ X.T
    chain = GramChain(K.astype(np.float32), machines, np.ones(60))
    for C in (1e-3, 1.0, 100.0):
        records = chain.solve(C)
        proof = certificate(K, machines.signs, C, chain.beta)
        assert records["converged"][0]
        assert proof.relative_gap <= 2e-3


@pytest.mark.parametrize("offset", [-0.5, -5.0])
def test_indefinite_chains_end(rng, offset):
    X = rng.normal(size=(50, 3))
    codes = np.arange(50) % 2
    machines = build_machines(codes, 2, "ovo")
    X = X[machines.order]
    K = np.tanh(X @ X.T + offset).astype(np.float32)
    chain = GramChain(K, machines, np.ones(50))
    for C in (0.1, 10.0, 1e4):
        chain.solve(C)
        assert np.isfinite(chain.beta).all()
        assert feasibility(chain.beta, *svc_box(machines.signs, C)) <= 1e-9 * C
