"""``treesvm compare``: methods side by side, in a table and in a report."""

import datetime
from functools import partial
from pathlib import Path

from treesvm import datasets, reporting
from treesvm.cli.console import check_output, output
from treesvm.cli.data_options import add_data_options, read_training

EXAMPLES = """examples:
  treesvm compare --report report.html              embedded data, nothing downloaded
  treesvm compare flowers.csv --label species
  treesvm compare big.libsvm --methods histgb,dtsvm,tree-svc --rows 100000
"""


def add_options(parser):
    """Describe the command's options."""
    parser.add_argument(
        "data",
        metavar="DATA",
        nargs="?",
        help="file to learn from (default: five embedded sets, one of 200,000 rows)",
    )
    parser.add_argument(
        "--methods",
        metavar="A,B,…",
        help=f"some of: {', '.join(reporting.LOOKS)} (default: all installed)",
    )
    parser.add_argument("--report", metavar="HTML", help="write a page with pictures")
    parser.add_argument(
        "--rows", type=int, help="use at most so many rows of a data set"
    )
    parser.add_argument(
        "--test",
        type=float,
        default=0.25,
        metavar="SHARE",
        help="share of the rows to measure on (default: 0.25)",
    )
    parser.add_argument(
        "--svm-seconds",
        type=float,
        default=15.0,
        help="the plain RBF SVM trains on as many rows as this time allows "
        "(default: 15)",
    )
    parser.add_argument(
        "--time-limit",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="of TreeSVC and TreeSVR (default: 10)",
    )
    parser.add_argument(
        "--task",
        choices=("classification", "regression"),
        help="the labels are classes, or numbers (default: found from the labels)",
    )
    add_data_options(parser, missing="indicator")


def run(options, console):
    """Compare on each data set, print, write the report."""
    if options.rows is not None and options.rows < 20:
        raise ValueError(f"--rows {options.rows}: use 20 or more.")
    if not options.time_limit > 0:
        raise ValueError(f"--time-limit {options.time_limit}: use seconds above 0.")
    check_output("--report", options.report, [options.data])
    named = options.methods.split(",") if options.methods else None
    methods = reporting.chosen_methods(named)
    if options.data is None:
        _refuse_data_options(options)
        tables = datasets.embedded_tables(options.rows)
    else:
        name = options.data.title or Path(options.data).name
        table = read_training(options, console)
        _check_labels(table, options)
        tables = [(name, table)]
    console.remark("compiling for this machine (only the first time) ...")
    _warm_up(methods, options)
    comparisons = []
    for name, table in tables:
        task = options.task or datasets.task_of(table.y)[0]
        console.table(f"\n{name}\n{reporting.table_head(task)}")
        comparison = reporting.compare_table(
            table,
            name,
            methods=methods,
            test_share=options.test,
            max_rows=options.rows,
            missing=options.missing or "indicator",
            svm_seconds=options.svm_seconds,
            time_limit=options.time_limit,
            seed=options.seed,
            n_jobs=options.jobs,
            task=task,
            on_result=partial(_tell, console, task),
        )
        console.table(reporting.headline(comparison))
        comparisons.append(comparison)
    if options.report is not None:
        today = datetime.date.today().isoformat()
        with output(options.report) as write:
            title = "Methods side by side"
            if options.data is not None:
                title += f" on {comparisons[0].name}"
            write(reporting.html_report(comparisons, title=title, when=today))
        console.remark(f"\nThe report is in {Path(options.report).resolve()}")
    console.result([comparison.as_json() for comparison in comparisons])
    return 0


def _check_labels(table, options):
    """Refuse labels that cannot be learned before anything is compiled and printed."""
    if table.y is None:
        raise ValueError(
            f"{table.path}: there are no labels to learn from; name their column, or "
            "of .npz their array, with --label."
        )
    task = options.task or datasets.task_of(table.y)[0]
    labels = datasets.as_target(table.y, task)
    datasets.train_test_rows(labels, options.test, options.seed)


def _tell(console, task, result):
    console.table(reporting.table_line(result, task))


def _refuse_data_options(options):
    """Options about a file make no sense without one."""
    given = [options.label, options.drop, options.categorical, options.max_data_mb]
    given += [options.missing, options.task, options.format, options.delimiter]
    given += [options.decimal, options.encoding, options.header is not None]
    if any(given) or options.zero_based != "auto":
        raise ValueError("options about columns need DATA; the embedded data has none.")


def _warm_up(methods, options):
    """Fit each method on a few rows, so that compiling is not timed as training."""
    X, y = datasets.make_waves(600)
    for target in (y, X[:, 0] + X[:, 1]) if "dtsvm" in methods else (y,):
        reporting.compare_table(
            datasets.Table(X, target),
            "warm-up",
            methods=methods,
            svm_seconds=0.1,
            time_limit=0.1,
            seed=options.seed,
            n_jobs=options.jobs,
        )
