"""Zero and diagonal derivatives from the structure alone: sound by brute force, and complete for known networks."""

import random

import throughtime as tt
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_formulas import A, B, H, f, m, n, t
from sympy import Integer
from throughtime.derivation.deriving.structure import ZERO, Structure
from throughtime.derivation.formulas.domains import Index
from throughtime.derivation.formulas.nodes import parameter, sum_over, variable

i, j, k = Index("i", A), Index("j", A), Index("k", B)
NAMES = ("one", "two", "three")


def uncut(argument, left) -> bool:
    return False


def claims_hold(structure: Structure, states: list, exact: tt.ExactInstance, moved: tuple, cuts: tuple = ()) -> None:
    """No claim is more than brute force allows for any element that its reference can mean."""
    for (quantity, *units), dual in exact.slopes(moved, cuts).items():
        for state in (state for state in states if state.quantity == quantity):
            places = zip(state.indices, units, strict=False)
            if all(unit in letter.domain.elements(exact.sizes) for letter, unit in places):
                claim = structure.claim(state)
                outside = claim == ZERO or any(units[mine] != moved[1 + theirs] for mine, theirs in claim)
                assert not outside or dual.slope == 0, (state, units, moved, claim)


def test_what_is_claimed_to_vanish_vanishes_in_brute_force(net) -> None:
    exact, states = net.unrolled((2, 3, 2), 3, 5), [case.left for case in net.system.all_definitions()]
    for weight in net.weights:
        for cuts in ((), tuple(net.cuts)):
            structure = Structure(net.system, weight, lambda a, left, cuts=cuts: any(c.applies(a, left) for c in cuts))
            for env in exact.places(weight.indices):
                claims_hold(structure, states, exact, exact.key(weight, env), cuts)


def test_claim_for_a_reference_holds_in_every_part_it_can_mean() -> None:
    """Diagonal where units read themselves, full where they read all: of both together nothing is claimed."""
    u, z, wide = parameter("u", H), variable("z", H), Index("h", H)
    own = {z[i, t]: u[i] * z[i, t - 1] + 1}
    every = {z[k, t]: u[k] * sum_over(wide, z[wide, t - 1])}
    for first, second in ((own, every), (every, own)):
        system = tt.System("own and every")
        for left, right in (first | second).items():
            system[left] = right
        structure = Structure(system, u[wide], uncut)
        assert structure.claim(z[i, t]) == frozenset({(0, 0)})
        assert structure.claim(z[k, t]) == structure.claim(z[wide, t]) == frozenset()


def drawn_by_cases(draw: random.Random) -> tt.System:
    """Three quantities over H, each defined on A and on B apart, by one unit, all units or none of the step before."""
    u, system = parameter("u", H), tt.System("drawn")
    for name in draw.sample(NAMES, 3):
        for letter in draw.sample((i, k), 2):
            read, other = variable(draw.choice(NAMES), H), Index("h", draw.choice((A, B, H)))
            reads = [Integer(1), read[letter, t - 1], sum_over(other, read[other, t - 1])]
            system[variable(name, H)[letter, t]] = f(draw.choice((u[letter], 1)) * draw.choice(reads)) + 1
    return system


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_claims_for_systems_by_cases_are_never_more_than_brute_force_allows(seed) -> None:
    system, u, wide = drawn_by_cases(random.Random(seed)), parameter("u", H), Index("o", H)
    structure, exact = Structure(system, u[wide], uncut), tt.ExactInstance(system, {n: 2, m: 2}, 3, seed=seed)
    states = [variable(name, H)[letter, t] for name in NAMES for letter in (i, k, Index("h", H))]
    for moved in range(1, 5):
        claims_hold(structure, states, exact, (u, moved))


def test_letter_in_a_computed_index_is_not_the_one_on_the_left() -> None:
    """The bias of unit j + 1 affects unit j + 1; the j in its index is not the j of the definition."""
    bias, v = parameter("bias", A), variable("v", A)
    system = tt.System("biased")
    system[v[j, t]] = v[j, t - 1] + bias[j]
    assert Structure(system, bias[j + 1], uncut).claim(v[j, t]) != ZERO
    assert Structure(system, bias[j], uncut).claim(v[j, t]) == frozenset({(0, 0)})
