"""Verify: the result of the test as the headline, the single checks, and how to use the environment."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget

from wizard.errors import WizardError
from wizard.flow.afterwards import SNIPPET, use_line
from wizard.flow.report_view import CheckView, DiagnosisView, ReportView, read_report
from wizard.gui.desk import Desk
from wizard.gui.figures import seconds_text
from wizard.gui.pages.base import Page
from wizard.gui.parts.boxes import RowCard, box, column
from wizard.gui.parts.code_line import CodeLine
from wizard.gui.parts.labels import Pill, label, selectable
from wizard.gui.theme import code_font

_HEADLINE = "zeros"  # torch.zeros(1).cuda(): the one that everybody wants to know
_WORTH_SAYING = 0.05  # seconds
_STATES = {"ok": "ok", "warning": "warning", "failed": "problem", "skipped": "note"}


def check_word(state: str) -> str:
    words = {
        "failed": QCoreApplication.translate("TorchCheckState", "Failed"),
        "skipped": QCoreApplication.translate("TorchCheckState", "Skipped"),
    }
    return words.get(state, "")


class VerifyPage(Page):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._failure = box("error")
        lines = column(self._failure, (16, 14, 16, 14), 8)
        self._failure_pill = Pill("problem")
        self._cause, self._repair = label(""), label("")
        for line in (self._failure_pill, self._cause, self._repair):
            lines.addWidget(line)
        self._evidence = box("card")
        lines = column(self._evidence, (16, 12, 16, 12), 6)
        self._evidence_title, self._evidence_lines = label("", "heading"), selectable(label(""))
        self._evidence_lines.setFont(code_font())
        lines.addWidget(self._evidence_title)
        lines.addWidget(self._evidence_lines)
        self.first, self.rows = RowCard(4, 2), RowCard(4, 2)
        self._rest_title = label("", "heading")
        self._use_title, self._try_title = label("", "heading"), label("", "heading")
        self.use, self.snippet = CodeLine(), CodeLine(SNIPPET.rstrip())
        self.save, self.another = QPushButton(), QPushButton()
        self.save.clicked.connect(self._ask_where_to_save)
        self.another.clicked.connect(desk.navigator.restart)
        self.footer_left, self.footer_right = [self.save], [self.another]
        for widget in (
            self._failure, self._evidence, self.first, self._use_title, self.use, self._try_title, self.snippet,
            self._rest_title, self.rows,
        ):  # fmt: skip
            self.body.addWidget(widget)
        self.body.addStretch(1)

    def first_control(self) -> QWidget:
        return self.use.button

    def primary_text(self) -> str:
        return self.tr("&Finish")

    def may_press(self) -> bool:
        return not self.is_busy

    def may_back(self) -> bool:
        return False

    def press(self) -> None:
        self.window().close()

    def retranslate(self) -> None:
        self.save.setText(self.tr("&Save report…"))
        self.another.setText(self.tr("Set up &another"))
        self._evidence_title.setText(self.tr("Evidence"))
        self._rest_title.setText(self.tr("Other checks"))
        self._use_title.setText(self.tr("Use it"))
        self._try_title.setText(self.tr("Try it: runs on the card where there is one"))
        self.use.retranslate()
        self.snippet.retranslate()
        self.snippet.button.setAccessibleName(self.tr("Copy the first program"))

    def render_state(self) -> None:
        if self.state.report is None:
            return
        view = read_report(self.state.report)
        self._show_head(view)
        self._show_diagnosis(view.diagnosis if not view.ok or view.gpu_ok is False else None)
        first = [check for check in view.checks if check.name == _HEADLINE or check.state in ("failed", "warning")]
        rest = [check for check in view.checks if check not in first]
        for card, checks in ((self.first, first), (self.rows, rest)):
            card.clear()
            card.setVisible(bool(checks))
            for check in checks:
                self._add_row(card, check)
        self._rest_title.setVisible(bool(rest))
        has_conda = bool(self.state.facts and self.state.facts.machine.condas)
        self.use.show_code(use_line(self.state.prefix, view.engine, view.os, has_conda))

    def _show_head(self, view: ReportView) -> None:
        if view.ok:
            title = self.tr("It works")
        elif view.torch and view.gpu_ok is False:
            title = self.tr("PyTorch is installed, but cannot use the graphics card")
        else:
            title = self.tr("The test did not pass")
        self.set_head(title, self.say(view.headline))

    def _show_diagnosis(self, diagnosis: DiagnosisView | None) -> None:
        self._failure.setVisible(diagnosis is not None)
        self._evidence.setVisible(bool(diagnosis and diagnosis.evidence))
        if diagnosis is None:
            return
        self._failure_pill.show_state("problem", self.tr("Why"))
        self._cause.setText(self.tr("Cause: %1").replace("%1", self.say(diagnosis.cause)))
        self._repair.setText(self.tr("Repair: %1").replace("%1", self.say(diagnosis.repair)))
        self._repair.setVisible(diagnosis.repair is not None)
        self._evidence_lines.setText("\n".join(diagnosis.evidence))

    def _add_row(self, card: RowCard, check: CheckView) -> None:
        name = self.desk.voice.name(f"verify.name.{check.name}", check.name)
        pill = Pill(_STATES.get(check.state, "note"), check_word(check.state))
        pill.setAccessibleName(f"{name}: {pill.accessibleName()}")
        seconds = check.seconds if check.seconds is not None and check.seconds >= _WORTH_SAYING else None
        took = label(seconds_text(seconds) if seconds is not None else "", "muted", wrap=False)
        card.add_row(pill, label(name, "strong", wrap=False), label(self.say(check.message)), took, tight=True)

    # -- the report as a file

    def _ask_where_to_save(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(
            self, self.tr("Save report"), str(Path.home() / "torch-setup-report.json"), "JSON (*.json)"
        )
        if chosen:
            self.save_to(Path(chosen))

    def save_to(self, path: Path) -> None:
        text = json.dumps(dict(self.state.report or {}), indent=1, ensure_ascii=False)

        def write() -> None:
            try:
                path.write_text(text + "\n", encoding="utf-8")
            except OSError as error:
                raise WizardError("window-not-saved", details=str(error), path=str(path)) from error

        self.errand("", lambda is_cancelled, note: write(), lambda answer: None)
