from treesvm.datasets.embedded import embedded_tables
from treesvm.reporting.compile_clock import work_timed
from treesvm.reporting.method_looks import LOOKS, chosen_methods
from treesvm.reporting.methods import METHODS
from treesvm.reporting.number_text import bytes_text
from treesvm.reporting.quality import quality_facts
from treesvm.reporting.report import html_report
from treesvm.reporting.running import Comparison, MethodResult, compare, compare_table
from treesvm.reporting.summary import (
    fact_lines,
    model_facts,
    prediction_facts,
    tree_text,
)
from treesvm.reporting.warming import warm_up
from treesvm.reporting.words import headline, table_head, table_line

__all__ = [
    "LOOKS",
    "METHODS",
    "Comparison",
    "MethodResult",
    "bytes_text",
    "chosen_methods",
    "compare",
    "compare_table",
    "embedded_tables",
    "fact_lines",
    "headline",
    "html_report",
    "model_facts",
    "prediction_facts",
    "quality_facts",
    "table_head",
    "table_line",
    "tree_text",
    "warm_up",
    "work_timed",
]
