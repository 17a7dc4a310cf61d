"""The facts that an error text itself names: versions and builds, the card's capability, the driver's CUDA, a pin.

Only what stands in the text; what follows from it is `wizard.plan.text_checks`. What is wanted ("requires torch==…")
is kept apart from what is there.
"""

from __future__ import annotations

from dataclasses import dataclass

from wizard.capability import ComputeCapability
from wizard.explain.match import clean
from wizard.patterns import compiled

_VERSION = r"(\d+\.\d+\.\d+)(\.?(?:dev|a|b|rc)\d*)?(?:\+(cu\d+|cpu))?"
_THERE = (
    r"(?i)(requires |requirement |depends on |want |satisfies |collecting |with |for )?"
    r"\b{name}(?: version)?[\"'` ]{{0,14}}(?:==|=|:|-| )[ \"'`]{{0,3}}" + _VERSION
)
_SAID_BY_PYTHON = r"torch\.__version__\)?\s*['\"]?" + _VERSION
_WANTED = r"(?:requirement |no version of |wheels? .{0,20})(torch|torchvision|torchaudio)==" + _VERSION
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
    capability: ComputeCapability | None = None
    driver_cuda: str = ""


def parse_facts(text: str) -> TextFacts:
    """The last of each kind: what ends a log is nearer to the failure."""
    words = clean(text)
    return TextFacts(
        _there("torch", words) or _said_by_python(words) or _there("pytorch", words),
        _there("torchvision", words), _wanted(words), _capability(words), _driver_cuda(words),
    )  # fmt: skip


def _there(name: str, words: str) -> Named | None:
    found = [match for match in compiled(_THERE.format(name=name)).finditer(words) if not match[1]]
    return _named(name.replace("pytorch", "torch"), found[-1].groups()[1:]) if found else None


def _said_by_python(words: str) -> Named | None:
    found = list(compiled(_SAID_BY_PYTHON).finditer(words))
    return _named("torch", found[-1].groups()) if found else None


def _wanted(words: str) -> Named | None:
    found = list(compiled(_WANTED).finditer(words))
    return _named(found[-1][1], found[-1].groups()[1:]) if found else None


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
