"""Real wheels made in the test: packages, scripts, data folders, large libraries, a true RECORD."""

from __future__ import annotations

import base64
import hashlib
import random
import zipfile
from collections.abc import Mapping
from pathlib import Path

LIBRARY = random.Random(5).randbytes(700_000) * 4  # large, and it can be compressed


def build(
    folder: Path,
    name: str = "demo",
    version: str = "1.0",
    files: Mapping[str, bytes] | None = None,
    executables: tuple[str, ...] = (),
    method: int = zipfile.ZIP_DEFLATED,
    requires: tuple[str, ...] = (),
) -> Path:
    info = f"{name}-{version}.dist-info"
    metadata = [
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}",
        *(f"Requires-Dist: {one}" for one in requires),
    ]
    whole = {
        **(files or {f"{name}/__init__.py": b"answer = 42\n"}),
        f"{info}/METADATA": ("\n".join(metadata) + "\n").encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    whole[f"{info}/RECORD"] = record_of(whole, info)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", method) as archive:
        for inside, data in whole.items():
            entry = zipfile.ZipInfo(inside, (2026, 1, 2, 3, 4, 6))
            entry.compress_type = method
            entry.external_attr = (0o100755 if inside in executables else 0o100644) << 16
            archive.writestr(entry, data)
    return path


def record_of(files: Mapping[str, bytes], info: str) -> bytes:
    """A RECORD of these files, other than itself."""
    lines = (f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in files.items() if path != f"{info}/RECORD")
    return ("".join(lines) + f"{info}/RECORD,,\n").encode()


def rich(folder: Path, name: str = "rich_demo", *, old_script: bool = True) -> Path:
    """Everything that a wheel can hold. `old_script`: also a program of the old kind, which only installers put in."""
    old = {f"{name}-1.0.data/scripts/{name}-old": b"#!python\nprint('old script')\n"}
    return build(
        folder,
        name,
        files={
            f"{name}/__init__.py": b"answer = 42\n\n\ndef main():\n    print('from the script', answer)\n",
            f"{name}/lib/large.so": LIBRARY,
            f"{name}/bin/tool": b"#!/bin/sh\n" + LIBRARY,
            f"{name}/data/ü.txt": "Größe".encode(),
            f"{name}-1.0.data/purelib/{name}_extra.py": b"more = 1\n",
            f"{name}-1.0.data/data/share/{name}.txt": b"shared\n",
            **(old if old_script else {}),
            f"{name}-1.0.dist-info/entry_points.txt": f"[console_scripts]\n{name}-new = {name}:main\n".encode(),
        },
        executables=(f"{name}/bin/tool",),
    )


def with_lines(wheel: Path, listed: list[str]) -> None:
    """Adds lines to the RECORD of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    record = next(name for name in held if name.endswith("/RECORD"))
    held[record] += "".join(f"{path},,\n" for path in listed).encode()
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in held.items():
            archive.writestr(name, data)


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
