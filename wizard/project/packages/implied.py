"""The torch and the Python that names of wheels and pages imply, and pins of what is made for one torch.

Said of lines that count (`understand`); whether that torch is taken is the weigher's matter.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from urllib.parse import unquote

from wizard.compatibility.data.ordering import version_key
from wizard.compatibility.model import Candidate
from wizard.project.model import BOUND, DECLARED, LOCKED, PYTHON, RECOMMENDED, TORCH, Project, Statement
from wizard.project.packages.companions import (
    companion,
    loads_whole_since,
    mended_names,
    torch_bound,
    torch_of,
)
from wizard.project.packages.cuda_tags import is_wheel_for, wheel_words
from wizard.project.versions import can_meet, meets, python_meets

_IMPLIED = re.compile(
    r"(?:torch[-_=]?|/torch)(\d+\.\d+(?:\.\d+)?)|(?:^|[+.])pt(\d)(\d{1,2})(?=cu|cpu)|_pyt(\d)(\d{1,2})\d(?!\d)"
)
_WHEEL_PYTHON = re.compile(r"-cp(3)(\d+)-cp3\d+-")


def implied_by(project: Project, os: str, has_card: bool, capability: str) -> Iterator[Statement]:
    """`torch2.9` and `pt113` in names of wheels and pages, `cp313` in wheels, pairs and bounds of the table."""
    # What is only recommended goes with the torch that is recommended.
    declares = any(one.name == TORCH and one.strength == DECLARED and not one.group for one in project.statements)
    passed = (LOCKED, RECOMMENDED) if declares else (LOCKED,)
    yield from _implied_by_programs(project.statements)
    torch = [one.specifier if not one.url else ">=9999" for one in project.statements if one.name == TORCH]
    mended = mended_names(project.statements)
    for one in project.statements:
        if one.strength in passed or one.group not in ("", "constraint"):
            continue
        row = companion(one.name)
        is_old = row and row.least and capability and version_key(capability) < version_key(row.least)
        if row and (
            (row.card and not has_card) or is_old
        ):  # it is left out here, and its pin still says which is meant
            yield from _of_pin(one) if one.strength == DECLARED and not one.group else ()
            continue
        can_be_had = not one.group and (row is None or not (os in row.lacks or row.is_outside(one.specifier, os)))
        can_be_had = can_be_had and not (row and row.wheels == "releases" and one.url)  # that has its own torch
        is_newest = one.url.startswith("git+") and not one.specifier  # that may have mended what a release asks
        counts = can_be_had and one.strength == DECLARED and not (is_newest or one.name in mended)
        yield from _bounds_of(one, torch) if counts else ()
        words = wheel_words(one)
        on_this = is_wheel_for(words, os)
        if one.name != TORCH and row and on_this:
            match = _IMPLIED.search(words)
            # What was built for a release runs with its later patches; a package's own metadata names one patch.
            version = _named(match) if match else ""
            if version:
                yield replace(one, name=TORCH, specifier=version)
            else:
                yield from _of_pin(one)
        match = _WHEEL_PYTHON.search(words) if on_this else None
        if match:
            yield replace(one, name=PYTHON, specifier=f"==3.{match[2]}.*")
    for source in project.sources:
        counts = source.kind == "find-links" and source.strength not in passed
        if counts and (version := torch_in(source.url)):
            yield Statement(TORCH, version, source.origin, source.strength)


def _bounds_of(one: Statement, torch: Iterable[str]) -> Iterator[Statement]:
    """Yield the torch that a package asks for, and the one that reads its models: where a line asks for a newer one,
    its authors run them with that."""
    first, own = loads_whole_since(one.name), torch_bound(one.name, one.specifier)
    reads = f"<{first}" if first and all(can_meet(asked, f"<{first}") for asked in (*torch, own)) else ""
    yield from (replace(one, name=TORCH, specifier=bound) for bound in (own, reads) if bound)


def _of_pin(one: Statement) -> Iterator[Statement]:
    """Yield the torch that a pinned release was made for."""
    pinned = re.fullmatch(r"==([^,*]+)", one.specifier)
    if exact := torch_of(one.name, pinned[1]) if pinned else "":
        yield replace(one, name=TORCH, specifier=f"=={exact}.*")


def _implied_by_programs(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Yield the torch of the releases that programs take alone."""
    bounds = ((one, torch_bound(one.group, one.specifier)) for one in statements if one.name == BOUND)
    yield from (
        replace(one, name=TORCH, specifier=bound, strength=DECLARED, group="") for one, bound in bounds if bound
    )


def implied_met(one: Statement, torch: str, python: str) -> bool:
    """Return whether a build and its Python are what a wheel's name or a page implies."""
    return meets(one.specifier, torch) if one.name == TORCH else python_meets(one.specifier, python)


def binding(implied: Iterable[Statement], packages: Iterable[Statement]) -> Iterator[Statement]:
    """Yield what packages imply that do not run with another torch; the others only have no wheel that is ready for it.
    Where one of these has none for any torch here, the first still count."""
    rows = ((one.origin, companion(one.name)) for one in packages)
    running = {origin for origin, row in rows if not (row and row.follows)}
    yield from (one for one in implied if one.name == TORCH and one.origin in running)


def torch_in(url: str) -> str:
    """Return the torch release that a page or a wheel names, as `==2.9.*`; "" for none."""
    match = _IMPLIED.search(unquote(url).lower())
    return _named(match) if match else ""


def _named(match: re.Match[str]) -> str:
    return _minor(match[1] or f"{match[2] or match[4]}.{match[3] or match[5]}")


def _minor(version: str) -> str:
    """`2.9.0` as `==2.9.*`."""
    return f"=={'.'.join(version.split('.')[:2])}.*"


def bounds_of_lists(statements: Iterable[Statement]) -> list[Statement]:
    """Return what the programs take alone of the packages that lists leave open, as constraints."""
    statements = list(statements)
    lines: dict[str, list[Statement]] = {}
    for one in statements:
        if one.strength == DECLARED and not one.group and not one.url:
            lines.setdefault(one.name, []).append(one)
    bounds = [(one, lines.get(one.group, [])) for one in statements if one.name == BOUND]
    kept = [one for one, of in bounds if of and all(can_meet(each.specifier, one.specifier) for each in of)]
    return [replace(one, name=one.group, group="constraint", strength=DECLARED, extras=()) for one in kept]


def below_the_tables(vision: Iterable[Statement], known: Collection[Candidate]) -> Iterator[Statement]:
    """Yield the torch that a pinned torchvision means which is older than any that is known."""
    oldest = min((version_key(one.torchvision) for one in known if one.torchvision), default=())
    for one in vision:
        pin = re.match(r"={2,3}(\d[\d.]*\d)", one.specifier)
        if pin and one.strength == DECLARED and version_key(pin[1]) < oldest:
            yield replace(one, name=TORCH, specifier=f"<{min((each.torch for each in known), key=version_key)}")


def of_pair(vision: Iterable[Statement], torch: Collection[Statement], known: Collection[Candidate]) -> list[Statement]:
    """Return the torch that comes with a torchvision which a README installs, where no table knows one that other lines
    name: who types these lines has it."""
    if not torch or any(meets(one.specifier, each.torch) for one in torch for each in known):
        return []
    pins = [one for one in vision if one.strength == RECOMMENDED and one.specifier.startswith("==")]
    going = [
        (one, each.torch)
        for one in pins
        for each in known
        if each.torchvision and meets(one.specifier, each.torchvision)
    ]
    return [replace(one, name=TORCH, specifier=f"=={release}") for one, release in dict.fromkeys(going)]
