"""The chapter on the paper: its verdicts, slips that are refused, the program, and the numbers in its prose."""

import json
from pathlib import Path

import numpy as np
import pytest
from sympy import Abs, Eq, Implies, Le
from throughtime import LSTM1997, CheckError, Truncated, chain, d, max_relative_error, sum_over
from throughtime.systems import lstm1997 as s
from throughtime_book.lstm1997.paper import claims, comparison, counts, figures, flow, literal, section3, system, unit
from throughtime_book.reference.ledger import listed, read_book, read_notebook

BOOK = Path(__file__).parents[3] / "book"
PAGE = BOOK / "lstm1997" / "paper.ipynb"
RECORDS = {judged.id: judged.record for judged in read_notebook(PAGE, BOOK)}
LISTED = {row.id: row for row in listed() if row.id.startswith("paper97-")}
WRONG = {
    "result": {"explode", "vanish", "four", "global", "19"},
    "hypothesis": {"row-norm", "bound", "cec-linear", "cut-others", "full-gradient"},
    "index": {"2", "22", "implement", "steps"},
    "misprint": {"elements", "table-10"},
}
CELLS = ["".join(cell["source"]) for cell in json.loads(PAGE.read_text(encoding="utf-8"))["cells"]]
PROSE = " ".join(" ".join(CELLS).split())
t, p, q, k, i = s.t, s.p, s.q, s.k, s.i_out


@pytest.fixture(scope="module")
def three():
    return system.setting()


def test_every_statement_of_the_list_is_judged_here() -> None:
    assert RECORDS.keys() == LISTED.keys()
    assert len(LISTED) == 55


def test_counts_in_the_prose() -> None:
    wrong = {kind: len(names) for kind, names in WRONG.items()}
    assert wrong == {"result": 5, "hypothesis": 5, "index": 4, "misprint": 2}
    assert "Of 55 statements 39 stand" in PROSE
    words = "16 are wrong: 5 wrong results, 5 missing hypotheses, 4 slips of index, time or shape, 2 misprints"
    assert words in PROSE
    assert len(RECORDS) - sum(wrong.values()) == 39


def test_both_steps_have_the_same_definitions_but_for_the_sources_of_outputs(three) -> None:
    before = {str(line) for line in s.build().all_definitions()}
    after = {str(line) for line in three.system.all_definitions()}
    lost = before - after
    assert len(lost) == 1
    assert "net_out" in lost.pop()


def test_the_trace_of_three_phases_is_that_of_the_library(three) -> None:
    model = system.Phases()
    trace = model.forward(model.parameters(), model.inputs())
    run = model.net.forward(model.theta, model.x)
    assert model.net.timing == "same"
    rows = np.hstack([model.x, run.y_hid[1:], run.y_cell[1:].reshape(len(model.x), -1)])
    assert np.array_equal(trace["o_now"][1:], rows)
    found = model.errors(trace, 2)
    signals = model.net.error_signals(model.theta, model.x, model.targets, model.only(2), method="truncated")
    assert found["e_out"] == pytest.approx(-signals.net_out[2])
    assert found["e_og"] == pytest.approx(-signals.net_og[2])
    assert found["e_s"] == pytest.approx(-signals.s[2])


# ---- slips


def test_updates_with_another_time_are_refused(three) -> None:
    error, weight = s.cost[t], s.w_og[p, q]
    cut = Truncated(error, weight, *s.cuts())
    for wrong in (system.e_og[p, t - 1] * s.r[q, t], system.e_og[p, t] * s.r[q, t - 1]):
        with pytest.raises(CheckError):
            three.equation("a slip in (22)", chain(-cut, wrong))


def test_a_sum_over_blocks_for_one_over_cells_is_refused(three) -> None:
    weight = s.w_ig[p, q]
    cut = Truncated(s.cost[t], weight, *s.cuts())
    wrong = sum_over(p, system.e_s[k, p, t]) * Truncated(s.s[k, p, t], weight, *s.cuts())
    with pytest.raises(CheckError):
        three.equation("a slip in (26)", chain(-cut, wrong))


def test_one_unit_without_its_slope_is_refused() -> None:
    slip = chain(d(unit.E[t], unit.z[t - 1]), d(unit.E[t], unit.z[t]) * unit.w)
    with pytest.raises(CheckError):
        unit.setting().equation("a slip", slip, numeric="no model")


@pytest.mark.parametrize("formula", [flow.EXPLODES[0], flow.VANISHES[0], flow.ROW[0], flow.SECOND[0]])
def test_bounds_that_the_paper_has_wrong_are_broken_by_a_network(formula) -> None:
    assert not flow.bound(formula)


@pytest.mark.parametrize(
    "formula",
    [
        Le(Abs(flow.F), flow.n**flow.q * flow.a_max**flow.q),
        Le(flow.norm_in, 2 * flow.norm_WT),
        Le(Abs(flow.F), flow.a_max),
    ],
)
def test_bounds_that_are_too_weak_or_too_strong_are_refused(formula) -> None:
    assert not flow.bound(formula)


@pytest.mark.parametrize("largest", [3, 5, 4 / flow.n**2])
def test_only_the_weakest_condition_for_vanishing_is_accepted(largest) -> None:
    assert not flow.limit(Implies(flow.w_max < largest, Eq(flow.lim_flow, 0)))


def test_counts_of_other_sizes_are_refused() -> None:
    K, H, C, S, I = counts.K, counts.H, counts.C, counts.S, counts.I
    assert counts.decide(counts.PRINTED_W)
    assert not counts.decide(Eq(counts.W, K * H + K * C + C * S * I + 2 * C * I + H * I))
    assert not counts.decide(Eq(counts.STORED, C * S * I))
    assert not counts.table_10(Eq(counts.W_TABLE, counts.TABLE.rhs + S))


def test_the_slip_of_the_count_is_nothing_for_blocks_of_one_cell() -> None:
    for printed, right in zip(counts.PRINTED_STEPS, counts.CORRECTED_STEPS, strict=True):
        assert (printed.rhs - right.rhs).subs(counts.S, 1).expand() == 0


def test_sizes_of_the_exercise() -> None:
    sizes = {counts.K: 1, counts.H: 0, counts.C: 2, counts.S: 2, counts.I: 10}
    assert [form[1].rhs.subs(sizes) for form in (counts.PRINTED_STEPS, counts.CORRECTED_STEPS)] == [191, 193]


def test_counterexamples_have_the_numbers_that_they_name() -> None:
    grown = flow.matrix_flow(np.full((2, 2), 3.9), np.full((20, 2), 0.25))
    assert np.allclose(flow.matrix_flow(np.full((2, 2), 3.9), np.full((21, 2), 0.25)), 1.95 * grown)
    assert f"{grown[0, 0]:.3g}" in section3.GROWN or grown[0, 0] > 1e5
    ones = np.eye(1, 3).T @ np.ones((1, 3))
    assert np.linalg.norm(ones, 1) == 1
    assert np.linalg.norm(ones[0], 1) == 3
    adding = LSTM1997(n_in=2, hidden=0, blocks=2, cells=2, n_out=1, bias=True)
    assert f"({adding.layout.size} weights)" in RECORDS["paper97-full-gradient"]["counterexample"]
    assert claims.solved(0.0).count(True) < min(claims.solved(bias).count(True) for bias in (-1.0, -2.0, -3.0, -4.0))


# ---- the program


def program() -> dict:
    """The functions that the page lets a reader type."""
    names: dict = {"np": np}
    exec(next(cell for cell in CELLS if cell.startswith("def sigmoid")), names)
    return names


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("printed", [False, True])
def test_the_program_of_the_page(own: bool, printed: bool) -> None:
    draw = np.random.default_rng(5)
    net = LSTM1997(n_in=2, blocks=2, cells=1, n_out=3, timing="same" if own else "previous")
    theta, x, target = net.init(draw, scale=1.0), draw.normal(size=(7, 2)), draw.uniform(size=(7, 3))
    views = net.layout.views(theta)
    weights = {kind: views[f"w_{kind}"] for kind in ("ig", "og", "cell", "out")} | {"cell": views["w_cell"][0]}
    found = program()["updates"](weights, x, target, own, printed)
    by_literal = literal.updates(net, theta, x, target, *((0, 1) if printed else (0, 0) if own else (1, 1)))
    for kind, part in found.items():
        assert np.allclose(part, by_literal[f"w_{kind}"].reshape(part.shape), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("timing", "late", "lag"), [("previous", 1, 1), ("same", 0, 0)])
def test_updates_whose_times_fit_are_the_truncated_gradient(timing: str, late: int, lag: int) -> None:
    draw = np.random.default_rng(9)
    model = LSTM1997(**literal.SHAPE, timing=timing)
    theta, x, targets = model.init(draw, scale=1.0), draw.normal(size=(6, 3)), draw.uniform(size=(6, 2))
    right = model.gradient(theta, x, targets, method="truncated").gradient
    found = model.layout.flatten(literal.updates(model, theta, x, targets, late, lag))
    assert max_relative_error(-found, right) < 1e-12


def test_what_the_mixture_costs() -> None:
    """The medians in the prose: 63 % to 115 % below the outputs, 27 % at the outputs."""
    a1, phases = literal.quantiles("previous"), literal.quantiles("same")
    below = [a1[kind][1, 0] for kind in literal.KINDS if kind != "w_out"]
    assert (round(100 * min(below)), round(100 * max(below))) == (63, 115)
    assert round(100 * phases["w_out"][1, 0]) == 27
    assert a1["w_out"].max() < 1e-9
    assert max(phases[kind][:, 0].max() for kind in literal.KINDS if kind != "w_out") < 1e-9
    assert "63 % to 115 %" in PROSE
    assert "27 %" in PROSE


# ---- tables and figure


def test_links_of_the_comparison_lead_to_the_boxes() -> None:
    where = {judged.id: judged.page for judged in read_book()}
    for name, page, notes, _ in comparison.ROWS:
        assert f"paper97-{name}" in LISTED
        for note in notes:
            assert where[note] == (page.removeprefix("../") if page.startswith("../") else f"lstm1997/{page}")


def test_the_same_slip_is_wrong_on_both_sides() -> None:
    verdicts = {judged.id: judged.record["verdict"] for judged in read_book()}
    for name, _, notes, words in comparison.ROWS:
        if words.startswith(comparison.AS_PAPER):
            assert {verdicts[f"paper97-{name}"], *(verdicts[note] for note in notes)} == {"corrected"}
        if words == comparison.RIGHT:
            assert {verdicts[f"paper97-{name}"], *(verdicts[note] for note in notes)} == {"holds"}


def test_the_figure_has_an_arrow_for_each_output_with_cells() -> None:
    assert len(figures.two_steps().axes[0].texts) > 15
