"""Formulas as LaTeX in forms that no page of the book shows: what pages show is compared with a fresh run there."""

import pytest
import throughtime as tt
from sympy import Integer, Mul, Piecewise, Rational, Symbol
from throughtime.derivation.formulas.nodes import Activation, Constant, Modulus, Paths, parameter, time, variable
from throughtime.derivation.printing.plain import plain_latex

A = tt.domain("styled A", tt.Dimension("n"))  # own name: quantities print in order of creation
i, j, k, l = (tt.Index(letter, A) for letter in "ijkl")
star = tt.Index("i*", A, r"i^{\star}")
t, r, q, x = time("t"), time("r"), tt.lag("q"), Symbol("x", real=True)
w, u, v = parameter("w", A, A, latex=r"w^{\mathrm{rec}}"), parameter("u", A), variable("v")
g, largest = Activation("g", A, latex=r"\gamma"), Constant("M", Rational(1, 4), r"f'_{\max}")

EXPECTED = {
    "times": (v[t - q - 1] * v[t + 1], r"v(t + 1)\,v(t - q - 1)"),
    "quotient without brackets": (u[i] / (u[i] + u[j]), r"\frac{u_{i}}{u_{i} + u_{j}}"),
    "modulus and constant": (Modulus(v[t]) * largest, r"f'_{\max}\,\left|v(t)\right|"),
    "half of a sum": (Mul(Rational(1, 2), u[i] + v[t], evaluate=False), r"\frac{1}{2}\,(u_{i} + v(t))"),
    "power of a name without superscript": (u[i] ** 2, "{u_{i}}^{2}"),
    "superscript of the index": (g.prime(u[star], star), r"\gamma_{i^{\star}}'\left(u_{i^{\star}}\right)"),
    "negative fraction": (Rational(-1, 3), r"-\frac{1}{3}"),
}


@pytest.mark.parametrize(("formula", "latex"), EXPECTED.values(), ids=EXPECTED)
def test_latex(formula, latex) -> None:
    assert tt.to_latex(formula) == latex


@pytest.mark.parametrize(
    ("links", "units"),
    [
        (1, ""),
        (2, r"\sum_{l_{1}=1}^{n} "),
        (3, r"\sum_{l_{1}=1}^{n} \cdots \sum_{l_{2}=1}^{n} "),
        (q, r"\sum_{l_{1}=1}^{n} \cdots \sum_{l_{q - 1}=1}^{n} "),
    ],
)
def test_paths_sum_over_the_units_between_their_ends_and_no_others(links, units: str) -> None:
    latex = tt.to_latex(Paths(w[j, i], i, j, r, k, l, Integer(links) if isinstance(links, int) else links))
    assert latex.startswith(rf"\Bigl[ {units}\prod_{{r=1}}^{{{links}}} w^{{\mathrm{{rec}}}}_{{j i}}")


def test_fractions_in_cases_have_room_between_their_lines() -> None:
    assert r"\\[6pt] - \dfrac{x}{3}" in plain_latex(Piecewise((x / 2, x > 0), (-x / 3, True)))
    assert r"\\[" not in plain_latex(Piecewise((1, x > 0), (0, True)))
