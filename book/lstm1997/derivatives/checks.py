"""The factor before the derivative of the previous step, (A.12) and (A.13) of the paper: judge of lstm97-deltas.

The paper numbers all units of the net and writes w_lm for the weight that leads from unit m to unit l. In that
numbering in_j is the input gate of block j and c_j^v its cell v: two units, so l is at most one of them.
"""

import throughtime as tt
from sympy import Equality, Expr, Integer, Symbol
from sympy.core.relational import Relational
from throughtime.systems import lstm1997 as s

factor = Symbol(r"c", real=True)
to_gate = Symbol(r"\delta_{\mathrm{in}_j\, l}", real=True)
to_cell = Symbol(r"\delta_{c_j^v\, l}", real=True)

k, i, k_star, p, q, t = s.k, s.i, s.k_star, s.p, s.q, s.t
OWN_BLOCK = tt.Delta(i, p)
OWN_CELL = tt.Delta(i, p) * tt.Delta(k, k_star)
# the weights w_lm by the kind of unit that l is, with the deltas that this makes of the paper's two
WEIGHTS: dict[str, tuple[tt.Ref, Expr, Expr]] = {
    "an input gate": (s.w_ig[p, q], OWN_BLOCK, Integer(0)),
    "an output gate": (s.w_og[p, q], Integer(0), Integer(0)),
    "a cell": (s.w_cell[k_star, p, q], Integer(0), OWN_CELL),
}


def equations(kind: str, formula: Equality) -> tuple[tuple[Expr, Expr], ...]:
    """A.12 and A.13 for the weights into one kind of unit, with the factor that a formula gives."""
    weight, gate, cell = WEIGHTS[kind]
    c = formula.rhs.xreplace({to_gate: gate, to_cell: cell})
    net, state = s.net_cell[k, i, t], s.s[k, i, t]

    def tr(target: tt.Ref) -> Expr:
        return tt.Truncated(target, weight, *s.cuts())

    by_gate = gate * s.f_ig.prime(s.net_ig[i, t], i) * s.g[k, i](net) * s.r[q, t]
    by_cell = cell * s.y_ig[i, t] * s.g.prime(net, k, i) * s.r[q, t]
    by_output_gate = tr(s.y_og[i, t]) * s.h[k, i](state)
    return (
        (tr(state), c * tr(s.s[k, i, t - 1]) + by_gate + by_cell),
        (tr(s.y_cell[k, i, t]), by_output_gate + c * s.y_og[i, t] * s.h.prime(state, k, i) * tr(state)),
    )


def exactly(bench: tt.Bench, formula: Equality) -> bool:
    """Whether A.12 and A.13 hold with this factor, on small networks in rational numbers."""
    return all(bool(tt.holds_on(bench.witnesses, equations(kind, formula)).passed) for kind in WEIGHTS)


def in_numbers(bench: tt.Bench, formula: Equality) -> bool:
    """Whether they hold of the network in numbers."""
    return all(bool(bench.on_model(equations(kind, formula)).passed) for kind in WEIGHTS)


def proof(bench: tt.Bench, formula: Equality) -> tuple[tt.Step, ...]:
    """Both equations for each kind of unit, each proved by index algebra from the system and its cuts."""
    steps = []
    for kind, (_, gate, cell) in WEIGHTS.items():
        deltas = f"${tt.to_latex(to_gate)} = {tt.to_latex(gate)}$ and ${tt.to_latex(to_cell)} = {tt.to_latex(cell)}$"
        chains = equations(kind, formula)
        check = lambda chains=chains: all(bench.reducer.equal(*chain) for chain in chains)  # noqa: E731
        steps.append(tt.Step(f"If $l$ is {kind}, {deltas}.", tt.chains_tex(chains, None), check, exact=True))
    return tuple(steps)


def largest(bench: tt.Bench, formula: Equality) -> int:
    """The largest factor that a formula gives for any unit l, cell and block of the network in numbers."""
    model, found = bench.model, []
    for _, gate, cell in WEIGHTS.values():
        c = formula.rhs.xreplace({to_gate: gate, to_cell: cell})
        found += [int(model.value(c, env)) for env in model.places([k, i, k_star, p])]
    return max(found)


def numbers(bench: tt.Bench, formula: Equality) -> str:
    """Both sides of both equations with a wrong factor, at time 2 of the network in numbers, for a gate weight."""
    model, shown = bench.twin([factor]), []
    at = {k: 1, i: 1, p: 1, q: 1, t: 2}
    env = {letter: Integer(value) for letter, value in at.items()}
    for left, right in equations("an input gate", formula):
        shown.append(f"${tt.to_latex(left)}$ is {model.value(left, env):.4g}, not {model.value(right, env) + 0.0:.4g}")
    where = ", ".join(f"${tt.to_latex(letter)}={value}$" for letter, value in at.items())
    return f"At {where}, where $l$ is the input gate: {'; '.join(shown)}."


def is_true(bench: tt.Bench, formula: Relational) -> bool:
    """Whether the factor is, or is not, what a relation says."""
    return exactly(bench, Equality(*formula.args)) == isinstance(formula, Equality)
