"""Gradients of recurrent networks, derived and computed: `import throughtime as tt`.

Names load on first use, so that the derivation engine needs SymPy alone: `tt.System` and `tt.read` load no NumPy and
`tt.LFMN` no SymPy. `__init__.pyi` says the same to type checkers.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

PACKAGES = ("checks", "derivation", "evidence", "learning", "models", "programs", "reading", "systems", "tasks")
ON_DEMAND = {
    "checks": "BlockError GradientCheck angle complex_step gradcheck max_relative_error relative_error trace_by_input "
    "trace_by_parameter",
    "learning": "Adam GradientDescent IRpropMinus IRpropPlus Momentum Optimizer PrintedRprop RpropMinus RpropPlus "
    "clip_by_block clip_by_norm clip_by_value norm",
    "models": "Elman FullyRecurrent Jordan LFMN LSTM1997 Layout LossGradient Network OnlineGradient "
    "PeepholeLSTM activations load",
    "programs": "CompiledNetwork compile",
    "reading": "NotationError Reading read",
}
# Names of builtins, of modules and of functions of `math`: `import *` leaves them where they are.
TAKEN = {"compile", "exp", "log", "sqrt", "time"}
_package_of = {name: package for package, names in ON_DEMAND.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """A package of the library or a public name of one of them; all other names are those of the engine.

    Raises AttributeError for a name that none of them has.
    """
    if name == "__all__":
        return [name for name in __dir__() if name not in {*TAKEN, "__version__"}]
    if name in PACKAGES:
        return import_module(f"throughtime.{name}")
    package = import_module(f"throughtime.{_package_of.get(name, 'derivation')}")
    if name.startswith("_") or name not in package.__all__:
        raise AttributeError(f"module 'throughtime' has no attribute {name!r}; dir(throughtime) lists its names")
    value = globals()[name] = getattr(package, name)
    return value


def __dir__() -> list[str]:
    return sorted([*PACKAGES, *_package_of, *import_module("throughtime.derivation").__all__, "__version__"])
