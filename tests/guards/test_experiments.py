"""What an experiment has measured is lost by no interruption: it is written by Records alone, progress last.

`tests/book/shared/test_killed.py` kills one experiment. The others stop and go on like it because they write like it.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

BOOK = Path(__file__).parents[2] / "book"
# Pictures and drawings are written to memory there.
WRITERS = {"shared/records.py", "shared/figure_style.py", "shared/svg.py"}
WRITES = {
    *("write_text", "write_bytes", "writer", "DictWriter", "writerow", "writerows", "dump", "tofile"),
    *("save", "savez", "savez_compressed", "savetxt", "savefig", "to_csv", "mkdir", "unlink", "rename"),
}


def called(node: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Each call under a node, in the order of the text, and the last word of what is called."""
    calls = (one for one in ast.walk(node) if isinstance(one, ast.Call))
    for call in sorted(calls, key=lambda one: (one.lineno, one.col_offset)):
        yield call, getattr(call.func, "attr", getattr(call.func, "id", ""))


def writes_by_itself(source: str) -> Iterator[str]:
    for call, name in called(ast.parse(source)):
        place = int(isinstance(call.func, ast.Name))  # open(path, mode), path.open(mode)
        modes = [*call.args[place : place + 1], *(word.value for word in call.keywords if word.arg == "mode")]
        if name in WRITES or (name == "open" and any(set(ast.literal_eval(mode)) & set("wax+") for mode in modes)):
            yield f"line {call.lineno}: {ast.unparse(call)} writes a file, expected shared.records.Records.add"


def records(source: str) -> list[str]:
    """The names of the records that a module has at its top."""
    assigned = (node for node in ast.parse(source).body if isinstance(node, ast.Assign))
    return [
        ast.unparse(node.targets[0])
        for node in assigned
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "Records"
    ]


def cannot_go_on(source: str) -> Iterator[str]:
    """Faults of a module with records: `main` passes all to `begin` and asks what is `missing`; that is added last."""
    own, tree = records(source), ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    calls = [pair for node in functions if node.name == "main" for pair in called(node)]
    begun = [ast.unparse(argument) for call, name in calls if name == "begin" for argument in call.args]
    asked = {ast.unparse(call.args[0]) for call, name in calls if name == "missing"}
    yield from (f"main does not pass {record} to begin" for record in own if record not in begun)
    if not asked & set(own):
        yield f"main asks of none of {own} what is missing"
    for node in functions:
        added = [ast.unparse(call.func)[: -len(".add")] for call, name in called(node) if name == "add"]
        added = [record for record in added if record in own]
        if asked & set(added[:-1]) and added[-1] not in asked:
            yield f"{node.name} adds to {added[-1]} last, expected {' or '.join(sorted(asked))}: it says what is done"


def test_experiments_write_by_records_and_can_go_on() -> None:
    faults, experiments = [], 0
    for path in sorted(BOOK.rglob("*.py")):
        name, source = path.relative_to(BOOK).as_posix(), path.read_text(encoding="utf-8")
        if name not in WRITERS:
            faults += [f"{name}, {fault}" for fault in writes_by_itself(source)]
        if any(f"{record}.add(" in source for record in records(source)):
            experiments += 1
            faults += [f"{name}: {fault}" for fault in cannot_go_on(source)]
    assert faults == []
    assert experiments >= 8
