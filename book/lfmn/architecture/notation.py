"""The network in the notation of `tt.read`, in which each kind of unit has its letters, and the system over unions."""

from book.shared.same_systems import check_same, shifted
from throughtime.derivation import System
from throughtime.reading import Reading
from throughtime.systems import lfmn as s

INPUTS, HIDDEN, OUTPUTS = 2, (1, 2, 2), (2, 1, 2)  # units of each kind: static, net-input and activation feedback
KINDS = ("sta", "net", "act")
SIZES = dict(zip((s.d_in, s.n_h, s.r_h, s.a_h, s.n_y, s.r_y, s.a_y), (INPUTS, *HIDDEN, *OUTPUTS), strict=True))


def before(sizes: tuple[int, int, int]) -> dict[str, int]:
    """How many units of a layer stand before those of each kind."""
    return {kind: sum(sizes[:n]) for n, kind in enumerate(KINDS)}


def compare(made: Reading, system: System) -> str:
    """What is equal in the text and in the system; AssertionError where something differs."""
    hidden, outputs = before(HIDDEN), before(OUTPUTS)
    parts = {
        "u_hid": shifted("u_hid", hidden["net"]),
        "v_hid": shifted("v_hid", hidden["act"]),
        "u_out": shifted("u_out", outputs["net"]),
        "v_out": shifted("v_out", outputs["act"]),
        "h_tilde": shifted("h~", hidden["net"]),
        "h_bar": shifted("h-", hidden["act"]),
        "y_tilde": shifted("y~", outputs["net"]),
        "y_bar": shifted("y-", outputs["act"]),
    }
    for n, kind in enumerate(KINDS):
        parts |= {f"V_h{n + 1}": shifted("w_out", 0, hidden[kind]), f"W_{kind}": shifted("w_hid", hidden[kind], 0)}
        parts |= {f"h_{kind}": shifted("h", hidden[kind]), f"R_{kind}": shifted("W_out", outputs[kind], 0)}
        parts |= {f"{letter}_{kind}": shifted(letter, outputs[kind]) for letter in "yd"}
    shapes = {}
    for letter, sizes in (("h", HIDDEN), ("y", OUTPUTS)):
        shapes |= {f"{letter}_{kind}": (size,) for kind, size in zip(KINDS, sizes, strict=True)}
    return check_same(made, system, s.loss, SIZES, parts, shapes=shapes)
