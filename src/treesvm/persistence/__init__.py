"""Model files and checkpoints: arrays and a JSON header, never a pickle."""

from treesvm.files.failures import ModelFileError
from treesvm.persistence.checkpoint import Checkpoint, CheckpointError
from treesvm.persistence.model_file import load_model, save_model

__all__ = [
    "Checkpoint",
    "CheckpointError",
    "ModelFileError",
    "load_model",
    "save_model",
]
