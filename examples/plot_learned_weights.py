"""
Learned feature weights
=======================

Two of twenty columns matter. A kernel sees all of them alike, so distances are mostly
noise. ``feature_weights="learned"`` measures how the machine's values change along
every column, and lets the others fade.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from treesvm import DTSVMClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 20))
y = (np.sin(2 * X[:, 0]) + X[:, 1] ** 2 > 0.8).astype(int)
X_train, y_train, X_test, y_test = X[:2000], y[:2000], X[2000:], y[2000:]

names = {"all alike": None, "learned": "learned"}
models = {
    name: DTSVMClassifier(feature_weights=weights, random_state=0).fit(X_train, y_train)
    for name, weights in names.items()
}

# %%
# A cut through the space at zero in the other columns.
side = np.linspace(-3, 3, 150)
grid = np.zeros((150 * 150, 20))
grid[:, :2] = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=False):
    values = model.decision_function(grid).reshape(150, 150)
    top = abs(values).max()
    ax.contourf(side, side, values, levels=np.linspace(-top, top, 15), cmap="RdBu")
    ax.contour(side, side, values, levels=[0], colors="k", linewidths=1.5)
    truth = np.sin(2 * side)[None] + side[:, None] ** 2
    ax.contour(side, side, truth, levels=[0.8], colors="k", linestyles=":")
    ax.set(title=f"{name}: {model.score(X_test, y_test):.1%} right")
    ax.set(xlabel="column 0", ylabel="column 1")
for shift, (name, model) in zip((-0.2, 0.2), models.items(), strict=True):
    axes[2].bar(np.arange(20) + shift, model.feature_importances_, 0.4, label=name)
axes[2].set(title="importances", xlabel="column")
axes[2].legend()
plt.show()
