"""The measurement of the engine: each cell is a system, each derivative is listed, and a limit ends what is slow."""

import cells
import engine_cells
import pytest
from throughtime.derivation import CheckError


def test_every_cell_is_a_system_with_all_its_derivatives_listed():
    assert " ".join(cells.CELLS) == "gru_before gru_after mgu slstm slstm_stable layer_norm narx stacked"
    for build in cells.CELLS.values():
        cell = build()
        cell.system.check()
        listed = [kind for kind, *_ in engine_cells.tasks(cell)]
        counts = [listed.count(kind) for kind in ("forward", "truncated", "gradient", "backward")]
        assert counts == [*3 * [len(cell.weights)], len(cell.nodes)]


def test_a_derivative_is_measured_and_one_that_is_refused_is_named():
    cell = cells.stacked()
    derivation = next(make for kind, _, make in engine_cells.tasks(cell) if kind == "gradient")
    words, seconds = engine_cells.measured(cell, derivation, 30)
    assert "mutants rejected" in words
    assert 0 < seconds < 30

    def refused(bench):
        raise CheckError("of a kind")

    assert engine_cells.measured(cell, refused, 30)[0] == "REFUSED of a kind"


def test_what_does_not_end_is_stopped_at_the_limit():

    def endless(bench):
        while True:
            pass

    words, seconds = engine_cells.measured(cells.stacked(), endless, 1)
    assert words.startswith("no answer")
    assert seconds < 5


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        ("narx", "dh[i](t)/dU1[p,r]"),  # h(t-2) of another unit depends on U1 from time 5 on
        ("layer_norm", "dL/dmu(t)"),  # the sum of the deviations from the mean is 0, at whatever time dL/dv is read
        ("slstm", "dh[i](t)/dbi[p]"),
    ],
)
def test_derivatives_that_were_once_refused_or_endless(cell, what):
    built = cells.CELLS[cell]()
    derivation = next(make for _, name, make in engine_cells.tasks(built) if name == what)
    assert "mutants rejected" in engine_cells.measured(built, derivation, 30)[0]
