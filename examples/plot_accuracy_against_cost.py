"""
Accuracy against the cost of a prediction
=========================================

What a prediction costs is the number of kernels, or of hyperplanes, that it
evaluates. Smaller parts, compression and oblique trees each lie elsewhere on the
curve.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from treesvm import (
    DTSVMClassifier,
    HLSVMClassifier,
    KernelSVC,
    SupportVectorTreeClassifier,
    compress,
)
from treesvm.metrics import support_vector_cost

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X / 16.0, y, test_size=0.4, random_state=0
)

# %%
# One machine; machines in ever smaller parts; the machine compressed to a budget; a
# tree of its vectors; and trees of hyperplanes.
points = {name: [] for name in ("one machine", "parts", "compressed", "oblique tree")}
machine = KernelSVC(C=10, gamma=0.3).fit(X_train, y_train)
points["one machine"].append((len(machine.support_), machine.score(X_test, y_test)))

for size in (800, 400, 200, 100):
    model = DTSVMClassifier(max_leaf_size=size, random_state=0).fit(X_train, y_train)
    met = support_vector_cost(model, X_test).nesv_distinct
    points["parts"].append((met, model.score(X_test, y_test)))

for budget in (5, 10, 20, 40):
    small = compress(
        machine, X_train, y_train, max_kernel_evaluations=budget, random_state=0
    )
    met = small.kernel_evaluations(X_test).mean()
    points["compressed"].append((met, small.score(X_test, y_test)))

tree = SupportVectorTreeClassifier(machine, max_height=10, random_state=0).fit(X_train)
points["tree of vectors"] = [
    (tree.kernel_evaluations(X_test).mean(), tree.score(X_test, y_test))
]
for multi_class in ("tree", "ovo"):
    oblique = HLSVMClassifier(multi_class=multi_class, random_state=0)
    oblique.fit(X_train, y_train)
    met = oblique.hyperplanes_met(X_test).mean()
    points["oblique tree"].append((met, oblique.score(X_test, y_test)))

# %%
figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for (name, found), mark in zip(points.items(), "os^DP", strict=True):
    ax.plot(*zip(*sorted(found), strict=True), f"{mark}-", label=name, ms=7, lw=1)
ax.set(xscale="log", xlabel="kernels or hyperplanes for a row", ylabel="right answers")
ax.yaxis.set_major_formatter("{x:.0%}")
ax.grid(True)
ax.legend()
plt.show()
