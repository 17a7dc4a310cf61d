"""Reads `matrices/` into values: a few hundredths of a second, and the card table only when a card is asked for.

It trusts the files: `validate` checks them, in tests and before data from elsewhere is taken.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path

from wizard import paths
from wizard.capability import ComputeCapability
from wizard.matrix.model import Architecture, Board, Build, Card, Floor, Kernels, Matrix, Policy, Release
from wizard.matrix.ordering import variant_key, version_key

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Row = Mapping[str, str]


def load_matrix(folder: Path | None = None) -> Matrix:
    """The data that travel with the program, or those in `folder`. Read once per folder."""
    return _load(folder or paths.matrices_dir())


@lru_cache(maxsize=4)
def _load(folder: Path) -> Matrix:
    kernels = {_build_key(row): _kernels(row) for row in read_rows(folder / "arch_list.csv")}
    builds = [_build(row, kernels.get(_build_key(row))) for row in read_rows(folder / "builds.csv")]
    builds.sort(key=lambda build: (version_key(build.torch), variant_key(build.variant)), reverse=True)
    floors = [_floor(row) for row in read_rows(folder / "cuda_driver_floors.csv")]
    numpy = read_rows(folder / "numpy_bounds.csv")
    return Matrix(
        releases={row["torch"]: _release(row) for row in read_rows(folder / "releases.csv")},
        builds=tuple(builds),
        floors={(floor.cuda, floor.os): floor for floor in floors},
        architectures={row["architecture"]: _architecture(row) for row in read_rows(folder / "architectures.csv")},
        numpy={(row["torch"], row["platform"], row["python"]): row["numpy"] for row in numpy},
        boards=tuple(_board(row) for row in read_rows(folder / "integrated_gpus.csv")),
        policy=_policy(folder / "policy.toml"),
        find_card=partial(_find_card, folder),
    )


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _find_card(folder: Path, pci_id: str) -> Card | None:
    row = _cards(folder / "gpus.csv").get(pci_id)
    if row is None:
        return None
    capability = ComputeCapability.parse(row["capability"])
    name = row["name"] or row["chip"]
    return Card(
        pci_id, name, row["chip"], row["architecture"], capability, row["segment"], row["confidence"], row["source"]
    )


@lru_cache(maxsize=4)
def _cards(path: Path) -> Mapping[str, Row]:
    return {row["pci_id"]: row for row in read_rows(path)}


def _items(text: str) -> tuple[str, ...]:
    return tuple(text.split(";")) if text else ()


def _build_key(row: Row) -> tuple[str, str, str]:
    return row["torch"], row["variant"], row["platform"]


def _kernels(row: Row) -> Kernels:
    return Kernels(_items(row["architectures"]), row["evidence"], row["confidence"], row["source"])


def _build(row: Row, kernels: Kernels | None) -> Build:
    return Build(
        torch=row["torch"],
        variant=row["variant"],
        platform=row["platform"],
        local_version=row["local_version"] or None,
        pythons=_items(row["pythons"]),
        experimental_pythons=_items(row["experimental_pythons"]),
        advertised=row["advertised"] == "yes",
        pypi_default=row["pypi_default"] == "yes",
        min_glibc=row["min_glibc"] or None,
        kernels=kernels,
        confidence=row["confidence"],
        source=row["source"],
        note=row["note"],
    )


def _release(row: Row) -> Release:
    return Release(
        row["torch"], row["released"], row["torchvision"], row["torchaudio"],
        row["torchaudio_python_max"] or None, row["confidence"], row["source"],
    )  # fmt: skip


def _floor(row: Row) -> Floor:
    return Floor(
        row["cuda"], row["os"], row["driver_floor"], row["toolkit_driver"] or None, row["confidence"], row["source"]
    )


def _architecture(row: Row) -> Architecture:
    first = {os: int(row[f"first_driver_{os}"]) for os in ("linux", "windows") if row[f"first_driver_{os}"]}
    return Architecture(
        name=row["architecture"],
        capabilities=tuple(ComputeCapability.parse(text) for text in _items(row["capabilities"])),
        last_driver_branch=_whole(row["last_driver_branch"]),
        dropped_since=_whole(row["dropped_since"]),
        first_driver=first,
        open_kernel_module=row["open_kernel_module"],
        confidence=row["confidence"],
        source=row["source"],
    )


def _whole(text: str) -> int | None:
    return int(text) if text else None


def _board(row: Row) -> Board:
    return Board(row["board"], ComputeCapability.parse(row["capability"]), row["official_wheels"] == "yes")


def _policy(path: Path) -> Policy:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return Policy(
        default_python=str(table["python"]["default"]),
        kernel_drivers_without_cuda=frozenset(table["kernel_drivers"]["without_cuda"]),
    )
