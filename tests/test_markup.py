"""HTML from parts: nothing that is plain text can become an element or end an attribute."""

from __future__ import annotations

from wizard.model.markup import joined, page, tag

HOSTILE = "</p><script>\"'&"
QUIET = "&lt;/p&gt;&lt;script&gt;&quot;&#x27;&amp;"


def test_text_and_attributes_are_escaped_and_parts_are_not() -> None:
    assert tag("p", HOSTILE, tag("br"), class_=HOSTILE) == f'<p class="{QUIET}">{QUIET}<br></p>'
    assert joined([HOSTILE, tag("b", "x")], "\n") == f"{QUIET}\n<b>x</b>"


def test_a_page_loads_nothing() -> None:
    written = page(HOSTILE, "p{}", tag("p", "x"), language="zh_CN")
    assert f"<title>{QUIET}</title>" in written
    assert 'lang="zh-CN"' in written
    assert "default-src &#x27;none&#x27;" in written
