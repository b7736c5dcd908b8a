"""
Dask on a local cluster
=======================

The same model on a cluster, to the last bit: rows are sent to the worker of their
leaf, each worker trains its leaves. This example needs Dask (``pip install
'treesvm[dask]'``).
"""

# %%
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from distributed import Client

from treesvm import DTSVMClassifier
from treesvm.datasets import make_waves
from treesvm.distributed import DaskDTSVMClassifier, local_cluster

X, y = make_waves(24_000, 2, frequency=8, seed=3)
X_blocks = da.from_array(X, chunks=(6000, 2))
y_blocks = da.from_array(y, chunks=6000)

# %%
# Two workers stand for two machines. They are threads here; in a script of your own
# leave out ``processes=False`` and work below ``if __name__ == "__main__":``. `model_`
# is an ordinary `DTSVMClassifier`: it predicts, saves and loads without Dask.
recipe = DTSVMClassifier(max_leaf_size=1000, random_state=0)
with local_cluster(2, processes=False) as cluster, Client(cluster):
    on_cluster = DaskDTSVMClassifier(recipe).fit(X_blocks, y_blocks).model_
in_memory = DTSVMClassifier(max_leaf_size=1000, random_state=0).fit(X, y)

same = on_cluster.decision_function(X[:2000]) == in_memory.decision_function(X[:2000])
print(f"equal to the last bit: {same.all()}")

# %%
# The leaves are the unit of work. Those that hold one class need no machine; the others
# are dealt out by their size.
report = on_cluster.leaf_report()
rows = np.asarray(report["rows"])
has_machine = np.asarray(report["support_vectors"]) > 0
order = rows.argsort()[::-1]
figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
ax.bar(
    np.arange(len(rows)), rows[order],
    color=np.where(has_machine[order], "C0", "0.75"), width=0.9,
)  # fmt: skip
ax.bar(
    np.arange(len(rows)), np.asarray(report["support_vectors"])[order],
    color="C1", width=0.9,
)  # fmt: skip
for colour, name in (("C0", "rows of a leaf"), ("C1", "its support vectors")):
    ax.bar(0, 0, color=colour, label=name)
ax.set(xlabel="leaves, the largest first: the order of training", ylabel="rows")
ax.legend()
plt.show()
