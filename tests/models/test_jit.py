"""The loops without Numba, and the cache of compiled loops."""

import json
import os
import subprocess
import sys

from throughtime.gradcheck import relative_error
from throughtime.models._jit import COMPILED, drop_stale_cache, kernel
from throughtime.models.lfmn import METHODS

PROGRAM = """
import json, sys
if sys.argv[1] == "without":
    sys.modules["numba"] = None  # import numba now raises ImportError
import numpy as np
from throughtime.models import _jit, _lfmn_kernels
from throughtime.models.lfmn import LFMN, METHODS
assert _jit.COMPILED == (sys.argv[1] == "with")
assert hasattr(_lfmn_kernels.forward, "py_func") == _jit.COMPILED
model = LFMN(2, (1, 2, 1), (2, 1, 2))
rng = np.random.default_rng(5)
theta, x, targets, mask = model.init(rng, 1.5), rng.normal(size=(8, 2)), rng.normal(size=(8, 5)), [1, 0] * 4
gradients = [model.gradient(theta, x, targets, mask, method=method).gradient.tolist() for method in METHODS]
complex_y = model.forward(theta + 1e-30j, x).y
print(json.dumps([*gradients, model.forward(theta, x).y.tolist(), complex_y.imag.tolist()]))
"""


def run(numba: str) -> list:
    command = [sys.executable, "-W", "error", "-c", PROGRAM, numba]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def test_plain_python_computes_what_the_compiled_loops_compute():
    for plain, compiled in zip(run("without"), run("with"), strict=True):
        assert relative_error(plain, compiled) < 1e-14


def test_overflow_is_the_same_error_without_numba():
    program = """
import sys
sys.modules["numba"] = None
import numpy as np
from throughtime.models.lfmn import LFMN, METHODS
model = LFMN(1, (0, 1, 0), (1, 0, 0))
for method in METHODS:
    try:
        model.gradient(np.array([1.0, 2.0, 1.0]), np.ones((1100, 1)), np.zeros((1100, 1)), method=method)
    except FloatingPointError:
        print(method)
"""
    command = [sys.executable, "-W", "error", "-c", program]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.split() == list(METHODS)


def test_a_kernel_is_compiled_where_numba_is_installed():
    @kernel
    def twice(z):
        """Two z."""
        return 2 * z

    assert COMPILED
    assert twice(1.5) == twice.py_func(1.5) == 3.0
    assert twice.__doc__ == "Two z."


def test_only_cache_indexes_older_than_a_source_are_dropped(tmp_path):
    cache = tmp_path / "__pycache__"
    cache.mkdir()
    source, stale, fresh, other = (
        tmp_path / "loops.py",
        cache / "loops.old-1.py311.nbi",
        cache / "loops.new-1.py311.nbi",
        cache / "loops.cpython-311.pyc",
    )
    for age, path in ((100, source), (200, stale), (50, fresh), (300, other)):
        path.touch()
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    assert drop_stale_cache(tmp_path) == [stale]
    assert not stale.exists()
    assert fresh.exists()
    assert other.exists()
    assert drop_stale_cache(tmp_path) == []
    assert drop_stale_cache(tmp_path / "nowhere") == []


def test_a_folder_that_cannot_be_cleaned_is_left_alone(tmp_path, monkeypatch):
    (tmp_path / "__pycache__").mkdir()
    index = tmp_path / "__pycache__" / "loops.nbi"
    index.touch()
    os.utime(index, (1, 1))
    (tmp_path / "loops.py").touch()

    def refuse(self, missing_ok=False):
        raise PermissionError(self, missing_ok)

    monkeypatch.setattr(type(index), "unlink", refuse)
    assert drop_stale_cache(tmp_path) == []
    assert index.exists()
