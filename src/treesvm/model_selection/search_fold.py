"""One split of the rows into training and validation, cut by one tree.

The tree is grown once, at the smallest ceiling; larger ceilings are cuts of it.  A
`LeafTask` evaluates grid points on one leaf: its training rows make the machines, its
validation rows judge them.
"""

import time
from typing import NamedTuple

import numpy as np

from treesvm.estimators.decomposition import Part, train_leaf
from treesvm.solvers.leaf_grid import LeafGrid
from treesvm.solvers.leaf_machine import LeafMachine, minmax_scaling
from treesvm.solvers.training import assemble
from treesvm.solvers.voting import predicted_codes
from treesvm.trees.coarsening import coarsen
from treesvm.trees.leaf_rows import rows_by_leaf

# A grid holds distances and a Gram matrix in float32; larger leaves solve each point
# alone.
_BYTES_PER_PAIR = 8


class Theta(NamedTuple):
    """A point of the search grid."""

    C: float
    gamma: float


class Answer(NamedTuple):
    """What one grid point says in one leaf."""

    predicted: np.ndarray  # class codes of the leaf's validation rows
    part: Part | None  # the trained part, if it was asked for
    converged: bool


class LeafTask:
    """One leaf of a fold at one ceiling.

    Parameters
    ----------
    data : SearchData
    rows, val_rows : ndarray
        Row numbers of training and validation rows in the leaf.
    extra : ndarray or None
        Training rows from across its borders.
    fold : int
        Number of the fold that the leaf belongs to.
    """

    def __init__(self, data, rows, val_rows, extra=None, fold=0):
        self.data, self.rows, self.val_rows = data, rows, val_rows
        self.fold = fold
        self._extra = extra
        mass = np.bincount(
            data.codes[rows], weights=data.weight[rows], minlength=data.n_classes
        )
        self.majority = int(mass.argmax())
        self.n_present = int(np.count_nonzero(mass))
        self._mass = mass

    @property
    def is_mixed(self):
        """Whether the leaf needs a machine."""
        return self.n_present > 1

    def border_rows(self):
        """Training rows from across the borders, none without borders."""
        return np.empty(0, np.int64) if self._extra is None else self._extra

    def training_rows(self):
        """Own rows and those from across the borders, of the classes that occur."""
        if self._extra is None or len(self._extra) == 0:
            return self.rows
        own_classes = self._mass[self.data.codes[self._extra]] > 0
        return np.sort(np.concatenate([self.rows, self._extra[own_classes]]))

    def evaluate(self, thetas, options, *, steps_per_row=None, keep=False):
        """Return an `Answer` for each of `thetas`.

        Parameters
        ----------
        thetas : list of Theta
        options : MachineOptions
            C and gamma come from the thetas.
        steps_per_row : int, optional
            Cap on the pair steps of each machine, for each row of the leaf.
        keep : bool
            Whether to return the trained parts too.
        """
        data = self.data
        if not self.is_mixed:
            part = self._part(None, 0.0)
            same = np.full(len(self.val_rows), self.majority)
            return [Answer(same, part if keep else None, True) for _ in thetas]
        rows = self.training_rows()
        cap = None if steps_per_row is None else steps_per_row * len(rows)
        if _BYTES_PER_PAIR * len(rows) ** 2 > options.max_bytes:
            options = options._replace(max_iter=cap)
            return [self._alone(theta, rows, options, keep) for theta in thetas]
        X, X_val, scaling = data.X[rows], data.X[self.val_rows], None
        if options.leaf_scaling == "minmax":
            scaling = minmax_scaling(X)
            X, X_val = scaling.apply(X), scaling.apply(X_val)
        grid = LeafGrid(
            X,
            data.codes[rows],
            data.n_classes,
            data.weight[rows],
            X_val,
            multi_class=options.multi_class,
        )
        answers, start = {}, time.perf_counter()
        for gamma in sorted({theta.gamma for theta in thetas}):
            Cs = [theta.C for theta in thetas if theta.gamma == gamma]
            for point in grid.points([gamma], Cs, tol=options.tol, max_iter=cap):
                now = time.perf_counter()
                part = None
                if keep:
                    leaf = self._machine(grid, point, X, scaling, options)
                    part = self._part(leaf, now - start)
                answers[Theta(point.C, gamma)] = Answer(
                    point.predicted, part, bool(point.records["converged"].all())
                )
                start = now
        return [answers[theta] for theta in thetas]

    def _machine(self, grid, point, X, scaling, options):
        """Turn a solved grid point into a trained machine."""
        kernel = options.kernel.with_gamma(point.gamma)
        machine = assemble(X, grid.machines, kernel, point.coefficients, point.records)
        return LeafMachine(machine, scaling)

    def _part(self, machine, seconds):
        return Part(self.majority, machine, len(self.rows), self.n_present, seconds)

    def _alone(self, theta, rows, options, keep):
        """Train one point by itself, where a grid does not fit in memory."""
        data, start = self.data, time.perf_counter()
        options = options._replace(
            kernel=options.kernel.with_gamma(theta.gamma),
            C=theta.C,
        )
        leaf = train_leaf(
            data.X[rows], data.codes[rows], data.n_classes, data.weight[rows], options
        )
        decisions = leaf.decisions(data.X[self.val_rows])
        predicted = predicted_codes(decisions, leaf.machine.pairs, data.n_classes)
        part = self._part(leaf, time.perf_counter() - start)
        converged = bool(leaf.machine.records["converged"].all())
        return Answer(predicted, part if keep else None, converged)


class SearchData(NamedTuple):
    """Rows of the whole search."""

    X: object
    codes: np.ndarray
    weight: np.ndarray
    n_classes: int


class SearchFold:
    """A training and a validation part, and the partition grown on the former.

    Parameters
    ----------
    data : SearchData
    train, val : ndarray
        Row numbers.
    tree : Tree
        Grown on the training rows, at the smallest ceiling.
    extra_rows : callable, optional
        From a tree to the list of border rows of each leaf.
    number : int
        Of the fold.
    """

    def __init__(self, data, train, val, tree, *, extra_rows=None, number=0):
        self.data, self.train, self.val, self.tree = data, train, val, tree
        self._number = number
        self._extra_rows = extra_rows
        self._leaf_of_train = tree.apply(data.X[train])
        self._leaf_of_val = tree.apply(data.X[val])

    def tasks(self, ceiling):
        """Return the tree cut at `ceiling` and its leaves as tasks, in leaf order."""
        coarse = coarsen(self.tree, ceiling)
        number = coarse.tree.leaf_numbers[coarse.node_map]
        n_leaves = coarse.tree.n_leaves
        own = rows_by_leaf(number[self._leaf_of_train], n_leaves)
        val = rows_by_leaf(number[self._leaf_of_val], n_leaves)
        extra = [None] * n_leaves
        if self._extra_rows is not None:
            extra = self._extra_rows(coarse.tree)
        tasks = [
            LeafTask(
                self.data,
                self.train[own.rows(k)],
                self.val[val.rows(k)],
                None if extra[k] is None else self.train[extra[k]],
                self._number,
            )
            for k in range(n_leaves)
        ]
        return coarse.tree, tasks
