"""Bad data and parameters: a ValueError that names the value and the way out."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.tree import DecisionTreeClassifier

from treesvm import (
    DTSVMClassifier,
    DTSVMClassifierCV,
    DTSVRegressor,
    HLSVMClassifier,
    KernelSVC,
    KernelSVR,
    SVMMajClassifier,
    SVMPartitionTreeClassifier,
    TreeSVC,
    TreeSVR,
)
from treesvm.baselines import BaggedSVC, LASVMClassifier, RDSVMClassifier
from treesvm.candidates import TRSD
from treesvm.partitions import AxisTree


def models():
    return [
        KernelSVC(gamma=1.0),
        DTSVMClassifier(max_leaf_size=20, random_state=0),
        DTSVMClassifierCV([1.0, 10.0], [0.1, 1.0], 20, random_state=0),
    ]


@pytest.fixture(params=range(3), ids=[type(m).__name__ for m in models()])
def model(request):
    return models()[request.param]


@pytest.fixture
def data(rng):
    X = rng.normal(size=(60, 3))
    return X, np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, "yes", "no")


def with_value(X, value):
    X = X.astype(np.result_type(X, type(value)))
    X[3, 1] = value
    return X


@pytest.mark.parametrize(
    ("value", "says"), [(np.nan, "NaN"), (np.inf, "infinity"), (1j, "[Cc]omplex")]
)
def test_values_that_are_no_numbers(model, data, value, says):
    X, y = data
    bad = with_value(X, value)
    with pytest.raises(ValueError, match=says):
        model.fit(bad, y)
    model.fit(X, y)
    with pytest.raises(ValueError, match=says):
        model.predict(bad)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda X, y: (X[:0], y[:0]), "0 sample"),
        (lambda X, y: (X[:, :0], y), "0 feature"),
        (lambda X, y: (X[:, 0], y), "1D array"),
        (lambda X, y: (np.full(X.shape, "a", object), y), "could not convert"),
        (lambda X, y: (X, y[:-1]), "inconsistent"),
        (
            lambda X, y: (X, np.full(len(y), "yes")),
            "one class.*'yes'.*two",
        ),
        (lambda X, y: (X, X[:, 0]), "[Uu]nknown label type|continuous"),
        (lambda X, y: (X, None), "y"),
    ],
    ids=["no rows", "no features", "1-D", "text", "short", "one class", "real", "none"],
)
def test_data_that_cannot_be_fitted(model, data, change, says):
    X, y = data
    with pytest.raises(ValueError, match=says):
        model.fit(*change(X, y))
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize(
    ("weight_of", "says"),
    [
        (lambda y: np.where(y == "no", 1.0, -0.5), "-0.5.*zero"),
        (lambda y: np.zeros(len(y)), "zero"),
        (lambda y: np.where(y == "no", 0.0, 1.0), "class.*'no'.*zero.*drop"),
        (lambda y: np.full(len(y), np.nan), "NaN"),
        (lambda y: np.full(len(y), 1e300), r"1e\+300.*overflow.*Divide"),
        (lambda y: np.ones(len(y) - 1), "shape|inconsistent"),
    ],
    ids=["negative", "all zero", "class of zero", "NaN", "huge", "short"],
)
def test_weights(model, data, weight_of, says):
    X, y = data
    with pytest.raises(ValueError, match=says):
        model.fit(X, y, sample_weight=weight_of(y))


@pytest.mark.parametrize(
    "model",
    [
        KernelSVC(C=1e30),
        KernelSVR(C=1e30),
        DTSVRegressor(C=1e30),
        DTSVMClassifierCV([1.0, 1e30], [1.0]),
        LASVMClassifier(C=1e30),
        DTSVMClassifier(C=1e30, partition="oblique"),
        KernelSVC(class_weight={0.0: 1e30}),
    ],
    ids=lambda model: type(model).__name__,
)
def test_coefficients_that_would_overflow(model, data):
    X, y = data
    with pytest.raises(ValueError, match=r"1e\+30.*overflow.*1e\+20"):
        model.fit(X, (y == "no").astype(float))


@pytest.mark.parametrize(
    "model",
    [
        KernelSVC(C=1e-20),
        KernelSVC(C=1e8),
        KernelSVR(),
        DTSVMClassifier(max_leaf_size=40),
        DTSVRegressor(max_leaf_size=40),
        LASVMClassifier(),
        HLSVMClassifier(solver="pegasos", alpha=1e-9),
        SVMMajClassifier("absolute", alpha=1e-9),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("weights", [(1.0, 1.0), (1e-300, 1e-300), (1e12, 1e-12)])
def test_extreme_boxes_are_solved_in_finite_time(model, data, weights):
    X, y = data
    weight = np.where(np.arange(len(y)) % 2, *weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, (y == "no").astype(float), sample_weight=weight)
    assert np.isfinite(model.predict(X)).all()


def test_a_class_weight_of_zero(model, data):
    model.set_params(class_weight={"no": 0.0, "yes": 1.0})
    with pytest.raises(ValueError, match=r"'no'.*zero"):
        model.fit(*data)


def test_other_features_at_prediction(model, data):
    X, y = data
    model.fit(X, y)
    with pytest.raises(ValueError, match=r"2 features.*3"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match=r"2 features.*3"):
        model.predictor()(X[:, :2])
    with pytest.raises(ValueError, match=r"2 features.*3"):
        model.predictor()(X[0, :2])
    with pytest.raises(ValueError, match=r"2 features.*3"):
        model.predictor().decision(X[0, :2])


SHARED = [
    ("tol", 0.0),
    ("tol", -1.0),
    ("cache_size", 0),
    ("multi_class", "crammer_singer"),
    ("class_weight", "heavy"),
    ("class_weight", []),
    *[("probability", value) for value in (1, None, "yes")],
]
KERNEL = [
    *SHARED,
    *[("C", value) for value in (0.0, -1.0, np.nan, np.inf, "1", True)],
    *[("gamma", value) for value in (0.0, -0.1, np.nan, 1e38, "wide", None)],
    ("kernel", "gauss"),
    ("kernel", None),
    ("degree", -1),
    ("degree", 2.5),
    ("coef0", np.nan),
    ("max_iter", 0),
    ("max_iter", 1.5),
]
SVC_ONLY = [("break_ties", "no"), ("decision_function_shape", "all"), ("max_iter", -2)]
LEAVES = [
    *SHARED,
    ("max_leaf_size", 1),
    ("max_leaf_size", 0.1),
    ("max_leaf_size", None),
    ("leaf_scaling", "robust"),
    ("n_estimators", 0),
    ("partition", "leaves"),
    ("partition", AxisTree),
]
SEARCH = [
    *LEAVES,
    ("Cs", []),
    ("Cs", [1.0, -1.0]),
    ("gammas", [np.nan]),
    ("gammas", ["scale"]),
    ("Cs", 1.0),
    ("top_k", 0),
    ("growth", 1),
    ("min_gain", -0.1),
    ("cv", 0.0),
    ("cv", 1.5),
    ("cv", 1),
    ("cv", "half"),
    ("search", "random"),
    ("refit", "yes"),
    ("refit", None),
    ("scoring", "correctness"),
]
CASES = [
    *[(0, *case) for case in KERNEL + SVC_ONLY],
    *[(1, *case) for case in KERNEL + LEAVES],
    (1, "kernel", "precomputed"),
    *[(2, *case) for case in SEARCH],
]


@pytest.mark.parametrize(("number", "name", "value"), CASES)
def test_parameters(number, name, value, data):
    model = models()[number].set_params(**{name: value})
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        model.fit(*data)
    said = str(caught.value)
    assert str(value) in said
    if name not in (
        "cv",
        "class_weight",
        "scoring",
    ):  # scikit-learn words some of those
        assert f"{name}={value!r}" in said
        assert "; use " in said or "cannot" in said
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize(
    ("other", "name", "value"),
    [
        (SVMMajClassifier(), "cv", "many"),
        (SVMMajClassifier(), "cv", 1),
        (SVMPartitionTreeClassifier(alpha=1.0), "cv", None),
        (SVMMajClassifier(), "class_weight", []),
        (HLSVMClassifier(), "class_weight", []),
        (DTSVMClassifier(), "gamma", 1e38),
        (KernelSVC(), "tol", 10**30),
        (KernelSVC(), "C", 10**310),
        (TreeSVC(), "time_limit", 10**310),
    ],
)
def test_parameters_of_other_models(other, name, value, data):
    """Also of those that this fit would not have used."""
    with pytest.raises(
        ValueError, match=re.escape(f"{name}={value!r} is not possible")
    ):
        clone(other).set_params(**{name: value}).fit(*data)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("scale", [1e-22, 1e-160, 1e-200])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_tiny_features_are_named(data, form, scale, kernel):
    X, y = data
    with pytest.raises(ValueError, match=r"gamma=.* scale them"):
        KernelSVC(kernel=kernel).fit(form(scale * X), y)
    linear = KernelSVC(kernel="linear").fit(form(scale * X), y)
    assert np.isfinite(linear.decision_function(form(scale * X))).all()
    assert KernelSVC().fit(form(0 * X + 0.25), y).predict(form(X)).shape == y.shape


def broken(form, part, place, value):
    """Return how to damage a sparse matrix: one number of one of its arrays."""

    def damaged(X):
        X = getattr(sparse, form)(X)
        getattr(X, part)[place] = value
        return X

    return damaged


@pytest.mark.parametrize(
    "damaged",
    [
        broken("csr_matrix", "indices", 5, 10**9),
        broken("csr_matrix", "indices", 5, -1),
        broken("csr_array", "indices", 0, 3),
        broken("csr_matrix", "indptr", -1, 10**6),
        broken("csr_matrix", "indptr", 3, 10**6),
        broken("csr_matrix", "indptr", 0, -5),
        broken("csc_matrix", "indices", 5, 60),
        broken("coo_matrix", "row", 5, 60),
        broken("coo_matrix", "col", 5, -1),
        broken("bsr_matrix", "indices", 5, 10**6),
    ],
)
def test_sparse_matrices_that_lie_about_themselves(model, data, damaged):
    X, y = data
    with pytest.raises(ValueError, match=r"X is a sparse matrix whose .*build it anew"):
        model.fit(damaged(X), y)
    model.fit(sparse.csr_matrix(X), y)
    with pytest.raises(ValueError, match=r"X is a sparse matrix whose .*build it anew"):
        model.predict(damaged(X))


def test_gram_matrices_are_square(data):
    X, y = data
    with pytest.raises(ValueError, match=r"\(60, 3\).*kernel\(X, X\)"):
        KernelSVC(kernel="precomputed").fit(X, y)
    model = KernelSVC(kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(ValueError, match="60"):
        model.predict(X)


def test_options_of_ties_that_contradict_each_other(data):
    for options in ({"break_ties": True}, {"multi_class": "ovr"}):
        model = KernelSVC(decision_function_shape="ovo", **options)
        with pytest.raises(ValueError, match="decision_function_shape='ov"):
            model.fit(*data)


def test_kernel_functions_that_return_nonsense(data):
    X, y = data
    with pytest.raises(ValueError, match="shape"):
        KernelSVC(kernel=lambda A, B: np.ones(len(A))).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        KernelSVC(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)).fit(X, y)


def test_unfitted_models_say_so(model, data):
    for ask in (model.predict, model.decision_function):
        with pytest.raises(NotFittedError):
            ask(data[0])
    with pytest.raises(NotFittedError):
        model.predictor()


def test_hard_but_lawful_data(model, rng):
    X = np.column_stack([rng.integers(0, 3, (80, 2)), np.full(80, 7.0)])
    y = rng.integers(0, 2, 80)  # duplicates with both labels, a constant feature
    assert np.isin(model.fit(X, y).predict(X), y).all()
    same = np.ones((80, 3))  # nothing to tell the rows apart: the larger class
    y = np.arange(80) % 3 == 0
    assert not model.fit(same, y).predict(same).any()


@pytest.mark.parametrize("C", [1.0, 1e5])
@pytest.mark.parametrize("coef0", [-2.0, 0.0, 2.0])
def test_indefinite_kernels_converge_or_say_so(data, C, coef0):
    X, y = data
    model = KernelSVC(C, kernel="sigmoid", gamma=2.0, coef0=coef0)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert [w.category for w in said] == [ConvergenceWarning] * (
        not model.converged_.all()
    )
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize(
    "raw",
    [
        KernelSVC(),
        KernelSVC(kernel="linear"),
        LASVMClassifier(),
        RDSVMClassifier(),
        BaggedSVC(),
        SVMMajClassifier(),
        DTSVMClassifier(leaf_scaling=None),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_enormous_values_are_named(raw, data, form):
    X, y = data
    bad = form(with_value(X, -2.5e30))
    raw = clone(raw)
    with pytest.raises(ValueError, match=r"-2\.5e\+30 in column 1.*Scale"):
        raw.fit(bad, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        raw.fit(form(X), y)
    with pytest.raises(ValueError, match=r"-2\.5e\+30 in column 1.*Scale"):
        raw.predict(bad)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize(
    "grown",
    [DTSVMClassifier(max_leaf_size=20), TRSD(), TRSD(tree=DecisionTreeClassifier())],
)
def test_values_that_no_tree_can_split(grown, data, form):
    X, y = data
    X = with_value(X, -2.5e300)
    X[5:7, 2] = 1e308, -1e308  # whose sum is no number, too
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=r"1e\+308 in column 2.*Scale"):
            clone(grown).fit(form(X), y)


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e-40, 1e30, 1e37])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_leaf_scaling_takes_any_range(data, scale, dtype):
    X, y = data
    rows = (scale * X).astype(dtype)
    model = DTSVMClassifier(max_leaf_size=20, random_state=0).fit(rows, y)
    assert np.isfinite(model.decision_function(rows)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_rows_far_from_all_leaves_get_an_answer(data, dtype, kernel):
    X, y = data
    model = DTSVMClassifier(max_leaf_size=20, kernel=kernel, random_state=0)
    model.fit(X.astype(dtype), y)
    far = (1e37 * X).astype(dtype)
    assert np.isfinite(model.decision_function(far)).all()
    predictor = model.predictor()
    assert [predictor(x) for x in far] == model.predict(far).tolist()


def test_sparse_rows_with_wide_indices_are_taken(model, data):
    X, y = data
    narrow = sparse.csr_matrix(X)
    wide = sparse.csr_matrix(X)
    wide.indices, wide.indptr = (
        part.astype(np.int64) for part in (wide.indices, wide.indptr)
    )
    assert wide.indices.dtype == np.int64
    said = clone(model).fit(wide, y).predict(wide)
    np.testing.assert_array_equal(said, model.fit(narrow, y).predict(narrow))


@pytest.mark.parametrize(
    ("partition", "says"),
    [
        (AxisTree("mse"), "criterion='mse'"),
        (AxisTree(max_tree_rows=1), "max_tree_rows=1"),
        (AxisTree(max_features=1.5), "max_features=1.5"),
    ],
)
def test_parameters_of_partitions(partition, says, data):
    with pytest.raises(ValueError, match=says):
        DTSVMClassifier(partition=partition).fit(*data)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"y": np.arange(60) + 1j}, "y: Complex data not supported"),
        (
            {"y": np.array(["a", 1] * 30, dtype=object)},
            r"y holds labels of several types",
        ),
        ({"sample_weight": np.full(60, "word")}, "sample_weight: could not convert"),
        ({"sample_weight": np.full(60, 5e-324)}, "sample_weight holds 5e-324"),
        ({"X": np.full((60, 3), "word")}, "X: could not convert string"),
        ({"X": [[10**400, 1, 2]] * 60}, "X: int too large"),
        ({"X": [[1, 2], [3]] * 30}, "X: setting an array element"),
        ({"X": np.zeros((60, 3), "m8[s]")}, r"X holds dates or times \(timedelta64"),
        (
            {"X": pd.DataFrame({"day": pd.date_range("2020", periods=60)})},
            r"X holds dates or times \(datetime64",
        ),
        ({"X": np.ma.masked_greater(np.eye(60), 0.5)}, "X holds masked values"),
        (
            {"y": np.ma.masked_equal(np.arange(60) % 3, 2)},
            "y holds masked values",
        ),
        (
            {"sample_weight": np.ma.masked_equal(np.arange(60.0), 3)},
            "sample_weight holds masked values",
        ),
        ({"y": ["1", 1, "a"] * 20}, r"several types \(int, str\)"),
        (
            {"y": np.array(["a", "b", np.nan] * 20, dtype=object)},
            r"y: Input contains NaN: row 3 has no label \(20 in all\)",
        ),
        (
            {"y": pd.Series(["a", "b", pd.NA] * 20, dtype="string")},
            "y: Input contains NaN: row 3 has no label",
        ),
        ({"y": ["a", None] * 30}, r"row 2 has no label \(30 in all\)"),
        ({"y": np.array([b"a", b"b"] * 30)}, "y holds labels of bytes"),
    ],
)
def test_conversions_say_what_they_converted(model, data, changed, says):
    given = {"X": data[0], "y": data[1]} | changed
    with pytest.raises((ValueError, TypeError), match=says):
        model.fit(**given)


@pytest.mark.parametrize(
    "model", [TreeSVC(0.1), TreeSVR(0.1)], ids=["classes", "numbers"]
)
@pytest.mark.parametrize("index", [-1, 10**6])
def test_tables_check_the_indices_of_sparse_rows(model, data, index):
    X = sparse.csr_matrix(data[0])
    X.indices[5] = index
    with pytest.raises(ValueError, match=f"indices hold {index}"):
        model.fit(X, np.arange(60) % 2)


def test_tables_have_a_target_for_each_row(data):
    for y in ([], [0, 1]):
        with pytest.raises(ValueError, match=r"y|target"):
            TreeSVC(0.1).fit(data[0], y)


def test_targets_whose_squares_overflow(data):
    for model in (KernelSVR(), DTSVRegressor(), TreeSVR(0.1)):
        with pytest.raises(ValueError, match=r"y holds .*e\+300; squares"):
            model.fit(data[0], 1e300 * (1.0 + data[0][:, 0] ** 2))


@pytest.mark.parametrize(
    ("name", "value"),
    [("random_state", 1.5), ("random_state", -2), ("n_jobs", 0), ("n_jobs", [2])],
)
@pytest.mark.parametrize("cls", [KernelSVC, TRSD, TreeSVC, BaggedSVC])
def test_seeds_and_numbers_of_threads(cls, name, value, data):
    if name not in cls().get_params():
        return
    with pytest.raises(
        ValueError, match=re.escape(f"{name}={value!r} is not possible")
    ):
        cls(**{name: value}).fit(*data)


@pytest.mark.parametrize("cls", [KernelSVR, DTSVRegressor, TreeSVR])
def test_times_are_no_numbers_to_be_learned(cls, data):
    for kind in ("M8[s]", "m8[s]"):
        with pytest.raises(TypeError, match=r"y holds dates or times"):
            cls().fit(data[0], np.arange(60).astype(kind))


@pytest.mark.parametrize("cls", [TreeSVC, TreeSVR])
def test_tables_of_enormous_values(cls, data):
    model, y = cls(1e-9, random_state=0), data[0][:, 0] > 0
    lawful, wild = np.where(y, 1e299, -1e299), np.where(y, 1e308, -1e308)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for form in (lambda c: c[:, None], lambda c: pd.DataFrame({"size": c})):
            assert model.fit(form(lawful), y).score(form(lawful), y) > 0.9
            with pytest.raises(ValueError, match=r"(feature 1|'size') holds .*1e\+308"):
                model.fit(form(wild), y)
    with pytest.raises(ValueError, match=r"feature 1 holds .*1e\+308"):
        model.fit(sparse.csr_matrix(wild[:, None]), y)


@pytest.mark.parametrize("X", [None, {"a": [1.0, 2.0]}, (x for x in ([1.0], [2.0]))])
def test_tables_are_no_other_objects(X):
    with pytest.raises(TypeError, match=f"X is a {type(X).__name__}; give a DataFrame"):
        TreeSVC().fit(X, [0, 1])


def test_predictors_take_rows(model, data):
    predictor = model.fit(*data).predictor()
    for wrong in (None, "abc", np.zeros((2, 3, 3))):
        with pytest.raises(ValueError, match="one row or an array of rows"):
            predictor(wrong)


def test_numbers_of_all_widths_are_parameters(data):
    wide = KernelSVC(gamma=1.0, tol=0.5).fit(*data).decision_function(data[0])
    for tol in (np.float16(0.5), np.float32(0.5)):
        narrow = KernelSVC(gamma=1.0, tol=tol).fit(*data).decision_function(data[0])
        np.testing.assert_array_equal(narrow, wide)
    LASVMClassifier(cache_size=np.int8(2)).fit(*data)
    HLSVMClassifier(tol=np.float16(0.5)).fit(*data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelSVC(gamma=np.float16(0.5)).fit(*data)
        narrow = KernelSVC(gamma_scale=np.float16(0.5)).fit(*data)
    wide = KernelSVC(gamma_scale=0.5).fit(*data)
    np.testing.assert_array_equal(
        narrow.decision_function(data[0]), wide.decision_function(data[0])
    )


def test_planes_of_enormous_values(data):
    with pytest.raises(ValueError, match="squared distances"):
        HLSVMClassifier().fit(1e200 * data[0], data[1])


def test_thousands_of_classes_are_learned_in_time(rng):
    X = rng.normal(size=(600, 3))
    model = TreeSVC(1e-9, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of so many classes
        model.fit(X, np.arange(600) % 300)
    assert model.best_estimator_.max_leaf_size <= 200
    assert model.score(X, np.arange(600) % 300) > 0.5
