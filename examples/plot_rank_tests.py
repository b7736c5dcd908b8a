"""
Comparing methods over several tables
=====================================

One table proves little. Friedman's test asks whether the ranks of methods over
several tables differ at all, Nemenyi's which of them do; the diagram joins those that
do not. This example needs scikit-posthocs (``pip install scikit-posthocs``).
"""

# %%
# Seven small tables that come with scikit-learn or are generated, three folds each.
import matplotlib.pyplot as plt
import numpy as np
from sklearn import datasets
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from treesvm import DTSVMClassifier, HLSVMClassifier
from treesvm.datasets import make_spirals, make_waves
from treesvm.metrics import friedman_test
from treesvm.plotting import plot_critical_difference

tables = {
    "iris": datasets.load_iris(return_X_y=True),
    "wine": datasets.load_wine(return_X_y=True),
    "breast cancer": datasets.load_breast_cancer(return_X_y=True),
    "digits": datasets.load_digits(return_X_y=True),
    "spirals": make_spirals(800),
    "waves": make_waves(2000, 3, frequency=3),
    "moons": datasets.make_moons(800, noise=0.25, random_state=0),
}
methods = {
    "DTSVMClassifier": DTSVMClassifier(random_state=0),
    "HLSVMClassifier": HLSVMClassifier(random_state=0),
    "SVC": make_pipeline(StandardScaler(), SVC()),
    "random forest": RandomForestClassifier(100, random_state=0),
    "boosted trees": HistGradientBoostingClassifier(max_iter=30, random_state=0),
}
accuracy = np.array(
    [
        [cross_val_score(method, X, y, cv=3).mean() for method in methods.values()]
        for X, y in tables.values()
    ]
)

# %%
# All methods have their defaults. With seven tables, only large differences show.
test = friedman_test(accuracy)
print(f"Friedman: p = {test.p_value:.3f}; mean ranks {test.mean_ranks.round(2)}")
figure, ax = plt.subplots(figsize=(9, 4.4), layout="constrained")
ax.imshow(accuracy, cmap="viridis", aspect="auto")
for (i, k), value in np.ndenumerate(accuracy):
    shade = "w" if value < accuracy.mean() else "k"
    weight = "bold" if value == accuracy[i].max() else "normal"
    ax.text(k, i, f"{value:.1%}", ha="center", va="center", color=shade, weight=weight)
ax.set_xticks(range(len(methods)), methods)
ax.set_yticks(range(len(tables)), tables)
ax.tick_params(length=0)
ax.spines[:].set_visible(False)
ax.set_title("right answers in three folds; bold: the best of a table")
plt.show()

# %%
# Mean ranks; methods joined by a bar do not differ significantly.
figure, ax = plt.subplots(figsize=(9, 2.4))
figure.subplots_adjust(left=0.2, right=0.8, bottom=0.05)
plot_critical_difference(accuracy, list(methods), ax=ax)
plt.show()
