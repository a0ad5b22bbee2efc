"""The net of 2002 against ONNX's operator LSTM, the only one of the libraries' with peepholes."""

import library_lstms
import pytest
from throughtime.textbook.peephole import GATES

TOLERANCE = 1e-12


def test_a_peephole_of_another_cell_or_gate_would_be_noticed(kept):
    """ONNX's P in another order, or all of it away, gives other outputs than the net of 2002."""
    _, x, _, _ = library_lstms.problem()
    model, theta = library_lstms.with_peepholes(GATES)
    mine, inputs = model.forward(theta, x).y_cell[1:, :, 0], library_lstms.onnx_inputs(model, theta)
    assert kept("library_onnx.outputs", x, inputs).error("outputs", mine) <= TOLERANCE
    seen = inputs["P"].reshape(3, 3)
    for wrong in (seen[::-1], seen[[0, 2, 1]], seen[:, [1, 2, 0]], -seen, 0 * seen):
        theirs = kept("library_onnx.outputs", x, inputs | {"P": wrong.reshape(1, -1)})
        assert theirs.error("outputs", mine) > 1e-3


@pytest.mark.parametrize("gate", GATES)
def test_only_the_output_gate_sees_the_state_of_the_first_step(gate, kept):
    """Before it every state is zero: a peephole to the old state changes nothing, one to the new state does."""
    _, x, _, _ = library_lstms.problem()
    model, theta = library_lstms.with_peepholes((gate,))
    inputs = library_lstms.onnx_inputs(model, theta)
    blind = {name: array for name, array in inputs.items() if name != "P"}
    first, without = (kept("library_onnx.outputs", x[:1], given) for given in (inputs, blind))
    mine = model.forward(theta, x[:1]).y_cell[1:, :, 0]
    assert first.error("outputs", mine) <= TOLERANCE
    assert (without.error("outputs", mine) > 1e-3) is (gate == "og")
