"""Lists where packages could come from, in order of trust: by hand, the user's own settings, the official places.

Only addresses; what they carry is read later. By hand replaces everything else of its kind. The mirrors of the table
are in `source_candidates` alone: all that is listed, tested and put to a benchmark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Protocol

from wizard.model.messages import message
from wizard.sources.model import Layout, Origin, Source, SourceKind, UserSettings
from wizard.sources.table import FORGE, MirrorRow, mirror_rows, official
from wizard.transfer.address import check_address

TYPED_INDEX = "by-hand-index"  # the id of the source that `--index` names


class SourceChoices(Protocol):
    """The part of the person's choices that says where from (the plan's `Choices` has it)."""

    @property
    def index(self) -> str | None: ...
    @property
    def torch_index(self) -> str | None: ...
    @property
    def find_links(self) -> tuple[str, ...]: ...
    @property
    def channel(self) -> str | None: ...


def torch_sources(choices: SourceChoices, settings: UserSettings, variant: str) -> tuple[Source, ...]:
    """Return those for torch, torchvision and torchaudio of one variant. Raises UsageError for a bad address by
    hand."""
    links = _links_by_hand(choices)
    if choices.torch_index is not None:
        return _unlike((_by_hand("--torch-index", choices.torch_index, Layout.SIMPLE), *links))
    torch_index, index = official_torch_sources(variant)
    if choices.index is not None:
        return _unlike((*links, _by_hand("--index", choices.index, Layout.SIMPLE), torch_index))
    own = (*_user_links(settings), *_user_extra(settings), *_user_index(settings))
    if settings.no_index:
        return _unlike((*links, *_user_links(settings)))
    return _unlike((*links, *own, torch_index, index))


def official_torch_sources(variant: str) -> tuple[Source, Source]:
    """Return torch's own index for this variant, and the default index, which has one build of each release."""
    row = official("pytorch-wheels")
    torch_index = Source(
        f"official-torch-{variant}", Layout.SIMPLE, Origin.OFFICIAL, row.address(variant), row.operator, variant
    )
    return torch_index, default_index()


def package_sources(choices: SourceChoices, settings: UserSettings) -> tuple[Source, ...]:
    """Return those for everything but the torch family. Raises UsageError for a bad address by hand."""
    links = _links_by_hand(choices)
    if choices.index is not None:  # in place of the user's own; a project's say where its packages are
        return _unlike((_by_hand("--index", choices.index, Layout.SIMPLE), *links, *_of_project(settings)))
    if settings.no_index:
        return _unlike((*links, *_user_links(settings)))
    index = _user_index(settings) or (default_index(),)
    extra = (source for source in _user_extra(settings) if not _lists_torch_only(source))
    return _unlike((*index, *extra, *links, *_user_links(settings)))


def _lists_torch_only(source: Source) -> bool:
    """Return whether it is a public index of torch wheels: its few old packages would hide the newer ones elsewhere."""
    starts = (row.url.partition("{variant}")[0] for row in mirror_rows() if row.kind == "pytorch-wheels" and row.url)
    return (source.url or "").startswith(tuple(starts))


def conda_channels(choices: SourceChoices, settings: UserSettings) -> tuple[Source, ...]:
    """Return the user's own in their order, then the official one: a channel of theirs may be gone. Raises UsageError
    for a bad address by hand."""
    if choices.channel is not None:
        return (_by_hand("--channel", choices.channel, Layout.CHANNEL),)
    own = _user("conda channel", settings.conda_channels, Layout.CHANNEL)
    if settings.conda_only:
        return own
    row = official(FORGE)
    last = Source("official-conda-forge", Layout.CHANNEL, Origin.OFFICIAL, row.address(), row.operator)
    return _unlike((*own, last))


def default_index() -> Source:
    """Return the official package index, or a lab's stand-in for it."""
    url = official("pypi").url  # None, unless a lab has a stand-in for it
    return Source("official", Layout.SIMPLE, Origin.OFFICIAL, url, message("source.default-index"))


def sources_by_hand(choices: SourceChoices) -> tuple[Source, ...]:
    """Return the addresses typed for Python packages and torch wheels. Raises UsageError for a bad one."""
    typed = (("--torch-index", choices.torch_index), ("--index", choices.index))
    indexes = (_by_hand(option, url, Layout.SIMPLE) for option, url in typed if url is not None)
    return (*indexes, *_links_by_hand(choices))


def own_indexes(settings: UserSettings) -> tuple[Source, ...]:
    """Return those of the user's pip and uv settings."""
    if settings.no_index:
        return _user_links(settings)
    return (*_user_index(settings), *_user_extra(settings), *_user_links(settings))


def _by_hand(option: str, address: str, layout: Layout, number: int = 0) -> Source:
    name = message("source.by-hand", "Your choice[| ({option})]", option=option)
    suffix = f"-{number}" if number else ""
    return Source(f"by-hand{option[1:]}{suffix}", layout, Origin.BY_HAND, check_address(address, option), name)


def _links_by_hand(choices: SourceChoices) -> tuple[Source, ...]:
    numbered = enumerate(choices.find_links, start=1)
    return tuple(_by_hand("--find-links", address, Layout.FLAT, number) for number, address in numbered)


def _user(setting: str, urls: Iterable[str], layout: Layout, of_project: Mapping[str, str] = {}) -> tuple[Source, ...]:
    name = message("source.user-settings", "Your own pip or uv settings[| ({setting})]", setting=setting)
    told = {url: message("source.project", "The project ({place})", place=place) for url, place in of_project.items()}
    return tuple(
        Source(f"user-{setting.replace(' ', '-')}-{number}", layout, Origin.USER_SETTINGS, url, told.get(url, name))
        for number, url in enumerate(urls, start=1)
    )


def _user_links(settings: UserSettings) -> tuple[Source, ...]:
    return _user("find-links", settings.find_links, Layout.FLAT, settings.of_project)


def _of_project(settings: UserSettings) -> tuple[Source, ...]:
    """Return those that a project names, and somebody trusts."""
    added = (*_user_extra(settings), *_user_links(settings))
    return tuple(one for one in added if one.url in settings.of_project and not _lists_torch_only(one))


def _user_extra(settings: UserSettings) -> tuple[Source, ...]:
    return _user("extra-index-url", settings.extra_index_urls, Layout.SIMPLE, settings.of_project)


def _user_index(settings: UserSettings) -> tuple[Source, ...]:
    return _user("index-url", (settings.index_url,) if settings.index_url else (), Layout.SIMPLE)


def _unlike(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Leave repeats out: one address is read once, in its most trusted place."""
    kept: dict[tuple[Layout, str | None], Source] = {}
    for source in sources:
        kept.setdefault((source.layout, source.url.rstrip("/") if source.url else None), source)
    return tuple(kept.values())


# All places that may carry a kind of thing, mirrors of the table too.
#
# Which of them carry the wanted build, and how fast, is for the benchmark; which one is taken is for `run/select`.


_ROWS = {
    SourceKind.TORCH: "pytorch-wheels",
    SourceKind.PACKAGES: "pypi",
    SourceKind.CONDA: FORGE,
    SourceKind.MINIFORGE: "miniforge-installers",
}
_LAYOUTS = {"simple": Layout.SIMPLE, "flat": Layout.FLAT, "channel": Layout.CHANNEL, "files": Layout.FLAT}


def source_candidates(
    kind: SourceKind,
    choices: SourceChoices,
    settings: UserSettings,
    variant: str = "cpu",
    is_default_build: bool = False,
) -> tuple[Source, ...]:
    """Return the most trusted first: by hand, the user's own settings, official, mirrors. Raises UsageError.

    `is_default_build`: the package index and its mirrors carry this build of torch too.
    """
    own = _own(kind, choices, settings)
    known = [_known(row, kind, variant) for row in rows_of(kind)]
    if kind is SourceKind.TORCH and is_default_build:
        known += [_known(row, SourceKind.PACKAGES, variant) for row in rows_of(SourceKind.PACKAGES)]
    return _distinct((*own, *known))


def rows_of(kind: SourceKind) -> tuple[MirrorRow, ...]:
    """Return the rows of the table for a kind, the official one first. Raises UsageError `bad-mirrors-file`."""
    rows = [row for row in mirror_rows() if row.kind == _ROWS[kind]]
    return tuple(sorted(rows, key=lambda row: row.id != "official"))


def _own(kind: SourceKind, choices: SourceChoices, settings: UserSettings) -> tuple[Source, ...]:
    if kind is SourceKind.MINIFORGE:
        return ()
    if kind is SourceKind.CONDA:
        return tuple(source for source in conda_channels(choices, settings) if source.origin is not Origin.OFFICIAL)
    typed = (source for source in sources_by_hand(choices) if _serves(source, kind))
    return (*typed, *own_indexes(settings))


def _serves(source: Source, kind: SourceKind) -> bool:
    return kind is SourceKind.TORCH or source.id != "by-hand-torch-index"


def _known(row: MirrorRow, kind: SourceKind, variant: str) -> Source:
    if kind is SourceKind.PACKAGES and row.id == "official":
        return replace(default_index(), row=row)
    is_official = row.id == "official"
    stem = (
        f"{kind.value}-{variant}" if kind is SourceKind.TORCH else row.kind if kind is SourceKind.CONDA else kind.value
    )
    return Source(
        id=f"{row.id}-{stem}",
        layout=_LAYOUTS[row.layout],
        origin=Origin.OFFICIAL if is_official else Origin.MIRROR,
        url=row.address(variant),
        name=row.operator,
        variant=variant if kind is SourceKind.TORCH else None,
        row=row,
    )


def _distinct(found: Iterable[Source]) -> tuple[Source, ...]:
    """Ask one address once, in its most trusted place; the row beside it is not lost."""
    kept: dict[str | None, Source] = {}
    for source in found:
        url = source.url.rstrip("/") if source.url else None
        before = kept.setdefault(url, source)
        if before.row is None and source.row is not None:
            kept[url] = replace(before, row=source.row)
    return tuple(kept.values())
