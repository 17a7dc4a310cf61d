"""Brings a project from its address onto this computer: by git where it is there, else as its host's archive; and
unpacks an archive that lies here.

Nothing of it is run: no hooks, no submodules, no links; bounded in bytes, files and time. What an archive holds is only
read, and nobody promises a hash for it. A `.git` inside an archive is left out: git itself may run what stands there
(git's own page on its security boundary).

One file: the two ways share their address, their bounds and the folder that they end in.
"""

from __future__ import annotations

import contextlib
import filecmp
import io
import os
import re
import stat
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import urlsplit, urlunsplit

from wizard.environment.naming import find_flaw
from wizard.model.errors import Cancelled, ErrorText, UsageError, WizardError
from wizard.model.messages import bytes_text
from wizard.process import Request, child_environment, redact, run
from wizard.project.packages.rows import companion_table
from wizard.system import moving, paths
from wizard.toolconfig.settings import read_user_settings
from wizard.transfer.address import address_problem
from wizard.transfer.http import Client, SourceUnreachable

PROJECTS = "torch-projects"  # the folder in the person's own
MOST_BYTES = 2_000_000_000  # of what lies on the disk then
MOST_FILES = 50_000
_MOST_OF_ARCHIVE = 48_000_000
_MOST_SECONDS = 900.0
_LOOK_SECONDS = 1.0
_PATIENCE = (10.0, 50.0)  # seconds to connect, and for an answer
_GIT_HOST = re.compile(r"git@(?P<host>[\w.-]+):(?P<path>[\w./-]+)")
_ADDRESS = re.compile(r"(git\+)?[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_TREE = re.compile(r"^(?P<path>/.+?)(?:/-)?/tree/(?P<ref>[^/]+)(?:/.*)?$")
_REF = re.compile(r"[A-Za-z0-9_][\w./-]*")
_ODD = ("hyphen", "tilde")  # as a name of an environment; a file may be called so
_BAD_ARCHIVE = (OSError, ValueError, EOFError, RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error)
IsCancelled = Callable[[], bool]

NOT_FETCHED = ErrorText(
    "project-not-fetched",
    "The project could not be fetched from {address}.",
    "Check that this page opens in a browser; for a private project, make a copy with git and open its folder.",
)
BROKEN = ErrorText(
    "project-archive-broken",
    "The archive {address} cannot be read.",
    "Download it again, or unpack it yourself and open its folder.",
)
TOO_LARGE = ErrorText(
    "project-too-large",
    "The project at {address} is larger than {limit} or has more than {files} files, and was left.",
    "Make a copy of it with git yourself, and open that folder.",
)
ARCHIVE_TOO_LARGE = ErrorText(
    "project-archive-too-large",
    "The archive {address} holds more than {limit} or more than {files} files, and was left.",
    "If you trust it, unpack it yourself and open the folder that comes of it.",
)


@dataclass(frozen=True, slots=True)
class ProjectAddress:
    """`repository`: without branch, login and `.git`. `ref`: a branch or tag; "" for the usual one. `suffix`: the
    `.git` that was given: some hosts know the repository only with it."""

    repository: str
    name: str
    ref: str = ""
    is_archive: bool = False
    suffix: str = ""


def is_address(text: str) -> bool:
    return bool(_ADDRESS.match(text) or _GIT_HOST.fullmatch(text))


def parse_address(text: str) -> ProjectAddress:
    """Read what a person copied from a browser or from `pip install`. Raises UsageError `project-address…`."""
    words = text.strip()
    if match := _GIT_HOST.fullmatch(words):
        words = f"https://{match['host']}/{match['path']}"
    words = words.removeprefix("git+").partition("#")[0].partition("?")[0]
    parts = urlsplit(words) if address_problem(words) is None else None
    if parts is None or parts.scheme not in ("http", "https"):
        raise _unfit(text)
    if parts.username or parts.password:
        raise UsageError(
            "project-address-login",
            "The address of the project holds a login.",
            "Make a copy of a private project with git, and open its folder.",
        )
    path, _, ref = parts.path.rstrip("/").partition("@")
    if match := _TREE.match(path):
        path, ref = match["path"], match["ref"]
    is_archive = path.lower().endswith(".zip")
    path, suffix = path.removesuffix(".git"), ".git" if path.endswith(".git") else ""
    name = PurePosixPath(path).name.removesuffix(".zip")
    if not name or find_flaw(name, paths.os_name()) or (ref and (not _REF.fullmatch(ref) or ".." in ref)):
        raise _unfit(text)
    return ProjectAddress(urlunsplit((parts.scheme, parts.netloc, path, "", "")), name, ref, is_archive, suffix)


def _unfit(text: str) -> UsageError:
    return UsageError(
        "project-address",
        "“{address}” is not the address of a repository.",
        "Copy it from the browser, as https://github.com/OWNER/NAME, or give a folder.",
        address=redact(text),
    )


def is_archive_here(text: str) -> bool:
    """Tell whether it is a .zip of this computer, as the button "Download ZIP" of a host of repositories leaves it."""
    return text.lower().endswith(".zip") and Path(text).expanduser().is_file()


def bring_project(text: str, is_cancelled: IsCancelled, base: Path | None = None) -> Path:
    """Return the folder with the project, below `base` (the person's folder of projects). One that was brought from the
    same address or the same archive before is taken as it is; a folder or file of this computer is returned.

    Raises UsageError `project-address…`, WizardError `project-…`, Cancelled.
    """
    place = base or Path.home() / PROJECTS
    if is_archive_here(text):
        path = Path(text).expanduser()
        flaw = find_flaw(path.stem, paths.os_name())
        name = "project" if flaw and flaw.reason not in _ODD else path.stem
        return _made(ProjectAddress(str(path), name, is_archive=True), place, is_cancelled)
    if not is_address(text):
        return Path(text).expanduser()
    return brought_before(text, base) or _made(parse_address(text), place, is_cancelled)


def brought_before(text: str, base: Path | None = None) -> Path | None:
    """Return the folder of the project that was brought from this address before; None: it was not. Raises as
    `bring_project`."""
    address = parse_address(text)
    folder = (base or Path.home() / PROJECTS) / address.name
    return folder if _is_of(folder, address) else None


def _made(address: ProjectAddress, place: Path, is_cancelled: IsCancelled) -> Path:
    target, was_there = place / address.name, place.exists()
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".begun-", dir=place, ignore_cleanup_errors=True) as begun:
            made = Path(begun) / address.name
            git = None if address.is_archive else paths.find_program("git")
            if git:
                _clone(git, address, made, is_cancelled)
            else:
                with _archive(address, is_cancelled) as archive:
                    _unpack(archive, made, address, is_cancelled)
            if not any(one.name != ".git" for one in made.iterdir()):
                raise WizardError(
                    "project-empty",
                    "The project at {address} has no files.",
                    "Look whether the address is right, or name another one.",
                    address=address.repository,
                )
            target = next(one for one in _names(target) if not os.path.lexists(one) or _holds(one, made))
            if not os.path.lexists(target):
                moving.rename(made, target)
    except OSError as error:
        raise WizardError(
            "project-not-written",
            "The project could not be written into {path}.",
            "Look whether that folder may be written and has room.",
            details=str(error),
            path=str(place),
        ) from error
    finally:
        if not was_there:
            with contextlib.suppress(OSError):  # the project is in it
                place.rmdir()
    return target


def _names(target: Path) -> Iterator[Path]:
    yield target
    for number in range(2, 1000):
        yield target.with_name(f"{target.name}-{number}")


def _holds(folder: Path, made: Path) -> bool:
    """Tell whether `made` has files, and each of them is in the folder, as it is."""
    files = [Path(place) / name for place, _, names in os.walk(made) for name in names]
    try:
        return bool(files) and all(filecmp.cmp(one, folder / one.relative_to(made), shallow=False) for one in files)
    except OSError:
        return False


def _is_of(folder: Path, address: ProjectAddress) -> bool:
    """By the text of its settings: git itself is not asked in there."""
    try:
        told = (folder / ".git" / "config").read_text(encoding="utf-8", errors="replace")
        head = (folder / ".git" / "HEAD").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    is_it = re.search(rf"^\s*url = {re.escape(address.repository)}(\.git)?/?$", told, re.MULTILINE)
    return bool(is_it) and (not address.ref or head.strip().endswith(f"/{address.ref}"))


# By git


def _clone(git: str, address: ProjectAddress, made: Path, is_cancelled: IsCancelled) -> None:
    scheme = urlsplit(address.repository).scheme
    none = made.with_name("none")  # without hooks and templates
    none.mkdir()
    settings = {
        "core.hooksPath": str(none),
        "core.symlinks": "false",
        "core.longpaths": "true",  # Windows': else a file beyond 260 characters ends the clone
        "core.protectNTFS": "true",
        "core.fsmonitor": "false",
        "submodule.recurse": "false",
        "http.followRedirects": "initial",
        "http.lowSpeedLimit": "1000",
        "http.lowSpeedTime": "60",
    }
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    branch = ("--branch", address.ref) if address.ref else ()
    argv = (git, *options, "clone", "--depth", "1", "--no-tags", "--single-branch", "--no-recurse-submodules")
    extra = {
        "GIT_ALLOW_PROTOCOL": scheme,  # http is an address of this computer only (parse_address)
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "GCM_INTERACTIVE": "never",
        "GIT_LFS_SKIP_SMUDGE": "1",
    }
    watched = _Bounds(made, is_cancelled)
    request = Request(
        (*argv, f"--template={none}", *branch, "--", address.repository + address.suffix, str(made)),
        environment=child_environment(extra),
        timeout=_MOST_SECONDS,
    )
    outcome = run(request, is_cancelled=watched.is_over)
    if watched.is_too_large or watched.look():
        raise _too_large(address, MOST_BYTES)
    if is_cancelled():
        raise Cancelled
    if outcome.exit_code != 0:
        raise WizardError(NOT_FETCHED, details=outcome.tail(), address=address.repository)


class _Bounds:
    """Looks now and then how much git has written, and once more at its end."""

    def __init__(self, folder: Path, is_cancelled: IsCancelled) -> None:
        self._folder, self._is_cancelled = folder, is_cancelled
        self._next = 0.0
        self.is_too_large = False

    def is_over(self) -> bool:
        if time.monotonic() >= self._next:
            self.look()
            self._next = time.monotonic() + _LOOK_SECONDS
        return self.is_too_large or self._is_cancelled()

    def look(self) -> bool:
        files, size = _extent(self._folder)
        self.is_too_large = self.is_too_large or files > MOST_FILES or size > MOST_BYTES
        return self.is_too_large


def _extent(folder: Path) -> tuple[int, int]:
    """Return how many files are in it, and their bytes."""
    files = total = 0
    for place, _, names in os.walk(folder):
        files += len(names)
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 (thousands of them)
            except OSError:
                continue
    return files, total


def _too_large(address: ProjectAddress, limit: int) -> WizardError:
    told = ARCHIVE_TOO_LARGE if address.is_archive else TOO_LARGE
    return WizardError(told, address=address.repository, limit=bytes_text(limit), files=MOST_FILES)


# As an archive


def archive_url(address: ProjectAddress) -> str | None:
    """Return where the host of the repository has its archive; None for a host that is in no table."""
    if address.is_archive:
        return address.repository
    host = urlsplit(address.repository).hostname
    row = next((one for one in companion_table().code_host if one.host == host), None)
    return row.archive.format(repository=address.repository, ref=address.ref or "HEAD") if row else None


def _archive(address: ProjectAddress, is_cancelled: IsCancelled) -> BinaryIO:
    if not is_address(address.repository):
        return Path(address.repository).open("rb")
    url = archive_url(address)
    if url is None:
        raise WizardError(
            "project-no-git",
            "There is no git on this computer, and {host} is not known to offer archives.",
            "Install git; or download the project as a .zip in the browser, unpack it and open its folder.",
            host=urlsplit(address.repository).hostname or "",
        )
    known = read_user_settings(os.environ, Path.home(), paths.os_name())
    client = Client(known.certificate, known.proxy, _PATIENCE, known.environment)
    try:
        page = client.get(url, address.repository, {}, _MOST_OF_ARCHIVE, lambda done: not is_cancelled())
    except SourceUnreachable as error:
        raise WizardError(NOT_FETCHED, details=error.details, address=address.repository) from error
    finally:
        client.close()
    if is_cancelled():
        raise Cancelled
    if page.status != 200:
        raise WizardError(NOT_FETCHED, details=f"HTTP {page.status}", address=address.repository)
    if len(page.body) >= _MOST_OF_ARCHIVE:
        raise _too_large(address, _MOST_OF_ARCHIVE)
    return io.BytesIO(page.body)


def _unpack(source: BinaryIO, made: Path, address: ProjectAddress, is_cancelled: IsCancelled) -> None:
    """Write plain files only, below `made`. Names that lead out of it refuse the whole archive."""
    made.mkdir()
    try:
        with zipfile.ZipFile(source) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            if len(members) > MOST_FILES or sum(one.file_size for one in members) > MOST_BYTES:
                raise _too_large(address, MOST_BYTES)
            first = {PurePosixPath(one.filename).parts[:1] for one in members}
            is_wrapped = len(first) == 1 and all("/" in one.filename for one in members)
            left = MOST_BYTES
            for member in members:
                if is_cancelled():
                    raise Cancelled
                parts = _safe_parts(member, address)[1 if is_wrapped else 0 :]
                if parts:
                    left -= _write(archive, member, made.joinpath(*parts), left, address)
    except _BAD_ARCHIVE as error:
        told = NOT_FETCHED if is_address(address.repository) else BROKEN
        raise WizardError(told, details=str(error), address=address.repository) from error


def _safe_parts(member: zipfile.ZipInfo, address: ProjectAddress) -> tuple[str, ...]:
    """Return the parts of its path; () for what is left out: a link, `.git`, a name that no file here may have."""
    name = member.filename
    parts = tuple(name.split("/"))
    if name.startswith("/") or "\\" in name or any(part in ("", ".", "..") for part in parts) or ":" in parts[0]:
        raise WizardError(
            "project-archive-unsafe",
            "The archive of {address} holds a file whose name leads out of it ({name}).",
            "Nothing of it was kept; do not unpack it by hand either.",
            address=address.repository,
            name="".join(char if char.isprintable() else "?" for char in name[:80]),
        )
    flaws = [find_flaw(part, paths.os_name()) for part in parts]
    is_odd = any(flaw and flaw.reason not in _ODD for flaw in flaws)
    is_git = any(part.lower().rstrip(" .") == ".git" for part in parts)
    return () if is_odd or is_git or stat.S_ISLNK(member.external_attr >> 16) else parts


def _write(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, most: int, address: ProjectAddress) -> int:
    """Return the bytes written; two names that are one here leave the first."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(target):
        return 0
    done = 0
    with archive.open(member) as source, target.open("xb") as file:
        while piece := source.read(65536):
            done += len(piece)
            if done > most:
                raise _too_large(address, MOST_BYTES)
            file.write(piece)
    with contextlib.suppress(OSError, ValueError, OverflowError):  # the day of its last change is read of it
        then = time.mktime((*member.date_time, 0, 0, -1))
        os.utime(target, (then, then))
    return done
