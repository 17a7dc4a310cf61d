"""Review: all that will happen, in words and exact bytes. Nothing has happened before this page's button."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from wizard.gui.desk import Desk
from wizard.gui.figures import bytes_text, exact_bytes_text
from wizard.gui.pages.base import Page
from wizard.gui.parts.boxes import RowCard, box, column, empty
from wizard.gui.parts.code_line import CodeLine
from wizard.gui.parts.fold import Fold
from wizard.gui.parts.labels import label
from wizard.session.model import Election, Preview


class ReviewPage(Page):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._head = box("chosen")
        lines = column(self._head, (16, 14, 16, 14), 6)
        self._build, self._bytes = label("", "big"), label("")
        self._changes = column(gap=4)
        lines.addWidget(self._build)
        lines.addWidget(self._bytes)
        lines.addLayout(self._changes)
        self._commands = column(gap=8)
        self._commands_title = label("", "heading")
        self.files = Fold()
        self._file_rows = RowCard(3, 0)
        self._file_rows.setProperty("role", "fold")
        self.files.body.setContentsMargins(0, 0, 0, 0)
        self.files.body.addWidget(self._file_rows)
        self.copy = QPushButton()
        self.copy.clicked.connect(self._copy)
        self.footer_left = [self.copy]
        self.body.addWidget(self._head)
        self.body.addWidget(self.files)
        self.body.addWidget(self._commands_title)
        self.body.addLayout(self._commands)
        self.body.addStretch(1)

    def enter(self) -> None:
        if self.state.preview is None:
            self._prepare()

    def leave(self) -> None:
        self.cancel_errand()

    def first_control(self) -> QWidget:
        return self.files.button if self.state.preview else self.copy

    def primary_text(self) -> str:
        return self.tr("&Install")

    def retranslate(self) -> None:
        self.set_head(self.tr("What will happen"), self.tr("Nothing has been changed so far. Install begins."))
        self.copy.setText(self.tr("&Copy commands"))
        self._commands_title.setText(self.tr("The same by hand"))

    def render_state(self) -> None:
        preview = self.state.preview
        for widget in (self._head, self.files, self._commands_title):
            widget.setVisible(preview is not None)
        self.copy.setEnabled(preview is not None)
        empty(self._changes)
        empty(self._commands)
        self._file_rows.clear()
        if preview:
            self._show(preview)

    def _show(self, preview: Preview) -> None:
        plan, lock = preview.plan, preview.lock
        self._build.setText(
            " • ".join((f"torch {plan.candidate.torch}+{plan.candidate.variant}", f"Python {plan.python}"))
        )
        total = lock.total_bytes
        if total is None:
            words = self.tr("%1 files; the sources do not say how large they all are.")
            self._bytes.setText(words.replace("%1", str(len(lock.files))))
        else:
            words = self.tr("To download: %1 in %2 files (%3).").replace("%2", str(len(lock.files)))
            self._bytes.setText(words.replace("%1", bytes_text(total)).replace("%3", exact_bytes_text(total)))
        for change in (*preview.changes, *plan.notices):
            self._changes.addWidget(label(f"•  {self.say(change)}"))
        self.files.show_words(self.tr("&Files: %1, each with its SHA-256").replace("%1", str(len(lock.files))))
        for file in sorted(lock.files, key=lambda one: -(one.size or 0)):
            size = bytes_text(file.size) if file.size is not None else "?"
            name, digest = label(f"{file.name} {file.version}"), label(f"{file.sha256[:12]}…", "muted", wrap=False)
            self._file_rows.add_row(name, digest, label(size, wrap=False), tight=True)
        for command in preview.commands:
            self._commands.addWidget(CodeLine(command))

    # -- the plan

    def _prepare(self) -> None:
        state, session = self.state, self.desk.session
        facts, choices, election = state.facts, state.choices, state.election
        if facts is None:
            return
        if election is None or state.election_is_stale:
            self.errand(
                self.tr("Asking the sources again for the other engine…"),
                lambda is_cancelled, note: session.elect(facts, choices, note, is_cancelled),
                self._elected,
            )
            return
        self.errand(
            self.tr("Resolving: choosing the exact files and asking for their sizes…"),
            lambda is_cancelled, note: session.preview(facts, choices, election, is_cancelled),
            self.desk.navigator.put_preview,
        )

    def _elected(self, election: Election) -> None:
        self.desk.navigator.put_election(election)
        self._prepare()

    # -- the button

    def press(self) -> None:
        preview = self.state.preview
        if preview is None:
            return
        run_id = preview.plan.id
        self.errand(
            self.tr("Starting…"),
            lambda is_cancelled, note: self.desk.session.start(run_id),
            lambda answer: self.desk.navigator.show_run(run_id),
        )

    def _copy(self) -> None:
        preview = self.state.preview
        if preview:
            QGuiApplication.clipboard().setText("\n".join(preview.commands))
