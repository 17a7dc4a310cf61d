"""uv's own settings: found, read with its variables, edited in place.

Only what says where packages come from. A project's uv.toml or pyproject.toml does not count (the target is no
project). Edited with tomlkit; entries of `[[index]]` by lines, so that comments near them stay.

Keys: "extra-index-url" or "pip.index-url" as in the file; "index" is the address of the default `[[index]]`
entry, "index[https://…]" the address of the entry that has that one.

One file: reading and editing know the same keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard.model.typed import from_toml
from wizard.toolconfig.files import ToolReading, read_files, settings_files
from wizard.toolconfig.model import ROLES, TRUE_WORDS, Option, Tool, UserContext, line_with
from wizard.toolconfig.text_file import body_of, split_lines
from wizard.undo.model import Value

_VARIABLES = {  # of two for one option the later wins
    "UV_INDEX_URL": "index-url",
    "UV_DEFAULT_INDEX": "index-url",
    "UV_INDEX": "extra-index-url",
    "UV_EXTRA_INDEX_URL": "extra-index-url",
    "UV_FIND_LINKS": "find-links",
    "UV_INSECURE_HOST": "allow-insecure-host",
}
_ENTRY_ROLES = ("index", "extra", "links")
_NO_INDEX = ("no-index", "UV_NO_INDEX")
_HEAD = re.compile(r"""^[ \t]*\[\[[ \t]*(?:index|"index"|'index')[ \t]*\]\][ \t]*(?:#.*)?$""")
_ANY_HEAD = re.compile(r"^[ \t]*\[")
_BOOLEANS = {"true": True, "false": False}  # no setting of uv's says these as a text
_NAMED = re.compile(r"^index\[(.+)\]$")


def read_uv(around: UserContext) -> ToolReading:
    """Return what uv's files and variables say."""
    files = (file.path for file in settings_files(Tool.UV, around))
    reading = read_files(Tool.UV, files, lambda content, path: parse_uv_options(content.decode("utf-8-sig"), path))
    reading.options += _variables(around.environ)
    return reading


def parse_uv_options(text: str, path: Path) -> list[Option]:
    """Return the options of both tables, those of `[pip]` last; odd types are left out. Raises ValueError."""
    document, lines = from_toml(text), text.splitlines()
    found: list[Option] = []
    inner = document.get("pip")
    for prefix, table in (("", document), ("pip.", inner if isinstance(inner, dict) else {})):
        for key, value in table.items():
            if key == "index":
                rows = value if isinstance(value, list) else ()
                found += [_entry_option(row, path, lines) for row in rows if _has_address(row)]
            elif isinstance(value, bool):
                found.append(Option(Tool.UV, path, prefix + key, key, (str(value).lower(),), (_line_of(lines, key),)))
            elif isinstance(value, str | list):
                found.append(_option(path, prefix + key, key, value, lines))
    return found


def _has_address(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("url"), str)


def _entry_option(row: dict[str, Any], path: Path, lines: list[str]) -> Option:
    url, is_default = row["url"], row.get("default") is True
    role = "links" if row.get("format") == "flat" else "index" if is_default else "extra"
    role = "explicit" if row.get("explicit") is True else role  # it serves only projects that name it
    spelled = "index" if is_default else f"index[{url}]"
    return Option(Tool.UV, path, spelled, "index", (url,), (line_with(lines, url, 1),), role=role, raw=url)


def _option(path: Path, spelled: str, key: str, value: str | list[Any], lines: list[str]) -> Option:
    is_list = isinstance(value, list)
    values = tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else (value,)
    start = _line_of(lines, key)
    at = tuple(line_with(lines, one, start) for one in values)
    return Option(Tool.UV, path, spelled, key, values, at, is_list=is_list, role=ROLES.get(key, ""))


def _line_of(lines: list[str], key: str) -> int:
    return next((number for number, line in enumerate(lines, 1) if line.split("=")[0].strip(" \t\"'") == key), 1)


def _variables(environ: Mapping[str, str]) -> Iterator[Option]:
    """Yield those that name sources first, in uv's own order."""
    written = {
        name.upper(): name for name, value in sorted(environ.items()) if value and name.upper().startswith("UV_")
    }
    for upper in dict.fromkeys((*_VARIABLES, *written)):
        if name := written.get(upper):
            key, value = _VARIABLES.get(upper, upper), environ[name]
            is_list = key in ("extra-index-url", "find-links", "allow-insecure-host")
            values = tuple(_listed(value, key)) if is_list else (value.strip(),)
            yield Option(Tool.UV, None, name, key, values, is_list=is_list, role=ROLES.get(key, ""))


def _listed(text: str, key: str) -> Iterator[str]:
    """Yield the items of a variable; `UV_INDEX` may give each a name: `lab=https://…`."""
    for item in (text if key == "extra-index-url" else text.replace(",", " ")).split():
        yield item.partition("=")[2] if "=" in item.partition("://")[0] else item


@dataclass(frozen=True, slots=True)
class UvValues:
    """As written, not yet checked; `base` is the folder that relative paths are in (None: the current one)."""

    index: str | None = None
    extra: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    no_index: bool = False
    base: Path | None = None


def effective(options: Iterable[Option]) -> tuple[UvValues, ...]:
    """Return what the variables and each file say, the highest precedence first."""
    places: dict[Path | None, list[Option]] = {}
    for option in options:
        places.setdefault(option.path, []).append(option)
    return tuple(_values(group, path.parent if path else None) for path, group in reversed(places.items()))


def _values(group: list[Option], base: Path | None) -> UvValues:
    entries = [option for option in group if option.key == "index"]
    index, extra, links = ([entry.values[0] for entry in entries if entry.role == role] for role in _ENTRY_ROLES)
    plain = [option.values[0] for option in group if option.key == "index-url" and option.role and not option.is_list]
    no_index = [option.values[0].lower() for option in group if option.key in _NO_INDEX and not option.is_list]
    return UvValues(
        index=next(iter(index), plain[-1] if plain else None) or None,
        extra=(*extra, *_texts(group, "extra-index-url")),
        find_links=(*links, *_texts(group, "find-links")),
        no_index=bool(no_index) and no_index[-1] in TRUE_WORDS,
        base=base,
    )


def _texts(group: list[Option], key: str) -> tuple[str, ...]:
    """Return a list's values: that of `[pip]` stands in for the other, variables add up."""
    found = [option for option in group if option.key == key and option.is_list]
    inner = [option for option in found if option.spelled.startswith("pip.")]
    return tuple(value for option in inner or found for value in option.values)


def value_of(text: str, key: str) -> Value:
    """Return what a key says. Raises ValueError, also for a value of another kind than text or texts."""
    document = from_toml(text)
    if key == "index" or _NAMED.match(key):
        at = _entry(document, key)
        return None if at is None else str(document["index"][at]["url"])
    table, name = _table(document, key)
    value = table.get(name)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    raise ValueError(f"{key} is neither a text nor a list of texts")


def key_after(key: str, value: Value) -> str:
    """Return the key once it is written: an entry that is known by its address has another name then."""
    return f"index[{value}]" if _NAMED.match(key) and isinstance(value, str) else key


def _table(document: dict[str, Any], key: str) -> tuple[dict[str, Any], str]:
    head, _, name = key.rpartition(".")
    table = document.get(head, {}) if head else document
    if not isinstance(table, dict):
        raise ValueError(f"{head} is no table")
    return table, name


def _entry(document: dict[str, Any], key: str) -> int | None:
    """Which entry of `index` the key speaks of; uv takes the first that is called default."""
    entries = document.get("index", [])
    if not isinstance(entries, list) or not all(isinstance(one, dict) and "url" in one for one in entries):
        raise ValueError("index is no list of tables with addresses")
    named = _NAMED.match(key)
    fits = (lambda one: one["url"] == named[1]) if named else (lambda one: one.get("default") is True)
    return next((at for at, one in enumerate(entries) if fits(one)), None)


def edited(text: str, key: str, value: Value, newline: str, is_tidy: bool) -> str:
    """Return the text with the key changed. Raises ValueError for what cannot be done in this file."""
    if key == "index" or _NAMED.match(key):
        at = _entry(from_toml(text), key)
        if value is not None and not isinstance(value, str):
            raise ValueError("an address is one text")
        if at is None:
            return text if value is None else _with_entry(text, key, value, newline)
        return _without_entry(text, at, is_tidy) if value is None else _readdressed(text, at, value)
    return _same_ends(text, _with_value(text, key, value, is_tidy), newline)


def _with_entry(text: str, key: str, url: str, newline: str) -> str:
    """A new default entry, at the end: it comes last in the search anyway. It does not count where it stands."""
    import tomlkit

    document: Any = tomlkit.parse(text)
    if _is_one_list(document):
        row = tomlkit.inline_table()
        row.update({"url": url, "default": True} if key == "index" else {"url": url})
        document["index"].append(row)
        return _same_ends(text, tomlkit.dumps(document), newline)
    block = ["[[index]]", f"url = {_quoted(url)}", *(["default = true"] if key == "index" else [])]
    if text.strip():
        block = ["", *block] if text.endswith(("\n", "\r")) else ["", "", *block]
    added = newline.join(block)
    return text + added + (newline if not text or text.endswith("\n") else "")


def _quoted(text: str) -> str:
    import tomlkit

    return tomlkit.string(text).as_string()


def _readdressed(text: str, at: int, url: str) -> str:
    import tomlkit

    document: Any = tomlkit.parse(text)
    document["index"][at]["url"] = url
    return tomlkit.dumps(document)


def _is_one_list(document: Any) -> bool:
    """`index = [{…}, {…}]`, and not tables of their own."""
    from tomlkit.items import AoT

    return "index" in document and not isinstance(document["index"], AoT)


def _without_entry(text: str, at: int, is_tidy: bool) -> str:
    import tomlkit

    document: Any = tomlkit.parse(text)
    if _is_one_list(document):
        rows = document["index"]
        if len(rows) == 1:
            del document["index"]
        else:
            del rows[at]
        return tomlkit.dumps(document)
    lines = split_lines(text)
    heads = _heads(lines)
    start = [number for number in heads if _HEAD.match(body_of(lines[number]))][at]
    end = next((number for number in heads if number > start), len(lines))
    kept = [line for line in lines[start + 1 : end] if not line.strip() or line.lstrip().startswith("#")]
    if is_tidy and not any(line.strip() for line in kept) and start and not lines[start - 1].strip():
        start -= 1
    return "".join([*lines[:start], *kept, *lines[end:]])


def _heads(lines: list[str]) -> list[int]:
    """Lines that begin a table. Within a long text or list, what stands before such a line is no whole document."""
    return [number for number, line in enumerate(lines) if _ANY_HEAD.match(line) and _is_whole("".join(lines[:number]))]


def _is_whole(text: str) -> bool:
    try:
        from_toml(text)
    except ValueError:
        return False
    return True


def _with_value(text: str, key: str, value: Value, is_tidy: bool) -> str:
    import tomlkit

    document: Any = tomlkit.parse(text)
    head, _, name = key.rpartition(".")
    if head and head not in document:
        if value is None:
            return text
        document[head] = tomlkit.table()
    table = document[head] if head else document
    if value is None:
        table.pop(name, None)
        if head and is_tidy and not table:
            document.pop(head)
    else:
        table[name] = _BOOLEANS.get(value, value) if isinstance(value, str) else list(value)
    return tomlkit.dumps(document)


def _same_ends(before: str, after: str, newline: str) -> str:
    """New lines end as the file's own do."""
    if newline == "\n":
        return after
    known = set(split_lines(before))
    return "".join(
        line if line in known else body_of(line) + newline * (line != body_of(line)) for line in split_lines(after)
    )
