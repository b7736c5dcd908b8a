"""What the front doors share: tables in, a search within a time limit, one winner."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from treesvm.datasets.column_encoder import ColumnEncoder
from treesvm.datasets.frames import as_table
from treesvm.datasets.table import Table
from treesvm.decomposition.explanations import explanations
from treesvm.decomposition.training import MachineOptions
from treesvm.inputs.estimator import Estimator
from treesvm.inputs.parameter_rules import check_parameters, either, number
from treesvm.model_selection.candidates_of_tables import first_thetas
from treesvm.model_selection.deadline import Deadline
from treesvm.model_selection.member_plan import planned_members
from treesvm.model_selection.row_order import order_matters
from treesvm.model_selection.stacking import MOST_MEMBERS
from treesvm.model_selection.table_folds import (
    FIRST_CEILING,
    searched_rows,
    table_folds,
)
from treesvm.model_selection.table_search import TableSearch

_CACHE_BYTES = 2**30
_TOL = 1e-3
EPSILON = 0.05  # of regressors, in standard deviations of the target
_PROBE_ROWS = 3000  # whose training tells how long all rows would take
_SEARCH_SHARE = 0.5  # of the time, where more rows are trained than searched
_FINAL_SHARE = 0.9  # of the time that is left, which training all rows may take


class TableEstimator(Estimator):
    """Encodes tables, searches, and trains the winner; see `TreeSVC` and `TreeSVR`."""

    takes_tables = True  # those of `treesvm.datasets` too

    _rules = {  # noqa: RUF012
        "time_limit": either(
            None, number("use a number of seconds, or None for no limit", above=0.0)
        )
    }

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        check_parameters(self)

    def _start(self):
        """Return the deadline and the seed of a fit."""
        self.check_parameters()
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return Deadline(self.time_limit), int(seed)

    def _training_table(self, X, n_targets):
        """Check training rows; note the names of their columns."""
        table = as_table(X)
        if table.n_rows != n_targets:
            raise ValueError(
                f"X has {table.n_rows} rows and y has {n_targets}; give one target for "
                "each row."
            )
        if isinstance(X, Table):
            self._take_columns_of(X)
        else:
            validate_data(self, X, skip_check_array=True)
        return table

    def _encoded_training(self, table, target, n_classes, seed):
        """Learn the encoder; return the encoded training rows."""
        self.encoder_, encoded = ColumnEncoder.fit_training(
            table, target, n_classes=n_classes, seed=seed
        )
        return encoded

    def _take_columns_of(self, table):
        """Set what scikit-learn finds out of frames and arrays."""
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if table.is_matrix:
            self.n_features_in_ = table.X.shape[1]
        else:
            self.n_features_in_ = len(table.names)
            self.feature_names_in_ = np.array(table.names, dtype=object)

    def _encoded(self, X):
        """Return rows as the machines want them."""
        check_is_fitted(self)
        if not isinstance(X, Table):  # the encoder checks the columns of those
            if len((X if hasattr(X, "shape") else np.asarray(X)).shape) != 2:
                as_table(X)  # raises, and says how to reshape
            validate_data(self, X, reset=False, skip_check_array=True)
        names = self.encoder_.column_names
        if names is None and hasattr(X, "to_numpy"):  # trained on rows without names
            X = X.to_numpy()
        return self.encoder_.transform(as_table(X, names))

    def _searched(self, rows, seed, deadline):
        """Search; return what was found."""
        if len(rows.target) < 2:
            raise ValueError(
                f"n_samples={len(rows.target)} with weight; a search trains on some "
                "rows and judges by others. Give it more rows, or use KernelSVR."
            )
        some = searched_rows(rows, seed)
        thetas = first_thetas(
            sparse.issparse(rows.X), rows.n_classes, has_squares=some is rows
        )
        epsilon = EPSILON if rows.n_classes is None else None
        options = MachineOptions(thetas[0], _TOL, None, _CACHE_BYTES, None, epsilon)
        is_ordered = not deadline.is_over() and order_matters(
            some, thetas[0], options, seed
        )
        folds, ceiling = table_folds(some, seed, is_ordered)
        search = TableSearch(
            some,
            folds,
            thetas,
            options,
            first_ceiling=ceiling,
            seed=seed,
            n_jobs=self.n_jobs,
            deadline=deadline.earlier(_SEARCH_SHARE if some is not rows else 1.0),
            verbose=self.verbose,
        )
        found = search.run()
        self.search_results_ = found.table
        self.stopped_early_ = found.stopped_early
        self.best_loss_ = found.loss
        return found

    def _trained(self, rows, found, weights, fit, deadline, seed):
        """Train as many members as time allows; set `members_`, return their plan.

        Parameters
        ----------
        weights : ndarray
            Of the thetas that were found.
        fit : callable
            ``fit(member, rows)`` returns a trained estimator.
        """
        n_rows = len(rows.target)
        first = planned_members(found, weights, n_rows, seed, 1)[0]
        first, rows, n_most = self._affordable(
            rows, first, found.plainer, fit, deadline
        )
        plan = [first]
        if n_most > 1:
            found = found._replace(max_leaf_size=first.max_leaf_size)
            plan = planned_members(found, weights, n_rows, seed, n_most)
        self.members_, slowest = [], 0.0
        for member in plan:
            if self.members_ and deadline.has_less_than(slowest):
                self.stopped_early_ = True
                break
            before = deadline.elapsed
            self.members_.append(fit(member, rows))
            slowest = max(slowest, deadline.elapsed - before)
        plan = plan[: len(self.members_)]
        self._note_theta(plan[0].theta, plan[0].max_leaf_size)
        return plan

    def _affordable(self, rows, first, plainer, fit, deadline):
        """Return the first member, rows and number of members for the time left.

        Where the winner cannot be trained on all rows, smaller parts are tried, and
        then plainer machines: more rows are worth more than the last choice of a
        search. If no choice affords all rows, the one that affords by far the most is
        taken.
        """
        n_rows = len(rows.target)
        if self.time_limit is None or n_rows <= 2 * _PROBE_ROWS:
            return first, rows, MOST_MEMBERS
        order = np.random.default_rng([first.seed, 11]).permutation(n_rows)
        probe = rows.take(np.sort(order[:_PROBE_ROWS]))
        chosen, n_most = first, 0
        for member in _cheaper(first, plainer):
            affordable = self._affordable_rows(member, probe, n_rows, fit, deadline)
            if affordable >= n_rows:
                is_found = member.theta == first.theta
                # A probe is slower by the row, and the clock stops what is too much.
                n_members = min(4 * affordable // n_rows, MOST_MEMBERS)
                n_members = n_members if is_found else 1
                self.stopped_early_ |= n_members < MOST_MEMBERS
                return member, rows, n_members
            if affordable >= 2 * n_most:
                chosen, n_most = member, affordable
        self.stopped_early_ = True
        return chosen, rows.take(np.sort(order[:n_most])), 1

    def _affordable_rows(self, member, probe, n_rows, fit, deadline):
        """Return how many rows the member could see in the time left."""
        before = deadline.elapsed
        fit(member, probe)
        rate = _PROBE_ROWS / max(deadline.elapsed - before, 1e-6)
        # Up to its leaf size, a machine's time grows with the square of its rows.
        rate /= max(1.0, min(n_rows, member.max_leaf_size) / _PROBE_ROWS)
        left = _FINAL_SHARE * (self.time_limit - deadline.elapsed)
        return int(max(_PROBE_ROWS, rate * left))

    def _note_theta(self, theta, max_leaf_size):
        """Set what was chosen for the heaviest member."""
        self.best_theta_ = {
            "C": theta.C,
            "gamma_scale": theta.gamma_scale,
            "kernel": theta.kernel.name,
            "leaf_scaling": theta.leaf_scaling,
            "feature_weights": theta.feature_weights,
            "max_leaf_size": max_leaf_size,
            "loss": theta.loss,
        }

    @property
    def best_estimator_(self) -> Any:
        """The member that counts most."""
        return self.members_[0]

    def _decompositions(self):
        return [member.decompositions_[0] for member in self.members_]

    @property
    def feature_importances_(self) -> np.ndarray:
        """Importance of each column as given: those of its encoded features, summed."""
        check_is_fitted(self)
        encoded = np.average(
            [member.feature_importances_ for member in self.members_],
            axis=0,
            weights=self._member_weights(),
        )
        return self.encoder_.by_column(encoded[None, :])[0]

    def explain(self, X: Any) -> np.ndarray:
        """Return exact Shapley values of the members' values, by column as given.

        Of two classes in log odds: they sum to `decision_function` minus what it would
        be if nothing were known of the row but its parts.  Of more classes, the mean of
        the members' values by their weights.  Indicators of one column are summed.  See
        `DTSVMClassifier.explain`.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            Rows to explain.

        Returns
        -------
        ndarray of shape (n_rows, n_columns) or (n_rows, n_columns, n_classes)
        """
        rows = self._encoded(X)
        values = sum(
            factor * explanations([member], rows)
            for factor, member in zip(
                self._factors(), self._decompositions(), strict=True
            )
        )
        return self.encoder_.by_column(values)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "members_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _cheaper(first, plainer):
    """Return the member that was found, and others that train faster."""
    small = first._replace(max_leaf_size=min(first.max_leaf_size, FIRST_CEILING))
    others = [small._replace(theta=theta) for theta in plainer]
    return list(dict.fromkeys((first, small, *others)))
