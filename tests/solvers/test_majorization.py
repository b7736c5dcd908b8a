"""SVM-Maj: twins, certificates, descent, limit cases, paths and the choice of λ."""

import naive_majorization as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from treesvm.solvers.hinge_optimality import hinge_loss
from treesvm.solvers.hinges import FLOOR, error_of, find_hinge, slope_of
from treesvm.solvers.majorization import descend, solve_majorization, start_from
from treesvm.solvers.majorization_path import (
    PAPER_PENALTIES,
    PathOptions,
    choose_penalty,
    draw_folds,
    majorization_path,
)
from treesvm.solvers.majorized_rows import majorized_rows

HINGES = [("absolute", 0.0), ("quadratic", 0.0), ("huber", 0.0), ("huber", -0.5)]
SMOOTH = HINGES[1:]


def problem(seed, n=40, p=4, kind="plain"):
    """Rows, labels and weights; `kind` makes the columns hard."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    if kind == "ill":
        X *= 10.0 ** np.linspace(-4, 4, p)
    if kind == "constant":
        X[:, 0] = 7.0
    if kind == "duplicate":
        X[:, 1] = X[:, 0]
    if kind == "far":
        X += 1e5
    centred = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-300)
    y = np.where(centred[:, -1] + rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = [-1.0, 1.0]
    return X, y, rng.uniform(0.5, 2.0, n)


def solved(X, y, penalty, name, k=0.0, **options):
    options = {"tol": 1e-12, "max_iter": 20_000, **options}
    return solve_majorization(X, y, penalty, hinge=find_hinge(name, k), **options)


@pytest.mark.parametrize(("name", "k"), HINGES)
def test_hinge_and_slope_equal_the_definition(name, k):
    hinge = find_hinge(name, k)
    for m in np.linspace(-3, 3, 61) + 0.013:
        assert error_of(m, *hinge) == pytest.approx(naive.hinge(name, m, k))
        rise = naive.hinge(name, m + 1e-6, k) - naive.hinge(name, m - 1e-6, k)
        assert slope_of(m, *hinge) == pytest.approx(-rise / 2e-6, abs=1e-5)


@pytest.mark.parametrize(("name", "k"), HINGES)
def test_one_plain_step_is_equation_ten(name, k):
    X, y, weight = problem(3)
    rows = majorized_rows(X, weight)
    w, c = np.full(4, 0.2), -0.3
    state = start_from(rows, (w, c))
    descend(rows, y, 0.7, find_hinge(name, k), state, "plain", 0.0, 1)
    ours = rows.unfold(state[0], float(state[1][0]))
    theirs = naive.majorization_step(X, y, weight, 0.7, name, w, c, k)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-9)
    assert ours[1] == pytest.approx(theirs[1], rel=1e-9)


@pytest.mark.parametrize(("name", "k"), SMOOTH)
@pytest.mark.parametrize("penalty", [1e-3, 1.0, 100.0])
def test_smooth_hinges_equal_a_convex_solve(name, k, penalty):
    X, y, weight = problem(5)
    ours = solved(X, y, penalty, name, k, weight=weight)
    w, c = naive.smooth_svm(X, y, weight, penalty, name, k)
    np.testing.assert_allclose(ours.coefficients, w, rtol=1e-4, atol=1e-5)
    assert ours.bias == pytest.approx(c, rel=1e-4, abs=1e-5)
    best = naive.loss(X, y, weight, penalty, name, w, c, k)
    assert naive.loss(
        X, y, weight, penalty, name, ours.coefficients, ours.bias, k
    ) == pytest.approx(best, rel=1e-7)


@pytest.mark.parametrize("penalty", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_absolute_hinge_equals_quadratic_programming(penalty, seed):
    X, y, weight = problem(seed, n=25, p=3)
    ours = solved(X, y, penalty, "absolute", weight=weight)
    w, c = naive.absolute_svm(X, y, weight, penalty)
    best = naive.loss(X, y, weight, penalty, "absolute", w, c)
    found = naive.loss(X, y, weight, penalty, "absolute", ours.coefficients, ours.bias)
    assert found == pytest.approx(best, rel=1e-4)
    np.testing.assert_allclose(ours.coefficients, w, rtol=2e-3, atol=2e-3)


@given(
    seed=st.integers(0, 10_000),
    hinge=st.sampled_from(HINGES),
    kind=st.sampled_from(["plain", "ill", "constant", "duplicate", "far"]),
    steps=st.sampled_from(["plain", "doubled", "conjugate"]),
    penalty=st.sampled_from([2.0**-15, 0.1, 256.0]),
    p=st.sampled_from([3, 30]),
)
@settings(max_examples=80, deadline=None)
def test_loss_never_rises(seed, hinge, kind, steps, penalty, p):
    X, y, weight = problem(seed, n=20, p=p, kind=kind)
    name, k = hinge
    rows, hinge = majorized_rows(X, weight), find_hinge(name, k)
    state = start_from(rows)

    def loss():
        return hinge_loss(
            rows.Z, y, weight, penalty, hinge, state[0], float(state[1][0])
        )

    before = loss()
    # Rounding of the predictions, when features are large beside their spread.
    rounding = 1e-9 * before
    for _ in range(60):
        descend(rows, y, penalty, hinge, state, steps, -np.inf, 2)
        after = loss()
        assert after <= before + 2 * weight.sum() * FLOOR / 4 + rounding
        before = after


@given(
    seed=st.integers(0, 10_000),
    hinge=st.sampled_from(HINGES),
    penalty=st.sampled_from([2.0**-15, 0.1, 10.0]),
    is_wide=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_no_answer_beats_the_certified_bound(seed, hinge, penalty, is_wide):
    X, y, weight = problem(seed, n=20, p=30 if is_wide else 3)
    name, k = hinge
    rough = solved(X, y, penalty, name, k, weight=weight, tol=1e-2)
    fine = solved(X, y, penalty, name, k, weight=weight, tol=1e-11)
    assert -1e-9 <= fine.gap <= 1.0
    rough_loss, fine_loss = (
        naive.loss(X, y, weight, penalty, name, s.coefficients, s.bias, k)
        for s in (rough, fine)
    )
    assert rough_loss * (1.0 - rough.gap) <= fine_loss * (1.0 + 1e-6)
    assert fine_loss * (1.0 - fine.gap) <= rough_loss * (1.0 + 1e-6)


@pytest.mark.parametrize(("name", "k", "limit"), [(*h, 1e-6) for h in SMOOTH])
@pytest.mark.parametrize("penalty", [2.0**-15, 1.0, 256.0])
def test_converged_smooth_machines_are_certified(name, k, limit, penalty):
    X, y, weight = problem(8, n=300, p=10)
    solution = solved(X, y, penalty, name, k, weight=weight, tol=1e-9)
    assert solution.converged
    assert solution.gap < limit
    assert solution.violation < 1e-3


def test_absolute_hinge_is_certified():
    X, y, weight = problem(8, n=300, p=10)
    for penalty in (0.1, 1.0, 256.0):
        solution = solved(X, y, penalty, "absolute", weight=weight, tol=1e-10)
        assert solution.converged
        assert solution.gap < 1e-3


def test_huber_tends_to_the_absolute_hinge():
    X, y, _ = problem(2, n=60, p=3)
    target = solved(X, y, 0.5, "absolute")
    distance = []
    for k in (0.0, -0.9, -0.99, -0.999):
        near = solved(X, y, 0.5, "huber", k)
        distance.append(np.abs(near.coefficients - target.coefficients).max())
    assert distance == sorted(distance, reverse=True)
    assert distance[-1] < 5e-3


@pytest.mark.parametrize(("name", "k"), HINGES)
def test_more_features_than_rows_give_the_same_machine(name, k):
    X, y, weight = problem(4, n=30, p=10)
    wide = np.hstack([X, np.zeros((30, 40))])  # 50 features, the same problem
    narrow = solved(X, y, 0.3, name, k, weight=weight)
    dual = solved(wide, y, 0.3, name, k, weight=weight)
    np.testing.assert_allclose(
        dual.coefficients[:10], narrow.coefficients, rtol=1e-4, atol=1e-5
    )
    assert dual.bias == pytest.approx(narrow.bias, rel=1e-4, abs=1e-5)
    np.testing.assert_allclose(dual.coefficients[10:], 0.0, atol=1e-12)


@pytest.mark.parametrize("p", [5, 60])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("name", "k"), HINGES)
def test_sparse_rows_give_the_same_machine(name, k, fit_intercept, p):
    X, y, weight = problem(6, n=40, p=p)
    X[np.abs(X) < 0.7] = 0.0
    options = {"weight": weight, "fit_intercept": fit_intercept}
    dense = solved(X, y, 0.5, name, k, **options)
    thin = solved(sparse.csr_matrix(X), y, 0.5, name, k, **options)
    np.testing.assert_allclose(
        thin.coefficients, dense.coefficients, rtol=1e-4, atol=1e-5
    )
    assert fit_intercept or dense.bias == thin.bias == 0.0


@pytest.mark.parametrize(("name", "k"), HINGES)
def test_weight_two_is_the_row_twice(name, k):
    X, y, _ = problem(7)
    weight = np.where(np.arange(40) < 10, 2.0, 1.0)
    rows = np.r_[np.arange(40), np.arange(10)]
    weighted = solved(X, y, 0.4, name, k, weight=weight)
    twice = solved(X[rows], y[rows], 0.4, name, k)
    np.testing.assert_allclose(
        weighted.coefficients, twice.coefficients, rtol=1e-5, atol=1e-6
    )


def test_doubled_and_conjugate_steps_save_iterations():
    X, y, _ = problem(9, n=500, p=10)
    for name, k in [("huber", -0.9), ("absolute", 0.0)]:
        counts = {
            steps: solved(X, y, 0.1, name, k, steps=steps, tol=1e-7).n_iter
            for steps in ("plain", "doubled", "conjugate")
        }
        assert counts["doubled"] < 0.8 * counts["plain"]
    assert solved(X, y, 0.1, "huber", -0.9, tol=1e-7).n_iter < 20


def test_absolute_hinge_does_not_stick_where_classes_are_separable():
    X, y, _ = problem(3, n=60, p=100)
    answers = {
        steps: solved(X, y, 2.0**-10, "absolute", steps=steps, tol=1e-7, max_iter=2000)
        for steps in ("plain", "conjugate")
    }
    losses = {
        steps: naive.loss(
            X, y, np.ones(60), 2.0**-10, "absolute", s.coefficients, s.bias
        )
        for steps, s in answers.items()
    }
    assert losses["conjugate"] < 0.9 * losses["plain"]
    assert answers["conjugate"].gap < 1e-2


def test_iteration_limit_is_told():
    X, y, _ = problem(1)
    solution = solved(X, y, 1e-4, "absolute", max_iter=3)
    assert not solution.converged
    assert solution.n_iter == 3
    with pytest.raises(ValueError, match="hinge='cubic'"):
        find_hinge("cubic")
    with pytest.raises(ValueError, match=r"huber_k=-1\.0"):
        find_hinge("huber", -1.0)


@pytest.mark.parametrize(("name", "k"), HINGES)
@pytest.mark.parametrize("p", [4, 60])
def test_path_equals_cold_solves(name, k, p):
    X, y, weight = problem(11, p=p)
    penalties = np.array([100.0, 3.0, 0.1, 0.01])
    options = PathOptions(find_hinge(name, k), tol=1e-12, max_iter=20_000)
    path = majorization_path(majorized_rows(X, weight), y, penalties, options)
    assert path.converged.all()
    for t, penalty in enumerate(penalties):
        cold = solved(X, y, penalty, name, k, weight=weight)
        ours = naive.loss(
            X, y, weight, penalty, name, path.weights[:, t], path.biases[t], k
        )
        theirs = naive.loss(
            X, y, weight, penalty, name, cold.coefficients, cold.bias, k
        )
        assert ours == pytest.approx(theirs, rel=1e-4)


def test_grid_is_the_thesis():
    assert len(PAPER_PENALTIES) == 47
    assert PAPER_PENALTIES[0] == pytest.approx(3.05e-5, rel=1e-3)
    assert PAPER_PENALTIES[-1] == 256.0


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_choice_equals_a_plain_loop(n_jobs):
    X, y, _ = problem(12, n=80)
    codes = (y > 0).astype(int)
    splits = draw_folds(codes, 4, seed=0)
    penalties = 2.0 ** np.arange(-6, 9)

    def fit(A, b, penalty):
        solution = solved(A, b, penalty, "quadratic")
        return solution.coefficients, solution.bias

    choice = choose_penalty(
        X,
        codes,
        splits,
        PathOptions(find_hinge("quadratic"), tol=1e-12),
        penalties=penalties,
        n_jobs=n_jobs,
    )
    assert choice.penalty == naive.choose_penalty(fit, X, y, splits, penalties)
    assert choice.converged_share == 1.0
    assert choice.accuracy.max() <= 1.0


def test_ties_go_to_the_largest_penalty():
    X = np.r_[np.full((10, 1), -5.0), np.full((10, 1), 5.0)]
    codes = np.repeat([0, 1], 10)
    options = PathOptions(find_hinge("quadratic"))
    choice = choose_penalty(X, codes, draw_folds(codes, 5, 0), options)
    assert choice.accuracy.min() == 1.0
    assert choice.penalty == 256.0


@given(
    counts=st.tuples(st.integers(1, 30), st.integers(1, 30)),
    n_folds=st.integers(2, 6),
    seed=st.integers(0, 100),
)
def test_folds_part_the_rows_and_spread_the_classes(counts, n_folds, seed):
    codes = np.repeat([0, 1], counts)
    folds = draw_folds(codes, n_folds, seed)
    tested = np.concatenate([test for _, test in folds])
    assert np.sort(tested).tolist() == list(range(len(codes)))
    for train, test in folds:
        assert len(train) + len(test) == len(codes)
        share = np.bincount(codes[test], minlength=2) - np.array(counts) / len(folds)
        assert np.abs(share).max() < 1.0
