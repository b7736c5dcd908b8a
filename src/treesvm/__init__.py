"""Support vector machines at decision-tree speed."""

__version__ = "0.1.0"
