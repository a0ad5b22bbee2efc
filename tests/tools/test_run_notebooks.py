"""Running notebooks in place: fresh outputs, nothing of the machine, and a failed one left as it was."""

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import run_notebooks
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from waiting import wait_for


def write(path: Path, *sources: str, **metadata: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [new_markdown_cell("# Title", metadata={"editable": True})]
    cells += [new_code_cell(source, execution_count=7, metadata=metadata) for source in sources]
    nbformat.write(new_notebook(cells=cells, metadata={"widgets": {}}), path)
    return path


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook that reads a file beside it and has two cells of one source, after a run."""
    path = write(
        tmp_path_factory.mktemp("part") / "a.ipynb",
        "x = 20",
        "print('a')\nprint('b')\nx + 1",
        "open('data.txt').read()",
        "x = 20",
        tags=["hide-input"],
        execution={"iopub.status.busy": "noon"},
    )
    (path.parent / "data.txt").write_text("here", encoding="utf-8")
    path.chmod(0o640)
    run_notebooks.run(path, timeout=60)
    return path


def test_outputs_are_fresh_and_in_order(ran: Path) -> None:
    notebook = json.loads(ran.read_text(encoding="utf-8"))
    _, *cells = notebook["cells"]
    assert [cell["execution_count"] for cell in cells] == [1, 2, 3, 4]
    second = cells[1]
    assert [output["output_type"] for output in second["outputs"]] == ["stream", "execute_result"]
    assert second["outputs"][1]["data"]["text/plain"] == ["21"]
    assert second["metadata"] == {"tags": ["hide-input"], "jupyter": {"source_hidden": True}}
    assert notebook["metadata"] == run_notebooks.METADATA
    assert "'here'" in ran.read_text(encoding="utf-8")  # it runs in its own folder
    assert ran.stat().st_mode & 0o777 == 0o640


def test_lab_folds_what_the_site_folds_and_solutions_from_start_to_end() -> None:
    start, end = (new_markdown_cell(f"```{{solution-{edge}}} a\n```") for edge in ("start", "end"))
    both = {"outputs_hidden": True, "source_hidden": True}
    cells = [new_code_cell(metadata={"tags": ["hide-cell"]}), start, new_code_cell(), end, new_code_cell()]
    assert [kept.get("jupyter") for kept in run_notebooks.metadata_of(cells)] == [both, None, both, None, None]


def test_second_run_changes_no_byte(ran: Path) -> None:
    before = ran.read_bytes()
    run_notebooks.run(ran, timeout=60)
    assert ran.read_bytes() == before


def test_full_disk_leaves_the_old_notebook_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.ipynb", "1 + 1")
    before = path.read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        run_notebooks.run(path, timeout=60)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.nightly
def test_whatever_stops_a_notebook_is_told_with_its_name_and_the_others_run(
    tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    (tmp_path / "cut.ipynb").write_text('{"cells": [', encoding="utf-8")
    good, bad = write(tmp_path / "good.ipynb", "1 + 1"), write(tmp_path / "bad.ipynb", "1 / 0")
    dead = write(tmp_path / "dead.ipynb", "import os; os._exit(1)")
    slow = write(tmp_path / "slow.ipynb", "import time; time.sleep(30)")
    failing = [tmp_path / "absent.ipynb", bad, tmp_path / "cut.ipynb", dead]
    before = bad.read_bytes(), slow.read_bytes()
    assert sorted(run_notebooks.run_all([*failing, good], timeout=20, workers=2)) == failing
    assert run_notebooks.run_all([slow], timeout=2, workers=1) == [slow]
    told = capfd.readouterr()
    assert f"{good}  " in told.out
    errors = ("FileNotFoundError", "CellExecutionError", "NotJSONError", "DeadKernelError", "CellTimeoutError")
    for path, error in zip([*failing, slow], errors, strict=True):
        assert f"{path}  FAILED\n{error}: " in told.err
    assert "ZeroDivisionError" in told.err
    assert (bad.read_bytes(), slow.read_bytes()) == before


def test_interrupted_run_leaves_the_notebook_as_it_was(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ipynb", "open('started', 'w').close()\nimport time\ntime.sleep(60)")
    before = path.read_bytes()
    command = [sys.executable, run_notebooks.__file__, str(path)]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for(tmp_path / "started", running)
    os.killpg(running.pid, signal.SIGINT)
    _, told = running.communicate(timeout=60)
    assert running.returncode == 130
    assert told.endswith("stopped; the notebooks that were running are as they were\n")
    assert path.read_bytes() == before


@pytest.mark.parametrize(("failing", "code"), [(None, 0), ("book/zz/last.ipynb", 1)])
def test_pages_that_read_the_others_run_last_and_wait_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str | None, code: int
) -> None:
    first, last = ["lfmn/first", "zz/last"], ["reference/errata", "reference/ledger"]
    for name in (*first, *last, "lfmn/.ipynb_checkpoints/first"):
        write(tmp_path / "book" / f"{name}.ipynb", "1")
    batches = []

    def record(paths: list[Path], timeout: int, workers: int) -> list[Path]:
        batches.append([path.as_posix() for path in paths])
        return [path for path in paths if path.as_posix() == failing]

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run_notebooks, "run_all", record)
    monkeypatch.setattr("sys.argv", ["run_notebooks.py"])
    assert run_notebooks.main() == code
    assert batches == [[f"book/{name}.ipynb" for name in some] for some in (first, last)][: 2 - code]
