"""Estimators that choose their own parameters."""

from treesvm.model_selection.hlsvm_cv import HLSVMClassifierCV

__all__ = ["HLSVMClassifierCV"]
