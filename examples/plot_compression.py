"""
Compressing a machine
=====================

`compress` says the same with fewer kernels. With a Gaussian kernel the vectors move:
they are no longer training rows, so a handful can hold a border that took hundreds.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from treesvm import KernelSVC, compress
from treesvm.plotting import plot_regions

X, y = make_moons(3000, noise=0.25, random_state=0)
X_train, y_train, X_test, y_test = X[:1500], y[:1500], X[1500:], y[1500:]
machine = KernelSVC(C=1, gamma=2).fit(X_train, y_train)

# %%
# `tolerance` is how much larger the share of wrong answers on validation rows may be;
# `max_kernel_evaluations` sets a budget instead.
small = compress(machine, X_train, y_train, tolerance=0.005, random_state=0)
tiny = compress(machine, X_train, y_train, max_kernel_evaluations=2, random_state=0)

figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained", sharey=True)
shown = {
    "the machine": (machine, len(machine.support_)),
    "tolerance=0.005": (small, small.kernel_evaluations(X_test).mean()),
    "max_kernel_evaluations=2": (tiny, tiny.kernel_evaluations(X_test).mean()),
}
for ax, (name, (model, kernels)) in zip(axes, shown.items(), strict=True):
    plot_regions(model, X_test, y_test, ax=ax)
    right = model.score(X_test, y_test)
    ax.set_title(f"{name}\n{kernels:.0f} kernels for a row, {right:.1%} right")
axes[0].plot(*X_train[machine.support_].T, "k.", ms=2)
plt.show()
