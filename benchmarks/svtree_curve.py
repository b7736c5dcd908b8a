"""Accuracy against kernel evaluations: trees, spans, and random vectors refitted."""

from pathlib import Path

import numpy as np

from benchmarks.records import CaseResult, Claim
from benchmarks.svtree_problems import Split
from treesvm import SupportVectorTreeClassifier
from treesvm.baselines import CPSPClassifier
from treesvm.compression.path_fit import fit_path, weighted_gram
from treesvm.compression.targets import margin_targets

SETS = ("ida_image", "ida_splice", "ida_ringnorm", "banana")
BUDGETS = (2, 4, 8, 16, 32)
N_SPLITS = 3
FIGURE = Path("docs/benchmarks/figures/svtree-curve.png")


def curve_case(context):
    """The same machine for all methods on a split, so that only compression differs."""
    context.start_ours()
    result = CaseResult(timed=False)
    names = SETS[:1] if context.quick else SETS
    n_splits = 1 if context.quick else N_SPLITS
    tables = {}
    for name in names:
        splits = [Split(context.data, name, seed) for seed in range(n_splits)]
        machines = [split.tuned_machine() for split in splits]
        rows = [_row(splits, machines, budget) for budget in BUDGETS]
        full = [
            split.accuracy(machine.predict(split.X_test))
            for split, machine in zip(splits, machines, strict=True)
        ]
        size = np.mean([len(machine.support_) for machine in machines])
        tables[f"{name} (the machine: {np.mean(full):.3f} with {size:.0f})"] = rows
    result.tables |= tables
    result.claims += free_vector_claims(tables)
    if not context.quick:
        draw(tables, FIGURE)
        result.notes.append(f"![accuracy against kernels](figures/{FIGURE.name})")
    return result


def free_vector_claims(tables):
    """Free vectors against training rows on ringnorm, where they are scarcest."""
    found = [rows for title, rows in tables.items() if "ringnorm" in title]
    return [
        Claim(
            f"ringnorm, {rows[0]['kernels']} free vectors above as many training rows",
            100 * (rows[0]["CPSP"] - rows[0]["CPSP(tr)"]),
            must=0.0,
            unit="points",
        )
        for rows in found
    ]


def _row(splits, machines, budget):
    """Mean accuracy of every method at one budget."""
    row = {"kernels": budget}
    found = {}
    for split, machine in zip(splits, machines, strict=True):
        for method, answers in _answers(split, machine, budget):
            found.setdefault(method, []).append(split.accuracy(answers))
    return row | {method: float(np.mean(values)) for method, values in found.items()}


def _answers(split, machine, budget):
    """Yield (method, answers on the test rows)."""
    C, gamma = machine.C, machine.gamma
    options = {"max_height": budget, "random_state": split.seed}
    plain = SupportVectorTreeClassifier(machine, refit=False, **options)
    yield "sv-tree", plain.fit(split.X).predict(split.X_test)
    ours = SupportVectorTreeClassifier(machine, refit="margin", **options)
    yield "ours", ours.fit(split.X).predict(split.X_test)
    for method, basis in (("CPSP", "free"), ("CPSP(tr)", "training")):
        model = CPSPClassifier(budget, basis, C, gamma=gamma, random_state=0)
        yield method, model.fit(split.X, split.y).predict(split.X_test)
    yield "random", _random_answers(split, machine, budget)


def _random_answers(split, machine, budget):
    """Random support vectors, their coefficients refitted to the machine's margins."""
    vectors = machine.support_vectors_
    rng = np.random.default_rng(split.seed)
    drawn = rng.choice(len(vectors), min(budget, len(vectors)), replace=False)
    kernel = machine._machine.kernel
    A = kernel.block(split.X, vectors[drawn], np.float64)
    lower, upper = margin_targets(machine.decision_function(split.X)[:, None])
    zero = np.zeros((len(drawn), 1))
    ridge = weighted_gram(A, 1.0)
    fit = fit_path(A, lower, upper, zero, machine.intercept_, ridge, max_iter=200)
    B = kernel.block(split.X_test, vectors[drawn], np.float64)
    return np.where((B @ fit.coefficients + fit.offsets)[:, 0] > 0, 1, -1)


def draw(tables, path):
    """One panel for each set."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(tables), figsize=(14, 3.6), layout="constrained")
    for ax, (title, rows) in zip(np.atleast_1d(axes), tables.items(), strict=True):
        kernels = [row["kernels"] for row in rows]
        for method in list(rows[0])[1:]:
            ax.plot(kernels, [row[method] for row in rows], "o-", ms=3, label=method)
        ax.set(xscale="log", xlabel="kernel evaluations", title=title)
        ax.title.set_fontsize(8)
        ax.set_xticks(kernels, [str(k) for k in kernels])
        ax.set_xticks([], minor=True)
    np.atleast_1d(axes)[0].set_ylabel("test accuracy")
    np.atleast_1d(axes)[0].legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
