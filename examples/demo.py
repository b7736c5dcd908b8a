"""Kernel machines at tree speed, shown on digits and on 100,000 generated rows.

Run with ``make demo`` or ``python examples/demo.py``; nothing is downloaded. Every row
of the tables is measured here and now. SVC trains on a subsample where all rows would
take too long, and the table says so.
"""

import time

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC, LinearSVC

import treesvm

N_ROWS = 100_000
SVC_ROWS = 10_000


def waves(n_rows, n_features=6, seed=0):
    """Three classes cut out of a sum of random waves: curved, local, 3 % noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, n_features)).astype(np.float32)
    directions = rng.normal(scale=2.5, size=(n_features, 12))
    height = np.cos(2 * np.pi * rng.uniform(size=12) + X @ directions).sum(axis=1)
    y = np.digitize(height, np.quantile(height, [1 / 3, 2 / 3]))
    noisy = rng.uniform(size=n_rows) < 0.03
    y[noisy] = rng.integers(3, size=noisy.sum())
    return X, y


def show(title, X, y, methods):
    """Fit each (name, estimator, rows to use) and print one line for it."""
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.25, random_state=0
    )
    print(f"\n{title}: {len(y_train):,} training rows, {len(y_test):,} test rows")
    print(f"{'':44}{'rows used':>10}{'accuracy':>10}{'fit s':>9}{'predict µs/row':>16}")
    for name, model, n_rows in methods:
        n = min(n_rows or len(y_train), len(y_train))
        start = time.perf_counter()
        model.fit(X_train[:n], y_train[:n])
        fitted = time.perf_counter()
        right = np.mean(model.predict(X_test) == y_test)
        per_row = 1e6 * (time.perf_counter() - fitted) / len(y_test)
        print(
            f"{name:44}{n:>10,}{right:>10.2%}{fitted - start:>9.2f}{per_row:>16.1f}",
            flush=True,
        )
        if hasattr(model, "C_"):
            found = f"C={model.C_:g}, gamma={model.gamma_:g}, "
            print(f"{'':4}found {found}leaves up to {model.max_leaf_size_:,} rows")


def ours(name, **params):
    """An estimator of the library, or None in a version that does not have it."""
    cls = getattr(treesvm, name, None)
    return None if cls is None else cls(**params)


def present(methods):
    return [method for method in methods if method[1] is not None]


def main():
    print("Compiling for this machine (only the first time) ...", flush=True)
    for name in ("KernelSVC", "DTSVMClassifier"):
        model = ours(name)
        if model is not None:
            model.fit(*waves(500))

    X, y = load_digits(return_X_y=True)
    digits = [
        ("LinearSVC", LinearSVC(max_iter=5000), None),
        ("SVC", SVC(C=10, gamma=1.0), None),
        ("treesvm.KernelSVC", ours("KernelSVC", C=10, gamma=1.0), None),
    ]
    show("Digits", X / 16.0, y, present(digits))

    fixed = {"C": 10, "gamma": 3.0, "n_jobs": 2}
    waves_methods = [
        ("LinearSVC", LinearSVC(), None),
        (f"SVC on {SVC_ROWS:,} rows", SVC(C=10, gamma=3.0), SVC_ROWS),
        ("treesvm.KernelSVC", ours("KernelSVC", C=10, gamma=3.0), SVC_ROWS),
        ("treesvm.DTSVMClassifier", ours("DTSVMClassifier", **fixed), None),
        (
            "treesvm.DTSVMClassifier, 5 trees vote",
            ours("DTSVMClassifier", n_estimators=5, **fixed),
            None,
        ),
        (
            "treesvm.DTSVMClassifierCV, finds C and gamma",
            ours("DTSVMClassifierCV", n_jobs=2),
            None,
        ),
    ]
    show("Waves", *waves(N_ROWS), present(waves_methods))


if __name__ == "__main__":
    main()
