"""The Makefile in a small copy of the project: nothing unchecked is built, and what has changed is done again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from run_notebooks import run
from waiting import wait_for

ROOT = Path(__file__).parents[2]
PAGE_GUARDS = ("tests/guards/test_notebooks.py", "tests/guards/page_guards.py")
COPIED = ("Makefile", "CITATION.cff", "conftest.py", "pyproject.toml", "tools", *PAGE_GUARDS)
TOC = "format: jb-book\nroot: book/page\n"
# The environment of these tests under the name that the Makefile expects, and a builder that leaves a mark.
PYTHON = f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'
# In its place: the tools run, and every other command is only named.
PRETENDED = f'#!/bin/sh\ncase "$1" in tools/*) exec "{sys.executable}" "$@";; *) echo "ran $*";; esac\n'
BUILDER = "#!/bin/sh\nmkdir -p _build/html && echo built >> built\n"
GUARDS = "PAGE_GUARDS=tests/guards/test_notebooks.py"


def make(project: Path, *targets: str) -> subprocess.CompletedProcess:
    command = ["make", "--no-print-directory", *targets, "WORKERS=0", GUARDS]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def write_notebook(path: Path) -> None:
    """A page of one cell with its outputs of a fresh run."""
    cell = {"cell_type": "code", "id": "a", "execution_count": None, "metadata": {}, "source": "6 * 7", "outputs": []}
    text = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(text), encoding="utf-8")
    run(path, timeout=60)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of one page and one file of code, whose site has been built."""
    project = tmp_path_factory.mktemp("project")
    for name in COPIED:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        copy: Callable = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, project / name)
    for folder in ("book", "lib", "web", "benchmarks"):
        (project / folder).mkdir()
    (project / "lib" / "code.py").write_text("x = 1\n", encoding="utf-8")
    (project / "lib" / "more.py").write_text("y = 1\n", encoding="utf-8")
    for name, text in (("requirements.txt", "numpy==2.4.6\n"), ("constraints.txt", ""), ("_toc.yml", TOC)):
        (project / name).write_text(text, encoding="utf-8")
    (project / "_config.yml").touch()
    write_notebook(project / "book" / "page.ipynb")
    script(project / ".venv" / "bin" / "python", PYTHON)
    script(project / ".venv" / "bin" / "jupyter-book", BUILDER)
    inputs = ("requirements.txt", "constraints.txt", "pyproject.toml")
    stamp = [sys.executable, "tools/fingerprint.py", ".venv/.requirements", *inputs]
    subprocess.run(stamp, cwd=project, check=True)
    ended = make(project, "book")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert (project / "built").read_text(encoding="utf-8") == "built\n"
    return project


@pytest.fixture
def project(built: Path, tmp_path: Path) -> Path:
    """A copy of the built project with its dates."""
    return Path(shutil.copytree(built, tmp_path / "project"))


def page(project: Path, change: Callable[[dict], object]) -> None:
    path = project / "book" / "page.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    change(notebook["cells"][0])
    path.write_text(json.dumps(notebook), encoding="utf-8")


UNPUBLISHED = {
    "outputs emptied, never run": (
        lambda cell: cell.update(outputs=[], execution_count=None),
        "execution counts are [None]",
    ),
    "outputs emptied": (lambda cell: cell.update(outputs=[]), "Unexpected output fields"),
    "not run in order": (lambda cell: cell.update(execution_count=7), "execution counts are [7]"),
}


@pytest.mark.parametrize("fault", UNPUBLISHED)
def test_a_page_with_a_fault_is_not_built(project: Path, fault: str) -> None:
    change, words = UNPUBLISHED[fault]
    page(project, change)
    ended = make(project, "book")
    assert ended.returncode != 0
    assert words in ended.stdout
    assert (project / "built").read_text(encoding="utf-8") == "built\n"


@pytest.fixture
def pretended(project: Path) -> Path:
    """The built project, in which commands are named instead of run."""
    script(project / ".venv" / "bin" / "python", PRETENDED)
    return project


def test_nothing_is_done_twice(pretended: Path) -> None:
    (pretended / "lib" / "code.py").touch()  # another date, the same text
    ended = make(pretended, "env", "book")
    assert ended.stdout.splitlines() == [f"== open file://{pretended}/_build/html/index.html"]
    assert (pretended / "built").read_text(encoding="utf-8") == "built\n"


def with_old_date(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1e9, 1e9))


def upgrade_numpy(stamp: Path) -> None:
    """Make the stamp that of an environment with another version of NumPy."""
    text = stamp.read_text(encoding="utf-8")
    assert "\nnumpy==" in text
    stamp.write_text(text.replace("\nnumpy==", "\nnumpy==0."), encoding="utf-8")


CHANGED = {
    "a deleted file": lambda project: (project / "lib" / "more.py").unlink(),
    "a file copied with its old date": lambda project: with_old_date(project / "lib" / "code.py", "x = 2\n"),
    "a new file of data": lambda project: with_old_date(project / "book" / "data.csv", "a,b\n"),
    "a package of another version": lambda project: upgrade_numpy(project / "_build/stamps/notebooks.inputs"),
}


@pytest.mark.parametrize("what", CHANGED)
def test_notebooks_are_checked_again_after(pretended: Path, what: str) -> None:
    assert make(pretended, "check-notebooks").stdout == ""
    CHANGED[what](pretended)
    assert "ran -m pytest --nbval" in make(pretended, "check-notebooks").stdout
    assert make(pretended, "check-notebooks").stdout == ""


def test_a_page_that_does_not_depend_on_what_has_changed_does_not_run(project: Path) -> None:
    with_old_date(project / "lib" / "code.py", "x = 2\n")
    ended = make(project, "check-notebooks")
    assert ended.returncode == 0
    assert "stamps: 0 of 1 files have changed since they passed" in ended.stdout
    assert "stamps: 1 of 1 files" in make(project, "check-notebooks", "ALL=1").stdout


def test_guards_run_again_after_their_own_change(pretended: Path) -> None:
    with (pretended / "tests/guards/test_notebooks.py").open("a", encoding="utf-8") as file:
        file.write("# more\n")
    ended = make(pretended, "book")
    assert "ran -m pytest -q tests/guards/test_notebooks.py" in ended.stdout
    assert "--nbval" not in ended.stdout


def test_a_deleted_page_is_built_no_longer(pretended: Path) -> None:
    (pretended / "web" / "style.css").touch()
    assert make(pretended, "book").returncode == 0
    (pretended / "web" / "style.css").unlink()
    assert make(pretended, "book").returncode == 0
    assert (pretended / "built").read_text(encoding="utf-8") == "built\n" * 3


def test_a_package_of_another_version_is_installed_anew(pretended: Path) -> None:
    upgrade_numpy(pretended / ".venv" / ".requirements")
    (pretended / ".venv" / "bin" / "activate").touch()
    ended = make(pretended, "env")
    assert "== installing requirements.txt" in ended.stdout
    assert make(pretended, "env").stdout == ""


@pytest.mark.parametrize(("user", "option"), [("0", "--allow-root"), ("1000", "")])
def test_lab_starts_as_root_too(project: Path, user: str, option: str) -> None:
    script(project / ".venv" / "bin" / "jupyter", '#!/bin/sh\necho "$@"\n')
    script(project / "bin" / "id", f"#!/bin/sh\necho {user}\n")
    ended = subprocess.run(
        ["make", "--no-print-directory", "lab"],
        cwd=project,
        env=os.environ | {"PATH": f"{project / 'bin'}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.split() == [
        "lab",
        *option.split(),
        "--ServerApp.root_dir=book",
        "--LabApp.default_url=/lab/tree/page.ipynb",
    ]


# ---- an environment that was interrupted


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A project without any requirement, and without an environment."""
    for name in ("Makefile", "tools"):
        copy: Callable = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    for name in ("requirements.txt", "constraints.txt", "pyproject.toml"):
        (tmp_path / name).touch()
    return tmp_path


def pip_works(project: Path) -> bool:
    return subprocess.run([".venv/bin/python", "-m", "pip", "--version"], cwd=project, check=False).returncode == 0


# Makes an environment by a copy of one that the interpreter has made at the same place: pip is installed once.
COPIER = """#!/bin/sh
case "$*" in "-m venv --clear .venv") rm -rf .venv && cp -a made .venv;; *) exec "{python}" "$@";; esac
"""


def env(project: Path, python: str = sys.executable) -> subprocess.CompletedProcess:
    command = ["make", "env", f"PYTHON={python}"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


@pytest.mark.nightly
def test_an_environment_that_is_not_whole_is_made_anew_and_a_whole_one_kept(bare: Path) -> None:
    """Interrupted while it was made; then whole, also where only its stamp is gone; then with half of pip."""
    making = subprocess.Popen(["make", "env", f"PYTHON={sys.executable}"], cwd=bare, start_new_session=True)
    wait_for(bare / ".venv" / "bin" / "python", making)
    os.killpg(making.pid, signal.SIGKILL)
    making.wait()
    assert not pip_works(bare)
    ended = env(bare)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert pip_works(bare)
    assert "==" not in env(bare).stdout
    shutil.copytree(bare / ".venv", bare / "made", symlinks=True)

    own = bare / ".venv" / "own"
    own.touch()
    (bare / ".venv" / ".requirements").unlink()
    assert env(bare).returncode == 0
    assert own.exists()

    (bare / ".venv" / ".requirements").unlink()
    (pip,) = (bare / ".venv").glob("lib/python3.*/site-packages/pip/_internal/cli/main.py")
    pip.unlink()
    script(bare / "copier", COPIER.format(python=sys.executable))
    assert "== making .venv" in env(bare, "./copier").stdout
    assert not own.exists()
    assert pip_works(bare)


def test_no_python_is_said(bare: Path) -> None:
    ended = subprocess.run(
        ["make", "env", "PYTHON=no-such-python"], cwd=bare, capture_output=True, text=True, check=False
    )
    assert ended.returncode != 0
    assert "set PYTHON=/path/to/python" in ended.stderr
