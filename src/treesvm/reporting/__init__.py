"""Methods side by side: trained, measured, printed and shown."""

from treesvm.reporting.embedded import embedded_tables
from treesvm.reporting.methods import METHODS
from treesvm.reporting.report import html_report
from treesvm.reporting.running import (
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
