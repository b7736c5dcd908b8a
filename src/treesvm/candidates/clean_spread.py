"""CleanSpread: rows that agree with their neighbours, spread evenly, borders first."""

import numpy as np

from treesvm.candidates.cbd import nearest_rows
from treesvm.candidates.quotas import apportion
from treesvm.candidates.selector import CandidateSelector
from treesvm.inputs.array_types import Seed
from treesvm.kernels.compiling import compiled


class CleanSpread(CandidateSelector):
    """Keep rows whose neighbours vote for their class, spread over the space.

    A machine trained on a tenth of the rows suffers from two things: a wrong label
    weighs ten times as much, and chance leaves holes. All rows together know better: a
    row is *clean* if its own class has the most votes among its nearest neighbours.
    Clean rows are drawn one after the other, rows in mixed neighbourhoods more often,
    and each drawn row bars its nearest neighbours of the same class, about as many as
    it stands for.

    Parameters
    ----------
    share : float in (0, 1], default=0.1
        Share of the rows to keep.
    n_neighbors : int, default=15
        Neighbours that vote.
    floor : float, default=0.2
        A row with agreement a (the share of its neighbours that have its class) is
        drawn with weight ``floor + 1 - a``. Large values ignore the borders.
    n_jobs : int, optional
        Threads of the search for neighbours.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.
    verbose : int, default=0
        Above 0, progress goes to standard error.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_kept,)
        Rows kept, ascending; every class is among them.
    n_clean_ : int
        Rows that their neighbours voted for.

    Notes
    -----
    This rule is ours, beside the papers'. Each class gives its share of the rows; where
    it has too few clean ones, others fill up. A drawn row bars the nearest ``1 /
    share`` neighbours; when no row is left that is not barred, the number is halved,
    down to none.

    When not to use it: where neighbours mean little (hundreds of irrelevant or badly
    scaled features), where a rare class lies scattered among another, so that its rows
    are voted down, or where the time of a search for neighbours (about n² distances in
    more than some 15 features) is not to be had; `TRSD` costs one tree. Standardise the
    features first.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm.candidates import CleanSpread
    >>> X, y = make_moons(500, noise=0.3, random_state=0)
    >>> X_kept, y_kept = CleanSpread(0.1, random_state=0).fit_resample(X, y)
    >>> len(y_kept)
    50
    """

    def __init__(
        self,
        share: float = 0.1,
        n_neighbors: int = 15,
        *,
        floor: float = 0.2,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.share = share
        self.n_neighbors = n_neighbors
        self.floor = floor
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _select(self, X, codes, n_kept, rng):
        reach = round(len(codes) / n_kept)
        # Few rows: a neighbourhood of more than a quarter of them is no neighbourhood.
        most = max(1, len(codes) // 4)
        n_voting, reach = min(self.n_neighbors, most), min(reach, most)
        neighbours, _ = nearest_rows(
            X, max(n_voting, reach), n_jobs=self.n_jobs, verbose=self.verbose
        )
        agreement, is_clean = vote(codes, neighbours[:, :n_voting])
        self.n_clean_ = int(is_clean.sum())
        draws = rng.random_sample(len(codes))
        keys = np.log(draws) / (self.floor + 1.0 - agreement)
        # Clean rows first, then the others, each in the order of their keys.
        order = np.lexsort((-keys, ~is_clean))
        sizes = np.bincount(codes)
        quotas = apportion(n_kept, sizes, sizes)
        drawn = np.empty(n_kept, np.int64)
        _draw_spread(order, self.n_clean_, neighbours, codes, quotas, reach, drawn)
        return drawn


def vote(codes, neighbours):
    """Return each row's agreement with its neighbours, and whether its class wins.

    A class wins when no other one has more votes.
    """
    n, n_classes = len(codes), int(codes.max()) + 1
    cells = codes[neighbours] + n_classes * np.arange(n)[:, None]
    votes = np.bincount(cells.ravel(), minlength=n * n_classes).reshape(n, n_classes)
    own = votes[np.arange(n), codes]
    return own / neighbours.shape[1], own == votes.max(axis=1)


@compiled
def _draw_spread(order, n_clean, neighbours, codes, quotas, reach, drawn):
    """Fill `drawn` in the given order; the first `n_clean` rows are tried first.

    A drawn row bars its nearest `reach` neighbours of its own class; once all rows that
    are not barred are drawn, `reach` is halved and the bars are put up again.
    """
    left = quotas.copy()
    n_drawn = 0
    is_drawn = np.zeros(len(codes), np.bool_)
    for begin, end in ((0, n_clean), (n_clean, len(order))):
        width = reach
        while n_drawn < len(drawn):
            is_barred = is_drawn.copy()
            for t in range(n_drawn):
                _bar(drawn[t], neighbours, codes, width, is_barred)
            for t in range(begin, end):
                i = order[t]
                if is_barred[i] or left[codes[i]] == 0:
                    continue
                drawn[n_drawn] = i
                n_drawn += 1
                left[codes[i]] -= 1
                is_drawn[i] = is_barred[i] = True
                _bar(i, neighbours, codes, width, is_barred)
            if width == 0:
                break
            width //= 2


@compiled
def _bar(i, neighbours, codes, width, is_barred):
    """Bar the nearest `width` neighbours of row i that have its class."""
    for t in range(width):
        j = neighbours[i, t]
        if codes[j] == codes[i]:
            is_barred[j] = True
