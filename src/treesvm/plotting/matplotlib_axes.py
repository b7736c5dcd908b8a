"""Find or make the axes to draw on; matplotlib is an extra."""


def axes_or_new(ax=None, **figure_options):
    """Return `ax`, or the axes of a new figure.

    Raises
    ------
    ImportError
        If matplotlib is missing, with the way to install it.
    """
    if ax is not None:
        return ax
    try:
        from matplotlib.pyplot import figure
    except ImportError as error:
        raise ImportError(
            "drawing needs matplotlib; install it with: pip install 'treesvm[plot]'"
        ) from error
    made = figure(**figure_options)
    return made.add_subplot()
