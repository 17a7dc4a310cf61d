"""Sources: where packages can come from, and what they were seen to carry.

A *source* is an index or a folder. `torch` sources carry one variant's wheels (or a PyPI mirror's default
build); `packages` sources carry everything else; `conda` sources are channels.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from packaging.tags import Tag
from packaging.version import Version

from wizard.model.messages import Message, Words
from wizard.sources.table import MirrorRow


class Layout(str, enum.Enum):
    SIMPLE = "simple"  # PEP 503 / 691: <url>/<project>/
    FLAT = "flat"  # one page (or folder) that lists files
    CHANNEL = "channel"  # conda


class Origin(str, enum.Enum):
    OFFICIAL = "official"
    MIRROR = "mirror"
    USER_SETTINGS = "user-settings"  # the user's own pip or uv settings
    BY_HAND = "by-hand"  # typed on the command line or in the window


class SourceKind(str, enum.Enum):
    TORCH = "torch"
    PACKAGES = "packages"
    CONDA = "conda"
    MINIFORGE = "miniforge"


@dataclass(frozen=True, slots=True)
class Source:
    """A place to ask: what it is, where it lies, and the row of the table that it is from.

    `url` is None for the official package index: it is pip's and uv's own default, chosen by leaving it out. `variant`
    is set when everything in it is one CUDA tag (the official torch index has one per tag). `row` is None where no
    table names it: the person's own settings, and by hand.
    """

    id: str
    layout: Layout
    origin: Origin
    url: str | None  # https://…, http://127.0.0.1…, file:///…
    name: Words = field(default="", hash=False)  # for people: operator or "your pip settings (extra-index-url)"
    variant: str | None = None
    row: MirrorRow | None = field(default=None, compare=False, repr=False)

    @property
    def mirror(self) -> str:
        """The id that `--mirror` takes."""
        return self.row.id if self.row else self.id

    @property
    def is_default_index(self) -> bool:
        return self.url is None

    @property
    def label(self) -> Words:
        return self.name or self.id


@dataclass(frozen=True, slots=True)
class Offer:
    """A wheel that a source lists. `url` is absolute. `size` is None where the page does not say."""

    source: Source
    project: str
    version: Version  # with the local part: 2.13.0+cpu
    filename: str
    url: str
    sha256: str | None
    size: int | None
    tags: frozenset[Tag]
    requires_python: str | None = None
    yanked: bool = False
    metadata: str | None = None  # None: no core metadata beside the file; else its SHA-256, "" when not said
    uploaded: str | None = None  # "2026-09-15T10:00:00Z", where the page tells


@dataclass(frozen=True, slots=True)
class UserSettings:
    """What the user's own pip, uv and conda settings say about sources. Addresses may hold credentials: print them
    redacted. `conda_channels`: for the built-in engine; `conda_only`: no channel but these may be asked."""

    index_url: str | None = None
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    conda_channels: tuple[str, ...] = ()
    conda_only: bool = False
    no_index: bool = False
    certificate: str | None = None
    proxy: str | None = None
    environment: Mapping[str, str] | None = field(
        default=None, repr=False
    )  # the way to the network, see wizard.transfer.proxy
    files: tuple[str, ...] = ()  # where these were read
    notices: tuple[Message, ...] = ()
