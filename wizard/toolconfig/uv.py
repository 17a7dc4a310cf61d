"""uv's own settings: read with its variables, edited in place.

uv.toml, edited with tomlkit; entries of `[[index]]` by lines, so that comments near them stay.

Keys: "extra-index-url" or "pip.index-url" as in the file; "index" is the address of the default `[[index]]`
entry, "index[https://…]" the address of the entry that has that one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard.model.messages import Message, message
from wizard.system.places import places
from wizard.toolconfig.pip import TRUE_WORDS
from wizard.toolconfig.text_file import body_of, split_lines
from wizard.undo.model import Value
from wizard.undo.user_file import read_file

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


# The user's own uv settings: uv.toml of the user and of the machine, and the UV_* variables.
#
# Only what says where packages come from. A project's uv.toml or pyproject.toml does not count (the target is no
# project), nor an index marked `explicit` (it serves only projects that name it).


@dataclass(frozen=True, slots=True)
class UvValues:
    """As written, not yet checked; `base` is the folder that relative paths are in (None: the current one)."""

    index: str | None = None
    extra: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    no_index: bool = False
    base: Path | None = None


def uv_files(environ: Mapping[str, str], home: Path, os_name: str, root: Path) -> tuple[Path, ...]:
    """Highest precedence first: the user's file, then the machine's."""
    if environ.get("UV_NO_CONFIG", "").lower() in TRUE_WORDS:
        return ()
    if environ.get("UV_CONFIG_FILE"):
        return (Path(environ["UV_CONFIG_FILE"]),)
    return places(os_name).uv_files(environ, home, root)


def parse_uv_file(text: str, base: Path | None = None) -> UvValues:
    """Odd types are left out. Raises ValueError for what is not TOML."""
    document = tomllib.loads(text)
    pip = document.get("pip")
    table = {**document, **(pip if isinstance(pip, dict) else {})}
    indexes = table.get("index")
    rows = [row for row in indexes if isinstance(row, dict)] if isinstance(indexes, list) else []
    usable = [row for row in rows if isinstance(row.get("url"), str) and row.get("explicit") is not True]
    simple = [row for row in usable if row.get("format") != "flat"]
    default = next((row["url"] for row in simple if row.get("default") is True), None)
    return UvValues(
        index=default or _text(table.get("index-url")),
        extra=(
            *(row["url"] for row in simple if row.get("default") is not True),
            *_texts(table.get("extra-index-url")),
        ),
        find_links=(*(row["url"] for row in usable if row.get("format") == "flat"), *_texts(table.get("find-links"))),
        no_index=table.get("no-index") is True,
        base=base,
    )


def parse_uv_variables(environ: Mapping[str, str]) -> UvValues:
    """`UV_INDEX` holds addresses apart by spaces, each with or without a name (`name=https://…`)."""
    named = environ.get("UV_INDEX", "").split()
    unnamed = tuple(item.partition("=")[2] if "=" in item.partition("://")[0] else item for item in named)
    return UvValues(
        index=environ.get("UV_DEFAULT_INDEX") or environ.get("UV_INDEX_URL") or None,
        extra=(*unnamed, *environ.get("UV_EXTRA_INDEX_URL", "").split()),
        find_links=tuple(environ.get("UV_FIND_LINKS", "").replace(",", " ").split()),
        no_index=environ.get("UV_NO_INDEX", "").lower() in TRUE_WORDS,
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def read_uv_settings(
    environ: Mapping[str, str], home: Path, os_name: str, root: Path
) -> tuple[tuple[UvValues, ...], tuple[str, ...], tuple[Message, ...]]:
    """(values with the highest precedence first, files that were read, notices)."""
    values, read, notices = [parse_uv_variables(environ)], [], []
    for path in uv_files(environ, home, os_name, root):
        try:
            values.append(parse_uv_file(read_file(path).decode("utf-8-sig"), path.parent))
            read.append(str(path))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError, RecursionError) as error:
            first_line = (str(error).splitlines() or [type(error).__name__])[0]
            notices.append(message("settings.unreadable", file=str(path), problem=first_line))
    return tuple(values), tuple(read), tuple(notices)


_HEAD = re.compile(r"""^[ \t]*\[\[[ \t]*(?:index|"index"|'index')[ \t]*\]\][ \t]*(?:#.*)?$""")
_ANY_HEAD = re.compile(r"^[ \t]*\[")
_BOOLEANS = {"true": True, "false": False}  # no setting of uv's says these as a text
_NAMED = re.compile(r"^index\[(.+)\]$")


def parse(text: str) -> dict[str, Any]:
    """Raises ValueError."""
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    return document


def value_of(text: str, key: str) -> Value:
    """Raises ValueError, also for a value of another kind than text or texts."""
    document = parse(text)
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
    """An entry that is known by its address has another name once it has another address."""
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
    """Raises ValueError for what cannot be done in this file."""
    if key == "index" or _NAMED.match(key):
        at = _entry(parse(text), key)
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
        parse(text)
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
