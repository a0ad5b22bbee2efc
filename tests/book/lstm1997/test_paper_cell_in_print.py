"""The page on sections 3.2 to 6 of the paper: the numbers of its exercise."""

from pathlib import Path

from book.lstm1997.paper import checks

PAGE = Path(__file__).parents[3] / "book" / "lstm1997" / "paper-cell-in-print.ipynb"


def test_sizes_of_the_exercise_and_the_slip_that_blocks_of_one_cell_do_not_see(run_page) -> None:
    names = run_page("checks.STEPS_22")
    both = [names[form][1].rhs for form in ("printed", "right")]
    sizes = {checks.K: 1, checks.H: 0, checks.C: 2, checks.S: 2, checks.I: 10}
    assert [form.subs(sizes) for form in both] == [191, 193]
    assert (both[0] - both[1]).subs(checks.S, 1).expand() == 0
