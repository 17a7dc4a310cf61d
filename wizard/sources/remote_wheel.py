"""Reads a wheel where it lies, without downloading it: its metadata, which CUDA, which machine code.

About 1.5 MB of a wheel is read (its directory is most of that), and 7 to 10 MB where only the compiled
library has it. Nothing of the wheel is run. What is not known is None, never a guess.

One file: all of it reads one wheel through the same few requests.
"""

from __future__ import annotations

import ast
import email
import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import Version

from wizard.model.errors import ErrorText
from wizard.model.messages import Words
from wizard.model.syntax import NO_PYTHON, parsed
from wizard.process import redact
from wizard.sources.model import Offer
from wizard.transfer.address import file_path
from wizard.transfer.http import Client, HttpPage, SourceUnreachable, explain_status

SOURCE_NO_RANGES = ErrorText(
    "source-no-ranges",
    "{source} does not send parts of files, so its package files cannot be looked into without downloading them.",
    "Choose another source, or wait for an update of this program, which brings the facts.",
)
WHEEL_UNREADABLE = ErrorText(
    "wheel-unreadable",
    "{file} from {source} could not be read as a package file.",
    "Try again later, or choose another source; tell the people who run it.",
)

# What the files inside a torch wheel say of its machine code. Pure: text or bytes in, values out; nothing is run.
#
# `torch/version.py` names the CUDA. `torch/cuda/__init__.py` has, since torch 2.9, the table of that release's builds
# (for Linux; Windows builds may differ). The compiled Python library holds the very string that
# `torch.cuda.get_arch_list()` returns: the proof, but megabytes deep.

ANY_HOST = "*"
_TABLE = "PYTORCH_RELEASES_CODE_CC"
_FLAGS = re.compile(rb"\x00((?:sm|compute)_\d{2,3}[af]?(?: (?:sm|compute)_\d{2,3}[af]?)+)\x00")
_ONE_FLAG = re.compile(rb"\x00((?:sm|compute)_\d{2,3})\x00")
_OVERLAP = 512  # the string may lie across two chunks
_PLAIN = re.compile(r"^(?:sm|compute)_\d{2,3}$")

Table = Mapping[str, Mapping[str, tuple[str, ...]]]  # CUDA -> host ("x86_64", "aarch64", "*") -> architectures


def _assigned(text: str) -> Iterable[tuple[str, ast.expr]]:
    """Yield the names that a module sets at its top level. A module that does not parse sets none."""
    try:
        tree = parsed(text)
    except NO_PYTHON:
        return
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, node.value
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value


def parse_version_file(text: str) -> tuple[str | None, str | None]:
    """Return (version, CUDA) of `torch/version.py`: ("2.15.0+cu132", "13.2"); the CPU build has no CUDA."""
    values = {name: node.value for name, node in _assigned(text) if isinstance(node, ast.Constant)}
    version, cuda = values.get("__version__"), values.get("cuda")
    return version if isinstance(version, str) else None, cuda if isinstance(cuda, str) else None


def parse_release_table(text: str) -> Table:
    """Read torch's table of builds; {} when it is not there or is of another form."""
    for name, node in _assigned(text):
        if name == _TABLE:
            try:
                return _table(ast.literal_eval(node))
            except (ValueError, TypeError, RecursionError, MemoryError):
                return {}
    return {}


def _table(value: object) -> Table:
    """By host since torch 2.13; before, one set for all."""
    if not isinstance(value, dict):
        return {}
    table: dict[str, dict[str, tuple[str, ...]]] = {}
    for cuda, by_host in value.items():
        hosts = by_host if isinstance(by_host, dict) else {ANY_HOST: by_host}
        table[str(cuda)] = {str(host): _architectures(codes) for host, codes in hosts.items()}
    return table


def _architectures(codes: object) -> tuple[str, ...]:
    if not isinstance(codes, (set, list, tuple)):
        raise TypeError("not a list of capabilities")
    numbers = sorted(code for code in codes if isinstance(code, int) and 10 <= code <= 999)
    return tuple(f"sm_{number}" for number in numbers)


def find_arch_flags(chunks: Iterable[bytes]) -> tuple[str, ...]:
    """Return the first list of architectures in a compiled library, read piece by piece; () when there is none.

    A build for one architecture has a list of one, which looks like any other name: taken if no other name is there.
    """
    rest, alone = b"", set[bytes]()
    for chunk in chunks:
        alone.update(_ONE_FLAG.findall(rest + chunk))
        found = _FLAGS.search(rest + chunk)
        if found:
            names = found[1].decode("ascii").split(" ")
            # sm_90a is code for 9.0 alone, beside the general code; it widens nothing.
            return tuple(dict.fromkeys(name for name in names if _PLAIN.match(name)))
        rest = (rest + chunk)[-_OVERLAP:]
    return (alone.pop().decode("ascii"),) if len(alone) == 1 else ()


# A file behind an address as a Python file object that fetches only the pieces that are read.
#
# For looking into a wheel of gigabytes without downloading it: `zipfile` reads the end, the directory and one member. A
# server that ignores ranges is not made to send the whole file, and there is a limit on what is fetched.

MOST_BYTES = 32 * 1024 * 1024
_SMALLEST, _LARGEST = 32 * 1024, 1024 * 1024  # bytes for one request; more when reading on
_CONTENT_RANGE = re.compile(r"^bytes (\d+)-(\d+)/(\d+)$")


class RangedFile(io.RawIOBase):
    """Raises SourceUnreachable from any read: `source-no-ranges`, `wheel-too-costly`, or as `Client.get`."""

    def __init__(self, client: Client, url: str, source: Words, most_bytes: int = MOST_BYTES) -> None:
        self.fetched = 0
        self._client, self._url, self._source, self._most = client, url, source, most_bytes
        self._at = 0
        self._pieces: list[tuple[int, bytes]] = []
        self._size: int | None = None
        self._fetch(0, 1)

    @property
    def size(self) -> int:
        return self._size or 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move within the file that lies far away; nothing is asked yet. Raises OSError before its start."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        if base + offset < 0:
            raise OSError("before the start of the file")
        self._at = base + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read bytes, by a range request where they are not here yet; 0 at the end."""
        wanted = min(len(buffer), self.size - self._at)
        if wanted <= 0:
            return 0
        piece = self._piece(self._at) or self._fetch(self._at, self._ahead(wanted))
        start, data = piece
        part = data[self._at - start : self._at - start + wanted]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)

    def _piece(self, at: int) -> tuple[int, bytes] | None:
        return next((piece for piece in self._pieces if piece[0] <= at < piece[0] + len(piece[1])), None)

    def _ahead(self, wanted: int) -> int:
        """Reading on from where the last piece ended: then more will be wanted."""
        start, data = self._pieces[-1]
        reads_on = start + len(data) == self._at
        return max(wanted, _LARGEST if reads_on and len(data) >= _SMALLEST else _SMALLEST)

    def _fetch(self, start: int, length: int) -> tuple[int, bytes]:
        if self._size is not None:
            length = min(length, self._size - start)
        if self.fetched + length > self._most:
            raise SourceUnreachable(
                "wheel-too-costly",
                "Looking into a package file of {source} would take too much traffic, so it was left.",
                "Choose another source, or wait for an update of this program, which brings the facts.",
                details=redact(self._url),
                source=self._source,
            )
        headers = {"Range": f"bytes={start}-{start + length - 1}", "Accept-Encoding": "identity"}
        page = self._client.get(self._url, self._source, headers, length)
        self._check(page, start)
        self.fetched += len(page.body)
        self._pieces.append((start, page.body))
        return self._pieces[-1]

    def _check(self, page: HttpPage, start: int) -> None:
        if page.status == 200:
            raise SourceUnreachable(SOURCE_NO_RANGES, details=redact(self._url), source=self._source)
        if page.status != 206:
            raise explain_status(page.status, self._source, self._url)
        found = _CONTENT_RANGE.match(page.content_range)
        size = int(found[3]) if found else -1
        if not found or int(found[1]) != start or not page.body or self._size not in (None, size):
            details = redact(f"{self._url}: asked from {start}, got {page.content_range!r}")
            raise SourceUnreachable(SOURCE_NO_RANGES, details=details, source=self._source)
        self._size = size


_TEXT_LIMIT = 1024 * 1024
_LIBRARY_LIMIT = 192 * 1024 * 1024  # unpacked
_CHUNK = 256 * 1024
_CUDA = re.compile(r"(\d{1,2})\.(\d)", re.ASCII)
_LIBRARIES = ("torch/lib/libtorch_python.so", "torch/lib/torch_python.dll")
BROKEN = (zipfile.BadZipFile, zlib.error, KeyError, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)


@dataclass(frozen=True, slots=True)
class WheelContents:
    """`architectures` None: not known. `evidence`: where in the wheel it stands. `read_bytes`: what reading it cost."""

    version: str  # with the local part, as the wheel itself says
    cuda: str | None
    architectures: tuple[str, ...] | None
    evidence: str
    confidence: str
    read_bytes: int

    @property
    def variant(self) -> str | None:
        """Return cu126, cpu; None for a CUDA that is no version: the tags have one digit after the dot."""
        if not self.cuda:
            return "cpu"
        match = _CUDA.fullmatch(self.cuda)
        return f"cu{match[1]}{match[2]}" if match else None

    @property
    def release(self) -> Version | None:
        """Return the version that stands inside, without its local part; None for what is no version."""
        try:
            return Version(Version(self.version).public)
        except ValueError:  # also for numbers of thousands of digits
            return None


def read_wheel(client: Client, offer: Offer) -> WheelContents:
    """Read what is inside. Raises SourceUnreachable: `source-no-ranges`, `wheel-unreadable`, `wheel-too-costly`, or as
    `Client.get`."""
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
            WHEEL_UNREADABLE, details=redact(f"{offer.url}: {error!r}"), source=source, file=offer.filename
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


# What a wheel says that it needs, read without downloading it: its METADATA beside it (PEP 658), else inside it.
#
# Used to pair torchvision with a torch that the tables do not know. Only the requirements are taken.

_LIMIT = 4 * 1024 * 1024
_MOST_BYTES = 16 * 1024 * 1024  # to find it at the end of a wheel: the largest list of files known takes 2


class _TooLargeError(Exception):
    """More metadata than any package has."""


def parse_requirements(text: str) -> tuple[Requirement, ...]:
    """Return those of a METADATA file; lines that are no requirement are passed over."""
    found = []
    for line in email.message_from_string(text).get_all("Requires-Dist", []):
        try:
            found.append(Requirement(str(line)))
        except InvalidRequirement:
            continue
    return tuple(found)


def read_requirements(client: Client, offer: Offer) -> tuple[Requirement, ...]:
    """Return what the wheel asks for. Raises as `read_metadata`."""
    return parse_requirements(read_metadata(client, offer).decode("utf-8", errors="replace"))


def read_metadata(client: Client, offer: Offer) -> bytes:
    """Return its METADATA. Raises SourceUnreachable: `wheel-unreadable` (also for metadata with a wrong hash),
    `metadata-too-large`, or as reading a page."""
    source = offer.source.label
    try:
        return _metadata(client, offer, source)
    except _TooLargeError as error:
        raise SourceUnreachable(
            "metadata-too-large",
            "The metadata of {file} from {source} are larger than {megabytes} MB, which no package's "
            "are: they were not read.",
            "Choose another source, or tell the people who run it.",
            details=redact(f"{offer.url}: {error}"),
            source=source,
            file=offer.filename,
            megabytes=round(_LIMIT / 1e6),
        ) from error
    except BROKEN as error:
        raise SourceUnreachable(
            WHEEL_UNREADABLE, details=redact(f"{offer.url}: {error!r}"), source=source, file=offer.filename
        ) from error


def _metadata(client: Client, offer: Offer, source: Words) -> bytes:
    if offer.url.lower().startswith("file:"):
        with file_path(offer.url).open("rb") as file:
            return _from_wheel(file)
    if offer.metadata is not None:
        return _beside(client, offer, source)
    with io.BufferedReader(RangedFile(client, offer.url, source, _MOST_BYTES), 64 * 1024) as file:
        return _from_wheel(file)


def _beside(client: Client, offer: Offer, source: Words) -> bytes:
    page = client.get(offer.url + ".metadata", source, {}, _LIMIT + 1)
    if page.status != 200:
        raise explain_status(page.status, source, offer.url)
    if offer.metadata and hashlib.sha256(page.body).hexdigest() != offer.metadata:
        raise ValueError("the core metadata have another SHA-256 than the page says")
    return _bounded(page.body)


def _from_wheel(file: IO[bytes]) -> bytes:
    """The wheel's own: packages that carry others inside have further files of this name."""
    with zipfile.ZipFile(file) as wheel:
        name = next(name for name in (*wheel.NameToInfo, "METADATA") if _is_own_metadata(name))
        with wheel.open(name) as member:
            return _bounded(member.read(_LIMIT + 1))


def _is_own_metadata(name: str) -> bool:
    return name == "METADATA" or (name.endswith(".dist-info/METADATA") and name.count("/") == 1)


def _bounded(data: bytes) -> bytes:
    if len(data) > _LIMIT:
        raise _TooLargeError(f"more than {_LIMIT} bytes of metadata")
    return data
