"""The rows of the Check page, from the facts and what was looked at beside them.

A row that the lint found can be mended and carries its finding; the driver's row carries the way to a better one. No
row is made up here: each stands on a fact of the layers below. One file: what may become a row of that one page.
"""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.compatibility.cards import CardState, GraphicsCard, graphics_cards
from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import branch_of, cuda_of, version_key
from wizard.compatibility.model import DriverUpdate
from wizard.diagnose.checks.host_facts import HostFacts, look_around
from wizard.diagnose.driver_guide import DriverGuide, DriverNeed, driver_guide
from wizard.environment.disk import takes_long_paths
from wizard.environment.inspect.baseline import EnvironmentChanges
from wizard.environment.naming import hazards
from wizard.machine.host.operating_system import restart_mark
from wizard.machine.model import Machine
from wizard.model.messages import Message, message
from wizard.run.model import Facts, Requirement
from wizard.run.plan.place import DEFAULT_NAME, path_rows
from wizard.system import paths
from wizard.system.traits import of
from wizard.toolconfig.lint.finding import LintFinding
from wizard.transfer.proxy.bypass import proxy_url, shown

# What stands beside the facts on the Check page: the lint's findings, the way to a better driver, what has drifted.
#
# Nothing here blocks a setup, and nothing is changed.


@dataclass(frozen=True, slots=True)
class Looks:
    """`update`: what a newer driver would give; `guide`: how this system brings it (None: no advice is due); `rows`: a
    card that no build would use, one of several that is left out (a note), or that there is no build at all."""

    findings: tuple[LintFinding, ...] = ()
    update: DriverUpdate | None = None
    guide: DriverGuide | None = None
    drifts: tuple[EnvironmentChanges, ...] = ()
    rows: tuple[Requirement, ...] = ()
    has_dead_proxy: bool = False  # the one that downloads would go through

    @property
    def is_against(self) -> bool:
        """Tell whether the decision wants somebody's opinion. One card of several left out asks for none."""
        return any(row.state != "note" for row in self.rows)


# Which driver suits this computer's cards, and how its system brings it: for the doctor, the check page, `explain`.
#
# None where no advice is due: no NVIDIA card, or a driver that runs all of them and the newest build.

_NO_ADVICE = (CardState.HANDED_OVER, CardState.NO_SYSTEM)


def driver_advice(
    machine: Machine, matrix: Matrix, update: DriverUpdate | None, always: bool = False
) -> DriverGuide | None:
    """`update`: what a newer driver would give (the verdict knows). `always`: also where the driver is good."""
    cards = [card for card in graphics_cards(machine, matrix) if card.state not in _NO_ADVICE]
    if not cards or not (always or update or any(card.state is not CardState.DRIVEN for card in cards)):
        return None
    has_modules = of(machine.os).has_kernel_modules and not machine.is_wsl
    return driver_guide(_need(cards, update, has_modules), system_ids(machine))


def _need(cards: Sequence[GraphicsCard], update: DriverUpdate | None, has_modules: bool) -> DriverNeed:
    """`has_modules`: Linux itself, where the kernel module is a choice; Windows and WSL have none to choose."""
    architectures = [card.architecture for card in cards if card.architecture]
    lasts = [one.last_driver_branch for one in architectures if one.last_driver_branch]
    firsts = [branch_of(card.first_driver) for card in cards if card.first_driver]
    if update:
        firsts.append(branch_of(update.driver))
    kinds = {one.open_kernel_module for one in architectures if has_modules}
    kind = "required" if "required" in kinds else "no" if "no" in kinds else "optional"
    return DriverNeed(max(firsts, default=None), min(lasts, default=None), kind)


def system_ids(machine: Machine) -> tuple[str, ...]:
    """This system's names, the closest first, as the guide's rows have them."""
    if machine.is_wsl:
        return ("wsl",)
    if not of(machine.os).has_kernel_modules:  # one system, and not a family of them
        return (machine.os,)
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return ()
    return (release.get("ID", "linux"), *release.get("ID_LIKE", "").split())


# What lies around a setup on this very computer, for the Check page: a restart that is due, the Visual C++ runtime, and
# names of folders that trip other tools. Of a computer that a file describes nothing of it is known.
#
# Quick (files and variables only), and none of it blocks: what can make a place impossible is judged on Place.

_OLDEST_RUNTIME = "14.40"  # torch 2.9 and later end with WinError 1114 on older ones
_OF_TEMP = ("environments.hazard.space", "environments.hazard.letters")  # short names (LI~1) are Windows' own


def host_checks() -> tuple[Requirement, ...]:
    """Raises nothing: what cannot be read is no row."""
    os_name = paths.os_name()
    return (
        *restart_rows(restart_mark()),
        *runtime_rows(look_around()),
        *folder_rows(paths.default_environments_dir() / DEFAULT_NAME, _temporary(), os.environ, os_name),
    )


def restart_rows(mark: str | None) -> Iterator[Requirement]:
    if mark is not None:
        key = "page.check.restart"
        yield Requirement("restart", "warning", message(key), message(f"{key}-why"), message(f"{key}-fix"))


def runtime_rows(around: HostFacts) -> Iterator[Requirement]:
    """Windows only: `runtime_missing` None is another system."""
    missing, version = around.runtime_missing, around.runtime_version
    if missing is None:
        return
    key, why, fix = (f"page.check.runtime{end}" for end in ("", "-why", "-fix"))
    if missing:
        fact = message(f"{key}-missing", name=missing[0])
        yield Requirement("runtime", "problem", fact, message(why), message(fix))
    elif version and version_key(version) < version_key(_OLDEST_RUNTIME):
        yield Requirement("runtime", "warning", message(f"{key}-old", version=version), message(why), message(fix))
    elif not version:
        yield Requirement("runtime", "warning", message(f"{key}-unknown"), message(why), message(fix))
    else:
        yield Requirement("runtime", "ok", message(key, version=version))


def folder_rows(
    place: Path, temporary: str, environment: Mapping[str, str], os_name: str, long_paths: bool | None = None
) -> Iterator[Requirement]:
    """Of the place that is proposed, and of the temporary folder what the place has not told already."""
    is_long = takes_long_paths() if long_paths is None else long_paths
    found = list(path_rows(hazards(str(place), os_name), place, environment, is_long))
    told = {row.fact.key for row in found}
    found += [_of_temp(one) for one in hazards(temporary, os_name) if one.key in _OF_TEMP and one.key not in told]
    yield from found or (Requirement("path", "ok", message("page.check.path", path=str(place.parent))),)


def _of_temp(hazard: Message) -> Requirement:
    why, fix = message("page.check.temp-why"), message("page.check.temp-fix")
    return Requirement("path", "note", hazard, why, fix)


def _temporary() -> str:
    try:
        return tempfile.gettempdir()
    except FileNotFoundError:  # there is none; Place says so
        return ""


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
    """`finding`: can be mended where it is fixable, and `met`: whether it hinders the setup. `guide`: how to get the
    driver. `is_waited`: whether it hinders, and what mends it, is not known yet. `also`: one line more of the same."""

    name: str
    state: str
    fact: Message
    why: Message | None = None
    fix: Message | None = None
    blocks: bool = False
    finding: LintFinding | None = None
    guide: DriverGuide | None = None
    met: Message | None = None
    is_waited: bool = False
    also: Message | None = None


@dataclass(frozen=True, slots=True)
class LiveRow:
    """A row while the look goes on; `rows` () while its parts are still out, or when there is nothing to say."""

    name: str
    is_known: bool
    rows: tuple[CheckRow, ...]


def live_rows(requirements: tuple[Requirement, ...], ended: frozenset[str]) -> tuple[LiveRow, ...]:
    """Return a row for each thing that is waited for, with what is known of it once all its parts have `ended`."""
    found = []
    for name, parts in WAITING.items():
        is_known = ended.issuperset(parts)
        rows = _rows(one for one in requirements if one.name == name) if is_known else []
        found.append(LiveRow(name, is_known, tuple(rows)))
    return tuple(found)


def check_rows(facts: Facts, looks: Looks | None) -> tuple[CheckRow, ...]:
    """This install's rows; what the lint says of other installs is in `other_findings`."""
    found = looks or Looks()
    touching = [one for one in found.findings if one.touches and one.severity != "note"]
    causes = [one.cause for one in touching]
    rows = _rows(one for one in facts.requirements if one.fact not in causes)
    rows = list(_with_verdict(rows, found.rows))
    with_guide = [_with_guide(row, found) for row in rows]
    at = next((place for place, row in enumerate(with_guide) if row.name == "disk"), len(with_guide))
    settings = [finding_row(one) for one in touching]
    network = () if any(row.name == "network" for row in with_guide) else (_network(facts, found.has_dead_proxy),)
    return _once((*with_guide[:at], *settings, *with_guide[at:], *network))


_WORST = ("problem", "warning", "note", "ok")


def _once(rows: Sequence[CheckRow]) -> tuple[CheckRow, ...]:
    """Return what is said of a setting in one row, in however many places it stands; a fix of one place first."""
    found: dict[object, CheckRow] = {}
    for row in rows:
        words = {name: value for name, value in row.fact.params.items() if name not in ("place", "line")}
        is_placed = row.name == "settings" and "place" in row.fact.params
        key = (row.fact.key, *sorted(map(str, words.items()))) if is_placed else id(row)
        same = found.get(key)
        if same is None:
            found[key] = row
            continue
        first, other = sorted((same, row), key=lambda one: not (one.finding and one.finding.is_fixable))
        state = min(same.state, row.state, key=_WORST.index)
        found[key] = replace(first, state=state, why=_in_places(first.why, other.why))
    return tuple(found.values())


def _in_places(why: Message | None, other: Message | None) -> Message | None:
    places = [str(one.params["place"]) for one in (why, other) if one is not None and "place" in one.params]
    return replace(why, params={**why.params, "place": ", ".join(places)}) if why and len(places) > 1 else why


ALWAYS_SHOWN = ("gpu", "driver")
PARTS = "check.gpu.mig"  # of the card above


def is_fine(row: CheckRow) -> bool:
    """Return whether a row needs nobody's look: it is in order or asks for nothing, and is neither the card nor its
    driver."""
    is_quiet = row.state == "ok" or (row.state == "note" and row.fix is None)
    return is_quiet and row.finding is None and row.guide is None and row.name not in ALWAYS_SHOWN


def while_looked(rows: Sequence[CheckRow]) -> tuple[CheckRow, ...]:
    """Return the rows while what stands beside the facts is looked at: those of settings say nothing before it ends."""
    return tuple(replace(row, is_waited=row.name == "settings" and not (row.finding or is_fine(row))) for row in rows)


def other_findings(looks: Looks | None) -> tuple[CheckRow, ...]:
    """What would harm installs by other programs only: this one works around it."""
    found = looks.findings if looks else ()
    return tuple(finding_row(one) for one in found if not (one.touches and one.severity != "note"))


def finding_row(one: LintFinding) -> CheckRow:
    why = _in_its_place(one.cause, one.effect)
    state = _SEVERITIES[one.severity]
    if one.touches:  # what breaks pip or uv by themselves need not hinder this setup
        state = "problem" if one.hinders else "warning"
    return CheckRow("settings", state, one.cause, why, one.fix, finding=one, met=one.met)


def _in_its_place(cause: Message, effect: Message | None) -> Message | None:
    """The same setting may stand in a file and in a variable."""
    place = cause.params.get("place")
    return message("flow.check.place", place=place, effect=effect) if place and effect else effect


def drift_rows(drifts: tuple[EnvironmentChanges, ...]) -> Iterator[CheckRow]:
    """Yield a row for each change that somebody else made to an environment of ours; one without CUDA is a problem."""
    for drift in drifts:
        state = "problem" if drift.lost_cuda else "warning"
        for change in drift.changes:
            by = message("doctor.say.drift-by", by=", ".join(change.by)) if change.by else None
            yield CheckRow("environment", state, change.words(drift.prefix), by, message("page.check.drift-fix"))


def _rows(told: Iterable[Requirement]) -> list[CheckRow]:
    """What is said of a card's parts is a line of its card's row: in a row of their own they looked like a card."""
    found: list[CheckRow] = []
    for row in map(_row, told):
        if row.fact.key == PARTS and found and found[-1].name == row.name:
            found[-1] = replace(found[-1], also=row.fact, fix=row.fix or found[-1].fix)
        else:
            found.append(row)
    return found


def _row(one: Requirement) -> CheckRow:
    return CheckRow(one.name, one.state, one.fact, _in_its_place(one.fact, one.why), one.fix, one.blocks)


def _with_verdict(rows: Sequence[CheckRow], told: Sequence[Requirement]) -> Iterator[CheckRow]:
    """What the decision says stands below the row that it is about; a card that would be idle has no tick. Where it
    names the card, it is that card's row."""
    for place, row in enumerate(rows):
        mine = [one for one in told if one.name == row.name]
        if not any(_names(one, row, rows) for one in mine):
            is_meant = any(not any(_names(one, other, rows) for other in rows) for one in mine)
            yield replace(row, state="note") if is_meant and row.state == "ok" else row
        elif row.also:
            yield CheckRow(row.name, "note", row.also, fix=row.fix)
        if place + 1 == len(rows) or rows[place + 1].name != row.name:
            yield from map(_row, mine)
    yield from (_row(one) for one in told if all(row.name != one.name for row in rows))


def _names(told: Requirement, row: CheckRow, rows: Sequence[CheckRow]) -> bool:
    """Tell whether it is said of this card by its name, which is that of no other: `GeForce` of `NVIDIA GeForce`."""
    card = str(told.fact.params.get("gpu") or "")
    named = [one for one in rows if one.state == "ok" and card and card in str(one.fact.params.get("name"))]
    return len(named) == 1 and named[0] is row


def _with_guide(row: CheckRow, looks: Looks) -> CheckRow:
    """On the driver's row; where no driver is loaded, the advice is for getting one at all."""
    if row.name != "driver" or looks.guide is None:
        return row
    update = looks.update
    if update is None:
        return replace(row, guide=looks.guide)
    cuda = cuda_of(update.variant) or ""
    would = message("page.check.driver-update", driver=update.number, torch=update.torch, cuda=cuda)
    state = ("warning" if looks.is_against else "note") if row.state == "ok" else row.state
    return replace(row, guide=looks.guide, state=state, why=would if row.state == "ok" else row.why)


def proxy_in_use(facts: Facts) -> str | None:
    """Return the address that downloads go through, in its normal form where it has one."""
    environment = facts.settings.environment or {}
    proxy = next((environment[name] for name in _PROXIES if environment.get(name)), None)
    return (proxy_url(proxy) or proxy) if proxy else None


def _network(facts: Facts, is_dead: bool) -> CheckRow:
    proxy = proxy_in_use(facts)
    if proxy is None:  # a note: nothing was asked yet that could prove the way
        return CheckRow("network", "note", message("page.check.direct"))
    address = shown(proxy)
    if not is_dead:
        return CheckRow(
            "network", "note", message("page.check.proxy", address=address), message("page.check.proxy-why")
        )
    return CheckRow(
        "network",
        "warning",
        message("page.check.proxy-dead", "The proxy {address} does not answer.", address=address),
        message("page.check.proxy-dead-why", "Nothing can be downloaded through it."),
        message(
            "page.check.proxy-dead-fix",
            "Start the proxy program and press “Check again”. Or press “Next”: where the source is chosen, the proxy "
            "can be corrected.",
        ),
    )
