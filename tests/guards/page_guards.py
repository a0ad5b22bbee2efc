"""Guards of a notebook: what a comparison with a fresh run passes over, as order, metadata, words of images.

Each guard takes a notebook and yields its faults.
"""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from book.shared.kept import KEPT, kept_by, marks
from nbval.plugin import comment_markers
from run_notebooks import metadata_of

RECORD = "application/vnd.throughtime.statement+json"
IMAGES = {"image/png", "image/svg+xml"}
PICTURED = {"image/svg+xml", "image/png", "text/html", "text/latex"}
SHOWN = {"text/plain", "text/html", "text/markdown", "text/latex", *IMAGES}
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|tmp|work|Users|var|private)/|[A-Z]:\\Users|site-packages")
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
BASE64 = re.compile(r"base64,[A-Za-z0-9+/=\s]+")
HAND_MADE = re.compile(r"\btt-(?:statement|steps|verdict|checks|reason|tag)\b")
RETYPED = re.compile(r"\b(?:Math|Latex)\s*\(|import[^\n]*\b(?:Math|Latex)\b")
# The words of nbval for a cell whose output it does not compare.
UNCHECKED = re.compile(r"^\s*#\s*((?:NBVAL|PYTEST_VALIDATE)_\w+)", re.M)
UNCHECKED_TAGS = {word.lower().replace("_", "-") for word in comment_markers} | {"raises-exception"}
DERIVES = {"System", "show", "derive", "derive_backward", "derive_gradient"}
JUDGES = {"equation", "claim"}  # a derivation behind a statement is folded into its box
WORDLESS = re.compile(r"\{numref\}`([^`<]*)`")
IN_PRINT = "in_print"  # makes the table of a page whose name ends so
PROMISE = "**After this chapter you can**"
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
PROGRAM = re.compile(r"^`{3,}(?:python|text|bash|sh)\n(.*?)^`{3}", re.S | re.M)
WIDTH = 80  # characters of code in the column of the site, as book/reference/writing.md says
IMG = re.compile(r"<img\b[^>]*>", re.I)
SVG = re.compile(r"<svg\b[^>]*>", re.I)
SPOKEN = re.compile(r"""\b(?:alt|aria-label|aria-labelledby)\s*=\s*["'][^"'\s][^"']*["']""", re.I)
COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
NAMED_COLOUR = re.compile(r"var\(--tt-\w+,#\w{6}\)")
LINK = re.compile(r"\]\(#([\w-]+)\)")
LABEL = re.compile(r"^(?:\(([\w-]+)\)=|:(?:label|name): *([\w-]+))", re.M)
UNSPOKEN = re.compile(r"""\baria-hidden\s*=\s*["']true["']""", re.I)

Notebook = dict
Faults = Iterator[str]


def text(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def code_cells(notebook: Notebook) -> list[tuple[int, dict]]:
    cells = enumerate(notebook["cells"])
    return [(n, c) for n, c in cells if c["cell_type"] == "code" and text(c["source"]).strip()]


def outputs(notebook: Notebook) -> Iterator[tuple[int, dict]]:
    for number, cell in code_cells(notebook):
        for output in cell["outputs"]:
            yield number, output


def readable(output: dict) -> Iterator[str]:
    """The parts of an output that are text, embedded images left out."""
    if output["output_type"] == "stream":
        yield text(output["text"])
    for mime, value in output.get("data", {}).items():
        if mime == "image/png":
            continue
        yield BASE64.sub("", json.dumps(value) if mime.endswith("json") else text(value))


def not_run_in_order(notebook: Notebook) -> Faults:
    counts = [cell["execution_count"] for _, cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts are {counts}: run it from a fresh kernel (make update-outputs)"


def unfit_output(notebook: Notebook) -> Faults:
    for number, output in outputs(notebook):
        if output["output_type"] == "error":
            yield f"cell {number} raised {output['ename']}: {output['evalue']}"
        if output.get("name") == "stderr":
            yield f"cell {number} wrote to stderr: {text(output['text'])[:80]!r}"
        for mime in sorted(output.get("data", {}).keys() - SHOWN - {RECORD, KEPT}):
            yield f"cell {number} has an output of type {mime}; pages show {sorted(SHOWN)}"
        drawing = NAMED_COLOUR.sub("", text(output.get("data", {}).get("image/svg+xml", "")))
        if found := sorted(set(COLOUR.findall(drawing))):
            yield f"cell {number} draws in {', '.join(found)}: only those of figure_style.PALETTE follow the theme"


def of_this_machine(notebook: Notebook) -> Faults:
    seen = [(f"cell {number}", text(cell["source"])) for number, cell in enumerate(notebook["cells"])]
    seen += [(f"the output of cell {n}", part) for n, output in outputs(notebook) for part in readable(output)]
    for place, part in seen:
        if found := MACHINE_PATH.search(part):
            yield f"{place} names a path of one machine: {found[0]!r}"
        if found := ADDRESS.search(part):
            yield f"{place} shows an address in memory: {found[0]!r}"


def numbers_in_sight(notebook: Notebook) -> Faults:
    for number, cell in code_cells(notebook):
        kept = any(KEPT in output.get("data", {}) for output in cell["outputs"])
        if kept and "remove-cell" not in cell["metadata"].get("tags", []):
            yield f"cell {number} keeps numbers in sight: give it the tag remove-cell"


def left_unchecked(notebook: Notebook) -> Faults:
    for number, cell in code_cells(notebook):
        words = [*UNCHECKED.findall(text(cell["source"])), *(UNCHECKED_TAGS & set(cell["metadata"].get("tags", [])))]
        if words:
            yield f"cell {number} says {words[0]!r}: nbval would not compare it"
        if text(cell["source"]).rstrip().endswith(";"):
            yield f"cell {number} ends in ';', which hides nothing under nbval"


def metadata_to_spare(notebook: Notebook) -> Faults:
    kernel = notebook["metadata"].get("kernelspec", {}).get("name")
    if kernel != "python3":
        yield f"the kernel is {kernel!r}, not 'python3'"
    if extra := sorted(notebook["metadata"].keys() - {"kernelspec", "language_info"}):
        yield f"metadata that no page needs: {extra}"
    for number, (cell, needed) in enumerate(zip(notebook["cells"], metadata_of(notebook["cells"]), strict=True)):
        if cell["metadata"] != needed:
            yield f"metadata of cell {number}: expected {needed} (make update-outputs), got {cell['metadata']}"


def silent_figure(notebook: Notebook) -> Faults:
    for number, cell in code_cells(notebook):
        alt = cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "")
        for output in cell["outputs"]:
            data = output.get("data", {})
            html = text(data.get("text/html", ""))
            if IMAGES & data.keys() and not html and not alt.strip():
                yield f"cell {number} shows a figure without alternative text (metadata mystnb.image.alt)"
            for tag in [*IMG.findall(html), *SVG.findall(html)]:
                if not (SPOKEN.search(tag) or UNSPOKEN.search(tag)):
                    yield f"cell {number} shows {tag[:60]} without alternative text"


def written_by_hand(notebook: Notebook) -> Faults:
    for number, cell in enumerate(notebook["cells"]):
        if found := HAND_MADE.search(text(cell["source"])):
            yield f"cell {number} makes a {found[0]} box by hand: the engine makes them from what it checked"
        for name in WORDLESS.findall(text(cell["source"])):
            yield f"cell {number}: JupyterLab shows words of {{numref}}`the figure <{name}>` and no number: give some"
    for number, cell in code_cells(notebook):
        if found := RETYPED.search(text(cell["source"])):
            yield f"cell {number} displays LaTeX of its own ({found[0].strip()!r}), which nothing checks"


def code_before_the_idea(notebook: Notebook) -> Faults:
    """A chapter begins with what it is about, then shows a picture or a formula of it, and only then a program."""
    if not any(PROMISE in text(cell["source"]) for cell in notebook["cells"]):
        return
    begun = False
    for number, cell in enumerate(notebook["cells"]):
        source = text(cell["source"])
        if cell["cell_type"] == "markdown":
            _, heading, under = f"\n{source}".partition("\n## ")
            if (begun or heading) and "$$" in (under or source):
                return
            begun = begun or bool(heading)
        elif not FOLDED & set(cell["metadata"].get("tags", [])):
            if not begun and len(source.splitlines()) > 3:
                yield f"cell {number} shows a program before the first heading: fold it (tag hide-input)"
            if begun:
                yield f"cell {number} shows a program before any picture or formula under the first heading"
                return
        elif begun and any(PICTURED & output.get("data", {}).keys() for output in cell["outputs"]):
            return


def chapter_without_its_end(notebook: Notebook) -> Faults:
    """A page that promises what its reader can do afterwards sums up and sets exercises."""
    prose = "".join(text(cell["source"]) + "\n" for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    if PROMISE in prose:
        for part in ("\n## Recap\n", "\n## Exercises\n", "```{exercise}"):
            if part not in prose:
                yield f"the chapter lacks {part.strip()!r}"


def table_of_other_boxes(notebook: Notebook) -> Faults:
    """A page in print begins with a table of its boxes: of each of them, in their order, and of no other."""
    calls = [
        call
        for _, cell in code_cells(notebook)
        for call in ast.walk(ast.parse(text(cell["source"])))
        if isinstance(call, ast.Call) and called(call) == IN_PRINT
    ]
    named = [name for call in calls for box in call.args for name in ast.literal_eval(box).split()]
    if calls and named != (found := [*judged([notebook])]):
        yield f"the table of the page names {named}, its boxes are {found}"


def hidden_derivation(notebook: Notebook) -> Faults:
    for number, cell in code_cells(notebook):
        if FOLDED & set(cell["metadata"].get("tags", [])):
            calls = [node for node in ast.walk(ast.parse(text(cell["source"]))) if isinstance(node, ast.Call)]
            behind = {id(node) for call in calls if called(call) in JUDGES for node in ast.walk(call)}
            for call in calls:
                if called(call) in DERIVES and id(call) not in behind:
                    yield f"cell {number} hides {called(call)}(...): show the system and its derivations"


def called(call: ast.Call) -> str:
    """The name of a function that is called, without what stands before its last dot."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def wide_code(notebook: Notebook) -> Faults:
    """A longer line is cut at the edge of the column; folded code may be wider, programs in text may not."""
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "markdown":
            shown = programs(text(cell["source"]))
        else:
            shown = [] if FOLDED & set(cell["metadata"].get("tags", [])) else [text(cell["source"])]
        for fault in wide_lines(shown):
            yield f"cell {number}: {fault}"


def programs(markdown: str) -> list[str]:
    """The programs between fences."""
    return [found[1] for found in PROGRAM.finditer(markdown)]


def wide_lines(shown: Iterable[str]) -> Faults:
    for source in shown:
        for number, line in enumerate(source.splitlines(), 1):
            if len(line) > WIDTH:
                yield f"line {number} has {len(line)} characters, at most {WIDTH} are seen: {line.strip()}"


GUARDS = [
    not_run_in_order,
    unfit_output,
    of_this_machine,
    numbers_in_sight,
    left_unchecked,
    metadata_to_spare,
    silent_figure,
    written_by_hand,
    code_before_the_idea,
    chapter_without_its_end,
    table_of_other_boxes,
    hidden_derivation,
    wide_code,
]


def judged(notebooks: list[Notebook]) -> Iterator[str]:
    """The ids of the statements that stand in boxes, in reading order."""
    for _, output in (each for notebook in notebooks for each in outputs(notebook)):
        if record := output.get("data", {}).get(RECORD):
            yield from (own["id"] for own in (record, *record.get("also", ())))


def judged_twice(notebooks: list[Notebook]) -> Faults:
    """No statement is judged in two places: which of the two verdicts would the ledger show?"""
    for name, times in Counter(judged(notebooks)).items():
        if times > 1:
            yield f"{name} is judged {times} times"


def other_numbers(pages: dict[str, Notebook]) -> Faults:
    """A number in prose is the one that a cell keeps for it; each has both, its cell and its mark."""
    every = [kept for page, notebook in pages.items() for kept in kept_by(page, notebook)]
    numbers, told = dict(every), Counter(key for key, _ in every)
    yield from (f"{key} is kept {times} times" for key, times in told.items() if times > 1)
    for page, notebook in pages.items():
        for cell in (cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"):
            for key, number in marks(page, text(cell["source"])):
                told[key] = 0
                if key not in numbers or number != numbers[key]:
                    yield f"{page} says {number} for {key}, kept is {numbers.get(key)} (make update-outputs)"
    yield from (f"no page tells {key}" for key in numbers if told[key])


def lost_links(notebooks: list[Notebook]) -> Faults:
    """A link to a place names a label or a judged statement: the words of a heading are no label in this build."""
    cells = [(cell, text(cell["source"])) for nb in notebooks for cell in nb["cells"]]
    prose = "\n".join(words for cell, words in cells if cell["cell_type"] == "markdown")
    places = {name for names in LABEL.findall(prose) for name in names} | {*judged(notebooks)}
    places |= {cell["metadata"].get("mystnb", {}).get("figure", {}).get("name") for cell, _ in cells}
    for name in sorted({*LINK.findall(prose)} - places):
        yield f"no label, figure or statement has the name {name}"
