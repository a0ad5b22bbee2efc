"""Sphinx extension for the site: MathJax, statements as link targets, and the buttons that need an address.

MathJax is copied from the environment, so that the site asks no other for it.

A statement's box is an HTML output of a cell: Sphinx does not see its id. Registered here, ``[](#lfmn-9)`` or
``{ref}`lfmn-9``` in the text of any page leads to the box, and a wrong id fails the build.

The configuration file names no address. With ``THROUGHTIME_REPOSITORY_URL`` set (the continuous build sets it
to the repository it runs in) pages get repository, edit and issue buttons; on GitHub also Binder and Colab.
"""

from __future__ import annotations

import html
import importlib.util
import os
import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError
from sphinx.util import logging

logger = logging.getLogger(__name__)

# A box, or in its head the further id of a statement that several sources print.
STATEMENT_BOX = re.compile(r"""<\w+[^>]*\bclass=["'][^"']*\btt-(?:statement|tag)\b[^>]*>""")
BOX_ID = re.compile(r"""\bid=["']([^"']+)["']""")

REPOSITORY = "THROUGHTIME_REPOSITORY_URL"

# What TeX input with CHTML output can load, out of the 24 MB of the package.
MATHJAX_KEPT = (
    "tex-chtml.js",
    "output/chtml/fonts",
    "input/tex/extensions",
    "a11y",
    "sre/mathmaps/base.json",
    "sre/mathmaps/en.json",
    "ui/safe.js",
)


def add_repository_links(_app: Sphinx, config: Config) -> None:
    """Turn on the theme's buttons for the repository if the environment names one; ConfigError if it is no address."""
    url = os.environ.get(REPOSITORY, "").strip().rstrip("/")
    if not url:
        return
    address = urlsplit(url)
    if address.scheme != "https" or not address.netloc or address.path.count("/") < 2:
        raise ConfigError(f"{REPOSITORY} must look like https://host/owner/name, but is {url!r}")
    options = config.html_theme_options
    options["repository_url"] = url
    options["repository_branch"] = "main"
    options["use_repository_button"] = True
    options["use_edit_page_button"] = True
    options["use_issues_button"] = True
    if address.netloc == "github.com":
        options["launch_buttons"] = {
            "notebook_interface": "jupyterlab",
            "binderhub_url": "https://mybinder.org",
            "colab_url": "https://colab.research.google.com",
        }
        options["extra_footer"] = on_colab(url)


def on_colab(url: str) -> str:
    """What to run first on Colab, as HTML: the chapters' code and data lie in the checkout, not in the package.

    Binder needs no such line: it installs requirements.txt in a checkout.
    """
    name = urlsplit(url).path.rpartition("/")[2].removesuffix(".git")
    lines = (f"!git clone --depth 1 {url} {name}", f"%cd {name}", "%pip install -e .")
    code = "\n".join(map(html.escape, lines))
    return f"<div>On Colab, first run this, then restart the session: <pre>{code}</pre></div>"


def register_statements(app: Sphinx, doctree: nodes.document) -> None:
    """Make the id of every statement's box a label of the standard domain."""
    domain = app.env.get_domain("std")
    for raw in doctree.findall(nodes.raw):
        if raw.get("format") != "html":
            continue
        for opening in STATEMENT_BOX.findall(raw.astext()):
            for name in BOX_ID.findall(opening):
                here = (app.env.docname, name)
                there = domain.anonlabels.get(name, here)
                if there[0] != here[0]:
                    logger.warning("statement %s stands on %s and on %s", name, there[0], here[0])
                domain.anonlabels[name] = here
                domain.labels[name] = (*here, name)


def name_folds(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """Let the fold of a cell be named by the words that it shows: the label of MyST-NB says others to a voice."""
    if "body" in context:
        context["body"] = context["body"].replace('<summary aria-label="Toggle hidden content">', "<summary>")


def mathjax_source() -> Path:
    """Folder of the MathJax files that the package sphinx-mathjax-offline carries."""
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    if spec is None or spec.origin is None:
        raise ConfigError("the package sphinx-mathjax-offline is missing: pip install -r requirements.txt")
    return Path(spec.origin).parent / "static" / "mathjax"


def copy_mathjax(app: Sphinx, exception: Exception | None) -> None:
    """Copy the part of MathJax that the pages can load next to the site's other static files."""
    if exception is not None or app.builder.format != "html":
        return
    source = mathjax_source()
    target = Path(app.outdir) / "_static" / "mathjax"
    for name in MATHJAX_KEPT:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name, dirs_exist_ok=True)
        else:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target / name)


def setup(app: Sphinx) -> dict[str, bool]:
    app.config.mathjax_path = "mathjax/tex-chtml.js"
    # What stands in a formula must not become a link that runs a script, as \href of TeX would.
    app.config.mathjax3_config = {"loader": {"load": ["ui/safe"]}}
    # Sphinx sees no formula in the HTML that a cell printed, and would leave MathJax out of a page with no other.
    app.set_html_assets_policy("always")
    app.connect("config-inited", add_repository_links, priority=100)
    app.connect("doctree-read", register_statements)
    app.connect("html-page-context", name_folds)
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
