"""Says what is wanted of a source, and which of the wheels that it lists is that very one.

Which wheel tags a Python on a machine takes, for a machine that need not be this one: the rules (manylinux from the C
library's version, abi3, py3-none) are those of `packaging`; here is only the list of platforms, which `packaging`
itself can make for the running machine alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import BuildTag, canonicalize_name, parse_wheel_filename
from packaging.version import Version

from wizard.sources.model import Offer, Source
from wizard.sources.read import Reader

_PYTHON = re.compile(r"^3\.(\d{1,2})(?:\.\d+)?(t?)$")
_GLIBC = re.compile(r"^2\.(\d{1,2})")
_OLD_NAMES = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}  # PEP 600
_OLDEST_GLIBC = {"x86_64": 5, "aarch64": 17}  # before these no manylinux policy existed
_PYMALLOC_UP_TO = 7  # the ABI of CPython up to 3.7 is called cp37m: https://bugs.python.org/issue36707
_WINDOWS_ARCH = {"x86_64": "win_amd64", "amd64": "win_amd64", "aarch64": "win_arm64", "arm64": "win_arm64"}
_LINUX_ARCH = {"amd64": "x86_64", "arm64": "aarch64"}


def _windows_platforms(machine: str, glibc: str | None) -> Iterator[str]:
    if machine in _WINDOWS_ARCH:
        yield _WINDOWS_ARCH[machine]


def _linux_platforms(machine: str, glibc: str | None) -> Iterator[str]:
    """None without glibc (musl): wheels for `linux_*` are built for glibc all the same."""
    arch = _LINUX_ARCH.get(machine, machine)
    version = _GLIBC.match(glibc or "")
    if not version:
        return
    for minor in range(int(version[1]), _OLDEST_GLIBC.get(arch, 17) - 1, -1):
        yield f"manylinux_2_{minor}_{arch}"
        if minor in _OLD_NAMES:
            yield f"{_OLD_NAMES[minor]}_{arch}"
    yield f"linux_{arch}"


_PLATFORMS = {"windows": _windows_platforms, "linux": _linux_platforms}


def platforms(os_name: str, arch: str, glibc: str | None) -> tuple[str, ...]:
    """Return the platforms of wheel tags that a machine takes, best first. Raises KeyError for another system."""
    return tuple(_PLATFORMS[os_name](arch.lower(), glibc))


def platform_tags(python: str, os_name: str, arch: str, glibc: str | None) -> tuple[Tag, ...]:
    """Return the tags that it takes, best first. `python`: "3.12" (or "3.14t", free-threaded). Raises ValueError for
    what is no Python 3."""
    version, interpreter, _ = _tag_names(python)
    machines = platforms(os_name, arch, glibc)
    own = _cpython_tags(python, machines) if machines else ()  # without any `packaging` takes this machine's
    return tuple(dict.fromkeys((*own, *compatible_tags(version, interpreter, machines))))


def takes(python: str, tags: Iterable[Tag]) -> bool:
    """Return whether this Python loads a wheel of these tags, on whichever platform. Raises ValueError for what is no
    Python 3."""
    own = {(tag.interpreter, tag.abi) for tag in _cpython_tags(python, ("any",))}
    return any(tag.interpreter.startswith("py") or (tag.interpreter, tag.abi) in own for tag in tags)


def _cpython_tags(python: str, machines: Sequence[str]) -> Iterator[Tag]:
    version, _, abi = _tag_names(python)
    return cpython_tags(version, [abi], machines)


def _tag_names(python: str) -> tuple[tuple[int, int], str, str]:
    """Return the version, the interpreter's tag and the ABI's: "3.12" is `cp312`, `cp312`; "3.7" is `cp37`, `cp37m`."""
    match = _PYTHON.match(python)
    if not match:
        raise ValueError(f"not a Python version: {python!r}")
    minor = int(match[1])
    interpreter = f"cp3{minor}"
    return (3, minor), interpreter, interpreter + ("m" if minor <= _PYMALLOC_UP_TO else match[2])


# Does a source carry this very wheel: release, build and platform? Another build is never taken for it.
#
# A torch-family file without a local version (`torch-2.15.0-…`) is the build that the official package index has for
# its platform; which CUDA tag that is, the caller says (`default_variant`). In an index of one tag it is that tag.


@dataclass(frozen=True, slots=True)
class WantedWheel:
    """`version` without its local part ("2.14.1"), or "": the newest stable one that `specifier` takes. `tags` best
    first, see `platform_tags`.

    `default_variant` None: a file without a local version says nothing about its build.
    """

    project: str
    version: str
    variant: str
    python: str  # "3.12"
    tags: tuple[Tag, ...]
    default_variant: str | None = None
    specifier: str = ""

    @property
    def key(self) -> str:
        """Return the same for the same wheel, today and tomorrow."""
        tags = " ".join(map(str, self.tags))
        return f"{self.label} {self.python} {self.specifier} {self.default_variant} {tags}"

    @property
    def label(self) -> str:
        local = f"+{self.variant}" if self.variant else ""
        return f"{self.project} {self.version or self.specifier}{local}".strip()


@dataclass(frozen=True, slots=True)
class WantedChannel:
    subdir: str  # "linux-64"
    python: str

    @property
    def label(self) -> str:
        return f"python {self.python} ({self.subdir})"

    key = label


@dataclass(frozen=True, slots=True)
class WantedInstaller:
    ending: str  # "Linux-x86_64.sh"

    @property
    def label(self) -> str:
        return f"Miniforge3-{self.ending}"

    key = label


Wanted = WantedWheel | WantedChannel | WantedInstaller


def variant_of(offer: Offer, default_variant: str | None) -> str | None:
    """Return the CUDA tag of a wheel; None where neither its name nor its source says it."""
    return offer.version.local or offer.source.variant or default_variant


def public(version: Version) -> Version:
    """Return it without the local part."""
    return version if version.local is None else Version(version.public)


def best_offer(offers: Iterable[Offer], wanted: WantedWheel) -> Offer | None:
    """Choose as installers do: the most specific tag (the newest manylinux), then the highest build number."""
    ranks = {tag: rank for rank, tag in reversed(list(enumerate(wanted.tags)))}
    release = Version(Version(wanted.version).public)
    project = canonicalize_name(wanted.project)
    fitting = [
        offer
        for offer in offers
        if offer.project == project
        and public(offer.version) == release
        and variant_of(offer, wanted.default_variant) == wanted.variant
        and not offer.yanked
        and not offer.tags.isdisjoint(ranks)
        and _takes_python(offer.requires_python, wanted.python)
    ]
    return min(fitting, key=lambda offer: _order(offer, ranks), default=None)


def fitting_versions(offers: Iterable[Offer], python: str, tags: Sequence[Tag]) -> frozenset[Version]:
    """Return the releases that have a wheel for this Python and platform, withdrawn ones apart."""
    return frozenset(
        public(offer.version)
        for offer in offers
        if not offer.yanked and not offer.tags.isdisjoint(tags) and _takes_python(offer.requires_python, python)
    )


def _order(offer: Offer, ranks: dict[Tag, int]) -> tuple[int, int, str]:
    build: BuildTag = parse_wheel_filename(offer.filename)[2]
    rank = min(ranks[tag] for tag in offer.tags if tag in ranks)
    return rank, -(build[0] if build else 0), offer.filename


def _takes_python(requires: str | None, python: str) -> bool:
    """Return whether any patch release of this Python will do; which one is installed is not known here."""
    if not requires:
        return True
    try:
        allowed = SpecifierSet(requires)
    except InvalidSpecifier:
        return True
    series = python.rstrip("t")
    return any(allowed.contains(f"{series}{patch}", prereleases=True) for patch in (".0", ".99"))


def carried(reader: Reader, source: Source, wanted: WantedWheel) -> Offer | None:
    """Return the wanted wheel; None: the source answered and has none. Raises SourceUnreachable."""
    return best_offer(reader.offers(source, wanted.project), wanted)
