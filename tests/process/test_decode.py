"""What children print becomes lines, in whatever portions, line ends and encodings it comes."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wizard.process.running import LineDecoder

# Without zeros and marks: a text that begins like UTF-16 is taken for it.
TEXT = st.text(alphabet=st.characters(blacklist_characters="\r\n\0\ufeff\ufffe", blacklist_categories=("Cs",)))
ROUTE = ["活动路由:", "网络目标        网络掩码          网关", "          0.0.0.0          0.0.0.0      192.168.1.1"]


def decode(portions: list[bytes], code_page: str = "") -> list[str]:
    decoder = LineDecoder(code_page)
    lines = [line for portion in portions for line in decoder.feed(portion)]
    return lines + list(decoder.flush())


def cut(whole: bytes, data: st.DataObject) -> list[bytes]:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    return [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]


@given(st.lists(TEXT), st.data())
def test_portions_do_not_matter(lines: list[str], data: st.DataObject) -> None:
    whole = "".join(line + "\n" for line in lines).encode()
    assert decode(cut(whole, data)) == lines


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_any_bytes_are_survived(portions: list[bytes]) -> None:
    assert all("\n" not in line for line in decode(portions))
    assert all("\n" not in line for line in decode(portions, "cp936"))


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_crlf_and_a_mark(mark: bytes) -> None:
    assert decode([mark + "一\r\n二\r\nthree".encode()]) == ["一", "二", "three"]


@given(st.data())
def test_the_chinese_code_page(data: st.DataObject) -> None:
    """`route print`, `py -0p`: the console's code page, beside lines that are UTF-8."""
    whole = "\r\n".join(ROUTE).encode("cp936") + "\r\n环境\r\n".encode()
    assert decode(cut(whole, data), "cp936") == [*ROUTE, "环境"]


@given(st.data(), st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_utf_16_with_a_mark(data: st.DataObject, encoding: str) -> None:
    mark = codecs.BOM_UTF16_LE if encoding == "utf-16-le" else codecs.BOM_UTF16_BE
    lines = [*ROUTE, "ਊ\U0001f600", ""]
    whole = mark + "".join(f"{line}\r\n" for line in lines).encode(encoding)
    assert decode(cut(whole, data)) == lines


@given(st.data())
def test_utf_16_without_a_mark(data: st.DataObject) -> None:
    """`wsl.exe --list`."""
    lines = ["Windows Subsystem for Linux Distributions:", "Ubuntu-24.04 (默认)", "Debian"]
    whole = "".join(f"{line}\r\n" for line in lines).encode("utf-16-le")
    assert decode(cut(whole, data)) == lines


def test_a_short_first_line_is_not_held_back() -> None:
    decoder = LineDecoder("")
    assert list(decoder.feed(b"y\n")) == ["y"]


def test_a_bar_that_redraws_itself_is_its_last_state() -> None:
    assert decode([b" 1%\r 50%\r100%\r\ndone\n"]) == ["100%", "done"]
