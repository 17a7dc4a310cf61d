"""Regular expressions for text that anybody may have written: their time grows with the length of the text alone.

RE2 instead of `re`, which tries every way to match, takes minutes for some 24 kB, and holds the interpreter's lock
meanwhile, so that a window stands; RE2 gives it back. The price: no look-around and no back-references. A pattern
that uses them is refused when its table is read. `^` and `$` stand for the ends of a line.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import re2

_MOST_MEMORY = 1 << 20  # bytes for one expression's states; RE2 goes on more slowly without them
_LARGEST = 1000  # instructions: a counted repetition is written out, and all of it is walked for every character
_LONGEST = 300_000  # characters: the end of a longer text


def recent(text: str) -> str:
    """The end of `text`, which is nearer to a failure than its beginning, without what is no character."""
    return text[-_LONGEST:].encode("utf-8", "replace").decode("utf-8")


def search(expression: str, text: str) -> Any | None:
    """The first match in the end of `text`, as `re.search` would give it. Raises ValueError."""
    return compiled(expression).search(recent(text))


class Pattern:
    """`parts` follow each other with at most `gaps` bytes (UTF-8) between them; one part is a plain expression."""

    __slots__ = ("gaps", "parts")

    def __init__(self, parts: Sequence[str], gaps: Sequence[int] = ()) -> None:
        """Raises ValueError for an expression that RE2 does not take, or that is too large."""
        if not parts or len(gaps) != len(parts) - 1:
            raise ValueError("must be an expression, or expressions with numbers between them")
        self.parts, self.gaps = tuple(parts), tuple(gaps)
        for part in parts:
            if compiled(part).programsize > _LARGEST:
                raise ValueError(f"too large: {part}")
            if compiled(part).search("") is not None:
                raise ValueError(f"matches nothing at all: {part}")

    @classmethod
    def parse(cls, value: object) -> Pattern:
        """From a table: `"a"`, or `["a", 300, "b"]`. Raises ValueError."""
        told: list[Any] = value if isinstance(value, list) else [value]
        parts, gaps = told[::2], told[1::2]
        if not all(isinstance(part, str) for part in parts) or not all(isinstance(gap, int) for gap in gaps):
            raise ValueError("must be an expression, or expressions with numbers between them")
        return cls(parts, gaps)

    @property
    def groups(self) -> frozenset[str]:
        return frozenset(name for part in self.parts for name in compiled(part).groupindex)


class Match:
    """`start` and `end` in bytes of the text."""

    __slots__ = ("_matches", "end", "start")

    def __init__(self, matches: Sequence[Any]) -> None:
        self._matches = matches
        self.start: int = matches[0].start()
        self.end: int = matches[-1].end()

    def groups(self) -> Mapping[str, str]:
        """Those that took part, by name."""
        named = (one.groupdict() for one in self._matches)
        return {name: value.decode() for groups in named for name, value in groups.items() if value is not None}


class Text:
    """A text in which many patterns are looked for: every part is looked for once. Bytes: half the time of str."""

    def __init__(self, text: str) -> None:
        self.data = text.encode("utf-8", "replace")
        self._places: dict[str, _Places] = {}

    def last(self, pattern: Pattern, is_right: Callable[[Match], bool] = lambda match: True) -> Match | None:
        """The last match that `is_right`, each part as near to the one before it as it can be."""
        followers: list[_Places] = [self._all(pattern.parts[-1])]
        for part, gap in zip(reversed(pattern.parts[:-1]), reversed(pattern.gaps), strict=True):
            nearest = followers[0]
            followers.insert(0, _Places([one for one in self._all(part).matches if nearest.next(one.end(), gap)]))
        for first in reversed(followers[0].matches):
            chain = [first]
            for places, gap in zip(followers[1:], pattern.gaps, strict=True):
                chain.append(places.next(chain[-1].end(), gap))
            match = Match(chain)
            if is_right(match):
                return match
        return None

    def has(self, pattern: Pattern, start: int, end: int) -> bool:
        """Whether a match of the one part of `pattern` lies between two places."""
        found = self._all(pattern.parts[0]).next(start, end - start)
        return found is not None and bool(found.end() <= end)

    def last_end(self, pattern: Pattern, before: int) -> int:
        """Where the last match that begins before a place ends; 0 without one."""
        places = self._all(pattern.parts[0])
        index = bisect_left(places.starts, before)
        return int(places.matches[index - 1].end()) if index else 0

    def _all(self, part: str) -> _Places:
        if part not in self._places:
            self._places[part] = _Places(list(compiled(part).finditer(self.data)))
        return self._places[part]


class _Places:
    """Matches of one part, from the first to the last."""

    def __init__(self, matches: Sequence[Any]) -> None:
        self.matches = matches
        self.starts = [one.start() for one in matches]

    def next(self, end: int, gap: int) -> Any | None:
        """The first that begins at `end` or at most `gap` bytes behind it."""
        index = bisect_left(self.starts, end)
        return self.matches[index] if index < len(self.starts) and self.starts[index] <= end + gap else None


class PatternFilter:
    """Which of many patterns can match a text at all: one walk over it for all of them together."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._patterns = tuple(dict.fromkeys(patterns))
        self._parts = tuple(dict.fromkeys(part for pattern in self._patterns for part in pattern.parts))
        self._filter = re2.Filter()
        for part in self._parts:
            self._filter.Add(_flagged(part), _options())
        if self._parts:
            self._filter.Compile()

    def of(self, text: Text) -> frozenset[Pattern]:
        there = {self._parts[index] for index in self._filter.Match(text.data) or ()} if self._parts else set()
        return frozenset(pattern for pattern in self._patterns if there.issuperset(pattern.parts))


@lru_cache(maxsize=1024)
def compiled(expression: str) -> Any:
    """Raises ValueError."""
    try:
        return re2.compile(_flagged(expression), _options())
    except re2.error as error:
        said = error.args[0] if error.args else b""
        words = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise ValueError(f"{words}: {expression}") from error


def _flagged(expression: str) -> str:
    return f"(?m){expression}"


def _options() -> Any:
    options = re2.Options()
    options.max_mem = _MOST_MEMORY
    options.log_errors = False
    return options
