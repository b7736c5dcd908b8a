"""The rival everybody knows: scikit-learn's SVC (LIBSVM), its results cached.

SVC has one thread. Its time is the smaller of wall and processor time, so that a busy
second core does not make the rival look slow. That does not remove contention for
caches and memory: the same a9a fit took 21 s and 29 s in two runs. So the rival gets as
many repetitions as we do (they are part of the key), and the load of the machine is
stored beside the time.
"""

from sklearn.svm import SVC

from benchmarks import environment
from benchmarks.certificates import certify
from benchmarks.data import fingerprint
from benchmarks.timing import measure

CACHE_MB = 500
TOL = 1e-3


def fetch(rivals, C, gamma, train, test, repeat):
    """Fit and score one SVC, or look up what that gave: a dictionary of plain numbers.

    `train` and `test` are (X, y). Fitting and predicting are timed apart, each the best
    of `repeat` runs: give the same number to what it is compared with.
    """
    key = {
        "method": "sklearn.svm.SVC",
        "params": {"C": C, "gamma": gamma, "tol": TOL, "cache_size": CACHE_MB},
        "data": fingerprint(*train, *test),
        "versions": environment.versions(["numpy", "scipy", "scikit-learn"]),
        "machine": environment.machine(),
        "certificate": "best scale",  # how `primal` below was computed
        "repeat": repeat,
    }
    cached = key in rivals
    value = rivals.fetch(key, lambda: _fit_and_score(C, gamma, train, test, repeat))
    return {**value, "cached": cached}


def _fit_and_score(C, gamma, train, test, repeat):
    machine = SVC(C=C, gamma=gamma, tol=TOL, cache_size=CACHE_MB)
    fit = measure(lambda: machine.fit(*train), repeat=repeat)
    predict = measure(lambda: machine.predict(test[0]), repeat=repeat)
    certificate = certify(machine, *train, C, gamma)
    return {
        "fit_seconds": fit.seconds,
        "fit_cpu_seconds": fit.cpu_seconds,
        "predict_seconds": predict.seconds,
        "accuracy": float((predict.result == test[1]).mean()),
        "n_support": int(machine.n_support_.sum()),
        "n_iter": int(machine.n_iter_.sum()),
        "primal": certificate.primal,
        "dual": certificate.dual,
        "load": environment.load(),
    }
