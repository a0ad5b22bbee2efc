"""The site's extension for languages: every run of Chinese is marked, nothing else of a page is touched."""

from types import SimpleNamespace

import pytest
from throughtime_language import mark_chinese, marked


def test_words_in_prose_are_marked() -> None:
    assert marked("<p>the gradient (梯度) of</p>") == '<p>the gradient (<span lang="zh-Hant">梯度</span>) of</p>'


def test_a_sentence_is_one_run() -> None:
    assert marked("如果，則「梯度」消失。 So") == '<span lang="zh-Hant">如果，則「梯度」消失。</span> So'
    assert marked("「CEC」。 So") == '<span lang="zh-Hant">「</span>CEC<span lang="zh-Hant">」。</span> So'


@pytest.mark.parametrize(
    "html",
    [
        '<img alt="梯度">',
        "<svg><text>梯度</text></svg>",
        "<script>x = '梯度'</script>",
        "<!-- 梯度 -->",
        "<p>no word</p>",
    ],
)
def test_the_rest_stays(html: str) -> None:
    assert marked(html) == html


def test_pages_without_a_body_are_left_alone() -> None:
    page, empty = {"body": "梯"}, {"title": "梯"}
    for context in (page, empty):
        mark_chinese(SimpleNamespace(), "", "", context, None)
    assert page["body"].count("lang") == 1
    assert empty == {"title": "梯"}
