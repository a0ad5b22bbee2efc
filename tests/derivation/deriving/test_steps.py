"""Derivations line by line: every line is true, new and has a reason, and the result has the expected form."""

from itertools import pairwise

import pytest
import throughtime as tt
from one_unit import f, h, loss, s, t, u, unit, w, x, y, z
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.deriving.steps import derive, derive_backward, derive_gradient
from throughtime.derivation.formulas.errors import CutError
from throughtime.derivation.formulas.nodes import DerivativeSymbol, Truncated, d, nodes, partial, scalar, sum_over
from throughtime.derivation.printing.printer import to_text


@pytest.fixture(scope="module")
def reducer() -> Reducer:
    """z(t) = u h(t-1) + w x(t), h = f(z), y = h^2, loss = sum of y."""
    system = unit()
    system[y[t]] = h[t] ** 2
    system[loss] = sum_over((s, 1, tt.LENGTH), y[s])
    return Reducer(system)


def symbols(expr) -> set:
    return {node for node in nodes(expr) if isinstance(node, DerivativeSymbol)}


def test_lines_are_new_and_have_reasons_and_end_at_what_the_system_defines(net) -> None:
    for derivation in (*net.derivations(), *net.derivations(tuple(net.cuts))):
        assert derivation.lines
        formulas = [derivation.left, *(line.expr for line in derivation.lines)]
        assert all(one != two for one, two in pairwise(formulas))
        assert all(line.reason for line in derivation.lines)
        assert derivation.result == formulas[-1]
        assert derivation.equations()[0] == tuple(formulas)
        details = [chain for line in derivation.lines for chain in line.detail]
        assert derivation.equations()[1:] == details
        assert all(len(chain) > 1 and len(set(chain)) == len(chain) for chain in details)
        assert all(node.target.quantity.role == tt.DEFINED for node in symbols(derivation.result))


def test_derivation_ends_at_earlier_times(reducer) -> None:
    derivation = derive(reducer, y[t], u)
    assert {node.target for node in symbols(derivation.result)} == {h[t - 1]}
    first = derivation.lines[0]
    assert first.expr == partial(y[t], h[t]) * d(h[t], u)
    assert first.reason == "chain rule over the arguments of $y(t)$"
    assert derivation.lines[1].expr == 2 * h[t] * d(h[t], u)
    assert derivation.result == 2 * h[t] * f.prime(z[t]) * (h[t - 1] + u * d(h[t - 1], u))


def test_kept_quantities_stay(reducer) -> None:
    kept = derive(reducer, y[t], u, keep=[z])
    assert symbols(kept.result) == {d(z[t], u)}
    assert derive(reducer, y[t], u, keep=[h]).result == 2 * h[t] * d(h[t], u)


def test_derivative_by_a_node_of_a_known_lag_is_taken_to_the_end(reducer) -> None:
    derivation = derive(reducer, h[t], z[t - 1])
    assert symbols(derivation.result) == set()
    assert derivation.result == u * f.prime(z[t]) * f.prime(z[t - 1])


def test_what_is_known_needs_one_line(reducer) -> None:
    future = derive(reducer, h[t], z[t + 1])
    assert [(line.expr, line.reason) for line in future.lines] == [(0, "the past does not depend on the future")]
    itself = derive(reducer, z[t], z[t])
    assert [(line.expr, line.reason) for line in itself.lines] == [(1, "the element itself")]
    given = derive(reducer, x[t], u)
    assert [(line.expr, line.reason) for line in given.lines] == [(0, "x is given")]


def test_cut_arguments_are_held_and_named(reducer) -> None:
    severed = tt.cut(h[t - 1], into=z)
    derivation = derive(reducer, h[t], u, cuts=[severed])
    assert derivation.left == Truncated(h[t], u, severed)
    assert derivation.lines[0].reason.endswith("(cut arguments held constant)")
    assert derivation.result == f.prime(z[t]) * h[t - 1]


def test_backward_ends_at_later_adjoints(reducer) -> None:
    derivation = derive_backward(reducer, loss, z[t])
    assert symbols(derivation.result) == {d(loss, z[t + 1])}
    expected = f.prime(z[t]) * (2 * h[t] + u * d(loss, z[t + 1]))
    assert reducer.equal(derivation.result, expected)
    kept = derive_backward(reducer, loss, z[t], keep=[h])
    assert symbols(kept.result) == {d(loss, h[t])}


def test_gradient_sums_over_the_times(reducer) -> None:
    (line,) = derive_gradient(reducer, loss, w).lines
    assert line.reason == "every use of the weight, at every time"


def test_gradient_may_be_truncated_and_its_cut_set_has_a_name() -> None:
    system, loss = tt.System("unit"), scalar("L")[()]
    system[z[t]] = w + u * h[t - 1]
    system[h[t]] = h[t - 1] + f(z[t])
    system[loss] = sum_over((s, 1, tt.LENGTH), h[s] ** 2)
    bench = tt.Bench(system, [{}])
    kept, lost = (tt.cut_set(name, tt.cut(h[t - 1], into=into)) for name, into in (("rflo", z), ("leak", h)))
    for cuts, name in ((kept, "rflo"), (lost, "leak"), ([tt.cut(h[t - 1], into=z)], "tr")):
        derivation = bench.derive_gradient(loss, w, cuts=cuts)
        assert to_text(derivation.left) == f"d_{name} L/dw"
        assert tt.to_latex(derivation.left) == rf"\frac{{\mathrm{{d}}_{{\mathrm{{{name}}}}} L}}{{\mathrm{{d}} w}}"
        tt.show(bench, derivation)
    both = [bench.derive(h[t], w, cuts=cuts).left for cuts in (kept, lost)]
    assert not bench.reducer.equal(*both)


def test_two_truncations_never_look_alike() -> None:
    system = tt.System("unit")
    system[z[t]] = w * h[t - 1] + h[t - 2]
    system[h[t]] = z[t]
    one, two = tt.cut(h[t - 1], into=z), tt.cut(h[t - 2], into=z)
    reducer = Reducer(system)
    alike = "unit: two sets of cuts print as d_tr; name them with `cut_set`"
    with pytest.raises(tt.DerivationError, match=alike):
        reducer.equal(Truncated(h[t], w, one), Truncated(h[t], w, two))
    named = derive(reducer, h[t], w, cuts=tt.cut_set("far", two)).left
    assert not reducer.equal(named, derive(reducer, h[t], w, cuts=[one]).left)
    with pytest.raises(CutError, match="two sets of cuts print as d_far"):
        reducer.equal(named, Truncated(h[t], w, *tt.cut_set("far", one, two)))
    with pytest.raises(CutError, match=r"cuts of the sets \['one', 'tr'\] at once"):
        reducer.forward(w, (*tt.cut_set("one", one), two))
    with pytest.raises(CutError, match="cut set 'a b': expected letters and digits"):
        tt.cut_set("a b", one)
