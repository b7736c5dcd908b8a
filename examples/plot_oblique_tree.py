"""
An oblique tree, drawn
======================

`HLSVMClassifier` is a tree whose nodes are linear SVMs: a dozen inner products for an
answer, and no kernel. Its regions are polygons.
"""

# %%
import matplotlib.pyplot as plt

from treesvm import HLSVMClassifier
from treesvm.datasets import make_spirals
from treesvm.plotting import plot_regions, plot_tree

X, y = make_spirals(3000, noise=0.03, n_turns=1.0, seed=0)
X_train, y_train, X_test, y_test = X[:2000], y[:2000], X[2000:], y[2000:]
model = HLSVMClassifier(random_state=0).fit(X_train, y_train)
met = model.hyperplanes_met(X_test)
print(
    f"{model.score(X_test, y_test):.1%} right, {met.mean():.1f} hyperplanes for a row"
)

# %%
# On the left the upper part of the tree: the rows in a node, and in a leaf its class
# with its share. On the right what all of it cuts.
figure, axes = plt.subplots(
    1, 2, figsize=(12, 4.6), width_ratios=(2, 1), layout="constrained"
)
plot_tree(model, max_depth=3, ax=axes[0])
plot_regions(model, X_test, y_test, ax=axes[1])
axes[1].set(xticks=[], yticks=[])
plt.show()

# %%
# The same as text, from the root down:
print("\n".join(model.export_text().splitlines()[:8]))
