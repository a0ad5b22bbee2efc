"""Terms that differ between a printed formula and its correction are marked, and nothing else changes."""

import re

import pytest
from book.reference.ledger import read_book
from book.reference.marks import atoms, marked

WRONG = [item.record for item in read_book() if item.record["printed"] and item.record["corrected"]]


MARK = re.compile(r"\\class\{mjx-(?:was|now)\}\{")


def bare(tex: str) -> str:
    """A formula without its marks."""
    while found := MARK.search(tex):
        depth, end = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(tex[end], 0)
            end += 1
        tex = tex[: found.start()] + tex[found.end() : end - 1] + tex[end:]
    return tex


def inside(tex: str) -> list[str]:
    """What stands in each mark of a formula."""
    return [next(term for term, _ in atoms(tex[found.end() - 1 :]))[1:-1] for found in MARK.finditer(tex)]


def was(tex: str) -> str:
    return rf"\class{{mjx-was}}{{{tex}}}"


def now(tex: str) -> str:
    return rf"\class{{mjx-now}}{{{tex}}}"


SUM = r"\hat y_{i} - y_{i}"
MORE = r"+ \sum_{k=1}^{n} w_{k i}\,e_{k}(t)"
CHANGED = {
    "an index, on both sides": (
        rf"a_{{i}} + {was('w_{j k}')}\,x",
        rf"a_{{i}} + {now('w_{k j}')}\,x",
    ),
    "a missing term, once, where it stands": (SUM, f"{SUM} {now(MORE)}"),
    "no piece that only stands elsewhere": (
        rf"w_{{i j}}\,x_{{j}}(t) = a\,{was('b')}",
        rf"x_{{j}}(t)\,w_{{i j}} = a\,{now('c')}",
    ),
    "no brackets and no lines": (
        rf"a &= \left(b + {was('c')}\right) \\[4pt] d",
        rf"a &= \left(b + {now('e')}\right) \\[4pt] d",
    ),
    "a bracket only with its partner": (r"a + b (x + y) + z", rf"a + b {now('c')} x + y + z"),
    "a factor with its brackets": (r"a + b\,c", r"a + b\," + now(r"f'\left(x\right)") + r"\,c"),
    "nothing in formulas that share little": ("a + b + c", "x y z u v"),
}


@pytest.mark.parametrize("shown", CHANGED.values(), ids=CHANGED)
def test_what_is_marked(shown):
    assert marked(*map(bare, shown)) == shown


@pytest.mark.parametrize(
    "pair",
    [
        (r"\frac{\partial  y(t)}{\partial \,\mathrm{net}}", r"\frac{\mathrm{d} y(t)}{\mathrm{d}\,\mathrm{net}}"),
        (r"\sum_{k=1}^{m} w_{k j}\,y_{k}(t - 1)", r"\sum_{i'=1}^{m} w_{i' j}\,y_{i'}(t - 1)"),
        (r"\sum_{j=1}^{m} \prod_{k=1}^{n} w_{j k}", r"\sum_{l_{1}=1}^{m} \prod_{l_{2}=1}^{n} w_{l_{1} l_{2}}"),
    ],
)
def test_the_sign_of_derivatives_and_bound_letters_are_no_difference(pair):
    assert marked(*pair) == pair
    one, other = (f"{tex} + " for tex in pair)
    assert marked(f"{one}u + k", f"{other}v + k") == (f"{one}{was('u')} + k", f"{other}{now('v')} + k")


@pytest.mark.parametrize(
    ("printed", "corrected", "differences"),
    [
        (r"\sum_{k=1}^{m} w_{i k}\,y", r"\sum_{j=1}^{m} w_{j i}\,y", ["w_{i k}", "w_{j i}"]),
        (r"\sum_{j=1}^{m} \sum_{k=1}^{m} w_{j k}", r"\sum_{j=1}^{m} \sum_{i=1}^{m} w_{i j}", ["w_{j k}", "w_{i j}"]),
        (r"\sum_{k=1}^{m} y_{k} + y_{k} + z", r"\sum_{i=1}^{m} y_{i} + y_{i} + z", ["y_{k}", "y_{i}"]),
        (r"(\sum_{k=1}^{m} y_{k})\,y_{k} + z", r"(\sum_{i=1}^{m} y_{i})\,y_{i} + z", ["y_{k}", "y_{i}"]),
    ],
)
def test_a_letter_is_bound_in_its_sum_alone(printed, corrected, differences):
    assert [inside(tex) for tex in marked(printed, corrected)] == [[one] for one in differences]


def test_equal_pieces_in_another_order_are_marked():
    assert marked(r"w_{i}\,x_{j} - y", r"x_{j}\,w_{i} - y") != (r"w_{i}\,x_{j} - y", r"x_{j}\,w_{i} - y")


@pytest.mark.parametrize("fence", [r"\left", r"\biggl", r"\Bigr", r"\big"])
def test_a_bracket_stays_with_its_size(fence):
    printed, _ = marked(rf"a + {fence}( b + c", rf"a + {fence}[ b + d")
    assert printed == rf"a + {fence}( b + {was('c')}"


def test_an_open_brace_is_refused():
    with pytest.raises(ValueError, match=r"tex: a brace is not closed in 'a_\{b'"):
        marked("a_{b", "a")


@pytest.mark.parametrize("record", WRONG, ids=lambda record: record["id"])
def test_nothing_but_marks_is_added_to_the_formulas_of_the_book(record):
    shown = marked(record["printed"], record["corrected"])
    assert tuple(map(bare, shown)) == (record["printed"], record["corrected"])
    for tex in shown:
        assert "".join(part for part, _ in atoms(tex)) == tex
        assert tex.count("{") == tex.count("}")
        for part in inside(tex):
            assert not re.search(r"&|\\\\", part)
            assert part.count(r"\left") == part.count(r"\right")
            assert len(re.findall(r"[(\[]", part)) == len(re.findall(r"[)\]]", part))
