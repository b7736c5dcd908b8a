"""
Rare classes
============

Two rows in a hundred are positive. Always saying "no" is then right 98 times of a
hundred, so accuracy says nothing: look at precision and recall, and choose the
threshold by what an error costs.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    precision_recall_curve,
)
from sklearn.model_selection import train_test_split

from treesvm import TreeSVC

X, y = make_classification(
    8_000, 8, n_informative=6, n_redundant=0, n_clusters_per_class=3,
    weights=[0.98], flip_y=0.004, class_sep=1.2, random_state=2,
)  # fmt: skip
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

models = {
    "TreeSVC": TreeSVC(time_limit=4, random_state=0),
    'TreeSVC(class_weight="balanced")': TreeSVC(
        time_limit=4, class_weight="balanced", random_state=0
    ),
    "HistGradientBoosting": HistGradientBoostingClassifier(random_state=0),
}

# %%
# With balanced weights both classes count the same: more positives are found, and more
# negatives are called positive. The curve, over all thresholds, changes less.
figure, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
for number, (name, model) in enumerate(models.items()):
    values = model.fit(X_train, y_train).predict_proba(X_test)[:, 1]
    answers = model.predict(X_test)
    precision, recall, _ = precision_recall_curve(y_test, values)
    mean = average_precision_score(y_test, values)
    ax.plot(recall, precision, color=f"C{number}", label=f"{name}: AP {mean:.2f}")
    found = answers[y_test == 1].mean()
    right = (y_test[answers == 1] == 1).mean()
    ax.plot(found, right, "o", color=f"C{number}", ms=8)
    print(f"{name}: accuracy {(answers == y_test).mean():.3f}, "
          f"balanced {balanced_accuracy_score(y_test, answers):.3f}")  # fmt: skip
ax.axhline(y_test.mean(), color="0.6", ls="--", lw=1, label="guessing")
ax.set(xlabel="recall: positives that are found", ylabel="precision", ylim=(0, 1.03))
ax.set_title("points: where the model itself draws the line")
ax.legend(loc="upper right", fontsize=9)
plt.show()

# %%
# Resampling is another way, where a method takes no weights. ``SVMSMOTE`` of
# imbalanced-learn makes new positive rows near the border, which an SVM finds for it;
# a `DTSVMClassifier` names its support vectors as `SVC` does, so
# ``SVMSMOTE(svm_estimator=DTSVMClassifier())`` works. On 200,000 rows of covtype with
# 3.5 % positives it took four seconds of processor time.
