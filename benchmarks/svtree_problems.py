"""The eleven sets of the support vector tree paper: splits and tuned machines."""

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks import data
from treesvm import KernelSVC

# Set -> rows to train on, as in the published splits.
TRAINING_ROWS = {
    "heart_statlog": 170,
    "ida_thyroid": 140,
    "ida_breast_cancer": 200,
    "ida_waveform": 400,
    "ida_german": 700,
    "ida_image": 1300,
    "pima_diabetes": 468,
    "ida_ringnorm": 400,
    "ida_splice": 1000,
    "ida_twonorm": 400,
    "banana": 400,
}
# Grids of the searches; gammas are divided by the number of features.
CS, GAMMAS = (0.1, 1.0, 10.0, 100.0, 1000.0), (0.3, 1.0, 3.0, 10.0)
BUDGET_CS, BUDGET_GAMMAS = (1.0, 100.0), (0.3, 1.0, 3.0)


class Split:
    """Standardised training and test rows of one random split; labels -1 and +1."""

    def __init__(self, folder, name, seed):
        stored = data.load(folder, name)
        X = np.asarray(stored.X, np.float64)
        y = np.where(stored.y == np.unique(stored.y)[1], 1, -1)
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[: TRAINING_ROWS[name]], order[TRAINING_ROWS[name] :]
        deviation = X[train].std(axis=0)
        deviation[deviation == 0.0] = 1.0
        X = (X - X[train].mean(axis=0)) / deviation
        self.X, self.y = X[train], y[train]
        self.X_test, self.y_test = X[test], y[test]
        self.name, self.seed = name, seed

    def accuracy(self, answers):
        """Share of the test rows answered right."""
        return float(np.mean(answers == self.y_test))

    def folds(self, n_folds):
        """Folds of the training rows."""
        cut = StratifiedKFold(n_folds, shuffle=True, random_state=self.seed)
        return list(cut.split(self.X, self.y))

    def tuned_machine(self):
        """Return the SVM with the best (C, gamma) of five folds, fitted."""
        gammas = [gamma / self.X.shape[1] for gamma in GAMMAS]
        scores = {}
        for train, held in self.folds(5):
            for point in KernelSVC().path(
                self.X[train], self.y[train], CS, gammas, self.X[held], self.y[held]
            ):
                key = point.C, point.gamma
                scores[key] = scores.get(key, 0.0) + point.score
        # Among equals the smaller C and the smaller gamma: the smoother machine.
        C, gamma = max(scores, key=lambda key: (scores[key], -key[0], -key[1]))
        return KernelSVC(C, gamma=gamma).fit(self.X, self.y)


def tuned_budget(split, make):
    """Return the fitted model with the best (C, gamma) of three folds.

    `make(C, gamma)` returns an unfitted classifier.
    """
    best, best_score = None, -1.0
    for C in BUDGET_CS:
        for gamma in BUDGET_GAMMAS:
            gamma_here = gamma / split.X.shape[1]
            score = 0.0
            for train, held in split.folds(3):
                model = make(C, gamma_here).fit(split.X[train], split.y[train])
                score += model.score(split.X[held], split.y[held])
            if score > best_score:
                best, best_score = (C, gamma_here), score
    return make(*best).fit(split.X, split.y)
