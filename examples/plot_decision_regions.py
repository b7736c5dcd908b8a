"""
Decision regions side by side
=============================

The same three classes with curved borders, seen by four methods. A decision tree
draws steps. A kernel machine draws curves, but its training time grows with the
square of the rows, so here it sees a tenth of them. A tree of linear SVMs draws
slanted steps. A tree that holds a kernel machine in every part draws curves, from all
rows.
"""

# %%
# 20,000 rows train; three of a hundred labels are drawn at random. The parameters of
# SVC are chosen on its own training rows.
import matplotlib.pyplot as plt
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from treesvm import DTSVMClassifier, HLSVMClassifier
from treesvm.datasets import make_waves
from treesvm.plotting import plot_regions

X, y = make_waves(24_000, 2, frequency=8, seed=3)
X_train, y_train, X_test, y_test = X[:20_000], y[:20_000], X[20_000:], y[20_000:]

grid = {"C": [1, 10, 100], "gamma": [3, 10, 30, 100]}
methods = {
    "decision tree": (DecisionTreeClassifier(min_samples_leaf=5, random_state=0), 1),
    "SVC, a tenth of the rows": (GridSearchCV(SVC(), grid, cv=3), 10),
    "HLSVMClassifier": (HLSVMClassifier(random_state=0), 1),
    "DTSVMClassifier": (DTSVMClassifier(random_state=0), 1),
}

# %%
# Each picture shows the answers, and 1,500 rows that no method has seen.
figure, axes = plt.subplots(1, 4, figsize=(13, 3.8), layout="constrained")
for ax, (name, (model, step)) in zip(axes, methods.items(), strict=True):
    model.fit(X_train[::step], y_train[::step])
    plot_regions(model, X_test[:1500], y_test[:1500], ax=ax)
    ax.set_title(f"{name}\n{model.score(X_test, y_test):.1%} right")
    ax.set(xticks=[], yticks=[])
plt.show()
