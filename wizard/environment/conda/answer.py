"""What conda and mamba print with `--json`, as values. Pure: text goes in, frozen values come out.

Before the document there may be progress objects (ended by a NUL byte, on a terminal only) or a warning; a program
that prints no JSON at all gives None. mamba 2 and micromamba name the same facts otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard.environment.model import ChosenPackage, is_python_package


@dataclass(frozen=True, slots=True)
class CondaFetch:
    """One package that will be downloaded. `size` in bytes, 0 where the channel does not say."""

    filename: str
    size: int


@dataclass(frozen=True, slots=True)
class CondaPlan:
    """What a dry run says. `packages`: how many are put into the prefix; `chosen`: those that it names."""

    fetches: tuple[CondaFetch, ...]
    packages: int
    python: str | None = None  # "3.12.11"
    chosen: tuple[ChosenPackage, ...] = ()

    @property
    def bytes_to_fetch(self) -> int:
        return sum(fetch.size for fetch in self.fetches)


@dataclass(frozen=True, slots=True)
class CondaInfo:
    """`kind`: "conda", "mamba" or "micromamba". `is_libmamba`: mamba 2 and micromamba, which have other habits."""

    kind: str
    version: str
    root_prefix: Path | None
    pkgs_dirs: tuple[Path, ...]
    is_libmamba: bool


def parse_document(printed: str) -> dict[str, Any] | None:
    """Return the last JSON object in what was printed that is a document, not a line of progress."""
    decoder = json.JSONDecoder()
    found: dict[str, Any] | None = None
    at = printed.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(printed, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict) and "maxval" not in value:
                found = value
        at = printed.find("{", end)
    return found


def parse_info(printed: str) -> CondaInfo | None:
    """Return what conda says of itself; None when that was no answer to `info --json`."""
    data = parse_document(printed)
    if data is None:
        return None
    if "conda_version" in data:
        return CondaInfo(
            kind="mamba" if "mamba_version" in data else "conda",
            version=str(data.get("mamba_version") or data["conda_version"]),
            root_prefix=_path(data.get("root_prefix")),
            pkgs_dirs=_paths(data.get("pkgs_dirs")),
            is_libmamba=False,
        )
    if "libmamba version" in data:
        micro = "micromamba version" in data
        return CondaInfo(
            kind="micromamba" if micro else "mamba",
            version=str(data.get("micromamba version") or data.get("mamba version") or data["libmamba version"]),
            root_prefix=_path(data.get("base environment")),
            pkgs_dirs=_paths(data.get("package cache") or data.get("pkgs_dirs")),
            is_libmamba=True,
        )
    return None


def parse_plan(data: Mapping[str, Any]) -> CondaPlan | None:
    """Return the packages of a dry run; None when nothing is said about packages: then it was no plan."""
    actions = data.get("actions")
    if not isinstance(actions, Mapping) or not isinstance(actions.get("LINK"), list):
        return None
    fetched, linked = _rows(actions.get("FETCH")), _rows(actions["LINK"])
    python = next((str(row.get("version")) for row in linked if row.get("name") == "python"), None)
    fetches = tuple(_fetch(row) for row in fetched if row.get("fn"))
    described = {str(row.get("name")): row for row in fetched if row.get("fn")}
    chosen = tuple(_chosen(row, described.get(str(row["name"]))) for row in linked if row.get("name"))
    return CondaPlan(fetches, len(linked), python, chosen)


def _chosen(row: Mapping[str, Any], fetched: Mapping[str, Any] | None) -> ChosenPackage:
    """What is not fetched lies in conda's cache, and conda says less of it: then the build's name tells, which
    conda-build begins with "py" for all that is made for a Python."""
    build = str(row.get("build_string") or row.get("build") or "")
    described = next((one for one in (fetched, row) if one and isinstance(one.get("depends"), list)), None)
    is_python = is_python_package(described) if described else build.startswith("py")
    size = _fetch(fetched).size or None if fetched else None
    return ChosenPackage(str(row["name"]), str(row.get("version") or "?"), build, size, fetched is None, is_python)


def _fetch(row: Mapping[str, Any]) -> CondaFetch:
    size = row.get("size")
    return CondaFetch(Path(str(row["fn"])).name, size if type(size) is int and size > 0 else 0)


def _rows(value: object) -> list[Mapping[str, Any]]:
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def _path(value: object) -> Path | None:
    return Path(value) if isinstance(value, str) and value else None


def _paths(value: object) -> tuple[Path, ...]:
    return tuple(Path(each) for each in value if isinstance(each, str)) if isinstance(value, list) else ()
