"""Sites of a few pages of reStructuredText, built with the book's extensions."""

import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).parents[2] / "web"
CONF = """
import sys
sys.path.insert(0, {web!r})
extensions = ["sphinx.ext.mathjax", "throughtime_web", "throughtime_statements", "throughtime_figures"]
numfig = True
html_theme = "basic"
"""


def build(folder: Path, **pages: str) -> tuple[Path, str]:
    """Build pages, each under a heading of its name; returns the site and the warnings."""
    (folder / "conf.py").write_text(CONF.format(web=str(WEB)), encoding="utf-8")
    for name, body in pages.items():
        (folder / f"{name}.rst").write_text(f":orphan:\n\n{name}\n{'=' * len(name)}\n\n{body}\n", encoding="utf-8")
    site = folder / "site"
    command = [sys.executable, "-m", "sphinx", "-q", "-n", "-b", "html", str(folder), str(site)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return site, run.stderr
