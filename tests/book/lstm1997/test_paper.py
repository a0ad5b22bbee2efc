"""The pages on the paper: the comparison with the note, what no slip of their boxes tries."""

import numpy as np
import sympy
from book.lstm1997 import three_phases
from book.lstm1997.paper import beside, checks
from book.reference.ledger import rows
from sympy import Le
from throughtime.systems import lstm1997

PAGE = "lstm1997/paper-cell-in-print"


def test_the_same_slip_is_wrong_on_both_sides() -> None:
    verdicts = {row.id: row.verdict for row in rows()}
    for name, (_, words) in beside.ROWS.items():
        notes = beside.ids(name)
        both = {verdicts[f"paper97-{name}"], *(verdicts[note] for note in notes)}
        if words.startswith(beside.AS_PAPER):
            assert both == {"corrected"}
        if words == beside.RIGHT:
            assert both == {"holds"}


def test_a_bound_twice_as_large_is_refused() -> None:
    """Which no slip of a bound without a constant tries."""
    assert checks.networks().is_sharp(Le(checks.norm_in, checks.norm_WT))
    assert not checks.networks().is_sharp(Le(checks.norm_in, 2 * checks.norm_WT))


def test_the_counterexample_grows_by_the_factor_that_it_names() -> None:
    one, more = (checks.matrix_flow(np.full((2, 2), 3.9), np.full((steps, 2), 0.25)) for steps in (20, 21))
    np.testing.assert_allclose(more, 1.95 * one)
    assert "$1.95$ with each" in checks.grown()


def test_sizes_of_the_exercise_and_the_slip_that_one_cell_does_not_see(page_cell):
    names = {"sp": sympy, "checks": checks, **{letter: getattr(checks, letter) for letter in "KHCSI"}}
    exec(page_cell("checks.STEPS_22").partition("one, whole =")[0], names)
    both = [names[form][1].rhs for form in ("printed", "right")]
    sizes = {checks.K: 1, checks.H: 0, checks.C: 2, checks.S: 2, checks.I: 10}
    assert [form.subs(sizes) for form in both] == [191, 193]
    assert (both[0] - both[1]).subs(checks.S, 1).expand() == 0


def test_both_steps_of_the_appendix_differ_in_the_sources_of_outputs_alone() -> None:
    before, after = ({str(line) for line in made.build().all_definitions()} for made in (lstm1997, three_phases))
    (lost,) = before - after
    assert "net_out" in lost
