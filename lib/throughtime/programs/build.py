"""From text to functions: a program as a module of its own, compiled by Numba where there is one, and kept on disk."""

from __future__ import annotations

import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from throughtime.programs.cache import CACHE, COMPILED
from throughtime.programs.inlined import inlined

if COMPILED:
    from numba import njit, types
    from numba.core.codegen import get_host_cpu_features, ll
    from numba.core.compiler import CompilerBase, DefaultPassBuilder
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.untyped_passes import ReconstructSSA
    from numba.extending import overload
    from numba.np import arrayobj

    def mismatch(source: Any, index: Any) -> None:
        """Raises where Numba copies an array into one of another shape, which no program does."""

    @overload(mismatch)
    def _mismatch(source: Any, index: Any) -> Any:
        def raised(source: Any, index: Any) -> None:
            raise ValueError("cannot assign slice from input of different size")

        return raised

    class Terse(CompilerBase):
        """Numba's compiler, but that an error of shapes does not print them.

        The code that would print them is strings, and a third of what is compiled of a program.
        """

        def compile_extra(self, func: Any) -> Any:
            with global_compiler_lock:
                printed, arrayobj.raise_with_shape_context = arrayobj.raise_with_shape_context, mismatch
                try:
                    return super().compile_extra(func)
                finally:
                    arrayobj.raise_with_shape_context = printed

        def define_pipelines(self) -> list[Any]:
            return [DefaultPassBuilder.define_nopython_pipeline(self.state)]

    class Plain(Terse):
        """The same without the pass that names each assignment anew, which LLVM does again.

        Its time grows with assignments times variables: it is a third of all where every number is a variable.
        """

        def define_pipelines(self) -> list[Any]:
            (passes,) = super().define_pipelines()
            passes.passes = [one for one in passes.passes if one[0] is not ReconstructSSA]
            passes.finalize()
            return [passes]


# no branch for a division by 0; a product added at once
OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}}
CALLED = ("learn", "start", "steps", "forward", "bptt", "gradient", "batch")  # from Python; others by these alone


def module(text: str, lanes: int = 1, compiled: bool = True, long: bool = False, **options: Any) -> ModuleType:
    """The module of a program; its functions compiled, in the order of the text, if asked and there is a compiler.

    The text lies in a folder for compiled code, named after its digest, so that the same program is compiled once on a
    machine; where no folder can be written to, it is compiled for this process alone. `lanes` are those of a learner,
    `options` the compiler's; a `long` text has very many variables.
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
    exec(inlined(text, str(path) if kept else f"<{path.stem}>"), made.__dict__)
    options["pipeline_class"] = Plain if long else Terse
    for name, value in list(vars(made).items()):
        if isinstance(value, FunctionType):
            options |= {"no_cfunc_wrapper": True, "no_cpython_wrapper": name not in CALLED}
            setattr(made, name, njit(cache=kept, **options)(value))
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
