"""No value, one of another problem, or another value: each is a failure, and each comparison finds a wrong array."""

import json
import re
import types
from pathlib import Path

import numpy as np
import pytest
from kept_values import FRAMEWORKS, HERE, File, Oracles, described, differences, mode, numbers, sketch
from throughtime.checks import relative_error

FILES = sorted(path.stem for path in (HERE / "kept").glob("*.jsonl"))
ARRAY = np.random.default_rng(0).normal(size=(9, 5))
MODULE = """import numpy as np


def products(a, b):
    return {"outer": np.outer(a, b), "inner": a @ b}
"""
GIVEN = np.arange(3.0), np.arange(1.0, 4.0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A transcription whose values for GIVEN are recorded."""
    (tmp_path / "transcriptions").mkdir()
    (tmp_path / "transcriptions" / "small_numpy.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.setitem(FRAMEWORKS, "numpy", ("numpy",))
    module = {}
    exec(MODULE, module)
    monkeypatch.setattr("kept_values.importlib.import_module", lambda name: types.SimpleNamespace(**module))
    recording = Oracles("record", tmp_path)
    recording.values("small_numpy.products", GIVEN)
    recording.write()
    return tmp_path


def test_kept_values_are_those_of_the_transcription(folder: Path) -> None:
    for how in ("kept", "live"):
        found = Oracles(how, folder).values("small_numpy.products", GIVEN)
        assert found.error("outer", np.outer(*GIVEN)) <= 1e-15
        assert found["inner"] == 8.0
        assert found.left() == []
        assert found.error("outer", np.outer(*GIVEN[::-1])) > 0.1
        with pytest.raises(ValueError, match=re.escape("outer: expected the shape")):
            found.error("outer", np.zeros(9))
    kept = Oracles("kept", folder).values("small_numpy.products", GIVEN)
    with pytest.raises(ValueError, match="expected all entries"):
        kept["outer"]
    with pytest.raises(KeyError):
        kept.error("other", 1.0)
    assert Oracles("kept", folder).values("small_numpy.products", GIVEN).left() == ["inner", "outer"]


@pytest.mark.parametrize("how", ["kept", "live"])
def test_a_value_that_is_missing_or_of_another_problem_is_refused(how: str, folder: Path) -> None:
    for given in [(GIVEN[0], GIVEN[1] + 1e-8), GIVEN[::-1], (GIVEN[0][None], GIVEN[1])]:
        with pytest.raises(LookupError, match=re.escape("no value of small_numpy.products is kept")):
            Oracles(how, folder).values("small_numpy.products", given)
    with (folder / "transcriptions" / "small_numpy.py").open("a", encoding="utf-8") as file:
        file.write("# more\n")
    with pytest.raises(ValueError, match="values are kept for transcription"):
        Oracles(how, folder).values("small_numpy.products", GIVEN)
    (folder / "kept" / "small_numpy.jsonl").unlink()
    with pytest.raises(LookupError, match="no values of small_numpy are kept"):
        Oracles(how, folder).values("small_numpy.products", GIVEN)


def test_a_live_run_sees_another_value(folder: Path) -> None:
    path = folder / "kept" / "small_numpy.jsonl"
    header, line = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    line["values"]["inner"][1][0] += 1e-9
    path.write_text(f"{json.dumps(header)}\n{json.dumps(line)}\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=re.escape("gives other values than are kept: ['inner']")):
        Oracles("live", folder).values("small_numpy.products", GIVEN)


def test_every_difference_of_values_is_named() -> None:
    kept = {"a": numbers(ARRAY, whole=False), "b": numbers(ARRAY[0], whole=True)}
    same = {"a": ARRAY * (1 + 1e-15), "b": ARRAY[0]}
    assert list(differences(kept, same)) == []
    for other in ({"a": ARRAY.T}, {"a": ARRAY * (1 + 1e-9)}, {"b": ARRAY[0] * np.nan}):
        assert list(differences(kept, same | other)) == list(other)
    assert list(differences(kept, {"a": ARRAY, "c": ARRAY})) == ["b", "c"]


def test_projections_measure_an_error_of_any_single_entry() -> None:
    """On the average as large as it is; none of the entries can be wrong unseen."""
    ratios = []
    for n in range(ARRAY.size):
        wrong = ARRAY.copy()
        wrong.flat[n] += 1e-6
        ratios.append(relative_error(sketch(wrong), sketch(ARRAY)) / relative_error(wrong, ARRAY))
    assert min(ratios) > 0.1
    assert 0.5 < np.mean(ratios) < 2.0


def test_arguments_are_told_apart() -> None:
    different = [ARRAY, ARRAY.T, ARRAY * (1 + 1e-8), [ARRAY], {"a": ARRAY}, {"b": ARRAY}, "a", "b", 1, True, None]
    assert len(set(map(described, different))) == len(different)
    assert described(ARRAY) == described(ARRAY * (1 + 1e-15))  # the last digits vary with the processor


def test_an_unknown_word_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORACLES", "recorded")
    with pytest.raises(ValueError, match="ORACLES: expected one of"):
        mode()


# ---- the files


def test_every_transcription_has_its_values() -> None:
    assert sorted(path.stem for path in (HERE / "transcriptions").glob("*.py")) == FILES


@pytest.mark.parametrize("name", FILES)
def test_values_are_of_the_pinned_versions(name: str) -> None:
    """So that a new version of a framework goes with values made by it."""
    pins = dict(re.findall(r"^(\w+)==(\S+)$", (HERE / "requirements.txt").read_text(encoding="utf-8"), re.M))
    versions = File(name).lines[0]["versions"]
    needed = FRAMEWORKS[name.rsplit("_", 1)[1]]
    assert {package: versions[package] for package in needed} == {package: pins[package] for package in needed}
