"""The lower bounds of the dependencies: no release that its authors have withdrawn."""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


def test_numpy_2_4_0_is_not_allowed() -> None:
    """It was yanked from PyPI: "Backward compatibility bug"."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    allowed = {found.name: found.specifier for found in map(Requirement, project["dependencies"])}
    assert "2.4.0" not in allowed["numpy"]
    assert "2.4.1" in allowed["numpy"]
