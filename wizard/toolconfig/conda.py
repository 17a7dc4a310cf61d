"""conda's and mamba's own settings: found, read, merged as conda merges them, and which channels they stand for.

Lists and maps add up, single values win: files in conda's order, then CONDA_* variables; `#!final`, `#!top` and
`#!bottom` count. YAML is read with ruamel.yaml, loaded only when there is a file. Edited by `conda_edit`.

One file: what a channel's name stands for follows from the merged values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wizard.toolconfig.files import ToolReading, read_files, settings_files
from wizard.toolconfig.model import ROLES, Option, Tool, UserContext
from wizard.transfer.address import has_scheme

MARKS = ("final", "top", "bottom")  # conda's `#!final`: what is found later does not count; first or last in a list
_ENDINGS = (".yml", ".yaml")
Scalar = str | bool | None


@dataclass(frozen=True, slots=True)
class CondaRow:
    """`channels: [a]` is ("channels", None, "a"); `custom_channels: {a: b}` is ("custom_channels", "a", "b")."""

    key: str
    name: str | None
    value: Scalar
    line: int
    marks: frozenset[str] = frozenset()
    shape: str = "scalar"  # scalar | list | map | lists (a map of lists)


@dataclass(frozen=True, slots=True)
class CondaFile:
    path: Path
    rows: tuple[CondaRow, ...]
    for_mamba: bool = False  # .mambarc: conda does not read it


def conda_places(around: UserContext, conda_root: Path | None = None) -> tuple[Path, ...]:
    """Return files and folders (condarc.d) with mamba's own, lowest precedence first; most do not exist."""
    environ = dict(around.environ)
    if conda_root:
        environ["CONDA_ROOT"] = str(conda_root)
        if environ.get("CONDA_PREFIX") and Path(environ["CONDA_PREFIX"]) == conda_root:
            del environ["CONDA_PREFIX"]
    found: list[Path] = []
    for file in settings_files(Tool.CONDA, replace(around, environ=environ)):
        beside: tuple[str, ...] = ("condarc.d", ".mambarc") if file.path.name == "condarc" else ()
        beside = (".mambarc",) if file.path.parent == around.home else beside
        found += [file.path, *(file.path.with_name(name) for name in beside if file.scope != "named")]
    if environ.get("MAMBARC"):
        found.append(Path(environ["MAMBARC"]))
    return tuple(dict.fromkeys(path.expanduser() for path in found))


def conda_files(places: Iterable[Path]) -> Iterator[Path]:
    """Yield those that are there; of a folder its YAML files by name, as conda takes them."""
    for place in places:
        try:
            if place.is_dir():
                yield from (path for path in sorted(place.iterdir()) if path.suffix in _ENDINGS)
            elif place.exists():
                yield place
        except OSError:  # a folder of somebody else's: conda passes it over too
            continue


def conda_root_of(environ: Mapping[str, str]) -> Path | None:
    """Return the installation that the shell is set up for."""
    if environ.get("CONDA_ROOT"):
        return Path(environ["CONDA_ROOT"])
    executable = environ.get("CONDA_EXE")
    if executable and Path(executable).is_absolute():
        return Path(executable).parent.parent
    return Path(environ["MAMBA_ROOT_PREFIX"]) if environ.get("MAMBA_ROOT_PREFIX") else None


def parse_conda_file(text: str, path: Path) -> CondaFile:
    """Return the rows of one file without odd values. Raises ValueError for what is not YAML or no table."""
    from ruamel.yaml import YAML

    try:
        document = YAML(typ="rt", pure=True).load(text)
    except Exception as error:  # ruamel raises half a dozen kinds, and others where odd YAML makes it stumble
        raise ValueError(_first_line(error)) from error
    if document is not None and not isinstance(document, Mapping):
        raise ValueError("not a table of settings")
    lines = text.splitlines()
    rows = tuple(row for key, value in (document or {}).items() for row in _rows(document, key, value, lines))
    return CondaFile(path, rows, for_mamba=path.name == ".mambarc")


def _first_line(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or (str(error).splitlines() or [type(error).__name__])[0]
    return f"{problem} (line {mark.line + 1})" if mark is not None else str(problem)


def _rows(document: Any, key: Any, value: Any, lines: list[str]) -> Iterator[CondaRow]:
    if not isinstance(key, str):
        return
    line = _line(document, key, 1)
    marks = _marks(lines, line)
    if isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, str):
                at = _line(value, index, line)
                own = _marks(lines, at) - {"final"} if at != line else frozenset()
                yield CondaRow(key, None, str(item), at, own | marks & {"final"}, "list")
        if not value:
            yield CondaRow(key, None, None, line, marks, "list")
    elif isinstance(value, Mapping):
        yield from _map_rows(key, value, line, marks)
    else:
        yield CondaRow(key, None, _as_scalar(value), line, marks)


def _map_rows(key: str, table: Any, line: int, marks: frozenset[str]) -> Iterator[CondaRow]:
    for name, value in table.items():
        at = _line(table, name, line)
        is_list = isinstance(value, list)
        for place, item in enumerate(value if is_list else (value,)):
            if isinstance(item, (str, bool)) or item is None:
                own = _line(value, place, at) if is_list else at
                yield CondaRow(key, str(name), _as_scalar(item), own, marks, "lists" if is_list else "map")


def _line(holder: Any, key: Any, default: int) -> int:
    """Return the line of a key, from 1. A key that came in by `<<` has no place of its own."""
    is_list = isinstance(holder, list)
    try:
        place = holder.lc.item(key) if is_list else holder.lc.key(key)
        return int(place[0]) + 1
    except (AttributeError, KeyError, TypeError, IndexError):
        return default


def _marks(lines: list[str], line: int) -> frozenset[str]:
    written = lines[line - 1] if 0 < line <= len(lines) else ""
    return frozenset(mark for mark in MARKS if f"#!{mark}" in written)


def _as_scalar(value: Any) -> Scalar:
    return value if isinstance(value, bool) or value is None else str(value)


_VARIABLE = "CONDA_"
_LISTS = ("channels", "default_channels", "allowlist_channels", "whitelist_channels")
_ALIASES = {"channel": "channels", "verify_ssl": "ssl_verify", "whitelist_channels": "allowlist_channels"}
_FALSE_WORDS = ("false", "no", "off", "n", "0")
_TRUE_WORDS = ("true", "yes", "on", "y", "1")
_BLANK = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


@dataclass(frozen=True, slots=True)
class CondaValues:
    """As written, variables filled in. `custom` and `servers` are (name, value); later ones have won already."""

    channels: tuple[str, ...] = ()
    default_channels: tuple[str, ...] = ()
    alias: str | None = None
    custom: tuple[tuple[str, str], ...] = ()
    multi: tuple[tuple[str, tuple[str, ...]], ...] = ()
    mirrored: tuple[tuple[str, tuple[str, ...]], ...] = ()  # mamba's alone
    priority: str = "flexible"
    ssl_verify: str | bool | None = None
    servers: tuple[tuple[str, str], ...] = ()  # proxy_servers: by scheme, or scheme://host
    offline: bool = False
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CondaReading:
    """`values` as the built-in engine takes them; `of_conda` without mamba's own files."""

    values: CondaValues
    of_conda: CondaValues
    reading: ToolReading


def read_conda(around: UserContext, conda_root: Path | None = None) -> CondaReading:
    """Return what conda's and mamba's files and variables say. `conda_root`: the installation whose own settings count,
    if the shell names none."""
    files: list[CondaFile] = []

    def parse(content: bytes, path: Path) -> list[Option]:
        files.append(parse_conda_file(content.decode("utf-8-sig"), path))
        return _options(files[-1])

    places = conda_places(around, conda_root_of(around.environ) or conda_root)
    reading = read_files(Tool.CONDA, conda_files(places), parse)
    reading.options += _variables(around.environ)
    of_conda = tuple(file for file in files if not file.for_mamba)
    environ = around.environ
    return CondaReading(merge_conda(tuple(files), environ), merge_conda(of_conda, environ), reading)


def _options(file: CondaFile) -> list[Option]:
    groups: dict[tuple[str, str | None], list[CondaRow]] = {}
    for row in file.rows:
        groups.setdefault((row.key, row.name), []).append(row)
    found = []
    for (key, name), rows in groups.items():
        held = [row for row in rows if row.value is not None]
        found.append(
            Option(
                Tool.CONDA,
                file.path,
                f"{key}.{name}" if name is not None else key,
                key,
                tuple(str(row.value).lower() if isinstance(row.value, bool) else str(row.value) for row in held),
                tuple(row.line for row in held),
                name,
                is_list=rows[0].shape in ("list", "lists"),
                role=ROLES.get(key, ""),
                for_mamba=file.for_mamba,
            )
        )
    return found


def _variables(environ: Mapping[str, str]) -> Iterator[Option]:
    for name, value in sorted(environ.items()):
        upper = name.upper()
        if value and upper.startswith(_VARIABLE):
            key = upper.removeprefix(_VARIABLE).lower()
            role = ROLES.get(key, "")
            values = tuple(item.strip() for item in value.split(",")) if role == "channel" else (value,)
            yield Option(Tool.CONDA, None, name, key if role or key == "ssl_verify" else upper, values, role=role)


def merge_conda(files: tuple[CondaFile, ...], environ: Mapping[str, str]) -> CondaValues:
    """Merge files, the lowest precedence first; variables beat them, and add to lists."""
    rows = [_renamed(file.rows, environ) for file in files]
    rows.append(_variable_rows(environ))
    values = {key: _scalar(rows, key) for key in ("channel_alias", "channel_priority", "ssl_verify", "offline")}
    verify, alias = values["ssl_verify"], values["channel_alias"]
    return CondaValues(
        channels=_list(rows, "channels"),
        default_channels=_list(rows, "default_channels"),
        alias=alias if isinstance(alias, str) and alias else None,
        custom=tuple((name, found[-1]) for name, found in _map(rows, "custom_channels")),
        multi=_map(rows, "custom_multichannels"),
        mirrored=_map(rows, "mirrored_channels"),
        priority=_priority(values["channel_priority"]),
        ssl_verify=False if is_false(verify) else True if is_true(verify) else verify,
        servers=tuple((name, found[-1]) for name, found in _map(rows, "proxy_servers")),
        offline=is_true(values["offline"]),
        allowed=_list(rows, "allowlist_channels"),
    )


def is_false(value: Scalar) -> bool:
    return value is False or (isinstance(value, str) and value.lower() in _FALSE_WORDS)


def is_true(value: Scalar) -> bool:
    return value is True or (isinstance(value, str) and value.lower() in _TRUE_WORDS)


def _priority(value: Scalar) -> str:
    """Return the priority; conda takes the old true and false as well."""
    if is_false(value):
        return "disabled"
    return str(value).lower() if isinstance(value, str) and not is_true(value) else "flexible"


def _renamed(rows: Iterable[CondaRow], environ: Mapping[str, str]) -> list[CondaRow]:
    return [
        CondaRow(_ALIASES.get(row.key, row.key), row.name, fill_in(row.value, environ), row.line, row.marks, row.shape)
        for row in rows
    ]


def fill_in(value: Scalar, environ: Mapping[str, str]) -> Scalar:
    """Fill in `${TOKEN}` from the variables, as conda does; one that is not set stays as it is written."""
    if not isinstance(value, str) or "$" not in value:
        return value
    return _BLANK.sub(lambda found: environ.get(found[1] or found[2], found[0]), value)


def _variable_rows(environ: Mapping[str, str]) -> list[CondaRow]:
    rows = []
    for name, value in environ.items():
        key = _ALIASES.get(name[len(_VARIABLE) :].lower(), name[len(_VARIABLE) :].lower())
        if not name.startswith(_VARIABLE) or not value:
            continue
        if key in _LISTS:
            rows += [CondaRow(key, None, item.strip(), 0, shape="list") for item in value.split(",") if item.strip()]
        else:
            rows.append(CondaRow(key, None, value, 0))
    return rows


def _counted(rows: list[list[CondaRow]], key: str) -> list[list[CondaRow]]:
    """Return one entry per source that has the key, up to the first that calls itself final."""
    kept = []
    for source in rows:
        own = [row for row in source if row.key == key]
        if own:
            kept.append(own)
        if any("final" in row.marks for row in own):
            break
    return kept


def _scalar(rows: list[list[CondaRow]], key: str) -> Scalar:
    found = [row.value for source in _counted(rows, key) for row in source if row.shape == "scalar"]
    return found[-1] if found else None


def _list(rows: list[list[CondaRow]], key: str) -> tuple[str, ...]:
    """Join lists, the nearest source first; what is marked top or bottom before and after all others."""
    sources = [[row for row in source if row.shape == "list"] for source in _counted(rows, key)]
    nearest = [row for source in reversed(sources) for row in source]
    top = [row for source in sources for row in source if "top" in row.marks]
    bottom = [row for source in reversed(sources) for row in source if "bottom" in row.marks]
    lowest = {row.value for row in bottom}
    ordered = [row.value for row in (*top, *nearest) if row.value not in lowest]
    return tuple(dict.fromkeys(value for value in (*ordered, *(row.value for row in bottom)) if isinstance(value, str)))


def _map(rows: list[list[CondaRow]], key: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Join maps name by name; the nearest source that has a name says all about it."""
    merged: dict[str, tuple[str, ...]] = {}
    for source in _counted(rows, key):
        own: dict[str, tuple[str, ...]] = {}
        for row in source:
            if row.name is not None and isinstance(row.value, str):
                own[row.name] = (*own.get(row.name, ()), row.value)
        merged.update(own)
    return tuple(merged.items())


OFFICIAL_ALIAS = "https://conda.anaconda.org"
_DEFAULTS = ("https://repo.anaconda.com/pkgs/main", "https://repo.anaconda.com/pkgs/r")
_NOT_CHANNELS = ("local", "nodefaults", "<unknown>")
_PATH = re.compile(r"^(?:[/\\]|\.\.?[/\\]|~[/\\]|[A-Za-z]:[/\\])")


def addresses(name: str, values: CondaValues) -> tuple[str, ...]:
    """Return the addresses of a name: several for `defaults`, none for `local`."""
    if name in _NOT_CHANNELS:
        return ()
    if has_scheme(name):
        return (without_platform(name),)
    if _PATH.match(name):
        return (name,)  # a folder: whoever uses it knows which one it is relative to
    multi = dict(values.multi)
    if name in multi:
        return tuple(url for item in multi[name] for url in _plain(item, values))
    if name == "defaults":
        found = values.default_channels or _DEFAULTS
        return tuple(url for item in found for url in _plain(item, values))
    return _plain(name, values)


def _plain(name: str, values: CondaValues) -> tuple[str, ...]:
    if has_scheme(name):
        return (without_platform(name),)
    name = without_platform(name.strip("/"))
    mirrors = tuple(url.rstrip("/") for url in dict(values.mirrored).get(name, ()) if not url.startswith("oci:"))
    if mirrors:
        return mirrors
    custom = dict(values.custom)
    parts = name.split("/")
    for count in range(len(parts), 0, -1):
        parent = custom.get("/".join(parts[:count]))
        if parent:
            parent = parent if has_scheme(parent) else f"{OFFICIAL_ALIAS}/{parent}"
            return (f"{parent.rstrip('/')}/{name}",)
    return (f"{(values.alias or OFFICIAL_ALIAS).rstrip('/')}/{name}",)


def without_platform(url: str) -> str:
    """Return a channel's address without the folder of a platform at its end."""
    from wizard.sources.address_facts import address_facts

    head, _, last = url.rstrip("/").rpartition("/")
    return head if head and last in address_facts().platforms else url.rstrip("/")


def all_addresses(values: CondaValues) -> tuple[str, ...]:
    """Return the addresses of all channels in the order of priority, without repeats."""
    return tuple(dict.fromkeys(url for name in values.channels for url in addresses(name, values)))


def is_closed(values: CondaValues) -> bool:
    """Tell whether the user's settings forbid to ask any other channel."""
    from wizard.sources.table import FORGE

    allowed = {item.rstrip("/") for item in values.allowed}
    return values.offline or bool(allowed and not allowed & {FORGE, f"{OFFICIAL_ALIAS}/{FORGE}"})
