"""The files that people drop: whatever wrote them, they become words; what is no text is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from wizard.errors import UsageError
from wizard.explain.pasted import read_pasted

WORDS = "RuntimeError: 驱动程序太旧\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_every_usual_encoding_is_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "error.txt"
    path.write_bytes((WORDS * 3).encode(encoding))
    assert read_pasted(path) == WORDS * 3


def test_a_program_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "torch.so"
    path.write_bytes(b"\x7fELF\0\0\0")
    for place in (path, tmp_path / "missing.txt", tmp_path):
        with pytest.raises(UsageError) as caught:
            read_pasted(place)
        assert caught.value.code == "explain-unreadable"
