"""Judges what was found on the machine, row by row, for the Check page and `probe`: what it is, why it matters.

Only what makes a setup impossible blocks; everything else is told and worked around. One file: the decision's rows
replace or follow those of the cards and drivers here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from wizard.compatibility.cards import graphics_cards
from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.model import Verdict
from wizard.compatibility.other_makers import card_words, other_cards
from wizard.compatibility.rules import shares_memory, wants_own_code
from wizard.machine.model import Gpu, Machine, MigInstance
from wizard.model.messages import Message, Param, gigabytes, message, three_digits
from wizard.run.model import Facts, Requirement
from wizard.run.plan.place import comfortable_bytes, tight_row
from wizard.sources.model import UserSettings
from wizard.toolconfig.lint.finding import LintFinding


def requirements(
    machine: Machine, settings: UserSettings, matrix: Matrix | None = None, variant: str = CPU
) -> tuple[Requirement, ...]:
    """`matrix`: knows what a driver that is missing or old does not say of a card; None: not needed yet. `variant`: of
    the build that would be chosen, for its size; as long as that is not known, the least."""
    rows = (
        *_gpus(machine, matrix),
        _driver(machine),
        *_toolkits(machine),
        _pythons(machine),
        *_condas(machine),
        *_settings(settings),
        *_volumes(machine, variant),
        *_parts(machine),
    )
    return tuple(row for row in rows if row is not None)


def _gpus(machine: Machine, matrix: Matrix | None) -> Iterator[Requirement]:
    others = other_cards(machine)
    said: set[str] = set()  # once, though it is true of several
    for card in others:
        state = "warning" if card.offers else "note"
        fact, then, offers = card_words(card)
        yield Requirement("gpu", state, fact, None if then.key in said else then, offers if card.offers else None)
        said.add(then.key)
    if not machine.nvidia_gpus and not others:
        yield Requirement(
            "gpu",
            "note",
            message("check.gpu.none", "No NVIDIA graphics card was found."),
            message("check.gpu.none.why"),
        )
    for gpu in machine.nvidia_gpus:
        is_board = wants_own_code(gpu.compute_capability)
        fix = message("plan.notice.own-wheels", gpu=gpu.name or "?") if is_board else None
        yield Requirement(
            "gpu",
            "warning" if is_board else "ok",
            _gpu_fact(gpu, machine, matrix),
            message(
                "check.gpu.board-why",
                "Needs NVIDIA's own PyTorch; this one uses the processor.",
            )
            if is_board
            else _gpu_detail(gpu, machine, matrix),
            fix,
        )
        yield from _instances(gpu)


def _instances(gpu: Gpu) -> Iterator[Requirement]:
    """A card that is cut into instances: CUDA sees none of it without one, and one of them at a time."""
    name = gpu.name or gpu.pci_id or "NVIDIA"
    if gpu.mig == ():
        yield Requirement("gpu", "warning", message("machine.card.mig-empty", card=name))
    elif gpu.mig:
        parts = ", ".join(map(_instance, gpu.mig))
        fact = message("check.gpu.mig", "Divided into parts (MIG): {parts}.", parts=parts)  # below its card
        uuid = next((part.uuid for part in gpu.mig[1:] if part.uuid), "MIG-…")
        fix = message(
            "check.gpu.mig.fix",
            "Programs use the first part. Another one needs `CUDA_VISIBLE_DEVICES={uuid}`",
            uuid=uuid,
        )
        yield Requirement("gpu", "note", fact, None, fix if len(gpu.mig) > 1 else None)


def _instance(part: MigInstance) -> str:
    memory = f"{three_digits(part.memory_bytes / 2**30)} GB" if part.memory_bytes else ""
    return f"{part.name} ({memory})" if part.name and memory else part.name or memory or "?"


def _gpu_fact(gpu: Gpu, machine: Machine, matrix: Matrix | None) -> Message:
    name = gpu.name or gpu.pci_id or "NVIDIA"
    if gpu.name is None and matrix:  # its driver did not tell: the tables know it by its PCI id
        name = graphics_cards(replace(machine, gpus=(gpu,)), matrix)[0].name
    if gpu.memory_bytes is None and shares_memory(gpu.compute_capability):
        return message("check.gpu.name_shared", "{name}, shares this computer's memory", name=name)
    if gpu.memory_bytes is None:
        return message("check.gpu.name", "{name}", name=name)
    return message("check.gpu.name_memory", name=name, gigabytes=round(gpu.memory_bytes / 2**30))


def _gpu_detail(gpu: Gpu, machine: Machine, matrix: Matrix | None) -> Message:
    card = graphics_cards(replace(machine, gpus=(gpu,)), matrix)[0] if matrix else None
    if card and card.architecture and card.capability and not gpu.pci_id:  # part of a board
        return message(
            "check.gpu.detail-board",
            "{architecture} architecture, compute capability {capability}",
            architecture=card.architecture.name,
            capability=card.capability_text,
        )
    if card and card.architecture and card.capability:
        return message(
            "check.gpu.detail-of",
            "{architecture} architecture, compute capability {capability}, PCI {pci}",
            architecture=card.architecture.name,
            capability=card.capability_text,
            pci=gpu.pci_id or "",
        )
    capability = str(gpu.compute_capability) if gpu.compute_capability else "?"
    return message(
        "check.gpu.detail",
        "Compute capability {capability} (NVIDIA's number for the card's generation), PCI {pci}",
        capability=capability,
        pci=gpu.pci_id or "?",
    )


def _driver(machine: Machine) -> Requirement | None:
    driver, failure = machine.driver, _driver_failure(machine)
    if failure:
        is_empty = failure.key == "machine.nvidia.no-cards"
        state = "problem" if machine.nvidia_gpus or (driver and not is_empty) else "warning"
        return Requirement("driver", state, failure, None if is_empty else message("check.driver.none.why"))
    if driver is None:
        if not machine.nvidia_gpus:
            return None
        open_driver = next((gpu.kernel_driver for gpu in machine.nvidia_gpus if gpu.kernel_driver == "nouveau"), None)
        key = "check.driver.nouveau" if open_driver else "check.driver.none"
        return Requirement("driver", "problem", message(key), message("check.driver.none.why"))
    brings = message(
        "check.driver.brings",
        "PyTorch brings its own CUDA (NVIDIA's way to compute on the card) and cuDNN; you only need this driver.",
    )
    fact = message("check.driver.version", version=driver.version)
    if machine.nvidia_gpus and all(wants_own_code(gpu.compute_capability) for gpu in machine.nvidia_gpus):
        # its CUDA serves its maker's PyTorch alone, which this program does not install
        return Requirement("driver", "note", fact, message("check.driver.board", "The CPU build leaves it unused."))
    if driver.cuda is not None:
        fact = message("check.driver.cuda", "{version}, CUDA up to {cuda}", version=driver.version, cuda=driver.cuda)
    return Requirement("driver", "ok", fact, brings)


def _driver_failure(machine: Machine) -> Message | None:
    """What keeps a driver that is there from working. That there is none has words of its own; so has nouveau."""
    if any(gpu.kernel_driver == "nouveau" for gpu in machine.nvidia_gpus):
        return None
    found = (one for one in machine.notices if one.key.startswith("machine.nvidia."))
    return next((one for one in found if one.key != "machine.nvidia.library-not-found"), None)


# What the decision says against the computer as a whole; none of it can be seen in one fact alone.

_IDLE = tuple(f"plan.notice.{one}" for one in ("too-new", "too-new-updated", "no-torch", "unknown-card-driven"))
_ONE_OF_THEM = tuple(
    f"plan.notice.{one}"
    for one in ("left-out", "dropped", "other-driver", "no-system", "handed-over", "too-new", "too-new-updated")
)


def verdict_rows(facts: Facts, verdict: Verdict) -> tuple[Requirement, ...]:
    """Return that no build runs here, that the card would be idle, or which of several is not used; () where none of
    it is so, or a row says it."""
    if verdict.best and verdict.best.variant != CPU:
        unused = dict.fromkeys(str(one.params["gpu"]) for one in verdict.notices if one.key in _ONE_OF_THEM)
        return tuple(
            Requirement("gpu", "note", message("check.gpu.unused", "{gpu}, not used", gpu=one)) for one in unused
        )
    against = next((one for one in verdict.candidates if one.variant != CPU and one.reasons), None)
    if against is None:
        return ()
    params: dict[str, Param] = {"torch": against.torch, "why": against.reasons[0].message}
    if verdict.best is None:
        fact = message("page.check.no-build", "No build of PyTorch runs on this computer. {torch}: {why}.", **params)
        return (Requirement("system", "problem", fact),)
    is_told = any(row.name == "driver" and row.state != "ok" for row in facts.requirements)
    if is_told or not facts.machine.nvidia_gpus:
        return ()
    if any(wants_own_code(gpu.compute_capability) for gpu in facts.machine.nvidia_gpus):
        return ()
    fact = next(
        (one for one in verdict.notices if one.key in _IDLE),
        message("page.check.card-idle", "No CUDA build of PyTorch runs on this card. {torch}: {why}.", **params),
    )
    return (Requirement("gpu", "warning", fact, message("page.check.cpu", "PyTorch would use only the processor.")),)


# Of a look that failed or came late: the row that it is missing from.
_ROWS = {
    "nvml": "driver",
    "nvidia-smi": "driver",
    "devices": "gpu",
    "toolkits": "toolkit",
    "pythons": "python",
    "condas": "conda",
    "volumes": "disk",
}


def _parts(machine: Machine) -> Iterator[Requirement]:
    """What could not be found out, and what the system itself reports of a card."""
    for notice in machine.notices:
        part = str(notice.params.get("part", ""))
        if notice.key in ("machine.part-failed", "machine.part-late"):
            fact = message(
                f"page.check.{notice.key.removeprefix('machine.')}", problem=notice.params.get("problem", "")
            )
            yield Requirement(_ROWS.get(part, "system"), "warning", fact)
        elif notice.key.startswith("machine.card."):
            yield Requirement("gpu", "warning", notice)
        elif notice.key.startswith("machine.windows."):
            state = "note" if notice.key == "machine.windows.no-answer" else "warning"
            yield Requirement("gpu", state, notice)


def _toolkits(machine: Machine) -> Iterator[Requirement]:
    for toolkit in machine.toolkits[:1]:
        fact = message(
            "check.toolkit.found", "CUDA toolkit {version} ({where})", version=toolkit.version, where=toolkit.found_by
        )
        yield Requirement("toolkit", "note", fact, message("check.toolkit.why"))


def _pythons(machine: Machine) -> Requirement:
    usable = [install.version for install in machine.pythons if install.has_venv]
    if not usable:
        return Requirement(
            "python",
            "note",
            message("check.python.none", "No Python on this computer can make environments."),
            message("check.python.none.why"),
        )
    return Requirement(
        "python",
        "ok",
        message("check.python.found", "Python on this computer: {versions}", versions=", ".join(usable[:6])),
    )


def _condas(machine: Machine) -> Iterator[Requirement]:
    for conda in machine.condas[:1]:
        fact = message(
            "check.conda.found",
            "{kind} {version} in {path}",
            kind=conda.kind,
            version=conda.version or "?",
            path=conda.executable,
        )
        yield Requirement("conda", "ok", fact)


def _settings(settings: UserSettings) -> Iterator[Requirement]:
    count = len(settings.extra_index_urls) + len(settings.find_links) + (settings.index_url is not None)
    if count:
        fact = message("check.settings.sources", "pip/uv has extra package sources: {count}.", count=count)
        yield Requirement("settings", "note", fact, message("check.settings.sources.why"))
    for notice in settings.notices:  # what was passed over in them, and what the proxy's settings leave open
        yield Requirement("settings", "note", notice)


# Told by the lint, with what to do about it.
_LINTED = ("settings.unreadable", "settings.address-not-secure")


def with_lint(rows: Iterable[Requirement], findings: Iterable[LintFinding]) -> tuple[Requirement, ...]:
    """And the findings that this program's own install follows, too: what it fails by is a problem. None blocks."""
    touching = (finding for finding in findings if finding.touches and finding.severity != "note")
    told = [Requirement("settings", "problem" if x.hinders else "warning", x.cause, x.effect, x.fix) for x in touching]
    kept = [row for row in rows if row.fact.key not in _LINTED]
    return (*kept, *(row for place, row in enumerate(told) if row not in told[:place]))


def _volumes(machine: Machine, variant: str) -> Iterator[Requirement]:
    for volume in machine.volumes:
        if volume.writable is False:
            yield Requirement(
                "disk",
                "problem",
                message("check.disk.read_only", "{path} cannot be written.", path=volume.path),
                fix=message("check.disk.read_only.fix"),
                mandatory=True,
            )
        elif volume.free_bytes is not None:
            fact = message(
                "check.disk.free",
                "{path}: {gigabytes} GB free",
                path=volume.path,
                gigabytes=gigabytes(volume.free_bytes),
            )
            is_tight = volume.free_bytes < comfortable_bytes(variant)
            yield tight_row(fact, variant) if is_tight else Requirement("disk", "ok", fact)
