"""The benchmark of distributed fits measures what it says."""

import numpy as np
import pytest

pytest.importorskip("distributed", reason="needs the extra: treesvm[dask]")


def test_generated_rows_are_seeded_noisy_and_on_disk_as_made(tmp_path):
    from benchmarks import distributed_large as large

    X, y = large.block(3, 5000)
    again, labels = large.block(3, 5000)
    assert np.array_equal(X, again)
    assert np.array_equal(y, labels)
    assert X.dtype == np.float32
    assert 0.3 < y.mean() < 0.7
    large.write_rows(tmp_path, 1000)
    there, said = large.on_disk(tmp_path)
    assert np.array_equal(there.compute(), large.block(0, 1000)[0])
    assert np.array_equal(said.compute(), large.block(0, 1000)[1])


def test_digest_tells_models_apart_but_not_their_times():
    from benchmarks.distributed_checkpoints import digest_of
    from treesvm import DTSVMClassifier
    from treesvm.datasets import make_waves

    X, y = make_waves(600)
    model = DTSVMClassifier(max_leaf_size=200, random_state=0)
    first = digest_of(model.fit(X, y))
    assert digest_of(model.fit(X, y)) == first
    assert digest_of(model.set_params(C=9.0).fit(X, y)) != first
