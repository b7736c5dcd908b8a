"""Files of every format that there ever was still load, and say the same."""

import json

import numpy as np
import pytest
from sklearn.base import is_regressor
from stored_models import STORED, stored_answers

from benchmarks.model_samples import sample_rows
from treesvm import DTSVMClassifier, HLSVMClassifier, load_model, save_model
from treesvm.datasets import Table, TableModel
from treesvm.persistence import model_file

ANSWERS = {
    name: answers
    for path in sorted(STORED.glob("format_*.json"))
    for name, answers in json.loads(path.read_text("utf8")).items()
}


def test_every_format_has_stored_files():
    numbers = {int(name.split("_")[1]) for name in ANSWERS}
    assert numbers == model_file.FORMATS
    assert max(numbers) == model_file.FORMAT


@pytest.mark.parametrize("name", ANSWERS)
def test_stored_file_answers_as_when_it_was_written(name):
    model = load_model(STORED / name)
    answers = stored_answers(model)
    if is_regressor(model):  # sums may round differently on other processors
        np.testing.assert_allclose(answers, ANSWERS[name], rtol=1e-9)
    else:
        assert answers == ANSWERS[name]


def test_kernel_leaves_load_as_an_oblique_partition():
    model = load_model(STORED / "format_1_HLSVMClassifier_kernel.model")
    assert type(model) is DTSVMClassifier
    assert repr(model.partition) == "ObliqueTree(tol=0.1)"  # the default of its time
    assert all(tree.is_oblique for tree in model.trees_)
    rows = sample_rows()[0]
    np.testing.assert_array_equal(model.predictor()(rows), model.predict(rows))


def test_searches_of_format_1_hold_what_they_found():
    model = load_model(STORED / "format_1_DTSVMClassifierCV.model")
    best = model.best_estimator_
    chosen = model.C_, model.gamma_, model.max_leaf_size_
    assert (best.C, best.gamma, best.max_leaf_size) == chosen


def test_preprocessing_is_part_of_the_file(tmp_path):
    colour = np.array(["red", "blue", "red", "green"] * 10, dtype=object)
    columns = {"colour": colour, "size": np.arange(40.0)}
    table = Table(columns, y=np.array(["yes", "no"] * 20))
    model = TableModel(HLSVMClassifier(random_state=0)).fit(table)
    save_model(model, tmp_path / "a.model")
    again = load_model(tmp_path / "a.model")
    assert isinstance(again, TableModel)
    np.testing.assert_array_equal(again.predict(table), model.predict(table))
    np.testing.assert_array_equal(
        again.decision_function(table), model.decision_function(table)
    )


def test_wrong_preprocessing_is_named(tmp_path):
    table = Table({"size": np.arange(40.0)}, y=np.arange(40) % 2)
    model = TableModel(HLSVMClassifier(random_state=0)).fit(table)
    header, arrays = model_file.describe(model)
    for spec in (None, [], {}, {"source": {}}, {"source": {"label": None}}, 7):
        header["wrapper"]["spec"] = spec
        with (tmp_path / "a.model").open("w+b") as file:
            model_file.write_archive(file, header, arrays)
        with pytest.raises(model_file.ModelFileError, match="preprocessing"):
            load_model(tmp_path / "a.model")


def test_wrappers_do_not_wrap_each_other(tmp_path):
    table = Table({"size": np.arange(40.0)}, y=np.arange(40) % 2)
    inner = TableModel(HLSVMClassifier(random_state=0)).fit(table)
    inner.estimator = inner
    with pytest.raises(ValueError, match="TableModel cannot be kept"):
        save_model(inner, tmp_path / "a.model")
