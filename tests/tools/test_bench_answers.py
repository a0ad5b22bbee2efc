"""What the page of the bench is told: what Python prints, what can be asked for, and where a text is refused."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import throughtime as tt
from bench_answers import SIZE, UNKNOWN, answer
from bench_bundle import PINNED
from throughtime.programs import Program

ROOT = Path(__file__).parents[2]
TEXT = "z_t = sigma(W_z x_t + U_z h_{t-1})\nh_t = (1 - z_t) * f(W x_t) + z_t * h_{t-1}"
ASKED = {"text": TEXT, "state": "h", "weight": "U_z", "cuts": ["h(t-1) into z"], "formula": "dL/dz_t = dL/dh_t"}


def asked(**question: Any) -> dict[str, Any]:
    return json.loads(answer(json.dumps(ASKED | question)))


def test_each_answer_is_what_python_prints() -> None:
    net, cuts = tt.read(TEXT), ASKED["cuts"]
    printed = {
        "read": net,
        "gradient": net.gradient("U_z", cuts=cuts),
        "backward": net.backward("h", cuts=cuts),
        "forward": net.forward("h", "U_z", cuts=cuts),
        "judge": net.judge(ASKED["formula"]),
    }
    found = {ask: asked(ask=ask)["card"] for ask in printed}
    unnumbered = {ask: re.sub(r"^recurrence-\d+", "", card["text"]) for ask, card in found.items()}
    assert unnumbered == {ask: re.sub(r"^recurrence-\d+", "", str(shown)) for ask, shown in printed.items()}
    assert [card["right"] for card in found.values()] == [True, True, True, True, False]
    assert found["gradient"]["latex"].startswith(r"\frac{\mathrm{d}_{\mathrm{tr}} L}{\mathrm{d} U^{z}_{i k}} = \sum")


def test_what_can_be_asked_for_is_offered() -> None:
    names = asked(ask="read")["names"]
    edges = ["h(t-1) into z", "z(t) into h", "h(t-1) into h"]
    assert names == {"states": ["z", "h"], "weights": ["W_z", "U_z", "W"], "edges": edges}


def test_the_arrays_of_a_program_are_in_the_order_in_which_it_takes_them() -> None:
    card = asked(ask="program")["card"]
    (head,) = re.findall(r"function gradient\((.*)\)", card["code"]["JavaScript"])
    assert [array["name"] for array in card["arrays"]] == head.split(", ")
    assert {array["name"] for array in card["arrays"] if array["target"]} == {"target"}
    assert card["checked"].endswith("f is tanh")


@pytest.mark.parametrize("cuts", [[], ASKED["cuts"]])
def test_a_program_is_that_of_the_gradient_that_is_asked_for(cuts: list[str]) -> None:
    net, card, method = tt.read(TEXT), asked(ask="program", cuts=cuts)["card"], "truncated" if cuts else "bptt"
    sizes = {net[str(size)]: SIZE for size in net.sizes}
    made = Program(net.system, net.loss, sizes, {"f": UNKNOWN}, {"truncated": net.cuts(cuts)})
    code = {"NumPy": made.source(method), "JavaScript": made.source(method, "javascript")}
    assert (card["code"], card["cut"]) == (code, bool(cuts))


REFUSED = [  # what is asked, what is said, and the field, line and column of the place
    ({"text": TEXT.replace("z_t * h", "zt * h")}, "line 2: zt can be read in two ways; write", ("text", 1, 29)),
    ({"text": "<img src=x onerror=alert(1)>_t = x_t"}, "line 1: found <", ("text", 0, 0)),
    ({"text": "h_t = __import__('os') * h_{t-1}"}, "line 1: found ", ("text", 0, 6)),
    ({"ask": "judge", "formula": "dL/dh_t = (h_t"}, "line 1: found the end of the text; expected", ("formula", 0, 14)),
    ({"ask": "backward", "state": "Q"}, "Q is no quantity of recurrence; its names are z, h,", None),
    ({"ask": "gradient", "cuts": ["x_t"]}, "cuts: got 'x_t', expected \"h_{t-1} into r\"", None),
    ({"ask": "program", "text": "h_t = abs(W x_t + U h_{t-1})"}, "a program has no abs yet; it has identity", None),
]


@pytest.mark.parametrize(("question", "said", "place"), REFUSED)
def test_a_refusal_is_said_in_words_with_its_place(question: dict, said: str, place: tuple | None) -> None:
    error = asked(**({"ask": "read"} | question))["error"]
    assert error["message"].startswith(said)
    assert " ^" not in error["message"]
    assert error["place"] == (place and dict(zip(("field", "line", "column"), place, strict=True)))


def test_the_browser_gets_the_versions_of_the_book() -> None:
    known = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    for project, version in (name.split("-")[:2] for name in PINNED if name.endswith(".whl")):
        assert re.search(rf"^{project}=={re.escape(version)}\b", known, re.MULTILINE)
