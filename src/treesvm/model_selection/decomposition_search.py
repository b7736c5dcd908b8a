"""The joint search of a machine and a leaf size (Chang et al. 2010, section 2.2).

Stage 1 judges every theta at the smallest ceiling.  Stage 2 takes the best few to
larger ceilings, as long as the score rises by at least `min_gain`. `raced_search` has
the one that leaves out what cannot matter.

A search never sees other rows than those of its folds; what it chooses, it chooses on
their validation rows. A deadline ends it anywhere: the best by then is the answer.
"""

import time
from typing import NamedTuple

import numpy as np

from treesvm.decomposition.checkpointing import NOTHING_KEPT
from treesvm.model_selection.deadline import Deadline
from treesvm.model_selection.leaf_evaluation import (
    Job,
    ThreadedLeaves,
    judge_all,
    theta_text,
)
from treesvm.model_selection.search_scores import Row, Scores, as_row
from treesvm.model_selection.search_tasks import as_columns


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
    keeps_parts: bool = True  # whether what the winner has trained is used


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
        return as_columns(Row._fields, self.rows)


class DecompositionSearch:
    """The paper's search over folds; see the module's text.

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
        self.seconds, self.partitions = {}, {}
        self.scores, self.looks = {}, {}  # by ceiling: whole leaves, leaves cut down
        self._went_on = {}  # (ceiling, theta) tried -> whether it went on

    def run(self):
        """Judge every theta, then take the best to larger leaves; return `Outcome`."""
        everyone = list(range(len(self.thetas)))
        self._start(self.first_ceiling)
        self._run(self.first_ceiling, everyone, keep=False)
        best = self._ranked(self.first_ceiling, everyone)[: self.options.top_k]
        self._note(self.first_ceiling, everyone, best)
        reached = [self._climb(theta) for theta in best]
        known = [r for r in reached if not np.isnan(r[0])] or reached[:1]
        score, theta, ceiling = min(known, key=lambda r: (-r[0], self._order(r[1])))
        return self._outcome(theta, ceiling, score)

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

    def _ranked(self, ceiling, thetas, scores=None):
        """Best score first; among equals the smoother.

        After an early end only those that answered the same leaves are compared.
        """
        scores = self.scores[ceiling] if scores is None else scores
        able, leaves = scores.shared(thetas)
        rest = [t for t in thetas if t not in able]
        found = {t: scores.score(t, leaves) for t in able}
        return sorted(able, key=lambda t: (-found[t], self._order(t))) + rest

    @property
    def n_train(self):
        """Training rows of the largest fold."""
        return max(len(fold.train) for fold in self.folds)

    @property
    def n_leaf_fits(self):
        """θ × leaf fits done in all."""
        every = [*self.scores.values(), *self.looks.values()]
        return sum(sum(scores.fits.values()) for scores in every)

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

    def _run(self, ceiling, thetas, leaves=None, *, keep, cap=None, scores=None):
        """Evaluate thetas in leaves (all by default) they have not answered.

        Returns whether all of them have answered; a deadline may prevent it. `scores`
        are those of leaves cut down, if they are meant.
        """
        start, is_look = time.perf_counter(), scores is not None
        scores = scores if is_look else self.scores[ceiling]
        keep = keep and self.options.keeps_parts
        wanted = range(len(scores.tasks)) if leaves is None else leaves
        jobs = []
        for k in wanted:
            alike = {}
            for t in thetas:
                if not scores.is_known(t, k):
                    alike.setdefault(self.thetas[t][3:], []).append(int(t))
            jobs += [Job(int(k), tuple(own)) for own in alike.values()]
        if jobs and self._deadline.is_over():
            return False
        # The largest first balances the threads; the result does not depend on it.
        jobs.sort(key=lambda job: -len(scores.tasks[job.leaf].rows))
        answers = judge_all(
            self._evaluate,
            self._store,
            f"look/{ceiling}" if is_look else ceiling,
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
                size, self.thetas[t], self.scores[size], self.looks.get(size), t, kept
            )
            for (size, t), kept in sorted(self._went_on.items())
        ]
        return Outcome(
            self.thetas[theta],
            ceiling,
            score,
            rows,
            dict(self.seconds),
            self._deadline.has_ended_work,
        )

    def trained_parts(self, outcome):
        """Parts of the first fold that the winner has trained already, by leaf."""
        return self.scores[outcome.max_leaf_size].parts.get(self.winner, {})


def _width(theta):
    """What makes a kernel narrower: γ, or its multiple of one over the median."""
    return theta.gamma_scale if isinstance(theta.gamma, str) else theta.gamma
