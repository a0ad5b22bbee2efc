"""Numbers and formulas are taken, strings are refused and never evaluated, whichever way they come in."""

import pytest
import throughtime as tt
from one_unit import leak
from shared_formulas import A, a, f, g, i, n, q, s, t, u, v, w, x, z
from sympy import Expr, Integer, Rational, Symbol
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.formulas.given import expression
from throughtime.derivation.formulas.nodes import Constant, Delta, Modulus, Paths, d, partial, product_over, sum_over

CODE = "__import__('pathlib').Path('evaluated').touch()"


def defined(right) -> None:
    leak()[z[i, t]] = right


PLACES = {
    "index": lambda text: u[text],
    "index beside others": lambda text: w[i, text],
    "time": lambda text: z[i, text],
    "size of a domain": lambda text: tt.domain("D", text),
    "size in numbers": lambda text: A.elements({n: text}),
    "size of the unrolled system": lambda text: tt.ExactInstance(leak(), {n: text}, 2),
    "body of a sum": lambda text: sum_over(i, text),
    "index of a sum": lambda text: sum_over((text, 1, t), x[i, s]),
    "first time of a sum": lambda text: sum_over((s, text, t), v[s]),
    "last time of a product": lambda text: product_over((s, 1, text), v[s]),
    "argument of an activation": lambda text: f(text),
    "index of an activation": lambda text: g[text](z[i, t]),
    "argument of a slope": lambda text: f.prime(text),
    "delta": lambda text: Delta(i, text),
    "modulus": lambda text: Modulus(text),
    "constant": lambda text: Constant("M", text),
    "number of an index": lambda text: tt.AsNumber(text),
    "steps of paths": lambda text: Paths(w[i, a], i, a, s, i, i, text),
    "target": lambda text: d(text, v[t]),
    "variable": lambda text: partial(v[t], text),
    "definition": lambda text: defined(text),
    "initial value": lambda text: leak().initial(v, text),
    "side of an equation": lambda text: Reducer(leak()).equal(v[t], text),
    "value of a formula": lambda text: tt.ExactInstance(leak(), {}, 2).value(text, {}),
}


@pytest.mark.parametrize("place", PLACES)
def test_string_is_refused_and_not_evaluated(place, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in (CODE, "i", "1 + 1"):
        with pytest.raises(tt.DerivationError) as caught:
            PLACES[place](text)
        assert text in str(caught.value)
        assert list(tmp_path.iterdir()) == []


def test_numbers_and_formulas_are_taken() -> None:
    for given, wanted in ((2, Integer(2)), (Rational(1, 2), Rational(1, 2)), (q + 1, q + 1), (i, i)):
        assert expression(given, "x") == wanted
        assert isinstance(expression(given, "x"), Expr)
    for given in (None, True, [1], (1, 2), {1: 2}, object(), "x", b"x", Symbol):
        with pytest.raises(tt.DerivationError, match="x: got "):
            expression(given, "x")
