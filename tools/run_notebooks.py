"""Run notebooks from a fresh kernel each and store their outputs in place (``make update-outputs``).

The pages made from the stored outputs of all others (``READS_THE_OTHERS``) run last; then the numbers that cells keep
are written into the sentences that tell them (``book.shared.kept``). A notebook whose outputs do not
change keeps its bytes; a new version replaces the old one in a single step, so that an interrupted run, a dead kernel
or a full disk leaves every notebook whole.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import nbformat
from book.shared.kept import kept_by, written
from nbclient import NotebookClient

READS_THE_OTHERS = tuple(
    f"book/{page}.ipynb" for page in ("reference/ledger", "reference/errata", "reference/how-we-judge", "index")
)
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# Of a cell's metadata only what a page needs: tags, which fold it on the site, and the text of a figure.
CELL_METADATA = ("mystnb", "tags")
SOLUTION = re.compile(r"^```\{solution-(start|end)\}", re.M)


def metadata_of(cells: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The metadata that each cell keeps; JupyterLab, which knows no tags, is told to fold what the site folds."""
    solution = False
    for cell in cells:
        kept = {name: cell["metadata"][name] for name in CELL_METADATA if name in cell["metadata"]}
        if cell["cell_type"] == "code":
            folded = {tag.partition("-")[2] for tag in kept.get("tags", ())} | ({"cell"} if solution else set())
            parts = (("outputs_hidden", "output"), ("source_hidden", "input"))
            if hidden := {name: True for name, part in parts if folded & {"cell", part}}:
                kept["jupyter"] = hidden
        for edge in SOLUTION.findall("".join(cell["source"])):
            solution = edge == "start"
        yield kept


def normalize(notebook: nbformat.NotebookNode) -> None:
    """Drop what changes from machine to machine: timings, editor settings, versions of the interpreter."""
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    seen: Counter[str] = Counter()
    for cell, metadata in zip(notebook.cells, [*metadata_of(notebook.cells)], strict=True):
        cell.metadata = nbformat.from_dict(metadata)
        name = hashlib.sha256(cell.source.encode()).hexdigest()[:8]
        cell.id = f"{name}-{seen[name]}" if seen[name] else name  # an id moves with its cell, whoever wrote it
        seen[name] += 1


def replace(path: Path, text: str) -> None:
    """Write a file of UTF-8 text as a whole or not at all: a temporary file beside it takes its name at the end.

    Raises OSError, as for a full disk; the file is then left as it was.
    """
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=".", delete=False) as file:
        beside = Path(file.name)
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            shutil.copymode(path, beside)
            beside.replace(path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise


def run(path: Path, timeout: int) -> float:
    """Execute one notebook in its own folder and store its outputs; returns the seconds it took.

    ``timeout`` is in seconds, for each cell. Raises CellExecutionError with the failing cell and its traceback,
    DeadKernelError, CellTimeoutError, OSError, or ValueError for a file that is no notebook; the file is then left as
    it was.
    """
    start = time.perf_counter()
    before = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(before, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        coalesce_streams=True,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    normalize(notebook)
    nbformat.validate(notebook)
    after = nbformat.writes(notebook) + "\n"
    if after != before:
        replace(path, after)
    return time.perf_counter() - start


def run_all(paths: list[Path], timeout: int, workers: int) -> list[Path]:
    """Run the notebooks ``workers`` at a time, printing each as it ends; returns those that failed.

    Whatever stops one notebook is printed with its name, and the others run on.
    """
    failed = []
    with ProcessPoolExecutor(workers) as pool:
        running = {pool.submit(run, path, timeout): path for path in paths}
        for done, future in enumerate(as_completed(running), start=1):
            path = running[future]
            try:
                print(f"[{done}/{len(paths)}] {path}  {future.result():.1f} s", flush=True)
            except Exception as error:
                failed.append(path)
                what = f"{type(error).__name__}: {error}"
                print(f"[{done}/{len(paths)}] {path}  FAILED\n{what}", file=sys.stderr, flush=True)
    return failed


def write_numbers(book: Path) -> None:
    """Write the numbers that the pages keep before their marks in the prose of all pages."""
    pages = {path: nbformat.read(path, as_version=4) for path in every_notebook(book)}
    names = {path: path.relative_to(book).with_suffix("").as_posix() for path in pages}
    numbers = dict(kept for path, notebook in pages.items() for kept in kept_by(names[path], notebook))
    for path, notebook in pages.items():
        for cell in notebook.cells:
            if cell.cell_type == "markdown" and (text := written(names[path], cell.source, numbers)) != cell.source:
                cell.source = text
                normalize(notebook)
                replace(path, nbformat.writes(notebook) + "\n")


def every_notebook(book: Path) -> list[Path]:
    """The notebooks of a folder and the folders in it, without the copies that an editor keeps."""
    return [path for path in sorted(book.rglob("*.ipynb")) if ".ipynb_checkpoints" not in path.parts]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: every notebook under book/")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one cell")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    paths = arguments.notebooks or every_notebook(Path("book"))
    last = [path for path in paths if path.as_posix() in READS_THE_OTHERS]
    failed = run_all([path for path in paths if path not in last], arguments.timeout, arguments.workers)
    if not failed:  # the ledger of chapters that did not run would be a ledger of old ones
        failed = run_all(last, arguments.timeout, workers=1)
    write_numbers(Path("book"))
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("stopped; the notebooks that were running are as they were", file=sys.stderr)
        sys.exit(130)
