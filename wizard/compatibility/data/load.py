"""Reads `matrices/` into values: a few hundredths of a second, and the card table only when a card is asked for.

It trusts the shipped files, which the tests check; the user's overlay is checked before a row of it is taken.

One file: each table is a shape and the function that reads it.
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated

import msgspec

from wizard.compatibility.data.model import (
    Architecture,
    Board,
    Build,
    Card,
    Floor,
    Kernels,
    Matrix,
    OverlayState,
    Policy,
    Release,
    WheelSize,
)
from wizard.compatibility.data.ordering import variant_key, version_key
from wizard.compatibility.data.pins import Pins, pins_of_rows
from wizard.model.capability import ComputeCapability
from wizard.model.table_update import tables_dir
from wizard.model.tables import SOME, Count, Date, Name, Row, TableError, Words, bad_table, parse_table
from wizard.system import paths

Cells = Mapping[str, str]


def load_matrix(folder: Path | None = None) -> Matrix:
    """The data that travel with the program with the user's overlay, or those in `folder`. Read once per state."""
    if folder is not None:
        return _load(folder, None, ())
    overlay = paths.matrices_overlay_dir()
    stamp = _stamp(overlay)
    return _load(tables_dir(), overlay if stamp else None, stamp)


def with_rows(added: Mapping[str, Sequence[Cells]]) -> Matrix:
    """The matrix with rows that were learnt just now and are written nowhere."""
    known, state = _overlay(tables_dir(), paths.matrices_overlay_dir())
    from wizard.compatibility.data.overlay import merged

    together = {name: merged(name, known.get(name, ()), added.get(name, ())) for name in {*known, *added}}
    return replace(_compose(tables_dir(), together), overlay=state)


def extended(matrix: Matrix, rows: Mapping[str, Sequence[Cells]]) -> Matrix:
    """Return the matrix with checked rows of releases, builds and driver floors that it has no row for."""
    kernels = {_build_key(row): _kernels(row) for row in rows.get("arch_list", ())}
    known = {(build.torch, build.variant, build.platform) for build in matrix.builds}
    new = [row for row in rows.get("builds", ()) if _build_key(row) not in known]
    builds = [*matrix.builds, *(_build(row, kernels.get(_build_key(row)), None) for row in new)]
    floors = [_floor(row) for row in rows.get("cuda_driver_floors", ())]
    return replace(
        matrix,
        releases={**{row["torch"]: _release(row) for row in rows.get("releases", ())}, **matrix.releases},
        builds=tuple(sorted(builds, key=_build_order, reverse=True)),
        floors={**{(floor.cuda, floor.os): floor for floor in floors}, **matrix.floors},
    )


def _build_order(build: Build) -> tuple[object, ...]:
    return version_key(build.torch), variant_key(build.variant)


def _stamp(overlay: Path) -> tuple[object, ...]:
    """Changes when the overlay does; another process may be writing or removing it just now."""
    if not overlay.is_dir():
        return ()
    found: list[tuple[str, int, int]] = []
    for name in sorted(path.name for path in overlay.glob("*.csv")):
        with contextlib.suppress(OSError):
            state = (overlay / name).stat()
            found.append((name, state.st_mtime_ns, state.st_size))
    return tuple(found)


@lru_cache(maxsize=4)
def _load(folder: Path, overlay: Path | None, stamp: tuple[object, ...]) -> Matrix:
    added, state = _overlay(folder, overlay) if overlay else ({}, None)
    return replace(_compose(folder, added), overlay=state)


def _overlay(folder: Path, overlay: Path) -> tuple[Mapping[str, Sequence[Cells]], OverlayState | None]:
    if not overlay.is_dir() or not any(overlay.glob("*.csv")):
        return {}, None
    from wizard.compatibility.data.overlay import read_overlay  # the validator is needed for rows from elsewhere only

    return read_overlay(overlay, folder)


def _compose(folder: Path, added: Mapping[str, Sequence[Cells]]) -> Matrix:
    """Raises WizardError `bad-table`."""
    try:
        return _composed(folder, added)
    except (KeyError, ValueError, OSError, csv.Error) as error:
        from wizard.compatibility.data.validate import check_folder  # to say where: only when something is wrong

        found = [str(error)] if isinstance(error, TableError) else [str(one) for one in check_folder(folder)]
        raise bad_table(str(folder), "; ".join(found) or repr(error)) from error


def _composed(folder: Path, added: Mapping[str, Sequence[Cells]]) -> Matrix:
    rows = partial(_rows, folder, added)
    kernels = {_build_key(row): _kernels(row) for row in rows("arch_list")}
    sizes = {_build_key(row): _size(row) for row in rows("wheel_sizes")}
    builds = [_build(row, kernels.get(_build_key(row)), sizes.get(_build_key(row))) for row in rows("builds")]
    builds.sort(key=_build_order, reverse=True)
    floors = [_floor(row) for row in rows("cuda_driver_floors")]
    shipped = {row["torch"] for row in read_rows(folder / "releases.csv")} if added.get("releases") else set()
    return Matrix(
        learned=frozenset(row["torch"] for row in added.get("releases", ())) - shipped,
        releases={row["torch"]: _release(row) for row in rows("releases")},
        builds=tuple(builds),
        floors={(floor.cuda, floor.os): floor for floor in floors},
        architectures={row["architecture"]: _architecture(row) for row in rows("architectures")},
        numpy={(row["torch"], row["platform"], row["python"]): row["numpy"] for row in rows("numpy_bounds")},
        boards=tuple(_board(row) for row in rows("integrated_gpus")),
        policy=parse_policy((folder / "policy.toml").read_text(encoding="utf-8")),
        find_card=partial(_find_card, folder, {row["pci_id"]: row for row in added.get("gpus", ())}),
        find_capabilities=partial(_find_capabilities, folder),
        find_pins=partial(_find_pins, folder, pins_of_rows(added.get("wheel_hashes", ()))),
    )


def _rows(folder: Path, added: Mapping[str, Sequence[Cells]], name: str) -> Sequence[Cells]:
    shipped = read_rows(folder / f"{name}.csv")
    if not added.get(name):
        return shipped
    from wizard.compatibility.data.overlay import merged

    return merged(name, shipped, added[name])


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _find_card(folder: Path, added: Mapping[str, Cells], pci_id: str) -> Card | None:
    row = _cards(folder / "gpus.csv").get(pci_id) or added.get(pci_id)
    if row is None:
        return None
    capability = ComputeCapability.parse(row["capability"])
    name = row["name"] or row["chip"]
    return Card(
        pci_id, name, row["chip"], row["architecture"], capability, row["segment"], row["confidence"], row["source"]
    )


def _find_capabilities(folder: Path, name: str) -> frozenset[ComputeCapability]:
    named = [row for row in _cards(folder / "gpus.csv").values() if f" {name} " in f" {row['name']} "]
    return frozenset(ComputeCapability.parse(row["capability"]) for row in named)


@lru_cache(maxsize=4)
def _cards(path: Path) -> Mapping[str, Cells]:
    return {row["pci_id"]: row for row in read_rows(path)}


def _find_pins(folder: Path, added: Pins, file_name: str) -> frozenset[str] | None:
    shipped = _pins(folder / "wheel_hashes.csv").find(file_name)
    return shipped or added.find(file_name) or shipped


@lru_cache(maxsize=4)
def _pins(path: Path) -> Pins:
    return pins_of_rows(read_rows(path))


def _items(text: str) -> tuple[str, ...]:
    return tuple(text.split(";")) if text else ()


def _build_key(row: Cells) -> tuple[str, str, str]:
    return row["torch"], row["variant"], row["platform"]


def _kernels(row: Cells) -> Kernels:
    return Kernels(_items(row["architectures"]), row["evidence"], row["confidence"], row["source"])


def _size(row: Cells) -> WheelSize:
    return WheelSize(int(row["bytes"]), row["confidence"], row["source"])


def _build(row: Cells, kernels: Kernels | None, size: WheelSize | None) -> Build:
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
        size=size,
    )


def _release(row: Cells) -> Release:
    return Release(
        row["torch"],
        row["released"],
        row["torchvision"] or None,
        row["torchaudio"] or None,
        row["torchaudio_python_max"] or None,
        row["confidence"],
        row["source"],
    )


def _floor(row: Cells) -> Floor:
    return Floor(
        row["cuda"], row["os"], row["driver_floor"], row["toolkit_driver"] or None, row["confidence"], row["source"]
    )


def _architecture(row: Cells) -> Architecture:
    told = {os: row[f"first_driver_{os}"] for os in ("linux", "windows")}
    return Architecture(
        name=row["architecture"],
        capabilities=tuple(ComputeCapability.parse(text) for text in _items(row["capabilities"])),
        last_driver_branch=_whole(row["last_driver_branch"]),
        dropped_since=_whole(row["dropped_since"]),
        first_driver={os: int(branch) for os, branch in told.items() if branch not in ("", "none")},
        without_driver=frozenset(os for os, branch in told.items() if branch == "none"),
        open_kernel_module=row["open_kernel_module"],
        confidence=row["confidence"],
        source=row["source"],
    )


def _whole(text: str) -> int | None:
    return int(text) if text else None


def _board(row: Cells) -> Board:
    return Board(row["board"], ComputeCapability.parse(row["capability"]), row["official_wheels"] == "yes")


class PythonRow(Row, frozen=True, kw_only=True):
    default: Annotated[str, msgspec.Meta(pattern=r"^3\.\d{1,2}$")]
    reason: Words
    as_of: Date


class KernelDriversRow(Row, frozen=True, kw_only=True):
    without_cuda: Annotated[frozenset[Name], SOME]
    handed_over: Annotated[frozenset[Name], SOME]
    reason: Words
    as_of: Date

    def __post_init__(self) -> None:
        if strays := self.handed_over - self.without_cuda:
            raise ValueError(f"handed_over: not among those without CUDA: {', '.join(sorted(strays))}")


class KeptStatesRow(Row, frozen=True, kw_only=True):
    """How many earlier states of an environment stay, at most how large together, how long."""

    most: Count
    bytes: Count
    days: Count
    reason: Words
    as_of: Date


class RoomRow(Row, frozen=True, kw_only=True):
    """Bytes that a disk should have for a setup."""

    cuda: Count
    cpu: Count
    reason: Words
    as_of: Date


class HeldBackRow(Row, frozen=True, kw_only=True):
    """What the resolver keeps older than the newest, without a word of any package."""

    constraints: Annotated[tuple[Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]+<\d[\d.]*$")], ...], SOME]
    reason: Words
    as_of: Date


class OldProjectRow(Row, frozen=True, kw_only=True):
    """After how long without a change a project gets the releases of its time."""

    months: Count
    reason: Words
    as_of: Date


class PolicyTable(Row, frozen=True, kw_only=True):
    python: PythonRow
    kernel_drivers: KernelDriversRow
    room: RoomRow
    kept_states: KeptStatesRow
    held_back: HeldBackRow
    old_project: OldProjectRow


def parse_policy(document: str) -> Policy:
    """Raises TableError."""
    table = parse_table("policy", document, PolicyTable)
    drivers = table.kernel_drivers
    old, held = table.old_project.months, table.held_back.constraints
    return Policy(table.python.default, drivers.without_cuda, drivers.handed_over, held, old)
