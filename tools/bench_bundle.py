"""Make what the bench in the browser loads: ``bench_bundle.py FOLDER``, for ``make bench-bundle``.

Pyodide comes from npm, SymPy and mpmath from PyPI, each held to its digest; the library is this checkout's. All Python
is compiled by Pyodide itself, in Node: source text would cost a visitor seconds.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
PINNED = {
    "pyodide-0.29.5.tgz": "6749b10ee515a1458ecea36d860c8ce2a48366e85b3f92d749ad1840e4aff181",
    "sympy-1.14.0-py3-none-any.whl": "e091cc3e99d2141a0ba2847328f5479b05d94a6635cb96148ccb3f34671bd8f5",
    "mpmath-1.3.0-py3-none-any.whl": "a0b2b9fe80bbcd81a6647ff13108738cfb482d481d826cc0e02f5b35e5c88d2c",
}
RUNTIME = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
PACKAGES = "packages.zip"
# Programs copy functions out of the text of these.
READ_AS_TEXT = {"throughtime/programs/activations.py", "throughtime/programs/fast.py"}
# Of SymPy what `import sympy` never loads, of the library what needs NumPy.
LEFT_OUT = {"tests", "benchmarks", "physics", "stats", "vector", "diffgeom", "holonomic", "categories", "liealgebras"}
LEFT_OUT |= {"crypto", "textbook", "tasks", "learning", "evidence"}
LICENSES = (".dist-info/LICENSE", ".dist-info/licenses/LICENSE")
SOURCES = {"throughtime": ROOT / "lib" / "throughtime", "bench_answers.py": ROOT / "web" / "bench_answers.py"}
LONG_AGO = (1980, 1, 1, 0, 0, 0)


def run(*command: str | Path, folder: Path) -> None:
    """Run a command in a folder; FileNotFoundError without the program, CalledProcessError where it fails."""
    subprocess.run(list(map(str, command)), cwd=folder, check=True, stdout=subprocess.DEVNULL)


def fetched(folder: Path) -> Path:
    """The folder, with what is pinned in it; ValueError for a file of another digest."""
    for name in PINNED:
        project, version = name.removesuffix(".tgz").split("-")[:2]
        if name.endswith(".tgz"):
            run("npm", "pack", "--silent", f"{project}@{version}", folder=folder)
        else:
            pip = (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:")
            run(*pip, f"{project}=={version}", folder=folder)
    for name, digest in PINNED.items():
        if (found := sha256((folder / name).read_bytes()).hexdigest()) != digest:
            raise ValueError(f"{name}: expected the digest {digest}, got {found}")
    return folder


def unpacked(archives: Path, folder: Path) -> None:
    """Put the packages into a folder as modules, with their licenses."""
    for name in PINNED:
        if name.endswith(".whl"):
            with zipfile.ZipFile(archives / name) as wheel:
                wheel.extractall(folder, list(wanted(wheel.namelist())))
    for name, source in SOURCES.items():
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", *LEFT_OUT))
        else:
            shutil.copy(source, folder / name)


def wanted(names: Iterable[str]) -> Iterator[str]:
    """Of the files of a wheel the modules that are sent, and the license."""
    for name in names:
        if name.endswith(LICENSES) or (name.endswith(".py") and "/" in name and not LEFT_OUT & {*name.split("/")}):
            yield name


def pack(folder: Path, archive: Path) -> None:
    """Write what an interpreter needs of a folder of compiled modules into an archive, the same at each call."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = path.relative_to(folder).as_posix()
            if path.suffix != ".py" or name in READ_AS_TEXT:
                packed.writestr(zipfile.ZipInfo(name, LONG_AGO), path.read_bytes(), zipfile.ZIP_DEFLATED)


def make(target: Path) -> None:
    """Write the bundle into a folder, whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        work, made = Path(name), Path(name) / "made"
        made.mkdir()
        with tarfile.open(fetched(work) / next(iter(PINNED))) as pyodide:
            pyodide.extractall(work, filter="data")
        unpacked(work, work / "modules")
        run("node", ROOT / "tools" / "bench_pyc.mjs", work / "package", work / "modules", folder=work)
        for file in RUNTIME:
            shutil.copy(work / "package" / file, made)
        pack(work / "modules", made / PACKAGES)
        shutil.rmtree(target, ignore_errors=True)
        made.rename(target)


if __name__ == "__main__":
    try:
        make(Path(sys.argv[1]).resolve())
    except FileNotFoundError as missing:
        sys.exit(f"bench-bundle: {missing.filename} was not found; Node with npm is needed (https://nodejs.org)")
