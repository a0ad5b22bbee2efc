"""References to figures: the site says the number where a notebook has words."""

from pathlib import Path

from small_sites import build

PAGE = """
:numref:`the figure <fig-a>`

.. figure:: none.png
   :name: fig-a

   A caption
"""


def test_the_number_of_a_figure_stands_for_its_words(tmp_path: Path) -> None:
    site, _ = build(tmp_path, index=PAGE)
    html = (site / "index.html").read_text(encoding="utf-8")
    assert '<a class="reference internal" href="#fig-a"><span class="std std-numref">Fig. 1</span></a>' in html
    assert "the figure" not in html
