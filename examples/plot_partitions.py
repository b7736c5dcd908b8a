"""
Four ways to cut the space
==========================

A partition is a value that an estimator takes: a decision tree, a tree of linear
SVMs, random parts (a baseline), or no cut at all.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from treesvm import DTSVMClassifier
from treesvm.datasets import make_waves

X, y = make_waves(8000, 2, frequency=4, seed=6)
X_train, y_train, X_test, y_test = X[:6000], y[:6000], X[6000:], y[6000:]

# %%
# Colours are parts, lines are the borders between the answers. Random parts are dealt
# out blindly: neighbours are answered by different machines.
side = np.linspace(0, 1, 220, dtype=np.float32)
grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
figure, axes = plt.subplots(1, 4, figsize=(13, 3.8), layout="constrained")
for ax, partition in zip(axes, ("axis", "oblique", "random", "whole"), strict=True):
    model = DTSVMClassifier(partition=partition, max_leaf_size=600, random_state=0)
    model.fit(X_train, y_train)
    parts = model.decompositions_[0].partition.apply(grid).reshape(220, 220)
    colours = np.random.default_rng(2).permutation(parts.max() + 1)[parts] % 10
    ax.imshow(colours, extent=(0, 1, 0, 1), origin="lower", cmap="tab10", alpha=0.35,
              vmin=0, vmax=9, interpolation="nearest")  # fmt: skip
    answers = model.predict(grid).reshape(220, 220)
    ax.contour(side, side, answers, levels=[0.5, 1.5], colors="k", linewidths=1)
    right = model.score(X_test, y_test)
    ax.set_title(f'"{partition}", parts: {model.n_leaves_}\n{right:.1%} right')
    ax.set(xticks=[], yticks=[])
plt.show()
