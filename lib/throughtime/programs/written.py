"""The programs of a network: derived and written when they are first asked for, compiled when that is worth it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from math import prod
from typing import Any

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.online import OnlineNetwork
from throughtime.derivation.formulas.nodes import INPUT
from throughtime.programs.build import OPTIONS, module, whole
from throughtime.programs.carried import Carried
from throughtime.programs.javascript import javascript
from throughtime.programs.kept import kept
from throughtime.programs.loops import Function, Loops
from throughtime.programs.parts import in_parts
from throughtime.programs.plan import Plan
from throughtime.programs.writer import Names

LANGUAGES = ("python", "loops", "javascript")
WIDE = 32  # units of a layer whose loops a compiler makes of several units at a time
# Numbers that plain Python goes through in the time in which a program is compiled: 2 to 10 million, measured on
# fourteen programs of 15 to 288 weights. A count and no clock: what a page prints does not depend on the machine.
WORTH = 4_000_000


class Written(OnlineNetwork):
    """A network of a plan, with a program for each of its `METHODS`."""

    name: str
    plan: Plan
    activations: dict[str, str]  # the formula of each
    given: dict[str, np.ndarray]
    compiled: bool | None
    _plans: dict[str, Plan]  # of the methods that carry derivatives
    _names: Names

    def _begin(self) -> None:
        """Nothing is written, and no work was asked."""
        self._texts: dict[tuple[str, bool], tuple[list[Function], str]] = {}
        self._modules: dict[tuple[str, bool], Any] = {}
        self._work: Counter[str] = Counter()

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
        loops = Loops(self.plan, Names(), not plain) if plan is None else Carried(plan, Names(), not plain)
        functions = loops.functions()
        callers = [loops.whole(functions), *([loops.batch(functions)] if plan is None and not plain else [])]
        return [asdict(function.sized(loops.plan)) for function in functions], "\n\n\n".join(callers)

    def source(self, method: str = "bptt", language: str = "python") -> str:
        """The program of a method of `gradient` as text.

        language      "python", the very text that runs, compiled where there is a compiler; "loops", its equations
                      in loops of one term at a time, to be read and counted; or "javascript", those loops again

        ValueError for another method or language.
        """
        validate.one_of("method", method, self.METHODS)
        if validate.one_of("language", language, LANGUAGES) == "python":
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

    def _module(self, method: str, steps: int) -> Any:
        """The program of a method, from the text that ``source`` returns, for so many steps more.

        "complex" is that of "bptt" with activations that take complex numbers, by branches.
        """
        written = "bptt" if method == "complex" else method
        if (compiled := self.compiled) is None:
            self._work[method] += steps * self._numbers(written)
            compiled = self._work[method] > WORTH
        if (method, compiled) not in self._modules:
            text, options = (self._program("bptt"), {}) if method == "complex" else (self.source(method), OPTIONS)
            self._modules[method, compiled] = module(text, compiled=compiled, **options)
        return self._modules[method, compiled]

    def _numbers(self, method: str, plain: bool = False) -> int:
        """How many numbers a step goes through."""
        functions, _ = self._written(method, plain)
        return sum(prod(one for one in shape if one) for shape in functions[-1].arrays.values())
