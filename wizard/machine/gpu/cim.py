"""Graphics cards as Windows knows them, with or without their driver: CIM's Win32_VideoController.

The PNPDeviceID carries vendor and device even under Microsoft's basic driver. Screens that exist only in
software (remote desktop, virtual displays) have no PCI id and are left out.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from wizard.machine.asking import Ask, question
from wizard.machine.gpu.pci import DeviceReading, display_gpu
from wizard.machine.model import Driver, Gpu
from wizard.model.messages import Message, message

SECONDS = 20.0  # the first start of PowerShell on a slow disk
_QUERY = (
    "[Console]::OutputEncoding=[Text.Encoding]::UTF8;"
    "Get-CimInstance Win32_VideoController |"
    " Select-Object Name,PNPDeviceID,DriverVersion,AdapterRAM,AdapterCompatibility,ConfigManagerErrorCode |"
    " ConvertTo-Json -Compress"
)
_PNP = re.compile(r"^PCI\\VEN_([0-9A-F]{4})&DEV_([0-9A-F]{4})", re.IGNORECASE)
_VERSION = re.compile(r"^\d+\.\d+\.(\d+)\.(\d+)$")
_FULL = 0xFFF00000  # AdapterRAM has 32 bits: from here on it only says "4 GiB or more"


def nvidia_version(windows_version: str) -> str | None:
    """`31.0.15.4633` is 546.33: the last five digits, the fourth field padded to four."""
    match = _VERSION.match(windows_version.strip())
    if not match:
        return None
    digits = (match[1] + match[2].zfill(4))[-5:]
    return f"{int(digits[:3])}.{digits[3:]}" if len(digits) == 5 else None


def parse_video_controllers(text: str) -> DeviceReading:
    """Raises ValueError for what is not the query's JSON. One card comes as an object, several as a list."""
    said = text.strip().lstrip("\ufeff")
    data = json.loads(said) if said else []
    rows = [row for row in (data if isinstance(data, list) else [data]) if isinstance(row, dict)]
    found = [(row, gpu) for row in rows if (gpu := _gpu(row))]
    drivers = [_nvidia_driver(row) for row, gpu in found if gpu.vendor == "nvidia"]
    notices = [_problem(row) for row, gpu in found]
    return DeviceReading(
        tuple(gpu for _, gpu in found), next(filter(None, drivers), None), tuple(filter(None, notices))
    )


def _gpu(row: dict[str, Any]) -> Gpu | None:
    match = _PNP.match(str(row.get("PNPDeviceID") or ""))
    gpu = display_gpu(match[1].lower(), match[2].lower()) if match else None
    if gpu is None:
        return None
    memory = row.get("AdapterRAM")
    is_known = isinstance(memory, int) and 0 < memory < _FULL
    return replace(gpu, name=str(row.get("Name") or "") or None, memory_bytes=memory if is_known else None)


def _nvidia_driver(row: dict[str, Any]) -> Driver | None:
    if "nvidia" not in str(row.get("AdapterCompatibility") or "").lower() or row.get("ConfigManagerErrorCode"):
        return None
    version = nvidia_version(str(row.get("DriverVersion") or ""))
    return Driver(version) if version else None


def _problem(row: dict[str, Any]) -> Message | None:
    code = row.get("ConfigManagerErrorCode")
    if not code or not isinstance(code, int):
        return None
    return message("machine.windows.device-problem", name=str(row.get("Name") or "?"), code=code)


def probe_windows(ask: Ask) -> DeviceReading:
    """Ask Windows for its graphics cards, NVIDIA or not; no answer is a notice."""
    root = os.environ.get("SYSTEMROOT", "C:\\Windows")
    shell = str(Path(root, "System32", "WindowsPowerShell", "v1.0", "powershell.exe"))
    outcome = ask(question((shell, "-NoProfile", "-NonInteractive", "-Command", _QUERY), SECONDS))
    try:
        if outcome.ok:
            return parse_video_controllers(outcome.stdout)
    except ValueError:
        pass
    return DeviceReading(notices=(message("machine.windows.no-answer"),))
