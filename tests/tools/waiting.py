"""Waiting for what a process that was started does."""

import os
import signal
import subprocess
import time
from pathlib import Path


def wait_for(path: Path, process: subprocess.Popen, seconds: float = 120) -> None:
    """Return once the file is there; a process that ends or takes longer fails the test and leaves no process behind.

    The process leads a session of its own.
    """
    end = time.monotonic() + seconds
    while not path.exists():
        if process.poll() is not None:
            raise AssertionError(f"{process.args} ended with {process.returncode}, and {path} is not there")
        if time.monotonic() > end:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise AssertionError(f"{process.args} made no {path} in {seconds} s")
        time.sleep(0.01)
