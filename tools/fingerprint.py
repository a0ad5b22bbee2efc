"""What a step of the Makefile depends on, as text: the digest of each input file and the packages of requirements.txt.

``python tools/fingerprint.py STAMP PATH...`` rewrites the file STAMP only if its inputs have changed, so that make runs
the steps that depend on it exactly then: also after a deleted file, a copied one with an old date, or a package of
another version. With ``--check`` nothing is written: the exit code is 1 if STAMP is not up to date.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

REQUIREMENTS = Path("requirements.txt")
PIN = re.compile(r"^([A-Za-z0-9._-]+)==", re.M)


def packages(requirements: Path = REQUIREMENTS) -> Iterator[str]:
    """A line for each package that the requirements bring, also by another one: its version, or that it is missing.

    What else is installed beside them, as the packages of tests/site, changes nothing.
    """
    todo = [(canonical(name), "") for name in PIN.findall(requirements.read_text(encoding="utf-8"))]
    seen = set(todo)
    for name, extra in todo:
        new = [one for one in dependencies(name, extra) if one not in seen]
        seen.update(new)
        todo += new
    for name in sorted({name for name, _ in todo}):
        try:
            yield f"{name}=={version(name)}"
        except PackageNotFoundError:
            yield f"{name} is not installed"


def canonical(name: str) -> str:
    """One spelling of a package's name, that of the package index."""
    return re.sub(r"[-_.]+", "-", name).lower()


def dependencies(package: str, extra: str = "") -> list[tuple[str, str]]:
    """What an installed package, or one of its extras, needs here: a name with no extra, and with each extra asked for.

    Nothing if the package is not installed.
    """
    from packaging.requirements import Requirement  # comes with pytest: a new environment has no packaging yet

    try:
        needed = [Requirement(text) for text in requires(package) or ()]
    except PackageNotFoundError:
        return []
    here = [one for one in needed if one.marker is None or one.marker.evaluate({"extra": extra})]
    return [(canonical(one.name), asked) for one in here for asked in ("", *sorted(one.extras))]


def fingerprint(paths: Sequence[Path]) -> str:
    """The Python version, the packages, and the SHA-256 digest of each file, a line each; OSError if one is missing."""
    digests = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.as_posix()}" for path in sorted(paths))
    return "\n".join([f"Python {sys.version}", *packages(), *digests]) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns 1 if the stamp was to be checked and is not up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stamp", type=Path)
    parser.add_argument("paths", nargs="+", type=Path, metavar="path", help="an input file")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the stamp is not up to date")
    options = parser.parse_args(arguments)
    current = fingerprint(options.paths)
    if options.stamp.is_file() and options.stamp.read_text(encoding="utf-8") == current:
        return 0
    if options.check:
        return 1
    options.stamp.parent.mkdir(parents=True, exist_ok=True)
    options.stamp.write_text(current, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
