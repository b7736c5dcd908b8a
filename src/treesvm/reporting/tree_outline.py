"""The upper part of a tree as a nested list: tests, rows, answers.

A list has room for names of any length, on a phone too.
"""

from html import escape

import numpy as np

from treesvm.reporting.number_text import short_number

_DEPTH = 3
_MOST_TERMS = 3  # of a hyperplane that are written out


def outline(tree, class_names=(), feature_names=None):
    """Return the first levels of a tree as HTML.

    Parameters
    ----------
    tree : Tree
    class_names : sequence of str
        Empty for regression.
    feature_names : sequence of str, optional
    """
    names = feature_names or [f"feature {j + 1}" for j in range(tree.n_features)]
    return f'<ul class="tree">{_item(tree, 0, "", class_names, names)}</ul>'


def _item(tree, node, branch, class_names, names):
    """Return a node with what lies below it."""
    rows = f"{int(tree.n_rows[node]):,} rows"
    answer = _answer(tree.value[node], class_names)
    said = f'<span class="branch">{branch}</span> ' if branch else ""
    if tree.is_leaf[node]:
        return f'<li class="leaf">{said}<b>{answer}</b> <i>{rows}</i></li>'
    said += f"{_test(tree, node, names)} <i>{rows}</i>"
    if tree.node_depth[node] >= _DEPTH:
        n_leaves = _leaves_below(tree, node)
        said += f' <span class="more">… {n_leaves:,} leaves, mostly {answer}</span>'
        return f"<li>{said}</li>"
    children = "".join(
        _item(tree, int(child), sign, class_names, names)
        for child, sign in ((tree.left[node], "yes"), (tree.right[node], "no"))
    )
    return f"<li>{said}<ul>{children}</ul></li>"


def _leaves_below(tree, node):
    """Return how many leaves a node has; children have larger numbers than parents."""
    is_below = np.zeros(tree.n_nodes, bool)
    is_below[node] = True
    for other in range(node + 1, tree.n_nodes):
        is_below[other] = is_below[tree.parent[other]]
    return int(np.count_nonzero(is_below & tree.is_leaf))


def _answer(value, class_names):
    """Return the majority of a node, or its mean."""
    if len(value) == 1 or len(class_names) == 0:
        return f"about {short_number(float(value[0]))}"
    share = value.max() / max(value.sum(), 1e-300)
    return f"{escape(str(class_names[int(value.argmax())]))} {share:.0%}"


def _test(tree, node, names):
    """Return the test of a node in words."""
    place, limit = int(tree.feature[node]), short_number(float(tree.threshold[node]))
    if not tree.is_oblique:
        return f"{escape(str(names[place]))} ≤ {limit}"
    weights = tree.weights[place]
    used = np.argsort(-np.abs(weights), kind="stable")[: np.count_nonzero(weights)]
    terms = [
        f"{'−' if weights[j] < 0 else '+'} {short_number(abs(float(weights[j])))} "
        f"{escape(str(names[j]))}"
        for j in used[:_MOST_TERMS]
    ]
    if len(used) > _MOST_TERMS:
        terms.append(f"+ {len(used) - _MOST_TERMS:,} more")
    return " ".join(terms).removeprefix("+ ") + f" ≤ {limit}"
