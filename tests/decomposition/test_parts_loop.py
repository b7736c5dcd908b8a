"""The loop over parts: every part once, errors that name theirs."""

import numpy as np
import pytest

from treesvm.decomposition.parts_loop import each_part

SIZES = np.array([3, 40, 1, 40, 7])


class WantsTwo(Exception):
    def __init__(self, one, two):
        super().__init__(one, two)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_every_part_is_done_once_and_stands_in_its_place(n_jobs):
    called = []

    def work(k):
        called.append(k)
        return 10 * k

    assert each_part(work, SIZES, n_jobs=n_jobs) == [0, 10, 20, 30, 40]
    assert sorted(called) == [0, 1, 2, 3, 4]
    if n_jobs is None:
        assert called == [1, 3, 4, 0, 2]  # the largest first


@pytest.mark.parametrize(
    ("error", "raised"), [(KeyError("no"), KeyError), (WantsTwo(1, 2), RuntimeError)]
)
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_error_keeps_its_type_and_names_the_part(error, raised, n_jobs):
    def work(k):
        if k == 3:
            raise error

    with pytest.raises(raised, match=r"leaf 3 \(40 rows\) could not be cut: "):
        each_part(work, SIZES, n_jobs=n_jobs, done="cut")


def test_progress_is_written_where_it_is_asked_for(capsys):
    each_part(lambda k: None, SIZES)
    assert capsys.readouterr().err == ""
    each_part(lambda k: None, SIZES, verbose=1)
    assert "5 of 5 leaves" in capsys.readouterr().err
