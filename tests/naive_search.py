"""The paper's search as a plain double loop. Imports nothing from treesvm.

Chang et al. (2010), section 2.2, with scikit-learn's tree and SVC.
"""

import numpy as np
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier


def leaves(X, y, X_val, ceiling, seed):
    """Grow a tree at the ceiling; return the leaf of training and validation rows."""
    tree = DecisionTreeClassifier(
        criterion="entropy", min_samples_split=ceiling, random_state=seed
    ).fit(X, y)
    return tree.apply(X), tree.apply(X_val)


def predict(X, y, X_val, leaf, leaf_val, C, gamma):
    """One class: its label; else an SVC of the leaf's rows."""
    said = np.empty(len(X_val), y.dtype)
    for k in np.unique(leaf_val):
        own, asked = leaf == k, leaf_val == k
        labels = np.unique(y[own])
        if len(labels) == 1:
            said[asked] = labels[0]
        else:
            svc = SVC(C=C, gamma=gamma, tol=1e-5, break_ties=True)
            said[asked] = svc.fit(X[own], y[own]).predict(X_val[asked])
    return said


def search(X, y, X_val, y_val, Cs, gammas, ceiling, seed, top_k, growth, min_gain):
    """Return (C, gamma), ceiling, score and {(ceiling, C, gamma): score}."""
    scores = {}

    def accuracy(size, C, gamma):
        if (size, C, gamma) not in scores:
            leaf, leaf_val = leaves(X, y, X_val, size, seed)
            said = predict(X, y, X_val, leaf, leaf_val, C, gamma)
            scores[size, C, gamma] = float(np.mean(said == y_val))
        return scores[size, C, gamma]

    for C in Cs:
        for gamma in gammas:
            accuracy(ceiling, C, gamma)
    ranked = sorted((-score, C, gamma) for (_, C, gamma), score in scores.items())
    reached = []
    for negative, C, gamma in ranked[:top_k]:
        size, score = ceiling, -negative
        while size < len(X):
            gained = accuracy(growth * size, C, gamma) - score
            if gained < min_gain:
                break
            size, score = growth * size, score + gained
        reached.append((-score, C, gamma, size))
    negative, C, gamma, size = min(reached)
    return (C, gamma), size, -negative, scores


def is_near_tie(lead):
    """Whether a mean lead over rows is within its standard error."""
    n = len(lead)
    mean = sum(lead) / n
    variance = sum((value - mean) ** 2 for value in lead) / n
    return bool(mean <= (variance / n) ** 0.5)
