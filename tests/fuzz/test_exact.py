"""The evaluator that certifies falsehoods: its numbers, its places, and that it knows nothing of the engine."""

import ast
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from fuzzing import exact
from fuzzing.exact import Instance, Undefined, Unreadable, instances, refuted
from fuzzing.language import LENGTH, ONE, ZERO, Formula, num, ref, summed, tsummed, when
from fuzzing.recurrences import Definition, Quantity, Recurrence

FOLDER = Path(exact.__file__).parent
I, K = ("i", "U"), ("k", "U")
H = ref("h", (I,), when())
NET_INPUT = ref("b", (I,)) + ref("r", (I,)) * summed(K, ref("h", (K,), when("t", -1)))
# h_i(t) = f(r_i sum_k h_k(t-1) + b_i) over two parts, L = sum of all h squared
NET = Recurrence(
    leaves={"A": "n", "B": "m"}, unions={"U": ("A", "B")}, functions={"f": ()}, names={"n": "n", "m": "m"},
    quantities={"h": Quantity("state", ("U",)), "r": Quantity("parameter", ("U",)), "b": Quantity("parameter", ("U",)),
                "x": Quantity("input", (), 0), "L": Quantity("once")},
    definitions=(
        Definition("h", (I,), Formula("fun", "f", 0, NET_INPUT, ())),
        Definition("L", (), tsummed("s", when(None, 1), when(LENGTH), summed(K, ref('h', (K,), when('s')) ** 2))),
    ),
    initial={"h": Fraction(1, 2)},
)  # fmt: skip
SMALL = Instance(NET, {"n": 1, "m": 2}, 2, seed=4)


def imported(path: Path) -> set[str]:
    """The modules that a file imports."""
    found = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    names = [[node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
             for node in found if isinstance(node, ast.Import | ast.ImportFrom)]  # fmt: skip
    return {name for several in names for name in several}


def reached(name: str) -> set[str]:
    """All modules that one of the generator's modules imports, directly or not."""
    todo, found = [name], set()
    while todo:
        for new in imported(FOLDER / f"{todo.pop()}.py") - found:
            found.add(new)
            if new.startswith("fuzzing."):
                todo.append(new.removeprefix("fuzzing."))
    return found


def test_the_evaluator_imports_nothing_of_the_engine() -> None:
    for module in ("exact", "equations", "slips", "reach", "rewriting"):
        foreign = {name for name in reached(module) if name.split(".")[0] not in (*sys.stdlib_module_names, "fuzzing")}
        assert foreign == set()
        assert "fuzzing.engine" not in reached(module)


def value(formula: tuple, **env: int) -> object:
    return SMALL.value(formula, {(name, "U") if name in "ikp" else name: number for name, number in env.items()})


def test_a_state_is_computed_from_its_definition() -> None:
    b, r = (SMALL.number((name, (2,), None)) for name in "br")
    assert value(H, i=2, t=0) == Fraction(1, 2)
    assert value(H, i=2, t=1) == SMALL.number((0, "f", (), b + r * Fraction(3, 2)), 60)
    assert value(ref("L")) == sum(value(H, i=i, t=t) ** 2 for i in (1, 2, 3) for t in (1, 2))


def test_a_cut_of_one_part_holds_the_units_of_that_part_only() -> None:
    p = ("p", "U")
    d = Formula("d", H, ref("h", (p,), when("t", -1)))
    whole, in_a, total = ((("h", "U", 1, "h"),), (("h", "A", 1, "h"),), ())
    env = {"i": 1, "t": 2}
    assert [value((*d, whole), p=p, **env) for p in (1, 2)] == [0, 0]
    assert [value((*d, in_a), p=p, **env) == value((*d, total), p=p, **env) for p in (1, 2)] == [False, True]


def test_an_initial_state_is_a_constant_also_for_immediate_derivatives() -> None:
    slope = Formula("partial", ref("h", (I,), when("t", -1)), ref("b", (I,)))
    assert value(slope, i=1, t=1) == 0 != value(slope, i=1, t=2)


def test_a_learnt_start_has_the_derivative_1_by_its_own_parameter() -> None:
    net = NET._replace(initial={"h": "z"}, quantities={**NET.quantities, "z": Quantity("parameter", ("U",))})
    one = Instance(net, {"n": 1, "m": 2}, 2, seed=4)
    p = ("p", "U")

    def slope(state: tuple, time: int, unit: int, cuts: tuple = (), kind: str = "d") -> int:
        return one.value((kind, state, ref("z", (p,)), cuts)[: 4 if kind == "d" else 3], {I: unit, p: 1, "t": time})

    before = ref("h", (I,), when("t", -1))
    assert one.value(before, {I: 2, "t": 1}) == one.value(ref("z", (I,)), {I: 2}) != 0
    for kind in ("d", "partial"):
        assert [slope(before, 1, unit, kind=kind) for unit in (1, 2)] == [1, 0]
    net_input = one.value(NET_INPUT, {I: 2, "t": 1})
    assert slope(H, 1, 2) == one.number((1, "f", (), net_input), 60) * one.value(ref("r", (I,)), {I: 2})
    assert slope(H, 1, 2, (("h", "U", 1, "h"),)) == 0


def test_the_root_of_0_is_0_and_has_no_slope() -> None:
    assert SMALL.slope(0, ("sqrt", (), 0)) == 0 != SMALL.slope(0, ("sqrt", (), 4))
    with pytest.raises(Unreadable, match="the slope of sqrt at 0"):
        SMALL.slope(1, ("sqrt", (), 0))


def test_what_lies_outside_the_sequence_is_not_read() -> None:
    assert value(ref("x", (), when()), t=0) != 0
    for formula in (ref("x", (), when()), H, Formula("d", H, ref("h", (I,), when("t", -2)), ()), ZERO**-1):
        with pytest.raises(Unreadable):
            value(formula, i=1, t=2 if formula[0] != "ref" or formula[1] == "x" else 3)
    assert value(Formula("d", ref("L"), ref("h", (I,), when(LENGTH, 1)), ()), i=1) == 0


def test_what_a_recurrence_does_not_have_is_no_number() -> None:
    with pytest.raises(Undefined):
        value(ref("h?", (I,), when()), i=1, t=1)


def test_two_sides_that_differ_late_are_refuted() -> None:
    late = tsummed("s", when(None, 5), when(), ONE)  # empty for t < 5
    found = list(instances(NET))
    assert refuted(found, H, H) is None
    assert (refuted(found, H, H + late) or (None,) * 4)[3]["t"] == 5
    assert refuted(found, -H, num(-1) * H) is None
