"""The installer for Windows, compiled by NSIS and run by wine: everything around the program, with a stand-in for it.

The stand-in is a real Windows program that does nothing for two minutes. What is there before and after is compared
file by file and key by key. Wine runs neither our Qt nor uv, so the program itself is proven elsewhere.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from tests.frozen.conftest import ROOT
from tests.tools import path_of

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the hosted workflow installs it on Windows"),
    pytest.mark.slow,
]

SCRIPT = ROOT / "resources" / "installer" / "torch-setup.nsi"
WINE = shutil.which("wine64") or "/usr/lib/wine/wine64"
SERVER = shutil.which("wineserver") or "/usr/lib/wine/wineserver64"
STAND_IN = """Unicode true
Target amd64-unicode
OutFile "{file}"
RequestExecutionLevel user
SilentInstall silent
Section
Sleep 120000
SectionEnd
"""
RUNNING, FOREIGN, TOO_OLD = 4, 5, 6
LISTED = r"Software\Microsoft\Windows\CurrentVersion\Uninstall"
MINE = "AppData/Local/Programs/TorchSetup"


@dataclass(frozen=True)
class Windows:
    """A Windows of its own, with a user's home; `files` and `registry` are what is there now."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "TMPDIR")}
        return {
            **kept,
            "HOME": str(self.folder / "unix"),
            "WINEPREFIX": str(self.folder / "prefix"),
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": "mscoree,mshtml=;winemenubuilder.exe=d",
            "LC_ALL": "C.UTF-8",
            "WINEARCH": "win64",
        }

    @property
    def user(self) -> Path:
        [found] = [path for path in (self.folder / "prefix/drive_c/users").iterdir() if path.name != "Public"]
        return found

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [WINE, *command],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def run(self, *command: str) -> int:
        with self.start(*command) as started:
            return started.wait(timeout=120)

    def be_windows_10(self) -> None:
        """Wine's registry refuses now and then, while the server of an earlier program ends."""
        command = ("reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f")
        for _ in range(5):
            if self.run(*command) == 0:
                return
            self.settle()
        pytest.fail("Wine's registry takes nothing")

    def settle(self) -> None:
        """Until every program there has ended (an uninstaller goes on in a copy of itself); writes the registry."""
        subprocess.run([SERVER, "-w"], env=self.environment, timeout=120, check=False)

    def files(self) -> dict[str, int]:
        """Of the whole disk, with sizes; not what Windows itself keeps for a while."""
        base = self.folder / "prefix" / "drive_c"
        found = (path for path in base.rglob("*") if path.is_file() and not path.is_symlink())
        names = {path.relative_to(base).as_posix(): path.stat().st_size for path in found}
        return {name: size for name, size in names.items() if "/Temp/" not in name and not name.startswith("windows/")}

    def registry(self) -> dict[str, tuple[str, ...]]:
        """The user's keys and their values; dates and wine's own keys left out."""
        text = (self.folder / "prefix" / "user.reg").read_text("utf-8", "replace")
        found = {}
        for part in text.split("\n\n"):
            match = re.match(r"\[(.+?)\] \d+\n", part)
            if match and not match[1].startswith("Software\\\\Wine"):
                lines = part[match.end() :].splitlines()
                found[match[1].replace("\\\\", "\\")] = tuple(line for line in lines if not line.startswith("#"))
        return found


@pytest.fixture(scope="module")
def has_tools() -> None:
    """Debian: nsis, wine64."""
    for name in ("makensis", WINE, SERVER):
        path_of(name)


@pytest.fixture
def windows(has_tools: None, tmp_path: Path) -> Iterator[Windows]:
    made = Windows(tmp_path / "computer")
    (made.folder / "unix").mkdir(parents=True)
    try:
        assert made.run("wineboot", "-i") == 0
        for link in made.user.iterdir():
            if link.is_symlink():  # the desktop and its like lead to the unix home: make them the user's own
                link.unlink()
                link.mkdir()
        yield made
    finally:
        subprocess.run([SERVER, "-k"], env=made.environment, check=False)


Installer = Callable[..., Path]


@pytest.fixture
def installer(has_tools: None, builder: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installer:
    """The real installer of one version, around a small folder."""
    script = tmp_path / "stand_in.nsi"
    script.write_text(STAND_IN.format(file=tmp_path / "stand_in.exe"))
    subprocess.run(["makensis", "-V1", str(script)], check=True)

    def make(version: str, files: dict[str, str]) -> Path:
        payload = tmp_path / f"payload {version}"
        for name, text in files.items():
            (payload / name).parent.mkdir(parents=True, exist_ok=True)
            (payload / name).write_text(text, "utf-8")
        for name in ("TorchSetup.exe", "torch-wizard.exe"):
            shutil.copy(tmp_path / "stand_in.exe", payload / name)
        monkeypatch.setattr(builder, "version", lambda: version)
        return builder.windows(payload, tmp_path / "made")

    return make


def test_from_install_to_uninstall(windows: Windows, installer: Installer) -> None:
    first = installer("1.0.0", {"_internal/both.txt": "one", "_internal/old/gone.txt": "1", "_internal/说明.txt": "字"})
    second = installer("1.1.0", {"_internal/both.txt": "two", "_internal/new.txt": "2"})

    # Wine begins as Windows 7.
    windows.settle()
    untouched = windows.files()
    assert windows.run(str(first), "/S") == TOO_OLD
    assert windows.files() == untouched
    windows.be_windows_10()
    for key in (LISTED, r"Software\Classes\.other"):  # never empty on a real computer, so their parents never go
        assert windows.run("reg", "add", rf"HKCU\{key}", "/ve", "/d", "theirs", "/f") == 0
    windows.settle()
    files, registry = windows.files(), windows.registry()

    install_in_silence(windows, first, files)
    refuse_while_it_runs(windows, first, second)
    upgrade(windows, second)
    refuse_folders_of_others(windows, second)

    # What the user keeps, here and in the program's own folder.
    kept = [
        windows.user / "AppData/Local/torch-setup/downloads/a.whl",
        windows.user / "torch-envs/demo/python.exe",
        windows.user / MINE / "my notes.txt",
    ]
    for path in kept:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    windows.settle()
    assert remove_in_silence(windows) == 0
    windows.settle()
    mine = {path.relative_to(windows.folder / "prefix/drive_c").as_posix(): 4 for path in kept}
    assert windows.files() == {**files, **mine}
    assert windows.registry() == registry


def install_in_silence(windows: Windows, setup: Path, before: dict[str, int]) -> None:
    assert windows.run(str(setup), "/S") == 0
    windows.settle()
    user = windows.user.relative_to(windows.folder / "prefix/drive_c").as_posix()
    added = {name.removeprefix(f"{user}/") for name in set(windows.files()) - set(before)}
    assert added == {
        f"{MINE}/TorchSetup.exe",
        f"{MINE}/torch-wizard.exe",
        f"{MINE}/uninstall.exe",
        f"{MINE}/installed-by-torch-setup.txt",
        f"{MINE}/_internal/both.txt",
        f"{MINE}/_internal/old/gone.txt",
        f"{MINE}/_internal/说明.txt",
        "Desktop/Torch Setup.lnk",
        "AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Torch Setup.lnk",
    }
    keys = windows.registry()
    listed = keys[rf"{LISTED}\TorchSetup"]
    assert '"DisplayVersion"="1.0.0"' in listed
    [quiet] = [line for line in listed if line.startswith('"QuietUninstallString"=')]
    assert re.search(r"uninstall\.exe\\\" /S _\?=C:.*TorchSetup\\\"\"$", quiet), quiet
    size = next(line for line in listed if line.startswith('"EstimatedSize"=dword:'))
    assert 20 < int(size.rpartition(":")[2], 16) < 2000
    assert keys[r"Software\Classes\.torchlab"] == ('@="TorchSetup.ClassProfile"',)
    [opening] = keys[r"Software\Classes\TorchSetup.ClassProfile\shell\open\command"]
    assert opening.endswith(r'\\TorchSetup.exe\" window \"%1\""')


def remove_in_silence(windows: Windows) -> int:
    """By the registry's line, as Windows and winget do it: its exit status is the uninstaller's own."""
    listed = windows.registry()[rf"{LISTED}\TorchSetup"]
    [quiet] = [line.partition("=")[2] for line in listed if line.startswith('"QuietUninstallString"=')]
    line = quiet[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    script = windows.folder / "remove.cmd"
    script.write_text(f"@{line}\r\n@exit /b %ERRORLEVEL%\r\n", "utf-8")
    return windows.run("cmd", "/c", str(script))


def refuse_while_it_runs(windows: Windows, first: Path, second: Path) -> None:
    before = windows.files()
    for name in ("TorchSetup.exe", "torch-wizard.exe"):  # the window; a worker that goes on without it
        running = windows.start(str(windows.user / MINE / name))
        try:
            time.sleep(1.5)  # until wine has opened it; when that were too short, the next line would fail
            assert running.poll() is None
            assert windows.run(str(second), "/S") == RUNNING
            assert (
                windows.run(str(windows.user / MINE / "uninstall.exe"), "/S", f"_?={windows_path(windows)}") == RUNNING
            )
            assert remove_in_silence(windows) == RUNNING
            assert windows.files() == before
        finally:
            running.kill()
            running.wait()


def windows_path(windows: Windows) -> str:
    inside = (windows.user / MINE).relative_to(windows.folder / "prefix/drive_c").as_posix()
    return "C:\\" + inside.replace("/", "\\")


def upgrade(windows: Windows, setup: Path) -> None:
    """In place; also over an upgrade that a power cut ended with the old program put aside."""
    folder = windows.user / MINE
    (folder / "previous-version").mkdir()
    (folder / "_internal").rename(folder / "previous-version" / "_internal")
    (folder / "mine.txt").write_text("the user's own")
    assert windows.run(str(setup), "/S") == 0
    windows.settle()
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} == {
        "TorchSetup.exe",
        "torch-wizard.exe",
        "uninstall.exe",
        "installed-by-torch-setup.txt",
        "mine.txt",
        "_internal/both.txt",
        "_internal/new.txt",
    }
    assert not (folder / "_internal/old").exists()
    assert not (folder / "previous-version").exists()
    assert (folder / "_internal/both.txt").read_text() == "two"
    listed = windows.registry()[rf"{LISTED}\TorchSetup"]
    assert '"DisplayVersion"="1.1.0"' in listed
    (folder / "mine.txt").unlink()


def refuse_folders_of_others(windows: Windows, setup: Path) -> None:
    theirs = windows.folder / "prefix/drive_c/theirs/_internal"
    theirs.mkdir(parents=True)
    (theirs / "a.txt").write_text("theirs")
    before = windows.files()
    assert windows.run(str(setup), "/S", r"/D=C:\theirs") == FOREIGN
    assert windows.files() == before
    shutil.rmtree(theirs.parent)


def test_every_sentence_is_there_in_both_languages() -> None:
    text = SCRIPT.read_text("utf-8")
    said = re.findall(r'^LangString (\w+) \$\{LANG_(\w+)\} "(.*)"$', text, re.MULTILINE)
    keys = {key for key, _, _ in said}
    assert {(key, language) for key, language, _ in said} == {
        (key, each) for key in keys for each in ("ENGLISH", "SIMPCHINESE")
    }
    for key, language, words in said:
        if words.strip() != "${PRODUCT}":
            assert words.isascii() == (language == "ENGLISH"), key
    assert keys == set(re.findall(r"\$\((\w+)\)", text))


def test_it_asks_for_no_administrator() -> None:
    text = SCRIPT.read_text("utf-8")
    assert "RequestExecutionLevel user" in text
    assert not re.search(r"\bHK(LM|CR|U)\b|SetShellVarContext all|\$PROGRAMFILES", text)
