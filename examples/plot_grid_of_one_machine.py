"""
A grid of C and γ at the price of a few fits
============================================

`KernelSVC.path` shares the distances among all γ and the kernel matrix among all C,
and starts each C from the smaller one. The grid comes with a score on validation
rows.
"""

# %%
from time import process_time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from treesvm import KernelSVC
from treesvm.datasets import make_waves

X, y = make_waves(4000, 2, frequency=4, noise=0.1, seed=6)
X_rest, X_test, y_rest, y_test = train_test_split(X, y, train_size=2000, random_state=0)
X_train, X_val, y_train, y_val = train_test_split(X_rest, y_rest, random_state=0)
Cs, gammas = np.logspace(-1, 4, 6), np.logspace(-2, 2.5, 10)
KernelSVC().path(X_train[:100], y_train[:100], Cs[:2], gammas[:2])  # compiles

start = process_time()
grid = KernelSVC().path(X_train, y_train, Cs, gammas, X_val, y_val)
ours = process_time() - start
start = process_time()
for C in Cs:
    for gamma in gammas:
        SVC(C=C, gamma=gamma).fit(X_train, y_train).score(X_val, y_val)
theirs = process_time() - start
print(f"{len(grid)} points: path {ours:.1f} s, a loop over SVC {theirs:.1f} s")

# %%
# The winner of the validation rows is trained on them too, and meets the test rows
# once.
best = max(grid, key=lambda point: point.score)
machine = KernelSVC(C=best.C, gamma=best.gamma).fit(X_rest, y_rest)
scores = np.array([[p.score for p in grid if p.C == C] for C in sorted(Cs)])
figure, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
picture = ax.imshow(scores, cmap="viridis", origin="lower", aspect="auto")
place = np.flatnonzero(gammas == best.gamma)[0], np.flatnonzero(Cs == best.C)[0]
ax.plot(*place, "*", color="C1", ms=16, mec="k")
ax.set_xticks(range(len(gammas)), [f"{gamma:.3g}" for gamma in gammas])
ax.set_yticks(range(len(Cs)), [f"{C:g}" for C in Cs])
ax.set(xlabel="γ", ylabel="C")
right = machine.score(X_test, y_test)
ax.set_title(f"best: {best.score:.1%} on validation rows, {right:.1%} on test rows")
figure.colorbar(picture, label="right answers, validation rows")
plt.show()
