"""One browser with one tab for all tests of a worker, and the built site."""

from collections.abc import Generator, Iterator

import pytest
from playwright.sync_api import Error as BrowserError
from playwright.sync_api import expect
from site_check import STEP, Reader, open_reader
from site_files import SITE, Served, serve

expect.set_options(timeout=STEP)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Name the pages that are open where a test fails: playwright names what it waited for alone."""
    try:
        return (yield)
    except (AssertionError, BrowserError) as error:
        if reader := pyfuncitem.funcargs.get("reader"):
            shown = [tab.url for context in reader.browser.contexts for tab in context.pages]
            error.add_note(f"open: {', '.join(url for url in shown if url != 'about:blank')}")
        raise


@pytest.fixture(scope="session")
def reader() -> Iterator[Reader]:
    with open_reader() as opened:
        yield opened


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    with serve(SITE) as site:
        yield site
