from treesvm.export.c_model import to_c
from treesvm.export.exporting import Exported, checked_ending, export_model
from treesvm.export.onnx_model import to_onnx

__all__ = ["Exported", "checked_ending", "export_model", "to_c", "to_onnx"]
