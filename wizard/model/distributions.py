"""Installed distributions by their files alone: folders, METADATA, RECORD, and whether the files have their digests.

One reader for everybody. It imports nothing and starts no Python, so a broken environment can be read too: that is why
it is no `importlib.metadata`, which passes over what it cannot read. Conda's own records are read by
`wizard/environment/conda/records`.
"""

from __future__ import annotations

import base64
import contextlib
import csv
import hashlib
import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import canonicalize_name

from wizard.system.links import long_path

if TYPE_CHECKING:
    from packaging.requirements import Requirement

FAMILY = ("torch", "torchvision", "torchaudio")
_FOLDER = re.compile(r"^(?P<name>[A-Za-z0-9._]+?)-(?P<version>[^-]+)(?:-py\d\.\d+)?\.(?P<kind>dist-info|egg-info)$")
_LARGEST = 16 << 20
# Installers write these themselves: their content is not the wheel's.
REWRITTEN = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "RECORD.jws", "RECORD.p7s")

# And of METADATA only that it is there: torch 1.10's makers wrote into it after they had made the RECORD.
_INFO = re.compile(rf"\.dist-info/(?:{'|'.join(map(re.escape, REWRITTEN))}|METADATA)$")


class Recorded(NamedTuple):
    """One line of a RECORD: a path relative to site-packages, its size where it is known, `sha256=…`."""

    path: str
    size: int | None
    digest: str = ""


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
    def is_folder(self) -> bool:
        """Return False also for one that is gone."""
        return long_path(self.info).is_dir()

    @property
    def local(self) -> str | None:
        """`cu126` of 2.14.1+cu126."""
        return self.version.partition("+")[2] or None

    @property
    def release(self) -> str:
        return self.version.partition("+")[0]

    def record(self) -> tuple[Recorded, ...]:
        return read_record(self.info)

    def wanted(self, environment: Mapping[str, str]) -> Iterator[Requirement]:
        """Yield what it needs on this Python, without extras."""
        for line in self.requires:
            requirement = parse_requirement(line)
            if requirement and _applies(requirement, environment):
                yield requirement


def parse_requirement(line: str) -> Requirement | None:
    """Return the requirement of a line; None where it is none by PEP 508."""
    from packaging.requirements import InvalidRequirement, Requirement  # a list of environments needs no such parser

    try:
        return Requirement(line)
    except InvalidRequirement:
        return None


def _applies(requirement: Requirement, environment: Mapping[str, str]) -> bool:
    if requirement.marker is None:
        return True
    from packaging.markers import InvalidMarker, UndefinedEnvironmentName

    try:
        return requirement.marker.evaluate({**environment, "extra": ""})
    except (UndefinedEnvironmentName, InvalidMarker, ValueError):
        return False


def _text(path: Path) -> str:
    """Return a file's text, "" for what is not there or cannot be read. At most 16 MB: the largest list takes 2."""
    try:
        with long_path(path).open("rb") as file:
            return file.read(_LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""


def parse_headers(text: str, name: str) -> tuple[str, ...]:
    """Return every value of a header of METADATA or WHEEL, up to the first empty line."""
    head = text.replace("\r\n", "\n").split("\n\n", 1)[0]
    start = f"{name.lower()}:"
    return tuple(line[len(start) :].strip() for line in head.splitlines() if line.lower().startswith(start))


def read_distribution(info: Path) -> Distribution | None:
    """Return what a metadata folder says; None for a folder whose name is none of a distribution's."""
    match = _FOLDER.match(info.name)
    if match is None:
        return None
    metadata = _text(info if long_path(info).is_file() else info / "METADATA") or _text(info / "PKG-INFO")
    name = next(iter(parse_headers(metadata, "Name")), match["name"])
    return Distribution(
        name=canonicalize_name(name),
        version=next(iter(parse_headers(metadata, "Version")), match["version"]),
        info=info,
        installer=_text(info / "INSTALLER").strip() or ("conda" if match["kind"] == "egg-info" else ""),
        requires=parse_headers(metadata, "Requires-Dist"),
        tags=parse_headers(_text(info / "WHEEL"), "Tag"),
        has_metadata=bool(metadata),
        has_record=(long_path(info) / "RECORD").is_file() or match["kind"] == "egg-info",
    )


def info_folders(site: Path) -> tuple[Path, ...]:
    """Return the folders that describe packages, in order; none where the folder cannot be read."""
    try:
        return tuple(sorted(site / path.name for path in long_path(site).iterdir() if _FOLDER.match(path.name)))
    except OSError:
        return ()


def parse_info_name(folder: str) -> tuple[str, str] | None:
    """Return (normal name, version) by the name of a metadata folder; None for any other."""
    match = _FOLDER.match(folder)
    return (canonicalize_name(match["name"]), match["version"]) if match else None


def folder_name(info: Path) -> str:
    """Return the normal name of the distribution that a metadata folder is of, without reading anything."""
    return (parse_info_name(info.name) or ("",))[0]


def read_distributions(sites: Iterable[Path]) -> tuple[Distribution, ...]:
    """Return all distributions in the order of the folders, which is the order in which Python looks."""
    return tuple(
        found for site in dict.fromkeys(sites) for info in info_folders(site) if (found := read_distribution(info))
    )


def leftovers(site: Path) -> tuple[Path, ...]:
    """Return `~orch` and such: what pip moved out of the way and did not get to delete."""
    try:
        return tuple(sorted(site / path.name for path in long_path(site).iterdir() if path.name.startswith("~")))
    except OSError:
        return ()


def is_inside(name: str) -> bool:
    """Tell whether a relative path cannot leave its folder on any system."""
    if not name or name[0] == "/" or "\\" in name or ":" in name or "\0" in name:
        return False
    return ".." not in name or ".." not in name.split("/")


def place(entry_path: str) -> str | None:
    """Return where a RECORD path lands in site-packages; None for what goes elsewhere (scripts, headers)."""
    if not is_inside(entry_path):
        return None
    first, _, rest = entry_path.partition("/")
    if not first.endswith(".data"):
        return entry_path
    scheme, _, path = rest.partition("/")
    return path if path and scheme in ("purelib", "platlib") else None


def parse_record(text: str) -> tuple[Recorded, ...]:
    """Return the lines of a RECORD; of a file that is no table any more what was read before that."""
    found = []
    with contextlib.suppress(csv.Error):
        for row in csv.reader(io.StringIO(text, newline="")):
            if row and row[0] and "\0" not in row[0]:
                digest, size = row[1:3] if len(row) > 2 else (*row[1:], "", "")[:2]
                known = int(size) if size.isascii() and size.isdigit() else None
                found.append(Recorded(row[0].replace("\\", "/"), known, digest))
    return tuple(found)


def read_record(info: Path) -> tuple[Recorded, ...]:
    """Return the lines of the RECORD in a metadata folder, () where it cannot be read."""
    return parse_record(_text(info / "RECORD"))


def changed_files(site_packages: Path, entries: Iterable[Recorded], package: str) -> tuple[str, ...]:
    """Return files with another content than their SHA-256 says, but for those that installers write anew.

    Two packages may bring a file in two contents, of which the later one stays (`wheel_data.Claims`): that is no
    change, unless `package` is of torch's family."""
    site_packages = long_path(site_packages)
    found = []
    for entry in entries:
        target = place(entry.path)
        if target is None or not entry.digest.startswith("sha256=") or _INFO.search(target):
            continue
        if content_digest(site_packages / target) not in (None, entry.digest):
            found.append(target)
    known = promised_by_any(site_packages, found) if found and package not in FAMILY else {}
    promised = {path: {entry.digest for entry in entries} for path, entries in known.items()}
    return tuple(path for path in found if content_digest(site_packages / path) not in promised.get(path, ()))


def promised_by_any(site_packages: Path, paths: Collection[str]) -> dict[str, list[Recorded]]:
    """Return what all packages in that folder promise of these files."""
    found: dict[str, list[Recorded]] = {path: [] for path in paths}
    for folder in long_path(site_packages).glob("*.dist-info"):
        for entry in read_record(folder):
            if entry.path in found and entry.digest:
                found[entry.path].append(entry)
    return found


_PROMISED = re.compile(r"[#&]((?:sha(?:1|224|256|384|512)|md5)=[^&]*)")


def promised_digest(url: str) -> str:
    """Return `sha256=…` of what stands behind an address or a path; "" for none."""
    found = _PROMISED.search(url)
    return found[1] if found else ""


def has_digest(path: Path, promised: str) -> bool:
    """Return whether a file is the promised one; False also where it cannot be read. `promised`: as
    `promised_digest` has it; "" holds of every file."""
    kind, _, digest = promised.partition("=")
    found = _hashed(path, kind) if promised else None
    return not promised or (found is not None and found.hex() == digest.strip().lower())


def content_digest(path: Path) -> str | None:
    """Return a file's hash as a RECORD writes it, `sha256=…`; None for what cannot be read."""
    digest = _hashed(path, "sha256")
    return None if digest is None else "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _hashed(path: Path, kind: str) -> bytes | None:
    digest = hashlib.new(kind)
    try:
        with long_path(path).open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError:
        return None
    return digest.digest()
