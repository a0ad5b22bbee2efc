"""The chapters in JupyterLab: the extension that sets MyST loads in the pinned version."""

import os
import re
import subprocess
import sys
from pathlib import Path

COLOUR = re.compile(r"\x1b\[\d+m")


def test_lab_loads_the_extension_that_sets_myst(tmp_path: Path) -> None:
    """JupyterLab starts all the same without an extension made for another major version of its packages."""
    own = {"JUPYTER_PREFER_ENV_PATH": "1", "JUPYTER_CONFIG_DIR": str(tmp_path), "JUPYTER_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "jupyter", "labextension", "list"]
    ended = subprocess.run(command, env=os.environ | own, capture_output=True, text=True, check=True)
    listed = COLOUR.sub("", ended.stdout + ended.stderr)
    assert re.search(r"^ *jupyterlab-myst v\S+ enabled +OK ", listed, re.M), listed
