"""The base of all estimators: what they do alike around what they are for."""

from importlib.metadata import PackageNotFoundError, metadata

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from treesvm.inputs.parameter_rules import check_parameters
from treesvm.inputs.training_rows import checked_rows, takes_gram

_AT_THE_TOP = (
    "estimators",
    "model_selection",
)  # rooms behind treesvm's own names


class Estimator(BaseEstimator):
    """Checks its parameters by the table of rules, and takes sparse rows.

    Its picture in notebooks links to its page of the reference. The address is the
    "Documentation" of ``[project.urls]`` in pyproject.toml. As long as that is empty
    there is no link.
    """

    _doc_link_module = "treesvm"

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        check_parameters(self)

    def _checked(self, X):
        """Return rows to be answered, validated."""
        check_is_fitted(self)
        return checked_rows(self, X, reset=False)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = takes_gram(self)
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags

    @property
    def _doc_link_template(self):
        address = documentation_address()
        return f"{address}/api/generated/{{page}}.html" if address else ""

    def _doc_link_url_param_generator(self):
        return {"page": page_of(type(self))}


def is_fitted(model):
    """Whether a model of any library is."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def page_of(kind):
    """Return the name under which the reference shows a class."""
    package, room, *_ = kind.__module__.split(".")
    shown = package if room in _AT_THE_TOP else f"{package}.{room}"
    return f"{shown}.{kind.__name__}"


def documentation_address():
    """Return where the installed package says that its pages are, or nothing."""
    try:
        urls = metadata("treesvm").get_all("Project-URL", [])
    except PackageNotFoundError:  # run from its source
        return ""
    named = dict(url.split(", ", 1) for url in urls)
    return named.get("Documentation", "").rstrip("/")
