"""Installed distributions as their metadata folders tell: name, version, who installed them, what they want.

Files only: nothing is imported and no Python is run, so a broken environment can be read too. Conda's own
records are read by `wizard/environments/conda_records`; here is what pip and uv leave in site-packages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.markers import InvalidMarker, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from wizard.packages.wheel import Recorded, parse_record

FAMILY = ("torch", "torchvision", "torchaudio")
_FOLDER = re.compile(r"^(?P<name>[A-Za-z0-9._]+?)-(?P<version>[^-]+)(?:-py\d\.\d+)?\.(?P<kind>dist-info|egg-info)$")
_LARGEST = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Distribution:
    """`info`: its metadata folder. `requires`: raw Requires-Dist lines. `tags`: of its wheel, `cp312-cp312-linux…`."""

    name: str
    version: str
    info: Path
    installer: str
    requires: tuple[str, ...]
    tags: tuple[str, ...]
    has_metadata: bool
    has_record: bool

    @property
    def site(self) -> Path:
        return self.info.parent

    @property
    def local(self) -> str | None:
        """`cu126` of 2.14.1+cu126."""
        return self.version.partition("+")[2] or None

    @property
    def release(self) -> str:
        return self.version.partition("+")[0]

    def record(self) -> tuple[Recorded, ...]:
        return parse_record(_text(self.info / "RECORD"))

    def wanted(self, environment: Mapping[str, str]) -> Iterator[Requirement]:
        """What it needs on this Python, without extras."""
        for line in self.requires:
            requirement = parse_requirement(line)
            if requirement and _applies(requirement, environment):
                yield requirement


def parse_requirement(line: str) -> Requirement | None:
    try:
        return Requirement(line)
    except InvalidRequirement:
        return None


def _applies(requirement: Requirement, environment: Mapping[str, str]) -> bool:
    if requirement.marker is None:
        return True
    try:
        return requirement.marker.evaluate({**environment, "extra": ""})
    except (UndefinedEnvironmentName, InvalidMarker, ValueError):
        return False


def _text(path: Path) -> str:
    """Empty for what is not there or cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST * 4).decode("utf-8", "replace")
    except OSError:
        return ""


def parse_headers(text: str, name: str) -> tuple[str, ...]:
    """Of METADATA or WHEEL: every value of that header, up to the first empty line."""
    head = text.replace("\r\n", "\n").split("\n\n", 1)[0]
    start = f"{name.lower()}:"
    return tuple(line[len(start) :].strip() for line in head.splitlines() if line.lower().startswith(start))


def read_distribution(info: Path) -> Distribution | None:
    """None for a folder whose name is none of a distribution's."""
    match = _FOLDER.match(info.name)
    if match is None:
        return None
    metadata = _text(info if info.is_file() else info / "METADATA") or _text(info / "PKG-INFO")
    name = next(iter(parse_headers(metadata, "Name")), match["name"])
    return Distribution(
        name=canonicalize_name(name),
        version=next(iter(parse_headers(metadata, "Version")), match["version"]),
        info=info,
        installer=_text(info / "INSTALLER").strip() or ("conda" if match["kind"] == "egg-info" else ""),
        requires=parse_headers(metadata, "Requires-Dist"),
        tags=parse_headers(_text(info / "WHEEL"), "Tag"),
        has_metadata=bool(metadata),
        has_record=(info / "RECORD").is_file() or match["kind"] == "egg-info",
    )


def info_folders(site: Path) -> tuple[Path, ...]:
    try:
        return tuple(sorted(path for path in site.iterdir() if _FOLDER.match(path.name)))
    except OSError:
        return ()


def folder_name(info: Path) -> str:
    """The normal name of the distribution that such a folder is of; without reading anything."""
    match = _FOLDER.match(info.name)
    return canonicalize_name(match["name"]) if match else ""


def read_distributions(sites: Iterable[Path]) -> tuple[Distribution, ...]:
    """In the order of the folders, which is the order in which Python looks."""
    return tuple(
        found for site in dict.fromkeys(sites) for info in info_folders(site) if (found := read_distribution(info))
    )


def leftovers(site: Path) -> tuple[Path, ...]:
    """`~orch` and such: what pip moved out of the way and did not get to delete."""
    try:
        return tuple(sorted(path for path in site.iterdir() if path.name.startswith("~")))
    except OSError:
        return ()
