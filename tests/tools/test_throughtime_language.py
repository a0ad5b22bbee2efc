"""The site's extension for languages: every run of Chinese is marked, nothing else of a page is touched."""

from types import SimpleNamespace

import pytest
from throughtime_language import mark_chinese


def said(words: str) -> str:
    return f'<span lang="zh-Hant">{words}</span>'


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<p>the gradient (梯度) of</p>", f"<p>the gradient ({said('梯度')}) of</p>"),
        ("如果，則「梯度」消失。 So", f"{said('如果，則「梯度」消失。')} So"),
        ("「CEC」。 So", f"{said('「')}CEC{said('」。')} So"),
        *((html, html) for html in ('<img alt="梯度">', "<svg><text>梯度</text></svg>", "<script>'梯度'</script>")),
        *((html, html) for html in ("<!-- 梯度 -->", "<p>no word</p>")),
    ],
)
def test_each_run_of_chinese_in_prose_is_marked_and_the_rest_stays(html: str, shown: str) -> None:
    page = {"body": html, "title": "梯"}
    mark_chinese(SimpleNamespace(), "", "", page, None)
    assert page == {"body": shown, "title": "梯"}


def test_pages_without_a_body_are_left_alone() -> None:
    mark_chinese(SimpleNamespace(), "", "", empty := {"title": "梯"}, None)
    assert empty == {"title": "梯"}
