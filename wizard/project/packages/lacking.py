"""What a project's plan cannot have ready on this system and Python, as far as the tables know: a sentence each.

Said of what was chosen; what a setup then moves or leaves out is its own matter.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from packaging.version import Version

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import CPU, variant_key
from wizard.compatibility.model import Candidate
from wizard.machine.model import Machine
from wizard.model.messages import Message, message
from wizard.project.contradictions import agreeing
from wizard.project.formats.setup_files import OWN_CUDA
from wizard.project.model import Statement, cut_between, is_folder, is_source
from wizard.project.packages.companions import Native, companion, has_wheel, package_needs, parts_of, pythons_of
from wizard.project.packages.cuda_tags import PYTHONS, cuda_of_name, cuda_of_page, fits_here, has_tag, made_for
from wizard.project.packages.implied import torch_in
from wizard.project.packages.rows import Companion, companion_table
from wizard.project.understand import Understood
from wizard.project.versions import can_meet, marker_holds, meets

_PIN = re.compile(r"={2,3}(\d+(?:\.\d+)*(?:\.post\d+)?)$")
_PYTHON_OF_PAGE = re.compile(r"/py3(\d+)_")


def without_wheels(asks: Understood, os: str, python: str) -> frozenset[str]:
    """Return the packages of which no release that is asked for has a wheel for this Python, as far as is known, and
    the linked wheels that are made for another Python or system."""
    lines = [one for one in (*asks.packages, *asks.constraints) if marker_holds(one.marker, os, python)]
    asked: dict[str, list[str]] = {}
    of_rows = (line for line in lines if not line.url and pythons_of(line.name))
    for one in agreeing(replace(line, marker="") for line in of_rows):
        asked.setdefault(one.name, []).append(one.specifier)
    lacking = {name for name, parts in asked.items() if not has_wheel(name, ",".join(filter(None, parts)), python, os)}
    linked = [one for one in lines if one.url.partition("#")[0].endswith(".whl")]
    return frozenset(
        lacking | {one.name for one in linked} - {o.name for o in linked if fits_here(o.url, os, python, asks.glibc)}
    )


def needed_pins(asks: Understood, os: str, python: str) -> list[Statement]:
    """Return the pins that only a README or a script has of packages which programs import at their top, and that have
    no wheel for this Python, as far as is known: these programs do not start without them."""
    needed, known = {one.group for one in asks.needing}, {one.name for one in asks.packages}
    told = [one for one in asks.told if one.name in needed - known and _PIN.fullmatch(one.specifier) and not one.url]
    here = [one for one in told if marker_holds(one.marker, os, python)]
    return [one for one in here if not has_wheel(one.name, one.specifier, python, os)]


def lacking_wheels(asks: Understood, os: str, python: str, moved: Collection[str]) -> Iterator[Message]:
    """Name what has no ready wheel for the choice, as far as is known: of the plan, and of what is only recommended.
    Where a line leaves the version open, not one release has. Of what is `moved` that is told already."""
    by_moved = tuple(f"({name})" for name in moved)  # another release of it needs another one
    pins = {*without_wheels(asks, os, python)}
    pins |= {one for one in needed_without_wheels(asks, os, python) if not one.endswith(by_moved)}
    for one in asks.rest:
        if not one.url and not has_wheel(one.name, one.specifier, python, os) and marker_holds(one.marker, os, python):
            pins |= {one.name}
    linked = [one for one in asks.rest if one.name in pins and not fits_here(one.url, os, python, asks.glibc)]
    for one in linked:
        yield message(
            "project.remark.wheel-elsewhere",
            "{file}, line {line}: the wheel of {name} is made for {tags}, and the plan is for Python {python} on this "
            "system. A setup leaves it out: put the wheel for this computer in its place, or take the line out.",
            file=one.origin.file,
            line=one.origin.line,
            name=one.name,
            tags=made_for(one.url),
            python=python,
        )
    if pins := pins - {*moved, *(one.name for one in linked)}:
        names = cut_between(sorted(pins))
        yield message("project.remark.wheel-of-pin", packages=names, python=python)
    if of_conda := [str(one) for one in asks.rest if one.conda and one.name in pins and not _is_on_index(one, os)]:
        yield message(
            "project.remark.of-conda",
            "Of what is asked for by conda's lines the package index has no ready wheel for any Python: {packages}. In "
            "an environment of conda's it comes from conda's channels.",
            packages=cut_between(of_conda),
        )
    known = {one.name for one in asks.packages}
    told = [one for one in asks.told if one.name not in known and not one.url and marker_holds(one.marker, os, python)]
    of_index = {one.origin for one in asks.sources if one.kind == "index"}  # a line's own, which no table knows
    lines = ((one, one.origin in of_index or has_wheel(one.name, one.specifier, python, os)) for one in told)
    having = {one.name for one, has_one in lines if has_one}  # one of several is for another CUDA or Python
    lacking = dict.fromkeys(one.name for one in told if one.name not in having)
    needed = {one.group for one in asks.needing}
    if starting := [name for name in lacking if name in needed]:
        yield message(
            "project.remark.wheel-of-needed",
            "What programs import at their top has no ready wheel for Python {python} on this system, as far as the "
            "tables know: {packages}. Have a compiler before you add it, or add another release of it.",
            packages=cut_between(starting),
            python=python,
        )
    if others := [name for name in lacking if name not in needed]:
        listed = cut_between(others)
        yield message("project.remark.wheel-of-told", packages=listed, python=python)


def _is_on_index(one: Statement, os: str) -> bool:
    """Return whether some Python has a wheel of what a line asks for."""
    return any(has_wheel(one.name, one.specifier, python, os) for python in PYTHONS)


def release_with_wheel(package: str, pin: str, python: str, os: str) -> str:
    """Return the nearest release newer than a pin that has a wheel for this Python, with its later patches, as
    `>=1.19.3,<1.20`; "" where none is known."""
    rows = (row for row in companion_table().wheel_pythons if package in (row.package, *row.also))
    known = (Version(one.split()[0]) for row in rows for one in row.since)
    newer = sorted(one for one in known if can_meet(f">{pin.strip('=').removesuffix('.*')}", f"=={one}"))
    nearest = next((one for one in newer if has_wheel(package, f"=={one}", python, os)), None)
    return patches_of(str(nearest)) if nearest else ""


def patches_of(release: str) -> str:
    """Return the specifier of a release with its later patches, as `>=1.19.3,<1.20`."""
    one = Version(release)
    return f">={one},<{one.major}.{one.minor + 1}"


def lacking_parts(asks: Understood, taken: Candidate) -> Iterator[Message]:
    """What an old release is imported with alone, and no line names."""
    named = {one.name for native in asks.native for one in native.statements}
    lines = {one.name: one for native in reversed(asks.native) for one in native.statements if parts_of(one)}
    for one in lines.values():
        if parts := [part for part in parts_of(one) if part not in named]:
            place, row = one.origin, companion(parts[0])
            page = row.page(taken.torch, taken.variant) or row.where.rpartition("/")[0] if row else ""
            where: dict[str, str | int] = {"file": place.file, "line": place.line, "text": place.text}
            yield message("project.remark.parts", **where, packages=", ".join(parts), page=page)


def name_on_pages(name: str, is_condas: bool, row: Companion) -> str:
    """Return what its makers call a package that conda has under the name of a CUDA (`dgl-cuda11.1`)."""
    return row.name if is_condas and cuda_of_name(name) else name


def on_pages(natives: Iterable[Native], taken: Candidate) -> Iterator[Message]:
    """Name where the wheels lie that are ready on pages of their makers alone."""
    found: dict[str, list[str]] = {}
    for native in natives:
        row = companion(native.name)
        if row and row.wheels == "pages":
            page = row.page(taken.torch, taken.variant) or row.all_pages
            found.setdefault(page, []).append(name_on_pages(native.name, native.statements[0].conda, row))
    for page, names in found.items():
        packages = cut_between([*dict.fromkeys(names)])
        yield message("project.native.page", packages=packages, page=page)


def pages_of_another(asks: Understood, natives: Iterable[Native], taken: Candidate, python: str) -> Iterator[Message]:
    """Name the pages that hold wheels for another torch, CUDA or Python alone, where no page that is named has those
    for this one."""
    for native in natives:
        lines = [one for one in asks.sources if one.kind == "find-links" and one.origin in native.origins]
        pages = [one for one in lines if torch_in(one.url)]
        row = companion(native.name)
        if row is None or not pages or any(_is_page_for(one.url, taken, python) for one in pages):
            continue
        own, place = row.page(taken.torch, taken.variant), pages[0].origin
        where: dict[str, str | int] = {"file": place.file, "line": place.line, "name": native.name}
        where |= {"asked": _made_for(pages[0].url), "torch": taken.torch, "variant": taken.variant}
        if own:
            yield message(
                "project.remark.page-moved",
                "{file}, line {line} names a page with wheels of {name} for torch {asked} alone, and here it is "
                "{torch} ({variant}). Take {page} in its place, if there is such a page.",
                **where,
                page=own,
            )
        else:
            yield message(
                "project.remark.page-alone",
                "{file}, line {line} names a page with wheels of {name} for torch {asked} alone, and here it is "
                "{torch} ({variant}). Do not take them from there: they would not load.",
                **where,
            )


def _made_for(url: str) -> str:
    of_python = _PYTHON_OF_PAGE.search(url)
    more = ", ".join(filter(None, (cuda_of_page(url), f"Python 3.{of_python[1]}" if of_python else "")))
    return f"{torch_in(url)[2:-2]} ({more})" if more else torch_in(url)[2:-2]


def _is_page_for(url: str, taken: Candidate, python: str) -> bool:
    cuda, of_python = cuda_of_page(url), _PYTHON_OF_PAGE.search(url)
    is_cuda = not cuda or has_tag(cuda, taken.variant)
    return meets(torch_in(url), taken.torch) and is_cuda and (not of_python or f"3.{of_python[1]}" == python)


def by_nvcc(natives: Iterable[Native], taken: Candidate, machine: Machine, matrix: Matrix) -> Iterator[Message]:
    """Name what has no wheel and is compiled against torch, which refuses a toolkit of another major version; not what
    such a toolkit does not build."""
    rows = ((native, companion(native.name)) for native in natives)
    against = [(native, row) for native, row in rows if row and row.follows and taken.variant != CPU]
    built = [
        native.name
        for native, row in against
        if (row.wheels == "none" or any(is_source(one.url) for one in native.statements))
        and not row.is_of_older_cuda(taken.variant)
    ]
    if not built:
        return
    major, least = variant_key(taken.variant)[0], _first_toolkit(taken, machine, matrix)
    if not least:
        yield message("project.native.toolkit", packages=cut_between(built), major=major)
        return
    yield message(
        "project.native.toolkit-since",
        "Compiled against this torch, which is not done unasked: {packages}. Have NVIDIA's CUDA toolkit (nvcc) of CUDA "
        "{major}, as torch's own CUDA is, from {least} on, for older ones make no code for this card, and a C++ "
        "compiler before you build them, with `--no-build-isolation`, so that they see this torch.",
        packages=cut_between(built),
        major=major,
        least=least,
    )


def _first_toolkit(taken: Candidate, machine: Machine, matrix: Matrix) -> str:
    """Return the first CUDA of torch's own major version that makes code for the card, as its builds show; "" where
    each does."""
    known = [gpu.compute_capability for gpu in machine.gpus if gpu.compute_capability]
    of_major = [one for one in matrix.builds if variant_key(one.variant)[:1] == variant_key(taken.variant)[:1]]
    keys = sorted({variant_key(one.variant) for one in of_major})
    code = max(known).sm if known else ""
    having = [variant_key(one.variant) for one in of_major if one.kernels and code in one.kernels.architectures]
    return ".".join(map(str, min(having))) if having and min(having) > keys[0] else ""


def own_without_card(asks: Understood) -> Iterator[Message]:
    """The project's own CUDA code, of its root and of folders below, which nothing can build for the CPU."""
    own = [one.params["file"] for one in asks.remarks if one.key.endswith(f".{OWN_CUDA}")]
    own += [one.params["cuda"] for one in asks.remarks if one.params.get("cuda")]
    if own:
        yield message("project.remark.own-no-card", file=", ".join(map(str, own)))


def from_elsewhere(asks: Understood) -> Iterator[Message]:
    """What comes from a repository, an archive or a folder, and not from the index, where no line told it."""
    if sources := [one.name for one in asks.rest if is_source(one.url) and not companion(one.name)]:
        yield message("project.remark.as-source", packages=cut_between(sources))
    told = {(one.params["file"], one.params["line"]) for one in asks.remarks if one.key.endswith(".local-path")}
    left = (one for one in asks.rest if is_folder(one.url) and (one.origin.file, one.origin.line) not in told)
    if folders := [f"{one.name} ({one.url})" for one in left]:
        yield message("project.remark.as-folder", packages=cut_between(folders))


def needed_without_wheels(asks: Understood, os: str, python: str) -> Iterator[str]:
    """Yield what a pinned release needs in versions of which none has a wheel, with the package that needs it."""
    here = [one for one in asks.packages if not one.url and marker_holds(one.marker, os, python)]
    for one in here:
        pin = _PIN.fullmatch(one.specifier)
        for name, need in package_needs(one.name, pin[1]).items() if pin else ():
            if not has_wheel(name, need, python, os):
                yield f"{name}{need} ({one.name})"
