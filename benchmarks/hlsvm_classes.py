"""One tree for many classes against one tree for each pair."""

from benchmarks.hlsvm_problems import THREADS, error, load
from benchmarks.records import CaseResult, fewer
from benchmarks.timing import measure
from treesvm import HLSVMClassifier
from treesvm.metrics import hyperplane_cost

SETS = ("pendigits", "letter", "mnist", "covtype")


def classes_case(context):
    """Defaults of the library, `multi_class` "tree" and "ovo"."""
    context.start_ours()
    result, rows, found = CaseResult(), [], {}
    for name in SETS:
        problem = load(context, name, binary=False)
        for mode in ("tree", "ovo"):
            model = HLSVMClassifier(multi_class=mode, n_jobs=THREADS, random_state=0)
            timing = measure(
                lambda m=model, p=problem: m.fit(p.X, p.y), threads=THREADS
            )
            cost = hyperplane_cost(model, problem.X_test)
            found[name, mode] = error(model, problem), cost.mean
            rows.append(
                {
                    "data": name,
                    "trees": mode,
                    "error %": found[name, mode][0],
                    "hyperplanes (max)": f"{cost.mean:.1f} ({cost.maximum})",
                    "fit s": timing.seconds,
                }
            )
    tree, pairs = found["pendigits", "tree"], found["pendigits", "ovo"]
    result.tables["One tree against one for each pair"] = rows
    result.claims = [
        fewer(
            "pendigits, error of one tree above ovo",
            tree[0] - pairs[0],
            2.0,
            unit="points",
        ),
        fewer(
            "pendigits, hyperplanes of one tree against ovo",
            tree[1] / pairs[1],
            0.2,
            unit="×",
        ),
    ]
    return result
