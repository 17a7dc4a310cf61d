"""Arranges the sources for the Source page: by kind of thing, what is true of each, and what it is used for.

Only an arrangement of what the selection says; a source that is used without having been asked by itself stands there
too, so that nothing is used that is not shown. One file: what a source has shown also says which address is to blame.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard
from urllib.parse import urlsplit

from wizard.app.pages.order import AppState
from wizard.app.pages.run import PROXY_ERRORS
from wizard.compatibility.model import Choices
from wizard.model.distributions import FAMILY
from wizard.model.errors import WizardError
from wizard.model.messages import Message, message
from wizard.process import redact
from wizard.run.model import Preview, SelectedBuild
from wizard.sources.known_sources import TYPED_INDEX
from wizard.sources.known_sources import rows_of as rows_of_kind
from wizard.sources.model import ANSWERED, Availability, Layout, Origin, Source, SourceKind, SourceStatus
from wizard.sources.table import MirrorRow

KINDS = ("torch", "packages", "conda")
WORDS = ("auto", "official", "race")
_PERSISTENT_KINDS = {"packages": "pypi", "conda": "conda-forge"}


@dataclass(frozen=True, slots=True)
class PersistentMirror:
    """A mirror of the table that this setup uses and that can be used for good, for these kinds of things."""

    mirror: str
    kinds: tuple[str, ...]


_MOST_UNKNOWN = 0.1  # of all bytes: more without a measured speed, and nothing is said


def download_seconds(preview: Preview, states: Iterable[SourceStatus]) -> float | None:
    """Return how long the download takes at the measured speeds; None where much of it has none."""
    states = tuple(states)
    rates: dict[str, float] = {}
    for one in states:
        for host in (one.final_host, urlsplit(one.source.url or "").hostname):
            if host and one.rate:
                rates[host] = max(rates.get(host, 0.0), one.rate)
    channels = [one.rate for one in states if one.kind == "conda" and one.rate]
    python = [one.size or 0 for one in preview.python_packages if not one.is_cached]
    parts: list[tuple[int, float | None]] = [(size, channels[0] if len(channels) == 1 else None) for size in python]
    for file in preview.lock.files:
        if file.filename not in preview.here:
            host = urlsplit(file.urls[0]).hostname if file.urls else None
            parts.append((file.size or 0, rates.get(host or "")))
    total = sum(size for size, _ in parts)
    known = sum(size for size, rate in parts if rate)
    seconds = sum(size / rate for size, rate in parts if rate)
    if not known or total - known > _MOST_UNKNOWN * total:
        return None
    limit = preview.plan.choices.limit_rate
    seconds *= total / known
    return max(seconds, total / limit) if limit else seconds


def bytes_beside(kind: str, state: AppState) -> int | None:
    """Return the bytes of what comes beside torch, once a plan of this build has been seen on Review; None for torch
    itself, whose rows know it."""
    plan, selected = state.planned, state.selected
    if kind == "torch" or plan is None or selected is None or plan.plan.candidate != selected.candidate:
        return None
    if kind == "conda":
        return sum(one.size or 0 for one in plan.python_packages)
    return sum(one.size or 0 for one in plan.lock.files if one.name not in FAMILY)


def rows_of(selected: SelectedBuild) -> tuple[SourceStatus, ...]:
    """Return the statuses by kind; what is used first, then the best first, as the benchmark has it."""
    found = (_row(status, selected) for status in selected.states)
    rows = list({row.key: row for row in found}.values())  # an index that was asked by itself stands for its answer
    known = {row.key for row in rows}
    rows += [row for row in _unasked(selected) if row.key not in known]
    return tuple(sorted(rows, key=lambda row: (KINDS.index(row.kind), not row.uses)))


def _row(status: SourceStatus, selected: SelectedBuild) -> SourceStatus:
    """Who is used for an older build, because nobody has the wanted one, has what is taken from it."""
    row = replace(status, kind=_kind(status, selected), uses=_uses(status, selected))
    if row.kind == "torch" and row.uses and row.verdict == "missing":
        return replace(row, availability=Availability.COMPLETE, message=message("truth.complete"))
    if row.kind == "packages" and row.uses and row.availability is Availability.MISSING:  # another one has that file
        return replace(row, message=message("page.source.asked-too", "also used"))
    return row


def _kind(status: SourceStatus, selected: SelectedBuild) -> str:
    if status.kind in KINDS:
        return status.kind
    if status.source.layout is Layout.CHANNEL:
        return "conda"
    is_other = status.source in selected.package_sources and not _is(status.source, selected.torch_source)
    return "packages" if is_other else "torch"


def _is(one: Source, other: Source) -> bool:
    return one.id == other.id and one.url == other.url


def _uses(status: SourceStatus, selected: SelectedBuild) -> tuple[str, ...]:
    kind, source = _kind(status, selected), status.source
    if kind == "torch":
        return ("torch",) if _is(source, selected.torch_source) else ()
    if kind == "packages":
        return ("packages",) if any(_is(source, one) for one in selected.package_sources) else ()
    return ("python",) if source.url in selected.channels and selected.engine != "venv" else ()


def _unasked(selected: SelectedBuild) -> Iterable[SourceStatus]:
    """Yield those used without a probe: the only one there is, or one that was asked for something else."""
    not_asked = message("page.source.not-asked", "all other packages come from here")
    for source in selected.package_sources:
        yield SourceStatus(source, Availability.UNCHECKED, not_asked, kind="packages", uses=("packages",))
    if selected.engine == "venv":
        return
    answers = message("page.source.channel-answers", "Answers, and has the lists of packages.")
    shown = {row.source.url for row in selected.states}
    for number, url in enumerate(selected.channels):
        if url not in shown:
            source = Source(f"channel-{number}", Layout.CHANNEL, _channel_origin(url), url, _channel_name(url))
            yield SourceStatus(source, Availability.COMPLETE, answers, kind="conda", uses=("python",))


def _channel_origin(url: str) -> Origin:
    """Return whose channel it is, by the table: what nobody there has is a person's own."""
    known = {row.address().rstrip("/"): row.id for row in rows_of_kind(SourceKind.CONDA) if row.url}
    who = known.get(url.rstrip("/"))
    return Origin.BY_HAND if who is None else Origin.OFFICIAL if who == "official" else Origin.MIRROR


def _channel_name(url: str) -> str:
    return url.rstrip("/").rpartition("/")[2]


def operators(table: Sequence[MirrorRow]) -> tuple[MirrorRow, ...]:
    """Return one row for each operator that can be chosen by name, in the order of the table."""
    found: dict[str, MirrorRow] = {}
    for row in table:
        if row.id != "official":
            found.setdefault(row.id, row)
    return tuple(found.values())


def persistent_mirrors(
    selected: SelectedBuild, choices: Choices, table: Sequence[MirrorRow], has_conda: bool
) -> tuple[PersistentMirror, ...]:
    """Return the mirrors that the person could keep: those selected for packages and channels, and an index that was
    typed; else the one chosen by name, for what it has. Channels are of use only to who has a conda."""
    kinds = [kind for kind in _PERSISTENT_KINDS if kind != "conda" or has_conda]
    used: dict[str, list[str]] = {}
    for row in rows_of(selected):
        if row.uses and row.kind in kinds and row.source.origin is Origin.MIRROR:
            used.setdefault(row.source.mirror, []).append(row.kind)
        elif (
            row.uses and row.kind == "packages" and row.source.origin is Origin.BY_HAND and _may_be_kept(row.source.url)
        ):
            used[row.source.url] = ["packages"]
    if not used and choices.mirrors not in WORDS:
        has = {row.kind for row in table if row.id == choices.mirrors}
        used = {choices.mirrors: [kind for kind in kinds if _PERSISTENT_KINDS[kind] in has]}
    return tuple(PersistentMirror(mirror, tuple(kept)) for mirror, kept in used.items() if kept)


def _may_be_kept(address: str | None) -> TypeGuard[str]:
    """A password does not go into a settings file by the way."""
    return address is not None and address.startswith("https://") and redact(address) == address


_IN_ROWS = ("race.torch-rate", "race.packages-rate")  # the rows show it


def reasons(selected: SelectedBuild) -> tuple[Message, ...]:
    """Return why these sources: what benchmarks say first, without what the rows show; nor that mirrors were asked,
    where none of them is used in the end."""
    has_mirror = any(row.uses and row.source.origin is Origin.MIRROR for row in rows_of(selected))
    hidden = _IN_ROWS if has_mirror else (*_IN_ROWS, "race.official-silent")
    shown = [notice for notice in selected.notices if notice.key not in hidden]
    of_benchmarks = [notice for notice in shown if notice.key.startswith("race.")]
    return (*of_benchmarks, *(notice for notice in shown if notice not in of_benchmarks))


class SeenRows:
    """Remembers what was found of one build: who chose a source by name has only that one asked again."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], SourceStatus] = {}
        self._of: tuple[str, str] | None = None
        self._shown: tuple[SourceStatus, ...] = ()
        self._before: dict[tuple[str, str], SourceStatus] = {}  # of the measurement before, while all are asked anew

    def begin(self, fresh: bool) -> None:
        """The sources are asked. `fresh`: all of them anew; until each has answered it is shown as it was before."""
        self._before = {row.key: replace(row, stage="before") for row in self._shown} if fresh else {}
        self._rows = {} if fresh else self._rows

    @property
    def has_answer(self) -> bool:
        """Return whether a server answered that nobody typed: then there is a connection."""
        rows = (row for row in self._rows.values() if row.source.origin is not Origin.BY_HAND)
        return any(row.availability in ANSWERED for row in rows)

    def choices(self, selected: SelectedBuild) -> tuple[SourceStatus, ...]:
        """Return all that are known of this build, those of torch in the order of the first answer: a choice moves no
        row, or the arrow keys that chose it would start from another place."""
        one = selected.candidate
        wanted = (f"{one.torch}+{one.variant}", selected.python)
        if self._of != wanted:
            self._rows, self._of = {}, wanted
        now = {row.key: self._with_rate(row) for row in rows_of(selected)}
        self._rows |= now
        torch = [now.get(key, replace(row, uses=())) for key, row in self._rows.items() if row.kind == "torch"]
        self._shown = (*torch, *(row for row in now.values() if row.kind != "torch"))
        return self._shown

    def while_asked(
        self, chosen: SourceStatus | None, live: Iterable[SourceStatus], is_going: bool = True
    ) -> tuple[SourceStatus, ...]:
        """Return the same rows in the same order while that choice is asked for; `live`: what has answered by now,
        alone where no row was chosen. `is_going`: those that are asked anew may yet answer."""
        if chosen is None:
            before = self._before if is_going else {}
            return tuple((before | {row.key: _beside(before.get(row.key), row) for row in live}).values())
        rows = self._rows | {row.key: self._with_rate(row) for row in live}
        used = {key: ("torch",) if key == chosen.key else () for key, row in rows.items() if row.kind == "torch"}
        return tuple(replace(row, uses=used.get(key, row.uses)) for key, row in rows.items())

    def _with_rate(self, row: SourceStatus) -> SourceStatus:
        """Return the row as it was before where only then its speed was measured."""
        before = self._rows.get(row.key)
        if row.rate is None and before is not None and before.rate is not None:
            return replace(before, uses=row.uses)
        return row


def _beside(before: SourceStatus | None, now: SourceStatus) -> SourceStatus:
    """Return what a source says now; its old speed stays until the new one is measured, and it the chosen one."""
    now = replace(now, uses=before.uses) if before else now
    if before is None or now.rate is not None or now.availability is not Availability.COMPLETE:
        return now
    return replace(now, rate=before.rate, stage="measuring" if now.stage == "measuring" else "before")


_PROXY_AWAY = message("page.source.proxy-offline", "Start the proxy program, or correct the proxy below.")
_HINTS = {  # in place of what names this page
    "no-source": message("page.source.no-source", "Try again later, or choose a source by hand below."),
    "no-source-some-silent": message(
        "page.source.some-silent", "Check the network, or choose a source or a proxy by hand below."
    ),
    "pin-differs": message("page.source.pin-differs", "Choose another source here, and tell whoever runs this one."),
    "no-source-answers": message("page.source.none-answers", "Check the network and the proxy below."),
    **dict.fromkeys(("network-proxy-offline", "network-proxy-closed"), _PROXY_AWAY),
    "network-proxy-login": message("page.source.proxy-login", "Type them below, beside the proxy's address."),
    "network-tls-authority": message(
        "page.source.tls-authority",
        "Ask the network's administrators for their root certificate, and choose its file below. "
        "If this network asks you to sign in, do that in a browser first.",
    ),
    "network-tls-issuer": message(
        "page.source.tls-issuer",
        "If you know “{issuer}” as your network's own authority, choose its certificate file below. "
        "If this network asks you to sign in, do that in a browser first.",
    ),
}
_OF_CERTIFICATES = ("network-tls-authority", "network-tls-issuer", "source-tls", "source-certificate")


def hint_below(error: WizardError) -> Message:
    """Return what to do about it on the page Source itself."""
    return replace(_HINTS[error.code], params=error.params) if error.code in _HINTS else error.hint


def network_field(code: str) -> str:
    """Return what of the network form an error is about: certificate, proxy, or '' for none of it. `code`: its own, or
    the key of its sentence."""
    code = code.removeprefix("error.").partition(".")[0]
    if code in _OF_CERTIFICATES:
        return "certificate"
    return "proxy" if code.startswith((PROXY_ERRORS, "no-source-answers")) else ""


@dataclass(frozen=True, slots=True)
class WrongAddress:
    """An address that was typed and is of no use. `option`: its field, as errors name it."""

    option: str
    summary: Message
    hint: Message


_OF_CHANNELS = ("engine-rattler-no-channel", "engine-conda-no-channel", "no-engine")
_SILENT = message("page.source.address-silent", "This address does not answer.")
_NO_INDEX = message("page.source.address-no-index", "This address is no package index.")
_NO_CHANNEL = message("page.source.address-no-channel", "This address does not answer, or is no conda channel.")
_LACKS = message("page.source.address-lacks", "This address does not have {build}, or is no package index.")
_GONE = message("page.source.address-gone", "There is nothing at {address} (HTTP {status}).")
_FAILS = message("page.source.address-fails", "This address answers with an error (HTTP {status}).")
_REFUSES = message("page.source.address-refuses", "This address refuses to answer this computer (HTTP {status}).")
_BUSY = message("page.source.address-busy", "This address asks for a pause (HTTP 429).")
_UNTRUSTED = message("page.source.address-untrusted", "The certificate of this address is not trusted here.")
_NO_PACKAGE = message("page.source.address-no-package", "This address does not have {name}, or is no package index.")
_OF_ADDRESS = {  # by the code of an error, or of what is true of a source
    **dict.fromkeys(("source-offline", "source-timeout", "silent", "offline"), _SILENT),
    **dict.fromkeys(("source-not-an-index", "portal"), _NO_INDEX),
    **dict.fromkeys(("source-status", "status"), _FAILS),
    **dict.fromkeys(("source-forbidden", "refused"), _REFUSES),
    **dict.fromkeys(("busy", "busy-for"), _BUSY),
    **dict.fromkeys(("source-tls", "tls"), _UNTRUSTED),
    "gone": _GONE,
    "lacks": _NO_PACKAGE,
}
_CORRECT = message("page.source.address-correct", "Correct it, or clear the field.")
_CORRECT_INDEX = message("page.source.must-correct", "First correct the address for other packages, or clear it.")
_CONNECTED = message(
    "page.source.address-connected",
    "Correct it, or clear the field. Other sources answered, so the connection works.",
)
_MAYBE_NETWORK = message(
    "page.source.address-or-network",
    "Correct it, or clear the field. If other websites do not open either, check the network and the proxy below.",
)


def wrong_address(error: WizardError, choices: Choices, has_answer: bool) -> WrongAddress | None:
    """Return which typed address is to blame where no source will do; None: it is not one of those. `has_answer`:
    another server has answered here before."""
    if error.code in _OF_CHANNELS and choices.channel is not None:
        return WrongAddress("--channel", _NO_CHANNEL, _CONNECTED if has_answer else _MAYBE_NETWORK)
    if error.code not in ("no-source", "no-source-some-silent", "no-source-answers"):
        return None
    # The details name each source that was asked, and how that went: the error itself counts them only.
    asked = {line.split(" ", 1)[0]: line.rpartition(": ")[2] for line in error.details.splitlines()}
    typed = {name: verdict for name, verdict in asked.items() if name.startswith(_BY_HAND)}
    others = [verdict for name, verdict in asked.items() if name not in typed]
    lost = next((name for name, verdict in typed.items() if verdict == "unreachable"), None)
    if lost is None:
        only = next(iter(typed), None) if not others else None
        told = _GONE if "address" in error.params else _LACKS
        return WrongAddress(_option(only), replace(told, params=error.params), _CORRECT) if only else None
    if others and all(verdict == "unreachable" for verdict in others):
        return None  # nobody answers: it is the network
    reasons = error.params.get("reasons", ())
    first = reasons[0] if isinstance(reasons, tuple) and reasons else None
    return _lost(lost, first, has_answer or bool(others))


def lost_address(selected: SelectedBuild | None, choices: Choices) -> WrongAddress | None:
    """Return the typed address that did not answer although the build was found: what it is for would fail later, or
    come from elsewhere."""
    if selected is None:
        return None
    if choices.channel is not None and choices.engine == "auto" and selected.engine == "venv":
        return WrongAddress("--channel", _NO_CHANNEL, _CONNECTED)
    lost = next((one for one in selected.states if _is_lost(one)), None)
    return _lost(lost.source.id, lost.message, True) if lost else None


def must_correct(selected: SelectedBuild | None, choices: Choices) -> Message | None:
    """Return what has to be done before anything can be set up: all packages beside torch come from the index that was
    typed, and from nowhere else."""
    wrong = lost_address(selected, choices)
    return _CORRECT_INDEX if wrong is not None and wrong.option == "--index" else None


def _is_lost(status: SourceStatus) -> bool:
    """The index for all other packages is asked by itself, and has to serve: whatever else it answers is told."""
    if status.source.origin is not Origin.BY_HAND:
        return False
    is_index = status.source.id == TYPED_INDEX and status.kind == "packages" and status.verdict == "unreachable"
    return is_index or status.availability is Availability.UNREACHABLE


_BY_HAND = "by-hand-"


def _option(source: str) -> str:
    """Return the option of a source by hand, whose name holds it, and a number where there may be several."""
    return "--" + source.removeprefix(_BY_HAND).rstrip("0123456789").rstrip("-")


def _lost(source: str, reason: object, has_answer: bool) -> WrongAddress:
    inner = reason.params.get("words", reason) if isinstance(reason, Message) else None
    code = inner.key.split(".")[1] if isinstance(inner, Message) and "." in inner.key else ""
    known = _OF_ADDRESS.get(code)
    params = inner.params if isinstance(inner, Message) else {}
    summary = replace(known, params=params) if known else inner if isinstance(inner, Message) else _SILENT
    is_silent = summary.key == _SILENT.key
    hint = _CORRECT if not is_silent else _CONNECTED if has_answer else _MAYBE_NETWORK
    return WrongAddress(_option(source), summary, hint)
