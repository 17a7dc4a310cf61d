"""The rewriting of paths, on bytes: text, quoted text, first lines, binaries with and without room, records."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest

from wizard.environment.create.clone import Rewritten
from wizard.environment.create.clone_files import mended_record, rewrite, spellings

OLD, NEW = Path("/envs/demo"), Path("/other/place")
KNOWN = spellings((OLD,), NEW, is_windows=False)


def test_text_and_what_only_looks_alike() -> None:
    text = b"PREFIX=/envs/demo\n/envs/demo/bin:/envs/demo2/bin:/envs/demo.old/bin:/envs/demo.\n/envs/demo-x"
    assert rewrite(text, KNOWN) == (
        b"PREFIX=/other/place\n/other/place/bin:/envs/demo2/bin:/envs/demo.old/bin:/other/place.\n/envs/demo-x"
    )


def test_in_an_address_and_in_json() -> None:
    known = spellings((Path("/envs/我的 env"),), Path("/neu/ä b"), is_windows=False)
    assert rewrite(b"file:///envs/%E6%88%91%E7%9A%84%20env/x", known) == b"file:///neu/%C3%A4%20b/x"
    assert rewrite(b'["/envs/\\u6211\\u7684 env/bin"]', known) == b'["/neu/\\u00e4 b/bin"]'


def test_windows_slashes() -> None:
    known = spellings((PureWindowsPath(r"C:\envs\demo"),), PureWindowsPath(r"D:\new one"), is_windows=True)  # type: ignore[arg-type]
    assert (
        rewrite(rb"C:\envs\demo\x C:/envs/demo/x C:\\envs\\demo\\x", known)
        == rb"D:\new one\x D:/new one/x D:\\new one\\x"
    )


@pytest.mark.parametrize("new", ["/short", "/with a space/x", "/" + "long/" * 30 + "x"])
def test_first_lines_are_started_by_the_system(tmp_path: Path, new: str) -> None:
    target = tmp_path / new[1:]
    (target / "bin").mkdir(parents=True)
    (target / "bin" / "python3").symlink_to(sys.executable)
    text = rewrite(b"#!/envs/demo/bin/python3 -E\nimport sys\nprint('ran', sys.argv[1:])\n", spellings((OLD,), target))
    assert text is not None
    script = target / "bin" / "program"
    script.write_bytes(text)
    script.chmod(0o755)
    done = subprocess.run([script, "a b"], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "ran ['a b']\n"


def test_a_first_line_of_another_language() -> None:
    known = spellings((OLD,), Path("/with a space"), is_windows=False)
    assert rewrite(b"#!/envs/demo/bin/perl\nprint 1;\n", known) == b"#!/usr/bin/env perl\nprint 1;\n"


def padded(text: bytes, size: int) -> bytes:
    return text + b"\0" * (size - len(text))


def test_a_binary_of_conda_has_room() -> None:
    placeholder = "/p" * 100
    body = b"\x7fELF\0\0" + padded(b"/envs/demo/lib:/envs/demo/share", 2 * 200 + 11) + b"\0next\0"
    changed = rewrite(body, KNOWN, placeholder)
    assert changed is not None
    assert len(changed) == len(body)
    assert b"\0/other/place/lib:/other/place/share\0" in changed
    assert changed.endswith(b"\0next\0")
    back = rewrite(changed, spellings((NEW,), OLD, is_windows=False), placeholder)
    assert back == body


def test_a_binary_without_room_is_left_and_said() -> None:
    longer = spellings((OLD,), Path("/a/much/longer/place"), is_windows=False)
    assert rewrite(b"\x7fELF\0/envs/demo/lib\0next\0", longer) is None
    assert rewrite(b"\x7fELF\0/envs/demo/lib\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0next\0", longer) is None, "whose zeros?"
    shorter = spellings((OLD,), Path("/x"), is_windows=False)
    assert rewrite(b"\x7fELF\0/envs/demo/lib\0next\0", shorter) == b"\x7fELF\0/x/lib\0\0\0\0\0\0\0\0\0next\0"
    assert rewrite(b"PK\x03\x04\0/envs/demo/lib\0next\0", shorter) is None, "an archive knows its lengths"


def test_a_program_of_pip_on_windows() -> None:
    known = spellings((PureWindowsPath(r"C:\envs\demo"),), PureWindowsPath(r"D:\new one"), is_windows=True)  # type: ignore[arg-type]
    start, archive = b"MZ starter\0\0", b"PK\x03\x04 archive\0"
    line = b"#!C:\\envs\\demo\\Scripts\\python.exe\r\n"
    assert rewrite(start + line + archive, known) == start + b'#!"D:\\new one\\Scripts\\python.exe"\r\n' + archive
    assert rewrite(start + b"C:\\envs\\demo\\x\0" + archive, known) is None


def test_a_record_says_the_new_digest_and_nothing_else_changes() -> None:
    before, after = hashlib.sha256(b"a").hexdigest(), hashlib.sha256(b"b").hexdigest()
    changed = {"bin/tool": Rewritten(before, after, 77)}
    text = 'pkg/__init__.py,sha256=abc,1\n"pkg/a,b.py",sha256=def,2\n'
    text += "../../../bin/tool,sha256=old,5\npkg-1.dist-info/RECORD,,\n"
    digest = base64.urlsafe_b64encode(bytes.fromhex(after)).rstrip(b"=").decode()
    assert mended_record(text, "lib/python3.12/site-packages", changed) == text.replace(
        "sha256=old,5", f"sha256={digest},77"
    )
    assert mended_record(text, "lib/python3.11/elsewhere/x", {}) is text
    comma = {"Scripts/a,b.exe": Rewritten(before, after, 8)}
    text = '"..\\..\\Scripts\\a,b.exe",sha256=old,5\r\nScripts/a,sha256=old,5\r\n'
    assert mended_record(text, "Lib/site-packages", comma) == text.replace("old,5", f"{digest},8", 1)


def test_a_folder_reached_by_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    known = spellings((tmp_path / "link" / "demo",), NEW, is_windows=False)
    assert rewrite(os.fsencode(f"{real}/demo/bin"), known) == b"/other/place/bin"
