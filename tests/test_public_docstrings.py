"""Everything public is documented: each parameter by itself, and with an example."""

import importlib
import inspect
import re
from typing import NoReturn

import pytest
from test_public_types import PACKAGES

SECTION = re.compile(r"^(\w[\w ]*)\n-+$", re.MULTILINE)
ENTRY = re.compile(r"^(\*{0,2}\w[\w, *\\]*?)(?:\s+:\s+(.*?))?(?<!\\)$")
REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def sections(text):
    """Return {title: body} of a numpydoc docstring; what comes first is called ""."""
    parts = SECTION.split("\n" + text)
    assert len(set(parts[1::2])) == len(parts[1::2]), f"a section twice: {text}"
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


def entries(body):
    """Return {name: type} of a section's entries; lines that go on are joined."""
    lines = body.replace("\\\n", "").splitlines()
    found = [ENTRY.match(line) for line in lines if line and not line[0].isspace()]
    return {match[1].strip(): match[2] or "" for match in found if match}


def is_record(value):
    return hasattr(value, "_fields") or hasattr(value, "__dataclass_fields__")


def is_error(value):
    return inspect.isclass(value) and issubclass(value, Exception)


def parameters(value):
    """Return {name: default} of what a caller may pass."""
    signature = inspect.signature(value)
    return {
        name: parameter.default
        for name, parameter in signature.parameters.items()
        if parameter.kind not in REST
    }


def faults(value):
    """Say what a public class or function lacks in its docstring."""
    text = inspect.getdoc(value) or ""
    found = sections(text)
    known = entries(found.get("Parameters", "")) | entries(found.get("Attributes", ""))
    wanted = {} if is_error(value) else parameters(value)
    missing = [f"no entry for {name}" for name in wanted if name not in known]
    joint = [f"joint entry {name}" for name in known if "," in name]
    wrong = [
        f"{name}: says default={said}, is {wanted[name]!r}"
        for name, kind in known.items()
        if name in wanted and (said := stated_default(kind)) is not None
        if said not in spellings(wanted[name])
    ]
    is_example_due = not (is_record(value) or is_error(value))
    lacks_example = is_example_due and "Examples" not in found
    return missing + joint + wrong + ["no example"] * lacks_example


def stated_default(kind):
    match = re.search(r"default=(\S+)$", kind)
    return match[1] if match else None


def spellings(value):
    """Return the ways to write a default; 1e-3 and 0.001 are the same number."""
    texts = {repr(value), repr(value).replace("'", '"')}
    if isinstance(value, float):
        texts |= {f"{value:g}", f"{value:.0e}", f"{value:.0e}".replace("e-0", "e-")}
    if isinstance(value, int):
        texts |= {f"{value:_}", f"{value:,}"}
    return texts


@pytest.mark.parametrize("package", PACKAGES)
def test_public_docstrings_are_complete(package):
    module = importlib.import_module(package)
    values = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    found = {name: faults(value) for name, value in values.items() if callable(value)}
    assert {name: missing for name, missing in found.items() if missing} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_public_estimators_say_when_not_to_use_them(package):
    module = importlib.import_module(package)
    values = [getattr(module, name) for name in getattr(module, "__all__", ())]
    silent = [
        value.__name__
        for value in values
        if inspect.isclass(value) and hasattr(value, "get_params")
        if "when not to use" not in inspect.getdoc(value).lower()
    ]
    assert silent == []


# What users call of an estimator; the others are for the library's own rooms.
CALLED = {
    "fit", "partial_fit", "fit_resample", "path", "predict", "predict_proba",
    "predict_log_proba", "decision_function", "apply", "explain", "gradient",
    "kernel_evaluations", "hyperplanes_met", "predictor", "leaf_report",
}  # fmt: skip


def lacking_sections(method):
    """Say which sections the docstring of a method lacks."""
    method = getattr(method, "fn", method)  # one that is there if the machine has it
    found = sections(inspect.getdoc(method) or "")
    signature = inspect.signature(method)
    takes = {
        name
        for name, parameter in signature.parameters.items()
        if parameter.kind not in REST and name != "self"
    }
    due = {"Parameters"} if takes else set()
    if signature.return_annotation is not NoReturn:
        due |= {"Yields"} if "Yields" in found else {"Returns"}
    return sorted(due - set(found))


@pytest.mark.parametrize("package", PACKAGES)
def test_what_users_call_says_what_goes_in_and_comes_out(package):
    module = importlib.import_module(package)
    values = [getattr(module, name) for name in getattr(module, "__all__", ())]
    lacking = {
        f"{value.__name__}.{name}": missing
        for value in values
        if inspect.isclass(value) and hasattr(value, "get_params")
        for name in CALLED & set(dir(value))
        if (missing := lacking_sections(inspect.getattr_static(value, name)))
    }
    assert lacking == {}


def test_the_checker_sees_what_is_missing():
    def sample(a, b=1e-3, c="word", d=2):
        """Do something.

        Parameters
        ----------
        b : float, default=1e-3
            Right.
        c, e : str
            Two at once.
        d : int, default=3
            Not what it is.
        """

    assert faults(sample) == [
        "no entry for a",
        "no entry for c",
        "joint entry c, e",
        "d: says default=3, is 2",
        "no example",
    ]
