"""ONNX models say what the models say."""

import numpy as np
import pandas as pd
import pytest
from exported_models import (
    all_models,
    asked_rows,
    decomposed_machines,
    front_doors,
    kernel_machines,
    linear_machines,
    noisy_committees,
    regressors,
    training_rows,
)

from treesvm import DTSVMClassifier, HLSVMClassifier, KernelSVC, TreeSVC
from treesvm.datasets import TableModel

onnx = pytest.importorskip("onnx", reason="ONNX is an extra: treesvm[onnx]")
ort = pytest.importorskip("onnxruntime", reason="it runs the models")

from treesvm.export import to_onnx  # noqa: E402

SOURCES = (
    kernel_machines, decomposed_machines, linear_machines, front_doors, regressors,
    noisy_committees,
)  # fmt: skip


def answers(made, feed):
    """Return {output: values}; a matrix may be given for the only input."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    content = made.SerializeToString()
    session = ort.InferenceSession(content, options, ["CPUExecutionProvider"])
    feed = feed if isinstance(feed, dict) else {"X": feed}
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, feed), strict=True))


def check_against(model, found, rows):
    """Labels and scores are those of the model."""
    if "variable" in found:
        np.testing.assert_allclose(
            found["variable"][:, 0], model.predict(rows), rtol=1e-5, atol=1e-5
        )
        return
    np.testing.assert_array_equal(found["label"], model.predict(rows))
    if "probabilities" in found:
        known = model.predict_proba(rows)
        np.testing.assert_allclose(found["probabilities"], known, rtol=1e-5, atol=1e-7)
    else:
        known = model.decision_function(rows)
        known = known.reshape(len(known), -1)
        np.testing.assert_allclose(found["scores"], known, rtol=1e-5, atol=1e-5)


def test_every_model_answers_as_in_python():
    models = all_models(*SOURCES)
    for name, model in models.items():
        X = asked_rows(model)
        found = answers(to_onnx(model), X)
        try:
            check_against(model, found, X.astype(np.float64))
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


def test_one_row_and_none_at_all():
    X, y, _ = training_rows()
    made = to_onnx(DTSVMClassifier(max_leaf_size=40, random_state=0).fit(X, y))
    many = answers(made, X)
    for i in (0, 77):
        one = answers(made, X[i : i + 1])
        assert one["label"] == many["label"][i]
        np.testing.assert_allclose(
            one["probabilities"][0], many["probabilities"][i], rtol=1e-6
        )
    assert answers(made, X[:0])["probabilities"].shape == (0, 3)


def test_rows_of_one_part_are_split_into_tasks(monkeypatch):
    from treesvm.export import onnx_machines

    X, y, _ = training_rows()
    model = DTSVMClassifier(max_leaf_size=40, random_state=0).fit(X, y)
    whole = answers(to_onnx(model), X)
    monkeypatch.setattr(onnx_machines, "_TASK_ROWS", 3)
    split = answers(to_onnx(model), X)
    np.testing.assert_allclose(
        split["probabilities"], whole["probabilities"], rtol=1e-6
    )


def test_operators_are_standard_and_opsets_stated():
    for model in all_models(decomposed_machines, linear_machines).values():
        made = to_onnx(model)
        opsets = {opset.domain: opset.version for opset in made.opset_import}
        assert opsets == {"": 18, "ai.onnx.ml": 3}

        def domains(graph):
            for node in graph.node:
                yield node.domain
                for attribute in node.attribute:
                    if attribute.HasField("g"):
                        yield from domains(attribute.g)

        assert set(domains(made.graph)) <= {"", "ai.onnx.ml"}


def mixed_frame(n_rows, rng):
    """A table of numbers, few and many categories, with gaps."""
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows).astype(np.float32).astype(float),
            "colour": rng.choice(["red", "blue", 'gr"een*/'], n_rows).astype(object),
            "town": rng.choice([f"t{i}" for i in range(30)], n_rows).astype(object),
        }
    )
    frame.loc[::7, "size"] = np.nan
    frame.loc[::5, "colour"] = None
    return frame


def inputs_of(frame):
    """A frame as the inputs of a graph."""
    return {
        name: column.to_numpy(np.float32)[:, None]
        if column.dtype.kind == "f"
        else column.fillna("").to_numpy(object)[:, None]
        for name, column in frame.items()
    }


@pytest.mark.parametrize("n_classes", [2, 6])
def test_tables_are_encoded_in_the_graph(rng, n_classes):
    frame = mixed_frame(300, rng)
    signal = frame["size"].fillna(0) + (frame["colour"] == "red")
    y = (signal.rank() * n_classes // 301).astype(int).to_numpy()
    model = TreeSVC(time_limit=0.3, random_state=0).fit(frame, y)
    later = mixed_frame(200, rng)
    later.loc[::3, "town"] = "a new one"
    for one in (model, TableModel.of(model)):
        found = answers(to_onnx(one), inputs_of(later))
        check_against(one, found, later)


@pytest.mark.parametrize("missing", ["median", "most_frequent"])
def test_a_table_model_fills_and_scales(rng, missing):
    frame = mixed_frame(300, rng)
    y = (frame["size"].fillna(0) > 0).to_numpy()
    model = TableModel(KernelSVC(), scale="standard", missing=missing).fit(frame, y)
    found = answers(to_onnx(model), inputs_of(frame))
    check_against(model, found, frame)


def test_what_cannot_be_exported_is_named():
    X, y, _ = training_rows()
    gram = KernelSVC(kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(ValueError, match="kernel='precomputed' cannot be exported"):
        to_onnx(gram)
    called = KernelSVC(kernel=lambda A, B: A @ B.T).fit(X, y)
    with pytest.raises(ValueError, match="kernel='callable' cannot be exported"):
        to_onnx(called)
    parts = DTSVMClassifier(max_leaf_size=40, partition="random").fit(X, y)
    with pytest.raises(ValueError, match=r"partition=.random.*hash of its bits"):
        to_onnx(parts)
    with pytest.raises(ValueError, match="a dict cannot be exported"):
        to_onnx({})


def test_an_unfitted_model_is_told_apart():
    with pytest.raises(ValueError, match="not fitted"):
        to_onnx(HLSVMClassifier())


def test_hostile_names_are_only_names():
    X, y, _ = training_rows()
    names = ["*/ x", "v1", "é\n??/", "a" * 10_000]
    frame = pd.DataFrame(X, columns=names)
    model = HLSVMClassifier(random_state=0).fit(frame, y)
    check_against(model, answers(to_onnx(model), X), frame)
    with pytest.raises(ValueError, match="'label' cannot be an input"):
        to_onnx(TreeSVC(time_limit=0.3).fit(frame.rename(columns={"v1": "label"}), y))
    table = TreeSVC(time_limit=0.3, random_state=0).fit(frame.astype(float), y)
    check_against(table, answers(to_onnx(table), inputs_of(frame.astype(float))), frame)
