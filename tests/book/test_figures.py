"""Figures: independent of matplotlib's settings, with legible text. nbval says whether each looks as it did."""

import itertools
import json
import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from book.bptt.constant_error import experiment as one_unit
from book.bptt.constant_error import figures as constant_error
from book.bptt.published_mistakes import figures as bptt_slips
from book.bptt.vanishing import figures as vanishing
from book.experiments.rows import ROWS
from book.index import figures as front
from book.lfmn import one_unit as lt
from book.lfmn.architecture import figures as lfmn_architecture
from book.lfmn.examples import figures as lfmn_examples
from book.lfmn.examples.experiment import Outcome
from book.lfmn.forgetting import figures as forgetting
from book.lfmn.gradients import figures as lfmn_gradients
from book.lfmn.latching import figures as lfmn
from book.lstm1997.complexity import figures as complexity
from book.lstm1997.later import figures as later
from book.lstm1997.later.results import groups
from book.lstm1997.quality import experiment as quality_runs
from book.lstm1997.quality import figures as quality
from book.lstm1997.quality.checks import Quality
from book.lstm1997.tables import figures as tables
from book.lstm1997.tables.results import trials
from book.lstm1997.tasks import SETUPS
from book.lstm1997.training import experiment as early
from book.lstm1997.training import figures as early_training
from book.peephole.error_flow import experiment as peephole_cuts
from book.peephole.error_flow import figures as peephole_error_flow
from book.peephole.gradients import figures as peephole_gradients
from book.peephole.momentum import figures as momentum
from book.peephole.peepholes import figures as peephole_gates
from book.peephole.timing import experiment as followed_wave
from book.peephole.timing import figures as timing
from book.reference.reading_paths import Chapter
from book.reference.reading_paths_figure import arcs
from book.shared import figure_style as style
from book.shared import svg
from book.training.clipping import experiment as cliff
from book.training.clipping import figures as clipping
from book.training.rprop import figures as rprop
from book.training.temporal_xor import figures as xor
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from throughtime.systems.lstm_family import LSTM2002

BOOK = Path(__file__).parents[2] / "book"
ELEMENTS = {"svg", "g", "defs", "path", "use", "clipPath", "rect"}  # of a stored drawing
Draw = Callable[..., Figure]
OUTCOMES = [
    Outcome(f"{classes} classes", units, seed, 1.0, 1.0 if seed or 2**units > classes else 0.5)
    for classes, units, seed in itertools.product((2, 3, 5), (1, 2, 3), (0, 1))
]
FALLING = np.linspace(1.0, 0.5, 20)
PLACES = np.column_stack([FALLING, 1.5 - FALLING])
CORNER = np.array([[5.5, -2.0]])
LAGS = {5: [Quality(1.0, 0.9)] * 3, 10: [Quality(0.0, 0.8)] * 3}


def learnt_carousel(draw: Draw) -> Figure:
    setup, stored = early.ADDING, early.adder()
    net, theta, data = setup.model(), stored[max(stored)], setup.draw(1, np.random.default_rng(1))
    part = [each[0, : data.lengths[0]] for each in (data.x, *data.by_step())]
    ways = {"truncated": "truncated", "exact": "bptt"}
    signals = {name: net.error_signals(theta, *part, method=method) for name, method in ways.items()}
    return draw(net.forward(theta, part[0]), signals)


def drift_at_the_start(draw: Draw) -> Figure:
    net, random = early.Drift(1.0, 1.0, 0.0), np.random.default_rng(0)
    return draw({0.0: net.model().forward(net.start(0), net.draw(1, random).x[0])})


# Figures that are drawn of something, of less than on their page, or in several ways.
GIVEN: list[tuple[Draw, Callable[[Draw], Figure]]] = [
    (lfmn.phase_line, lambda draw: draw()),
    (lfmn.phase_line, lambda draw: draw(7.0)),
    (front.error_flow, lambda draw: draw(weights=90)),
    (lfmn_examples.success_by_units, lambda draw: draw(OUTCOMES)),
    (lfmn_examples.order_and_counting, lambda draw: draw(OUTCOMES[-8:])),
    (lfmn_examples.letter_actions, lambda draw: draw(9)),
    (forgetting.window_of_inputs, lambda draw: draw(pairs=10)),
    (lfmn_gradients.lost_slope, lambda draw: draw(nets=4)),
    (constant_error.one_unit, lambda draw: draw(100, (0.5,))),
    (constant_error.conflicts, lambda draw: draw([one_unit.store(0), one_unit.store(1)], [one_unit.read(0)])),
    (vanishing.lyapunov, lambda draw: draw(points=2)),
    (vanishing.heat_maps, lambda draw: draw(points=5, lags=(4, 12, 20, 28, 36, 44, 52))),
    (bptt_slips.angles, lambda draw: draw(nets=3)),
    (complexity.kept_derivatives, lambda draw: draw(6)),
    (complexity.measured, lambda draw: draw(complexity.MEASURED.read())),
    (quality.angles_by_scale, lambda draw: draw({0.1: [1.0, 0.9], 8.0: [0.5, -0.5]})),
    (quality.by_lag_and_openness, lambda draw: draw({gate: {0.0: LAGS} for gate in ("ig", "og")})),
    (quality.gates_moved, lambda draw: draw([row for row in quality_runs.TRAINED.read() if row["solved"] == "1"])),
    (quality.angles_in_training, lambda draw: draw(quality_runs.GRADIENTS.read(), [one.name for one in SETUPS[:6]])),
    (quality.sequences_needed, lambda draw: draw(quality_runs.RUNS.read(), quality_runs.CAP)),
    (early_training.drift_at_the_start, drift_at_the_start),
    (early_training.bias_and_success, lambda draw: draw((np.arange(3.0), np.arange(3.0)), {1.0: [0.5]}, {0.0: 3})),
    (
        early_training.cells_in_use,
        lambda draw: draw(dict.fromkeys("ab", ([0, 1000], np.zeros((2, 3)), np.ones((2, 3))))),
    ),
    (early_training.learnt_carousel, learnt_carousel),
    (later.strips, lambda draw: draw(groups())),
    (tables.overview, lambda draw: draw(trials())),
    (tables.trials, lambda draw: draw(trials(), 4)),
    (
        tables.watched,
        lambda draw: draw([(952 * k, 200 * (k < 9), 0.4 * (k < 9)) for k in range(1, 12)], 200, ROWS["6a"]),
    ),
    (peephole_error_flow.fading, lambda draw: draw(FALLING[1:], FALLING[1:], FALLING, FALLING**2)),
    (peephole_error_flow.lost, lambda draw: draw(peephole_cuts.RECORD.read(), "open")),
    (peephole_gradients.unrolled, lambda draw: draw(LSTM2002, LSTM2002.cuts()[:4])),
    (peephole_gradients.truncation_angle, lambda draw: draw(nets=2)),
    (peephole_gates.cell, lambda draw: draw()),
    (peephole_gates.cell, lambda draw: draw(peepholes=True)),
    (momentum.carried, lambda draw: draw({beta: momentum.moved(beta, 300) for beta in (0.0, 0.99)})),
    (timing.inside, lambda draw: draw(followed_wave.trace(2), followed_wave.WAVE)),
    (clipping.descents, lambda draw: draw(*(cliff.descend(CORNER, rate, 60) for rate in (0.5, 0.1)))),
    (rprop.paths, lambda draw: draw({"a": PLACES, "b": PLACES[:5]}, 8)),
    (rprop.distances, lambda draw: draw({"a": (FALLING - 0.7, (1, 0.1))})),
    (xor.errors_by_position, lambda draw: draw(dict.fromkeys("abcd", PLACES[:9].reshape(6, 3) / 4))),
    (xor.mean_activations, lambda draw: draw(np.linspace(0, 1, 24).reshape(2, 3, 2, 2), ["unit 1", "output"])),
    (arcs, lambda draw: draw([Chapter(f"{part}/one", part, part, (), ()) for part in "abcdefg"])),  # more than colours
]


def figures() -> dict[str, Callable[[], Figure]]:
    """Every figure of the book, drawn of nothing or as told above."""
    found: dict[str, Callable[[], Figure]] = {}
    for path in sorted(BOOK.rglob("*.py")):
        name = ".".join(path.relative_to(BOOK).with_suffix("").parts)
        for word in re.findall(r"^@(?:styled|drawn\([^@]*\))\ndef (\w+)", path.read_text(encoding="utf-8"), re.M):
            draw = getattr(import_module(f"book.{name}"), word)
            ways = [partial(how, draw) for drawn, how in GIVEN if drawn is draw]
            found |= {f"{name}.{word}{n or ''}": way for n, way in enumerate(ways or [draw])}
    return found


FIGURES = figures()


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
        named = ax.get_xlabel() or ax.get_ylabel() or ax.get_title("left")  # as above another with the same x
        assert named or not ax.axison  # a drawing has no axes to name


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
