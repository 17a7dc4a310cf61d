"""Words for people: a message is a value (key and parameters) and becomes text at the edge.

Values travel through plans, events and reports, so a window can switch language on a finished
run. The catalogues are `resources/i18n/<area>.<language>.toml`, dotted keys, str.format
templates; a key lives in one area only. An area is read when a sentence of it is first wanted,
for reading all of them takes longer than the window's first picture. The window's own labels are
Qt Linguist's, not here.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from wizard import paths
from wizard.system.facts import interface_language

LANGUAGES = ("en", "zh_CN")
LANGUAGE_VARIABLE = "TORCH_WIZARD_LANG"
Scalar = str | int | float
_LINE = re.compile(
    r"""(?:\["?(?P<head>[A-Za-z0-9_.-]+)"?\]|(?P<name>[A-Za-z0-9_.-]+|"[^"\\\n]+") = """
    r'''(?:"""\n?(?P<block>(?:[^"\\]|\\.|"(?!""))*)"""|"(?P<words>(?:[^"\\\n]|\\.)*)")|#[^\n]*|)(?:\n|$)'''
)
_ESCAPED = re.compile(r'\\(["\\])')
_HEADS = re.compile(rb'^\["?([A-Za-z0-9_.-]+)"?\]', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Message:
    """One sentence for a person. `key` names it in the catalogue, `params` fill its blanks."""

    key: str
    params: Mapping[str, Scalar] = field(default_factory=dict)

    def to_json(self, language: str | None = None) -> dict[str, Any]:
        return {"key": self.key, "params": dict(self.params), "text": text(self, language)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Message:
        return cls(str(data["key"]), dict(data.get("params") or {}))


def message(key: str, **params: Scalar) -> Message:
    return Message(key, params)


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in table.items():
        if isinstance(value, str):
            flat[prefix + name] = value
        else:
            flat.update(_flatten(value, f"{prefix}{name}."))
    return flat


def _files(language: str) -> list[Path]:
    return sorted((paths.resources_dir() / "i18n").glob(f"*.{language}.toml"))


@cache
def _area(path: Path) -> Mapping[str, str]:
    text = path.read_text(encoding="utf-8")
    quickly = _read_plain(text)
    if quickly is not None:
        return quickly
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return _flatten(tomllib.loads(text))


def _read_plain(text: str) -> dict[str, str] | None:
    """The little of TOML that our files are written in, ten times as fast; None for anything else."""
    found: dict[str, str] = {}
    at = 0
    prefix = ""
    while at < len(text):
        match = _LINE.match(text, at)
        if match is None:
            return None
        at = match.end()
        if match["head"]:
            prefix = f"{match['head']}."
        elif match["name"]:
            words = match["block"] if match["words"] is None else match["words"]
            if "\\" in words.replace("\\\\", "").replace('\\"', ""):
                return None
            found[prefix + match["name"].strip('"')] = _ESCAPED.sub(r"\1", words)
    return found


@lru_cache(maxsize=len(LANGUAGES))
def _tables(language: str) -> Mapping[str, tuple[Path, ...]]:
    """Which files have a table of that name: found without reading what is in it."""
    found: dict[str, tuple[Path, ...]] = {}
    for path in _files(language):
        for head in _HEADS.findall(path.read_bytes()):
            name = head.decode()
            found[name] = (*found.get(name, ()), path)
    return found


def _template(key: str, language: str) -> str:
    """Raises KeyError."""
    table = key
    while table := table.rpartition(".")[0]:
        for path in _tables(language).get(table, ()):
            if key in _area(path):
                return _area(path)[key]
    return catalogue(language)[key]


def sentences_of(table: str, language: str) -> dict[str, str]:
    """All of `[table]`, by the rest of their keys."""
    start = f"{table}."
    areas = [_area(path) for path in _tables(language).get(table, ())]
    return {key[len(start) :]: words for area in areas for key, words in area.items() if key.startswith(start)}


@lru_cache(maxsize=len(LANGUAGES))
def catalogue(language: str) -> Mapping[str, str]:
    """Everything there is: for who looks whether there are words for something."""
    merged: dict[str, str] = {}
    for path in _files(language):
        merged.update(_area(path))
    return merged


def command_line_words(language: str) -> Mapping[str, str]:
    """English text of the command line's grammar -> that language's; nothing for English (`wizard.cli.words`)."""
    path = paths.resources_dir() / "translations" / f"command_line_{language}.toml"
    return _area(path) if path.is_file() else {}


def system_language() -> str:
    """`zh_CN` for any Simplified Chinese system, else `en`; TORCH_WIZARD_LANG overrides."""
    named = os.environ.get(LANGUAGE_VARIABLE) or os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES")
    named = named or os.environ.get("LANG") or _language_without_variables()
    return "zh_CN" if named.lower().replace("-", "_").startswith(("zh", "chinese")) else "en"


def _language_without_variables() -> str:
    import locale

    return interface_language() or locale.getlocale()[0] or ""


def text(value: Message, language: str | None = None) -> str:
    """The sentence in that language (default: the system's). Raises KeyError for a key that has no entry."""
    return _template(value.key, language or system_language()).format_map(dict(value.params))


def bytes_text(count: float) -> str:
    """Decimal units, as disks and networks are sold; the same in both languages."""
    if count < 1000:
        return f"{int(count)} B"
    for unit in ("kB", "MB", "GB"):
        count /= 1000
        if count < 999.5 or unit == "GB":
            break
    return f"{count:.2f} {unit}" if unit == "GB" else f"{count:.1f} {unit}"
