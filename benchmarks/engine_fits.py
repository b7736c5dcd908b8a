"""Single fits too large for one Gram matrix: two-class sets and MNIST."""

import numpy as np

from benchmarks import svc
from benchmarks.certificates import certify
from benchmarks.memory import peak_memory
from benchmarks.problems import (
    FIT_C,
    FIT_GAMMA,
    MNIST_C,
    MNIST_GAMMA,
    mnist,
    two_class_sets,
)
from benchmarks.records import CaseResult, Claim, Record
from benchmarks.timing import measure
from treesvm import KernelSVC

CACHE_MB = 500  # for both sides


def fit_case(context):
    """One thread each, against SVC."""
    problems = list(two_class_sets(context))
    rivals = [
        svc.fetch(context.rivals, FIT_C, FIT_GAMMA, train, test, context.repeat)
        for _, train, test in problems
    ]
    context.start_ours()
    result = CaseResult()
    for (name, train, test), rival in zip(problems, rivals, strict=True):
        ours = _fit(name, train, test, FIT_C, FIT_GAMMA, context.repeat, n_jobs=1)
        result.records += [_svc_record("fit", name, rival), ours]
        ratio = rival["fit_seconds"] / ours.seconds
        result.claims.append(Claim(f"fit, {name}, against SVC", ratio, 5.0, 8.0))
        result.claims += _quality_claims(f"fit, {name}", rival, ours)
    result.tables["Fits, one thread"] = _rows(result.records)
    return result


def threads_case(context):
    """Two threads each, against scikit-learn-intelex."""
    context.start_ours()  # nothing here is slow enough to be cached
    result = CaseResult()
    for name, train, test in two_class_sets(context):
        rival = _intelex_record(name, train, test, context.repeat)
        ours = _fit(name, train, test, FIT_C, FIT_GAMMA, context.repeat, n_jobs=2)
        result.records += [rival, ours]
        ratio = rival.seconds / ours.seconds
        work = f"fit, {name}, 2 threads, against intelex"
        result.claims.append(Claim(work, ratio, 1.5, 2.5))
    result.tables["Fits, two threads"] = _rows(result.records)
    return result


def mnist_case(context):
    """Fit, memory and batch prediction of ten classes, one thread."""
    train, test = mnist(context.data, context.quick)
    rival = svc.fetch(context.rivals, MNIST_C, MNIST_GAMMA, train, test, repeat=1)
    context.start_ours()
    name = f"mnist, {len(train[1]):,} rows"
    machine = KernelSVC(C=MNIST_C, gamma=MNIST_GAMMA, cache_size=CACHE_MB, n_jobs=1)
    _warm_up(machine, train)
    fit = measure(lambda: machine.fit(*train))
    predict = measure(lambda: machine.predict(test[0]))  # once each, like SVC
    ours = _record("mnist", name, machine, fit, predict.result, train, test, threads=1)
    peak = peak_memory(
        "benchmarks.engine_fits:prepare_mnist",
        folder=str(context.data),
        quick=context.quick,
    )
    above_mb = peak.peak_mb - peak.start_mb
    result = CaseResult([_svc_record("mnist", name, rival), ours])
    slower, faster = rival["predict_seconds"], predict.seconds
    result.claims = [
        Claim(
            f"fit, {name}, against SVC", rival["fit_seconds"] / fit.seconds, 8.0, 12.0
        ),
        Claim(
            f"fit, {name}, peak memory above the data",
            *(above_mb / 1024, 2.0),
            unit="GB",
            higher_is_better=False,
        ),
        Claim(f"predict, {name}, against SVC", slower / faster, 25.0, 40.0),
        *_quality_claims(f"fit, {name}", rival, ours),
    ]
    result.tables["Fit"] = _rows(result.records)
    per_row = 1e6 / len(test[1])
    result.tables["Batch prediction, µs per row"] = [
        {"SVC": slower * per_row, "treesvm": faster * per_row, "ratio": slower / faster}
    ]
    return result


def prepare_mnist(folder, quick):
    """Target of the memory measurement: data first, then the fit as work."""
    (X, y), _ = mnist(folder, quick)
    machine = KernelSVC(C=MNIST_C, gamma=MNIST_GAMMA, cache_size=CACHE_MB, n_jobs=1)

    def work():
        machine.fit(X, y)

    return work


def _fit(name, train, test, C, gamma, repeat, n_jobs):
    machine = KernelSVC(C=C, gamma=gamma, cache_size=CACHE_MB, n_jobs=n_jobs)
    timing = measure(
        lambda: machine.fit(*train),
        repeat=repeat,
        warm_up=lambda: _warm_up(machine, train),
        threads=n_jobs,
    )
    predicted = machine.predict(test[0])
    case = "fit" if n_jobs == 1 else "threads"
    return _record(case, name, machine, timing, predicted, train, test, threads=n_jobs)


def _warm_up(machine, train, n_rows=500):
    machine.fit(train[0][:n_rows], train[1][:n_rows])


def _record(case, name, machine, timing, predicted, train, test, threads):
    certificate = certify(machine, *train, machine.C, machine.gamma)
    n_machines = len(machine.intercept_)
    return Record(
        case,
        "treesvm KernelSVC",
        name,
        timing.seconds,
        timing.cpu_seconds,
        threads,
        accuracy=float((predicted == test[1]).mean()),
        objective=certificate.dual,
        n_solves=n_machines,
        converged_share=float(np.mean(machine.converged_)),
        n_support=int(np.sum(machine.n_support_)),
        note=f"relative gap {certificate.relative_gap:.1e}",
    )


def _svc_record(case, name, rival):
    return Record(
        case,
        "sklearn SVC",
        name,
        rival["fit_seconds"],
        rival["fit_cpu_seconds"],
        accuracy=rival["accuracy"],
        objective=rival["dual"],
        n_support=rival["n_support"],
        note=f"load {rival['load']:.1f} when measured",
        cached=rival["cached"],
    )


def _intelex_record(name, train, test, repeat):
    from daal4py import daalinit
    from sklearnex.svm import SVC

    daalinit(2)  # its threads are TBB's, which threadpoolctl does not reach
    machine = SVC(C=FIT_C, gamma=FIT_GAMMA, tol=svc.TOL, cache_size=CACHE_MB)
    timing = measure(
        lambda: machine.fit(*train),
        repeat=repeat,
        warm_up=lambda: _warm_up(machine, train),
        threads=2,
    )
    return Record(
        "threads",
        "intelex SVC",
        name,
        timing.seconds,
        timing.cpu_seconds,
        threads=2,
        accuracy=float((machine.predict(test[0]) == test[1]).mean()),
        objective=certify(machine, *train, FIT_C, FIT_GAMMA).dual,
        n_support=int(np.sum(machine.n_support_)),
    )


def _quality_claims(work, rival, ours):
    """The dual objective and the test accuracy may not fall behind LIBSVM's."""
    short = (rival["dual"] - ours.objective) / abs(rival["dual"])
    loss = 100 * (rival["accuracy"] - ours.accuracy)
    return [
        Claim(
            f"{work}, dual objective below LIBSVM's (relative)",
            short,
            1e-3,
            unit="",
            higher_is_better=False,
        ),
        Claim(
            f"{work}, test accuracy below SVC's",
            loss,
            0.2,
            unit="points",
            higher_is_better=False,
        ),
    ]


def _rows(records):
    return [
        {
            "data": record.data,
            "method": record.method,
            "threads": record.threads,
            "seconds": record.seconds,
            "dual objective": record.objective,
            "test accuracy": record.accuracy,
            "support vectors": record.n_support,
            "note": record.note,
        }
        for record in records
    ]
