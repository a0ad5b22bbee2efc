"""The chapter Experiments: its verdicts, and that a slip in its equation is refused."""

from pathlib import Path

import pytest
import throughtime as tt
from throughtime_book.lstm1997.experiments import setting as s

PAGE = Path(__file__).parents[3] / "book" / "lstm1997" / "experiments.ipynb"


def test_verdicts_of_the_page(judged):
    assert {name: item.record["verdict"] for name, item in judged.items()} == {"lstm1997-experiments-1": "holds"}


def test_recursion_without_the_weight_is_refused():
    state, before = s.h[s.i, s.t], s.h[s.i, s.t - 1]
    wrong = s.f.prime(s.z[s.i, s.t]) * (before + tt.d(before, s.w[s.i]))
    with pytest.raises(tt.CheckError, match="is wrong as printed"):
        s.setting().equation("wrong", tt.chain(tt.d(state, s.w[s.i]), wrong), numeric="no model")
