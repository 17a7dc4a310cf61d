"""Fetching and installing at once: each wheel is installed as soon as it is verified, while others come.

The installer's children belong to the calling thread; the fetch runs beside it.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from wizard.errors import Cancelled
from wizard.packages.fetch.fetcher import Fetcher, OnProgress
from wizard.packages.fetch.model import FetchResult
from wizard.packages.install import Installer, Ready
from wizard.packages.model import LockedFile

OnFile = Callable[[LockedFile, Path], None]
IsAsked = Callable[[], bool]


def fetch_and_install(
    fetcher: Fetcher,
    installer: Installer,
    files: Sequence[LockedFile],
    on_progress: OnProgress = lambda progress: None,
    on_fetched: OnFile = lambda file, path: None,
    on_installed: OnFile = lambda file, path: None,
    is_cancelled: IsAsked = lambda: False,
    is_paused: IsAsked = lambda: False,
) -> FetchResult:
    """Raises WizardError (`fetch-…`, `install-…`) or Cancelled.

    `on_progress` and `on_fetched` come on the fetching thread, `on_installed` on the calling one. After a
    fetch that failed, what was verified is still installed.
    """
    ready: Ready = queue.SimpleQueue()
    by_path: dict[Path, LockedFile] = {}
    fetched: list[FetchResult] = []
    problems: list[BaseException] = []
    has_ended = threading.Event()

    def take(file: LockedFile, path: Path) -> None:
        by_path[path] = file
        on_fetched(file, path)
        ready.put(path)

    def fetch() -> None:
        try:
            fetched.append(
                fetcher.fetch(files, on_progress, take, lambda: is_cancelled() or has_ended.is_set(), is_paused)
            )
        except BaseException as error:
            problems.append(error)
        finally:
            ready.put(None)

    thread = threading.Thread(target=fetch)
    thread.start()
    try:
        installer.pipeline(ready, lambda path: on_installed(by_path[path], path), is_cancelled)
    finally:
        has_ended.set()
        thread.join()
    if problems:
        raise problems[0]
    if is_cancelled() or not fetched:
        raise Cancelled
    return fetched[0]
