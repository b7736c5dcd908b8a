"""What a benchmark leaves behind: flat records, and claims with their bounds."""

from dataclasses import asdict, dataclass, field

import numpy as np

from benchmarks import environment

UNSOLVED = "not counted: too few solves converged"
MIN_CONVERGED_SHARE = 0.9  # below it the times of a benchmark mean nothing


@dataclass(frozen=True)
class Record:
    """One measurement, flat: a table of them needs no unpacking."""

    case: str
    method: str
    data: str
    seconds: float
    cpu_seconds: float | None = None
    threads: int = 1
    accuracy: float | None = None
    objective: float | None = None  # dual objective, larger is better
    n_solves: int = 1
    converged_share: float | None = None
    peak_mb: float | None = None  # of a child process, above its data
    n_support: int | None = None
    params: str = ""
    note: str = ""
    cached: bool = False  # from the rival cache, not from this run


@dataclass(frozen=True)
class Claim:
    """A measured value beside the bound that is claimed for it.

    `must` is the claim. `aim`, a stricter bound that is worked towards, is the claim
    where there is no other; pages do not show it otherwise.
    """

    work: str
    value: float
    must: float | None = None
    aim: float | None = None
    unit: str = "×"
    higher_is_better: bool = True

    @property
    def bound(self):
        return self.aim if self.must is None else self.must

    @property
    def verdict(self):
        if self.higher_is_better:
            return "holds" if self.value >= self.bound else "does not hold"
        return "holds" if self.value <= self.bound else "does not hold"


def fewer(work, value, must=None, aim=None, unit="×"):
    """A claim whose value should be small."""
    return Claim(work, value, must, aim, unit=unit, higher_is_better=False)


def converged_share(model):
    """Return the share of a fitted model's leaves whose machines converged."""
    return float(np.mean(model.leaf_report()["converged"]))


@dataclass
class CaseResult:
    """All of one case. `tables` maps a title to a list of equally keyed rows.

    A case without times in it is not `timed`: a busy machine does not make it rough.
    """

    records: list[Record] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    tables: dict[str, list[dict]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    timed: bool = True

    def too_few_converged(self):
        """Our own records below the share that makes a time meaningful."""
        return [
            record
            for record in self.records
            if record.method.startswith("treesvm")
            and record.converged_share is not None
            and record.converged_share < MIN_CONVERGED_SHARE
        ]

    def as_json(self, benchmark):
        """Plain types; every record carries benchmark, versions, machine and time."""
        stamp = {
            "benchmark": benchmark,
            **environment.versions(),
            **environment.machine(),
            "timestamp": environment.timestamp(),
            "load": environment.load(),
        }
        # A time bought with unsolved problems meets nothing, however good it looks.
        failed = self.too_few_converged()
        claims = [
            {
                **asdict(claim),
                "bound": claim.bound,
                "verdict": UNSOLVED if failed else claim.verdict,
            }
            for claim in self.claims
        ]
        return {
            "environment": stamp,
            "records": [{**asdict(record), **stamp} for record in self.records],
            "claims": claims,
            "tables": self.tables,
            "notes": self.notes,
            "timed": self.timed,
        }
