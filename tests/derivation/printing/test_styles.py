"""Formulas as LaTeX, and the differences to plain text."""

import pytest
from sympy import Integer, Mul, Piecewise, Rational, Symbol, log
from throughtime.derivation.deriving.forward import cut
from throughtime.derivation.deriving.induction import lag
from throughtime.derivation.formulas.domains import Dimension, Index, domain
from throughtime.derivation.formulas.nodes import (
    Activation,
    Constant,
    Delta,
    Modulus,
    Paths,
    Truncated,
    d,
    parameter,
    partial,
    product_over,
    scalar,
    sum_over,
    time,
    variable,
)
from throughtime.derivation.printing.plain import plain_latex
from throughtime.derivation.printing.printer import Latex, Text, to_latex, to_text

n, m = Dimension("n"), Dimension("m", r"n_{\mathrm{out}}")
A = domain("styled A", n)  # own name: quantities print in order of creation
B = domain("B", m, after=A)
i, j, b = Index("i", A), Index("j", A), Index("b", B, r"\beta")
t, s, r, q = time("t"), time("s"), time("r"), lag("q")
w, u, beside = parameter("w", A, A, latex=r"w^{\mathrm{rec}}"), parameter("u", A), parameter("o", B)
z, v, loss = variable("z", A, latex=r"\tilde z"), variable("v"), scalar("loss", r"\mathcal{L}")
cost = scalar("cost", r"\mathrm{cost}")
f, g = Activation("f"), Activation("g", A, latex=r"\gamma")
M = Constant("M", Rational(1, 4), r"f'_{\max}")

EXPECTED = {
    "weights and activities": (z[j, t - 1] * w[i, j], r"w^{\mathrm{rec}}_{i j}\,\tilde z_{j}(t - 1)"),
    "times": (v[t - q - 1] * v[t + 1], r"v(t + 1)\,v(t - q - 1)"),
    "range behind another": (
        sum_over(b, beside[b]),
        r"\sum_{\beta=n + 1}^{n + n_{\mathrm{out}}} o_{\beta}",
    ),
    "product over lags": (product_over((s, 1, q), v[t - s]), r"\prod_{s=1}^{q} v(t - s)"),
    "quotient without brackets": (u[i] / (u[i] + u[j]), r"\frac{u_{i}}{u_{i} + u_{j}}"),
    "sum above": ((u[i] + u[j]) / u[i], r"\frac{u_{i} + u_{j}}{u_{i}}"),
    "half": (u[i] / 2, r"\frac{1}{2}\,u_{i}"),
    "brackets around something tall": (
        sum_over(j, u[j]) * u[i],
        r"\left(\sum_{j=1}^{n} u_{j}\right)\,u_{i}",
    ),
    "low brackets": (2 * u[i] + 4 * u[j], r"2\,(u_{i} + 2\,u_{j})"),
    "slope": (g.prime(z[i, t], i), r"\gamma_{i}'\left(\tilde z_{i}(t)\right)"),
    "power": (u[i] ** (q + 1), r"{u_{i}}^{q + 1}"),
    "modulus and constant": (Modulus(v[t]) * M, r"f'_{\max}\,\left|v(t)\right|"),
    "delta": (Delta(i, j) * v[t], r"\delta_{i j}\,v(t)"),
    "total": (d(z[i, t], u[j]), r"\frac{\mathrm{d} \tilde z_{i}(t)}{\mathrm{d} u_{j}}"),
    "total of a roman name": (d(cost[()], u[j]), r"\frac{\mathrm{d}\,\mathrm{cost}}{\mathrm{d} u_{j}}"),
    "total of a formula": (
        d(loss[()] * u[j], u[j]),
        r"\frac{\mathrm{d} \left(u_{j}\,\mathcal{L}\right)}{\mathrm{d} u_{j}}",
    ),
    "immediate": (partial(z[i, t], u[j]), r"\frac{\partial  \tilde z_{i}(t)}{\partial  u_{j}}"),
}
TRUNCATED = Truncated(z[i, t], u[j], cut(z[i, t - 1], into=z))


@pytest.mark.parametrize("name", EXPECTED)
def test_latex(name) -> None:
    formula, latex = EXPECTED[name]
    assert to_latex(formula) == latex


def test_sources_write_every_derivative_with_one_sign() -> None:
    printed = {to_latex(kind, as_printed=True) for kind in (d(z[i, t], u[j]), partial(z[i, t], u[j]), TRUNCATED)}
    assert printed == {r"\frac{\partial  \tilde z_{i}(t)}{\partial  u_{j}}"}


def test_the_book_tells_the_three_derivatives_apart() -> None:
    assert len({to_latex(kind) for kind in (d(z[i, t], u[j]), partial(z[i, t], u[j]), TRUNCATED)}) == 3
    assert to_latex(TRUNCATED) == r"\frac{\mathrm{d}_{\mathrm{tr}} \tilde z_{i}(t)}{\mathrm{d} u_{j}}"


def test_formula_without_derivatives_has_no_sign_to_change() -> None:
    formula = EXPECTED["quotient without brackets"][0]
    assert to_latex(formula, as_printed=True) == to_latex(formula)


def test_paths_show_the_letters_between_their_ends() -> None:
    latex = to_latex(Paths(w[j, i], i, j, r, Index("k", A), Index("l", A), q))
    assert latex == (
        r"\Bigl[ \sum_{l_{1}=1}^{n} \cdots \sum_{l_{q - 1}=1}^{n} \prod_{r=1}^{q} w^{\mathrm{rec}}_{j i}"
        r" \Bigr]_{l_{0} = k,\; l_{q} = l}"
    )


def test_paths_of_known_length_name_their_last_letter() -> None:
    latex = to_latex(Paths(w[j, i], i, j, r, Index("k", A), Index("l", A), Integer(3)))
    assert r"\sum_{l_{2}=1}^{n} \prod_{r=1}^{3}" in latex


@pytest.mark.parametrize(("links", "sums"), [(1, ""), (2, r"\sum_{l_{1}=1}^{n} ")])
def test_short_path_sums_over_the_units_between_its_ends_and_no_others(links: int, sums: str) -> None:
    latex = to_latex(Paths(w[j, i], i, j, r, Index("k", A), Index("l", A), Integer(links)))
    assert latex.startswith(r"\Bigl[ " + sums + r"\prod_{r=1}^{" + str(links) + "}")


def test_brackets_of_latex_are_balanced() -> None:
    for formula, _ in EXPECTED.values():
        latex = to_latex(sum_over(Index("k", A), formula * u[Index("k", A)]) ** 2)
        assert latex.count("{") == latex.count("}")
        assert latex.count(r"\left(") == latex.count(r"\right)")
        assert latex.count("(") == latex.count(")")


@pytest.mark.parametrize("style", [Text(), Latex()], ids=["text", "latex"])
def test_times_and_sizes_keep_their_order(style) -> None:
    blank = style.place(1 + t - q).replace(" ", "")
    assert blank == "t-q+1"
    assert style.place(m + n + 1).replace(" ", "").startswith("n+")
    assert style.place(-t).replace(" ", "") == "-t"


def test_the_prime_of_a_name_with_a_superscript_stands_outside_braces() -> None:
    i, plain, gate = Index("i", A), Activation("f", A), Activation("f_ig", A, latex=r"f^{\mathrm{ig}}")
    assert to_latex(gate[i](u[i])).startswith(r"f^{\mathrm{ig}}_{i}\left(")
    assert to_latex(gate.prime(u[i], i)).startswith(r"{f^{\mathrm{ig}}_{i}}'\left(")
    assert to_latex(plain.prime(u[i], i)).startswith(r"f_{i}'\left(")


def test_a_name_with_a_superscript_stands_in_brackets_under_a_power() -> None:
    i, plain, labelled = Index("i", A), parameter("w", A), parameter("w_hid", A, latex=r"w^{\mathrm{hid}}")
    assert to_latex(labelled[i] ** 2) == r"{(w^{\mathrm{hid}}_{i})}^{2}"
    assert to_latex(plain[i] ** 2) == "{w_{i}}^{2}"
    assert to_text(labelled[i] ** 2) == "w_hid[i]^2"


def test_a_superscript_of_the_index_needs_no_braces_around_the_prime() -> None:
    star = Index("i*", A, r"i^{\star}")
    assert to_latex(g.prime(u[star], star)).startswith(r"\gamma_{i^{\star}}'\left(")


def test_a_factor_before_a_bare_sum_brackets_it() -> None:
    half = Mul(Rational(1, 2), u[i] + v[t], evaluate=False)
    assert to_text(half) == "1/2*(u[i] + v(t))"
    assert to_latex(half) == r"\frac{1}{2}\,(u_{i} + v(t))"


def test_fractions_in_cases_have_the_size_of_displayed_ones() -> None:
    x = Symbol("x", real=True)
    cases = plain_latex(Piecewise((x / 2, x > 0), (-x / 3, True)))
    assert r"\dfrac{x}{2} & \text{for}" in cases
    assert r"\\[6pt] - \dfrac{x}{3}" in cases
    assert r"\frac" not in cases
    assert r"\\[" not in plain_latex(Piecewise((1, x > 0), (0, True)))


def test_functions_of_sympy_print_as_its_own_printers_do() -> None:
    assert to_latex(log(u[i]) * w[i, j]) == r"\log{\left(u_{i} \right)}\,w^{\mathrm{rec}}_{i j}"
    assert to_text(log(u[i]) * w[i, j]) == "log(u[i])*w[i,j]"
    assert str(log(u[i])) == "log(u[i])"


def test_negative_numbers_print_without_a_gap() -> None:
    assert to_latex(Rational(-1, 3)) == r"-\frac{1}{3}"
    assert to_latex(Integer(-3)) == "-3"
