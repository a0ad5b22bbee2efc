"""The continuous build runs actions at fixed commits, with no more permissions than it needs."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
USES = re.compile(r"^\s*(?:- )?uses: *(.*)$", re.M)
FIXED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
# What each job may do; deploying to Pages takes both of its permissions.
PERMISSIONS = {"check": {"contents": "read"}, "publish": {"pages": "write", "id-token": "write"}}


def loose(workflow: str) -> Iterator[str]:
    """Actions that are not at a commit with their version in a comment, and permissions beyond those of the list."""
    yield from (f"{uses} is not at a commit" for uses in USES.findall(workflow) if not FIXED.fullmatch(uses))
    content = yaml.safe_load(workflow)
    if content.get("permissions") != {}:
        yield "permissions of all jobs: expected none"
    for name, job in content["jobs"].items():
        if job.get("permissions") != PERMISSIONS[name]:
            yield f"permissions of {name}: expected {PERMISSIONS[name]}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.name)
def test_workflow_is_fixed_and_may_do_little(path: Path) -> None:
    assert list(loose(path.read_text(encoding="utf-8"))) == []


def test_pip_and_the_builder_are_pinned() -> None:
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert re.search(r"^pip==[\d.]+$", pins, re.M)
    assert re.search(r"^hatchling==[\d.]+$", pins, re.M)
