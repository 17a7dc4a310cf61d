"""Everything that was ever found, or can be thought of, in the program's own folder: name -> how it is made."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

RUN = "20250101-010101-abcd"
WRONG_TYPES = {
    "language": 3,
    "theme": [],
    "geometry": {"a": 1},
    "reduced_motion": "x",
    "network": {"mode": [1], "proxy": {}, "no_proxy": 7, "certificate": 9},
}
Make = Callable[[Path], object]


def _file(name: str, content: bytes = b"x") -> Make:
    def make(home: Path) -> None:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(content)

    return make


def _folder(name: str) -> Make:
    return lambda home: (home / name).mkdir(parents=True)


def _huge(home: Path) -> None:
    with (home / "settings.json").open("wb") as file:
        file.truncate(1 << 33)  # a hole: it takes no room


# Of these the file is set aside.
SETTINGS: Mapping[str, Make] = {
    "garbled": _file("settings.json", b"\xff\xfe\x00{"),
    "cut short": _file("settings.json", b'{"language": "zh_'),
    "nested too deep": _file("settings.json", b"[" * 200_000),
    "no object": _file("settings.json", b"[1]"),
    "a number too long": _file("settings.json", b'{"language": ' + b"9" * 6000 + b"}"),
    "huge": _huge,
    "a folder": _folder("settings.json"),
} | ({} if os.name == "nt" else {"a pipe": lambda home: os.mkfifo(home / "settings.json")})

IN_THE_WAY: Mapping[str, Make] = {
    name: _file(name)
    for name in (
        "runs",
        "undo",
        "logs",
        "cache",
        "downloads",
        "deletions",
        "matrices-overlay",
        "profiles",
        "locks",
        "bootstrap",
    )
} | {"class-machine-id": _folder("class-machine-id")}

# These are read without trust, and stay.
ELSEWHERE: Mapping[str, Make] = {
    "settings of wrong types": _file("settings.json", json.dumps(WRONG_TYPES).encode()),
    "a window's place that Qt never wrote": _file("settings.json", b'{"geometry": "\\ud800!!!!"}'),
    "no plan": _folder(f"runs/{RUN}"),
    "a garbled plan": _file(f"runs/{RUN}/plan.json", b"\xff\xfe{"),
    "a plan nested too deep": _file(f"runs/{RUN}/plan.json", b"[" * 200_000),
    "a plan that is a folder": _folder(f"runs/{RUN}/plan.json"),
    "a garbled journal": _file(f"runs/{RUN}/journal.jsonl", b"\xff\n[1]\n{\n"),
    "a lock that is a folder": _folder(f"runs/{RUN}/lock"),
    "a garbled change": _file(f"undo/{RUN}/record.json", b"\xff{"),
    "an unfinished change without a word": _file("undo/unfinished", b"\xff\xfe\n"),
    "an unfinished change that is a folder": _folder("undo/unfinished"),
    "a garbled deletion": _file(f"deletions/{RUN}.json", b"\xff[["),
    "garbled rows": _file("matrices-overlay/releases.csv", b"\xff\xfe,,\n"),
    "a garbled race": _file("cache/mirror-races/000000000000000000000000.json", b"\xff"),
    "a log that is a folder": _folder("logs/torch-wizard.log"),
    "a window's log that is a folder": _folder("logs/window.log"),
    "a garbled number for classes": _file("class-machine-id", b"\xff\x00"),
    "a garbled class profile": _file(f"profiles/{'0' * 64}.torchlab", b"\xff["),
    "an installation of conda that was cut short": _file("bootstrap/run.json", b"\xff{"),
    "a lock that nobody can take": _folder("locks/torch.lock"),
}
