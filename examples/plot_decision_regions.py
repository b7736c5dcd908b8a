"""
Decision regions side by side
=============================

The same three classes with curved borders, seen by five methods. A decision tree draws
steps, a linear SVM straight lines. A kernel machine draws curves, but its training time
grows with the square of the rows, so here it sees a tenth of them. A tree that holds a
machine in every part draws curves from all rows.
"""

# %%
# 20,000 rows train; 3 of 100 labels are wrong.
import matplotlib.pyplot as plt
from sklearn.preprocessing import StandardScaler
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from treesvm import DTSVMClassifier, HLSVMClassifier
from treesvm.datasets import make_waves
from treesvm.plotting import plot_regions

X, y = make_waves(24_000, 2, frequency=8, seed=3)
X_train, y_train, X_test, y_test = X[:20_000], y[:20_000], X[20_000:], y[20_000:]

methods = {
    "decision tree": (DecisionTreeClassifier(min_samples_leaf=5, random_state=0), 1),
    "linear SVM": (make_pipeline(StandardScaler(), LinearSVC()), 1),
    "SVC, a tenth of the rows": (make_pipeline(StandardScaler(), SVC(C=10)), 10),
    "HLSVMClassifier": (HLSVMClassifier(random_state=0), 1),
    "DTSVMClassifier": (DTSVMClassifier(random_state=0), 1),
}

# %%
# The border that the labels come from is smooth; the noise is not part of it.
figure, axes = plt.subplots(1, 5, figsize=(15, 3.6), layout="constrained")
for ax, (name, (model, step)) in zip(axes, methods.items(), strict=True):
    model.fit(X_train[::step], y_train[::step])
    plot_regions(model, X_test[:1500], y_test[:1500], ax=ax)
    ax.set_title(f"{name}\n{model.score(X_test, y_test):.1%} right", fontsize=11)
    ax.set(xticks=[], yticks=[])
plt.show()
