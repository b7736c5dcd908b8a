"""Support vector machines at decision-tree speed; ``__init__.pyi`` lists the names."""

from treesvm.lazy_names import lazy_names

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
