"""The estimator around support vector trees, and `compress`."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_moons
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tests import naive_compression as naive
from treesvm import (
    DTSVMClassifier,
    KernelSVC,
    KernelSVR,
    SupportVectorTreeClassifier,
    compress,
    load_model,
    save_model,
)
from treesvm.baselines import BaggedSVC, RDSVMClassifier

X, Y = make_moons(300, noise=0.25, random_state=0)
IRIS, SPECIES = load_iris(return_X_y=True)
MACHINE = KernelSVC(C=1.0, gamma=2.0).fit(X, Y)


def tree(estimator=None, max_height=None, **options):
    options = {"split_rows": 30, "random_state": 0} | options
    return SupportVectorTreeClassifier(estimator, max_height, **options)


def linear_kernel(A, B):
    return A @ B.T


@pytest.mark.parametrize(
    "estimator",
    [
        KernelSVC(gamma=0.5),
        KernelSVC(kernel="poly", multi_class="ovr"),
        SVC(),
        SVC(kernel="sigmoid", gamma=0.01),
        pytest.param(SVC(kernel=linear_kernel), id="SVC with a function"),
        AdaBoostClassifier(n_estimators=20, random_state=0),
        GradientBoostingClassifier(n_estimators=10, random_state=0),
        DTSVMClassifier(max_leaf_size=60, random_state=0),
        DTSVMClassifier(max_leaf_size=60, n_estimators=2, random_state=0),
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_row_in_every_leaf_answers_like_the_machine(estimator, n_classes):
    y = SPECIES if n_classes == 3 else SPECIES == 1
    estimator.fit(IRIS, y)
    model = tree(estimator, min_rows=1, refit=False, shared=False).fit(IRIS)
    agree = np.mean(model.predict(IRIS) == estimator.predict(IRIS))
    assert agree >= 0.99  # ties between votes are broken in ours
    if not isinstance(estimator, DTSVMClassifier) and n_classes == 2:
        np.testing.assert_allclose(
            model.decision_function(IRIS), estimator.decision_function(IRIS), atol=1e-6
        )


@pytest.mark.parametrize("refit", [False, "values", "margin"])
@pytest.mark.parametrize("shared", [True, False])
def test_predictor_and_batches_agree(refit, shared):
    model = tree(KernelSVC(gamma=0.5), refit=refit, shared=shared).fit(IRIS, SPECIES)
    answer = model.predictor()
    np.testing.assert_array_equal(answer(IRIS), model.predict(IRIS))
    assert [answer(x) for x in IRIS] == model.predict(IRIS).tolist()
    np.testing.assert_array_equal(
        [answer.decision(x) for x in IRIS], model.decision_function(IRIS)
    )
    with pytest.raises(ValueError, match="3 features"):
        answer(IRIS[:, :3])


def test_single_rows_of_parts_that_see_quantiles_are_answered_as_batches():
    rows = X**3
    leaves = DTSVMClassifier(5.0, leaf_scaling="quantile", random_state=0)
    model = tree(leaves.fit(rows, Y)).fit(rows)
    answer = model.predictor()
    assert [answer(x) for x in rows] == model.predict(rows).tolist()


@pytest.mark.parametrize(
    "estimator",
    [
        KernelSVC(gamma=0.5),
        SVC(),
        DTSVMClassifier(max_leaf_size=60, random_state=0),
    ],
    ids=str,
)
@pytest.mark.parametrize("shared", [True, False])
def test_without_scales_nodes_add_the_terms_of_the_machine(estimator, shared, tmp_path):
    model = tree(estimator, refit=False, scaled=False, shared=shared, n_starts=1)
    model.fit(IRIS, SPECIES)
    assert model.score(IRIS, SPECIES) > 0.8
    answer = model.predictor()
    np.testing.assert_array_equal(answer(IRIS), model.predict(IRIS))
    save_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert (again.scaled, again.n_starts) == (False, 1)
    np.testing.assert_array_equal(
        again.decision_function(IRIS), model.decision_function(IRIS)
    )


def test_more_random_starts_find_a_tree_nearer_to_the_machine():
    def loss(n_starts):
        model = tree(MACHINE, 2, refit=False, n_starts=n_starts).fit(X)
        return np.sum((model.decision_function(X) - MACHINE.decision_function(X)) ** 2)

    assert loss(50) < loss(1)


def test_coefficients_without_scales_are_those_of_the_machine():
    options = {"refit": False, "random_state": 0}
    plain = tree(MACHINE, scaled=False, **options).fit(X)
    only = plain.decompositions_[0].parts[0].machine.trees[0]
    assert np.isin(only.coefficients, MACHINE.dual_coef_).all()
    assert plain.score(X, Y) > 0.9
    scaled = tree(MACHINE, **options).fit(X)
    values = MACHINE.decision_function(X)
    errors = [np.abs(m.decision_function(X) - values).mean() for m in (scaled, plain)]
    assert errors[0] < errors[1]
    for bad, word in (
        (tree(MACHINE, scaled=False), "refit='values'"),
        (tree(MACHINE, scaled=False, vectors="rows", **options), "vectors='rows'"),
        (tree(AdaBoostClassifier(), scaled=False, **options), "weak learners"),
    ):
        with pytest.raises(ValueError, match=word):
            bad.fit(X, Y)


def test_values_are_kept_not_only_signs():
    model = tree(MACHINE, 8).fit(X)
    values = np.corrcoef(model.decision_function(X), MACHINE.decision_function(X))
    assert values[0, 1] > 0.98


def test_evaluations_are_those_of_the_path_and_within_the_height():
    model = tree(MACHINE, 6).fit(X)
    costs = model.kernel_evaluations(X)
    assert costs.max() <= 6
    machine = model.decompositions_[0].parts[0].machine
    terms = machine.terms.matrix(X)
    for i in range(0, 300, 30):
        node, seen = 0, set()
        only = machine.trees[0]
        value, _ = naive.tree_value(only, terms[i])
        while True:
            seen.add(int(only.column[node]))
            if only.left[node] == -1:
                break
            goes_left = terms[i, only.column[node]] <= only.threshold[node]
            node = only.left[node] if goes_left else only.right[node]
        assert costs[i] == len(seen)
        assert value[0] == pytest.approx(model.decision_function(X[i : i + 1])[0])


def test_fitted_estimators_are_used_as_they_are_and_unfitted_ones_cloned():
    inner = KernelSVC(gamma=2.0)
    model = tree(inner).fit(X, Y)
    assert not hasattr(inner, "classes_")
    again = tree(KernelSVC(gamma=2.0).fit(X, Y)).fit(X)
    np.testing.assert_array_equal(
        model.decision_function(X), again.decision_function(X)
    )


def test_vectors_may_be_support_vectors_only():
    model = tree(MACHINE, vectors="support").fit(X)
    vectors = model.decompositions_[0].parts[0].machine.terms.vectors
    known = {row.tobytes() for row in MACHINE.support_vectors_}
    assert {row.tobytes() for row in vectors} <= known
    rows = tree(MACHINE, vectors="rows").fit(X)
    vectors = rows.decompositions_[0].parts[0].machine.terms.vectors
    assert {row.tobytes() for row in vectors} <= {row.tobytes() for row in X}


def test_memory_budget_makes_a_sample_and_says_so():
    model = tree(MACHINE, cache_size=0.4, vectors="support").fit(X)
    wanted = int(0.4 * 2**20) // (24 * len(MACHINE.support_))
    assert model.n_rows_ == wanted < len(X)
    assert model.score(X, Y) > 0.85


def test_sparse_and_gram_input_answer_as_dense():
    dense = tree(MACHINE, vectors="support").fit(X)
    machine = KernelSVC(C=1.0, gamma=2.0, tol=1e-8).fit(sparse.csr_matrix(X), Y)
    rows = tree(machine, vectors="support").fit(sparse.csr_matrix(X))
    assert np.mean(rows.predict(sparse.csr_matrix(X)) == dense.predict(X)) > 0.97
    gram = np.exp(-2.0 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    known = tree(KernelSVC(C=1.0, kernel="precomputed")).fit(gram, Y)
    assert known.score(gram, Y) > 0.9
    assert known.kernel_evaluations(gram).max() <= 10


def texts(rng, n=60):
    """Words that hold 'abab' or 'baba' among random letters."""
    made, labels = [], []
    for i in range(n):
        word = "".join(rng.choice(list("cdefgh"), 6))
        made.append(word[:3] + ("ababab", "cacaca")[i % 2] + word[3:])
        labels.append(("left", "right")[i % 2])
    return made, labels


def test_string_kernel_works_and_is_evaluated_on_the_path_only(rng):
    calls = []

    def kernel(A, B):
        calls.append(len(A) * len(B))
        return np.array([[naive.spectrum_kernel(a, b) for b in B] for a in A], float)

    words, labels = texts(rng)
    model = tree(object_kernel=kernel, max_height=4).fit(words, labels)
    new, wanted = texts(np.random.default_rng(5), 20)
    calls.clear()
    assert np.mean(model.predict(new) == np.array(wanted)) > 0.9
    assert sum(calls) == model.kernel_evaluations(new).sum() <= 4 * 20
    with pytest.raises(ValueError, match="objects"):
        model.predictor()


def test_ensembles_with_a_method_of_their_own():
    class Sum(DecisionTreeClassifier):
        def fit(self, X, y):
            weak = [DecisionTreeClassifier(max_depth=1 + k % 3) for k in range(10)]
            self.parts = [part.fit(X[k::10], y[k::10]) for k, part in enumerate(weak)]
            return super().fit(X, y)

        def decision_function(self, X):
            return sum(part.predict_proba(X)[:, 1] - 0.5 for part in self.parts)

        def sum_of_terms(self):
            return self.parts, lambda part, X: part.predict_proba(X)[:, 1], -5.0

    machine = Sum().fit(X, Y)
    model = tree(machine, min_rows=1, refit=False).fit(X)
    np.testing.assert_allclose(
        model.decision_function(X), machine.decision_function(X), atol=1e-6
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_height": 0}, "max_height=0"),
        ({"min_rows": 0}, "min_rows=0"),
        ({"n_starts": "many"}, "n_starts='many'"),
        ({"refit": "always"}, "refit='always'"),
        ({"split_rows": "all"}, "split_rows='all'"),
        ({"vectors": "none"}, "vectors='none'"),
        ({"shared": 1}, "shared=1"),
        ({"object_kernel": "rbf"}, "object_kernel='rbf'"),
        ({"cache_size": -1}, "cache_size=-1"),
        ({"estimator": DecisionTreeClassifier()}, "no sum of terms"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        SupportVectorTreeClassifier(**options).fit(X, Y)


def test_rows_of_another_width_are_refused():
    with pytest.raises(ValueError, match="4 features"):
        tree(MACHINE).fit(IRIS)


def test_n_jobs_does_not_change_the_model():
    machine = DTSVMClassifier(max_leaf_size=60, random_state=0).fit(X, Y)
    one, two = (tree(machine, n_jobs=n).fit(X) for n in (1, 2))
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))
    one, two = (compress(machine, X, Y, n_jobs=n, random_state=0) for n in (1, 2))
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


@pytest.mark.parametrize(
    "estimator",
    [
        KernelSVC(gamma=0.5),
        KernelSVC(kernel="poly"),
        # A tree of vectors says what machines say, without shares of the classes.
        DTSVMClassifier(max_leaf_size=60, probability=False),
    ],
    ids=str,
)
@pytest.mark.parametrize("vectors", ["free", "support"])
def test_compress_with_everything_kept_is_the_same_model(
    estimator, vectors, monkeypatch
):
    from treesvm.compression import size_choice, sized_members

    estimator.fit(IRIS, SPECIES)
    monkeypatch.setattr(size_choice, "_chains", lambda *a: [])
    monkeypatch.setattr(size_choice, "_trees", lambda *a: [])
    monkeypatch.setattr(sized_members, "free_machines", lambda *a: [])
    same = compress(
        estimator, IRIS, SPECIES, tolerance=0.0, vectors=vectors, random_state=0
    )
    wanted = estimator.decision_function(IRIS)
    if isinstance(estimator, DTSVMClassifier):
        np.testing.assert_allclose(same.decision_function(IRIS), wanted, atol=1e-9)
    assert (same.predict(IRIS) == estimator.predict(IRIS)).all()
    assert same.validation_loss_ == same.model_loss_


@pytest.mark.parametrize("vectors", ["free", "support"])
def test_compress_keeps_the_loss_within_the_tolerance(vectors):
    rows, labels = make_moons(500, noise=0.25, random_state=1)
    options = {"vectors": vectors, "random_state": 0}
    for machine in (MACHINE, DTSVMClassifier(max_leaf_size=150).fit(X, Y)):
        costs = []
        for tolerance in (0.0, 0.02, 0.1):
            small = compress(machine, rows, labels, tolerance=tolerance, **options)
            assert small.validation_loss_ <= small.model_loss_ + tolerance + 1e-12
            costs.append(small.kernel_evaluations(rows).mean())
        assert costs[0] >= costs[1] >= costs[2]
        assert costs[2] < 0.3 * len(MACHINE.support_)


def test_compress_obeys_the_cap_and_works_without_labels():
    small = compress(MACHINE, X, max_kernel_evaluations=3, tolerance=0, random_state=0)
    assert small.kernel_evaluations(X).max() <= 3
    assert small.model_loss_ == 0.0  # the machine's own answers are the labels


@pytest.mark.parametrize("model", [RDSVMClassifier, BaggedSVC])
def test_random_parts_are_compressed_too(model, tmp_path):
    large = model([1.0], [1.0], 60, random_state=0).fit(X, Y)
    small = compress(large, X, Y, tolerance=0.05, random_state=0)
    assert small.score(X, Y) > large.score(X, Y) - 0.08
    answer = small.predictor()
    assert [answer(x) for x in X] == small.predict(X).tolist()
    save_model(small, tmp_path / "a.model")
    again = load_model(tmp_path / "a.model")
    np.testing.assert_array_equal(
        again.decision_function(X), small.decision_function(X)
    )
    assert tree(large).fit(X).score(X, Y) > 0.8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": KernelSVR().fit(X, Y)}, "KernelSVR cannot be compressed"),
        ({"model": "a text"}, "str cannot be compressed"),
        ({"model": tree(MACHINE).fit(X)}, "TreeClassifier cannot be compressed"),
        ({"max_kernel_evaluations": 0}, "max_kernel_evaluations=0"),
        ({"tolerance": -0.1}, "tolerance=-0.1"),
        ({"refit": False}, "refit=False"),
        ({"vectors": "rows"}, "vectors='rows'"),
        ({"model": SVC().fit(X, Y)}, "SVC cannot be compressed"),
        ({"X": X[:5], "y": Y[:5]}, "5 rows"),
        ({"y": Y[:9]}, "9 labels"),
    ],
)
def test_compress_names_what_is_wrong(change, message):
    with pytest.raises(ValueError, match=message):
        compress(**({"model": MACHINE, "X": X, "y": Y} | change))


def leaves_of_iris(**options):
    return DTSVMClassifier(max_leaf_size=60, random_state=0, **options)


def test_free_vectors_need_fewer_kernels_than_support_vectors():
    """Stripes along one of six features: support vectors cannot leave five out."""
    draw = np.random.default_rng(0)
    rows = draw.uniform(-1.0, 1.0, size=(1500, 6))
    labels = np.floor(3 * rows[:, 0]).astype(int) % 2
    fit, held = slice(0, 1000), slice(1000, 1500)
    machine = KernelSVC(C=10, gamma=1.0).fit(rows[fit], labels[fit])
    costs = {}
    for vectors in ("free", "support"):
        small = compress(
            machine, rows[fit], labels[fit], vectors=vectors, random_state=0,
            X_val=rows[held], y_val=labels[held],
        )  # fmt: skip
        costs[vectors] = small.kernel_evaluations(rows).mean()
    assert costs["free"] < 0.5 * costs["support"]


@pytest.mark.parametrize("options", [{}, {"leaf_scaling": None}, {"n_estimators": 2}])
def test_free_vectors_and_whole_machines_in_one_file(options, tmp_path, monkeypatch):
    from treesvm.compression import sized_members as module

    model = leaves_of_iris(**options).fit(IRIS, SPECIES)
    made = module.free_machines
    n_asked = iter(range(100))
    some = lambda *a: made(*a) if next(n_asked) % 2 else []  # noqa: E731
    monkeypatch.setattr(module, "free_machines", some)
    small = compress(model, IRIS, SPECIES, tolerance=0.1, random_state=0)
    save_model(small, tmp_path / "a.model")
    again = load_model(tmp_path / "a.model")
    wanted = small.decision_function(IRIS)
    np.testing.assert_array_equal(again.decision_function(IRIS), wanted)
    answer = small.predictor()
    np.testing.assert_array_equal(answer(IRIS), small.predict(IRIS))
    assert [answer(x) for x in IRIS] == small.predict(IRIS).tolist()


def test_free_vectors_are_the_same_every_time_and_know_sparse_rows():
    model = leaves_of_iris(leaf_scaling=None).fit(IRIS, SPECIES)
    one, two = (compress(model, IRIS, SPECIES, random_state=0) for _ in range(2))
    wanted = one.decision_function(IRIS)
    np.testing.assert_array_equal(two.decision_function(IRIS), wanted)
    values = one.decision_function(sparse.csr_matrix(IRIS))
    np.testing.assert_allclose(values, wanted, atol=1e-9)
    dense = leaves_of_iris().fit(sparse.csr_matrix(IRIS), SPECIES)
    small = compress(dense, sparse.csr_matrix(IRIS), SPECIES, random_state=0)
    assert small.score(sparse.csr_matrix(IRIS), SPECIES) > 0.9


def test_models_of_functions_and_learners_are_not_saved(tmp_path):
    boosted = tree(AdaBoostClassifier(n_estimators=5)).fit(X, Y)
    with pytest.raises(ValueError, match="weak learners"):
        save_model(boosted, tmp_path / "a.model")
    saved = tree(MACHINE).fit(X)
    save_model(saved, tmp_path / "a.model")
    again = load_model(tmp_path / "a.model")
    assert again.estimator is None
    np.testing.assert_array_equal(
        again.decision_function(X), saved.decision_function(X)
    )
