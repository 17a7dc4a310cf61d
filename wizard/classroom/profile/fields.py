"""The fields of a profile, read with suspicion, and what may be named in them.

TOML tables read with suspicion: each field has one type, form and size; what is wrong is noted under a dotted path.

Unlike `machine.fields` it does not stop at the first mistake, since a profile is mended by hand by the person who made
it. A field that is wrong reads as None, "" or (); whoever has asked for all of them looks at `problems`.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

from wizard.compatibility.resolve import check_extras
from wizard.environment.naming import check_name, check_place, find_flaw, is_invisible
from wizard.model.errors import UsageError
from wizard.model.messages import Message, message
from wizard.process import redact
from wizard.system.places import places
from wizard.system.traits import of
from wizard.transfer.address import is_loopback
from wizard.transfer.proxy.bypass import is_link_local_address

# What a profile may name: addresses, places, requirements. Each rule answers with the key of a problem, or None.
#
# A profile comes from somebody else and is opened by double click. It cannot run anything, leave its folders, name a
# secret, or send a machine to an address that is not secure; and even the bytes of a secure one count by SHA-256 alone.

_ADDRESS = re.compile(r"[!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~]+")
_HOST = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?\.?|[0-9a-f:.]+", re.IGNORECASE)
_NUMBER = re.compile(r"(0x[0-9a-f]*|\d+)", re.IGNORECASE)
_LONGEST_REQUIREMENT = 200
_SYSTEMS = ("windows", "linux")


def address_flaw(url: str, is_share: bool = False) -> str | None:
    """`is_share`: a class server in the local network may speak http. Every byte from there is held against the
    profile's own SHA-256 before it is used, so who listens in between can at worst be in the way."""
    parts = _parts(url)
    if parts is None or not _HOST.fullmatch(parts.hostname or ""):
        return "address"
    if parts.username is not None or "@" in parts.netloc or redact(url) != url:
        return "secret"
    if _is_disguised(parts.hostname or "") or is_link_local_address(parts.hostname or ""):
        return "host"
    if parts.scheme == "https" or (parts.scheme == "http" and (is_share or is_loopback(parts.hostname))):
        return "address" if parts.fragment or (is_share and parts.query) else None
    return "insecure"


def _is_disguised(host: str) -> bool:
    """`2852039166` and `0xA9.254.43518` are 169.254.169.254 to whoever opens a connection, and to nobody who reads."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return bool(_NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]))
    return False


def is_wheel_at(url: str, filename: str) -> bool:
    """As PEP 503 has it: the last part of a wheel's address is its name. Else a file of that name on an official host
    might be any other one there."""
    return unquote(urlsplit(url).path.rpartition("/")[2]) == filename


def _parts(url: str) -> SplitResult | None:
    if not _ADDRESS.fullmatch(url):
        return None
    try:
        parts = urlsplit(url)
        return parts if parts.scheme and parts.netloc and parts.port != 0 else None
    except ValueError:
        return None


def name_flaw(name: str) -> str | None:
    """One folder's name on both systems, since a class may have both."""
    if name.startswith("."):
        return "name"
    try:
        for system in _SYSTEMS:
            check_name(name, system)
    except UsageError:
        return "name"
    return None


def place_flaw(place: str, os_name: str) -> str | None:
    """Return what is wrong with a profile's place for environments on that system; None: it may be used."""
    if place.startswith("~/"):
        parts: tuple[str, ...] = tuple(place[2:].replace("\\", "/").split("/"))
        is_open = places(os_name).is_open_to_files(of(os_name).path(*parts))
        return "place" if not is_open or any(find_flaw(part, os_name) for part in parts) else None
    path = of(os_name).path(place)
    # A place on a server, or in Windows' own name space: opening it would log on there.
    if place.replace("\\", "/").startswith("//") or any(find_flaw(part, os_name) for part in path.parts[1:]):
        return "place"
    if not places(os_name).is_open_to_files(path):
        return "place"
    try:
        check_place(path / "environment", os_name)
    except UsageError:
        return "place"
    return None


def requirement_flaw(requirement: str) -> str | None:
    """`name>=1` with extras and markers; no address and no option. The locks decide; this is what is said of them."""
    if len(requirement) > _LONGEST_REQUIREMENT or "@" in requirement:
        return "requirement"
    try:
        check_extras((requirement,))
    except UsageError:
        return "requirement"
    return None


_LONGEST_TEXT = 2000
_LARGEST_NUMBER = 2**50
_MOST_PROBLEMS = 50


@dataclass(frozen=True, slots=True)
class FieldProblem:
    path: str
    words: Message


@dataclass(slots=True)
class Problems:
    found: list[FieldProblem] = field(default_factory=list)

    def add(self, path: str, key: str, **params: str | int) -> None:
        if len(self.found) < _MOST_PROBLEMS:
            self.found.append(FieldProblem(path, message(f"profile.problem.{key}", **params)))


@dataclass(frozen=True, slots=True)
class ProfileTable:
    value: Mapping[str, object]
    path: str
    problems: Problems

    def at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def fail(self, name: str, key: str, **params: str | int) -> None:
        self.problems.add(self.at(name), key, **params)

    def know(self, *names: str) -> None:
        """Every other key is a mistake: a word spelt wrongly would otherwise have no effect, and nobody would see."""
        for name in self.value:
            if name not in names:
                self.fail(shown(name), "unknown")

    def text(self, name: str, form: re.Pattern[str] | None = None, example: str = "") -> str:
        """A field that must be there."""
        if name not in self.value:
            self.fail(name, "missing")
        return self.text_or_none(name, form, example) or ""

    def text_or_none(self, name: str, form: re.Pattern[str] | None = None, example: str = "") -> str | None:
        """Return a text, or None where there is none or a wrong one, which is noted among the problems."""
        found = self.value.get(name)
        if found is None or not self._is_text(name, found, form, example):
            return None
        return str(found)

    def _is_text(self, name: str, found: object, form: re.Pattern[str] | None, example: str) -> bool:
        if not isinstance(found, str):
            self.fail(name, "text")
        elif len(found) > _LONGEST_TEXT:
            self.fail(name, "long", most=_LONGEST_TEXT)
        elif any(map(is_invisible, found)):
            self.fail(name, "unprintable")
        elif form and not form.fullmatch(found):
            self.fail(name, "form", found=shown(found), example=example)
        else:
            return True
        return False

    def number_or_none(self, name: str) -> int | None:
        """Return a whole number above 0, or None where there is none or a wrong one, which is noted."""
        found = self.value.get(name)
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int) or not 0 < found <= _LARGEST_NUMBER:
            self.fail(name, "number")
            return None
        return found

    def flag(self, name: str) -> bool:
        """Return a flag, False where it is missing; anything else is noted among the problems."""
        found = self.value.get(name, False)
        if not isinstance(found, bool):
            self.fail(name, "flag")
            return False
        return found

    def texts(self, name: str, most: int, form: re.Pattern[str] | None = None, example: str = "") -> tuple[str, ...]:
        """Return a list of at most `most` texts; wrong ones are noted among the problems and left out."""
        found = self.value.get(name, [])
        if not isinstance(found, list):
            self.fail(name, "list")
            return ()
        if len(found) > most:
            self.fail(name, "many", most=most)
            return ()
        numbered = [(f"{name}[{number}]", item) for number, item in enumerate(found)]
        return tuple(str(item) for at, item in numbered if self._is_text(at, item, form, example))

    def table(self, name: str) -> ProfileTable:
        """An empty one where there is none."""
        found = self.value.get(name, {})
        if not isinstance(found, dict):
            self.fail(name, "table")
            found = {}
        return ProfileTable(found, self.at(name), self.problems)

    def tables(self, name: str, most: int) -> Iterator[ProfileTable]:
        """Yield at most `most` tables, each with its place in the file; anything else is noted as a problem."""
        found = self.value.get(name, [])
        if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
            self.fail(name, "tables", table=name)
            return
        if len(found) > most:
            self.fail(name, "many", most=most)
            return
        for number, item in enumerate(found):
            yield ProfileTable(item, f"{self.at(name)}[{number}]", self.problems)


def shown(text: str, longest: int = 60) -> str:
    """On one line, whatever was written."""
    clean = "".join("\N{REPLACEMENT CHARACTER}" if is_invisible(one) else one for one in text)
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"
