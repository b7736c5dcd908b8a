"""The league's tables: which there are, what their columns are, and how they are cut.

Every table of the data folder and of its ``league`` folder takes part, but for text
(news20, sector), images (mnist, usps, faces) and KDD 99. Codes that are no measurement
are categories; `CATEGORIES` says which columns hold them where the file does not.

Two thirds of the rows train, at most 20,000, the others test, at most as many. A table
with an official test part keeps it. Rows in order of time are cut into blocks of time.
"""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.model_selection import train_test_split

from benchmarks.data import MissingData

# Fixed before this league ran: many sizes and kinds, nothing that takes hours.
CORE = (
    "adult",
    "c_car",
    "c_churn",
    "c_cmc",
    "c_credit_g",
    "c_hill_valley_with_noise",
    "c_led24",
    "c_mfeat_fourier",
    "c_nursery",
    "c_tic_tac_toe",
    "c_vowel",
    "c_wine_quality_white",
    "c_yeast",
    "phoneme",
    "r_cpu_act",
    "r_geographicaloriginalofmusic",
    "r_house_8l",
    "r_houses",
    "r_pollen",
    "r_wind",
)
LEFT_OUT = ("news20", "sector", "mnist", "usps", "cbcl_faces", "kdd99")
MOST_ROWS = 20_000
SEVERAL_SEEDS_BELOW = 10_000  # rows
SEEDS = 3
_TIME_BLOCKS = {"eeg_eye_state": 10}  # no official test part, and rows in time order
_IN_TIME = ("ijcnn1", "occupancy")  # fewer training rows are a stretch of time
_ALL = slice(None)
# Columns of nominal codes with more than two values.
CATEGORIES = {
    "australian": (3, 4, 5, 11),
    "heart_statlog": (2, 6, 12),
    "ida_splice": _ALL,
    "poker": (0, 2, 4, 6, 8),  # suits; ranks are in order
    "c_allhypo": (1, 28),
    "c_car": _ALL,
    "c_churn": (0, 2),
    "c_clean2": (0,),
    "c_cmc": (6,),
    "c_coil2000": (0, 4),
    "c_connect_4": _ALL,
    "c_credit_g": (0, 2, 3, 5, 6, 8, 9, 11, 13, 14, 16),
    "c_fars": (0, *range(2, 14), *range(15, 29)),
    "c_hypothyroid": (1,),
    "c_nursery": _ALL,
    "c_tic_tac_toe": _ALL,
    "c_vowel": (1,),
    "r_bng_breasttumor": (1, 2, 6),
    "r_bng_lowbwt": (3,),
    "r_mv": (2,),
}
_MINUS_ONE_IS_MISSING = ("breast_cancer_wisconsin",)


class Table(NamedTuple):
    """One table with its official test part, if it has any."""

    name: str
    X: pd.DataFrame  # float columns, and categories
    y: np.ndarray  # codes, or float numbers
    test: tuple | None  # (X, y)

    @property
    def is_regression(self):
        return self.y.dtype.kind == "f"

    @property
    def n_rows(self):
        return len(self.y) + (len(self.test[1]) if self.test else 0)


class Cut(NamedTuple):
    """Training and test rows of one seed."""

    X: pd.DataFrame
    y: np.ndarray
    X_test: pd.DataFrame
    y_test: np.ndarray


def names(folder):
    """Return the names of all tables that are there, in alphabetic order."""
    paths = [*Path(folder).glob("*.npz"), *Path(folder, "league").glob("*.npz")]
    found = sorted(path.stem for path in paths)
    return [name for name in found if not name.startswith(LEFT_OUT)]


def load_table(folder, name):
    """Read a table; columns get their types, and -1 in a category is missing."""
    path = Path(folder, "league" if name[:2] in ("c_", "r_") else "", f"{name}.npz")
    if not path.is_file():
        raise MissingData(f"{path} is not there")
    with np.load(path, allow_pickle=False) as stored:
        arrays = {key: stored[key] for key in stored.files}
    X, y = _matrix(arrays, ""), arrays["y"]
    test = [_matrix(arrays, end) for end in ("test", "test2")]
    test_y = [arrays.get("y_test"), arrays.get("y_test2")]
    every = pd.concat(
        [_frame(part, name, arrays) for part in (X, *test) if part is not None],
        ignore_index=True,
    )
    every = _with_categories(every, _category_columns(name, arrays, X.shape[1]))
    official = np.concatenate([[], *(own for own in test_y if own is not None)])
    if not name.startswith("r_"):
        codes = np.unique(np.concatenate([y, official]), return_inverse=True)[1]
        y, official = codes[: len(y)], codes[len(y) :]
    parts = every.iloc[: len(y)], every.iloc[len(y) :].reset_index(drop=True)
    y = y.astype(np.float64) if name.startswith("r_") else y
    return Table(name, parts[0], y, (parts[1], official) if len(official) else None)


def _matrix(arrays, end):
    """Return a part of the table as floats, or None."""
    if "indptr" in arrays:
        prefix = f"{end}_" if end else ""
        if f"{prefix}indptr" not in arrays:
            return None
        parts = [arrays[f"{prefix}{key}"] for key in ("data", "indices", "indptr")]
        shape = tuple(arrays[f"{prefix}shape"])
        return sparse.csr_matrix(tuple(parts), shape=shape).toarray().astype(float)
    key = f"X_{end}" if end else "X"
    return arrays[key].astype(np.float64) if key in arrays else None


def _frame(X, name, arrays):
    if name in _MINUS_ONE_IS_MISSING:
        X = np.where(X == -1, np.nan, X)
    if "feature_names" in arrays:
        return pd.DataFrame(X, columns=json.loads(arrays["feature_names"].item()))
    return pd.DataFrame(X, columns=[f"f{k}" for k in range(X.shape[1])])


def _category_columns(name, arrays, n_columns):
    """Return the numbers of the columns that hold categories."""
    if "categories" in arrays:
        known = json.loads(arrays["categories"].item())
        own = json.loads(arrays["feature_names"].item())
        return [k for k, column in enumerate(own) if column in known]
    if name not in CATEGORIES:
        return []
    return np.arange(n_columns)[
        np.array(CATEGORIES[name])
        if isinstance(CATEGORIES[name], tuple)
        else CATEGORIES[name]
    ].tolist()


def _with_categories(frame, columns):
    """Make columns categories of text, the same ones in all parts."""
    for k in columns:
        codes = frame.iloc[:, k].to_numpy().astype(int)
        text = pd.Series(np.where(codes < 0, None, codes.astype(str)), dtype=object)
        frame[frame.columns[k]] = pd.Categorical(text)
    return frame


def seeds_of(table):
    """Return the seeds that the league runs on a table."""
    return range(SEEDS if table.n_rows < SEVERAL_SEEDS_BELOW else 1)


def cut(table, seed):
    """Return the rows of a seed; labels of training rows are 0, 1, … without gaps."""
    rng = np.random.default_rng(seed)
    if table.test is not None:
        X_test, y_test = table.test
        train, test = np.arange(len(table.y)), np.arange(len(y_test))
    else:
        X_test, y_test = table.X, table.y
        train, test = _parted(table, seed, rng)
    train, test = _at_most(train, rng, table.name in _IN_TIME), _at_most(test, rng)
    y, y_test = table.y[train], y_test[test]
    if not table.is_regression:
        classes = np.unique(y)
        place = np.searchsorted(classes, y_test).clip(max=len(classes) - 1)
        y_test = np.where(classes[place] == y_test, place, -1)  # -1: nobody knows it
        y = np.searchsorted(classes, y)
    return Cut(
        table.X.iloc[train].reset_index(drop=True),
        y,
        X_test.iloc[test].reset_index(drop=True),
        y_test,
    )


def _parted(table, seed, rng):
    """Two thirds and one third, by blocks of time where rows are in its order."""
    rows = np.arange(len(table.y))
    if table.name in _TIME_BLOCKS:
        blocks = np.array_split(rows, _TIME_BLOCKS[table.name])
        order = rng.permutation(len(blocks))
        n_train = 2 * len(blocks) // 3
        halves = order[:n_train], order[n_train:]
        return tuple(np.concatenate([blocks[b] for b in sorted(h)]) for h in halves)
    is_stratified = not table.is_regression and np.bincount(table.y).min() >= 3
    return train_test_split(
        rows,
        train_size=2 / 3,
        stratify=table.y if is_stratified else None,
        random_state=seed,
    )


def _at_most(rows, rng, is_in_time=False):
    """At most so many rows: drawn, or a stretch of time."""
    if len(rows) <= MOST_ROWS:
        return rows
    if is_in_time:
        start = rng.integers(len(rows) - MOST_ROWS + 1)
        return rows[start : start + MOST_ROWS]
    return np.sort(rng.choice(rows, MOST_ROWS, replace=False))
