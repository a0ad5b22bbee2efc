"""The page on sections 3.2 to 6 of the paper: counts that are refused, and the numbers that it names."""

from pathlib import Path

from book.lstm1997.paper import checks
from sympy import Eq
from throughtime import LSTM1997

PAGE = Path(__file__).parents[3] / "book" / "lstm1997" / "paper-cell-in-print.ipynb"


def test_sizes_of_the_exercise_and_the_slip_that_blocks_of_one_cell_do_not_see(run_page) -> None:
    names = run_page("checks.STEPS_22")
    both = [names[form][1].rhs for form in ("printed", "right")]
    sizes = {checks.K: 1, checks.H: 0, checks.C: 2, checks.S: 2, checks.I: 10}
    assert [form.subs(sizes) for form in both] == [191, 193]
    assert (both[0] - both[1]).subs(checks.S, 1).expand() == 0


def test_counts_of_other_sizes_are_refused() -> None:
    K, H, C, S, I = checks.K, checks.H, checks.C, checks.S, checks.I
    weights = K * H + K * C * S + C * S * I + 2 * C * I + H * I
    assert checks.counts(Eq(checks.W, weights))
    assert not checks.counts(Eq(checks.W, weights - K * C * S + K * C))
    assert not checks.counts(Eq(checks.STORED, C * S * I))


def test_numbers_of_the_adding_problem_and_of_drift() -> None:
    adding = LSTM1997(n_in=2, hidden=0, blocks=2, cells=2, n_out=1, bias=True)
    assert adding.layout.size == 95
    assert sum(checks.solved(0.0)) < min(sum(checks.solved(bias)) for bias in (-1.0, -2.0, -3.0, -4.0))
