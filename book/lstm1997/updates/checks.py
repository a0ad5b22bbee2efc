"""Output weights by the hidden unit that they lead from: (70) has one letter for a unit and for its column."""

from book.lstm1997 import bench as part
from throughtime.derivation import DEFINED, Bench, Quantity, System
from throughtime.evidence.trace import Arrays
from throughtime.systems import lstm1997 as s

w_out = Quantity("w_out_hid", s.OUT, s.HID, timed=False, role=DEFINED, latex=s.w_out.latex)
w_out.beside(s.w_out)  # same order of factors
COLUMN = (
    r"The letter of a hidden unit stands for its column as well: $w^{\mathrm{out}}_{i p}$ stands for "
    r"$w^{\mathrm{out}}_{i, d_{\mathrm{in}} + p}$, the weight from hidden unit $p$ to output $i$."
)


def build() -> System:
    """The LSTM of 1997 with the weights from hidden units to outputs named once more, by the unit."""
    net = s.build()
    net[w_out[s.i_out, s.p_hid]] = s.w_out[s.i_out, s.hid_column(s.p_hid)]
    return net


def forward(weights: Arrays, given: Arrays) -> Arrays:
    """The forward pass of the part, and the weights from the hidden units to the outputs."""
    first = given["x"].shape[1]
    by_unit = weights["w_out"][:, first : first + len(weights["w_hid"])]
    return part.forward(weights, given) | {w_out.name: by_unit}


def with_weights_by_unit() -> Bench:
    """The bench of the part for that system."""
    return part.make_bench(build(), forward)
