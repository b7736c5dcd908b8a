"""Who plays in the league: settings as plain values, and models made of them.

Methods that can take categories and missing values get the table as it is; the others
get indicators of categories and medians of numbers, standardised where distances count.
Every method has two threads, and chooses on training rows only.
"""

import hashlib
import importlib
import importlib.util
import json
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.environment import versions

THREADS = 2
SEARCHED, FAST_SEARCHED = "ours, 60 s", "ours, 10 s"
PLAIN = "ours, defaults"
_TREES, _PATIENCE, _HELD_OUT = 400, 25, 0.2
_STOPPED = {"trees": _TREES, "patience": _PATIENCE, "held_out": _HELD_OUT}
_SVM_GRID = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.01, 0.1, 1.0, 10.0]}


class Method(NamedTuple):
    """One player.

    `make(is_regression, seed, n_features)` returns an object with `fit` and `predict`;
    the distribution `package` has to be there.
    """

    name: str
    make: object
    settings: dict
    package: str
    module: str
    most_rows: int | None = None  # with more training rows it gives up
    classifies_only: bool = False
    is_ours: bool = False
    core_only: bool = False
    seeds: int = 3

    def is_there(self):
        return importlib.util.find_spec(self.module) is not None

    def settings_key(self):
        """Return a short text that is the same for equal settings only."""
        text = json.dumps([self.name, self.settings], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()

    def version(self, code_version):
        """Return what has to stay the same for a result to count."""
        return code_version if self.is_ours else versions([self.package])[self.package]


def _ours(time_limit):
    def make(is_regression, seed, n_features):
        from treesvm import TreeSVC, TreeSVR

        kind = TreeSVR if is_regression else TreeSVC
        return kind(time_limit=time_limit, n_jobs=THREADS, random_state=seed)

    return make


def _plain(is_regression, seed, n_features):
    from treesvm import DTSVMClassifier, DTSVRegressor

    kind = DTSVRegressor if is_regression else DTSVMClassifier
    return make_pipeline(numbers(), kind(n_jobs=THREADS, random_state=seed))


def numbers(is_standardised=False):
    """Indicators of categories beside the other columns, medians for missing ones."""
    numeric = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True))
    if is_standardised:
        numeric = make_pipeline(*numeric, StandardScaler())
    return make_column_transformer(
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_include="category"),
        ),
        (numeric, make_column_selector(dtype_exclude="category")),
    )


def _kind(module, name, is_regression):
    """Return a class of another package, for classes or for numbers."""
    ending = "Regressor" if is_regression else "Classifier"
    return getattr(importlib.import_module(module), name + ending)


def _hist(**options):
    def make(is_regression, seed, n_features):
        kind = _kind("sklearn.ensemble", "HistGradientBoosting", is_regression)
        return kind(random_state=seed, **options)

    return make


def _forest(is_regression, seed, n_features):
    kind = _kind("sklearn.ensemble", "RandomForest", is_regression)
    return make_pipeline(
        numbers(), kind(n_estimators=300, n_jobs=THREADS, random_state=seed)
    )


class _Boosted:
    """A booster of another package, perhaps stopped by a fifth of the training rows."""

    package, name, seed_name = "", "", "random_state"
    settings: ClassVar = {}
    if_stopped: ClassVar = {}

    def __init__(self, model, seed, is_stopped):
        self._model, self._seed, self._is_stopped = model, seed, is_stopped

    @classmethod
    def maker(cls, is_stopped):
        def make(is_regression, seed, n_features):
            options = cls.settings | (cls.if_stopped if is_stopped else {})
            kind = _kind(cls.package, cls.name, is_regression)
            return cls(kind(**options, **{cls.seed_name: seed}), seed, is_stopped)

        return make

    def fit(self, X, y):
        if not self._is_stopped:
            self._model.fit(*self._seen(X, y), **self._options(X))
            return self
        many = y.dtype.kind != "f" and np.bincount(y).min() >= 2
        parts = train_test_split(
            X,
            y,
            test_size=_HELD_OUT,
            stratify=y if many else None,
            random_state=self._seed,
        )
        X, X_val, y, y_val = _classes_kept(*parts)
        held_out = [self._seen(X_val, y_val)]
        self._model.fit(*self._seen(X, y), eval_set=held_out, **self._options(X))
        return self

    def _options(self, X):
        return {}

    def _seen(self, X, y=None):
        return X if y is None else (X, y)

    def predict(self, X):
        return np.asarray(self._model.predict(self._seen(X))).reshape(len(X))

    def __getattr__(self, name):
        if name != "predict_proba":
            raise AttributeError(name)
        return lambda X: self._model.predict_proba(self._seen(X))


def _classes_kept(X, X_val, y, y_val):
    """Move held-out rows of classes that no other row has back to those that train."""
    if y.dtype.kind == "f":
        return X, X_val, y, y_val
    import pandas as pd

    back = ~np.isin(y_val, y)
    X, y = pd.concat([X, X_val[back]]), np.concatenate([y, y_val[back]])
    return X, X_val[~back], y, y_val[~back]


class _LightGBM(_Boosted):
    package, name = "lightgbm", "LGBM"
    settings: ClassVar = {"n_jobs": THREADS, "verbose": -1}
    if_stopped: ClassVar = {"n_estimators": _TREES}

    def _options(self, X):
        from lightgbm import early_stopping

        stop = early_stopping(_PATIENCE, verbose=False)
        return {"callbacks": [stop]} if self._is_stopped else {}


class _CatBoost(_Boosted):
    """Takes categories as texts, among which missing is one more."""

    package, name, seed_name = "catboost", "CatBoost", "random_seed"
    settings: ClassVar = {
        "thread_count": THREADS,
        "verbose": False,
        "allow_writing_files": False,
    }
    if_stopped: ClassVar = {"iterations": _TREES, "early_stopping_rounds": _PATIENCE}

    def _options(self, X):
        return {"cat_features": list(X.select_dtypes("category"))}

    def _seen(self, X, y=None):
        X = X.copy()
        for column in X.select_dtypes("category"):
            X[column] = X[column].astype(object).where(X[column].notna(), "missing")
        return X if y is None else (X, y)


class _XGBoost(_Boosted):
    package, name = "xgboost", "XGB"
    settings: ClassVar = {"n_jobs": THREADS, "verbosity": 0, "enable_categorical": True}
    if_stopped: ClassVar = {"n_estimators": _TREES, "early_stopping_rounds": _PATIENCE}

    def _options(self, X):
        return {"verbose": False}


def _tuned_svm(is_regression, seed, n_features):
    """C × γ by three folds; γ in units of one over the number of columns."""
    from sklearn.svm import SVC, SVR

    name, machine = ("svr", SVR()) if is_regression else ("svc", SVC())
    grid = {
        f"{name}__C": _SVM_GRID["C"],
        f"{name}__gamma": [gamma / n_features for gamma in _SVM_GRID["gamma"]],
    }
    return GridSearchCV(
        _scaled(machine, is_regression),
        _nested(grid, is_regression),
        cv=3,
        n_jobs=THREADS,
    )


def _nested(grid, is_regression):
    """Names of a grid's parameters where the target is scaled, too."""
    return {f"regressor__{k}": v for k, v in grid.items()} if is_regression else grid


def _scaled(machine, is_regression):
    """Standardise columns and, for regression, the target."""
    from sklearn.compose import TransformedTargetRegressor

    made = make_pipeline(numbers(is_standardised=True), machine)
    if not is_regression:
        return made
    return TransformedTargetRegressor(made, transformer=StandardScaler())


def _intelex(is_regression, seed, n_features):
    from sklearnex.svm import SVC, SVR

    return _scaled(SVR() if is_regression else SVC(), is_regression)


def _nystroem(is_regression, seed, n_features):
    machine = Ridge() if is_regression else LogisticRegression(max_iter=500)
    features = Nystroem(
        gamma=1.0 / n_features, n_components=300, random_state=seed, n_jobs=THREADS
    )
    return _scaled(make_pipeline(features, machine), is_regression)


def _stree(is_regression, seed, n_features):
    from stree import Stree

    return make_pipeline(numbers(is_standardised=True), Stree(random_state=seed))


_SKLEARN = {"package": "scikit-learn", "module": "sklearn"}
_OWN = {"package": "treesvm", "module": "treesvm", "is_ours": True}
_DEFAULT = {"defaults": True}
METHODS = (
    Method(SEARCHED, _ours(60), {"time_limit": 60}, **_OWN),
    Method(FAST_SEARCHED, _ours(10), {"time_limit": 10}, **_OWN),
    Method(PLAIN, _plain, _DEFAULT, **_OWN),
    Method("LightGBM", _LightGBM.maker(False), _DEFAULT, "lightgbm", "lightgbm"),
    Method("LightGBM, 400", _LightGBM.maker(True), _STOPPED, "lightgbm", "lightgbm"),
    Method("XGBoost", _XGBoost.maker(False), _DEFAULT, "xgboost", "xgboost"),
    Method("XGBoost, 400", _XGBoost.maker(True), _STOPPED, "xgboost", "xgboost"),
    Method("CatBoost", _CatBoost.maker(False), _DEFAULT, "catboost", "catboost"),
    Method("CatBoost, 400", _CatBoost.maker(True), _STOPPED, "catboost", "catboost"),
    Method("HistGB", _hist(), _DEFAULT, **_SKLEARN),
    Method(
        "HistGB, 400",
        _hist(
            max_iter=_TREES,
            early_stopping=True,
            n_iter_no_change=_PATIENCE,
            validation_fraction=_HELD_OUT,
        ),
        _STOPPED,
        **_SKLEARN,
    ),
    Method(
        "SVM, tuned", _tuned_svm, {**_SVM_GRID, "cv": 3}, most_rows=10_000, **_SKLEARN
    ),
    Method("SVM, intelex", _intelex, _DEFAULT, "scikit-learn-intelex", "sklearnex"),
    Method("Nyström + linear", _nystroem, {"n_components": 300}, **_SKLEARN),
    Method("random forest", _forest, {"n_estimators": 300}, **_SKLEARN),
    Method(
        "STree",
        _stree,
        _DEFAULT,
        "stree",
        "stree",
        classifies_only=True,
        most_rows=10_000,
    ),
)
