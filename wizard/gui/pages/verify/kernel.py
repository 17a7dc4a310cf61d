"""What Jupyter lacks of an environment, with the button that puts it in, and the packages that this changes.

Where its server runs, and what ends it. One file: one card and the two parts of it that Environments has, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from wizard.compatibility.model import Choices
from wizard.environment.activate.programs import KERNEL_LACKS, KERNEL_PACKAGE, NOTEBOOK_PACKAGE
from wizard.gui.shell.tasks import IsCancelled, SideTask
from wizard.gui.widgets.code import SaidCode
from wizard.gui.widgets.frames import Fold, column, line_up
from wizard.gui.widgets.labels import label, plain_tip
from wizard.model.errors import ErrorText, WizardError
from wizard.model.messages import Message, bytes_text, message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wizard.app.notebook import Notebook
    from wizard.app.session import Session
    from wizard.gui.pages.base import Page
    from wizard.gui.shell.translator import Translator
    from wizard.run.model import Preview

_ADDED, _REPLACED, _ROOM = "reuse.change.added", "reuse.change.replaced", "environments.volume."
_FEW_WORDS = 15
_NOT_THERE = "lock-no-package"
_NO_JUPYTER = ErrorText(
    "kernel-not-there",
    "Jupyter cannot be added: the package source of this environment has no package “{name}”.",
    "Ask whoever runs that source to add it, or set up again from another source (page {page.source}): "
    "what was downloaded is used again.",
)
NOTEBOOK_ENDED = message("flow.notebook-ended", "Jupyter has ended.")
NOT_SAID = ("reuse.change.snapshot", "reuse.change.left", "reuse.change.download")  # the button and one line say it


def plan_kernel(session: Session, prefix: Path, package: str, is_cancelled: IsCancelled) -> Preview | None:
    """Plan what Jupyter lacks beside the torch that is there; None: nothing. Raises as `envs add`."""
    choices = Choices(prefix=str(prefix), reuse=True, extras=(package,))
    return session.plan_add(session.probe(None, is_cancelled), choices, is_cancelled)


class NotebookAddress(SaidCode):
    """Where the notebook server of an environment runs, for a computer whose browser did not come up; and its end."""

    def __init__(self, translator: Translator) -> None:
        super().__init__(translator)
        self.stop = QPushButton(self)
        self.stop.setProperty("role", "small")
        self.rows.addWidget(self.stop, 0, Qt.AlignmentFlag.AlignLeft)

    def show_notebook(self, notebook: Notebook | None) -> None:
        """Open the page of a server that ran before; that of a new one Jupyter opens itself."""
        self.show_address(notebook.address if notebook else "")
        if notebook is not None and notebook.was_there:
            QDesktopServices.openUrl(QUrl(notebook.address))

    def show_address(self, address: str) -> None:
        """Show where one runs; "": none does."""
        from wizard.app.pages.after_setup import Line

        words = message(
            "flow.notebook-runs", "Jupyter is running. If no page came up, copy this address into a browser."
        )
        self.show_line(Line(words, address) if address else None)

    def retranslate(self) -> None:
        super().retranslate()
        self.stop.setText(self.tr("Stop &Jupyter"))
        self.stop.setAccessibleDescription(self.tr("Ends it with its notebooks. What is not saved in them is lost."))
        self.stop.setToolTip(plain_tip(self.stop.accessibleDescription()))


class PackagesFold(Fold):
    """The packages that come or change; where they are many, folded."""

    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._translator = translator
        self._words = label("")
        self.body.addWidget(self._words)

    def show_changes(self, changes: Iterable[Message]) -> str:
        """Return the words of what is no package's."""
        told = [one for one in changes if one.key not in NOT_SAID and not one.key.startswith(_ROOM)]
        ours = [one.params for one in told if one.key in (_ADDED, _REPLACED)]
        words = ("{name} {was} → {now}" if "was" in one else "{name} {now}" for one in ours)
        self._words.setText(self._translator.listed(said.format(**one) for said, one in zip(words, ours, strict=True)))
        self.show_words(self.tr("Packages that come or change"), str(len(ours)))
        self.setVisible(bool(ours))
        return "\n".join(self._translator.say(one) for one in told if one.key not in (_ADDED, _REPLACED))

    def open_if_few(self) -> None:
        self.button.setChecked(self._words.text().count(" ") <= _FEW_WORDS)


class KernelOffer(QFrame):
    """What Jupyter lacks, and the button that puts it in, once it is known what that changes. In the end it says what
    the kernel is called, and opens a notebook, of which it says that it starts and where it runs; where there is no
    Jupyter, it offers that."""

    failed = Signal(object)  # WizardError, to be shown below
    added = Signal()  # or taken out of sight again

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._page, self._context = page, page.context
        self._aside = SideTask(page.context.tasks)  # its sentence stays until it is over, whatever else is pressed
        self._put_in = ("", 0)  # the run that put packages in, and how many
        self._listed_for: str | None = ""  # the run that put the package in
        self.preview: Preview | None = None
        self.notebook: str | None = None  # the command that opens one
        self.has_editor = False  # which opens notebooks, too
        self._title = ""  # of the kernel that was added
        self._is_opening = False
        self._keys_at: QWidget | None = None  # where they went from the button, which loses them while it is disabled
        self.address = NotebookAddress(self._context.translator)
        rows, row = column(self, gap=0), line_up(margins=(16, 12, 16, 12))
        self._words, self.button = label(""), QPushButton(self)
        self.names = PackagesFold(self._context.translator, self)
        row.addWidget(self._words, 1)
        row.addWidget(self.button)
        rows.addLayout(row)
        rows.addWidget(self.names)
        self.address.setContentsMargins(16, 0, 16, 12)
        rows.addWidget(self.address)
        self.button.clicked.connect(self._press)
        self.address.stop.clicked.connect(self._stop_notebook)
        self.setVisible(False)

    @property
    def words(self) -> str:
        return self._words.text()

    @property
    def package(self) -> str:
        """What is to be put in: Jupyter itself, where nothing here opens a notebook."""
        return KERNEL_PACKAGE if self.notebook or self.has_editor else NOTEBOOK_PACKAGE

    @property
    def is_added(self) -> bool:
        return bool(self._title)

    @property
    def packages(self) -> int:
        """How many packages came or changed for it in the run that is shown."""
        run_id, count = self._put_in
        return count if run_id == self._page.state.run_id else 0

    def register(self) -> None:
        """List the environment in Jupyter; where it lacks something, look for what that would change."""
        prefix, api = Path(self._page.state.prefix), self._context.session.tools
        self._aside.start(
            lambda is_cancelled, note: api.register_kernel(prefix), self._registered, self._not_registered
        )

    def go_on(self) -> None:
        """What was lacking has been put in: list it now."""
        state = self._page.state
        if state.for_jupyter and self._listed_for != state.run_id:
            self._listed_for = state.run_id
            self.register()

    def _registered(self, title: str) -> None:
        self._show(title=title)
        self.added.emit()

    def _not_registered(self, error: WizardError) -> None:
        if error.code == KERNEL_LACKS.code:
            self._plan()
        else:
            self.failed.emit(error)

    def _plan(self) -> None:
        prefix, session, package = Path(self._page.state.prefix), self._context.session, self.package
        self._aside.start(
            lambda is_cancelled, note: plan_kernel(session, prefix, package, is_cancelled),
            self._planned,
            self._not_planned,
        )
        self._show()

    def _planned(self, preview: Preview | None) -> None:
        if preview is None:  # somebody else was quicker
            self.put_away()
            self.register()
        else:
            self._show(preview)

    def _not_planned(self, error: WizardError) -> None:
        """Nobody typed the name of what is lacking, so that its spelling is no question."""
        self.put_away()
        if error.code == _NOT_THERE:
            error = WizardError(_NO_JUPYTER, details=error.details, name=error.params["name"])
        self.failed.emit(error)

    def _press(self) -> None:
        session, preview = self._context.session, self.preview
        if preview is not None:
            run_id = preview.plan.id
            self._aside.start(
                lambda is_cancelled, note: session.start(run_id), lambda answer: self._begun(preview), self.failed.emit
            )
        elif self.notebook:
            self._open_notebook()
        else:
            self._plan()

    def _open_notebook(self) -> None:
        prefix, api = Path(self._page.state.prefix), self._context.session.tools
        self._aside.start(
            lambda is_cancelled, note: api.open_notebook(prefix, is_cancelled), self._opened, self._not_opened
        )
        self._show_notebook(is_opening=True)
        self._page.announce(self.words)

    def _opened(self, notebook: Notebook) -> None:
        self._show_notebook(notebook)
        self._page.announce(self.address.words)

    def _not_opened(self, error: WizardError) -> None:
        self._show_notebook()
        self.failed.emit(error)

    def _stop_notebook(self) -> None:
        prefix, api = Path(self._page.state.prefix), self._context.session.tools
        self._aside.start(
            lambda is_cancelled, note: api.stop_notebook(prefix), lambda answer: self._stopped(), self.failed.emit
        )

    def _stopped(self) -> None:
        self._show_notebook()
        self.button.setFocus()
        self._page.announce(self._context.translator.say(NOTEBOOK_ENDED))

    def _show_notebook(self, notebook: Notebook | None = None, is_opening: bool = False) -> None:
        had_keys, self._is_opening = self.button.hasFocus(), is_opening
        self.address.show_notebook(notebook)
        self.retranslate()
        now = self.window().focusWidget()
        if is_opening:
            self._keys_at = now if had_keys else None
        elif self._keys_at is not None and now is self._keys_at:
            self.button.setFocus()

    def _begun(self, preview: Preview) -> None:
        run_id = preview.plan.id
        self._put_in = (run_id, sum(one.key in (_ADDED, _REPLACED) for one in preview.changes))
        self.put_away()  # it is the worker's now
        self._context.navigator.show_run(run_id, for_jupyter=True)

    def _show(self, preview: Preview | None = None, title: str = "") -> None:
        """`preview`: what would change; `title`: what Jupyter calls the kernel; neither: it is looked for."""
        self.preview, self._title = preview, title
        self._show_notebook()
        self.names.button.setChecked(False)
        self.setVisible(True)
        self.retranslate()
        if self.button.isVisible():
            self.button.setFocus()
            self._page.bring_into_view(self.button)
        else:
            self._page.bring_into_view(self._words, has_keys=False)
        self._page.announce(self.words)

    def stop(self) -> None:
        """Nobody waits for what is looked for any more."""
        self._aside.cancel()

    def put_away(self) -> Preview | None:
        """Hide it; return the plan that nobody has carried out, whose files are to go."""
        preview, self.preview, self._title = self.preview, None, ""
        self.setVisible(False)
        self.added.emit()
        return preview

    def retranslate(self) -> None:
        self.button.setVisible(bool(self._title or self.preview))
        self.button.setEnabled(not self._is_opening)
        self.names.setVisible(False)
        self.address.retranslate()
        if self._title:
            words = self.tr("Jupyter lists this environment as “%1”. Choose that kernel in your notebook.")
            if not self.notebook and self.has_editor:
                words = self.tr("VS Code lists this environment as “%1”. Open a notebook there and choose that kernel.")
            if self._is_opening:
                words = self.tr("Jupyter is starting. Its page opens in your browser.")
            self._words.setText(words.replace("%1", self._title))
            self.button.setText(self.tr("Op&en a notebook") if self.notebook else self.tr("Add Jupyter Not&ebook…"))
            self.button.setVisible(bool(self.notebook) or not self.has_editor)
        elif self.preview is None:
            words = self.tr("Looking for what Jupyter needs (%1)…")
            self._words.setText(words.replace("%1", self.package))
        else:
            self._show_changes(self.preview)

    def _show_changes(self, preview: Preview) -> None:
        further = self.names.show_changes(preview.changes)
        needs = self.tr("Jupyter needs the package %1, which is not in this environment.")
        if preview.plan.choices.extras == (NOTEBOOK_PACKAGE,):
            needs = self.tr("No Jupyter was found. The package %1 brings it.")
        kept = self.tr("PyTorch does not change. You can undo this under Environments.")
        needed = needs.replace("%1", self._context.translator.listed(preview.plan.choices.extras))
        self._words.setText("\n".join(filter(None, (needed, further, kept))))
        size = preview.download_bytes or 0
        words = self.tr("Add it no&w (downloads %1)") if size else self.tr("Add it no&w")
        self.button.setText(words.replace("%1", bytes_text(size)))
