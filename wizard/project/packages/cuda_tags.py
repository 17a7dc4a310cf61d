"""The CUDA that a project's lines name for torch: in versions, in builds' and wheels' names, and in addresses; and for
what a linked wheel is made. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from packaging.tags import Tag
from packaging.utils import parse_wheel_filename

from wizard.compatibility.data.ordering import CPU, version_key
from wizard.project.model import DECLARED, LOCKED, PAIRS, RECOMMENDED, TORCH, FileLine, Project, Statement
from wizard.project.packages.companions import companion
from wizard.project.versions import can_meet, marker_holds, meets
from wizard.system import traits

CUDA_PACKAGES = ("cudatoolkit", "pytorch-cuda", "cuda-version", "cuda-toolkit", "cuda")
ANY_CUDA = "cuda"  # the tag of what names no version, or several
_TAG = re.compile(r"(?:[/+_.-]|^)(cu\d{2,3}|cpu|xpu|rocm[\d.]+)(?=[/._+-]|$|torch)")
_LOCAL = re.compile(r"cu\d{2,3}|cpu|rocm[\d.]*\d|(?!git)[a-z]{3,}(?=$|[\d.])")  # a build's, not a commit's
_MADE_WITH = re.compile(r"cu(\d{2,3})(?=torch|$|[^\d])")  # in a wheel's name: cu128torch2.9, cu12torch2.8, pt113cu117
_LABEL = re.compile(r"nvidia/label/cuda-(\d+)\.(\d)")
_BUILD_CPU = re.compile(r"(?:^|_)cpu(?:_|$)")
_BUILD_CUDA = re.compile(r"cuda(\d+)\.?(\d)")
_CUDA_OF_NAME = re.compile(r"-cu(?:da)?(\d{1,2})-?(\d)$")  # dgl-cuda11.3 (normalized), dgl-cu113
NIGHTLY = re.compile(r"\.dev\d|/nightly/")
PYTHONS = tuple(f"3.{minor}" for minor in range(6, 18))  # any that a line may be for
_SCRIPTS = {".bat": "windows", ".cmd": "windows", ".ps1": "windows", ".sh": "linux", ".bash": "linux"}
_WHEEL_TAGS = (("linux", "linux"), ("win_amd64", "win32"), ("macosx", "darwin"))  # in a wheel's name: `sys_platform`


@dataclass(frozen=True, slots=True)
class CudaTag:
    """`firm`: declared for torch itself; else a hint. `told`: recommended only."""

    tag: str
    origin: FileLine
    firm: bool
    told: bool = False


def tags_of(project: Project, os: str, torch: Set[FileLine]) -> Iterator[CudaTag]:
    """The CUDA that torch was meant to be made with: the firmest first, then those on the lines `torch`, last those of
    lines with a torch that is not taken and of scripts for another system.

    Beside a pin that names it, an index is one of several for other computers.
    """
    pinned, listed = list(_pinned_tags(project, os)), list(_listed_tags(project, os))
    if any(tag.firm for tag in pinned):
        listed = [replace(tag, firm=False) for tag in listed]
    told = {one.origin for one in project.statements if one.strength == RECOMMENDED}
    told |= {one.origin for one in project.sources if one.strength == RECOMMENDED}
    declared = [one.specifier for one in project.statements if _names_torch(one, DECLARED)]
    apart = {
        one.origin
        for one in project.statements
        if _names_torch(one, RECOMMENDED) and not all(can_meet(each, one.specifier) for each in declared)
    }
    seen: set[str] = set()

    def place(tag: CudaTag) -> tuple[bool, ...]:
        is_elsewhere = not is_file_for(tag.origin.file, os)
        return (not tag.firm, tag.origin not in torch, tag.origin in apart, is_elsewhere)

    for tag in sorted([*pinned, *listed], key=place):
        if tag.tag not in seen:
            seen.add(tag.tag)
            yield replace(tag, told=tag.origin in told)


def _names_torch(one: Statement, strength: str) -> bool:
    return one.name == TORCH and one.strength == strength and bool(one.specifier) and not one.group


def _pinned_tags(project: Project, os: str) -> Iterator[CudaTag]:
    # Beside pytorch-cuda, which chooses torch's build, a toolkit is for other packages.
    chooses = any(one.name == "pytorch-cuda" and one.specifier for one in project.statements)
    for one in project.statements:
        firm = one.strength == DECLARED and one.group in ("", "constraint")
        if one.strength == LOCKED or not is_for(one, os) or (chooses and one.name == "cudatoolkit"):
            continue
        if one.name in (TORCH, *PAIRS) and (match := _LOCAL.match(one.local)):
            yield CudaTag(match[0], one.origin, firm)
        elif one.name in CUDA_PACKAGES and one.specifier:
            tag = _toolkit_tag(one.specifier)
            yield CudaTag(tag, one.origin, firm and tag != ANY_CUDA)
        elif one.name == "cpuonly":
            yield CudaTag("cpu", one.origin, firm)
        elif (row := companion(one.name)) and row.follows and (tag := made_with(one, os)):
            yield CudaTag(tag, one.origin, False)
        if one.name == TORCH and (match := _BUILD_CUDA.search(one.build)):
            yield CudaTag(f"cu{match[1]}{match[2]}", one.origin, firm)
        elif one.name == TORCH and _BUILD_CPU.search(one.build):
            yield CudaTag(CPU, one.origin, firm)


def _toolkit_tag(specifier: str) -> str:
    if match := re.match(r"[=~]=?(\d+)\.(\d+|\*)", specifier):
        return f"cu{match[1]}{match[2].strip('*')}"  # `12.*`: any of CUDA 12
    major = _major_of(specifier)
    return f"cu{major}" if major else ANY_CUDA


def _major_of(specifier: str) -> int | None:
    """Return the one major version of CUDA that a range such as `>=12.4,<13` leaves; None for none or several."""
    majors = {major for major in range(9, 15) for minor in range(10) if meets(specifier, f"{major}.{minor}")}
    return majors.pop() if specifier and len(majors) == 1 else None


def made_with(one: Statement, os: str) -> str:
    """Return the CUDA in its name, or in its wheel's (`cu12` where that names no minor version); "" for none."""
    words = wheel_words(one)
    match = _MADE_WITH.search(words) if is_wheel_for(words, os) else None
    return cuda_of_name(one.name) or (match[0] if match else "")


def has_tag(asked: str, variant: str) -> bool:
    """`cu12` is any CUDA 12."""
    if asked == ANY_CUDA:
        return variant.startswith("cu")
    return asked == variant or (len(asked) == len("cu12") and variant.startswith(asked) and asked != CPU)


def is_for(one: Statement, os: str) -> bool:
    """Return whether the line is meant for this system, with some Python."""
    return any(marker_holds(one.marker, os, python) for python in PYTHONS)


def is_file_for(file: str, os: str) -> bool:
    """Return whether a script is for this system by its ending; what is none is for any."""
    return _SCRIPTS.get(PurePosixPath(file).suffix.lower(), os) == os


def cuda_of_name(name: str) -> str:
    """Return the CUDA tag that a package has in its own name; "" for none."""
    match = _CUDA_OF_NAME.search(name)
    return f"cu{match[1]}{match[2]}" if match else ""


def cuda_of_page(url: str) -> str:
    """Return the CUDA tag that the address of a page names; "" for none."""
    match = _TAG.search(unquote(url))
    return match[1] if match else ""


def _listed_tags(project: Project, os: str) -> Iterator[CudaTag]:
    for source in project.sources:
        match = _TAG.search(unquote(source.url))
        if not any(marker_holds(source.marker, os, python) for python in PYTHONS):
            continue
        if match and "pytorch" in source.url:
            is_firm = source.strength == DECLARED and not NIGHTLY.search(source.url)
            yield CudaTag(match[1], source.origin, is_firm)
        elif label := _LABEL.search(source.url):
            yield CudaTag(f"cu{label[1]}{label[2]}", source.origin, False)
        elif source.kind == "find-links" and match and "cu" in match[1]:
            yield CudaTag(match[1], source.origin, False)


def wheel_words(one: Statement) -> str:
    """Return what its address, its version and, with conda, its build say of what it was made with."""
    return f"{unquote(one.url)} {one.local} {one.build}".lower()


def is_wheel_for(words: str, os: str) -> bool:
    others = (tag for tag, system in _WHEEL_TAGS if system != traits.of(os).markers["sys_platform"])
    return not any(tag in words for tag in others)


def fits_here(url: str, os: str, python: str, glibc: str = "") -> bool:
    """Return whether a linked wheel may be for this; so may what is no wheel. `glibc`: that of the computer; "" where
    it is not known or has none."""
    tags = wheel_tags(url)
    here = {"win32": "win", "darwin": "macosx"}.get(traits.of(os).markers["sys_platform"], "linux")
    return not tags or any(_is_of(python, one) and _runs_on(here, glibc, one.platform) for one in tags)


def is_used(url: str, os: str, glibc: str) -> bool:
    """Return whether some Python of such a computer takes the wheel: one for a newer glibc chooses none."""
    return any(fits_here(url, os, python, glibc) for python in PYTHONS)


def _is_of(python: str, tag: Tag) -> bool:
    """Return whether this Python takes it: by its own number, or by one that newer ones take, too (py3, abi3)."""
    found = re.fullmatch(r"(cp|py)(\d)(\d*)", tag.interpreter)
    major, _, minor = python.partition(".")
    if not found or found[2] != major:
        return False
    is_open = found[1] == "py" or tag.abi == "abi3"
    return not found[3] or found[3] == minor or (is_open and int(found[3]) <= int(minor))


def _runs_on(system: str, glibc: str, platform: str) -> bool:
    """Return whether a computer runs what a wheel's tag of its platform names; one for a newer glibc it does not."""
    least = re.match(r"manylinux_(\d+_\d+)_", platform)
    is_newer = bool(glibc and least and version_key(least[1].replace("_", ".")) > version_key(glibc))
    return platform == "any" or (system in platform and not is_newer and not (glibc and "musllinux" in platform))


def wheel_tags(url: str) -> frozenset[Tag]:
    """Return the tags of the wheel that an address or a path names; none for what is no wheel."""
    try:
        return parse_wheel_filename(PurePosixPath(urlsplit(unquote(url)).path).name)[3]
    except ValueError:
        return frozenset()


def made_for(url: str) -> str:
    """Return for what that wheel is made, such as `Python 3.11, win_amd64`."""
    tags = wheel_tags(url)
    pythons = sorted({re.sub(r"^(?:cp|py)(\d)(\d*)$", r"Python \1.\2", one.interpreter).rstrip(".") for one in tags})
    return ", ".join((*pythons, *sorted({one.platform for one in tags} - {"any"})))
