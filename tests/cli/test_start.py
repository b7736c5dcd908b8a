"""The command and the import start fast: heavy things are loaded when they are used."""

import importlib
import os
import subprocess
import sys
from types import ModuleType

import pytest

import treesvm
from treesvm import datasets, reporting

_TELL_TIME = (
    "import atexit, time; atexit.register(lambda: print(time.process_time()))\n"
)


def _seconds(code):
    """Return the processor time of a new process that runs the code, and its output."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", _TELL_TIME + code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    return float(done.stdout.split()[-1]), done


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--help"], 0, "COMMAND --help tells more"),
        (["train", "--help"], 0, "--max-leaf-size"),
        (["train", "x.csv", "--C", "many"], 2, "invalid float value: 'many'"),
        (["train", "absent.csv"], 1, "no such file"),
        (["train", __file__, "--method", "hlsvm", "--C", "3"], 1, "--C does not"),
        (["train", __file__, "--test", "7"], 1, "--test 7: use a share"),
        (["compare", "--methods", "svn"], 1, "no method 'svn'"),
    ],
)
def test_help_and_mistakes_come_at_once(arguments, code, words):
    run = f"import sys; from treesvm.cli.main import main; sys.exit(main({arguments}))"
    seconds, done = _seconds(run)
    assert done.returncode == code
    assert words in done.stdout + done.stderr
    assert seconds < 0.4


def test_importing_costs_no_more_than_what_it_stands_on():
    base, _ = _seconds("import sklearn.svm, numba")
    assert _seconds("import treesvm")[0] < 0.4
    assert _seconds("import treesvm; treesvm.DTSVMClassifier")[0] <= 1.6 * base


@pytest.mark.parametrize("package", [treesvm, datasets, reporting])
def test_lazy_names_are_all_there(package):
    assert set(package.__all__) < set(dir(package))
    for name in package.__all__:
        assert not isinstance(getattr(package, name), ModuleType), name
    with pytest.raises(AttributeError, match=f"{package.__name__}.*'nothing'"):
        package.nothing  # noqa: B018


def test_rooms_are_names_of_the_package():
    assert treesvm.candidates.TRSD is importlib.import_module("treesvm.candidates").TRSD
