"""What a paper published, and which run regenerates it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

HOUR = 3600.0


@dataclass(frozen=True)
class Run:
    """One piece of computing: ``work(folder, quick, **parameters)`` returns figures.

    `data` names the sets that it reads, `sources` the library's files that decide its
    figures. What tests hold to a certificate or to a plain twin is not among them, as
    the solvers and the papers' own searches: a faster one changes no figure. The code
    here that it reaches needs no naming. `seconds` is about what it takes; a run
    `only_for_times` is left to a quiet machine. `after` names the run whose figures it
    needs.
    """

    name: str
    work: Callable[..., dict]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    data: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    seconds: float = 60.0
    only_for_times: bool = False
    after: str = ""


@dataclass(frozen=True)
class Tolerance:
    """How far ours may be from the published figure: by a difference or a factor.

    Figures below `floor`, such as the tick of a clock, count as `floor`.
    """

    width: float
    is_factor: bool = False
    floor: float = 0.0

    def holds(self, ours, published):
        if not self.is_factor:
            return abs(ours - published) <= self.width + 1e-9
        ours, published = max(ours, self.floor), max(published, self.floor)
        if ours == published:
            return True
        if min(ours, published) <= 0:
            return False
        return max(ours / published, published / ours) <= self.width

    def __str__(self):
        if not self.is_factor:
            return f"{self.width:g}"
        least = f" from {self.floor:g} up" if self.floor else ""
        return f"a factor of {self.width:g}{least}"


EQUAL = Tolerance(0.0)


@dataclass(frozen=True)
class Cell:
    """A published figure, and the figure of a run that stands beside it.

    `missing` says why there is no run: usually that the data cannot be had. A `timed`
    cell counts only when it was measured on a quiet machine. `beside` are further
    figures of the run, by label, that are shown with ours.
    """

    row: str
    column: str
    published: float | None
    run: str = ""
    figure: str = ""
    tolerance: Tolerance | None = None
    timed: bool = False
    missing: str = ""
    beside: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """A table of a paper. `note` is shown below it."""

    title: str
    cells: list[Cell]
    note: str = ""


@dataclass(frozen=True)
class Extra:
    """Measured beside the paper: rows of plain figures without published ones.

    `rows` maps a label to (run, {column: figure}); a figure is a name, or a function of
    all figures of the run.
    """

    title: str
    rows: Mapping[str, tuple[str, Mapping[str, str | Callable[[dict], Any]]]]
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure of a paper: ``draw(axes, figures)`` with `figures` of the named runs."""

    name: str
    title: str
    claim: str
    runs: tuple[str, ...]
    draw: Callable[[Any, dict], None]
    n_axes: int = 1


@dataclass(frozen=True)
class Paper:
    """Everything of one paper."""

    name: str
    title: str
    protocol: str
    runs: list[Run]
    tables: list[Table]
    extras: list[Extra] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    # Name -> figures computed from those of other runs, ``work(figures_of)``.
    derived: Mapping[str, Callable[..., dict]] = field(default_factory=dict)

    def run(self, name):
        return next(run for run in self.runs if run.name == name)

    def cells(self):
        return [cell for table in self.tables for cell in table.cells]


def mean_and_deviation(values):
    """Mean and sample deviation of a list; the deviation of one value is None."""
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, None
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
