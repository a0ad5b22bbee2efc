"""Figures: independent of matplotlib's settings, with legible text. nbval says whether each looks as it did."""

import itertools
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from book.bptt.constant_error import experiment as one_unit
from book.bptt.constant_error import figures as constant_error
from book.bptt.error_flow import figures as error_flow
from book.bptt.forward import figures as bptt_forward
from book.bptt.published_mistakes import figures as bptt_slips
from book.bptt.two_derivatives import figures as two_derivatives
from book.bptt.vanishing import figures as vanishing
from book.experiments.rows import ROWS
from book.experiments.timed import TimedTrial
from book.experiments.timed_rows import TIMED
from book.index import figures as front
from book.lfmn import one_unit as lt
from book.lfmn.architecture import figures as lfmn_architecture
from book.lfmn.examples import figures as lfmn_examples
from book.lfmn.examples.experiment import Outcome
from book.lfmn.forgetting import figures as forgetting
from book.lfmn.gradients import figures as lfmn_gradients
from book.lfmn.latching import figures as lfmn
from book.lstm1997.cell import figures as lstm1997_cell
from book.lstm1997.complexity import figures as lstm1997_complexity
from book.lstm1997.tables import figures as lstm1997_tables
from book.lstm1997.tables.results import trials
from book.lstm1997.truncation import figures as lstm1997_truncation
from book.peephole.error_flow import experiment as peephole_cuts
from book.peephole.error_flow import figures as peephole_error_flow
from book.peephole.family import figures as peephole_family
from book.peephole.gradients import figures as peephole_gradients
from book.peephole.momentum import figures as peephole_momentum
from book.peephole.peepholes import figures as peephole_gates
from book.peephole.timing import figures as peephole_timing
from book.peephole.waves import figures as peephole_waves
from book.shared import figure_style as style
from book.shared import svg
from book.training.bit_counter import figures as training_bit_counter
from book.training.clipping import figures as training_cliff
from book.training.elman_jordan import figures as training_elman_jordan
from book.training.remedies import figures as training_remedies
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from throughtime.systems.lstm_family import LSTM2002

OUTCOMES = [
    Outcome(f"{classes} classes", units, seed, 1.0, 1.0 if seed or 2**units > classes else 0.5)
    for classes, units, seed in itertools.product((2, 3, 5), (1, 2, 3), (0, 1))
]
BOOK = Path(__file__).parents[2] / "book"
ELEMENTS = {"svg", "g", "defs", "path", "use", "clipPath", "rect"}  # of a stored drawing
FALLING = np.linspace(1.0, 0.5, 20)
FIGURES = {
    "phase_line": lfmn.phase_line,
    "phase_line, v = 7": lambda: lfmn.phase_line(7.0),
    "bifurcation": lfmn.bifurcation,
    "edge_of_the_bound": lfmn.edge_of_the_bound,
    "escape_time": lfmn.escape_time,
    "basin": lfmn.basin,
    "store_or_learn": lfmn.store_or_learn,
    "gradient_of_a_latch": lfmn.gradient_of_a_latch,
    "two_fates": lfmn.two_fates,
    "learnt_by_start": lfmn.learnt_by_start,
    "error_flow": lambda: front.error_flow(weights=90),
    "success_by_units": lambda: lfmn_examples.success_by_units(OUTCOMES),
    "order_and_counting": lambda: lfmn_examples.order_and_counting(OUTCOMES[-8:]),
    "sensitivity_by_lag": forgetting.sensitivity_by_lag,
    "window_of_inputs": lambda: forgetting.window_of_inputs(pairs=10),
    "relaxation": forgetting.relaxation,
    "letter_actions": lambda: lfmn_examples.letter_actions(9),
    "sensitivities_to_carry": lfmn_gradients.sensitivities_to_carry,
    "network": lfmn_architecture.network,
    "network without static units": lambda: lfmn_architecture.network(3, (0, 1, 2), (0, 1, 1)),
    "three_memories": lfmn_architecture.three_memories,
    "lost_slope": lambda: lfmn_gradients.lost_slope(nets=4),
    "unrolled": bptt_forward.unrolled,
    "uses": two_derivatives.uses,
    "uphill": two_derivatives.uphill,
    "sweeps": two_derivatives.sweeps,
    "unrolled_paths": error_flow.unrolled_paths,
    "one_unit_over_time": constant_error.one_unit_over_time,
    "one_unit": lambda: constant_error.one_unit(100, (0.5,)),
    "conflicts": lambda: constant_error.conflicts([one_unit.store(0), one_unit.store(1)], [one_unit.read(0)]),
    "links": vanishing.links,
    "norm_and_bounds": vanishing.norm_and_bounds,
    "contributions": vanishing.contributions,
    "gaps": vanishing.gaps,
    "one_unit_map": vanishing.one_unit_map,
    "lyapunov": lambda: vanishing.lyapunov(points=2),
    "heat_maps": lambda: vanishing.heat_maps(points=5, lags=(4, 12, 20, 28, 36, 44, 52)),
    "singular_values": vanishing.singular_values,
    "large_weights": vanishing.large_weights,
    "angles": lambda: bptt_slips.angles(nets=3),
    "memory_cell": lstm1997_cell.memory_cell,
    "LSTM 1997, network": lstm1997_cell.network,
    "numbering": lstm1997_cell.numbering,
    "timings": lstm1997_cell.timings,
    "operations_per_weight": lstm1997_complexity.operations_per_weight,
    "kept": lstm1997_complexity.kept,
    "kept_derivatives": lambda: lstm1997_complexity.kept_derivatives(6),
    "measured": lambda: lstm1997_complexity.measured(lstm1997_complexity.MEASURED.read()),
    "LSTM 1997, cuts": lstm1997_truncation.cuts,
    "error_along_the_states": lstm1997_truncation.error_along_the_states,
    "scaling": lstm1997_truncation.scaling,
    "factors": peephole_error_flow.factors,
    "fading": lambda: peephole_error_flow.fading(FALLING[1:], FALLING[1:], FALLING, FALLING**2),
    "lost": lambda: peephole_error_flow.lost(peephole_cuts.RECORD.read(), "open"),
    "LSTM 2002, unrolled": lambda: peephole_gradients.unrolled(LSTM2002, LSTM2002.cuts()[:4]),
    "truncation_angle": lambda: peephole_gradients.truncation_angle(nets=2),
    "tree": peephole_family.tree,
    "cell with forget gate": peephole_gates.cell,
    "cell with peepholes": lambda: peephole_gates.cell(peepholes=True),
    "growth": peephole_gates.growth,
    "blind_gates": peephole_gates.blind_gates,
    "carried": lambda: peephole_momentum.carried({beta: peephole_momentum.moved(beta, 300) for beta in (0.0, 0.99)}),
    "targets": peephole_waves.targets,
    "printed_triangle": peephole_waves.printed_triangle,
    "difficulty": peephole_waves.difficulty,
    "tapes": peephole_timing.tapes,
    "inside": lambda: peephole_timing.inside(TimedTrial(TIMED["gts-10"], "swapped", 0)),
    "bit counter, unrolled": training_bit_counter.unrolled,
    "surfaces": training_bit_counter.surfaces,
    "bit counter, cuts": training_bit_counter.cuts,
    "across": training_cliff.across,
    "norms of an Elman net": training_cliff.elman_norms,
    "Elman and Jordan, networks": training_elman_jordan.networks,
    "truncation": training_elman_jordan.truncation,
    "Elman and Jordan, unrolled": training_elman_jordan.unrolled,
    "remedies, places": training_remedies.places,
    "all tables of 1997": lambda: lstm1997_tables.overview(trials()),
    "a long lag": lstm1997_tables.long_lag,
    "tables of 1997": lambda: lstm1997_tables.trials(trials(), 4),
    "trial of 1997": lambda: lstm1997_tables.watched(
        [(952 * k, 200 * (k < 9), 0.4 * (k < 9)) for k in range(1, 12)], 200, ROWS["6a"]
    ),
}


@pytest.fixture(params=FIGURES, scope="module")
def figure(request) -> Figure:
    """One figure, laid out: its texts stand where they belong."""
    made = FIGURES[request.param]()
    with mpl.rc_context(style.STYLE):
        made.draw_without_rendering()
    return made


def luminance(color) -> float:
    channels = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return float(np.dot([0.2126, 0.7152, 0.0722], channels))


def words(figure: Figure) -> list[Text]:
    """All visible texts of a figure, without the labels that matplotlib keeps for ticks beyond the ends of an axis."""
    drawn = []
    for ax in figure.axes:
        drawn += [*ax.texts, ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label]
        for axis in (ax.xaxis, ax.yaxis) if ax.axison else ():
            low, high = sorted(axis.get_view_interval())
            ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            drawn += [tick.label1 for tick in ticks if low <= tick.get_loc() <= high and tick.label1.get_visible()]
            drawn += [tick.label2 for tick in ticks if low <= tick.get_loc() <= high and tick.label2.get_visible()]
    return [text for text in drawn if text.get_text().strip() and text.get_visible()]


def test_the_ground_is_opaque_so_that_a_dark_page_does_not_shine_through(figure):
    assert figure.get_facecolor()[3] == 1
    assert all(ax.get_facecolor()[3] == 1 for ax in figure.axes)


def test_every_word_lies_on_the_figure_and_none_on_another(figure):
    renderer = figure.canvas.get_renderer()
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in words(figure)]
    assert boxes
    width, height = figure.get_size_inches() * figure.dpi
    for text, box in boxes:
        assert box.x0 > -1, text
        assert box.y0 > -1, text
        assert box.x1 < width + 1, text
        assert box.y1 < height + 1, text
    for (one, a), (other, b) in itertools.combinations(boxes, 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        down = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert across <= 2 or down <= 2, f"{one!r} lies on {other!r}"


def test_numbers_are_not_written_as_a_program_prints_them(figure):
    assert not [text.get_text() for text in words(figure) if re.search(r"\de[-+]?\d", text.get_text())]


def test_axes_are_named(figure):
    for ax in figure.axes:
        assert ax.get_xlabel() or ax.get_ylabel() or not ax.axison  # a drawing has no axes to name


def test_a_figure_is_as_wide_as_a_page_can_show(figure):
    assert 300 < figure.get_figwidth() * style.PIXELS < 1300


def test_the_same_figure_shows_itself_as_the_same_picture():
    figure, again = lfmn_architecture.network(), lfmn_architecture.network()
    assert figure._repr_png_() is None
    assert figure._repr_svg_().startswith("<svg ")
    assert figure._repr_svg_() == figure._repr_svg_() == again._repr_svg_()
    heat, again = lfmn.basin(), lfmn.basin()
    assert heat._repr_svg_() is None
    assert heat._repr_png_()[0].startswith(b"\x89PNG")
    assert heat._repr_png_() == again._repr_png_()


@pytest.mark.nightly
def test_no_drawing_is_much_larger_than_its_picture(figure):
    """By day the drawings are those that the pages store: nbval compares them with fresh ones."""
    drawing = figure._repr_svg_() or ""
    assert len(drawing) < 40_000 or len(drawing) < 1.3 * len(style.to_png(figure))


def test_names_in_a_stored_drawing_are_short_and_its_elements_few():
    """Its colours are a guard's (tests/guards/page_guards.py)."""
    pages = [json.loads(path.read_text(encoding="utf-8")) for path in BOOK.rglob("*.ipynb")]
    outputs = [output for page in pages for cell in page["cells"] for output in cell.get("outputs", ())]
    drawings = ["".join(svg) for output in outputs if (svg := output.get("data", {}).get("image/svg+xml"))]
    assert len(drawings) > 90
    for drawing in drawings:
        parts = list(ElementTree.fromstring(drawing).iter())
        names = [name for part in parts if (name := part.get("id"))]
        assert names == [f"s{number}" for number in range(len(names))]
        assert {part.tag.rpartition("}")[2] for part in parts} <= ELEMENTS


def test_numbers_of_a_drawing_are_rounded():
    path = '<svg viewBox="0 0 9 9"><path d="M 1.23456 -0.001 L 2.0 3"/></svg>'
    assert svg.tidied(path, {}, 9, 9).endswith('<path d="M 1.23 0 L 2 3"/></svg>')
    moved = '<use transform="translate(1.23456 7.0) scale(0.015625)"/>'
    assert 'transform="translate(1.23 7) scale(0.015625)"' in svg.tidied(
        f'<svg viewBox="0 0 9 9">{moved}</svg>', {}, 9, 9
    )


def test_every_named_colour_has_a_value_in_dark_that_stands_out_from_a_dark_page():
    css = (Path(__file__).parents[2] / "web" / "static" / "throughtime.css").read_text(encoding="utf-8")
    values = dict(re.findall(r"--tt-(\w+): ([^;]+);", css))
    assert set(style.PALETTE.values()) <= values.keys()
    for name in set(style.PALETTE.values()) - {"card", "ink", "hair"}:
        assert (luminance(values[name]) + 0.05) / (luminance("#121212") + 0.05) >= 4.5, name


def test_the_callers_settings_change_nothing_and_stay_as_they_were():
    plain = style.to_png(lfmn.two_fates())
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "lines.linewidth": 9}):
        before = dict(mpl.rcParams)
        assert style.to_png(lfmn.two_fates()) == plain
        assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("name", ["INK", "BLUE", "VERMILION", "GREEN", "PURPLE"])
def test_colours_of_words_and_curves_stand_out_from_the_card(name):
    contrast = (luminance(style.CARD) + 0.05) / (luminance(getattr(style, name)) + 0.05)
    assert contrast >= 3  # what WCAG asks of graphics


def test_the_crest_of_the_error_flow_is_where_the_state_passes_the_critical_point():
    for v in np.linspace(2.3, 6, 20):
        states = lt.trajectory(v, 0.01, np.zeros(80))
        crest = front._crossing(states, lt.critical_point(v))
        assert np.argmax(lt.gradient(v, states)) == np.ceil(crest)


def test_no_crossing_is_no_number():
    assert np.isnan(front._crossing(np.array([0.1, 0.2]), 1.0))
