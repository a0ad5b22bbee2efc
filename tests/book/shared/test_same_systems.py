"""The texts beside the definitions of the book's systems are these systems, and a slip in a text is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from book.lfmn.architecture import notation as lfmn_text
from book.lstm1997.cell import notation as lstm_text
from book.shared.same_systems import check_same
from throughtime.reading import Reading, read
from throughtime.systems import elman_jordan, lfmn, lstm1997, lstm_family, recurrent

BOOK = Path(__file__).parents[3] / "book"
FAMILY = {lstm_family.d_in: 1, lstm_family.n_blk: 2, lstm_family.d_blk: 1, lstm_family.n_src: 2, lstm_family.d_out: 1}
ELMAN = {elman_jordan.I: 1, elman_jordan.N: 1, elman_jordan.K: 2, elman_jordan.J: 2}


def family(member: lstm_family.Member):
    return lambda made: check_same(made, member.build(), lstm_family.cost, FAMILY)


def whole(compare, system):
    return lambda made: compare(made, system.build())


def simple(jordan: bool):
    return lambda made: check_same(made, elman_jordan.build(jordan=jordan), elman_jordan.loss, ELMAN)


def fully(made: Reading) -> str:
    net = recurrent.build(masked=False)
    return check_same(made, net, recurrent.loss, {recurrent.d_in: 1, recurrent.d_out: 2})


TEXTS = [
    ("bptt/forward", {}, fully, ("y_j(t-1)", "y_j(t-2)")),
    ("lfmn/architecture", {}, whole(lfmn_text.compare, lfmn), (r"h^{act}_{t-1}", r"\bar{h}_{t-1}")),
    (
        "lstm1997/cell",
        {},
        lambda made: lstm_text.compare(made, lstm1997.build()),
        ("y^{og}_i(t) phi", "y^{ig}_i(t) phi"),
    ),
    ("peephole/forget-gates", {}, family(lstm_family.UNSQUASHED), ("y^{fg}_k(t) s", "y^{ig}_k(t) s")),
    ("peephole/peepholes", {}, family(lstm_family.LSTM2002), ("u^{og}_{kc} s_{kc}(t)", "u^{og}_{kc} s_{kc}(t-1)")),
    (
        "training/elman-jordan",
        {"CONTEXT": "sum_l f_{il}(t-1) v^f_{lk}"},
        simple(jordan=False),
        ("f_{il}(t-1)", "f_{il}(t-2)"),
    ),
    ("training/elman-jordan", {"CONTEXT": "sum_m g_{im}(t-1) v^g_{mk}"}, simple(jordan=True), ("w^0_j + ", "")),
]


def text_of(page: str, put_in: dict[str, str]) -> str:
    """What the page gives to tt.read."""
    cells = json.loads((BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    (source,) = (code for cell in cells if "tt.read(" in (code := "".join(cell["source"])) and '"""' in code)
    text = source.split('"""')[1]
    for name, part in put_in.items():
        text = text.replace(name, part)
    return text


@pytest.mark.parametrize(("page", "put_in", "compare", "slip"), TEXTS)
def test_a_text_is_the_system_beside_it_and_a_slip_is_none(page, put_in, compare, slip):
    text = text_of(page, put_in)
    assert "derivatives with respect to weights" in compare(read(text))
    wrong = text.replace(*slip)
    assert wrong != text
    with pytest.raises(AssertionError):
        compare(read(wrong))
