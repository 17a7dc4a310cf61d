"""The facts that an error text names itself, judged by the compatibility tables.

What the compatibility tables say to the facts of an error text: sentences that name the facts they rest on.

No guess: a version that no table holds gets no sentence. What this computer is does not count here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wizard.compatibility.data.model import Build, Matrix
from wizard.compatibility.data.ordering import cuda_of, version_key
from wizard.compatibility.rules import code_for
from wizard.diagnose.known_errors.match import clean
from wizard.model.capability import ComputeCapability
from wizard.model.messages import Message, message
from wizard.model.patterns import compiled

# The facts that an error text itself names: versions and builds, the card's capability, the driver's CUDA, a pin.
#
# Only what stands in the text; what follows from it is found below. What is wanted ("requires
# torch==…") is kept apart from what is there.

_VERSION = r"(\d+\.\d+\.\d+)(\.?(?:dev|a|b|rc)\d*)?(?:\+(cu\d+|cpu))?"
_THERE = (
    r"(?i)(requires |requirement |depends on |want |satisfies |collecting |with |for )?"
    r"\b{name}(?: version)?[\"'` ]{{0,14}}(?:==|=|:|-| )[ \"'`]{{0,3}}" + _VERSION
)
_SAID_BY_PYTHON = r"torch\.__version__\)?\s*['\"]?" + _VERSION
_WANTED = r"(?:requirement |distribution found for |candidates for )(torch|torchvision|torchaudio)(?:==| \()" + _VERSION
_LISTED = r"\(from versions: (\d[^)\n]*)\)"
_CAPABILITY = r"CUDA capability sm_(\d{2,3})\b|(?:compute|cuda) capability(?: \(CC\))? (\d{1,2}\.\d)\b"
_DRIVER_CUDA = r"driver on your system is too old \(found version (\d{2})(\d{2})0\)"


@dataclass(frozen=True, slots=True)
class Named:
    """A package with its version; `tag` is `cu128` or `cpu`, empty where the text does not say."""

    name: str
    version: str
    tag: str = ""

    @property
    def text(self) -> str:
        return f"{self.name} {self.version}" + (f"+{self.tag}" if self.tag else "")


@dataclass(frozen=True, slots=True)
class TextFacts:
    torch: Named | None = None
    torchvision: Named | None = None
    wanted: Named | None = None
    listed: tuple[str, ...] = ()  # what the index has for this Python, as pip lists it
    capability: ComputeCapability | None = None
    driver_cuda: str = ""


def parse_facts(text: str) -> TextFacts:
    """The last of each kind: what ends a log is nearer to the failure."""
    words = clean(text)
    return TextFacts(
        _there("torch", words) or _said_by_python(words) or _there("pytorch", words),
        _there("torchvision", words),
        _wanted_facts(words),
        _listed(words),
        _capability(words),
        _driver_cuda(words),
    )


def _there(name: str, words: str) -> Named | None:
    found = [match for match in compiled(_THERE.format(name=name)).finditer(words) if not match[1]]
    return _named(name.replace("pytorch", "torch"), found[-1].groups()[1:]) if found else None


def _said_by_python(words: str) -> Named | None:
    found = list(compiled(_SAID_BY_PYTHON).finditer(words))
    return _named("torch", found[-1].groups()) if found else None


def _wanted_facts(words: str) -> Named | None:
    found = list(compiled(_WANTED).finditer(words))
    return _named(found[-1][1], found[-1].groups()[1:]) if found else None


def _listed(words: str) -> tuple[str, ...]:
    found = list(compiled(_LISTED).finditer(words))
    return tuple(found[-1][1].split(", ")) if found else ()


def _named(name: str, groups: tuple[str | None, ...]) -> Named | None:
    """None for a nightly: no table holds it."""
    version, unfinished, tag = groups
    return None if unfinished or not version else Named(name, version, tag or "")


def _capability(words: str) -> ComputeCapability | None:
    found = list(compiled(_CAPABILITY).finditer(words))
    if not found:
        return None
    arch, dotted = found[-1].groups()
    return ComputeCapability.from_arch(f"sm_{arch}") if arch else ComputeCapability.parse(dotted)


def _driver_cuda(words: str) -> str:
    found = list(compiled(_DRIVER_CUDA).finditer(words))
    return f"{int(found[-1][1])}.{int(found[-1][2])}" if found else ""


_PLATFORM = "linux_x86_64"  # the platform with the most builds: what it lacks is nowhere


def check_facts(facts: TextFacts, matrix: Matrix) -> tuple[Message, ...]:
    return (*_pair(facts, matrix), *_code(facts, matrix), *_driver(facts, matrix), *_wanted(facts, matrix))


def _pair(facts: TextFacts, matrix: Matrix) -> Iterator[Message]:
    torch, vision = facts.torch, facts.torchvision
    if torch is None or vision is None:
        return
    release = matrix.releases.get(torch.version)
    right = release.torchvision if release else None
    if right and version_key(right)[:2] != version_key(vision.version)[:2]:
        yield message("explain.reason.pair", torch=torch.version, right=right, torchvision=vision.version)
    elif torch.tag and vision.tag and torch.tag != vision.tag:
        yield message("explain.reason.tags", torch=torch.text, torchvision=vision.text)


def _code(facts: TextFacts, matrix: Matrix) -> Iterator[Message]:
    """Which build holds code for the card: the one named, else one of its release, else of the newest that has one."""
    if facts.capability is None:
        return
    fitting = [build for build in _cuda_builds(matrix) if _has_code(build, facts)]
    there = facts.torch
    blanks = {"sm": facts.capability.sm}
    if there and there.tag and any(_is(build, there) for build in fitting):
        yield message("explain.reason.has-code", build=there.text, **blanks)
        return
    of_release = [build for build in fitting if there and build.torch == there.version]
    of_newest = [build for build in fitting if build.torch == fitting[0].torch]
    least = (of_release or of_newest)[-1:]  # the lowest CUDA asks the least of the driver
    if least and there and any(_is(build, there) for build in _cuda_builds(matrix)):
        yield message("explain.reason.no-code", build=there.text, other=_text(least[0]), **blanks)
    elif least:
        yield message("explain.reason.code", other=_text(least[0]), **blanks)


def _driver(facts: TextFacts, matrix: Matrix) -> Iterator[Message]:
    """Any build of the driver's CUDA major runs, whatever its minor."""
    if not facts.driver_cuda:
        return
    allowed = version_key(facts.driver_cuda)[0]
    runs = next((one for one in _cuda_builds(matrix) if version_key(cuda_of(one.variant) or "")[0] <= allowed), None)
    if runs:
        yield message("explain.reason.driver", cuda=facts.driver_cuda, build=_text(runs))


def _wanted(facts: TextFacts, matrix: Matrix) -> Iterator[Message]:
    """A version that the index listed is not this Python's fault."""
    wanted = facts.wanted
    if wanted is None or wanted.name != "torch":
        return
    plain = [version.partition("+")[0] for version in facts.listed]
    if facts.listed and wanted.version not in plain:
        key = version_key(wanted.version)
        yield message(
            "explain.reason.nearest", nearest=min(facts.listed, key=lambda one: _apart(version_key(one), key))
        )
    builds = [build for build in matrix.builds if build.torch == wanted.version and build.platform == _PLATFORM]
    pythons = sorted({python for build in builds for python in build.pythons}, key=version_key)
    if not pythons:
        return
    if wanted.version not in plain:
        yield message("explain.reason.pythons", torch=wanted.version, first=pythons[0], last=pythons[-1])
    if wanted.tag and all(build.variant != wanted.tag for build in builds):
        tags = ", ".join(build.variant for build in builds)
        yield message("explain.reason.no-tag", torch=wanted.version, tag=wanted.tag, tags=tags)


def _cuda_builds(matrix: Matrix) -> Iterator[Build]:
    return (build for build in matrix.builds if build.platform == _PLATFORM and build.kernels)


def _has_code(build: Build, facts: TextFacts) -> bool:
    kernels, capability = build.kernels, facts.capability
    return kernels is not None and capability is not None and code_for(kernels.architectures, capability) is not None


def _is(build: Build, named: Named) -> bool:
    return (build.torch, build.variant) == (named.version, named.tag)


def _apart(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """How far two versions are from each other: the first number counts most."""
    return tuple(abs(left - right) for left, right in zip(one, other, strict=False))


def _text(build: Build) -> str:
    return f"torch {build.torch}+{build.variant}"
