"""Waiting for what a process that was started does."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path


def wait_for(path: Path, process: subprocess.Popen, seconds: float = 120) -> None:
    """Return once the file is there; a process that ends or takes longer fails the test and leaves no process behind.

    The process leads a session of its own.
    """
    end = time.monotonic() + seconds
    while not path.exists():
        if process.poll() is not None or time.monotonic() > end:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise AssertionError(f"{process.args} made no {path} in {seconds} s (ended with {process.poll()})")
        time.sleep(0.01)
