"""Support vector trees against slow twins and in their limits."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from tests import naive_compression as naive
from treesvm.compression import GrowthOptions, exact_balanced_tree, grow_score_tree
from treesvm.compression.chain import choose_chain
from treesvm.compression.chain_columns import ChainColumns, path_basis
from treesvm.compression.column_sums import (
    best_column,
    best_cut,
    column_sums,
    errors_of,
    permute_rows,
    without_span,
)
from treesvm.compression.path_fit import fit_path, weighted_gram
from treesvm.kernels.blas_threads import one_blas_thread

NOTHING = np.zeros(50)


def terms_of(rng, n=60, m=20, gamma=0.5):
    """Terms a_j k(s_j, x_i) of a machine, and their sums."""
    S, X = rng.normal(size=(m, 2)), rng.normal(size=(n, 2))
    a = rng.normal(size=m)
    K = np.exp(-gamma * ((X[:, None] - S[None]) ** 2).sum(axis=2)) * a
    return K, K.sum(axis=1)


def grown(K, r, options, seed=0, **more):
    targets = r.reshape(len(K), -1)
    rng = np.random.default_rng(seed)
    return grow_score_tree(K.copy(), targets, targets, options, rng=rng, **more)


def test_best_column_is_the_best_of_all(rng):
    K, r = terms_of(rng)
    best = best_column(column_sums(K, r[:, None]), np.zeros(K.shape[1]))
    k, gain = naive.best_column(K, r)
    assert best.column == k
    assert best.gain == pytest.approx(gain)
    assert best.scale[0] == pytest.approx(naive.column_gain(K[:, k], r)[0])
    taken = best_column(column_sums(K, r[:, None]), np.zeros(K.shape[1]), [k])
    assert taken.column != k


def test_best_cut_is_the_best_of_all(rng):
    left, right = rng.random(30), rng.random(30)
    cuts = np.array([1, 4, 5, 17, 29])
    assert best_cut(left, right, cuts) == pytest.approx(
        naive.best_cut(left, right, cuts)
    )


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_sums_and_errors_are_those_of_plain_products(n_outputs, rng):
    for n in (0, 1, 4, 31):
        K, residual = rng.normal(size=(n, 7)), rng.normal(size=(n, n_outputs))
        sums = column_sums(K, residual)
        np.testing.assert_allclose(sums.products, K.T @ residual, atol=1e-12)
        np.testing.assert_allclose(sums.squares, (K**2).sum(axis=0), atol=1e-12)
        scale = rng.normal(size=n_outputs)
        wanted = ((residual - np.outer(K[:, 2], scale)) ** 2).sum(axis=1)
        np.testing.assert_allclose(errors_of(K, residual, 2, scale), wanted)


def test_columns_of_a_chain_have_the_sums_of_what_its_span_leaves(rng):
    K, residual = rng.normal(size=(30, 9)), rng.normal(size=(30, 2))
    columns, path = ChainColumns(K, [4]), [4, 0, 7]
    columns.extend_to(path)
    wanted = column_sums(without_span(K, path_basis(K, path)), residual)
    found = columns.sums(residual)
    np.testing.assert_allclose(found.products, wanted.products, atol=1e-12)
    np.testing.assert_allclose(found.squares, wanted.squares, atol=1e-12)


def test_blas_has_one_thread_inside_and_its_own_number_again_after():
    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if is_blas(pool)]

    def is_blas(pool):
        return pool["user_api"] == "blas"

    before = threads()
    with one_blas_thread():
        with one_blas_thread():
            pass
        assert set(threads()) == {1}
    assert threads() == before


def test_rows_are_permuted_in_place(rng):
    K, order = rng.normal(size=(40, 3)), rng.permutation(40)
    wanted = K[order]
    permute_rows(K, order)
    np.testing.assert_array_equal(K, wanted)


def test_what_a_span_leaves(rng):
    K, basis = rng.normal(size=(30, 8)), np.linalg.qr(rng.normal(size=(30, 3)))[0]
    kept = K.copy()
    np.testing.assert_allclose(without_span(K, basis), K - basis @ (basis.T @ K))
    np.testing.assert_array_equal(K, kept)


def test_tree_of_height_two_is_no_better_than_all_splits_and_often_as_good(rng):
    ratios = []
    for _ in range(8):
        K, r = terms_of(rng, n=25, m=6)
        tree = grown(K, r, GrowthOptions(2, min_rows=1, n_starts=25, refit=False))
        root = tree.column[0]
        scale, _ = naive.column_gain(K[:, root], r)
        rest = r - scale * K[:, root]
        assert root == naive.best_column(K, r)[0]
        cost = ((tree.values(K)[:, 0] - r) ** 2).sum()
        best = naive.best_split_cost(K, rest, root)
        assert cost >= best - 1e-9
        ratios.append(cost / best)
    # Every start is tried, so only local minima of the alternation are left.
    assert np.median(ratios) == pytest.approx(1.0)


@pytest.mark.parametrize("refit", [False, True])
def test_one_row_in_every_leaf_reproduces_the_machine(refit, rng):
    K, r = terms_of(rng)
    options = GrowthOptions(min_rows=1, refit=refit, prior_rows=0.0)
    tree = grown(K, r, options)
    np.testing.assert_allclose(tree.values(K)[:, 0], r, atol=1e-6)
    if not refit:
        assert tree.n_rows[tree.is_leaf].max() == 1


def test_rows_that_a_column_cannot_tell_apart_are_told_apart_by_the_next(rng):
    K = np.zeros((8, 3))
    K[:, 0] = 1.0
    K[:4, 1], K[:, 2] = 1.0, np.arange(8) % 4
    tree = grown(K, K.sum(axis=1), GrowthOptions(min_rows=1, refit=False))
    np.testing.assert_allclose(tree.values(K)[:, 0], K.sum(axis=1), atol=1e-9)


def test_equal_rows_end_the_tree(rng):
    K = np.tile(rng.normal(size=(1, 5)), (20, 1))
    tree = grown(K, K.sum(axis=1), GrowthOptions(min_rows=1, refit=False))
    assert tree.n_nodes == 1
    np.testing.assert_allclose(tree.values(K)[:, 0], K.sum(axis=1))


@pytest.mark.parametrize("refit", [False, True])
def test_height_and_rows_stop_the_growth(refit, rng):
    K, r = terms_of(rng)
    tree = grown(K, r, GrowthOptions(3, min_rows=7, refit=refit))
    assert tree.height == 3
    inner = ~tree.is_leaf & (tree.left != tree.right)
    assert tree.n_rows[inner].min() > 7


def test_values_are_those_of_a_plain_walk(rng):
    K, r = terms_of(rng)
    targets = np.column_stack([r, 2 * r + 1.0, rng.normal(size=len(r))])
    tree = grown(K, targets, GrowthOptions(5, split_rows=20))
    new = terms_of(np.random.default_rng(1))[0]
    values = tree.values(new)
    for i, row in enumerate(new):
        value, kept = naive.tree_value(tree, row)
        np.testing.assert_allclose(values[i], value, rtol=1e-12)
        assert len(kept) == tree.depth[tree.apply(new)[i]]


def test_refit_lowers_the_error_of_the_same_height(rng):
    lower = 0
    for seed in range(6):
        K, r = terms_of(np.random.default_rng(seed), n=200, m=50)
        errors = [
            (
                (grown(K, r, GrowthOptions(6, refit=refit)).values(K)[:, 0] - r) ** 2
            ).sum()
            for refit in (False, True)
        ]
        lower += errors[1] < errors[0]
    assert lower == 6


def test_without_refit_earlier_scales_stay(rng):
    """The paper's algorithm: all leaves below a node share the scale of its column."""
    K, r = terms_of(rng)
    tree = grown(K, r, GrowthOptions(refit=False))
    starts = tree.start[tree.is_leaf]
    assert len(starts) > 5
    assert (tree.coefficients[starts] == tree.coefficients[0]).all()
    assert tree.coefficients[0, 0] == pytest.approx(
        naive.column_gain(K[:, tree.column[0]], r)[0]
    )


def test_a_chain_never_splits_and_never_repeats_a_column(rng):
    K, r = terms_of(rng)
    tree = grown(K, r, GrowthOptions(8, split_rows=len(K) + 1))
    np.testing.assert_array_equal(tree.left, tree.right)
    assert len(set(tree.column.tolist())) == tree.n_nodes == 8


def test_greedy_with_medians_and_unit_scales_is_never_better_than_exact(rng):
    for height in (1, 2, 3):
        K, r = terms_of(rng, n=16, m=4)
        exact = exact_balanced_tree(K, r, height)
        assert exact.cost == pytest.approx(naive.exact_balanced_cost(K, r, height))
        assert exact.cost <= naive.greedy_median_cost(K, r, height) + 1e-9


@pytest.mark.parametrize("height", [1, 2, 4])
def test_without_scales_the_tree_is_that_of_algorithms_2_to_5(height, rng):
    terms, r = terms_of(rng, n=30, m=8)
    a = rng.normal(size=8)
    K = terms / a  # what the kernel gives; a are the coefficients
    options = GrowthOptions(height, min_rows=3, n_starts=600, refit=False)
    tree = grown(K, r, options, scales=a[:, None])
    cost = ((tree.values(K)[:, 0] - r) ** 2).sum()
    wanted = naive.unscaled_tree_cost(terms, r, height, 3)
    assert cost == pytest.approx(wanted)
    for leaf in np.flatnonzero(tree.is_leaf)[:5]:
        kept = tree.coefficients[tree.start[leaf] :][: tree.depth[leaf], 0]
        assert np.isin(kept, a).all()
    scaled = grown(K, r, options)
    assert ((scaled.values(K)[:, 0] - r) ** 2).sum() < cost


def test_exact_tree_refuses_what_takes_for_ever(rng):
    K, r = terms_of(rng, n=200, m=50)
    with pytest.raises(ValueError, match="fewer columns"):
        exact_balanced_tree(K, r, 8)


def test_chain_is_the_one_that_fits_of_all_columns_find(rng):
    K, r = terms_of(rng, n=40, m=12)
    targets = np.column_stack([r, rng.normal(size=40)])
    assert choose_chain(K, targets, 5).tolist() == naive.orthogonal_chain(K, targets, 5)


def test_chain_stops_when_columns_are_used_up(rng):
    K = rng.normal(size=(30, 3))[:, [0, 1, 2, 0, 1]]
    assert len(choose_chain(K, rng.normal(size=(30, 2)), 5)) == 3


@pytest.mark.parametrize("kind", ["values", "hinge", "free"])
def test_path_fit_is_a_minimum(kind, rng):
    A, y = rng.normal(size=(50, 4)), rng.normal(size=50)
    lower = {"values": y, "hinge": np.where(y > 0, 1.0, -np.inf), "free": y - 0.3}[kind]
    upper = {"values": y, "hinge": np.where(y > 0, np.inf, -1.0), "free": y + 0.3}[kind]
    start, offset, ridge = rng.normal(size=(4, 1)), rng.normal(size=1), None
    ridge = weighted_gram(A, 3.0)
    fit = fit_path(
        A, lower[:, None], upper[:, None], start, offset, ridge, tol=1e-10,
        max_iter=3000,
    )  # fmt: skip

    def loss(coefficients, constant):
        return naive.path_loss(
            A, lower, upper, coefficients, constant, start[:, 0], offset[0], ridge
        )

    best = loss(fit.coefficients[:, 0], fit.offsets[0])
    for _ in range(20):
        step = 1e-3 * rng.normal(size=5)
        moved = loss(fit.coefficients[:, 0] + step[:4], fit.offsets[0] + step[4])
        assert moved >= best - 1e-9
    values = A @ fit.coefficients[:, 0] + fit.offsets[0]
    wanted = list(map(naive.interval_distance, values, lower, upper))
    np.testing.assert_allclose(fit.residual[:, 0], wanted, atol=1e-12)
