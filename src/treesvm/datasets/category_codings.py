"""Numbers for categories: indicators for few, statistics of the target for many.

A coding is a table with a row of numbers for every category of the training rows, one
row for missing values and one for categories that training did not see:

- "onehot": an indicator for each level; one for two levels, that of the rarer.
- "means": the mean target of the rows of a level (of a classifier: the share of every
  class but the first), drawn to the mean p of all rows as if `STRENGTH` rows more had
  it:  (sum of the level + STRENGTH p) / (count of the level + STRENGTH).
- "frequency": for many classes; the level's share of the rows, and indicators of the
  most frequent levels.

A missing value is a level of its own if training rows had it, else it is as unseen.
"""

from collections import Counter

import numpy as np

from treesvm.datasets.data_file import DataFileError

STRENGTH = 10.0  # rows: levels with fewer are mostly drawn to the mean
MAX_CLASSES = 5  # with more, means of every class would be too many features
N_FOLDS = 5
MAX_LEVELS = 10_000  # the most frequent; the model keeps a row of numbers for each
UNSEEN, MISSING = -1, -2


def target_columns(target, n_classes):
    """Return {name: values} of what categories have means of; None for many classes.

    Parameters
    ----------
    target : ndarray of shape (n_rows,)
        Numbers, or codes of classes from 0.
    n_classes : int or None
        None for numbers.
    """
    if n_classes is None:
        return {"mean target": np.asarray(target, dtype=float)}
    if n_classes > MAX_CLASSES:
        return None
    return {
        f"share of class {code}": (target == code).astype(float)
        for code in range(1, max(n_classes, 2))
    }


def level_codes(values, categories, fill=None):
    """Return the place of every value in the categories, or UNSEEN or MISSING."""
    place = {category: code for code, category in enumerate(categories)}
    place[None] = MISSING if fill is None else place[fill]
    return np.array([place.get(value, UNSEEN) for value in values], dtype=np.int64)


def coded_column(table, name, missing, targets, max_onehot):
    """Learn the coding of a column of text.

    Parameters
    ----------
    table : Table
    name : str
    missing : str
        "indicator" makes missing values a level; else see `ColumnEncoder.learn`.
    targets : dict or None
        See `target_columns`.
    max_onehot : int
        Columns of more levels than this get statistics.

    Returns
    -------
    dict
        A column of the encoder's spec.
    """
    counts = Counter(table.X[name].tolist())
    n_missing, fill = counts.pop(None, 0), None
    if not counts and missing != "indicator":
        raise DataFileError(table.path, f"column {name!r} has no values; drop it.")
    if missing in ("median", "most_frequent"):
        fill = max(sorted(counts), key=counts.get)
        counts[fill] += n_missing
    has_level = missing == "indicator" and n_missing > 0
    n_levels = len(counts) + has_level
    categories = sorted(counts) if n_levels <= max_onehot else _frequent(counts)
    fill = fill if fill in categories else None  # every text names one row
    sizes = [counts[category] for category in categories] + [has_level * n_missing]
    if n_levels <= max_onehot:
        kind, coded = "onehot", _onehot(name, categories, sizes, n_levels)
    elif targets is None:
        kind = "frequency"
        coded = _frequencies(name, categories, sizes, table.n_rows, max_onehot)
    else:
        codes = level_codes(table.X[name], categories, fill)
        kind, coded = "means", _means(name, codes, len(categories), targets)
    features, rows, unseen = coded
    coding = {"kind": kind, "features": features, "rows": rows[:-1].tolist()}
    coding["missing"] = None if missing == "error" else rows[-1].tolist()
    coding["unseen"] = unseen.tolist()
    column = {"name": name, "kind": "text", "categories": categories, "fill": fill}
    return {**column, "coding": coding}


def out_of_fold_means(codes, n_categories, targets, seed):
    """Return the means of training rows, shape (n_rows, n_targets).

    A row's level is judged by the rows of the other folds. The mean of all rows that
    small levels are drawn to is the same number for all, so it tells no row's label.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        See `level_codes`.
    n_categories : int
    targets : dict of str to ndarray of shape (n_rows,)
    seed : int
        Of the folds.
    """
    folds = np.random.default_rng(seed).permutation(len(codes)) % N_FOLDS
    levels = np.where(codes == MISSING, n_categories, codes)
    known = levels >= 0
    cells = N_FOLDS * levels[known] + folds[known]
    others = 1.0 - np.eye(N_FOLDS)

    def outside(weights=None):
        sums = np.bincount(cells, weights, minlength=N_FOLDS * (n_categories + 1))
        return (sums.reshape(-1, N_FOLDS) @ others).ravel()[cells]

    counts, columns = outside(), []
    for target in targets.values():
        prior = target.mean()
        column = np.full(len(codes), prior)
        sums = outside(target[known] - prior)
        column[known] += sums / (counts + STRENGTH)
        columns.append(column)
    return np.column_stack(columns)


def _frequent(counts):
    """Return the levels worth a statistic: one of a single row would be its label."""
    repeated = [level for level, count in counts.items() if count > 1]
    return sorted(sorted(repeated, key=lambda c: (-counts[c], c))[:MAX_LEVELS])


def _onehot(name, categories, sizes, n_levels):
    """Return (features, rows with that of missing values last, row of unseen ones)."""
    rows = np.eye(len(categories) + 1)[:, :n_levels]
    features = _level_names(name, categories)[:n_levels]
    if n_levels == 1:  # constant in training: it says nothing, whatever comes later
        rows = np.zeros_like(rows)
    elif n_levels == 2:
        rarer = int(sizes[0] >= sizes[1])
        rows, features = rows[:, [rarer]], [features[rarer]]
    return features, rows, np.zeros(rows.shape[1])


def _frequencies(name, categories, sizes, n_rows, max_onehot):
    """Return what `_onehot` does."""
    sizes = np.array(sizes)
    top = np.argsort(-sizes, kind="stable")[:max_onehot]
    top = np.sort(top[sizes[top] > 0])
    names = _level_names(name, categories)
    rows = np.zeros((len(sizes), 1 + len(top)))
    rows[:, 0] = sizes / n_rows
    rows[top, 1 + np.arange(len(top))] = 1.0
    features = [f"{name}: frequency", *(names[level] for level in top)]
    return features, rows, np.zeros(rows.shape[1])


def _means(name, codes, n_categories, targets):
    """Return what `_onehot` does."""
    levels = np.where(codes == MISSING, n_categories, codes)
    known = levels >= 0
    counts = np.bincount(levels[known], minlength=n_categories + 1)
    priors = np.array([target.mean() for target in targets.values()])
    rows = np.tile(priors, (n_categories + 1, 1))
    for j, target in enumerate(targets.values()):
        rest = target[known] - priors[j]
        sums = np.bincount(levels[known], rest, minlength=n_categories + 1)
        rows[:, j] += sums / (counts + STRENGTH)
    return [f"{name}: {target}" for target in targets], rows, priors


def _level_names(name, categories):
    return [*(f"{name}={category}" for category in categories), f"{name} is missing"]
