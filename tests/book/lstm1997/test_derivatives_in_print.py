"""Truncated derivatives in print: which lines are wrong, and where."""

from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "book" / "lstm1997" / "derivatives-in-print.ipynb"
KEEPS_LAST_LINE = ("lstm97-54", "lstm97-55", "lstm97-56", "lstm97-63")  # the slip is in the exact line alone


@pytest.mark.parametrize("name", KEEPS_LAST_LINE)
def test_truncated_lines_are_kept_where_the_exact_line_is_wrong(judged, name):
    def last_line(form):
        line = judged[name].record[form].split(r"\\[4pt]")[-1].replace(r"&\approx_{\mathrm{tr}}", "&=")
        for sign in (r"\mathrm{d}_{\mathrm{tr}}", r"\mathrm{d}", r"\partial"):
            line = line.replace(sign, "")
        return line.split()

    assert judged[name].record["printed"] != judged[name].record["corrected"]
    assert last_line("printed") == last_line("corrected")


def test_counterexample_of_62_is_about_the_other_gates_weights(judged):
    example = judged["lstm97-62"].record["counterexample"]
    assert r"w^{\mathrm{og}}" in example
    assert r"y^{\mathrm{ig}}" in example
    assert " is 0, the printed" in example
