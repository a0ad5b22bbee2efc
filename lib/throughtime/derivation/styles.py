"""The two styles in which formulas print: plain text and LaTeX."""

from __future__ import annotations

from sympy import Add, Expr, Mul, latex

from .domains import Dimension
from .nodes import Bound, Paths, Sigma
from .places import bracket_terms, negative, place_terms


class Text:
    """Plain text, stable and readable in a terminal."""

    total, truncated, immediate = "d", "d_tr", "D"
    open_ended: tuple[type, ...] = (Bound, Paths)  # what runs on to the right unless it stands in brackets

    def name(self, atom: Expr) -> str:
        return atom.name

    def ref(self, base: str, indices: list[str], when: str | None) -> str:
        inner = ",".join(indices)
        return base + (f"[{inner}]" if indices else "") + (f"({when})" if when is not None else "")

    def prime(self, name: str, indices: list[str], order: int, argument: str) -> str:
        return f"{self.ref(name, indices, None)}{chr(39) * order}({argument})"

    def bound(self, node: Bound, lower: str, upper: str, body: str) -> str:
        head = "sum" if isinstance(node, Sigma) else "prod"
        return f"{head}[{self.name_of(node.index)}={lower}..{upper}] {body}"

    def paths(self, link: str, count: str, steps: str, upper: str, ends: tuple[str, str]) -> str:
        return f"paths[{ends[0]} to {ends[1]}, {count}=1..{steps}] {link}"

    def fraction(self, sign: str, below: str, target: str, wrt: str, simple: bool) -> str:
        return f"{sign}{target}/{below}{wrt}" if simple else f"{sign}({target})/{below}{wrt}"

    def delta(self, left: str, right: str) -> str:
        return f"delta[{left},{right}]"

    def power(self, base: str, exponent: str) -> str:
        return f"{base}^{exponent}" if exponent.isalnum() else f"{base}^({exponent})"

    def quotient(self, over: str, under: str) -> str:
        return f"{over}/{under}"

    def above(self, inner: str) -> str:
        """What stands before a slash: a sum needs brackets there, above a fraction bar it does not."""
        return f"({inner})"

    below = above

    def brackets(self, inner: str, large: bool) -> str:
        return f"({inner})"

    def name_of(self, index: Expr) -> str:
        return self.dimension(index) if isinstance(index, Add) else str(index)

    times = "*"
    plus, minus = "+", "-"
    absolute = ("|", "|")

    def dimension(self, expr: Expr) -> str:
        """A time, a size or an exponent: what is added first, lags and numbers behind."""
        if not isinstance(expr, Add):
            return self.plain(expr)
        return self._signed(place_terms(expr))

    def _signed(self, terms: list) -> str:
        text = ""
        for term in terms:
            sign = (self.minus if negative(term) else self.plus) if text else ("-" if negative(term) else "")
            if isinstance(term, tuple):
                text += sign + f"({self._signed(bracket_terms(term))}){self.times}{self.plain(term[1])}"
            else:
                text += sign + self._product(-term if negative(term) else term)
        return text

    def plain(self, expr: Expr) -> str:
        return str(expr).replace("**", "^")

    def _product(self, term: Expr) -> str:
        """A number of things n before the size d of each."""
        coefficient, base = term.as_coeff_Mul()
        sizes = Mul.make_args(base)
        if len(sizes) == 1 or not all(isinstance(size, Dimension) for size in sizes):
            return self.plain(term)
        ordered = sorted(sizes, key=lambda size: (not size.name.startswith("n"), size.rank))
        return self.times.join(map(self.plain, [coefficient, *ordered] if coefficient != 1 else ordered))


class Latex(Text):
    """LaTeX for MathJax. `sign` is the letter of the total derivative: d in the book, the partial sign in prints."""

    times = r"\,"
    plus, minus = " + ", " - "
    absolute = (r"\left|", r"\right|")
    open_ended = (Bound,)  # paths stand in brackets of their own

    def __init__(self, as_printed: bool = False):
        self.total = r"\partial " if as_printed else r"\mathrm{d}"
        self.truncated = r"\partial " if as_printed else r"\mathrm{d}_{\mathrm{tr}}"
        self.immediate = r"\partial "

    def name(self, atom: Expr) -> str:
        return atom.latex

    def ref(self, base: str, indices: list[str], when: str | None) -> str:
        between = ", " if any(" " in index for index in indices) else " "  # w_{j, i + d} would read as w_{j i + d}
        sub = f"_{{{between.join(indices)}}}" if indices else ""
        return base + sub + (f"({when})" if when is not None else "")

    def prime(self, name: str, indices: list[str], order: int, argument: str) -> str:
        base = self.ref(name, indices, None)
        if order and "^" in name and not name.startswith("{"):
            base = f"{{{base}}}"  # TeX refuses a prime beside a superscript
        return f"{base}{chr(39) * order}\\left({argument}\\right)"

    def bound(self, node: Bound, lower: str, upper: str, body: str) -> str:
        head = r"\sum" if isinstance(node, Sigma) else r"\prod"
        return f"{head}_{{{self.name_of(node.index)}={lower}}}^{{{upper}}} {body}"

    def paths(self, link: str, count: str, steps: str, upper: str, ends: tuple[str, str]) -> str:
        last = str(int(steps) - 1) if steps.isdigit() else f"{steps} - 1"
        between = {"0": [], "1": ["1"]}.get(last, ["1", last])  # one link has no unit between its ends
        sums = r" \cdots ".join(f"\\sum_{{l_{{{unit}}}=1}}^{{{upper}}}" for unit in between)
        paths = f"{sums} \\prod_{{{count}=1}}^{{{steps}}} {link}".lstrip()
        return f"\\Bigl[ {paths} \\Bigr]_{{l_{{0}} = {ends[0]},\\; l_{{{steps}}} = {ends[1]}}}"

    def fraction(self, sign: str, below: str, target: str, wrt: str, simple: bool) -> str:
        target = target if simple else f"\\left({target}\\right)"
        gap = r"\," if target.startswith(r"\mathrm") else " "  # d loss, not dloss
        return f"\\frac{{{sign}{gap}{target}}}{{{below} {wrt}}}"

    def delta(self, left: str, right: str) -> str:
        between = ", " if " " in left + right else " "
        return f"\\delta_{{{left}{between}{right}}}"

    def power(self, base: str, exponent: str) -> str:
        return f"{{{base}}}^{{{exponent}}}"

    def quotient(self, over: str, under: str) -> str:
        return f"\\frac{{{over}}}{{{under}}}"

    def above(self, inner: str) -> str:
        return inner

    below = above

    def brackets(self, inner: str, large: bool) -> str:
        return f"\\left({inner}\\right)" if large else f"({inner})"

    def name_of(self, index: Expr) -> str:
        return self.dimension(index) if isinstance(index, Add) else getattr(index, "latex", None) or latex(index)

    def plain(self, expr: Expr) -> str:
        return latex(expr)
