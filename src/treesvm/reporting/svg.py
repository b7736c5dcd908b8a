"""Small charts as SVG text: they scale to any width and need no library.

Colours and fonts come from the page's style sheet (classes and CSS variables), so that
the charts follow a dark or a light screen.
"""

import math
from html import escape

WIDTH = 440  # of all charts: on a phone they are shown almost at this size


class Canvas:
    """Collects the elements of one picture."""

    def __init__(self, height, width=WIDTH, label=""):
        self._width, self.height, self._label = width, height, label
        self._parts = []

    def line(self, x1, y1, x2, y2, style="grid"):
        self._parts.append(
            f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" '
            f'y2="{y2:.1f}"/>'
        )

    def rect(self, x, y, width, height, colour=None, style="", title=""):
        fill = "" if colour is None else f' fill="{colour}"'
        shown = f"<title>{escape(title)}</title>" if title else ""
        self._parts.append(
            f'<rect class="{style}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" rx="2"{fill}>{shown}</rect>'
        )

    def dot(self, x, y, colour, radius=6, title=""):
        self._parts.append(
            f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="{radius}" '
            f'fill="{colour}"><title>{escape(title)}</title></circle>'
        )

    def text(self, x, y, words, style="tick", anchor="start"):
        self._parts.append(
            f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
            f"{escape(str(words))}</text>"
        )

    def svg(self):
        """Return the picture."""
        body = "".join(self._parts)
        return (
            f'<svg viewBox="0 0 {self._width} {self.height}" role="img" '
            f'aria-label="{escape(self._label, quote=True)}">{body}</svg>'
        )


def text_width(words, *, is_bold=False):
    """Return about how much room a name of 13 pixels takes: no less in most fonts."""
    wide = sum(1 for c in words if c.isupper())
    ems = 0.78 * wide + 0.6 * (len(words) - wide)
    return 13 * ems * (1.12 if is_bold else 1.0)


def decades(low, high):
    """Return the powers of ten that enclose positive numbers, as exponents."""
    first = math.floor(math.log10(low))
    last = max(math.ceil(math.log10(high)), first + 1)
    return list(range(first, last + 1))


def round_steps(low, high, n_steps=5):
    """Return round numbers that enclose [low, high], a handful of steps."""
    span = max(high - low, 1e-12)
    step = 10.0 ** math.floor(math.log10(span / n_steps))
    for factor in (1, 2, 5, 10):
        if span / (factor * step) <= n_steps:
            step *= factor
            break
    first, last = math.floor(low / step), math.ceil(high / step)
    return [k * step for k in range(first, max(last, first + 1) + 1)]
