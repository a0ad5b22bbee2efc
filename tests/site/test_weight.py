"""What a page loads, beside MathJax and fonts, is at most a megabyte."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from site_files import SITE, chosen_pages, redirect_target

MOST = 1_000_000  # bytes, before the server packs them
LOADED = re.compile(r'<(?:script|img|link)\b[^>]*?\b(?:src|href)="([^"]+)"')
NOT_LOADED = re.compile(r'<link\b[^>]*\brel="(?:next|prev|index|search|canonical)"[^>]*>')


def loaded(page: Path) -> set[Path]:
    """The page and the files of the site that its elements name."""
    html = NOT_LOADED.sub("", page.read_text(encoding="utf-8"))
    addresses = (urlsplit(address) for address in LOADED.findall(html))
    names = {unquote(address.path) for address in addresses if not address.scheme}
    return {page} | {(page.parent / name).resolve() for name in names}


@pytest.mark.parametrize("page", chosen_pages(SITE))
def test_page_is_light(page: str) -> None:
    if redirect_target(SITE / page) is not None:
        return
    files = {path: path.stat().st_size for path in loaded(SITE / page) if "mathjax" not in path.parts}
    assert len(files) > 15, "the page has styles and scripts"
    heaviest = sorted(files.items(), key=lambda item: -item[1])[:5]
    assert sum(files.values()) <= MOST, [f"{path.relative_to(SITE)}: {size}" for path, size in heaviest]
