"""Model files: arrays and a JSON header, never a pickle."""

from treesvm.persistence.failures import ModelFileError
from treesvm.persistence.model_file import load_model, save_model

__all__ = ["ModelFileError", "load_model", "save_model"]
