"""Methods side by side: trained, measured, printed and shown."""

from treesvm.comparison.embedded import embedded_tables
from treesvm.comparison.methods import METHODS
from treesvm.comparison.report import html_report
from treesvm.comparison.running import (
    Comparison,
    MethodResult,
    compare,
    compare_table,
)

__all__ = [
    "METHODS",
    "Comparison",
    "MethodResult",
    "compare",
    "compare_table",
    "embedded_tables",
    "html_report",
]
