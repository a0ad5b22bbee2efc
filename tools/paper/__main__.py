"""Print the book: ``python -m paper ROOT FOLDER [CAPTION ...]``, all of its parts or those with these captions."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from book.reference.reading_paths import reading_time
from playwright.sync_api import sync_playwright
from site_check import CHROMIUM_ARGUMENTS, find_chromium
from site_files import serve

from paper.binding import Bindery, Sheets, listed
from paper.plan import EXERCISES, Place, Volume, contents, volumes
from paper.printing import Press

HOURS = "Hours: an estimate of the time of reading, without exercises."
NO_FONT = "no font of this machine has Chinese characters: [Chinese] stands for them; install one, as Noto Sans CJK"
NO_SOLUTIONS = "A sheet for each chapter, without solutions, which stand in the chapters."


class Edition:
    """A book whose volumes are printed one after another from the site in its folder; their exercises come last."""

    def __init__(self, root: Path, captions: Sequence[str]) -> None:
        every = volumes(self._settings(root / "_toc.yml"))
        if unknown := set(captions) - {volume.title for volume in every}:
            raise ValueError(f"captions: expected of {[volume.title for volume in every]}, got {sorted(unknown)}")
        self.root, self.site = root, root / "_build" / "html"
        self.volumes = [volume for volume in every if not captions or volume.title in captions]
        book = self._settings(root / "_config.yml")
        self.title, self.author = book["title"], book["author"]
        self.version = self._settings(root / "CITATION.cff")["version"]
        self.exercises: list[Sheets] = []
        self.counts: dict[str, str] = {}

    @staticmethod
    def _settings(file: Path) -> dict[str, Any]:
        return yaml.safe_load(file.read_text(encoding="utf-8"))

    def print(self, press: Press) -> dict[str, tuple[str, list[Sheets]]]:
        """The title and the sheets of each file, contents first."""
        files = {}
        for volume in self.volumes:
            print(f"== {volume.title}", flush=True)
            printed = self._chapters(press, volume)
            front = self._front(press, volume.title, HOURS, printed, self._hours(volume))
            files[f"{volume.file}.pdf"] = (volume.title, [front, *printed])
        if self.exercises:
            front = self._front(press, "Exercises", NO_SOLUTIONS, self.exercises, self.counts)
            files[f"{EXERCISES}.pdf"] = ("Exercises", [front, *self.exercises])
        return files

    def _chapters(self, press: Press, volume: Volume) -> list[Sheets]:
        printed: list[Sheets] = []
        for page in volume.pages:
            began = time.monotonic()
            headings = press.open(page)
            title = headings[0].text
            printed.append(Sheets(page, press.print(page, title, after(printed)), headings))
            if count := press.exercises():
                name = f"{EXERCISES}/{page}"
                sheets = press.print(name, title, after(self.exercises))
                self.exercises.append(Sheets(name, sheets, headings[:1]))
                self.counts[name] = f"{count} exercise{'s' * (count > 1)}"
            print(f"  {len(printed[-1].sheets):4} pages  {time.monotonic() - began:4.0f} s  {page}", flush=True)
        return printed

    def _hours(self, volume: Volume) -> dict[str, str]:
        notebooks = {page: self.root / f"{page}.ipynb" for page in volume.pages}
        return {page: reading_time(notebook) for page, notebook in notebooks.items() if notebook.is_file()}

    def _front(
        self, press: Press, title: str, note: str, printed: Sequence[Sheets], beside: Mapping[str, str]
    ) -> Sheets:
        book = f"{self.title}, version {self.version}"
        press.contents(contents(book, title, note, list(listed(printed)), beside))
        name = f"contents/{title}"
        return Sheets(name, press.print(name, title, 1, "lower-roman"))


def after(printed: Sequence[Sheets]) -> int:
    """The number of the first sheet after these."""
    return 1 + sum(len(part.sheets) for part in printed)


def make(root: Path, folder: Path, captions: Sequence[str] = (), public: str = "") -> None:
    """Print the parts of a book with these captions, or all, and their exercises into a folder.

    ``public`` is the address of the published site, if there is one. ValueError for an unknown caption.
    """
    edition = Edition(root, captions)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work, serve(edition.site) as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_ARGUMENTS)
        press = Press(browser.new_page(), served.address, Path(work))
        files = edition.print(press)
        browser.close()
        if press.lacks_chinese:
            print(f"== {NO_FONT}", flush=True)
        places = {}
        for file, (_, printed) in files.items():
            for part in printed:
                places.update({Place(part.page, anchor).name: file for anchor in part.targets})
        bindery = Bindery(places, served.address, public and public.rstrip("/") + "/")
        for file, (title, printed) in files.items():
            count = bindery.bind(folder / file, f"{edition.title}: {title}", edition.author, printed)
            print(f"== {count:4} pages, {(folder / file).stat().st_size / 1e6:5.1f} MB: {folder / file}", flush=True)


if __name__ == "__main__":
    try:
        make(
            Path(sys.argv[1]).resolve(),
            Path(sys.argv[2]).resolve(),
            sys.argv[3:],
            os.environ.get("THROUGHTIME_SITE_URL", ""),
        )
    except FileNotFoundError as missing:
        sys.exit(f"pdf: {missing}")
