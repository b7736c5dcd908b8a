"""The pictures of the H-LSVM page, from stored results and the banana set.

``python -m benchmarks.hlsvm_pictures --data DIR`` after ``python -m benchmarks hlsvm``.
"""

import argparse
import json
from pathlib import Path

import matplotlib as mpl

from benchmarks import data
from treesvm import HLSVMClassifier
from treesvm.plotting import plot_error_against_cost, plot_growth, plot_regions


def banana(folder, out):
    """Figure 2: the regions before and after pruning."""
    from matplotlib import pyplot as plt

    stored = data.load(folder, "banana")
    figure, axes = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
    for ax, share in zip(axes, (0.0, 0.1), strict=True):
        model = HLSVMClassifier(prune_share=share, random_state=0)
        model.fit(stored.X, stored.y)
        plot_regions(model, stored.X, stored.y, ax=ax)
        ax.set_title(f"ρ = {share}: {model.get_n_leaves()} leaves")
    figure.savefig(out / "hlsvm-banana.png", dpi=100)


def cost(results, out):
    """Figure 4: error against what a prediction evaluates."""
    tables = json.loads((results / "rivals.json").read_text(encoding="utf8"))["tables"]
    ax = plot_error_against_cost(tables)
    ax.figure.savefig(out / "hlsvm-cost.png", dpi=100)


def growth(results, out):
    """Figure 5: time, nodes and errors against the number of rows."""
    stored = json.loads((results / "scaling.json").read_text(encoding="utf8"))
    (rows,) = stored["tables"].values()
    axes = plot_growth(rows)
    axes[0].figure.savefig(out / "hlsvm-growth.png", dpi=100)


def main():
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--data", required=True, type=Path)
    made.add_argument("--results", type=Path, default=Path("benchmark-results/hlsvm"))
    made.add_argument("--out", type=Path, default=Path("docs/benchmarks/figures"))
    options = made.parse_args()
    mpl.use("Agg")
    options.out.mkdir(parents=True, exist_ok=True)
    banana(options.data, options.out)
    cost(options.results, options.out)
    growth(options.results, options.out)


if __name__ == "__main__":
    main()
