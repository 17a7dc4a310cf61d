"""A folder as tar.xz, the same bytes every time: sorted, one date, root's, two modes, links relative.

xz is made of parts that are compressed at the same time, each a whole stream (the format allows it, and every reader
follows it), so the result does not depend on how many processors there were.
"""

from __future__ import annotations

import lzma
import os
import tarfile
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PART = 32 << 20  # four times the dictionary of preset 6: costs half a percent in size


def members(folder: Path, top: str, date: int) -> Iterator[tuple[tarfile.TarInfo, Path]]:
    for path in [folder, *sorted(folder.rglob("*"))]:
        inside = path.relative_to(folder).as_posix()
        info = tarfile.TarInfo(top if inside == "." else f"{top}/{inside}")
        info.mtime, info.mode = date, 0o755
        if path.is_symlink():
            info.type, info.linkname = tarfile.SYMTYPE, _relative_target(folder, path)
        elif path.is_dir():
            info.type = tarfile.DIRTYPE
        else:
            info.size, info.mode = path.stat().st_size, 0o755 if path.stat().st_mode & 0o100 else 0o644
        yield info, path


def _relative_target(folder: Path, link: Path) -> str:
    target = str(link.readlink())
    if Path(target).is_absolute() or not link.resolve(strict=True).is_relative_to(folder.resolve()):
        raise ValueError(f"{link} leads out of the folder: {target}")
    return target


def pack(folder: Path, archive: Path, top: str, date: int, preset: int) -> None:
    """`top` is the folder that it unpacks to."""
    unfinished = archive.with_name(archive.name + ".part")
    with tempfile.TemporaryFile(dir=archive.parent) as plain:
        with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for info, path in members(folder, top, date):
                if info.isfile():
                    with path.open("rb") as content:
                        tar.addfile(info, content)
                else:
                    tar.addfile(info)
        with unfinished.open("wb") as file, ThreadPoolExecutor(os.cpu_count()) as threads:
            plain.seek(0)
            parts = iter(lambda: plain.read(PART), b"")
            file.writelines(threads.map(lambda part: lzma.compress(part, preset=preset), parts))
    unfinished.replace(archive)
