"""The page on remedies: the comparison of methods, and the effect of the scale of the gradient on each."""

import re
from pathlib import Path

import numpy as np
import pytest
from throughtime_book.training.bit_counter.mean_error import curvature
from throughtime_book.training.remedies.experiment import LENGTH, METHODS, RATE, descend

PAGE = Path(__file__).parents[3] / "book" / "training" / "remedies.ipynb"


@pytest.mark.parametrize("method", METHODS)
def test_every_method_arrives_from_the_plain(method):
    assert descend((1.0, 0.5), method).end == "arrived"


def test_the_wall():
    ends = {method: descend((1.0, 1.3), method).end for method in METHODS}
    assert ends == {"gradient descent": "lost", "clipped by norm": "arrived", "iRprop-": "arrived"}


@pytest.mark.parametrize(
    ("method", "ends"),
    [
        ("gradient descent", ("under way", "arrived", "lost")),
        ("clipped by norm", ("under way", "arrived", "arrived")),
        ("iRprop-", ("arrived", "arrived", "arrived")),
    ],
)
def test_a_gradient_that_is_too_short_or_too_long(method, ends):
    runs = [descend((1.0, 0.5), method, scale=scale) for scale in (1e-6, 1.0, 1e6)]
    assert tuple(run.end for run in runs) == ends
    if method == "iRprop-":
        assert len(set(runs)) == 1


def test_the_rate_is_stable_at_the_minimum():
    assert 0.5 < RATE * np.linalg.eigvalsh(curvature(LENGTH))[-1] / 2 < 1


def test_the_links_of_the_table_lead_to_pages():
    links = set(re.findall(r"\]\(([\w./-]+)\)", PAGE.read_text(encoding="utf-8")))
    missing = sorted(link for link in links if not (PAGE.parent / f"{link}.ipynb").is_file())
    assert not missing
