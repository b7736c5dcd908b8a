"""DTSVMClassifier: limit cases, promises, and what happens when a leaf fails."""

import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_classification, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import rbf_kernel

from treesvm import DTSVMClassifier, KernelSVC
from treesvm.decomposition.committee import vote
from treesvm.decomposition.training import leaf_ceiling
from treesvm.partitions import AxisTree


def moons(n=1200):
    return make_moons(n, noise=0.25, random_state=0)


def blobs(n=900, n_classes=4):
    return make_classification(
        n, 6, n_informative=4, n_classes=n_classes, flip_y=0.1, random_state=3
    )


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("data", [moons, blobs, lambda: load_iris(return_X_y=True)])
def test_one_leaf_without_scaling_is_one_machine(data, multi_class):
    X, y = data()
    X, y = X[::2], y[::2]
    options = {"C": 5.0, "gamma": 0.5, "multi_class": multi_class}
    options["kernel"] = "laplacian"
    leaf = DTSVMClassifier(max_leaf_size=10**6, leaf_scaling=None, **options).fit(X, y)
    machine = KernelSVC(break_ties=True, **options).fit(X, y)
    np.testing.assert_array_equal(
        leaf.decision_function(X), machine.decision_function(X)
    )
    np.testing.assert_array_equal(leaf.predict(X), machine.predict(X))
    assert leaf.n_support_vectors_ == len(machine.support_)
    assert leaf.n_leaves_ == 1


@pytest.mark.parametrize(
    "options",
    [{}, {"n_estimators": 3}, {"leaf_scaling": None}],
    ids=str,
)
@pytest.mark.parametrize("n_jobs", [2, 4])
def test_model_does_not_depend_on_threads(options, n_jobs):
    X, y = blobs()
    model = DTSVMClassifier(max_leaf_size=100, random_state=0, **options)
    one = clone(model).set_params(n_jobs=1).fit(X, y)
    many = clone(model).set_params(n_jobs=n_jobs).fit(X, y)
    np.testing.assert_array_equal(many.decision_function(X), one.decision_function(X))
    assert many.n_support_vectors_ == one.n_support_vectors_
    assert many.n_iter_ == one.n_iter_


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_leaf_answers_with_its_own_classes(rng, n_classes):
    X, y = blobs(n_classes=n_classes)
    X = np.concatenate([X, X + 100.0])  # a second cloud, of one class only
    y = np.concatenate([y, np.ones_like(y)])
    model = DTSVMClassifier(max_leaf_size=80, probability=False, random_state=0)
    model.fit(X, y)
    asked = rng.normal(size=(3000, 6)) * 3 + rng.choice([0.0, 100.0], (3000, 1))
    said, leaf = model.predict(asked), model.apply(asked)
    known = model.apply(X)
    for k in np.unique(leaf):
        assert set(said[leaf == k]) <= set(y[known == k])
    report = model.leaf_report()
    pure = report["leaf"][report["classes"] == 1]
    assert len(pure)
    values = model.decision_function(asked[np.isin(leaf, pure)])
    assert np.isin(values, [-1.0, 1.0]).all()
    assert (report["support_vectors"][report["classes"] == 1] == 0).all()


@pytest.mark.parametrize("leaf_scaling", ["minmax", None])
def test_weight_two_is_the_row_twice(rng, leaf_scaling):
    X, y = blobs(150, 3)
    times = rng.integers(0, 4, len(y))
    # A C that is chosen leaves out one row: of a row twice, the other copy stays.
    model = DTSVMClassifier(
        5.0, gamma=3.0, leaf_scaling=leaf_scaling, tol=1e-8, random_state=0
    )
    weighted = clone(model).fit(X, y, sample_weight=times)
    repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-6
    )


def test_class_weight_is_a_weight_of_rows():
    X, y = moons()
    by_class = DTSVMClassifier(max_leaf_size=200, class_weight={1: 3.0}, random_state=0)
    by_row = DTSVMClassifier(max_leaf_size=200, random_state=0)
    by_row.fit(X, y, sample_weight=np.where(y == 1, 3.0, 1.0))
    np.testing.assert_array_equal(
        by_class.fit(X, y).decision_function(X), by_row.decision_function(X)
    )


def test_members_differ_and_vote():
    X, y = blobs(1500)
    train, test = slice(0, 1000), slice(1000, None)
    model = DTSVMClassifier(
        max_leaf_size=150, n_estimators=5, voting="hard", random_state=0
    )
    model.fit(X[train], y[train])
    scores = [member.scores(X[test]) for member in model.decompositions_]
    said = np.array([s.argmax(axis=1) for s in scores])
    for a in range(5):
        for b in range(a):
            assert 0.01 < np.mean(said[a] != said[b]) < 0.5
    votes = np.array([np.bincount(column, minlength=4) for column in said.T])
    winner = model.predict(X[test])
    assert (votes[np.arange(len(winner)), winner] == votes.max(axis=1)).all()
    own = (said == y[test]).mean(axis=1)
    assert model.score(X[test], y[test]) > own.mean()
    assert model.apply(X[test]).shape == (500, 5)
    assert model.n_leaves_ == len(model.leaf_report()["leaf"])


@pytest.mark.parametrize("n_classes", [2, 4])
def test_soft_votes_are_the_mean_of_the_members(n_classes):
    X, y = blobs(1500, n_classes)
    model = DTSVMClassifier(max_leaf_size=150, n_estimators=4, random_state=0)
    model.fit(X[:1000], y[:1000])
    alone = []
    for member in model.decompositions_:
        one = clone(model).set_params(n_estimators=1).fit(X[:1000], y[:1000])
        one.restore_fitted([member])
        one.calibration_ = model.calibration_
        alone.append(one.predict_proba(X))
    np.testing.assert_allclose(model.predict_proba(X), np.mean(alone, axis=0))
    hard = clone(model).set_params(voting="hard").fit(X[:1000], y[:1000])
    assert np.any(hard.predict(X) != model.predict(X))
    with pytest.raises(ValueError, match="voting='hard'"):
        clone(model).set_params(probability=False).fit(X, y)


def test_scores_compare_across_parts():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(6000, 4))
    share = np.where(X[:, 0] > 0.5, 0.45, 0.05)  # both sides answer 0 nearly always
    y = (rng.random(6000) < share).astype(int)
    train, test = slice(0, 4000), slice(4000, None)
    aucs = []
    for probability in (True, False):
        model = DTSVMClassifier(
            max_leaf_size=1000, probability=probability, random_state=0
        )
        model.fit(X[train], y[train])
        aucs.append(roc_auc_score(y[test], model.decision_function(X[test])))
    assert aucs[0] > aucs[1] + 0.02
    assert aucs[0] > 0.75


@pytest.mark.parametrize("partition", ["axis", "random", "whole"])
def test_support_numbers_rows_as_given(partition, rng):
    X, y = blobs(300, 2)
    weight = (rng.random(300) < 0.8).astype(float)
    model = DTSVMClassifier(max_leaf_size=100, partition=partition, random_state=0)
    model.fit(X, y, sample_weight=weight)
    assert len(model.support_) == model.n_support_vectors_
    assert (weight[model.support_] > 0).all()
    assert np.array_equal(model.support_vectors_, X[model.support_])
    # Rows without support may go: the machine of the whole space stays the same.
    if partition == "whole":
        again = clone(model).set_params(leaf_scaling=None, gamma=0.1, tol=1e-6)
        full = again.fit(X, y, sample_weight=weight)
        values, kept = full.decision_function(X), full.support_
        fewer = clone(again).fit(X[kept], y[kept]).decision_function(X)
        np.testing.assert_allclose(fewer, values, atol=1e-4)


def test_imbalanced_learn_takes_it_for_an_svm():
    over_sampling = pytest.importorskip("imblearn.over_sampling")
    X, y = make_classification(600, 6, weights=[0.9], random_state=0)
    sampler = over_sampling.SVMSMOTE(svm_estimator=DTSVMClassifier(), random_state=0)
    _, labels = sampler.fit_resample(X, y)
    assert np.bincount(labels)[1] > np.bincount(y)[1]


def test_ties_between_members_go_to_the_larger_scores():
    sure, unsure = np.array([[0.0, 3.0, 1.0]]), np.array([[0.2, 0.1, 0.0]])
    assert vote([sure, unsure]).argmax() == vote([unsure, sure]).argmax() == 1
    three = [np.array([[0.1, 0.0]]), np.array([[0.1, 0.0]]), np.array([[-9.0, 9.0]])]
    assert vote(three).argmax() == 0  # scores break ties, they do not outvote
    joined = vote([np.array([[-2.0, 2.0]]), np.array([[2.0, -2.0]])])
    np.testing.assert_array_equal(joined, [[0.0, 0.0]])


def test_leaf_report_is_a_table():
    pd = pytest.importorskip("pandas")
    X, y = moons()
    model = DTSVMClassifier(max_leaf_size=100, random_state=0).fit(
        X, np.where(y, "a", "b")
    )
    table = pd.DataFrame(model.leaf_report())
    assert list(table) == (
        [
            "tree",
            "leaf",
            "rows",
            "classes",
            "answer",
            "kernel",
            "C",
            "gamma",
            "support_vectors",
            "converged",
            "gap",
            "seconds",
            "features",
        ]
    )
    assert len(table) == model.n_leaves_
    assert table.rows.sum() == len(X)
    assert table.rows[table.classes > 1].max() < 100
    assert table.support_vectors.sum() == model.n_support_vectors_
    assert set(table.leaf) == set(model.apply(X))
    assert set(table.answer) == {"a", "b"}
    assert table.converged.all()
    assert (table.gap <= 1e-3).all()
    mixed = table[table.classes > 1]
    assert set(mixed.kernel) == {model.kernel_}
    assert set(mixed.C) == {model.C_}
    assert mixed.gamma.nunique() > 1  # in units of the median distance of each part
    assert table.gamma[table.classes == 1].isna().all()
    assert (table.seconds >= 0).all()


def test_a_tree_grown_on_a_sample_keeps_the_ceiling():
    X, y = blobs(4000)
    model = DTSVMClassifier(
        max_leaf_size=300, partition=AxisTree(max_tree_rows=500), random_state=0
    )
    report = model.fit(X, y).leaf_report()
    assert report["rows"].sum() == 4000
    assert report["rows"][report["classes"] > 1].max() < 300
    whole = clone(model).set_params(partition__max_tree_rows=None).fit(X, y)
    assert model.score(X, y) > whole.score(X, y) - 0.03
    again = clone(model).fit(X, y)
    np.testing.assert_array_equal(
        again.decision_function(X), model.decision_function(X)
    )


def test_a_leaf_that_cannot_be_split_keeps_to_its_memory(rng):
    X = np.ones((10_000, 2))
    y = (rng.random(10_000) < 0.4).astype(int)
    model = DTSVMClassifier(max_leaf_size=1000, cache_size=8, random_state=0)
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.n_leaves_ == 1
    assert peak < 100 * 2**20  # all pairs in float32 would be 400 MB
    assert (model.predict(X[:5]) == 0).all()


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(
    ("n_estimators", "voting"), [(1, "soft"), (3, "soft"), (3, "hard")]
)
def test_most_probable_class_is_the_predicted_one(n_classes, n_estimators, voting):
    X, y = blobs(n_classes=n_classes)
    model = DTSVMClassifier(
        max_leaf_size=150, voting=voting, n_estimators=n_estimators, random_state=0
    )
    P = model.fit(X[:600], y[:600]).predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    np.testing.assert_array_equal(P.argmax(axis=1), model.predict(X))
    held_out = P[600:][np.arange(300), y[600:]]
    assert -np.log(held_out).mean() < np.log(n_classes)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(P))
    if n_classes == 2:
        values = model.decision_function(X)
        np.testing.assert_array_equal(values > 0, model.predict(X) == 1)
    assert not hasattr(DTSVMClassifier(probability=False), "predict_proba")


@pytest.mark.parametrize("leaf_scaling", ["minmax", None])
@pytest.mark.parametrize("options", [{}, {"n_estimators": 2}])
def test_sparse_rows_are_dense_rows(leaf_scaling, options):
    X, y = load_digits(return_X_y=True)
    X = np.where(X < 6, 0.0, X)[:800] / 16.0
    y = y[:800]
    model = DTSVMClassifier(
        gamma=0.3,
        max_leaf_size=200,
        leaf_scaling=leaf_scaling,
        random_state=0,
        **options,
    )
    dense = clone(model).fit(X, y)
    thin = clone(model).fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(thin.apply(sparse.csr_matrix(X)), dense.apply(X))
    np.testing.assert_allclose(
        thin.decision_function(sparse.csr_array(X)),
        dense.decision_function(X),
        atol=2e-2,
    )
    np.testing.assert_array_equal(thin.predict(X), dense.predict(X))


def test_other_kernels_in_leaves():
    X, y = moons()
    for options in (
        {"kernel": "linear"},
        {"kernel": "poly", "coef0": 1.0, "gamma": 1.0},
        {"kernel": rbf_kernel},
        {"gamma": "scale"},
    ):
        model = DTSVMClassifier(max_leaf_size=150, random_state=0, **options)
        assert model.fit(X[:800], y[:800]).score(X[800:], y[800:]) > 0.85


def failing_kernel(A, B):
    """Fails where rows of the second cloud meet."""
    if A[:, 0].max() > 50.0:
        raise ArithmeticError("rows beyond 50")
    return rbf_kernel(A, B)


def interrupted_kernel(A, B):
    raise KeyboardInterrupt


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_names_its_leaf_and_leaves_no_half_fitted_model(n_jobs):
    X, y = moons(400)
    X, y = np.concatenate([X, X + 100.0]), np.concatenate([y, y])
    model = DTSVMClassifier(
        max_leaf_size=150,
        kernel=failing_kernel,
        leaf_scaling=None,
        n_jobs=n_jobs,
        random_state=0,
    )
    says = r"leaf \d+ \(\d+ rows\) could not be trained: rows beyond 50"
    with pytest.raises(ArithmeticError, match=says):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)
    before = model.fit(X[:400], y[:400]).decision_function(X[:400])
    with pytest.raises(ArithmeticError, match=says):
        model.fit(X, np.where(y, "a", "b"))
    np.testing.assert_array_equal(model.decision_function(X[:400]), before)
    model.set_params(kernel=interrupted_kernel)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :1], y)
    np.testing.assert_array_equal(model.decision_function(X[:400]), before)
    assert list(model.classes_) == [0, 1]


def test_progress_goes_to_standard_error_when_asked(capsys):
    X, y = moons()
    for verbose in (0, 1):
        DTSVMClassifier(max_leaf_size=100, verbose=verbose, random_state=0).fit(X, y)
        out, err = capsys.readouterr()
        assert out == ""
        assert ("leaves" in err) == bool(verbose)


def test_pickled_models_keep_support_vectors_only():
    X, y = make_moons(4000, noise=0.1, random_state=0)
    X = np.hstack([X, np.zeros((4000, 30))])
    model = DTSVMClassifier(max_leaf_size=500, random_state=0).fit(X, y)
    stored = pickle.dumps(model)
    assert len(stored) < 0.3 * X.nbytes
    again = pickle.loads(stored)
    assert hasattr(model, "support_vectors_")  # of a fit in one memory only
    assert not hasattr(again, "support_vectors_")
    np.testing.assert_array_equal(
        again.decision_function(X), model.decision_function(X)
    )
    np.testing.assert_array_equal(again.predictor()(X[:50]), model.predict(X[:50]))


def test_data_frames_and_any_labels():
    pd = pytest.importorskip("pandas")
    X, y = moons()
    frame = pd.DataFrame(X, columns=["east", "north"])
    labels = pd.Series(np.where(y, "up", "down"))
    model = DTSVMClassifier(max_leaf_size=150, random_state=0).fit(frame, labels)
    assert list(model.feature_names_in_) == ["east", "north"]
    plain = DTSVMClassifier(max_leaf_size=150, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(frame) == "up", plain.predict(X) == 1)


def test_classes_without_rows_in_the_calibration_sample():
    X, y = blobs(200, 3)
    y[0] = 3  # a class of one row
    model = DTSVMClassifier(probability=True, random_state=0).fit(X, y)
    assert model.predict_proba(X).shape == (200, 4)


def test_oblique_partition_beats_majorities_in_its_leaves():
    X, y = blobs(1500)
    trained = DTSVMClassifier(max_leaf_size=300, partition="oblique", random_state=0)
    trained.fit(X[:1000], y[:1000])
    leaves = trained.trees_[0].value.argmax(axis=1)
    majority = trained.classes_[leaves[trained.apply(X[1000:])]]
    ours = trained.score(X[1000:], y[1000:])
    assert ours > np.mean(majority == y[1000:]) + 0.05
    predictor = trained.predictor()
    np.testing.assert_array_equal(predictor(X), trained.predict(X))
    assert [predictor(x) for x in X[:50]] == trained.predict(X[:50]).tolist()


@pytest.mark.parametrize("partition", ["axis", "oblique", "random", "whole"])
def test_one_part_of_any_partition_is_one_machine(partition):
    X, y = moons(300)
    model = DTSVMClassifier(
        C=2.0, gamma=5.0, max_leaf_size=300, leaf_scaling=None, partition=partition
    )
    machine = KernelSVC(C=2.0, gamma=5.0, kernel="laplacian").fit(X, y)
    np.testing.assert_array_equal(
        model.fit(X, y).decision_function(X), machine.decision_function(X)
    )
    assert model.n_leaves_ == 1


def test_few_rows_are_cut_only_if_members_are_to_differ():
    X, y = make_moons(1600, noise=0.2, random_state=0)
    fixed = {"C": 1.0, "gamma_scale": 1.0, "kernel": "rbf", "random_state": 0}
    assert DTSVMClassifier(**fixed).fit(X, y).n_leaves_ == 1
    assert DTSVMClassifier(max_leaf_size=1500, **fixed).fit(X, y).n_leaves_ > 1
    two = DTSVMClassifier(n_estimators=2, **fixed).fit(X, y)
    assert min(len(member.parts) for member in two.decompositions_) > 1


@pytest.mark.parametrize(
    ("max_leaf_size", "n_rows", "n_members", "ceiling"),
    [
        ("auto", 5000, 1, 5001),
        ("auto", 5001, 1, 1500),
        ("auto", 5000, 2, 1500),
        (700, 10, 1, 700),
        (700, 10_000, 3, 700),
    ],
)
def test_from_how_many_rows_on_nodes_are_split(
    max_leaf_size, n_rows, n_members, ceiling
):
    assert leaf_ceiling(max_leaf_size, n_rows, n_members) == ceiling
