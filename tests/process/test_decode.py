from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wizard.process.decode import LineDecoder


def decode(portions: list[bytes]) -> list[str]:
    decoder = LineDecoder()
    lines = [line for portion in portions for line in decoder.feed(portion)]
    return lines + list(decoder.flush())


@given(st.lists(st.text(alphabet=st.characters(blacklist_characters="\r\n", blacklist_categories=("Cs",)))), st.data())
def test_portions_do_not_matter(lines: list[str], data: st.DataObject) -> None:
    whole = "".join(line + "\n" for line in lines).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    portions = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert decode(portions) == lines


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_any_bytes_are_survived(portions: list[bytes]) -> None:
    assert all("\n" not in line for line in decode(portions))
