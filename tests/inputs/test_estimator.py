"""Estimators in notebooks link to their page, once the project has an address."""

import pytest

from treesvm import DTSVMClassifier
from treesvm.baselines import BaggedSVC
from treesvm.inputs import estimator
from treesvm.partitions import AxisTree


@pytest.mark.parametrize(
    ("model", "page"),
    [
        (DTSVMClassifier(), "treesvm.DTSVMClassifier"),
        (BaggedSVC(), "treesvm.baselines.BaggedSVC"),
        (AxisTree(), "treesvm.partitions.AxisTree"),
    ],
)
def test_link_follows_the_address(model, page, monkeypatch):
    monkeypatch.setattr(estimator, "documentation_address", lambda: "https://docs.us")
    link = f"https://docs.us/api/generated/{page}.html"
    assert model._get_doc_link() == link
    assert link in model._repr_html_()
    monkeypatch.setattr(estimator, "documentation_address", lambda: "")
    assert model._get_doc_link() == ""
    assert 'href="http' not in model._repr_html_()


def test_address_is_read_from_the_metadata(monkeypatch):
    class Metadata:
        def get_all(self, name, default):
            return ["Source, https://a", "Documentation, https://b/"]

    monkeypatch.setattr(estimator, "metadata", lambda name: Metadata())
    assert estimator.documentation_address() == "https://b"
