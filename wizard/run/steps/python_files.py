"""The Python of the built-in engine where a class profile has locked it: its files, fetched as wheels are.

From the class's folder or servers first, resumed, and against the profile's hashes; the engine then needs no channel.
They lie in the downloads, so that a computer that is ready can hand them on.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from wizard.model.errors import BAD_PLAN, UsageError, WizardError
from wizard.model.lock import LockedFile
from wizard.model.messages import message
from wizard.model.typed import from_json
from wizard.run.context import Context
from wizard.run.steps.fetch import class_fetcher, start_apart
from wizard.system import paths
from wizard.transfer.download import Downloads, FetchProgress
from wizard.transfer.download.local_first import fetch_near_first


def read_python_files(path: Path) -> tuple[LockedFile, ...]:
    """() where nothing was locked. Raises UsageError `bad-plan`."""
    try:
        return from_json(path.read_bytes(), tuple[LockedFile, ...])
    except FileNotFoundError:
        return ()
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(BAD_PLAN, details=str(error), path=str(path)) from error


def bring_python(context: Context, step: str) -> tuple[tuple[str, Path], ...]:
    """(SHA-256, file) of each. Raises WizardError `fetch-…`, Cancelled."""
    files = read_python_files(context.folder.python_files)
    if not files:
        return ()
    emitter, store = context.emitter, Downloads(paths.downloads_dir())

    def on_progress(progress: FetchProgress) -> None:
        words = message("environments.progress.fetch", package=progress.file or "")
        emitter.progress(step, progress.done, progress.total, detail=words)

    def on_file(file: LockedFile, path: Path) -> None:
        emitter.log(step, f"{file.filename} sha256 {file.sha256[:12]}… ok")

    def on_far(error: WizardError) -> None:
        emitter.log(step, str(error))

    if any(store.find(file) is None for file in files):
        start_apart(context)
    fetch_near_first(
        class_fetcher(context),
        files,
        context.plan.choices.packs,
        on_progress,
        on_file,
        context.is_stopped,
        context.control.is_paused,
        on_far,
    )
    return tuple((file.sha256, store.path_for(file)) for file in files)
