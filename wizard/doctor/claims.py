"""Which files and folders are a distribution's alone: what can be moved out of the way without touching others.

From the RECORDs of all distributions (and conda's own lists): the highest folder that nobody else has a file in is
moved as a whole, in one rename; where a folder is shared, single files are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wizard.doctor.distributions import Distribution, folder_name, info_folders, read_distribution
from wizard.packages.record import place
from wizard.packages.wheel import parse_record, read_wheel


@dataclass(frozen=True, slots=True)
class Shared:
    """What others own, relative to the prefix: their files, and every folder above one of them."""

    files: frozenset[str]
    folders: frozenset[str]


def owned_by_others(prefix: Path, site: Path, names: frozenset[str]) -> Shared:
    files: set[str] = set()
    for info in info_folders(site):
        if folder_name(info) not in names:
            files.update(_installed(prefix, site, info))
            files.add(_relative(prefix, info / "RECORD"))
    return Shared(frozenset(files), frozenset(_above(files)))


def _above(paths: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for path in paths:
        while (path := path.rpartition("/")[0]) and path not in seen:
            seen.add(path)
            yield path


def _relative(prefix: Path, path: Path) -> str:
    return os.path.relpath(path, prefix).replace(os.sep, "/")


def _installed(prefix: Path, site: Path, info: Path) -> Iterator[str]:
    """The files of its RECORD, scripts too; what lies outside of the prefix is nobody's here."""
    try:
        entries = parse_record((info / "RECORD").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    for entry in entries:
        path = os.path.normpath(os.path.join(site, entry.path))  # noqa: PTH118 (tens of thousands of them)
        relative = os.path.relpath(path, prefix).replace(os.sep, "/")
        if not relative.startswith("..") and not os.path.isabs(relative):  # noqa: PTH117
            yield relative


def claims(
    prefix: Path, site: Path, distributions: Iterable[Distribution], wheels: Iterable[Path], further: Iterable[Path],
    spare: bool = False,
) -> tuple[str, ...]:  # fmt: skip
    """What is there of those distributions, of the wheels that will come, and of `further`; relative, without repeats.

    A conda record among `further` brings the files that it lists. `spare`: a folder with a file of nobody in it is not
    claimed as a whole.
    """
    going = tuple(distributions)
    names = frozenset(each.name for each in going) | {read_wheel(wheel).name for wheel in wheels}
    shared = owned_by_others(prefix, site, names)
    wanted: list[str] = []
    for each in going:
        wanted += [_relative(prefix, each.info), *_installed(prefix, site, each.info)]
    for wheel in wheels:
        facts = read_wheel(wheel)
        inside = (place(entry.path) for entry in facts.record)
        wanted += [_relative(prefix, site / path) for path in inside if path]
        wanted += [_relative(prefix, site / facts.dist_info)]
    for path in further:
        wanted += [_relative(prefix, path), *_conda_files(prefix, path)]
    return _highest(prefix, site, wanted, _with_strays(prefix, site, wanted, shared) if spare else shared)


def _with_strays(prefix: Path, site: Path, wanted: Iterable[str], shared: Shared) -> Shared:
    """What no package owns counts as another's: notes, data, models that somebody has put among a package's files."""
    known = frozenset(wanted)
    inside = _relative(prefix, site) + "/"
    tops = {path[len(inside) :].partition("/")[0] for path in known if path.startswith(inside)}
    strays = frozenset(path for top in tops for path in _files_below(prefix, site / top) if path not in known)
    return Shared(shared.files | strays, shared.folders | frozenset(_above(strays)))


def _files_below(prefix: Path, top: Path) -> Iterator[str]:
    """Without compiled modules: they follow from their sources."""
    for folder, folders, names in os.walk(top):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]  # noqa: PTH114, PTH118
        start = _relative(prefix, Path(folder))
        yield from (f"{start}/{name}" for name in (*names, *links) if not name.endswith(".pyc"))


def _conda_files(prefix: Path, record: Path) -> Iterator[str]:
    if record.parent != prefix / "conda-meta" or record.suffix != ".json":
        return
    try:
        yield from (str(path) for path in json.loads(record.read_text(encoding="utf-8")).get("files", ()))
    except (OSError, ValueError, AttributeError):
        return


def _highest(prefix: Path, site: Path, wanted: Iterable[str], shared: Shared) -> tuple[str, ...]:
    """Whole folders below site-packages only; elsewhere in the prefix, others keep files that no RECORD lists."""
    inside = _relative(prefix, site) + "/"
    found: dict[str, None] = {}
    for path in wanted:
        if path in shared.files or path.startswith(".."):
            continue
        top, above = path, path.rpartition("/")[0]
        while above.startswith(inside) and above not in shared.folders:
            top, above = above, above.rpartition("/")[0]
        if top not in found and os.path.lexists(prefix / top):
            found[top] = None
    return tuple(path for path in found if not any(above in found for above in _above([path])))


def distributions_named(site: Path, names: Iterable[str]) -> tuple[Distribution, ...]:
    wanted = frozenset(names)
    infos = (info for info in info_folders(site) if folder_name(info) in wanted)
    return tuple(found for info in infos if (found := read_distribution(info)))
