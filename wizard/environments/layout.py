"""Where things lie inside a prefix: the interpreter, site-packages, whether pip is there."""

from __future__ import annotations

from pathlib import Path

from wizard.system.places import places
from wizard.system.traits import of


def python_of(prefix: Path, os_name: str | None = None) -> Path:
    """The interpreter; for a prefix that is not there yet, where a conda prefix would have it."""
    return places(os_name).python_of(prefix)


def site_packages_of(prefix: Path, version: str, os_name: str | None = None) -> Path:
    """`version` is "3.12" or "3.12.11"."""
    return prefix / of(os_name).site_packages.format(minor=".".join(version.split(".")[:2]))


def has_pip(prefix: Path, version: str, os_name: str | None = None) -> bool:
    """A whole pip: its RECORD is written last."""
    return any(site_packages_of(prefix, version, os_name).glob("pip-*.dist-info/RECORD"))


def is_conda_prefix(prefix: Path) -> bool:
    return (prefix / "conda-meta").is_dir()
