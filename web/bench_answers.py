"""What the page `book/reference/bench` asks of Python in the browser: a question and its answer as JSON.

A text, names and cuts go through the grammar of `tt.read` and nowhere else: nothing of a question is run as code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import throughtime as tt
from throughtime.derivation import INPUT, PARAMETER, DerivationError, nodes
from throughtime.derivation.evaluating.elementary import NAMED
from throughtime.derivation.publishing.statement import Shown
from throughtime.programs import Program
from throughtime.programs.text import FORMULAS
from throughtime.reading import Reading

Card = dict[str, Any]
SIZE = 3  # of each layer of a program
UNKNOWN = "tanh"  # the function for a letter of which nothing is known, in a program
CARET = re.compile(r"line (?P<line>\d+): (?P<said>.*)\n {2}.*\n {2}(?P<before> *)\^(?P<hint>(?:\n.*)*)", re.DOTALL)

read = lru_cache(maxsize=1)(tt.read)


def answer(asked: str) -> str:
    """The answer to {"text", "ask", ...}: {"card"}, for "read" also {"names"}, or {"error": {"message", "place"}}.

    ask     "read"; "backward" of a `state`; "gradient" by a `weight`; "forward" of a `state` by a `weight`; each but
            the first with `cuts`; "judge" a `formula`; "program" with `cuts`
    card    "title", "html", the result as "latex", all of it as "text" as Python prints it, "checked" in a few words,
            whether it is "right"; a program is None of that, and has "code" by language, the "arrays" it takes, and
            whether it is "cut"
    place   "line" and "column" from 0 in the "field" that the message is about; None if it is about no place
    """
    question, field = json.loads(asked), "text"
    try:
        reading = read(question["text"])
        field = "formula" if question["ask"] == "judge" else ""
        found = {"card": QUESTIONS[question["ask"]](reading, question)}
        names = {"names": names_of(reading)} if question["ask"] == "read" else {}
        return json.dumps(found | names)
    except (DerivationError, KeyError, ValueError) as error:
        return json.dumps({"error": refusal(str(error.args[0]), field)})


def refusal(message: str, field: str) -> dict[str, Any]:
    """A message without the line that it repeats, and the place to which its caret points."""
    found = CARET.fullmatch(message)
    if not found:
        return {"message": message, "place": None}
    place = {"field": field, "line": int(found["line"]) - 1, "column": len(found["before"])}
    return {"message": f"line {found['line']}: {found['said']}{found['hint']}", "place": place}


def names_of(reading: Reading) -> dict[str, list[str]]:
    """What can be asked for: the states, what is learned, and the edges that can be cut."""
    return {"states": [*reading.states], "weights": [*reading.weights], "edges": [*reading.edges]}


def card(title: str, shown: Any, **more: Any) -> Card:
    """What a notebook shows of an object, as HTML and as text."""
    return {"title": title, "html": shown._repr_mimebundle_()["text/html"], "text": str(shown), "right": True, **more}


def derived(title: str, shown: Shown) -> Card:
    """A derivation with the result of its last line and its checks."""
    derivation, mutants = shown.derivation, shown.mutants
    with derivation.order:
        latex = f"{tt.to_latex(derivation.left)} = {tt.to_latex(derivation.result)}"
    checks = ", ".join(f"{kind} {outcome.count}" for kind, outcome in shown.checks.items())
    equal = f", {mutants.equal} equal" * bool(mutants.equal)
    said = f"checks passed: {checks}; {mutants.rejected} of {mutants.tried} mutants rejected{equal}"
    return card(title, shown, latex=latex, checked=said)


def backward(reading: Reading, question: dict[str, Any]) -> Card:
    """The loss by a state."""
    state, cuts = question["state"], question["cuts"]
    return derived(f"Backwards in time, by {state}", reading.backward(state, cuts=cuts))


def gradient(reading: Reading, question: dict[str, Any]) -> Card:
    """The loss by a weight."""
    weight, cuts = question["weight"], question["cuts"]
    return derived(f"Gradient by {weight}", reading.gradient(weight, cuts=cuts))


def forward(reading: Reading, question: dict[str, Any]) -> Card:
    """A state by a weight."""
    state, weight, cuts = question["state"], question["weight"], question["cuts"]
    title = f"{'Truncated, forwards' if cuts else 'Forwards'} in time, {state} by {weight}"
    return derived(title, reading.forward(state, weight, cuts=cuts))


def judge(reading: Reading, question: dict[str, Any]) -> Card:
    """A printed formula."""
    judged = reading.judge(question["formula"])
    verdict = str(judged.verdict)
    return card("Your formula", judged, checked=verdict, right=verdict == "holds")


def program(reading: Reading, question: dict[str, Any]) -> Card:
    """The gradient as programs, truncated by `cuts`, and the arrays that they take: inputs, then weights, in order."""
    sizes = dict.fromkeys(map(reading.__getitem__, map(str, reading.sizes)), SIZE)
    cases = reading.system.all_definitions()
    functions = {node.name for case in cases for node in nodes(case.right) if isinstance(node, tt.Activation)}
    unknown = dict.fromkeys(sorted(functions - {*FORMULAS, *NAMED}), UNKNOWN)
    if missing := sorted(functions - {*FORMULAS, *unknown}):
        raise ValueError(f"a program has no {missing[0]} yet; it has {', '.join(FORMULAS)}")
    cuts = reading.cuts(question["cuts"])
    method = "truncated" if cuts else "bptt"
    made = Program(reading.system, reading.loss, sizes, unknown, {method: cuts} if cuts else None)
    targets = reading.system.targets_of(reading.loss)
    arrays = [
        {"name": one.name, "shape": made.plan.shape(one), "timed": one.timed, "learned": one.role == PARAMETER}
        | {"target": one in targets}
        for one in (*made.plan.of(INPUT), *made.plan.weights)
    ]
    code = {"NumPy": made.source(method), "JavaScript": made.source(method, "javascript")}
    said = f"every layer has {SIZE} units" + f"; {', '.join(unknown)} is {UNKNOWN}" * bool(unknown)
    title = "Program, truncated: derivatives are carried forwards" if cuts else "Program"
    more = {"code": code, "arrays": arrays, "cut": bool(cuts)}
    return {"title": title, "text": "", "checked": said, "right": None} | more


QUESTIONS: dict[str, Callable[[Reading, dict[str, Any]], Card]] = {
    "read": lambda reading, _: card("As it was read", reading),
    "backward": backward,
    "gradient": gradient,
    "forward": forward,
    "judge": judge,
    "program": program,
}
