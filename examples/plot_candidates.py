"""
Which rows to train on
======================

Only rows near the border become support vectors. Selectors guess them before a
machine is trained: here each keeps a tenth of the rows.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import make_moons
from sklearn.preprocessing import StandardScaler

from treesvm import CandidateSVC, KernelSVC
from treesvm.candidates import CBD, TRSD, CleanSpread, RandomRows

X, y = make_moons(5000, noise=0.25, random_state=0)
X = StandardScaler().fit_transform(X)
X_train, y_train, X_test, y_test = X[:3000], y[:3000], X[3000:], y[3000:]
full = KernelSVC(C=10).fit(X_train, y_train).score(X_test, y_test)

# %%
# `TRSD` takes rows near the planes between neighbouring leaves of a tree, and as many
# at random. `CBD` takes rows whose neighbours have another class, which noise is full
# of. `CleanSpread` takes rows that their neighbours agree with, spread out.
selectors = (RandomRows(0.1), TRSD(0.1), CBD(0.1), CleanSpread(0.1))
figure, axes = plt.subplots(
    1, 4, figsize=(13, 3.6), layout="constrained", sharex=True, sharey=True
)
for ax, selector in zip(axes, selectors, strict=True):
    model = CandidateSVC(selector, KernelSVC(C=10), random_state=0)
    model.fit(X_train, y_train)
    kept = model.selector_.sample_indices_
    ax.scatter(*X_train.T, s=2, color="0.85")
    ax.scatter(*X_train[kept].T, s=7, color=[f"C{k}" for k in y_train[kept]])
    right = model.score(X_test, y_test)
    ax.set_title(f"{type(selector).__name__}\n{right:.1%} right (all rows {full:.1%})")
    ax.set(xticks=[], yticks=[])
plt.show()
