"""Numbers, times and sizes in few characters."""

from treesvm.datasets.label_task import REGRESSION


def short_number(value):
    """Return a number in few characters: 0.031, 4.2, 380, 12k, 3.4M."""
    for limit, divisor, ending in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(value) >= limit:
            return f"{value / divisor:.3g}{ending}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 0.001 or value == 0 else f"{value:.0e}"


def counted(number, unit):
    """Return a count with its unit, such as "1 test" or "12k support vectors"."""
    return f"{short_number(number)} {unit[:-1] if number == 1 else unit}"


def seconds_text(seconds):
    """Return a time in a fitting unit."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:.3g} µs"
    if seconds < 1:
        return f"{1e3 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 100 else f"{seconds:,.0f} s"


def bytes_text(n_bytes: int) -> str:
    """Return a size in a fitting unit."""
    for limit, unit in ((2**30, "GB"), (2**20, "MB"), (2**10, "kB")):
        if n_bytes >= limit:
            value = n_bytes / limit
            return f"{value:.3g} {unit}" if value < 1000 else f"{value:,.0f} {unit}"
    return f"{n_bytes} B"


def score_text(score: float, task: str, decimals: int = 2) -> str:
    """Return an accuracy in per cent, or an R² as it is."""
    return (
        f"{score:.{decimals + 1}f}" if task == REGRESSION else f"{score:.{decimals}%}"
    )


def times_text(ratio: float) -> str:
    """Return a ratio with two significant digits, such as "310" or "2.7"."""
    return f"{float(f'{ratio:.2g}'):,.0f}" if ratio >= 10 else f"{ratio:.2g}"
