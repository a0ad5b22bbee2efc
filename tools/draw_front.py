"""Draw the picture of the front page and of the README: python tools/draw_front.py"""

from __future__ import annotations

from pathlib import Path

from book.index.figures import error_flow
from book.shared.figure_style import to_png

TARGET = Path(__file__).parents[1] / "book" / "assets" / "front.png"

if __name__ == "__main__":
    TARGET.write_bytes(to_png(error_flow()))
