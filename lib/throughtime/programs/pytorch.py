"""A layer for PyTorch: a program in a ``torch.autograd.Function``, as text that needs NumPy and PyTorch alone.

The loss is PyTorch's. What it hands back, its derivative by the outputs of the layer, is the error e of the linear loss
L = sum over t of e(t) . y(t); so any method of ``gradient`` serves, be it exact or cut, backwards or carried forward.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer

from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.domains import LENGTH, Index
from throughtime.derivation.formulas.nodes import (
    DEFINED,
    INPUT,
    Quantity,
    Sigma,
    refs,
    scalar,
    sequence,
    sum_over,
    time,
)
from throughtime.programs.carried import Carried
from throughtime.programs.loops import Function, Loops, signature, wrapped
from throughtime.programs.plan import Plan
from throughtime.programs.writer import Names

WHOLE = '''\
def arrays(tensors):
    return [np.asarray(tensor.detach().numpy(), dtype=float, order="C") for tensor in tensors]


def tensors(arrays, like):
    return [torch.from_numpy(array).to(tensor.dtype) for array, tensor in zip(arrays, like)]


class WholeSequence(torch.autograd.Function):
    @staticmethod
    def forward(ctx, {sequences}, *weights):
        ctx.save_for_backward({sequences}, *weights)
        {sequences}, *weights = arrays(({sequences}, *weights))
        error = np.zeros((len({first}), {width}))
        return torch.from_numpy(outputs({inputs}, *weights))

    @staticmethod
    def backward(ctx, error):
        {refuse}{sequences}, *weights = arrays(ctx.saved_tensors)
        [error] = arrays([error])
        loss, *found = gradient({inputs}, *weights)
        return ({nothing}*tensors(found, ctx.saved_tensors{rest}),)


class Layer(torch.nn.Module):
    """{name}: {output}, with derivatives by {method}."""

    SHAPES = {shapes}

    def __init__(self, scale=0.1):
        super().__init__()
        for name, shape in self.SHAPES.items():
            drawn = scale * (2 * torch.rand(shape, dtype=torch.float64) - 1)
            self.register_parameter(name, torch.nn.Parameter(drawn))

    def forward(self, {sequences}):
        """{output} at the times 1 to T; all may have a first axis of sequences side by side."""
        if {first}.dim() == {axes}:
            return WholeSequence.apply({sequences}, *self.parameters())
        return torch.stack([self(*one) for one in zip({sequences})])
'''
ONLINE = '''\

    def begin(self):
        """Go to time 0 of a new sequence."""
        weights = arrays(self.parameters())
        {empty}
        error = np.zeros((0, {width}))
        self.kept = carried()
        start(0, {inputs}, *weights, *self.kept, *map(np.zeros_like, weights))

    def step(self, {sequences}):
        """{output} after one step more; its derivatives are those of all steps so far."""
        return OneStep.apply(self.kept, {sequences}, *self.parameters())


class OneStep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, kept, {sequences}, *weights):
        ctx.kept = [array.copy() for array in kept]
        ctx.save_for_backward({sequences}, *weights)
        OneStep.take(kept, ({sequences}, *weights), np.zeros(({width})))
        return torch.from_numpy(kept[{place}].copy())

    @staticmethod
    def backward(ctx, error):
        {refuse}kept = [array.copy() for array in ctx.kept]
        found = OneStep.take(kept, ctx.saved_tensors, *arrays([error]))
        return (None, {nothing}*tensors(found, ctx.saved_tensors{rest}))

    @staticmethod
    def take(kept, given, error):
        {sequences}, *weights = arrays(given)
        {one}
        error = error[None]
        found = [np.zeros_like(weight) for weight in weights]
        steps(1, {inputs}, *weights, *kept, *found)
        return found
'''
REFUSE = """\
if any(ctx.needs_input_grad[{low}:{high}]):
            raise RuntimeError("{sequences}: {method} gives no derivatives by inputs; expected them detached")
        """
FAST = """\
try:
    from numba import njit as compiled
except ImportError:

    def compiled(function):
        return function"""


def linear(system: System, output: Quantity) -> tuple[System, Quantity, Quantity]:
    """The part of a system that an output is computed by, with the loss L = sum of error times output; error and L."""
    found, todo, kept = {output}, [output], System(system.name, system.t)
    while todo:
        cases = [*system.cases(quantity := todo.pop())]
        cases += [start for state, start in system.initial_values.items() if state == quantity]
        read = {ref.quantity for case in cases for ref in refs(case.right)} - found
        found |= read
        todo += [one for one in read if one.role == DEFINED]
    for case in system.all_definitions():
        if case.left.quantity in found:
            kept[case.left] = case.right
    for state, start in system.initial_values.items():
        if state in found:
            kept.initial(start.left, start.right)
    for given, first in system.first_times.items():
        if given in found:
            kept.given_from(given, first)
    error, loss, s = sequence("error", *output.domains), scalar("L"), time("s")
    letters = [Index(letter, over) for letter, over in zip("abcd", output.domains, strict=False)]
    kept[loss[()]] = Sigma(sum_over(*letters, error[(*letters, s)] * output[(*letters, s)]), s, 1, LENGTH)
    return kept, error, loss


def bodies(plan: Plan, output: Quantity, error: Quantity, method: str) -> tuple[list[str], str]:
    """The compiled functions of a layer as text, and what follows them. ValueError: an output of no given sequence."""
    sequences = [one for one in plan.inputs() if one != error]
    if not sequences:
        raise ValueError(f"output: expected one that depends on a given sequence, got {output}")
    back = Loops(plan, Names(), back_to=sequences)
    forward, *swept = back.functions()
    loops = back if method == "bptt" else Carried(plan, Names())
    functions = [forward, *(swept if method == "bptt" else loops.functions())]
    whole = loops.whole([forward, *swept] if method == "bptt" else functions[1:])
    texts = [*(one.text(loops.shared) for one in functions), _outputs(back, forward, output), whole]
    words = _words(plan, loops, sequences, output, error, method)
    if method == "bptt":
        return texts, WHOLE.format(**words)
    gradients = len(plan.weights)
    lengths = [*functions[-1].arrays.items()][:-gradients]
    kept = ["def carried():", "    return ["]
    kept += [f"        np.zeros({loops.lengths(axes)}),  # {name}" for name, axes in lengths]
    words["place"] = [name for name, _ in lengths].index(loops.names(output, ""))
    end = WHOLE.format(**words) + ONLINE.format(**words | {"refuse": _refuse(words, 1)})
    return [*texts, "\n".join([*kept, "    ]"])], end


def _outputs(loops: Loops, forward: Function, output: Quantity) -> str:
    """A function of given sequences and weights that returns the outputs at the times 1 to T."""
    call = wrapped("    forward(", f"{', '.join(['T', *loops.shared, *forward.arrays])})")
    result = f"    return {loops.names(output, '')}[{loops.plan.depth} :]"
    return "\n".join([signature("outputs", loops.shared), *loops.zeros(forward), call, result])


def _words(
    plan: Plan, loops: Loops, sequences: list[Quantity], output: Quantity, error: Quantity, method: str
) -> dict[str, Any]:
    """What the templates leave open."""
    names, cut = [loops.names(one, "") for one in sequences], method != "bptt"
    shapes = {loops.names(one, ""): plan.shape(one) for one in plan.weights}
    words = {
        "name": plan.system.name,
        "output": output.name,
        "method": method,
        "shapes": "{" + ", ".join(f'"{name}": {shape}' for name, shape in shapes.items()) + "}",
        "sequences": ", ".join(names),
        "first": names[0],
        "axes": 1 + len(sequences[0].domains),
        "count": len(names),
        "inputs": ", ".join(loops.names(one, "") for one in plan.of(INPUT)),
        "width": loops.lengths(plan.axes(error))[1:-1].rstrip(","),
        "one": f"{', '.join(names)} = {', '.join(f'{name}[None]' for name in names)}",
        "empty": f"{', '.join(names)} = "
        + ", ".join(f"np.zeros({loops.lengths((Integer(0), *plan.axes(one)))})" for one in sequences),
        "nothing": "None, " * len(names) if cut else "",
        "rest": f"[{len(names)}:]" if cut else "",
    }
    return words | {"refuse": _refuse(words, 0) if cut else ""}


def _refuse(words: dict[str, Any], low: int) -> str:
    return REFUSE.format(**words, low=low, high=low + words["count"])
