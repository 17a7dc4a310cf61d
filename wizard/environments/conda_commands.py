"""The command lines that we give to conda, and the environment it runs in. Nothing here runs anything.

Only channels that we name count (`--override-channels`), no terms are accepted, no prompt is waited for. conda's
own settings (proxy, package cache, certificates, solver) stay in force: it is the user's conda. Activation and
`conda run` are never used: the prefix's Python is called by its path.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from wizard.environments.model import Target
from wizard.process import child_environment

# Variables that would change what is made, or answer a question that is the user's alone.
_DROPPED = frozenset(
    {"CONDA_SUBDIR", "CONDA_CHANNELS", "CONDA_CHANNEL_PRIORITY", "CONDA_DRY_RUN", "CONDA_DOWNLOAD_ONLY",
     "CONDA_CREATE_DEFAULT_PACKAGES", "CONDA_PINNED_PACKAGES", "CONDA_TRACK_FEATURES", "CONDA_NO_DEPS",
     "CONDA_JSON", "CONDA_QUIET", "CONDA_VERBOSITY", "CONDA_ALWAYS_YES", "CONDA_FORCE", "CONDA_CLOBBER",
     "CONDA_PLUGINS_AUTO_ACCEPT_TOS", "CONDA_OVERRIDE_FROZEN", "CONDA_DEFAULT_PYTHON", "CONDA_OVERRIDE_CUDA",
     "MAMBA_DRY_RUN", "MAMBA_DOWNLOAD_ONLY", "MAMBA_JSON", "MAMBA_ALWAYS_YES", "MAMBA_PLATFORM", "MAMBA_CHANNELS",
     "MAMBA_TARGET_PREFIX", "MAMBA_NO_DEPS"}
)  # fmt: skip


def conda_environment(extra: Mapping[str, str], cuda: str | None = None) -> dict[str, str]:
    """`extra`: proxy and certificates. `cuda` for the `__cuda` virtual package when planning for a card."""
    base = {name: value for name, value in os.environ.items() if name.upper() not in _DROPPED}
    fixed = {
        "CONDA_PLUGINS_AUTO_ACCEPT_TOS": "no",
        # Empty means "no CUDA": asking the driver could hang on a lost card, and Python needs no answer.
        "CONDA_OVERRIDE_CUDA": cuda or "",
        # Else a note about a newer conda may stand before the JSON.
        "CONDA_NOTIFY_OUTDATED_CONDA": "false",
    }
    return child_environment({**extra, **fixed}, base)


def info_command(executable: Path) -> tuple[str, ...]:
    return (str(executable), "info", "--json")


def plan_command(executable: Path, target: Target, is_libmamba: bool) -> tuple[str, ...]:
    """A dry run. For a folder beside the target: in one that exists, conda's dry run stops before it has solved."""
    beside = target.prefix.with_name(f"{target.prefix.name}.torch-setup-plan")
    return (*_create(executable, "create", beside, target, is_libmamba), "--dry-run")


def create_command(executable: Path, target: Target, is_libmamba: bool) -> tuple[str, ...]:
    """mamba 2 refuses to create in a folder that holds anything, our mark too; it installs into an empty prefix."""
    verb = "install" if is_libmamba else "create"
    return _create(executable, verb, target.prefix, target, is_libmamba)


def _create(executable: Path, verb: str, prefix: Path, target: Target, is_libmamba: bool) -> tuple[str, ...]:
    channels = [part for channel in target.channels for part in ("--channel", channel)]
    plain = () if is_libmamba else ("--no-default-packages",)  # the user's own additions to every environment
    return (
        str(executable), verb, "--prefix", str(prefix), "--override-channels", *channels, *plain,
        "--json", "--yes", f"python={target.python}", "pip", *target.specs,
    )  # fmt: skip
