"""A machine as `machine.json`, and back, read with suspicion: what `probe --json` prints and `pick --machine` reads.

The shape is a contract (docs/architecture.md): fields may be added, none may change. Reading trusts
nothing: see `fields`. Notices that this version has no words for are left out.

One file, since reading and writing have to name the same fields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wizard.machine.host.operating_system import normal_arch
from wizard.machine.model import CondaInstall, Driver, Gpu, Machine, MigInstance, PythonInstall, Toolkit, Volume
from wizard.model.capability import ComputeCapability
from wizard.model.errors import UsageError
from wizard.model.messages import Message, Scalar, message, text

# A JSON object read with suspicion: a field has one type, form and size, or a dotted path says what is wrong.
# Unknown fields are left alone; nothing here raises anything but UsageError `bad-machine-file`.

_LONGEST_TEXT = 4096
_LARGEST_NUMBER = 2**63 - 1
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Fields:
    """`value` is the object, `path` where it lies in the file ("" for the whole), `file` the file's name for people."""

    value: Mapping[str, object]
    file: str
    path: str = ""

    @classmethod
    def of(cls, value: object, file: str, path: str = "") -> Fields:
        if not isinstance(value, Mapping):
            raise _bad(file, path, "object")
        return cls(value, file, path)

    def fail(self, name: str, problem: str, example: str = "") -> UsageError:
        return _bad(self.file, self._at(name), problem, example)

    def _at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def text(self, name: str, form: re.Pattern[str] | None = None, example: str = "") -> str:
        """A field that must be there."""
        found = self.text_or_none(name, form, example)
        if found is None:
            raise self.fail(name, "missing")
        return found

    def text_or_none(self, name: str, form: re.Pattern[str] | None = None, example: str = "") -> str | None:
        """Return a printable text of a sane length, or None. Raises UsageError that names the field."""
        found = self.value.get(name)
        if found is None:
            return None
        if not isinstance(found, str):
            raise self.fail(name, "text")
        if len(found) > _LONGEST_TEXT:
            raise self.fail(name, "too-long")
        if _UNPRINTABLE.search(found):
            raise self.fail(name, "unprintable")
        if form and not form.fullmatch(found):
            raise self.fail(name, "form", example)
        return found

    def number_or_none(self, name: str) -> int | None:
        """Return a whole number of 0 or more, or None. Raises UsageError that names the field."""
        found = self.value.get(name)
        if found is None:
            return None
        if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= _LARGEST_NUMBER:
            raise self.fail(name, "number")
        return found

    def flag_or_none(self, name: str) -> bool | None:
        """Return a flag, or None. Raises UsageError that names the field."""
        found = self.value.get(name)
        if found is None or isinstance(found, bool):
            return found
        raise self.fail(name, "flag")

    def object_or_none(self, name: str) -> Fields | None:
        found = self.value.get(name)
        return None if found is None else Fields.of(found, self.file, self._at(name))

    def objects(self, name: str, most: int, required: bool = False) -> list[Fields]:
        """Return a list of at most `most` objects, each with its place. Raises UsageError that names the field."""
        found = self.value.get(name)
        if found is None and not required:
            return []
        if found is None:
            raise self.fail(name, "missing")
        if not isinstance(found, Sequence) or isinstance(found, str | bytes):
            raise self.fail(name, "list")
        if len(found) > most:
            raise self.fail(name, "too-many")
        return [Fields.of(item, self.file, f"{self._at(name)}[{number}]") for number, item in enumerate(found)]


def _bad(file: str, path: str, problem: str, example: str = "") -> UsageError:
    said = message(f"machine.problem.{problem}", example=example)
    return UsageError(
        "bad-machine-file",
        "The machine file {file} cannot be used: {path} {problem}.",
        "Make it again [on the page {page.check}|with `torch-wizard probe --json`] on that computer, or correct "
        "this entry.",
        file=file,
        path=path or message("machine.problem.whole"),
        problem=said,
    )


def printable(value: str | None) -> str | None:
    """What a writer does so that its own reader takes it: a file name with broken bytes stays readable."""
    return None if value is None else _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", value)[:_LONGEST_TEXT]


SCHEMA = 1
_LARGEST_FILE = 4 * 1024 * 1024
_MOST_GPUS = 256
_MOST_ROWS = 1000
_VENDORS = ("nvidia", "amd", "intel", "apple")

_OS = re.compile(r"windows|linux|macos")
_ARCH = re.compile(r"[A-Za-z0-9_-]{1,32}")
_GLIBC = re.compile(r"[0-9]{1,3}(\.[0-9]{1,4}){1,2}")
_DRIVER = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4}){0,3}")
_CUDA = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}")
_PCI_ID = re.compile(r"[0-9A-Fa-f]{4}:[0-9A-Fa-f]{4}")
_CAPABILITY = re.compile(r"[0-9]{1,2}\.[0-9]")
_TOOLKIT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,4}){0,3}")
_PYTHON = re.compile(r"[0-9]{1,2}(\.[0-9]{1,3}){1,2}[0-9A-Za-z.+-]{0,40}")


def machine_to_json(machine: Machine) -> dict[str, Any]:
    """Return the machine as the values of a machine file."""
    driver = machine.driver
    return {
        "schema": SCHEMA,
        "os": machine.os,
        "arch": machine.arch,
        "glibc": machine.glibc,
        "driver": {"version": driver.version, "cuda": driver.cuda} if driver else None,
        "gpus": [_gpu_to_json(gpu) for gpu in machine.gpus],
        "os_version": printable(machine.os_version),
        "wsl": machine.is_wsl,
        "toolkits": [
            {"version": row.version, "path": printable(row.path), "found_by": row.found_by} for row in machine.toolkits
        ],
        "pythons": [
            {"executable": printable(row.executable), "version": row.version, "has_venv": row.has_venv}
            for row in machine.pythons
        ],
        "condas": [
            {
                "executable": printable(row.executable),
                "version": printable(row.version),
                "root_prefix": printable(row.root_prefix),
                "kind": row.kind,
                "found_by": row.found_by,
            }
            for row in machine.condas
        ],
        "volumes": [
            {"path": printable(row.path), "free_bytes": row.free_bytes, "writable": row.writable}
            for row in machine.volumes
        ],
        "notices": [{"key": notice.key, "params": _plain(notice)} for notice in machine.notices],
    }


def _plain(notice: Message) -> dict[str, object]:
    """Words within words are written as they are read in English: what nvidia-smi said and nobody could read."""
    return {name: text(value, "en") if isinstance(value, Message) else value for name, value in notice.params.items()}


def _gpu_to_json(gpu: Gpu) -> dict[str, Any]:
    return {
        "vendor": gpu.vendor,
        "name": printable(gpu.name),
        "pci_id": gpu.pci_id,
        "compute_capability": str(gpu.compute_capability) if gpu.compute_capability else None,
        "memory_bytes": gpu.memory_bytes,
        "uuid": printable(gpu.uuid),
        "bus_id": printable(gpu.bus_id),
        "kernel_driver": printable(gpu.kernel_driver),
        "mig": None if gpu.mig is None else [_instance_to_json(part) for part in gpu.mig],
    }


def _instance_to_json(part: MigInstance) -> dict[str, Any]:
    return {"name": printable(part.name), "memory_bytes": part.memory_bytes, "uuid": printable(part.uuid)}


def machine_from_json(data: Mapping[str, object], where: str = "machine.json") -> Machine:
    """Raises UsageError `bad-machine-file` (params file, path, problem) for anything that is not such a machine."""
    fields = Fields.of(data, where)
    if fields.number_or_none("schema") not in (None, SCHEMA):
        raise fields.fail("schema", "schema", str(SCHEMA))
    machine = Machine(
        os=fields.text("os", _OS, "windows, linux, macos"),
        arch=normal_arch(fields.text("arch", _ARCH, "x86_64")),
        glibc=fields.text_or_none("glibc", _GLIBC, "2.36"),
        driver=_driver(fields.object_or_none("driver")),
        gpus=tuple(_gpu(row) for row in fields.objects("gpus", _MOST_GPUS, required=True)),
        toolkits=tuple(_toolkit(row) for row in fields.objects("toolkits", _MOST_ROWS)),
        pythons=tuple(_python(row) for row in fields.objects("pythons", _MOST_ROWS)),
        condas=tuple(_conda(row) for row in fields.objects("condas", _MOST_ROWS)),
        volumes=tuple(_volume(row) for row in fields.objects("volumes", _MOST_ROWS)),
        os_version=fields.text_or_none("os_version"),
        is_wsl=fields.flag_or_none("wsl") or False,
        notices=tuple(filter(None, (_notice(row) for row in fields.objects("notices", _MOST_ROWS)))),
    )
    told = any(one.key.startswith("machine.nvidia.") for one in machine.notices)
    if machine.driver and not machine.gpus and not told:  # as the look at a computer says it
        return replace(machine, notices=(*machine.notices, message("machine.nvidia.no-cards")))
    return machine


def _driver(row: Fields | None) -> Driver | None:
    if row is None:
        return None
    return Driver(row.text("version", _DRIVER, "580.65.06"), row.text_or_none("cuda", _CUDA, "13.0"))


def _gpu(row: Fields) -> Gpu:
    vendor = row.text("vendor").lower()
    pci_id = row.text_or_none("pci_id", _PCI_ID, "10de:2182")
    capability = row.text_or_none("compute_capability", _CAPABILITY, "7.5")
    return Gpu(
        vendor=vendor if vendor in _VENDORS else "other",
        name=row.text_or_none("name"),
        pci_id=pci_id.lower() if pci_id else None,
        compute_capability=ComputeCapability.parse(capability) if capability else None,
        memory_bytes=row.number_or_none("memory_bytes"),
        uuid=row.text_or_none("uuid"),
        bus_id=row.text_or_none("bus_id"),
        kernel_driver=row.text_or_none("kernel_driver"),
        mig=None if row.value.get("mig") is None else tuple(map(_instance, row.objects("mig", _MOST_ROWS))),
    )


def _instance(row: Fields) -> MigInstance:
    return MigInstance(row.text_or_none("name"), row.number_or_none("memory_bytes"), row.text_or_none("uuid"))


def _toolkit(row: Fields) -> Toolkit:
    return Toolkit(row.text("version", _TOOLKIT, "13.0"), row.text("path"), row.text("found_by"))


def _python(row: Fields) -> PythonInstall:
    return PythonInstall(
        row.text("executable"), row.text("version", _PYTHON, "3.12.11"), row.flag_or_none("has_venv") or False
    )


def _conda(row: Fields) -> CondaInstall:
    return CondaInstall(
        row.text("executable"),
        row.text_or_none("version"),
        row.text_or_none("root_prefix"),
        row.text("kind"),
        row.text_or_none("found_by"),
    )


def _volume(row: Fields) -> Volume:
    return Volume(row.text("path"), row.number_or_none("free_bytes"), row.flag_or_none("writable"))


def _notice(row: Fields) -> Message | None:
    """None when this version has no such sentence, or not these blanks in it."""
    given = row.object_or_none("params")
    params: dict[str, Scalar] = {}
    for name, value in given.value.items() if given else ():
        if given and isinstance(value, str):
            params[name] = given.text(name)
        elif isinstance(value, int | float):
            params[name] = value
    found = Message(row.text("key"), params)
    try:
        text(found, "en")
    except (LookupError, ValueError, TypeError):
        return None
    return found


def read_machine_file(path: Path) -> Machine:
    """Raises UsageError `bad-machine-file` or `no-machine-file`. Takes UTF-8 and UTF-16: Windows' shell writes both."""
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST_FILE + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise UsageError(
            "no-machine-file",
            "The machine file {file} cannot be read.",
            "Check that the file is there and that you may read it.",
            details=str(error),
            file=str(path),
        ) from error
    where = path.name
    if len(raw) > _LARGEST_FILE:
        raise Fields({}, where).fail("", "too-long")
    try:
        data = json.loads(raw.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        raise Fields({}, where).fail("", "json") from error
    return machine_from_json(data, where)
