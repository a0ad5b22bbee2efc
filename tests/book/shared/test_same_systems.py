"""The pages compare their texts with the systems beside them; each way of comparing finds a slip in a text."""

import json
from pathlib import Path

import pytest
from book.lfmn.architecture import notation as lfmn_text
from book.lstm1997.cell import notation as lstm_text
from book.shared.same_systems import check_same
from throughtime.reading import Reading, read
from throughtime.systems import lfmn, lstm1997, recurrent

BOOK = Path(__file__).parents[3] / "book"


def fully(made: Reading) -> str:
    net = recurrent.build(masked=False)
    return check_same(made, net, recurrent.loss, {recurrent.d_in: 1, recurrent.d_out: 2})


@pytest.mark.parametrize(
    ("page", "compare", "slip"),
    [
        ("bptt/forward", fully, ("y_j(t-1)", "y_j(t-2)")),
        ("lfmn/architecture", lambda made: lfmn_text.compare(made, lfmn.build()), (r"h^{act}_{t-1}", r"\bar{h}_{t-1}")),
        (
            "lstm1997/cell",
            lambda made: lstm_text.compare(made, lstm1997.build()),
            ("y^{og}_i(t) phi", "y^{ig}_i(t) phi"),
        ),
    ],
)
def test_a_text_is_the_system_beside_it_and_a_slip_is_none(page, compare, slip):
    cells = json.loads((BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    (source,) = (code for cell in cells if "tt.read(" in (code := "".join(cell["source"])) and '"""' in code)
    text = source.split('"""')[1]
    assert "derivatives with respect to weights" in compare(read(text))
    assert slip[0] in text
    with pytest.raises(AssertionError):
        compare(read(text.replace(*slip)))
