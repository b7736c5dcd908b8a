"""
One row at a time
=================

`predict` checks its input, which takes longer than the answer. `predictor()` does
not: it is compiled, answers the same, and looks at the width of a row only.
"""

# %%
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from treesvm import DTSVMClassifier, HLSVMClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0)
models = {
    "random forest": RandomForestClassifier(100, random_state=0),
    "boosted trees": HistGradientBoostingClassifier(max_iter=30, random_state=0),
    "SVC": SVC(gamma=0.001, C=10),
    "DTSVMClassifier": DTSVMClassifier(random_state=0, n_jobs=1),
    "HLSVMClassifier": HLSVMClassifier(random_state=0),
}


def microseconds(answer, rows, *, at_least=0.2):
    """Return the median time of one answer."""
    answer(rows[0])
    times, end = [], perf_counter() + at_least
    while perf_counter() < end:
        for row in rows[:20]:
            start = perf_counter()
            answer(row)
            times.append(perf_counter() - start)
    return 1e6 * np.median(times)


# %%
found = {}
for name, model in models.items():
    model.fit(X_train, y_train)
    right = model.score(X_test, y_test)
    slow = microseconds(lambda row, model=model: model.predict(row[None]), X_test)
    found[f"{name}.predict, {right:.1%}"] = slow
    if hasattr(model, "predictor"):
        found[f"{name}.predictor(), {right:.1%}"] = microseconds(
            model.predictor(), X_test
        )

# %%
# On your machine the times are others; their order of magnitude is much the same.
figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
colours = ["C0" if "predictor()" in name else "0.7" for name in found]
bars = ax.barh(list(found), list(found.values()), color=colours)
ax.bar_label(bars, [f"{value:,.0f} µs" for value in found.values()], padding=3)
ax.set(
    xscale="log",
    xlabel="one row, µs",
    title="one row of 64 features, right answers beside the name",
)
ax.invert_yaxis()
ax.margins(x=0.12)
plt.show()
