"""From text to functions: a program as a module of its own, compiled by Numba where there is one, and kept on disk."""

from __future__ import annotations

import inspect
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from throughtime.programs import activations as known
from throughtime.programs import fast
from throughtime.programs.cache import CACHE, COMPILED
from throughtime.programs.writer import ORDERS

if COMPILED:
    from numba import njit, types
    from numba.core.codegen import get_host_cpu_features, ll
    from numba.core.compiler_lock import global_compiler_lock

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
# no branch for a division by 0; a product added at once
OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}}
COPIED = """\
def _copied(later, earlier):
    one, other = later.reshape(-1), earlier.reshape(-1)
    for place in range(len(one)):
        one[place] = other[place]"""
CALLED = ("learn", "start", "steps", "forward", "bptt", "gradient", "batch")  # from Python; others by these alone
NESTED = 10_000  # calls within calls: the compiler goes from block to block of a function so
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
            text = helper(getattr(fast if exp else known, name))
            helpers.insert(0, text.replace("_exp(", f"{exp}(") if exp == "np.exp" else text)
    if "_copied(" in used:
        helpers.append(COPIED)
    top = "\n".join([f'"""{title}"""', "", *head])
    return "\n\n\n".join([top, *helpers, *texts, *bodies]) + "\n"


def helper(function: Callable) -> str:
    """The text of one of the functions of ``activations`` or ``fast``."""
    return inspect.getsource(function).rstrip("\n")


def module(text: str, lanes: int = 1, compiled: bool = True, **options: Any) -> ModuleType:
    """The module of a program; its functions compiled, in the order of the text, if asked and there is a compiler.

    The text lies in a folder for compiled code, named after its digest, so that the same program is compiled once on a
    machine; where no folder can be written to, it is compiled for this process alone. `lanes` are those of a learner,
    `options` the compiler's.
    """
    if not (compiled and COMPILED):
        made = ModuleType("program")
        exec(compile(text, "<program>", "exec"), made.__dict__)
        return made
    digest = sha256(f"{text}{lanes}{sorted(options.items())}".encode()).hexdigest()[:16]
    place = CACHE
    path = (place or Path()) / f"program_{digest}.txt"  # no .py: it is no module of the package
    kept, made = place is not None and write(path, text), ModuleType(path.stem)
    if kept:
        sys.modules[path.stem] = made  # where a compiled function that is loaded from disk looks for its module
        SourceFileLoader(path.stem, str(path)).exec_module(made)
    else:
        exec(compile(text, f"<{path.stem}>", "exec"), made.__dict__)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), NESTED))
    for name, value in list(vars(made).items()):
        if isinstance(value, FunctionType):
            inner: Any = {"no_cfunc_wrapper": True, "no_cpython_wrapper": name not in CALLED}
            setattr(made, name, njit(cache=kept, **options, **inner)(value))
    if lanes > 1:
        interleave(made.learn, lanes)
    return made


def interleave(learn: Any, lanes: int) -> None:
    """Compile a learner's loop so that all lanes go through a step together.

    LLVM would take one register of lanes after the other, each waiting for its own exponentials. The number of lanes
    that a register holds is the processor's. An option of LLVM holds for the process: it is taken back under the lock.
    """
    width = 8 if "+avx512f" in get_host_cpu_features() else 4
    arrays = [types.float64[::1]] * (learn.py_func.__code__.co_argcount - 3)  # without T, rate and momentum
    with global_compiler_lock:
        ll.set_option("", f"-force-vector-interleave={lanes // width}")
        try:
            learn.compile((types.intp, *arrays, types.float64, types.float64))
        finally:
            ll.set_option("", "-force-vector-interleave=0")


def write(path: Path, text: str) -> bool:
    """Whether a file has a text, written unless it is there: moved into its place whole, as others may write it too."""
    try:
        if path.exists() and path.read_bytes() == text.encode():
            return True
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, suffix=".part", delete=False) as file:
            file.write(text.encode())
        Path(file.name).replace(path)
    except OSError:
        return False
    return True
