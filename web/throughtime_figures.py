"""Sphinx extension for the site: a reference to a figure says its number, whatever words stand for it in a notebook.

JupyterLab knows no numbers of figures and shows the words of ``{numref}`the figure <fig-name>```.
"""

from __future__ import annotations

from docutils.nodes import Element
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole


class ByNumber(XRefRole):
    """The role ``numref`` without its words."""

    def process_link(
        self, env: BuildEnvironment, refnode: Element, has_explicit_title: bool, title: str, target: str
    ) -> tuple[str, str]:
        refnode["refexplicit"] = False
        return super().process_link(env, refnode, has_explicit_title, title, target)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_role_to_domain("std", "numref", ByNumber(lowercase=True), override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
