"""The recorded and described machines of tests/data/machines, as values."""

from __future__ import annotations

import json
from pathlib import Path

from wizard.machine.machine_file import machine_from_json
from wizard.machine.model import Machine

FOLDER = Path(__file__).resolve().parent.parent / "data" / "machines"


def machine(name: str) -> Machine:
    return machine_from_json(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.json"))
