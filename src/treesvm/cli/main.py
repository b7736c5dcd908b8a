"""The command's entry: parse, run, and turn a user's mistakes into one line."""

import argparse
import contextlib
import os
import signal
import sys
import threading

from treesvm import __version__
from treesvm.cli import (
    compare_command,
    explain_command,
    export_command,
    inspect_command,
    predict_command,
    train_command,
    warmup_command,
)
from treesvm.cli.console import Console
from treesvm.cli.data_options import opened_source
from treesvm.datasets.data_file import file_size
from treesvm.inputs.job_limit import MAX_JOBS

OK, WRONG, USAGE, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143

_COMMANDS = {
    "train": (train_command, "learn from a data file and write a model file"),
    "predict": (predict_command, "answer the rows of a file of any size"),
    "explain": (explain_command, "tell what each column adds to the answers"),
    "compare": (compare_command, "train methods side by side and report"),
    "inspect": (inspect_command, "show what is inside a model file"),
    "export": (export_command, "write a model for ONNX or as a C file"),
    "warmup": (warmup_command, "compile everything now instead of at the first fit"),
}
_FORMATS = """data files, by their ending:
  LIBSVM text (.svm .libsvm .txt or none), .csv, .tsv — also with .gz or .bz2;
  .parquet; .npz with arrays X and y; others with --format; - is standard input
"""
_CODES = """exit codes: 0 done, 1 the data, the model or the parameters are wrong,
  2 the command was not understood, 130 stopped by Ctrl-C, 143 by SIGTERM
"""


def parser():
    """Return the parser of all commands."""
    made = argparse.ArgumentParser(
        prog="treesvm",
        description="Support vector machines at decision-tree speed.",
        epilog=_FORMATS + "\n" + _CODES + "\ntreesvm COMMAND --help tells more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--version", action="version", version=f"treesvm {__version__}")
    commands = made.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module, words) in _COMMANDS.items():
        command = commands.add_parser(
            name,
            help=words,
            description=words[0].upper() + words[1:] + ".",
            epilog=module.EXAMPLES + "\n" + _FORMATS + "\n" + _CODES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_options(command)
        _add_common_options(command, name)
    return made


def _add_common_options(command, name):
    group = command.add_argument_group("general")
    group.add_argument("-q", "--quiet", action="store_true", help="only tell errors")
    group.add_argument("--json", action="store_true", help="print results as JSON")
    if name in ("train", "compare"):
        group.add_argument("--seed", type=int, default=0, help="(default: 0)")
        group.add_argument(
            "--jobs",
            type=int,
            default=os.cpu_count() or 1,
            help="threads (default: one for each processor)",
        )
    group.add_argument(
        "--traceback",
        action="store_true",
        help="show where in the program an error came up",
    )


def main(arguments=None):
    """Run the command; return its exit code."""
    options = parser().parse_args(arguments)
    console = Console(options.quiet, options.json)
    try:
        with _terminable():
            _check_jobs(options)
            if "model" in options:
                file_size(options.model)  # told at once if it is not there
            with opened_source(options):
                return _COMMANDS[options.command][0].run(options, console)
    except KeyboardInterrupt as stop:
        print("treesvm: stopped; no file was left half-written", file=sys.stderr)
        return TERMINATED if isinstance(stop, _Terminated) else INTERRUPTED
    except BrokenPipeError:
        # The reader of our output, such as head, has seen enough. Python would
        # complain when it flushes at exit, so the output goes nowhere from here on.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return WRONG
    except (ValueError, OSError, ImportError, MemoryError) as error:
        if options.traceback:
            raise
        print(f"treesvm {options.command}: {_words(error)}", file=sys.stderr)
        return WRONG


def _check_jobs(options):
    """Refuse numbers of threads before the work, not when its model is saved."""
    jobs = getattr(options, "jobs", 1)
    if jobs == 0 or abs(jobs) > MAX_JOBS:
        raise ValueError(f"--jobs {jobs}: use 1 to {MAX_JOBS}, or -1 for all.")


class _Terminated(KeyboardInterrupt):
    """SIGTERM, which ends the command as Ctrl-C does."""


def _terminate(*_):
    raise _Terminated


@contextlib.contextmanager
def _terminable():
    """Let SIGTERM clean up; only the main thread may say so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _words(error):
    """Return an error in one paragraph."""
    if isinstance(error, MemoryError):
        return f"not enough memory ({error or 'the data is too large'})."
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    return str(error).strip() or type(error).__name__
