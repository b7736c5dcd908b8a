"""The report's charts: accuracy or R² against cost, times, leaf sizes."""

import math

import numpy as np

from treesvm.datasets.label_task import CLASSIFICATION, REGRESSION
from treesvm.reporting.method_looks import LOOKS
from treesvm.reporting.number_text import score_text, seconds_text, short_number
from treesvm.reporting.svg import WIDTH, Canvas, decades, round_steps, text_width

_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 24, 14, 46


def score_against_cost(results, task=CLASSIFICATION):
    """Draw accuracy or R² over the numbers that a prediction reads, on a log scale."""
    height = 430
    measure, unit = ("R²", "") if task == REGRESSION else ("Accuracy", " %")
    canvas = Canvas(height, label=f"{measure} against the cost of a prediction")
    factor = 1.0 if task == REGRESSION else 100.0
    heights = [factor * max(r.score, 0.0) for r in results]  # less than nothing is none
    costs = [max(r.numbers_met, 1.0) for r in results]
    powers, x_of = _log_axis(costs, _LEFT + 8, WIDTH - _RIGHT)
    steps = round_steps(min(heights), max(heights))
    low, high = steps[0], steps[-1]

    def y_of(value):
        share = (value - low) / (high - low)
        return height - _BOTTOM - share * (height - _TOP - _BOTTOM)

    for power in powers:
        x = x_of(10.0**power)
        canvas.line(x, _TOP, x, height - _BOTTOM)
        canvas.text(
            x, height - _BOTTOM + 16, short_number(10.0**power), anchor="middle"
        )
    for step in steps:
        canvas.line(_LEFT, y_of(step), WIDTH - _RIGHT, y_of(step))
        canvas.text(_LEFT - 6, y_of(step) + 4, f"{step:.4g}{unit}", anchor="end")
    canvas.text(
        (_LEFT + WIDTH - _RIGHT) / 2,
        height - 8,
        "numbers read for a prediction (fewer is cheaper)",
        "axis",
        "middle",
    )
    triples = zip(costs, heights, results, strict=True)
    places = [(x_of(cost), y_of(value), r) for cost, value, r in triples]
    _label_dots(canvas, places, task)
    return canvas.svg()


def _log_axis(values, left, right):
    """Return the powers of ten on an axis, and the function from values to places."""
    powers = decades(min(values), max(values))

    def x_of(value):
        share = (math.log10(value) - powers[0]) / (powers[-1] - powers[0])
        return left + share * (right - left)

    return powers, x_of


def _label_dots(canvas, places, task):
    """Draw dots with their names where they cover neither dots nor other names."""
    taken = [(x - 8, y - 8, x + 8, y + 8) for x, y, _ in places]
    names = []
    for x, y, r in sorted(places, key=lambda place: place[1]):
        width = text_width(_name(r, task), is_bold=r.is_ours)
        box, is_left = _free_place(x, y, width, taken, canvas.height)
        taken.append(box)
        anchor, level = box[2] if is_left else box[0], box[3] - 4
        if abs(level - y - 4) > 1:
            end = anchor + 3 if is_left else anchor - 3
            canvas.line(x, y, end, level - 4, "lead")
        names.append((anchor, level, r, "end" if is_left else "start"))
    for x, y, r in places:
        canvas.dot(x, y, LOOKS[r.method].colour, title=_tip(r, task))
    for anchor, level, r, side in names:
        look = "name ours" if r.is_ours else "name"
        canvas.text(anchor, level, _name(r, task), look, side)


def _free_place(x, y, width, taken, height):
    """Return the nearest free box beside a dot, and whether it lies left of it."""
    found = []
    for step in range(-40, 41):
        for is_left in (False, True):
            for gap in (11, 34):
                start = x - gap - width if is_left else x + gap
                top = y - 8 + 8 * step
                box = start, top, start + width, top + 16
                is_inside = start > _LEFT + 2 and box[2] < WIDTH - 2
                is_inside &= top > 0 and box[3] < height - _BOTTOM
                if is_inside and not any(_overlap(box, other) for other in taken):
                    # A name beside its dot needs no line.
                    distance = abs(8 * step) + (gap - 11) + (0 if step == 0 else 6)
                    found.append((distance, is_left, box))
    if not found:
        return (x + 11, y - 8, x + 11 + width, y + 8), False
    _, is_left, box = min(found)
    return box, is_left


def _overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _name(result, task):
    """Return the name beside a dot, with a score that lies below the picture."""
    return result.title + (
        f": {score_text(result.score, task)}" if result.score < 0 else ""
    )


def _tip(result, task):
    numbers = short_number(result.numbers_met)
    return f"{result.title}: {score_text(result.score, task)}, {numbers} numbers read"


def time_bars(results, field, label):
    """Draw one horizontal bar for each method, on a log scale that is written out."""
    unit = 1e-6 if field == "predict_microseconds" else 1.0
    times = [max(unit * getattr(r, field), 1e-9) for r in results]
    step, left, room = 27, 118, 66
    height = 36 + step * len(results)
    canvas = Canvas(height, label=label)
    powers, x_of = _log_axis(times, left, WIDTH - room)

    for power in powers:
        x = x_of(10.0**power)
        canvas.line(x, 8, x, height - 24)
        if len(powers) < 6 or (power - powers[0]) % 2 == 0:
            canvas.text(x, height - 8, seconds_text(10.0**power), anchor="middle")
    for place, (r, seconds) in enumerate(zip(results, times, strict=True)):
        y = 10 + step * place
        colour = LOOKS[r.method].colour
        canvas.text(
            left - 8, y + 16, r.title, "name ours" if r.is_ours else "name", "end"
        )
        width = max(x_of(seconds) - left, 2.0)
        canvas.rect(left, y + 3, width, step - 9, colour, title=r.title)
        canvas.text(left + width + 6, y + 16, seconds_text(seconds), "value")
    return canvas.svg()


def leaf_histogram(sizes, is_pure):
    """Draw how many leaves have how many rows, and how many of those answer alone."""
    n_wanted = min(16, max(4, round(math.sqrt(len(sizes)))))
    # Whole rows, and round ones: 1, 2 or 5 times a power of ten.
    width_of_bin = max(round(round_steps(0, sizes.max(), n_wanted)[1]), 1)
    n_bins = max(-(-int(sizes.max()) // width_of_bin), 1)
    edges = width_of_bin * np.arange(n_bins + 1)
    everything = np.histogram(sizes, edges)[0]
    one_class = np.histogram(sizes[is_pure], edges)[0]
    height = 240
    canvas = Canvas(height, label="Leaves by their number of training rows")
    steps = [s for s in round_steps(0, everything.max(), 4) if s == round(s)]
    width = (WIDTH - _LEFT - _RIGHT) / n_bins

    def y_of(count):
        return height - _BOTTOM - count / steps[-1] * (height - _TOP - _BOTTOM)

    for step in steps:
        canvas.line(_LEFT, y_of(step), WIDTH - _RIGHT, y_of(step))
        canvas.text(_LEFT - 6, y_of(step) + 4, short_number(step), anchor="end")
    for k in range(n_bins):
        x = _LEFT + k * width + 1
        words = f"{edges[k]:,} to {edges[k + 1]:,} rows: {everything[k]:,} leaves"
        total, pure = y_of(everything[k]), y_of(one_class[k])
        base = height - _BOTTOM
        canvas.rect(
            x, total, width - 2, base - total, LOOKS["dtsvm"].colour, title=words
        )
        if one_class[k]:
            canvas.rect(x, pure, width - 2, base - pure, style="pure", title=words)
    for place in sorted({0, n_bins // 2, n_bins}):
        x = _LEFT + place * width
        shown = f"{edges[place]:,}"
        canvas.text(x, height - _BOTTOM + 16, shown, anchor="middle")
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    canvas.text(middle, height - 8, "training rows in the leaf", "axis", "middle")
    return canvas.svg()
