"""Everything public says its types; `make lint` lets mypy check that they are true."""

import importlib
import inspect

import pytest

PACKAGES = [
    "treesvm",
    "treesvm.baselines",
    "treesvm.bounds",
    "treesvm.candidates",
    "treesvm.datasets",
    "treesvm.distributed",
    "treesvm.export",
    "treesvm.metrics",
    "treesvm.model_selection",
    "treesvm.partitions",
    "treesvm.persistence",
    "treesvm.plotting",
    "treesvm.reporting",
]
REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def untyped(function):
    """Return the names of a function's parameters, and "return", that have no type."""
    signature = inspect.signature(inspect.unwrap(function))
    names = [
        name
        for name, parameter in signature.parameters.items()
        if parameter.annotation is parameter.empty
        and name not in ("self", "cls")
        and parameter.kind not in REST
    ]
    returns_nothing = signature.return_annotation is signature.empty
    return names + ["return"] * returns_nothing


def functions_of(member):
    """Yield (name, function) of a public function, or of a class's public methods."""
    if inspect.isfunction(member):
        yield member.__name__, member
    elif inspect.isclass(member):
        # A record's constructor is made from its fields, which have types.
        is_record = hasattr(member, "_fields") or hasattr(
            member, "__dataclass_fields__"
        )
        for base in member.__mro__:
            if not base.__module__.startswith("treesvm"):
                continue
            for name, value in vars(base).items():
                value = getattr(value, "__func__", getattr(value, "fget", value))
                is_shown = not name.startswith("_") or (
                    name == "__init__" and not is_record
                )
                if is_shown and inspect.isfunction(inspect.unwrap(value)):
                    yield f"{base.__name__}.{name}", value


@pytest.mark.parametrize("package", PACKAGES)
def test_public_functions_have_types(package):
    module = importlib.import_module(package)
    found = {
        name: untyped(function)
        for public in getattr(module, "__all__", ())
        for name, function in functions_of(getattr(module, public))
    }
    assert {name: missing for name, missing in found.items() if missing} == {}


def test_the_checker_sees_what_is_missing():
    class Sample:
        def __init__(self, a, b: int = 1):
            pass

        def fit(self, X: list) -> "Sample":
            return self

        @property
        def size(self):
            return 1

    Sample.__module__ = "treesvm.sample"
    found = {name: untyped(function) for name, function in functions_of(Sample)}
    assert found == {
        "Sample.__init__": ["a", "return"],
        "Sample.fit": [],
        "Sample.size": ["return"],
    }
