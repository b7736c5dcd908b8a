"""
Several decompositions that vote
================================

Where a tree cuts is somewhat arbitrary, and answers jump there. Several randomised
decompositions cut elsewhere, and vote: borders get smoother, for a multiple of the
time.
"""

# %%
import matplotlib.pyplot as plt

from treesvm import DTSVMClassifier
from treesvm.datasets import make_waves
from treesvm.plotting import plot_regions

X, y = make_waves(8000, 2, frequency=8, noise=0.1, seed=3)
X_train, y_train, X_test, y_test = X[:4000], y[:4000], X[4000:], y[4000:]

# %%
# Small parts, so that the cuts show.
figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")
for ax, members in zip(axes, (1, 5, 15), strict=True):
    model = DTSVMClassifier(n_estimators=members, max_leaf_size=50, random_state=0)
    model.fit(X_train, y_train)
    plot_regions(model, X_test[:1000], y_test[:1000], ax=ax)
    word = "member" if members == 1 else "members"
    ax.set_title(f"{members} {word}: {model.score(X_test, y_test):.1%} right")
    ax.set(xticks=[], yticks=[])
plt.show()

# %%
# In four features. More members help most where parts are small; larger parts help
# more, and cost the same or less.
X, y = make_waves(8000, 4, frequency=3, seed=1)
X_train, y_train, X_test, y_test = X[:4000], y[:4000], X[4000:], y[4000:]
figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
counts = (1, 2, 4, 8)
for size in (50, 100, 400):
    right = [
        DTSVMClassifier(n_estimators=n, max_leaf_size=size, random_state=0)
        .fit(X_train, y_train)
        .score(X_test, y_test)
        for n in counts
    ]
    ax.plot(counts, right, "o-", label=f"max_leaf_size={size}")
ax.set_xscale("log", base=2)
ax.set_xticks(counts, counts)
ax.set(xlabel="members", ylabel="right answers")
ax.yaxis.set_major_formatter("{x:.0%}")
ax.legend()
plt.show()
