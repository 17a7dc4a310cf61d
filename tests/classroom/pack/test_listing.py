"""The list of a pack that means harm, or is none."""

from __future__ import annotations

import pytest

from wizard.classroom.pack.listing import PackEntry, PackListing, is_safe, listing_to_json, parse_listing
from wizard.model.errors import WizardError

_HASH = "0" * 64


@pytest.mark.parametrize(
    "path",
    ["../x", "/etc/passwd", "a/../../b", "C:/x", "a\\b", "", ".hidden", "a//b", "wheels/a\n.whl", "x/./y", "a/", "~"],
)
def test_a_path_stays_in_the_pack(path: str) -> None:
    if path == "~":
        assert is_safe(path)  # only a shell knows what that would mean
        return
    assert not is_safe(path)
    data = listing_to_json(PackListing(_HASH, (PackEntry(path, 1, _HASH),)))
    with pytest.raises(WizardError) as caught:
        parse_listing(data, "there")
    assert caught.value.code == "pack-unreadable"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "pack-unreadable"),
        (b"[" * 100_000, "pack-unreadable"),
        (b'{"schema": 1}', "pack-unreadable"),
        (b'{"schema": 2, "all": "new"}', "pack-newer"),
        (b'{"schema": 1, "profile_sha256": "x", "entries": []}', "pack-unreadable"),
        (b"\xff\xfe", "pack-unreadable"),
    ],
)
def test_a_list_that_is_none_is_one_sentence(data: bytes, code: str) -> None:
    with pytest.raises(WizardError) as caught:
        parse_listing(data, "there")
    assert caught.value.code == code
