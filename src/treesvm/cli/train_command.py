"""``treesvm train``: a data file in, a model file out."""

from dataclasses import replace
from pathlib import Path

import treesvm
from treesvm import datasets, reporting
from treesvm.cli.cluster_options import (
    add_cluster_options,
    check_cluster_options,
    fit_on_cluster,
)
from treesvm.cli.console import check_output, rows_text
from treesvm.cli.data_options import (
    add_data_options,
    add_encoding_options,
    data_bytes,
    encoding_rules,
    label_name,
    other_source,
    read_training,
)
from treesvm.cli.estimator_options import (
    add_estimator_options,
    make_estimator,
    method_of,
)
from treesvm.datasets.data_file import file_size

EXAMPLES = """examples:
  treesvm train flowers.csv --label species
  treesvm train houses.csv --label price --time-limit 20 --test 0.2
  treesvm train adult.csv --label income --test adult_test.csv
  treesvm train covtype.libsvm.bz2 -o covtype.treesvm --method dtsvm --search
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
    parser.add_argument(
        "--force", action="store_true", help="replace a model file that exists"
    )
    add_estimator_options(parser)
    add_data_options(parser, missing="indicator for tree, else error")
    add_encoding_options(parser)
    add_cluster_options(parser)


def run(options, console):
    """Train, measure, save."""
    check_cluster_options(options)
    target = Path(options.output or _default_target(options.data))
    inputs = [options.data, options.test]
    check_output("-o", target, inputs, may_replace=options.force)
    share = _share(options.test)
    verbose = int(console.shows_progress)
    estimator = make_estimator(
        options, options.task or "classification", verbose=verbose
    )
    if options.cluster is not None:
        return _run_on_cluster(options, console, estimator, target)
    console.remark(f"reading {options.data}")
    training, task = _with_task(read_training(options, console), options, console)
    if options.task is None and task == "regression":
        estimator = make_estimator(options, task, verbose=verbose)
    testing = []
    if share is not None:
        train, test = datasets.train_test_rows(training.y, share, options.seed)
        training, testing = training.take(train), [training.take(test)]
    rules = encoding_rules(options, method_of(options))
    model = datasets.TableModel(estimator, **rules)
    console.remark(f"training on {rows_text(training.n_rows)}")
    with reporting.work_timed() as spent:
        model.fit(training, label=label_name(options), max_bytes=data_bytes(options))
    if share is None and options.test is not None:
        testing = _test_tables(model, other_source(options, options.test))
    facts = {"training rows": training.n_rows}
    facts["training seconds"] = round(spent.seconds, 3)
    if spent.compiling:
        facts["seconds of compiling, once"] = round(spent.compiling, 3)
    facts |= _measured(model, training, testing) | reporting.model_facts(model)
    treesvm.save_model(model, target)
    return _told(facts, target, console)


def _run_on_cluster(options, console, estimator, target):
    """Train on a file of any size, save, measure on a test file chunk by chunk."""
    if options.method == "tree" or options.task == "regression":
        raise ValueError(
            "--cluster trains the classifiers dtsvm and hlsvm; leave out --method tree "
            "and --task regression, or --cluster."
        )
    if _share(options.test) is not None:
        raise ValueError(
            f"--test {options.test}: a share of a file that need not fit the memory is "
            "not held out; give a file of test rows."
        )
    console.remark(f"training on {options.data}, cluster {options.cluster}")
    rules = encoding_rules(options, method_of(options))
    fit = fit_on_cluster(options, estimator, rules)
    treesvm.save_model(fit.model, target)
    facts = {"training rows": fit.n_rows, "training seconds": round(fit.seconds, 3)}
    if options.test is not None:
        test = other_source(options, options.test)
        facts |= _test_facts(fit.model, _test_tables(fit.model, test))
    return _told(facts | reporting.model_facts(fit.model), target, console)


def _told(facts, target, console):
    """Print what was found; all parameters are for programs, and for `inspect`."""
    facts["written to"] = str(target)
    brief = {k: v for k, v in facts.items() if not k.startswith("parameters")}
    console.table(reporting.fact_lines(brief))
    console.remark(f"all parameters: treesvm inspect {target}")
    console.result(facts)
    return 0


def _default_target(source):
    if source.title is not None:
        raise ValueError(f"a model of {source} has no name; give -o MODEL.")
    return Path(source).name.split(".")[0] + ".treesvm"


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
    """How good the answers are, and what the rows of the first table meet."""
    if testing:
        return _test_facts(model, testing)
    quality = reporting.quality_facts(model, [training])
    del quality["rows"]
    facts = {f"{name} on the training rows": value for name, value in quality.items()}
    return facts | reporting.prediction_facts(model, training)


def _test_facts(model, tables):
    """Facts about rows that were not learned from."""
    costs = {}

    def costed():
        for table in tables:
            costs.update(costs or reporting.prediction_facts(model, table))
            yield table

    quality = reporting.quality_facts(model, costed())
    return {f"test {name}": value for name, value in quality.items()} | costs


def _with_task(training, options, console):
    """Return the table with labels for its task, and the task, which is told."""
    if training.y is None:
        raise ValueError(
            f"{training.path}: there are no labels to learn from; name their column, "
            "or of .npz their array, with --label."
        )
    found, reason = datasets.task_of(training.y)
    task = options.task or found
    if options.task is None:
        other = {"classification": "regression"}.get(task, "classification")
        console.remark(f"task: {task}, since {reason} (--task {other} to change it)")
    return replace(training, y=datasets.as_target(training.y, task)), task
