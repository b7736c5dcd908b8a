"""
A search with a time limit
==========================

`TreeSVC` needs one number: the seconds that it may take. It tries kernels, scalings,
feature weights, C and γ on held-out training rows, and what it tried can be looked
at.
"""

# %%
# Three classes with curved borders in four features, 8,000 rows, as a DataFrame.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from treesvm import TreeSVC
from treesvm.datasets import make_waves

X, y = make_waves(10_000, 4, frequency=3, seed=1)
X = pd.DataFrame(X, columns=["north", "east", "height", "time"])
X_train, y_train, X_test, y_test = X[:8000], y[:8000], X[8000:], y[8000:]

model = TreeSVC(time_limit=15, random_state=0).fit(X_train, y_train)
print(f"{model.score(X_test, y_test):.1%} right; stopped early: {model.stopped_early_}")
print(model.best_theta_)

# %%
# What was tried is a table. Every candidate gets a short look; half of them go on to
# more rows, again and again; the winner is refined, and larger parts are tried.
tried = pd.DataFrame(model.search_results_)
print(tried.groupby("stage", sort=False)["loss"].agg(["size", "min"]))

# %%
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
stages = list(dict.fromkeys(tried["stage"]))
for number, (kernel, rows) in enumerate(tried.groupby("kernel")):
    places = rows["stage"].map(stages.index) + 0.3 * (number - 0.5)
    shift = np.random.default_rng(number).uniform(-0.1, 0.1, len(rows))
    ax.plot(places + shift, rows["loss"], "o", ms=5, alpha=0.6, label=kernel)
ax.set_xticks(range(len(stages)), stages)
ax.set(ylabel="loss on held-out rows", ylim=(0, None))
ax.legend()
plt.show()
