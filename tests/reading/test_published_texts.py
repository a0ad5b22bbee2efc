"""Recurrences as they are printed elsewhere, `published_texts.toml`: read as they are meant, or refused by name."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numbers_of import FUNCTIONS, LENGTH, Numbers
from throughtime.derivation import DEFINED, INPUT, PARAMETER
from throughtime.reading import NotationError, read

TEXTS = tomllib.loads(Path(__file__).with_name("published_texts.toml").read_text(encoding="utf-8"))["texts"]
NUMERIC = {
    name: getattr(np, name) for name in ("exp", "log", "sqrt", "maximum", "minimum", "outer", "eye", "diag", "sum")
}


@pytest.mark.parametrize("one", TEXTS, ids=[one["name"] for one in TEXTS])
def test_a_published_text_is_read_as_it_is_meant_or_refused_by_name(one: dict[str, str]) -> None:
    assert ("refused" in one) != bool({"says", "means"} & {*one})
    assert ("source" in one) != one["name"].startswith("ours: ")
    if "refused" in one:
        with pytest.raises(NotationError) as refusal:
            read(one["text"])
        assert one["refused"] in str(refusal.value)
        assert one.get("hint", "") in str(refusal.value)
    else:
        shown = [line.strip() for line in str(read(one["text"])).split("\n")]
        assert {*one.get("says", shown[0]).split("\n")} <= {*shown}


class Was:
    """The values of one step earlier."""

    def __init__(self, numbers: Numbers, t: int):
        self.numbers, self.t = numbers, t

    def __getattr__(self, name: str) -> np.ndarray:
        return self.numbers.array(self.numbers.named[name], self.t - 1)


@pytest.mark.parametrize("one", [pytest.param(one, id=one["name"]) for one in TEXTS if "means" in one])
def test_a_published_text_computes_what_its_source_means(one: dict[str, str]) -> None:
    """A line of `means` for each computed quantity, in NumPy; `was.h` is h one step earlier."""
    numbers = Numbers(read(one["text"]))
    lines = [line.split(" = ", 1) for line in one["means"].strip().split("\n")]
    learned = {q.name: numbers.array(q) for q in numbers.of_role[PARAMETER]}
    states = {q.name for q in numbers.of_role[DEFINED] if q.timed and not q.name.startswith("net_")}
    assert {name for name, _ in lines} == states
    for t in range(1, LENGTH + 1):
        given = {q.name: q for q in numbers.of_role[INPUT] if t in numbers.system.given_times(q, LENGTH)}
        now: dict[str, Any] = {**FUNCTIONS, **NUMERIC, **learned, "was": Was(numbers, t)}
        now |= {name: numbers.array(q, t) for name, q in given.items()}
        for name, formula in lines:
            now[name] = eval(formula, {}, now)
            np.testing.assert_allclose(
                numbers.array(numbers.named[name], t), now[name], rtol=1e-9, err_msg=f"{name} at {t}"
            )
