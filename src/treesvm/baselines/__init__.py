"""Estimators for comparison."""

from treesvm.baselines.bagged_svc import BaggedSVC
from treesvm.baselines.cpsp import CPSPClassifier
from treesvm.baselines.lasvm import LASVMClassifier
from treesvm.baselines.rdsvm import RDSVMClassifier
from treesvm.baselines.svm_trees import SVMTreesClassifier

__all__ = [
    "BaggedSVC",
    "CPSPClassifier",
    "LASVMClassifier",
    "RDSVMClassifier",
    "SVMTreesClassifier",
]
