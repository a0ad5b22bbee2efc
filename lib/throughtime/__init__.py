"""Gradients of recurrent networks, derived and computed: `import throughtime as tt`.

Names load on first use, so that the derivation engine needs SymPy alone: `tt.System` and `tt.read` load no NumPy and
`tt.LFMN` no SymPy. `__init__.pyi` says the same to type checkers.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

PACKAGES = (
    "arrays",
    "checks",
    "derivation",
    "evidence",
    "learning",
    "programs",
    "reading",
    "systems",
    "tasks",
    "textbook",
)
ON_DEMAND = {
    "arrays": "Layout activations",
    "checks": "angle complex_step gradcheck max_relative_error relative_error trace_by_parameter",
    "derivation": "Activation AsNumber AtMost by_induction chain chains_tex check_gradient CheckError claim "
    "Constant cut cut_set CycleError d DEFINED Delta DerivationError derive derived Dimension Domain domain equal "
    "expand_partials exp reset_statements FromTheEnd FromTheStart holds_on identity Index indices lag maximum Lemma "
    "LENGTH log Modulus parameter partial Paths relu product_over prove Quantity Ref refs scalar sequence Bench show "
    "minimum sqrt Step sum_over System time to_latex Truncated union ExactInstance variable",
    "learning": "Adam GradientDescent IRpropMinus IRpropPlus Momentum Optimizer PrintedRprop RpropMinus RpropPlus "
    "clip_by_block clip_by_norm clip_by_value",
    "programs": "CompiledNetwork compile",
    "reading": "NotationError Reading read",
    "textbook": "Elman FullyRecurrent Jordan LFMN LSTM1997 PeepholeLSTM",
}
# Names of builtins, of modules and of functions of `math`: `import *` leaves them where they are.
TAKEN = {"compile", "exp", "log", "sqrt", "time"}
_package_of = {name: package for package, names in ON_DEMAND.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """A package of the library or a public name of one of them; AttributeError for any other name."""
    if name == "__all__":
        return [name for name in __dir__() if name not in {*TAKEN, "__version__"}]
    if name in PACKAGES:
        return import_module(f"throughtime.{name}")
    if name not in _package_of:
        raise AttributeError(f"module 'throughtime' has no attribute {name!r}; dir(throughtime) lists its names")
    value = globals()[name] = getattr(import_module(f"throughtime.{_package_of[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*PACKAGES, *_package_of, "__version__"])
