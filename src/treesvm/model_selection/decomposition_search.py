"""The joint search of a machine and a leaf size (Chang et al. 2010, section 2.2).

Stage 1 judges every theta at the smallest ceiling.  Stage 2 takes the best few to
larger ceilings, as long as the score rises by at least `min_gain`.  The exhaustive
search is the paper's.  The raced one

1. looks at thetas that differ in more than C and gamma in few, small leaves first,
2. judges the others leaf by leaf, and drops what cannot win any more,
3. tries thetas around the winner, if it may, a third of a decade apart,
4. takes the smoothest theta among those that are as good, and
5. leaves a larger ceiling as soon as a sufficient gain is excluded by those leaves
   that differ.

A search never sees other rows than those of its folds; what it chooses, it chooses on
their validation rows. A deadline ends it anywhere: the best by then is the answer.
"""

import time
from typing import NamedTuple

import numpy as np

from treesvm.decomposition.checkpointing import NOTHING_KEPT
from treesvm.decomposition.progress import Progress
from treesvm.model_selection.candidates_of_tables import neighbours
from treesvm.model_selection.deadline import Deadline
from treesvm.model_selection.leaf_evaluation import (
    Job,
    ThreadedLeaves,
    judge_all,
    theta_text,
)
from treesvm.model_selection.racing import cannot_win, gain_excluded, near_tie
from treesvm.model_selection.search_fold import LeafTask
from treesvm.model_selection.search_scores import Scores, as_row, as_table

_TOLERANCE = 0.001  # score that a race does not wait for
_RACE_STEPS = 10  # cap on pair steps per row in a race: what needs more rarely wins
_FIRST_LEAVES = 4  # leaves that every theta sees
_LOOK = 0  # in place of a ceiling: the first look
_FEW_ROWS = 600  # that train in a first look
_LOOKED_AT = 12  # leaves of a first look, at most
_LOOK_VALIDATED = 400  # rows that it judges, if there are so many
_FEW_LARGER = 2  # thetas of several views that are tried with larger leaves
_FINALISTS = 16  # thetas that go on from it
_NEAR_TIE = 0.0025  # that a smoother theta of a given list may be behind


class SearchOptions(NamedTuple):
    """How to search."""

    top_k: int
    growth: int
    min_gain: float
    n_jobs: int | None
    seed: int
    verbose: int
    is_refined: bool = False
    time_limit: float | None = None


class Outcome(NamedTuple):
    """What a search found."""

    theta: object
    max_leaf_size: int
    score: float
    rows: list
    seconds: dict  # time spent at each ceiling
    stopped_early: bool

    @property
    def name(self):
        """What tells winners apart: a search that goes on may find another."""
        return f"winner {theta_text(self.theta)} {self.max_leaf_size}"

    def table(self):
        """Return the rows as a dict of columns that pandas takes."""
        return as_table(self.rows)


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
    judgement : Judgement
    evaluate : callable, optional
        Judges candidates in leaves; in threads by default, see `ThreadedLeaves`.
    store : NoCheckpoint or a store with the same methods
        Keeps what was judged.
    deadline : Deadline, optional
    """

    def __init__(
        self,
        folds,
        thetas,
        first_ceiling,
        machine,
        options,
        judgement,
        *,
        evaluate=None,
        store=NOTHING_KEPT,
        deadline=None,
    ):
        self.folds, self.thetas = folds, list(dict.fromkeys(thetas))
        self.first_ceiling, self.options = first_ceiling, options
        self._judgement, self._store = judgement, store
        self._deadline = Deadline() if deadline is None else deadline
        self._evaluate = evaluate or ThreadedLeaves(
            machine, options.n_jobs, self._deadline
        )
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
        known = [r for r in reached if not np.isnan(r[0])] or reached[:1]
        score, theta, ceiling = min(known, key=lambda r: (-r[0], self._order(r[1])))
        return self._outcome(theta, ceiling, score)

    def raced(self):
        """Race the thetas over leaves, then the best of them over ceilings."""
        first = self.first_ceiling
        self._start(first)
        everyone = list(range(len(self.thetas)))
        alive = self._race(self._first_look(everyone))
        if self.options.is_refined:
            alive = self._refined(alive)
        pool = self._distinct(self._smooth_first(self._ranked(first, alive)))
        # A first look has compared more than C and gamma: fewer need larger leaves.
        width = self.options.top_k if _LOOK not in self.scores else _FEW_LARGER
        pool = pool[: min(width, self.options.top_k)]
        self._note(first, range(len(self.thetas)), pool)
        ceiling, best = self._race_ceilings(pool)
        # The winner's remaining leaves: judged and, by the same stroke, trained.
        self._run(ceiling, [best], keep=True)
        return self._outcome(best, ceiling, self.scores[ceiling].score(best))

    def _first_look(self, everyone):
        """Return the thetas that did best in a few leaves of few rows.

        Thetas of one view share most of their work, and are raced as they are.
        """
        if len({self.thetas[t][3:] for t in everyone}) < 2:
            return everyone
        tasks = self.scores[self.first_ceiling].tasks
        rng = np.random.RandomState(self.options.seed)
        order = [k for k in rng.permutation(len(tasks)) if _can_differ(tasks[k])]
        sizes = np.cumsum([len(tasks[k].val_rows) for k in order])
        enough = int(np.searchsorted(sizes, _LOOK_VALIDATED)) + 1
        chosen = order[: min(max(_FIRST_LEAVES, enough), _LOOKED_AT)]
        if not chosen:
            return everyone
        looked = Scores([_cut(tasks[k], rng) for k in chosen], self._judgement)
        self.scores[_LOOK], self.seconds[_LOOK] = looked, 0.0
        self._run(_LOOK, everyone, keep=False, cap=_RACE_STEPS)
        best = self._ranked(_LOOK, everyone)[:_FINALISTS]
        self._note(_LOOK, everyone, best)
        return best

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
            if not self._run(ceiling, alive, batch, keep=keep, cap=_RACE_STEPS):
                break
            done += len(batch)
            seen = order[:done]
            worth = scores.worth(alive, seen)
            hopeless = cannot_win(worth, scores.sizes[seen], share, _TOLERANCE)
            alive = [t for t, out in zip(alive, hopeless, strict=True) if not out]
            progress.step_many(len(batch), self._progress(alive))
            if len(alive) == 1:
                break
            size = max(_FIRST_LEAVES, done // 2)
        progress.close()
        return alive

    def _progress(self, alive):
        text = f"{len(alive)} of {len(self.thetas)} candidates left"
        if self.options.time_limit is None:
            return text
        left = max(0.0, self.options.time_limit - self._deadline.elapsed)
        return f"{text}, {left:.0f} s of the limit"

    def _refined(self, alive):
        """Try thetas around the leader; return them with those that raced."""
        if self._deadline.is_over():
            return alive
        leader, around = self._ranked(self.first_ceiling, alive)[0], []
        for theta in neighbours(self.thetas[leader], is_grid=True):
            if theta not in self.thetas:
                self.thetas.append(theta)
            around.append(self.thetas.index(theta))
        both = list(dict.fromkeys([*alive, *self._race(around)]))
        best = self._ranked(self.first_ceiling, both)[: self.options.top_k]
        self._run(self.first_ceiling, best, keep=True, cap=_RACE_STEPS)
        return best

    def _climb(self, theta):
        """Take one theta to larger ceilings while it pays; return where it ended."""
        ceiling = self.first_ceiling
        score = self.scores[ceiling].score(theta)
        while ceiling < self.n_train:
            larger = ceiling * self.options.growth
            self._start(larger)
            rivals = self._rivals([theta])
            if not self._run(larger, rivals, keep=True):
                break
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
        ceiling, width = self.first_ceiling, len(pool)
        base = pool[0]
        while ceiling < self.n_train and self._can_rise(ceiling, base):
            larger = ceiling * self.options.growth
            self._start(larger)
            rivals = self._rivals(pool)
            left = self._race_leaves_at(larger, rivals, ceiling, base)
            gain = -1.0
            if left:
                is_done = self._run(larger, left, keep=True)
                is_done &= self._run(ceiling, [base], keep=True)
                left = self._ranked(larger, left) if is_done else []
            if left:
                gain = self.scores[larger].score(left[0])
                gain -= self.scores[ceiling].score(base)
            rises = gain >= self.options.min_gain
            width = max(1, width // 2)
            self._note(larger, rivals, left[:width] if rises else [])
            if not rises:
                break
            left = self._smooth_first(left, larger)
            ceiling, base, pool = larger, left[0], self._distinct(left, larger)[:width]
        return ceiling, base

    def _can_rise(self, ceiling, base):
        """Whether the score, which is one at most, can still rise by `min_gain`."""
        # Not in vain: needed if `base` wins here.
        if not self._run(ceiling, [base], keep=True):
            return False
        return 1.0 - self.scores[ceiling].score(base) >= self.options.min_gain

    def _race_leaves_at(self, larger, rivals, ceiling, base):
        """Drop rivals that cannot gain enough over `base` at the smaller ceiling."""
        fine, coarse = self.scores[ceiling], self.scores[larger]
        inside = _finer_leaves(fine.tasks, coarse.tasks)
        order = np.random.RandomState(self.options.seed).permutation(len(coarse.tasks))
        # Leaves that are the same at both ceilings say nothing for or against.
        order = [
            k for k in order if _can_differ(coarse.tasks[k]) and len(inside[k]) > 1
        ]
        # The largest leaf decides most rows, and is often the only one so large.
        largest = max(order, key=lambda k: coarse.sizes[k], default=None)
        order.sort(key=lambda k: k != largest)
        share = coarse.sizes[order].sum() / max(coarse.sizes.sum(), 1)
        step = _FIRST_LEAVES  # the same for any number of threads
        before = np.zeros(len(coarse.tasks))
        for start in range(0, len(order) - 1, step):
            batch = order[start : start + step]
            parts = [k for b in batch for k in inside[b]]
            is_done = self._run(ceiling, [base], parts, keep=True)
            if not (is_done and self._run(larger, rivals, batch, keep=True)):
                return []
            for b in batch:
                before[b] = fine.worth([base], inside[b]).sum()
            seen = np.array(order[: start + step])
            sizes = coarse.sizes[seen]
            gains = coarse.worth(rivals, seen) - before[seen]
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
        of the list goes along.
        """
        rivals = list(thetas)
        for t in thetas:
            theta = self.thetas[t]
            if theta.leaf_scaling is None:
                continue
            # The next gamma of those that differ from this theta in nothing else.
            larger = [
                k
                for k, other in enumerate(self.thetas)
                if other._replace(gamma=theta.gamma, gamma_scale=theta.gamma_scale)
                == theta
                and _width(other) > _width(theta)
            ]
            rivals += sorted(larger, key=lambda k: _width(self.thetas[k]))[:1]
        return list(dict.fromkeys(rivals))

    def _order(self, t):
        """The smaller C first, then the smaller gamma; else the earlier one."""
        theta = self.thetas[t]
        return theta.C, _width(theta), t

    def _ranked(self, ceiling, thetas):
        """Best score first; among equals the smoother.

        After an early end only those that answered the same leaves are compared.
        """
        scores = self.scores[ceiling]
        able, leaves = scores.shared(thetas)
        rest = [t for t in thetas if t not in able]
        found = {t: scores.score(t, leaves) for t in able}
        return sorted(able, key=lambda t: (-found[t], self._order(t))) + rest

    def _smooth_first(self, ranked, ceiling=None):
        """Put the smoothest theta in front that is as good as the first.

        As good: within a standard error of the paired difference, and of one view with
        it, because only then C and gamma say what is smoother.
        """
        scores = self.scores[self.first_ceiling if ceiling is None else ceiling]
        best, most = ranked[0], np.inf if self.options.is_refined else _NEAR_TIE
        leaves = scores.seen(best)
        if scores.n_validated(best) == 0:
            return ranked
        own, as_good = scores.row_worth(best, leaves), [best]
        for t in ranked[1:]:
            is_alike = self.thetas[t][3:] == self.thetas[best][3:]
            if is_alike and all(scores.is_known(t, k) for k in leaves):
                lead = own - scores.row_worth(t, leaves)
                as_good += [t] if near_tie(lead, most) else []
        first = min(as_good, key=self._order)
        return [first, *(t for t in ranked if t != first)]

    def _distinct(self, thetas, ceiling=None):
        """Drop thetas that answer every row like an earlier one.

        Above some C no coefficient is at its bound, and all larger Cs are one machine.
        """
        scores = self.scores[self.first_ceiling if ceiling is None else ceiling]
        kept, known = [], set()
        for t in thetas:
            said = tuple(
                None if p is None else p.tobytes() for p in scores.predicted.get(t, ())
            )
            if said not in known:
                known.add(said)
                kept.append(t)
        return kept

    @property
    def n_train(self):
        """Training rows of the largest fold."""
        return max(len(fold.train) for fold in self.folds)

    @property
    def n_leaf_fits(self):
        """θ × leaf fits done in all."""
        return sum(sum(scores.fits.values()) for scores in self.scores.values())

    def _start(self, ceiling):
        """Cut the trees at a ceiling, once."""
        if ceiling in self.scores:
            return
        tasks, self.partitions[ceiling] = [], []
        for fold in self.folds:
            partition, leaves = fold.tasks(ceiling)
            self.partitions[ceiling].append(partition)
            tasks.extend(leaves)
        self.scores[ceiling] = Scores(tasks, self._judgement)
        self.seconds.setdefault(ceiling, 0.0)

    def _run(self, ceiling, thetas, leaves=None, *, keep, cap=None):
        """Evaluate thetas in leaves (all by default) they have not answered.

        Returns whether all of them have answered; a deadline may prevent it.
        """
        start, scores = time.perf_counter(), self.scores[ceiling]
        wanted = range(len(scores.tasks)) if leaves is None else leaves
        jobs = []
        for k in wanted:
            views = {}
            for t in thetas:
                if not scores.is_known(t, k):
                    views.setdefault(self.thetas[t][3:], []).append(int(t))
            jobs += [Job(int(k), tuple(own)) for own in views.values()]
        if jobs and self._deadline.is_over():
            return False
        # The largest first balances the threads; the result does not depend on it.
        jobs.sort(key=lambda job: -len(scores.tasks[job.leaf].rows))
        answers = judge_all(
            self._evaluate,
            self._store,
            ceiling,
            scores.tasks,
            self.thetas,
            jobs,
            cap=cap,
            keep=keep or self._judgement.needs_values,
        )
        for job, found in answers.items():
            for t, answer in zip(job.candidates, found, strict=True):
                scores.note(t, job.leaf, answer, keep)
        self.seconds[ceiling] += time.perf_counter() - start
        return len(answers) == len(jobs)

    def _note(self, ceiling, thetas, kept):
        """Note which of the thetas tried at a ceiling went on from there."""
        for t in thetas:
            self._went_on[ceiling, t] = (
                self._went_on.get((ceiling, t), False) or t in kept
            )

    def _outcome(self, theta, ceiling, score):
        self.winner = theta
        rows = [
            as_row(
                "first look" if size == _LOOK else "search",
                size or self.first_ceiling,
                self.thetas[t],
                self.scores[size],
                t,
                kept,
            )
            for (size, t), kept in sorted(self._went_on.items())
        ]
        seconds = dict(self.seconds)
        seconds[self.first_ceiling] += seconds.pop(_LOOK, 0.0)
        return Outcome(
            self.thetas[theta],
            ceiling,
            score,
            rows,
            seconds,
            self._deadline.has_ended_work,
        )

    def trained_parts(self, outcome):
        """Parts of the first fold that the winner has trained already, by leaf."""
        return self.scores[outcome.max_leaf_size].parts.get(self.winner, {})


def _width(theta):
    """What makes a kernel narrower: γ, or its multiple of one over the median."""
    return theta.gamma_scale if isinstance(theta.gamma, str) else theta.gamma


def _can_differ(task):
    """Whether thetas can answer validation rows of a leaf differently."""
    return task.is_mixed and len(task.val_rows) > 0


def _cut(task, rng):
    """Return the leaf with fewer training rows."""
    if len(task.rows) <= _FEW_ROWS:
        return task
    rows = np.sort(rng.choice(task.rows, _FEW_ROWS, replace=False))
    return LeafTask(task.data, rows, task.val_rows, task.fold)


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
