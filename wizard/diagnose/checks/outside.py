"""Stage one, what comes in from outside: the user's own packages, PYTHONPATH, and CUDA libraries on the loader's path.

A package that lies outside and is found first is certain. A library on the path is a suspicion until a trial
with and without it (`trial.py`) proves it: many computers have such a path and are none the worse.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from wizard.diagnose.model import Check, Evidence, Finding, Remedy, finding, found, not_looked, proof, ruled_out
from wizard.environment.inspect.installation import Installation
from wizard.model.distributions import FAMILY
from wizard.system.links import long_path
from wizard.system.traits import of

_NAMES = (*FAMILY, "numpy", "triton")
# What torch loads by these names, whoever put them there first.
_LIBRARIES = (
    "libtorch*.so*",
    "libc10*.so*",
    "libcudnn*.so*",
    "libcublas*.so*",
    "libcudart.so*",
    "libnccl.so*",
    "libnvrtc*.so*",
    "libcusparse*.so*",
    "libcusolver*.so*",
    "libcufft*.so*",
    "libcupti.so*",
    "libnvJitLink.so*",
)
_DLLS = (
    "cudnn*.dll",
    "cublas*.dll",
    "cudart64_*.dll",
    "nvrtc*.dll",
    "cusparse64_*.dll",
    "cusolver64_*.dll",
    "c10*.dll",
)
_SHOWN = 6


def shadow(env: Installation) -> Check:
    """A torch or numpy outside the environment that Python finds before the environment's own."""
    if env.python is None:
        return not_looked("shadow", "no-python")
    several = tuple(_shadows(env))
    if several:
        return found("shadow", *several)
    return ruled_out("shadow", proof("path-clean"))


def _shadows(env: Installation) -> Iterator[Finding]:
    user = env.python.user_site if env.python else None
    for folder, names in _outside(env):
        evidence: tuple[Evidence, ...] = tuple(
            proof("before", path=str(folder / name), own=str(env.site / name)) for name in names
        )
        in_user_site = user is not None and (folder == user or user in folder.parents)
        if in_user_site:
            yield finding(
                "shadow", "user-site-shadow", evidence, Remedy(no_user_site=True), name=names[0], folder=str(folder)
            )
        elif str(folder) in _entries(env.variables.get("PYTHONPATH", "")):
            evidence += (f"PYTHONPATH={env.variables['PYTHONPATH']}",)
            yield finding("shadow", "pythonpath-shadow", evidence, name=names[0], folder=str(folder))
        else:
            evidence += _pth_lines(env, folder)
            yield finding("shadow", "path-shadow", evidence, name=names[0], folder=str(folder))


def _outside(env: Installation) -> Iterator[tuple[Path, list[str]]]:
    """Folders before the environment's own, with what they hold of torch. A folder counts as a package with code."""
    for entry in env.python.path if env.python else ():
        if entry == env.site or env.prefix in entry.parents:
            if entry == env.site:
                return
            continue
        names = [
            name for name in _NAMES if (entry / name / "__init__.py").is_file() or (entry / f"{name}.py").is_file()
        ]
        if names:
            yield entry, names


def _entries(variable: str) -> tuple[str, ...]:
    return tuple(entry for entry in variable.split(os.pathsep) if entry)


def _pth_lines(env: Installation, folder: Path) -> tuple[str, ...]:
    """Which .pth file of the environment leads there."""
    found_in = []
    for path in sorted(long_path(env.site).glob("*.pth")):
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        if any(line.strip() and Path(env.site, line.strip()) == folder for line in lines):
            found_in.append(f"{env.site / path.name}: {folder}")
    return tuple(found_in)


def libraries(env: Installation) -> Check:
    """CUDA, cuDNN or torch libraries in a folder of the user's library path: a suspicion."""
    variable = of(env.os).library_variable
    is_path = variable == "PATH"  # then programs are looked for in it, too, and none of it may go
    value = os.environ.get(variable, "") if is_path else env.variables.get(variable, "")
    intruders = dict(_intruders(_entries(value), env.prefix, _DLLS if is_path else _LIBRARIES))
    preloaded = env.variables.get("LD_PRELOAD", "")
    if intruders:
        folders = tuple(intruders)
        evidence = tuple(f"{folder}: {', '.join(names[:_SHOWN])}" for folder, names in intruders.items())
        remedy = Remedy(drop_library_folders=() if is_path else folders)
        code = "library-intruder/windows" if is_path else "library-intruder/suspect"
        one = finding(
            "libraries",
            code,
            (*evidence, *_set_in(folders)),
            remedy,
            certain=False,
            folder=folders[0],
            variable=variable,
            name=next(iter(intruders.values()))[0],
        )
        return found("libraries", one)
    if _matching(preloaded.replace(":", " ").split(), _LIBRARIES):
        one = finding("libraries", "library-preload", (f"LD_PRELOAD={preloaded}",), certain=False, value=preloaded)
        return found("libraries", one)
    if inside := _conda_libraries(env):
        one = finding("libraries", "library-conda", inside, certain=False, name=Path(inside[0]).name)
        return found("libraries", one)
    return ruled_out("libraries", proof("variable-clean", variable=variable), variable=variable)


def _intruders(folders: Iterable[str], prefix: Path, patterns: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    for folder in dict.fromkeys(folders):
        place = Path(folder)
        if place == prefix or prefix in place.parents:
            continue
        try:
            names = _matching(sorted(path.name for path in place.iterdir()), patterns)
        except OSError:
            continue
        if names:
            yield folder, names


def _matching(names: Iterable[str], patterns: tuple[str, ...]) -> list[str]:
    return [name for name in names if any(fnmatch.fnmatch(name.rsplit("/", 1)[-1], pattern) for pattern in patterns)]


def _conda_libraries(env: Installation) -> tuple[str, ...]:
    """conda's own cuDNN or CUDA beside a torch that pip brought with its own."""
    by_pip = any(each.installer not in ("conda", "") for each in env.find("torch"))
    names = ("cudnn", "libcudnn", "libcublas", "cuda-cudart", "cudatoolkit", "nccl")
    records = [record for record in env.records if record.name in names]
    return tuple(f"conda: {record.name} {record.version}" for record in records) if by_pip else ()


_START_FILES = (".bashrc", ".bash_profile", ".profile", ".zshrc", ".zprofile", ".config/fish/config.fish")


def _set_in(folders: tuple[str, ...], home: Path | None = None) -> tuple[str, ...]:
    """The line of the user's start-up files that names the folder: only told, never touched."""
    places = [(home or Path.home()) / name for name in _START_FILES]
    told = []
    for place in places:
        try:
            lines = place.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        for number, line in enumerate(lines, 1):
            if "LD_LIBRARY_PATH" in line and any(folder.rstrip("/") in line for folder in folders):
                told.append(f"~/{place.name}:{number}: {line.strip()[:200]}")
    return tuple(told)
