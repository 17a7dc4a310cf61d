"""Groups what an index lists into builds, as the tables group them: stable releases only.

Only what the file names say. A name without a local version leaves the CUDA open (`variant` None): the wheel
itself has to be asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from packaging.version import Version

from wizard.sources.model import Offer

_TAG = re.compile(r"^(cu\d{2,3}|cpu)$")
_PYTHON = re.compile(r"^cp3(\d{1,2})m?$")
_GLIBC = re.compile(r"^manylinux_(\d+)_(\d+)_")
_PLATFORMS = (("win_amd64", "win_amd64"), ("linux_x86_64", "x86_64"), ("linux_aarch64", "aarch64"))


@dataclass(frozen=True, slots=True)
class ListedBuild:
    """One build as an index lists it: `offers` are its wheels, one for each Python."""

    torch: str
    variant: str | None
    platform: str  # "linux_x86_64", "linux_aarch64", "win_amd64"
    local_version: str | None
    offers: tuple[Offer, ...]

    def pythons_among(self, known: Iterable[str]) -> tuple[str, ...]:
        """Return those in the file names; a wheel with the stable ABI serves the later ones that are `known` too."""
        tags = [tag for offer in self.offers for tag in offer.tags]
        minors = {int(match[1]) for tag in tags if (match := _PYTHON.match(tag.abi))}
        stable = [int(match[1]) for tag in tags if tag.abi == "abi3" and (match := _PYTHON.match(tag.interpreter))]
        if stable:
            later = {int(python.partition(".")[2]) for python in known}
            minors |= {min(stable), *(minor for minor in later if minor >= min(stable))}
        return tuple(f"3.{minor}" for minor in sorted(minors))

    @property
    def is_for_python(self) -> bool:
        return bool(self.pythons_among(()))

    @property
    def min_glibc(self) -> str | None:
        """Return the least that one of its tags asks for."""
        tags = (tag.platform for offer in self.offers for tag in offer.tags)
        needed = [(int(match[1]), int(match[2])) for name in tags if (match := _GLIBC.match(name))]
        if needed:
            return ".".join(map(str, min(needed)))
        return "2.17" if self.platform.startswith("linux") else None  # manylinux2014 and before


def listed_builds(offers: Iterable[Offer]) -> tuple[ListedBuild, ...]:
    """Return the builds, newest release first. Pre-releases, withdrawn files and builds for other makers' cards are
    left out."""
    groups: dict[tuple[str, str | None, str, str | None], list[Offer]] = {}
    for offer in offers:
        torch, local = _release(offer.version), offer.version.local
        platform = _platform(offer)
        if platform is None or offer.yanked or torch is None or (local and not _TAG.match(local)):
            continue
        variant = local or offer.source.variant
        groups.setdefault((torch, variant, platform, local), []).append(offer)
    found = [ListedBuild(*key, tuple(wheels)) for key, wheels in groups.items()]
    return tuple(sorted((one for one in found if one.is_for_python), key=_order, reverse=True))


def _release(version: Version) -> str | None:
    """Return it as the tables write it: `2.16` and `2.16.0.0` are 2.16.0. None for no stable release."""
    if version.is_prerelease or version.is_postrelease or version.epoch:
        return None
    numbers = [*version.release, 0, 0][: max(3, len(version.release))]
    while len(numbers) > 3 and numbers[-1] == 0:
        numbers.pop()
    return ".".join(map(str, numbers)) if len(numbers) <= 4 else None


def _platform(offer: Offer) -> str | None:
    names = {tag.platform for tag in offer.tags}
    for platform, ending in _PLATFORMS:
        is_linux = platform.startswith("linux")
        if any(name.endswith(ending) and ("linux" in name) is is_linux for name in names):
            return platform
    return None


def _order(one: ListedBuild) -> tuple[tuple[int, ...], str, str]:
    return tuple(map(int, one.torch.split("."))), one.platform, one.variant or ""
