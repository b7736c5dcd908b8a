"""
Model files without pickles
===========================

A model file is arrays and a JSON header: loading runs nothing, and the loaded model
answers to the last bit as the saved one. Its size is that of the support vectors.
"""

# %%
import pickle
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from treesvm import (
    DTSVMClassifier,
    HLSVMClassifier,
    KernelSVC,
    compress,
    load_model,
    save_model,
)
from treesvm.datasets import make_waves

X, y = make_waves(8000, 4, frequency=2, seed=0)
machine = KernelSVC(C=10, gamma=10).fit(X[:4000], y[:4000])
models = {
    "KernelSVC, 4,000 rows": machine,
    "DTSVMClassifier, 8,000 rows": DTSVMClassifier(random_state=0).fit(X, y),
    "KernelSVC, compressed": compress(
        machine, X[4000:], y[4000:], tolerance=0.02, random_state=0
    ),
    "HLSVMClassifier": HLSVMClassifier(random_state=0).fit(X, y),
}

# %%
sizes = {}
with tempfile.TemporaryDirectory() as folder:
    for name, model in models.items():
        path = Path(folder, "model.treesvm")
        save_model(model, path)
        loaded = load_model(path)
        assert np.array_equal(loaded.decision_function(X), model.decision_function(X))
        sizes[name] = path.stat().st_size / 1e3, len(pickle.dumps(model)) / 1e3

# %%
figure, ax = plt.subplots(figsize=(7.5, 3.2), layout="constrained")
places = np.arange(len(sizes))
for shift, colour, label, column in (
    (-0.2, "C0", "model file", 0),
    (0.2, "0.75", "pickle", 1),
):
    widths = [pair[column] for pair in sizes.values()]
    bars = ax.barh(places + shift, widths, height=0.36, color=colour, label=label)
    ax.bar_label(bars, [f"{width:,.0f} kB" for width in widths], padding=3, fontsize=9)
ax.set_yticks(places, sizes)
ax.invert_yaxis()
ax.set(xscale="log", xlabel="kB")
ax.margins(x=0.2)
ax.legend(loc="lower right")
plt.show()
