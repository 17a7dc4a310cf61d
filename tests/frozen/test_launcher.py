"""What starts the archive on Linux: everything handed over, an older C library named, installed for one user."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import wizard
from tests.frozen.test_packing import ON_LINUX
from tests.tools import needs


@pytest.fixture
def unpacked(builder: ModuleType, small: Path, tmp_path: Path) -> Path:
    top = tmp_path / '我的 $HOME & `x` "q" 100%' / "TorchSetup"
    builder.lay_out(small, top)
    return top


Start = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def start(unpacked: Path, tmp_path: Path) -> Start:
    """The launcher, on a computer that answers its questions as given."""

    def run(language: str = "C", **answers: str) -> subprocess.CompletedProcess[str]:
        programs = tmp_path / "answers"
        shutil.rmtree(programs, ignore_errors=True)
        programs.mkdir()
        for name, words in answers.items():
            (programs / name).write_text(f"#!/bin/sh\n{words}\n")
            (programs / name).chmod(0o755)
        environment = {"PATH": str(programs), "LANG": language}
        return subprocess.run(
            [str(unpacked / "torch-wizard"), "probe", "a b"],
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    return run


def floor_of(unpacked: Path) -> tuple[int, int]:
    found = re.search(r"^floor=(\d+)\.(\d+)$", (unpacked / "torch-wizard").read_text(), re.MULTILINE)
    assert found
    return int(found[1]), int(found[2])


@ON_LINUX
def test_the_launcher_hands_everything_over(start: Start, tmp_path: Path) -> None:
    said = start()
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout == f"started with: probe a b; PATH={tmp_path / 'answers'}\n"


@ON_LINUX
def test_an_older_glibc_is_said_in_one_sentence(start: Start, unpacked: Path) -> None:
    major, minor = floor_of(unpacked)
    for have, runs in (
        (f"{major}.{minor - 1}", False),
        (f"{major}.9", minor <= 9),
        (f"{major - 1}.99", False),
        (f"{major}.{minor}", True),
        (f"{major}.{minor + 1}", True),
        (f"{major}.100", True),
        (f"{major + 1}.0", True),
        (f"{major}.{minor}.9000", True),
    ):
        said = start(getconf=f"echo glibc {have}")
        assert (said.returncode == 0) == runs, (have, said.stderr)
        if not runs:
            assert said.stdout == ""
            assert said.stderr.startswith("This Linux is too old")
            assert f"it has glibc {have}, and {major}.{minor} or newer is needed" in said.stderr
            assert said.stderr.count("\n") == 1
    chinese = start("zh_CN.UTF-8", getconf="echo glibc 2.5")
    assert chinese.stderr.startswith("此 Linux 系统过旧")


@ON_LINUX
def test_another_processor_or_c_library_is_named(start: Start) -> None:
    arm = start(uname="echo aarch64")
    assert arm.returncode == 1
    assert "aarch64" in arm.stderr
    musl = start(getconf="exit 1", ldd="echo 'musl libc (x86_64)' >&2; exit 1")
    assert musl.returncode == 1
    assert musl.stderr.startswith("This Linux uses musl")
    unknown = start(getconf="exit 1", ldd="exit 1")
    assert unknown.returncode == 0  # what cannot be known stops nothing


@ON_LINUX
@needs("desktop-file-validate")
def test_install_and_remove_for_one_user(unpacked: Path, tmp_path: Path) -> None:
    home = tmp_path / "user"
    home.mkdir()
    (home / ".local/share/torch-setup/downloads").mkdir(parents=True)
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}

    def install(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(unpacked / "install.sh"), *options],
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    def files() -> set[str]:
        return {path.relative_to(home).as_posix() for path in home.rglob("*") if not path.is_dir()}

    for _ in range(2):  # a second time changes nothing
        said = install()
        assert (said.returncode, said.stderr) == (0, "")
    entry = home / ".local/share/applications/torch-setup.desktop"
    assert files() >= {
        ".local/share/applications/torch-setup.desktop",
        ".local/bin/torch-wizard",
        ".local/share/icons/hicolor/scalable/apps/torch-setup.svg",
        ".local/share/mime/packages/torch-setup.xml",
    }
    subprocess.run(["desktop-file-validate", str(entry)], check=True)
    assert exec_words(entry.read_text("utf-8")) == [str(unpacked / "torch-wizard"), "window", "%f"]
    started = subprocess.run(
        [str(home / ".local/bin/torch-wizard"), "x"], env=environment, capture_output=True, text=True, check=True
    )
    assert started.stdout.startswith("started with: x;")

    assert install("--remove").returncode == 0
    left = {name for name in files() if "torch" in name}
    assert left == set()
    assert (home / ".local/share/torch-setup/downloads").is_dir()
    assert install("--what").returncode == 2


def exec_words(text: str) -> list[str]:
    """As the desktop entry specification reads the line: text escapes, then quoting, then field codes."""
    line = re.search(r"^Exec=(.*)$", text, re.MULTILINE)
    assert line
    assert "\\" not in line[1].replace("\\\\", "")  # as text, only pairs
    words = shlex.split(line[1].replace("\\\\", "\\"))
    plain = [word if word == "%f" else word.replace("%%", "%") for word in words]
    return [word.replace("\\$", "$").replace("\\`", "`") for word in plain]  # shlex knows \\ and \" only


@ON_LINUX
@needs("desktop-file-validate", "appstreamcli")
def test_desktops_accept_what_we_say_of_ourselves(unpacked: Path) -> None:
    share = unpacked / "share"
    for command in (
        ["desktop-file-validate", str(share / "applications/torch-setup.desktop")],
        ["appstreamcli", "validate", "--no-net", "--no-color", str(share / "metainfo/torch-setup.metainfo.xml")],
    ):
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (said.returncode, "error" in said.stdout) == (0, False), said.stdout
    metainfo = (share / "metainfo/torch-setup.metainfo.xml").read_text("utf-8")
    assert f'<release version="{wizard.__version__}" date="20' in metainfo
    assert "@" not in metainfo + (unpacked / "README.txt").read_text("utf-8")
    [glob] = [element for element in ET.parse(share / "mime/packages/torch-setup.xml").iter() if "glob" in element.tag]
    assert glob.get("pattern") == "*.torchlab"
