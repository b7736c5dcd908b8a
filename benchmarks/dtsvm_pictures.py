"""Pictures like the paper's Figures 2 and 3: accuracy against k and against σ₀."""

from pathlib import Path

from benchmarks import dtsvm_rivals as rivals
from benchmarks.dtsvm_problems import PAPER_GAIN, THREADS
from benchmarks.dtsvm_sets import problem_of
from benchmarks.records import CaseResult
from treesvm import DTSVMClassifierCV

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "benchmarks" / "figures"
PICTURE_SETS = ("pendigits", "letter", "shuttle")
TOP_KS = (1, 3, 5, 7, 9)
FIRST_CEILINGS = (500, 1_000, 1_500, 2_000, 2_500, 3_000)


def pictures_case(context):
    """Raced searches with other k and other σ₀ than the defaults."""
    context.start_ours()
    sets = ("pendigits",) if context.quick else PICTURE_SETS
    result = CaseResult()
    axes = {
        "k": ("top_k", TOP_KS, "number k of candidates at larger ceilings"),
        "sigma0": ("max_leaf_size", FIRST_CEILINGS, "first ceiling σ₀, rows"),
    }
    for short, (parameter, values, label) in axes.items():
        values = values[:2] if context.quick else values
        curves = {
            name: [_accuracy(context, name, **{parameter: value}) for value in values]
            for name in sets
        }
        result.tables[f"Test accuracy against {label}"] = [
            {"set": name, **{f"{v:,}": a for v, a in zip(values, curve, strict=True)}}
            for name, curve in curves.items()
        ]
        if not context.quick:
            draw(FIGURES / f"dtsvm_{short}.svg", values, curves, label)
            result.notes.append(
                f"![accuracy against {label}](figures/dtsvm_{short}.svg)"
            )
    return result


def _accuracy(context, name, **parameters):
    problem = problem_of(context, name)
    if context.quick:
        parameters |= {"Cs": [1.0, 10.0], "gammas": [1.0]}
    model = DTSVMClassifierCV(
        cv=problem.cv,
        candidates="paper",
        min_gain=PAPER_GAIN,
        refit=False,
        n_jobs=THREADS,
        random_state=0,
    ).set_params(**parameters)
    return rivals.fit(problem, model).accuracy


def draw(path, values, curves, label):
    """One line for each set, labelled at its end."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.subplots()
    for name, curve in curves.items():
        axes.plot(values, curve, marker="o", label=name)
    axes.set_xlabel(label)
    axes.set_ylabel("test accuracy, %")
    axes.set_xticks(values)
    axes.legend(frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
