"""Read JSON, TOML and plain values as typed ones: msgspec, whose description of a type is made by one thread at a time.

msgspec writes a type's description onto the type at the first use; a second thread that comes in the middle takes the
unfinished one, and the program dies (0.22, seen with two errands of the window that read a plan each).
"""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from pathlib import Path
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
_MOST_AT_END = 20  # lines of a child, its answer among them
_describing = threading.Lock()
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


def from_json(data: bytes | str, shape: type[T]) -> T:
    """Return JSON as `shape`. Raises msgspec.MsgspecError, UnicodeDecodeError, RecursionError."""
    decoded: T = _decoder(shape).decode(data)
    return decoded


def from_own_json(data: bytes | str, shape: type[T]) -> T:
    """Return what we or a child of ours wrote: also names that are no text (lone surrogates), and `Path` fields.

    Raises ValueError (msgspec's errors are such), RecursionError.
    """
    return msgspec.convert(json.loads(data), described(shape), dec_hook=_path)


def from_last_line(printed: str, shape: type[T]) -> T:
    """Return what a child printed last; lines of a start-up hook before it do no harm, nor what is said at its end.

    Raises ValueError, RecursionError.
    """
    lines = printed.strip().split("\n")[-_MOST_AT_END:]
    for line in reversed(lines):
        with contextlib.suppress(ValueError):
            return from_own_json(line, shape)
    return from_own_json(lines[-1], shape)


def from_toml(text: str) -> dict[str, Any]:
    """Return a TOML document. Raises ValueError, also for one that is nested too deep."""
    if sys.version_info >= (3, 11):  # on demand: most starts read none
        import tomllib
    else:
        import tomli as tomllib
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    return document


def read_own_json(path: Path, shape: type[T]) -> T | None:
    """Return what a file of ours holds; None for one that is not there, is cut short or holds something else."""
    try:
        return from_own_json(path.read_bytes(), shape)
    except (OSError, ValueError, RecursionError):
        return None


def _path(kind: type, value: Any) -> Path:
    if kind is Path and isinstance(value, str):
        return Path(value)
    raise ValueError(f"{value!r} is no {kind.__name__}")


def described(shape: type[T]) -> type[T]:
    """Return `shape`, for msgspec's own functions."""
    _decoder(shape)
    return shape


def _decoder(shape: Any) -> msgspec.json.Decoder[Any]:
    found = _decoders.get(shape)
    if found is None:
        with _describing:
            found = _decoders.setdefault(shape, msgspec.json.Decoder(shape))
    return found
