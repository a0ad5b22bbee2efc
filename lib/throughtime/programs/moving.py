"""The text of a learner: a step of a network and the move of its weights, in a loop over all steps.

A text has the function `learn(T, given sequences, begins, ends, seen, memory, rate, momentum)`, all arrays flat. Memory
holds the weights, the loss, the changes of weights if there is a momentum, and what is carried from step to step, in
the order of `kept`, the names of its numbers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import prod
from textwrap import dedent
from typing import Any

from throughtime.derivation.formulas.nodes import Quantity
from throughtime.programs.parts import in_parts
from throughtime.programs.program import Program
from throughtime.programs.text import whole
from throughtime.programs.unrolled import Unrolling

LONG = 600  # lines of a learner that stays one function
LANES = 16  # fewer than two registers full are not computed side by side


class Moving:
    """What both kinds of text share: the names of a network's arrays, and their sizes."""

    lanes = 1
    symbols: str | None = None
    kept: list[str]

    def __init__(
        self,
        net: Program,
        constants: Mapping[str, Any],
        method: str,
        moved: str,
        momentum: bool,
        watched: Quantity | None,
    ):
        self.constants = constants
        self.net, self.by_sequence, self.late, self.momentum = net, moved != "step", moved == "next", momentum
        self.title = f"{net.name}: learning on line, {method}."
        (self.begin, self.steps), _ = net._written(method, plain=True)  # loops alone, no products of matrices
        shapes = {net._names(one, ""): net.plan.shape(one) for one in net.plan.weights}
        self.weights = [*shapes]
        self.slopes = [*self.steps.arrays][-len(self.weights) :]
        self.shapes = self.steps.arrays | shapes
        self.rows = {net._names(one, ""): net.plan.shape(one) for one in net.plan.inputs}
        self.watched = None if watched is None else net._names(watched, "")
        self.loss = self.steps.result

    def signature(self, given: Sequence[str]) -> str:
        """The first line of the function."""
        ends = ["ends"] if self.by_sequence else []
        return f"def learn(T, {', '.join([*given, 'begins', *ends, 'seen'])}, memory, rate, momentum):"

    def text(self) -> str:
        """The program."""
        raise NotImplementedError


class WrittenOut(Moving):
    """Every number a variable; with `lanes`, of as many nets side by side."""

    def __init__(self, *how: Any, lanes: int):
        super().__init__(*how)
        self.lanes = lanes
        net = self.net
        sizes = {net._names(one, ""): size for one, size in net.plan.sizes.items()}
        step, start = (Unrolling(sizes, self.shapes, self.constants, self.rows, lanes > 1) for _ in range(2))
        names = (map(step.elements, some) for some in (self.weights, self.slopes))
        self.pairs = [*zip(*map(chain.from_iterable, names), strict=True)]
        if not self.by_sequence:
            step.known |= {slope: ast.Constant(0.0) for _, slope in self.pairs}
        started, stepped = (ast.parse(dedent("\n".join(one.lines))).body for one in (self.begin, self.steps))
        step.run(next(loop for loop in stepped if isinstance(loop, ast.For)).body)
        start.run(started)
        weights = [weight for weight, _ in self.pairs]
        self.carried = [name for name in step.read if name not in (self.loss, *weights)]
        kept = [slope for _, slope in self.pairs] if self.late else []
        self.begun = [name for name in self.carried if name not in kept]
        start.known = {name: ast.Constant(0.0) for name in self.begun if name not in start.written} | start.known
        moves = [f"v_{weight}" for weight in weights] if self.momentum else []
        self.kept = [*weights, self.loss, *moves, *self.carried]
        self.step, self.start = step, start

    def text(self) -> str:
        """The program."""
        step, start, begun = self.step, self.start, self.begun
        seen = [] if self.watched is None else step.elements(self.watched)
        used = [*self.carried, self.loss, *seen, *(slope for _, slope in self.pairs)]
        for one, names in ((start, begun), (step, used)):
            one.settle(names)
        lines = [f"if {self._at('begins', 't')} > 0.0:", *(f"    {line}" for line in start.lines(begun))]
        lines = [*(lines if begun else []), *step.lines(used), *chain.from_iterable(map(self._move, self.pairs))]
        step.rows["seen"] = (len(seen),)
        lines += [f"{step.given('seen', ast.Name('t'), [place])} = {name}" for place, name in enumerate(seen)]
        text = "\n".join([self.signature([*self.rows]), *self._loops(lines)])
        lanes = ["", f"LANES = {LANES}"] if self.lanes > 1 else []
        head, exp = ["import numpy as np", *lanes], "_exp" if lanes else "np.exp"
        return whole(self.title, head, self.net.activations, [text], exp=exp)

    def _at(self, name: str, place: str) -> str:
        """An element of a flat array, of this lane."""
        place = f"({place})" if " " in place else place
        return f"{name}[{place} * LANES + lane]" if self.lanes > 1 else f"{name}[{place}]"

    def _move(self, pair: tuple[str, str]) -> Iterator[str]:
        """A weight's step down the gradient."""
        weight, slope = pair
        after = f" if {self._at('ends', 't')} > 0.0 else " if self.by_sequence else ""
        if self.momentum:
            yield f"v_{weight} = momentum * v_{weight} - rate * {slope}{after and f'{after}v_{weight}'}"
            yield f"{weight} = {weight} + v_{weight}{after and after + weight}"
        else:
            yield f"{weight} = {weight} - rate * {slope}{after and after + weight}"
        if self.late:
            yield f"{slope} = 0.0{after}{slope}"

    def _loops(self, lines: Sequence[str]) -> Iterator[str]:
        """The lines of a step in the loop over steps, and in that over lanes if there are any."""
        loads = [f"{name} = {self._at('memory', str(place))}" for place, name in enumerate(self.kept)]
        stores = [" = ".join(reversed(line.split(" = "))) for line in loads]
        if self.lanes == 1:
            yield from (f"    {line}" for line in loads)
            yield from ("    for t in range(T):", *(f"        {line}" for line in lines))
            yield from (f"    {line}" for line in stores)
        else:
            yield from ("    for t in range(T):", "        for lane in range(LANES):")
            yield from (f"            {line}" for line in (*loads, *lines, *stores))


class Looped(Moving):
    """The loops over units as they are, arrays being parts of memory."""

    def __init__(self, *how: Any, symbols: str | None):
        super().__init__(*how)
        self.lines = self.steps.lines
        if symbols and (lines := one_row(self.lines, symbols)):
            self.lines, self.symbols = lines, symbols
        arrays = [name for name in self.shapes if name not in (*self.weights, *self.slopes)]
        moves = [f"change of {weight}" for weight in self.weights] if self.momentum else []
        shapes = self.shapes | {f"change of {weight}": self.shapes[weight] for weight in self.weights} | {self.loss: ()}
        self.places, self.kept = {}, []
        for name in (*self.weights, self.loss, *moves, *self.slopes, *arrays):
            first = len(self.kept)
            self.kept += [self.loss] if name == self.loss else [name] * prod(shapes[name])
            self.places[name] = first, len(self.kept)
        self.carried = self.places[arrays[0]][0]

    def text(self) -> str:
        """The program."""
        net, within = self.net, "    " * 2
        shapes = {name: () if name == self.symbols else shape for name, shape in self.rows.items()}
        views = [f"    {name} = given_{name}.reshape({(-1, *shape)})" for name, shape in shapes.items()]
        for name, (first, last) in self.places.items():
            if name in self.shapes:
                views.append(f"    {name} = memory[{first}:{last}].reshape({self.shapes[name] or (1,)})")
        lines = self.lines
        first = lines.index("    for t in range(T):") + 1
        last = next((k for k in range(first, len(lines)) if not lines[k].startswith(within)), len(lines))
        body, tail = lines[first:last], lines[last:]
        text = [
            self.signature([f"given_{name}" for name in self.rows]),
            *views,
            f"    {self.loss} = 0.0",
            "    for t in range(T):",
            f"{within}if begins[t] > 0.0:",
            f"{within}    memory[{self.carried}:] = 0.0",
            *(f"{within}{line}" for line in self.begin.lines),
            *body,
            *(within + line for line in self._after()),
            *tail,
            f"    memory[{self.places[self.loss][0]}] += {self.loss}",
        ]
        constants = [f"{name} = np.array({array.tolist()})" for name, array in self.constants.items()]
        sizes = [net._names(one, "") for one in net.plan.sizes]
        parts = in_parts("\n".join(text).replace("[()]", "[0]"), sizes, LONG)
        return net._text(self.title, ["import numpy as np", *constants], parts)

    def _after(self) -> Iterator[str]:
        """What follows a step: its values are seen, the weights move."""
        if self.watched is not None:
            first, last = self.places[self.watched]
            yield f"seen[{last - first} * t : {last - first} * (t + 1)] = memory[{first}:{last}]"
        count, slope = self.places[self.loss][0], self.places[self.slopes[0]][0]
        moved = f"memory[k + {count + 1}]"
        change = f"{moved} = momentum * {moved}" if self.momentum else "change = 0.0"
        lines = [f"for k in range({count}):", f"    {change} - rate * memory[k + {slope}]"]
        lines += [f"    memory[k] += {moved if self.momentum else 'change'}", f"memory[{slope}:{slope + count}] = 0.0"]
        yield from ("if ends[t] > 0.0:", *(f"    {line}" for line in lines)) if self.by_sequence else lines


def one_row(lines: Sequence[str], name: str) -> list[str] | None:
    """Lines of a step in which a given sequence, 1 at one place and 0 at the others, has the number of the place.

    A loop that only adds products with its elements does so at that place alone; None where there is any other use.
    """
    done, k = [], 0
    while k < len(lines):
        loop = re.fullmatch(r"( *)for (\w+) in range\(.*\):", lines[k])
        end = k + 1
        while loop and end < len(lines) and lines[end].startswith(f"{loop[1]}    "):
            end += 1
        element = f"{name}[t, {loop[2]}]" if loop else ""
        block = [line[4:] for line in lines[k + 1 : end]]
        if loop and all(_adds(line.strip(), element) for line in block):
            done.append(f"{loop[1]}{loop[2]} = int({name}[t])")
            done += [line.replace(f" * {element}", "").replace(f"{element} * ", "") for line in block]
            k = end
        elif re.search(rf"\b{name}\[", lines[k].split("#")[0]):
            return None
        else:
            done.append(lines[k])
            k += 1
    return done


def _adds(line: str, element: str) -> bool:
    """Whether a line adds to a number a product of which one factor is the element."""
    added = re.fullmatch(r"(?P<left>[^=+]+) (?:\+=|= (?P=left) \+) (?P<factors>[^+-]+)", line)
    return added is not None and element in added["factors"].split(" * ")
