"""The user's own pip, uv and conda settings as a flat list: one option of one file or one variable, with its lines.

What the lint looks at. Values are as written; nothing is judged and nothing is left out because it is odd.

One file: the three tools make one list in one form.
"""

from __future__ import annotations

import configparser
import locale
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard.sources.address_facts import address_facts
from wizard.system.places import places
from wizard.toolconfig.conda_read import (
    CondaFile,
    CondaReading,
    CondaValues,
    conda_root_of,
    merge_conda,
    read_conda_settings,
)
from wizard.toolconfig.editors import UserContext, own_file, settings_files
from wizard.toolconfig.model import Tool
from wizard.toolconfig.pip import MULTIPLE, decode, option_name, pip_files
from wizard.toolconfig.uv import uv_files
from wizard.undo.user_file import read_file

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


# torch in the user's own site folders (`pip install --user`): it stands before that of a conda environment.
#
# Only a look at folders. An environment of `venv` does not see them; one of conda does, unless told otherwise.

_WHEEL = re.compile(r"^torch-(\d[^-]*)\.dist-info$")


@dataclass(frozen=True, slots=True)
class UserSiteTorch:
    python: str  # "3.12"
    version: str | None  # None: there is a folder `torch` and no record of it
    path: Path  # the site-packages folder


def torch_in_user_sites(environ: Mapping[str, str], home: Path, os_name: str) -> tuple[UserSiteTorch, ...]:
    found = (_torch_in(python, folder) for python, folder in _folders(environ, home, os_name))
    return tuple(torch for torch in found if torch)


def _folders(environ: Mapping[str, str], home: Path, os_name: str) -> Iterator[tuple[str, Path]]:
    """(Python, its user site-packages)."""
    known = places(os_name)
    try:
        for folder in sorted(known.user_sites(environ, home).iterdir()):
            if python := known.python_of_user_site(folder.name):
                yield python, folder / "site-packages"
    except OSError:
        return


def _torch_in(python: str, folder: Path) -> UserSiteTorch | None:
    try:
        names = {path.name for path in folder.iterdir()}
    except OSError:
        return None
    version = next((match[1] for name in sorted(names) if (match := _WHEEL.match(name))), None)
    if version is None and "torch" not in names:
        return None
    return UserSiteTorch(python, version, folder)


_UV_LISTS = ("extra-index-url", "find-links", "allow-insecure-host")
_ROLES = {
    "index-url": "index",
    "index": "index",
    "extra-index-url": "extra",
    "find-links": "links",
    "channels": "channel",
    "default_channels": "channel",
    "custom_channels": "channel",
    "channel_alias": "channel",
    "custom_multichannels": "channel",
    "mirrored_channels": "channel",
    "trusted-host": "trusted",
    "allow-insecure-host": "trusted",
}
_UV_VARIABLES = {
    "UV_DEFAULT_INDEX": "index-url",
    "UV_INDEX_URL": "index-url",
    "UV_INDEX": "extra-index-url",
    "UV_EXTRA_INDEX_URL": "extra-index-url",
    "UV_FIND_LINKS": "find-links",
    "UV_INSECURE_HOST": "allow-insecure-host",
}


@dataclass(frozen=True, slots=True)
class Option:
    """`path` None: a variable. `spelled` is the key of an `Edit`, or the variable's name; `key` the option's own name,
    whatever section it is in. `name`: of an entry in a map (custom_channels). `lines` go with `values`."""

    tool: Tool
    path: Path | None
    spelled: str
    key: str
    values: tuple[str, ...]
    lines: tuple[int, ...] = ()
    name: str | None = None
    is_list: bool = False
    role: str = ""  # index | extra | links | channel | trusted
    raw: str = ""
    for_mamba: bool = False

    @property
    def place(self) -> str:
        return str(self.path) if self.path else self.spelled

    def line(self, position: int = 0) -> int | None:
        return self.lines[position] if position < len(self.lines) else None


@dataclass(frozen=True, slots=True)
class BrokenFile:
    """`kind`: syntax | encoding | mark | unreadable."""

    tool: Tool
    path: Path
    kind: str
    problem: str


@dataclass(frozen=True, slots=True)
class MisplacedFile:
    """It looks like settings of this tool, which does not read it. `right`: where it would."""

    tool: Tool
    path: Path
    right: Path


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
    """Never raises. `encoding`: the one that pip reads its files in (default: this system's)."""
    options: list[Option] = []
    broken: list[BrokenFile] = []
    for path in pip_files(environ, home, os_name, root):
        options += _pip_file(path, encoding or locale.getpreferredencoding(False), broken)
    for path in reversed(uv_files(environ, home, os_name, root)):
        options += _uv_file(path, broken)
    reading = read_conda_settings(environ, home, os_name, root, conda_root_of(environ) or conda_root)
    options += [option for file in reading.files for option in _conda_file(file)]
    broken += [BrokenFile(Tool.CONDA, path, "syntax", problem) for path, problem in reading.broken]
    options += _variables(environ)
    return OwnSettings(
        tuple(options),
        tuple(broken),
        _as_conda(reading, environ),
        torch_in_user_sites(environ, home, os_name),
        tuple(_misplaced(UserContext(environ, home, os_name, root))),
    )


def _misplaced(around: UserContext) -> Iterator[MisplacedFile]:
    for row in address_facts().misplaced:
        tool = Tool(row.tool)
        read = {file.path for file in settings_files(tool, around)}
        folders = {around.home} if row.beside == "home" else {path.parent for path in read}
        for path in sorted({folder / name for folder in folders for name in row.names} - read):
            if os.path.isfile(path):  # noqa: PTH113 (Path.is_file raises in a folder that may not be entered)
                yield MisplacedFile(tool, path, own_file(tool, around))


def _as_conda(reading: CondaReading, environ: Mapping[str, str]) -> CondaValues:
    return merge_conda(tuple(file for file in reading.files if not file.for_mamba), environ)


def _bytes(tool: Tool, path: Path, broken: list[BrokenFile]) -> bytes | None:
    try:
        return read_file(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        broken.append(BrokenFile(tool, path, "unreadable", error.strerror or type(error).__name__))
        return None


def _pip_file(path: Path, encoding: str, broken: list[BrokenFile]) -> Iterator[Option]:
    content = _bytes(Tool.PIP, path, broken)
    if content is None:
        return
    if content.startswith(b"\xef\xbb\xbf"):
        broken.append(BrokenFile(Tool.PIP, path, "mark", ""))
    elif not _decodes(content, encoding):
        broken.append(BrokenFile(Tool.PIP, path, "encoding", encoding))
    try:
        text = decode(content)
        yield from parse_pip_options(text, path)
    except (ValueError, configparser.Error) as error:
        if not any(one.path == path for one in broken):
            broken.append(BrokenFile(Tool.PIP, path, "syntax", _first_line(error)))


def _decodes(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return False
    return True


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def parse_pip_options(text: str, path: Path) -> list[Option]:
    """Raises configparser.Error."""
    parser = configparser.RawConfigParser()
    parser.read_string(text)
    lines = text.splitlines()
    found = []
    for section in parser.sections():
        for written, raw in parser.items(section):
            key = option_name(written)
            values = tuple(raw.split()) if key in MULTIPLE else (raw.strip(),)
            start = _pip_line(lines, section, written)
            at = tuple(_line_with(lines, value, start) for value in values)
            found.append(
                Option(
                    Tool.PIP,
                    path,
                    f"{section}.{key}",
                    key,
                    values,
                    at,
                    is_list=key in MULTIPLE,
                    role=_ROLES.get(key, ""),
                    raw=raw,
                )
            )
    return found


def _pip_line(lines: list[str], section: str, written: str) -> int:
    current = ""
    for number, line in enumerate(lines, start=1):
        head = re.match(r"\[(.+)\]", line)
        if head:
            current = head[1]
        elif current == section and re.split(r"[=:]", line.strip(), maxsplit=1)[0].strip().lower() == written:
            return number
    return 1


def _line_with(lines: list[str], value: str, start: int) -> int:
    """From the option's own line on: a value of a list may stand on one of the next."""
    found = (number for number, line in enumerate(lines[start - 1 :], start=start) if value and value in line)
    return next(found, start)


def _uv_file(path: Path, broken: list[BrokenFile]) -> Iterator[Option]:
    content = _bytes(Tool.UV, path, broken)
    if content is None:
        return
    try:
        text = content.decode("utf-8-sig")
        yield from parse_uv_options(text, path)
    except (ValueError, RecursionError) as error:
        broken.append(BrokenFile(Tool.UV, path, "syntax", _first_line(error)))


def parse_uv_options(text: str, path: Path) -> list[Option]:
    """Raises ValueError."""
    document, lines = tomllib.loads(text), text.splitlines()
    found: list[Option] = []
    pip = document.get("pip")
    for prefix, table in (("", document), ("pip.", pip if isinstance(pip, dict) else {})):
        for key, value in table.items():
            if key == "index" and isinstance(value, list):
                found += [_uv_index(row, path, lines) for row in value if _has_address(row)]
            elif isinstance(value, str | bool):
                written = str(value).lower() if isinstance(value, bool) else value
                found.append(_uv_option(path, prefix + key, key, (written,), lines, False))
            elif isinstance(value, list) and all(isinstance(item, str) for item in value):
                found.append(_uv_option(path, prefix + key, key, tuple(value), lines, True))
    return found


def _has_address(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("url"), str)


def _uv_index(row: dict[str, Any], path: Path, lines: list[str]) -> Option:
    url, is_default = row["url"], row.get("default") is True
    role = "links" if row.get("format") == "flat" else "index" if is_default else "extra"
    role = "explicit" if row.get("explicit") is True else role
    spelled = "index" if is_default else f"index[{url}]"
    return Option(Tool.UV, path, spelled, "index", (url,), (_line_with(lines, url, 1),), role=role, raw=url)


def _uv_option(path: Path, spelled: str, key: str, values: tuple[str, ...], lines: list[str], is_list: bool) -> Option:
    start = next((n for n, line in enumerate(lines, 1) if re.split(r"=", line)[0].strip(" \t\"'") == key), 1)
    at = tuple(_line_with(lines, value, start) for value in values)
    return Option(Tool.UV, path, spelled, key, values, at, is_list=is_list, role=_ROLES.get(key, ""))


def _conda_file(file: CondaFile) -> Iterator[Option]:
    groups: dict[tuple[str, str | None], list[Any]] = {}
    for row in file.rows:
        groups.setdefault((row.key, row.name), []).append(row)
    for (key, name), rows in groups.items():
        held = [row for row in rows if row.value is not None]
        values = tuple(str(row.value).lower() if isinstance(row.value, bool) else str(row.value) for row in held)
        yield Option(
            Tool.CONDA,
            file.path,
            f"{key}.{name}" if name is not None else key,
            key,
            values,
            tuple(row.line for row in held),
            name,
            is_list=rows[0].shape in ("list", "lists"),
            role=_ROLES.get(key, ""),
            for_mamba=file.for_mamba,
        )


def _variables(environ: Mapping[str, str]) -> Iterator[Option]:
    for name, value in sorted(environ.items()):
        upper = name.upper()
        if not value:
            continue
        if upper.startswith("PIP_") and upper != "PIP_CONFIG_FILE":
            key = option_name(upper.removeprefix("PIP_"))
            values = tuple(value.split()) if key in MULTIPLE else (value.strip(),)
            yield Option(Tool.PIP, None, name, key, values, is_list=key in MULTIPLE, role=_ROLES.get(key, ""))
        elif upper.startswith("UV_"):
            key = _UV_VARIABLES.get(upper, upper)
            values = _uv_values(value) if key in _UV_LISTS else (value.strip(),)
            yield Option(Tool.UV, None, name, key, values, is_list=key in _UV_LISTS, role=_ROLES.get(key, ""))
        elif upper.startswith("CONDA_"):
            key = upper.removeprefix("CONDA_").lower()
            key = key if key in _ROLES or key == "ssl_verify" else upper
            values = tuple(item.strip() for item in value.split(",")) if _ROLES.get(key) == "channel" else (value,)
            yield Option(Tool.CONDA, None, name, key, values, role=_ROLES.get(key, ""))


def _uv_values(text: str) -> tuple[str, ...]:
    """`UV_INDEX` may give each a name: `lab=https://…`."""
    items = text.replace(",", " ").split()
    return tuple(item.partition("=")[2] if "=" in item.partition("://")[0] else item for item in items)
