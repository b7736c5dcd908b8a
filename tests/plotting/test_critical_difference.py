"""The critical-difference picture shows every method at its rank."""

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")
pytest.importorskip("scikit_posthocs")

from treesvm.plotting import plot_critical_difference

NAMES = ["worst", "middle", "best"]


@pytest.fixture
def table(rng):
    return rng.normal(size=(15, 3)) * 0.1 + [0.0, 1.0, 2.0]


def test_names_and_ranks_are_drawn(table):
    ax = plot_critical_difference(table, NAMES)
    texts = " ".join(text.get_text() for text in ax.figure.findobj(mpl.text.Text))
    # The worse half stands on the right, with the rank before the name.
    for label in ("best (1)", "middle (2)", "(3) worst"):
        assert label in texts


def test_bars_join_what_does_not_differ(table):
    apart = plot_critical_difference(table, NAMES, p_values=np.full((3, 3), 1e-9))
    joined = plot_critical_difference(table, NAMES, p_values=np.ones((3, 3)))
    assert len(joined.lines) > len(apart.lines)


def test_given_axes_are_used(table):
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert plot_critical_difference(table, NAMES, ax=ax) is ax


def test_names_must_fit(table):
    with pytest.raises(ValueError, match="2 names for 3 columns"):
        plot_critical_difference(table, NAMES[:2])
