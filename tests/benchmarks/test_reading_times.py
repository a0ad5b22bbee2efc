"""The measurement of the reader: which state and which weight of a cell are derived, and what a refusal is."""

from __future__ import annotations

import importlib

import pytest
from throughtime.reading import read


@pytest.mark.parametrize(
    ("cell", "state", "weight"), [("gru_after", "h", "W_hr"), ("lstm_projection", "r", "W_ix"), ("lru", "x", "lambda")]
)
def test_a_state_and_a_recurrent_weight_of_a_cell_are_derived(cell, state, weight):
    times = importlib.import_module("reading")
    made = read(times.CELLS[cell].text)
    assert (times.state_of(made).name, times.weight_of(made).name) == (state, weight)


def test_what_is_derived_is_named_with_its_seconds_and_a_refusal_has_none():
    times = importlib.import_module("reading")
    name, seconds = times.measured("h_t = tanh(u * h_{t-1} + x_t)", "gradient", 30)
    assert name == "u"
    assert 0 < seconds < 30
    words, seconds = times.measured("h_t = tanh(W h_t)", "read", 30)
    assert words.startswith("refused: ")
    assert seconds is None


def test_what_does_not_end_is_stopped_at_the_limit(monkeypatch):
    times = importlib.import_module("reading")

    def endless(reading):
        while True:
            pass

    monkeypatch.setitem(times.OF, "gradient", endless)
    assert times.measured("h_t = tanh(u * h_{t-1} + x_t)", "gradient", 1) == ("no answer in 1 s", None)
