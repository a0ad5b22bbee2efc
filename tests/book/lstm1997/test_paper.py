"""The pages on the paper: their programs and counts, the numbers in their prose, the comparison with the note."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from book.lstm1997 import three_phases
from book.lstm1997.paper import beside, checks, experiment
from book.reference.ledger import listed, rows
from sympy import Le
from throughtime import LSTM1997, max_relative_error
from throughtime.systems import lstm1997

BOOK = Path(__file__).parents[3] / "book"
PAGE = BOOK / "lstm1997" / "paper-cell-in-print.ipynb"
FIRST = BOOK / "lstm1997" / "paper-in-print.ipynb"
LISTED = {row.id: row for row in listed() if row.id.startswith("paper97-")}
CELLS = ["".join(cell["source"]) for cell in json.loads(FIRST.read_text(encoding="utf-8"))["cells"]]
PROSE = " ".join(" ".join(CELLS).split())


def test_counts_in_the_prose() -> None:
    wrong = Counter(row.fault for row in LISTED.values() if row.fault)
    assert wrong == {"result": 5, "hypothesis": 5, "index": 4, "misprint": 2}
    assert len(LISTED) == 39 + wrong.total() == 55
    assert "Of 55 statements 39 stand" in PROSE
    words = "16 are wrong: 5 wrong results, 5 missing hypotheses, 4 slips of index, time or shape, 2 misprints"
    assert words in PROSE


# ---- the program


def program() -> dict:
    """The functions that the page lets a reader type."""
    names: dict = {"np": np}
    exec(next(cell for cell in CELLS if cell.startswith("def sigmoid")), names)
    return names


@pytest.mark.parametrize("late", [0, 1])
def test_the_program_of_the_page(late: int) -> None:
    draw = np.random.default_rng(5)
    net = LSTM1997(n_in=2, blocks=2, cells=1, n_out=3, timing=("same", "previous")[late])
    theta, x, target = net.init(draw, scale=1.0), draw.normal(size=(7, 2)), draw.uniform(size=(7, 3))
    views = net.layout.views(theta)
    weights = {kind: views[f"w_{kind}"] for kind in ("ig", "og", "cell", "out")} | {"cell": views["w_cell"][0]}
    found = program()["updates"](weights, x, target, late)
    by_literal = experiment.updates(net, theta, x, target, late, lag=late)
    for kind, part in found.items():
        assert np.allclose(part, by_literal[f"w_{kind}"].reshape(part.shape), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("timing", "late", "lag"), [("previous", 1, 1), ("same", 0, 0)])
def test_updates_whose_times_fit_are_the_truncated_gradient(timing: str, late: int, lag: int) -> None:
    draw = np.random.default_rng(9)
    model = LSTM1997(**experiment.SHAPE, timing=timing)
    theta, x, targets = model.init(draw, scale=1.0), draw.normal(size=(6, 3)), draw.uniform(size=(6, 2))
    right = model.gradient(theta, x, targets, method="truncated").gradient
    found = model.layout.flatten(experiment.updates(model, theta, x, targets, late, lag))
    assert max_relative_error(-found, right) < 1e-12


def test_what_the_mixture_costs() -> None:
    """The medians in the prose: 63 % to 115 % below the outputs, 27 % at the outputs."""
    a1, phases = experiment.quantiles("previous"), experiment.quantiles("same")
    below = [a1[kind][1, 0] for kind in experiment.KINDS if kind != "w_out"]
    assert (round(100 * min(below)), round(100 * max(below))) == (63, 115)
    assert round(100 * phases["w_out"][1, 0]) == 27
    assert a1["w_out"].max() < 1e-9
    assert max(phases[kind][:, 0].max() for kind in experiment.KINDS if kind != "w_out") < 1e-9
    assert "63 % to 115 %" in PROSE
    assert "27 %" in PROSE


# ---- tables and figure


def test_the_same_slip_is_wrong_on_both_sides() -> None:
    verdicts = {row.id: row.verdict for row in rows()}
    for name, notes, words in beside.ROWS:
        both = {verdicts[f"paper97-{name}"], *(verdicts[note] for note in notes)}
        if words.startswith(beside.AS_PAPER):
            assert both == {"corrected"}
        if words == beside.RIGHT:
            assert both == {"holds"}


# ---- the three pages of statements


def test_a_bound_twice_as_large_is_refused() -> None:
    """Which no slip of a bound without a constant tries."""
    assert checks.networks().is_sharp(Le(checks.norm_in, checks.norm_WT))
    assert not checks.networks().is_sharp(Le(checks.norm_in, 2 * checks.norm_WT))


def test_the_counterexample_grows_by_the_factor_that_it_names() -> None:
    one, more = (checks.matrix_flow(np.full((2, 2), 3.9), np.full((steps, 2), 0.25)) for steps in (20, 21))
    np.testing.assert_allclose(more, 1.95 * one)
    assert "$1.95$ with each" in checks.grown()


def test_sizes_of_the_exercise_the_slip_that_one_cell_does_not_see_and_the_weights_of_the_adding_problem(run_page):
    names = run_page("checks.STEPS_22")
    both = [names[form][1].rhs for form in ("printed", "right")]
    sizes = {checks.K: 1, checks.H: 0, checks.C: 2, checks.S: 2, checks.I: 10}
    assert [form.subs(sizes) for form in both] == [191, 193]
    assert (both[0] - both[1]).subs(checks.S, 1).expand() == 0
    assert LSTM1997(n_in=2, hidden=0, blocks=2, cells=2, n_out=1, bias=True).layout.size == 95


def test_both_steps_of_the_appendix_differ_in_the_sources_of_outputs_alone() -> None:
    before, after = ({str(line) for line in made.build().all_definitions()} for made in (lstm1997, three_phases))
    (lost,) = before - after
    assert "net_out" in lost
