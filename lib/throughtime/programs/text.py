"""A program's text as a module: its functions behind those of the activations that they call.

The activations are copied from the files ``activations`` and ``fast`` as they stand there, without an import.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from throughtime.programs.writer import ORDERS

FORMULAS = {  # of a function and its slope, in the words of programs.activations
    "identity": ("1.0 * z", "1.0 + 0.0 * z"),
    "logistic": ("_logistic(z)", "_logistic_slope(z)"),
    "sigma": ("_logistic(z)", "_logistic_slope(z)"),
    "tanh": ("_tanh(z)", "4.0 * _logistic_slope(2.0 * z)"),
    "tanh_half": ("_tanh(0.5 * z)", "2.0 * _logistic_slope(z)"),
    "twice_tanh_half": ("2.0 * _tanh(0.5 * z)", "4.0 * _logistic_slope(z)"),
    "relu": ("z if z.real > 0.0 else 0.0 * z", "1.0 + 0.0 * z if z.real > 0.0 else 0.0 * z"),
    "exp": ("np.exp(z)", "np.exp(z)"),
    "log": ("np.log(z)", "1.0 / z"),
    "sqrt": ("np.sqrt(z)", "0.5 / np.sqrt(z)"),
}
COPIED = """\
def _copied(later, earlier):
    one, other = later.reshape(-1), earlier.reshape(-1)
    for place in range(len(one)):
        one[place] = other[place]"""
HELPERS = ("_logistic", "_logistic_slope", "_tanh", "_exp", "_power")  # each before those that it calls


def whole(title: str, head: Sequence[str], chosen: Mapping[str, str], bodies: Sequence[str], exp: str = "") -> str:
    """A module of functions, behind those of the activations that they call.

    chosen      the formula of each activation by name
    exp         "_exp" or "np.exp" for activations without branches that call this function; see ``fast``
    """
    used, texts = "\n".join(bodies), []
    helpers: list[str] = []
    for name, formula in chosen.items():
        for end, rule in zip(ORDERS, FORMULAS[formula], strict=False):
            if f"{name}{end}(" in used:
                texts.append(f"def {name}{end}(z):\n    return {rule.replace('np.exp', exp or 'np.exp')}")
    for name in HELPERS:
        if any(f"{name}(" in text for text in (*texts, *helpers)):
            text = helper("fast" if exp else "activations", name)
            helpers.insert(0, text.replace("_exp(", f"{exp}(") if exp == "np.exp" else text)
    if "_copied(" in used:
        helpers.append(COPIED)
    top = "\n".join([f'"""{title}"""', "", *head])
    return "\n\n\n".join([top, *helpers, *texts, *bodies]) + "\n"


@cache
def helper(module: str, name: str) -> str:
    """The text of one of the functions of ``activations`` or ``fast``."""
    source = Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
    found = [one for one in ast.parse(source).body if isinstance(one, ast.FunctionDef) and one.name == name]
    return ast.get_source_segment(source, found[0]) or ""
