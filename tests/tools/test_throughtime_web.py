"""The site's extension: no address unless it is told one, MathJax in place."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from small_sites import build
from sphinx.errors import ConfigError
from throughtime_web import MATHJAX_KEPT, REPOSITORY, add_repository_links, mathjax_source, on_colab

ROOT = Path(__file__).parents[2]


def options_for(url: str | None, monkeypatch: pytest.MonkeyPatch) -> dict:
    monkeypatch.delenv(REPOSITORY, raising=False)
    if url is not None:
        monkeypatch.setenv(REPOSITORY, url)
    config = SimpleNamespace(html_theme_options={})
    add_repository_links(None, config)
    return config.html_theme_options


def test_an_address_gives_the_buttons_of_its_host(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [options_for(url, monkeypatch) for url in (None, "", "  ")] == [{}] * 3
    options = options_for("https://github.com/owner/name/", monkeypatch)
    assert options["repository_url"] == "https://github.com/owner/name"
    assert options["use_edit_page_button"]
    assert options["use_issues_button"]
    assert set(options["launch_buttons"]) == {"notebook_interface", "binderhub_url", "colab_url"}
    other = options_for("https://git.example.org/group/owner/name", monkeypatch)
    assert other["use_repository_button"]
    assert "launch_buttons" not in other


def test_colab_installs_from_a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package alone lacks the chapters' code."""
    footer = options_for("https://github.com/owner/name", monkeypatch)["extra_footer"]
    lines = footer.partition("<pre>")[2].partition("</pre>")[0].splitlines()
    assert lines == ["!git clone --depth 1 https://github.com/owner/name name", "%cd name", "%pip install -e ."]


def test_what_colab_runs_is_escaped() -> None:
    assert "<script>" not in on_colab("https://github.com/owner/<script>")


def test_binder_installs_from_a_checkout() -> None:
    """Binder installs requirements.txt at the root of the checkout, with the Python of runtime.txt."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert "-e ." in lines
    version = (ROOT / "runtime.txt").read_text(encoding="utf-8").removeprefix("python-").strip()
    assert version in ("3.11", "3.12", "3.13")


@pytest.mark.parametrize("url", ["owner/name", "http://github.com/owner/name", "https://github.com/owner"])
def test_what_is_no_address_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=f"{REPOSITORY} must look like .* but is '{url}'"):
        options_for(url, monkeypatch)


def test_the_package_has_all_of_mathjax_that_pages_load() -> None:
    assert [name for name in MATHJAX_KEPT if not (mathjax_source() / name).exists()] == []


PAGE = """
.. raw:: html

   <p>\\(\\href{javascript:alert(1)}{x}\\)</p>

:numref:`the figure <fig-a>`

.. figure:: none.png
   :name: fig-a

   A caption
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("web"), index=PAGE)[0]


def test_mathjax_is_on_a_page_whose_only_formula_is_in_html_and_makes_no_link_to_a_script(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    assert 'src="_static/mathjax/tex-chtml.js"' in page
    (config,) = re.findall(r"window\.MathJax = (\{.*\})", page)
    loaded = json.loads(config)["loader"]["load"]
    assert "ui/safe" in loaded
    kept = [part.replace("[tex]", "input/tex/extensions") for part in loaded]
    assert [part for part in kept if not (site / "_static" / "mathjax" / f"{part}.js").is_file()] == []


def test_the_number_of_a_figure_stands_for_its_words(site: Path) -> None:
    """The site says the number where a notebook has words (throughtime_figures)."""
    page = (site / "index.html").read_text(encoding="utf-8")
    assert '<a class="reference internal" href="#fig-a"><span class="std std-numref">Fig. 1</span></a>' in page
    assert "the figure" not in page
