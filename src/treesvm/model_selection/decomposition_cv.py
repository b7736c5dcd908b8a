"""What the searches over decompositions share, for classes and for numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np

from treesvm.decomposition.checkpointing import NOTHING_KEPT
from treesvm.decomposition.decomposition import Decomposition
from treesvm.decomposition.seeds import member_seeds
from treesvm.decomposition.theta import Theta
from treesvm.decomposition.training import (
    Recipe,
    fit_member,
    machine_options,
    train_parts,
)
from treesvm.inputs.parameter_rules import check_parameters
from treesvm.model_selection.best_estimator import (
    HoldsBestDecomposition,
    copy_fitted_inputs,
)
from treesvm.model_selection.deadline import Deadline
from treesvm.model_selection.decomposition_search import (
    DecompositionSearch,
    SearchOptions,
)
from treesvm.model_selection.raced_search import RacedSearch
from treesvm.model_selection.row_splits import split_rows, splits_identity
from treesvm.model_selection.search_candidates import check_candidates, find_candidates
from treesvm.model_selection.search_fold import SearchFold
from treesvm.model_selection.search_scores import DEFAULT_SCORES
from treesvm.partitions.axis_tree import AxisTree
from treesvm.partitions.choice import find_partition
from treesvm.trees.leaf_rows import LeafRows

_SEARCH_SHARE = 0.7  # of a time limit; the rest is for training the winner


class SearchesDecompositions(HoldsBestDecomposition):
    """Parameters in, a search over folds, and its winner trained.

    Classes that inherit say `_winner_class` and answer `_judgement`.
    """

    _winner_class: Any = None
    _judgement: Callable[..., Any]
    candidates: Any
    partition: Any
    scoring: Any
    search: str
    max_leaf_size: int
    top_k: int
    growth: int
    min_gain: float
    time_limit: float | None
    refit: bool | str
    n_jobs: int | None
    verbose: int

    def _folds(self, rows, target, kept, seed, store):
        """Return the folds, with their partitions grown."""
        splits = split_rows(self.cv, target, seed, kept)
        store.confirm("the split of cv", splits_identity(splits))
        recipe = find_partition(self._partition())
        return [
            SearchFold(rows, train, val, recipe, self.max_leaf_size, seed, number)
            for number, (train, val) in enumerate(splits)
        ]

    def _partition(self):
        """Return the partition as given; a paper's tree is grown on all rows."""
        is_paper = self.search == "exhaustive" and isinstance(self.partition, str)
        if is_paper and self.partition == "axis":
            return AxisTree(max_tree_rows=None)
        return self.partition

    def start_search(
        self,
        rows: Any,
        folds: list[Any],
        seed: int,
        store: Any = NOTHING_KEPT,
        evaluate: Callable[..., Any] | None = None,
        *,
        weight: Any = None,
        deadline: Any = None,
        is_sparse: bool = False,
    ) -> Any:
        """Return the search over the folds, not run yet.

        Parameters
        ----------
        rows : Rows
            Of the whole search.
        folds : list of SearchFold
        seed : int
        store : NoCheckpoint or a store with the same methods
        evaluate : callable, optional
            Judges candidates in parts, see `ThreadedLeaves`.
        weight : ndarray, optional
            Of the rows that judge; those that train by default.
        deadline : Deadline, optional
            Of search and training; `time_limit` from now by default.
        is_sparse : bool
            Whether rows are kept sparse.
        """
        options = machine_options(self.winner())
        base = options.theta._replace(epsilon=options.epsilon)
        found = find_candidates(self, base, is_sparse, rows.n_classes)
        deadline = deadline or Deadline(self.time_limit)
        is_raced = self.search == "raced" and self.scoring in DEFAULT_SCORES
        kind = RacedSearch if is_raced else DecompositionSearch
        return kind(
            folds,
            found.thetas,
            self.max_leaf_size,
            options,
            SearchOptions(
                self.top_k,
                self.growth,
                self.min_gain,
                self.n_jobs,
                seed,
                self.verbose,
                found.is_refined,
                self.time_limit,
                self.keeps_parts(folds),
            ),
            self._judgement(rows, rows.weight if weight is None else weight),
            evaluate=evaluate,
            store=store,
            deadline=deadline.earlier(_SEARCH_SHARE),
        )

    def run_search(self, search: Any) -> Any:
        """Search, note what was found, and return the outcome."""
        outcome = search.run()
        self.C_, self.gamma_ = outcome.theta.C, outcome.theta.gamma
        self.max_leaf_size_, self.best_score_ = outcome.max_leaf_size, outcome.score
        self.search_results_ = outcome.table()
        self.n_leaf_fits_ = int(search.n_leaf_fits)
        self.seconds_per_ceiling_ = outcome.seconds
        self.stopped_early_ = outcome.stopped_early
        return outcome

    @property
    def best_theta_(self) -> dict[str, Any]:
        """What was chosen, as parameters of the winner."""
        best = self._best()
        names = [n for n in (*Theta._fields, "max_leaf_size") if hasattr(best, n)]
        return {name: getattr(best, name) for name in names}

    def winner(self, outcome: Any = None, n_train: int = 0, n_rows: int = 0) -> Any:
        """Return the unfitted estimator with what was chosen, if anything was.

        Where one part of all `n_train` rows won, one part it stays on `n_rows`, though
        they may be more than the ceiling.
        """
        shared = self._winner_class().get_params(deep=False).keys()
        params = {name: getattr(self, name) for name in shared if hasattr(self, name)}
        params["partition"] = self._partition()
        chosen: dict[str, Any] = {"C": 1.0, "gamma": 1.0, "gamma_scale": 1.0}
        if outcome is not None:
            chosen = outcome.theta._asdict() | {"kernel": outcome.theta.kernel.name}
            ceiling = outcome.max_leaf_size
            is_one = ceiling >= n_train
            chosen["max_leaf_size"] = max(ceiling, n_rows) if is_one else ceiling
        chosen = {name: value for name, value in chosen.items() if name in shared}
        model = self._winner_class(**(params | chosen))
        copy_fitted_inputs(self, model)
        return model

    def _members(self, model, rows, search, outcome, seed, store):
        """Train what the search has not trained yet."""
        store = store.scope(outcome.name)
        if self.keeps_parts(search.folds):
            return [
                kept_member(
                    search,
                    outcome,
                    lambda tasks: train_parts(
                        rows,
                        joined_groups([task.rows for task in tasks]),
                        machine_options(model),
                        n_jobs=self.n_jobs,
                        verbose=self.verbose,
                        store=store.scope("missing leaves"),
                    ),
                )
            ]
        own = rows.take(self.final_rows(search.folds, len(rows.target)))
        recipe = recipe_of(model)
        n_members = getattr(self, "n_estimators", 1)
        return [
            fit_member(own, recipe, int(member_seed), store.scope(f"member {k}"))
            for k, member_seed in enumerate(member_seeds(seed, n_members))
        ]

    def keeps_parts(self, folds: list[Any]) -> bool:
        """Whether the parts that the search has trained are the model's."""
        is_one = getattr(self, "n_estimators", 1) == 1
        return not self.refit and len(folds) == 1 and is_one

    def final_rows(self, folds: list[Any], n_rows: int) -> Any:
        """Return the rows that train the final model."""
        keeps_out = not self.refit and len(folds) == 1
        return folds[0].train if keeps_out else np.arange(n_rows)

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        check_parameters(self)
        check_candidates(self)
        find_partition(self.partition)


def recipe_of(model):
    """Return how the members of a winner are made."""
    if hasattr(model, "recipe"):
        return model.recipe()
    return Recipe(
        find_partition(model.partition),
        model.max_leaf_size,
        machine_options(model),
        model.n_jobs,
        model.verbose,
    )


def kept_member(search, outcome, train):
    """Return the winner's decomposition from the parts that the search has trained.

    Parameters
    ----------
    train : callable
        From the tasks of parts that are missing to these.
    """
    tasks = search.scores[outcome.max_leaf_size].tasks
    parts = dict(search.trained_parts(outcome))
    missing = [k for k in range(len(tasks)) if k not in parts]
    parts.update(zip(missing, train([tasks[k] for k in missing]), strict=True))
    partition = search.partitions[outcome.max_leaf_size][0]
    n_classes = tasks[0].data.n_classes
    return Decomposition(partition, [parts[k] for k in range(len(tasks))], n_classes)


def joined_groups(row_lists):
    """Rows of several parts as `LeafRows`."""
    sizes = [len(rows) for rows in row_lists]
    order = np.concatenate([np.empty(0, np.int64), *row_lists])
    return LeafRows(order.astype(np.int64), np.concatenate([[0], np.cumsum(sizes)]))
