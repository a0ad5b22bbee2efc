"""A pytest plugin that leaves out the files whose inputs are those of their last pass: ``pytest --stamps FILE``.

FILE keeps for each test file or notebook the digest of all that it can depend on (`dependencies.py`) and of the
packages, written when the last of its tests has passed: an interrupted run keeps what it has proved. With ``ALL`` set
in the environment every file runs.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from dependencies import Project
from fingerprint import packages


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--stamps", type=Path, metavar="FILE", help="leave out the files that FILE says have passed as they are"
    )


def pytest_configure(config: pytest.Config) -> None:
    if (stamps := config.getoption("--stamps")) is None:
        return
    if hasattr(config, "workerinput"):  # a worker of xdist
        config.args = config.workerinput["changed"]
    else:
        config.pluginmanager.register(Stamps(config, stamps))


class Stamps:
    """The files of a run, which of them have changed since they passed, and those that pass now."""

    def __init__(self, config: pytest.Config, stamps: Path) -> None:
        self.stamps, root = stamps, config.rootpath
        project = Project(root)
        files = list(asked(config.args, project))
        own = {path for path in files if (root / path).is_file() and path in {*project.tests, *project.notebooks}}
        self.digests = project.digests(own, sys.version, *packages(root / "requirements.txt"))
        self.passed: dict[str, str] = json.loads(stamps.read_text(encoding="utf-8")) if stamps.is_file() else {}
        all_of_them = bool(os.environ.get("ALL"))
        self.changed = [
            path for path in files if all_of_them or self.passed.get(path) != self.digests.get(path, "unknown")
        ]
        self.told = f"stamps: {len(self.changed)} of {len(files)} files have changed since they passed"
        self.left: dict[str, set[str]] = {}
        self.failed: set[str] = set()
        self.whole = not config.option.keyword
        config.args = [str(root / path) for path in self.changed]

    def pytest_report_header(self) -> str:
        return self.told

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: object) -> None:
        node.workerinput["changed"] = node.config.args

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Iterable[str]) -> None:
        self.expect(ids)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.expect(item.nodeid for item in session.items)

    def expect(self, ids: Iterable[str]) -> None:
        for nodeid in ids:
            self.left.setdefault(nodeid.partition("::")[0], set()).add(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        path = report.nodeid.partition("::")[0]
        if report.failed:
            self.failed.add(path)
            self.write(path, None)
        if report.when == "teardown" and path in self.left:
            self.left[path].discard(report.nodeid)
            if not self.left[path] and path not in self.failed and self.whole:
                self.write(path, self.digests.get(path))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if not self.changed and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    def write(self, path: str, digest: str | None) -> None:
        """Store the digest of a file, or none, as a whole or not at all."""
        self.passed.pop(path, None)
        if digest is not None:
            self.passed[path] = digest
        self.stamps.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.stamps.with_suffix(".part")
        unfinished.write_text(json.dumps(self.passed, indent=0, sort_keys=True), encoding="utf-8")
        unfinished.replace(self.stamps)


def asked(arguments: Iterable[str], project: Project) -> Iterator[str]:
    """The files of a command line in its order, a folder as the test files and notebooks below it.

    What is no such file or folder stays as it is.
    """
    known = [*project.tests, *project.notebooks]
    for argument in arguments:
        path = Path(argument).resolve()
        name = path.relative_to(project.root).as_posix() if path.is_relative_to(project.root) else argument
        below = [one for one in known if one == name or one.startswith(f"{name}/")]
        yield from below or [argument]
