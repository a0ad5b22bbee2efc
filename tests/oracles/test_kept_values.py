"""No value, one of another problem, or another value: each is a failure, and each comparison finds a wrong array."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from kept_values import HERE, Oracles, described, differences, mode

ARRAY = np.random.default_rng(0).normal(size=(9, 5))
GIVEN = np.arange(3.0), np.arange(1.0, 4.0)


def products(a: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
    return {"outer": np.outer(a, b), "inner": a @ b}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A transcription whose values for GIVEN are recorded."""
    (tmp_path / "transcriptions").mkdir()
    (tmp_path / "transcriptions" / "small.py").touch()
    monkeypatch.setattr("kept_values.version", lambda name: "1")
    monkeypatch.setitem(sys.modules, "transcriptions.small", SimpleNamespace(products=products))
    recording = Oracles("record", tmp_path)
    recording.values("small.products", GIVEN)
    recording.write()
    return tmp_path


def test_kept_values_are_those_of_the_transcription(folder: Path) -> None:
    for how in ("kept", "live"):
        found = Oracles(how, folder).values("small.products", GIVEN)
        assert found.error("outer", np.outer(*GIVEN)) <= 1e-15
        assert found.left == {"inner"}
        assert found["inner"] == 8.0
        assert not found.left
        assert found.error("outer", np.outer(*GIVEN[::-1])) > 0.1
        with pytest.raises(ValueError, match="expected shape"):
            found.error("outer", np.zeros(9))


@pytest.mark.parametrize("how", ["kept", "live"])
def test_a_value_that_is_missing_or_of_another_problem_is_refused(how: str, folder: Path) -> None:
    for given in [(GIVEN[0], GIVEN[1] + 1e-8), GIVEN[::-1], (GIVEN[0][None], GIVEN[1])]:
        with pytest.raises(LookupError, match=r"no value of small\.products .* is kept"):
            Oracles(how, folder).values("small.products", given)
    (folder / "transcriptions" / "small.py").write_text("# more\n", encoding="utf-8")
    with pytest.raises(LookupError, match=r"no value of small\.products .* is kept"):
        Oracles(how, folder).values("small.products", GIVEN)


def test_a_live_run_sees_another_value(folder: Path) -> None:
    path = folder / "kept.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("8.0", "8.000000001"), encoding="utf-8")
    with pytest.raises(AssertionError, match=re.escape("gives other values than are kept: ['inner']")):
        Oracles("live", folder).values("small.products", GIVEN)


def test_every_difference_of_values_is_named() -> None:
    kept = {"a": ARRAY, "b": np.array([np.nan, 1.0])}
    same = kept | {"a": ARRAY * (1 + 1e-15)}
    assert list(differences(kept, same)) == []
    for other in ({"a": ARRAY.T}, {"a": ARRAY * (1 + 1e-9)}):
        assert list(differences(kept, same | other)) == ["a"]
    assert list(differences(kept, {"a": ARRAY, "c": ARRAY})) == ["b", "c"]


def test_arguments_are_told_apart() -> None:
    different = [ARRAY, ARRAY.T, ARRAY * (1 + 1e-8), [ARRAY], {"a": ARRAY}, {"b": ARRAY}, "a", "b", 1, True, None]
    assert len(set(map(described, different))) == len(different)
    assert described(ARRAY) == described(ARRAY * (1 + 1e-15))  # the last digits vary with the processor


def test_an_unknown_word_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORACLES", "recorded")
    with pytest.raises(ValueError, match="ORACLES: expected one of"):
        mode()


def test_values_are_of_the_pinned_version() -> None:
    """So that a new version of PyTorch goes with values made by it."""
    pins = (HERE / "requirements.txt").read_text(encoding="utf-8")
    assert f"\ntorch=={Oracles('kept').lines[0]['torch']}\n" in pins
