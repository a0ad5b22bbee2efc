"""A statement over a layer H with two parts, and a reader of the HTML of its box."""

from html.parser import HTMLParser

from sympy import symbols
from throughtime.derivation.deriving.steps import Derivation, Line
from throughtime.derivation.formulas.domains import Dimension, Index, domain, union
from throughtime.derivation.formulas.nodes import d, parameter, time, variable
from throughtime.derivation.publishing.outcome import MutantReport, Outcome
from throughtime.derivation.publishing.source import Source
from throughtime.derivation.publishing.statement import Statement

A = domain("A", Dimension("n"))
B = domain("B", Dimension("m"), after=A)
H = union("H", A, B)
t = time("t")
u, z, v = parameter("u", H), variable("z", H), variable("v")
i, low, high = Index("i", H), Index("i", A), Index("i", B)
a, b, v_ = symbols("a b v", real=True)
PASSED = {kind: Outcome(True, "", 4) for kind in ("general", "instance")}
STEPS = Derivation(d(v[t], u[i]), (Line(2 * u[i], "because $a < b$ & so on", ((v[t], u[i]),)), Line(3 * u[i], "why")))


class Reader(HTMLParser):
    """Parser that collects every element with attributes and text, and requires properly nested elements."""

    def __init__(self, html: str):
        super().__init__()
        self.found: list[tuple[str, dict, list[str]]] = []
        self.open: list[tuple[str, list[str]]] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        text: list[str] = []
        self.found.append((tag, dict(attrs), text))
        self.open.append((tag, text))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        for _, text in self.open:
            text.append(data)

    def texts(self, tag: str, name: str = "") -> list[str]:
        return ["".join(text) for kind, attrs, text in self.found if kind == tag and name in attrs.get("class", "")]


def statement(**changes) -> Statement:
    how = {
        "id": "net-1",
        "source": Source("a < b & $c < d$", "7"),
        "verdict": "holds",
        "printed": ((v[t], u[i]),),
        "checks": {**PASSED, "numeric": Outcome(None, "no model for $x < 1$")},
        "mutants": MutantReport(tried=5, rejected=4, equal=1),
    }
    return Statement(**{**how, **changes})
