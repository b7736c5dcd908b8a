"""Model files kept for ever, to show that files of every format still load.

When a format is new, ``PYTHONPATH=. python tests/stored_models.py`` writes its files to
tests/persistence/stored, to be committed. Files of older formats stay as they are: they
stand for the files that users have.
"""

import json
from pathlib import Path

import numpy as np

from benchmarks.model_samples import fitted_models, sample_rows
from treesvm import save_model
from treesvm.persistence.model_file import FORMAT

STORED = Path(__file__).resolve().parent / "persistence" / "stored"
NAMES = [
    "KernelSVC ovr",
    "KernelSVR",
    "DTSVMClassifier",
    "DTSVMClassifier voting",
    "DTSVRegressor",
    "HLSVMClassifier",
    "SVMMajClassifier",
    "RDSVMClassifier",
    "BaggedSVC",
    "CandidateSVC leaves",
    "CPSPClassifier",
    "LASVMClassifier",
    "compressed DTSVM",
]


def stored_answers(model):
    """What the model says about the sample's rows, as JSON."""
    rows = sample_rows()[0][:, : model.n_features_in_]
    return np.asarray(model.predict(rows)).tolist()


def main():
    STORED.mkdir(exist_ok=True)
    models, answers = fitted_models(), {}
    for name in NAMES:
        file = f"format_{FORMAT}_{name.replace(' ', '_')}.model"
        save_model(models[name], STORED / file)
        answers[file] = stored_answers(models[name])
    text = json.dumps(answers, ensure_ascii=False)
    (STORED / f"format_{FORMAT}.json").write_text(text + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
