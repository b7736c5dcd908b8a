"""Weights that differ along features: their twin, and what they are without bins."""

import naive
import naive_scaling
import numpy as np
import pytest
from scipy import sparse

from treesvm import DTSVMClassifier, DTSVRegressor, KernelSVC, KernelSVR
from treesvm.decomposition import feature_weights, local_weights
from treesvm.decomposition.local_weights import LocalWeights
from treesvm.decomposition.training import (
    machine_options,
    seen_scaling,
    train_seen,
)
from treesvm.inputs.rows import Rows
from treesvm.kernels.kernel import Gaussian, Laplacian
from treesvm.machines.quantile_table import quantile_table
from treesvm.machines.regression_machine import train_regressor
from treesvm.machines.scaling import part_scaling

KERNELS = [Laplacian(0.8), Gaussian(2.0)]


def steps(rng, n_rows=600):
    """A jump in the first feature; the second counts a little, the third not."""
    X = rng.random((n_rows, 3))
    return X, 1.0 * (X[:, 0] > 0.7) + 0.2 * X[:, 1] + 0.1 * rng.normal(size=n_rows)


def machine_of(seen, y, kernel):
    return train_regressor(
        seen, y, np.ones(len(y)), kernel, 3.0, 0.1, loss="squared", max_bytes=2**26
    )


@pytest.mark.parametrize("leaf_scaling", ["minmax", "quantile", "standard"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_two_rounds_are_those_of_the_twin(kernel, leaf_scaling, rng):
    X, y = steps(rng, 90)
    X[:, 2] = X[:, 2].round(1)  # fewer values than bins
    base, rows = part_scaling(X, leaf_scaling), np.arange(0, 90, 2)
    learner = LocalWeights(X, base, kernel.power)
    table = quantile_table(X)
    knots = [np.unique(own) for own in table.values]
    steepness = [np.ones(len(own) - 1) for own in knots]
    gaps = [
        np.diff(base.apply(np.tile(own[:, None], 3))[:, j])
        for j, own in enumerate(knots)
    ]
    scaling = base
    for _ in range(2):
        seen = scaling.apply(X)
        machine = machine_of(seen, y, kernel)
        total = learner.outer(machine, seen[rows], X[rows], None)
        derivatives = np.array(
            [
                naive.gradient(
                    kernel.name,
                    seen[i],
                    machine.vectors,
                    machine.coefficients[:, 0],
                    kernel.gamma,
                )
                for i in rows
            ]
        )
        for j in range(3):
            place = np.searchsorted(knots[j], X[rows, j], side="right") - 1
            place = np.minimum(place, len(gaps[j]) - 1)
            derivatives[:, j] *= steepness[j][place]
        np.testing.assert_allclose(total, (derivatives**2).sum(axis=0), rtol=1e-4)
        weight = np.sqrt(total / total.max())
        scaling = learner.scaling(weight)
        for j in range(3):
            steepness[j] = naive_scaling.local_steepness(
                knots[j],
                derivatives[:, j],
                X[rows, j],
                weight[j],
                kernel.power,
                local_weights.MOST_BINS,
                local_weights._PRIOR_ROWS,
            )
            along = np.append(0.0, np.cumsum(steepness[j] * gaps[j]))
            expected = np.interp(X[:, j], knots[j], along)
            found = scaling.apply(X)[:, list(scaling.columns).index(j)]
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("leaf_scaling", ["minmax", "quantile", None])
@pytest.mark.parametrize("kernel", ["laplacian", "rbf"])
def test_one_bin_is_a_learned_weight(kernel, leaf_scaling, rng, monkeypatch):
    X, y = steps(rng, 300)
    options = {"kernel": kernel, "leaf_scaling": leaf_scaling, "partition": "whole"}
    options |= {"loss": "squared", "C": 3.0}
    learned = DTSVRegressor(feature_weights="learned", **options).fit(X, y)

    class OneBin(LocalWeights):
        n_rows = feature_weights._EvenWeights.n_rows

        def __init__(self, X, base, power):
            super().__init__(X, base, power, most_bins=1)

    monkeypatch.setattr(feature_weights, "LocalWeights", OneBin)
    local = DTSVRegressor(feature_weights="local", **options).fit(X, y)
    np.testing.assert_allclose(local.predict(X), learned.predict(X), atol=1e-4)
    assert local.decompositions_[0].parts[0].scaling.table is not None
    np.testing.assert_allclose(
        local.feature_importances_, learned.feature_importances_, atol=1e-4
    )


@pytest.mark.parametrize("leaf_scaling", ["minmax", "quantile", "standard"])
def test_weights_of_one_everywhere_change_nothing(leaf_scaling, rng):
    X, _ = steps(rng)
    base = part_scaling(X, leaf_scaling)
    seen = LocalWeights(X, base, 1).scaling(np.ones(3)).apply(X)
    expected = base.apply(X)
    np.testing.assert_allclose(
        np.diff(seen, axis=0), np.diff(expected, axis=0), atol=1e-12
    )


def test_the_map_is_steep_at_a_jump_and_answers_are_better(rng):
    X, y = steps(rng)
    X_new, y_new = steps(rng, 2000)
    left = {}
    for weights in ("learned", "local"):
        model = DTSVRegressor(
            3.0, loss="squared", feature_weights=weights, partition="whole"
        ).fit(X, y)
        left[weights] = 1.0 - model.score(X_new, y_new)
    assert left["local"] < 0.97 * left["learned"]
    scaling = model.decompositions_[0].parts[0].scaling
    ends = np.zeros((5, 3))
    ends[:, 0] = 0.1, 0.3, 0.6, 0.8, 0.95
    seen = scaling.apply(ends)[:, list(scaling.columns).index(0)]
    slopes = np.diff(seen) / np.diff(ends[:, 0])
    assert slopes[2] > 2.0 * slopes[[0, 1, 3]].max()


@pytest.mark.parametrize("estimator", [DTSVMClassifier, KernelSVC, KernelSVR])
def test_sparse_rows_are_refused_by_name(estimator, rng):
    X, y = steps(rng, 60)
    target = y if estimator is KernelSVR else (y > 0.5).astype(int)
    with pytest.raises(ValueError, match=r"'local' needs dense rows.*'learned'"):
        estimator(feature_weights="local").fit(sparse.csr_matrix(X), target)


def test_a_whole_machine_tells_its_weights_in_the_mean(rng):
    X, y = steps(rng)
    options = {"kernel": "laplacian", "gamma": "median"}
    local = KernelSVR(feature_weights="local", **options).fit(X, y)
    learned = KernelSVR(feature_weights="learned", **options).fit(X, y)
    assert local.feature_weights_.argmax() == 0
    assert local.feature_weights_[2] < 0.5 * local.feature_weights_[0]
    np.testing.assert_allclose(
        local.feature_weights_, learned.feature_weights_, atol=0.25
    )


def test_rows_in_which_nothing_varies_are_answered():
    X, y = np.ones((40, 3)), np.arange(40) % 2
    model = DTSVMClassifier(feature_weights="local", C=1.0).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("weights", ["learned", "local"])
def test_a_scaling_alone_is_that_of_the_machine(weights, rng):
    X, y = steps(rng, 200)
    numbers = {"C": 10.0, "gamma_scale": 1.0, "kernel": "laplacian", "epsilon": 0.1}
    model = DTSVRegressor(leaf_scaling="quantile", feature_weights=weights, **numbers)
    rows, options = Rows(X, y, np.ones(200), None), machine_options(model)
    alone, (_, scaling) = seen_scaling(rows, options), train_seen(rows, options)
    np.testing.assert_array_equal(alone.apply(X), scaling.apply(X))
