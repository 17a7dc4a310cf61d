"""Sets of byte ranges: sorted, disjoint, half-open `(start, end)` pairs. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Range = tuple[int, int]
Ranges = tuple[Range, ...]


def add(ranges: Iterable[Range], start: int, end: int) -> Ranges:
    """With `start..end` included; what overlaps or touches becomes one."""
    merged: list[Range] = []
    for low, high in sorted([*ranges, (start, end)]):
        if low >= high:
            continue
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def missing(ranges: Ranges, size: int, align: int = 1) -> Ranges:
    """What is not covered of `0..size`. Starts are rounded down to `align` (direct writes need whole blocks)."""
    gaps: list[Range] = []
    at = 0
    for start, end in ranges:
        if start > at:
            gaps.append((at, start))
        at = max(at, end // align * align if end < size else end)
    if at < size:
        gaps.append((at, size))
    return tuple(gaps)


def split(gaps: Iterable[Range], chunk: int) -> Iterator[Range]:
    for start, end in gaps:
        for low in range(start, end, chunk):
            yield low, min(low + chunk, end)


def total(ranges: Iterable[Range]) -> int:
    return sum(end - start for start, end in ranges)


def covered_to(ranges: Ranges, at: int) -> int:
    """How far the bytes reach from `at` without a hole."""
    return next((end for start, end in ranges if start <= at < end), at)
