"""Search a machine and a leaf size for a table: cheap looks first, then finer ones.

1. Every theta of a coarse grid is judged in a few parts, cut down to some hundred rows.
2. The best go on to whole parts, more of them each time; half of them stay each time.
3. The winner is refined by thirds of a decade, and the smoothest theta within a
   standard error of the best is taken.
4. Larger parts are tried: only parts that differ are judged, so that those which stay
   the same say nothing for or against.

A deadline ends any of these; what was best by then is the answer. Without a deadline
the answer depends on the rows and the seed alone.
"""

from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from treesvm.decomposition.progress import Progress
from treesvm.decomposition.theta import Theta
from treesvm.kernels.blas_threads import one_blas_thread
from treesvm.model_selection.candidates_of_tables import neighbours, smoothness
from treesvm.model_selection.search_fold import LeafTask

_FEW_ROWS = 600  # that train in a first look
_FIRST_TASKS = 3  # parts that a first look takes
_FIRST_VALIDATED = 400  # rows that it judges at least, if there are so many
_FINALISTS = 8  # thetas that go on to whole parts
_GROWTH = 4  # of the ceiling
_STEPS_PER_ROW = 100  # cap on the steps of machines that are only judged


class Finding(NamedTuple):
    """What a search found."""

    theta: Theta
    partition: Any  # recipe by which the space was cut
    max_leaf_size: int
    loss: float  # mean over validation rows
    stopped_early: bool
    table: dict  # columns of results


class Losses:
    """Summed losses of thetas, task by task, at one ceiling."""

    def __init__(self, tasks):
        self.tasks = tasks
        self.weight = np.array([_val_weight(task).sum() for task in tasks])
        self.of = {}  # theta -> array with a sum for each task, NaN where not judged

    def note(self, theta, k, loss):
        own = self.of.setdefault(theta, np.full(len(self.tasks), np.nan))
        own[k] = loss

    def is_known(self, theta, chosen):
        """Whether the theta has answered a task, or all of several."""
        return theta in self.of and not np.isnan(self.of[theta][chosen]).any()

    def mean(self, theta, chosen=None):
        """Mean loss over the tasks that the theta has answered, or some of them."""
        own = self.of.get(theta)
        if own is None:
            return np.inf
        known = ~np.isnan(own)
        if chosen is not None:
            known &= np.isin(np.arange(len(own)), chosen)
        weight = self.weight[known].sum()
        return float(own[known].sum() / weight) if weight > 0 else np.inf


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
        self.partitions, self.losses = {}, {}
        self._looks = []  # (stage, theta, ceiling, loss) for the table of results

    def run(self):
        """Search; return a `Finding`."""
        losses = self._at(self._ceiling)
        finalists = self._first_look(losses)
        best = self._halve(losses, finalists)
        best = self._refine(losses, best)
        ceiling, best = self._larger_parts(best)
        return Finding(
            best,
            self._folds[0].recipe,
            ceiling,
            self.losses[ceiling].mean(best),
            self._deadline.has_ended_work,
            _as_table(self._looks),
        )

    def _at(self, ceiling):
        """Return the losses at a ceiling, whose tasks are made once."""
        if ceiling not in self.losses:
            tasks, self.partitions[ceiling] = [], []
            for fold in self._folds:
                partition, own = fold.tasks(ceiling)
                self.partitions[ceiling].append(partition)
                tasks.extend(own)
            self.losses[ceiling] = Losses(tasks)
        return self.losses[ceiling]

    def _first_look(self, losses):
        """Return the thetas that did best in a few parts of few rows."""
        mixed = _mixed(losses.tasks)
        if len(mixed) == 0:  # one class everywhere: any theta will do
            return self._thetas[:1]
        order = self._rng.permutation(mixed)
        sizes = np.array([len(losses.tasks[k].val_rows) for k in order])
        enough = int(np.searchsorted(np.cumsum(sizes), _FIRST_VALIDATED)) + 1
        chosen = order[: max(_FIRST_TASKS, enough)][: 4 * _FIRST_TASKS]
        small = Losses([_cut(losses.tasks[k], self._rng) for k in chosen])
        views = _together(self._thetas, 0)
        progress = Progress(len(views), "kinds of machines", self._verbose)
        for own in views:
            if self._deadline.is_over(0.4):
                break
            self._judge(small, own, range(len(small.tasks)))
            progress.step()
        progress.close()
        ranked = sorted(small.of, key=lambda t: (small.mean(t), smoothness(t)))
        self._note("first look", small, ranked, self._ceiling)
        return ranked[:_FINALISTS] or self._thetas[:1]

    def _halve(self, losses, thetas):
        """Judge thetas on ever more parts, and keep the better half each time."""
        order = self._rng.permutation(_mixed(losses.tasks))
        done, size = 0, max(1, len(order) // 4)
        while done < len(order) and not self._deadline.is_over(0.6):
            batch = order[done : done + size]
            self._judge(losses, thetas, batch)
            done += len(batch)
            seen = order[:done]
            thetas = sorted(thetas, key=lambda t: losses.mean(t, seen))
            self._note("halving", losses, thetas, self._ceiling)
            thetas = thetas[: max(1, len(thetas) // 2)]
            size = done
        return thetas[0]

    def _refine(self, losses, best):
        """Try thetas around the best; return the smoothest that is as good."""
        mixed = _mixed(losses.tasks)
        if len(mixed) == 0 or self._deadline.is_over(0.5):
            return best
        around = neighbours(best)
        some = self._rng.permutation(mixed)[: max(4, len(mixed) // 4)]
        self._judge(losses, around, some)
        around.sort(key=lambda t: losses.mean(t, some))
        self._judge(losses, around[:3], mixed)
        top = [t for t in around[:3] if losses.is_known(t, mixed)]
        if not top:
            return best
        top.sort(key=losses.mean)
        self._note("refined", losses, around, self._ceiling)
        return min(
            (t for t in top if _is_as_good(losses, t, top[0], mixed)), key=smoothness
        )

    def _larger_parts(self, best):
        """Try larger parts while that pays."""
        ceiling = self._ceiling
        n_train = max(len(fold.train) for fold in self._folds)
        while ceiling < n_train and not self._deadline.is_over(0.5):
            larger = ceiling * _GROWTH
            fine, coarse = self._at(ceiling), self._at(larger)
            inside = _finer_tasks(fine.tasks, coarse.tasks)
            differ = [b for b in _mixed(coarse.tasks) if len(inside[b]) > 1]
            if not differ:
                break
            rivals = [best, best._replace(gamma_scale=best.gamma_scale * 2.0)]
            differ.sort(key=lambda b: -len(coarse.tasks[b].val_rows))
            chosen = differ[: max(4, len(differ) // 2)]
            parts = [k for b in chosen for k in inside[b]]
            self._judge(fine, [best], parts)
            self._judge(coarse, rivals, chosen)
            known = [t for t in rivals if coarse.is_known(t, chosen)]
            if not known or not fine.is_known(best, parts):
                break
            winner = min(known, key=lambda t: coarse.mean(t, chosen))
            self._note("larger parts", coarse, known, larger)
            if not coarse.mean(winner, chosen) < fine.mean(best, parts):
                break
            ceiling, best = larger, winner
        return ceiling, best

    def _judge(self, losses, thetas, chosen):
        """Judge thetas in tasks that they have not answered, until the deadline."""
        jobs = []
        for k in chosen:
            missing = [t for t in thetas if not losses.is_known(t, k)]
            if missing:
                jobs.append((int(k), missing))
        n_workers = min(effective_n_jobs(self._n_jobs), max(1, len(jobs)))

        def judge(k, missing):
            task = losses.tasks[k]
            for some in _together(missing, task.data.n_classes):
                if self._deadline.is_over():
                    return
                answers = task.evaluate(
                    some,
                    self._options,
                    steps_per_row=_STEPS_PER_ROW,
                    n_jobs=self._n_jobs if n_workers == 1 else 1,
                )
                for theta, answer in zip(some, answers, strict=True):
                    losses.note(theta, k, task_loss(task, answer.predicted))

        with one_blas_thread(n_workers > 1):
            Parallel(n_jobs=n_workers, require="sharedmem")(
                delayed(judge)(*job) for job in jobs
            )

    def trained(self, found):
        """Yield tasks in random order, with the winner's part trained for each."""
        tasks = self.losses[found.max_leaf_size].tasks
        for k in self._rng.permutation(len(tasks)):
            answer = tasks[k].evaluate([found.theta], self._options, keep=True)[0]
            yield tasks[k], answer.part

    def _note(self, stage, losses, thetas, ceiling):
        for theta in thetas:
            self._looks.append((stage, theta, ceiling, losses.mean(theta)))


def _together(thetas, n_classes):
    """Return lists of thetas to be judged in one go: those that share distances.

    Regressors share nothing, so that the time is looked at after each of them.
    """
    if n_classes is None:
        return [[theta] for theta in thetas]
    alike = {}
    for theta in thetas:
        alike.setdefault(theta[3:], []).append(theta)
    return list(alike.values())


def task_loss(task, predicted):
    """Return the weighted sum of errors in a task: wrong answers, or squares."""
    target = task.data.target[task.val_rows]
    if task.data.n_classes is None:
        return float(_val_weight(task) @ (predicted - target) ** 2)
    return float(_val_weight(task) @ (predicted != target))


def _val_weight(task):
    return task.data.weight[task.val_rows]


def _mixed(tasks):
    """Tasks in which thetas can differ."""
    return np.array(
        [k for k, t in enumerate(tasks) if t.is_mixed and len(t.val_rows)], np.intp
    )


def _cut(task, rng):
    """Return the task with fewer training rows."""
    if len(task.rows) <= _FEW_ROWS:
        return task
    rows = np.sort(rng.choice(task.rows, _FEW_ROWS, replace=False))
    return LeafTask(task.data, rows, task.val_rows, task.fold)


def _is_as_good(losses, theta, best, chosen):
    """Whether a theta is within a standard error of the best, by paired tasks."""
    gap = losses.of[theta][chosen] - losses.of[best][chosen]
    n = losses.weight[chosen].sum()
    spread = np.sqrt(np.abs(gap).sum() + 1e-12)  # of independent wrong answers
    if len(gap) > 1:
        spread = max(spread, np.sqrt(((gap - gap.mean()) ** 2).sum()))
    return gap.sum() / n <= spread / n


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
        "C": np.array([theta.C for _, theta, *_ in looks]),
        "gamma_scale": np.array([theta.gamma_scale for _, theta, *_ in looks]),
        "max_leaf_size": np.array([ceiling for *_, ceiling, _ in looks]),
        "loss": np.array([loss for *_, loss in looks]),
    }
