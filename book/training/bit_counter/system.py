"""The linear Elman net that counts bits, on a batch of sequences (rnn-15 to rnn-17), as a system.

The note omits the index i of the sequence at some states; here every state has it.
"""

from __future__ import annotations

from throughtime.derivation.deriving.system import LENGTH, System
from throughtime.derivation.formulas.domains import Dimension, domain, indices
from throughtime.derivation.formulas.nodes import (
    DEFINED,
    Quantity,
    parameter,
    scalar,
    sequence,
    sum_over,
    time,
    variable,
)

t, s = time("t"), time("s")
T = LENGTH
batch = Dimension("I")
B = domain("batch", batch)
i, k = indices("i k", B)

x = sequence("x", B)
v_x = parameter("v_x")
v_f = parameter("v_f")
f = variable("f", B)
answer = Quantity("yhat", B, timed=False, role=DEFINED, latex=r"\hat y")
count = Quantity("y", B, timed=False, role=DEFINED)
error = scalar("E")


def build() -> System:
    """States f_i(t) from f_i(0) = 0, the answer f_i(T) of each sequence, and half the squared error of the batch."""
    system = System("bit counter", t)
    system[f[i, t]] = f[i, t - 1] * v_f[()] + x[i, t] * v_x[()]
    system[answer[i]] = f[i, T]
    system[count[i]] = sum_over((s, 1, T), x[i, s])
    system[error[()]] = sum_over(i, (answer[i] - count[i]) ** 2) / 2
    return system
