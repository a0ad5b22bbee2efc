"""Derivations that lie on disk: found again by their content, by nothing else, and never when they are torn."""

from collections.abc import Callable
from pathlib import Path

import compiled
import numpy as np
import pytest
import throughtime as tt
from throughtime.derivation import cut
from throughtime.derivation.formulas.functions import Elementary
from throughtime.programs import CompiledNetwork, build, kept
from throughtime.programs.plan import Plan

n = tt.Dimension("n")
U = tt.domain("U", n)
i, t, s = tt.indices("i", U), tt.time("t"), tt.time("s")
f = tt.Activation("f")


def system(
    slope: int = 1, lag: int = 1, start: int = 0, name: str = "small", names: str = "whx", function: tt.Activation = f
) -> tuple[tt.System, tt.Quantity]:
    """h(t) = f(slope w h(t - lag) + x(t)) from h = start, and the loss sum of h^2."""
    w, h, x = tt.parameter(names[0], U), tt.variable(names[1], U), tt.sequence(names[2], U)
    made, loss = tt.System(name, t), tt.scalar("L")
    made[h[i, t]] = function(slope * w[i] * h[i, t - lag] + x[i, t])
    made[loss[()]] = tt.sum_over((s, 1, tt.LENGTH), i, h[i, s] ** 2)
    if start:
        made.initial(h, start)
    return made, loss


def net(size: int = 2, held: bool = False, **how) -> CompiledNetwork:
    made, loss = system(**how)
    h = made.all_definitions()[0].left.quantity
    cuts = {"cut": [cut(h[i, t - 1], into=h)]} if held else {}
    return tt.compile(made, loss, {n: size}, activations={"f": "tanh"}, cuts=cuts)


def texts(model: CompiledNetwork) -> list[str]:
    return [model.source(method) for method in model.METHODS]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(build, "CACHE", tmp_path)
    return tmp_path


@pytest.fixture
def derived(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The methods that were derived."""
    found: list[str] = []
    derive = CompiledNetwork._derived

    def counted(self, method: str, plain: bool):
        found.append(method)
        return derive(self, method, plain)

    monkeypatch.setattr(CompiledNetwork, "_derived", counted)
    return found


def test_what_was_derived_is_not_derived_again(derived: list[str]) -> None:
    first = net(held=True)
    expected = texts(first)
    assert derived == ["bptt", "rtrl", "cut"]
    again = net(held=True)
    assert texts(again) == expected
    assert derived == ["bptt", "rtrl", "cut"]
    theta, x = again.init(1, 0.5), np.random.default_rng(2).normal(size=(4, 2))
    for method in again.METHODS:
        ours, theirs = (one.gradient(theta, x, np.zeros((4, 0)), method=method) for one in (again, first))
        assert (ours.gradient == theirs.gradient).all()


def test_quantities_may_be_made_in_another_order(derived: list[str]) -> None:
    """The order of terms goes by what was made first, in a print; what is kept does not."""
    expected = texts(net())
    tt.sequence("x", U)
    assert texts(net()) == expected
    assert derived == ["bptt", "rtrl"]


@pytest.mark.parametrize(
    "change",
    [
        {"slope": 2},
        {"lag": 2},
        {"start": 1},
        {"size": 3},
        {"name": "other"},
        {"names": "uhx"},
        {"names": "wax"},
        {"names": "why"},
    ],
)
def test_another_system_is_not_served_the_old_program(derived: list[str], change: dict) -> None:
    old, new = texts(net()), texts(net(**change))
    assert derived == ["bptt", "rtrl"] * 2
    assert old[0] != new[0]
    derived.clear()
    assert texts(net(**change)) == new
    assert derived == []


def test_cuts_and_rules_of_functions_are_content() -> None:
    square, cube = (Elementary("g", lambda value, z, power=power: z**power, "g") for power in (2, 3))
    plans = [Plan(*system(function=one), {n: 2}) for one in (square, cube, f, tt.Activation("g"))]
    made, loss = system()
    h = made.all_definitions()[0].left.quantity
    plans.append(Plan(made, loss, {n: 2}, [cut(h[i, t - 1], into=h)]))
    assert len({kept.content(plan) for plan in plans}) == len(plans)


def test_other_code_is_served_nothing(derived: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    texts(net())
    for name in ("derivation", "programs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(name, encoding="utf-8")
    monkeypatch.setattr(kept, "SOURCES", tmp_path)
    kept.versions.cache_clear()
    try:
        texts(net())
        before = kept.versions()
        kept.versions.cache_clear()
        (tmp_path / "programs" / "a.py").write_text("changed", encoding="utf-8")
        assert kept.versions() != before
    finally:
        kept.versions.cache_clear()
    assert derived == ["bptt", "rtrl"] * 2


TORN: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda text: b"",
    "half": lambda text: text[: len(text) // 2],
    "without its end": lambda text: text[:-1],
    "another digit": lambda text: text.replace(b"2", b"3"),
    "no text": lambda text: b"\xff" + text,
}


@pytest.mark.parametrize("how", TORN)
def test_a_torn_file_is_derived_anew(derived: list[str], folder: Path, how: str) -> None:
    expected = texts(net())
    for path in folder.rglob("derived_*.txt"):
        whole = path.read_bytes()
        path.write_bytes(TORN[how](whole))
        assert path.read_bytes() != whole
    assert texts(net()) == expected
    assert texts(net()) == expected
    assert derived == ["bptt", "rtrl"] * 2


@pytest.mark.parametrize("change", [("CACHE", None), ("write", lambda path, text: False)])
def test_where_nothing_can_be_kept_all_is_derived(
    derived: list[str], monkeypatch: pytest.MonkeyPatch, change: tuple
) -> None:
    monkeypatch.setattr(build, *change)
    assert texts(net()) == texts(net())
    assert derived == ["bptt", "rtrl"] * 2


def test_contents_are_the_same_in_any_process_and_differ_between_networks() -> None:
    plans = [make().plan for make in (compiled.lfmn, compiled.recurrent, compiled.lstm1997, compiled.peephole, net)]
    contents = [kept.content(plan) for plan in plans]
    assert len(set(contents)) == len(plans)
    assert not any(" at 0x" in one for one in contents)
