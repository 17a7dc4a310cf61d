"""Which wheel tags a Python on a machine takes, best first, for a machine that need not be this one.

The rules (manylinux from the C library's version, abi3, py3-none) are those of `packaging`; here is only the
list of platforms, which `packaging` itself can make for the running machine alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from packaging.tags import Tag, compatible_tags, cpython_tags

_PYTHON = re.compile(r"^3\.(\d{1,2})(?:\.\d+)?(t?)$")
_GLIBC = re.compile(r"^2\.(\d{1,2})")
_OLD_NAMES = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}  # PEP 600
_OLDEST_GLIBC = {"x86_64": 5, "aarch64": 17}  # before these no manylinux policy existed
_PYMALLOC_UP_TO = 7  # the ABI of CPython up to 3.7 is called cp37m: https://bugs.python.org/issue36707
_WINDOWS_ARCH = {"x86_64": "win_amd64", "amd64": "win_amd64", "aarch64": "win_arm64", "arm64": "win_arm64"}
_LINUX_ARCH = {"amd64": "x86_64", "arm64": "aarch64"}


def _windows_platforms(machine: str, glibc: str | None) -> Iterator[str]:
    if machine in _WINDOWS_ARCH:
        yield _WINDOWS_ARCH[machine]


def _linux_platforms(machine: str, glibc: str | None) -> Iterator[str]:
    """None without glibc (musl): wheels for `linux_*` are built for glibc all the same."""
    arch = _LINUX_ARCH.get(machine, machine)
    version = _GLIBC.match(glibc or "")
    if not version:
        return
    for minor in range(int(version[1]), _OLDEST_GLIBC.get(arch, 17) - 1, -1):
        yield f"manylinux_2_{minor}_{arch}"
        if minor in _OLD_NAMES:
            yield f"{_OLD_NAMES[minor]}_{arch}"
    yield f"linux_{arch}"


_PLATFORMS = {"windows": _windows_platforms, "linux": _linux_platforms}


def platforms(os_name: str, arch: str, glibc: str | None) -> tuple[str, ...]:
    return tuple(_PLATFORMS[os_name](arch.lower(), glibc))


def platform_tags(python: str, os_name: str, arch: str, glibc: str | None) -> tuple[Tag, ...]:
    """`python`: "3.12" (or "3.14t", free-threaded). Raises ValueError for what is no Python 3."""
    version, interpreter, _ = _names(python)
    machines = platforms(os_name, arch, glibc)
    own = _cpython_tags(python, machines) if machines else ()  # without any `packaging` takes this machine's
    return tuple(dict.fromkeys((*own, *compatible_tags(version, interpreter, machines))))


def takes(python: str, tags: Iterable[Tag]) -> bool:
    """Can this Python load a wheel of these tags, on whichever platform? Raises ValueError for what is no Python 3."""
    own = {(tag.interpreter, tag.abi) for tag in _cpython_tags(python, ("any",))}
    return any(tag.interpreter.startswith("py") or (tag.interpreter, tag.abi) in own for tag in tags)


def _cpython_tags(python: str, machines: Sequence[str]) -> Iterator[Tag]:
    version, _, abi = _names(python)
    return cpython_tags(version, [abi], machines)


def _names(python: str) -> tuple[tuple[int, int], str, str]:
    """The version, the interpreter's tag and the ABI's: "3.12" is `cp312`, `cp312`; "3.7" is `cp37`, `cp37m`."""
    match = _PYTHON.match(python)
    if not match:
        raise ValueError(f"not a Python version: {python!r}")
    minor = int(match[1])
    interpreter = f"cp3{minor}"
    return (3, minor), interpreter, interpreter + ("m" if minor <= _PYMALLOC_UP_TO else match[2])
