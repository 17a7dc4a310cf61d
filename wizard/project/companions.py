"""The packages that hang on torch, on CUDA or on a compiler: `matrices/companions.toml` as values."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Annotated, Literal
from urllib.parse import unquote, urlsplit

import msgspec
from packaging.specifiers import SpecifierSet
from packaging.utils import parse_wheel_filename
from packaging.version import Version

from wizard.compatibility.data.ordering import version_key
from wizard.model.tables import SOME, Date, Https, Name, Row, Words, parse_table, shipped_table
from wizard.system.traits import of

Names = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9*][a-z0-9.*-]*$")]  # with `*` for any ending
Numbers = Annotated[str, msgspec.Meta(pattern=r"^[0-9]+(\.[0-9a-z]+)*$")]


class Companion(Row, frozen=True):
    KEYS = (("name",),)

    name: Name
    wheels: Literal["index", "torch", "pages", "releases", "none", "conda"]
    source: Words
    as_of: Date
    confidence: Literal["high", "medium", "low"]
    also: tuple[Names, ...] = ()
    follows: bool = False
    card: bool = False
    lacks: tuple[Literal["windows", "linux"], ...] = ()  # systems, as "windows"
    instead: Name = ""
    ready: tuple[Literal["windows", "linux"], ...] = ()  # systems with wheels on the index, whatever `wheels` says
    newest: Numbers = ""  # torch, of two numbers; "": no row says it
    least: Annotated[str, msgspec.Meta(pattern=r"^(\d+\.\d)?$")] = ""  # compute capability; "": no row says it
    where: Https = ""

    def ends_before(self, torch: str) -> bool:
        """Return whether no ready wheels are known for so new a torch."""
        return bool(self.newest) and version_key(torch)[:2] > version_key(self.newest)[:2]

    def page(self, torch: str, variant: str) -> str:
        """Return the page of wheels for this build, named by the release's first; "" where there is none."""
        minor = ".".join(torch.split(".")[:2])
        is_there = self.wheels == "pages" and not self.ends_before(torch)
        return self.where.format(torch=f"{minor}.0", minor=minor, cuda=variant) if is_there else ""


class Pair(Row, frozen=True):
    """Which torch a release of a companion was made for."""

    KEYS = (("companion", "version"),)

    companion: Name
    version: Numbers
    torch: Numbers  # a release, or the first two numbers of one
    source: Words
    as_of: Date
    confidence: Literal["high", "medium", "low"]


class CondaNamed(Row, frozen=True):
    """Packages that have the same name at conda and on the package index."""

    KEYS = (("names",),)

    names: Annotated[tuple[Name, ...], SOME]
    source: Words
    as_of: Date
    confidence: Literal["high", "medium", "low"]


class WheelPythons(Row, frozen=True):
    """The Pythons of a package's wheels: `RELEASE FIRST-LAST`, from each release to the next in the list."""

    KEYS = (("package",),)

    package: Name
    since: Annotated[tuple[Annotated[str, msgspec.Meta(pattern=r"^[0-9.]+ 3\.\d+-3\.\d+$")], ...], SOME]
    source: Words
    as_of: Date
    confidence: Literal["high", "medium", "low"]
    also: tuple[Name, ...] = ()  # built with it


class CodeHost(Row, frozen=True):
    """`archive`: where it has a snapshot of a `{repository}` at a `{ref}`."""

    KEYS = (("host",),)

    host: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)+$")]
    archive: Annotated[str, msgspec.Meta(pattern=r"^\{repository\}/\S*\{ref\}\S*\.zip$")]
    source: Words
    as_of: Date
    confidence: Literal["high", "medium", "low"]


class CompanionTable(Row, frozen=True):
    companion: Annotated[tuple[Companion, ...], SOME]
    pair: tuple[Pair, ...] = ()
    conda_named: tuple[CondaNamed, ...] = ()
    wheel_pythons: tuple[WheelPythons, ...] = ()
    code_host: tuple[CodeHost, ...] = ()


def parse_companions(document: str) -> CompanionTable:
    """Raises TableError."""
    return parse_table("companions", document, CompanionTable)


@lru_cache(maxsize=1)
def companion_table() -> CompanionTable:
    """Raises WizardError `bad-table`."""
    return shipped_table("companions", CompanionTable)


@lru_cache(maxsize=1)
def _by_name() -> tuple[dict[str, Companion], list[tuple[re.Pattern[str], Companion]]]:
    """Return the rows by whole names, and those of names with an open ending."""
    whole: dict[str, Companion] = {}
    open_ended = []
    for row in companion_table().companion:
        for name in (row.name, *row.also):
            if "*" in name:
                open_ended.append((re.compile(translate(name)), row))
            else:
                whole.setdefault(name, row)
    return whole, open_ended


@lru_cache(maxsize=65536)
def companion(name: str) -> Companion | None:
    """Return the row for a normalized name."""
    whole, open_ended = _by_name()
    return whole.get(name) or next((row for pattern, row in open_ended if pattern.match(name)), None)


@lru_cache(maxsize=1)
def conda_names() -> frozenset[str]:
    """Return what is the same package when conda names it. Others may be anything on the package index."""
    return frozenset(name for row in companion_table().conda_named for name in row.names)


def torch_of(name: str, version: str) -> str:
    """Return the torch that this release was made for; "" where no row says it."""
    for pair in companion_table().pair:
        if pair.companion == name and pair.version == re.sub(r"\+.*", "", version):
            return pair.torch
    return ""


@lru_cache(maxsize=1)
def _wheel_rows() -> dict[str, WheelPythons]:
    return {name: row for row in companion_table().wheel_pythons for name in (row.package, *row.also)}


@lru_cache(maxsize=8192)
def has_wheel(package: str, specifier: str, python: str) -> bool:
    """Return whether a release that meets it may have a wheel for that Python; True where no row says it."""
    row = _wheel_rows().get(package)
    if row is None or not re.search(r"[<=~]", specifier.replace(">=", "")):
        return True
    asked = SpecifierSet(specifier)
    rows = [(Version(since), pythons) for since, pythons in map(str.split, row.since)]
    named = [Version(one.version.removesuffix(".*")) for one in asked]
    meeting = [one for one in [*(since for since, _ in rows), *named] if asked.contains(one, prereleases=True)]
    pythons = [next((pythons for since, pythons in reversed(rows) if since <= one), "") for one in meeting]
    before = version_key(rows[0][1].split("-")[1])[1] - 1
    oldest = f"3.0-3.{before}"  # of what came before the table, which begins where a Python was added
    return not meeting or any(_is_among(python, one or oldest) for one in pythons)


def _is_among(python: str, pythons: str) -> bool:
    first, last = map(version_key, pythons.split("-"))
    return first <= version_key(python) <= last


def fits_here(url: str, os: str, python: str) -> bool:
    """Return whether a linked wheel may be for this; so may what is no wheel."""
    try:
        tags = parse_wheel_filename(PurePosixPath(urlsplit(unquote(url)).path).name)[3]
    except ValueError:
        return True
    here = {"win32": "win", "darwin": "macosx"}.get(of(os).markers["sys_platform"], "linux")
    mine = "cp" + python.replace(".", "")
    return any(
        (one.interpreter == mine or one.abi == "abi3" or one.interpreter.startswith("py"))
        and (one.platform == "any" or here in one.platform)
        for one in tags
    )
