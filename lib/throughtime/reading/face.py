"""What `read` returns: a system that shows how it was read, its derivations checked, and printed formulas judged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from sympy import Expr, Integer

from throughtime import derivation as engine
from throughtime.derivation import INPUT, PARAMETER, Quantity, Ref, Statement, Total
from throughtime.derivation.deriving.steps import Derivation
from throughtime.derivation.formulas import rewrite
from throughtime.derivation.formulas.errors import NotShownError, UncorrectedError
from throughtime.derivation.formulas.nodes import Immediate, Sigma, sum_over
from throughtime.derivation.judging.checks import NOWHERE as UNREAD
from throughtime.derivation.judging.checks import Chain
from throughtime.derivation.judging.render import bundle
from throughtime.reading.answer import AGREES, NOWHERE, Answer
from throughtime.reading.printed import Printed
from throughtime.reading.questions import Questions, checkable
from throughtime.reading.said import in_html, in_text
from throughtime.reading.statements import letters_of
from throughtime.reading.trees import Equation, Name

LARGEST = 3000  # parts of a derivative: more take minutes to check


class Reading(Questions):
    """A recurrence as it was read: its `system`, and the `bench` against which derivations are checked.

    It prints each letter with its sizes, computed, an input, a target, given once, learned or a function, and its index
    form.
    `reading["W_r"]` is a quantity, an activation or a size of the text by its name, for statements of one's own. Names
    are written as in the text, as `"h_t"` or `r"\\tilde{c}_t"`.
    """

    # ---- judging

    _assumed: tuple[str, ...] = ()

    def judge(
        self, text: str, *, given: str = "", corrected: str | None = None, title: str | None = None
    ) -> Statement | Answer:
        """Judge a printed formula, such as "dL/dh_t = ...", in the notation of the recurrence.

        What holds comes back as a box. What does not comes back with a counterexample in numbers of the functions
        themselves, and the correction: the one that is given, or else what the engine derives for the left side, or an
        `Answer` "wrong" where it derives none. What no number refutes and the engine cannot prove comes back as an
        `Answer` "not shown", a correction given or not. In a formula that has both d and the round ∂ the latter holds
        all other arguments of an equation of the text, as ∂^+ does in any formula; without d, or with ∂^+ beside it, it
        is read as d. Sums and products run over any times, as prod_{i=k+1}^t dh_i/dh_{i-1}: one of Jacobians has the
        latest first, and of other matrices the order is that of prod_{i=t}^{k+1}. dh_t/dh_k is of times k up to t.

        `given` is an assumption under which the formula is judged: "sum(y_t) = 1", of elements of what the text gives
        at each time, such as targets that are probabilities. Raises NotationError for a text that cannot be read,
        ValueError for another assumption, CheckError for a correction that does not hold, is not shown or is not
        needed.

        >>> net = read("p_t = softmax(V x_t)\\nL = -sum_t y_t^T log(p_t)")
        >>> print(net.judge("dL/dV = sum_t (p_t - y_t) x_t^T", given="sum(y_t) = 1").verdict)
        holds
        """
        if given:
            return self._under(given).judge(text, corrected=corrected, title=title)
        left, *rights = self.formula(text)
        printed = engine.chain(left, *rights)
        id = f"{re.sub(r'[^a-z0-9]+', '-', self.system.name.lower())}-{next(self._judged)}"
        how = {"title": title or f"${engine.to_latex(left)}$", "numeric": "the text has no program"}
        how |= {"assumptions": self._assumed}
        engine.reset_statements(id)
        try:
            found = self.bench.equation(id, printed, **how)
        except NotShownError as error:
            said = NOWHERE if UNREAD in str(error) else AGREES
            return Answer(tuple(printed), "not shown", said, self.system.printing)
        except UncorrectedError as error:
            if not corrected:
                return self._wrong(id, printed, error.example, how)
        forms = [engine.chain(*self.formula(corrected))] if corrected else []
        return self.bench.equation(id, printed, corrected=forms, **how) if corrected else found

    def _wrong(self, id: str, printed: Chain, example: str, how: dict[str, str]) -> Statement | Answer:
        """What is wrong, with the correction that the engine derives for its left side, if it derives one."""
        left, *rights = printed
        try:
            if isinstance(left, Ref):
                derivations, right = [], self.system.definition(left)
            else:
                derivations = [checkable(self._derived(left, rights))]
                right = derivations[0].result
            return self.bench.equation(
                id, printed, corrected=[engine.chain(left, right)], derivations=derivations, **how
            )
        except engine.DerivationError:  # no derivative, or one that cannot be derived
            return Answer(tuple(printed), "wrong", example, self.system.printing)

    def _under(self, given: str) -> Reading:
        """The recurrence in which the elements of a given sequence add up to 1: each is its share of another one's."""
        left, *right = self.formula(given)
        ref = left.body if isinstance(left, Sigma) and right == [1] else None
        if not isinstance(ref, Ref) or ref.quantity.role != INPUT or ref.args[1:] != (left.index, self.system.t):
            known = [str(one) for one in self._built.quantities.values() if one.role == INPUT and len(one.domains) == 1]
            raise ValueError(f"given: got {given!r}, expected sum(y_t) = 1 for one of {', '.join(known)}")
        of, now = ref.quantity, self._built.now
        reads = [one for case in self.system.all_definitions() for one in engine.refs(case.right)]
        if any(one.quantity == of and one.time.as_coeff_Add()[0] < 0 for one in reads):
            raise ValueError(f"given: {of} is read at an earlier time too, of which {given} says nothing")
        name, taken = self._built.read.names[of.name], {one.base for one in self._built.read.names.values()}
        other = next(one for one in "vurqgz" if one not in taken)
        base = name.base.replace("_hat", "\u0302").replace("_tilde", "\u0303").replace("_bar", "\u0304")
        line = f"{base}_{{{','.join((*name.marks, now))}}} = {other}_{now} / sum({other}_{now})"
        made = Reading(f"{self.text}\n{line}", self.system.name, now)
        made._assumed = (f"${engine.to_latex(left)} = 1$",)
        return made

    def formula(self, text: str) -> list[Expr]:
        """Both sides of a printed formula, or all of a chain of equal ones, in index notation."""
        known = frozenset({*self._names, *(name.split("_")[0] for name in self._names)})
        timed = {name: one.timed for name, one in self._built.quantities.items()}
        parser = Printed(text, self._built.now, known, timed, self._built.elements.sized)
        equations = [one for one in parser.statements() if isinstance(one, Equation)]
        if len(equations) != 1:
            raise parser.source.fault(0, f"found {len(equations)} equations", "expected one, as dL/dh_t = ...")
        (equation,) = equations
        equation = self._as_named(equation)
        elements = self._built.elements
        before, elements.source, elements.ranks.source = elements.source, parser.source, parser.source
        elements.closed = elements.ranks.closed = True
        elements.symbols, names = parser.symbols, self._built.sets.names
        self._built.sets.names = names | {*parser.symbols}
        try:
            sides = [side() for side in elements.sides(replace(equation, letters=letters_of(equation)))]
        finally:
            elements.source = elements.ranks.source = before
            elements.symbols, self._built.sets.names = {}, names
        return [rewrite.replace(side, self._immediate) for side in _lagged(sides)]

    def _as_named(self, tree: Any) -> Any:
        """An equation in which L without a time is the sum of the cost L_t."""
        if isinstance(tree, Equation):
            return replace(tree, left=self._as_named(tree.left), rights=tuple(map(self._as_named, tree.rights)))
        if isinstance(tree, Name):
            cost, total = self._built.quantities.get(tree.key()), self.system.definition(self.loss[()])
            term = total.body if isinstance(total, Sigma) else None
            summed = isinstance(term, Ref) and term.quantity == cost and cost.timed and not tree.time
            return replace(tree, base=self.loss.name, marks=()) if summed else tree
        return replace(tree, parts=tuple(map(self._as_named, tree.parts)))

    def _immediate(self, node: Expr) -> Expr | None:
        """An immediate derivative of an equation of the text: also through the net inputs that stand for its sums."""
        if not isinstance(node, Immediate):
            return None
        target, wrt, terms = node.target, node.wrt, [node]
        for net in {net for net, *_ in self._built.elements.nets.values()} - {target.quantity}:
            if net in {one for one, _ in self._read_by(target.quantity)}:
                taken = [str(letter) for ref in (target, wrt) for letter in ref.indices]
                through = self._built.element(net.name, target.time, taken)
                rest = self._immediate(Immediate(through, wrt))
                terms.append(sum_over(*through.indices, Immediate(target, through) * rest))
        return sum(terms, Integer(0))

    def _derived(self, left: Expr, rights: Iterable[Expr]) -> Derivation:
        """The derivation of a left side, down to the derivatives that the printed formula has."""
        if not isinstance(left, Total):
            raise engine.DerivationError(f"{left} is no derivative")
        found = [node for right in rights for node in engine.nodes(right) if isinstance(node, Total) and node != left]
        if left.target == self.loss[()] and left.wrt.quantity.role == PARAMETER:
            return self.bench.derive_gradient(left.target, left.wrt)
        if left.target == self.loss[()]:
            keep = {node.wrt.quantity for node in found if node.wrt.time == left.wrt.time}
            return self.bench.derive_backward(left.target, left.wrt, keep=keep)
        keep = {node.target.quantity for node in found if node.target.time == left.target.time}
        return self.bench.derive(left.target, left.wrt, keep=keep)

    # ---- how it shows itself

    def _definitions(self) -> list[tuple[Expr, Expr]]:
        starts = self.system.initial_values.values()
        first = [(one.left.at(one.left.time.xreplace({self.system.t: 0})), one.right) for one in starts]
        return [*((one.left, one.right) for one in self.system.all_definitions()), *first]

    def _letters(self) -> tuple[Iterable[Quantity], set[Quantity], Iterable[engine.Activation]]:
        """The quantities, those that are targets, and the functions."""
        targets = self.system.targets_of(self.loss) | self._built.goals
        return self._built.quantities.values(), targets, self._built.elements.functions.values()

    def __str__(self) -> str:
        with self.system.printing:
            lines = [*in_text(*self._letters()), *engine.chains_text(self._definitions())]
        return "\n".join([self.system.name, *lines])

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        with self.system.printing:
            formulas = engine.display(engine.chains_tex(self._definitions(), None))
            return bundle("".join(in_html(*self._letters())) + formulas, str(self))


def read(
    text: str,
    *,
    name: str = "recurrence",
    time: str = "t",
    targets: str | Iterable[str] | None = None,
    given: str | Iterable[str] = (),
) -> Reading:
    """A recurrence as a paper prints it, as a system with its derivations.

    >>> print(read("h_t = f(W x_t + U h_{t-1})"))
    recurrence
    computed: h (n), net_h (n), L
    inputs: x (m)
    targets: target (n)
    learned: W (n x m), U (n x n)
    functions: f
      net_h[i](t) = sum[j=1..m] W[i,j]*x[j](t) + sum[k=1..n] U[i,k]*h[k](t-1)
      h[i](t) = f(net_h[i](t))
      L = 1/2*sum[s=1..T] sum[i=1..n] (h[i](s) - target[i](s))^2

    A capital letter is a matrix, a small one a vector, a small Greek one a number, unless the equations need something
    else or the text says so: `a in R`, `lambda in R^n`; a bare I is the identity. A space, a dot or @ is the product of
    matrices, in which a vector before a matrix is a row; * and ⊙ go element by element; [x_t; h_{t-1}], or a bmatrix,
    are vectors one below the other, W^T is a transpose, and sum_{k=1}^3 A_k x_{t-k} is written out. Where letters are
    indices, as in `h_i(t) = f(sum_j w_ij x_j(t))`, the equation is in index notation. LaTeX is read as it is pasted. A
    left side is computed, what has a time is given, the rest is learned; a sum inside an activation is named as a net
    input. tanh and sigma (sigmoid, logistic) have the slopes 1 - tanh^2 and sigma (1 - sigma); f, g, phi, psi, rho, a
    sigma with a label and other words are functions of which nothing is known; so are relu, abs, sign, softplus, silu,
    elu, sin, cos, sinh and cosh in proofs, in counterexamples they are what they say. A state starts at 0, or as a line
    `h_0 = s` says. The loss has the name L, E, J, C, l, loss or cost and no time, as `L = sum_t ...`, or is the sum of
    a cost `L_t = ...`. If there is no such line, it is what is written without a time, or else half the squared
    distance from a given target: each of what no line reads, or if all is read, what no other line reads at the same
    time. Of several none is chosen. Targets are the given letters that only the loss reads, a cost, or an error such as
    y_t - d_t; the others are inputs.

    Letters stand for what the first lines say. A letter that is a function of the bracket behind it or a factor, as F
    in F(W x_t + b), is refused with both readings; so are gamma^t and W * X_t. dt, written Delta t too, is a number,
    and so is a small Greek letter under a bar or at a *. A text with x_t W and without W x_t is in rows: k_t^T v_t is a
    matrix there, and the b of X_t W + b has an element for each column. delta_{ij} is Kronecker's.

    Parameters: `name` of the system, the letter of the `time`, the `targets`, as "d_t" or several such, if they are
    others, and what is `given` of the letters without a time, as "alpha dt": it is not learned. So are d and y without
    a time that only the loss reads: targets. Raises NotationError, with a caret under the place, for what cannot be
    read, can be read in two ways, or is no recurrence for the engine, ValueError for targets that are not given, and
    for what is given but not in the text.
    """
    return Reading(text, name, time, targets, _words(given))


def _lagged(sides: Sequence[Expr]) -> Sequence[Expr]:
    """Both sides with the time k of a derivative dh_t/dh_k as t - l, a lag l from 0 on: of a later k they say nothing."""
    if not isinstance(sides[0], Total) or sides[0].target.time is None or sides[0].wrt.time is None:
        return sides
    when, earlier = sides[0].target.time, sides[0].wrt.time
    if not (when.is_Symbol and earlier.is_Symbol and earlier != when):
        return sides
    taken = {str(node) for side in sides for node in engine.nodes(side) if not node.args}
    back = engine.lag(next(one for one in ("l", "q", "r", "p", "l'") if one not in taken))
    return [rewrite.substitute(side, {earlier: when - back}) for side in sides]


def _words(names: str | Iterable[str]) -> list[str]:
    """Names that are several, or one text with spaces or commas between them."""
    return re.split(r"[,;\s]+", names.strip(" ,;")) if isinstance(names, str) else [*names]
