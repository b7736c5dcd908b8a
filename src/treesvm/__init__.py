"""Support vector machines at decision-tree speed."""

from treesvm.estimators.dtsvm import DTSVMClassifier
from treesvm.estimators.hlsvm import HLSVMClassifier
from treesvm.estimators.kernel_svc import KernelSVC
from treesvm.model_selection.dtsvm_cv import DTSVMClassifierCV
from treesvm.model_selection.hlsvm_cv import HLSVMClassifierCV

__version__ = "0.1.0"

__all__ = [
    "DTSVMClassifier",
    "DTSVMClassifierCV",
    "HLSVMClassifier",
    "HLSVMClassifierCV",
    "KernelSVC",
]
