"""The Visual C++ runtime that a package's libraries want, by their own import tables, and where Python looks for it.

Microsoft's installer puts it into System32, a conda environment brings its own, Python itself a part of it. What is
wanted grows with the releases (torch 2.15: `vcruntime140_threads.dll`, `msvcp140_atomic_wait.dll`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from wizard.environment.inspect.look import parse_cfg
from wizard.environment.layout import read_text
from wizard.system.places import places
from wizard.system.windows.files import imported_libraries

_OF_THE_RUNTIME = re.compile(r"(?:vcruntime|msvcp|concrt|vccorlib|vcomp)140(?:_\w+)?\.dll")
_CODE = (".dll", ".pyd")


def missing_runtime(files: Mapping[str, str], prefix: Path) -> tuple[str, ...]:
    """Return what is nowhere. `files`: of one package, name in it -> place on the disk. () where a system has no such
    runtime. Raises OSError."""
    folders = tuple(runtime_folders(prefix))
    if not folders:
        return ()
    own = {name.rpartition("/")[2].lower() for name in files}
    code = (place for name, place in files.items() if name.lower().endswith(_CODE))
    wanted = {library for place in code for library in imported_libraries(place) if _OF_THE_RUNTIME.fullmatch(library)}
    return tuple(sorted(name for name in wanted - own if not any((folder / name).is_file() for folder in folders)))


def runtime_folders(prefix: Path) -> Iterator[Path]:
    """Yield folders in the order in which this environment's Python finds libraries; none where a system has no such
    runtime."""
    libraries = places().runtime_libraries()
    if libraries is None:
        return
    cfg = prefix / "pyvenv.cfg"
    home = parse_cfg(read_text(cfg) or "").get("home") if cfg.is_file() else None
    base = Path(home) if home else prefix  # a venv's python.exe only starts that of its base
    yield from (base, libraries[0].parent, prefix / "Library" / "bin", prefix / "bin", base / "Library" / "bin")
