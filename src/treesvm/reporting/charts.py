"""The report's charts: accuracy against cost, times, leaf sizes."""

import math

import numpy as np

from treesvm.reporting.method_looks import LOOKS
from treesvm.reporting.number_text import seconds_text, short_number
from treesvm.reporting.svg import WIDTH, Canvas, decades, round_steps

_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 24, 14, 46


def accuracy_against_cost(results):
    """Draw accuracy over the numbers that a prediction reads, on a log scale."""
    shown = [r for r in results if r.accuracy is not None]
    height = 420
    canvas = Canvas(height, label="Accuracy against the cost of a prediction")
    powers = decades(
        min(max(r.numbers_met, 1.0) for r in shown),
        max(max(r.numbers_met, 1.0) for r in shown),
    )
    steps = round_steps(
        100 * min(r.accuracy for r in shown), 100 * max(r.accuracy for r in shown)
    )
    low, high = steps[0], steps[-1]

    def x_of(numbers):
        share = (math.log10(max(numbers, 1.0)) - powers[0]) / (powers[-1] - powers[0])
        return _LEFT + share * (WIDTH - _LEFT - _RIGHT)

    def y_of(percent):
        return (
            height
            - _BOTTOM
            - (percent - low) / (high - low) * (height - _TOP - _BOTTOM)
        )

    for power in powers:
        x = x_of(10.0**power)
        canvas.line(x, _TOP, x, height - _BOTTOM)
        canvas.text(
            x, height - _BOTTOM + 16, short_number(10.0**power), anchor="middle"
        )
    for step in steps:
        canvas.line(_LEFT, y_of(step), WIDTH - _RIGHT, y_of(step))
        canvas.text(_LEFT - 6, y_of(step) + 4, f"{step:g} %", anchor="end")
    canvas.text(
        (_LEFT + WIDTH - _RIGHT) / 2,
        height - 8,
        "numbers read for a prediction (fewer is cheaper)",
        "axis",
        "middle",
    )
    places = [(x_of(r.numbers_met), y_of(100 * r.accuracy), r) for r in shown]
    _label_dots(canvas, places)
    return canvas.svg()


def _label_dots(canvas, places):
    """Draw dots with their names where they cover neither dots nor other names."""
    taken = [(x - 8, y - 8, x + 8, y + 8) for x, y, _ in places]
    for x, y, r in sorted(places, key=lambda place: place[1]):
        box, is_left = _free_place(x, y, 7.6 * len(r.title), taken)
        taken.append(box)
        anchor = box[2] if is_left else box[0]
        level = box[3] - 4
        if abs(level - y - 4) > 1:
            canvas.line(x, y, anchor, level - 4, "lead")
        canvas.dot(x, y, LOOKS[r.method].colour, title=_tip(r))
        style = "name ours" if r.is_ours else "name"
        canvas.text(anchor, level, r.title, style, "end" if is_left else "start")


def _free_place(x, y, width, taken):
    """Return the first free box beside a dot, and whether it lies left of it."""
    for step in (0, 1, -1, 2, -2, 3, -3, 4, 5, 6, 7, 8):
        for is_left in (x > WIDTH * 0.55, x <= WIDTH * 0.55):
            start = x - 11 - width if is_left else x + 11
            box = start, y - 8 + 14 * step, start + width, y + 8 + 14 * step
            is_inside = start > 2 and box[2] < WIDTH - 2 and box[1] > 0
            if is_inside and not any(_overlap(box, other) for other in taken):
                return box, is_left
    return box, is_left


def _overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _tip(result):
    numbers = short_number(result.numbers_met)
    return f"{result.title}: {result.accuracy:.2%}, {numbers} numbers read"


def time_bars(results, field, label):
    """Draw one horizontal bar for each method, on a log scale that is written out."""
    shown = [r for r in results if getattr(r, field) is not None]
    unit = 1e-6 if field == "predict_microseconds" else 1.0
    times = [max(unit * getattr(r, field), 1e-9) for r in shown]
    step, left, room = 27, 146, 66
    height = 10 + step * len(shown) + 26
    canvas = Canvas(height, label=label)
    powers = decades(min(times), max(times))

    def x_of(seconds):
        share = (math.log10(seconds) - powers[0]) / (powers[-1] - powers[0])
        return left + share * (WIDTH - left - room)

    for power in powers:
        x = x_of(10.0**power)
        canvas.line(x, 8, x, height - 24)
        if len(powers) < 6 or (power - powers[0]) % 2 == 0:
            canvas.text(x, height - 8, seconds_text(10.0**power), anchor="middle")
    for place, (r, seconds) in enumerate(zip(shown, times, strict=True)):
        y = 10 + step * place
        colour = LOOKS[r.method].colour
        canvas.text(
            left - 8, y + 16, r.title, "name ours" if r.is_ours else "name", "end"
        )
        width = max(x_of(seconds) - left, 2.0)
        canvas.rect(left, y + 3, width, step - 9, colour, title=r.title)
        canvas.text(left + width + 6, y + 16, seconds_text(seconds), "value")
    return canvas.svg()


def leaf_histogram(sizes, vectors):
    """Draw how many leaves have how many rows, and how many of those answer alone."""
    sizes, vectors = np.asarray(sizes), np.asarray(vectors)
    n_bins = min(16, max(4, round(math.sqrt(len(sizes)))))
    edges = np.linspace(0, max(sizes.max(), 1), n_bins + 1)
    everything = np.histogram(sizes, edges)[0]
    one_class = np.histogram(sizes[vectors == 0], edges)[0]
    height = 240
    canvas = Canvas(height, label="Leaves by their number of training rows")
    steps = round_steps(0, everything.max(), 4)
    width = (WIDTH - _LEFT - _RIGHT) / n_bins

    def y_of(count):
        return height - _BOTTOM - count / steps[-1] * (height - _TOP - _BOTTOM)

    for step in steps:
        canvas.line(_LEFT, y_of(step), WIDTH - _RIGHT, y_of(step))
        canvas.text(_LEFT - 6, y_of(step) + 4, short_number(step), anchor="end")
    for k in range(n_bins):
        x = _LEFT + k * width + 1
        words = f"{edges[k]:,.0f} to {edges[k + 1]:,.0f} rows: {everything[k]} leaves"
        total, pure = y_of(everything[k]), y_of(one_class[k])
        base = height - _BOTTOM
        canvas.rect(
            x, total, width - 2, base - total, LOOKS["dtsvm"].colour, title=words
        )
        if one_class[k]:
            canvas.rect(x, pure, width - 2, base - pure, style="pure", title=words)
    for place in (0, n_bins // 2, n_bins):
        x = _LEFT + place * width
        canvas.text(
            x, height - _BOTTOM + 16, short_number(edges[place]), anchor="middle"
        )
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    canvas.text(middle, height - 8, "training rows in the leaf", "axis", "middle")
    return canvas.svg()
