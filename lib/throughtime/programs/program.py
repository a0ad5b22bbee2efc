"""The programs of a network as text, derived and written when they are first asked for. No NumPy is needed for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from math import prod
from typing import Any

from throughtime.derivation.deriving.forward import Cut
from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.domains import Dimension
from throughtime.derivation.formulas.functions import Elementary, relu
from throughtime.derivation.formulas.nodes import INPUT, Quantity, Ref
from throughtime.programs.carried import Carried
from throughtime.programs.javascript import javascript
from throughtime.programs.kept import kept
from throughtime.programs.loops import Function, Loops
from throughtime.programs.parts import in_parts
from throughtime.programs.plan import Plan, quantity_of
from throughtime.programs.text import FORMULAS, whole
from throughtime.programs.writer import Identifiers

LANGUAGES = ("python", "loops", "javascript")
WIDE = 32  # units of a layer whose loops a compiler makes of several units at a time


def only(name: str, given: Iterable[str], known: Iterable[str], what: str) -> None:
    """ValueError for names that a system does not have: a misspelt one would be passed over in silence."""
    known = sorted(known)
    if unknown := sorted({*given} - {*known}):
        raise ValueError(f"{name}: expected only {what} of the system, {known}, got {unknown[0]!r}")


class Program:
    """What a system defines, and its gradients, as text: a program for each of `METHODS`.

    system, loss, sizes     as for ``compile``
    activations             for each activation of the system the name of one; those with a slope of their own need none
    cuts                    further methods of `source` by name: the arguments that each of them holds constant

    ValueError for cuts named "bptt" or "rtrl", and for activations that are missing or unknown.
    """

    def __init__(
        self,
        system: System,
        loss: Quantity | Ref,
        sizes: Mapping[Dimension, int],
        activations: Mapping[str, str] | None = None,
        cuts: Mapping[str, Iterable[Cut]] | None = None,
    ) -> None:
        cuts = cuts or {}
        self.name, self.plan = system.name, Plan(system, quantity_of(loss), {**sizes})
        if taken := {"bptt", "rtrl"} & {*cuts}:
            raise ValueError(f"cuts: expected names other than 'bptt' and 'rtrl', got {sorted(taken)}")
        self._plans = {"rtrl": self.plan} | {
            name: Plan(system, self.plan.loss.quantity, self.plan.sizes, tuple(some)) for name, some in cuts.items()
        }
        self.METHODS = ("bptt", *self._plans)
        self.activations = self._chosen(activations or {})
        self._names = Loops(self.plan, Identifiers()).names
        self._texts: dict[tuple[str, bool], tuple[list[Function], str]] = {}

    def _chosen(self, activations: Mapping[str, str]) -> dict[str, str]:
        """The formula of each activation of the system, by the name that it has there."""
        functions = self.plan.activations()
        only("activations", activations, (function.name for function in functions), "activations")
        chosen: dict[str, str] = {}
        for function in functions:
            value = activations.get(function.name, function.name if function.name in FORMULAS else None)
            if value is None:
                raise ValueError(f"activations: expected one for {function.name}, got {sorted(activations)}")
            argument = f"activations[{function.name}]"
            _one_of(argument, value, FORMULAS)
            known = isinstance(function, Elementary) or function == relu  # the equations were derived for no other
            if known and FORMULAS[value] != FORMULAS.get(function.name):
                raise ValueError(f"{argument}: expected {function.name} itself, whose slope is known, got {value!r}")
            chosen[function.name] = value
        return chosen

    def _written(self, method: str, plain: bool = False) -> tuple[list[Function], str]:
        """The functions of a method, and the one that calls them, derived and written when they are first asked for.

        Plain ones call no product of matrices.
        """
        if (method, plain) not in self._texts:
            plan = self._plans.get(method, self.plan)
            how = f"{method == 'bptt'} {plain}"
            with plan.system.printing:  # comments, and the order in which terms are added
                functions, caller = kept(plan, how, lambda: self._derived(method, plain))
            self._texts[method, plain] = [*map(Function.of, functions)], caller
        return self._texts[method, plain]

    def _derived(self, method: str, plain: bool) -> tuple[list[dict[str, Any]], str]:
        """The same without classes."""
        plan = self._plans.get(method)
        loops = Loops(self.plan, Identifiers(), not plain) if plan is None else Carried(plan, Identifiers(), not plain)
        functions = loops.functions()
        callers = [loops.whole(functions), *([loops.batch(functions)] if plan is None and not plain else [])]
        return [asdict(function.sized(loops.plan)) for function in functions], "\n\n\n".join(callers)

    def source(self, method: str = "bptt", language: str = "python") -> str:
        """The program of a method of `gradient` as text.

        language      "python", the very text that runs, compiled where there is a compiler; "loops", its equations
                      in loops of one term at a time, to be read and counted; or "javascript", those loops again

        ValueError for another method or language.
        """
        _one_of("method", method, self.METHODS)
        _one_of("language", language, LANGUAGES)
        if language == "python":
            return self._program(method, exp="_exp" if max(self.plan.sizes.values(), default=0) >= WIDE else "np.exp")
        loops = self._program(method, plain=True)
        return loops if language == "loops" else javascript(loops)

    def _program(self, method: str, plain: bool = False, exp: str = "") -> str:
        functions, caller = self._written(method, plain)
        shared = [self._names(one, "") for one in (*self.plan.of(INPUT), *self.plan.weights)]
        texts = [function.text(shared) for function in functions]
        if not plain:
            sizes = [self._names(one, "") for one in self.plan.sizes]
            texts = [part for text in texts for part in in_parts(text, sizes)]
        texts.append(caller)
        return self._text(f"{self.name}: {method}.", ["import numpy as np"], texts, exp=exp)

    def _text(self, title: str, head: Sequence[str], bodies: Sequence[str], exp: str = "") -> str:
        """A module of functions, with the activations and sizes that they use."""
        sizes = [f"{self._names(one, '')} = {size}" for one, size in self.plan.sizes.items()]
        return whole(title, [*head, "", *sizes], self.activations, bodies, exp)

    def _numbers(self, method: str, plain: bool = False) -> int:
        """How many numbers a step goes through."""
        functions, _ = self._written(method, plain)
        return sum(prod(one for one in shape if one) for shape in functions[-1].arrays.values())


def _one_of(name: str, value: Any, options: Iterable[str]) -> None:
    if value not in (options := tuple(options)):
        raise ValueError(f"{name}: expected one of {', '.join(map(repr, options))}, got {value!r}")
