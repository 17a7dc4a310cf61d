"""Where the built-in engine keeps packages: on the volume of the environment, so that files are linked, not copied.

Ours serves every environment on its volume. For one on another volume it would cost the room of all packages twice,
once in a home folder that may be small: there they lie inside the new environment while it is made, and go with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wizard.environment.naming import nearest_existing
from wizard.system import paths

WITHIN = ".torch-setup-packages"


@dataclass(frozen=True, slots=True)
class PackageCache:
    """`is_lasting`: it is there for the next environment, too."""

    folder: Path
    is_lasting: bool


def engine_cache() -> Path:
    """Return the folder, for the owner alone: rattler keeps whole addresses in it, a private channel's password
    included."""
    return paths.cache_dir() / "rattler"


def package_cache(prefix: Path) -> PackageCache:
    """Return where packages are kept. One that a person chose is kept, even where files have to be copied out of it.
    Raises OSError where neither place can be looked at."""
    ours = engine_cache() / "packages"
    if paths.chosen_cache() or is_same_volume(ours, prefix):
        return PackageCache(ours, is_lasting=True)
    return PackageCache(prefix / WITHIN, is_lasting=False)


def is_same_volume(one: Path, other: Path) -> bool:
    """Tell whether both are on one volume; neither need be there yet."""
    return nearest_existing(one).stat().st_dev == nearest_existing(other).stat().st_dev
