"""The table of estimators: where each lives, and what its fitted state is made of.

An estimator is one line here. Fields are the kinds of `treesvm.persistence.fields`, in
the order in which they are read; a name of `treesvm.persistence.plain_values` stands
for an attribute that is a plain value. `unsaved` are parameters that only training
uses and that no file could hold.
"""

from typing import NamedTuple


class Entry(NamedTuple):
    """One line of the table."""

    module: str
    fields: tuple[str, ...]
    unsaved: tuple[str, ...] = ()


_CLASSIFIER = ("features", "classes")
_REGRESSOR = ("features",)
_SEARCHED = ("C_", "gamma_", "max_leaf_size_", "best_score_", "n_leaf_fits_",
             "search_results_", "seconds_per_ceiling_", "stopped_early_")  # fmt: skip
_TABLES = ("members_", "best_theta_", "best_loss_", "search_results_",
           "stopped_early_")  # fmt: skip

ESTIMATORS = {
    "TreeSVC": Entry(
        "treesvm.model_selection.tree_svc",
        (*_CLASSIFIER, "encoder", *_TABLES, "committee"),
    ),
    "TreeSVR": Entry(
        "treesvm.model_selection.tree_svr",
        (*_REGRESSOR, "encoder", "target_mean_", "target_scale_", *_TABLES,
         "member_weights"),
    ),
    "KernelSVC": Entry(
        "treesvm.estimators.kernel_svc",
        (*_CLASSIFIER, "machine", "probability_scale_"),
    ),
    "KernelSVR": Entry("treesvm.estimators.kernel_svr", (*_REGRESSOR, "machine")),
    "DTSVMClassifier": Entry(
        "treesvm.estimators.dtsvm", (*_CLASSIFIER, "theta", "members", "calibration")
    ),
    "DTSVMClassifierCV": Entry(
        "treesvm.model_selection.dtsvm_cv",
        (*_CLASSIFIER, "best_estimator_", *_SEARCHED),
    ),
    "DTSVRegressor": Entry(
        "treesvm.estimators.dtsvr", (*_REGRESSOR, "theta", "members")
    ),
    "DTSVRegressorCV": Entry(
        "treesvm.model_selection.dtsvr_cv",
        (*_REGRESSOR, "best_estimator_", "target_mean_", "target_scale_", *_SEARCHED),
    ),
    "HLSVMClassifier": Entry(
        "treesvm.estimators.hlsvm", (*_CLASSIFIER, "trees")
    ),
    "HLSVMClassifierCV": Entry(
        "treesvm.model_selection.hlsvm_cv",
        (*_CLASSIFIER, "best_estimator_", "alpha_", "prune_share_", "best_score_",
         "cv_results_", "stopped_early_"),
    ),
    "SVMMajClassifier": Entry(
        "treesvm.estimators.svm_maj",
        (*_CLASSIFIER, "planes", "n_iter_", "probability_scale_", "alpha_",
         "cv_results_"),
    ),
    "SVMPartitionTreeClassifier": Entry(
        "treesvm.estimators.svm_partition_tree", (*_CLASSIFIER, "trees")
    ),
    "SupportVectorTreeClassifier": Entry(
        "treesvm.estimators.support_vector_tree",
        (*_CLASSIFIER, "compressed_members", "model_loss_", "validation_loss_"),
        unsaved=("estimator",),
    ),
    "CandidateSVC": Entry(
        "treesvm.estimators.candidate_svc",
        (*_CLASSIFIER, "estimator_", "sample_indices"),
    ),
    "SVMTreesClassifier": Entry(
        "treesvm.baselines.svm_trees", (*_CLASSIFIER, "trees")
    ),
    "RDSVMClassifier": Entry(
        "treesvm.baselines.rdsvm", (*_CLASSIFIER, "best_estimator_", *_SEARCHED)
    ),
    "BaggedSVC": Entry(
        "treesvm.baselines.bagged_svc",
        (*_CLASSIFIER, "members", "validation_scores", "C_", "gamma_"),
    ),
    "CPSPClassifier": Entry(
        "treesvm.baselines.cpsp",
        (*_CLASSIFIER, "basis", "converged_share_", "n_iter_"),
    ),
    "LASVMClassifier": Entry(
        "treesvm.baselines.lasvm",
        (*_CLASSIFIER, "machine", "probability_scale_", "support_weight"),
    ),
}  # fmt: skip

# Classes that wrap an estimator of the table above, and their modules. They have
# ``model_file_parts() -> (json_spec, estimator)`` and a class method
# ``from_model_file(spec, estimator)`` that checks the spec and raises ValueErrors.
WRAPPERS = {"TableModel": "treesvm.datasets.table_model"}
