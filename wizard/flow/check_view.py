"""The rows of the Check page, from the facts and what was looked at beside them.

A row that the lint found can be mended and carries its finding; the driver's row carries the way to a better one. No
row is made up here: each stands on a fact of the layers below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wizard.doctor.good_state import Drift
from wizard.explain.driver_guide import DriverGuide
from wizard.i18n import Message, message
from wizard.network.address import proxy_url, shown
from wizard.plan.requirement import Requirement
from wizard.session.looks import Looks
from wizard.session.model import Facts
from wizard.settings.finding import Finding

# While the machine is looked at: which parts a row waits for, in the order of the page.
WAITING: dict[str, tuple[str, ...]] = {
    "gpu": ("nvml", "nvidia-smi", "devices"),
    "driver": ("nvml", "nvidia-smi", "devices"),
    "toolkit": ("toolkits",),
    "python": ("pythons",),
    "conda": ("condas",),
    "disk": ("volumes",),
    "system": (),
    "restart": (),
    "runtime": (),
    "path": (),
}
_PROXIES = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy")
_SEVERITIES = {"error": "problem", "warning": "warning", "note": "note"}


@dataclass(frozen=True, slots=True)
class CheckRow:
    """`finding`: can be mended where it is fixable. `guide`: how to get the driver."""

    name: str
    state: str
    fact: Message
    why: Message | None = None
    fix: Message | None = None
    blocks: bool = False
    finding: Finding | None = None
    guide: DriverGuide | None = None


@dataclass(frozen=True, slots=True)
class LiveRow:
    """A row while the look goes on; `rows` () while its parts are still out, or when there is nothing to say."""

    name: str
    is_known: bool
    rows: tuple[CheckRow, ...]


def live_rows(requirements: tuple[Requirement, ...], ended: frozenset[str]) -> tuple[LiveRow, ...]:
    found = []
    for name, parts in WAITING.items():
        is_known = ended.issuperset(parts)
        rows = tuple(_row(one) for one in requirements if one.name == name) if is_known else ()
        found.append(LiveRow(name, is_known, rows))
    return tuple(found)


def check_rows(facts: Facts, looks: Looks | None) -> tuple[CheckRow, ...]:
    """This install's rows; what the lint says of other installs is in `other_findings`."""
    found = looks or Looks()
    touching = [one for one in found.findings if one.touches and one.severity != "note"]
    causes = [one.cause for one in touching]
    rows = [_row(one) for one in facts.requirements if one.fact not in causes]
    with_guide = [_with_guide(row, found) for row in rows]
    at = next((place for place, row in enumerate(with_guide) if row.name == "disk"), len(with_guide))
    settings = [finding_row(one) for one in touching]
    network = () if any(row.name == "network" for row in with_guide) else (_network(facts),)
    return (*with_guide[:at], *settings, *with_guide[at:], *network)


def other_findings(looks: Looks | None) -> tuple[CheckRow, ...]:
    """What would harm installs by other programs only: this one works around it."""
    found = looks.findings if looks else ()
    return tuple(finding_row(one) for one in found if not (one.touches and one.severity != "note"))


def finding_row(one: Finding) -> CheckRow:
    why = _in_its_place(one.cause, one.effect)
    return CheckRow("settings", _SEVERITIES[one.severity], one.cause, why, one.fix, finding=one)


def _in_its_place(cause: Message, effect: Message | None) -> Message | None:
    """The same setting may stand in a file and in a variable."""
    place = cause.params.get("place")
    return message("flow.check.place", place=place, effect=effect) if place and effect else effect


def drift_rows(drifts: tuple[Drift, ...]) -> Iterator[CheckRow]:
    for drift in drifts:
        state = "problem" if drift.lost_cuda else "warning"
        for change in drift.changes:
            params = {"prefix": str(drift.prefix), "name": change.name, "was": change.was}
            if change.now is None:
                fact = message("doctor.say.drift-gone", **params)
            else:
                fact = message("doctor.say.drift", **params, now=change.now)
            by = message("doctor.say.drift-by", by=", ".join(change.by)) if change.by else None
            yield CheckRow("environment", state, fact, by, message("page.check.drift-fix"))


def _row(one: Requirement) -> CheckRow:
    return CheckRow(one.name, one.state, one.fact, _in_its_place(one.fact, one.why), one.fix, one.blocks)


def _with_guide(row: CheckRow, looks: Looks) -> CheckRow:
    """On the driver's row; where no driver is loaded, the advice is for getting one at all."""
    if row.name != "driver" or looks.guide is None:
        return row
    update = looks.update
    if update is None:
        return replace(row, guide=looks.guide)
    would = message("page.check.driver-update", driver=update.driver, torch=update.torch, variant=update.variant)
    state = "note" if row.state == "ok" else row.state
    return replace(row, guide=looks.guide, state=state, why=would if row.why is None else row.why)


def _network(facts: Facts) -> CheckRow:
    environment = facts.settings.environment or {}
    proxy = next((environment[name] for name in _PROXIES if environment.get(name)), None)
    if proxy is None:
        return CheckRow("network", "ok", message("page.check.direct"))
    address = shown(proxy_url(proxy) or proxy)
    return CheckRow("network", "ok", message("page.check.proxy", address=address), message("page.check.proxy-why"))
