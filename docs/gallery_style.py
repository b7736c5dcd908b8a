"""One look for the pictures of the gallery."""

import matplotlib.pyplot as plt


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
