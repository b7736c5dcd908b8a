"""
DataFrames of pandas and of polars
==================================

`TreeSVC` takes tables as they come: numbers, categories, texts, booleans, dates
turned into numbers, and missing values. Columns are found by name, and the answers do
not depend on whose DataFrame it is. This example needs polars (``pip install
polars``).
"""

# %%
# A generated table of 3,000 flats, and whether they were let within a week.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars

from treesvm import TreeSVC

rng = np.random.default_rng(0)
n = 3000
flats = pd.DataFrame(
    {
        "area": rng.gamma(6, 12, n).round(),
        "district": rng.choice(["north", "south", "east", "west", "old town"], n),
        "balcony": rng.random(n) < 0.4,
        "floor": rng.integers(0, 8, n).astype(float),
        "note": rng.choice(["renovated", "quiet", None], n),
    }
)
rent = 6 + 0.16 * flats["area"] + rng.normal(0, 1.5, n)
flats["rent"] = rent.where(rng.random(n) > 0.1)  # a tenth is not known
wanted = (
    2.0 * flats["balcony"] + 3.0 * (flats["district"] == "old town")
    + 1.5 * (flats["note"] == "renovated")
    - 0.9 * (rent - 6 - 0.16 * flats["area"]) - 0.08 * (flats["floor"] - 3) ** 2
)  # fmt: skip
y = np.where(wanted + rng.logistic(0, 0.5, n) > 1.2, "let", "empty")

# %%
# A model of a pandas frame answers polars frames, and the other way round: columns are
# found by their names.
model = TreeSVC(time_limit=5, random_state=0).fit(flats[:2000], y[:2000])
rest = flats[2000:]
print(f"{model.score(rest, y[2000:]):.1%} right")
shuffled = polars.from_pandas(rest).select(list(flats.columns))
print((model.predict(shuffled) == model.predict(rest)).all())

# %%
# Importances belong to the columns of the table, not to their encoding.
importance = pd.Series(model.feature_importances_, index=flats.columns).sort_values()
values = model.predict_proba(rest)[:, list(model.classes_).index("let")]
figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
axes[0].barh(importance.index, importance, color="0.6")
axes[0].set(title="importances", xlabel="share")
for name, rows in rest.assign(p=values).groupby("district"):
    axes[1].plot(np.sort(rows["p"]), np.linspace(0, 1, len(rows)), label=name)
axes[1].set(title="by district", xlabel="probability of “let”", ylabel="share of flats")
axes[1].legend(fontsize=9)
plt.show()
