"""Generated tables for `TreeSVC` and `TreeSVR`: odd columns, targets, weights, limits.

A table is right if it is answered for every row, with labels that were given and finite
numbers, the same whatever rows are asked beside it; or if it is refused by a ValueError
or TypeError that names a column, the target, the weights or a parameter. Rows to answer
hold what training did not: other categories, missing and huge values.
"""

import datetime
import decimal
import time
import warnings

import numpy as np
import pandas as pd

from benchmarks.hostile_arrays import FINE, _run
from benchmarks.hostile_cases import generated_case, judging
from benchmarks.hostile_ingredients import LABELS, TARGETS, WEIGHTS, objects_at
from treesvm import TreeSVC, TreeSVR

N_CASES, N_QUICK = 4_000, 20
_BATCH = 100
_SIZES = (2, 3, 4, 5, 7, 10, 30, 100, 300)
_LIMITS_OF_TIME = (1e-9, 0.01, 0.05, 0.2, 1e9, None)
_MOST_LATE = 20.0  # seconds beyond a limit of time, compilation included
_CLASS_WEIGHTS = ("balanced", {0: 1e10}, {0: 1e-10}, {0: 0.0}, {0: -1.0}, {9: 1.0},
                  {}, {0: "x"}, {0: np.nan}, [], "nonsense")  # fmt: skip


def _numbers(rng, n):
    return rng.normal(size=n)


def _with_missing(rng, n):
    return np.where(rng.random(n) < 0.5, np.nan, rng.normal(size=n))


def _words(rng, n):
    return rng.choice(["red", "green", "blue", "Grün", "日本", ""], n)


def _objects(*values):
    """A column of Python objects drawn from some."""
    return lambda rng, n: objects_at(values, rng.integers(0, len(values), n))


_DAY = datetime.date(2020, 1, 1)
COLUMNS = {
    "numbers": _numbers,
    "missing numbers": _with_missing,
    "all missing": lambda rng, n: np.full(n, np.nan),
    "all None": lambda rng, n: np.full(n, None, object),
    "constant": lambda rng, n: np.full(n, 5.0),
    "huge": lambda rng, n: 1e150 * rng.normal(size=n),
    "largest": lambda rng, n: 1e308 * rng.random(n),
    "tiny": lambda rng, n: 1e-160 * rng.normal(size=n),
    "denormal": lambda rng, n: 5e-324 * rng.integers(0, 3, n),
    "infinite": lambda rng, n: np.where(np.arange(n) == 0, np.inf, 1.0),
    "outlier": lambda rng, n: np.where(np.arange(n) == 0, 1e30, rng.normal(size=n)),
    "float32": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "float16": lambda rng, n: rng.normal(size=n).astype(np.float16),
    "integers": lambda rng, n: rng.integers(-5, 5, n),
    "large integers": lambda rng, n: rng.integers(-(2**62), 2**62, n),
    "uint64": lambda rng, n: rng.integers(0, 2**64 - 1, n, dtype=np.uint64),
    "Python integers": _objects(10**30, -(10**30), 0),
    "enormous integers": _objects(10**400, 1),
    "booleans": lambda rng, n: rng.random(n) < 0.5,
    "nullable": lambda rng, n: pd.array(rng.choice([1, 2, None], n), "Int64"),
    "nullable booleans": lambda rng, n: pd.array(
        rng.choice([True, False, None], n), "boolean"
    ),
    "decimals": _objects(decimal.Decimal("1.5"), decimal.Decimal("2"), None),
    "NaN decimals": _objects(decimal.Decimal("NaN"), decimal.Decimal("Infinity")),
    "words": _words,
    "missing words": _objects("a", "b", None, np.nan),
    "words of digits": _objects("1", "2", "03"),
    "a word for each row": lambda rng, n: np.array([f"w{k}" for k in range(n)], object),
    "long words": _objects("x" * 100_000, "y" * 100_000),
    "words with zeros": _objects("a\0b", "a\0", "\u202e"),
    "categories": lambda rng, n: pd.Categorical(_words(rng, n)),
    "empty categories": lambda rng, n: pd.Categorical([None] * n, ["a", "b"]),
    "unused categories": lambda rng, n: pd.Categorical(["a"] * n, list("abcdefgh")),
    "ordered categories": lambda rng, n: pd.Categorical(
        rng.choice(["low", "high"], n), ["low", "high"], ordered=True
    ),
    "number categories": lambda rng, n: pd.Categorical(rng.integers(0, 3, n)),
    "words and numbers": _objects("a", 1, 2.5, None, True),
    "nested": _objects([1, 2], (3,), {"a": 1}),
    "arrays": _objects(np.ones(2), np.zeros(3)),
    "bytes": _objects(b"a", b"b"),
    "dates": lambda rng, n: pd.to_datetime(rng.integers(0, 10**9, n), unit="s"),
    "zoned dates": lambda rng, n: pd.to_datetime(
        rng.integers(0, 10**9, n), unit="s", utc=True
    ),
    "date objects": _objects(_DAY, _DAY + datetime.timedelta(3), None),
    "differences": lambda rng, n: pd.to_timedelta(rng.integers(0, 10**6, n), unit="s"),
    "periods": lambda rng, n: pd.period_range("2020", periods=n, freq="D"),
    "intervals": lambda rng, n: pd.arrays.IntervalArray.from_breaks(np.arange(n + 1.0)),
    "complex": lambda rng, n: rng.normal(size=n) + 1j,
    "sparse": lambda rng, n: pd.arrays.SparseArray(rng.integers(0, 2, n) * 1.0),
    "strings": lambda rng, n: pd.array(rng.choice(["a", "b", None], n), "string"),
    "objects": _objects(object(), len),
}
_NAMES = ("x", "é", "", " ", "a,b", "日本", "0", "nan", "x" * 1000, "a\nb")
_SHAPES = ("one column", "wide", "twice the same name", "odd names", "named by numbers",
           "mixed names", "levels")  # fmt: skip


def drawn(number, seed=1):
    """Return (model, X, y, weight, asked, kind, words) of one case."""
    rng = np.random.default_rng([seed, number])
    is_regression = bool(number % 2)
    odd = rng.choice(["columns", "target", "weights", "size", "shape", "parameters"])
    n = int(rng.choice(_SIZES)) if odd == "size" else 60
    kinds = ["numbers", "words", "missing numbers"]
    if odd == "columns":
        names = list(COLUMNS)
        kinds += [names[number % len(names)], names[rng.integers(len(names))]]
    shape = rng.choice(_SHAPES) if odd == "shape" else ""
    X, asked = (_table(rng, m, kinds, shape) for m in (n, 30))
    if odd == "columns" and rng.random() < 0.5:  # what training did not see
        asked[asked.columns[-1]] = COLUMNS[kinds[rng.integers(len(kinds))]](rng, 30)
    codes = rng.integers(0, 3, n)
    if odd == "size":
        codes = np.arange(n) % max(2, n // int(rng.integers(1, 4)))
    elif odd == "target" and number % 3 == 0:
        n_classes = 2_000
        codes = np.arange(2 * n_classes) % n_classes
        n = len(codes)
        X = _table(rng, n, kinds, shape)
    table = TARGETS if is_regression else LABELS
    label = list(table)[rng.integers(len(table)) if odd == "target" else 0]
    if n > 1000:  # thousands of classes, all of them good
        y, label = codes, f"{codes.max() + 1} classes"
    else:
        safe = codes if label in ("codes", "numbers") else codes % 3
        y = table[label](safe, np.zeros((n, 1)), rng)[0]
    weight_kind = list(WEIGHTS)[rng.integers(len(WEIGHTS)) if odd == "weights" else 0]
    options = {"time_limit": 0.02, "random_state": 0}
    if odd == "parameters":
        options["time_limit"] = _LIMITS_OF_TIME[rng.integers(len(_LIMITS_OF_TIME))]
        if not is_regression and rng.random() < 0.7:
            options["class_weight"] = _CLASS_WEIGHTS[rng.integers(len(_CLASS_WEIGHTS))]
    model = (TreeSVR if is_regression else TreeSVC)(**options)
    words = [type(model).__name__, str(options), *kinds[3:], shape, label, weight_kind]
    weight = WEIGHTS[weight_kind](rng, n)
    return (
        model,
        X,
        y,
        weight,
        asked,
        str(odd),
        ", ".join(filter(None, [*words, f"n={n}"])),
    )


def _table(rng, n, kinds, shape):
    """Return a frame with columns of these kinds."""
    if shape == "one column":
        kinds = kinds[:1]
    elif shape == "wide":
        return pd.DataFrame(rng.normal(size=(n, 5_000))).rename(columns=str)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        columns = [pd.Series(COLUMNS[kind](rng, n)) for kind in kinds]
    frame = pd.concat(columns, axis=1)
    frame.columns = {
        "twice the same name": ["a"] * len(kinds),
        "odd names": list(_NAMES[: len(kinds)]),
        "named by numbers": list(range(len(kinds))),
        "mixed names": [0, *"abcdefgh"[: len(kinds) - 1]],
    }.get(shape, [f"c{place}" for place in range(len(kinds))])
    if shape == "levels":
        frame.columns = pd.MultiIndex.from_product([["a"], frame.columns])
    return frame


def judge(number):
    """Return the outcome of one case in a few words."""
    model, X, y, weight, asked, _, _ = drawn(number)
    start = time.process_time()
    outcome, answers = _run(model, X, y, weight, asked)
    limit = model.time_limit
    if limit is not None and time.process_time() - start > limit + _MOST_LATE:
        return f"took {time.process_time() - start:.0f} s of {limit}"
    if answers is None:
        return outcome
    for name, answer in answers.items():
        if len(answer) != len(asked):
            return f"{len(answer)} answers of {name} to {len(asked)} rows"
        alone = np.concatenate(
            [getattr(model, name)(asked.iloc[k : k + 10]) for k in range(20, -1, -10)]
        )
        again = np.concatenate([alone[20:], alone[10:20], alone[:10]])
        if answer.dtype.kind == "f" and not np.allclose(again, answer, 1e-5, 1e-8):
            return f"{name} depends on the rows beside"
        if answer.dtype.kind != "f" and (again != answer).mean() > 0.1:
            return f"{name} depends on the rows beside"
    return outcome


def described(number, _):
    """Return kind and words of a number."""
    return drawn(number)[-2:]


opener = judging(lambda number, _: judge(number))


def tables_case(context):
    """Thousands of tables, each in a child with limits."""
    n_cases = N_QUICK if context.quick else N_CASES
    return generated_case(context, "tables", n_cases, _BATCH, described, FINE)
