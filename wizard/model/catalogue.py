"""The translations: GNU gettext, one catalogue for each language, from an English sentence to that language's.

`resources/locale/<language>/LC_MESSAGES/torch-wizard.po` is what people edit. A wheel and the frozen program carry the
`.mo` that is made of it when they are built (`hatch_build.py`, `build_installer.spec`). A copy of the source has
the text, and its `.mo` from the day when it was installed: the text is read where it is newer or alone (15 ms).
"""

from __future__ import annotations

import gettext
import re
import struct
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from wizard.system import paths

DOMAIN = "torch-wizard"
_LINES = r'((?:"[^\n]*"\n)+)'
_ENTRY = re.compile(rf"^(?:msgctxt {_LINES})?msgid {_LINES}msgstr {_LINES}", re.MULTILINE)
_ESCAPED = re.compile(r'\\([nt"\\])')
_MEANT = {"n": "\n", "t": "\t"}


def N_(english: str) -> str:
    """Mark a text that is translated where it is shown."""
    return english


def translate(sentence: str, language: str, context: str = "") -> str:
    """Return the sentence in that language, or the sentence itself where the catalogue has none.

    `context` is the message's code or the class of the label: it picks the entry with that msgctxt, where there is one.
    """
    known = _translations(language)
    found = known.pgettext(context, sentence) if context else sentence
    return known.gettext(sentence) if found == sentence != "" else found


@cache
def _translations(language: str) -> gettext.NullTranslations:
    source = paths.resources_dir() / "locale" / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    made = source.with_suffix(".mo")
    if made.is_file() and (paths.is_installed() or _time(made) > _time(source)):
        with made.open("rb") as file:
            return gettext.GNUTranslations(file)
    return _Read(read_po(source.read_text(encoding="utf-8"))) if source.is_file() else gettext.NullTranslations()


def _time(path: Path) -> float:
    """Return when it was changed; 0 for a file that is not there."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0


class _Read(gettext.NullTranslations):
    def __init__(self, words: Mapping[str, str]) -> None:
        super().__init__()
        self._words = words

    def gettext(self, message: str) -> str:
        return self._words.get(message, message)

    def pgettext(self, context: str, message: str) -> str:
        return self._words.get(f"{context}\x04{message}", message)


def compile_all(resources: Path) -> list[Path]:
    """Write the `.mo` beside each `.po`, for a build. Raises OSError and UnicodeDecodeError."""
    sources = sorted((resources / "locale").rglob("*.po"))
    for source in sources:
        source.with_suffix(".mo").write_bytes(_compiled(source))
    return [source.with_suffix(".mo") for source in sources]


def _compiled(source: Path) -> bytes:
    rows = sorted((key.encode(), words.encode()) for key, words in read_po(source.read_text(encoding="utf-8")).items())
    keys, words = (b"".join(row[side] + b"\0" for row in rows) for side in (0, 1))
    start = 7 * 4
    at = start + 16 * len(rows)
    tables = b""
    for side in (0, 1):
        for row in rows:
            tables += struct.pack("<2I", len(row[side]), at)
            at += len(row[side]) + 1
    magic = 0x950412DE  # then: format 0, entries, where the two tables are, no hash table
    return struct.pack("<7I", magic, 0, len(rows), start, start + 8 * len(rows), 0, 0) + tables + keys + words


def read_po(text: str) -> Mapping[str, str]:
    """Return msgid -> msgstr of all translated entries; a context stands before its msgid, as in a `.mo`."""
    found = {}
    for context, sentence, words in _ENTRY.findall(text if text.endswith("\n") else f"{text}\n"):
        if translated := _joined(words):
            found[f"{_joined(context)}\x04{_joined(sentence)}" if context else _joined(sentence)] = translated
    return found


def _joined(lines: str) -> str:
    inside = "".join(line[1:-1] for line in lines.splitlines())
    return _ESCAPED.sub(lambda match: _MEANT.get(match[1], match[1]), inside) if "\\" in inside else inside
