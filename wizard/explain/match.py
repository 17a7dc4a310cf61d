"""Finds the known errors in a pasted traceback or log. Pure; precision before recall.

Of several matches the one that says most wins (`rank`), then the one that stands last: what ends a log is
nearer to the failure than what began it. A text that matches nothing gets no answer, never a guess.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence

from wizard.explain.model import Explanation, KnownError
from wizard.explain.table import known_errors
from wizard.process import redact

_LONGEST = 400_000  # characters: the end of a longer text
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
_CUDA_INT = "_cuda_int"
_LINE = 300
_LONGEST_LINE = 8_000  # characters: of a log in one line, patterns would try every beginning against every end
_BEFORE, _AFTER = 2500, 1000  # characters: how close a context must stand to the match
_WENT_WELL = re.compile(r"^(Successfully installed|Installed \d+ packages?) .*$", re.MULTILINE)


def explain(text: str, errors: Sequence[KnownError] | None = None) -> tuple[Explanation, ...]:
    """The best answer first; empty for a text that holds no known error."""
    cleaned = clean(text)
    rows = known_errors() if errors is None else errors
    found = [(row, match) for row in rows if (match := _last_match(row, cleaned))]
    found.sort(key=lambda pair: (-pair[0].rank, -pair[1].start()))
    return tuple(Explanation(row, _line(cleaned, match), _params(match)) for row, match in found)


def clean(text: str) -> str:
    """As a person reads it: no colours, one line for a bar that redrew itself, plain line ends, none without end."""
    plain = _ESCAPES.sub("", text[-_LONGEST:]).replace("\r\n", "\n").replace("\x00", "")
    lines = (line.rpartition("\r")[2] or line.rstrip("\r") for line in plain.split("\n"))
    return "\n".join(piece for line in lines for piece in _pieces(line))


def _pieces(line: str) -> Iterator[str]:
    yield line[:_LONGEST_LINE]
    for start in range(_LONGEST_LINE, len(line), _LONGEST_LINE):
        yield line[start : start + _LONGEST_LINE]


def _last_match(row: KnownError, text: str) -> re.Match[str] | None:
    matches = [match for pattern in row.patterns if (match := _last(pattern, text, row.near))]
    found = max(matches, key=lambda match: match.start(), default=None)
    return found if found and all(need.search(text) for need in row.needs) else None


def _last(pattern: re.Pattern[str], text: str, near: Sequence[re.Pattern[str]]) -> re.Match[str] | None:
    matches = pattern.finditer(text) if not near else (m for m in pattern.finditer(text) if _is_near(near, m, text))
    return next(iter(deque(matches, maxlen=1)), None)


def _is_near(contexts: Sequence[re.Pattern[str]], match: re.Match[str], text: str) -> bool:
    """What an installer said before it ended well has nothing to do with a failure after it."""
    before = _WENT_WELL.split(text[max(0, match.start() - _BEFORE) : match.start()])[-1]
    around = before + text[match.start() : match.end() + _AFTER]
    return all(context.search(around) for context in contexts)


def _line(text: str, match: re.Match[str]) -> str:
    """The whole line in which the match begins, short and without secrets."""
    start = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.start())
    return redact(text[start : end if end >= 0 else None].strip())[:_LINE]


def _params(match: re.Match[str]) -> dict[str, str]:
    params: dict[str, str] = {}
    for name, value in match.groupdict().items():
        if value is None:
            continue
        if name.endswith(_CUDA_INT):  # 12040 is CUDA 12.4
            params[name.removesuffix(_CUDA_INT)] = f"{int(value) // 1000}.{int(value) % 1000 // 10}"
        else:
            params[name] = redact(value)
    return params
