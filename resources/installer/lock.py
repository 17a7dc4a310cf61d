"""The exact files that go into the frozen program: `python resources/installer/lock.py write | check`.

`write` resolves our dependencies for the Python that is frozen and writes one line for each file, with its SHA-256, to
a `requirements-….txt` for each system beside this file; pip takes them with `--require-hashes`.
`check` resolves them for Windows and every Python that we support, and names each that has no wheel there. Both ask
the package index; where it cannot be reached they say so and end with 3, which is not the same as good.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FROZEN_PYTHON = "3.12"
SUPPORTED = ("3.10", "3.11", "3.12", "3.13", "3.14")
# What uv calls a system, and what wheels call it, the most wanted first. On Linux x86_64 glibc 2.28 is the oldest.
SYSTEMS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "linux": (
        "x86_64-manylinux_2_28",
        (
            *(f"manylinux_2_{minor}_x86_64" for minor in range(28, 4, -1)),
            "manylinux2014_x86_64",
            "manylinux2010_x86_64",
            "manylinux1_x86_64",
            "linux_x86_64",
        ),
    ),
    # Qt's wheels for it are for glibc 2.39 (Ubuntu 24.04, DGX OS 7) and nothing older.
    "linux-aarch64": (
        "aarch64-manylinux_2_39",
        (
            *(f"manylinux_2_{minor}_aarch64" for minor in range(39, 16, -1)),
            "manylinux2014_aarch64",
            "linux_aarch64",
        ),
    ),
    "windows": ("x86_64-pc-windows-msvc", ("win_amd64",)),
}
_NOT_REACHED = re.compile("error sending request|dns error|client error|timed out|Failed to fetch", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pinned:
    name: str
    version: str
    wheel: str  # its file name; "" where none fits
    sha256: str


class NotReached(Exception):
    """The package index did not answer."""


def resolve(uv: str, system: str, python: str) -> str:
    """The lock that uv makes. Raises NotReached; CalledProcessError for requirements that cannot be met."""
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch, "pylock.toml")
        command = [
            uv,
            "pip",
            "compile",
            "--quiet",
            "--no-header",
            "--format",
            "pylock.toml",
            "--extra",
            "freeze",
            "--python-platform",
            SYSTEMS[system][0],
            "--python-version",
            python,
            "--output-file",
            str(made),
            str(ROOT / "pyproject.toml"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, cwd=scratch, check=False)
        if done.returncode != 0 and _NOT_REACHED.search(done.stderr):
            raise NotReached(done.stderr.strip())
        if done.returncode != 0:
            raise subprocess.CalledProcessError(done.returncode, "uv pip compile", stderr=done.stderr)
        return made.read_text("utf-8")


def find_uv() -> str:
    from uv import find_uv_bin

    return find_uv_bin()


def ranked_tags(system: str, python: str) -> list[Tag]:
    """What installs there, the best first."""
    major, minor = map(int, python.split("."))
    platforms = SYSTEMS[system][1]
    own = cpython_tags((major, minor), platforms=platforms)
    return [*own, *compatible_tags((major, minor), f"cp{major}{minor}", platforms)]


def parse_lock(text: str, tags: list[Tag]) -> Iterator[Pinned]:
    """The best wheel of each package. One with an empty name of a wheel has none for those tags."""
    rank = {tag: number for number, tag in enumerate(tags)}
    for package in tomllib.loads(text)["packages"]:
        fitting = []
        for wheel in package.get("wheels", ()):
            name = file_name(wheel)
            numbers = [rank[tag] for tag in parse_wheel_filename(name)[3] if tag in rank]
            if numbers:
                fitting.append((min(numbers), name, wheel["hashes"]["sha256"]))
        _, name, digest = min(fitting, default=(0, "", ""))
        yield Pinned(package["name"], package["version"], name, digest)


def file_name(wheel: Mapping[str, Any]) -> str:
    from urllib.parse import unquote

    return str(wheel.get("name") or unquote(wheel["url"].rpartition("/")[2]))


def write(system: str) -> Path:
    """Raises NotReached; SystemExit where a package has no wheel."""
    rows = list(parse_lock(resolve(find_uv(), system, FROZEN_PYTHON), ranked_tags(system, FROZEN_PYTHON)))
    complain(system, FROZEN_PYTHON, rows)
    head = f"# Made by `python resources/installer/lock.py write`: frozen on {system}, for Python {FROZEN_PYTHON}.\n"
    lines = [f"{row.name}=={row.version} --hash=sha256:{row.sha256}  # {row.wheel}\n" for row in rows]
    path = HERE / f"requirements-{system}.txt"
    path.write_text(head + "".join(lines), "utf-8", newline="\n")
    return path


def complain(system: str, python: str, rows: list[Pinned]) -> None:
    missing = [f"{row.name} {row.version}" for row in rows if not row.wheel]
    if missing:
        raise SystemExit(f"no wheel for {system}, Python {python}: {', '.join(missing)}")


def check() -> None:
    uv = find_uv()  # in one thread: sysconfig, which it asks, is not made for several at once
    with ThreadPoolExecutor(len(SUPPORTED)) as pool:  # what takes the time is the index's answers
        locks = list(pool.map(lambda python: resolve(uv, "windows", python), SUPPORTED))
    for python, lock in zip(SUPPORTED, locks, strict=True):
        rows = list(parse_lock(lock, ranked_tags("windows", python)))
        complain("windows", python, rows)
        binary = sum(not row.wheel.endswith("-none-any.whl") for row in rows)
        print(f"Windows, Python {python}: {len(rows)} packages, {binary} for win_amd64, {len(rows) - binary} pure")


def main() -> int:
    parser = argparse.ArgumentParser(description="The exact files of the frozen program, and whether Windows has all.")
    parser.add_argument("command", choices=("write", "check"))
    wanted = parser.parse_args().command
    try:
        if wanted == "check":
            check()
        else:
            for system in SYSTEMS:
                print(write(system))
    except NotReached as error:
        print(f"NOT CHECKED: the package index did not answer.\n{error}", file=sys.stderr)
        return 3
    except subprocess.CalledProcessError as error:
        print(error.stderr, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
