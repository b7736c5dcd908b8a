from treesvm import (  # noqa: I001
    baselines as baselines,
    bounds as bounds,
    candidates as candidates,
    datasets as datasets,
    distributed as distributed,
    export as export,
    metrics as metrics,
    model_selection as model_selection,
    partitions as partitions,
    persistence as persistence,
    plotting as plotting,
    reporting as reporting,
)
from treesvm.estimators.candidate_svc import CandidateSVC
from treesvm.estimators.compress import compress
from treesvm.estimators.dtsvm import DTSVMClassifier
from treesvm.estimators.dtsvr import DTSVRegressor
from treesvm.estimators.hlsvm import HLSVMClassifier
from treesvm.estimators.kernel_svc import KernelSVC
from treesvm.estimators.kernel_svr import KernelSVR
from treesvm.estimators.support_vector_tree import SupportVectorTreeClassifier
from treesvm.estimators.svm_maj import SVMMajClassifier
from treesvm.estimators.svm_partition_tree import SVMPartitionTreeClassifier
from treesvm.model_selection.dtsvm_cv import DTSVMClassifierCV
from treesvm.model_selection.dtsvr_cv import DTSVRegressorCV
from treesvm.model_selection.hlsvm_cv import HLSVMClassifierCV
from treesvm.model_selection.tree_svc import TreeSVC
from treesvm.model_selection.tree_svr import TreeSVR
from treesvm.persistence.model_file import load_model, save_model

__version__: str

__all__ = [
    "CandidateSVC",
    "DTSVMClassifier",
    "DTSVMClassifierCV",
    "DTSVRegressor",
    "DTSVRegressorCV",
    "HLSVMClassifier",
    "HLSVMClassifierCV",
    "KernelSVC",
    "KernelSVR",
    "SVMMajClassifier",
    "SVMPartitionTreeClassifier",
    "SupportVectorTreeClassifier",
    "TreeSVC",
    "TreeSVR",
    "compress",
    "load_model",
    "save_model",
]
