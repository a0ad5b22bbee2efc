"""Imports point one way: engine and textbook know nothing of each other, the library nothing of the book.

A chapter takes of another part its bench at most. One idea per file: at most 350 lines each. A class that is imported
is known by its name: the library has it once, and no part of the book takes it anew.
"""

import ast
import importlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import throughtime as tt
from page_guards import code_cells, text
from run_notebooks import every_notebook

ROOT = Path(__file__).parents[2]
LIBRARY, BOOK = ROOT / "lib", ROOT / "book"
FILES = sorted(path for path in LIBRARY.rglob("*.py") if "__pycache__" not in path.parts)
CHAPTERS = sorted(path for path in BOOK.rglob("*.py"))
CELLS = [
    (path, text(cell["source"]))
    for path in every_notebook(BOOK)
    for _, cell in code_cells(json.loads(path.read_text(encoding="utf-8")))
]
LONGEST = 350

# What the files of a room of the library may import beside the room itself and the standard library: other rooms, and
# packages. The longest name that fits a file rules.
ROOMS = {
    "derivation": "sympy",
    "derivation.formulas": "sympy",
    "derivation.printing": "derivation.formulas sympy",
    "derivation.deriving": "derivation.printing derivation.formulas sympy",
    "derivation.evaluating": "derivation.deriving derivation.formulas gmpy2 sympy",
    "derivation.publishing": (
        "derivation.printing derivation.evaluating derivation.deriving derivation.formulas sympy"
    ),
    "evidence": "derivation systems arrays textbook programs checks numpy sympy",
    "programs": "derivation arrays numpy numba sympy",
    "reading": "derivation programs sympy",
    "systems": "derivation sympy",
    "arrays": "numpy",
    "textbook": "arrays numpy",
    "learning": "arrays numpy",
    "tasks": "arrays numpy",
}
# Programs are derived, written and translated without arrays, as a page in a browser needs it.
TEXTS = ("plan", "loops", "carried", "sums", "writer", "parts", "program", "text", "javascript")
ROOMS |= {f"programs.{name}": "programs derivation sympy" for name in TEXTS}
PACKAGES = {"gmpy2", "numpy", "numba", "sympy"}
ALLOWED = {
    "throughtime": {"throughtime.derivation", "throughtime.arrays", "throughtime.checks", "numpy", "sympy"},
    "book.experiments": {"throughtime", "book", "numpy", "sympy", "joblib"},
    "book": {"throughtime", "book", "numpy", "sympy", "matplotlib"},
}
ALLOWED["book.lstm1997.later.experiment"] = ALLOWED["book"] | {"torch"}  # stored runs, which no page repeats
for room, others in ROOMS.items():
    ALLOWED[f"throughtime.{room}"] = {
        other if other in PACKAGES else f"throughtime.{other}" for other in (room, *others.split())
    }
# No parts of the book: rooms that all parts share, and pages about all of them.
SHARED = ("shared", "experiments", "reference", "commands", "index")


def module_name(path: Path, folder: Path = LIBRARY) -> str:
    parts = path.relative_to(folder).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return f"book.{name}".rstrip(".") if folder == BOOK else name


def imported(source: str) -> Iterator[tuple[int, str]]:
    """Line and full name of all that a file imports, also inside functions and under TYPE_CHECKING."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield node.lineno, "." * node.level + (node.module or "")
            else:
                # `from throughtime import textbook` imports throughtime.textbook; other names are within the module.
                own = (node.module or "").split(".")[0] in ("throughtime", "book")
                names = (f"{node.module}.{alias.name}" if own else str(node.module) for alias in node.names)
                yield from ((node.lineno, name) for name in names)


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def against_the_direction(name: str, source: str) -> Iterator[str]:
    """Each import of a module that its package may not make."""
    if name == "throughtime":
        allowed: set[str] = set()  # importing any part of the package runs this file first
    else:
        allowed = ALLOWED[max((package for package in ALLOWED if within(name, package)), key=len)]
    for line, target in imported(source):
        if target.split(".")[0] in sys.stdlib_module_names:
            continue
        if not any(within(target, package) for package in allowed):
            may = sorted(allowed) or "the standard library only"
            yield f"{name}, line {line}: imports {target}, may import {may}"


def of_another_part(name: str, source: str) -> Iterator[str]:
    """Each import of a chapter from another part that is not that part's bench."""
    part = name.split(".")[1] if "." in name else ""
    if part in SHARED:
        return
    for line, target in imported(source):
        if within(target, "book"):
            other, *rest = target.split(".")[1:]
            if other not in (part, *SHARED) and rest[:1] != ["bench"]:
                yield f"{name}, line {line}: imports {target}, may import the bench of {other} only"


def too_long(path: Path) -> Iterator[str]:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    if lines > LONGEST:
        yield f"{path.parent.name}/{path.name} has {lines} lines, more than {LONGEST}: it holds more than one idea"


def test_files_import_with_the_direction_and_hold_one_idea() -> None:
    """And those of a chapter import of another part its setting at most."""
    faults = []
    for folder, files in ((LIBRARY, FILES), (BOOK, CHAPTERS)):
        assert files
        for path in files:
            source, name = path.read_text(encoding="utf-8"), module_name(path, folder)
            faults += [*against_the_direction(name, source), *of_another_part(name, source), *too_long(path)]
    assert faults == []


def test_notebooks_import_of_another_part_its_setting_at_most() -> None:
    assert CELLS
    assert [fault for path, cell in CELLS for fault in of_another_part(module_name(path, BOOK), cell)] == []


def past_the_front_door(source: str) -> Iterator[str]:
    """Each name that a cell takes from a package although `throughtime` itself has it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and within(node.module or "", "throughtime"):
            for alias in node.names:
                deep = f"{node.module}.{alias.name}"
                module = importlib.import_module(str(node.module))
                if node.module != "throughtime" and getattr(tt, alias.name, None) is getattr(module, alias.name, deep):
                    yield f"imports {deep}, expected {alias.name} from throughtime"


def test_cells_use_the_front_door() -> None:
    found = [f"{path.relative_to(BOOK)} {fault}" for path, cell in CELLS for fault in past_the_front_door(cell)]
    assert found == []


def classes(files: list[Path]) -> Counter[str]:
    """Public classes by name, with their number; those of one small letter are functions of SymPy."""
    bodies = [node for path in files for node in ast.parse(path.read_text(encoding="utf-8")).body]
    return Counter(node.name for node in bodies if isinstance(node, ast.ClassDef) and node.name[0].isupper())


def test_a_class_of_the_library_has_its_name_alone() -> None:
    assert [name for name, count in classes(FILES).items() if count > 1] == []


def test_no_part_of_the_book_has_a_class_of_the_name_of_one_that_it_imports() -> None:
    for part in filter(Path.is_dir, BOOK.iterdir()):
        files = [*part.rglob("*.py")]
        named = {name for path in files for _, name in imported(path.read_text(encoding="utf-8"))}
        taken = {name.rpartition(".")[2] for name in named if within(name, "throughtime")}
        assert {*classes(files)} & taken == set(), part


PRINTED = """
import sys
sys.modules |= dict.fromkeys(["gmpy2", "numpy", "numba"])  # None: an import is refused
from throughtime.programs import Program
from throughtime.systems import recurrent as net
program = Program(net.build(), net.loss, {net.d_in: 2, net.d_out: 3}, {"f": "logistic"})
for language in ("python", "javascript"):
    print(*[line for line in program.source("rtrl", language).splitlines() if "gradient(" in line])
"""


def test_programs_are_printed_without_numpy() -> None:
    run = subprocess.run([sys.executable, "-c", PRINTED], capture_output=True, text=True, check=True)
    head = "gradient(x, d, sigma, w, w_in)"
    assert run.stdout.splitlines() == [f"def {head}:", f"function {head} {{"]
