"""Sphinx extension for the site: Python for the browser, on the page of the bench.

The bundle is made apart (``make bench-bundle``), since it needs Node. Where it is there it is copied beside the site's
other static files, and the page knows by the tag `bench` that it has something to start.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

TAG = "bench"


def bundle(app: Sphinx) -> Path:
    """Folder of the bundle, which need not be there."""
    return Path(app.srcdir) / "_build" / "bench"


def find_bundle(app: Sphinx, _config: Config) -> None:
    """Set the tag if there is a bundle."""
    if bundle(app).is_dir():
        app.tags.add(TAG)


def copy_bundle(app: Sphinx, exception: Exception | None) -> None:
    """Copy the bundle into the site; a site without one keeps none of an earlier build."""
    if exception is not None or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "bench"
    shutil.rmtree(target, ignore_errors=True)
    if TAG in app.tags:
        shutil.copytree(bundle(app), target)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("config-inited", find_bundle)
    app.connect("build-finished", copy_bundle)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
