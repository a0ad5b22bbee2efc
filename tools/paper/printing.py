"""Pages of the site as sheets: Chromium lays out what the styles for print leave, and says where its headings stand."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page
from site_check import go

from paper.plan import Heading

SCRIPT = (Path(__file__).parent / "prepare.js").read_text(encoding="utf-8")
WIDTH, HEIGHT = 658, 986  # pixels of A4 within the margins below, as wide as lines are when they are measured


class Press:
    """A tab that prints pages of a site into a folder."""

    def __init__(self, tab: Page, address: str, folder: Path) -> None:
        self.tab, self.address, self.folder = tab, address, folder
        self.lacks_chinese = False  # whether a page has Chinese words for which there is no font
        tab.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        tab.emulate_media(media="print", color_scheme="light")

    def open(self, page: str) -> list[Heading]:
        """Show a page with all that is printed of it, and take down its headings."""
        go(self.tab, f"{self.address}{page}.html")
        self.tab.add_script_tag(content=SCRIPT)
        headings = [Heading(*heading) for heading in self.tab.evaluate("(height) => paper.prepare(height)", HEIGHT)]
        self.lacks_chinese |= self.tab.evaluate("() => paper.replaced")
        return headings

    def exercises(self) -> int:
        """Leave of the page that is shown its title and its exercises, and count them."""
        return self.tab.evaluate("() => paper.exercises()")

    def contents(self, html: str) -> None:
        """Leave of the page that is shown nothing, and show this instead."""
        self.tab.evaluate("(html) => paper.contents(html)", html)

    def print(self, name: str, title: str, first: int, style: str = "decimal") -> Path:
        """Print what is shown, with a title at the foot, and numbers from ``first``."""
        words = title.replace("\\", "\\\\").replace('"', '\\"')
        rules = f"""@page {{ size: A4; margin: 16mm 18mm 20mm;
            @bottom-left {{ content: "{words}"; font-size: 8pt; color: #555; width: 80%; text-align: left }}
            @bottom-center {{ content: none }}
            @bottom-right {{ content: counter(page, {style}); font-size: 9pt }} }}
          @page :first {{ counter-set: page {first} }}"""
        sheet = self.tab.add_style_tag(content=rules)
        file = self.folder / f"{name.replace('/', '.')}.pdf"
        self.tab.pdf(path=file, prefer_css_page_size=True, print_background=True)
        sheet.evaluate("(sheet) => sheet.remove()")
        return file
