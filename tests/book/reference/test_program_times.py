"""The page "From equation to code": its figures are those of the stored measurements."""

from __future__ import annotations

from book.reference import program_times
from book.shared import svg


def texts(figure) -> set[str]:
    return {text.get_text() for text in figure.axes[0].texts}


def test_every_bar_has_its_number() -> None:
    learning, backwards = program_times.learning(), program_times.backwards()
    assert len(learning.axes[0].patches) == len(texts(learning)) == len(program_times.ONLINE)
    assert all(text.endswith(" ns") for text in texts(learning))
    assert len(backwards.axes[0].patches) == 8
    assert all(float(text) > 1 for text in texts(backwards))


def test_what_grows_is_drawn_from_all_its_rows() -> None:
    figure = program_times.growth()
    assert texts(figure) == {*program_times.GROWING}
    drawn = sum(len(line.get_xdata()) for line in figure.axes[0].lines)
    assert drawn == len(program_times.rows("growth")) > 10


def test_figures_are_drawn_in_the_colours_of_the_page() -> None:
    for draw in (program_times.learning, program_times.growth, program_times.backwards):
        assert svg.drawable(draw())
