"""What the structure alone says of a derivative: never more than brute force allows, and for known networks all."""

import pytest
from sympy import Integer
from throughtime.derivation.domains import Dimension, Index, domain, union
from throughtime.derivation.forward import cut
from throughtime.derivation.nodes import Activation, parameter, sequence, sum_over, time, variable
from throughtime.derivation.structure import ZERO, Structure
from throughtime.derivation.system import System
from throughtime.derivation.unroll import Unrolled

t = time("t")
n, m = Dimension("n"), Dimension("m")
A = domain("A", n)
B = domain("B", m, after=A)
H = union("H", A, B)
i, j, k = Index("i", A), Index("j", A), Index("k", B)
f = Activation("f")


def uncut(argument, left) -> bool:
    return False


def claims(system, wrt, is_cut=uncut) -> dict:
    return {case.left.quantity.name: claim for case, claim in Structure(system, wrt, is_cut).claims.items()}


def cut_of(item):
    return lambda argument, left: item.applies(argument, left)


def test_what_is_claimed_to_vanish_vanishes_in_brute_force(net) -> None:
    exact = net.unrolled((2, 3, 2), 3, 5)
    for weight in net.weights:
        for cuts in ((), tuple(net.cuts)):
            structure = Structure(net.system, weight, lambda a, left, cuts=cuts: any(c.applies(a, left) for c in cuts))
            by_quantity = {case.left.quantity: claim for case, claim in structure.claims.items()}
            for env in exact.places(weight.indices):
                moved = exact.key(weight, env)
                for key, dual in exact.slopes(moved, cuts).items():
                    claim = by_quantity[key[0]]
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
    """Units of the first part do not read the weights of the second."""
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
    exact = Unrolled(cases.system, {n: 2, m: 2}, 3)
    assert all(dual.slope == 0 for key, dual in exact.slopes((u, 3)).items() if key[1] != 3)


def test_what_no_path_reaches_is_zero() -> None:
    assert Integer(0) == Structure(chain_of_three(), parameter("u", A)[j], uncut).leaf(variable("one", A)[i, t])


def test_letter_in_a_computed_index_is_not_the_one_on_the_left() -> None:
    """The bias of the unit after j reaches that unit, and j is a letter like any other on the left."""
    bias, v = parameter("bias", A), variable("v", A)
    system = System("biased")
    system[v[j, t]] = v[j, t - 1] + bias[j]
    assert claims(system, bias[j + 1]) != {"v": ZERO}
    assert claims(system, bias[j]) == {"v": frozenset({(0, 0)})}
