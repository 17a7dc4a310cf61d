"""Reads which programs and libraries of the system a project wants without a line of a README that installs them: as a
sentence ("Install ffmpeg. This is necessary"), in the recipe of an image or of a test run, or by a script of Linux's
shell that a README starts.

Which these are is rows (`system_program`) of `matrices/companions.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from wizard.project.formats.requirements import FENCE
from wizard.project.formats.systems import PROGRAMS, SCRIPT, SENTENCE_NAMES, programs_of_one_system
from wizard.project.formats.words import LONGEST, SENTENCE, WINDOWS_ALONE
from wizard.project.formats.working_folder import MOST_LINES, OF_NEEDS
from wizard.project.model import RECOMMENDED, Statement, origin_of
from wizard.project.packages.rows import companion_table
from wizard.project.packages.system_rows import SystemProgram

_LINK = re.compile(r"\[([^\][]{1,100})\]\([^()\s]{0,300}\)|[`*_]+")
_NEEDS = (
    r"(?:install(?:ed|ing)?|requires?|required|needs?|needed|must have|depends? on|prerequisites?|make sure|ensure"
    r"|already have|relies on)"
)
_ASKS = (
    rf"\b{_NEEDS}(?: (?:that|you|have|the|an?|is|to|be|program|binary|library|tool|latest|of|also|both)\b){{0,6}}"
    r"(?: [\w.-]{1,30},?){0,2} (?:NAMES)(?![\w-])"
    r"|\b(?:NAMES)(?![\w-])(?: (?:binary|library|program))? (?:is|are|must be|has to be|needs to be)"
    r" (?:required|needed|necessary|installed)\b"
)
_ANY_NEED = re.compile(rf"\b{_NEEDS}\b|necessary", re.IGNORECASE)
_OF_CASE = re.compile(
    r"\b(?:if|when(?:ever)?|unless|optional(?:ly)?|not?|without|instead|error|issues?|alternatively|or|e\.g\.|example"
    r"|benchmarks?|supports?|model|dataset)\b|n't\b",
    re.IGNORECASE,
)
_OF_TOOL = re.compile(
    r"\b(?:pip3?|conda|mamba|apt(?:-get)?|yum|brew|winget|choco|scoop|environments?)\b", re.IGNORECASE
)
_BULLET = re.compile(r"\s{0,12}(?:[-*+•]|\d{1,2}[.)])\s{1,8}(?P<words>.*)")
# A script that a README starts, as a command or within a sentence.
_STARTS = re.compile(
    r"(?:^|[\s`$>])(?:(?:bash|sh|zsh|source)\s{1,8}(?:\./)?|\./)(?P<script>(?:[\w-]+/){0,6}[\w.-]+\.sh)\b"
)
_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_MOST_TOLD = 6  # lines of one text


def programs_in_words(file: str, text: str) -> list[Statement]:
    """Return the lines of a README that say in words that a program must be there; not what is for one case alone."""
    found, said, is_code, is_needs = list[Statement](), set[str](), False, False
    for number, line in enumerate(text.split("\n")[:MOST_LINES], 1):
        is_code ^= bool(FENCE.match(line))
        if line.startswith("#") and not is_code:
            is_needs = bool(OF_NEEDS.match(line[:LONGEST]))
        if is_code or line.startswith(("#", "    ", "\t")):
            continue
        bullet = _BULLET.match(line[:LONGEST]) if is_needs else None
        names = [*_entry(bullet["words"])] if bullet else []
        for sentence in SENTENCE.split(line[:LONGEST]):
            words = _LINK.sub(lambda one: one[1] or "", sentence)
            is_any = _ANY_NEED.search(words) and not _OF_CASE.search(words)
            parts = () if not is_any else [one for one in words.split(", ") if not _OF_TOOL.search(one)]
            left_of = [(row, needs) for row, needs in _said() if row.name not in said and _names(row, words)]
            names += [row.name for part in parts for row, needs in left_of if needs.search(part)]
        left = [name for name in dict.fromkeys(names) if name not in said]
        said |= {*left}
        if left:
            where = origin_of(file, number, line)
            found.append(
                Statement(PROGRAMS, "", where, RECOMMENDED, "systems", build=SENTENCE_NAMES, extras=tuple(left))
            )
    return found[:_MOST_TOLD]


def _names(row: SystemProgram, words: str) -> bool:
    return any(name in words.lower() for name in row.said)


def _entry(words: str) -> Iterator[str]:
    """Yield the program that an entry of a list of needs begins with."""
    plain = _LINK.sub(lambda one: one[1] or "", words).strip().lower()
    for row in () if _OF_CASE.search(plain) else companion_table().system_program:
        if any(plain.startswith(name) and not re.match(r"[\w.-]*\w", plain[len(name) :]) for name in row.said):
            yield row.name


@lru_cache(maxsize=1)
def _said() -> tuple[tuple[SystemProgram, re.Pattern[str]], ...]:
    """Return each program with the sentences that ask for it."""
    rows = [row for row in companion_table().system_program if row.said]
    names = {row.name: "|".join(map(re.escape, row.said)) for row in rows}
    return tuple((row, re.compile(_ASKS.replace("NAMES", names[row.name]), re.IGNORECASE)) for row in rows)


def programs_of_recipe(file: str, text: str, known: Iterable[str]) -> list[Statement]:
    """Return the programs and libraries that the recipe of an image or of a test run installs, but for what every such
    one has and what is `known`, each with its line."""
    rows = {row.name: row for row in companion_table().system_program if not row.common}
    lines, left, found = text.split("\n"), {*rows} - {*known}, list[Statement]()
    for one in programs_of_one_system(file, _COMMENT.sub(" \\\\", text)):
        names = [name for name in one.extras if name in left]
        first = next((row for name in names if (row := rows[name])), None)
        if first:
            of_block = range(one.origin.line, min(len(lines), one.origin.line + 40) + 1)
            is_named = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, first.words))})(?![\w-])")
            line = next((at for at in of_block if is_named.search(lines[at - 1])), one.origin.line)
            found.append(replace(one, origin=origin_of(file, line, lines[line - 1].rstrip("\\ ")), extras=tuple(names)))
    return found


def scripts_started(file: str, text: str, read: Callable[[str], str | None]) -> Iterator[Statement]:
    """Yield the first script of Linux's shell that a README starts and that is there, with the programs of the table
    that it uses and Windows lacks."""
    for number, line in enumerate(text.split("\n")[:MOST_LINES], 1):
        match = _STARTS.search(line[:LONGEST])
        script = read(match["script"]) if match else None
        if match and script is not None:
            words = {word for one in script.split("\n") if (word := one.strip().partition(" ")[0])}
            rows = companion_table().system_program
            names = [row.name for row in rows if words & {*row.started} and row.on_windows]
            where = origin_of(file, number, line)
            yield Statement(
                PROGRAMS, "", where, RECOMMENDED, "systems", WINDOWS_ALONE, build=SCRIPT, extras=tuple(names)
            )
            return
