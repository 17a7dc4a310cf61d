"""What pip, uv and conda say about the settings that they would use, read from their own words. Pure."""

from __future__ import annotations

import ast
import json
import re

_PIP_ORDER = (":env:", "install", "global")  # the first that says it
_PIP_RANKS = ("global", "user", "site", "env", "env_var")  # pip's OVERRIDE_ORDER, the weakest first
_UV_INDEX = re.compile(
    r'given: Some\(\s*(?P<url>"(?:[^"\\]|\\.)*"),\s*\),.*?\bdefault: (?P<default>true|false)', re.DOTALL
)


def parse_pip_settings(text: str) -> str | None:
    """The index that `pip install` would use, by what `pip config list` says; --pypi-url is its old name."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, sign, value = line.partition("=")
        if sign:
            found[key.strip().replace(".pypi-url", ".index-url")] = _quoted(value)
    return next((found[key] for key in (f"{part}.index-url" for part in _PIP_ORDER) if found.get(key)), None)


def says_twice(text: str) -> bool:
    """Whether `pip config list` names a key more than once: since 26 it lists file by file, by name and not by rank."""
    keys = [line.partition("=")[0] for line in text.splitlines() if "=" in line]
    return len(keys) != len(set(keys))


def parse_pip_debug(text: str) -> str | None:
    """The same by `pip config debug`, which says which file says what, and of which rank each is."""
    said: dict[str, dict[str, str]] = {kind: {} for kind in _PIP_RANKS}
    kind = ""
    for line in text.splitlines():
        if line.endswith(":") and line[:-1] in said:
            kind = line[:-1]
        elif kind == "env_var":
            name, _, value = line.strip().partition("=")
            if name in ("PIP_INDEX_URL", "PIP_PYPI_URL"):
                said[kind][":env:.index-url"] = _quoted(value)
        elif kind and line.startswith("    "):
            key, _, value = line.strip().partition(": ")
            said[kind][key.replace(".pypi-url", ".index-url")] = value
    found = {key: value for kind in _PIP_RANKS for key, value in said[kind].items()}
    return next((found[key] for key in (f"{part}.index-url" for part in _PIP_ORDER) if found.get(key)), None)


def _quoted(value: str) -> str:
    """pip prints a value as Python writes a text."""
    try:
        return str(ast.literal_eval(value))
    except (ValueError, SyntaxError):
        return value


def parse_uv_settings(text: str) -> tuple[bool, str | None]:
    """(whether this is a form that we know, the default index or None) from `uv --show-settings`, which is meant
    for people and may change."""
    _, begin, rest = text.partition("index_locations: IndexLocations {")
    indexes, end, _ = rest.partition("flat_index:")
    if not (begin and end and "indexes: [" in indexes):
        return False, None
    try:
        rows = [(json.loads(row["url"]), row["default"]) for row in _UV_INDEX.finditer(indexes)]
    except ValueError:  # a character that Rust writes in a way of its own
        return False, None
    return True, next((url for url, default in rows if default == "true"), None)


def parse_conda_sources(text: str, name: str) -> str | None:
    """The address that `conda config --show-sources --json` gives a custom channel; a later source is stronger."""
    document = json.loads(text)
    found = None
    for source in document.values() if isinstance(document, dict) else ():
        channels = source.get("custom_channels") if isinstance(source, dict) else None
        if isinstance(channels, dict) and isinstance(channels.get(name), str):
            found = channels[name]
    return found
