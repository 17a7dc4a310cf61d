"""What conda keeps about an environment, and rattler leaves out: readable records, a history, the list of prefixes.

With these, conda lists the environment and can go on with it. `~/.conda/environments.txt` is the user's file: one line
is added or taken out, every other byte stays. It is no setting to be undone: the line goes with its environment.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import stat
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from filelock import FileLock

from wizard.model.typed import from_json
from wizard.system import paths
from wizard.system.disk import BINARY
from wizard.system.links import long_path
from wizard.system.traits import this
from wizard.undo.user_file import replace_file

_USER = re.compile(r"(\bhttps?://)[^\s/@'\"]+@", re.IGNORECASE)
_TOKEN = re.compile(r"(\bhttps?://[^\s/'\"]+)/t/[A-Za-z0-9_-]+/", re.IGNORECASE)


class RecordedPath(msgspec.Struct, frozen=True):
    """One file of a package. `prefix_placeholder`: what stood in it where the prefix was written."""

    path: str = msgspec.field(name="_path")
    prefix_placeholder: str | None = None


class RecordedPaths(msgspec.Struct, frozen=True):
    paths: tuple[RecordedPath, ...] = ()


class Record(msgspec.Struct, frozen=True):
    """One `conda-meta/*.json`, as far as anybody here reads it."""

    name: str = ""
    version: str = ""
    build: str = ""
    subdir: str = ""
    channel: str | None = None
    url: str | None = None
    md5: str | None = None
    sha256: str | None = None
    files: tuple[str, ...] = ()
    paths_data: RecordedPaths = RecordedPaths()

    def __str__(self) -> str:
        channel = (self.channel or "").removesuffix(f"/{self.subdir}")
        return f"{without_credentials(channel).rstrip('/')}/{self.subdir}::{self.name}-{self.version}-{self.build}"


def read_record_file(path: Path) -> Record | None:
    """Return what one file says; None for one that cannot be read."""
    try:
        return from_json(long_path(path).read_bytes(), Record)
    except (OSError, ValueError, RecursionError):
        return None


def read_records(prefix: Path) -> tuple[Record, ...]:
    """Return all records, by the files' names; one that cannot be read or names no package is left out."""
    found = map(read_record_file, sorted((long_path(prefix) / "conda-meta").glob("*.json")))
    return tuple(record for record in found if record and record.name and record.version)


def owners_of_files(prefix: Path) -> Mapping[str, str]:
    """Return every file that conda's records list, relative with "/" -> the package as conda calls it."""
    return {file: f"{record.name} {record.version}" for record in read_records(prefix) for file in record.files}


def take_out_credentials(prefix: Path) -> None:
    """Take out the channel's password, which rattler keeps in its records; they will be readable for others."""
    for path in (long_path(prefix) / "conda-meta").glob("*.json"):
        written = path.read_text(encoding="utf-8")
        clean = without_credentials(written)
        if clean != written:
            path.write_text(clean, encoding="utf-8", newline="\n")


def name_sources(prefix: Path, sources: Mapping[str, str]) -> None:
    """Write the channel's address, by SHA-256, into records of packages that came from files of this computer."""

    def change(data: dict[str, Any]) -> bool:
        url = sources.get(str(data.get("sha256")))
        if url is not None:
            data["url"] = url
        return url is not None

    if sources:
        _rewrite(prefix, change)


def correct_links(prefix: Path) -> None:
    """Take out the digests of symbolic links. rattler writes that of the link's text; conda writes none, and its
    `doctor` compares what stands there with the file that the link leads to. Raises OSError, ValueError."""

    def change(data: dict[str, Any]) -> bool:
        entries = data.get("paths_data", {}).get("paths", ())
        links = [entry for entry in entries if entry.get("path_type") == "softlink" and "sha256_in_prefix" in entry]
        for entry in links:
            del entry["sha256_in_prefix"]
        return bool(links)

    _rewrite(prefix, change)


def _rewrite(prefix: Path, change: Callable[[dict[str, Any]], bool]) -> None:
    """Write records anew, with all that they hold, where `change` changed something. Raises OSError, ValueError."""
    for path in (long_path(prefix) / "conda-meta").glob("*.json"):
        data = json.loads(path.read_text(encoding="utf-8"))
        if change(data):
            path.write_text(json.dumps(data, indent=2, ensure_ascii=False), encoding="utf-8", newline="\n")


def without_credentials(text: str) -> str:
    """Return a text with addresses as conda itself keeps them: `https://user:token@host/t/xy-123/forge` becomes
    `https://host/forge`."""
    return _TOKEN.sub(r"\g<1>/", _USER.sub(r"\g<1>", text))


def history_entry(records: tuple[Record, ...], specs: tuple[str, ...], moment: float) -> str:
    """Return the lines of conda's history for what is installed now, in conda's own form."""
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))
    lines = [f"==> {stamp} <==", f"# cmd: {paths.APP_NAME}", *(f"+{record}" for record in records)]
    return "\n".join([*lines, f"# update specs: {list(specs)!r}", ""])


def write_history(prefix: Path, specs: tuple[str, ...], moment: float) -> None:
    """Append to conda's own history, so that conda knows what was asked for. Raises OSError."""
    path = prefix / "conda-meta" / "history"
    with path.open("a", encoding="utf-8", newline="\n") as stream:
        stream.write(history_entry(read_records(prefix), specs, moment))


def environments_list() -> Path:
    return Path.home() / ".conda" / "environments.txt"


def listed_prefixes() -> tuple[Path, ...]:
    """Return what conda knows of; a line may be stale. Lines that cannot be decoded are left out, and so is a list that
    cannot be read."""
    found: list[Path] = []
    lines: list[bytes] = []
    with contextlib.suppress(OSError):
        lines = _read().splitlines()
    for line in lines:
        with contextlib.suppress(UnicodeDecodeError):
            written = line.decode(this().conda_list_encoding).strip()
            if written and not written.startswith("#"):
                found.append(Path(written))
    return tuple(place for place in found if place.is_absolute())


def register(prefix: Path) -> None:
    """Add the prefix to the user's list, once. Raises OSError."""
    with _lock():
        before = _read()
        line = _line(prefix)
        if line is None or line in before.splitlines():
            return
        environments_list().parent.mkdir(exist_ok=True)
        end = os.linesep.encode()
        glue = b"" if not before or before.endswith(b"\n") else end
        _append(environments_list(), glue + line + end)


def _append(path: Path, content: bytes) -> None:
    """In one write, as conda does: a line that conda adds at the same moment stays. All of it or nothing."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | BINARY, 0o666)
    try:
        before = os.fstat(descriptor).st_size
        if os.write(descriptor, content) != len(content):
            os.ftruncate(descriptor, before)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def unregister(prefix: Path) -> None:
    """Take our line out again; nothing happens when it is not there."""
    line = _line(prefix)
    if line is None or line not in _read().splitlines():
        return
    with _lock():
        kept = b"".join(each for each in _read().splitlines(keepends=True) if each.rstrip(b"\r\n") != line)
        replace_file(environments_list().resolve(), kept)  # may be a link into a folder of dotfiles


def _read() -> bytes:
    """Raises OSError; also for a pipe in its place, which would keep us waiting."""
    path = environments_list()
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _line(prefix: Path) -> bytes | None:
    """None for a path that the system's encoding cannot write: conda could not read it either."""
    try:
        return str(prefix).encode(this().conda_list_encoding)
    except UnicodeEncodeError:
        return None


def _lock() -> FileLock:
    folder = paths.home() / "locks"  # not with the caches: those may be elsewhere the next time
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock(folder / "environments-txt.lock", timeout=30)
