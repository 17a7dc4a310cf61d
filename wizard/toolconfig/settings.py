"""What the user's own pip, uv and conda settings say, all three together: as a list for the lint, and about sources.

Labs run on these settings, so they are a source like any other. pip's come first, uv's are added; conda's say
where the built-in engine takes Python from, and its proxy and certificate count where pip has none. Nothing is written
here, and nothing is left out of the list because it is odd.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from wizard.model.distributions import parse_info_name
from wizard.model.messages import Message, message
from wizard.process import redact
from wizard.sources.address_facts import address_facts, begins_with, channel_name, needs_terms
from wizard.sources.model import UserSettings
from wizard.sources.table import FORGE
from wizard.system.places import places
from wizard.system.traits import of
from wizard.toolconfig import pip, uv
from wizard.toolconfig.conda import CondaValues, addresses, all_addresses, is_closed, read_conda
from wizard.toolconfig.files import own_file, settings_files
from wizard.toolconfig.model import TRUE_WORDS, BrokenFile, Option, Tool, UserContext
from wizard.transfer.address import address_problem, folder_url, has_scheme


@dataclass(frozen=True, slots=True)
class MisplacedFile:
    """It looks like settings of this tool, which does not read it. `right`: where it would."""

    tool: Tool
    path: Path
    right: Path


@dataclass(frozen=True, slots=True)
class UserSiteTorch:
    """torch in the user's own site folder (`pip install --user`): it stands before that of a conda environment. An
    environment of `venv` does not see it."""

    python: str  # "3.12"
    version: str | None  # None: there is a folder `torch` and no record of it
    path: Path  # the site-packages folder


@dataclass(frozen=True, slots=True)
class OwnSettings:
    options: tuple[Option, ...]
    broken: tuple[BrokenFile, ...]
    conda: CondaValues  # as conda merges them, mamba's own files left out
    user_sites: tuple[UserSiteTorch, ...] = ()
    misplaced: tuple[MisplacedFile, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.options or self.broken or self.user_sites or self.misplaced)


def read_own_settings(
    environ: Mapping[str, str],
    home: Path,
    os_name: str,
    root: Path = Path("/"),
    conda_root: Path | None = None,
    encoding: str | None = None,
) -> OwnSettings:
    """Read all three for the lint. Never raises. `encoding`: the one that pip reads its files in."""
    around = UserContext(environ, home, os_name, root)
    conda = read_conda(around, conda_root)
    readings = (pip.read_pip(around, encoding), uv.read_uv(around), conda.reading)
    options = [option for reading in readings for option in reading.options]
    return OwnSettings(
        tuple(sorted(options, key=lambda option: option.path is None)),
        tuple(broken for reading in readings for broken in reading.broken),
        conda.of_conda,
        tuple(_torch_in_user_sites(around)),
        tuple(_misplaced(around)),
    )


def _misplaced(around: UserContext) -> Iterator[MisplacedFile]:
    for row in address_facts().misplaced:
        tool = Tool(row.tool)
        read = {file.path for file in settings_files(tool, around)}
        folders = {around.home} if row.beside == "home" else {path.parent for path in read}
        for path in sorted({folder / name for folder in folders for name in row.names} - read):
            if os.path.isfile(path):  # noqa: PTH113 (Path.is_file raises in a folder that may not be entered)
                yield MisplacedFile(tool, path, own_file(tool, around))


def _torch_in_user_sites(around: UserContext) -> Iterator[UserSiteTorch]:
    known = places(around.os_name)
    try:
        folders = sorted(known.user_sites(around.environ, around.home).iterdir())
    except OSError:
        return
    for folder in folders:
        if (python := known.python_of_user_site(folder.name)) and (
            found := _torch_in(python, folder / "site-packages")
        ):
            yield found


def _torch_in(python: str, folder: Path) -> UserSiteTorch | None:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return None
    infos = (parse_info_name(name) for name in names)
    version = next((info[1] for info in infos if info and info[0] == "torch"), None)
    return UserSiteTorch(python, version, folder) if version or "torch" in names else None


@dataclass
class _Addresses:
    """Turn what is written into URLs, and remember what had to be left out."""

    home: Path
    path_type: type[PurePath]
    notices: list[Message] = field(default_factory=list)

    def urls(self, values: Iterable[str], base: Path | None = None) -> tuple[str, ...]:
        found = (self._url(value, base) for value in values)
        return tuple(dict.fromkeys(url for url in found if url))

    def first(self, values: Iterable[str], base: Path | None = None) -> str | None:
        return next(iter(self.urls(values, base)), None)

    def _url(self, value: str, base: Path | None) -> str | None:
        if not has_scheme(value):
            if value == "~" or value.startswith(("~/", "~\\")):
                value = str(self.home / value[2:])
            try:
                value = folder_url(value, self.path_type(base or Path.cwd()))
            except (ValueError, OSError):  # a Windows path without a drive; a current folder that is gone
                self._leave_out("bad-address", value)
                return None
        problem = address_problem(value)
        if problem:
            self._leave_out(problem, value)
        return None if problem else value

    def _leave_out(self, problem: str, value: str) -> None:
        notice = message(f"settings.{problem}", address=redact(value))
        if notice not in self.notices:
            self.notices.append(notice)


def read_user_settings(
    environ: Mapping[str, str], home: Path, os_name: str, root: Path = Path("/"), conda_root: Path | None = None
) -> UserSettings:
    """Read what they say about sources. `os_name`: "windows" or "linux". `conda_root`: the installation whose own
    settings count, if the shell names none. Never raises: what cannot be read becomes a notice."""
    around = UserContext(environ, home, os_name, root)
    of_pip, of_uv, of_conda = pip.read_pip(around), uv.read_uv(around), read_conda(around, conda_root)
    chosen, conda = pip.effective(of_pip.options), of_conda.values
    by_place = uv.effective(of_uv.options)
    addresses = _Addresses(home, of(os_name).path)

    indexes = list(addresses.urls(chosen.get("index-url", ())))
    extra = list(addresses.urls(chosen.get("extra-index-url", ())))
    links = list(addresses.urls(chosen.get("find-links", ())))
    for values in by_place:
        indexes += addresses.urls([values.index] if values.index else (), values.base)
        extra += addresses.urls(values.extra, values.base)
        links += addresses.urls(values.find_links, values.base)
    channels = _channels(conda, addresses)
    index = indexes[0] if indexes else None
    others = (url for url in (*extra, *indexes[1:]) if url != index)
    readings = (of_pip, of_uv, of_conda.reading)
    return UserSettings(
        index_url=index,
        extra_index_urls=tuple(dict.fromkeys(others)),
        find_links=tuple(dict.fromkeys(links)),
        no_index=chosen.get("no-index", ("",))[0].lower() in TRUE_WORDS or any(values.no_index for values in by_place),
        conda_channels=channels,
        conda_only=is_closed(conda),
        certificate=chosen.get("cert", (None,))[0] or _certificate_file(conda.ssl_verify, home),
        proxy=chosen.get("proxy", (None,))[0] or _proxy_server(conda.servers),
        files=(*map(str, of_pip.read), *map(str, reversed(of_uv.read)), *map(str, of_conda.reading.read)),
        notices=(*(notice for reading in readings for notice in reading.notices), *addresses.notices),
    )


def _channels(conda: CondaValues, known: _Addresses) -> tuple[str, ...]:
    """Return those for the built-in engine. Where the settings move conda-forge, it is asked there, listed or not:
    without that the engine would go past the user's mirror to the official place. Anaconda's channels are left, for
    their terms are for the user alone to accept, and those that hold no Python: nothing else is wanted of them."""
    named = all_addresses(conda)
    moved = (url for url in addresses(FORGE, conda) if not begins_with(url, f"conda.anaconda.org/{FORGE}"))
    wanted = _usable((*named, *moved), conda)
    if any(needs_terms(url) for url in named):
        known.notices.append(message("settings.channel-terms"))
    return known.urls(wanted)


def _usable(urls: Iterable[str], values: CondaValues) -> tuple[str, ...]:
    """Return those that the built-in engine may use, in the user's order."""
    kept = (url for url in urls if not needs_terms(url) and channel_name(url) not in address_facts().no_python)
    if values.offline:
        kept = (url for url in kept if url.lower().startswith("file:"))
    return tuple(kept)


def _certificate_file(verify: str | bool | None, home: Path) -> str | None:
    """Return the authority file that conda would use, where it is one that can be read: a stale path helps nobody."""
    if not isinstance(verify, str):
        return None
    path = Path(str(home / verify[2:]) if verify.startswith("~/") else verify)
    return str(path) if path.is_file() and os.access(path, os.R_OK) else None


def _proxy_server(servers: Iterable[tuple[str, str]]) -> str | None:
    known = dict(servers)
    return known.get("https") or known.get("http") or known.get("all")
