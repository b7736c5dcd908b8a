"""The search of `decomposition_search`, raced: what cannot matter is left out.

1. All thetas answer a few leaves that are cut to few rows, the worse half fewer of
   them each time; the best go on.
2. They answer whole leaves, ever more of them. Whenever twice as many rows have judged
   them, those that cannot win any more go, and of the others the worse half.
3. Thetas a third of a decade around the winner are tried, if they may be; of
   regressors also a smaller and a larger epsilon.
4. The smoothest theta is taken among those that are as good.
5. At a larger ceiling the best few meet first in leaves cut down; two of them, and the
   next gamma, answer whole leaves, the largest first, until a sufficient gain is
   excluded or one is ahead.
   Leaves that are the same at both ceilings say nothing for or against.
"""

import numpy as np

from treesvm.decomposition.progress import Progress
from treesvm.model_selection.candidates_of_tables import neighbours
from treesvm.model_selection.decomposition_search import DecompositionSearch
from treesvm.model_selection.racing import cannot_win, gain_excluded, near_tie
from treesvm.model_selection.search_scores import Scores
from treesvm.model_selection.search_tasks import can_differ, cut_task, finer_tasks

_TOLERANCE = 0.001  # score that a race does not wait for
_STEPS = 10  # cap on pair steps per row in a race: what needs more rarely wins
_FEW_ROWS = 300  # that train in a first look
_MANY_ROWS = 1000  # that train at least in a look at larger leaves
_LOOK_LEAVES = 4, 24  # of a first look: at least, and at most
# Validation rows of a look, and of a race's first stretch: a share of the training rows
# (the more there are, the more a wrong choice costs), between two bounds.
_LOOK_JUDGES = 5, 1000, 4000
_RACE_JUDGES = 10, 500, 2000
# What so many validation rows cannot tell apart, the others need not either.
_ENOUGH = 10_000
_FIRST_JUDGES = 150  # validation rows of a look's first stretch
_FINALISTS = 12  # thetas that go on from a look
_FEWEST = 2  # thetas that go on in any case, and from a look at larger leaves
_TUBES = 0.25, 4.0  # steps of a regressor's epsilon
_NEAR_TIE = 0.0025  # that a smoother theta of a given list may be behind


class RacedSearch(DecompositionSearch):
    """See the module's text; parameters are those of `DecompositionSearch`."""

    def run(self):
        """Race the thetas over leaves, then the best of them over ceilings."""
        first = self.first_ceiling
        self._start(first)
        everyone = list(range(len(self.thetas)))
        alive = self._race(self._looked(first, everyone, _FEW_ROWS, _FINALISTS))
        if self.options.is_refined:
            alive = self._refined(alive)
        pool = self._distinct(self._smooth_first(alive))[: self.options.top_k]
        self._note(first, range(len(self.thetas)), pool)
        ceiling, best = self._race_ceilings(pool)
        if self.options.keeps_parts:  # the score is that of the model
            self.scores[ceiling].forget_unconverged(best)
        # The winner's remaining leaves: judged and, by the same stroke, trained.
        self._run(ceiling, [best], keep=True)
        return self._outcome(best, ceiling, self.scores[ceiling].score(best))

    def _looked(
        self, ceiling, thetas, n_rows, n_kept, among=None, least=_LOOK_LEAVES[0]
    ):
        """Return the thetas that did best in a few leaves of few rows.

        Every time that twice as many rows have judged them, the worse half goes.
        """
        if len(thetas) <= n_kept:
            return thetas
        tasks = self.scores[ceiling].tasks
        rng = np.random.RandomState(self.options.seed)
        if among is None:
            among = [k for k in rng.permutation(len(tasks)) if can_differ(tasks[k])]
        sizes = np.cumsum([len(tasks[k].val_rows) for k in among])
        enough = int(np.searchsorted(sizes, self._judges(_LOOK_JUDGES))) + 1
        chosen = among[: min(max(least, enough), _LOOK_LEAVES[1])]
        if not chosen:
            return thetas
        cut = [cut_task(tasks[k], n_rows, rng) for k in chosen]
        self.looks[ceiling] = looks = Scores(cut, self._judgement)
        self._note(ceiling, thetas, [])
        seen = 0
        for stretch in stretches([len(t.val_rows) for t in cut], _FIRST_JUDGES):
            batch, seen = range(seen, seen + stretch), seen + stretch
            if not self._run(
                ceiling, thetas, batch, keep=False, cap=_STEPS, scores=looks
            ):
                break
            thetas = self._better_half(thetas, looks, range(seen), 1.0, n_kept)
        return self._ranked(ceiling, thetas, looks)[:n_kept]

    def _judges(self, bounds):
        """Return how many validation rows decide, see `_LOOK_JUDGES`."""
        divisor, least, most = bounds
        return min(max(self.n_train // divisor, least), most)

    def _race(self, alive):
        """Judge the alive thetas leaf by leaf, dropping those that cannot win.

        Returns all of them, the best first; those that went early come last.
        """
        ceiling = self.first_ceiling
        scores = self.scores[ceiling]
        mixed = np.array([k for k, t in enumerate(scores.tasks) if t.is_mixed], int)
        share = scores.sizes[mixed].sum() / max(scores.sizes.sum(), 1)
        pure = np.setdiff1d(np.arange(len(scores.tasks)), mixed)
        self._run(ceiling, alive, pure, keep=True)
        order = np.random.RandomState(self.options.seed).permutation(mixed)
        progress = Progress(len(order), "leaves raced", self.options.verbose)
        done, gone = 0, []
        for stretch in self._stretches(scores, order):
            batch = order[done : done + stretch]
            # The few that are left may win: keep what is trained for them.
            keep = len(alive) <= self.options.top_k
            if not self._run(ceiling, alive, batch, keep=keep, cap=_STEPS):
                break
            done += len(batch)
            better = self._better_half(alive, scores, order[:done], share)
            gone = [
                *(t for t in self._ranked(ceiling, alive) if t not in better),
                *gone,
            ]
            alive = better
            progress.step_many(len(batch), self._progress(alive))
            if len(alive) == 1 or scores.sizes[order[:done]].sum() >= _ENOUGH:
                break
        progress.close()
        return [*self._ranked(ceiling, alive), *gone]

    def _stretches(self, scores, order):
        """Return how many leaves come at a time, so that the judging rows double."""
        sizes = [len(scores.tasks[k].val_rows) for k in order]
        return stretches(sizes, self._judges(_RACE_JUDGES))

    def _better_half(self, alive, scores, seen, share, least=_FEWEST):
        """Drop thetas that cannot win, and of the others the worse half."""
        seen = np.asarray(seen)
        worth = scores.worth(alive, seen)
        hopeless = cannot_win(worth, scores.sizes[seen], share, _TOLERANCE)
        able = [t for t, out in zip(alive, hopeless, strict=True) if not out]
        ranked = sorted(able, key=lambda t: (-worth[alive.index(t)].sum(), t))
        best = ranked[: max(least, len(alive) // 2)]
        return [t for t in alive if t in best]

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
        leader, around = alive[0], []
        for theta in self._around(self.thetas[leader]):
            if theta not in self.thetas:
                self.thetas.append(theta)
            around.append(self.thetas.index(theta))
        found = self._race(around)
        best = list(dict.fromkeys([*alive[:_FEWEST], *found[:_FEWEST]]))
        scores, leaves = self.scores[self.first_ceiling], None
        if scores.n_rows > _ENOUGH:  # those that one of them has answered
            leaves = np.unique(np.concatenate([scores.seen(t) for t in best]))
        self._run(self.first_ceiling, best, leaves, keep=True, cap=_STEPS)
        best = self._ranked(self.first_ceiling, best)
        return list(dict.fromkeys([*best, *alive, *found]))

    def _around(self, theta):
        """Return thetas near one; regressors share no work, so fewer of them."""
        if not self._judgement.is_regression:
            return neighbours(theta, is_grid=True)
        around = neighbours(theta, is_grid=False)
        if theta.loss == "hinge":
            around += [theta._replace(epsilon=theta.epsilon * s) for s in _TUBES]
        return around

    def _race_ceilings(self, pool):
        """Race a pool of thetas to larger ceilings; return (ceiling, theta)."""
        ceiling, base = self.first_ceiling, pool[0]
        while ceiling < self.n_train and self._can_rise(ceiling, base):
            larger = ceiling * self.options.growth
            self._start(larger)
            rivals = self._rivals(pool)
            left = self._race_leaves_at(larger, rivals, ceiling, base)
            gain = -1.0
            if left:
                is_done = self._run(larger, left, keep=True, cap=_STEPS)
                is_done &= self._run(ceiling, [base], keep=True, cap=_STEPS)
                left = self._ranked(larger, left) if is_done else []
            if left:
                gain = self.scores[larger].score(left[0])
                gain -= self.scores[ceiling].score(base)
            rises = gain >= self.options.min_gain
            self._note(larger, rivals, left if rises else [])
            if not rises:
                break
            left = self._distinct(self._smooth_first(left, larger), larger)
            ceiling, base = larger, left[0]
            # What was not tried here may be ahead in still larger leaves.
            pool = list(dict.fromkeys([*left, *pool]))[: self.options.top_k]
        return ceiling, base

    def _can_rise(self, ceiling, base):
        """Whether the score, which is one at most, can still rise by `min_gain`."""
        # Not in vain: needed if `base` wins here.
        if not self._run(ceiling, [base], keep=True, cap=_STEPS):
            return False
        return 1.0 - self.scores[ceiling].score(base) >= self.options.min_gain

    def _race_leaves_at(self, larger, rivals, ceiling, base):
        """Drop rivals that cannot gain enough over `base` at the smaller ceiling.

        Returns the leader of leaves that differ, and those of its view that are as
        good: it is they that share most of its work.
        """
        fine, coarse = self.scores[ceiling], self.scores[larger]
        inside = finer_tasks(fine.tasks, coarse.tasks)
        order = np.random.RandomState(self.options.seed).permutation(len(coarse.tasks))
        # Leaves that are the same at both ceilings say nothing for or against.
        order = [k for k in order if can_differ(coarse.tasks[k]) and len(inside[k]) > 1]
        # The largest leaf decides most rows, and is often the only one so large.
        largest = max(order, key=lambda k: coarse.sizes[k], default=None)
        order.sort(key=lambda k: k != largest)
        share = coarse.sizes[order].sum() / max(coarse.sizes.sum(), 1)
        n_rows = max(_MANY_ROWS, ceiling // 2)
        if largest is not None and len(coarse.tasks[largest].rows) > 2 * n_rows:
            rivals = self._looked(larger, rivals, n_rows, _FEWEST, order, 1)
            if ceiling == self.first_ceiling:
                # Fewer rows like wider kernels: the next gamma has another chance.
                rivals = list(dict.fromkeys([*rivals, *self._rivals(rivals[:1])]))
        before, done = np.zeros(len(coarse.tasks)), 0
        for stretch in self._stretches(coarse, order):
            batch = order[done : done + stretch]
            done += stretch
            parts = [k for b in batch for k in inside[b]]
            is_done = self._run(ceiling, [base], parts, keep=True, cap=_STEPS)
            is_done &= self._run(larger, rivals, batch, keep=True, cap=_STEPS)
            if not is_done:
                return []
            for b in batch:
                before[b] = fine.worth([base], inside[b]).sum()
            seen = np.array(order[:done])
            sizes = coarse.sizes[seen]
            gains = coarse.worth(rivals, seen) - before[seen]
            out = [
                gain_excluded(gain, sizes, self.options.min_gain, share)
                for gain in gains
            ]
            out |= cannot_win(gains, sizes, share, _TOLERANCE)
            left = {
                t: gain.sum()
                for t, gain, dropped in zip(rivals, gains, out, strict=True)
                if not dropped
            }
            if not left:
                return []
            best = max(left, key=left.get)
            rivals = [t for t in left if self._is_as_good(coarse, t, best, seen)]
        return rivals

    def _smooth_first(self, ranked, ceiling=None):
        """Put the smoothest theta in front that is as good as the first.

        As good: within a standard error of the paired difference, and of one view with
        it, because only then C and gamma say what is smoother.
        """
        scores = self.scores[self.first_ceiling if ceiling is None else ceiling]
        best = ranked[0]
        leaves = scores.seen(best)
        if scores.n_validated(best) == 0:
            return ranked
        as_good = [t for t in ranked if self._is_as_good(scores, t, best, leaves)]
        first = min(as_good, key=self._order)
        return [first, *(t for t in ranked if t != first)]

    def _is_as_good(self, scores, theta, best, leaves):
        """Whether a theta of the best one's view has answered leaves as well as it."""
        if theta == best:
            return True
        is_alike = self.thetas[theta][3:] == self.thetas[best][3:]
        if not is_alike or not all(scores.is_known(theta, k) for k in leaves):
            return False
        lead = scores.row_worth(best, leaves) - scores.row_worth(theta, leaves)
        return near_tie(lead, np.inf if self.options.is_refined else _NEAR_TIE)

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


def stretches(n_judges, wanted):
    """Return how many leaves come at a time, so that judging rows double.

    Parameters
    ----------
    n_judges : list of int
        Validation rows of the leaves, in their order.
    wanted : int
        Of them in the first stretch.
    """
    found, seen, n_leaves = [], 0, 0
    for n in n_judges:
        seen, n_leaves = seen + n, n_leaves + 1
        if seen >= wanted:
            found.append(n_leaves)
            wanted, n_leaves = 2 * seen, 0
    return [*found, n_leaves] if n_leaves else found
