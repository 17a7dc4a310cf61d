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

from packaging.utils import canonicalize_name

from wizard.install.wheel import Wheel, is_plain, read_wheel
from wizard.model.distributions import (
    REWRITTEN,
    Recorded,
    changed_files,
    is_inside,
    parse_record,
    place,
    promised_by_any,
    read_record,
)
from wizard.system import moving
from wizard.system.links import long_path

PART_SUFFIX = ".torch-setup-part"


def _expected(wheel: Wheel) -> dict[str, int | None]:
    """Path relative to site-packages -> size, or None where only its presence counts."""
    sizes = {member.filename: member.file_size for member in wheel.members}
    found: dict[str, int | None] = {}
    for entry in wheel.record:
        target = place(entry.path)
        if target is None:
            continue
        rewritten = entry.path in {f"{wheel.dist_info}/{name}" for name in REWRITTEN}
        found[target] = None if rewritten else sizes.get(entry.path, entry.size)
    found[f"{wheel.dist_info}/RECORD"] = None
    return found


def check_record(site_packages: Path, source: Path) -> tuple[str, ...]:
    """Return missing files and files of another size, relative to site-packages. `source` is a wheel, or a dist-info
    folder in site-packages (then the installed RECORD is the measure)."""
    site_packages = long_path(site_packages)
    if source.suffix == ".whl":
        wheel = read_wheel(source)
        wrong = _differing(site_packages, _expected(wheel))
        record = f"{wheel.dist_info}/RECORD"
        return wrong if record in wrong or _is_record_complete(wheel, site_packages) else (*wrong, record)
    entries = record_of(source)
    return _differing(site_packages, _inside(entries)) if entries else (f"{source.name}/RECORD",)


def files_of(source: Path) -> Iterable[str]:
    """Return what a wheel, or a dist-info folder, has in site-packages."""
    return _expected(read_wheel(source)) if source.suffix == ".whl" else _inside(record_of(source))


def stamp(path: Path) -> tuple[int, int] | None:
    """Return length and time of change (ns): who writes over a file, with the same length too, changes them. None: it
    is not there."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_size, facts.st_mtime_ns


def record_of(source: Path) -> tuple[Recorded, ...]:
    """Return the list of a wheel, or of a dist-info folder; () for a folder's that cannot be read."""
    return read_wheel(source).record if source.suffix == ".whl" else read_record(source)


def _inside(entries: tuple[Recorded, ...]) -> dict[str, int | None]:
    return {entry.path: entry.size for entry in entries if is_inside(entry.path)}


def _differing(site_packages: Path, expected: dict[str, int | None]) -> tuple[str, ...]:
    """Return what is missing, or has a length that no package promises: of two that bring a file one stays."""
    wrong: list[str] = []
    lengths: dict[str, int] = {}
    for path, size in expected.items():
        try:
            found = (site_packages / path).stat()
        except OSError:
            wrong.append(path)
            continue
        if size is not None and found.st_size != size:
            lengths[path] = found.st_size
    promised = promised_by_any(site_packages, lengths) if lengths else {}
    of_another = {path for path, entries in promised.items() if lengths[path] in {one.size for one in entries}}
    return (*wrong, *(path for path in lengths if path not in of_another))


def is_touched(wheel: Wheel, site_packages: Path) -> bool:
    """Tell whether something of it may be there. Cheap: looks at the first two levels of its names only."""
    site_packages = long_path(site_packages)
    heads = {"/".join(entry.path.split("/", 4)[:4]) for entry in wheel.record}  # `.data` folders have two more levels
    tops = {"/".join(target.split("/")[:2]) for head in heads if (target := place(head))}
    present = {first for first in {top.partition("/")[0] for top in tops} if os.path.lexists(site_packages / first)}
    return any(os.path.lexists(site_packages / top) for top in tops if top.partition("/")[0] in present)


def _facts(wheel: Path | Wheel) -> Wheel:
    return wheel if isinstance(wheel, Wheel) else read_wheel(wheel)


def complete_record(wheel: Wheel, site_packages: Path) -> None:
    """Add to the installed RECORD what the wheel lists and the installer was not given. Replaced in one go."""
    site_packages = long_path(site_packages)
    path = site_packages / wheel.dist_info / "RECORD"
    present = path.read_text(encoding="utf-8")
    listed = {entry.path for entry in parse_record(present)}
    missing = set(wheel.left_out) - listed
    rows = [entry for entry in wheel.record if entry.path in missing]
    if not rows:
        return
    write_record(path, present if present.endswith("\n") else present + "\n", rows)


def write_record(path: Path, before: str, rows: Iterable[Recorded]) -> None:
    """Write the text of a RECORD and further lines, in one go. Raises OSError."""
    out = io.StringIO(before)
    out.seek(0, io.SEEK_END)
    csv.writer(out, lineterminator="\n").writerows((row.path, row.digest, row.size) for row in rows)
    fresh = path.with_name(path.name + PART_SUFFIX)
    moving.write_whole(path, out.getvalue().encode(), unfinished=fresh, sync=False)


def _is_record_complete(wheel: Wheel, site_packages: Path) -> bool:
    return {entry.path for entry in read_record(site_packages / wheel.dist_info)}.issuperset(wheel.left_out)


def is_installed(wheel: Path | Wheel, site_packages: Path, deep: bool = False) -> bool:
    """Tell whether every file of it is there in its size, and an installer finished the record. `deep`: with its
    content, too, which takes as long as reading it all: after a crash a file may have its length and not its bytes."""
    site_packages = long_path(site_packages)
    facts = _facts(wheel)
    if not (site_packages / facts.dist_info / "INSTALLER").is_file():
        return False
    if not _is_record_complete(facts, site_packages) or _differing(site_packages, _expected(facts)):
        return False
    return not deep or not changed_files(site_packages, facts.record, facts.name)


def remove_partial(wheel: Path | Wheel, site_packages: Path) -> int:
    """Take out what is there of that wheel: what its RECORD lists and it holds, what installers noted down in its
    dist-info folder, and folders that this leaves empty. What another package's RECORD lists too stays: uv writes over
    it where the wheel truly brings it. Returns how many files. Raises OSError."""
    site_packages = long_path(site_packages)
    facts = _facts(wheel)
    info = site_packages / facts.dist_info
    noted = info.iterdir() if info.is_dir() and not info.is_symlink() else ()
    names = (*(member.filename for member in facts.members), *facts.left_out)
    held = {target for name in names if (target := place(name))}
    targets = (set(_expected(facts)) & held) | {f"{info.name}/{path.name}" for path in noted if not path.is_dir()}
    targets |= {entry.path + PART_SUFFIX for entry in facts.record if is_plain(entry.path)}
    files, folders = _present(targets, site_packages)
    if files:  # the lists of the others are long, and mostly these have only folders in common
        files, folders = _present(targets - _of_others(site_packages, facts), site_packages)
    for path in files:
        moving.unlink(path)
    for folder in reversed(folders):  # those inside first
        with contextlib.suppress(OSError):  # not empty: it belongs to others too
            folder.rmdir()
    return len(files)


def _of_others(site_packages: Path, wheel: Wheel) -> set[str]:
    found: set[str] = set()
    for record in site_packages.glob("*.dist-info/RECORD"):
        if canonicalize_name(record.parent.name.partition("-")[0]) != wheel.name:
            found.update(entry.path for entry in read_record(record.parent))
            found.add(f"{record.parent.name}/RECORD")
    return found


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
