"""What versions, Pythons and systems a line is meant for: PEP 440 specifiers of every tool's words, and markers."""

from __future__ import annotations

import re
from functools import lru_cache

from packaging.markers import InvalidMarker, Marker
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from wizard.system import traits

ENDLESS = re.compile(r"\d{1000}")  # digits that no version has, and that Python counts no more


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
    """Return whether some version meets both; tried are those that they pin, else those that they name, what lies right
    above, and the next."""
    both = [specifier_of(one), specifier_of(other)]
    parts = [part for specifiers in both for part in specifiers]
    pins = [part.version for part in parts if part.operator == "==" and not part.version.endswith(".*")]
    try:
        named = [] if pins else [Version(part.version.removesuffix(".*")) for part in parts]
    except InvalidVersion:
        return True
    tried = pins or ["0"]
    for version in named:
        tried += [str(version), f"{version.base_version}.0.1", f"{version.base_version}.1"]
        tried += [f"{version.major}.{version.minor + 1}", f"{version.major + 1}"]
    return any(all(specifiers.contains(version, prereleases=True) for specifiers in both) for version in tried)


@lru_cache(maxsize=8192)
def python_meets(specifier: str, python: str) -> bool:
    """Return whether some patch of that Python meets it."""
    wanted = specifier_of(specifier)
    return any(wanted.contains(f"{python}.{patch}") for patch in range(41))


def loosened(specifier: str) -> str:
    """Return `>=1.19.5,<2` of `==1.19.5`."""

    def least(pin: re.Match[str]) -> str:
        return f">={pin['version']},<{int(pin['major']) + 1}"

    return re.sub(r"={2,3}(?P<version>(?P<major>\d+)[^,*]*?)(?:\.\*)?(?=,|$)", least, specifier)


def python_specifier(text: str) -> str:
    """Return the words of `requires-python`, or of poetry's."""
    if ENDLESS.search(text):
        return ""
    try:
        return str(SpecifierSet(text))
    except InvalidSpecifier:
        return poetry_specifier(text)


def poetry_specifier(text: str) -> str:
    """Return PEP 440 words of poetry's `^2.0`, `~2.1`, `2.0.1`, `*`; of `^1.13 || ^2.0` the first least and the last
    most; "" for what has none."""
    if ENDLESS.search(text):
        return ""
    split = re.compile(r"[,\s]+(?=[\^~<>=!*\d])").split
    text = re.sub(r"([\^~<>=!])\s+", r"\1", text)  # `< 1.13` is one part
    ways = [[_poetry_part(part.strip()) for part in split(way.strip())] for way in text.split("||")]
    if len(ways) > 1:
        least = [one for part in ways[0] for one in part.split(",") if one.startswith(">")]
        most = [one for part in ways[-1] for one in part.split(",") if one.startswith("<")]
        ways = [[*least, *most] or ways[0]]
    specifier = ",".join(part for part in ways[0] if part)
    try:
        return str(SpecifierSet(specifier))
    except InvalidSpecifier:
        return ""


def _poetry_part(part: str) -> str:
    part = re.sub(r"\s+", "", part)
    caret = re.fullmatch(r"(\^|~)(\d+(?:\.\d+)*)(\S*)", part)
    if caret:
        numbers = [int(number) for number in caret[2].split(".")]
        keep = 1 if len(numbers) < 2 or (caret[1] == "^" and numbers[0]) else 2
        if caret[1] == "^" and not numbers[0] and len(numbers) > 2 and not numbers[1]:
            keep = 3
        following = [*numbers[: keep - 1], numbers[keep - 1] + 1]
        return f">={caret[2]}{caret[3]},<{'.'.join(map(str, following))}"
    if part in ("*", ""):
        return ""
    return f"=={part}" if part[0].isdigit() else part


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
