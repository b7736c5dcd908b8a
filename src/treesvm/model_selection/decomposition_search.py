"""The joint search of leaf size, C and gamma (Chang et al. 2010, section 2.2).

Stage 1 judges every theta = (C, gamma) at the smallest ceiling.  Stage 2 takes the best
few to larger ceilings, as long as accuracy rises by at least `min_gain`.  The
exhaustive search is the paper's.  The raced one judges leaf by leaf, drops what cannot
win any more, and leaves a larger ceiling as soon as a sufficient gain is excluded.

A search never sees other rows than those of its folds; what it chooses, it chooses on
their validation rows.
"""

import time
from typing import NamedTuple

import numpy as np

from treesvm.decomposition.checkpointing import NOTHING_KEPT
from treesvm.decomposition.progress import Progress
from treesvm.model_selection.leaf_evaluation import Job, ThreadedLeaves, judge_all
from treesvm.model_selection.racing import cannot_win, gain_excluded

_TOLERANCE = 0.001  # accuracy that a race does not wait for
_RACE_STEPS = 10  # cap on pair steps per row in a race: what needs more rarely wins
_FIRST_LEAVES = 4  # leaves that every theta sees


class SearchOptions(NamedTuple):
    """How to search."""

    top_k: int
    growth: int
    min_gain: float
    n_jobs: int | None
    seed: int
    verbose: int


class Row(NamedTuple):
    """One line of the table of results."""

    max_leaf_size: int
    C: float
    gamma: float
    score: float
    n_validated: int  # validation rows it answered
    n_leaf_fits: int  # machines' leaves trained for it
    n_unconverged: int
    kept: bool  # whether it went on, or won


class Outcome(NamedTuple):
    """What a search found."""

    theta: object
    max_leaf_size: int
    score: float
    rows: list
    seconds: dict  # time spent at each ceiling

    def table(self):
        """Return the rows as a dict of columns that pandas takes."""
        columns = zip(*self.rows, strict=True)
        names = self.rows[0]._fields
        return {name: np.array(col) for name, col in zip(names, columns, strict=True)}


class Scores:
    """Right answers of every theta, leaf by leaf, at one ceiling."""

    def __init__(self, tasks, n_thetas, score_of):
        self.tasks, self._score_of = tasks, score_of
        self.predicted = [[None] * len(tasks) for _ in range(n_thetas)]
        self.correct = np.zeros((n_thetas, len(tasks)))
        self.unconverged = np.zeros(n_thetas, int)
        self.fits = np.zeros(n_thetas, int)
        self.parts = [{} for _ in range(n_thetas)]
        self.sizes = np.array([len(task.val_rows) for task in tasks], float)

    def note(self, theta, k, answer):
        """Book the answer of a theta in leaf k."""
        task = self.tasks[k]
        self.predicted[theta][k] = answer.predicted
        self.correct[theta, k] = np.sum(
            answer.predicted == task.data.target[task.val_rows]
        )
        self.fits[theta] += task.is_mixed
        self.unconverged[theta] += not answer.converged
        if answer.part is not None and answer.converged:
            self.parts[theta][k] = answer.part

    def seen(self, theta):
        """Leaves that the theta has answered."""
        known = self.predicted[theta]
        return np.array([k for k in range(len(known)) if known[k] is not None], int)

    def score(self, theta):
        """Score over the validation rows that the theta has answered."""
        seen = self.seen(theta)
        if len(seen) == 0:
            return np.nan
        rows = np.concatenate([self.tasks[k].val_rows for k in seen])
        said = np.concatenate([self.predicted[theta][k] for k in seen])
        return self._score_of(rows, said)

    def n_validated(self, theta):
        return int(self.sizes[self.seen(theta)].sum())


class DecompositionSearch:
    """Search over folds; see the module's text.

    Parameters
    ----------
    folds : list of SearchFold
    thetas : list of Theta
    first_ceiling : int
        σ₀.
    machine : MachineOptions
    options : SearchOptions
    score_of : callable
        ``score_of(rows, predicted codes)``: the larger, the better.
    evaluate : callable, optional
        Judges candidates in leaves; in threads by default, see `ThreadedLeaves`.
    store : NoCheckpoint or a store with the same methods
        Keeps what was judged.
    """

    def __init__(
        self,
        folds,
        thetas,
        first_ceiling,
        machine,
        options,
        score_of,
        *,
        evaluate=None,
        store=NOTHING_KEPT,
    ):
        self.folds, self.thetas, self.machine = folds, thetas, machine
        self.first_ceiling, self.options = first_ceiling, options
        self._score_of, self._store = score_of, store
        self._evaluate = evaluate or ThreadedLeaves(machine, options.n_jobs)
        self.seconds, self.partitions, self.scores = {}, {}, {}
        self._went_on = {}  # (ceiling, theta) tried -> whether it went on

    def exhaustive(self):
        """Run the paper's search."""
        everyone = list(range(len(self.thetas)))
        self._start(self.first_ceiling)
        self._run(self.first_ceiling, everyone, keep=False)
        best = self._ranked(self.first_ceiling, everyone)[: self.options.top_k]
        self._note(self.first_ceiling, everyone, best)
        reached = [self._climb(theta) for theta in best]
        score, theta, ceiling = min(
            reached, key=lambda r: (-r[0], self.thetas[r[1]][:3])
        )
        return self._outcome(theta, ceiling, score)

    def raced(self):
        """Race the thetas over leaves, then the best of them over ceilings."""
        self._start(self.first_ceiling)
        alive = self._race(list(range(len(self.thetas))))
        pool = self._distinct(self._ranked(self.first_ceiling, alive))
        pool = pool[: self.options.top_k]
        self._note(self.first_ceiling, range(len(self.thetas)), pool)
        ceiling, best = self._race_ceilings(pool)
        # The winner's remaining leaves: judged and, by the same stroke, trained.
        self._run(ceiling, [best], keep=True)
        return self._outcome(best, ceiling, self.scores[ceiling].score(best))

    def _race(self, alive):
        """Judge the alive thetas leaf by leaf, dropping those that cannot win."""
        ceiling = self.first_ceiling
        scores = self.scores[ceiling]
        mixed = np.array([k for k, t in enumerate(scores.tasks) if t.is_mixed], int)
        share = scores.sizes[mixed].sum() / max(scores.sizes.sum(), 1)
        pure = np.setdiff1d(np.arange(len(scores.tasks)), mixed)
        self._run(ceiling, alive, pure, keep=True)
        order = np.random.RandomState(self.options.seed).permutation(mixed)
        progress = Progress(len(order), "leaves raced", self.options.verbose)
        done, size = 0, _FIRST_LEAVES
        while done < len(order):
            batch = order[done : done + size]
            # The few that are left may win: keep what is trained for them.
            keep = len(alive) <= self.options.top_k
            self._run(ceiling, alive, batch, keep=keep, cap=_RACE_STEPS)
            done += len(batch)
            seen = order[:done]
            correct = scores.correct[np.ix_(alive, seen)]
            hopeless = cannot_win(correct, scores.sizes[seen], share, _TOLERANCE)
            alive = [t for t, out in zip(alive, hopeless, strict=True) if not out]
            progress.step(f"{len(alive)} of {len(self.thetas)} candidates left")
            if len(alive) == 1:
                break
            size = max(_FIRST_LEAVES, done // 2)
        progress.close()
        return alive

    def _climb(self, theta):
        """Take one theta to larger ceilings while it pays; return where it ended."""
        ceiling = self.first_ceiling
        score = self.scores[ceiling].score(theta)
        while ceiling < self.n_train:
            larger = ceiling * self.options.growth
            self._start(larger)
            rivals = self._rivals([theta])
            self._run(larger, rivals, keep=True)
            best = self._ranked(larger, rivals)[0]
            new_score = self.scores[larger].score(best)
            rises = new_score - score >= self.options.min_gain
            self._note(larger, rivals, [best] if rises else [])
            if not rises:
                break
            theta, ceiling, score = best, larger, new_score
        return score, theta, ceiling

    def _race_ceilings(self, pool):
        """Race a pool of thetas to larger ceilings; return (ceiling, theta).

        The pool is halved at every ceiling: large leaves cost more.
        """
        ceiling, width = self.first_ceiling, self.options.top_k
        base = pool[0]
        while ceiling < self.n_train and self._can_rise(ceiling, base):
            larger = ceiling * self.options.growth
            self._start(larger)
            rivals = self._rivals(pool)
            left = self._race_leaves_at(larger, rivals, ceiling, base)
            if left:
                self._run(larger, left, keep=True)
                self._run(ceiling, [base], keep=True)
                left = self._ranked(larger, left)
            gain = -1.0
            if left:
                gain = self.scores[larger].score(left[0])
                gain -= self.scores[ceiling].score(base)
            rises = gain >= self.options.min_gain
            width = max(1, width // 2)
            self._note(larger, rivals, left[:width] if rises else [])
            if not rises:
                break
            ceiling, base, pool = larger, left[0], self._distinct(left, larger)[:width]
        return ceiling, base

    def _can_rise(self, ceiling, base):
        """Whether accuracy, which is one at most, can still rise by `min_gain`."""
        self._run(ceiling, [base], keep=True)  # not in vain: needed if `base` wins here
        return 1.0 - self.scores[ceiling].score(base) >= self.options.min_gain

    def _race_leaves_at(self, larger, rivals, ceiling, base):
        """Drop rivals that cannot gain enough over `base` at the smaller ceiling."""
        fine, coarse = self.scores[ceiling], self.scores[larger]
        inside = _finer_leaves(fine.tasks, coarse.tasks)
        order = np.random.RandomState(self.options.seed).permutation(len(coarse.tasks))
        # Leaves that are the same at both ceilings say nothing for or against.
        order = [
            k
            for k in order
            if coarse.tasks[k].is_mixed and coarse.sizes[k] > 0 and len(inside[k]) > 1
        ]
        # The largest leaf decides most rows, and is often the only one so large.
        largest = max(order, key=lambda k: coarse.sizes[k], default=None)
        order.sort(key=lambda k: k != largest)
        share = coarse.sizes[order].sum() / max(coarse.sizes.sum(), 1)
        step = _FIRST_LEAVES  # the same for any number of threads
        before = np.zeros(len(coarse.tasks))
        for start in range(0, len(order) - 1, step):
            batch = order[start : start + step]
            self._run(ceiling, [base], [k for b in batch for k in inside[b]], keep=True)
            self._run(larger, rivals, batch, keep=True)
            for b in batch:
                before[b] = fine.correct[base, inside[b]].sum()
            seen = np.array(order[: start + step])
            sizes = coarse.sizes[seen]
            gains = coarse.correct[np.ix_(rivals, seen)] - before[seen]
            out = [
                gain_excluded(gain, sizes, self.options.min_gain, share)
                for gain in gains
            ]
            out |= cannot_win(gains, sizes, share, _TOLERANCE)
            rivals = [t for t, dropped in zip(rivals, out, strict=True) if not dropped]
            if not rivals:
                break
        return rivals

    def _rivals(self, thetas):
        """The thetas to try at a larger ceiling.

        With features rescaled inside leaves, a larger leaf spreads its rows over less
        of the unit cube: the same kernel width there is a larger gamma.  The next gamma
        of the grid goes along.
        """
        rivals = list(thetas)
        gammas = sorted({theta.gamma for theta in self.thetas})
        for t in thetas:
            theta = self.thetas[t]
            if theta.leaf_scaling is not None:
                larger = [g for g in gammas if g > theta.gamma][:1]
                rivals += [self.thetas.index(theta._replace(gamma=g)) for g in larger]
        return list(dict.fromkeys(rivals))

    def _ranked(self, ceiling, thetas):
        """Best score first; among equals the smaller C, then the smaller gamma."""
        scores = self.scores[ceiling]
        return sorted(thetas, key=lambda t: (-scores.score(t), self.thetas[t][:3]))

    def _distinct(self, thetas, ceiling=None):
        """Drop thetas that answer every row like an earlier one.

        Above some C no coefficient is at its bound, and all larger Cs are one machine.
        """
        scores = self.scores[self.first_ceiling if ceiling is None else ceiling]
        kept, known = [], set()
        for t in thetas:
            said = tuple(
                None if p is None else p.tobytes() for p in scores.predicted[t]
            )
            if said not in known:
                known.add(said)
                kept.append(t)
        return kept

    @property
    def n_train(self):
        """Training rows of the largest fold."""
        return max(len(fold.train) for fold in self.folds)

    def _start(self, ceiling):
        """Cut the trees at a ceiling, once."""
        if ceiling in self.scores:
            return
        tasks, self.partitions[ceiling] = [], []
        for fold in self.folds:
            partition, leaves = fold.tasks(ceiling)
            self.partitions[ceiling].append(partition)
            tasks.extend(leaves)
        self.scores[ceiling] = Scores(tasks, len(self.thetas), self._score_of)
        self.seconds.setdefault(ceiling, 0.0)

    def _run(self, ceiling, thetas, leaves=None, *, keep, cap=None):
        """Evaluate thetas in leaves (all by default) they have not answered."""
        start, scores = time.perf_counter(), self.scores[ceiling]
        wanted = range(len(scores.tasks)) if leaves is None else leaves
        todo = [
            (k, [t for t in thetas if scores.predicted[t][k] is None]) for k in wanted
        ]
        # The largest first balances the threads; the result does not depend on it.
        jobs = sorted(
            (Job(int(k), tuple(map(int, ts))) for k, ts in todo if ts),
            key=lambda job: -len(scores.tasks[job.leaf].rows),
        )
        answers = judge_all(
            self._evaluate,
            self._store,
            ceiling,
            scores.tasks,
            self.thetas,
            jobs,
            cap=cap,
            keep=keep,
        )
        for job, found in zip(jobs, answers, strict=True):
            for t, answer in zip(job.candidates, found, strict=True):
                scores.note(t, job.leaf, answer)
        self.seconds[ceiling] += time.perf_counter() - start

    def _note(self, ceiling, thetas, kept):
        """Note which of the thetas tried at a ceiling went on from there."""
        for t in thetas:
            self._went_on[ceiling, t] = (
                self._went_on.get((ceiling, t), False) or t in kept
            )

    def _rows(self):
        """The table of results: one line for every theta tried at a ceiling."""
        rows = []
        for (ceiling, t), kept in sorted(self._went_on.items()):
            scores, theta = self.scores[ceiling], self.thetas[t]
            rows.append(
                Row(
                    ceiling,
                    theta.C,
                    theta.gamma,
                    scores.score(t),
                    scores.n_validated(t),
                    int(scores.fits[t]),
                    int(scores.unconverged[t]),
                    kept,
                )
            )
        return rows

    def _outcome(self, theta, ceiling, score):
        self.winner = theta
        return Outcome(self.thetas[theta], ceiling, score, self._rows(), self.seconds)

    def trained_parts(self, outcome):
        """Parts of the first fold that the winner has trained already, by leaf."""
        return self.scores[outcome.max_leaf_size].parts[self.winner]


def _finer_leaves(fine, coarse):
    """For each coarse task, the fine tasks whose validation rows it holds."""
    owner = {
        (task.fold, row): b
        for b, task in enumerate(coarse)
        for row in task.val_rows.tolist()
    }
    inside = [[] for _ in coarse]
    for k, task in enumerate(fine):
        if len(task.val_rows):
            inside[owner[task.fold, int(task.val_rows[0])]].append(k)
    return inside
