"""The folders for caches and for temporary files that a person named: can they be there, and may we write in them?

Not inside the environment: what lies in it goes with it. Nothing is left behind by the look.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from wizard import paths
from wizard.environments.naming import nearest_existing
from wizard.errors import UsageError


def check_volumes(prefix: Path) -> None:
    """Raises UsageError `cache-dir-…`, `temp-dir-…`: `not-writable`, `inside`."""
    for name, folder in (("cache-dir", paths.chosen_cache()), ("temp-dir", paths.chosen_temp())):
        if folder is None:
            continue
        if folder == prefix or prefix in folder.parents:
            raise UsageError(f"{name}-inside", path=str(folder), prefix=str(prefix))
        _check_writable(name, folder)


def _check_writable(name: str, folder: Path) -> None:
    parent = nearest_existing(folder)
    try:
        if not parent.is_dir():
            raise NotADirectoryError(str(parent))
        if not os.access(parent, os.W_OK | os.X_OK):
            raise PermissionError(str(parent))
        # As root the bits allow everything, and Windows' bits say nothing: only trying tells.
        Path(tempfile.mkdtemp(prefix=".torch-setup-", dir=parent)).rmdir()
    except OSError as error:
        raise UsageError(f"{name}-not-writable", details=str(error), path=str(folder)) from error
