"""What is proved about the normalizer of the sLSTM."""

from __future__ import annotations

from sympy import Integer
from throughtime import Delta, Setting, chain, d, exp
from throughtime.derivation import Step, derived
from throughtime_book.beyond.gated_cells import system as c

NO_MODEL = "the page compares the program of the cell with the complex step"


def weighted_mean(S: Setting) -> tuple[Step, ...]:
    """The share of the candidate, and the recursion of the product of state and normalizer."""
    i, t = c.i, c.t
    kept, new = exp(c.net["f"][i, t]), exp(c.net["i"][i, t])
    candidate = c.phi(c.net["a"][i, t])
    product, before = c.state[i, t] * c.norm[i, t], c.state[i, t - 1] * c.norm[i, t - 1]
    return (
        derived("The share of the candidate:", S, chain(1 - c.z[i, t], new / c.norm[i, t]), numeric=NO_MODEL),
        derived("State times normalizer:", S, chain(product, kept * before + new * candidate), numeric=NO_MODEL),
    )


def bias_cancels(S: Setting) -> bool:
    """Whether on the exact instances no state depends on a bias of the input gate, and a normalizer is its own
    derivative with respect to its unit's bias.
    """
    i, p, t = c.i, c.p, c.t
    bias = c.b["i"][p]
    alike = [(d(c.state[i, t], bias), Integer(0)), (d(c.norm[i, t], bias), Delta(i, p) * c.norm[i, t])]
    return S.on_instances([*alike, (d(c.h[i, t], bias), Integer(0))]).passed is True
