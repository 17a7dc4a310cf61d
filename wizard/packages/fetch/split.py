"""An address of a file that lies in parts: `…/torch.whl#parts=4278190080,81264` means `torch.whl.001`, `.002`.

A request for a range goes to the part that the range begins in and ends with that part; the downloader asks for the
rest by itself, as it does when a server breaks off. So parts need no joining beforehand, and the one hash of the whole
file is taken as always.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from wizard.packages.fetch.model import Fault, NoRanges
from wizard.packages.fetch.reply import Reply

_MARK = "#parts="
Get = Callable[[str, int, int | None], Reply]


def split_address(url: str, sizes: Sequence[int]) -> str:
    return url + _MARK + ",".join(map(str, sizes))


def is_split(url: str) -> bool:
    return _MARK in url


def get_split(url: str, start: int, end: int | None, get: Get) -> Reply:
    """`get(url, start, end)` of one part; the reply is told in the whole file's numbers. Raises Fault."""
    whole, _, listed = url.partition(_MARK)
    try:
        sizes = [int(size) for size in listed.split(",")]
    except ValueError as error:
        raise Fault("fetch-not-found", url, hard=True) from error
    offset = 0
    for number, size in enumerate(sizes, 1):
        if start < offset + size:
            until = size if end is None else min(end - offset, size)
            reply = get(f"{whole}.{number:03}", start - offset, until)
            return _told_whole(reply, offset, size, start - offset, sum(sizes))
        offset += size
    raise Fault("fetch-changed", f"{start} is behind the last part", hard=True)


def _told_whole(reply: Reply, offset: int, size: int, asked: int, total: int) -> Reply:
    if reply.total is not None and reply.total != size:
        raise Fault("fetch-size-mismatch", f"a part of {reply.total} bytes instead of {size}", hard=True)
    if reply.status == 200 and asked:
        raise NoRanges
    return replace(reply, status=206, start=offset + reply.start, total=total, etag=None)
