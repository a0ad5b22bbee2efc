"""What an edit can have broken: the graph of a small project, and what is known of this one."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import affected
import pytest
from affected import Selection, changed, commands, run, select
from dependencies import Project

DOOR = 'PACKAGES = ("models", "derivation")\nON_DEMAND = {"models": "LFMN load"}\n'
PYTEST = '[tool.pytest.ini_options]\nnorecursedirs = ["site", "night*"]\npythonpath = ["tests/shared", "tools"]\n'
CHAPTER = "from book.shared.records import Records\nRUNS = Records('runs.csv')\n"


def notebook(*cells: str) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]})


FILES = {
    "pyproject.toml": PYTEST,
    "lib/throughtime/__init__.py": DOOR,
    "lib/throughtime/models/__init__.py": "from throughtime.models.lfmn import LFMN\n",
    "lib/throughtime/models/lfmn.py": "LFMN = 1\n",
    "lib/throughtime/derivation/__init__.py": '"""Docstrings name nothing: from throughtime import LFMN."""\n',
    "book/__init__.py": "",
    "book/data/runs.csv": "a\n",
    "book/data/other.csv": "a\n",
    "book/data/an_other.csv": "a\n",
    "book/shared/records.py": "Records = tuple\n",
    "book/part/chapter.py": CHAPTER,
    "book/part/a.ipynb": notebook("%m\nimport throughtime as tt", "tt.System\nimport book.part.chapter"),
    "book/part/b.ipynb": notebook("import throughtime as tt\ntt.LFMN"),
    "tests/conftest.py": "",
    "tests/shared/helper.py": "def f():\n    from throughtime import load\n",
    "tests/part/conftest.py": "",
    "tests/part/test_chapter.py": "PAGE = BOOK / 'part' / 'a.ipynb'\n",
    "tests/test_helped.py": "import helper\n",
    "tests/test_names.py": "def test():\n    tt = __import__('throughtime')\n    getattr(throughtime, name)\n",
    "tests/test_pages.py": "from book.reference.ledger import read_book\nread_book()\n",
    "tests/test_tables.py": "BOOK = ROOT / 'lib'\ndef f(BOOK):\n    BOOK.glob('*.csv')\n",
    "tests/test_lists.py": "LIB = ROOT / 'lib'\nLIB.rglob('*.py')\n(ROOT / 'lib').glob('*.csv')\n",
    "tests/test_starts.py": "import subprocess\n",
    "tests/test_makes_names.py": "open(f'{name}_other.csv')\nopen(name + '.py')\n",
    "tests/test_broken.py": "def:\n",
    "tests/site/test_apart.py": "",
    "tests/part/nightly/test_apart.py": "",
    ".venv/lib/module.py": "",
}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return Project(tmp_path)


def reached(project: Project, path: str) -> set[str]:
    targets = [*project.tests, *project.notebooks]
    return {target.rpartition("/")[2] for target in targets if path in project.closure(target)}


EVERYTHING = {
    *("a.ipynb", "b.ipynb", "test_chapter.py", "test_helped.py", "test_names.py", "test_pages.py", "test_tables.py"),
    *("test_starts.py", "test_broken.py", "test_makes_names.py", "test_lists.py"),
}
REACHED = {
    "lib/throughtime/models/lfmn.py": {"b.ipynb", "test_helped.py", "test_names.py", "test_lists.py"},
    "lib/throughtime/derivation/__init__.py": {"a.ipynb", "test_names.py", "test_lists.py"},
    "book/part/chapter.py": {"a.ipynb"},
    "book/shared/records.py": {"a.ipynb"},
    "book/data/runs.csv": {"a.ipynb", "test_tables.py"},
    "book/data/other.csv": {"test_tables.py"},
    "book/data/an_other.csv": {"test_tables.py", "test_makes_names.py"},
    "book/part/a.ipynb": {"a.ipynb", "test_chapter.py", "test_pages.py"},
    "book/part/b.ipynb": {"b.ipynb", "test_pages.py"},
    "tests/part/conftest.py": {"test_chapter.py"},
    "tests/conftest.py": EVERYTHING - {"a.ipynb", "b.ipynb"},
    "pyproject.toml": EVERYTHING,
    ".venv/lib/module.py": set(),
}


@pytest.mark.parametrize("path", REACHED)
def test_what_an_edit_reaches(project: Project, path: str) -> None:
    assert reached(project, path) == REACHED[path]


def test_a_file_that_is_gone_reaches_what_names_it(project: Project) -> None:
    (project.root / "book/part/chapter.py").unlink()
    assert reached(Project(project.root), "book/part/chapter.py") == set()
    assert reached(Project(project.root, also=["book/part/chapter.py"]), "book/part/chapter.py") == {"a.ipynb"}


def test_what_starts_programs_or_cannot_be_read_can_depend_on_anything(project: Project) -> None:
    opaque = {path for path in project.tests if project.surely(path) == project.files}
    assert opaque == {"tests/test_starts.py", "tests/test_broken.py", "tests/test_makes_names.py"}


def test_a_digest_is_that_of_the_files_that_count(project: Project) -> None:
    def after(name: str, text: str) -> set[str]:
        (project.root / name).write_text(text, encoding="utf-8")
        now = Project(project.root).digests(before, "packages")
        return {path for path in before if now[path] != before[path]}

    before: dict[str, str] = dict.fromkeys(project.notebooks)
    before = project.digests(before, "packages")
    assert after("book/data/other.csv", "b\n") == set()
    assert after("book/data/runs.csv", "b\n") == {"book/part/a.ipynb"}
    assert project.digests(before, "other packages").keys() == before.keys()
    assert not set(project.digests(before, "other packages").values()) & set(before.values())


# ---- what is changed, what runs


def test_changed_is_what_differs_from_the_common_commit(tmp_path: Path) -> None:
    def git(*command: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *command], cwd=tmp_path, check=True, capture_output=True)

    def commit(name: str) -> None:
        (tmp_path / name).write_text(name, encoding="utf-8")
        git("add", "-A")
        git("commit", "-qm", name)

    git("init", "-qb", "main")
    commit("old")
    commit("gone")
    git("checkout", "-qb", "edit")
    commit("committed")
    git("checkout", "-q", "main")
    commit("of main alone")
    git("checkout", "-q", "edit")
    (tmp_path / "old").write_text("new", encoding="utf-8")
    (tmp_path / "gone").unlink()
    (tmp_path / "neuf é").touch()
    assert changed("main", tmp_path) == {"committed", "old", "gone", "neuf é"}
    with pytest.raises(SystemExit, match="git merge-base nowhere HEAD: "):
        changed("nowhere", tmp_path)


def test_too_much_is_replaced_by_a_minute_and_counted(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    edited = {"tests/conftest.py", "tests/test_helped.py"}
    assert select(project, edited) == Selection(project.tests, [])
    monkeypatch.setattr(affected, "MOST", (3, 3))
    monkeypatch.setattr(affected, "MINUTES", {"lib/": ("book",), "": ("tests/part", "tests/other.py")})
    chosen = ["tests/part/test_chapter.py", "tests/test_helped.py"]
    assert select(project, edited) == Selection(chosen, [], (7, 0))
    assert str(select(project, edited)) == "not run: 7 test files, 0 notebooks; make test runs them"
    with_models = select(project, edited | {"lib/throughtime/models/lfmn.py"})  # few depend on it: they all run
    assert with_models == Selection(
        [*chosen, "tests/test_lists.py", "tests/test_names.py"], ["book/part/b.ipynb"], (5, 0)
    )


def test_what_can_depend_on_an_edit_by_a_program_is_counted(project: Project) -> None:
    assert select(project, {"book/data/runs.csv"}) == Selection(["tests/test_tables.py"], ["book/part/a.ipynb"], (3, 0))


def test_the_code_is_that_of_the_commands(capfd: pytest.CaptureFixture) -> None:
    assert run({"good": ["echo", "said"], "bad": ["false"], "also good": ["true"]}) == ["bad"]
    assert capfd.readouterr().out == "== good\nsaid\n== bad\n== also good\n"


def test_only_what_an_edit_concerns_is_started() -> None:
    always = {"ruff check", "ruff format"}
    assert commands(Selection([], []), {"book/part/chapter.py"}).keys() == always
    assert commands(Selection([], []), {"lib/throughtime/checks.py"}).keys() == always | {"mypy"}
    assert commands(Selection(["a"], ["b"]), set()).keys() == always | {"tests", "notebooks"}


# ---- this project


@pytest.fixture(scope="module")
def own() -> Project:
    return Project(affected.ROOT)


def test_every_test_and_notebook_of_a_minute_is_there(own: Project) -> None:
    paths = [*own.tests, *own.notebooks]
    places = {place for minute in affected.MINUTES.values() for place in minute}
    assert [place for place in places if not any(affected.under(path, [place]) for path in paths)] == []


def test_an_edit_of_a_chapter_reaches_its_own_page(own: Project) -> None:
    code = select(own, {"book/lfmn/latching/figures.py"})
    assert code.notebooks == ["book/lfmn/latching.ipynb"]
    assert {"tests/book/test_figures.py", "tests/guards/test_tests.py"} <= {*code.tests}
    assert not any(test.startswith(("tests/derivation", "tests/models", "tests/book/lstm1997")) for test in code.tests)
    text = select(own, {"book/lfmn/latching.ipynb"})
    assert {"book/lfmn/latching.ipynb", "book/reference/ledger.ipynb"} <= {*text.notebooks}
    assert {"tests/guards/test_notebooks.py", "tests/reader/test_boxes.py"} <= {*text.tests}
    assert "book/lfmn/gradients.ipynb" not in text.notebooks


def test_an_edit_of_the_engine_is_checked_by_its_minute(own: Project) -> None:
    chosen = select(own, {"lib/throughtime/derivation/formulas/canonical.py"})
    assert min(chosen.left) > 30
    assert "tests/fuzz/test_sample.py" in chosen.tests
    assert not any(test.startswith("tests/models") for test in chosen.tests)


def test_no_notebook_and_few_tests_can_depend_on_anything(own: Project) -> None:
    opaque = [path for path in (*own.tests, *own.notebooks) if own.surely(path) is own.files]
    assert not [path for path in opaque if path.endswith(".ipynb")]
    assert {"tests/tools/test_make.py", "tests/book/shared/test_killed.py", "tests/fuzz/test_sample.py"} <= {*opaque}
    assert len(opaque) < len(own.tests) / 4
