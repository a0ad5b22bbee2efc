"""Sphinx extension for the site: what machines, cards and lost readers want of a page, and sound HTML.

Title and description, the address where it is known (``THROUGHTIME_SITE_URL``; the continuous build sets it to where it
publishes), a sitemap, a page for what is not found, version and license in the footer, words for readers without
scripts; and repairs of what the theme and other extensions write: ids that stand twice, names that are missing.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

ADDRESS = "THROUGHTIME_SITE_URL"
CARD = "_static/front.png"
LONGEST = 200  # characters of a description
FORMULA = "\\"  # in the place of one that cannot be said in words
SENTENCES = re.compile(rf"[^\\]{{20,{LONGEST}}}(?:\w[.?!](?= |$)|。)")
NO_SCRIPTS = (
    '<noscript><p class="tt-noscript">Without JavaScript formulas stand as TeX, and the search, the dark colours and '
    "the filters of the ledger are missing. Everything else is here.</p></noscript>"
)
READABLE_TEX = (
    "<noscript><style>.math { font-family: var(--pst-font-family-monospace); font-size: 0.85em }</style></noscript>"
)
REPAIRS = {
    # The label of MyST-NB says other words to a voice than the fold shows.
    '<summary aria-label="Toggle hidden content">': "<summary>",
    # Its entries have a role of their own, which a list may not hold.
    '<div role="list" class="citation-list">': '<div class="citation-list">',
    r"<th\b([^>]*)>(?:<p></p>)?</th>": r"<td\1></td>",  # the corner of a table is the head of nothing
    r"(Solution to)(<a [^>]*>) ": r"\1 \2",  # the space before a link is no part of it
}
MOVED = {  # pages that have another name now
    "book/lstm1997/paper": "book/lstm1997/paper-in-print",
    "book/reference/api/models": "book/reference/api/textbook",
}


def find_address(_app: Sphinx, config: Config) -> None:
    """Take the site's public address from the environment; ConfigError if it is none."""
    url = os.environ.get(ADDRESS, "").strip()
    if not url:
        return
    address = urlsplit(url)
    if address.scheme != "https" or not address.netloc:
        raise ConfigError(f"{ADDRESS} must look like https://host/path/, but is {url!r}")
    config.html_baseurl = url.rstrip("/") + "/"


def describe(doctree: nodes.document | None) -> str:
    """The first sentences of a page that fit, without pictures; of one too long or with a formula, its beginning."""
    for paragraph in doctree.findall(nodes.paragraph) if doctree else ():
        text = " ".join("".join(map(_words, paragraph.children)).split())
        if isinstance(paragraph.parent, nodes.section):
            if whole := SENTENCES.match(text):
                return whole[0]
            beginning = text[:LONGEST].partition(FORMULA)[0]
            if len(text) > LONGEST and len(beginning) > LONGEST / 3:
                return beginning.rsplit(" ", 1)[0].rstrip(",") + " …"
    return ""


def _words(part: nodes.Node) -> str:
    """What a voice would say of a part of a paragraph; of formulas it can say letters alone."""
    if isinstance(part, nodes.math):
        return part.astext() if part.astext().isalnum() else FORMULA
    return "" if isinstance(part, nodes.image) else part.astext()


def head(title: str, site: str, description: str, base: str, page: str) -> Iterator[str]:
    """The elements of a page's head that say what it is; addresses only if the site's is known."""
    yield f'<meta property="og:site_name" content="{escape(site)}" />'
    yield f'<meta property="og:title" content="{escape(title)}" />'
    yield '<meta property="og:type" content="article" />'
    if description:
        yield f'<meta name="description" content="{escape(description)}" />'
        yield f'<meta property="og:description" content="{escape(description)}" />'
    if base:
        yield f'<link rel="canonical" href="{escape(base + page)}" />'
        yield f'<meta property="og:url" content="{escape(base + page)}" />'
        yield f'<meta property="og:image" content="{escape(base + CARD)}" />'
    yield f'<meta name="twitter:card" content="{"summary_large_image" if base else "summary"}" />'


def complete(app: Sphinx, page: str, _template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Fill the head of a page, and repair its body and its contents at the side."""
    title = re.sub("<[^>]*>", "", context.get("title") or page.capitalize())  # the search has none
    if title == app.config.html_title:
        context["docstitle"] = ""  # the site's name once
    base = app.config.html_baseurl
    lines = [READABLE_TEX, *head(title, app.config.html_title, describe(doctree), base, f"{page}.html")]
    if page == "404" and base:  # shown at whatever address was asked for
        lines.insert(0, f'<base href="{escape(base)}" />')
    context["metatags"] = context.get("metatags", "") + "\n".join(lines)
    if "body" in context:
        for old, new in REPAIRS.items():
            context["body"] = re.sub(old, new, context["body"])
        context["body"] = NO_SCRIPTS + context["body"]
    if contents := context.get("generate_toctree_html"):
        context["generate_toctree_html"] = lambda *args, **kwargs: named(contents(*args, **kwargs))


def named(contents: object) -> str:
    """The contents at the side, with a name for each arrow that unfolds a part."""
    return str(contents).replace("<summary>", '<summary aria-label="Pages of this part">')


def tell_apart(_app: Sphinx, doctree: nodes.document, _page: str) -> None:
    """Number the ids that sphinx-exercise gives to every exercise and every solution of a page."""
    seen: Counter[str] = Counter()
    for section in doctree.findall(nodes.section):
        if section["ids"] in (["exercise-content"], ["solution-content"]):
            (name,) = section["ids"]
            seen[name] += 1
            section["ids"] = [f"{name}-{seen[name]}"]


def lost(_app: Sphinx) -> Iterator[tuple[str, dict[str, str], str]]:
    """The page for an address where nothing is."""
    body = (
        "<h1>Page not found</h1><p>Nothing stands at this address. Go to the "
        '<a href="book/index.html">front page</a>, <a href="search.html">search</a>, or look an equation up in the '
        '<a href="book/reference/ledger.html">ledger</a>.</p>'
    )
    yield "404", {"title": "Page not found", "body": body}, "page.html"


def footer(app: Sphinx, config: Config) -> None:
    """Say in the footer which version this is, how it may be used and how it is cited."""
    cited = yaml.safe_load((Path(app.srcdir) / "CITATION.cff").read_text(encoding="utf-8"))
    source = config.html_theme_options.get("repository_url")
    where = f' · <a href="{escape(source)}">source</a>' if source else ""
    line = f"Version {cited['version']} · text and figures CC BY 4.0, code BSD 3-Clause{where}"
    options = config.html_theme_options
    options["extra_footer"] = f"<div>{line}</div>" + options.get("extra_footer", "")


def write_for_machines(app: Sphinx, exception: Exception | None) -> None:
    """Write robots.txt, the ways from the root and from old pages and, if the address is known, a sitemap."""
    if exception is not None or app.builder.format != "html":
        return
    site, base, first = Path(app.outdir), app.config.html_baseurl, f"{app.config.root_doc}.html"
    name = app.config.html_title
    robots = "User-agent: *\nAllow: /\n"
    if base:
        pages = "".join(f"<url><loc>{escape(base)}{page}.html</loc></url>\n" for page in sorted(app.env.found_docs))
        opening = (
            '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        )
        (site / "sitemap.xml").write_text(f"{opening}{pages}</urlset>\n", encoding="utf-8")
        shutil.copy(Path(app.srcdir) / "book" / "assets" / "front.png", site / CARD)
        robots += f"Sitemap: {base}sitemap.xml\n"
    (site / "robots.txt").write_text(robots, encoding="utf-8")
    (site / "index.html").write_text(way_to(first, name), encoding="utf-8")
    for old, new in MOVED.items():
        page = f"{posixpath.relpath(new, posixpath.dirname(old))}.html"
        (site / f"{old}.html").write_text(way_to(page, name), encoding="utf-8")


def way_to(page: str, name: str) -> str:
    """A page that leads to another one, and to the same place on it where scripts run; `name` is that of the link."""
    lines = (
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(name)}</title>',
        f'<script>location.replace("{page}" + location.hash)</script>',
        f'<meta http-equiv="Refresh" content="0; url={page}"></head>',
        f'<body><a href="{page}">{escape(name)}</a></body></html>\n',
    )
    return "\n".join(lines)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("config-inited", find_address, priority=100)
    app.connect("config-inited", footer, priority=200)  # after the address of the repository is known
    app.connect("doctree-resolved", tell_apart)
    app.connect("html-collect-pages", lost)
    app.connect("html-page-context", complete, priority=900)  # after the theme
    app.connect("build-finished", write_for_machines)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
