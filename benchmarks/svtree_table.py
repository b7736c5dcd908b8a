"""Table 1 of the paper, ours beside it, at equal cost."""

import json
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks.records import CaseResult, Claim, Record
from benchmarks.svtree_problems import PAPER, Split, tuned_budget
from treesvm import KernelSVC, SupportVectorTreeClassifier, compress
from treesvm.baselines import CPSPClassifier

N_SPLITS = 20
# A split takes seconds, all of them half an hour: what was measured is kept here.
# Delete the folder to measure again.
SPLITS = Path("benchmark-results/svtree/splits")
OURS = ("ours", "ours, margin", "ours, tuned", "ours, free")
METHODS = ("linear SVM", "SVM", "sv-tree", *OURS, "CPSP", "CPSP(tr)")
_SLACK = 0.03  # how near the paper's accuracies must be
_MORE_EVALUATIONS = 1.0


def table_case(context):
    """All methods on 20 random splits of every set."""
    context.start_ours()
    return measured_table(context, 2 if context.quick else N_SPLITS)


def measured_table(context, n_splits):
    """All methods on the first `n_splits` splits of every set."""
    names = list(PAPER)[: 2 if context.quick else None]
    result, rows, details = CaseResult(), [], []
    means = {}
    for name in names:
        found = [split_figures(context, name, seed) for seed in range(n_splits)]
        mean = {key: float(np.mean([f[key] for f in found])) for key in found[0]}
        error = {
            key: float(np.std([f[key] for f in found], ddof=1) / np.sqrt(n_splits))
            for key in found[0]
        }
        means[name] = mean
        rows.append(_paper_row(name, mean))
        details.append(_detail_row(name, mean, error))
        result.records += _records(name, mean, n_splits)
    title = f"Accuracy, mean of {n_splits} splits; in brackets the paper's"
    result.tables[title] = rows
    result.tables["Standard errors, kernels and converged solves"] = details
    result.claims += _claims(means)
    return result


def split_figures(context, name, seed):
    """Accuracies and costs of one split; kept on disk, so that runs can be resumed."""
    store = _store(context, name, seed)
    if store is not None and store.exists():
        return json.loads(store.read_text(encoding="utf8"))
    figures = measure_split(Split(context.data, name, seed))
    if store is not None:
        store.parent.mkdir(parents=True, exist_ok=True)
        store.write_text(json.dumps(figures), encoding="utf8")
    return figures


def measure_split(split):
    """Train everything on one split."""
    figures, start = {}, time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence, which is counted below
        figures["linear SVM"] = _linear_accuracy(split)
    machine = split.tuned_machine()
    figures["SVM"] = split.accuracy(machine.predict(split.X_test))
    figures["support vectors"] = len(machine.support_)
    figures["converged SVM"] = float(machine.converged_.mean())
    budget = _trees(split, machine, figures)
    for name, basis in (("CPSP", "free"), ("CPSP(tr)", "training")):

        def make(C, gamma, basis=basis):
            return CPSPClassifier(budget, basis, C, gamma=gamma, random_state=0)

        model = tuned_budget(split, make)
        figures[name] = split.accuracy(model.predict(split.X_test))
        figures[f"converged {name}"] = model.converged_share_
    _tuned_tree(split, budget, figures)
    _free_machine(split, machine, budget, figures)
    figures["seconds"] = time.perf_counter() - start
    return figures


def _tuned_tree(split, budget, figures):
    """Ours with the C and γ that suit the tree, chosen just as CPSP's are."""

    def make(C, gamma):
        machine = KernelSVC(C, gamma=gamma)
        return SupportVectorTreeClassifier(machine, budget, random_state=split.seed)

    model = tuned_budget(split, make)
    figures["ours, tuned"] = split.accuracy(model.predict(split.X_test))
    kernels = float(model.kernel_evaluations(split.X_test).mean())
    figures["kernels ours, tuned"] = kernels


def _free_machine(split, machine, budget, figures):
    """The machine with vectors that move, as few as validation rows allow."""
    model = compress(
        machine,
        split.X,
        split.y,
        max_kernel_evaluations=budget,
        tolerance=0.0,
        random_state=split.seed,
    )
    figures["ours, free"] = split.accuracy(model.predict(split.X_test))
    kernels = float(model.kernel_evaluations(split.X_test).mean())
    figures["kernels ours, free"] = kernels


def _linear_accuracy(split):
    """The best C of three folds."""
    scores = {}
    for train, held in split.folds(3):
        for C in (0.01, 1.0, 100.0):
            model = LinearSVC(C=C, random_state=0)
            model.fit(split.X[train], split.y[train])
            held_score = model.score(split.X[held], split.y[held])
            scores[C] = scores.get(C, 0.0) + held_score
    best = max(scores, key=lambda C: (scores[C], -C))
    model = LinearSVC(C=best, random_state=0).fit(split.X, split.y)
    return split.accuracy(model.predict(split.X_test))


def _trees(split, machine, figures):
    """The paper's tree and ours; return the budget, the paper's mean path."""
    tree = SupportVectorTreeClassifier(machine, refit=False, random_state=split.seed)
    tree.fit(split.X)
    figures["sv-tree"] = split.accuracy(tree.predict(split.X_test))
    figures["nodes"] = nodes_met(tree, split.X_test)
    evaluations = tree.kernel_evaluations(split.X_test)
    figures["distinct kernels"] = float(evaluations.mean())
    budget = max(1, int(figures["nodes"]))
    for name, refit in (("ours", "values"), ("ours, margin", "margin")):
        model = SupportVectorTreeClassifier(
            machine, budget, refit=refit, random_state=split.seed
        ).fit(split.X)
        figures[name] = split.accuracy(model.predict(split.X_test))
        kernels = float(model.kernel_evaluations(split.X_test).mean())
        figures[f"kernels {name}"] = kernels
    return budget


def nodes_met(tree, X):
    """Mean number of nodes on the paths: the paper's count of kernel evaluations."""
    machine = tree.decompositions_[0].parts[0].machine
    (only,) = machine.trees
    leaves = only.apply(machine.terms.matrix(X))
    return float(only.depth[leaves].mean())


def _store(context, name, seed):
    return None if context.quick else SPLITS / f"{name}-{seed}.json"


def _paper_row(name, mean):
    n_rows, linear, svm, tree, cpsp, cpsp_tr, evaluations = PAPER[name]
    published = {"linear SVM": linear, "SVM": svm, "sv-tree": tree}
    published |= {"CPSP": cpsp, "CPSP(tr)": cpsp_tr}
    row = {"set": name, "rows": n_rows}
    for method in METHODS:
        beside = published.get(method)
        note = "" if beside is None else f" ({beside:.2f})"
        row[method] = f"{mean[method]:.3f}{note}"
    row["evaluations"] = f"{mean['nodes']:.1f} ({evaluations:.1f})"
    return row


def _detail_row(name, mean, error):
    row = {"set": name}
    row |= {f"± {m}": f"{error[m]:.3f}" for m in ("sv-tree", "ours", "CPSP(tr)")}
    row |= {
        "support vectors": round(mean["support vectors"]),
        "distinct kernels, sv-tree": round(mean["distinct kernels"], 1),
        **{method: round(mean[f"kernels {method}"], 1) for method in OURS},
        "converged SVM": f"{mean['converged SVM']:.0%}",
        "converged CPSP": f"{mean['converged CPSP']:.0%}",
        "converged CPSP(tr)": f"{mean['converged CPSP(tr)']:.0%}",
    }
    return row


def _records(name, mean, n_splits):
    made = []
    for method in METHODS:
        key = f"converged {method}"
        made.append(
            Record(
                "table",
                f"treesvm {method}",
                name,
                mean["seconds"],
                accuracy=mean[method],
                n_solves=n_splits,
                converged_share=mean.get(key),
            )
        )
    return made


def _claims(means):
    near = [mean["sv-tree"] >= PAPER[n][3] - _SLACK for n, mean in means.items()]
    cheap = [
        mean["nodes"] <= PAPER[n][6] + _MORE_EVALUATIONS for n, mean in means.items()
    ]
    claims = [
        Claim("sets with the paper's tree at most 0.03 below its accuracy",
              sum(near), len(near), unit="sets"),
        Claim("sets where it needs no more evaluations than the paper's + 1",
              sum(cheap), len(cheap), unit="sets"),
    ]  # fmt: skip
    for method in OURS:
        over_tree = sum(m[method] > m["sv-tree"] for m in means.values())
        over_span = sum(m[method] > m["CPSP(tr)"] for m in means.values())
        claims.append(
            Claim(f"sets with {method} above the paper's tree", over_tree,
                  aim=len(means), unit="sets")
        )  # fmt: skip
        claims.append(
            Claim(f"sets with {method} above CPSP(tr) at equal cost", over_span,
                  aim=round(8 / 11 * len(means)), unit="sets")
        )  # fmt: skip
    if "ida_ringnorm" in means:
        mean = means["ida_ringnorm"]
        lead = 100 * (mean["CPSP"] - mean["CPSP(tr)"])
        claims.append(Claim("ringnorm, free vectors above training rows", lead,
                            must=0.0, unit="points"))  # fmt: skip
    return claims
