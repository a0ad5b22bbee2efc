"""Symbols of immediate partial derivatives: tested against brute force, and the scope of their indices."""

import pytest
import throughtime as tt
from shared_formulas import a, b, i, j, k, t, u, w, y, z
from throughtime.derivation.formulas.errors import DomainError, UndefinedQuantityError
from throughtime.derivation.formulas.nodes import Immediate, nodes, partial, sum_over, variable


def test_immediate_derivatives_by_all_arguments_are_those_of_brute_force(net) -> None:
    """Also with respect to elements that the definition does not contain, where they are 0."""
    witnesses = [net.unrolled((2, 2, 2), 3, 1)]
    for case in net.system.all_definitions():
        if not case.left.quantity.timed:
            continue
        for wrt in (*tt.refs(case.right), *net.weights, *net.states):
            if wrt.quantity == case.left.quantity and wrt.time == t:
                continue
            symbol = partial(case.left, wrt)
            outcome = tt.holds_on(witnesses, [(symbol, tt.expand_partials(net.system, symbol))])
            assert outcome.passed, outcome.reason


def test_symbols_inside_a_formula_are_replaced_and_renamed_apart() -> None:
    system = tt.System("layer")
    system[y[i, t]] = y[i, t - 1] + 1
    system[z[i, t]] = sum_over(j, w[i, j] * y[j, t] ** 2)
    result = tt.expand_partials(system, sum_over(j, partial(z[i, t], y[j, t]) * w[j, k]))
    assert not any(isinstance(node, Immediate) for node in nodes(result))
    assert result == 2 * sum_over(j, w[i, j] * w[j, k] * y[j, t])


def test_definition_by_cases_wants_an_index_of_one_part() -> None:
    system = tt.System("two parts")
    system[z[a, t]], system[z[b, t]] = u[a] ** 2, 3 * u[b]
    assert tt.expand_partials(system, partial(z[a, t], u[a])) == 2 * u[a]
    assert tt.expand_partials(system, partial(z[b, t], u[b])) == 3
    with pytest.raises(DomainError, match="is defined by cases"):
        tt.expand_partials(system, partial(z[i, t], u[i]))
    with pytest.raises(UndefinedQuantityError, match="does not define lost"):
        tt.expand_partials(system, partial(variable("lost")[t], u[a]))
