"""
Where answers jump
==================

A decomposition answers with another machine on each side of a cut, so its predictions
jump there. One machine does not. More rows in a part, or one machine, are the ways
out.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from treesvm import DTSVRegressor, KernelSVR

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 1500))
y = np.sin(x * x / 4) + 0.3 * rng.normal(size=x.size)
line = np.linspace(0, 10, 2000)[:, None]

models = {
    "DTSVRegressor, parts below 100 rows": DTSVRegressor(
        C=10,
        gamma_scale=1,
        max_leaf_size=100,
        kernel="rbf",
        epsilon=0.1,
        random_state=0,
    ),
    "DTSVRegressor, parts below 800 rows": DTSVRegressor(
        C=10,
        gamma_scale=20,
        max_leaf_size=800,
        kernel="rbf",
        epsilon=0.1,
        random_state=0,
    ),
    "KernelSVR": KernelSVR(C=10, gamma=2, epsilon=0.1),
}

# %%
figure, axes = plt.subplots(3, 1, figsize=(9, 6), layout="constrained", sharex=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    answers = model.fit(x[:, None], y).predict(line)
    error = np.sqrt(np.mean((answers - np.sin(line[:, 0] ** 2 / 4)) ** 2))
    ax.plot(x, y, ".", color="0.8", ms=3)
    ax.plot(line, np.sin(line**2 / 4), color="k", ls=":", lw=1)
    ax.plot(line, answers, color="C0")
    if hasattr(model, "decompositions_"):
        parts = model.decompositions_[0].partition.apply(line)
        for cut in line[1:][np.diff(parts) != 0]:
            ax.axvline(cut[0], color="C1", lw=0.8, alpha=0.7)
    ax.set_title(f"{name}: distance to the truth {error:.3f}")
plt.show()
