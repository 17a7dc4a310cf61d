"""What of a wheel is in site-packages: whole, partly, or not; and taking a part out again.

Judged by the wheel's own RECORD and sizes, never by what an interrupted installer wrote down. Only files
inside site-packages are looked at; scripts are made anew by every install.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path

from wizard.packages.wheel import Recorded, Wheel, is_inside, parse_record, read_wheel

PART_SUFFIX = ".torch-setup-part"
# Installers write these themselves: their content is not the wheel's.
_REWRITTEN = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "RECORD.jws", "RECORD.p7s")


def place(entry_path: str) -> str | None:
    """Where a RECORD path lands relative to site-packages; None for what goes elsewhere (scripts, headers)."""
    if not is_inside(entry_path):
        return None
    first, *rest = entry_path.split("/")
    if first.endswith(".data"):
        return "/".join(rest[1:]) if len(rest) > 1 and rest[0] in ("purelib", "platlib") else None
    return entry_path


def _expected(wheel: Wheel) -> dict[str, int | None]:
    """Path relative to site-packages -> size, or None where only its presence counts."""
    sizes = {member.filename: member.file_size for member in wheel.members}
    found: dict[str, int | None] = {}
    for entry in wheel.record:
        target = place(entry.path)
        if target is None:
            continue
        rewritten = entry.path in {f"{wheel.dist_info}/{name}" for name in _REWRITTEN}
        found[target] = None if rewritten else sizes.get(entry.path, entry.size)
    found[f"{wheel.dist_info}/RECORD"] = None
    return found


def check_record(site_packages: Path, source: Path) -> tuple[str, ...]:
    """Missing files and files of another size, relative to site-packages. `source` is a wheel, or a dist-info
    folder in site-packages (then the installed RECORD is the measure)."""
    if source.suffix == ".whl":
        wheel = read_wheel(source)
        wrong = _differing(site_packages, _expected(wheel))
        record = f"{wheel.dist_info}/RECORD"
        return wrong if record in wrong or _is_record_complete(wheel, site_packages) else (*wrong, record)
    try:
        entries = parse_record((source / "RECORD").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return (f"{source.name}/RECORD",)
    return _differing(site_packages, _inside(entries))


def _inside(entries: tuple[Recorded, ...]) -> dict[str, int | None]:
    return {entry.path: entry.size for entry in entries if is_inside(entry.path)}


def _differing(site_packages: Path, expected: dict[str, int | None]) -> tuple[str, ...]:
    wrong = []
    for path, size in expected.items():
        try:
            found = (site_packages / path).stat()
        except OSError:
            wrong.append(path)
            continue
        if size is not None and found.st_size != size:
            wrong.append(path)
    return tuple(wrong)


def is_touched(wheel: Wheel, site_packages: Path) -> bool:
    """Something of it may be there. Cheap: looks at the first two levels of its names only."""
    tops = {"/".join(target.split("/")[:2]) for entry in wheel.record if (target := place(entry.path))}
    return any((site_packages / top).exists() for top in tops)


def _facts(wheel: Path | Wheel) -> Wheel:
    return wheel if isinstance(wheel, Wheel) else read_wheel(wheel)


def complete_record(wheel: Wheel, site_packages: Path) -> None:
    """Adds the bulk files to the installed RECORD, as the wheel itself lists them. Replaced in one go."""
    path = site_packages / wheel.dist_info / "RECORD"
    present = path.read_text(encoding="utf-8")
    listed = {entry.path for entry in parse_record(present)}
    bulk = {member.filename for member in wheel.bulk}
    rows = [entry for entry in wheel.record if entry.path in bulk - listed]
    if not rows:
        return
    out = io.StringIO(present if present.endswith("\n") else present + "\n")
    out.seek(0, io.SEEK_END)
    csv.writer(out, lineterminator="\n").writerows((row.path, row.digest, row.size) for row in rows)
    fresh = path.with_name(path.name + PART_SUFFIX)
    fresh.write_text(out.getvalue(), encoding="utf-8", newline="\n")
    fresh.replace(path)


def _is_record_complete(wheel: Wheel, site_packages: Path) -> bool:
    try:
        entries = parse_record((site_packages / wheel.dist_info / "RECORD").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return {member.filename for member in wheel.bulk} <= {entry.path for entry in entries}


def is_installed(wheel: Path | Wheel, site_packages: Path) -> bool:
    """Every file of it is there in its size, and an installer finished the record."""
    facts = _facts(wheel)
    if not (site_packages / facts.dist_info / "INSTALLER").is_file():
        return False
    return _is_record_complete(facts, site_packages) and not _differing(site_packages, _expected(facts))


def remove_partial(wheel: Path | Wheel, site_packages: Path) -> int:
    """Takes out what is there of that wheel: what its RECORD lists, what installers noted down in its dist-info
    folder, and folders that this leaves empty. Returns how many files. Raises OSError."""
    facts = _facts(wheel)
    info = site_packages / facts.dist_info
    noted = info.iterdir() if info.is_dir() and not info.is_symlink() else ()
    targets = set(_expected(facts)) | {f"{info.name}/{path.name}" for path in noted if not path.is_dir()}
    targets |= {member.filename + PART_SUFFIX for member in facts.bulk}
    files, folders = _present(targets, site_packages)
    for path in files:
        path.unlink()
    for folder in reversed(folders):  # those inside first
        with contextlib.suppress(OSError):  # not empty: it belongs to others too
            folder.rmdir()
    return len(files)


def _present(targets: Iterable[str], site_packages: Path) -> tuple[list[Path], list[Path]]:
    """The files of these that are there, and the folders on the way to them, outer ones first. Looks only into
    folders that are there, so a fresh environment costs nothing; a linked one leads to files that are not ours."""
    wanted: dict[str, set[str]] = {"": set()}
    for target in targets:
        folder, _, name = target.rpartition("/")
        is_known = folder in wanted
        wanted.setdefault(folder, set()).add(name)
        while folder and not is_known:
            folder, _, name = folder.rpartition("/")
            is_known = folder in wanted
            wanted.setdefault(folder, set()).add(name)
    files: list[Path] = []
    folders: list[Path] = []
    left = [""]
    while left:
        folder = left.pop()
        place = site_packages / folder
        names = {os.path.normcase(name): name for name in wanted[folder]}
        with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(place) as entries:
            for entry in entries:
                name = names.get(os.path.normcase(entry.name), "")
                inner = f"{folder}/{name}" if folder else name
                if name and inner in wanted and entry.is_dir(follow_symlinks=False):
                    left.append(inner)
                elif name and inner not in wanted:
                    files.append(place / entry.name)
        if folder:
            folders.append(place)
    return files, folders
