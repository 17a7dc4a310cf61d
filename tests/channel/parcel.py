"""One conda package (`.tar.bz2`, format v1) written from files: the payload and its `info/` folder.

Just enough of the format for a real installer: paths with SHA-256, symbolic links, prefix placeholders,
noarch Python entry points. Not a build tool: nothing is compiled here.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Item:
    """One file of a package. `link` makes a symbolic link; `placeholder` is the text that the installer replaces."""

    path: str
    data: bytes = b""
    link: str = ""
    executable: bool = False
    placeholder: str = ""
    file_mode: str = "text"  # how the placeholder is replaced: text | binary


@dataclass(frozen=True, slots=True)
class Parcel:
    name: str
    version: str
    build: str
    subdir: str
    items: tuple[Item, ...]
    depends: tuple[str, ...] = ()
    entry_points: tuple[str, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def filename(self) -> str:
        return f"{self.name}-{self.version}-{self.build}.tar.bz2"


def write_parcel(parcel: Parcel, channel: Path) -> Path:
    path = channel / parcel.subdir / parcel.filename
    path.parent.mkdir(parents=True, exist_ok=True)
    # Level 1: a test channel is written once and read a few times.
    with tarfile.open(path, "w:bz2", compresslevel=1) as archive:
        for item in (*_info(parcel), *parcel.items):
            _add(archive, item)
    return path


def _add(archive: tarfile.TarFile, item: Item) -> None:
    entry = tarfile.TarInfo(item.path)
    entry.mtime = 1_700_000_000
    if item.link:
        entry.type, entry.linkname = tarfile.SYMTYPE, item.link
        archive.addfile(entry)
        return
    entry.size = len(item.data)
    entry.mode = 0o755 if item.executable else 0o644
    archive.addfile(entry, io.BytesIO(item.data))


def _info(parcel: Parcel) -> tuple[Item, ...]:
    files = {
        "info/index.json": json.dumps(_index(parcel)),
        "info/paths.json": json.dumps({"paths": [_path(item) for item in parcel.items], "paths_version": 1}),
        "info/files": "".join(f"{item.path}\n" for item in parcel.items),
        "info/has_prefix": "".join(
            f'"{item.placeholder}" "{item.file_mode}" "{item.path}"\n' for item in parcel.items if item.placeholder
        ),
    }
    if parcel.subdir == "noarch":
        noarch = {"type": "python", "entry_points": list(parcel.entry_points)}
        files["info/link.json"] = json.dumps({"noarch": noarch, "package_metadata_version": 1})
    return tuple(Item(path, text.encode()) for path, text in files.items() if text)


def _index(parcel: Parcel) -> dict[str, Any]:
    return {
        "name": parcel.name,
        "version": parcel.version,
        "build": parcel.build,
        "build_number": 0,
        "subdir": parcel.subdir,
        "depends": list(parcel.depends),
        "timestamp": 1_700_000_000_000,
        **parcel.extra,
    }


def _path(item: Item) -> dict[str, Any]:
    entry: dict[str, Any] = {"_path": item.path, "path_type": "softlink" if item.link else "hardlink"}
    if not item.link:
        entry |= {"sha256": hashlib.sha256(item.data).hexdigest(), "size_in_bytes": len(item.data)}
    if item.placeholder:
        entry |= {"prefix_placeholder": item.placeholder, "file_mode": item.file_mode}
    return entry
