"""The source archive and the wheel of this checkout, made once for all tests that ask for them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# What makes the source archive: the backend's own function, as a builder calls it.
SDIST = "import sys; from hatchling.build import build_sdist; print(build_sdist(sys.argv[1]))"


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source archive of a copy of this checkout, and the wheel of the source archive.

    The backend is the environment's own: nothing is looked up in an index.
    """
    folder = tmp_path_factory.mktemp("archives")
    source = folder / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "_build", "__pycache__", "*.egg-info"))
    subprocess.run([sys.executable, "-c", SDIST, str(folder)], cwd=source, check=True)
    (sdist,) = folder.glob("*.tar.gz")
    alone = ["--no-deps", "--no-index", "--no-build-isolation"]
    command = [sys.executable, "-m", "pip", "wheel", "-q", *alone, "-w", str(folder), str(sdist)]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    return sdist, wheel
