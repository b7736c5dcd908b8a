"""Draw the pictures that are committed: of the README, the start and the guide.

    python docs/draw_pictures.py            # drawn by this script
    python docs/draw_pictures.py --gallery  # and small copies out of the gallery

Pages of the guide are read on a code host too, where there is no gallery, so they show
small copies of its pictures; run `make docs` first.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from league_figures import beside_the_best, league_records
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from treesvm import DTSVMClassifier, compress
from treesvm.candidates import CleanSpread
from treesvm.datasets import make_waves
from treesvm.metrics import support_vector_cost
from treesvm.plotting import plot_regions

HERE = Path(__file__).resolve().parent
PICTURES = HERE / "pictures"
WIDTH = 1000  # pixels of a copy
COPIES = {
    "partitions": "partitions",
    "time_limit": "searching",
    "learned_weights": "kernels",
    "calibrated_probabilities": "probabilities",
    "regression_of_tables": "regression",
    "explanations": "explanations",
    "accuracy_against_cost": "compression",
    "candidates": "candidates",
    "dask_cluster": "clusters",
    "model_files": "model_files",
}
FLOWS = {
    "command_line": [
        ("flowers.csv", "your table"),
        ("treesvm train", "learns from it"),
        ("flowers.treesvm", "the model file"),
        ("treesvm predict", "answers new rows"),
    ],
    "export": [
        ("model", "fitted in Python"),
        ("treesvm export", "writes one file"),
        ("model.onnx or .c", "ONNX or C text"),
        ("another program", "the same answers,\nno Python"),
    ],
    "containers": [
        ("pip install", "while the image\nis built"),
        ("treesvm warmup", "compiles all code,\nonce"),
        ("the image", "holds the\ncompiled code"),
        ("docker run", "answers at once"),
    ],
}
BLUE, ORANGE, GREY, INK = "#dbe9f6", "#fde3c8", "#eeeeee", "#222222"


def draw_regions():
    """Three classes with curved borders: a tree, an SVM on few rows, both together."""
    X, y = make_waves(24_000, 2, frequency=8, seed=3)
    grid = {"C": [1, 10, 100], "gamma": [3, 10, 30, 100]}
    methods = {
        "decision tree": (DecisionTreeClassifier(min_samples_leaf=5), 1),
        "SVC, a tenth of the rows": (GridSearchCV(SVC(), grid, cv=3), 10),
        "DTSVMClassifier, all rows": (DTSVMClassifier(random_state=0), 1),
    }
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.4), layout="constrained")
    for ax, (name, (model, step)) in zip(axes, methods.items(), strict=True):
        model.fit(X[:20_000:step], y[:20_000:step])
        plot_regions(model, X[20_000:21_000], y[20_000:21_000], ax=ax)
        right = model.score(X[20_000:], y[20_000:])
        ax.set_title(f"{name}\n{right:.1%} right", fontsize=11)
        ax.set(xticks=[], yticks=[])
    save_small(figure, PICTURES / "regions.png")


def draw_idea():
    """The four steps on one problem: what each sees, and what the answers are."""
    X, y = make_waves(3000, 2, frequency=4, seed=3)
    options = {"max_leaf_size": 600, "kernel": "rbf", "random_state": 0}
    model = DTSVMClassifier(**options).fit(X, y)
    kept = CleanSpread(0.2).fit(X, y).sample_indices_
    small = compress(model, X, y, tolerance=0.01, random_state=0)
    sizes = [support_vector_cost(model, X).nesv_distinct]
    sizes.append(small.kernel_evaluations(X).mean())
    figure, axes = plt.subplots(1, 4, figsize=(10, 3.1), layout="constrained")
    side = np.linspace(0, 1, 300, dtype=np.float32)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    parts = model.apply(grid).reshape(300, 300)
    tints = np.random.default_rng(0).permutation(parts.max() + 1)[parts] % 10
    axes[0].imshow(tints, extent=(0, 1, 0, 1), origin="lower", cmap="tab10",
                   alpha=0.35, vmin=0, vmax=9, aspect="auto")  # fmt: skip
    axes[1].scatter(*X.T, s=1, c="#dddddd")
    axes[1].scatter(*X[kept].T, s=4, c=[f"C{code}" for code in y[kept]])
    plot_regions(model, X[::5], y[::5], ax=axes[2])
    plot_regions(small, X[::5], y[::5], ax=axes[3])
    titles = {
        "1  partition": f"{len(X):,} rows in {model.n_leaves_} parts",
        "2  reduce": f"{len(kept):,} rows that matter",
        "3  solve": f"one SVM in each part\n{sizes[0]:.0f} kernels for an answer",
        "4  compress": f"nearly the same borders\n{sizes[1]:.0f} kernels for an answer",
    }
    for ax, (title, words) in zip(axes, titles.items(), strict=True):
        ax.set_title(title, fontsize=11, weight="bold")
        ax.set_xlabel(words, fontsize=10)
        ax.set(xticks=[], yticks=[], xlim=(0, 1), ylim=(0, 1))
    save_small(figure, PICTURES / "idea.png")


def draw_which_estimator():
    """Rows by features, and in each field what to take for what matters."""
    figure, ax = plt.subplots(figsize=(10, 5.6), layout="constrained")
    fields = [
        (0, 0, 1, 2, GREY, "up to 5,000 rows", {
            "accuracy": "TreeSVC, TreeSVR",
            "training time": "KernelSVC, KernelSVR",
            "latency": "compress(KernelSVC)\nSupportVectorTreeClassifier",
            "explanation": "TreeSVC.explain",
            "exactness": "KernelSVC",
        }),
        (1, 0, 1, 2, BLUE, "5,000 to millions of rows", {
            "accuracy": "TreeSVC, TreeSVR",
            "training time": "DTSVMClassifier\nDTSVRegressor",
            "latency": "HLSVMClassifier\ncompress(DTSVMClassifier)",
            "explanation": "TreeSVC.explain\nleaf_report",
            "exactness": "KernelSVC, with patience",
        }),
        (2, 0, 1, 2, ORANGE, "more rows than memory", {
            "accuracy": "DaskDTSVMClassifierCV",
            "training time": "DaskDTSVMClassifier",
            "latency": "DaskHLSVMClassifier",
            "explanation": "the model_ that Dask fits\nexplains as in memory",
            "exactness": "–",
        }),
    ]  # fmt: skip
    for x, y, width, height, colour, title, lines in fields:
        box = plt.Rectangle((x + 0.02, y), width - 0.04, height, fc=colour, ec="none")
        ax.add_patch(box)
        ax.text(x + 0.5, 1.93, title, ha="center", va="top", weight="bold", color=INK)
        for number, name in enumerate(lines.values()):
            ax.text(
                x + 0.5, 1.62 - 0.34 * number, name, ha="center", va="center",
                family="monospace", fontsize=9, color=INK,
            )  # fmt: skip
    for number, name in enumerate(fields[0][-1]):
        ax.text(-0.04, 1.62 - 0.34 * number, name, ha="right", va="center", color=INK)
    wide = plt.Rectangle((0.02, 2.06), 2.96, 0.42, fc="#e6f2e1", ec="none")
    ax.add_patch(wide)
    ax.text(-0.04, 2.27, "thousands of\nsparse features", ha="right", va="center")
    ax.text(
        1.5, 2.27,
        'LinearSVC first; TreeSVC tries a linear kernel besides\n'
        'DTSVMClassifier(multi_class="ovr", leaf_scaling=None)',
        ha="center", va="center", family="monospace", fontsize=9, color=INK,
    )  # fmt: skip
    arrow = {"arrowprops": {"arrowstyle": "->", "color": INK}, "annotation_clip": False}
    ax.annotate("", (3, -0.08), (0, -0.08), **arrow)
    ax.annotate("", (-0.66, 2.48), (-0.66, 0), **arrow)
    ax.text(1.5, -0.12, "rows", ha="center", va="top", color=INK)
    ax.text(-0.7, 1.2, "features", ha="right", va="center", rotation=90, color=INK)
    ax.set(xlim=(-0.8, 3.05), ylim=(-0.22, 2.5))
    ax.set_axis_off()
    save_svg(figure, PICTURES / "which_estimator.svg")


def draw_flow(name, steps):
    """Boxes from left to right, joined by arrows."""
    figure, ax = plt.subplots(figsize=(9, 1.5), layout="constrained")
    for place, (title, words) in enumerate(steps):
        colour = (BLUE, ORANGE)[place % 2]
        ax.add_patch(plt.Rectangle((place, 0), 0.8, 1, fc=colour, ec="none"))
        ax.text(place + 0.4, 0.74, title, ha="center", va="center", weight="bold")
        ax.text(place + 0.4, 0.34, words, ha="center", va="center", fontsize=9)
        if place:
            arrow = {"arrowstyle": "-|>", "color": INK}
            ax.annotate("", (place - 0.02, 0.5), (place - 0.18, 0.5), arrowprops=arrow)
    ax.set(xlim=(-0.05, len(steps) - 0.15), ylim=(-0.02, 1.02))
    ax.set_axis_off()
    save_svg(figure, PICTURES / f"{name}.svg")


def draw_losses():
    """How far TreeSVC and TreeSVR are ahead of the best other method, or behind it."""
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    units = {"classification": "accuracy", "regression": "R²"}
    panels = zip(axes, units.items(), league_records(), strict=True)
    for ax, (task, unit), records in panels:
        found = beside_the_best(records)
        ahead = {name: 100 * (best - ours) for name, (ours, best, _) in found.items()}
        colours = ["C3" if value < 0 else "C0" for value in ahead.values()]
        ax.barh(list(ahead), list(ahead.values()), color=colours)
        ax.axvline(0, color=INK, lw=0.8)
        ax.set_xscale("symlog", linthresh=1)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set(xlabel=f"points of {unit} ahead of the best other", title=task)
        ax.tick_params(axis="y", labelsize=8)
        ax.spines[["top", "right"]].set_visible(False)
    save_small(figure, PICTURES / "losses.png")


def save_svg(figure, path):
    """Save so that text stays text, and the same script writes the same file."""
    plt.rcParams.update({"svg.hashsalt": "treesvm", "svg.fonttype": "none"})
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def save_small(figure, path):
    """Save a figure with at most 64 colours, which is plenty for drawings."""
    from PIL import Image  # comes with matplotlib

    figure.savefig(path, dpi=110)
    plt.close(figure)
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)


def copy_from_gallery():
    """Put small copies of the gallery's first pictures beside the guide."""
    from PIL import Image

    for example, name in COPIES.items():
        source = HERE / "gallery" / "images" / f"sphx_glr_plot_{example}_001.png"
        picture = Image.open(source).convert("RGB")
        if picture.width > WIDTH:
            height = round(picture.height * WIDTH / picture.width)
            picture = picture.resize((WIDTH, height), Image.Resampling.LANCZOS)
        picture.quantize(64).save(PICTURES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    draw_regions()
    draw_idea()
    draw_which_estimator()
    draw_losses()
    for name, steps in FLOWS.items():
        draw_flow(name, steps)
    if "--gallery" in sys.argv:
        copy_from_gallery()
