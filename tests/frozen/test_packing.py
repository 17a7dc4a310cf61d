"""What is made to be handed out: icon, version and manifest for Windows; the archive for Linux, the same twice."""

from __future__ import annotations

import ast
import hashlib
import importlib
import os
import re
import struct
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from PyInstaller.utils.win32 import winmanifest
from PySide6.QtGui import QIcon, QImageReader

import wizard
from tests.frozen.conftest import ROOT
from tests.tools import needs, path_of

ON_LINUX = pytest.mark.skipif(sys.platform == "win32", reason="of the archive for Linux")
LINUX = ROOT / "resources" / "linux"


def test_the_icon_has_every_size(builder: ModuleType, tmp_path: Path, qapp: object) -> None:
    icon = tmp_path / "app.ico"
    builder.windows_files.make_icon(ROOT / "resources" / "icons" / "app.svg", icon)
    reader = QImageReader(str(icon))
    seen = {}
    for number in range(reader.imageCount()):
        reader.jumpToImage(number)
        image = reader.read()
        seen[image.width()] = image
    assert set(seen) == {16, 20, 24, 32, 40, 48, 64, 128, 256}
    for size, image in seen.items():
        assert image.pixelColor(0, 0).alpha() == 0, size  # round corners
        blue = image.pixelColor(size // 2, int(size * 0.12))
        assert blue.name() == "#2f5fd0", size  # the right way up, and the right way round
    assert not QIcon(str(icon)).isNull()


@ON_LINUX
def test_installer_and_uninstaller_are_signed_with_a_time_stamp(
    builder: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, qapp: object
) -> None:
    """By the real script and NSIS; only signtool, which is Windows' own, is stood in."""
    path_of("makensis")
    tool, said, payload = tmp_path / "bin" / "signtool", tmp_path / "said", tmp_path / "payload"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nfor last; do :; done\nhead -c 2 "$last" >> {said}\necho " $*" >> {said}\n')
    tool.chmod(0o755)
    payload.mkdir()
    (payload / "TorchSetup.exe").write_bytes(b"MZ")
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TORCH_SETUP_CERTIFICATE", "AAAA")
    monkeypatch.delenv("TORCH_SETUP_TIMESTAMP", raising=False)
    with pytest.raises(subprocess.CalledProcessError):  # no time stamp, no installer
        builder.windows(payload, tmp_path / "made")
    monkeypatch.setenv("TORCH_SETUP_TIMESTAMP", "https://stamps.example")
    made = builder.windows(payload, tmp_path / "made")
    lines = said.read_text().splitlines()
    assert len(lines) == 2
    assert all(line.startswith("MZ sign ") and "/tr https://stamps.example /td SHA256" in line for line in lines)
    assert str(made) in lines[1]
    assert str(made) not in lines[0], "the uninstaller, which lies inside the installer"


def test_the_version_resource_says_our_version(builder: ModuleType) -> None:
    text = builder.windows_files.version_info("TorchSetup", "Torch Setup", "1.2.3rc1")
    tree = ast.parse(text, mode="eval")  # PyInstaller evaluates it, with these names and no others
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert names == {
        "VSVersionInfo",
        "FixedFileInfo",
        "StringFileInfo",
        "StringTable",
        "StringStruct",
        "VarFileInfo",
        "VarStruct",
    }
    assert "filevers=(1, 2, 3, 0)" in text
    assert "StringStruct('ProductVersion', '1.2.3rc1')" in text
    assert "flags=0x2" in text  # a pre-release
    assert builder.windows_files.four_numbers(wizard.__version__)[:2] != (0, 0)
    assert builder.version() == wizard.__version__


def test_the_manifest_comes_through_pyinstaller(builder: ModuleType) -> None:
    made = winmanifest.create_application_manifest(builder.windows_files.manifest("0.1.0").encode())
    root = ET.fromstring(made)
    said = {element.tag.rpartition("}")[2]: (element.text or "").strip() for element in root.iter()}
    assert said["dpiAwareness"] == "PerMonitorV2, PerMonitor"
    assert said["longPathAware"] == "true"
    assert said["activeCodePage"] == "UTF-8"
    levels = [element.get("level") for element in root.iter() if element.tag.endswith("requestedExecutionLevel")]
    assert levels == ["asInvoker"]


@ON_LINUX
@needs("xz")
def test_the_archive_is_the_same_twice(builder: ModuleType, small: Path, tmp_path: Path) -> None:
    first = hashlib.sha256(builder.tar(small, tmp_path / "one", preset=0).read_bytes()).hexdigest()
    for path in small.rglob("*"):
        os.utime(path, (1, 1), follow_symlinks=False)
    (small / "_internal" / "libls.so.1").chmod(0o711)
    second = builder.tar(small, tmp_path / "two", preset=0)
    assert hashlib.sha256(second.read_bytes()).hexdigest() == first
    with tarfile.open(second) as tar:
        members = {member.name: member for member in tar.getmembers()}
    assert {(member.uid, member.gid, member.uname) for member in members.values()} == {(0, 0, "")}
    assert len({member.mtime for member in members.values()}) == 1
    assert list(members) == sorted(members, key=lambda name: Path(name).parts)
    top = f"TorchSetup-{wizard.__version__}"
    assert members[f"{top}/program/_internal/libls.so"].linkname == "libls.so.1"
    assert members[f"{top}/torch-wizard"].mode == 0o755
    assert subprocess.run(["tar", "tJf", str(second)], capture_output=True, check=False).returncode == 0


@ON_LINUX
@needs("xz")
def test_several_parts_are_one_archive(
    builder: ModuleType, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder.archive, "PART", 20_000)
    made = builder.tar(small, tmp_path, preset=0)
    assert made.read_bytes().count(b"\xfd7zXZ\x00") > 3
    unpacked = tmp_path / "unpacked"
    unpacked.mkdir()
    subprocess.run(["tar", "xJf", str(made), "-C", str(unpacked)], check=True)
    [top] = unpacked.iterdir()
    assert (top / "program/_internal/libls.so").read_bytes() == Path("/bin/ls").read_bytes()
    assert (top / "licences" / "README.txt").read_text() == "all of them"


@ON_LINUX
def test_a_link_that_leads_outside_stops_the_build(builder: ModuleType, small: Path, tmp_path: Path) -> None:
    (small / "_internal" / "out").symlink_to("/etc/passwd")
    with pytest.raises(ValueError, match="leads out"):
        builder.tar(small, tmp_path, preset=0)
    (small / "_internal" / "out").unlink()
    (small / "_internal" / "out").symlink_to("../../../outside")
    with pytest.raises((ValueError, OSError)):
        builder.tar(small, tmp_path, preset=0)


@ON_LINUX
@needs("readelf")
def test_the_floor_is_what_the_files_need(builder: ModuleType, small: Path, tmp_path: Path) -> None:
    """Held against binutils' reading of the same file; scripts and texts count for nothing."""
    program = small / "_internal" / "libls.so.1"
    said = subprocess.run(["readelf", "-V", str(program)], capture_output=True, text=True, check=True).stdout
    wanted = {(int(a), int(b)) for a, b in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", said)}
    assert builder.elf.glibc_floor(small) == (max(wanted), program)
    empty = tmp_path / "texts"
    empty.mkdir()
    (empty / "a.txt").write_text("GLIBC_9.99")
    with pytest.raises(LookupError):
        builder.elf.glibc_floor(empty)


@ON_LINUX
@needs("readelf")
def test_libraries_that_nobody_needs(builder: ModuleType, tmp_path: Path) -> None:
    """A chain that leads nowhere goes as a whole; read as binutils read it."""
    made = {}
    for name, asks in (
        ("liba.so", ["libb.so"]),
        ("libb.so", ["libc.so"]),
        ("libc.so", []),
        ("libd.so", ["libc.so"]),
        ("program", ["liba.so"]),
        ("lonely", []),
    ):
        made[name] = small_elf(tmp_path / name, asks)
        assert builder.elf.needed_libraries(made[name].read_bytes()) == set(asks)
    libraries = {name: path for name, path in made.items() if name.endswith(".so")}
    assert builder.elf.not_needed(libraries, [made["program"]]) == {"libd.so"}
    assert builder.elf.not_needed(libraries, [made["lonely"]]) == set(libraries)
    said = subprocess.run(["readelf", "-d", "/bin/ls"], capture_output=True, text=True, check=True).stdout
    assert builder.elf.needed_libraries(Path("/bin/ls").read_bytes()) == set(re.findall(r"NEEDED.*\[(.+)\]", said))


def small_elf(path: Path, asks: list[str]) -> Path:
    """Nothing but a header, the names, and a dynamic section that asks for them."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in asks)
    at = [1 + sum(len(name) + 1 for name in asks[:index]) for index in range(len(asks))]
    dynamic = b"".join(struct.pack("<qQ", 1, place) for place in at) + struct.pack("<qQ", 0, 0)
    names, table = 64, 64 + len(strings)
    headers = table + len(dynamic)
    section = struct.Struct("<IIQQQQIIQQ")
    parts = [
        section.pack(0, 3, 0, 0, names, len(strings), 0, 0, 1, 0),
        section.pack(0, 6, 0, 0, table, len(dynamic), 0, 0, 8, 16),
    ]
    header = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQI6H", 3, 62, 1, 0, 0, headers, 0, 64, 56, 0, section.size, len(parts), 0
    )
    path.write_bytes(header + strings + dynamic + b"".join(parts))
    return path


def test_sums_are_read_by_everybodys_tool(builder: ModuleType, tmp_path: Path) -> None:
    for name in ("TorchSetup-1-linux-x86_64.tar.xz", "TorchSetup-1-windows-x86_64.exe", "other.txt"):
        (tmp_path / name).write_text(name)
    text = builder.sums(tmp_path).read_text()
    assert "other.txt" not in text
    for line in text.splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == digest
    assert text.count("\n") == 2


def spec_names(*names: str) -> dict[str, Any]:
    """Of the specification, which only PyInstaller can run whole."""
    tree = ast.parse((ROOT / "build_installer.spec").read_text("utf-8"))
    wanted = [
        node
        for node in tree.body
        if (isinstance(node, ast.FunctionDef) and node.name in names)
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in names)
    ]
    space: dict[str, Any] = {"Path": Path}
    exec(compile(ast.Module(wanted, []), "build_installer.spec", "exec"), space)
    return space


@pytest.mark.parametrize(
    ("plugins", "kept"),
    [
        # PySide6 6.9.3, which the Linux lock names: the newest for glibc 2.28.
        (["libqeglfs.so", "libqwayland-egl.so", "libqwayland-generic.so", "libqxcb.so", "libqvnc.so"], 3),
        # PySide6 6.11.3, 6.12.0.
        (["libqeglfs.so", "libqwayland.so", "libqxcb.so", "libqlinuxfb.so"], 2),
        (["qwindows.dll", "qdirect2d.dll"], 1),
    ],
)
def test_the_window_opens_on_wayland_whatever_qt_calls_its_plugins(plugins: list[str], kept: int) -> None:
    is_wanted = spec_names("PLUGINS", "ORPHANS", "QT_LIBRARIES", "is_wanted")["is_wanted"]
    entries = [(f"PySide6/Qt/plugins/platforms/{name}", "x", "BINARY") for name in plugins]
    found = [Path(entry[0]).name for entry in entries if is_wanted(entry)]
    assert len(found) == kept
    assert {name for name in plugins if "wayland" in name or "xcb" in name or "windows" in name} == set(found)


def test_a_library_under_the_gpl_alone_stops_the_build(builder: ModuleType, tmp_path: Path) -> None:
    notices = importlib.import_module("notices")
    with pytest.raises(LookupError, match="libreadline"):
        list(notices.system_notices([Path("/usr/lib/x86_64-linux-gnu/libreadline.so.8")]))
    [found] = notices.system_notices([tmp_path / "libours.so.1"])
    notices.write(tmp_path / "licences", [found], {}, "1.0")
    told = (tmp_path / "licences" / "README.txt").read_text("utf-8")
    assert "The libraries of the rows system-*" in told
    assert "source code is that distribution's" in told
