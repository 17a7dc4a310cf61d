"""The rows of `matrices/companions.toml` that say what the computer itself must have, and what one system lacks."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import msgspec
from packaging.version import Version

from wizard.model.tables import SOME, Name, Sourced, Words
from wizard.project.versions import can_meet

_NO_END = "99.0"  # a compute capability that no card has
Program = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9*][a-z0-9.*-]*$")]


class SystemProgram(Sourced, frozen=True):
    """A program or a library of the system: `words` are its names at package managers, `said` those in sentences, and
    `started` what code calls it by; `used_by` are packages of the index that work with it and do not bring it,
    `used_on` those that bring it for the other system alone, `used_before` those whose releases before one do not bring
    it on a system, and `brought_by` those that bring it for others. A system without a way to it has it, or no use for
    it. What is `common` says nothing in the recipe of an image."""

    KEYS = (("name",),)

    name: Words
    words: Annotated[tuple[Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9.+-]*$")], ...], SOME]
    on_windows: str = ""
    on_linux: str = ""
    started: tuple[Program, ...] = ()
    said: tuple[Words, ...] = ()
    common: bool = False
    used_by: tuple[Name, ...] = ()
    used_on: tuple[Annotated[str, msgspec.Meta(pattern=r"^(windows|linux) [a-z0-9-]+$")], ...] = ()
    used_before: tuple[Annotated[str, msgspec.Meta(pattern=r"^(windows|linux) [a-z0-9-]+ [0-9.]+$")], ...] = ()
    brought_by: tuple[Name, ...] = ()

    def way_on(self, os: str) -> str:
        """Return the command or page by which it comes on `os`; "" where nothing is to be done."""
        return {"windows": self.on_windows, "linux": self.on_linux}[os]

    @property
    def users(self) -> frozenset[str]:
        """Return the packages that may work with it, on one of both systems or in some release."""
        return frozenset((*self.used_by, *(one.split()[1] for one in (*self.used_on, *self.used_before))))

    def is_used_by(self, package: str, os: str, specifier: str = "") -> bool:
        """Return whether a package works with it here, in all releases that a line asks for."""
        begins = [one.rpartition(" ") for one in self.used_before]
        old = any(of == f"{os} {package}" and not can_meet(specifier, f">={release}") for of, _, release in begins)
        return old or package in self.used_by or f"{os} {package}" in self.used_on


class OldBuild(Sourced, frozen=True):
    """A package whose releases `before` one are there as source alone, and are built with an older `setuptools` than
    today's, from the Python `since` on, which newer setuptools need; `until` the day of that release, where a project
    leaves the version open. Without `before` it is a module that a project's own setup.py may import."""

    KEYS = (("package",),)

    package: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9_-]*$")]
    setuptools: Annotated[str, msgspec.Meta(pattern=r"^<[0-9.]+$")]
    before: Annotated[str, msgspec.Meta(pattern=r"^[0-9.]+$")] = ""
    until: Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")] = ""
    since: Annotated[str, msgspec.Meta(pattern=r"^3\.\d+$")] = ""


class OfUnix(Sourced, frozen=True):
    """What Windows lacks: modules of Python's own, packages of conda, a setting of the environment (`NAME=value`), a
    backend of torch.distributed."""

    KEYS = (("kind", "names"),)

    kind: Literal["module", "setting", "backend"]
    names: Annotated[tuple[Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_=-]+$")], ...], SOME]


class BuildBackend(Sourced, frozen=True):
    """A `build-backend` of pyproject.toml that compiles: its module, and what the computer `needs` for it."""

    KEYS = (("backend",),)

    backend: Annotated[str, msgspec.Meta(pattern=r"^[a-z_]+$")]
    needs: Words


class CardSpan(Sourced, frozen=True):
    """The cards that the releases of a package have code for: `RELEASE LEAST-MOST`, two compute capabilities, from each
    release to the next in the list; `*`: any, or nobody knows. `ended`: the index gets no newer release of it."""

    KEYS = (("package",),)

    package: Name
    since: Annotated[tuple[Annotated[str, msgspec.Meta(pattern=r"^[0-9.]+ (\*|\d+\.\d-\d+\.\d)$")], ...], SOME]
    also: tuple[Name, ...] = ()
    ended: bool = False

    def of(self, specifier: str) -> tuple[str, str] | None:
        """Return the least and the most of a pinned release, and of the last one; of what is open the least that the
        newest asks for."""
        pin = re.fullmatch(r"={2,3}([0-9]{1,9}(?:\.[0-9]{1,9}){0,5})(?:\.\*|[a-z.+][\w.+]*)?", specifier)
        spans = [one.split() for one in self.since]
        older = [span for since, span in spans if pin is None or Version(since) <= Version(pin[1])]
        if not older or older[-1] == "*" or (pin is None and re.search("<|~=|==", specifier)):
            return None
        least, _, most = older[-1].partition("-")
        return least, most if pin or self.ended else _NO_END
