"""Which files of the project a test file or a notebook depends on, found without running anything.

A file depends on what it imports, on what these import, and on files that it names in a string: ``"rprop.csv"`` is each
file whose path ends so, ``".csv"`` and ``"*.csv"`` are all such tables. The cells of a notebook are read like a file.
``tt.LFMN`` is the package that the front door takes it from. Every test depends on the ``conftest.py`` of the folders
above it, everything on ``COMMON``.

A file that starts programs, makes the name of a module at run time or lists a folder is opaque: it may depend on any
file.
"""

from __future__ import annotations

import ast
import fnmatch
import hashlib
import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial
from itertools import chain
from pathlib import Path, PurePosixPath

# What runs every test and notebook, or says how.
COMMON = ("conftest.py", "constraints.txt", "pyproject.toml", "requirements.txt", "tools/nbval_pictures.py")
FRONT_DOOR = "lib/throughtime/__init__.py"
PACKAGES = {"lib": "", "book": "book"}  # folders of modules beside those of pytest's pythonpath
# Files that list folders or import by names made at run time, and all files that they read or import in this way.
KNOWN: dict[str, tuple[str, ...]] = {
    FRONT_DOOR: (),  # its names are looked up where they are used
    "lib/throughtime/__main__.py": ("book/commands.py",),
    "lib/throughtime/programs/build.py": (),  # it imports what it has written
    "lib/throughtime/models/_jit.py": ("lib/throughtime/models/*.py",),
    "book/reference/api.py": ("lib/*.py",),
    "book/reference/api_pages.py": ("lib/*.py", "book/*.ipynb"),
    "book/reference/ledger.py": ("book/data/statements.csv",),  # read_book: where it is used
    "book/reference/sizes.py": ("lib/*.py",),
    "tests/fuzz/fuzzing/__main__.py": ("lib/throughtime/derivation/*.py", "tests/fuzz/*.py"),
    "tests/reader/test_boxes.py": ("tests/reader/*", "book/data/statements.csv"),
    "tests/models/kernel_mutants.py": (),  # it changes the text of modules that it is given
    "tests/conftest.py": (),  # it asks whether the engine is loaded
    "tools/run_notebooks.py": (),  # the notebooks that it runs are named on its command line
}
READS_ALL_PAGES = "read_book"
LISTS = {"glob", "rglob"}
OPAQUE = {
    *("subprocess", "multiprocessing", "ProcessPoolExecutor", "run_path", "run_module", "spec_from_file_location"),
    *("iterdir", "scandir", "listdir", "iter_modules", "walk_packages"),
}
IMPORTERS = {"import_module", "__import__"}
PATTERN = re.compile(r"[\w*-]*\*[\w*-]*\.\w+")
ABOVE = ("", "*/")
PROGRAM = re.compile(r"\b(?:import|from) throughtime")


def sources(path: Path) -> Iterator[str]:
    """The code of a file: its text, or the cells of a notebook without the commands to IPython."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        yield text
        return
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            yield re.sub(r"^[%!].*$", "pass", "".join(cell["source"]), flags=re.M)


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of code, without docstrings; several times as fast as `ast.walk`."""
    todo = [tree]
    while todo:
        yield (node := todo.pop())
        for name in node._fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                todo += [one for one in value if isinstance(one, ast.AST) and not is_docstring(one)]
            elif name != "ctx" and isinstance(value, ast.AST):
                todo.append(value)


def is_docstring(node: ast.AST) -> bool:
    """Whether a node is an expression that is nothing but a constant."""
    return node.__class__ is ast.Expr and node.value.__class__ is ast.Constant


def last_name(node: ast.AST) -> str:
    """``c`` of ``a.b.c``, ``a`` of ``a``; nothing of what has no name."""
    return getattr(node, "attr", getattr(node, "id", ""))


def named(path: str, pattern: str) -> bool:
    """Whether a folder above a file has a name of a pattern, as pytest takes its ``norecursedirs``."""
    return any(fnmatch.fnmatch(part, pattern) for part in PurePosixPath(path).parts[:-1])


def calls_by_name(node: ast.Call) -> bool:
    """Whether a call imports a module or lists a folder by a name that is known at run time alone."""
    name = last_name(node.func)
    owner = last_name(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    if name not in IMPORTERS | LISTS or owner == "tmp_path":  # a test's own folder
        return (owner, name) == ("os", "walk")
    constant = bool(node.args) and isinstance(node.args[0], ast.Constant)
    return not constant or (name in LISTS and node.args[0].value == "*")


def listings(said: Mapping[type, list]) -> Iterator[tuple[str, set[str]]]:
    """Each pattern of code with the ends of the paths of the folders that it lists, such as ``lib/``.

    A folder is known by the last part of its path: ``(ROOT / "lib").glob("*.py")``, or ``LIBRARY.glob("*.py")`` where
    the name stands for nothing but ``ROOT / "lib"``. A pattern that is also used in another way is left out.
    """
    bound = Counter(node.id for node in said[ast.Name] if isinstance(node.ctx, ast.Store))
    bound.update(node.arg for node in said[ast.arg])
    assigned = [(node.targets[0], last_part(node.value)) for node in said[ast.Assign]]
    ends = {name.id: end for name, end in assigned if isinstance(name, ast.Name) and bound[name.id] == 1}
    found: dict[str, set[str]] = defaultdict(set)
    uses = Counter(node.value for node in said[ast.Constant] if isinstance(node.value, str))
    for node in said[ast.Call]:
        if last_name(node.func) in LISTS and node.args and isinstance(node.args[0], ast.Constant):
            place = node.func.value
            if end := ends.get(getattr(place, "id", "")) or last_part(place):
                found[node.args[0].value].add(f"{end}/")
                uses[node.args[0].value] -= 1
    yield from ((pattern, folders) for pattern, folders in found.items() if not uses[pattern])


def last_part(node: ast.AST) -> str:
    """``b`` of ``a / "b"``; nothing of what is no such path."""
    named = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and isinstance(node.right, ast.Constant)
    return str(node.right.value) if named else ""


class Project:
    """The files below a folder and what each of them depends on.

    ``also`` are files that are gone: what depended on one is still found.
    """

    def __init__(self, root: Path, also: Iterable[str] = ()) -> None:
        self.root = root
        self.files = {*self._below(root), *also}
        self._seen: dict[str, tuple[set[str], set[str], bool]] = {}
        settings = root / "pyproject.toml"
        options = tomllib.loads(settings.read_text(encoding="utf-8")).get("tool", {}) if settings.is_file() else {}
        self._pytest: dict = options.get("pytest", {}).get("ini_options", {})

    def _below(self, folder: Path) -> Iterator[str]:
        for path in folder.iterdir():
            if path.name in ("_build", "__pycache__") or (path.name[0] == "." and path.name not in (".ci", ".github")):
                continue
            if path.is_dir():
                yield from self._below(path)
            else:
                yield path.relative_to(self.root).as_posix()

    @property
    def tests(self) -> list[str]:
        """The test files of a plain run of pytest."""
        apart = self._pytest.get("norecursedirs", ())
        found = [path for path in self.files if re.search(r"^tests/(.*/)?test_\w+\.py$", path)]
        return sorted(path for path in found if not any(map(partial(named, path), apart)))

    @property
    def notebooks(self) -> list[str]:
        """All notebooks of the book."""
        return sorted(self.matching(["book/*.ipynb"]))

    @cached_property
    def modules(self) -> dict[str, set[str]]:
        """The files of each module, by the names under which it can be imported."""
        found: dict[str, set[str]] = {}
        for folder, package in (PACKAGES | dict.fromkeys(self._pytest.get("pythonpath", ()), "")).items():
            for path in self.matching([f"{folder}/*.py"]):
                parts = [package, *PurePosixPath(path).relative_to(folder).with_suffix("").parts]
                name = ".".join(part for part in parts if part and part != "__init__")
                found.setdefault(name, set()).add(path)
        return found

    @cached_property
    def by_name(self) -> dict[str, set[str]]:
        """All files by the last part of their path."""
        found: dict[str, set[str]] = {}
        for path in self.files:
            found.setdefault(PurePosixPath(path).name, set()).add(path)
        return found

    @cached_property
    def endings(self) -> set[str]:
        """The endings of the files."""
        return {PurePosixPath(name).suffix for name in self.by_name} - {""}

    @cached_property
    def front_door(self) -> dict[str, str]:
        """The package of each public name of throughtime that is not the engine's."""
        path = self.root / FRONT_DOOR
        tree = ast.parse(path.read_text(encoding="utf-8") if path.is_file() else "")
        tables = {
            ast.unparse(node.targets[0]): ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("PACKAGES", "ON_DEMAND")
        }
        own = {name: name for name in tables.get("PACKAGES", ())}
        return own | {name: room for room, names in tables.get("ON_DEMAND", {}).items() for name in names.split()}

    def matching(self, patterns: Iterable[str]) -> set[str]:
        """The files whose whole path matches a pattern; a star stands for folders too."""
        return {path for pattern in patterns for path in fnmatch.filter(self.files, pattern)}

    def closure(self, path: str) -> set[str]:
        """The files on which a file depends, itself among them, as far as its text says."""
        run = self._run(path)
        return (run | {read for one in run for read in self._direct(one)[1]}) & self.files

    def surely(self, path: str) -> set[str]:
        """The files on which a file can depend: all of the project if one of its closure is opaque."""
        return self.files if any(self._direct(one)[2] for one in self._run(path)) else self.closure(path)

    def digests(self, paths: Iterable[str], *more: str) -> dict[str, str]:
        """For each file the digest of all that it can depend on, and of the lines ``more``."""
        own = {}
        for path in sorted(self.files):
            own[path] = hashlib.sha256((self.root / path).read_bytes()).hexdigest()
        lines = {path: [f"{own[one]}  {one}" for one in sorted(self.surely(path))] for path in paths}
        return {path: hashlib.sha256("\n".join([*more, *text]).encode()).hexdigest() for path, text in lines.items()}

    def _run(self, path: str) -> set[str]:
        """The files whose code runs with a file, itself among them."""
        todo, seen = [path, *self._always(path)], set()
        while todo:
            if (one := todo.pop()) not in seen:
                seen.add(one)
                todo += self._direct(one)[0]
        return seen

    def _always(self, path: str) -> list[str]:
        above = [str(folder / "conftest.py") for folder in PurePosixPath(path).parents]
        return [*COMMON, *above] if path.startswith("tests/") else list(COMMON)

    def _direct(self, path: str) -> tuple[set[str], set[str], bool]:
        """The files that a file imports, those that it reads, and whether it is opaque."""
        if path not in self._seen:
            code = path.endswith((".py", ".ipynb")) and (self.root / path).is_file()
            self._seen[path] = self._named(path) if code else (set(), set(), False)
        return self._seen[path]

    def _named(self, path: str) -> tuple[set[str], set[str], bool]:
        try:
            trees = [ast.parse(source) for source in sources(self.root / path)]
        except (SyntaxError, ValueError, KeyError):  # nobody knows what it would do; its own run says what is wrong
            return set(), set(), True
        said: dict[type, list] = defaultdict(list)
        for node in chain.from_iterable(map(nodes, trees)):
            said[type(node)].append(node)
        strings = {node.value for node in said[ast.Constant] if isinstance(node.value, str)}
        used = {*map(last_name, said[ast.Name] + said[ast.Attribute])}
        imports = {one for name in self._imported(said) for one in self._files_of(name)}
        if path in KNOWN:
            known = self.matching(KNOWN[path])
            code = {one for one in known if one.endswith(".py")}
            return imports | code, known - code, False
        reads = {one for text in strings for one in self._files_named(text)}
        if READS_ALL_PAGES in used:
            reads |= set(self.notebooks)
        listed = dict(listings(said))
        for text in strings:
            if "." in text and text in self.modules:
                imports |= {*self._files_of(text)}
            elif PATTERN.fullmatch(name := text.rpartition("/")[2]):
                reads |= self.matching(f"{above}{folder}{name}" for folder in listed.get(text, {""}) for above in ABOVE)
        used |= {alias.name for alias in said[ast.alias]}
        programs = any(map(PROGRAM.search, strings)) or ".py" in strings
        return imports, reads, programs or not used.isdisjoint(OPAQUE) or any(map(calls_by_name, said[ast.Call]))

    def _imported(self, said: Mapping[type, list]) -> Iterator[str]:
        """The full names that code imports, those of the front door as names of their package."""
        doors = {"throughtime"}
        for node in said[ast.Import]:
            yield from (alias.name for alias in node.names)
            doors |= {alias.asname for alias in node.names if alias.name == "throughtime" and alias.asname}
        for node in said[ast.ImportFrom]:
            full = self._through_the_door if node.module == "throughtime" else f"{node.module}.{{}}".format
            yield from (full(alias.name) for alias in node.names)
        for node in said[ast.Call]:
            if last_name(node.func) in IMPORTERS:
                yield from (str(name.value) for name in node.args[:1] if isinstance(name, ast.Constant))
        used = [node for node in said[ast.Attribute] if getattr(node.value, "id", "") in doors]
        yield from (self._through_the_door(node.attr) for node in used)
        if sum(node.id in doors for node in said[ast.Name]) > len(used):  # getattr(tt, name)
            yield from (f"throughtime.{package}" for package in set(self.front_door.values()))

    def _through_the_door(self, name: str) -> str:
        return f"throughtime.{self.front_door.get(name, 'derivation')}"

    def _files_of(self, name: str) -> Iterator[str]:
        """The files that an import of a full name runs: of the module, and of the packages around it."""
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            yield from self.modules.get(".".join(parts[:length]), ())

    def _files_named(self, text: str) -> set[str]:
        """The files that a string names by the last part of their path, or by its end: ``f"{name}_runs.csv"``."""
        name = text.rpartition("/")[2]
        if name != ".py" and "." in name and f".{name.rpartition('.')[2]}" in self.endings:
            return {path for path in self.files if path.endswith(name)}
        return self.by_name.get(name, set())
