"""How the methods of the paper's tables search: all 63 θ, on the paper's rows."""

from benchmarks.dtsvm_problems import PAPER_GAIN, THREADS
from treesvm.baselines import BaggedSVC, RDSVMClassifier
from treesvm.partitions import AxisTree


def paper_search():
    """What makes the search the paper's: all 63 θ, its tree grown on all rows."""
    return {
        "search": "exhaustive",
        "candidates": "paper",
        "min_gain": PAPER_GAIN,
        "kernel": "rbf",
        "leaf_scaling": None,
        "partition": AxisTree(max_tree_rows=None),
    }


def random_parts(problem, multi_class="ovo", **grid):
    """RDSVM with the paper's search of θ and of the size of its parts."""
    return RDSVMClassifier(
        cv=problem.cv,
        multi_class=multi_class,
        n_jobs=THREADS,
        random_state=0,
        **grid,
    )


def bag(problem, multi_class="ovo", **grid):
    """Bagging with its own choice among all θ."""
    return BaggedSVC(
        cv=problem.cv,
        multi_class=multi_class,
        n_jobs=THREADS,
        random_state=0,
        **grid,
    )


def with_theta(run):
    """The note says which θ was chosen, where there is one."""
    if run.note:
        return run
    if hasattr(run.model, "C_"):
        return run._replace(note=f"C={run.model.C_:g}, γ={run.model.gamma_:g}")
    return run._replace(note="its defaults" if run.model is not None else "")
