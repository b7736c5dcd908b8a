"""Estimators for comparison."""

from treesvm.baselines.svm_trees import SVMTreesClassifier

__all__ = ["SVMTreesClassifier"]
