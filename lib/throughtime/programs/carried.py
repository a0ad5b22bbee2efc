"""Derivatives carried forward: real-time recurrent learning with those sensitivities alone that are not 0.

Each step asks how its loss responds to the states of earlier steps, through this step only, and multiplies by what is
carried of these states: their derivatives with respect to the weights. Where a unit depends on its own weights only,
as the engine proves, one number is carried for each weight.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import cache, partial
from itertools import product

from sympy import Add, Expr, Integer, Mul, Symbol, expand_mul

from throughtime.derivation.deriving.definition import reached
from throughtime.derivation.formulas.domains import Index
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.nodes import (
    DEFINED,
    Activation,
    Applied,
    Delta,
    DerivativeSymbol,
    Quantity,
    Ref,
    Sigma,
    sum_over,
)
from throughtime.derivation.formulas.rewrite import free, replace, split_sums, substitute
from throughtime.derivation.printing.printer import to_text
from throughtime.programs.loops import Axes, Function
from throughtime.programs.plan import Plan, leaves, merged, symbols
from throughtime.programs.sums import Sums
from throughtime.programs.writer import ORDERS, Identifiers

Value = tuple[Activation, int, Quantity]  # an activation or one of its derivatives, and the state it is applied to


class Carried(Sums):
    """Writes what a network does at each step when its gradient is carried along, and what it begins with.

    With `products`, sums over the units of a layer call a product of matrices.
    """

    def __init__(self, plan: Plan, names: Identifiers, products: bool = True):
        super().__init__(plan, names, products)
        self.multiplied: dict[str, str] = {}  # large arrays of this step and the one before, which change places
        self._by_way_of = cache(self._by_way_of_state)  # asked for in both passes
        self.asked: Counter[Value] = Counter()  # how often activations of present states are written
        self.values: set[Value] = set()  # those written more than once, which a step computes once

    def functions(self) -> list[Function]:
        """`start`, which sets all that is carried to its value at time 0, and `steps`, which takes T steps.

        DerivationError for a loss that is no sum over time.
        """
        self._plan_what_is_carried()
        self.asked.clear()
        self.silent = True
        self._steps()
        self.silent = False
        self.values = {key for key, times in self.asked.items() if times > 1}
        steps = self._steps()
        return [self._begin(), steps]

    def _plan_what_is_carried(self) -> None:
        plan = self.plan
        self.body = plan.step_of_loss()
        self.states = plan.carried()
        self.diagonals: dict[tuple[Quantity, Quantity], frozenset] = {}
        self.recursions: dict[DerivativeSymbol, Expr] = {}  # derivatives of states, and one step of each
        late = {quantity for quantity, _ in self.states}
        for weight in plan.weights:
            whole = plan.generic(weight)
            needed = self._needed(weight, late)
            for case in (case for case in plan.steps if case.left.quantity in needed):
                begins = case.left.quantity in late and self._begins_with(case.left.quantity, weight)
                for node in leaves(case.left):
                    steps = [(by, *plan.sensitivity(node, by)) for by in leaves(whole)]
                    found = {by: (plan.forward(by).symbol(state), step) for by, state, step in steps}
                    pairs = merged(whole, found).values()
                    self.recursions |= {symbol: step for symbol, step in pairs if step != 0 or begins}
        for symbol in [*self.recursions]:
            self._inline(symbol)
        used = dict.fromkeys(map(self._pair, self.recursions))
        self.diagonals = {pair: plan.diagonal(*pair) or frozenset() for pair in used}
        self.in_place = {pair for pair in used if plan.lag(pair[0]) == 1 and self._goes_on_alone(pair)}

    def _begins_with(self, state: Quantity, weight: Quantity) -> bool:
        """Whether the initial value of a state reads a weight."""
        start = self.plan.system.initial_values.get(state)
        return start is not None and start.right.has(weight)

    def _goes_on_alone(self, pair: tuple[Quantity, Quantity]) -> bool:
        """Whether each element of a derivative is read a step later by itself alone, and begins at 0."""
        if pair[0] in self.plan.system.initial_values:
            return False
        for symbol, step in self.recursions.items():
            before = [one for one in symbols(step) if self._pair(one) == pair and one.target.time != self.t]
            own = self._pair(symbol) == pair and all(self._letters(node) == self._letters(symbol) for node in before)
            if before and (not own or step.has(Sigma)):  # a sum is collected in the element, from 0 on
                return False
        return True

    def _inline(self, symbol: DerivativeSymbol) -> None:
        """Write a derivative that one other reads, once and at its own time, into that: an array and a pass less."""
        here = self._pair(symbol)
        same = [one for one in self.recursions if self._pair(one) == here]
        reads = ((one, node) for one, step in self.recursions.items() for node in symbols(step))
        readers = [(one, node) for one, node in reads if self._pair(node) == here]
        if len(same) == len(readers) == 1 and here[0] not in {late for late, _ in self.states}:
            [(reader, node)] = readers
            values = dict(zip(self._letters(symbol), self._letters(node), strict=True))
            step = self.recursions[reader]
            outside = free(node) <= free(step) | free(reader)  # of sums
            if outside and substitute(symbol, values) == node:
                whole = replace(step, lambda one: substitute(self.recursions[symbol], values) if one == node else None)
                self.recursions[reader] = expand_mul(whole, deep=False)
                del self.recursions[symbol]

    def _needed(self, weight: Quantity, late: set[Quantity]) -> set[Quantity]:
        """The states whose derivative with respect to a weight is needed: those read later and their parts."""
        plan = self.plan

        def parts(quantity: Quantity) -> Iterator[Quantity]:
            for by, case in product(leaves(plan.generic(weight)), plan.system.cases(quantity)):
                for node in leaves(case.left):
                    yield from (one.target.quantity for one in symbols(plan.sensitivity(node, by)[1]))

        needed = {one for one in late if plan.diagonal(one, weight) is not None}
        return needed | reached(needed, parts)

    # arrays

    def _lagged(self, quantity: Quantity, lag: int) -> str:
        return self.names((quantity, lag), f"{quantity.name}_{lag}") if lag else self.names(quantity, "")

    def _sensitivity_name(self, state: Quantity, weight: Quantity, lag: int) -> str:
        lag = 0 if (state, weight) in self.in_place else lag
        wanted = f"d{state.name}_d{weight.name}" + (f"_{lag}" if lag else "")
        return self.names(("sensitivity", state, weight, lag), wanted)

    def _now(self, node: Expr) -> str:
        """An element of what is kept of this step or of one before it."""
        if isinstance(node, DerivativeSymbol) and node.target != self.plan.loss:
            places = [self.writer.at(place, over.lower) for place, over in self._axes(node)]
            name = self._sensitivity_name(node.target.quantity, node.wrt.quantity, self._lag(node.target))
            return f"{name}[{', '.join(places) or '()'}]"
        ref = node.wrt if isinstance(node, DerivativeSymbol) else node
        if not ref.quantity.is_defined:
            return self._given(self.writer, ref)
        lag = self._lag(ref)
        name = self.adjoint_name(ref.quantity, lag) if ref is not node else self._lagged(ref.quantity, lag)
        return name + self._index(self.writer, ref.quantity, ref.indices)

    def _lag(self, ref: Ref) -> int:
        if ref.time is None:
            raise DerivationError(f"{self.plan.system.name}: {ref} is known after the last step only")
        lag = self.t - ref.time if self.t in free(ref.time) else 1 - ref.time
        if not (lag.is_Integer and lag >= 0):
            raise DerivationError(f"{self.plan.system.name}: the derivative of one step reads {ref} of another time")
        return int(lag)

    def _arrays(self) -> Axes:
        """Every array that is kept between steps or used within one."""
        plan, found = self.plan, {}
        for state in plan.of(DEFINED, timed=True):
            for lag in range(plan.lag(state) + 1):
                found[self._lagged(state, lag)] = plan.axes(state)
        for state in plan.of(DEFINED, timed=True):
            if state in plan.back.reached:
                found[self.adjoint_name(state)] = plan.axes(state)
        found |= {self.adjoint_name(state, lag): plan.axes(state) for state, lag in self.states}
        found |= {self._value_name(key): plan.axes(key[2]) for key in sorted(self.values, key=self._value_name)}
        for state, weight in self.diagonals:
            axes = *self._units((state, weight), plan.axes(state)), *plan.axes(weight)
            for lag in range(plan.lag(state) + 1):
                found[self._sensitivity_name(state, weight, lag)] = axes
        return found | self._gradients()

    # activations

    def _value_name(self, key: Value) -> str:
        function, order, state = key
        return self.names(key, f"{function.name}{ORDERS[order]}_{state.name}")

    def _value_of(self, node: Applied) -> str | None:
        """The element of an array in which the step keeps an activation of a present state."""
        ref = node.argument
        if not (isinstance(ref, Ref) and ref.quantity.is_defined and ref.quantity.timed) or self._lag(ref):
            return None
        key = (node.function, node.order, ref.quantity)
        self.asked[key] += 1
        return (
            self._value_name(key) + self._index(self.writer, ref.quantity, ref.indices) if key in self.values else None
        )

    def _check_values(self, state: Ref) -> None:
        """Compute the activations of a state that later lines read more than once."""
        letters = [index for index in state.indices if isinstance(index, Index)]
        for key in sorted((key for key in self.values if key[2] == state.quantity), key=self._value_name):
            node = Applied(key[0], Integer(key[1]), state)
            element = self._value_of(node)
            self.values.remove(key)
            self.writer.line(f"# {to_text(node)}")
            self.writer.assign(letters, partial(str, element), node)
            self.values.add(key)

    # ---- the functions

    def _begin(self) -> Function:
        plan = self.plan
        self._start(self._now, 0, Symbol("t"))
        for start in plan.system.initial_values.values():
            for lag in range(1, plan.lag(start.left.quantity) + 1):
                self._let(start.left.at(Integer(1 - lag)), start.right)
        for state, weight in self.diagonals:
            cases = product(leaves(plan.generic(weight)), plan.system.cases(state), range(1, plan.lag(state) + 1))
            for by, case, lag in cases:
                for node in leaves(case.left.at(Integer(1 - lag))):
                    known = plan.forward(by).known(plan.sensitivity(node, by)[0])
                    if known is not None and known.value != 0:
                        self._carry(plan.forward(by).symbol(plan.sensitivity(node, by)[0]), known.value)
        return self._function("start", self._arrays())

    def _steps(self) -> Function:
        plan, writer = self.plan, self._start(self._now, 0, Symbol("t") + 1)
        writer.value_of, total = self._value_of, self.names("total loss", "loss")
        writer.line(f"{total} = 0.0")
        with writer.block("for t in range(T):"):
            for case in plan.steps:
                self._let(case.left, case.right)
                self._check_values(case.left)
            self._say(plan.loss, "+=", self.body)
            writer.line(f"{total} += {writer.doprint(self.body)}")
            mask = plan.mask_of(self.body)
            with writer.block(f"if {self._now(mask[self.t])} != 0.0:") if mask else nullcontext():
                self._gradient_of_step()
            for symbol, step in self.recursions.items():
                self._carry(symbol, step)
            self._shift()
        for now, before in self.multiplied.items():
            with writer.block("if T % 2:"):
                self._copy(now, before)
        return self._function("steps", self._arrays(), total)

    def _gradient_of_step(self) -> None:
        """What the loss of this step adds to the gradient: directly, and through what earlier states carry."""
        plan = self.plan
        for case in reversed(plan.steps):
            for node in leaves(case.left) if case.left.quantity in plan.back.reached else ():
                self._let(plan.back.symbol(node), plan.adjoint(node, 0).get(0, Integer(0)))
        for state, lag in self.states:
            for case in plan.system.cases(state):
                for node in leaves(case.left.at(self.t - lag)):
                    self._let(plan.back.symbol(node), plan.adjoint(node, lag).get(lag, Integer(0)))
        self._use(plan.steps, self.t)
        for weight in plan.weights:
            self._through_states(weight)

    def _through_states(self, weight: Quantity) -> None:
        """What the loss of this step owes to a weight by way of earlier states."""
        plan, whole = self.plan, self.plan.generic(weight)
        for state, lag in self.states:
            for case in plan.system.cases(state) if (state, weight) in self.diagonals else ():
                for node in leaves(case.apart(free(whole)).at(self.t - lag)):
                    terms = {by: [self._by_way_of(node, by)] for by in leaves(whole)}
                    for by, [term] in merged(whole, terms).items():
                        self._gather(by, term)

    def _by_way_of_state(self, node: Ref, by: Ref) -> Expr:
        engine = self.plan.forward(by)
        term = sum_over(*node.indices, Mul(self.plan.back.symbol(node), engine.symbol(node)))
        return engine.resolve(split_sums(term))[0]

    def _carry(self, symbol: DerivativeSymbol, step: Expr) -> None:
        """One step of a recursion: sums over states first, the weight's axes inside, then what needs no sum."""
        state, weight = symbol.target, symbol.wrt
        inner = [index for index in weight.indices if isinstance(index, Index)]
        outer = [index for index in state.indices if isinstance(index, Index) and index not in inner]
        sums = [term for term in Add.make_args(step) if self._is_sum_of_states(term, inner)] if outer else []
        self._say(symbol, "=", step)
        if not sums:
            self.writer.assign([*outer, *inner], lambda: self._now(symbol), step)
            return
        bodies = [self._body(term) for term in sums]
        multiply = self.products and all(self._fits(symbol, outer, inner, *body) for body in bodies)
        if not multiply:
            self.writer.assign([*outer, *inner], lambda: self._now(symbol), Integer(0))
        for place, (over, body) in enumerate(bodies):
            if multiply:
                self._multiply(self._now(symbol), outer, inner, over, body, add=place > 0)
            else:
                self.writer.collect(outer, inner, lambda: self._now(symbol), Sigma(body, over))
        if multiply and self.plan.lag(state.quantity) == 1:
            self.multiplied[self._now(symbol).split("[")[0]] = self._sensitivity_name(*self._pair(symbol), 1)
        for term in Add.make_args(step - Add(*sums)):
            self._add(symbol, outer, inner, term)

    def _add(self, symbol: DerivativeSymbol, outer: Sequence[Index], inner: Sequence[Index], term: Expr) -> None:
        """A term without a sum; where a delta makes a unit that of the weight, only for that unit."""
        for delta in (one for one in Mul.make_args(term) if isinstance(one, Delta)):
            own, other = sorted(delta.args, key=lambda letter: letter in inner)
            if own in outer and other in inner and own.domain == other.domain:
                rest = [letter for letter in outer if letter != own]
                alone = substitute(Mul(*(one for one in Mul.make_args(term) if one is not delta)), {own: other})
                self._add(substitute(symbol, {own: other}), rest, inner, alone)
                return
        if term != 0:
            self.writer.assign([*outer, *inner], lambda: self._now(symbol), term, "+=")

    def _gather(self, weight: Ref, whole: Expr) -> None:
        if self._is_sum_of_states(whole, weight.indices):
            self._say(self.plan.back.symbol(weight), "+=", whole)
            over, body = self._body(whole)
            if self.products and self._fits(weight, [], weight.indices, over, body):
                self._multiply(self._by_weight(weight), [], weight.indices, over, body, add=True)
            else:
                self.writer.collect([], weight.indices, lambda: self._by_weight(weight), Sigma(body, over))
        else:
            self._add_to(weight, whole)

    def _shift(self) -> None:
        """Make the present step the one before the next."""
        for state in self.plan.of(DEFINED, timed=True):
            self._pass_on([self._lagged(state, lag) for lag in range(self.plan.lag(state) + 1)])
        for state, weight in self.diagonals:
            names = [self._sensitivity_name(state, weight, lag) for lag in range(self.plan.lag(state) + 1)]
            if (state, weight) in self.in_place:
                continue
            if names[0] in self.multiplied:
                self.writer.line(f"{names[0]}, {names[1]} = {names[1]}, {names[0]}")
            else:
                self._pass_on(names)

    def _pass_on(self, names: Sequence[str]) -> None:
        for later, earlier in zip(names[:0:-1], names[-2::-1], strict=True):
            self._copy(later, earlier)

    def _copy(self, later: str, earlier: str) -> None:
        """Copy an array, in a function that compiles sooner than the assignment."""
        self.writer.line(f"_copied({later}, {earlier})" if self.products else f"{later}[...] = {earlier}")
