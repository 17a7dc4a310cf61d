"""Which files and folders are a distribution's alone: what can be moved out of the way without touching others.

From the RECORDs of all distributions (and conda's own lists): the highest folder that nobody else has a file in is
moved as a whole, in one rename; where a folder is shared, single files are. Anybody may write a RECORD: what goes must
be in the wheel that comes instead, have the content that the RECORD says and not be empty, or lie in a folder that
holds such a file.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import dataclass
from pathlib import Path

from wizard.environment.conda.records import read_record_file
from wizard.environment.inspect.owned import may_record
from wizard.install.wheel import read_wheel
from wizard.model.distributions import (
    Distribution,
    Recorded,
    content_digest,
    folder_name,
    info_folders,
    place,
    read_distribution,
    read_record,
)
from wizard.system.links import is_link, long_path


@dataclass(frozen=True, slots=True)
class Shared:
    """What others own, relative to the prefix: their files, and every folder above one of them."""

    files: frozenset[str]
    folders: frozenset[str]


def owned_by_others(prefix: Path, site: Path, names: frozenset[str], further: Iterable[Path] = ()) -> Shared:
    """`further`: conda's records of what goes too. A conda package that holds a going one's metadata is that one."""
    files: set[str] = set()
    going = {_relative(prefix, info) for info in info_folders(site) if folder_name(info) in names}
    for found in sorted((long_path(prefix) / "conda-meta").glob("*.json")):
        record = prefix / "conda-meta" / found.name
        listed = () if record in further else _conda_files(prefix, record)
        if not any(path.rpartition("/")[0] in going for path in listed):
            files.update(listed)
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
    for entry in read_record(info):
        if relative := _recorded(prefix, site, entry):
            yield relative


def _recorded(prefix: Path, site: Path, entry: Recorded) -> str | None:
    path = os.path.normpath(os.path.join(site, entry.path))  # noqa: PTH118 (tens of thousands of them)
    relative = os.path.relpath(path, prefix).replace(os.sep, "/")
    return relative if may_record(relative) else None


@dataclass(frozen=True, slots=True)
class _Own:
    """What of a RECORD is its package's. `folders`: of site-packages, with a slash at the end, whose files it may list
    because one with its content lies there; an empty file proves nothing."""

    files: tuple[str, ...]
    folders: frozenset[str]


def _own(prefix: Path, site: Path, info: Path, coming: Set[str]) -> _Own:
    """`coming`: what the wheels hold that come instead."""
    start, metadata = f"{_relative(prefix, site)}/", f"{_relative(prefix, info)}/"
    listed = {path: entry.digest for entry in read_record(info) if (path := _recorded(prefix, site, entry))}
    tops = {path: _top(path, start) for path in listed}
    folders = {metadata, *(top for path in coming if (top := _top(path, start)))}
    found = []
    for path, digest in listed.items():
        if tops[path] not in folders and path not in coming:
            if not digest or content_digest(prefix / path) != digest or not os.path.getsize(long_path(prefix) / path):  # noqa: PTH202
                continue
            if tops[path]:
                folders.add(tops[path])
        found.append(path)
    late = (path for path in listed if tops[path] and tops[path] in folders)
    return _Own(tuple(dict.fromkeys((*found, *late))), frozenset(folders))


def _top(path: str, start: str) -> str:
    """The folder of site-packages that holds it; "" where none does."""
    name, slash, _ = path.removeprefix(start).partition("/")
    return f"{start}{name}/" if slash and path.startswith(start) else ""


def claims(
    prefix: Path,
    site: Path,
    distributions: Iterable[Distribution],
    wheels: Iterable[Path],
    further: Iterable[Path],
    spare: bool = False,
) -> tuple[str, ...]:
    """What is there of those distributions, of the wheels that will come, and of `further`; relative, without repeats.

    A conda record among `further` brings the files that it lists. `spare`: a folder with a file of nobody in it is not
    claimed as a whole.
    """
    going = tuple(distributions)
    names = frozenset(each.name for each in going) | {read_wheel(wheel).name for wheel in wheels}
    further = tuple(further)
    shared = owned_by_others(prefix, site, names, further)
    coming: list[str] = []
    for wheel in wheels:
        facts = read_wheel(wheel)
        inside = (place(entry.path) for entry in facts.record)
        coming += [_relative(prefix, site / path) for path in (*inside, facts.dist_info) if path]
    wanted, folders = [], set[str]()
    for each in going:
        own = _own(prefix, site, each.info, frozenset(coming))
        wanted += [_relative(prefix, each.info), *own.files]
        folders |= own.folders
    wanted += coming
    for path in further:
        wanted += [_relative(prefix, path), *_conda_files(prefix, path)]
    shared = _with_strays(prefix, site, wanted, shared, () if spare else folders)
    return _highest(prefix, site, wanted, shared)


def _with_strays(prefix: Path, site: Path, wanted: Iterable[str], shared: Shared, but_in: Collection[str]) -> Shared:
    """What no package owns counts as another's: notes, data, models that somebody has put among a package's files."""
    known = frozenset(wanted)
    inside = _relative(prefix, site) + "/"
    tops = {
        path[len(inside) :].partition("/")[0]
        for path in known
        if path.startswith(inside) and _top(path, inside) not in but_in
    }
    strays = frozenset(path for top in tops for path in _files_below(prefix, site / top) if path not in known)
    return Shared(shared.files | strays, shared.folders | frozenset(_above(strays)))


def _files_below(prefix: Path, top: Path) -> Iterator[str]:
    """Without compiled modules: they follow from their sources."""
    root = long_path(prefix)
    for folder, folders, names in os.walk(long_path(top)):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]  # noqa: PTH114, PTH118
        start = _relative(root, Path(folder))
        yield from (f"{start}/{name}" for name in (*names, *links) if not name.endswith(".pyc"))


def _conda_files(prefix: Path, record: Path) -> tuple[str, ...]:
    if record.parent != prefix / "conda-meta" or record.suffix != ".json":
        return ()
    found = read_record_file(record)
    return found.files if found else ()


def _highest(prefix: Path, site: Path, wanted: Iterable[str], shared: Shared) -> tuple[str, ...]:
    """Whole folders below site-packages only; elsewhere in the prefix, others keep files that no RECORD lists."""
    inside = _relative(prefix, site) + "/"
    found: dict[str, None] = {}
    is_ours = _Reach(prefix)
    for path in wanted:
        if path in shared.files or path.startswith("..") or not is_ours(path):
            continue
        top, above = path, path.rpartition("/")[0]
        while above.startswith(inside) and above not in shared.folders:
            top, above = above, above.rpartition("/")[0]
        if top not in found and os.path.lexists(long_path(prefix) / top):
            found[top] = None
    return tuple(path for path in found if not any(above in found for above in _above([path])))


class _Reach:
    """Whether a path stays in the prefix when its folders are followed: a link may lead to the user's own files."""

    def __init__(self, prefix: Path) -> None:
        self._prefix = long_path(prefix)
        self._root = os.path.realpath(self._prefix)
        self._known = {"": True}

    def __call__(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        if folder not in self._known:
            self._known[folder] = self(folder) and self._stays(folder)
        return self._known[folder] and name != ".."

    def _stays(self, folder: str) -> bool:
        place = self._prefix / folder
        real = os.path.realpath(place) if is_link(place) else self._root
        return real == self._root or real.startswith(self._root.rstrip(os.sep) + os.sep)


def distributions_named(site: Path, names: Iterable[str]) -> tuple[Distribution, ...]:
    wanted = frozenset(names)
    infos = (info for info in info_folders(site) if folder_name(info) in wanted)
    return tuple(found for info in infos if (found := read_distribution(info)))
