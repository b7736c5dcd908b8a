"""Files larger than memory: encoded block by block, trained on a cluster."""

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from checkpointed_fits import assert_same_model, rows

from treesvm import DTSVMClassifier, HLSVMClassifier, KernelSVC, load_model
from treesvm.cli.main import main
from treesvm.datasets import TableModel, read_table
from treesvm.datasets.spooling import spool_file
from treesvm.distributed import (
    DaskDTSVMClassifier,
    mapped_array,
    spooled_arrays,
)
from treesvm.distributed.file_training import fit_file, on_dask

N_ROWS = 1500


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    X, y = rows(N_ROWS)
    X = X.astype(float).round(4)
    lines = [
        f"{label} " + " ".join(f"{j + 1}:{v:.4f}" for j, v in enumerate(row) if v > 0.2)
        for row, label in zip(X, y, strict=True)
    ]
    (folder / "rows.svm").write_text("\n".join(lines))
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["colour"] = np.array(["red", "green", "blue"])[(10 * X[:, 0]).astype(int) % 3]
    frame["label"] = np.array(["low", "middle", "high"])[y]
    frame.to_csv(folder / "rows.csv", index=False)
    frame.to_parquet(folder / "rows.parquet", index=False)
    np.savez(folder / "rows.npz", X=X, y=y)
    return folder


@pytest.mark.parametrize("scale", ["minmax", "none"])
@pytest.mark.parametrize("ending", ["svm", "csv", "parquet", "npz"])
def test_blocks_are_the_rows_of_the_whole_file(ending, scale, folder, tmp_path):
    path = folder / f"rows.{ending}"
    table = read_table(path, zero_based=False)
    whole = TableModel(KernelSVC(), scale=scale)
    whole.fit(table.take(np.arange(50)))  # only to have an encoder of this kind
    spool = spool_file(path, tmp_path, chunk_rows=400, scale=scale)
    X, y = (array.compute() for array in spooled_arrays(spool))
    from treesvm.datasets.column_encoder import ColumnEncoder

    wanted = ColumnEncoder.learn(table, scale=scale)
    assert spool.encoder.spec == wanted.spec
    assert np.array_equal(X, wanted.transform(table))
    assert np.array_equal(y, table.y.astype(y.dtype))


def test_standard_scale_of_blocks(folder, tmp_path):
    spool = spool_file(folder / "rows.csv", tmp_path, chunk_rows=400, scale="standard")
    X = spooled_arrays(spool)[0].compute()
    assert np.allclose(X.mean(axis=0), 0.0, atol=1e-9)
    assert np.allclose(X.std(axis=0), 1.0)


@pytest.mark.parametrize("ending", ["svm", "csv"])
def test_model_of_a_file_is_that_of_its_table(ending, folder, client):
    path = folder / f"rows.{ending}"
    model = DTSVMClassifier(max_leaf_size=150, random_state=0)
    fit = fit_file(path, model, client=client, chunk_rows=400)
    assert fit.n_rows == N_ROWS
    table = read_table(path, zero_based=False)
    here = TableModel(model).fit(table)
    assert_same_model(fit.model.estimator, here.estimator)
    assert np.array_equal(fit.model.predict(table), here.predict(table))


def test_estimator_that_is_not_made_for_clusters_is_told():
    assert isinstance(on_dask(DTSVMClassifier()), DaskDTSVMClassifier)
    with pytest.raises(ValueError, match="HLSVMClassifier"):
        on_dask(KernelSVC())


def test_memory_mapped_arrays(client, tmp_path):
    X, y = rows(N_ROWS)
    np.save(tmp_path / "X.npy", X)
    mapped = mapped_array(np.load(tmp_path / "X.npy", mmap_mode="r"), chunk_rows=400)
    assert len(mapped.chunks[0]) == 4
    with pytest.raises(ValueError, match="mmap_mode='r'"):
        mapped_array(X)
    model = HLSVMClassifier(random_state=0)
    fitter = on_dask(model, client).fit(mapped, da.from_array(y, chunks=400))
    assert_same_model(fitter.model_, model.fit(X, y))


def test_command_trains_on_a_cluster_and_goes_on(folder, tmp_path, capsys):
    target = tmp_path / "model.treesvm"
    command = ["train", str(folder / "rows.csv"), "-o", str(target), "--quiet"]
    command += ["--max-leaf-size", "150", "--jobs", "2", "--force"]
    large = ["--cluster", "local", "--memory", "1GB"]
    large += ["--checkpoint", str(tmp_path / "kept")]
    assert main([*command, *large, "--test", str(folder / "rows.csv")]) == 0
    there = load_model(target)
    assert list((tmp_path / "kept").glob("items-*.piece"))
    assert main([*command, "--checkpoint", str(tmp_path / "here")]) == 0
    here = load_model(target)
    assert_same_model(there.estimator, here.estimator)
    assert main([*command, "--checkpoint", str(tmp_path / "kept")]) == 1
    assert "another fit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--memory", "1GB"], "--memory is about --cluster"),
        (["--spool", "folder"], "--spool is about --cluster"),
        (["--cluster", "here"], "--cluster here: say local"),
        (["--cluster", "local", "--memory", "much"], "--memory much: give a size"),
        (["--cluster", "tcp://a:1", "--memory", "1GB"], "dask worker ADDRESS"),
        (["--cluster", "local", "--test", "0.2"], "give a file of test rows"),
        (["--method", "svm", "--checkpoint", "folder"], "--checkpoint does not belong"),
    ],
)
def test_mistakes_of_the_command_are_told(options, words, folder, capsys):
    assert main(["train", str(folder / "rows.csv"), *options]) == 1
    assert words in capsys.readouterr().err
