"""Whether a text in the notation of `tt.read` and a system written by hand are the same net, in exact numbers."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product

from throughtime.derivation import DEFINED, PARAMETER, Dimension, ExactInstance, Quantity, System, polynomial, refs
from throughtime.derivation.formulas.nodes import Applied, nodes
from throughtime.reading import Reading

LENGTH = 3
Part = Callable[..., tuple | int]


def shifted(name: str, *by: int) -> Part:
    """The same element of another quantity, whose places count from further on."""
    return lambda *places: (name, *(place + more for place, more in zip(places, by, strict=True)))


def check_same(
    made: Reading,
    system: System,
    loss: Quantity,
    sizes: Mapping[Dimension, int],
    parts: Mapping[str, Part] | None = None,
    *,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    functions: Mapping[str, str] | None = None,
) -> str:
    """Compare all states, and all derivatives of the loss, or of a cost at each time, with respect to the weights.

    `sizes` are those of the system. `parts` says for the elements of a quantity of the text which element of the system
    they are, as (name, place, ...) without a time, or which number; what is not there has its own name and places.
    `shapes` are those of quantities that have no name in the system, `functions` the names that activations have there.
    Activations are polynomials. Says what was compared; AssertionError where two numbers differ.
    """
    parts, theirs = parts or {}, _instance(system, sizes, {}, {})
    quantities = {case.left.quantity.name: case.left.quantity for case in system.all_definitions()}
    quantities |= {ref.quantity.name: ref.quantity for case in system.all_definitions() for ref in refs(case.right)}
    named = {name: quantities[name] for name in made._built.quantities if name in quantities and name not in parts}
    own = {name: tuple(len(over.elements(sizes)) for over in one.domains) for name, one in named.items()}
    shapes = own | (shapes or {})
    mine_sizes = {over.upper: n for name in shapes for over, n in zip(made[name].domains, shapes[name], strict=True)}
    same, values = {}, {}
    for name, quantity in made._built.quantities.items():
        for places in product(*(over.elements(mine_sizes) for over in quantity.domains)):
            other = parts[name](*places) if name in parts else (name, *places)
            for time in [(t,) for t in made.system.given_times(quantity, LENGTH)] if quantity.timed else [()]:
                if isinstance(other, int):
                    values[name, *places, *time] = Fraction(other)
                elif other[0] in quantities:
                    key = same[quantity, *places, *time] = (quantities[other[0]], *other[1:], *time)
                    values[name, *places, *time] = theirs.element(key)
    mine = _instance(made.system, mine_sizes, functions or {}, values)
    states = {key: other for key, other in same.items() if key[0].role == DEFINED}
    for key, other in states.items():
        assert mine.element(key) == theirs.element(other), key
    weights = {key: other for key, other in same.items() if key[0].role == PARAMETER}
    for time in [(t,) for t in range(1, LENGTH + 1)] if loss.timed else [()]:
        target = made[loss.name] if loss.timed else made.loss
        for key, other in weights.items():
            assert mine.slopes(key)[target, *time].slope == theirs.slopes(other)[loss, *time].slope, (key, time)
    return f"equal in exact numbers: {len(states)} values of states, {len(weights)} derivatives with respect to weights"


def _instance(
    system: System, sizes: Mapping[Dimension, int], functions: Mapping[str, str], values: Mapping
) -> ExactInstance:
    """A system in numbers, with a polynomial for each name of an activation."""
    found = (node for case in system.all_definitions() for node in nodes(case.right))
    used = {node.function.name for node in found if isinstance(node, Applied)}
    names = {name: functions.get(name, name) for name in used}
    curves = {name: polynomial(0, Fraction(1, 2), Fraction(1, 2 + ord(other[-1]) % 9)) for name, other in names.items()}
    return ExactInstance(system, dict(sizes), LENGTH, activations=curves, values=dict(values))
