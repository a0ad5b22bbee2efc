"""The benchmark of programs begins: whatever it will time has been run, and its results were compared."""

import os
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
BEGIN = """
import jax
jax.config.update("jax_enable_x64", True)
from program_runs import batches, dense, growing, learning
print(*(row["implementation"] for row, _ in [*learning(), *dense(), *growing(), *batches()]), sep="\\n")
"""


def test_all_implementations_agree_before_they_are_timed():
    path = os.pathsep.join(filter(None, (str(BENCHMARKS), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}
    begun = subprocess.run([sys.executable, "-c", BEGIN], env=environment, capture_output=True, text=True, check=False)
    assert begun.returncode == 0, begun.stderr
    said = begun.stdout.splitlines()
    assert {"C", "JAX scan", "learner", "product", "program", "JAX", "loops of 90e9f15"} <= set(said)
    assert len(said) == 36
