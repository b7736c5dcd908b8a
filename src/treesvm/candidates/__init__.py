"""Selectors of support-vector candidates: which rows to train on."""

from treesvm.candidates.cbd import CBD
from treesvm.candidates.clean_spread import CleanSpread
from treesvm.candidates.cvs import CVS
from treesvm.candidates.fld import FLD
from treesvm.candidates.random_rows import RandomRows
from treesvm.candidates.trsd import TRSD

__all__ = ["CBD", "CVS", "FLD", "TRSD", "CleanSpread", "RandomRows"]
