"""What the rows of `matrices/companions.toml` say of a package that hangs on torch, on CUDA or on a compiler, and those
of a project.

One file: each question is a short look into the same table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import lru_cache

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from wizard.compatibility.data.ordering import CPU, version_key
from wizard.project.model import DECLARED, LOCKED, MENDED, TORCH, FileLine, Project, Statement, normalized
from wizard.project.packages.rows import Companion, PackageNeed, WheelPythons, companion_table
from wizard.project.versions import can_meet, meets

LISTED = ("index", "torch")  # `wheels` that an index lists
_REPOSITORY = re.compile(r"://github\.com/([\w.-]+/[\w-]+)(?=[/@.#]|$)")
_TAG = re.compile(r"@v?([0-9]{1,9}(?:\.[0-9]{1,9}){1,5}(?:\.?(?:a|b|rc|post|dev)[0-9]{1,9})?)(?:#|$)")
_IN_BRACKETS = re.compile(r"\[([A-Za-z0-9_,-]+)\]")


@dataclass(frozen=True, slots=True)
class Native:
    """A package with native code, by each place that names it."""

    name: str
    origins: tuple[FileLine, ...]
    statements: tuple[Statement, ...]


def is_planned(native: Native) -> bool:
    return any(one.strength == DECLARED and not one.group for one in native.statements)


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


def companions_of_module(module: str) -> list[str]:
    """Return the packages of the table that a module, by its normalized name, may come from."""
    row, rows = companion(module), companion_table().companion
    names = [*([module] if row and row.follows else []), *(one.name for one in rows if one.module == module)]
    return [normalized(one) for one in names]


@lru_cache(maxsize=1)
def _by_repository() -> dict[str, str]:
    found = ((_REPOSITORY.search(row.where.lower()), row.name) for row in companion_table().companion)
    return {match[1]: name for match, name in found if match}


def package_in(url: str) -> tuple[str, str]:
    """Return the package of a row that a repository's address brings, whatever the repository is called, and the
    release of its tag; "" for what no row says."""
    match = _REPOSITORY.search(url.lower())
    name = _by_repository().get(match[1], "") if match and "#subdirectory" not in url else ""
    tag = _TAG.search(url) if name else None
    return name, f"=={tag[1]}" if tag else ""


def release_of(one: Statement) -> str:
    """Return the release that a line builds from a repository, as `==1.3.9`; "" where it names none."""
    tag = _TAG.search(one.url) if one.url.startswith("git+") else None
    return f"=={tag[1]}" if tag else ""


def repository_of(url: str) -> str:
    """Return the package of a row that a repository is the source of: its maker's own, a fork of that under the same
    name, or one that is called as the package; "" for any other."""
    match = _REPOSITORY.search(url.lower().replace("git@github.com:", "https://github.com/"))
    if match is None:
        return ""
    last = match[1].rpartition("/")[2]
    forks = {one.rpartition("/")[2]: name for one, name in _by_repository().items()}
    row = companion(normalized(last))
    return _by_repository().get(match[1]) or forks.get(last) or (row.name if row else "")


def torch_of(name: str, version: str) -> str:
    """Return the torch that this release was made for; "" where no row says it."""
    for pair in companion_table().pair:
        if pair.companion == name and pair.version == version.partition("+")[0]:
            return pair.torch
    return ""


def release_made_for(name: str, torch: str) -> str:
    """Return the newest release of a package that was made for this torch; "" where no row says it."""
    rows = (one for one in companion_table().pair if one.companion == name and meets(f"=={one.torch}.*", torch))
    return max((one.version for one in rows), key=version_key, default="")


def loads_whole_since(name: str) -> str:
    """Return the torch from which it fails to read its own models, as `2.6`; "" where no row says it."""
    return next((one.torch for one in companion_table().loads_whole if one.package == name), "")


def is_bound_by_code(package: str) -> bool:
    """Return whether it is its code, and not its metadata, that goes with some torch alone."""
    return any(one.by_code for one in companion_table().torch_bound if one.package == package)


def mended_names(statements: Iterable[Statement]) -> frozenset[str]:
    """Return the packages that a project has go with newer torch: it puts the one module in its place that these
    lack."""
    modules = {one.group for one in statements if one.name == MENDED}
    return frozenset(row.package for row in companion_table().torch_bound if modules and row.module in modules)


def mended_in(package: str) -> str:
    """Return the last release from which it goes with any torch again; "" where none does."""
    return next((str(since) for since, bound in reversed(_bounds().get((package, False), [])) if bound == "*"), "")


def is_pure(native: Native) -> bool:
    """Return whether only other packages, which old releases are imported with, have native code."""
    row = companion(native.name)
    return bool(row and row.parts) and not any(map(parts_of, native.statements))


@lru_cache(maxsize=1)
def _bounds() -> dict[tuple[str, bool], list[tuple[Version, str]]]:
    split = {(row.package, row.tried): [one.split() for one in row.since] for row in companion_table().torch_bound}
    return {package: [(Version(since), bound) for since, bound in rows] for package, rows in split.items()}


@lru_cache(maxsize=8192)
def torch_bound(package: str, specifier: str, tried: bool = False) -> str:
    """Return what the newest release that meets it asks of torch, or where its wheels end; `tried`: its makers' own."""
    row = companion(package)
    bound = row.wheels_bound(specifier) if row and row.follows and not tried else ""
    rows = _bounds().get((package, tried), [])
    asked = SpecifierSet(specifier)
    named = [Version(one.version.removesuffix(".*")) for one in asked]
    following = [since for since, _ in rows[1:]]
    for at, (since, of_release) in reversed(list(enumerate(rows))):
        inside = [one for one in named if since <= one and (at == len(following) or one < following[at])]
        if any(asked.contains(one, prereleases=True) for one in (since, *inside)):
            return "" if of_release == "*" else of_release
    return bound


@lru_cache(maxsize=1)
def _need_rows() -> dict[str, list[PackageNeed]]:
    found: dict[str, list[PackageNeed]] = {}
    for row in companion_table().package_need:
        for name in (row.package, *row.also):
            found.setdefault(name, []).append(row)
    return found


@lru_cache(maxsize=1024)
def package_needs(package: str, release: str) -> dict[str, str]:
    """Return what this release itself needs of others, where not any version of them will do."""
    split = (one.split() for row in _need_rows().get(package, ()) for one in row.since)
    held = {name: bound for since, name, bound in split if Version(since) <= Version(release)}
    return {name: bound for name, bound in held.items() if bound != "*"}


def undeclared_bounds(requirements: Iterable[str]) -> tuple[str, ...]:
    """Return the constraints that requirements imply and no metadata says, as `pyarrow<26.0.0` beside an old NumPy,
    `huggingface-hub<0.26` beside an old diffusers, and `numpy<2` beside what was built before NumPy 2."""
    asked = {normalized(one.name): str(one.specifier) for one in map(Requirement, requirements)}
    found, numpy = [], asked.get("numpy", "")
    is_open = all(can_meet(numpy, one) for one in ("<2", ">=2"))
    if is_open and any(needs_old_numpy(name, specifier) for name, specifier in asked.items()):
        found, asked["numpy"] = ["numpy<2"], f"{numpy},<2".lstrip(",")
    found += [f"{other}{bound}" for _, other, bound in undeclared_needs(asked)]
    for name, other, spans in _undeclared():
        met = [bound == "*" or can_meet(asked.get(other, ""), bound) for _, bound in spans]
        found += [f"{name}<{since}" for at, (since, _) in enumerate(spans) if not any(met[at:])]
    return tuple(dict.fromkeys(found))


def undeclared_needs(asked: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield what each release that meets a requirement needs of another package, and no metadata says: the one, the
    other, and in which versions. `asked`: specifiers by name; one that stands against that is no news here."""
    for name, other, spans in _undeclared():
        for at, (since, bound) in enumerate(spans):
            after = spans[at + 1][0] if at + 1 < len(spans) else ""
            is_older = can_meet(asked.get(name, ""), f"<{since}")
            is_newer = bool(after) and can_meet(asked.get(name, ""), f">={after}")
            if bound != "*" and not (is_older or is_newer) and can_meet(asked.get(other, ""), bound):
                yield name, other, bound


def release_without(package: str, other: str) -> str:
    """Return the release from which it goes with any version of another package again; "" where none does."""
    spans = (spans for name, needed, spans in _undeclared() if (name, needed) == (package, other))
    return next((since for one in spans for since, bound in one if bound == "*"), "")


def _undeclared() -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Yield the packages with the others that they need unsaid: of each the releases, and from them on the versions."""
    for row in (one for one in companion_table().package_need if one.undeclared):
        split = [one.split() for one in row.since]
        for name in (row.package, *row.also):
            for other in dict.fromkeys(one[1] for one in split):
                yield name, other, [(one[0], one[2]) for one in split if one[1] == other]


def release_bound(package: str, torch: str) -> str:
    """Return before which release its makers have it for this torch, as `<0.6`; "" where that is the newest, or no row
    says it."""
    rows = _bounds().get((package, True), [])
    made = [at for at, (_, bound) in enumerate(rows) if bound == "*" or meets(bound, torch)]
    return f"<{rows[made[-1] + 1][0]}" if made and made[-1] + 1 < len(rows) else ""


def releases_for(package: str, torch: str) -> tuple[str, ...]:
    """Return the releases made for this torch, or their bounds (`>=0.8,<0.10`); empty where no row says it."""
    pairs = tuple(row.version for row in companion_table().pair if row.companion == package and row.torch == torch)
    rows = _bounds().get((package, True), [])
    ends = [f"<{since}" for since, _ in rows[1:]] + [""]
    made = (at for at, (_, bound) in enumerate(rows) if bound != "*" and meets(bound, torch))
    return pairs or tuple(f">={rows[at][0]},{ends[at]}".rstrip(",") for at in made)


@lru_cache(maxsize=1)
def _library_rows() -> dict[str, list[tuple[Version, frozenset[str]]]]:
    split = {row.package: [one.split() for one in row.since] for row in companion_table().cuda_libraries}
    return {package: [(Version(one[0]), frozenset(one[1:])) for one in rows] for package, rows in split.items()}


@lru_cache(maxsize=8192)
def has_library(package: str, specifier: str, variant: str) -> bool:
    """Return whether a release that meets it has a library for that CUDA; True where no row says it."""
    rows = _library_rows().get(package)
    if rows is None or variant == CPU:
        return True
    asked = SpecifierSet(specifier)
    named = [Version(one.version.removesuffix(".*")) for one in asked]
    ends = [since for since, _ in rows[1:]]
    for at, (since, tags) in enumerate(rows):
        inside = [one for one in named if since <= one and (at == len(ends) or one < ends[at])]
        if variant in tags and any(asked.contains(one, prereleases=True) for one in (since, *inside)):
            return True
    return bool(named) and max(named) < rows[0][0]  # older than what is known


def library_bound(package: str, variants: Collection[str]) -> str:
    """Return below which release it has a library for one of these CUDAs, as `<0.20.0`; "" where the newest has one,
    or none is known to."""
    rows = _library_rows().get(package, [])
    having = [at for at, (_, tags) in enumerate(rows) if not tags.isdisjoint(variants)]
    return f"<{rows[having[-1] + 1][0]}" if having and having[-1] + 1 < len(rows) else ""


def first_library(package: str, variant: str) -> str:
    """Return the first release with a library for that CUDA; "" where none is known."""
    return next((str(since) for since, tags in _library_rows().get(package, ()) if variant in tags), "")


@lru_cache(maxsize=1)
def _wheel_rows() -> dict[str, WheelPythons]:
    return {name: row for row in companion_table().wheel_pythons for name in (row.package, *row.also)}


def has_row(name: str) -> bool:
    """Return whether it is known as a package of the index."""
    return companion(name) is not None or name in _wheel_rows()


@lru_cache(maxsize=8192)
def has_wheel(package: str, specifier: str, python: str, os: str) -> bool:
    """Return whether a release that meets it may have a wheel for that Python and system; True where no row says it."""
    row = _wheel_rows().get(package)
    if row is None:
        return True
    asked = SpecifierSet(specifier)
    rows = [
        (Version(since), pythons) for since, pythons in map(str.split, {"windows": row.windows}.get(os) or row.since)
    ]
    named = [Version(one.version.removesuffix(".*")) for one in asked]
    meeting = [one for one in [*(since for since, _ in rows), *named] if asked.contains(one, prereleases=True)]
    pythons = [next((pythons for since, pythons in reversed(rows) if since <= one), "") for one in meeting]
    return not meeting or any(not one or _is_among(python, one) for one in pythons)


def can_start(package: str, python: str) -> bool:
    """Return whether that Python can import a package, which may have been built for it; True where no row says it."""
    row = _wheel_rows().get(package)
    return row is None or not row.starts or version_key(python) <= version_key(row.starts)


def pythons_of(package: str) -> str:
    """Return the Pythons that its newest release is for, as `3.6-3.8`; "" where no row says it."""
    row = _wheel_rows().get(package)
    return row.since[-1].split()[1] if row else ""


def needs_old_numpy(package: str, specifier: str) -> bool:
    """Return whether each release that meets it was built before NumPy 2, and its metadata does not say so."""
    row = _wheel_rows().get(package)
    return bool(row and row.numpy2 and specifier) and not can_meet(specifier, f">={row.numpy2}" if row else "")


def _is_among(python: str, pythons: str) -> bool:
    first, _, last = pythons.partition("-")
    return bool(last) and version_key(first) <= version_key(python) <= version_key(last)


def asks_for_torch(one: Statement) -> bool:
    """Itself, or by what is made for one torch release."""
    row = companion(one.name)
    return one.name == TORCH or (row is not None and row.follows)


def parts_of(one: Statement) -> tuple[str, ...]:
    """Return the other packages without which no release that is asked for can be imported."""
    row = companion(one.name)
    return row.parts if row and one.specifier and not can_meet(one.specifier, f">={row.parts_before or 0}") else ()


def natives_of(project: Project) -> Iterator[Native]:
    """Every package with native code that any line names, an extra in brackets too."""
    found: dict[str, list[Statement]] = {}
    for one in project.statements:
        if one.strength == LOCKED:
            continue
        names = [one.name]
        for extras in _IN_BRACKETS.findall(one.origin.text):
            names += [normalized(extra) for extra in extras.split(",") if extra]
        names += parts_of(one)
        for name in names:
            if companion(name):
                found.setdefault(name, []).append(one)
    for name, statements in found.items():
        yield Native(name, tuple(dict.fromkeys(one.origin for one in statements)), tuple(statements))


def needs_other(package: str, other: str) -> bool:
    """Return whether it is known to need another one, in whatever version."""
    rows = (row for row in companion_table().package_need if package in (row.package, *row.also))
    return any(one.split()[1] == other for row in rows for one in row.since)


def needed_pairs(statements: Sequence[Statement], pairs: Sequence[str]) -> Iterator[Statement]:
    """Yield the lines of the packages that need one of the pairs which no line names, as lines that ask for any of
    it."""
    named = {one.name for one in statements}
    for one in statements:
        for pair in pairs:
            is_asked = one.strength == DECLARED and one.group == "" and not one.build
            if is_asked and pair not in named and needs_other(one.name, pair):
                yield replace(one, name=pair, specifier="", extras=(), url="", local="", needed_by=one.name)
