"""One split of the rows into training and validation, cut by one tree.

The tree is grown once, at the smallest ceiling; larger ceilings are cuts of it.  A
`LeafTask` evaluates grid points on one leaf: its training rows make the machines, its
validation rows judge them.
"""

import functools
import time
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs

from treesvm.decomposition.part import Part, certain_scores
from treesvm.decomposition.training import seen_scaling, train_machine, train_seen
from treesvm.inputs.rows import Rows
from treesvm.machines.grid import LeafGrid
from treesvm.machines.pair_grid import PairGrid, rows_of_largest_machine
from treesvm.machines.training import assemble
from treesvm.machines.voting import chunked_codes
from treesvm.trees.leaf_rows import rows_by_leaf

# A grid holds distances and a Gram matrix in float32; larger leaves solve each point
# alone.
_BYTES_PER_PAIR = 8
_MIDDLE_C = 10.0  # at which weights are learned for all points of a grid


class Answer(NamedTuple):
    """What one grid point says in one leaf."""

    predicted: np.ndarray  # class codes, evidence or numbers of validation rows
    part: Part | None  # the trained part, if it was asked for
    converged: bool


class LeafView(NamedTuple):
    """How thetas that differ in C and gamma only see a leaf."""

    scaling: Any  # its learned weights included
    gammas: dict[Any, float]  # what words for gamma stand for, once known


class LeafData(NamedTuple):
    """Everything that judging candidates in one leaf needs."""

    rows: Rows  # that train
    X_val: object  # rows that judge
    majority: int
    n_present: int  # classes among the rows that train
    views: dict[Any, "LeafView"]  # by what of a theta they depend on, once known

    def part(self, machine, scaling, seconds):
        """Return what the leaf answers."""
        n_rows = len(self.rows.target)
        return Part(self.majority, machine, scaling, n_rows, self.n_present, seconds)


class LeafTask:
    """One leaf of a fold at one ceiling.

    Parameters
    ----------
    data : Rows
        Of the whole search.
    rows, val_rows : ndarray
        Row numbers of training and validation rows in the leaf.
    fold : int
        Number of the fold that the leaf belongs to.
    """

    def __init__(self, data, rows, val_rows, fold=0):
        self.data, self.rows, self.val_rows = data, rows, val_rows
        self.fold, self._views = fold, {}
        if data.n_classes is None:
            self.majority, self.n_present = 0, 2  # numbers always need a machine
            return
        mass = np.bincount(
            data.target[rows], weights=data.weight[rows], minlength=data.n_classes
        )
        self.majority = int(mass.argmax())
        self.n_present = int(np.count_nonzero(mass))

    @property
    def is_mixed(self):
        """Whether the leaf needs a machine."""
        return self.n_present > 1

    def evaluate(
        self,
        thetas,
        options,
        *,
        steps_per_row=None,
        keep=False,
        n_jobs=None,
        answer=chunked_codes,
    ):
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
        n_jobs : int, optional
            Threads inside the leaf.
        answer : callable
            What is said of validation rows, see `treesvm.machines.grid.LeafGrid`.
        """
        if not self.is_mixed:
            return self.one_class_answers(len(thetas), keep)
        return evaluate_leaf(
            self.loaded(),
            thetas,
            options,
            steps_per_row=steps_per_row,
            keep=keep,
            n_jobs=n_jobs,
            answer=answer,
        )

    def val_scores(self, part):
        """Return a score for each validation row and class, as a part gives it."""
        if self.data.X is None:
            raise ValueError(
                "a scorer of decision values or probabilities needs the rows in one "
                "memory; on a cluster use a scorer of predicted labels, such as "
                "'balanced_accuracy'."
            )
        if part.machine is None:
            own = certain_scores(part.code, self.data.n_classes)
            return np.tile(own, (len(self.val_rows), 1))
        if len(self.val_rows) == 0:
            return np.zeros((0, self.data.n_classes))
        return part.scores(self.data.X[self.val_rows])

    def loaded(self):
        """Return the leaf with its rows."""
        return self.described(self.data.take(self.rows), self.data.X[self.val_rows])

    def described(self, rows, X_val):
        """Return the leaf with its rows, for `evaluate_leaf`."""
        return LeafData(rows, X_val, self.majority, self.n_present, self._views)

    def one_class_answers(self, n_thetas, keep):
        """What every candidate says in a leaf of one class."""
        part = Part(self.majority, None, None, len(self.rows), self.n_present, 0.0)
        same = np.full(len(self.val_rows), self.majority)
        return [Answer(same, part if keep else None, True)] * n_thetas


def evaluate_leaf(
    leaf,
    thetas,
    options,
    *,
    steps_per_row=None,
    keep=False,
    n_jobs=None,
    answer=chunked_codes,
):
    """Return an `Answer` for each of `thetas`, in a leaf of several classes.

    Thetas that see rows alike share distances, and learned weights, which are those of
    one machine in the middle of the grid.

    Parameters
    ----------
    leaf : LeafData
    thetas, options, steps_per_row, keep, n_jobs, answer
        As in `LeafTask.evaluate`.
    """
    cap = None
    if steps_per_row is not None:
        cap = steps_per_row * len(leaf.rows.target)
    answers, alike = {}, {}
    for theta in thetas:
        alike.setdefault(theta[3:], []).append(theta)
    for group in alike.values():
        make_grid = None
        if leaf.rows.n_classes is not None:
            make_grid = _grid_that_fits(leaf.rows.target, group[0], options, n_jobs)
        capped = options._replace(max_iter=cap)
        if leaf.rows.n_classes is None:
            found = _numbers(leaf, group, capped)
        elif make_grid is None:
            found = [_alone(leaf, theta, capped, n_jobs, answer) for theta in group]
        else:
            make_grid = functools.partial(make_grid, answer=answer)
            found = _on_one_grid(leaf, group, options, make_grid, cap, keep)
        answers |= zip(group, found, strict=True)
    found = [answers[theta] for theta in thetas]
    return found if keep else [answer._replace(part=None) for answer in found]


def _on_one_grid(leaf, thetas, options, make_grid, cap, keep):
    """Judge thetas that differ in C and gamma only."""
    first = thetas[0]
    view, rows, X_val = _view_of(leaf, first, options), leaf.rows, leaf.X_val
    scaling = view.scaling
    if scaling is not None:
        rows, X_val = rows._replace(X=scaling.apply(rows.X)), scaling.apply(X_val)
    gammas = [_gamma_of(view, t, rows.X) for t in thetas]
    grid = make_grid(
        rows.X,
        rows.target,
        rows.n_classes,
        rows.weight,
        first.kernel,
        X_val,
        multi_class=first.multi_class,
        loss=first.loss,
    )
    found, start = {}, time.perf_counter()
    pairs = [(gamma, t.C) for gamma, t in zip(gammas, thetas, strict=True)]
    for gamma in sorted({gamma for gamma, _ in pairs}):
        Cs = sorted({C for own, C in pairs if own == gamma})
        for point in grid.points([gamma], Cs, tol=options.tol, max_iter=cap):
            now, part = time.perf_counter(), None
            if keep:
                machine = _machine(grid, point, rows.X, first.kernel)
                part = leaf.part(machine, scaling, now - start)
            converged = bool(point.records["converged"].all())
            found[gamma, point.C] = Answer(point.predicted, part, converged)
            start = now
    return [found[pair] for pair in pairs]


def _view_of(leaf, theta, options):
    """How a leaf sees rows; weights are learned once, in the middle of the grid."""
    own = theta._replace(C=_MIDDLE_C, gamma="median", gamma_scale=1.0)
    is_plain = theta.feature_weights is None
    key = (theta.kernel, theta.leaf_scaling) if is_plain else (own, options.max_iter)
    if key not in leaf.views:
        scaling = seen_scaling(leaf.rows, options._replace(theta=own))
        leaf.views[key] = LeafView(scaling, {})
    return leaf.views[key]


def _gamma_of(view, theta, X):
    """Return the number that a theta's gamma stands for in rows as they are seen."""
    if theta.gamma not in view.gammas:
        view.gammas[theta.gamma] = theta.kernel.settled(theta.gamma, X).gamma
    gamma = view.gammas[theta.gamma]
    return gamma * theta.gamma_scale if isinstance(theta.gamma, str) else gamma


def _machine(grid, point, X, kernel):
    """Turn a solved grid point into a trained machine."""
    kernel = kernel.with_gamma(point.gamma)
    return assemble(X, grid.machines, kernel, point.coefficients, point.records)


def _of_theta(options, theta):
    """Return options with the theta, and its epsilon, if it has one."""
    own = options.epsilon if theta.epsilon is None else theta.epsilon
    return options._replace(theta=theta, epsilon=own)


def _numbers(leaf, thetas, options):
    """Train regressors that differ in C and gamma only, each by itself."""
    view, X, found = _view_of(leaf, thetas[0], options), leaf.rows.X, []
    scaling = view.scaling
    seen = leaf.rows._replace(X=X if scaling is None else scaling.apply(X))
    for theta in thetas:
        start = time.perf_counter()
        kernel = theta.kernel.settled(_gamma_of(view, theta, seen.X), seen.X)
        machine = train_machine(seen, kernel, theta.C, _of_theta(options, theta))
        part = leaf.part(machine, scaling, time.perf_counter() - start)
        found.append(Answer(part.values(leaf.X_val), part, part.converged))
    return found


def _alone(leaf, theta, options, n_jobs, answer):
    """Train one point by itself, where a grid does not fit in memory."""
    start = time.perf_counter()
    trained = train_seen(leaf.rows, options._replace(theta=theta), n_jobs)
    part = leaf.part(*trained, time.perf_counter() - start)
    predicted = answer(
        lambda rows: part.decisions(leaf.X_val[rows]),
        leaf.X_val.shape[0],
        part.machine.pairs,
        leaf.rows.n_classes,
    )
    return Answer(predicted, part, part.converged)


def _grid_that_fits(codes, theta, options, n_jobs):
    """The grid whose distances the memory budget holds, or None.

    Distances of all rows serve all machines; where they are too large, each machine
    takes its own.  The choice does not depend on the number of threads, which may
    change the memory but not the answers.
    """
    if _BYTES_PER_PAIR * len(codes) ** 2 <= options.max_bytes:
        return LeafGrid
    largest = rows_of_largest_machine(codes, theta.multi_class)
    side_by_side = options.max_bytes // (_BYTES_PER_PAIR * largest**2)
    if side_by_side == 0:
        return None
    n_workers = min(effective_n_jobs(n_jobs), side_by_side)
    return functools.partial(PairGrid, n_jobs=n_workers)


class SearchFold:
    """A training and a validation part, and the partition grown on the former.

    Parameters
    ----------
    rows : Rows
        Of the whole search; on a cluster without features.
    train, val : ndarray
        Row numbers.
    recipe : partition of `treesvm.partitions`
    ceiling : int
        The smallest, at which the partition is grown.
    seed : int
    number : int
        Of the fold.
    grown : tuple of (TreeParts, ndarray, ndarray), optional
        The partition with the parts of the training and of the validation rows, if the
        caller has grown it.
    """

    def __init__(
        self, rows, train, val, recipe=None, ceiling=0, seed=0, number=0, grown=None
    ):
        self.rows, self.train, self.val = rows, train, val
        self._number, self.recipe, self._seed = number, recipe, seed
        self._grown = self._grow(ceiling) if grown is None else grown

    def _grow(self, ceiling):
        """Return the partition, and the parts of training and validation rows."""
        own = self.rows.take(self.train)
        partition, parts = self.recipe.grow(
            *own[:3], self._seed, max_leaf_size=ceiling, n_classes=own.n_classes
        )
        return partition, parts, partition.apply(self.rows.X[self.val])

    def tasks(self, ceiling):
        """Return the partition at `ceiling`, and its parts as tasks in their order."""
        partition, own, val = self._at(ceiling)
        own = rows_by_leaf(own, partition.n_parts)
        val = rows_by_leaf(val, partition.n_parts)
        tasks = [
            LeafTask(
                self.rows,
                self.train[own.rows(k)],
                self.val[val.rows(k)],
                self._number,
            )
            for k in range(partition.n_parts)
        ]
        return partition, tasks

    def _at(self, ceiling):
        """Cut the tree at a ceiling; random parts are dealt anew."""
        if self.recipe is not None and not getattr(self.recipe, "is_nested", False):
            return self._grow(ceiling)
        partition, own, val = self._grown
        coarse, place = partition.coarsen(ceiling)
        return coarse, place[own], place[val]
