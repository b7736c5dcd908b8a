"""Models for other runtimes: ONNX, and C without any; names in ``__init__.pyi``."""

from treesvm.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
