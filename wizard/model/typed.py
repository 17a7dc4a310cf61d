"""Reads JSON and plain values as typed ones: msgspec, whose description of a type is made by one thread at a time.

msgspec writes a type's description onto the type at the first use; a second thread that comes in the middle takes the
unfinished one, and the program dies (0.22, seen with two errands of the window that read a plan each).
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
_describing = threading.Lock()
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


def from_json(data: bytes | str, shape: type[T]) -> T:
    """Raises msgspec.MsgspecError, UnicodeDecodeError, RecursionError."""
    decoded: T = _decoder(shape).decode(data)
    return decoded


def described(shape: type[T]) -> type[T]:
    """`shape`, for msgspec's own functions."""
    _decoder(shape)
    return shape


def _decoder(shape: Any) -> msgspec.json.Decoder[Any]:
    found = _decoders.get(shape)
    if found is None:
        with _describing:
            found = _decoders.setdefault(shape, msgspec.json.Decoder(shape))
    return found
