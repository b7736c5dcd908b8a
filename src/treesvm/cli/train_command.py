"""``treesvm train``: a data file in, a model file out."""

import time
from pathlib import Path

import treesvm
from treesvm import datasets, reporting
from treesvm.cli.cluster_options import (
    add_cluster_options,
    check_cluster_options,
    fit_on_cluster,
)
from treesvm.cli.data_options import (
    add_data_options,
    add_encoding_options,
    label_name,
    read_training,
)
from treesvm.cli.estimator_options import add_estimator_options, make_estimator
from treesvm.datasets.data_file import size_in_bytes

EXAMPLES = """examples:
  treesvm train flowers.csv --label species
  treesvm train covtype.libsvm.bz2 -o covtype.treesvm --search --test 0.2
  treesvm train adult.csv --label income --missing most_frequent --test adult_test.csv
  treesvm train sensors.parquet --method hlsvm --max-depth 8
  treesvm train huge.libsvm --cluster local --memory 1GB --checkpoint huge.parts
"""


def add_options(parser):
    """Describe the command's options."""
    parser.add_argument("data", metavar="DATA", help="file to learn from")
    parser.add_argument(
        "-o",
        "--output",
        metavar="MODEL",
        help="model file to write (default: DATA's name with .treesvm)",
    )
    parser.add_argument(
        "--test",
        metavar="DATA|SHARE",
        help="measure on this file, or on this share of DATA, which is then not "
        "learned from",
    )
    add_estimator_options(parser)
    add_data_options(parser)
    add_encoding_options(parser)
    add_cluster_options(parser)


def run(options, console):
    """Train, measure, save."""
    check_cluster_options(options)
    target = Path(options.output or _default_target(options.data))
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise ValueError(f"-o {target}: give a file name in a folder that exists.")
    share = _share(options.test)
    estimator = make_estimator(options, verbose=int(console.shows_progress))
    if options.cluster is not None:
        return _run_on_cluster(options, console, estimator, target)
    console.remark(f"reading {options.data}")
    training = read_training(options)
    testing = None
    if share is not None:
        train, test = datasets.train_test_rows(training.y, share, options.seed)
        training, testing = training.take(train), training.take(test)
    model = datasets.TableModel(
        estimator, scale=options.scale, missing=options.missing, unseen=options.unseen
    )
    console.remark(f"training on {training.n_rows:,} rows")
    start = time.perf_counter()
    model.fit(training, label=label_name(options), zero_based=options.zero_based)
    seconds = time.perf_counter() - start
    if share is None and options.test is not None:
        testing = _read_test(model, options.test)
    treesvm.save_model(model, target)
    facts = _measured(model, training, testing, seconds) | reporting.model_facts(model)
    facts["written to"] = str(target)
    console.table(reporting.fact_lines(facts))
    console.result(facts)
    return 0


def _run_on_cluster(options, console, estimator, target):
    """Train on a file of any size, save, measure on a test file chunk by chunk."""
    if _share(options.test) is not None:
        raise ValueError(
            f"--test {options.test}: a share of a file that need not fit the memory is "
            "not held out; give a file of test rows."
        )
    console.remark(f"training on {options.data}, cluster {options.cluster}")
    fit = fit_on_cluster(options, estimator)
    treesvm.save_model(fit.model, target)
    facts = {"training rows": fit.n_rows, "training seconds": round(fit.seconds, 3)}
    if options.test is not None:
        summary = datasets.predict_file(fit.model, options.test, lambda text: None)
        if not summary.n_labelled:
            raise ValueError(f"{options.test}: there are no labels to compare with.")
        facts["test rows"] = summary.n_rows
        facts["test accuracy"] = summary.n_right / summary.n_labelled
    facts |= reporting.model_facts(fit.model) | {"written to": str(target)}
    console.table(reporting.fact_lines(facts))
    console.result(facts)
    return 0


def _default_target(data):
    name = Path(data).name
    return name.split(".")[0] + ".treesvm"


def _share(test):
    """Return --test as a share, or None if it is not given or names a file."""
    if test is None:
        return None
    try:
        share = float(test)
    except ValueError:
        size_in_bytes(test)  # a mistyped name is told before the training, not after
        return None
    if not 0.0 < share < 1.0:
        raise ValueError(f"--test {test}: use a share between 0 and 1, or a file.")
    return share


def _read_test(model, path):
    """Return the test file as one table."""
    tables = list(model.iter_file(path, chunk_rows=2**62))
    if not tables or tables[0].y is None:
        raise ValueError(f"{path}: there are no labels to compare with.")
    return tables[0]


def _measured(model, training, testing, seconds):
    """Accuracy, time and cost."""
    facts = {"training rows": training.n_rows, "training seconds": round(seconds, 3)}
    if testing is None:
        facts["accuracy on the training rows"] = model.score(training)
        measured = training
    else:
        facts["test rows"] = testing.n_rows
        facts["test accuracy"] = model.score(testing)
        measured = testing
    return facts | reporting.prediction_facts(model, measured)
