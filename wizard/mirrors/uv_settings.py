"""The user's own uv settings: uv.toml of the user and of the machine, and the UV_* variables.

Only what says where packages come from. A project's uv.toml or pyproject.toml does not count (the target is
no project), nor an index marked `explicit` (it serves only projects that name it).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard.i18n import Message, message
from wizard.mirrors.pip_settings import TRUE_WORDS
from wizard.system.places import places
from wizard.undo.disk import read_file

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


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
        extra=(*(row["url"] for row in simple if row.get("default") is not True),
               *_texts(table.get("extra-index-url"))),
        find_links=(*(row["url"] for row in usable if row.get("format") == "flat"), *_texts(table.get("find-links"))),
        no_index=table.get("no-index") is True,
        base=base,
    )  # fmt: skip


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
