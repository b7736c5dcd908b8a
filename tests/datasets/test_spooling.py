"""A file as a folder of blocks: the same encoder as in memory."""

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from treesvm.datasets import make_spirals, read_table
from treesvm.datasets.column_encoder import ColumnEncoder
from treesvm.datasets.spooling import spool_file


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("option", ["auto", None])
def test_blocks_are_the_rows_however_features_are_counted(tmp_path, zero_based, option):
    X, y = make_spirals(100)
    path = tmp_path / "rows.svm"
    dump_svmlight_file(X, y, str(path), zero_based=zero_based)
    option = zero_based if option is None else option
    spool = spool_file(path, tmp_path, chunk_rows=30, zero_based=option)
    assert spool.zero_based is zero_based
    table = read_table(path)
    encoded = ColumnEncoder.learn(table).transform(table)
    blocks = [spool.block(number)[0] for number in range(4)]
    np.testing.assert_allclose(np.concatenate(blocks), encoded, atol=1e-12)
