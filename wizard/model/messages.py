"""Words for people: a message is a value (key and parameters) and becomes text at the edge.

Values travel through plans, events and reports, so a window can switch language on a finished run. A sentence is
English, a str.format template; `model.catalogue` has the other languages. What is not written where it is said stands
in `resources/i18n/<area>.en.toml` under its dotted key, in one area only. An area is read when a sentence of it is
first wanted, for reading all of them takes longer than the window's first picture.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Union

from wizard.model.catalogue import translate
from wizard.model.marks import UNSIGNED, in_terminal
from wizard.system import paths
from wizard.system.facts import interface_language

LANGUAGES = ("en", "zh_CN")
LANGUAGE_VARIABLE = "TORCH_WIZARD_LANG"
Scalar = str | int | float
Words = Union[str, "Message"]
Reading = Callable[[str, str], str]
Param = Union[Scalar, "Message", tuple[Union[str, "Message"], ...]]
_IN_EACH = "in-each"  # no key of the catalogues
_LINE = re.compile(
    r"""(?:\["?(?P<head>[A-Za-z0-9_.-]+)"?\]|(?P<name>[A-Za-z0-9_.-]+|"[^"\\\n]+") = """
    r'''(?:"""\n?(?P<block>(?:[^"\\]|\\.|"(?!""))*)"""|"(?P<words>(?:[^"\\\n]|\\.)*)")|#[^\n]*|)(?:\n|$)'''
)
_ESCAPED = re.compile(r'\\(["\\])')
_HEADS = re.compile(rb'^\["?([A-Za-z0-9_.-]+)"?\]', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Message:
    """One sentence for a person. `key` is its code, which stays; `sentence` is its English; `params` fill the blanks.

    A blank may hold a sentence, or several: they become text with the one around them, in its language. Without an
    English of its own, the table under its key has it.
    """

    key: str
    params: Mapping[str, Param] = field(default_factory=dict)
    sentence: str = field(default="", compare=False)

    def to_json(self, language: str | None = None) -> dict[str, Any]:
        """`sentence` is there where no table has it: who reads this back can say it in another language."""
        told = {"key": self.key, "params": params_to_json(self.params, language), "text": text(self, language)}
        return {**told, "sentence": self.sentence} if self.sentence else told

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Message:
        """Return a message that was written as JSON, also by an older version that kept only its text."""
        params = {name: _from_json(value) for name, value in (data.get("params") or {}).items()}
        key, sentence = str(data["key"]), str(data.get("sentence") or "")
        if not sentence and "text" in data and not has_words(key):  # of an older version
            params, sentence = params | {"text": str(data["text"])}, "{text}"
        return cls(key, params, sentence)


def message(key: str, sentence: str = "", /, **params: Param) -> Message:
    return Message(key, params, sentence)


def in_each(**words: str) -> Message:
    """What a table says in each language, as `en="Official", zh_CN="官方"`; English stands for a missing one."""
    return Message(_IN_EACH, words)


def params_to_json(params: Mapping[str, Param], language: str | None = None) -> dict[str, Any]:
    return {name: _to_json(value, language) for name, value in params.items()}


def _to_json(value: Param, language: str | None) -> Any:
    if isinstance(value, tuple):
        return [_to_json(part, language) for part in value]
    return value.to_json(language) if isinstance(value, Message) else value


def _from_json(value: Any) -> Param:
    if isinstance(value, list):
        return tuple(part if isinstance(part, str) else Message.from_json(part) for part in value)
    return Message.from_json(value) if isinstance(value, Mapping) else value


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in table.items():
        if isinstance(value, str):
            flat[prefix + name] = value
        elif isinstance(value, Mapping):
            flat.update(_flatten(value, f"{prefix}{name}."))
    return flat


def _files() -> list[Path]:
    return sorted((paths.resources_dir() / "i18n").glob("*.en.toml"))


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
    try:
        return _flatten(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        return {}  # a translation of one's own with a slip: English stands in for it


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


@cache
def _tables() -> Mapping[str, tuple[Path, ...]]:
    """Which files have a table of that name: found without reading what is in it."""
    found: dict[str, tuple[Path, ...]] = {}
    for path in _files():
        for head in _HEADS.findall(path.read_bytes()):
            name = head.decode()
            found[name] = (*found.get(name, ()), path)
    return found


def _template(key: str) -> str:
    """Raises KeyError."""
    table = key
    while table := table.rpartition(".")[0]:
        for path in _tables().get(table, ()):
            if key in _area(path):
                return _area(path)[key]
    return _english()[key]


def has_words(key: str) -> bool:
    return key == _IN_EACH or key in _english()


def sentences_of(table: str, language: str) -> dict[str, str]:
    """All of `[table]`, by the rest of their keys."""
    start = f"{table}."
    areas = [_area(path) for path in _tables().get(table, ())]
    found = {key: words for area in areas for key, words in area.items() if key.startswith(start)}
    return {key[len(start) :]: translate(words, language, key) for key, words in found.items()}


@cache
def _english() -> Mapping[str, str]:
    merged: dict[str, str] = {}
    for path in _files():
        merged.update(_area(path))
    return merged


@lru_cache(maxsize=len(LANGUAGES))
def catalogue(language: str) -> Mapping[str, str]:
    """Everything that stands in a table: for who looks whether there are words for something."""
    return {key: translate(words, language, key) for key, words in _english().items()}


def system_language() -> str:
    """`zh_CN` for any Simplified Chinese system, else `en`; TORCH_WIZARD_LANG overrides."""
    named = os.environ.get(LANGUAGE_VARIABLE) or os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES")
    named = named or os.environ.get("LANG") or _language_without_variables()
    return "zh_CN" if named.lower().replace("-", "_").startswith(("zh", "chinese")) else "en"


def _language_without_variables() -> str:
    import locale

    return interface_language() or locale.getlocale()[0] or ""


def text(value: Words, language: str | None = None, reading: Reading = in_terminal) -> str:
    """The sentence in that language (default: the system's), in English where the translation has none or a wrong one.
    A name that is the same in all of them stays. `reading`: what is made of its marks, before its blanks are filled.

    Raises KeyError for a key that English has not either.
    """
    if isinstance(value, str):
        return value.translate(UNSIGNED)
    wanted = language or system_language()
    if value.key == _IN_EACH:
        return str(value.params.get(wanted) or value.params[LANGUAGES[0]]).translate(UNSIGNED)
    english = value.sentence or _template(value.key)
    translated = translate(english, wanted, value.key)
    try:
        return reading(translated, wanted).format_map(_filled(value.params, wanted, reading))
    except (KeyError, ValueError, IndexError, AttributeError, TypeError):
        if translated == english:
            raise
        return reading(english, LANGUAGES[0]).format_map(_filled(value.params, LANGUAGES[0], reading))


def _filled(params: Mapping[str, Param], language: str, reading: Reading) -> dict[str, Scalar]:
    return {name: _listed_again(name, _said(value, language, reading), language) for name, value in params.items()}


# Blanks that hold names one after the other. Not folders: one may have a comma and a space in its own name.
_LISTS = frozenset({"by", "cards", "channels", "engines", "hosts", "known", "moved", "names", "packages", "versions"})


def _listed_again(name: str, value: Scalar, language: str) -> Scalar:
    """Whoever fills a blank does not know the language that it will be read in."""
    return listed(value.split(", "), language) if name in _LISTS and isinstance(value, str) else value


def _said(value: Param, language: str, reading: Reading) -> Scalar:
    if isinstance(value, tuple):
        *before, last = [str(_said(part, language, reading)) for part in value] or [""]
        return joined([*(_apart(part, language) for part in before), last], language)
    return text(value, language, reading) if isinstance(value, Message | str) else value


_MARKS = tuple(".!?…;:,。！？；：，")


def _apart(words: str, language: str) -> str:
    """With a mark before what follows, unless they have one: some are whole sentences."""
    return words if words.endswith(_MARKS) else words + ("；" if language == "zh_CN" else ";")


def joined(sentences: Iterable[str], language: str) -> str:
    """One after the other; Chinese has no space between them."""
    return ("" if language == "zh_CN" else " ").join(sentences)


def listed(names: Iterable[str], language: str) -> str:
    """Return names as a list within a sentence; Chinese has a comma of its own for that."""
    return ("、" if language == "zh_CN" else ", ").join(names)


def three_digits(value: float, keeps_zeros: bool = False) -> str:
    """Return a number with three digits that count at most, and without zeros that say nothing: 81, 8.5, 1.24.

    `keeps_zeros`: of a number that is running, which would jump between 1.59 and 1.6."""
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    figure = f"{value:.{digits}f}"
    return figure.rstrip("0").rstrip(".") if digits and not keeps_zeros else figure


def gigabytes(size: float) -> float:
    """Return bytes as the figure that stands before GB in a sentence."""
    return without_point(float(three_digits(size / 1e9)))


def without_point(value: float) -> float:
    """Return a whole number as one that is shown without a point."""
    return int(value) if value.is_integer() else value


def bytes_text(count: float, keeps_zeros: bool = False) -> str:
    """Decimal units, as disks and networks are sold; the same in both languages."""
    if count < 1000:
        return f"{int(count)} B"
    for unit in ("kB", "MB", "GB"):
        count /= 1000
        if count < 999.5 or unit == "GB":
            break
    return f"{three_digits(count, keeps_zeros)} {unit}"
