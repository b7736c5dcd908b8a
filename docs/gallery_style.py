"""One look for the pictures of the gallery, and their order."""

import matplotlib.pyplot as plt

# What a newcomer wants to see stands first; the others follow by the alphabet.
FIRST = (
    "decision_regions",
    "time_limit",
    "explanations",
    "regression_of_tables",
    "calibrated_probabilities",
    "pandas_and_polars",
    "accuracy_against_cost",
    "leaf_size",
    "partitions",
    "learned_weights",
)


class ByInterest:
    """Sort key of the gallery, made for each folder and called with file names."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, file_name):
        name = file_name.removeprefix("plot_").removesuffix(".py")
        return (FIRST.index(name) if name in FIRST else len(FIRST), name)


def set_style(gallery_conf, file_name):
    """Set quiet axes before each example; the gallery calls it with its settings."""
    plt.rcParams.update(
        {
            "figure.dpi": 110,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": 11,
            "axes.titlelocation": "left",
            "axes.grid.axis": "y",
            "grid.alpha": 0.3,
            "legend.frameon": False,
        }
    )
