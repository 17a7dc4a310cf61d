"""The session for a window that has only been opened: the real one is made when something is first asked of it.

Half a second and thirty megabytes of modules come with the real one. What Welcome asks (which runs there are, which of
their environments were changed since) is answered without it. Calls may come from several threads at once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from wizard.app.session import Session
    from wizard.environment.inspect.baseline import EnvironmentChanges
    from wizard.run.model import RunInfo


def late_session() -> Session:
    return cast("Session", _Late())


class _Late:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._session: Session | None = None

    def runs(self) -> tuple[RunInfo, ...]:
        if not self._has_runs():
            return ()
        from wizard.run.runs import known_runs

        return known_runs()

    def drift(self, prefixes: Iterable[Path] | None = None) -> tuple[EnvironmentChanges, ...]:
        if prefixes is None and not self._has_runs():
            return ()
        from wizard.diagnose.environment_changes import drift

        return drift(prefixes)

    @staticmethod
    def _has_runs() -> bool:
        from wizard.system import paths

        try:
            return any(paths.runs_dir().iterdir())
        except OSError:
            return False

    def __getattr__(self, name: str) -> Any:
        """Everything else is the real one's to answer."""
        if name.startswith("__"):
            raise AttributeError(name)
        with self._lock:
            if self._session is None:
                from wizard.app.session import Session

                self._session = Session()
        return getattr(self._session, name)
