"""The PyTorch code of the book's page on libraries that no network of ours is compared with: it says what it says."""

import contextlib
import io
from pathlib import Path

import pytest
import torch
from transcriptions.library_torch import program

SNIPPETS = Path(__file__).parents[1] / "snippets"


def snippet(name):
    """A file of the snippets as a module, and what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        module = program((SNIPPETS / f"{name}.py").read_text(encoding="utf-8"))
    return module, said.getvalue()


def test_the_stored_answer_is_what_the_installed_library_says():
    module, said = snippet("ask_for_peepholes")
    assert said == (SNIPPETS / "ask_for_peepholes.txt").read_text(encoding="utf-8")
    assert torch.equal(module.of_c, torch.diag(torch.diag(module.of_c)))


@pytest.mark.parametrize("layers", [1, 2])
def test_the_forget_gates_start_at_the_bias_that_is_asked_for(layers):
    module, _ = snippet("open_forget_gate")
    layer = torch.nn.LSTM(2, 5, num_layers=layers)
    before = {name: weight.clone() for name, weight in layer.named_parameters()}
    module.open_forget_gates(layer, 1.0)
    for number in range(layers):
        total = getattr(layer, f"bias_ih_l{number}") + getattr(layer, f"bias_hh_l{number}")
        assert torch.equal(total[5:10], torch.ones(5))
        assert torch.equal(total[:5], before[f"bias_ih_l{number}"][:5] + before[f"bias_hh_l{number}"][:5])
