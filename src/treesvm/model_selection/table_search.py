"""Search machines and a leaf size for a table: cheap looks first, then finer ones.

1. Every theta of a coarse grid is judged in a few parts, cut down to some hundred rows.
   Of each view (a kernel, a scaling, weights or not) the two best go on.
2. They are judged in whole parts, more of them each time; the worse half is left
   behind while there are many.
3. The winner is refined by thirds of a decade, and the smoothest theta within a
   standard error of the best is taken.
4. Larger parts are tried: only parts that differ are judged, so that those which stay
   the same say nothing for or against.
5. Candidates that all validation rows have judged are joined: those that add something
   to the others become a committee (`stacking`).

A deadline ends any of these; what was best by then is the answer. Without a deadline
the answer depends on the rows and the seed alone.
"""

from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from treesvm.decomposition.progress import Progress
from treesvm.decomposition.theta import Theta
from treesvm.decomposition.weighted_committee import WeightedCommittee
from treesvm.kernels.blas_threads import one_blas_thread
from treesvm.machines.voting import chunked_evidence
from treesvm.model_selection.candidates_of_tables import neighbours, smoothness
from treesvm.model_selection.judged_tasks import JudgedTasks
from treesvm.model_selection.search_tasks import cut_task
from treesvm.model_selection.stacking import joined_classes, joined_numbers
from treesvm.solvers.least_squares import FACTORISED_ROWS

_FEW_ROWS = 600  # that train in a first look
_FIRST_TASKS = 3  # parts that a first look takes
_FIRST_VALIDATED = 400  # rows that it judges at least, if there are so many
_OF_A_VIEW = 2  # thetas of each view that go on to whole parts
_CANDIDATES = 8  # thetas that are judged on all rows, and may join the committee
_GROWTH = 4  # of the ceiling
_HINGE_C = 3.0  # times that of least squares
_SAME = 0.05  # relative distance of answers that are the same but for tolerances
# Cap on the steps of machines that are only judged: classifiers, regressors.
_STEPS_PER_ROW = (100, 30)


class Finding(NamedTuple):
    """What a search found."""

    thetas: list[Theta]  # of the members, the heaviest first
    joint: Any  # their `WeightedCommittee`, or the weights of regressors
    partition: Any  # recipe by which the space was cut
    max_leaf_size: int
    plainer: list[Theta]  # that may stand in for the first theta, for want of time
    loss: float  # of the first theta: wrong answers or mean square, held-out rows
    stopped_early: bool
    table: dict  # columns of results


class TableSearch:
    """See the module's text.

    Parameters
    ----------
    rows : Rows
    folds : list of SearchFold
    thetas : list of Theta
        The coarse grid, the most promising first.
    options : MachineOptions
    first_ceiling : int
    seed : int
    n_jobs : int or None
    deadline : Deadline
    verbose : int
    """

    def __init__(
        self,
        rows,
        folds,
        thetas,
        options,
        *,
        first_ceiling,
        seed,
        n_jobs=None,
        deadline,
        verbose=0,
    ):
        self.rows, self._folds, self._thetas = rows, folds, thetas
        self._options, self._n_jobs = options, n_jobs
        self._deadline, self._verbose = deadline, verbose
        self._rng = np.random.default_rng(seed)
        self._ceiling = first_ceiling
        self._judged = {}  # by ceiling
        self._looks = []  # (stage, theta, ceiling, loss) for the table of results
        self._ranked = thetas  # by the first look

    def run(self):
        """Search; return a `Finding`."""
        judged = self._at(self._ceiling)
        candidates = self._first_look(judged)
        candidates = self._halve(judged, candidates)
        candidates = self._refine(judged, candidates)
        ceiling, candidates = self._larger_parts(candidates)
        return self._joined(ceiling, candidates)

    def _at(self, ceiling):
        """Return the judged tasks at a ceiling, which are made once."""
        if ceiling not in self._judged:
            tasks = [task for fold in self._folds for task in fold.tasks(ceiling)[1]]
            self._judged[ceiling] = JudgedTasks(tasks)
        return self._judged[ceiling]

    def _first_look(self, judged):
        """Return the thetas that did best, in each view, in a few parts of few rows."""
        mixed = _mixed(judged.tasks)
        if len(mixed) == 0:  # one class everywhere: any theta will do
            return self._thetas[:1]
        order = self._rng.permutation(mixed)
        sizes = np.array([len(judged.tasks[k].val_rows) for k in order])
        enough = int(np.searchsorted(np.cumsum(sizes), _FIRST_VALIDATED)) + 1
        chosen = order[: max(_FIRST_TASKS, enough)][: 4 * _FIRST_TASKS]
        few = [cut_task(judged.tasks[k], _FEW_ROWS, self._rng) for k in chosen]
        small = JudgedTasks(few)
        views = list(_views(self._thetas).values())
        progress = Progress(len(views), "kinds of machines", self._verbose)
        for own in views:
            if self._deadline.is_over(0.4):
                break
            self._judge(small, own, range(len(small.tasks)))
            progress.step()
        progress.close()
        ranked = sorted(small.thetas, key=lambda t: (small.loss(t), smoothness(t)))
        self._note("first look", small, ranked, self._ceiling)
        self._ranked = ranked or self._thetas
        best = [t for own in _views(ranked).values() for t in own[:_OF_A_VIEW]]
        return sorted(best, key=small.loss) or self._thetas[:1]

    def _halve(self, judged, thetas):
        """Judge thetas on ever more parts; return those that stay, the best first."""
        order = self._rng.permutation(_mixed(judged.tasks))
        done, size = 0, max(1, len(order) // 4)
        while done < len(order) and not self._deadline.is_over(0.6):
            batch = order[done : done + size]
            self._judge(judged, thetas, batch)
            done += len(batch)
            seen = order[:done]
            known = [t for t in thetas if judged.is_known(t, seen)] or thetas[:1]
            thetas = sorted(known, key=lambda t: judged.loss(t, seen))
            self._note("halving", judged, thetas, self._ceiling)
            thetas = thetas[: max(_CANDIDATES, len(thetas) // 2)]
            size = done
        return thetas

    def _refine(self, judged, candidates):
        """Try thetas around the best; put the smoothest that is as good before all."""
        mixed, best = _mixed(judged.tasks), candidates[0]
        if len(mixed) == 0 or self._deadline.is_over(0.5):
            return candidates
        around = neighbours(best, is_grid=self._is_quick(best))
        some = self._rng.permutation(mixed)[: max(4, len(mixed) // 4)]
        self._judge(judged, around, some)
        around = [t for t in around if judged.is_known(t, some)]
        around.sort(key=lambda t: judged.loss(t, some))
        self._judge(judged, around[:3], mixed)
        top = [t for t in around[:3] if judged.is_known(t, mixed)]
        if not top:
            return candidates
        top.sort(key=lambda t: judged.loss(t, mixed))
        self._note("refined", judged, around, self._ceiling)
        smoothest = min(
            (t for t in top if _is_as_good(judged, t, top[0], mixed)), key=smoothness
        )
        return list(dict.fromkeys([smoothest, *top, *candidates]))

    def _is_quick(self, theta):
        """Whether machines of a theta share so much that a grid of them is cheap."""
        return self.rows.n_classes is not None and theta.loss == "hinge"

    def _larger_parts(self, candidates):
        """Try larger parts while that pays."""
        ceiling, best = self._ceiling, candidates[0]
        n_train = max(len(fold.train) for fold in self._folds)
        while ceiling < n_train and not self._deadline.is_over(0.5):
            larger = ceiling * _GROWTH
            rival = self._for_rows(best, min(larger, n_train))
            if not _is_trainable(rival, min(larger, n_train)):
                break
            fine, coarse = self._at(ceiling), self._at(larger)
            inside = _finer_tasks(fine.tasks, coarse.tasks)
            differ = [b for b in _mixed(coarse.tasks) if len(inside[b]) > 1]
            if not differ:
                break
            rivals = [rival, rival._replace(gamma_scale=rival.gamma_scale * 2.0)]
            differ.sort(key=lambda b: -len(coarse.tasks[b].val_rows))
            chosen = differ[: max(4, len(differ) // 2)]
            parts = [k for b in chosen for k in inside[b]]
            self._judge(fine, [best], parts)
            self._judge(coarse, rivals, chosen)
            known = [t for t in rivals if coarse.is_known(t, chosen)]
            if not known or not fine.is_known(best, parts):
                break
            winner = min(known, key=lambda t: coarse.error(t, chosen))
            self._note("larger parts", coarse, known, larger)
            if not coarse.error(winner, chosen) < fine.error(best, parts):
                break
            ceiling, best = larger, winner
            others = [t for t in known + candidates[1:] if t != best]
            candidates = self._again(coarse, [best, *others][:_CANDIDATES])
        return ceiling, candidates

    def _for_rows(self, theta, n_rows):
        """Return the theta, of regressors by the hinge where rows are too many."""
        if self.rows.n_classes is not None or _is_trainable(theta, n_rows):
            return theta
        return theta._replace(loss="hinge", C=_HINGE_C * theta.C)

    def _again(self, judged, candidates):
        """Judge candidates at a new ceiling, the first in any case."""
        mixed = _mixed(judged.tasks)
        largest = max(len(task.rows) for task in judged.tasks)
        candidates = [self._for_rows(theta, largest) for theta in candidates]
        candidates = list(dict.fromkeys(candidates))
        for theta in candidates:
            if not self._deadline.is_over(0.6) and _is_trainable(theta, largest):
                self._judge(judged, [theta], mixed)
        others = [t for t in candidates[1:] if judged.is_known(t, mixed)]
        return [candidates[0], *sorted(others, key=judged.loss)]

    def _joined(self, ceiling, candidates):
        """Return the finding: the best candidate, and those that add to it."""
        judged = self._at(ceiling)
        asked = [k for k, task in enumerate(judged.tasks) if len(task.val_rows)]
        best = candidates[0]
        if not judged.known(best):  # no time for a look: one part will do
            self._judge(judged, [best], _mixed(judged.tasks)[:1], in_any_case=True)
        mixed = judged.known(best)
        known = _distinct(judged, candidates, mixed)
        certain = [k for k in asked if not judged.tasks[k].is_mixed]
        for theta in known:
            for k in certain:
                n_rows = len(judged.tasks[k].val_rows)
                judged.note(theta, k, np.zeros((n_rows, self.rows.n_classes)))
        chosen = sorted({*mixed, *certain})
        places, joint = self._members(judged, known, chosen)
        thetas = [known[place] for place in places]
        self._note("joined", judged, thetas, ceiling)
        return Finding(
            thetas,
            joint,
            self._folds[0].recipe,
            ceiling,
            self._plainer(thetas[0]),
            judged.error(best, chosen) if chosen else np.inf,
            self._deadline.has_ended_work,
            _as_table(self._looks),
        )

    def _plainer(self, theta):
        """Return thetas that train faster: the best without weights, the first of all.

        Slopes of probabilities are those of values of one loss.
        """
        alike = [t for t in self._thetas if t.loss == theta.loss][:1]
        if theta.feature_weights is not None:
            plain = (t for t in self._ranked if t.feature_weights is None)
            alike = [t for t in plain if t.loss == theta.loss][:1] + alike
        return alike

    def _members(self, judged, thetas, chosen):
        """Return the places of the members among thetas, and how they are joined."""
        is_numbers = self.rows.n_classes is None
        if not chosen:  # so few rows that none was held out
            alone = np.ones(1)
            if is_numbers:
                return [0], alone
            return [0], WeightedCommittee(alone, alone, 0.0, self._shares())
        said = np.stack([judged.answers(theta, chosen) for theta in thetas])
        if is_numbers:
            return joined_numbers(said, judged.held(chosen))
        return joined_classes(said, judged.held(chosen), self._shares())

    def _shares(self):
        """Return the shares of the classes among the rows."""
        mass = np.bincount(
            self.rows.target, weights=self.rows.weight, minlength=self.rows.n_classes
        )
        return mass / mass.sum()

    def _judge(self, judged, thetas, chosen, *, in_any_case=False):
        """Judge thetas in tasks that they have not answered, until the deadline."""
        jobs = []
        for k in map(int, chosen):
            missing = [t for t in thetas if not judged.is_known(t, [k])]
            if missing:
                jobs.append((k, missing))
        n_workers = min(effective_n_jobs(self._n_jobs), max(1, len(jobs)))

        def judge(k, missing):
            task = judged.tasks[k]
            for some in _views(missing).values():  # they share distances and weights
                if self._deadline.is_over() and not in_any_case:
                    return
                answers = task.evaluate(
                    some,
                    self._options,
                    steps_per_row=_STEPS_PER_ROW[task.data.n_classes is None],
                    n_jobs=self._n_jobs if n_workers == 1 else 1,
                    answer=chunked_evidence,
                )
                for theta, answer in zip(some, answers, strict=True):
                    judged.note(theta, k, answer.predicted)

        with one_blas_thread(n_workers > 1):
            Parallel(n_jobs=n_workers, require="sharedmem")(
                delayed(judge)(*job) for job in jobs
            )

    def _note(self, stage, judged, thetas, ceiling):
        for theta in thetas:
            self._looks.append((stage, theta, ceiling, judged.loss(theta)))


def _views(thetas):
    """Return the thetas that differ in C and gamma only, by what they share."""
    alike = {}
    for theta in thetas:
        alike.setdefault(theta[3:], []).append(theta)
    return alike


def _is_trainable(theta, n_rows):
    """Whether a search has the time for machines of so many rows."""
    return theta.loss == "hinge" or n_rows <= FACTORISED_ROWS


def _mixed(tasks):
    """Tasks in which thetas can differ."""
    return np.array(
        [k for k, t in enumerate(tasks) if t.is_mixed and len(t.val_rows)], np.intp
    )


def _is_as_good(judged, theta, best, chosen):
    """Whether a theta is within a standard error of the best, by paired rows."""
    target, weight = judged.held(chosen)[:2]
    gap = judged.errors(theta, chosen, target) - judged.errors(best, chosen, target)
    mean = np.average(gap, weights=weight)
    spread = np.sqrt(weight**2 @ (gap - mean) ** 2) / weight.sum()
    return mean <= spread


def _distinct(judged, thetas, chosen):
    """Return the thetas that have answered all tasks, and not as one before them.

    Above some C no row is at its bound, and a larger one changes little.
    """
    if not chosen:
        return thetas[:1]
    kept, answers = [], []
    for theta in (t for t in thetas if judged.is_known(t, chosen)):
        own = judged.answers(theta, chosen)
        near = _SAME * (np.std(own) if own.ndim == 2 else judged.spread(theta, chosen))
        if not any(np.std(own - other) <= near for other in answers):
            kept.append(theta)
            answers.append(own)
    return kept


def _finer_tasks(fine, coarse):
    """For each coarse task, the fine tasks whose rows it holds."""
    owner = {
        (task.fold, row): b
        for b, task in enumerate(coarse)
        for row in task.rows.tolist()
    }
    inside = [[] for _ in coarse]
    for k, task in enumerate(fine):
        inside[owner[task.fold, int(task.rows[0])]].append(k)
    return inside


def _as_table(looks) -> dict[str, Any]:
    """Return the looks as columns that pandas takes."""
    return {
        "stage": np.array([stage for stage, *_ in looks]),
        "kernel": np.array([theta.kernel.name for _, theta, *_ in looks]),
        "leaf_scaling": np.array([str(theta.leaf_scaling) for _, theta, *_ in looks]),
        "feature_weights": np.array(
            [str(theta.feature_weights) for _, theta, *_ in looks]
        ),
        "machine_loss": np.array([theta.loss for _, theta, *_ in looks]),
        "C": np.array([theta.C for _, theta, *_ in looks]),
        "gamma_scale": np.array([theta.gamma_scale for _, theta, *_ in looks]),
        "max_leaf_size": np.array([ceiling for *_, ceiling, _ in looks]),
        "loss": np.array([loss for *_, loss in looks]),
    }
