"""pip's own settings: found, read the way pip reads them, edited in place by lines.

Files: global, then user (legacy below new), then PIP_CONFIG_FILE; PIP_* variables beat files; within files [install]
beats [global]. configparser, pip's own reader, decides what a file means; ConfigUpdater says which lines an option
has, the others are not touched. Options are named as pip names them: lower case, dashes, without leading ones.
"""

from __future__ import annotations

import configparser
import locale
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard.toolconfig.files import ToolReading, read_files, settings_files
from wizard.toolconfig.model import ROLES, Option, Tool, UserContext, line_with
from wizard.toolconfig.text_file import body_of, split_lines
from wizard.undo.model import Value

_SECTIONS = ("global", "install")  # later wins
_VARIABLE = "PIP_"
_LISTS = ("extra-index-url", "find-links", "trusted-host")
_MARK = b"\xef\xbb\xbf"
_ASSIGNMENT = re.compile(r"^(\s*[^=:]*?\s*[=:][ \t]*)")
_COMMENT = ("#", ";")


def read_pip(around: UserContext, encoding: str | None = None) -> ToolReading:
    """Return what pip's files and variables say; those of one interpreter (site) are left out: the target is a new one.

    `encoding`: the one that pip reads its files in (default: this system's). pip aborts on a file that it cannot read;
    this goes on.
    """
    expected = encoding or locale.getpreferredencoding(False)
    files = (file.path for file in settings_files(Tool.PIP, around) if file.scope != "environment")
    reading = read_files(
        Tool.PIP,
        files,
        lambda content, path: parse_pip_options(_decoded(content), path),
        lambda content: ("mark", "") if content.startswith(_MARK) else _misread(content, expected),
    )
    reading.options += _variables(around.environ)
    return reading


def _misread(content: bytes, encoding: str) -> tuple[str, str] | None:
    try:
        content.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return "encoding", encoding
    return None


def _decoded(content: bytes) -> str:
    """Return UTF-8 with or without a mark, else what this system's locale says (GBK on Chinese Windows).

    Raises UnicodeDecodeError.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode(locale.getpreferredencoding(False))


def _named(written: str) -> str:
    return written.lower().replace("_", "-").removeprefix("--")


def _items(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (section, option, value) of all that pip reads: no interpolation, no inline comments, with what [DEFAULT]
    adds. Raises ValueError."""
    parser = configparser.RawConfigParser()
    try:
        parser.read_string("\n".join(body_of(line) for line in split_lines(text)))
    except configparser.Error as error:
        raise ValueError(str(error)) from error
    for section in parser.sections():
        for written, value in parser.items(section):
            yield section, _named(written), value


def parse(text: str) -> dict[str, str]:
    """Return {"global.timeout": "3"}. Raises ValueError."""
    return {f"{section}.{key}": value for section, key, value in _items(text)}


def parse_pip_options(text: str, path: Path) -> list[Option]:
    """Return the options of one file. Raises ValueError."""
    lines = [body_of(line) for line in split_lines(text)]
    return [
        _option(path, f"{section}.{key}", key, value, lines, _line_of(lines, section, key))
        for section, key, value in _items(text)
    ]


def _option(path: Path | None, spelled: str, key: str, raw: str, lines: list[str], start: int) -> Option:
    is_list = key in _LISTS
    values = tuple(raw.split()) if is_list else (raw.strip(),)
    at = tuple(line_with(lines, value, start) for value in values) if path else ()
    return Option(
        Tool.PIP, path, spelled, key, values, at, is_list=is_list, role=ROLES.get(key, ""), raw=raw if path else ""
    )


def _line_of(lines: list[str], section: str, key: str) -> int:
    current = ""
    for number, line in enumerate(lines, start=1):
        head = re.match(r"\[(.+)\]", line)
        if head:
            current = head[1]
        elif current == section and _named(re.split(r"[=:]", line.strip(), maxsplit=1)[0].strip()) == key:
            return number
    return 1


def _variables(environ: Mapping[str, str]) -> Iterator[Option]:
    for name, value in sorted(environ.items()):
        upper = name.upper()
        if value and upper.startswith(_VARIABLE) and upper != "PIP_CONFIG_FILE":
            yield _option(None, name, _named(upper.removeprefix(_VARIABLE)), value, [], 1)


def effective(options: Iterable[Option]) -> dict[str, tuple[str, ...]]:
    """Return what `pip install` would use, by option. Empty values count as not given."""
    options = tuple(options)
    merged = {option.spelled: option for option in options if option.path}
    chosen: dict[str, tuple[str, ...]] = {}
    for section in _SECTIONS:
        own = (option for spelled, option in merged.items() if spelled == f"{section}.{option.key}")
        chosen.update({option.key: option.values for option in own if any(option.values)})
    chosen.update({option.key: option.values for option in options if option.path is None})
    return chosen


def value_of(text: str, key: str) -> Value:
    """Return what the section itself says. Raises ValueError."""
    everything, places = parse(text), [place for place in _options(text) if place.name == key]
    if not places:
        return None
    if len(places) > 1:
        raise ValueError(f"{key} is there twice")
    value = everything[key]
    return tuple(value.split()) if _name_in(key) in _LISTS else value.strip()


@dataclass(frozen=True, slots=True)
class _Place:
    """Lines [start, end) of an option, or of a section's head ("global." and one line)."""

    name: str
    start: int
    end: int


def _options(text: str) -> Iterator[_Place]:
    return (place for place in _places(text) if not place.name.endswith("."))


def _places(text: str) -> Iterator[_Place]:
    from configupdater import ConfigUpdater, Option, Section  # slow to import, and seldom needed

    updater = ConfigUpdater(strict=True, empty_lines_in_values=True)
    updater.read_string("".join(f"{body_of(line)}\n" for line in split_lines(text)))
    line = 0
    for block in updater.iter_blocks():
        if not isinstance(block, Section):
            line += len(block.lines)
            continue
        yield _Place(f"{block.name}.", line, line + 1)
        line += 1
        for part in block.iter_blocks():
            if isinstance(part, Option):
                yield _Place(f"{block.name}.{_named(part.key)}", line, line + len(part.lines))
            line += len(part.lines)


def edited(text: str, key: str, value: Value, newline: str, is_tidy: bool) -> str:
    """Return the text with the option changed. `is_tidy`: a section that is empty then goes, too. Raises ValueError."""
    lines, section = split_lines(text), f"{key.partition('.')[0]}."
    places = list(_places(text))
    place = next((place for place in places if place.name == key), None)
    if place and not value:
        return "".join(_without(lines, place, places if is_tidy else []))
    if place:
        return "".join(_replaced(lines, place, value, newline))
    within = [place for place in places if place.name.startswith(section)]
    if not value:
        return text
    if within:
        indent = _indent(lines[within[-1].start]) if len(within) > 1 else ""
        return _inserted(lines, within[-1].end, _written(f"{indent}{_name_in(key)} = ", value), newline)
    head = [f"[{section[:-1]}]"]
    if lines and lines[-1].strip():
        head.insert(0, "")
    return _inserted(lines, len(lines), [*head, *_written(f"{_name_in(key)} = ", value)], newline)


def _name_in(key: str) -> str:
    return key.partition(".")[2]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _written(start: str, value: Value) -> list[str]:
    """The lines without their ends. Several values stand one below the other, a long text begins beside its name."""
    deeper = f"{_indent(start)}    "
    if isinstance(value, str):
        first, *more = value.split("\n")
        return [(start + first).rstrip(), *(deeper + line if line else "" for line in more)]
    many = value or ()
    return [start + many[0]] if len(many) == 1 else [start.rstrip(), *(deeper + item for item in many)]


def _replaced(lines: list[str], place: _Place, value: Value, newline: str) -> list[str]:
    """Comments between the lines of the old value stay, below the new one."""
    found = _ASSIGNMENT.match(body_of(lines[place.start]))
    if not found:
        raise ValueError(lines[place.start])
    is_bare = body_of(lines[place.start]).rstrip() == found[1].rstrip()  # the old value began on the next line
    new = _written(f"{found[1].rstrip()} " if is_bare else found[1], value)
    end = lines[place.start][len(body_of(lines[place.start])) :]
    kept = [line for line in lines[place.start + 1 : place.end] if not _is_value(line)]
    last = "" if place.end == len(lines) and not end and not kept else end or newline
    fresh = [f"{line}{end or newline}" for line in new[:-1]] + [new[-1] + last]
    return [*lines[: place.start], *fresh, *kept, *lines[place.end :]]


def _is_value(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith(_COMMENT)


def _without(lines: list[str], place: _Place, places: list[_Place]) -> list[str]:
    kept = [line for line in lines[place.start + 1 : place.end] if not _is_value(line)]
    head = next((one for one in places if one.name == f"{place.name.partition('.')[0]}."), None)
    after = next(
        (one.start for one in places if head and one.start > head.start and one.name.endswith(".")), len(lines)
    )
    if head is None or any(line.strip() for line in (*lines[head.end : place.start], *lines[place.end : after], *kept)):
        return [*lines[: place.start], *kept, *lines[place.end :]]
    start = head.start
    if start and not lines[start - 1].strip():
        start -= 1
    return [*lines[:start], *lines[place.end :]]


def _inserted(lines: list[str], at: int, new: list[str], newline: str) -> str:
    """A file that ends without a line end still does so."""
    before, after = lines[:at], lines[at:]
    is_open = not after and bool(before) and before[-1] == body_of(before[-1])
    if is_open:
        before = [*before[:-1], before[-1] + newline]
    fresh = [line + newline for line in new]
    if is_open:
        fresh[-1] = fresh[-1][: -len(newline)]
    return "".join([*before, *fresh, *after])
