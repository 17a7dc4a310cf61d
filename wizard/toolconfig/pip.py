"""pip's own settings: read the way pip reads them, edited in place.

pip.conf and pip.ini, edited by lines: ConfigUpdater says which lines an option has, the others are not touched.

pip's own reader (configparser) decides what a file means; this file knows only where things stand. Options are
named as pip names them: lower case, dashes, without leading ones.
"""

from __future__ import annotations

import configparser
import locale
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard.model.messages import Message, message
from wizard.toolconfig.files import files_of
from wizard.toolconfig.text_file import body_of, split_lines
from wizard.undo.model import Value
from wizard.undo.user_file import read_file

# The user's own pip settings, read the way pip reads them.
#
# Files: global, then user (legacy below new), then PIP_CONFIG_FILE; PIP_* variables beat files; within files [install]
# beats [global]. The settings of one interpreter (site) are left out: the target is a new one. pip aborts on a file
# that it cannot read; we say so and go on.

_SECTIONS = ("global", "install")  # later wins
_MULTIPLE = ("extra-index-url", "find-links")
_VARIABLE = "PIP_"
TRUE_WORDS = ("1", "true", "yes", "on", "t", "y")


def pip_files(environ: Mapping[str, str], home: Path, os_name: str, root: Path) -> tuple[Path, ...]:
    """Where pip would look, lowest precedence first. `root` is the machine's file system ("/")."""
    found = files_of("pip", environ, home, os_name, root)
    return tuple(path for row, path in found if row.scope != "environment")


def decode(data: bytes) -> str:
    """UTF-8 with or without a mark, else what this system's locale says (GBK on Chinese Windows).

    Raises UnicodeDecodeError.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode(locale.getpreferredencoding(False))


def parse_pip_file(text: str) -> dict[str, str]:
    """{"global.index-url": …}: no interpolation, no inline comments. Raises configparser.Error."""
    parser = configparser.RawConfigParser()
    parser.read_string(text)
    return {f"{section}.{_named(key)}": value for section in parser.sections() for key, value in parser.items(section)}


def _named(key: str) -> str:
    return key.lower().replace("_", "-").removeprefix("--")


def merge_pip(files: tuple[Mapping[str, str], ...], environ: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The values that pip would use for `install`, by option. Empty values count as not given."""
    merged: dict[str, str] = {}
    for values in files:
        merged.update(values)
    chosen: dict[str, str] = {}
    for section in _SECTIONS:
        start = f"{section}."
        chosen.update({key[len(start) :]: value for key, value in merged.items() if key.startswith(start) and value})
    variables = {key.upper(): value for key, value in environ.items()}
    chosen.update(
        {
            _named(key[len(_VARIABLE) :]): value
            for key, value in variables.items()
            if key.startswith(_VARIABLE) and value
        }
    )
    return {key: tuple(value.split()) if key in _MULTIPLE else (value.strip(),) for key, value in chosen.items()}


def read_pip_settings(
    environ: Mapping[str, str], home: Path, os_name: str, root: Path
) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...], tuple[Message, ...]]:
    """(values, files that were read, notices)."""
    parsed: list[dict[str, str]] = []
    read: list[str] = []
    notices: list[Message] = []
    for path in pip_files(environ, home, os_name, root):
        try:
            parsed.append(parse_pip_file(decode(read_file(path))))
            read.append(str(path))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError, configparser.Error) as error:
            first_line = (str(error).splitlines() or [type(error).__name__])[0]
            notices.append(message("settings.unreadable", file=str(path), problem=first_line))
    return merge_pip(tuple(parsed), environ), tuple(read), tuple(notices)


MULTIPLE = ("extra-index-url", "find-links", "trusted-host")
_ASSIGNMENT = re.compile(r"^(\s*[^=:]*?\s*[=:][ \t]*)")
_COMMENT = ("#", ";")


def option_name(written: str) -> str:
    return written.lower().replace("_", "-").removeprefix("--")


def parse(text: str) -> dict[str, str]:
    """All that pip reads: {"global.timeout": "3"}, with what [DEFAULT] adds. Raises ValueError."""
    parser = configparser.RawConfigParser()
    try:
        parser.read_string("\n".join(body_of(line) for line in split_lines(text)))
    except configparser.Error as error:
        raise ValueError(str(error)) from error
    return {
        f"{section}.{option_name(key)}": value for section in parser.sections() for key, value in parser.items(section)
    }


def value_of(text: str, key: str) -> Value:
    """What the section itself says. Raises ValueError."""
    everything, places = parse(text), [place for place in _options(text) if place.name == key]
    if not places:
        return None
    if len(places) > 1:
        raise ValueError(f"{key} is there twice")
    value = everything[key]
    return tuple(value.split()) if key.partition(".")[2] in MULTIPLE else value.strip()


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
                yield _Place(f"{block.name}.{option_name(part.key)}", line, line + len(part.lines))
            line += len(part.lines)


def edited(text: str, key: str, value: Value, newline: str, is_tidy: bool) -> str:
    """`is_tidy`: a section that is empty then goes, too. Raises ValueError."""
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
        return _inserted(lines, within[-1].end, _written(f"{indent}{_option(key)} = ", value), newline)
    head = [f"[{section[:-1]}]"]
    if lines and lines[-1].strip():
        head.insert(0, "")
    return _inserted(lines, len(lines), [*head, *_written(f"{_option(key)} = ", value)], newline)


def _option(key: str) -> str:
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
