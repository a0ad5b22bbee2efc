"""A stamp names the packages that the requirements bring, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from fingerprint import packages

# Metadata as pip writes it: what is needed always, what on other systems or old Pythons, what for an extra alone.
INSTALLED = {
    "Asked-For": 'Requires-Dist: brought.by_it[more]>=1\nRequires-Dist: elsewhere; sys_platform == "none"\n',
    "brought_by_it": "Requires-Dist: of-an-extra; extra == 'more'\nRequires-Dist: unasked; extra == 'other'\n",
    "of_an_extra": "Requires-Dist: asked-for\nRequires-Dist: absent\n",  # in a circle, and one that is missing
    "unasked": "",
    "greenery": "Requires-Dist: asked-for\n",
}


@pytest.fixture
def requirements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of requirements, in an environment of these packages."""
    for number, (name, needs) in enumerate(INSTALLED.items()):
        folder = tmp_path / f"{name.replace('-', '_')}-{number}.0.dist-info"
        folder.mkdir()
        text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}.0\n{needs}"
        (folder / "METADATA").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "requirements.txt"
    path.write_text("# greenery==1\n-c constraints.txt\nasked_for==0.0\nnever.there==2\n-e .\n", encoding="utf-8")
    return path


def test_packages_of_the_requirements_and_what_they_bring_are_listed(requirements: Path) -> None:
    assert list(packages(requirements)) == [
        "absent is not installed",
        "asked-for==0.0",
        "brought-by-it==1.0",
        "never-there is not installed",
        "of-an-extra==2.0",
    ]


def test_a_package_installed_beside_them_changes_nothing(requirements: Path) -> None:
    before = list(packages(requirements))
    for path in requirements.parent.glob("greenery*/METADATA"):
        path.unlink()
        path.parent.rmdir()
    assert list(packages(requirements)) == before
