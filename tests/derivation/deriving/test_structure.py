"""Zero and diagonal derivatives from the structure alone: sound by brute force, and complete for known networks."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_formulas import A, B, H, f, m, n, t
from sympy import Integer
from throughtime.derivation.deriving.forward import cut
from throughtime.derivation.deriving.structure import ZERO, Structure
from throughtime.derivation.deriving.system import System
from throughtime.derivation.evaluating.unroll import ExactInstance
from throughtime.derivation.formulas.domains import Index
from throughtime.derivation.formulas.nodes import parameter, sequence, sum_over, variable

i, j, k = Index("i", A), Index("j", A), Index("k", B)


def uncut(argument, left) -> bool:
    return False


def claims(system, wrt, is_cut=uncut) -> dict:
    return {case.left.quantity.name: claim for case, claim in Structure(system, wrt, is_cut).claims.items()}


def cut_of(item):
    return lambda argument, left: item.applies(argument, left)


def claim_for(structure: Structure, key: tuple, exact: ExactInstance):
    """The claim of the definition that one element of the unrolled system has."""
    return next(
        claim
        for case, claim in structure.claims.items()
        if case.left.quantity == key[0]
        and all(
            unit in letter.domain.elements(exact.sizes)
            for letter, unit in zip(case.left.indices, key[1:], strict=False)
        )
    )


def test_what_is_claimed_to_vanish_vanishes_in_brute_force(net) -> None:
    exact = net.unrolled((2, 3, 2), 3, 5)
    for weight in net.weights:
        for cuts in ((), tuple(net.cuts)):
            structure = Structure(net.system, weight, lambda a, left, cuts=cuts: any(c.applies(a, left) for c in cuts))
            for env in exact.places(weight.indices):
                moved = exact.key(weight, env)
                for key, dual in exact.slopes(moved, cuts).items():
                    claim = claim_for(structure, key, exact)
                    outside = claim == ZERO or any(key[1 + mine] != moved[1 + theirs] for mine, theirs in claim)
                    assert not outside or dual.slope == 0, (key, moved, claim)


def chain_of_three() -> System:
    """The first layer feeds the second, the second feeds the third; only the third is fully recurrent."""
    w, u, r, x = parameter("w", A), parameter("u", A), parameter("r", A, A), sequence("x", A)
    one, two, three = variable("one", A), variable("two", A), variable("three", A)
    system = System("three layers")
    system[one[i, t]] = w[i] * x[i, t] + one[i, t - 1]
    system[two[i, t]] = u[i] * f(one[i, t - 2])
    system[three[i, t]] = two[i, t] + sum_over(j, r[i, j] * f(three[j, t - 1]))
    return system


def test_layers_before_a_weight_do_not_depend_on_it() -> None:
    system, diagonal, anything = chain_of_three(), frozenset({(0, 0)}), frozenset()
    w, u, r = parameter("w", A), parameter("u", A), parameter("r", A, A)
    assert claims(system, w[j]) == {"one": diagonal, "two": diagonal, "three": anything}
    assert claims(system, u[j]) == {"one": ZERO, "two": diagonal, "three": anything}
    assert claims(system, r[j, i]) == {"one": ZERO, "two": ZERO, "three": anything}


def test_cut_makes_a_full_recurrence_diagonal() -> None:
    system, three = chain_of_three(), variable("three", A)
    severed = cut_of(cut(three[j, t - 1], into=three))
    r = parameter("r", A, A)
    assert claims(system, r[j, i], severed)["three"] == frozenset({(0, 0)})
    assert claims(system, parameter("w", A)[j], severed)["three"] == frozenset({(0, 0)})


def test_node_of_a_system_counts_as_its_own_element() -> None:
    system, one, three = chain_of_three(), variable("one", A), variable("three", A)
    diagonal = frozenset({(0, 0)})
    assert claims(system, one[j, t]) == {"one": diagonal, "two": diagonal, "three": frozenset()}
    assert claims(system, three[j, t]) == {"one": ZERO, "two": ZERO, "three": frozenset()}


@pytest.fixture
def cases() -> Structure:
    """Units of the first part do not depend on the weights of the second."""
    u, z = parameter("u", H), variable("z", H)
    system = System("two parts")
    system[z[i, t]] = u[i] * z[i, t - 1] + 1
    system[z[k, t]] = u[k] * z[k, t - 1] + sum_over(i, z[i, t])
    return Structure(system, u[k], uncut)


def test_claim_for_a_reference_covers_every_part_it_can_mean(cases) -> None:
    z, u = variable("z", H), parameter("u", H)
    wide = Index("h", H)
    assert cases.claim(z[i, t]) == ZERO
    assert cases.claim(z[k, t]) == frozenset({(0, 0)})
    assert cases.claim(z[wide, t]) == frozenset({(0, 0)})
    assert cases.leaf(z[i, t]) == cases.leaf(u[i]) == 0
    assert cases.deltas(z[k, t], cases.claim(z[k, t]), u[k]) == 1
    exact = ExactInstance(cases.system, {n: 2, m: 2}, 3)
    assert all(dual.slope == 0 for key, dual in exact.slopes((u, 3)).items() if key[1] != 3)


def test_claim_for_a_reference_holds_in_every_part_it_can_mean() -> None:
    """Diagonal where units read themselves, full where they read all: of both together nothing is claimed."""
    u, z, wide = parameter("u", H), variable("z", H), Index("h", H)
    own = {z[i, t]: u[i] * z[i, t - 1] + 1}
    every = {z[k, t]: u[k] * sum_over(wide, z[wide, t - 1])}
    for first, second in ((own, every), (every, own)):
        system = System("own and every")
        for left, right in (first | second).items():
            system[left] = right
        structure = Structure(system, u[wide], uncut)
        assert structure.claim(z[i, t]) == frozenset({(0, 0)})
        assert structure.claim(z[k, t]) == structure.claim(z[wide, t]) == frozenset()


def drawn_by_cases(draw: random.Random) -> System:
    """Three quantities over H, each defined on A and on B apart, by one unit, all units or none of the step before."""
    u, names = parameter("u", H), ("one", "two", "three")
    system = System("drawn")
    for name in draw.sample(names, 3):
        for letter in draw.sample((i, k), 2):
            read, other = variable(draw.choice(names), H), Index("h", draw.choice((A, B, H)))
            reads = [Integer(1), read[letter, t - 1], sum_over(other, read[other, t - 1])]
            system[variable(name, H)[letter, t]] = f(draw.choice((u[letter], 1)) * draw.choice(reads)) + 1
    return system


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_claims_for_systems_by_cases_are_never_more_than_brute_force_allows(seed) -> None:
    system, u, wide = drawn_by_cases(random.Random(seed)), parameter("u", H), Index("o", H)
    structure, exact = Structure(system, u[wide], uncut), ExactInstance(system, {n: 2, m: 2}, 3, seed=seed)
    for moved in range(1, 5):
        for (quantity, unit, _), dual in exact.slopes((u, moved)).items():
            for letter in (i, k, Index("h", H)):
                if unit in letter.domain.elements(exact.sizes):
                    claim = structure.claim(quantity[letter, t])
                    assert not (claim == ZERO or (claim and unit != moved)) or dual.slope == 0, (quantity, unit, moved)


def test_what_no_path_reaches_is_zero() -> None:
    assert Integer(0) == Structure(chain_of_three(), parameter("u", A)[j], uncut).leaf(variable("one", A)[i, t])


def test_letter_in_a_computed_index_is_not_the_one_on_the_left() -> None:
    """The bias of unit j + 1 affects unit j + 1; the j in its index is not the j of the definition."""
    bias, v = parameter("bias", A), variable("v", A)
    system = System("biased")
    system[v[j, t]] = v[j, t - 1] + bias[j]
    assert claims(system, bias[j + 1]) != {"v": ZERO}
    assert claims(system, bias[j]) == {"v": frozenset({(0, 0)})}
