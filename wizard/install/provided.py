"""What conda brings to an environment, for the resolver: fixed versions that no index is asked for.

Each one becomes an empty wheel that a constraint names by its address, so uv resolves around it as if it were
installed and cannot choose another version. Taken out of the lock again: nobody downloads or installs these.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from wizard.model.errors import WizardError
from wizard.model.lock import Lock, PackageVersion
from wizard.model.typed import from_toml

PACKAGES = "[[packages]]\n"  # of a lock


def write_constraints(provided: Iterable[PackageVersion], workdir: Path) -> Path | None:
    """Return the file of constraints, with its wheels beside it; None without any. A version that is none of Python's
    is left out. Raises OSError."""
    lines = []
    for each in provided:
        try:
            wheel = _write_empty_wheel(each, Version(each.version), workdir / "provided")
        except InvalidVersion:
            continue
        lines.append(f"{canonicalize_name(each.name)} @ {wheel.as_uri()}\n")
    if not lines:
        return None
    path = workdir / "constraints.txt"
    path.write_text("".join(lines), encoding="utf-8")
    return path


def _write_empty_wheel(package: PackageVersion, version: Version, folder: Path) -> Path:
    name = canonicalize_name(package.name).replace("-", "_")
    info = f"{name}-{version}.dist-info"
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package.name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", f"{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return path


def take_out(text: str, provided: Iterable[PackageVersion]) -> tuple[str, tuple[PackageVersion, ...]]:
    """Return uv's lock without what conda brings, and which of that it named."""
    known = _by_name(provided)
    if not known:
        return text, ()
    head, *tables = text.split(PACKAGES)
    names = [canonicalize_name(package["name"]) for package in from_toml(text)["packages"]]
    kept = [table for name, table in zip(names, tables, strict=True) if name not in known]
    return PACKAGES.join((head, *kept)), tuple(known[name] for name in names if name in known)


def leave_to_conda(lock: Lock, provided: Iterable[PackageVersion]) -> Lock:
    """Return a lock that was made elsewhere, without the files of what conda brings in the very versions of it.

    Raises WizardError `lock-no-solution` where conda brings another version."""
    known = _by_name(provided)
    both = [file for file in lock.files if canonicalize_name(file.name) in known]
    for file in both:
        brought = known[canonicalize_name(file.name)]
        if not _is_same(brought.version, file.version):
            details = f"{file.name} {file.version} is locked, and conda brings {brought.version}"
            raise WizardError("lock-no-solution", details=details)
    text, named = take_out(lock.text, (known[canonicalize_name(file.name)] for file in both))
    return Lock(tuple(file for file in lock.files if file not in both), text, named)


def _is_same(one: str, other: str) -> bool:
    try:
        return Version(one) == Version(other)
    except InvalidVersion:
        return one == other


def _by_name(packages: Iterable[PackageVersion]) -> Mapping[str, PackageVersion]:
    return {canonicalize_name(each.name): each for each in packages}
