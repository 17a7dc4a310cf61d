"""The files that people drop: whatever wrote them, they become words; what is no text is refused."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from wizard.diagnose.known_errors import pasted
from wizard.diagnose.known_errors.pasted import read_pasted, read_stream
from wizard.model.errors import UsageError

WORDS = "RuntimeError: 驱动程序太旧\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_every_usual_encoding_is_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "error.txt"
    path.write_bytes((WORDS * 3).encode(encoding))
    assert read_pasted(path) == WORDS * 3


def test_one_nul_of_a_damaged_settings_file_is_text(tmp_path: Path) -> None:
    path = tmp_path / "error.txt"
    path.write_bytes(b"Configuration file could not be loaded: pip.ini: \0\n" + WORDS.encode())
    assert WORDS.strip() in read_pasted(path)


def test_a_program_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "torch.so"
    path.write_bytes(b"\x7fELF\0\0\0")
    for place in (path, tmp_path / "missing.txt", tmp_path):
        with pytest.raises(UsageError) as caught:
            read_pasted(place)
        assert caught.value.code == "explain-unreadable"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_of_a_long_one_the_end_is_kept(encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pasted, "_MOST_BYTES", 5_001)
    path = tmp_path / "long.txt"
    path.write_bytes(("a line\n" * 9_000 + WORDS).encode(encoding))
    words = read_pasted(path)
    assert words.endswith(f"a line\n{WORDS}")
    assert len(words) <= 5_001
    assert "\ufffd" not in words


class Endless(io.RawIOBase):
    """Nothing but zeros, as /dev/zero: who reads all of it never ends."""

    read_so_far = 0

    def read(self, size: int = -1) -> bytes:
        assert size > 0
        self.read_so_far += size
        assert self.read_so_far < 1_000_000
        return bytes(size)


def test_what_is_no_text_is_refused_from_a_pipe_too_and_not_read_to_its_end() -> None:
    with pytest.raises(UsageError) as caught:
        read_stream(Endless(), "-")
    assert caught.value.code == "explain-unreadable"
