"""`import throughtime as tt`: every public name is there, loads on first use, and loads no more than it needs."""

from __future__ import annotations

import ast
import builtins
import math
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import throughtime as tt

STUB = Path(tt.__file__).with_suffix(".pyi")


@pytest.mark.parametrize(
    ("package", "beside"),
    [("checks", {"BlockError", "GradientCheck"}), ("learning", {"norm"}), ("reading", set()), ("textbook", set())],
)
def test_the_front_door_lists_the_names_of_its_packages(package: str, beside: set[str]) -> None:
    """But for those that only types and other packages need."""
    assert {*tt.ON_DEMAND[package].split()} | beside == {*import_module(f"throughtime.{package}").__all__}


def test_every_name_is_the_object_of_its_package() -> None:
    for name in tt.__all__:
        value = getattr(tt, name)
        owners = [import_module(f"throughtime.{package}") for package in tt.ON_DEMAND]
        assert name in tt.PACKAGES or any(getattr(owner, name, None) is value for owner in owners)


def test_no_name_belongs_to_two_packages() -> None:
    assert len(set(tt.__all__)) == len(tt.__all__)


def test_dir_lists_all_names() -> None:
    assert {*tt.__all__, *tt.TAKEN, "__version__"} == set(dir(tt))


def test_a_star_import_hides_no_builtin_and_nothing_of_the_standard_library() -> None:
    assert {*dir(builtins), *sys.stdlib_module_names, *dir(math)}.isdisjoint(tt.__all__)
    assert all(map(callable, map(tt.__getattr__, tt.TAKEN)))


@pytest.mark.parametrize("name", ["LSMT1997", "_private", "Key_"])
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
        getattr(tt, name)


def test_the_stub_names_the_same_as_the_module() -> None:
    imports = [node for node in ast.parse(STUB.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)]
    named = [(node.module, alias.name, alias.asname) for node in imports for alias in node.names]
    packages = [("throughtime", package, package) for package in tt.PACKAGES]
    names = [(f"throughtime.{room}", name, name) for room, names in tt.ON_DEMAND.items() for name in names.split()]
    assert sorted(named) == sorted(packages + names)


@pytest.mark.parametrize(
    ("use", "absent"),
    [
        ("pass", {"sympy", "numpy", "numba", "matplotlib"}),
        ("tt.System", {"numpy", "numba", "matplotlib"}),
        ("tt.show", {"numpy", "numba", "matplotlib"}),
        ("tt.read", {"numpy", "numba", "matplotlib"}),
        ("tt.LFMN", {"sympy", "matplotlib"}),
        ("tt.IRpropMinus", {"sympy", "matplotlib"}),
        ("tt.complex_step", {"sympy", "matplotlib"}),
    ],
)
def test_a_name_loads_what_it_needs_alone(use: str, absent: set[str]) -> None:
    script = f"import sys, throughtime as tt; {use}; print(*{absent!r} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_the_first_program_of_the_readme_prints_what_stands_below_it(capsys: pytest.CaptureFixture) -> None:
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    [(program, printed)] = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.S)
    names: dict[str, object] = {}
    exec(program, names)
    assert capsys.readouterr().out == printed
    gru = names["gru"]
    [formula, slope] = re.findall(r'`(?:gru\.judge\(")?(d[^`"]* = [^`"]*)(?:"\))?`', text)
    assert [gru.judge(one).verdict for one in (formula, slope)] == ["holds", "holds"]
    [call, method] = re.findall(r'`gru\.(compile\(3\))`.*?`source\("(\w+)"\)`', text, re.S)[0]
    assert f"def {method}" in eval(f"gru.{call}", {"gru": gru}).source(method)
