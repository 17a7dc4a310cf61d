"""SHA-256 of wheels of the torch family: which builds a file name means, and the hashes that its wheel may have.

Keyed by what is in the wheel (project, version, Python, machine), not by the file's whole name: a file that is only
called otherwise (another manylinux tag, a build number, several tags at once) is held against the same hashes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from packaging.utils import InvalidWheelFilename, canonicalize_version, parse_wheel_filename

_MACHINES = ("x86_64", "aarch64", "win_amd64")
_EVERY_MACHINE = ("any", "none")
_ONE_PYTHON = re.compile(r"cp([0-9]+)-cp\1[tm]?")


@dataclass(frozen=True, slots=True)
class WheelKey:
    project: str
    version: str  # 2.14.1+cu126
    python: str  # cp312-cp312
    machine: str  # x86_64 (Linux), win_amd64; of other systems the whole platform tag

    @property
    def build(self) -> tuple[str, str, str]:
        return self.project, self.version, self.machine

    @property
    def is_of_one_python(self) -> bool:
        return _ONE_PYTHON.fullmatch(self.python) is not None


def wheel_keys(file_name: str) -> frozenset[WheelKey]:
    """Return a key for each tag of a wheel's file name; none for a name that is no wheel's."""
    try:
        project, version, _, tags = parse_wheel_filename(unquote(file_name))
    except InvalidWheelFilename:
        return frozenset()
    return frozenset(
        WheelKey(project, canonicalize_version(version), f"{tag.interpreter}-{tag.abi}", machine)
        for tag in tags  # its parts are in lower case
        for machine in _machines(tag.platform)
    )


def wheels_with_one_hash(file_name: str) -> frozenset[Hashable]:
    """Return what a name stands for that has just one SHA-256: a wheel of each tag and build number. For aarch64 the
    name itself, as the same wheel was uploaded under two platform tags; none where `is_of_several_builds`."""
    if "aarch64" in file_name:
        return frozenset() if is_of_several_builds(file_name) else frozenset({file_name})
    number = parse_wheel_filename(unquote(file_name))[2] if (keys := wheel_keys(file_name)) else ()
    return frozenset((key, number) for key in keys)


def is_of_several_builds(file_name: str) -> bool:
    """Tell whether a name does not say which CUDA tag the file belongs to, while the torch index has one for each:
    torchvision and torchaudio for aarch64, never torch."""
    return "aarch64" in file_name and "+" not in file_name and not file_name.startswith("torch-")


def _machines(platform: str) -> tuple[str, ...]:
    if platform in _EVERY_MACHINE:
        return _MACHINES
    return (next((one for one in _MACHINES if platform.endswith(one) and "macosx" not in platform), platform),)


class Pins:
    """The hashes of each build's wheels: several for one where it was uploaded anew under a build number, or where the
    torch index has files of one name under several CUDA tags (torchvision for aarch64)."""

    def __init__(self, files: Iterable[tuple[str, str]]) -> None:
        """`files`: names of wheels, each with its SHA-256."""
        self._hashes: defaultdict[WheelKey, set[str]] = defaultdict(set)
        self._of_one_python: dict[tuple[str, str, str], bool] = {}
        for file_name, sha256 in files:
            for key in wheel_keys(file_name):
                self._hashes[key].add(sha256)
                self._of_one_python[key.build] = self._of_one_python.get(key.build, True) and key.is_of_one_python

    def find(self, file_name: str) -> frozenset[str] | None:
        """Return the hashes that this wheel may have; None where nothing is known about it.

        Empty, so that it may have none, where its build is known and no wheel of it has such tags: an installer would
        take `py3-none-any` or `cp311-abi3` for the known one. A wheel for just one Python that the build lacks, while
        all of its wheels are for just one, may be another true wheel of that build.
        """
        keys = wheel_keys(file_name)
        if own := [self._hashes[key] for key in keys if key in self._hashes]:
            return frozenset().union(*own)
        known = [self._of_one_python[key.build] for key in keys if key.build in self._of_one_python]
        is_of_one_python = len({key.python for key in keys}) == 1 and all(key.is_of_one_python for key in keys)
        return None if not known or (is_of_one_python and all(known)) else frozenset()


def pins_of_rows(rows: Iterable[Mapping[str, str]]) -> Pins:
    return Pins((row["file"], row["sha256"]) for row in rows)
