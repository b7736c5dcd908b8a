"""
A CSV file larger than you want in memory
=========================================

`predict_file` answers a file of any size chunk by chunk; the model remembers columns,
categories and fillings of its training file. From the shell this is ``treesvm predict
model.treesvm big.csv -o answers.csv``. It needs pyarrow.
"""

# %%
# A file of 200,000 rows is written, of which 5,000 are labelled by hand, so to speak.
import tempfile
import tracemalloc
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from treesvm import DTSVMClassifier
from treesvm.datasets import TableModel, make_waves, predict_file, read_table

X, y = make_waves(200_000, 4, frequency=3, seed=1)
frame = pd.DataFrame(X, columns=["north", "east", "height", "time"]).round(4)
frame["kind"] = pd.Series(y).map({0: "low", 1: "middle", 2: "high"})
folder = tempfile.TemporaryDirectory()
small, big = Path(folder.name, "labelled.csv"), Path(folder.name, "all.csv")
frame[:5000].to_csv(small, index=False)
frame.to_csv(big, index=False)
print(f"{big.stat().st_size / 1e6:.0f} MB")

# %%
model = TableModel(DTSVMClassifier(random_state=0))
model.fit(read_table(small, label="kind"), label="kind")

chunks, peaks, shares = (2000, 10_000, 50_000, 200_000), [], []
for chunk_rows in chunks:
    tracemalloc.start()
    with open(Path(folder.name, "answers.csv"), "w") as answers:
        summary = predict_file(
            model, big, answers.write, layout="csv", chunk_rows=chunk_rows
        )
    peaks.append(tracemalloc.get_traced_memory()[1] / 1e6)
    tracemalloc.stop()
    shares.append(summary.n_right / summary.n_labelled)
print(summary)
folder.cleanup()

# %%
# The memory is that of a chunk, not of the file; the answers are the same.
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(chunks, peaks, "o-")
for rows, peak, share in zip(chunks, peaks, shares, strict=True):
    ax.annotate(f"{share:.2%} right", (rows, peak), (0, 8), textcoords="offset points",
                ha="center", fontsize=9)  # fmt: skip
ax.set(
    xscale="log",
    yscale="log",
    xlabel="rows in a chunk",
    ylabel="peak of Python's memory, MB",
)
ax.margins(0.12, 0.15)
ax.grid(True)
plt.show()
