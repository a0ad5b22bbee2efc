"""The chapters' extension of JupyterLab: citations in words, and links that lead to pages without their suffix."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Page, expect
from pybtex.database import parse_file
from site_check import WHOLE, Reader

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "book" / "references.bib"
LINKS = {"to a chapter": ("part/chapter", "part/chapter.ipynb"), "to a page": ("page", "page.md")}


@pytest.fixture
def lab(reader: Reader, tmp_path: Path) -> Iterator[Page]:
    """JupyterLab with a notebook that cites every source, one after another, and has the links."""
    book = tmp_path / "book"
    (book / "part").mkdir(parents=True)
    shutil.copy(SOURCES, book)
    cells = [*(f"{{cite}}`{key}`" for key in parse_file(SOURCES).entries)]
    cells += [f"[{words}]({target})" for words, (target, _) in LINKS.items()]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    for name, texts in (("notebook", cells), ("part/chapter", [])):
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("\n\n".join(texts))], metadata=kernel)
        nbformat.write(made, book / f"{name}.ipynb")
    (book / "page.md").write_text("# Page\n", encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--allow-root", "--no-browser", f"--port={port}", "--IdentityProvider.token="]
    options.append(f"--ServerApp.root_dir={book}")
    command = [sys.executable, "-m", "jupyter", "lab", *options, "--LabApp.extra_labextensions_path=tools/lab"]
    own = {"JUPYTER_PREFER_ENV_PATH": "1", "JUPYTER_CONFIG_DIR": str(tmp_path), "JUPYTER_DATA_DIR": str(tmp_path)}
    server = subprocess.Popen(command, cwd=ROOT, env=os.environ | own, stderr=subprocess.PIPE, text=True)
    assert server.stderr
    assert any(f":{port}/lab" in line for line in server.stderr), "it starts"
    tab = reader.browser.new_page()
    tab.on("pageerror", lambda error: pytest.fail(str(error)))
    tab.goto(f"http://127.0.0.1:{port}/lab/tree/notebook.ipynb", timeout=WHOLE)
    yield tab
    tab.close()
    server.terminate()
    server.communicate()


def test_citations_and_links(lab: Page) -> None:
    for number, source in enumerate(parse_file(SOURCES).entries.values()):
        names = [" ".join([*one.prelast_names, *one.last_names]) for one in source.persons["author"]]
        authors = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        expect(lab.locator(".jp-MarkdownCell p").nth(number)).to_have_text(f"[{authors}, {source.fields['year']}]")
    for words, (_, file) in LINKS.items():
        lab.get_by_role("link", name=words).click()
        expect(lab.locator(".lm-TabBar-tabLabel", has_text=file.rpartition("/")[2])).to_be_visible()
        lab.locator(".lm-TabBar-tabLabel", has_text="notebook.ipynb").click()
