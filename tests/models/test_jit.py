"""The loops without Numba, and the cache of compiled loops."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import throughtime.models
from throughtime.checks import relative_error
from throughtime.models import _jit
from throughtime.models._jit import COMPILED, digest, kernel, writable
from throughtime.models.lstm import METHODS

PROGRAM = """
import json, sys
if sys.argv[1] == "without":
    sys.modules["numba"] = None  # import numba now raises ImportError
import numpy as np
from throughtime.models import PeepholeLSTM, _jit, lstm_kernels
from throughtime.models.lstm import METHODS
assert _jit.COMPILED == (sys.argv[1] == "with")
assert hasattr(lstm_kernels.forward, "py_func") == _jit.COMPILED
model = PeepholeLSTM(2, 2, 1, 5)
rng = np.random.default_rng(5)
theta, x, targets, mask = model.init(rng, 1.5), rng.normal(size=(8, 2)), rng.normal(size=(8, 5)), [1, 0] * 4
gradients = [model.gradient(theta, x, targets, mask, method=method).gradient.tolist() for method in METHODS]
complex_y = model.forward(theta + 1e-30j, x).y
large = PeepholeLSTM(1, 1, 1, 1, f_out="identity")
overflow = []
for method in METHODS:
    try:
        large.gradient(np.ones(large.layout.size), np.ones((9, 1)), np.full((9, 1), 1e200), method=method)
    except FloatingPointError as error:
        overflow.append(f"{method}: {error}")
print(json.dumps([overflow, *gradients, model.forward(theta, x).y.tolist(), complex_y.imag.tolist()]))
"""


def run(program: str, *arguments: str, **environment: str) -> str:
    command = [sys.executable, "-W", "error", "-c", program, *arguments]
    environment = os.environ | environment
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def test_plain_python_computes_what_the_compiled_loops_compute_and_refuses_what_they_refuse():
    (refused, *plain), (also_refused, *compiled) = (json.loads(run(PROGRAM, way)) for way in ("without", "with"))
    assert refused == also_refused
    assert [line.split(":")[0] for line in refused] == list(METHODS)
    for one, other in zip(plain, compiled, strict=True):
        assert relative_error(one, other) < 1e-14


def test_a_kernel_is_compiled_where_numba_is_installed():
    @kernel
    def twice(z):
        """Two z."""
        return 2 * z

    assert COMPILED
    assert twice(1.5) == twice.py_func(1.5) == 3.0
    assert twice.__doc__ == "Two z."


# ---------------------------------------------------------------- cache


def test_the_digest_is_that_of_the_texts_of_all_files_with_kernels(tmp_path):
    loops, calls, other = (tmp_path / f"{name}.py" for name in ("loops", "calls", "other"))
    for path in (loops, calls):
        path.write_text("@kernel\ndef f(): ...\n")
    other.write_text("x = 1\n")
    before = digest(tmp_path)
    other.write_text("x = 2\n")
    assert digest(tmp_path) == before
    changed = set()
    for path in (loops, calls):
        text, stamp = path.read_text(), path.stat()
        path.write_text(text.replace("f()", "g()"))
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        changed.add(digest(tmp_path))
        path.write_text(text)
    assert len(changed | {before}) == 3
    assert digest(tmp_path) == before


@pytest.fixture(name="copy")
def copied_library(tmp_path) -> Path:
    """The parent of a copy of the package, without compiled code."""
    package = Path(throughtime.models.__file__).parents[1]
    shutil.copytree(package, tmp_path / "lib" / "throughtime", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "lib"


SLOPE = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from throughtime.models import _jit
from throughtime.models._activate import activate
from throughtime.arrays.activations import identity
assert _jit.__file__.startswith(sys.argv[1])
print(activate(identity.code, 7.0), _jit.CACHE)
"""


@pytest.mark.nightly
def test_a_changed_kernel_is_seen_by_those_that_call_it_however_old_its_file(copy):
    environment = {"NUMBA_CACHE_DIR": ""}
    source = copy / "throughtime" / "models" / "_activate.py"
    stamp = source.stat()
    first, folder = run(SLOPE, str(copy), **environment).split(maxsplit=1)
    assert float(first) == 7.0
    assert Path(folder.strip()).is_relative_to(copy)
    assert [*Path(folder.strip()).rglob("*.nbi")]
    source.write_text(source.read_text().replace("return 1.0 * z", "return 3.0 + z"))
    os.utime(source, (stamp.st_atime - 9e6, stamp.st_mtime - 9e6))
    assert float(run(SLOPE, str(copy), **environment).split(maxsplit=1)[0]) == 10.0


def test_the_first_folder_that_can_be_written_to_is_taken(tmp_path):
    (tmp_path / "file").touch()
    no_folder, good = tmp_path / "file", tmp_path / "good"
    assert writable([no_folder, good, tmp_path / "never"], "cache") == good / "cache"
    assert (good / "cache").is_dir()
    assert not (tmp_path / "never").exists()
    assert writable([no_folder], "cache") is None
    assert writable([], "cache") is None


def test_without_a_folder_that_can_be_written_to_kernels_are_compiled_for_the_process(monkeypatch):
    monkeypatch.setattr(_jit, "CACHE", None)

    @kernel
    def twice(z):
        return 2 * z

    assert twice(1.5) == 3.0
    assert twice.stats.cache_path is None


@pytest.mark.nightly
def test_an_installation_in_which_nothing_can_be_written_works(copy, tmp_path):
    """Neither beside the sources nor in the cache of the user. Files stand for folders that cannot be written to."""
    for place in (copy / "throughtime" / "models" / "__pycache__", tmp_path / "home"):
        place.touch()
    found = run(
        SLOPE, str(copy), HOME=str(tmp_path / "home"), XDG_CACHE_HOME=str(tmp_path / "home"), NUMBA_CACHE_DIR=""
    )
    assert found.split() == ["7.0", "None"]


GENERATOR = """
import sys
import numpy as np
from throughtime.models import PeepholeLSTM
from throughtime.models._jit import kernel
from throughtime.models.lstm_kernels import peepholes

@kernel
def read(lstm, weights, s):
    net = 0.0 * weights[0, 0]
    for u, q, c in peepholes(lstm, lstm.fg, lstm.og):
        net += weights[u, q] * s[c]
    return net

lstm = PeepholeLSTM(1, 1, 1, 1).architecture
print(read(lstm, np.ones((lstm.units, lstm.columns + lstm.seen)) + eval(sys.argv[1]), np.ones(1)).real)
"""


@pytest.mark.nightly
def test_a_loop_is_compiled_for_complex_weights_where_another_process_compiled_it_for_real_ones(tmp_path):
    """Numba finds no code of a generator that it took from the cache."""
    (tmp_path / "loop.py").write_text(GENERATOR)  # Numba caches what stands in a file
    call = f"import runpy; runpy.run_path({str(tmp_path / 'loop.py')!r}, run_name='loop')"
    real, moved = (run(call, step, NUMBA_CACHE_DIR=str(tmp_path)) for step in ("0", "1e-30j"))
    assert abs(float(real) - float(moved)) < 1e-15
