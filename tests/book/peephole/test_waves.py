"""The chapter on waves: its verdicts."""

from pathlib import Path

PAGE = Path(__file__).parents[3] / "book" / "peephole" / "waves.ipynb"
HOLD = {"peephole-differences", *(f"peephole-difficulty-{wave}" for wave in ("cos", "tri", "rect"))}


def test_verdicts(verdicts):
    verdicts(HOLD, corrected={"peephole-waves"})
