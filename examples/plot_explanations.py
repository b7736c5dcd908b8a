"""
Importances, and the explanation of one row
===========================================

What do the answers rest on? `feature_importances_` speaks of the whole model,
`explain` of single rows: exact Shapley values, computed from the kernel and not by
sampling.
"""

# %%
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from treesvm import TreeSVC

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = TreeSVC(time_limit=5, random_state=0).fit(X_train, y_train)
print(f"{model.score(X_test, y_test):.1%} right")

# %%
# The row that the model is least sure of is the most interesting one. Its values sum to
# its decision value minus that of a row of which nothing is known.
unsure = abs(model.decision_function(X_test)).argmin()
row = X_test.iloc[[unsure]]
values = pd.Series(model.explain(row)[0], index=X.columns)
print(f"decision value {model.decision_function(row)[0]:+.2f} (benign above 0)")

# %%
importance = pd.Series(model.feature_importances_, index=X.columns).nlargest(10)[::-1]
strongest = values[values.abs().nlargest(10).index][::-1]
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
axes[0].barh(importance.index, importance, color="0.6")
axes[0].set(title="the whole model: importances", xlabel="share")
axes[1].barh(
    [f"{name} = {row[name].iloc[0]:.3g}" for name in strongest.index],
    strongest,
    color=["C0" if value > 0 else "C3" for value in strongest],
)
axes[1].axvline(0, color="0.3", lw=1)
axes[1].set(title="one row: Shapley values", xlabel="← malignant      benign →")
plt.show()
