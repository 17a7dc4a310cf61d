"""nvidia-smi, the second witness: asked for named fields, and for its table only where those gave nothing.

The table changes between drivers (610 renamed its headings) and cuts long names; a field list is a contract. That
gives no CUDA version, so NVML's answer wins where both speak.
"""

from __future__ import annotations

import csv
import re
from dataclasses import replace

from wizard.machine.asking import Ask, question
from wizard.machine.gpu.nvidia import (
    BLOCKED,
    DRIVER_NOT_LOADED,
    GPU_LOST,
    MISMATCH,
    NO_PERMISSION,
    NO_SENSORS,
    RESET_REQUIRED,
    UNKNOWN,
    NvidiaReading,
    card_notice,
    error_notice,
    normal_bus_id,
    pci_id,
)
from wizard.machine.model import Driver, Gpu, MigInstance
from wizard.model.capability import ComputeCapability
from wizard.model.messages import Message, message
from wizard.process import Outcome
from wizard.system import paths
from wizard.system.places import places

SECONDS = 15.0
FIELDS = "index,name,uuid,pci.bus_id,pci.device_id,memory.total,driver_version"
_FORMAT = "--format=csv,noheader,nounits"
_MORE = "uuid,compute_cap,mig.mode.current"
_MIB = 1024 * 1024
_NOT_READ = "\ufffd"  # bytes that were no text
_MOST_NOT_READ = 3  # more are no sentence in another code page, but rubbish

# What nvidia-smi prints when it fails, and the NVML error that it stands for.
_SENTENCES = (
    ("version mismatch", MISMATCH),
    ("couldn't communicate with the nvidia driver", DRIVER_NOT_LOADED),
    ("driver not loaded", DRIVER_NOT_LOADED),
    ("gpu is lost", GPU_LOST),
    ("requires reset", RESET_REQUIRED),
    ("insufficient permissions", NO_PERMISSION),
    ("access blocked by the operating system", BLOCKED),
    ("initialize nvml: unknown error", UNKNOWN),
)
_NO_CARDS = "no devices were found"
_NO_LIBRARY = ("couldn't find libnvidia-ml.so", "couldn't find nvml.dll")

# One card that does not answer, between the lines of those that do.
_NO_HANDLE = re.compile(r"device handle for gpu\s*(?:\d{1,3}: )?([0-9a-f:.]+): ([^\n]+)", re.IGNORECASE)
_DEAD_CELL = re.compile(r"^\[(GPU is lost|GPU requires reset|Unknown Error)\]$", re.IGNORECASE)

# The table: two lines of each card, or three (MIG).
_VERSIONS = re.compile(r"(?:Driver|KMD) Version: *(\d[\d.]+)(?: +CUDA (?:UMD )?Version: *(\d+\.\d+))?")
_CARD = re.compile(
    r"^\| +(\d+) +(\S.*?) +(?:On|Off|TCC|WDDM|MCDM|N/A|ERR!) *\| *([0-9A-F]{4,8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-9A-F])"
    r"[^\n]*\n([^\n]*(?:\n\| {9,}\|[^\n]*)?)",
    re.IGNORECASE | re.MULTILINE,
)
_MIG_MODE = re.compile(r"^\|[^|]*\|[^|]*\| +Enabled *\|", re.MULTILINE)
_MIG_TABLE = "MIG devices:"
_INSTANCE = re.compile(r"^\| +(\d+) +\d+ +\d+ +\d+ +\| *\d+ ?MiB */ *(\d+) ?MiB *\|", re.MULTILINE)
_TOTAL = re.compile(r"/ *(\d+) ?Mi?B *\|")
# The list (-L): a line of each card, then those of its instances.
_LISTED = re.compile(
    r"^GPU \d+: .*\(UUID: (GPU-[^)]+)\)|^ +MIG (\S+) +Device +\d+: \(UUID: (MIG-[^)]+)\)", re.MULTILINE
)
_DEAD_ROW = 3  # this many ERR! in a row: nothing of the card can be read
_DEAD_FAN = re.compile(r"^\|ERR![^\n]*\n[^\n]*ERR!")  # nor its fan and its MIG mode; one alone says nothing
_NO_SENSORS = re.compile(r"^\|ERR![^|\n]*ERR! */")  # fan and power do not answer, all else does


def find_nvidia_smi() -> str | None:
    """Return its path: on PATH, else where drivers put it; None: not there."""
    found = paths.find_program("nvidia-smi")
    if found:
        return found
    return next((str(place) for place in places().nvidia_smi() if place.is_file()), None)


def _rows(text: str, width: int) -> list[list[str]]:
    lines = (line for line in text.splitlines() if len(line) < csv.field_size_limit())  # a longer one is no row
    rows = csv.reader(lines, skipinitialspace=True)
    return [[cell.strip() for cell in row] for row in rows if len(row) == width]


def _known(cell: str) -> str | None:
    """`[N/A]`, `[Not Supported]`, `[Unknown Error]` are its words for nothing."""
    return None if not cell or cell.startswith("[") or cell == "N/A" else cell


def _number(cell: str, base: int = 10) -> int | None:
    try:
        return int(cell, base)
    except ValueError:
        return None


_DRIVER = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){1,3}(?![\w.])")  # as the machine file takes it: all else ends a setup


def parse_gpus(text: str) -> tuple[tuple[Gpu, ...], str | None]:
    """Return the cards that answer and the driver version, from the answer to FIELDS."""
    gpus: list[Gpu] = []
    version: str | None = None
    for index, name, uuid, bus_id, device_id, memory, driver_version in _rows(text, FIELDS.count(",") + 1):
        mib = _number(memory)
        version = version or ((given := _DRIVER.match(driver_version)) and given[0]) or None
        if _number(index) is None or _DEAD_CELL.match(name) or _DEAD_CELL.match(uuid):
            continue
        gpus.append(
            Gpu(
                vendor="nvidia",
                name=_known(name),
                pci_id=pci_id(_number(device_id, 16)),
                memory_bytes=mib * _MIB if mib and mib > 0 else None,
                uuid=_known(uuid),
                bus_id=normal_bus_id(bus_id),
            )
        )
    return tuple(gpus), version


def parse_capabilities(text: str) -> dict[str, ComputeCapability]:
    """By UUID, from the answer to _MORE. Drivers up to 470 refuse the question: then it is empty."""
    found: dict[str, ComputeCapability] = {}
    for uuid, capability, _ in _rows(text, 3):
        try:
            found[uuid] = ComputeCapability.parse(capability)
        except ValueError:
            continue
    return found


def parse_list(text: str) -> dict[str, tuple[MigInstance, ...]]:
    """Return the MIG instances by their card's UUID, from `nvidia-smi -L`; it names them and gives no memory."""
    found: dict[str, list[MigInstance]] = {}
    for card, name, uuid in _LISTED.findall(text):
        if card:
            found[card] = []
        elif found:
            found[list(found)[-1]].append(MigInstance(name, uuid=uuid))
    return {card: tuple(parts) for card, parts in found.items()}


def parse_dead_cards(text: str) -> tuple[Message, ...]:
    """Return a notice for each card that does not answer, or only in part, from all that nvidia-smi printed."""
    found = [_dead_card(place, said) for place, said in _NO_HANDLE.findall(text)]
    for row in _rows(text, FIELDS.count(",") + 1):
        dead = _DEAD_CELL.match(row[1]) or _DEAD_CELL.match(row[2])
        if dead and _number(row[0]) is not None:
            found.append(_dead_card(row[3], dead[1], f"#{row[0]}"))
    found += [
        card_notice(UNKNOWN if _is_dead(state) else NO_SENSORS, "ERR!", normal_bus_id(place) or place)
        for _, _, place, state in _CARD.findall(text)
        if _is_dead(state) or _NO_SENSORS.match(state)
    ]
    return tuple(one for place, one in enumerate(found) if one not in found[:place])


def _is_dead(state: str) -> bool:
    return state.count("ERR!") >= _DEAD_ROW or bool(_DEAD_FAN.match(state))


def _dead_card(place: str, said: str, otherwise: str | None = None) -> Message:
    known = {GPU_LOST: "is lost", RESET_REQUIRED: "requires reset", UNKNOWN: "unknown error"}
    code = next((code for code, words in known.items() if words in said.lower()), -1)
    return card_notice(code, _clean(said), normal_bus_id(place) or otherwise or place)


def parse_table(text: str) -> NvidiaReading:
    """Return what the table says that nvidia-smi prints without being asked for fields; long names are cut in it."""
    versions = _VERSIONS.search(text)
    gpus = []
    for number, name, place, state in _CARD.findall(text):
        total = _TOTAL.search(state)
        if not _is_dead(state):
            memory = int(total[1]) * _MIB if total else None
            mig = _instances_of(number, text, place)
            gpus.append(Gpu("nvidia", name, None, memory_bytes=memory, bus_id=normal_bus_id(place), mig=mig))
    driver = Driver(versions[1], versions[2]) if versions else None
    return NvidiaReading(driver, tuple(gpus), notices=parse_dead_cards(text))


def _instances_of(number: str, text: str, place: str) -> tuple[MigInstance, ...] | None:
    """Return the instances of a card in MIG mode; None where it is not, or their part of the table was cut off."""
    row = text[text.index(place) :].split("+--", 1)[0]
    if not _MIG_MODE.search(row) or _MIG_TABLE not in text:
        return None
    return tuple(MigInstance(None, int(memory) * _MIB) for card, memory in _INSTANCE.findall(text) if card == number)


def _clean(text: str) -> str:
    plain = (letter for letter in " ".join(text.split()) if letter.isprintable() and letter != _NOT_READ)
    return "".join(plain)[:200]


def parse_failure(text: str) -> NvidiaReading:
    """Return what a failed nvidia-smi means, by the sentences that it is known to say."""
    said = _clean(text)
    if dead := parse_dead_cards(text):
        return NvidiaReading(notices=dead)
    for sentence, code in _SENTENCES:
        if sentence in said.lower():
            return NvidiaReading(failure=error_notice(code, said))
    if _NO_CARDS in said.lower():
        return NvidiaReading(failure=message("machine.nvidia.no-cards"))
    if any(sentence in said.lower() for sentence in _NO_LIBRARY):
        return NvidiaReading(
            failure=message(
                "machine.nvidia.driver-in-parts",
                "[The driver's own tool|nvidia-smi] is installed and does not find the library of its own driver: the "
                "driver is there only in parts. Install NVIDIA's driver again and restart the computer; in a "
                "container, start it with access to the card.",
            )
        )
    if text.count(_NOT_READ) > _MOST_NOT_READ:
        return NvidiaReading(failure=message("machine.nvidia.smi-failed", said=message("machine.nvidia.not-readable")))
    return NvidiaReading(failure=message("machine.nvidia.smi-failed", said=said or "-"))


def probe_nvidia_smi(ask: Ask, executable: str | None = None) -> NvidiaReading:
    """Nothing at all when there is no nvidia-smi: NVML says better what is missing."""
    program = executable or find_nvidia_smi()
    if program is None:
        return NvidiaReading()
    outcome = ask(question((program, f"--query-gpu={FIELDS}", _FORMAT), SECONDS))
    if outcome.timed_out:
        return NvidiaReading(failure=message("machine.nvidia.timeout"))
    said = _all_of(outcome)
    gpus, version = parse_gpus(outcome.stdout)
    if not gpus:
        return _without_rows(ask, program, parse_failure(said))
    more = ask(question((program, f"--query-gpu={_MORE}", _FORMAT), SECONDS))
    cards = tuple(_with(gpu, parse_capabilities(more.stdout) if more.ok else {}) for gpu in gpus)
    if more.ok and any(mode == "Enabled" for *_, mode in _rows(more.stdout, 3)):
        listed = parse_list(_all_of(ask(question((program, "-L"), SECONDS))))
        cards = _with_instances(cards, listed, parse_table(_all_of(ask(question((program,), SECONDS)))))
    return NvidiaReading(Driver(version) if version else None, cards, notices=parse_dead_cards(said))


def _all_of(outcome: Outcome) -> str:
    return outcome.stdout + "\n" + outcome.stderr + "\n" + outcome.start_error


def _without_rows(ask: Ask, program: str, failed: NvidiaReading) -> NvidiaReading:
    """Return what the table shows, where the fields gave no card and why is not understood, or a dead card alone."""
    if failed.failure is not None and failed.failure.key != "machine.nvidia.smi-failed":
        return failed
    table = parse_table(_all_of(ask(question((program,), SECONDS))))
    if not (table.gpus or table.notices):
        return failed
    return replace(table, notices=(*failed.notices, *(one for one in table.notices if one not in failed.notices)))


def _with_instances(
    cards: tuple[Gpu, ...], listed: dict[str, tuple[MigInstance, ...]], table: NvidiaReading
) -> tuple[Gpu, ...]:
    """Return the cards with the names and UUIDs of the list and the memory of the table, both in the same order."""
    shown = {gpu.bus_id: gpu.mig for gpu in table.gpus if gpu.mig is not None}
    found = []
    for card in cards:
        parts, sizes = listed.get(card.uuid or "", ()), shown.get(card.bus_id)
        if sizes is None:
            found.append(replace(card, mig=parts or None))
            continue
        if len(parts) == len(sizes):
            parts = tuple(
                replace(part, memory_bytes=size.memory_bytes) for part, size in zip(parts, sizes, strict=True)
            )
        found.append(replace(card, mig=parts or sizes))
    return tuple(found)


def _with(gpu: Gpu, capabilities: dict[str, ComputeCapability]) -> Gpu:
    return replace(gpu, compute_capability=capabilities.get(gpu.uuid or ""))
