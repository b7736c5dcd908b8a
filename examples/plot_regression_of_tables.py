"""
Regression with categories and missing values
=============================================

`TreeSVR` takes the same tables as `TreeSVC` and answers with numbers. Units of the
target do not matter: it is scaled inside.
"""

# %%
# Rides of a bicycle hire: the hour, the weather (a category), a temperature that is not
# always known, and the number of rides.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

from treesvm import TreeSVR

rng = np.random.default_rng(0)
n = 3500
hour = rng.uniform(0, 24, n)
weather = rng.choice(["sun", "cloud", "rain"], n, p=[0.4, 0.4, 0.2])
warm = rng.normal(14, 7, n)
peaks = np.exp(-((hour - 8) ** 2) / 3) + 1.2 * np.exp(-((hour - 17.5) ** 2) / 5)
factor = pd.Series(weather).map({"sun": 1.0, "cloud": 0.8, "rain": 0.35})
rides = 400 * peaks * factor * (0.5 + 1 / (1 + np.exp(-(warm - 10) / 4)))
rides = rides + rng.normal(0, 20, n)
table = pd.DataFrame({"hour": hour, "weather": weather, "warm": warm})
table.loc[rng.random(n) < 0.15, "warm"] = np.nan

train, test = slice(0, 2500), slice(2500, None)
model = TreeSVR(time_limit=8, random_state=0).fit(table[train], rides[train])
boosted = HistGradientBoostingRegressor(
    categorical_features=["weather"], random_state=0
).fit(table[train].astype({"weather": "category"}), rides[train])
r2 = model.score(table[test], rides[test])
r2_boosted = boosted.score(table[test].astype({"weather": "category"}), rides[test])
print(f"R²: TreeSVR {r2:.3f}, boosted trees {r2_boosted:.3f}")

# %%
# The answers over a day at 14 degrees: curves, where trees have steps.
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained", sharey=True)
for number, kind in enumerate(("sun", "cloud", "rain")):
    day = pd.DataFrame({"hour": np.linspace(0, 24, 400), "weather": kind, "warm": 14.0})
    axes[0].plot(day["hour"], model.predict(day), color=f"C{number}", label=kind)
    coded = day.astype({"weather": pd.CategoricalDtype(["cloud", "rain", "sun"])})
    axes[1].plot(day["hour"], boosted.predict(coded), color=f"C{number}")
    near = (weather == kind) & (abs(warm - 14) < 2)
    for ax in axes:
        ax.plot(hour[near], rides[near], ".", color=f"C{number}", ms=3, alpha=0.5)
axes[0].set(title=f"TreeSVR, R² {r2:.3f}", xlabel="hour", ylabel="rides")
axes[1].set(title=f"boosted trees, R² {r2_boosted:.3f}", xlabel="hour")
axes[0].legend()
plt.show()
