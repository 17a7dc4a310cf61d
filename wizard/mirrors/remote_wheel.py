"""Looks into a torch wheel where it lies, without downloading it: which CUDA, which machine code.

About 1.5 MB of a wheel is read (its directory is most of that), and 7 to 10 MB where only the compiled
library can tell. Nothing of the wheel is run. What could not be told is None, never a guess.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from packaging.version import Version

from wizard.mirrors.address import file_path
from wizard.mirrors.client import Client
from wizard.mirrors.model import Offer
from wizard.mirrors.ranged_file import RangedFile
from wizard.mirrors.unreachable import SourceUnreachable
from wizard.mirrors.wheel_code import ANY_HOST, find_arch_flags, parse_release_table, parse_version_file
from wizard.process import redact

_TEXT_LIMIT = 1024 * 1024
_LIBRARY_LIMIT = 192 * 1024 * 1024  # unpacked
_CHUNK = 256 * 1024
_CUDA = re.compile(r"(\d{1,2})\.(\d)", re.ASCII)
_LIBRARIES = ("torch/lib/libtorch_python.so", "torch/lib/torch_python.dll")
BROKEN = (zipfile.BadZipFile, zlib.error, KeyError, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)


@dataclass(frozen=True, slots=True)
class WheelContents:
    """`architectures` None: not told. `evidence`: where in the wheel it stands. `read_bytes`: what the look cost."""

    version: str  # with the local part, as the wheel itself says
    cuda: str | None
    architectures: tuple[str, ...] | None
    evidence: str
    confidence: str
    read_bytes: int

    @property
    def variant(self) -> str | None:
        """None for a CUDA that is no version: the tags have one digit after the dot."""
        if not self.cuda:
            return "cpu"
        match = _CUDA.fullmatch(self.cuda)
        return f"cu{match[1]}{match[2]}" if match else None

    @property
    def release(self) -> Version | None:
        """The version that stands inside, without its local part; None for what is no version."""
        try:
            return Version(Version(self.version).public)
        except ValueError:  # also for numbers of thousands of digits
            return None


def read_wheel(client: Client, offer: Offer) -> WheelContents:
    """Raises SourceUnreachable: `source-no-ranges`, `wheel-unreadable`, `wheel-too-costly`, or as `Client.get`."""
    source = offer.source.label
    try:
        if offer.url.lower().startswith("file:"):
            with file_path(offer.url).open("rb") as file:
                return _look(file, offer, None)
        ranged = RangedFile(client, offer.url, source)
        with io.BufferedReader(ranged, 64 * 1024) as file:
            return _look(file, offer, ranged)
    except BROKEN as error:
        raise SourceUnreachable(
            "wheel-unreadable", redact(f"{offer.url}: {error!r}"), source=source, file=offer.filename
        ) from error


def _look(file: IO[bytes], offer: Offer, ranged: RangedFile | None) -> WheelContents:
    with zipfile.ZipFile(file) as wheel:
        version, cuda = parse_version_file(_text(wheel, "torch/version.py"))
        architectures, evidence, confidence = _code(wheel, cuda, offer) if cuda else (None, "", "high")
    read = ranged.fetched if ranged else 0
    return WheelContents(version or str(offer.version), cuda, architectures, evidence, confidence, read)


def _text(wheel: zipfile.ZipFile, name: str) -> str:
    with wheel.open(name) as member:
        return member.read(_TEXT_LIMIT).decode("utf-8", errors="replace")


def _code(wheel: zipfile.ZipFile, cuda: str, offer: Offer) -> tuple[tuple[str, ...] | None, str, str]:
    """The table is for Linux builds; elsewhere, and where it is silent, the library is asked first."""
    platforms = {tag.platform for tag in offer.tags}
    listed = _listed(wheel, cuda, "aarch64" if any(name.endswith("aarch64") for name in platforms) else "x86_64")
    on_linux = any("linux" in name for name in platforms)
    if listed and on_linux:
        return listed, "table inside the wheel", "high"
    flags = find_arch_flags(_library(wheel))
    if flags:
        return flags, "arch flags string in the wheel's library", "high" if len(flags) > 1 else "medium"
    return (listed, "table inside the wheel, made for Linux", "medium") if listed else (None, "", "low")


def _listed(wheel: zipfile.ZipFile, cuda: str, host: str) -> tuple[str, ...]:
    by_host = parse_release_table(_text(wheel, "torch/cuda/__init__.py")).get(cuda, {})
    return by_host.get(host) or by_host.get(ANY_HOST, ())


def _library(wheel: zipfile.ZipFile) -> Iterator[bytes]:
    name = next((name for name in _LIBRARIES if name in wheel.NameToInfo), None)
    if name is None:
        return
    with wheel.open(name) as member:
        left = _LIBRARY_LIMIT
        while left > 0 and (chunk := member.read(_CHUNK)):
            left -= len(chunk)
            yield chunk
