"""The upper part of a tree as SVG: tests, rows and majorities."""

import numpy as np

from treesvm.reporting.number_text import short_number
from treesvm.reporting.svg import WIDTH, Canvas
from treesvm.trees.routing import LEAF

_DEPTH = 3  # eight places side by side are what a phone can show
_LEVEL, _BOX = 78, 34


def draw_tree(tree, class_names, feature_names=None):
    """Draw the first levels of a tree.

    Parameters
    ----------
    tree : Tree
    class_names : sequence of str
    feature_names : sequence of str, optional

    Returns
    -------
    str
        An SVG element.
    """
    depth = min(_DEPTH, tree.depth)
    canvas = Canvas(_LEVEL * depth + _BOX + 20, label="The first levels of the tree")
    places = {}
    _place(tree, 0, 0, 0.0, 1.0, depth, places)
    for node, (x, y) in places.items():
        for child, sign in ((tree.left[node], "≤"), (tree.right[node], ">")):
            if int(child) in places:
                cx, cy = places[int(child)]
                canvas.line(x, y + _BOX, cx, cy, "branch")
                middle = (x + cx) / 2 + (-7 if sign == "≤" else 7)
                canvas.text(middle, (y + _BOX + cy) / 2 + 3, sign, "tick", "middle")
    for node, (x, y) in places.items():
        _draw_node(canvas, tree, node, x, y, depth, class_names, feature_names)
    return canvas.svg()


def _place(tree, node, level, low, high, depth, places):
    """Write the middle and top of each drawn node to `places`."""
    places[node] = (low + high) / 2 * WIDTH, 10 + _LEVEL * level
    if level < depth and tree.left[node] != LEAF:
        middle = (low + high) / 2
        children = int(tree.left[node]), int(tree.right[node])
        _place(tree, children[0], level + 1, low, middle, depth, places)
        _place(tree, children[1], level + 1, middle, high, depth, places)


def _draw_node(canvas, tree, node, x, y, depth, class_names, feature_names):
    """Draw a box with the test, or the majority of what lies below."""
    level = int(tree.node_depth[node])
    value = tree.value[node]
    majority = str(class_names[int(value.argmax())])
    share = value.max() / max(value.sum(), 1e-300)
    rows = f"{short_number(int(tree.n_rows[node]))} rows"
    width = min(96, WIDTH / 2**level - 4)
    is_inner = tree.left[node] != LEAF and level < depth
    if is_inner:
        words = _test(tree, node, feature_names)
        style = "node"
    else:
        words, style = f"{majority}: {share:.0%}", "node leaf"
    n_letters = max(int(width / 6.6), 4)
    words = words if len(words) <= n_letters else words[: n_letters - 1] + "…"
    title = f"{words}; {rows}; most are {majority} ({share:.0%})"
    canvas.rect(x - width / 2, y, width, _BOX, style=style, title=title)
    canvas.text(x, y + 14, words, "small", "middle")
    canvas.text(x, y + 27, rows if level < 3 else rows.split()[0], "tiny", "middle")


def _test(tree, node, feature_names):
    """Return the test of a node in words."""
    column = int(tree.feature[node])
    if tree.is_oblique:
        return f"{np.count_nonzero(tree.weights[column])} features"
    name = f"x{column + 1}" if feature_names is None else str(feature_names[column])
    return f"{name} ≤ {short_number(float(tree.threshold[node]))}"
