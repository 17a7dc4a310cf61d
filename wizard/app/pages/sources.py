"""The sources as the Source page shows them: by kind of thing, what each was seen to do, and what it is used for.

Only an arrangement of what the election says; a source that is used without having been asked by itself stands there
too, so that nothing is used that is not shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from wizard.compatibility.model import Choices
from wizard.model.messages import Message, message
from wizard.run.model import Election, SourceState
from wizard.sources.model import Layout, Origin, Source
from wizard.sources.table import MirrorRow

KINDS = ("torch", "packages", "conda")
WORDS = ("auto", "official", "race")
_LASTING = {"packages": "pypi", "conda": "conda-forge"}
_IN_TABLE = {"torch": "pytorch-wheels", **_LASTING}
_OF_VERDICT = {"carries": "ok", "missing": "problem", "unreachable": "warning"}
_OF_TRUTH = {
    "complete": "ok",
    "elsewhere": "warning",
    "stale": "warning",
    "missing": "problem",
    "wrong": "problem",
    "broken": "warning",
    "refused": "warning",
    "busy": "warning",
    "portal": "warning",
    "tls": "warning",
    "silent": "warning",
}


@dataclass(frozen=True, slots=True)
class SourceRow:
    """`uses`: what it is used for in this setup, of "torch", "packages", "python". `stage` as of SourceTold."""

    kind: str
    state: SourceState
    uses: tuple[str, ...] = ()
    stage: str = "measured"

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.state.source.id

    @property
    def pill(self) -> str:
        """ok | note | warning | problem."""
        if self.state.truth:
            return _OF_TRUTH.get(self.state.truth, "note")
        return _OF_VERDICT.get(self.state.verdict, "note")

    @property
    def word(self) -> str:
        """What the pill says, as a name for the window to put into words."""
        return self.state.truth or self.state.verdict


@dataclass(frozen=True, slots=True)
class PersistentMirror:
    """A mirror of the table that this setup uses and that can be used for good, for these kinds of things."""

    mirror: str
    kinds: tuple[str, ...]


def rows_of(election: Election) -> tuple[SourceRow, ...]:
    """By kind; what is used first, then the best first, as the race has it."""
    rows = [_row(state, election) for state in election.states]
    known = {(row.kind, row.state.source.id) for row in rows}
    rows += [row for row in _unasked(election) if row.key not in known]
    return tuple(sorted(rows, key=lambda row: (KINDS.index(row.kind), not row.uses)))


def _row(state: SourceState, election: Election) -> SourceRow:
    """Who is used for an older build, because nobody has the wanted one, has what is taken from it."""
    kind, uses = _kind(state, election), _uses(state, election)
    if kind == "torch" and uses and state.verdict == "missing":
        truth = state.truth and "complete"
        state = replace(state, verdict="carries", truth=truth, message=message("truth.complete"))
    return SourceRow(kind, state, uses)


def _kind(state: SourceState, election: Election) -> str:
    if state.kind in KINDS:
        return state.kind
    if state.source.layout is Layout.CHANNEL:
        return "conda"
    is_other = state.source in election.package_sources and not _is(state.source, election.torch_source)
    return "packages" if is_other else "torch"


def _is(one: Source, other: Source) -> bool:
    return one.id == other.id and one.url == other.url


def _uses(state: SourceState, election: Election) -> tuple[str, ...]:
    kind, source = _kind(state, election), state.source
    if kind == "torch":
        return ("torch",) if _is(source, election.torch_source) else ()
    if kind == "packages":
        return ("packages",) if any(_is(source, one) for one in election.package_sources) else ()
    return ("python",) if source.url in election.channels and election.engine != "venv" else ()


def _unasked(election: Election) -> Iterable[SourceRow]:
    """Used without a question of its own: it is the only one there is, or the walk has asked it for something else."""
    not_asked = message("page.source.not-asked")
    for source in election.package_sources:
        yield SourceRow("packages", SourceState(source, "unchecked", not_asked, kind="packages"), ("packages",))
    if election.engine == "venv":
        return
    answers = message("page.source.channel-answers")
    shown = {row.source.url for row in election.states}
    for number, url in enumerate(election.channels):
        if url not in shown:
            source = Source(f"channel-{number}", Layout.CHANNEL, Origin.OFFICIAL, url, _channel_name(url))
            yield SourceRow("conda", SourceState(source, "carries", answers, kind="conda"), ("python",))


def _channel_name(url: str) -> str:
    return url.rstrip("/").rpartition("/")[2]


def row_of(source: Source, kind: str, table: Iterable[MirrorRow]) -> MirrorRow | None:
    """The table's row for a source, known by the id that the candidates give: `tuna-packages`, `sjtu-torch-cu126`."""
    if source.origin not in (Origin.MIRROR, Origin.OFFICIAL):
        return None
    kinds = (_IN_TABLE.get(kind), _LASTING["packages"] if kind == "torch" else None)
    wanted = (source.url or "").rstrip("/")
    found = (row for row in table if row.kind in kinds and row.url is not None)
    return next((row for row in found if row.address(source.variant or "").rstrip("/") == wanted), None)


def operators(table: Sequence[MirrorRow]) -> tuple[MirrorRow, ...]:
    """One row for each operator that can be chosen by name, in the order of the table."""
    found: dict[str, MirrorRow] = {}
    for row in table:
        if row.id != "official":
            found.setdefault(row.id, row)
    return tuple(found.values())


def lasting(
    election: Election, choices: Choices, table: Sequence[MirrorRow], has_conda: bool
) -> tuple[PersistentMirror, ...]:
    """The mirrors that the person could keep: those elected for packages and channels; else the one chosen by name,
    for what it has. Channels are of use only to who has a conda."""
    kinds = [kind for kind in _LASTING if kind != "conda" or has_conda]
    used: dict[str, list[str]] = {}
    for row in rows_of(election):
        found = row_of(row.state.source, row.kind, table) if row.uses and row.kind in kinds else None
        if found and found.id != "official":
            used.setdefault(found.id, []).append(row.kind)
    if not used and choices.mirrors not in WORDS:
        has = {row.kind for row in table if row.id == choices.mirrors}
        used = {choices.mirrors: [kind for kind in kinds if _LASTING[kind] in has]}
    return tuple(PersistentMirror(mirror, tuple(kept)) for mirror, kept in used.items() if kept)


def reasons(election: Election) -> tuple[Message, ...]:
    """Why these sources: the election's own words about races first."""
    raced = [notice for notice in election.notices if notice.key.startswith("race.")]
    return (*raced, *(notice for notice in election.notices if notice not in raced))
