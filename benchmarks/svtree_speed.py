"""How long a tree takes to build, what memory it needs, how fast it answers."""

import time

import numpy as np
from sklearn.datasets import make_classification

from benchmarks import data
from benchmarks.memory import peak_memory
from benchmarks.records import CaseResult, Record, fewer
from benchmarks.svtree_problems import Split
from benchmarks.timing import measure
from treesvm import DTSVMClassifier, KernelSVC, SupportVectorTreeClassifier, compress
from treesvm.compression import GrowthOptions, grow_score_tree

N_ROWS, N_TERMS = 5_000, 2_000
MANY_ROWS, MANY_TERMS, CACHE_MB = 50_000, 2_000, 500
_CALLS = 2000


def random_terms(n_rows, n_terms, seed=0):
    """Terms of a random RBF machine in ten dimensions."""
    rng = np.random.default_rng(seed)
    rows, vectors = rng.normal(size=(n_rows, 10)), rng.normal(size=(n_terms, 10))
    distances = (rows**2).sum(axis=1)[:, None] + (vectors**2).sum(axis=1)
    distances -= 2 * rows @ vectors.T
    K = np.exp(-0.1 * np.maximum(distances, 0.0)) * rng.normal(size=n_terms)
    return np.ascontiguousarray(K)


def build_case(context):
    """Growing on the matrix of terms, and the peak of a whole fit."""
    context.start_ours()
    result, rows = CaseResult(), []
    n_rows, n_terms = (500, 200) if context.quick else (N_ROWS, N_TERMS)
    K = random_terms(n_rows, n_terms)
    target = K.sum(axis=1, keepdims=True)
    variants = {
        "the paper's": GrowthOptions(refit=False),
        "ours, splits down to 30 rows": GrowthOptions(15, split_rows=30),
        "ours, a chain": GrowthOptions(15, split_rows=n_rows + 1),
    }
    for name, options in variants.items():
        timing = measure(
            lambda options=options: grow_score_tree(
                K.copy(), target, target, options, rng=np.random.default_rng(0)
            ),
            repeat=context.repeat,
            warm_up=lambda: None,
            threads=2,
        )
        tree = timing.result
        left = float(np.var(tree.values(K) - target) / np.var(target))
        rows.append(
            {
                "tree": name,
                "seconds": timing.seconds,
                "processor seconds": timing.cpu_seconds,
                "nodes": tree.n_nodes,
                "height": tree.height,
                "variance left": left,
            }
        )
        result.records.append(
            Record("build", f"treesvm {name}", f"{n_rows} x {n_terms}", timing.seconds,
                   timing.cpu_seconds, 2)
        )  # fmt: skip
        if name != "ours, a chain":
            work = f"{n_rows:,} rows x {n_terms:,} vectors, {name}"
            result.claims.append(fewer(work, timing.seconds, 10.0, 3.0, "s"))
    result.tables[f"Growing on {n_rows:,} x {n_terms:,} terms, 2 threads"] = rows
    _add_memory(context, result)
    return result


def _add_memory(context, result):
    n_rows = 2_000 if context.quick else MANY_ROWS
    peak = peak_memory("benchmarks.svtree_speed:prepare_large_fit", n_rows=n_rows)
    used = peak.peak_mb - peak.start_mb
    work = f"{n_rows:,} rows, memory above the data, budget {CACHE_MB} MB"
    result.claims.append(fewer(work, used, CACHE_MB * 1.2, unit="MB"))
    whole, used_rows = peak.result["whole_mb"], peak.result["rows"]
    result.notes.append(
        f"With {n_rows:,} rows and {peak.result['vectors']:,} support vectors the "
        f"matrix of terms would take {whole:,.0f} MB, and as much again while paths "
        f"are refitted; the tree was grown on a random sample of {used_rows:,} rows, "
        "as `n_rows_` says. The peak counts everything, kernel blocks and answers too."
    )


def prepare_large_fit(n_rows):
    """A machine with 2,000 vectors and many rows; return the fit of a tree."""
    X, y = make_classification(n_rows, 10, n_informative=8, random_state=0)
    machine = KernelSVC(C=1.0, gamma=1.0).fit(X[:MANY_TERMS], y[:MANY_TERMS])
    options = {"max_height": 10, "split_rows": 30, "vectors": "support"}

    def work():
        tree = SupportVectorTreeClassifier(
            machine, **options, cache_size=CACHE_MB, random_state=0
        ).fit(X)
        n_vectors = len(machine.support_)
        return {
            "rows": tree.n_rows_,
            "vectors": n_vectors,
            "whole_mb": n_rows * n_vectors * 8 / 2**20,
        }

    return work


def single_case(context):
    """One row at a time, machine and tree side by side."""
    context.start_ours()
    result, rows = CaseResult(), []
    for name in ("ida_splice", "ida_image", "banana"):
        split = Split(context.data, name, 0)
        machine = split.tuned_machine()
        models = {
            "machine": machine,
            "sv-tree": _tree(machine, split, refit=False),
            "ours": _tree(machine, split, refit="margin"),
        }
        rows += _timed(name, models, split.X_test, split.y_test, result)
    rows += _timed_letter(context, result)
    result.tables["One row with `predictor()`"] = rows
    return result


def _tree(machine, split, **options):
    return SupportVectorTreeClassifier(machine, random_state=0, **options).fit(split.X)


def _timed_letter(context, result):
    stored = data.load(context.data, "letter")
    train, held = np.arange(13_000), np.arange(13_000, 16_000)
    test = np.arange(16_000, 20_000)
    X = np.asarray(stored.X, float)
    X, X_held, X_test = data.scale(X[train], X[held], X[test])
    y, y_held, y_test = (stored.y[rows] for rows in (train, held, test))
    model = DTSVMClassifier(C=10, gamma=10, kernel="rbf", leaf_scaling=None)
    model.fit(X, y)
    small = compress(
        model, X, y, X_val=X_held, y_val=y_held, tolerance=0.01, random_state=0
    )
    models = {"machine": model, "compressed": small}
    return _timed("letter, DTSVM", models, X_test, y_test, result)


def _timed(name, models, X, y, result):
    """Microseconds of single rows, the models taking turns."""
    queries = np.ascontiguousarray(X[np.arange(_CALLS) % len(X)], dtype=np.float64)
    best = dict.fromkeys(models, np.inf)
    answers = {key: model.predictor() for key, model in models.items()}
    for _ in range(3):
        for key, answer in answers.items():
            answer(queries[0])
            start = time.perf_counter()
            for x in queries:
                answer(x)
            best[key] = min(best[key], (time.perf_counter() - start) / _CALLS)
    rows = []
    for key, model in models.items():
        kernels = _kernels(model, X)
        rows.append(
            {
                "set": name,
                "model": key,
                "kernels": kernels,
                "µs": 1e6 * best[key],
                "accuracy": float(model.score(X, y)),
                "speed-up": best["machine"] / best[key],
            }
        )
        result.records.append(Record("single", f"treesvm {key}", name, best[key]))
    return rows


def _kernels(model, X):
    if hasattr(model, "kernel_evaluations"):
        return float(model.kernel_evaluations(X).mean())
    if hasattr(model, "support_"):
        return float(len(model.support_))
    from treesvm.metrics import support_vector_cost

    return support_vector_cost(model, X).nesv_distinct
