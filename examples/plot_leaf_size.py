"""
How large may a part be?
========================

`max_leaf_size`, σ in the paper, is the one number that trades accuracy for time.
Training costs about rows × σ; a prediction meets the vectors of one part.
"""

# %%
from time import process_time

import matplotlib.pyplot as plt

from treesvm import DTSVMClassifier
from treesvm.datasets import make_waves
from treesvm.metrics import support_vector_cost

X, y = make_waves(15_000, 4, frequency=3, seed=0)
X_train, y_train, X_test, y_test = X[:12_000], y[:12_000], X[12_000:], y[12_000:]
DTSVMClassifier().fit(X_train[:500], y_train[:500])  # compiles, so that times are fair

sizes = (50, 100, 200, 400, 800, 1600, 3200, 12_001)
accuracy, seconds, met = [], [], []
for size in sizes:
    start = process_time()
    model = DTSVMClassifier(max_leaf_size=size, n_jobs=1, random_state=0)
    model.fit(X_train, y_train)
    seconds.append(process_time() - start)
    accuracy.append(model.score(X_test, y_test))
    met.append(support_vector_cost(model, X_test[:1000]).nesv_distinct)

# %%
# The last point does not cut at all: it is one SVM on all rows.
figure, axes = plt.subplots(1, 3, figsize=(12, 3.4), layout="constrained")
panels = {
    "right answers": accuracy,
    "training, s of one core": seconds,
    "vectors met by a row": met,
}
for ax, (title, values) in zip(axes, panels.items(), strict=True):
    ax.plot(sizes, values, "o-", color="C0")
    ax.plot(sizes[-1], values[-1], "o", color="C1", ms=9, label="one SVM")
    ax.set(xscale="log", xlabel="max_leaf_size", title=title)
    ax.grid(True)
axes[0].yaxis.set_major_formatter("{x:.1%}")
axes[0].legend(loc="lower right")
axes[1].set_yscale("log")
axes[2].set_yscale("log")
plt.show()
