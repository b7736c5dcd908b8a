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
from treesvm.cli.console import check_output
from treesvm.cli.data_options import (
    add_data_options,
    add_encoding_options,
    data_bytes,
    label_name,
    read_training,
)
from treesvm.cli.estimator_options import add_estimator_options, make_estimator
from treesvm.datasets.data_file import file_size

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
    check_output("-o", target, [options.data, options.test])
    share = _share(options.test)
    estimator = make_estimator(options, verbose=int(console.shows_progress))
    if options.cluster is not None:
        return _run_on_cluster(options, console, estimator, target)
    console.remark(f"reading {options.data}")
    training = read_training(options)
    testing = []
    if share is not None:
        train, test = datasets.train_test_rows(training.y, share, options.seed)
        training, testing = training.take(train), [training.take(test)]
    model = datasets.TableModel(
        estimator, scale=options.scale, missing=options.missing, unseen=options.unseen
    )
    console.remark(f"training on {training.n_rows:,} rows")
    start = time.perf_counter()
    model.fit(training, label=label_name(options), max_bytes=data_bytes(options))
    seconds = time.perf_counter() - start
    if share is None and options.test is not None:
        testing = _test_tables(model, options.test)
    facts = {"training rows": training.n_rows, "training seconds": round(seconds, 3)}
    facts |= _measured(model, training, testing) | reporting.model_facts(model)
    treesvm.save_model(model, target)
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
        file_size(test)  # a mistyped name is told before the training, not after
        return None
    if not 0.0 < share < 1.0:
        raise ValueError(f"--test {test}: use a share between 0 and 1, or a file.")
    return share


def _test_tables(model, path):
    """Yield the tables of a test file, of any size."""
    n_rows = 0
    for table in model.iter_file(path):
        if table.y is None:
            break
        n_rows += table.n_rows
        yield table
    if n_rows == 0:
        raise ValueError(f"{path}: there are no labels to compare with.")


def _measured(model, training, testing):
    """Accuracy on all test rows, and what those of the first table meet."""
    n_rows = n_right = 0
    costs = None
    for table in testing:
        n_rows += table.n_rows
        n_right += model.score(table) * table.n_rows
        costs = costs or reporting.prediction_facts(model, table)
    if n_rows:
        return {"test rows": n_rows, "test accuracy": n_right / n_rows} | costs
    facts = {"accuracy on the training rows": model.score(training)}
    return facts | reporting.prediction_facts(model, training)
