"""The catalogue of known errors (`matrices/errors.toml`), and which of them a pasted traceback or log holds: precision
before recall.

Of several matches the one that says most wins (`rank`), then the one that stands last: what ends a log is
nearer to the failure than what began it. What only suspects (0), names no more than the kind of failure (-1), or is a
note that stops nothing (-2), is silent beside what says more. A text that matches nothing gets no answer, no guess.

One file: a row's shape, and how its fields decide between rows that match the same text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from wizard.model.messages import Message
from wizard.model.patterns import Match, Pattern, PatternFilter, Text, compiled, recent
from wizard.model.tables import Date, Name, Row, TableError, Words, parse_table, shipped_table
from wizard.process import redact


@dataclass(frozen=True, slots=True)
class KnownError:
    """A row of `matrices/errors.toml`. `patterns`: any of them; `needs`: all of them too, anywhere; `near`: all of
    them, close to the match; `unless`: none of them, anywhere. `said`: it knows what people say, not what
    programs print. `hides`: the rows that say less of the same text. `wants_card`: what it advises is of
    use only with an NVIDIA card. `ran_on_card`: its program computed on a card, and had a build for it."""

    id: str
    area: str
    os: str
    patterns: tuple[Pattern, ...]
    source: str
    status: str
    as_of: str
    needs: tuple[Pattern, ...] = ()
    near: tuple[Pattern, ...] = ()
    unless: tuple[Pattern, ...] = ()
    rank: int = 1
    said: bool = False
    facts: tuple[str, ...] = ()
    hides: frozenset[str] = frozenset()
    examined: bool = False  # the doctor can tell more of it than the text
    wants_card: bool = False
    ran_on_card: bool = False


@dataclass(frozen=True, slots=True)
class Explanation:
    """`line`: the line of the text that told it."""

    error: KnownError
    line: str
    params: Mapping[str, str] = field(default_factory=dict)
    advice: str = ""  # another sentence than the row's, where this computer or the text's facts ask for one
    reason: str = ""  # the same for the cause
    with_card: Message | None = None  # what is advised with an NVIDIA card, where this computer has none

    @property
    def id(self) -> str:
        return self.error.id

    @property
    def cause(self) -> Message:
        return Message(self.reason or f"explain.error.{self.id}.cause", self.params)

    @property
    def fix(self) -> Message:
        return Message(self.advice or f"explain.error.{self.id}.fix", self.params)


_CONTEXT = "@"
_KIND = -1  # the rank of a row that knows the kind of failure alone
_EXAMINED = ("torch", "import")  # the areas of which an environment's doctor knows more, if a row does not deny it


class KnownErrorRow(Row, frozen=True, kw_only=True):
    """`needs`, `unless`: expressions, and names of contexts with an @. `hides`: ids of rows not shown beside it."""

    KEYS = (("id",),)

    id: Name
    area: Literal["torch", "import", "driver", "container", "pip", "uv", "conda", "network", "disk", "windows"]
    os: Literal["any", "linux", "windows"]
    patterns: tuple[Pattern, ...]
    source: Words
    status: Words
    as_of: Date
    needs: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    rank: Literal[-2, -1, 0, 1, 2] = 1
    said: bool = False
    facts: tuple[Literal["card", "driver", "driver-guide", "best", "network", "disk"], ...] = ()
    examined: bool = True
    wants_card: bool = False
    ran_on_card: bool = False
    hides: tuple[Name, ...] = ()

    def __post_init__(self) -> None:
        if not self.patterns:
            raise ValueError("patterns: there is none")


class KnownErrorTable(Row, frozen=True):
    """`phrases`: by English words, expressions of what says the same in other languages. `owners`: by the name of a
    compiled module, the package that brings it, where the two differ."""

    error: tuple[KnownErrorRow, ...]
    contexts: dict[str, tuple[str, ...]] = {}
    phrases: dict[str, tuple[str, ...]] = {}
    owners: dict[str, Name] = {}


def parse_errors(document: str) -> tuple[KnownError, ...]:
    """Raises TableError."""
    return _errors(parse_table("errors", document, KnownErrorTable))


def _errors(table: KnownErrorTable) -> tuple[KnownError, ...]:
    problems: list[str] = []
    contexts: dict[str, Pattern] = {}
    for name, expressions in table.contexts.items():
        try:
            contexts[name] = Pattern(["|".join(expressions)])
        except ValueError as error:
            problems.append(f"errors.contexts.{name}: {error}")
    for expression in (each for expressions in table.phrases.values() for each in expressions):
        try:
            Pattern([expression])
        except ValueError as error:
            problems.append(f"errors.phrases: {error}")
    rows = []
    for row in table.error:
        try:
            rows.append(_known(row, contexts))
        except (ValueError, KeyError) as error:
            problems.append(f"errors.{row.id}.needs or unless: {error}")
    if problems:
        raise TableError(problems)
    return tuple(rows)


def _known(row: KnownErrorRow, contexts: Mapping[str, Pattern]) -> KnownError:
    return KnownError(
        row.id,
        row.area,
        row.os,
        row.patterns,
        row.source,
        row.status,
        row.as_of,
        needs=tuple(Pattern([need]) for need in row.needs if not need.startswith(_CONTEXT)),
        near=tuple(contexts[need.removeprefix(_CONTEXT)] for need in row.needs if need.startswith(_CONTEXT)),
        unless=tuple(
            contexts[one.removeprefix(_CONTEXT)] if one.startswith(_CONTEXT) else Pattern([one]) for one in row.unless
        ),
        rank=row.rank,
        said=row.said,
        facts=row.facts,
        hides=frozenset(row.hides),
        examined=row.examined and row.area in _EXAMINED,
        wants_card=row.wants_card,
        ran_on_card=row.ran_on_card,
    )


@lru_cache(maxsize=1)
def _shipped() -> KnownErrorTable:
    return shipped_table("errors", KnownErrorTable)


def owner_of(module: str) -> str:
    """The package to install for it: its own name, but for compiled modules that are called otherwise."""
    return _shipped().owners.get(module, module)


@lru_cache(maxsize=1)
def known_errors() -> tuple[KnownError, ...]:
    return _errors(_shipped())


_PLAIN = {0: None, 0xA0: " ", 0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'}  # as web pages change them
_ESCAPES = r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\n]*\x07"
_CUDA_INT = "_cuda_int"
_LINE = 300
_LONGEST_LINE = 8_000  # characters: what is shown of a log in one line stays near to what told it
_BEFORE, _AFTER = 2500, 1000  # bytes: how close a context must stand to the match
_MOST = 5  # answers: nobody reads more, and each line is looked through for secrets
_RAISED = Pattern([r"^[^\n]{0,60}\b\w*[a-z](Error|Exception): \S[^\n]*$"])
_WRAPPED = Pattern(
    [
        r"During handling of the above|was the direct cause of|CalledProcessError|ChildFailedError|RayTaskError"
        r"|Engine ?[Cc]ore|Failed to import|returned non-zero|[Ee]xit ?code|because of|root cause|SystemExit"
    ]
)
_WENT_WELL = Pattern([r"^(Successfully installed|Installed \d+ packages?) .*$"])


def explain(text: str, errors: Sequence[KnownError] | None = None) -> tuple[Explanation, ...]:
    """The best answers first, at most five; empty for a text that holds no known error.

    Some tenths of a second of processor for whatever text, and the interpreter's lock is given back meanwhile.
    """
    words = clean(text)
    cleaned = Text(in_english(words))
    rows = _of_this_world(known_errors() if errors is None else tuple(errors), cleaned)
    there = _sieve(rows).of(cleaned)
    found = [(row, match) for row in rows if (match := _last_match(row, cleaned, there))]
    hidden = frozenset[str]().union(*(row.hides for row, _ in found))
    found = [pair for pair in found if pair[0].id not in hidden]
    surest = min(max((row.rank for row, _ in found), default=0), 1)
    found = [pair for pair in found if pair[0].rank >= surest]
    found.sort(key=lambda pair: (-pair[0].rank, -pair[1].start))
    lines = words.split("\n")
    return tuple(Explanation(row, _line(lines, cleaned.data, match), _params(match)) for row, match in found[:_MOST])


def cause_and_fix(text: str) -> tuple[Message, Message] | None:
    """Return what the best answer says; None where only the kind of failure is known: who asks says that better."""
    return next(((known.cause, known.fix) for known in explain(text) if known.error.rank >= 0), None)


def _of_this_world(rows: tuple[KnownError, ...], text: Text) -> tuple[KnownError, ...]:
    """Without those about torch where a program that computes without it is named, and none that uses it."""
    foreign, ours = (Pattern(["|".join(_shipped().contexts[name])]) for name in ("foreign", "program"))
    if text.last(foreign) is None or text.last(ours) is not None:
        return rows
    return tuple(row for row in rows if row.area != "torch")


@lru_cache(maxsize=2)
def _sieve(rows: tuple[KnownError, ...]) -> PatternFilter:
    return PatternFilter(pattern for row in rows for pattern in (*row.patterns, *row.needs, *row.near, *row.unless))


def clean(text: str) -> str:
    """As a person reads it: no colours, one line for a bar that redrew itself, plain line ends, none without end."""
    plain = compiled(_ESCAPES).sub("", recent(text)).replace("\r\n", "\n").translate(_PLAIN)
    lines = (line.rpartition("\r")[2] or line.rstrip("\r") for line in plain.split("\n"))
    return "\n".join(piece for line in lines for piece in _pieces(line))


def in_english(words: str) -> str:
    """What systems say in other languages, in the words that the expressions know; each line stays a line."""
    english, sieve = _phrases()
    for pattern in sieve.of(Text(words)):
        words = compiled(pattern.parts[0]).sub(english[pattern], words)
    return words


@lru_cache(maxsize=1)
def _phrases() -> tuple[Mapping[Pattern, str], PatternFilter]:
    english = {Pattern([each]): said for said, expressions in _shipped().phrases.items() for each in expressions}
    return english, PatternFilter(english)


def _pieces(line: str) -> Iterator[str]:
    yield line[:_LONGEST_LINE]
    for start in range(_LONGEST_LINE, len(line), _LONGEST_LINE):
        yield line[start : start + _LONGEST_LINE]


def _last_match(row: KnownError, text: Text, there: frozenset[Pattern]) -> Match | None:
    wanted = [pattern for pattern in row.patterns if pattern in there]
    if not wanted or not there.issuperset((*row.needs, *row.near)) or not there.isdisjoint(row.unless):
        return None
    matches = [match for pattern in wanted if (match := text.last(pattern, lambda one: _counts(row, one, text)))]
    return max(matches, key=lambda match: match.start, default=None)


def _counts(row: KnownError, match: Match, text: Text) -> bool:
    if not _is_near(row.near, match, text) or (row.said and _is_beside_an_exception(match, text)):
        return False
    return row.rank != _KIND or not _is_before_another(match, text)


def _is_before_another(match: Match, text: Text) -> bool:
    """A kind of failure is no answer where the text ends with an exception of its own, which is not about the first."""
    last, wrapped = text.last(_RAISED), text.last(_WRAPPED)
    return bool(last and last.start > match.end and not (wrapped and wrapped.start > match.start))


def _is_beside_an_exception(match: Match, text: Text) -> bool:
    """A text with an exception is about that; what is said around it tells of the card or of what was tried."""
    is_about = text.last_end(_RAISED, match.start + 1) >= match.start
    return not is_about and text.last(_RAISED) is not None


def _is_near(contexts: Sequence[Pattern], match: Match, text: Text) -> bool:
    """What an installer said before it ended well has nothing to do with a failure after it."""
    if not contexts:
        return True
    start = max(match.start - _BEFORE, text.last_end(_WENT_WELL, match.start))
    return all(text.has(context, start, match.end + _AFTER) for context in contexts)


def _line(lines: Sequence[str], data: bytes, match: Match) -> str:
    """The whole line in which the match begins, as it was written, short and without secrets."""
    return redact(lines[data.count(b"\n", 0, match.start)].strip())[:_LINE]


def _params(match: Match) -> dict[str, str]:
    params: dict[str, str] = {}
    for name, value in match.groups().items():
        params[name] = owner_of(" ".join(redact(value).split()))  # a list may go over lines
        if name.endswith(_CUDA_INT):  # 12040 is CUDA 12.4
            params[name.removesuffix(_CUDA_INT)] = f"{int(value) // 1000}.{int(value) % 1000 // 10}"
    return params
