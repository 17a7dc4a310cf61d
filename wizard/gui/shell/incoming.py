"""Files that come to the window: opened with the program, handed over by a second start, or dropped on it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from wizard.app.pages.opened import Inside, inside, is_of_wizard
from wizard.app.pages.order import PageId, SideId
from wizard.gui.tools.explain import WINDOW_SEVERAL_FILES
from wizard.model.errors import WizardError

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData

    from wizard.gui.shell.parts import WindowParts


@runtime_checkable
class TakesFile(Protocol):
    def take_file(self, path: Path) -> None: ...


def files_in(dropped: QMimeData) -> list[Path]:
    """Of what is dragged over the window: what lies on this computer."""
    return [Path(url.toLocalFile()) for url in dropped.urls() if url.isLocalFile()]


def open_files(window: WindowParts, files: Sequence[Path]) -> None:
    """Open one file that was dropped or given at the start; several at once are refused."""
    if len(files) == 1:
        open_file(window, files[0])
    else:
        window.page.trouble.show_error(WizardError(WINDOW_SEVERAL_FILES, count=str(len(files))))


def open_file(window: WindowParts, path: Path) -> None:
    """A plan, a project, a profile or a pack goes to Welcome, an environment to Doctor; other files hold an error."""
    if is_of_wizard(path):
        _open_on_welcome(window, path)
        return
    window.tasks.start(
        lambda is_cancelled, note: inside(path), partial(_open_inside, window, path), window.page.trouble.show_error
    )


def _open_on_welcome(window: WindowParts, path: Path, is_project: bool = False) -> None:
    from wizard.gui.pages.welcome.page import WelcomePage

    welcome = window.pages[PageId.WELCOME]
    if window.navigator.state.run_is_going:
        window.page.trouble.show_error(
            WizardError(
                "window-run-going",
                "A setup is running, so “{name}” was not opened.",
                "Open it again when the setup is over.",
                name=path.name,
            )
        )
    elif isinstance(welcome, WelcomePage):
        window.side.close()
        if window.navigator.page is not PageId.WELCOME:
            window.navigator.restart()
        if is_project:
            welcome.open_project(str(path))
        else:
            welcome.open_file(path)


def _open_inside(window: WindowParts, path: Path, found: Inside) -> None:
    if found.profile is not None:
        open_file(window, found.profile)
    elif found.is_project:
        _open_on_welcome(window, path, is_project=True)
    elif found.is_environment:
        window.side.open(SideId.DOCTOR, path)
    else:
        window.side.open(SideId.EXPLAIN)
        page = window.page
        if isinstance(page, TakesFile):
            page.take_file(path)
