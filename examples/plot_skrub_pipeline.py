"""
In a skrub pipeline
===================

skrub cleans and encodes dirty tables; the machines of this library are ordinary
scikit-learn estimators behind it. Shown beside `TreeSVC`, which encodes by itself.
This example needs skrub (``pip install skrub``).
"""

# %%
# Job titles with spelling mistakes, dates as text, and a salary band to be told.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from skrub import TableVectorizer

from treesvm import DTSVMClassifier, TreeSVC

rng = np.random.default_rng(1)
n = 1500
titles = [
    "nurse",
    "senior nurse",
    "engineer",
    "senior engineer",
    "driver",
    "accountant",
]
level = np.array([1.0, 2.2, 2.0, 3.4, 0.6, 1.8])
which = rng.integers(0, len(titles), n)
years = rng.integers(0, 30, n)


def misspelt(word):
    place = rng.integers(0, len(word))
    return word if rng.random() < 0.7 else word[:place] + word[place + 1 :]


staff = pd.DataFrame(
    {
        "title": [misspelt(titles[k]) for k in which],
        "since": (
            pd.Timestamp("2025-01-01") - pd.to_timedelta(years * 365, "D")
        ).astype(str),
        "hours": rng.choice([20.0, 30.0, 40.0, np.nan], n),
        "site": rng.choice(["A", "B", "C"], n),
    }
)
pay = level[which] + 0.05 * years + rng.normal(0, 0.25, n)
band = np.digitize(pay, [1.6, 2.8])

# %%
methods = {
    "TreeSVC alone": TreeSVC(time_limit=3, random_state=0),
    "skrub + TreeSVC": make_pipeline(
        TableVectorizer(), TreeSVC(time_limit=3, random_state=0)
    ),
    "skrub + DTSVMClassifier": make_pipeline(
        TableVectorizer(), SimpleImputer(), DTSVMClassifier(random_state=0)
    ),
    "skrub + boosted trees": make_pipeline(
        TableVectorizer(), HistGradientBoostingClassifier(random_state=0)
    ),
}
scores = {
    name: cross_val_score(method, staff, band, cv=3) for name, method in methods.items()
}

# %%
figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
for place, (name, found) in enumerate(scores.items()):
    ax.barh(place, found.mean(), color="C0" if "SV" in name else "0.7")
    ax.plot(found, [place] * 3, "k.", ms=5)
ax.set_yticks(range(len(scores)), scores)
ax.set(xlabel="right answers, three folds", xlim=(0.5, 1))
ax.xaxis.set_major_formatter("{x:.0%}")
ax.invert_yaxis()
plt.show()
