"""Files with code that Python runs whenever it starts there, and those of them that no package has brought.

By the documentation of Python's `site`: lines of a `.pth` that begin with `import`, sitecustomize and usercustomize.
What a build leaves so changes every later program in the environment. Reads; runs nothing.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from wizard.model.distributions import info_folders, read_record
from wizard.system.links import long_path

_MODULES = ("sitecustomize.py", "usercustomize.py")
_OF_ENVIRONMENTS = ("_virtualenv.pth",)  # written by virtualenv and uv when they make one
_OF_SETUPTOOLS = ("distutils-precedence.pth",)
LARGEST = 1 << 20  # bytes that are read of one


def start_files(site: Path) -> dict[str, bytes]:
    """Return at most `LARGEST` bytes of each by its name, also of a `.pth` without code, and not of what cannot be
    read."""
    found = {}
    with contextlib.suppress(OSError):
        for path in sorted(long_path(site).iterdir()):
            if path.suffix == ".pth" or path.name in _MODULES:
                with contextlib.suppress(OSError), path.open("rb") as file:
                    found[path.name] = file.read(LARGEST)
    return found


def strays(site: Path) -> dict[str, bytes]:
    """Return those with code that no package's RECORD lists."""
    found = {name: content for name, content in start_files(site).items() if _has_code(name, content)}
    if found:
        listed = {entry.path for info in info_folders(site) for entry in read_record(info) if entry.path in found}
        found = {name: found[name] for name in found if name not in listed and name not in _OF_ENVIRONMENTS}
    return found


def at_each_start(site: Path) -> tuple[str, ...]:
    """Return those with code, whoever brought them, but for what setuptools and virtualenv bring everywhere."""
    found = [name for name, content in start_files(site).items() if _has_code(name, content)]
    return tuple(name for name in found if name not in (*_OF_ENVIRONMENTS, *_OF_SETUPTOOLS))


def suspects(site: Path) -> tuple[str, ...]:
    """Return by whose fault torch may say of itself what is not so: those that name it, else all of `strays`."""
    found = strays(site)
    return tuple(name for name in found if names_torch(found[name])) or tuple(found)


def names_torch(content: bytes) -> bool:
    return b"torch" in content


def _has_code(name: str, content: bytes) -> bool:
    return name in _MODULES or any(line.startswith((b"import ", b"import\t")) for line in content.splitlines())
