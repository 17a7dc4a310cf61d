"""What a project asks of torch, Python, CUDA and the system, apart from the rest. Pure; for one kind of computer.

Files for other computers are left out, unless only they say anything of torch. What a README recommends counts where no
file declares it. One file: every reading of a line is one decision about what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import unquote

from packaging.markers import InvalidMarker, Marker
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from wizard.compatibility.data.ordering import CPU, version_key
from wizard.model.messages import Message, message
from wizard.project.companions import companion, torch_of
from wizard.project.file_choice import for_this_computer, is_rest, with_own_list
from wizard.project.model import (
    DECLARED,
    LOCKED,
    MADE_FOR,
    PYTHON,
    RECOMMENDED,
    TORCH,
    AddressLine,
    FileLine,
    Project,
    Statement,
    fit_to_show,
    normalized,
)
from wizard.system import traits

PAIRS = ("torchvision", "torchaudio")
CUDA_PACKAGES = ("cudatoolkit", "pytorch-cuda", "cuda-version", "cuda-toolkit", "cuda")
_TAG = re.compile(r"(?:[/+_.-]|^)(cu\d{2,3}|cpu|xpu|rocm[\d.]+)(?=[/._+-]|$|torch)")
_IMPLIED = re.compile(r"(?:torch[-_=]?|/torch)(\d+\.\d+(?:\.\d+)?)|(?:^|[+.])pt(\d)(\d{1,2})(?=cu|cpu)")
_WHEEL_PYTHON = re.compile(r"-cp(3)(\d+)-cp3\d+-")
_MADE_WITH = re.compile(r"cu(\d{2,3})(?=torch|$|[^\d])")  # in a wheel's name: cu128torch2.9, cu12torch2.8, pt113cu117
_NIGHTLY = re.compile(r"\.dev\d|/nightly/")
_LABEL = re.compile(r"nvidia/label/cuda-(\d+)\.(\d)")
_BUILD_CPU = re.compile(r"(?:^|_)cpu(?:_|$)")
_BUILD_CUDA = re.compile(r"cuda(\d+)\.?(\d)")
_CUDA_OF_NAME = re.compile(r"-cu(?:da)?(\d{1,2})-?(\d)$")  # dgl-cuda11.3 (normalized), dgl-cu113
_IN_BRACKETS = re.compile(r"\[([A-Za-z0-9_,-]+)\]")
_PYTHONS = tuple(f"3.{minor}" for minor in range(6, 18))  # any that a line may be for


@dataclass(frozen=True, slots=True)
class CudaTag:
    """`firm`: declared for torch itself; else a hint."""

    tag: str
    origin: FileLine
    firm: bool


@dataclass(frozen=True, slots=True)
class Native:
    """A package with native code, by each place that names it."""

    name: str
    origins: tuple[FileLine, ...]
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Understood:
    """`torch`, `python`: all must hold, or any of them where `torch_any` (a README's alternatives)."""

    torch: tuple[Statement, ...]
    torch_any: bool
    python: tuple[Statement, ...]
    pairs: Mapping[str, tuple[Statement, ...]]  # torchvision, torchaudio, where they are asked for
    numpy: tuple[Statement, ...]
    implied: tuple[Statement, ...]  # torch, as wheels' names and pages by torch imply it
    locked: tuple[Statement, ...]  # torch's and Python's of locks
    tags: tuple[CudaTag, ...]
    native: tuple[Native, ...]
    rest: tuple[Statement, ...]  # each name once, by its first line
    packages: tuple[Statement, ...]  # every line of the rest
    constraints: tuple[Statement, ...]  # what a version must be where something else brings the package
    sources: tuple[AddressLine, ...]
    names_torch: bool
    remarks: tuple[Message, ...]


def understand(project: Project, os: str, has_card: bool) -> Understood:
    """`os`: linux or windows; `has_card`: an NVIDIA card that some build runs on."""
    project, own = with_own_list(project, os)
    fitting, remarks = for_this_computer(project, os, has_card)
    statements = list(fitting.statements)
    torch, torch_any = _torch(statements)
    implied = tuple(_implied(fitting, os))
    rest = [one for one in statements if is_rest(one)]
    names_torch = any(one.name == TORCH and one.strength != LOCKED for one in statements)
    # A comment is a hint where nothing else says it.
    told = [remark for remark in project.remarks if not (names_torch and remark.key == "project.remark.commented")]
    asked = [source.origin for source in fitting.sources if _NIGHTLY.search(source.url)]
    nightly = [message("project.remark.nightly", file=place.file, line=place.line) for place in asked[:1]]
    return Understood(
        torch=torch,
        torch_any=torch_any,
        python=_python(statements, torch_any),
        pairs={name: found for name in PAIRS if (found := _counting(statements, name, os))},
        numpy=tuple(one for one in _counting(statements, "numpy", os) if one.specifier),
        implied=implied,
        locked=tuple(
            one for one in statements if one.strength == LOCKED and one.name in (TORCH, PYTHON) and not one.group
        ),
        tags=tuple(_tags(fitting, os, {one.origin for one in torch})),
        native=tuple(_natives(project)),
        rest=tuple({one.name: one for one in reversed(rest)}.values())[::-1],
        packages=tuple(rest),
        constraints=tuple(one for one in statements if is_rest(replace(one, group="")) and one.group == "constraint"),
        sources=fitting.sources,
        names_torch=names_torch,
        remarks=(*told, *own, *remarks, *nightly, *_exports(statements), *_made_elsewhere(statements, os)),
    )


_WHEEL_TAGS = (("linux", "linux"), ("win_amd64", "win32"), ("macosx", "darwin"))  # in a wheel's name: `sys_platform`


def environment_of(os: str, python: str) -> dict[str, str]:
    """The PEP 508 environment of a computer with x86-64 and that Python."""
    return {
        **traits.of(os).markers,
        "implementation_name": "cpython",
        "implementation_version": f"{python}.0",
        "platform_machine": traits.of(os).x86_64,
        "platform_release": "",
        "platform_version": "",
        "python_full_version": f"{python}.0",
        "platform_python_implementation": "CPython",
        "python_version": python,
        "extra": "",
    }


@lru_cache(maxsize=4096)
def marker_holds(marker: str, os: str, python: str) -> bool:
    """Return whether a line is meant for this system and Python; one that cannot be read counts as meant."""
    if not marker:
        return True
    try:
        return Marker(marker).evaluate(environment_of(os, python))
    except (InvalidMarker, ValueError, KeyError):
        return True


@lru_cache(maxsize=8192)
def specifier_of(text: str) -> SpecifierSet:
    """What is no PEP 440 specifier asks for nothing."""
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        return SpecifierSet("")


@lru_cache(maxsize=65536)
def meets(specifier: str, version: str) -> bool:
    return specifier_of(specifier).contains(version, prereleases=True)


@lru_cache(maxsize=8192)
def can_meet(one: str, other: str) -> bool:
    """Return whether some version meets both; tried are those that they name, what lies right above, and the next."""
    both = [specifier_of(one), specifier_of(other)]
    try:
        named = [Version(part.version.removesuffix(".*")) for specifiers in both for part in specifiers]
    except InvalidVersion:
        return True
    tried = ["0"]
    for version in named:
        tried += [str(version), f"{version.base_version}.0.1", f"{version.base_version}.1"]
        tried += [f"{version.major}.{version.minor + 1}", f"{version.major + 1}"]
    return any(all(specifiers.contains(version, prereleases=True) for specifiers in both) for version in tried)


def agreeing(packages: Iterable[Statement]) -> Iterator[Statement]:
    """Leave out a line that no version meets together with an earlier one of the same package: the first counts."""
    kept: dict[str, list[Statement]] = {}
    for one in packages:
        before = [each for each in kept.setdefault(one.name, []) if not (each.marker or one.marker)]
        if all(can_meet(each.specifier, one.specifier) for each in before):
            kept[one.name].append(one)
            yield one


def loosened(specifier: str) -> str:
    """Return `>=1.19.5,<2` of `==1.19.5`."""

    def least(pin: re.Match[str]) -> str:
        return f">={pin['version']},<{int(pin['major']) + 1}"

    return re.sub(r"={2,3}(?P<version>(?P<major>\d+)[^,*]*?)(?:\.\*)?(?=,|$)", least, specifier)


@lru_cache(maxsize=8192)
def python_meets(specifier: str, python: str) -> bool:
    """Return whether some patch of that Python meets it."""
    wanted = specifier_of(specifier)
    return any(wanted.contains(f"{python}.{patch}") for patch in range(41))


def pair_meets(specifier: str, given: str) -> bool:
    """A pin of another patch of the same release is met: they are made for the same torch."""
    numbers = given.split(".")[:2]
    return meets(specifier, given) or any(meets(specifier, ".".join([*numbers, str(patch)])) for patch in range(4))


def _torch(statements: list[Statement]) -> tuple[tuple[Statement, ...], bool]:
    """The declared ones; else those of groups; else, where no version is declared, what is recommended."""
    found = [one for one in statements if one.name == TORCH and one.group != "imported"]
    declared = [one for one in found if one.strength == DECLARED and one.specifier]
    if firm := [one for one in declared if one.group in ("", "constraint")] or _of_one_extra(declared):
        return tuple(firm), False
    recommended = tuple(one for one in found if one.strength == RECOMMENDED and one.specifier)
    recommended = tuple(one for one in recommended if not _NIGHTLY.search(one.specifier))
    return recommended, bool(recommended)


def _of_one_extra(declared: list[Statement]) -> list[Statement]:
    """Extras whose lines no version meets together are alternatives: the one that asks for the newest."""
    if all(can_meet(one.specifier, other.specifier) for one in declared for other in declared):
        return declared
    newest = max(declared, key=lambda one: version_key(one.specifier))
    return [one for one in declared if one.group == newest.group]


def _python(statements: list[Statement], recommended_torch: bool) -> tuple[Statement, ...]:
    found = [one for one in statements if one.name == PYTHON and one.specifier]
    recommended = tuple(one for one in found if one.strength == RECOMMENDED)
    return tuple(one for one in found if one.strength == DECLARED) or recommended[:1]


def _counting(statements: list[Statement], name: str, os: str) -> tuple[Statement, ...]:
    found = [one for one in statements if one.name == name and one.strength != LOCKED and is_for(one, os)]
    default = [one for one in found if one.strength == DECLARED and one.group in ("", "constraint")]
    return tuple(default or [one for one in found if one.group != "imported"])


def _implied(project: Project, os: str) -> Iterator[Statement]:
    """`torch2.9` and `pt113` in names of wheels and pages, `cp313` in wheels, pairs of the table."""
    for one in project.statements:
        if one.strength == LOCKED or one.group not in ("", "constraint"):
            continue
        words = _wheel_words(one)
        on_this = _is_wheel_for(words, os)
        if one.name != TORCH and companion(one.name) and on_this:
            match = _IMPLIED.search(words)
            # What was built for a release runs with its later patches; a package's own metadata names one patch.
            version = _minor(match[1] or f"{match[2]}.{match[3]}") if match else ""
            pinned = re.fullmatch(r"==([^,*]+)", one.specifier)
            exact = torch_of(one.name, pinned[1]) if pinned and not version else ""
            version = version or (f"=={exact}.*" if exact else "")
            if version:
                yield replace(one, name=TORCH, specifier=version)
        match = _WHEEL_PYTHON.search(words) if on_this else None
        if match:
            yield replace(one, name=PYTHON, specifier=f"==3.{match[2]}.*")
    for source in project.sources:
        match = _IMPLIED.search(unquote(source.url).lower()) if source.kind == "find-links" else None
        if match and match[1]:
            yield Statement(TORCH, _minor(match[1]), source.origin, source.strength)


def _wheel_words(one: Statement) -> str:
    return f"{unquote(one.url)} {one.local}".lower()


def _is_wheel_for(words: str, os: str) -> bool:
    others = (tag for tag, system in _WHEEL_TAGS if system != traits.of(os).markers["sys_platform"])
    return not any(tag in words for tag in others)


def _minor(version: str) -> str:
    """`2.9.0` as `==2.9.*`."""
    return f"=={'.'.join(version.split('.')[:2])}.*"


def _tags(project: Project, os: str, torch: Set[FileLine]) -> Iterator[CudaTag]:
    """The CUDA that torch was meant to be made with: the firmest first, then those on the lines `torch`.

    Beside a pin that names it, an index is one of several for other computers.
    """
    pinned, listed = list(_pinned_tags(project, os)), list(_listed_tags(project, os))
    if any(tag.firm for tag in pinned):
        listed = [replace(tag, firm=False) for tag in listed]
    seen: set[str] = set()
    for tag in sorted([*pinned, *listed], key=lambda tag: (not tag.firm, tag.origin not in torch)):
        if tag.tag not in seen:
            seen.add(tag.tag)
            yield tag


def _pinned_tags(project: Project, os: str) -> Iterator[CudaTag]:
    for one in project.statements:
        firm = one.strength == DECLARED and one.group in ("", "constraint")
        if one.strength == LOCKED or not is_for(one, os):
            continue
        if one.name in (TORCH, *PAIRS) and one.local:
            yield CudaTag(one.local, one.origin, firm)
        elif one.name in CUDA_PACKAGES and (match := re.match(r"[=~]=?(\d+)\.(\d+|\*)", one.specifier)):
            yield CudaTag(f"cu{match[1]}{match[2].strip('*')}", one.origin, firm)  # `12.*`: any of CUDA 12
        elif one.name in CUDA_PACKAGES and (major := _major_of(one.specifier)):
            yield CudaTag(f"cu{major}", one.origin, firm)
        elif one.name == "cpuonly":
            yield CudaTag("cpu", one.origin, firm)
        elif (row := companion(one.name)) and row.follows and (tag := _made_with(one, os)):
            yield CudaTag(tag, one.origin, False)
        if one.name == TORCH and (match := _BUILD_CUDA.search(one.build)):
            yield CudaTag(f"cu{match[1]}{match[2]}", one.origin, firm)
        elif one.name == TORCH and _BUILD_CPU.search(one.build):
            yield CudaTag(CPU, one.origin, firm)


def _major_of(specifier: str) -> int | None:
    """Return the one major version of CUDA that a range such as `>=12.4,<13` leaves; None for none or several."""
    majors = {major for major in range(9, 15) for minor in range(10) if meets(specifier, f"{major}.{minor}")}
    return majors.pop() if specifier and len(majors) == 1 else None


def _made_with(one: Statement, os: str) -> str:
    """Return the CUDA in its name, or in its wheel's (`cu12` where that names no minor version); "" for none."""
    words = _wheel_words(one)
    match = _MADE_WITH.search(words) if _is_wheel_for(words, os) else None
    return cuda_of_name(one.name) or (match[0] if match else "")


def has_tag(asked: str, variant: str) -> bool:
    """`cu12` is any CUDA 12."""
    return asked == variant or (len(asked) == len("cu12") and variant.startswith(asked) and asked != CPU)


def is_for(one: Statement, os: str) -> bool:
    """Return whether the line is meant for this system, with some Python."""
    return any(marker_holds(one.marker, os, python) for python in _PYTHONS)


def cuda_of_name(name: str) -> str:
    """Return the CUDA tag that a package has in its own name; "" for none."""
    match = _CUDA_OF_NAME.search(name)
    return f"cu{match[1]}{match[2]}" if match else ""


def _listed_tags(project: Project, os: str) -> Iterator[CudaTag]:
    for source in project.sources:
        match = _TAG.search(unquote(source.url))
        if not any(marker_holds(source.marker, os, python) for python in _PYTHONS):
            continue
        if match and "pytorch" in source.url:
            is_firm = source.strength == DECLARED and not _NIGHTLY.search(source.url)
            yield CudaTag(match[1], source.origin, is_firm)
        elif label := _LABEL.search(source.url):
            yield CudaTag(f"cu{label[1]}{label[2]}", source.origin, False)
        elif source.kind == "find-links" and match and "cu" in match[1]:
            yield CudaTag(match[1], source.origin, False)


def _natives(project: Project) -> Iterator[Native]:
    """Every package with native code that any line names, an extra in brackets too."""
    found: dict[str, list[Statement]] = {}
    for one in project.statements:
        if one.strength == LOCKED:
            continue
        names = [one.name]
        for extras in _IN_BRACKETS.findall(one.origin.text):
            names += [normalized(extra) for extra in extras.split(",") if extra]
        for name in names:
            if companion(name):
                found.setdefault(name, []).append(one)
    for name, statements in found.items():
        yield Native(name, tuple(dict.fromkeys(one.origin for one in statements)), tuple(statements))


def _exports(statements: list[Statement]) -> Iterator[Message]:
    """What is said once for a whole export of another computer."""
    paths = [one for one in statements if one.url.startswith("file:")]
    if paths:
        first = paths[0].origin
        yield message("project.remark.file-paths", count=len(paths), file=first.file, line=first.line)
    parts = sum(1 for one in statements if re.fullmatch(r"nvidia-.*-cu\d+", one.name) and one.strength == DECLARED)
    if parts:
        yield message("project.remark.nvidia-parts", count=parts)


def _made_elsewhere(statements: list[Statement], os: str) -> Iterator[Message]:
    for one in statements:
        if one.name == MADE_FOR and not is_for(one, os):
            place = one.origin
            yield message(
                "project.remark.lock-elsewhere", file=place.file, line=place.line, marker=fit_to_show(one.marker)
            )
