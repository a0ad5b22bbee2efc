"""Experiments killed and restarted from the command line write the same file as an uninterrupted run."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from throughtime_book.shared.records import Records

EXPERIMENTS = (
    "lfmn.examples",
    "lstm1997.quality",
    "lstm1997.training",
    "peephole.error_flow",
    "training.rprop",
    "training.temporal_xor",
)
FIRST = ("--first", "2")  # runs, the smallest number with one done and one not
SHORTER = {
    "lstm1997.training": ("CAP", 1000),
    "peephole.error_flow": ("STREAMS", 1),
    "training.temporal_xor": ("TRIPLES", 100),
}


def start(name: str, folder: Path) -> subprocess.Popen:
    """Start an experiment as a user does, or with one constant of the module changed to shorten the run."""
    how = ["-m", f"throughtime_book.{name}.experiment"]
    if name in SHORTER:
        constant, value = SHORTER[name]
        load = f"import sys; from throughtime_book.{name} import experiment as module"
        how = ["-c", f"{load}; module.{constant} = {value}; module.main(sys.argv[1:])"]
    command = [sys.executable, *how, "--folder", str(folder), *FIRST]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def here(monkeypatch) -> Callable[..., None]:
    """A function that runs an experiment with arguments in this process and restores its data folder."""

    def run(name: str, *arguments: str) -> None:
        module = import_module(f"throughtime_book.{name}.experiment")
        for record in vars(module).values():
            if isinstance(record, Records):
                monkeypatch.setattr(record, "folder", record.folder)
        if name in SHORTER:
            monkeypatch.setattr(module, *SHORTER[name])
        module.main(arguments)

    return run


def files(folder: Path) -> dict[str, str]:
    """Names and contents of the files in ``folder``, without the date, which may change during the test."""
    return {path.name: re.sub(r",\d{4}-\d\d-\d\d\n", "\n", path.read_text()) for path in folder.iterdir()}


def seen(folder: Path) -> set[tuple[str, int]]:
    """Names and inode numbers of the files; they change with every write."""
    found = set()
    for path in folder.iterdir():
        try:
            found.add((path.name, path.stat().st_ino))
        except FileNotFoundError:  # renamed meanwhile
            found.add((path.name, 0))
    return found


def kill_at_change(process: subprocess.Popen, folder: Path, changes: int) -> int:
    """Kill ``process`` after ``changes`` changes in ``folder``, during or just after a write; returns its exit code."""
    before = seen(folder)
    while changes and process.poll() is None:
        now = seen(folder)
        changes -= now != before
        before = now
        time.sleep(0.0005)
    process.kill()
    process.communicate()
    return process.returncode


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_killed_experiment_goes_on_to_the_same_file(name, tmp_path, here):
    through, killed = tmp_path / "through", tmp_path / "killed"
    through.mkdir()
    killed.mkdir()
    here(name, "--folder", str(through), *FIRST)
    ended = [kill_at_change(start(name, killed), killed, changes) for changes in (1, 2)]
    assert ended[0] == -signal.SIGKILL
    rest = start(name, killed)
    complaints = rest.communicate(timeout=600)[1]
    assert rest.returncode == 0, complaints
    assert files(killed) == files(through)
    assert all(text.count("\n") > 2 for text in files(killed).values())


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_folder_that_is_not_there_and_a_count_of_none_are_refused(name, tmp_path, here, capsys):
    for wrong, message in [
        (("--folder", str(tmp_path / "none")), "expected a folder that is there"),
        (("--folder", str(tmp_path), "--first", "0"), "expected a number from 1, got '0'"),
    ]:
        with pytest.raises(SystemExit) as ended:
            here(name, *wrong)
        assert ended.value.code == 2
        assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
