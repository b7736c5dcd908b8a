"""Feature weights of parts: given ones, learned ones, and their limit cases."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from treesvm import DTSVMClassifier, DTSVRegressor
from treesvm.decomposition.feature_weights import (
    averaged_parts,
    needs_prior,
    trained_with_weights,
)
from treesvm.decomposition.training import (
    machine_options,
    options_with_prior,
    seen_scaling,
    train_machine,
    train_seen,
)
from treesvm.inputs.rows import Rows
from treesvm.machines.scaling import minmax_scaling, part_scaling
from treesvm.partitions import WholeSpace

KERNELS = ["rbf", "laplacian"]


def two_true_features(rng, n_rows=400, n_noise=4):
    """A ring in the first two features; the others are noise."""
    X = rng.random((n_rows, 2 + n_noise))
    y = (((X[:, :2] - 0.5) ** 2).sum(axis=1) > 0.16).astype(int)
    return X, y


def whole(kernel="laplacian", **options):
    options = {"C": 1.0, "gamma_scale": 1.0, "tol": 1e-5, **options}
    return DTSVMClassifier(
        kernel=kernel, partition=WholeSpace(), random_state=0, **options
    )


def weights_of(model, X):
    """The weights of the only part of a model, from its scaling."""
    (part,) = model.decompositions_[0].parts
    base, unit, factor = (
        part_scaling(X, model.leaf_scaling),
        np.ones(X.shape[1]),
        0 * X[0],
    )
    if base is not None:
        unit[base.columns] = base.factor
    factor[part.scaling.columns] = part.scaling.factor
    return (factor / unit) ** part.machine.kernel.power


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_of_one_change_nothing(kernel, rng):
    X, y = two_true_features(rng)
    plain = whole(kernel).fit(X, y)
    ones = whole(kernel, feature_weights=np.ones(6)).fit(X, y)
    np.testing.assert_array_equal(ones.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize("leaf_scaling", ["minmax", None])
@pytest.mark.parametrize("kernel", KERNELS)
def test_given_weights_multiply_what_the_kernel_sees(kernel, leaf_scaling, rng):
    X, y = two_true_features(rng, n_rows=150)
    weights = np.array([2.0, 0.5, 0.0, 1.0, 3.0, 0.1])
    options = {"gamma": 1.5, "leaf_scaling": leaf_scaling}
    ours = whole(kernel, feature_weights=weights, **options).fit(X, y)
    scaling = part_scaling(X, leaf_scaling)
    seen = X if scaling is None else scaling.apply(X)
    seen = seen * weights ** (1.0 if kernel == "laplacian" else 0.5)
    theirs = whole(kernel, gamma=1.5, leaf_scaling=None).fit(seen, y)
    ours, theirs = ours.decision_function(X), theirs.decision_function(seen)
    np.testing.assert_allclose(ours, theirs, atol=1e-4)  # the solver's tolerance
    assert np.abs(ours).max() > 0.5


@pytest.mark.parametrize("leaf_scaling", ["minmax", "quantile", None])
@pytest.mark.parametrize("kernel", KERNELS)
def test_noise_weighs_less_than_a_tenth(kernel, leaf_scaling, rng):
    X, y = two_true_features(rng, n_rows=800)
    model = whole(kernel, feature_weights="learned", leaf_scaling=leaf_scaling)
    plain = whole(kernel, leaf_scaling=leaf_scaling).fit(X, y)
    found = weights_of(model.fit(X, y), X)
    assert found[:2].min() > 0.5
    assert found[2:].max() < 0.1 * found[:2].min()
    X_new, y_new = two_true_features(rng, n_rows=1000)
    assert model.score(X_new, y_new) > plain.score(X_new, y_new) + 0.01


@pytest.mark.parametrize("seed", range(5))
def test_noise_weighs_less_than_a_tenth_in_a_rough_machine_too(seed):
    X, y = two_true_features(np.random.default_rng(seed), n_rows=800)
    model = whole("laplacian", feature_weights="learned", C=10.0)
    found = weights_of(model.fit(X, y), X)
    assert found[:2].min() > 0.5
    assert found[2:].max() < 0.1 * found[:2].min()


@pytest.mark.parametrize("kernel", KERNELS)
def test_regressors_learn_the_features_that_matter(kernel):
    X, y = make_friedman1(500, random_state=0)
    model = DTSVRegressor(
        kernel=kernel,
        feature_weights="learned",
        epsilon=0.2,
        partition=WholeSpace(),
        random_state=0,
    ).fit(X, y)
    found = weights_of(model, X)
    assert found[5:].max() < 0.25 * found[:5].min()
    assert found[5:].mean() < 0.1 * found[:5].mean()


@pytest.mark.parametrize("kernel", KERNELS)
def test_equal_columns_share(kernel, rng):
    X, y = two_true_features(rng, n_noise=1)
    X = np.column_stack([X, X[:, 0]])
    found = weights_of(whole(kernel, feature_weights="learned").fit(X, y), X)
    assert found[3] == pytest.approx(found[0], rel=1e-3)
    assert found[2] < 0.2 * found[0] < found[1]


@pytest.mark.parametrize("leaf_scaling", ["minmax", "quantile", None])
@pytest.mark.parametrize("weights", ["learned", "local"])
def test_a_constant_column_weighs_nothing(weights, leaf_scaling, rng):
    X, y = two_true_features(rng)
    X[:, 3] = 7.0
    options = {"feature_weights": weights, "leaf_scaling": leaf_scaling}
    model = whole(**options).fit(X, y)
    (part,) = model.decompositions_[0].parts
    assert 3 not in part.scaling.columns
    without = np.delete(X, 3, axis=1)
    np.testing.assert_allclose(
        whole(**options).fit(without, y).decision_function(without),
        model.decision_function(X),
        atol=1e-4,  # the solver's tolerance
    )


@pytest.mark.parametrize("leaf_scaling", ["minmax", "quantile"])
@pytest.mark.parametrize("weights", ["learned", "local"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_units_of_a_column_do_not_matter(kernel, weights, leaf_scaling, rng):
    X, y = two_true_features(rng)
    model = whole(kernel, feature_weights=weights, leaf_scaling=leaf_scaling)
    first = model.fit(X, y).decision_function(X)
    X = X * [1024.0, 1.0, 2.0**-10, 1.0, 64.0, 1.0]  # without rounding
    np.testing.assert_array_equal(model.fit(X, y).decision_function(X), first)


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
@pytest.mark.parametrize("weights", ["learned", [1.0, 2.0]])
def test_kernels_without_distances_are_refused(kernel, weights, rng):
    X, y = two_true_features(rng, n_rows=40, n_noise=0)
    with pytest.raises(ValueError, match="feature_weights need a kernel of distances"):
        whole(kernel, feature_weights=weights).fit(X, y)


@pytest.mark.parametrize(
    "weights", ["learnt", [1.0, 2.0, 3.0], [1.0, -1.0], [1.0, np.nan]]
)
def test_weights_that_are_no_weights_are_refused(weights, rng):
    X, y = two_true_features(rng, n_rows=40, n_noise=0)
    with pytest.raises(ValueError, match="feature_weights"):
        whole(feature_weights=weights).fit(X, y)


def test_small_parts_are_drawn_to_the_prior(rng):
    X, y = two_true_features(rng, n_rows=60)
    rows = Rows(X, y, np.ones(60), 2)
    options = machine_options(whole(feature_weights="learned"))

    def learned(prior):
        own = options._replace(prior=prior)
        _, scaling = trained_with_weights(
            lambda seen, kernel, share: train_machine(seen, kernel, 10.0 * share, own),
            rows,
            minmax_scaling(X),
            own,
        )
        found = np.zeros(6)
        found[scaling.columns] = scaling.factor / minmax_scaling(X).factor
        return found

    alone = learned(None)
    prior = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    drawn = learned(prior)
    assert drawn[2:].sum() < alone[2:].sum()
    assert np.abs(drawn - prior).sum() < np.abs(alone - prior).sum()


def test_only_small_parts_among_several_need_help():
    learned = machine_options(whole(feature_weights="learned"))
    assert needs_prior(learned, np.array([600, 499]))
    assert not needs_prior(learned, np.array([600, 500]))
    assert not needs_prior(learned, np.array([100]))
    assert not needs_prior(machine_options(whole()), np.array([600, 100]))


def test_parts_of_several_classes_are_averaged():
    is_mixed = np.arange(100) % 2 == 0
    chosen = averaged_parts(is_mixed, 3)
    assert len(set(chosen)) == 16
    assert is_mixed[chosen].all()
    assert chosen == sorted(chosen) != averaged_parts(is_mixed, 4)
    assert averaged_parts(is_mixed[:7], 3) == [0, 2, 4, 6]
    assert averaged_parts(np.zeros(5, bool), 3) == []


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_prior_is_the_mean_of_what_parts_learn_alone(kernel, rng):
    X, y = two_true_features(rng, n_rows=360)
    X[:120, 5] = 7.0  # constant in the first part
    bounds = [(0, 120), (120, 150), (150, 360)]
    y[120:150] = 1  # the second needs no machine
    parts = [Rows(X[a:b], y[a:b], np.ones(b - a), 2) for a, b in bounds]
    options = machine_options(whole(kernel, feature_weights="learned"))
    sizes, is_mixed = np.array([120, 30, 210]), np.array([True, False, True])
    found = options_with_prior(options, parts.__getitem__, sizes, is_mixed, 0).prior
    alone = [
        weights_of(whole(kernel, feature_weights="learned").fit(*parts[k][:2]), part.X)
        for k, part in ((0, parts[0]), (2, parts[2]))
    ]
    assert alone[0][5] == 0.0 < alone[1][5]
    expected = (120 * alone[0] + 210 * alone[1]) / 330
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    none = options_with_prior(options, parts.__getitem__, sizes, sizes < 0, 0)
    assert none.prior is None


def test_regressors_of_small_parts_listen_to_all_parts():
    X, y = make_friedman1(900, random_state=0)
    model = DTSVRegressor(
        feature_weights="learned", epsilon=0.2, max_leaf_size=150, random_state=0
    )
    share = model.fit(X[:600], y[:600]).feature_importances_
    assert model.n_leaves_ > 3
    assert share[5:].max() < 0.25 * share[:5].max()
    assert model.score(X[600:], y[600:]) > 0.8


@pytest.mark.parametrize("weights", ["learned", "local"])
def test_threads_do_not_matter(weights, rng):
    X, y = two_true_features(rng, n_rows=900)
    model = DTSVMClassifier(max_leaf_size=200, feature_weights=weights, random_state=0)
    one = model.set_params(n_jobs=1).fit(X, y).decision_function(X)
    two = model.set_params(n_jobs=2).fit(X, y).decision_function(X)
    np.testing.assert_array_equal(one, two)
    assert model.n_leaves_ > 3


@pytest.mark.parametrize("weights", [None, "learned", (1.0, 0.5, 0.0, 2.0, 1.0, 1.0)])
def test_how_rows_are_seen_needs_no_machine(rng, weights):
    """A search asks for the scaling alone; it is that of the trained machine."""
    X, y = two_true_features(rng)
    rows = Rows(X, y, np.ones(len(y)), 2)
    options = machine_options(whole(feature_weights=weights))
    alone, (_, trained) = seen_scaling(rows, options), train_seen(rows, options)
    np.testing.assert_array_equal(alone.apply(X), trained.apply(X))
