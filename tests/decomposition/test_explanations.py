"""Shapley values, slopes and importances of whole models, in the units of the rows."""

import naive_shapley
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_friedman1

from treesvm import DTSVMClassifier, DTSVRegressor
from treesvm.decomposition.explanations import empty_values
from treesvm.partitions import AxisTree

N_FEATURES = 5


def make_rows(rng, n_classes=2, n_rows=300):
    """Rows of several scales; one feature is constant, one is noise."""
    X = rng.normal(size=(n_rows, N_FEATURES)) * [1.0, 20.0, 1.0, 0.1, 1.0]
    X[:, 2] = 3.0
    value = X[:, 0] + 0.05 * X[:, 1] + 20 * X[:, 3] * X[:, 0]
    if n_classes is None:
        return X, value
    return X, np.searchsorted(
        np.quantile(value, np.arange(1, n_classes) / n_classes), value
    )


def fitted(rng, n_classes=2, **options):
    options = {
        "max_leaf_size": 120,
        "random_state": 0,
        "kernel": "laplacian",
        **options,
    }
    X, y = make_rows(rng, n_classes)
    if n_classes is None:
        return DTSVRegressor(**options).fit(X, y), X
    return DTSVMClassifier(**options).fit(X, y), X


CASES = {
    "laplacian": {},
    "gaussian": {"kernel": "rbf"},
    "learned": {"feature_weights": "learned"},
    "local": {"feature_weights": "local"},
    "quantiles": {"leaf_scaling": "quantile", "kernel": "rbf"},
    "as given": {"leaf_scaling": None},
}
SLOPES = CASES | {"linear": {"kernel": "linear"}}


def class_values(machine, decisions):
    """Sum the values of pairs to classes, pair by pair."""
    out = np.zeros((len(decisions), 3))
    for m, (positive, negative) in enumerate(machine.pairs):
        out[:, positive] += decisions[:, m]
        if negative >= 0:
            out[:, negative] -= decisions[:, m]
    return out


def values_of(member, X, n_classes):
    """What Shapley values explain: part by part, zero where there is one class."""
    numbers = member.apply(X)
    out = np.zeros((len(X), 3 if n_classes == 3 else 1))
    for k in np.unique(numbers):
        part, rows = member.parts[k], np.flatnonzero(numbers == k)
        if part.machine is not None:
            found = part.machine.decisions(part.seen(X[rows]))
            out[rows] = class_values(part.machine, found) if n_classes == 3 else found
    return out if n_classes == 3 else out[:, 0]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n_classes", [2, 3, None])
def test_shapley_values_sum_to_the_value_less_that_of_nothing(n_classes, case, rng):
    model, X = fitted(rng, n_classes, **CASES[case])
    members, X = model.decompositions_, X[:40]
    values = model.explain(X)
    assert values.shape == ((40, 5, 3) if n_classes == 3 else (40, 5))
    added = values_of(members[0], X, n_classes) - empty_values(members, X)
    np.testing.assert_allclose(values.sum(axis=1), added, atol=1e-4)
    assert np.abs(added).max() > 0.1
    assert not values[:, 2].any()


def test_values_are_those_of_the_decision_function(rng):
    model, X = fitted(rng)
    parts = np.array([p.machine is None for p in model.decompositions_[0].parts])
    mixed = ~parts[model.decompositions_[0].apply(X)]
    explained = model.explain(X).sum(axis=1) + empty_values(model.decompositions_, X)
    np.testing.assert_allclose(
        explained[mixed], model.decision_function(X)[mixed], atol=1e-4
    )
    regressor, X = fitted(rng, None)
    explained = regressor.explain(X).sum(axis=1)
    explained += empty_values(regressor.decompositions_, X)
    np.testing.assert_allclose(explained, regressor.predict(X), atol=1e-4)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_shapley_values_are_those_of_all_subsets(kernel, rng):
    model, X = fitted(rng, max_leaf_size=1000, kernel=kernel, n_estimators=1)
    (part,) = model.decompositions_[0].parts
    machine, found = part.machine, model.explain(X[:3])
    columns = part.scaling.columns.tolist()
    for x, ours in zip(part.seen(X[:3]), found, strict=True):
        k = naive_shapley.factors(
            x, machine.vectors, machine.kernel.gamma, kernel == "rbf"
        )
        theirs = naive_shapley.shapley_by_subsets(k, machine.coefficient_matrix)
        np.testing.assert_allclose(ours[columns], theirs[:, 0], atol=1e-8)


@pytest.mark.parametrize("method", ["explain", "gradient"])
def test_members_are_averaged_and_one_class_parts_say_nothing(method, rng):
    model, X = fitted(rng, n_estimators=2, partition=AxisTree())
    found = getattr(model, method)(X)
    members = model.decompositions_
    alone = []
    for member in members:
        model.decompositions_ = [member]
        alone.append(getattr(model, method)(X))
        is_certain = np.array([p.machine is None for p in member.parts])[
            member.apply(X)
        ]
        assert not alone[-1][is_certain].any()
    assert np.abs(alone[0] - alone[1]).max() > 0
    np.testing.assert_allclose(found, (alone[0] + alone[1]) / 2, atol=1e-12)


def test_a_part_of_one_class_is_not_explained(rng):
    X = rng.normal(size=(300, 2))
    y = ((X[:, 0] > 0) & (X[:, 1] > rng.normal(size=300))).astype(int)
    model = DTSVMClassifier(max_leaf_size=100, random_state=0).fit(X, y)
    (member,) = model.decompositions_
    is_certain = np.array([p.machine is None for p in member.parts])[member.apply(X)]
    assert is_certain.any()
    assert not is_certain.all()
    for values in (model.explain(X), model.gradient(X)):
        assert not values[is_certain].any()
        assert values[~is_certain].any(axis=1).all()


@pytest.mark.parametrize("case", SLOPES)
@pytest.mark.parametrize("n_classes", [2, 3, None])
def test_slopes_are_those_of_finite_differences(n_classes, case, rng):
    model, X = fitted(rng, n_classes, **SLOPES[case])
    (member,) = model.decompositions_
    # In the middle between two rows no feature is at a knot or at a vector's kink.
    some = _between(X, rng)[:30]
    slopes, step = model.gradient(some), 1e-6 * X.std(axis=0)
    for j in (0, 1, 3, 4):
        ahead, behind = some.copy(), some.copy()
        ahead[:, j] += step[j]
        behind[:, j] -= step[j]
        same = member.apply(ahead) == member.apply(behind)
        rise = values_of(member, ahead, n_classes) - values_of(
            member, behind, n_classes
        )
        expected = rise[same] / (2 * step[j])
        unit = X[:, j].std()
        np.testing.assert_allclose(
            slopes[same, j] * unit, expected * unit, rtol=2e-3, atol=2e-3
        )
        assert same.sum() > 20
    assert not slopes[:, 2].any()


def _between(X, rng):
    """Rows whose every value is halfway between two neighbours of the feature."""
    ordered = np.sort(X, axis=0)
    middle = (ordered[1:] + ordered[:-1]) / 2
    return np.column_stack([rng.permutation(column) for column in middle.T])


@pytest.mark.parametrize("partition", ["whole", "axis"])
def test_importances_sum_to_one_and_find_the_features_that_matter(partition):
    options = {"partition": partition, "feature_weights": "learned"}
    X, y = make_friedman1(600, random_state=0)
    y_class = (y > np.median(y)).astype(int)
    models = [
        DTSVRegressor(max_leaf_size=300, random_state=0, **options).fit(X, y),
        DTSVMClassifier(max_leaf_size=300, random_state=0, **options).fit(X, y_class),
    ]
    for model in models:
        found = model.feature_importances_
        assert found.shape == (10,)
        assert found.min() >= 0
        assert found.sum() == pytest.approx(1.0)
        assert set(np.argsort(-found)[:5]) == {0, 1, 2, 3, 4}
        assert found[:5].mean() > 4 * found[5:].mean()


def test_importances_do_not_depend_on_units(rng):
    model, X = fitted(rng)
    found = model.feature_importances_
    assert found[2] == 0.0
    assert found[4] == found[[0, 1, 3, 4]].min()
    _, y = make_rows(np.random.default_rng(20240613))
    scaled = X * [1.0, 2.0**20, 1.0, 2.0**-20, 1.0]
    again = DTSVMClassifier(max_leaf_size=120, random_state=0, kernel="laplacian")
    np.testing.assert_allclose(
        again.fit(scaled, y).feature_importances_, found, rtol=1e-6
    )


def test_nothing_matters_where_every_part_has_one_class():
    X = np.repeat([[0.0, 1.0], [5.0, 1.0]], 10, axis=0)
    y = np.repeat(["a", "b"], 10)
    model = DTSVMClassifier(max_leaf_size=5).fit(X, y)
    assert not model.feature_importances_.any()
    assert set(model.leaf_report()["features"]) == {""}


def test_leaf_report_names_the_leading_features(rng):
    pd = pytest.importorskip("pandas")
    X, y = make_rows(rng)
    names = ["ab", "cd", "ef", "gh", "ij"]
    model = DTSVMClassifier(max_leaf_size=1000).fit(pd.DataFrame(X, columns=names), y)
    (told,) = model.leaf_report()["features"]
    order = np.argsort(-model.feature_importances_)
    assert told == ", ".join(names[j] for j in order[:3])
    assert (
        "0"
        in DTSVMClassifier(max_leaf_size=1000).fit(X, y).leaf_report()["features"][0]
    )


def test_sparse_rows_are_explained_as_dense_ones(rng):
    X = rng.random((200, 4)) * (rng.random((200, 4)) < 0.4)
    y = (X[:, 0] > X[:, 1]).astype(int)
    rows = sparse.csr_matrix(X)
    model = DTSVMClassifier(leaf_scaling=None, max_leaf_size=90, random_state=0)
    told = [
        (m.explain(Z), m.gradient(Z), m.feature_importances_)
        for m, Z in ((model.fit(X, y), X), (model.fit(rows, y), rows))
    ]
    for dense, other in zip(*told, strict=True):
        np.testing.assert_allclose(other, dense, atol=1e-2 * np.abs(dense).max())


def test_a_linear_machine_adds_its_features_up(rng):
    model, X = fitted(rng, kernel="linear")
    assert "3" in model.leaf_report()["features"][0]
    values, members = model.explain(X), model.decompositions_
    said = np.concatenate(
        [
            members[0]
            .parts[k]
            .machine.decisions(members[0].parts[k].seen(X[i : i + 1]))[:, 0]
            for i, k in enumerate(members[0].apply(X))
        ]
    )
    empty = empty_values(members, X)
    np.testing.assert_allclose(values.sum(axis=1), said - empty, atol=1e-9)


def test_kernels_that_are_no_product_over_features_are_refused(rng):
    model, X = fitted(rng, kernel="poly")
    with pytest.raises(ValueError, match="kernel='polynomial' is no product"):
        model.explain(X)
    with pytest.raises(ValueError, match="kernel='polynomial' has no gradient"):
        model.gradient(X)
    assert set(model.leaf_report()["features"]) == {""}
