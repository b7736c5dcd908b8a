"""A tree in words, one line for each node."""

import numpy as np


def export_text(tree, *, feature_names=None, class_names=None, max_terms=5, decimals=3):
    """Return the rules of a tree as indented text.

    Parameters
    ----------
    tree : Tree
    feature_names, class_names : sequence of str, optional
        ``x[j]`` and the class codes by default.
    max_terms : int
        Terms of a hyperplane that are written out, those with the largest weights.
    decimals : int

    Returns
    -------
    str
    """
    if feature_names is None:
        feature_names = [f"x[{j}]" for j in range(tree.n_features)]
    if class_names is None:
        class_names = [str(c) for c in range(tree.value.shape[1])]
    lines, stack = [], [(0, 0, "")]
    while stack:
        node, depth, sign = stack.pop()
        if sign:
            parent = tree.parent[node]
            value = _tested(tree, parent, feature_names, max_terms, decimals)
            limit = f"{tree.threshold[parent]:.{decimals}f}"
            lines.append("|   " * (depth - 1) + f"|--- {value} {sign} {limit}")
        if tree.is_leaf[node]:
            note = _answer(tree.value[node], tree.n_rows[node], class_names, decimals)
            lines.append("|   " * depth + f"|--- {note}")
        else:
            stack.append((int(tree.right[node]), depth + 1, ">"))
            stack.append((int(tree.left[node]), depth + 1, "<="))
    return "\n".join(lines) + "\n"


def _answer(value, n_rows, class_names, decimals):
    """Return in words the largest class of a leaf, or the mean of numbers."""
    if len(value) == 1:
        return f"mean: {value[0]:.{decimals}f} ({n_rows} rows)"
    share = value.max() / max(value.sum(), 1e-300)
    return f"class: {class_names[int(value.argmax())]} ({share:.0%} of {n_rows} rows)"


def _tested(tree, node, feature_names, max_terms, decimals):
    """Return the tested value of a node as text."""
    if not tree.is_oblique:
        return feature_names[tree.feature[node]]
    w = tree.weights[tree.feature[node]]
    largest = np.argsort(-np.abs(w), kind="stable")[:max_terms]
    terms = [f"{w[j]:+.{decimals}f} {feature_names[j]}" for j in np.sort(largest)]
    rest = np.count_nonzero(w) - np.count_nonzero(w[largest])
    return " ".join(terms) + (f" + {rest} more" if rest > 0 else "")
