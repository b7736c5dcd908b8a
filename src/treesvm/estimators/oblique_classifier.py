"""What all classifiers made of oblique trees share: checking, answering, reporting.

A subclass grows the trees; see `ObliqueTreeClassifier.grow_tree`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from treesvm.decomposition.checkpointing import NOTHING_KEPT, KeptTrees
from treesvm.estimators.classifier import Classifier
from treesvm.inputs.array_types import Array, ArrayLike, MatrixLike
from treesvm.inputs.rows import Rows
from treesvm.inputs.training_rows import (
    LARGEST_SQUARED,
    check_boxes,
    check_magnitude,
    checked_rows,
    class_codes,
    row_weights,
)
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.trees.oblique_predictor import HLSVMPredictor
from treesvm.trees.text import export_text
from treesvm.trees.tree import Tree
from treesvm.trees.tree_committee import (
    as_probabilities,
    binary_problems,
    class_scores,
)


class ObliqueTreeClassifier(Classifier, ABC):
    """One oblique tree, or a committee of binary ones.

    Subclasses have the parameters `multi_class`, `class_weight`, `n_jobs` and
    `random_state`.
    """

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Grow the tree or trees.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            Not negative; rows of weight zero are left out.

        Returns
        -------
        self
        """
        self.check_parameters()
        X, y = checked_rows(self, X, y)
        check_magnitude(X, LARGEST_SQUARED)
        self.classes_, codes = class_codes(y)
        weight = None
        if sample_weight is not None or self.class_weight is not None:
            weight = row_weights(X, sample_weight)
            weight = weight * compute_sample_weight(self.class_weight, y)
            if (weight == 0.0).any():
                kept = np.flatnonzero(weight > 0.0)
                X, weight = X[kept], weight[kept]
                self.classes_, codes = class_codes(y[kept])
        check_boxes(self, 1.0 if weight is None else weight.max(initial=0.0))
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        rows = Rows(X, codes, weight, len(self.classes_))
        with self._open_checkpoint(rows) as store:
            seed = store.seeds([seed], self.random_state)[0]
            trees = self._grow_committee(rows, seed, store)
        return self.restore_fitted(trees)

    def restore_fitted(self, trees: list[Tree]) -> Self:
        """Set the fitted attributes from grown trees, wherever they come from."""
        self.trees_ = trees
        return self

    def _open_checkpoint(self, rows):
        """Return the store of what was finished; here it keeps nothing."""
        return NOTHING_KEPT

    @abstractmethod
    def grow_tree(
        self, rows: Rows, *, seed: int, n_jobs: int | None, kept: Any = None
    ) -> Tree:
        """Return the tree of some rows, whose weight may be None.

        `kept` holds finished subtrees, see `treesvm.trees.growth.grow`.
        """

    def _grow_committee(self, rows, seed, store):
        """Grow one tree with all threads, or many trees side by side."""
        X, codes, weight, n_classes = rows
        problems = list(binary_problems(codes, n_classes, self.multi_class))
        is_single = len(problems) == 1

        def grow(place, chosen, labels):
            kept = KeptTrees(store.scope(f"member {place}"))
            tree = kept.get("whole")
            if tree is None:
                own = Rows(
                    X if len(chosen) == len(codes) else X[chosen],
                    labels,
                    None if weight is None else weight[chosen],
                    n_classes if is_single else 2,
                )
                tree = self.grow_tree(
                    own,
                    seed=seed + place,
                    n_jobs=self.n_jobs if is_single else 1,
                    kept=None if store is NOTHING_KEPT else kept,
                )
                kept.put("whole", tree)
            return tree

        n_workers = min(effective_n_jobs(self.n_jobs), len(problems))
        return Parallel(n_jobs=n_workers, require="sharedmem")(
            delayed(grow)(place, *problem) for place, problem in enumerate(problems)
        )

    def apply(self, X: MatrixLike) -> Array:
        """Return the leaf of each row, shape (n_rows,) or (n_rows, n_trees).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_estimators)
        """
        leaves = np.stack(self._leaf_ids(self._checked(X)), axis=1)
        return leaves[:, 0] if len(self.trees_) == 1 else leaves

    def decision_function(self, X: MatrixLike) -> Array:
        """Return a score for each class, or for two classes the lead of the second.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Leaf shares; with ``multi_class="ovo"`` votes plus a fraction for the
            summed shares. With two classes the difference of the shares.
        """
        scores = self._scores(self._checked(X))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: MatrixLike) -> Array:
        """Return the class shares of each row's leaf.

        Several trees: their scores, divided by the sum. The largest is the answer of
        `predict` in any case.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        return as_probabilities(self._scores(self._checked(X)))

    def _codes(self, X):
        leaf_ids = self._leaf_ids(X)
        if len(self.trees_) == 1:
            return self.trees_[0].value.argmax(axis=1)[leaf_ids[0]]
        return self._leaf_scores(leaf_ids).argmax(axis=1)

    def decision_path(self, X: MatrixLike) -> Any:
        """Return the nodes that each row meets, its leaves included.

        Returns
        -------
        csr_matrix of shape (n_rows, total number of nodes)
            The columns of several trees stand side by side.
        """
        X = self._checked(X)
        paths = [tree.decision_path(X) for tree in self.trees_]
        return sparse.hstack(paths, format="csr")

    def hyperplanes_met(self, X: MatrixLike) -> Array:
        """Return how many hyperplanes each row is compared with, over all trees.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        leaf_ids = self._leaf_ids(self._checked(X))
        pairs = zip(self.trees_, leaf_ids, strict=True)
        return np.sum([tree.node_depth[leaves] for tree, leaves in pairs], axis=0)

    def get_depth(self) -> int:
        """Return the number of hyperplanes on the longest path of any tree."""
        check_is_fitted(self)
        return max(tree.depth for tree in self.trees_)

    def get_n_leaves(self) -> int:
        """Return the number of leaves, over all trees."""
        check_is_fitted(self)
        return sum(tree.n_leaves for tree in self.trees_)

    def export_text(
        self,
        *,
        feature_names: Sequence[str] | None = None,
        max_terms: int = 5,
        decimals: int = 3,
    ) -> str:
        """Return the rules of the trees as text; see `treesvm.trees.text`."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        options = {
            "feature_names": names if feature_names is None else feature_names,
            "max_terms": max_terms,
            "decimals": decimals,
        }
        if len(self.trees_) == 1:
            labels = [str(label) for label in self.classes_]
            return export_text(self.trees_[0], class_names=labels, **options)
        return "\n".join(export_text(tree, **options) for tree in self.trees_)

    def predictor(self) -> Callable[..., Any]:
        """Return a compiled object that answers without checking its input.

        Called with one row it returns the label, with a 2-D array an array of labels,
        equal to `predict`; ``.decision(...)`` returns decision values. Only the width
        is checked.

        Returns
        -------
        callable
        """
        check_is_fitted(self)
        return HLSVMPredictor(self.trees_, self.classes_, self.multi_class)

    def _leaf_ids(self, X):
        """Return the leaf of each row in each tree."""
        return [tree.apply(X, n_jobs=self.n_jobs) for tree in self.trees_]

    def _scores(self, X):
        """Return class scores, shape (n_rows, n_classes)."""
        return self._leaf_scores(self._leaf_ids(X))

    def _leaf_scores(self, leaf_ids):
        """The same from the leaves of the rows."""
        n_classes = len(self.classes_)
        return class_scores(self.trees_, leaf_ids, n_classes, self.multi_class)
