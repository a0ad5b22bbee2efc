"""Sphinx extension for the site: MathJax, and the buttons that need an address.

MathJax is copied from the environment, so that the site asks no other for it.

The configuration file names no address. With ``THROUGHTIME_REPOSITORY_URL`` set (the continuous build sets it
to the repository it runs in) pages get repository, edit and issue buttons; on GitHub also Binder and Colab.
"""

from __future__ import annotations

import html
import importlib.util
import os
import shutil
from pathlib import Path
from urllib.parse import urlsplit

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ConfigError

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
    "ui/lazy.js",
)

MATHJAX = {
    # What stands in a formula must not become a link that runs a script, as \href of TeX would. A page with a thousand
    # formulas typesets those near the window; for print MathJax typesets all.
    "loader": {"load": ["ui/safe", "ui/lazy", "[tex]/html"]},
    "tex": {"packages": {"[+]": ["html"]}},
    "chtml": {"matchFontHeight": False},  # formulas have the size of the text, whatever the reader's font
    "options": {"lazyMargin": "600px 0px", "menuOptions": {"settings": {"inTabOrder": False}}},
}

# Before anything is drawn: the colours that a reader's system asks for, and the article hidden (formulas.js shows it).
BEFORE_DRAWING = """{
  const root = document.documentElement;
  if (!localStorage.getItem("mode")) root.dataset.mode = "auto";
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  if (root.dataset.mode === "auto") root.dataset.theme = dark ? "dark" : "light";
  root.classList.add("tt-typesetting");
}"""


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


def write_in_parallel(app: Sphinx, _env: BuildEnvironment) -> None:
    """Write the pages in a process for each processor, while this one resolves them. Jupyter Book has no option for it.

    They are read before, in one process: of labels that stand on two pages, two processes would see one each.
    """
    app.parallel = 1 + (os.cpu_count() or 1)


def setup(app: Sphinx) -> dict[str, bool]:
    app.config.mathjax_path = "mathjax/tex-chtml.js"
    app.config.mathjax3_config = MATHJAX
    app.add_js_file(None, body=BEFORE_DRAWING, priority=1)
    # Sphinx sees no formula in the HTML that a cell printed, and would leave MathJax out of a page with no other.
    app.set_html_assets_policy("always")
    app.connect("config-inited", add_repository_links, priority=100)
    app.connect("env-updated", write_in_parallel)
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
