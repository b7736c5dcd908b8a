"""Draw the pictures that are committed: of the README, the start and the guide.

    python docs/draw_pictures.py            # drawn by this script
    python docs/draw_pictures.py --gallery  # and small copies out of the gallery

Pages of the guide are read on a code host too, where there is no gallery, so they show
small copies of its pictures; run `make docs` first.
"""

import json
import sys
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from treesvm import DTSVMClassifier
from treesvm.datasets import make_waves
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
    "idea": [
        ("partition", "cut the space\ninto parts"),
        ("reduce", "keep the rows\nthat matter"),
        ("solve", "one machine\nin every part"),
        ("compress", "fewer kernels,\nthe same answers"),
    ],
    "command_line": [
        ("flowers.csv", "your table"),
        ("treesvm train", "flowers.treesvm"),
        ("treesvm predict", "answers.csv"),
        ("treesvm inspect", "what is in it"),
    ],
    "export": [
        ("model", "fitted in Python"),
        ("export_model", "one file"),
        ("model.onnx", "any ONNX runtime"),
        ("model.c", "any C compiler,\nno library"),
    ],
    "containers": [
        ("pip install", "the image\nis built"),
        ("treesvm warmup", "compiles\neverything once"),
        ("NUMBA_CACHE_DIR", "compiled code\nin the image"),
        ("docker run", "the first answer\nwaits for nothing"),
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
    lines = (HERE / "benchmarks" / "league.json").read_text("utf8").splitlines()
    cells = [json.loads(line.rstrip(",")) for line in lines if line.startswith("{")]
    panels = {
        "classification": ("error", -100, "points of accuracy"),
        "regression": ("r2", 100, "points of R²"),
    }
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for ax, (task, (name, sign, unit)) in zip(axes, panels.items(), strict=True):
        ahead = _ahead([c for c in cells if c.get(name) is not None], name, sign)
        colours = ["C3" if value < 0 else "C0" for value in ahead.values()]
        ax.barh(list(ahead), list(ahead.values()), color=colours)
        ax.axvline(0, color=INK, lw=0.8)
        ax.set_xscale("symlog", linthresh=1)
        ax.set(xlabel=f"{unit} ahead of the best other", title=task)
        ax.tick_params(axis="y", labelsize=8)
        ax.spines[["top", "right"]].set_visible(False)
    save_small(figure, PICTURES / "losses.png")


def _ahead(cells, name, sign):
    """Return by table how far the search is ahead of the best method of others."""
    means = {}
    for cell in cells:
        table = means.setdefault(
            cell["table"].removeprefix("c_").removeprefix("r_"), {}
        )
        table.setdefault(cell["method"], []).append(sign * cell[name])
    ahead = {}
    for table, methods in means.items():
        found = {method: sum(v) / len(v) for method, v in methods.items()}
        others = [v for method, v in found.items() if not method.startswith("ours")]
        if "ours, 60 s" in found and others:
            ahead[table] = found["ours, 60 s"] - max(others)
    return dict(sorted(ahead.items(), key=lambda pair: pair[1]))


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
    draw_which_estimator()
    draw_losses()
    for name, steps in FLOWS.items():
        draw_flow(name, steps)
    if "--gallery" in sys.argv:
        copy_from_gallery()
