"""What `read` returns: a system that shows how it was read, its derivations checked, and printed formulas judged."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from sympy import Expr

from throughtime import derivation as engine
from throughtime.derivation import Quantity
from throughtime.derivation.publishing.render import bundle
from throughtime.reading.judging import Judging
from throughtime.reading.said import in_html, in_text
from throughtime.reading.spelling import sentences


class Reading(Judging):
    """A recurrence as it was read: its `system`, and the `bench` against which derivations are checked.

    It prints each letter with its sizes, computed, an input, a target, given once, learned or a function, and its index
    form.
    `reading["W_r"]` is a quantity, an activation or a size of the text by its name, for statements of one's own. Names
    are written as in the text, as `"h_t"` or `r"\\tilde{c}_t"`.
    """

    # ---- how it shows itself

    def _definitions(self) -> list[tuple[Expr, Expr]]:
        starts = self.system.initial_values.values()
        first = [(one.left.at(one.left.time.xreplace({self.system.t: 0})), one.right) for one in starts]
        return [*((one.left, one.right) for one in self.system.all_definitions()), *first]

    def _letters(self) -> tuple[Iterable[Quantity], set[Quantity], Iterable[engine.Activation], list[str]]:
        """The quantities, those that are targets, the functions, and the sentences that were passed over."""
        built, targets = self._built, self.system.targets_of(self.loss) | self._built.goals
        return built.quantities.values(), targets, built.elements.functions.values(), sentences(built.read.source.text)

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
    else or the text says so: `a in R`, `u, v in R^n`; a bare I is the identity, T the number of steps. A space, a dot
    or @ is the product of matrices, in which a vector before a matrix is a row; * and ⊙ go element by element, ⟨a, b⟩
    is a^T b; [x_t; h_{t-1}], or a bmatrix, are vectors one below the other, W^T is a transpose, and sum_{k=1}^3 A_k
    x_{t-k} is written out. Where letters are indices, as in `h_i(t) = f(sum_j w_ij x_j(t))`, the equation is in index
    notation. LaTeX is read as it is pasted. A left side is computed, what has a time is given, the rest is learned; a
    sum inside an activation is named as a net input. tanh and sigma (sigmoid, logistic) have the slopes 1 - tanh^2 and
    sigma (1 - sigma); f, g, phi, psi, rho, a sigma with a label and other words are functions of which nothing is
    known; so are relu, abs, sign, softplus, silu, elu, sin, cos, sinh and cosh in proofs, in counterexamples they are
    what they say. A state starts at 0, or as a line `h_0 = s` says. The loss has the name L, E, J, C, l, loss, Loss or
    cost and no time, as `L = sum_t ...`, or is the sum of a cost `L_t = ...`. If there is no such line, it is what is
    written without a time, or else half the squared distance from a given target: each of what no line reads, or if all
    is read, what no other line reads as it is written on its left. Of several none is chosen. Targets are the given
    letters that only the loss reads, a cost, or an error such as y_t - d_t; the others are inputs.

    Without times, h' = f(W x + U h) is a step: h', h_new and h_next are h_t, h is h_{t-1}, x is given; h_prev is
    h_{t-1} anywhere. In z_t^j = sigma(W x_t)^j and [W x_t]_j the j of the left side is a unit; p_t(i) is p_{i,t}. A
    sentence without an equation, as "where W is the weight of the input", is passed over, which the reading says, but
    for one with a condition, a start or another function than a sigmoid in it.

    Letters stand for what the first lines say; tanh^2(a) is tanh(a)^2, e^{a} is exp(a) where e is no letter of the
    text, and W^{(1)}_h is W_h^{(1)}. A letter that is a function of the bracket behind it or a factor, as F in F(W x_t
    + b), is refused with both readings; so are gamma^t, sigma^2(a), W * X_t, A' in a product with A, (1 - K) P of
    matrices, S_t I_t of two capital states, R I_t beside a capital constant, phi(h_{t-1} - mu) in a sum, A^n, A^*, i
    without a time, and one letter in two fonts. dt, written Delta t too, is a number, and so are lr, eps, eta and
    epsilon, and a small Greek letter at a bar, but for a gamma above it, or at a *. A text with x_t W and without W x_t
    is in rows: k_t^T v_t is a matrix there, and the b of X_t W + b has an element for each column. delta_{ij} is
    Kronecker's.

    Parameters: `name` of the system, the letter of the `time`, the `targets`, as "d_t" or several such, if they are
    others, and what is `given` of the letters without a time, as "alpha dt": it is not learned. So are d and y without
    a time that only the loss reads: targets. Raises NotationError, with a caret under the place, for what cannot be
    read, can be read in two ways, or is no recurrence for the engine, ValueError for targets that are not given, and
    for what is given but not in the text.
    """
    return Reading(text, name, time, targets, _words(given))


def _words(names: str | Iterable[str]) -> list[str]:
    """Names that are several, or one text with spaces or commas between them."""
    return re.split(r"[,;\s]+", names.strip(" ,;")) if isinstance(names, str) else [*names]
