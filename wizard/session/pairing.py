"""Which torchvision and torchaudio belong to a torch that the tables do not know: asked of their own metadata.

torchvision names the torch that it was built for; torchaudio has named none since 2.11, so its newest release serves.
Where nothing is found, the companion stays unknown: none is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from packaging.requirements import Requirement
from packaging.version import Version

from wizard.errors import WizardError
from wizard.matrix.model import Matrix
from wizard.mirrors.core_metadata import read_requirements
from wizard.mirrors.model import Offer, Source
from wizard.mirrors.read import Reader
from wizard.session.news import NewBuild, newest_release

_STABLE = re.compile(r"^\d+(\.\d+){1,3}$")  # as the tables hold them
_MOST_ASKED = 6  # releases of one companion


def pairs(builds: Sequence[NewBuild], matrix: Matrix, reader: Reader) -> dict[str, tuple[str | None, str | None]]:
    """torch -> (torchvision, torchaudio), from the sources in which the new builds were found."""
    before = matrix.releases[newest_release(matrix)]
    found: dict[str, tuple[str | None, str | None]] = {}
    for build in builds:
        if build.torch in matrix.releases or all(found.get(build.torch, (None,))):
            continue
        vision = _companion("torchvision", build, reader, before.torchvision)
        audio = _companion("torchaudio", build, reader, before.torchaudio, unpinned=True)
        known = found.get(build.torch, (None, None))
        found[build.torch] = (known[0] or vision, known[1] or audio)
    return found


def _companion(project: str, build: NewBuild, reader: Reader, least: str | None, unpinned: bool = False) -> str | None:
    """The newest release not below `least` that takes this torch; `unpinned`: also one that names no torch."""
    for offer in _newest(_offers(project, build.source, reader), least)[:_MOST_ASKED]:
        try:
            named = _torch_of(read_requirements(reader.client, offer))
        except WizardError:
            continue
        if named is None and unpinned or named is not None and named.specifier.contains(build.torch):
            return offer.version.public
    return None


def _offers(project: str, source: Source, reader: Reader) -> tuple[Offer, ...]:
    try:
        return reader.offers(source, project)
    except WizardError:
        return ()


def _newest(offers: Iterable[Offer], least: str | None) -> list[Offer]:
    """One wheel of each stable release, newest first; newer companions are made for any Python (`py3-none`)."""
    releases: dict[Version, Offer] = {}
    for offer in offers:
        if not offer.yanked and _STABLE.match(offer.version.public):
            releases.setdefault(Version(offer.version.public), offer)
    floor = Version(least or "0")
    return [releases[version] for version in sorted(releases, reverse=True) if version >= floor]


def _torch_of(requirements: Iterable[Requirement]) -> Requirement | None:
    return next((one for one in requirements if one.name == "torch" and one.marker is None), None)
