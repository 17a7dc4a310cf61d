from __future__ import annotations

import os
import tempfile
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wizard.environment.inspect.baseline import NAME
from wizard.environment.inspect.prefix import check_free
from wizard.environment.naming import (
    absolute_prefix,
    check_name,
    check_place,
    check_prefix,
    find_flaw,
    hazards,
    nearest_existing,
)
from wizard.environment.remove.unfinished import MARKER, drop_cut_mark, mark_begun
from wizard.model.errors import ExitStatus, UsageError
from wizard.model.messages import LANGUAGES, text

OS_NAME = "windows" if os.name == "nt" else "linux"
BOTH = ("linux", "windows")
BAD = {
    "": "empty",
    "  ": "empty",
    ".": "dots",
    "..": "dots",
    "a/b": "separator",
    "/": "separator",
    "a\\b": "separator",
    "../x": "separator",
    "a:b": "character",
    "C:": "character",
    "a*": "character",
    "a?": "character",
    'a"b': "character",
    "<a>": "character",
    "a|b": "character",
    "-rf": "hyphen",
    "--yes": "hyphen",
    "a\nb": "invisible",
    "~": "tilde",
    "~me": "tilde",
    "a\u3164b": "invisible",
    "a\0b": "invisible",
    "a\x7f": "invisible",
    "a\u200bb": "invisible",
    "a\u202eb": "invisible",
    "\udc80": "invisible",
    "CON": "device",
    "con": "device",
    "Nul": "device",
    "nul.txt": "device",
    "COM1": "device",
    "com1.tar.gz": "device",
    "LPT9": "device",
    "COM²": "device",
    "aux .x": "device",
    "env.": "edge",
    "env ": "edge",
    " env": "edge",
    "...": "edge",
    "base": "conda",
    "root": "conda",
    "Base": "conda",
    "x" * 300: "long",
}
GOOD = (
    "demo",
    "torch-gpu",
    "py3.12",
    "my env",
    "深度学习",
    "torch 环境",
    "_x",
    "console",
    "COM10",
    "nul-l",
    "é",
    "rooted",
)


@pytest.mark.parametrize("os_name", BOTH)
@pytest.mark.parametrize(("name", "reason"), BAD.items(), ids=ascii)
def test_bad_names_are_refused_with_their_reason(name: str, reason: str, os_name: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_name(name, os_name)
    error = caught.value
    assert (error.code, error.params["reason"], error.exit_status) == ("bad-name", reason, ExitStatus.USAGE)
    for language in LANGUAGES:
        sentence = text(error.summary, language)
        sentence.encode()  # printable everywhere, also for undecodable names
        assert "\n" not in sentence
        assert text(error.hint, language)
    assert error.to_json("en")["summary"] == text(error.summary, "en")


@pytest.mark.parametrize("os_name", BOTH)
@pytest.mark.parametrize("name", GOOD)
def test_good_names_pass(name: str, os_name: str) -> None:
    check_name(name, os_name)


@pytest.mark.slow
@given(st.text(max_size=40), st.sampled_from(BOTH))
def test_an_accepted_name_is_one_plain_folder(name: str, os_name: str) -> None:
    if find_flaw(name, os_name) is not None:
        return
    assert PurePosixPath("/base", name).parent == PurePosixPath("/base")
    assert PureWindowsPath("C:/base", name).parent == PureWindowsPath("C:/base")
    assert PureWindowsPath("C:/base", name).name == name
    assert name.encode()
    assert not any(character < " " for character in name)


@given(st.text(alphabet="abcXYZ019_环境é$&%' .", min_size=1, max_size=20))
@settings(max_examples=40, deadline=None)
def test_accepted_names_can_really_be_made(name: str) -> None:
    if find_flaw(name, OS_NAME) is None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, name).mkdir()
            assert [place.name for place in Path(folder).iterdir()] == [name]


def test_spaces_and_other_alphabets_are_named_as_hazards() -> None:
    keys = [found.key for found in hazards("/home/li/我的 env$", "linux")]
    assert keys == [f"environments.hazard.{kind}" for kind in ("space", "letters", "signs")]
    assert hazards("/home/li/torch-gpu", "linux") == ()
    found = hazards("C:\\Users\\li\\OneDrive\\" + "x" * 120, "windows")
    assert [one.key for one in found] == ["environments.hazard.long", "environments.hazard.cloud"]
    for one in (*found, *hazards("/我的 env$", "linux")):
        assert all(text(one, language) for language in LANGUAGES)


@pytest.mark.parametrize(
    ("prefix", "os_name", "code"),
    [
        (PurePosixPath("envs/x"), "linux", "target-relative"),
        (PurePosixPath("/"), "linux", "target-is-system"),
        (PurePosixPath("/usr/lib/x"), "linux", "target-is-system"),
        (PurePosixPath("/etc/x"), "linux", "target-is-system"),
        (PurePosixPath("/srv"), "linux", "target-is-system"),
        (PurePosixPath("/home/li"), "linux", "target-is-system"),
        (PurePosixPath("/home"), "linux", "target-is-system"),
        (PurePosixPath("/data/../etc/x"), "linux", "bad-name"),
        (PurePosixPath("/data/nul"), "linux", "bad-name"),
        (PurePosixPath("/data", *["x" * 60] * 5), "linux", "target-too-long"),
        (PureWindowsPath("x"), "windows", "target-relative"),
        (PureWindowsPath("\\x"), "windows", "target-relative"),
        (PureWindowsPath("C:x"), "windows", "target-relative"),
        (PureWindowsPath("D:\\"), "windows", "target-is-system"),
        (PureWindowsPath("C:\\WINDOWS\\x"), "windows", "target-is-system"),
        (PureWindowsPath("C:\\Program Files\\x"), "windows", "target-is-system"),
        (PureWindowsPath("C:\\Users"), "windows", "target-is-system"),
        (PureWindowsPath("C:\\envs\\aux"), "windows", "bad-name"),
    ],
)
def test_impossible_places(prefix: PurePosixPath | PureWindowsPath, os_name: str, code: str) -> None:
    home = PureWindowsPath("C:/Users/li") if os_name == "windows" else PurePosixPath("/home/li")
    with pytest.raises(UsageError) as caught:
        check_place(prefix, os_name, home)
    assert caught.value.code == code
    assert all(str(text(caught.value.summary, language)) for language in LANGUAGES)


@pytest.mark.parametrize(
    ("prefix", "os_name"),
    [
        (PurePosixPath("/home/li/torch-envs/x"), "linux"),
        (PurePosixPath("/data/x"), "linux"),
        (PurePosixPath("/usr/local/x"), "linux"),
        (PurePosixPath("/srv/x"), "linux"),
        (PurePosixPath("/usrx"), "linux"),
        (PureWindowsPath("D:\\x"), "windows"),
        (PureWindowsPath("C:\\Users\\li\\torch-envs\\x"), "windows"),
        (PureWindowsPath("\\\\server\\share\\x"), "windows"),
    ],
)
def test_possible_places(prefix: PurePosixPath | PureWindowsPath, os_name: str) -> None:
    check_place(prefix, os_name, PurePosixPath("/home/li") if os_name == "linux" else PureWindowsPath("C:/Users/li"))


def refused(prefix: Path, needed: int | None = None) -> str:
    before = sorted(prefix.parent.iterdir()) if prefix.parent.is_dir() else []
    with pytest.raises(UsageError) as caught:
        check_prefix(prefix, "linux", needed)
    assert (sorted(prefix.parent.iterdir()) if prefix.parent.is_dir() else []) == before
    return caught.value.code


def test_a_new_or_empty_folder_is_fine_and_stays_untouched(tmp_path: Path) -> None:
    assert check_prefix(tmp_path / "a" / "b", "linux") == ()
    (tmp_path / "empty").mkdir()
    assert check_prefix(tmp_path / "empty", "linux", needed_bytes=1) == ()
    assert [place.name for place in tmp_path.iterdir()] == ["empty"]
    assert nearest_existing(tmp_path / "a" / "b") == tmp_path


def test_a_mark_that_was_cut_off_is_nothing(tmp_path: Path) -> None:
    """A setup that was killed while it wrote its mark goes on in the same folder."""
    begun = tmp_path / "begun"
    begun.mkdir()
    (begun / f"{MARKER}.new").write_text('{"schema"')
    assert check_prefix(begun, "linux") == ()
    check_free(begun)
    (begun / f"{NAME}.new").write_text('{"schema"')  # the note of the good state, in one that was there before
    drop_cut_mark(begun)
    assert not list(begun.iterdir())


def test_what_is_there_already_is_refused(tmp_path: Path) -> None:
    full, conda, venv, file = (tmp_path / name for name in ("full", "conda", "venv", "file"))
    for folder in (full, conda / "conda-meta", venv):
        folder.mkdir(parents=True)
    (full / "thesis.doc").touch()
    (conda / "conda-meta" / "history").touch()
    (venv / "pyvenv.cfg").touch()
    file.touch()
    assert refused(full) == "target-not-empty"
    assert refused(conda) == refused(venv) == "target-is-environment"
    mark_begun(tmp_path / "begun", "run-1")
    assert refused(tmp_path / "begun") == "target-unfinished"
    assert refused(file) == refused(file / "x") == "target-is-file"
    assert refused(tmp_path / "x", needed=10**18) == "target-no-space"


@pytest.mark.skipif(os.name == "nt", reason="symbolic links and permission bits are Linux's")
def test_links_and_unwritable_folders(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "etc").symlink_to("/etc")
    assert refused(tmp_path / "link") == "target-is-link"
    assert refused(tmp_path / "etc" / "x") == "target-is-system"
    # procfs refuses new files from everybody, root too: the only sure read-only folder on every machine
    (tmp_path / "proc").symlink_to("/proc/self")
    assert refused(tmp_path / "proc" / "x") == "target-is-system"
    if os.geteuid() != 0:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o555)
        assert refused(closed / "x") == "target-not-writable"


@pytest.mark.skipif(os.name == "nt", reason="needs a file system that refuses")
def test_a_folder_that_only_refuses_when_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root the bits allow everything: only trying to write tells, and procfs says no to everybody."""
    monkeypatch.setattr("wizard.system.places_linux._SYSTEM", ())
    (tmp_path / "refusing").symlink_to("/proc/self")
    assert refused(tmp_path / "refusing" / "x") == "target-not-writable"


def test_paths_are_made_absolute(home: Path, tmp_path: Path) -> None:
    assert absolute_prefix("~/envs/x") == home / "envs" / "x"
    assert absolute_prefix("a/../b", tmp_path) == tmp_path / "b"
    assert absolute_prefix(str(tmp_path), Path("/elsewhere")) == tmp_path
