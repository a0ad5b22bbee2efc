"""The network in the notation of `tt.read`, in which each kind of unit has its letters, and the system over unions."""

from book.shared.same_systems import check_same, shifted
from throughtime.derivation import System
from throughtime.reading import Reading
from throughtime.systems import lfmn as s

INPUTS, HIDDEN, OUTPUTS = 2, (1, 2, 2), (2, 1, 2)  # units of each kind: static, net-input and activation feedback
KINDS = ("sta", "net", "act")
SIZES = dict(zip((s.d_in, s.n_h, s.r_h, s.a_h, s.n_y, s.r_y, s.a_y), (INPUTS, *HIDDEN, *OUTPUTS), strict=True))


def compare(made: Reading, system: System) -> str:
    """What is equal in the text and in the system; AssertionError where something differs."""
    parts, shapes = {}, {}
    for layer, letter, sizes in (("hid", "h", HIDDEN), ("out", "y", OUTPUTS)):
        static, net, act = (sum(sizes[:n]) for n in range(len(KINDS)))  # how many units stand before those of each kind
        parts |= {f"u_{layer}": shifted(f"u_{layer}", net), f"v_{layer}": shifted(f"v_{layer}", act)}
        parts |= {f"{letter}_tilde": shifted(f"{letter}~", net), f"{letter}_bar": shifted(f"{letter}-", act)}
        for n, (kind, start) in enumerate(zip(KINDS, (static, net, act), strict=True), 1):
            parts[f"{letter}_{kind}"] = shifted(letter, start)
            shapes[f"{letter}_{kind}"] = (sizes[n - 1],)
            if layer == "hid":
                parts |= {f"V_h{n}": shifted("w_out", 0, start), f"W_{kind}": shifted("w_hid", start, 0)}
            else:
                parts |= {f"d_{kind}": shifted("d", start), f"R_{kind}": shifted("W_out", start, 0)}
    return check_same(made, system, s.loss, SIZES, parts, shapes=shapes)
