from treesvm.export.c_model import to_c
from treesvm.export.onnx_model import to_onnx

__all__ = ["to_c", "to_onnx"]
