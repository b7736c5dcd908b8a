"""What checkpoints cost, and whether killed fits come to the same model."""

import hashlib
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.data import MissingData
from benchmarks.distributed_covtype import covtype_rows, measured
from benchmarks.records import CaseResult, Claim, Record, converged_share, fewer
from treesvm import DTSVMClassifier
from treesvm.datasets import make_waves
from treesvm.persistence import Checkpoint

_ROOT = Path(__file__).resolve().parents[1]
_KILLS = 20


def overhead_case(context):
    """The same fit with and without checkpoint, turn by turn."""
    try:
        X, y, _, _ = covtype_rows(context)
        name = f"covtype, {len(y):,} × {X.shape[1]}"
    except MissingData:
        X, y = make_waves(200_000, 6)
        name = "generated waves, 200,000 × 6"
    context.start_ours()
    model = DTSVMClassifier(random_state=0, n_jobs=2)
    model.fit(X[:20_000], y[:20_000])
    plain, kept, n_bytes = [], [], 0
    for _ in range(context.repeat):
        plain.append(_fit_seconds(model.set_params(checkpoint=None), X, y))
        with tempfile.TemporaryDirectory() as folder:
            kept.append(_fit_seconds(model.set_params(checkpoint=folder), X, y))
            n_bytes = sum(p.stat().st_size for p in Path(folder).iterdir())
    result = CaseResult()
    converged = converged_share(model)
    for method, times in (("without", plain), ("with", kept)):
        result.records.append(
            Record(
                *("checkpoints", f"treesvm {method} checkpoint", name, *min(times)),
                threads=2,
                n_solves=model.n_leaves_,
                converged_share=converged,
            )
        )
    for kind, words in enumerate(("time", "processor time")):
        overhead = min(run[kind] for run in kept) / min(run[kind] for run in plain)
        work = f"{words} that a checkpoint adds to a fit"
        share = 100.0 * (overhead - 1.0)
        result.claims.append(fewer(work, share, 10.0, unit="%"))
    result.tables[f"{name}, 2 threads, seconds"] = [
        {
            "run": str(k + 1),
            "without": a[0],
            "with checkpoint": b[0],
            "processor time without": a[1],
            "with": b[1],
        }
        for k, (a, b) in enumerate(zip(plain, kept, strict=True))
    ]
    result.notes.append(
        f"The folder holds {n_bytes / 2**20:.0f} MB after the fit; the checksum of the "
        f"rows is part of the time. {converged:.1%} of the leaves converged."
    )
    return result


def _fit_seconds(model, X, y):
    """Return wall and processor seconds of a fit."""
    return measured(None, lambda: model.fit(X, y))


def kills_case(context):
    """Kill a fit at a random moment, resume it, compare the models; many times."""
    context.start_ours()
    n_kills, n_rows = (3, 20_000) if context.quick else (_KILLS, 100_000)
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        wanted, seconds, _ = _run(folder, n_rows)
    rows, n_same = [], 0
    for k in range(n_kills):
        moment = float(rng.uniform(0.0, seconds))
        with tempfile.TemporaryDirectory() as folder:
            _start_and_kill(folder, n_rows, moment)
            digest, rest, restored = _run(folder, n_rows)
        n_same += digest == wanted
        rows.append(
            {
                "kill": k + 1,
                "after, s": moment,
                "leaves kept": restored,
                "rest of the fit, s": rest,
                "model": "same" if digest == wanted else "DIFFERENT",
            }
        )
    result = CaseResult(timed=False)
    result.records.append(
        Record("kills", "treesvm resumed", f"{n_rows:,} × 6", seconds, n_solves=n_kills)
    )
    result.claims.append(
        Claim(
            f"of {n_kills} killed fits, resumed to the same model",
            n_same,
            must=n_kills,
            unit="fits",
        )
    )
    result.tables[f"SIGKILL during a fit of {n_rows:,} rows ({seconds:.1f} s)"] = rows
    return result


def _command(folder, n_rows):
    module = "benchmarks.distributed_checkpoints"
    program = f"import sys, {module} as c; c.child(*sys.argv[1:])"
    return [sys.executable, "-c", program, str(folder), str(n_rows)]


def _run(folder, n_rows):
    """Run the fit to its end; return (digest, seconds, leaves restored)."""
    done = subprocess.run(
        _command(folder, n_rows), capture_output=True, text=True, cwd=_ROOT
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    digest, seconds, restored = done.stdout.split()[1:]
    return digest, float(seconds), int(restored)


def _start_and_kill(folder, n_rows, moment):
    with subprocess.Popen(
        _command(folder, n_rows), stdout=subprocess.PIPE, text=True, cwd=_ROOT
    ) as child:
        child.stdout.readline()
        time.sleep(moment)
        child.send_signal(signal.SIGKILL)
        child.wait()


def child(folder, n_rows):
    """What the killed process runs."""
    X, y = make_waves(int(n_rows), 6, seed=1)
    DTSVMClassifier().fit(X[:2000], y[:2000])  # compiled before it counts
    print("started", flush=True)
    kept = Checkpoint(folder, every=0.1)
    model = DTSVMClassifier(max_leaf_size=300, random_state=0, checkpoint=kept)
    seconds, _ = _fit_seconds(model, X, y)
    print(digest_of(model), seconds, model.n_restored_leaves_, flush=True)


def digest_of(model):
    """A hash of all numbers of a model but its times."""
    found = hashlib.sha256()
    for member in model.decompositions_:
        tree = member.partition.tree
        for name in sorted(tree.__dataclass_fields__):
            found.update(np.ascontiguousarray(getattr(tree, name)).tobytes())
        for part in member.parts:
            found.update(str((part.code, part.n_rows, part.n_classes)).encode())
            if part.machine is not None:
                machine, scaling = part.machine, part.scaling
                arrays = (machine.vectors, machine.support, machine.coefficients)
                arrays += (machine.biases, machine.records, *scaling[:3])
                for array in arrays:
                    found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()
