"""Reads conda's files: environment.yml, explicit lists and `conda list` exports, in pip's words.

YAML is read as data with its lines and without aliases (a few lines of them can stand for gigabytes). Channels and
build strings are kept as they are; what conda calls pytorch is torch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from wizard.project.conda_spec import NAMES, conda_specifier, conda_statement
from wizard.project.model import AddressLine, Findings, Statement, normalized, origin_of
from wizard.project.requirements import read_line

_FILE = re.compile(
    r"/(?P<platform>[a-z]+-[a-z0-9_]+)/(?P<name>[^/]+)-(?P<version>[^-/]+)-(?P<build>[^-/]+)\.(?:conda|tar\.bz2)"
)
_SELECTOR = re.compile(r"\s#\s*\[(?P<words>[a-z0-9 ]+)\]\s*$")
_MOST_LINES = 20_000
_SYSTEMS = {"linux": "sys_platform == 'linux'", "win": "sys_platform == 'win32'", "osx": "sys_platform == 'darwin'"}


def read_explicit(file: str, text: str, found: Findings) -> None:
    """`@EXPLICIT` lists of addresses, and `# platform:` of exports."""
    for number, line in enumerate(text.split("\n")[:_MOST_LINES], 1):
        where = origin_of(file, number, line)
        match = _FILE.search(line)
        if match:
            name = NAMES.get(match["name"].lower(), match["name"])
            specifier, _ = conda_specifier(f"=={match['version']}")
            if not name.startswith("_"):
                found.statements.append(Statement(normalized(name), specifier, where, build=match["build"], conda=True))


def read_environment(file: str, text: str, found: Findings) -> None:
    """Read an environment.yml: channels, conda's packages and the section for pip."""
    document = load_yaml(file, text, found)
    if not isinstance(document, dict):
        return
    for channel, line in _lines(document.get("channels")):
        if isinstance(channel, str):
            found.sources.append(AddressLine("channel", channel, origin_of(file, line, channel)))
    source = text.split("\n")
    for entry, line in _lines(document.get("dependencies")):
        if isinstance(entry, str):
            written = source[line - 1] if line <= len(source) else entry
            statement = conda_statement(entry, origin_of(file, line, written))
            if statement:
                found.statements.append(_selected(statement, written))
        elif isinstance(entry, dict):
            for words, at in _lines(entry.get("pip")):
                if isinstance(words, str):
                    written = source[at - 1] if at <= len(source) else words
                    read_line(re.sub(r"\s#.*$", "", words), origin_of(file, at, written), found)


def _selected(statement: Statement, written: str) -> Statement:
    """With conda's `# [linux]` as a marker."""
    match = _SELECTOR.search(written)
    marker = _SYSTEMS.get(match["words"].strip(), "") if match else ""
    return replace(statement, marker=marker) if marker else statement


def load_yaml(file: str, text: str, found: Findings) -> Any:
    """Return plain lists and mappings that know their lines; None for what is no YAML or holds an alias."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    if text.count("\n") > _MOST_LINES or re.search(r"(^|[\s\[{,:-])\*[A-Za-z0-9_]+\s*($|[,\]}])", text, re.MULTILINE):
        found.remark("yaml-alias", origin_of(file, 1, ""))
        return None
    try:
        return YAML(typ="rt").load(text.replace("\t", "    "))
    except (YAMLError, ValueError, RecursionError, TypeError, AttributeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = (mark.line if mark else 0) + 1
        found.remark("unreadable-file", origin_of(file, line, str(getattr(error, "problem", "")) or "YAML"))
        return None


def _lines(entries: Any) -> Iterator[tuple[Any, int]]:
    """Yield each entry of a plain list with its line; a tag (`!!python/object…`) makes something else of one."""
    if not isinstance(entries, list) or getattr(getattr(entries, "tag", None), "value", None):
        return
    places = getattr(getattr(entries, "lc", None), "data", None) or {}
    for number, entry in enumerate(entries):
        yield entry, places.get(number, (0,))[0] + 1
