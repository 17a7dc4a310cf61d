"""CUDA toolkits (nvcc) on this machine: shown, because people ask, and never needed.

PyTorch's wheels bring their own CUDA libraries. The toolkit's version says nothing about the driver.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from wizard.machine.asking import Ask, question
from wizard.machine.model import Toolkit
from wizard.system import paths
from wizard.system.places import places
from wizard.system.traits import this

SECONDS = 5.0
_RELEASE = re.compile(r"release (\d+\.\d+)")
_VERSION_TXT = re.compile(r"CUDA Version (\d+\.\d+)")
_SHORT = re.compile(r"(\d+\.\d+)")


def parse_nvcc(text: str) -> str | None:
    """`nvcc --version`: "13.0"."""
    match = _RELEASE.search(text)
    return match[1] if match else None


def parse_version_json(text: str) -> str | None:
    """A toolkit's own version.json: {"cuda": {"version": "12.4.1"}} is "12.4"."""
    try:
        version = json.loads(text)["cuda"]["version"]
    except (ValueError, LookupError, TypeError):
        return None
    match = _SHORT.match(str(version))
    return match[1] if match else None


def parse_version_txt(text: str) -> str | None:
    """version.txt of toolkits before 11."""
    match = _VERSION_TXT.search(text)
    return match[1] if match else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def toolkit_folders() -> Iterator[tuple[Path, str]]:
    """(folder, found by), the ones that a variable names first."""
    for name in sorted(os.environ):
        if name == "CUDA_HOME" or re.fullmatch(r"CUDA_PATH(_V\d+_\d+)?", name):
            yield Path(os.environ[name]), name
    found_by, folders = places().cuda_toolkits()
    yield from ((folder, found_by) for folder in folders)


def _ask_nvcc(ask: Ask, nvcc: Path | str) -> str | None:
    outcome = ask(question((str(nvcc), "--version"), SECONDS))
    return parse_nvcc(outcome.stdout) if outcome.ok else None


def _folder_version(ask: Ask, folder: Path) -> str | None:
    written = parse_version_json(_read(folder / "version.json")) or parse_version_txt(_read(folder / "version.txt"))
    nvcc = folder / "bin" / f"nvcc{this().program_ending}"
    return written or (_ask_nvcc(ask, nvcc) if nvcc.is_file() else None)


def probe_toolkits(ask: Ask) -> tuple[Toolkit, ...]:
    """Return the CUDA Toolkits that are installed, the one on PATH first, each folder once."""
    found: list[Toolkit] = []
    seen: set[Path] = set()
    on_path = paths.find_program("nvcc")
    if on_path and (version := _ask_nvcc(ask, on_path)):
        found.append(Toolkit(version, on_path, "PATH"))
        seen.add(Path(on_path).resolve().parent.parent)
    for folder, found_by in toolkit_folders():
        real = folder.resolve()
        if real in seen or not real.is_dir():
            continue
        seen.add(real)
        version = _folder_version(ask, real)
        if version:
            found.append(Toolkit(version, str(real), found_by))
    return tuple(found)
