"""The start file's decisions, on recorded text and with recording stand-ins for the package tools."""

from __future__ import annotations

import ast
import errno
import io
import os
import string
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.start.conftest import START_FILE, Tools, all_installed, load

POLICY = """\
libgl1:
  Installed: (none)
  Candidate: 1.6.0-1
  Version table:
     1.6.0-1 500
libglib2.0-0t64:
  Installed: (none)
  Candidate: 2.80.0-6ubuntu3
  Version table:
     2.80.0-6ubuntu3 500
fonts-wqy-microhei:
  Installed: (none)
  Candidate: (none)
  Version table:
fonts-noto-cjk:
  Installed: (none)
  Candidate: 1:20230817
"""


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, tools: Tools) -> ModuleType:
    monkeypatch.setenv("PATH", os.pathsep.join([str(tools.folder), "/usr/bin", "/bin"]))
    monkeypatch.setenv("TORCH_WIZARD_LANG", "en")
    return load()


@pytest.fixture
def preparation(start: ModuleType, tmp_path: Path) -> Any:
    with (tmp_path / "lock").open("wb") as lock:
        yield start.Preparation(io.BytesIO(), lock)


def test_the_file_parses_on_the_oldest_python_that_gets_a_sentence() -> None:
    ast.parse(START_FILE.read_text("utf-8"), feature_version=(3, 6))


def test_both_languages_have_every_sentence_with_the_same_blanks(start: ModuleType) -> None:
    def blanks(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    for key, (english, chinese) in start.TEXT.items():
        assert blanks(english) == blanks(chinese), key
        assert english.isascii()
        assert not chinese.isascii()


@pytest.mark.parametrize(
    ("output", "key"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "space"),
        ("ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/x'", "read_only"),
        (
            "WARNING: Retrying (Retry(total=4, connect=None)) after connection broken by 'NewConnectionError(...)'\n"
            "ERROR: No matching distribution found for hatchling",
            "network",
        ),
        ("ERROR: HTTP error 403 while getting x\nERROR: Could not install requirement x", "network"),
        ("ERROR: No matching distribution found for PySide6-Essentials<6.12", "unpublished"),
        ("Traceback (most recent call last):", "failed"),
    ],
)
def test_pips_words_become_one_cause(start: ModuleType, output: str, key: str) -> None:
    assert start.cause(output) == key


def test_what_is_going_on_is_said_and_not_pips_lines(start: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    progress = start.Progress()
    for line in ("Collecting uv", "  Downloading uv-0.13.9-py3-none.whl (17.6 MB)", "  Downloading click.whl (400 kB)"):
        progress.read(line)
    progress.read("Installing collected packages: uv, click")
    progress.end()
    assert progress.done == pytest.approx(18)
    said = ["looking for what it needs", "downloading, 18 MB so far", "putting the files in their place"]
    assert capsys.readouterr().err.splitlines() == [f"  {words}" for words in said]


def test_an_errors_number_becomes_one_cause(start: ModuleType) -> None:
    assert start.cause_of(OSError(errno.EROFS, "read-only")) == "read_only"
    assert start.cause_of(OSError(errno.ENOSPC, "full")) == "space"
    assert start.cause_of(OSError(errno.EIO, "odd")) == "failed"


def test_what_is_wanted_depends_on_arguments_display_and_rights(
    start: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(start, "is_root", lambda: False)
    assert start.wanted_parts([]) == {"program"}
    assert start.wanted_parts(["window"]) == {"program", "window", "font"}
    assert start.wanted_parts(["test", "-x"]) == {"program", "tests", "window", "font", "display", "tools"}
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert start.wanted_parts([]) == {"program", "window", "font"}
    assert start.wanted_parts(["setup", "--yes"]) == {"program"}


@pytest.mark.skipif(sys.platform == "win32", reason="stand-ins for apt are shell scripts")
class TestSystemPackages:
    WANTED = ("libgl1", "libglib2.0-0|libglib2.0-0t64", "fonts-wqy-microhei|fonts-noto-cjk")

    def test_nothing_is_asked_for_that_is_there(self, preparation: Any, tools: Tools) -> None:
        assert preparation.put_in(self.WANTED)
        assert [call.split()[0] for call in tools.calls] == ["dpkg-query"]

    def test_a_removed_package_counts_as_missing(self, start: ModuleType) -> None:
        assert start.installed_names("libgl1 installed\nxauth config-files\nxvfb not-installed\n") == {"libgl1"}

    def test_root_gets_the_names_that_this_release_knows(
        self, start: ModuleType, preparation: Any, tools: Tools, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(start, "is_root", lambda: True)
        tools.add("dpkg-query", "libgl1 installed\n", status=1)
        tools.add("apt-cache", POLICY)
        tools.add("apt-get")
        assert preparation.put_in(self.WANTED)
        apt = [call for call in tools.calls if call.startswith("apt-get")]
        assert len(apt) == 1
        assert apt[0].endswith("install -y --no-install-recommends libglib2.0-0t64 fonts-noto-cjk")

    def test_lists_that_were_never_fetched_are_fetched(
        self, start: ModuleType, preparation: Any, tools: Tools, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(start, "is_root", lambda: True)
        tools.add("dpkg-query", "", status=1)
        tools.add("apt-get")
        (tools.folder / "apt-get").write_text(
            f"#!/bin/sh\necho apt-get $* >> '{tools.folder}/calls'\n"
            f"cat > '{tools.folder}/apt-cache.out' <<'END'\n{POLICY}END\n"
        )
        assert preparation.put_in(self.WANTED)
        update, install = [call for call in tools.calls if call.startswith("apt-get")]
        assert update.endswith(" update")
        assert install.endswith(" libgl1 libglib2.0-0t64 fonts-noto-cjk")

    def test_sudo_is_used_where_it_asks_for_no_password(
        self, start: ModuleType, preparation: Any, tools: Tools, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(start, "is_root", lambda: False)
        tools.add("dpkg-query", "", status=1)
        tools.add("apt-cache", POLICY)
        tools.add("sudo")
        assert preparation.put_in(("libgl1",))
        sudo = [call for call in tools.calls if call.startswith("sudo")]
        assert sudo[0] == "sudo -n true"
        assert sudo[1].startswith("sudo -n env DEBIAN_FRONTEND=noninteractive apt-get")

    def test_others_get_the_line_to_run(
        self,
        start: ModuleType,
        preparation: Any,
        tools: Tools,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setattr(start, "is_root", lambda: False)
        tools.add("dpkg-query", "", status=1)
        tools.add("apt-cache", POLICY)
        assert not preparation.put_in(self.WANTED)
        line = "sudo apt-get install --no-install-recommends libgl1 libglib2.0-0t64 fonts-noto-cjk"
        assert capsys.readouterr().err.splitlines()[1:] == [f"  {line}"]
        assert not [call for call in tools.calls if call.startswith("apt-get")]

    def test_a_failing_apt_ends_in_the_line_to_run(
        self,
        start: ModuleType,
        preparation: Any,
        tools: Tools,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setattr(start, "is_root", lambda: True)
        tools.add("dpkg-query", "", status=1)
        tools.add("apt-cache", POLICY)
        assert not preparation.put_in(("libgl1",))
        assert "sudo apt-get install --no-install-recommends libgl1" in capsys.readouterr().err

    def test_without_apt_the_other_tools_line_is_named(
        self,
        start: ModuleType,
        preparation: Any,
        tools: Tools,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setenv("PATH", str(tools.folder))
        (tools.folder / "apt-get").unlink()
        tools.add("pacman")
        monkeypatch.setattr(start, "LIBRARIES", ("libnosuch-thing.so.9",))
        assert not preparation.put_in(self.WANTED)
        assert "  sudo pacman -S --needed libglvnd" in capsys.readouterr().err
        monkeypatch.setattr(start, "LIBRARIES", ("libc.so.6",))
        assert preparation.put_in(self.WANTED)

    def test_every_package_that_is_asked_for_can_be_met(self, start: ModuleType, tools: Tools) -> None:
        tools.add("dpkg-query", all_installed())
        assert not any(start.missing_packages(names) for names in start.PACKAGES.values())

    def test_a_missing_font_does_not_keep_the_window_shut(
        self, start: ModuleType, preparation: Any, tools: Tools, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(start, "is_root", lambda: False)
        tools.add("dpkg-query", all_installed().replace("fonts-noto-cjk installed\n", ""))
        assert preparation.prepare({"window", "font"}) == {"window"}

    def test_tests_begin_without_their_tools_but_not_without_the_windows_libraries(
        self,
        start: ModuleType,
        tools: Tools,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        """An ordinary user without sudo: one line names all that is missing."""
        begun: list[list[str]] = []
        for name, value in (
            ("VENV", tmp_path),
            ("LOG", tmp_path / "log"),
            ("LOCK", tmp_path / "lock"),
            ("STAMP", tmp_path / "stamp.json"),
            ("NOTES", tmp_path),
            ("ROOT", tmp_path),
        ):
            monkeypatch.setattr(start, name, value)
        (tmp_path / "pyproject.toml").touch()
        monkeypatch.setattr(start, "is_root", lambda: False)
        monkeypatch.setattr(start.Preparation, "make_environment", lambda self: None)
        monkeypatch.setattr(start.Preparation, "do", lambda self, what, *command: None)
        monkeypatch.setattr(start, "hand_over", lambda command, environment: begun.append(command) or 0)
        tools.add("dpkg-query", all_installed().replace("git installed\n", ""), status=1)
        assert start.main(["test"]) == 0
        assert len(begun) == 1
        tools.add("dpkg-query", "", status=1)
        monkeypatch.setattr(start, "LIBRARIES", ("libnosuch-thing.so.9",))
        monkeypatch.setattr(sys, "argv", ["start.py", "test"])
        capsys.readouterr()
        assert start.start() == 1
        assert len(begun) == 1
        said = capsys.readouterr().err.splitlines()
        [line] = [each for each in said if each.startswith("  sudo apt-get ")]
        assert {"libgl1", "git", "binutils", "xvfb"} <= set(line.split())
        assert any(each.startswith("Without these packages the tests cannot run.") for each in said)

    def test_a_console_of_its_own_stays_until_its_error_was_read(
        self, start: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def fail(arguments: list[str]) -> int:
            raise start.Trouble("network", {})

        waited = io.StringIO("\nmore")
        monkeypatch.setattr(start, "main", fail)
        monkeypatch.setattr(sys, "stdin", waited)
        for is_own in (False, True):
            monkeypatch.setattr(start, "has_own_console", lambda is_own=is_own: is_own)
            assert start.start() == 1
            assert ("Press Enter to close." in capsys.readouterr().err) is is_own
            assert waited.tell() == is_own, "one line is waited for"
