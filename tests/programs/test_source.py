"""Programs as text: they run by themselves, are the same in every process, and exist in three languages."""

import os
import subprocess
import sys
from collections.abc import Callable

import cells
import compiled
import numpy as np
import pytest
import throughtime as tt
from throughtime.programs import build
from throughtime.programs.javascript import javascript
from throughtime.programs.text import FORMULAS, whole


@pytest.fixture(scope="module")
def net() -> tt.CompiledNetwork:
    return tt.compile(cells.gru_before(), cells.loss, {cells.n: 3, cells.m: 2}, activations={"f": "tanh"})


def test_the_text_runs_by_itself(net: tt.CompiledNetwork) -> None:
    random = np.random.default_rng(0)
    theta, x, d = net.init(random, 0.8), random.normal(size=(4, 2)), random.normal(size=(4, 3))
    for method in net.METHODS:
        program: dict = {}
        exec(net.source(method), program)
        loss, *gradient = program["gradient"](x, d, *net.unpack(theta))
        found = net.gradient(theta, x, d, method=method)
        assert loss == found.loss
        np.testing.assert_array_equal(net.pack(gradient), found.gradient)


def test_every_equation_has_a_comment(net: tt.CompiledNetwork) -> None:
    said = [line.strip() for line in net.source("bptt").splitlines() if line.strip().startswith("# ")]
    assert "# az[i](t) = sum[j=1..m] Wz[i,j]*x[j](t) + sum[k=1..n] Uz[i,k]*h[k](t-1) + bz[i]" in said
    assert "# dL/dUz[p,q] += sum[t=1..T] h[q](t-1)*dL/daz[p](t)" in said
    assert len(said) == 4 + 1 + 5 + 9  # states, loss, adjoints (that of h in two parts), weights


PRINT = """
import cells, hashlib, throughtime as tt
net = tt.compile(cells.slstm(), cells.loss, {cells.n: 3, cells.m: 2}, activations={"f": "tanh"})
print(hashlib.sha256("".join(net.source(method) for method in net.METHODS).encode()).hexdigest())
"""


def test_the_text_is_the_same_in_every_process() -> None:
    """Else a program that lies compiled on disk would not be found again."""
    found = set()
    for seed in ("1", "2"):
        env = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run([sys.executable, "-c", PRINT], env=env, capture_output=True, text=True, check=True)
        found.add(done.stdout)
    assert len(found) == 1


def test_javascript_has_the_statements_of_python(net: tt.CompiledNetwork) -> None:
    python, script = net.source("bptt"), net.source("bptt", "javascript")
    assert script.startswith("// GRU, reset before: bptt.\nconst n = 3;\nconst m = 2;\n")
    assert "    dL_dUz[p][q] += h[t - 1][q] * dL_daz[t][p];" in script
    assert "for (let back = 0; back < T; back++) {\n    let t = T - back;" in script
    said = [line.replace("//", "#").strip() for line in script.splitlines() if "sum[" in line]
    assert len(said) == 6
    assert {*said} <= {line.strip() for line in python.splitlines()}


@pytest.mark.parametrize("make", [compiled.lfmn, compiled.recurrent, compiled.lstm1997, compiled.peephole])
def test_every_program_can_be_said_in_javascript(make: Callable[[], tt.CompiledNetwork]) -> None:
    """The oracles run them; whether the translator knows each statement is seen without an engine."""
    made = make()
    for method in made.METHODS:
        assert "function gradient(" in made.source(method, "javascript")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(a + b) * c", "(a + b) * c"),
        ("a - (b - c)", "a - (b - c)"),
        ("a / (b * c)", "a / (b * c)"),
        ("a * b / c", "a * b / c"),
        ("(-a) ** 2", "(-a) ** 2"),
        ("a - -b", "a - -b"),
        ("-(a + b)", "-(a + b)"),
        ("(a ** 2) ** 3", "(a ** 2) ** 3"),
        ("x[()] if a < b and b <= 2 else abs(z.real)", "(a < b && b <= 2 ? x[0] : Math.abs(z))"),
    ],
)
def test_operations_keep_their_order(text: str, wanted: str) -> None:
    assert f"  y = {wanted};" in javascript(f'"""Doc."""\n\ndef f(a, b, c, x, y, z):\n    y = {text}\n')


@pytest.mark.parametrize("text", ["lambda a: a", "[a for a in b]", "a % b", "a @ b"])
def test_what_no_program_has_is_refused(text: str) -> None:
    with pytest.raises((TypeError, KeyError)):
        javascript(f'"""Doc."""\n\ndef f(a, b):\n    return {text}\n')


def test_unknown_languages_and_methods_are_refused(net: tt.CompiledNetwork) -> None:
    with pytest.raises(ValueError, match=r"language: expected .*'javascript'.* got 'fortran'"):
        net.source("bptt", "fortran")
    with pytest.raises(ValueError, match=r"method: expected .* got 'snap'"):
        net.source("snap")


@pytest.mark.parametrize("name", FORMULAS)
def test_a_slope_is_the_complex_step_of_its_function(name: str) -> None:
    both = "def both(z):\n    return f(z), f_prime(z)"
    made = build.module(whole("", ["import numpy as np"], {"f": name}, [both]), compiled=False)
    for z in (0.3, 1.7) if name in ("log", "sqrt") else (-1.7, 0.3):
        value, slope = made.both(z)
        stepped = made.f(z + 1e-20j)
        assert stepped.real == pytest.approx(value, rel=1e-15)
        assert stepped.imag / 1e-20 == pytest.approx(slope, rel=1e-13)
