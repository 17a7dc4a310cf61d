"""Checks the compatibility data: every cell's form, every key's uniqueness, every reference between tables.

A problem names its place as a dotted path, `builds.12.min_glibc` (12 is the line in the file). Used by the
tests, and before data from outside is taken; loading itself trusts the files.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard.compatibility.data.ordering import version_key
from wizard.compatibility.data.pins import is_of_several_builds, wheel_keys, wheels_with_one_hash
from wizard.compatibility.data.schema import TABLES, TableSchema

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TableProblem:
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def check_folder(folder: Path) -> list[TableProblem]:
    """Every problem of every table; tables that read well are also checked against each other."""
    problems: list[TableProblem] = []
    rows: dict[str, list[Row]] = {}
    for table in TABLES:
        path = folder / f"{table.name}.csv"
        if not path.is_file():
            problems.append(TableProblem(table.name, "the file is missing"))
            continue
        text = path.read_text(encoding="utf-8")
        problems += check_table(table, text)
        rows[table.name] = list(csv.DictReader(io.StringIO(text)))
    return problems or list(check_references(rows))


def check_table(table: TableSchema, text: str) -> list[TableProblem]:
    """Return what is wrong with a table of CSV: its columns, cells, and keys that come twice."""
    reader = csv.reader(io.StringIO(text))
    head = next(reader, [])
    if head != list(table.columns):
        return [TableProblem(f"{table.name}.1", f"the columns must be {', '.join(table.columns)}")]
    problems: list[TableProblem] = []
    seen: dict[tuple[str, ...], int] = {}
    for cells in reader:
        line = f"{table.name}.{reader.line_num}"
        if len(cells) != len(head):
            problems.append(TableProblem(line, f"has {len(cells)} cells, must have {len(head)}"))
            continue
        row = dict(zip(head, cells, strict=True))
        problems += [
            TableProblem(f"{line}.{name}", f"{row[name]!r} is not {form.words}")
            for name, form in table.columns.items()
            if not form.check(row[name])
        ]
        key = tuple(row[name] for name in table.key)
        if key in seen:
            problems.append(TableProblem(line, f"the same {', '.join(table.key)} as line {seen[key]}"))
        seen.setdefault(key, reader.line_num)
    return problems


def check_references(tables: Mapping[str, list[Row]]) -> Iterator[TableProblem]:
    """What one table says must be known to the others. The line of a row is its place in the file."""
    releases = {row["torch"] for row in tables["releases"]}
    kernels = {_build(row) for row in tables["arch_list"]}
    floors = {(row["cuda"], row["os"]) for row in tables["cuda_driver_floors"]}
    builds = {_build(row) for row in tables["builds"]}
    for line, row in enumerate(tables["builds"], start=2):
        yield from _check_build(f"builds.{line}", row, releases, kernels, floors)
    for torch in sorted(releases - {row["torch"] for row in tables["builds"]}):
        yield TableProblem("releases", f"torch {torch} has no build")
    capabilities = {row["cuda"]: set(row["capabilities"].split(";")) for row in tables["cuda_capabilities"]}
    yield from _strays("arch_list", tables, builds)
    for line, row in enumerate(tables["arch_list"], start=2):
        yield from _check_architectures(f"arch_list.{line}.architectures", row, capabilities)
    yield from _strays("wheel_sizes", tables, builds)
    for line, row in enumerate(tables["numpy_bounds"], start=2):
        if row["torch"] not in releases:
            yield TableProblem(f"numpy_bounds.{line}.torch", "there is no such release")
    yield from _check_cards(tables)
    yield from _check_pins(tables)


def _strays(name: str, tables: Mapping[str, list[Row]], builds: set[tuple[str, str, str]]) -> Iterator[TableProblem]:
    for line, row in enumerate(tables[name], start=2):
        if _build(row) not in builds:
            yield TableProblem(f"{name}.{line}", "there is no such build")


def _check_cards(tables: Mapping[str, list[Row]]) -> Iterator[TableProblem]:
    known = {row["architecture"]: set(row["capabilities"].split(";")) for row in tables["architectures"]}
    for line, row in enumerate(tables["gpus"], start=2):
        if row["capability"] not in known.get(row["architecture"], set()):
            yield TableProblem(f"gpus.{line}.capability", f"{row['architecture']} has no {row['capability']}")


def _check_pins(tables: Mapping[str, list[Row]]) -> Iterator[TableProblem]:
    """A pin of a file that no build of the tables has would never be asked for: a slip. A second SHA-256 for a wheel
    that has one would let another file pass for it."""
    known = {
        "torch": {row["torch"] for row in tables["releases"]},
        "torchvision": {row["torchvision"] for row in tables["releases"]},
        "torchaudio": {row["torchaudio"] for row in tables["releases"]},
    }
    first: dict[Hashable, tuple[int, str]] = {}
    for line, row in enumerate(tables["wheel_hashes"], start=2):
        project, version = row["file"].split("-")[:2]
        if version.split("+")[0] not in known[project]:
            yield TableProblem(f"wheel_hashes.{line}.file", f"no release of the tables has {project} {version}")
            continue
        wheels = wheels_with_one_hash(row["file"])
        if not wheel_keys(row["file"]):
            yield TableProblem(f"wheel_hashes.{line}.file", "is no wheel's name")
        for wheel in wheels:
            at, sha256 = first.setdefault(wheel, (line, row["sha256"]))
            if sha256 != row["sha256"]:  # the first line: the rows of an overlay stand before the shipped ones
                yield TableProblem(f"wheel_hashes.{at}.sha256", f"{row['file']} has another: {row['sha256']}")
                break
    yield from _check_shared_names(tables)


def _check_shared_names(tables: Mapping[str, list[Row]]) -> Iterator[TableProblem]:
    """A name that stands for several builds has no more hashes than its release has builds for such machines; just one
    from the version on whose files have their CUDA tags on the torch index: bare names are the default's there."""
    tagged = {
        _project_version(row) for row in tables["wheel_hashes"] if "aarch64" in row["file"] and "+" in row["file"]
    }
    builds = Counter(row["torch"] for row in tables["builds"] if row["platform"].endswith("aarch64"))
    most = {
        (project, row[project]): builds[row["torch"]]
        for row in tables["releases"]
        for project in ("torchvision", "torchaudio")
    }
    since = {project: min(version_key(v) for p, v in tagged if p == project) for project, _ in tagged}
    found: dict[str, list[int]] = {}
    for line, row in enumerate(tables["wheel_hashes"], start=2):
        if is_of_several_builds(row["file"]):
            found.setdefault(row["file"], []).append(line)
            project, version = _project_version(row)
            is_tagged = project in since and version_key(version) >= since[project]
            if len(found[row["file"]]) > (1 if is_tagged else most.get((project, version), 1)):
                yield TableProblem(f"wheel_hashes.{found[row['file']][0]}.sha256", f"{row['file']} has too many others")


def _project_version(row: Row) -> tuple[str, str]:
    project, version = row["file"].split("-")[:2]
    return project, version.partition("+")[0]


def _build(row: Row) -> tuple[str, str, str]:
    return row["torch"], row["variant"], row["platform"]


def _check_build(
    path: str, row: Row, releases: set[str], kernels: set[tuple[str, str, str]], floors: set[tuple[str, str]]
) -> Iterator[TableProblem]:
    if row["torch"] not in releases:
        yield TableProblem(f"{path}.torch", "there is no such release")
    if row["platform"].startswith("linux") != bool(row["min_glibc"]):
        yield TableProblem(f"{path}.min_glibc", "must be given for Linux, and for Linux only")
    if set(row["pythons"].split(";")) & set(row["experimental_pythons"].split(";")):
        yield TableProblem(f"{path}.experimental_pythons", "a Python cannot be stable and experimental")
    if row["variant"] == "cpu":
        return
    if row["advertised"] == "yes" and _build(row) not in kernels:
        yield TableProblem(f"{path}.variant", "an advertised CUDA build needs a row in arch_list")
    system = "windows" if row["platform"].startswith("win") else "linux"
    cuda = f"{row['variant'][2:-1]}.{row['variant'][-1]}"
    if (cuda, system) not in floors:
        yield TableProblem(f"{path}.variant", f"CUDA {cuda} has no row in cuda_driver_floors")


def _check_architectures(path: str, row: Row, capabilities: Mapping[str, set[str]]) -> Iterator[TableProblem]:
    cuda = f"{row['variant'][2:-1]}.{row['variant'][-1]}"
    known = capabilities.get(cuda)
    if known is None:
        yield TableProblem(path, f"CUDA {cuda} has no row in cuda_capabilities")
        return
    for arch in row["architectures"].split(";"):
        digits = arch.split("_")[1]
        if f"{digits[:-1]}.{digits[-1]}" not in known:
            yield TableProblem(path, f"CUDA {cuda} cannot make {arch}")
