"""Programs compiled by Numba and kept on disk, beside the same programs as plain Python."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import throughtime as tt
from numba.core import event
from throughtime.programs import build, cache, network
from throughtime.programs import program as written
from throughtime.systems import recurrent as rec

TWICE = """
import numpy as np
import throughtime as tt
from throughtime.systems import recurrent as rec
net = tt.compile(rec.build(), rec.loss, {rec.d_in: 1, rec.d_out: 2}, activations={"f": "logistic"}, compiled=True)
theta = net.init(3, 0.5)
print(net.gradient(theta, np.ones((3, 1)), np.zeros((3, 2))).gradient.tolist())
"""


def small(compiled: bool | None = True) -> tt.CompiledNetwork:
    sizes = {rec.d_in: 1, rec.d_out: 2}
    return tt.compile(rec.build(), rec.loss, sizes, activations={"f": "logistic"}, compiled=compiled)


@pytest.fixture(autouse=True)
def compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here alone programs are compiled; they are kept where the book's are."""
    monkeypatch.setattr(build, "COMPILED", True)
    monkeypatch.setattr(build, "CACHE", cache.CACHE)


@pytest.mark.parametrize("wide", [written.WIDE, 2], ids=["narrow", "wide"])
def test_compiled_and_plain_programs_agree(monkeypatch: pytest.MonkeyPatch, wide: int) -> None:
    monkeypatch.setattr(written, "WIDE", wide)
    random = np.random.default_rng(1)
    x, targets = random.normal(size=(3, 5, 1)), random.normal(size=(3, 5, 2))
    plain, compiled, late = small(False), small(), small(None)
    theta = plain.init(2, 0.8)
    for method in plain.METHODS:
        plainly, found = (net.gradient(theta, x, targets, method=method) for net in (plain, compiled))
        assert found.loss == pytest.approx(plainly.loss, rel=1e-14)
        np.testing.assert_allclose(found.gradient, plainly.gradient, rtol=1e-13)
        for work, expected in ((0, plainly), (network.WORTH, found)):  # as at first, and after much more of the same
            late._work[method] = work
            assert np.array_equal(late.gradient(theta, x, targets, method=method).gradient, expected.gradient)


@pytest.mark.parametrize("wide", [written.WIDE, 2], ids=["narrow", "wide"])
def test_the_text_printed_is_the_text_compiled(monkeypatch: pytest.MonkeyPatch, wide: int) -> None:
    monkeypatch.setattr(written, "WIDE", wide)
    net = small()
    texts = {method: net.source(method) for method in net.METHODS}
    assert len({*texts.values()}) == len(net.METHODS)
    for method, text in texts.items():
        assert ("def _exp(" in text) == (wide == 2)
        program = net._module(method, 0)
        compiled = program.batch if method == "bptt" else program.steps
        assert Path(compiled.__code__.co_filename).read_text(encoding="utf-8") == text
    learner = net.learner(np.zeros(net.layout.size), rate=0.1)
    assert Path(learner._learn.__code__.co_filename).read_text(encoding="utf-8") == learner.source


@pytest.mark.nightly
def test_a_later_process_finds_the_compiled_program(tmp_path: Path) -> None:
    run = lambda: subprocess.run(  # noqa: E731
        [sys.executable, "-c", TWICE],
        env={"NUMBA_CACHE_DIR": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    first = run().stdout
    [program] = tmp_path.rglob("program_*.txt")
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("program_*.nb*")}
    assert kept
    assert "def bptt(" in program.read_text(encoding="utf-8")
    assert run().stdout == first
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("program_*.nb*")} == kept


def test_lanes_run_as_they_were_compiled_for_them() -> None:
    """A run with arrays of another kind would compile the loop again, without the option for lanes."""
    net = small()
    learner = net.learner(np.zeros((3, net.layout.size)), rate=0.1)
    before = learner._learn.signatures
    assert len(before) == 1
    learner.run(np.ones((3, 4, 1)), np.zeros((3, 4, 2)))
    assert learner._learn.signatures == before


def test_a_copy_of_an_array_compiles_no_string_and_leaves_numba_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(build, "CACHE", None)
    printed = build.arrayobj.raise_with_shape_context
    steps = build.module("def steps(later, earlier):\n    earlier[...] = later\n", **build.OPTIONS).steps
    earlier, later = np.zeros((2, 3)), np.arange(6.0).reshape(2, 3)
    with event.install_recorder("numba:compile") as recorder:
        steps(later, earlier)
    assert np.array_equal(earlier, later)
    assert {one.data["dispatcher"].py_func.__name__ for _, one in recorder.buffer} == {"steps", "raised"}
    assert build.arrayobj.raise_with_shape_context is printed
    with pytest.raises(ValueError, match="different size"):
        steps(np.zeros((3, 3)), earlier)


SUMS = """
def forward(T, x, h):
    k = 0.0
    for t in range(T):
        k += x[t]
        h[t] = k

def batch(B, T, x, h):
    k, t = 2.0, 3.0
    for b in range(B):
        forward(T, x[b], h)
        k += t * h[T - 1]
    return k
"""


def test_a_batch_compiles_its_passes_in_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables of a pass that have names of the batch's are others."""
    monkeypatch.setattr(build, "CACHE", None)
    with event.install_recorder("numba:compile") as recorder:
        found = build.module(SUMS).batch(2, 3, np.ones((2, 3)), np.zeros(3))
    assert {one.data["dispatcher"].py_func.__name__ for _, one in recorder.buffer} == {"batch"}
    assert found == build.module(SUMS, compiled=False).batch(2, 3, np.ones((2, 3)), np.zeros(3)) == 20


def test_a_program_that_cannot_be_kept_runs_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is moved into its place whole: a writer that dies leaves a part of another name."""
    monkeypatch.setattr(build, "CACHE", tmp_path)
    monkeypatch.setattr(Path, "replace", lambda self, target: (_ for _ in ()).throw(OSError("disk full")))
    assert build.module("x = 1\n").x == 1
    assert not [*tmp_path.rglob("program_*.txt")]


@pytest.mark.parametrize("left", ["", "x =", "x = 2\n"])
def test_a_torn_program_is_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: str) -> None:
    monkeypatch.setattr(build, "CACHE", tmp_path)
    build.module("x = 1\n")
    [path] = tmp_path.rglob("program_*.txt")
    path.write_text(left, encoding="utf-8")
    assert build.module("x = 1\n").x == 1
    assert path.read_text(encoding="utf-8") == "x = 1\n"
