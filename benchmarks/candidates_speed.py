"""Time and memory: selection on covtype, CBD's neighbours, LASVM's first pass."""

import functools
from pathlib import Path

import numpy as np
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from benchmarks import data
from benchmarks.memory import peak_memory
from benchmarks.records import CaseResult, Record, fewer
from benchmarks.timing import measure
from treesvm import KernelSVC
from treesvm.baselines import LASVMClassifier
from treesvm.candidates import CBD, TRSD
from treesvm.candidates.partition import partition_rows
from treesvm.candidates.support_distance import support_scores
from treesvm.candidates.trsd import rows_of_leaves

COVTYPE_ROWS = 484_176
CBD_ROWS = 50_000
STREAM_ROWS = 200_000
STREAM = {"C": 10.0, "gamma": 10.0, "cache_size": 500.0}
_QUICK_ROWS = 5_000


@functools.lru_cache(maxsize=1)
def covtype(folder, n_rows):
    """Random rows of covtype, standardised, with class codes from 0."""
    stored = data.load(Path(folder), "covtype")
    rows = np.random.default_rng(0).permutation(len(stored.y))[:n_rows]
    X = StandardScaler().fit_transform(stored.X[rows]).astype(np.float32)
    return X, stored.y[rows].astype(int) - 1


def covtype_case(context):
    """TRSD's share of the time after the tree is grown."""
    context.start_ours()
    n_rows = _QUICK_ROWS if context.quick else COVTYPE_ROWS
    X, codes = covtype(str(context.data), n_rows)
    TRSD(random_state=0).fit(X[:2000], codes[:2000])  # compiles
    grown = measure(
        lambda: partition_rows(X, codes, rng=np.random.RandomState(0)),
        repeat=context.repeat,
    )
    n_kept = round(0.1 * n_rows)

    def select():
        scores = support_scores(X.astype(np.float64), codes, grown.result)
        rng = np.random.RandomState(0)
        return rows_of_leaves(scores, grown.result, n_kept, 0.5, rng)

    selected = measure(select, repeat=context.repeat)
    whole = measure(lambda: TRSD(0.1, random_state=0).fit(X, codes))
    result = CaseResult()
    work = "covtype: TRSD after the tree, over the time of the pruned tree"
    result.claims.append(fewer(work, selected.seconds / grown.seconds, 0.5))
    result.tables[f"TRSD on {n_rows:,} rows of covtype"] = [
        {"step": "tree grown and pruned", "s": grown.seconds},
        {"step": "neighbours, scores, choice", "s": selected.seconds},
        {"step": "TRSD(0.1).fit", "s": whole.seconds},
    ]
    leaves = grown.result.tree.n_leaves
    result.notes.append(f"{leaves:,} leaves after pruning; {n_kept:,} rows kept.")
    result.records.append(
        Record("covtype", "treesvm TRSD", "covtype", whole.seconds, n_solves=0)
    )
    return result


def cbd_case(context):
    """CBD with 100 neighbours on 50,000 rows."""
    context.start_ours()
    n_rows = _QUICK_ROWS if context.quick else CBD_ROWS
    X, codes = covtype(str(context.data), n_rows)
    CBD(random_state=0).fit(X[:1000], codes[:1000])
    timing = measure(lambda: CBD(0.1, random_state=0).fit(X, codes))
    result = CaseResult()
    work = f"CBD, 100 neighbours, {n_rows:,} rows of covtype"
    result.claims.append(fewer(work, timing.seconds, 60.0, unit="s"))
    result.notes.append(
        f"{timing.result.n_boundary_:,} of the rows have a neighbour of another class."
    )
    result.records.append(Record("cbd", "treesvm CBD", "covtype", timing.seconds))
    return result


def lasvm_case(context):
    """One epoch of LASVM on ijcnn1 beside the machine of all rows."""
    context.start_ours()
    stored = data.load(context.data, "ijcnn1")
    rows = slice(0, _QUICK_ROWS if context.quick else None)
    scaler = StandardScaler().fit(stored.X[rows])
    X, y = scaler.transform(stored.X[rows]), stored.y[rows]
    X_test = scaler.transform(stored.X_test)
    parameters = {"C": 10.0, "gamma": 0.1}
    models = {
        "KernelSVC": KernelSVC(**parameters),
        "LASVM, one epoch": LASVMClassifier(**parameters, random_state=0),
        "LASVM, one epoch, not finished": LASVMClassifier(
            **parameters, finish=False, random_state=0
        ),
        "LASVM, two epochs": LASVMClassifier(**parameters, epochs=2, random_state=0),
    }
    LASVMClassifier(**parameters, random_state=0).fit(X[:500], y[:500])
    result, rows = CaseResult(), []
    for name, model in models.items():
        timing = measure(lambda model=model: model.fit(X, y))
        accuracy = 100.0 * float(np.mean(model.predict(X_test) == stored.y_test))
        is_finished = name.find("not finished") < 0
        rows.append(
            {
                "method": name,
                "test accuracy %": accuracy,
                "fit s": timing.seconds,
                "support vectors": int(model.n_support_.sum()),
                "gap of the kept rows": float(model.gap_.max()),
            }
        )
        result.records.append(
            Record(
                "lasvm", f"treesvm {name}", "ijcnn1", timing.seconds,
                accuracy=accuracy,
                converged_share=float(model.converged_.mean()) if is_finished else None,
            )
        )  # fmt: skip
    result.tables[f"ijcnn1, {len(y):,} rows, C = 10, γ = 0.1"] = rows
    behind = rows[0]["test accuracy %"] - rows[1]["test accuracy %"]
    work = "LASVM, one epoch: points below KernelSVC on ijcnn1"
    result.claims.append(fewer(work, behind, 0.5, unit="points"))
    return result


def stream_case(context):
    """The first pass over 200,000 rows of covtype, class 2 against the rest."""
    context.start_ours()
    n_rows = _QUICK_ROWS if context.quick else STREAM_ROWS
    data.path_of(context.data, "covtype")  # before a child asks for it
    peak = peak_memory(
        "benchmarks.candidates_speed:prepare_stream",
        folder=str(context.data),
        n_rows=n_rows,
    )
    found = peak.result
    used = peak.peak_mb - peak.start_mb
    gram = 4 * found["support vectors"] ** 2 / 2**20
    result = CaseResult()
    result.tables[f"LASVM, one pass over {n_rows:,} rows of covtype"] = [
        found | {"peak above data, MB": used, "Gram matrix of its vectors, MB": gram}
    ]
    budget = STREAM["cache_size"] + 500.0
    work = "LASVM, first pass over covtype: memory above the data (cache 500 MB)"
    result.claims.append(fewer(work, used, budget, unit="MB"))
    result.records.append(
        Record(
            "stream", "treesvm LASVM", "covtype", found["fit s"], peak_mb=used,
            accuracy=found["accuracy on 20,000 other rows, %"],
        )
    )  # fmt: skip
    return result


def prepare_stream(folder, n_rows):
    """Load the rows, scale them to [0, 1]; return the work, one unfinished pass."""
    X, codes = covtype(folder, n_rows + 20_000)
    scaler = MinMaxScaler().fit(X[:n_rows])
    X = scaler.transform(X)
    y = (codes == 1).astype(int)
    model = LASVMClassifier(**STREAM, finish=False, random_state=0)
    LASVMClassifier(**STREAM, random_state=0).fit(X[:500], y[:500])

    def work():
        timing = measure(lambda: model.fit(X[:n_rows], y[:n_rows]))
        right = model.predict(X[n_rows:]) == y[n_rows:]
        return {
            "fit s": timing.seconds,
            "support vectors": int(model.n_support_.sum()),
            "accuracy on 20,000 other rows, %": 100.0 * float(np.mean(right)),
        }

    return work
