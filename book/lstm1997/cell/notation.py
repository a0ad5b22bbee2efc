"""The network in the notation of `tt.read`, with matrices that say what is a source, and the system over columns."""

from collections.abc import Callable

from book.shared.same_systems import check_same
from throughtime.derivation import System
from throughtime.reading import Reading
from throughtime.systems import lstm1997 as s

D_IN, D_HID, D_CELL, N_CELL, D_OUT = 1, 1, 2, 2, 1
SIZES = {s.d_in: D_IN, s.d_hid: D_HID, s.d_cell: D_CELL, s.n_cell: N_CELL, s.d_out: D_OUT}


def chosen(column: Callable[..., int]) -> Callable[..., int]:
    """The elements of a matrix that is 1 where a source stands in its column, and 0 elsewhere."""
    return lambda source, *places: int(source == column(*places))


PARTS = {
    "S_x": chosen(lambda m: m),
    "S_hid": chosen(lambda j: D_IN + j),
    "S_ig": chosen(lambda j: D_IN + D_HID + j),
    "S_og": chosen(lambda j: D_IN + D_HID + D_CELL + j),
    "S_cell": chosen(lambda k, j: D_IN + D_HID + (1 + k) * D_CELL + j),
    "Q_x": chosen(lambda m: m),
    "Q_hid": chosen(lambda j: D_IN + j),
    "Q_cell": chosen(lambda k, j: D_IN + D_HID + (k - 1) * D_CELL + j),
}


def compare(made: Reading, system: System) -> str:
    """What is equal in the text and in the system; AssertionError where something differs."""
    return check_same(made, system, s.loss, SIZES, PARTS, functions={"phi": "h"})
