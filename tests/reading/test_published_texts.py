"""Recurrences as they are printed elsewhere, `published_texts.toml`: read as they are meant, or refused by name."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from throughtime.reading import NotationError, read

TEXTS = tomllib.loads(Path(__file__).with_name("published_texts.toml").read_text(encoding="utf-8"))["texts"]


@pytest.mark.parametrize("one", TEXTS, ids=[one["name"] for one in TEXTS])
def test_a_published_text_is_read_as_it_is_meant_or_refused_by_name(one: dict[str, str]) -> None:
    if "refused" in one:
        with pytest.raises(NotationError) as refusal:
            read(one["text"])
        assert one["refused"] in str(refusal.value)
        assert one.get("hint", "") in str(refusal.value)
    else:
        shown = [line.strip() for line in str(read(one["text"])).split("\n")]
        assert {*one["says"].split("\n")} <= {*shown}
