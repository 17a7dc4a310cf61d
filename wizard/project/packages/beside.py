"""What packages of the index work with and do not bring: programs and libraries of the system, what a command of
their own fetches after they are installed, and what a call of the project needs beside them.

What these are is rows (`system_program`, `after_install`, `gone`) of `matrices/companions.toml`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wizard.compatibility.data.ordering import version_key
from wizard.model.messages import Message, message
from wizard.project.model import OLD_BUILD, Statement, first_few
from wizard.project.packages.companions import releases_for
from wizard.project.packages.rows import companion_table
from wizard.project.understand import Understood
from wizard.project.versions import can_meet, marker_holds, meets

_MOST_NAMED = 6  # in one sentence


def of_the_system(asks: Understood, os: str, python: str, torch: str) -> Iterator[Message]:
    """Name the programs and libraries of the system that packages work with, where no line of another remark has it."""
    lines, words = _lines(asks, os, python), list[str]()
    lines |= {one.name: one for one in lacking_beside(asks, torch)}
    said = " ".join(str(value) for one in asks.remarks for value in one.params.values())
    named = {name for one in asks.remarks for name in str(one.params.get("programs", "")).split(", ")}
    for row in companion_table().system_program:
        users = row.users
        using = [name for name, one in lines.items() if name in users and row.is_used_by(name, os, one.specifier)]
        on_this = row.way_on(os)
        is_said = not on_this or on_this in said or row.name in named
        if using and not any(name in lines for name in row.brought_by) and not is_said:
            words.append(f"{', '.join(using)}: {row.name} ({on_this})")
    if words:
        yield message(
            "project.remark.of-the-system",
            "Some packages work with what the system must have, and no package of the index brings it: {programs}. "
            "Install it, if it is not there.",
            programs=first_few(words, _MOST_NAMED, "; "),
        )


def lacking_beside(asks: Understood, torch: str) -> list[Statement]:
    """Return the calls that with this torch need a package which no line has, each with that as its name."""
    named = {one.name for one in (*asks.packages, *asks.told)}
    calls = [replace(one, name=one.extras[1]) for one in asks.beside_code if not meets(one.specifier, torch)]
    return [one for one in calls if one.name not in named]


def beside_code(asks: Understood, torch: str) -> Iterator[Message]:
    """Name what a call of the project needs beside the torch that is taken, and no line has."""
    for one in lacking_beside(asks, torch):
        release = next(iter(releases_for(one.name, torch)[::-1]), "")
        yield message(
            "project.remark.beside-code",
            "{file}, line {line} uses {used}, which without {package} only torch {kept} has, and no list of the "
            "project names that package. Add {words} afterwards, else this use fails.",
            file=one.origin.file,
            line=one.origin.line,
            used=one.extras[0],
            package=one.name,
            kept=one.specifier,
            words=f"{one.name}{f'=={release}' if release[:1].isdigit() else release}",
        )


def from_own_index(asks: Understood, os: str, python: str) -> Iterator[Message]:
    """Yield what lines ask for that only an index of its makers has, where no line of the project names that."""
    rows = {row.package: row for row in companion_table().own_index}
    for one in asks.packages:
        row = rows.get(one.name)
        is_old = bool(row and one.specifier) and not can_meet(one.specifier, f">={row.since}" if row else "")
        if row is None or one.url or not is_old or not marker_holds(one.marker, os, python):
            continue
        if not any(source.url.startswith(row.where.rstrip("/")) for source in asks.sources):
            yield message(
                "project.remark.own-index",
                "{file}, line {line} (“{asked}”): the package index has {package} from {since} on alone, and its "
                "makers have older ones at {page}. Name that index as well, or take a newer release.",
                file=one.origin.file,
                line=one.origin.line,
                asked=str(one),
                package=one.name,
                since=row.since,
                page=row.where,
            )


def after_install(asks: Understood, os: str, python: str) -> Iterator[Message]:
    """Name the commands by which packages fetch what they do not start without, and what an old source is built with;
    none is run here."""
    lines = _lines(asks, os, python)
    yield from _old_builds(asks, os, python)
    for row in companion_table().after_install:
        if one := lines.get(row.package):
            yield message(
                "project.remark.after-install",
                "{file}, line {line}: {package} is not whole without what `{command}` fetches, which is not run here. "
                "Run it in the environment afterwards.",
                file=one.origin.file,
                line=one.origin.line,
                package=row.package,
                command=row.command,
            )


def _old_builds(asks: Understood, os: str, python: str) -> Iterator[Message]:
    """Say which releases are there as source that today's setuptools refuse, and which own setup.py."""
    lines = _lines(asks, os, python)
    for row in companion_table().old_build:
        if version_key(python) < version_key(row.since):  # what that Python has is old enough
            continue
        where = next((one.origin for one in asks.demands if one.name == OLD_BUILD and one.group == row.package), None)
        if where:
            yield message(
                "project.remark.old-setup",
                "{file}, line {line}: the project's own setup.py imports {name}, which setuptools {bound} alone has. "
                "Build the project with such a one in the environment, and with `--no-build-isolation`.",
                file=where.file,
                line=where.line,
                name=row.package,
                bound=row.setuptools,
            )
        one = lines.get(row.package) if row.before else None
        is_open = one is not None and can_meet(one.specifier, f">={row.before}")
        if one and not one.url and (not is_open or (not one.specifier and "" < asks.changed < row.until)):
            yield message(
                "project.remark.old-build",
                "{file}, line {line}: {package} before {release} is there as source alone, which setuptools {bound} "
                "builds and newer ones refuse; this program builds nothing itself. For such a release have that "
                "setuptools in the environment, and build it with `--no-build-isolation`.",
                file=one.origin.file,
                line=one.origin.line,
                package=one.name,
                release=row.before,
                bound=row.setuptools,
            )


def _lines(asks: Understood, os: str, python: str) -> dict[str, Statement]:
    """Return the first line of each package that is planned, or that a README or a script installs."""
    told = (one for one in asks.told if not one.url)
    lines = [one for one in (*asks.packages, *told) if marker_holds(one.marker, os, python)]
    return {one.name: one for one in reversed(lines)}
