"""The chapter on forget gates: its verdicts, and that a state without a forget gate grows."""

from pathlib import Path

from throughtime_book.peephole.peepholes import figures as peephole_gates

PAGE = Path(__file__).parents[3] / "book" / "peephole" / "forget-gates.ipynb"


def test_verdicts(verdicts):
    verdicts({f"peephole-{n}" for n in range(1, 7)})


def test_states_without_a_forget_gate_grow():
    free, leaky, reset = (peephole_gates.states(way) for way in peephole_gates.WAYS)
    assert free[-1] == 60.0
    assert leaky.max() < 5.0
    assert reset.max() == 10.0
