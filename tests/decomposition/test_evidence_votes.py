"""Members that average more than two classes: by evidence, not by votes of pairs."""

import json
import zipfile

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.datasets import make_classification

from treesvm import DTSVMClassifier, load_model, save_model
from treesvm.decomposition.calibration import calibrate, says_evidence
from treesvm.inputs.rows import Rows


def fitted(n_classes=4, **options):
    X, y = make_classification(
        900, 6, n_informative=4, n_redundant=0, n_classes=n_classes, random_state=0
    )
    options = {"n_estimators": 3, "max_leaf_size": 150, "random_state": 0, **options}
    model = DTSVMClassifier(5.0, gamma_scale=1.0, kernel="rbf", **options)
    return model.fit(X[:600], y[:600]), X, y


def test_probabilities_are_the_mean_over_members_of_pairs_coupled():
    model, X, _ = fitted()
    assert model.calibration_.of_evidence
    # Without an offset the shares of classes in parts have no say.
    model.calibration_ = made = model.calibration_._replace(offset=0.0)
    total = np.zeros((20, 4))
    for member in model.decompositions_:
        for i, x in enumerate(X[600:620]):
            part = member.parts[member.apply(x[None])[0]]
            values, evidence = part.decisions(x[None])[0], [[], [], [], []]
            for (a, b), d in zip(part.machine.pairs, values, strict=True):
                evidence[a].append(-np.log1p(np.exp(-5.0 * d)))
                evidence[b].append(-np.log1p(np.exp(5.0 * d)))
            means = np.array([np.mean(own) if own else np.nan for own in evidence])
            means[np.isnan(means)] = np.nanmin(means) - 1.0  # classes it does not know
            total[i] += softmax(made.slope * means)
    np.testing.assert_allclose(
        model.predict_proba(X[600:620]), total / 3, rtol=1e-6, atol=1e-9
    )


def test_two_classes_and_majorities_keep_their_scores():
    for options in ({"n_classes": 2}, {"voting": "hard"}, {"n_estimators": 1}):
        model, _, _ = fitted(**options)
        assert not model.calibration_.of_evidence
    model, _, _ = fitted()
    assert says_evidence(model.decompositions_, "soft")
    assert not says_evidence(model.decompositions_, "hard")


@pytest.mark.parametrize("n_estimators", [1, 3])
def test_the_predictor_says_what_the_model_says(n_estimators):
    model, X, _ = fitted(n_estimators=n_estimators)
    predictor, said = model.predictor(), model.predict(X)
    np.testing.assert_array_equal(predictor(X), said)
    assert [predictor(x) for x in X[600:640]] == said[600:640].tolist()
    np.testing.assert_array_equal(
        model.classes_[model.predict_proba(X).argmax(1)], said
    )


def test_files_say_what_a_calibration_is_of_and_older_ones_are_of_scores(tmp_path):
    model, X, y = fitted()
    save_model(model, tmp_path / "new.model")
    again = load_model(tmp_path / "new.model")
    assert again.calibration_.of_evidence
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    rows = Rows(X[:600], y[:600], np.ones(600), 4)
    model.calibration_ = calibrate(model.decompositions_, rows, 5.0, 0)
    save_model(model, tmp_path / "scores.model")
    _drop(tmp_path / "scores.model", tmp_path / "old.model")
    old = load_model(tmp_path / "old.model")
    assert not old.calibration_.of_evidence
    np.testing.assert_array_equal(old.predict_proba(X), model.predict_proba(X))


def _drop(path, other):
    """Write the file as it was before calibrations said what they are of."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(other, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name.endswith(".json"):
                header = json.loads(content)
                del header["state"]["calibration"]["of_evidence"]
                content = json.dumps(header).encode()
            target.writestr(name, content)
