"""
Probabilities that mean what they say
=====================================

Among rows that are called 70 % likely, about 70 of a hundred should be positive. The
probabilities of `TreeSVC` are fitted on rows that its search held out; nothing is
trained twice.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import log_loss

from treesvm import TreeSVC
from treesvm.datasets import make_waves

X, y = make_waves(24_000, 2, frequency=5, noise=0.3, seed=6)
y = (y == 1).astype(int)  # the middle third, a fifth of the labels wrong
X_train, y_train, X_test, y_test = X[:4000], y[:4000], X[4000:], y[4000:]
models = {
    "TreeSVC": TreeSVC(time_limit=5, random_state=0),
    "random forest": RandomForestClassifier(200, min_samples_leaf=5, random_state=0),
    "boosted trees": HistGradientBoostingClassifier(random_state=0),
}

# %%
# On the diagonal, the probability is the frequency. Below and above, the models are too
# sure of themselves, as all three are at the ends.
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for name, model in models.items():
    p = model.fit(X_train, y_train).predict_proba(X_test)[:, 1]
    bins = np.digitize(p, np.linspace(0, 1, 11)[1:-1])
    said = [p[bins == b].mean() for b in np.unique(bins)]
    happened = [y_test[bins == b].mean() for b in np.unique(bins)]
    axes[0].plot(
        said, happened, "o-", label=f"{name}: log loss {log_loss(y_test, p):.3f}"
    )
axes[0].axline((0, 0), slope=1, color="0.6", lw=1)
axes[0].set(xlabel="probability that was said", ylabel="share that was positive")
axes[0].legend(fontsize=9)

side = np.linspace(0, 1, 200, dtype=np.float32)
grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
p = models["TreeSVC"].predict_proba(grid)[:, 1].reshape(200, 200)
picture = axes[1].contourf(side, side, p, levels=np.linspace(0, 1, 11), cmap="RdBu")
axes[1].set_title("TreeSVC: probability of class 1")
axes[1].set(xticks=[], yticks=[])
figure.colorbar(picture, ax=axes[1])
plt.show()
