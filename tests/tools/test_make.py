"""The Makefile in a small copy of the project: no faulty page is built, and what has changed is done again."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
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
PRETENDED = '#!/bin/sh\necho "ran $*"\n'  # in its place: commands are only named
BUILDER = "#!/bin/sh\nmkdir -p _build/html && echo $* >> built\n"
WHOLE, PART = "build . --all -W -n --keep-going\n", "build . -W -n --keep-going\n"
GUARDS = "PAGE_GUARDS=tests/guards/test_notebooks.py"


def make(project: Path, *targets: str) -> subprocess.CompletedProcess:
    command = ["make", "--no-print-directory", *targets, "WORKERS=0", GUARDS]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def copied(project: Path, *names: str) -> None:
    """Files and folders of this project in another one."""
    for name in names:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        copy: Callable = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, project / name)


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of one page and one file of code, whose site has been built."""
    project = tmp_path_factory.mktemp("project")
    copied(project, *COPIED)
    for folder in ("book", "lib", "web", "benchmarks"):
        (project / folder).mkdir()
    for name, text in (
        *(("requirements.txt", ""), ("constraints.txt", ""), ("_toc.yml", TOC), ("_config.yml", "")),
        *(("lib/code.py", "x = 1\n"), ("web/style.css", "")),
        ("tests/test_one.py", "def test_one():\n    pass\n"),
    ):
        (project / name).write_text(text, encoding="utf-8")
    cell = {"cell_type": "code", "id": "a", "execution_count": None, "metadata": {}, "source": "6 * 7", "outputs": []}
    text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    (project / "book/page.ipynb").write_text(text, encoding="utf-8")
    run(project / "book/page.ipynb", timeout=60)
    script(project / ".venv/bin/python", PYTHON)
    script(project / ".venv/bin/jupyter-book", BUILDER)
    (project / ".venv/.requirements").touch()
    ended = make(project, "book")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert (project / "built").read_text(encoding="utf-8") == WHOLE
    return project


@pytest.fixture
def project(built: Path, tmp_path: Path) -> Path:
    """A copy of the built project with its dates, which lie in the past."""
    return Path(shutil.copytree(built, tmp_path / "project"))


def change_page(project: Path, **changes: object) -> None:
    path = project / "book/page.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"][0].update(changes)
    path.write_text(json.dumps(notebook), encoding="utf-8")


def touch(path: Path) -> None:
    """Give a file the date of now, which is later than that of anything made before."""
    time.sleep(0.02)
    path.touch()


@pytest.mark.parametrize("count", [None, 7])
def test_a_page_that_was_not_run_in_order_is_not_built(project: Path, count: int | None) -> None:
    change_page(project, execution_count=count)
    ended = make(project, "book")
    assert ended.returncode != 0
    assert f"execution counts are [{count}]" in ended.stdout
    assert (project / "built").read_text(encoding="utf-8") == WHOLE


@pytest.fixture
def pretended(project: Path) -> Path:
    """The built project, in which commands are named instead of run."""
    script(project / ".venv/bin/python", PRETENDED)
    return project


def test_nothing_is_built_twice(pretended: Path) -> None:
    said = make(pretended, "book").stdout.splitlines()
    assert said == [
        f"== open file://{pretended}/_build/html/index.html",
        "== its outputs are the stored ones: make test compares them with a fresh run",
    ]
    assert (pretended / "built").read_text(encoding="utf-8") == WHOLE


@pytest.mark.parametrize(
    ("changed", "how"), [("book/page.ipynb", PART), ("lib/code.py", WHOLE), ("web/style.css", WHOLE)]
)
def test_what_has_changed_is_built(pretended: Path, changed: str, how: str) -> None:
    touch(pretended / changed)
    assert make(pretended, "book").returncode == 0
    assert (pretended / "built").read_text(encoding="utf-8") == WHOLE + how


def test_a_site_is_built_again_with_the_bundle_of_the_bench(pretended: Path) -> None:
    (pretended / "web/bench_answers.py").touch()
    for target in ("book", "bench-bundle", "book"):
        assert make(pretended, target).returncode == 0
    assert (pretended / "built").read_text(encoding="utf-8") == 3 * WHOLE


def test_a_notebook_that_has_passed_does_not_run_until_it_or_code_has_changed(pretended: Path) -> None:
    """Tests run every time."""
    for changed in ("book/page.ipynb", "lib/code.py"):
        touch(pretended / changed)
        assert make(pretended, "pytest").stdout.splitlines()[-1].endswith("tests book/page.ipynb")
        assert make(pretended, "pytest").stdout.splitlines()[-1].endswith("tests")


def test_guards_that_have_passed_among_the_tests_do_not_run_again_for_the_book(pretended: Path) -> None:
    """Nor is a book built for them that has not changed."""
    touch(pretended / "book/page.ipynb")
    for built in (WHOLE + PART, WHOLE + PART):
        make(pretended, "pytest")
        assert "guards of the pages" not in make(pretended, "book").stdout
        assert (pretended / "built").read_text(encoding="utf-8") == built


def test_a_notebook_that_fails_runs_again(project: Path) -> None:
    change_page(project, outputs=[])
    ended = make(project, "pytest")
    assert ended.returncode != 0
    assert "Unexpected output fields" in ended.stdout
    script(project / ".venv/bin/python", PRETENDED)
    assert make(project, "pytest").stdout.splitlines()[-1].endswith("tests book/page.ipynb")


@pytest.mark.parametrize(("user", "option"), [("0", "--allow-root"), ("1000", "")])
def test_lab_trusts_the_notebooks_and_starts_as_root_too(project: Path, user: str, option: str) -> None:
    script(project / ".venv" / "bin" / "jupyter", '#!/bin/sh\necho "$@" >> ran\n')
    script(project / "bin/id", f"#!/bin/sh\necho {user}\n")
    own = {"PATH": f"{project / 'bin'}:{os.environ['PATH']}"}
    subprocess.run(["make", "lab"], cwd=project, env=os.environ | own, capture_output=True, check=True)
    trust, lab = (project / "ran").read_text(encoding="utf-8").splitlines()
    assert trust == "trust book/page.ipynb"
    options = ["ServerApp.root_dir=book", "LabApp.extra_labextensions_path=tools/lab"]
    options.append("LabApp.default_url=/lab/tree/page.ipynb")
    assert lab.split() == ["lab", *option.split(), *(f"--{each}" for each in options)]


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A project without any requirement, and without an environment."""
    copied(tmp_path, "Makefile", "tools")
    for name in ("requirements.txt", "constraints.txt", "pyproject.toml"):
        (tmp_path / name).touch()
    return tmp_path


def pip_works(project: Path) -> bool:
    return subprocess.run([".venv/bin/python", "-m", "pip", "--version"], cwd=project, check=False).returncode == 0


def env(project: Path, python: str = sys.executable) -> subprocess.CompletedProcess:
    return make(project, "env", f"PYTHON={python}")


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

    own = bare / ".venv" / "own"
    own.touch()
    (bare / ".venv" / ".requirements").unlink()
    assert env(bare).returncode == 0
    assert own.exists()

    (bare / ".venv" / ".requirements").unlink()
    (pip,) = (bare / ".venv").glob("lib/python3.*/site-packages/pip/_internal/cli/main.py")
    pip.unlink()
    assert "== making .venv" in env(bare).stdout
    assert not own.exists()
    assert pip_works(bare)


def test_no_python_is_said(bare: Path) -> None:
    ended = env(bare, "no-such-python")
    assert ended.returncode != 0
    assert "set PYTHON=/path/to/python" in ended.stderr
