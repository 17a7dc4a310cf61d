"""What is shown while the program chooses by itself: a tick and a few words for each choice.

It stands in front of the pages that are pressed one after another (`shell/auto_advance.py`) and asks nothing.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QLabel, QPushButton, QWidget

from wizard.app.pages.order import ORDER, PageId
from wizard.app.pages.sources import rows_of
from wizard.gui.pages.base import Page
from wizard.gui.shell.context import AppContext
from wizard.gui.widgets.commands import page_name
from wizard.gui.widgets.figures import rate_text, variant_text
from wizard.gui.widgets.frames import box, line_up
from wizard.gui.widgets.icons import IconView, Sign
from wizard.gui.widgets.labels import SPOKEN_AS, label, spoken, told_of
from wizard.run.plan.place import DEFAULT_NAME

_ROW, _SIDE = 64, 24  # pixels: of a row, and beside its parts
_WIDE = 700  # pixels of a page in which what was chosen and what is said of it stand side by side
_SHOWN = {PageId.BUILD: "gpu", PageId.SOURCE: "download", PageId.PLACE: "folder", PageId.REVIEW: "file-check"}


class ChoosingPage(Page):
    """What is being chosen, a tick each. It asks nothing; the one button leads to choosing by hand."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.myself = QPushButton()
        self.myself.clicked.connect(lambda: context.navigator.go_to(PageId.BUILD))
        self.footer_right = [self.myself]
        self._rows: dict[PageId, tuple[Sign, QLabel, QLabel, QLabel]] = {}
        self._both: list[QBoxLayout] = []
        self._card = card = box("info")
        card.setProperty(SPOKEN_AS, "list")
        card.setProperty("keys", True)
        card.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        grid = QGridLayout(card)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        grid.setColumnStretch(1, 1)
        for number, (page, icon) in enumerate(_SHOWN.items()):
            mark, name = Sign("", 24), label("", "muted", wrap=False)
            value, note = label("", "strong", spoken_as="item"), label("", "muted", wrap=False)
            value.setContentsMargins(_SIDE, 0, _SIDE, 0)
            both = line_up(gap=0)
            both.addStretch()
            both.addWidget(value)
            both.addWidget(note)
            both.addStretch()
            self._both.append(both)
            line = line_up(None, (_SIDE, 0, 0, 0), 18)
            for cell in (mark, IconView(icon, 20), name):
                line.addWidget(cell)
            grid.addLayout(line, 2 * number, 0)
            grid.addLayout(both, 2 * number, 1)
            if number:
                grid.addWidget(box("line"), 2 * number - 1, 0, 1, 2)
            grid.setRowMinimumHeight(2 * number, _ROW)
            self._rows[page] = (mark, name, value, note)
        self._middle = middle = line_up()
        middle.addStretch(1)
        middle.addWidget(card, 6)
        middle.addStretch(1)
        self._title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._sheet_rows.insertStretch(0, 1)
        self.body.addSpacing(12)
        self.body.addLayout(middle)
        self.body.addStretch(1)
        self._sheet_rows.setStretchFactor(self.body, 5)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """By its own width alone, so that the first picture stands as the last one."""
        super().resizeEvent(event)
        is_wide, ways = self.width() >= _WIDE, QBoxLayout.Direction
        for place in (0, 2):
            self._middle.setStretch(place, int(is_wide))
        for both in self._both:
            both.setDirection(ways.LeftToRight if is_wide else ways.TopToBottom)
            for place, stretch in enumerate((0, 1, 0, 0) if is_wide else (1, 0, 0, 1)):
                both.setStretch(place, stretch)
        end = Qt.AlignmentFlag.AlignRight if is_wide else Qt.AlignmentFlag.AlignLeft
        for _, _, _, note in self._rows.values():
            note.setContentsMargins(0 if is_wide else _SIDE, 0, _SIDE, 0)
            note.setAlignment(end | Qt.AlignmentFlag.AlignVCenter)

    def first_control(self) -> QWidget:
        """The keys are seen where the ticks come. The button would be pressed by the second Return of a quick hand."""
        return self._card

    def primary_text(self) -> str:
        return ""

    def may_press(self) -> bool:
        return False

    def may_back(self) -> bool:
        return False

    def retranslate(self) -> None:
        self.set_head(self.tr("Choosing…"), "")  # Check has said that nothing is installed
        self._card.setAccessibleName(self.title)
        self.myself.setText(self.tr("Choose ver&sions"))
        self.myself.setAccessibleDescription(self.tr("Stops here, so that you choose the version, source and folder."))

    def render_state(self) -> None:
        now = ORDER.index(self.context.navigator.page)
        chosen = self._chosen()
        for page, (mark, name, value, note) in self._rows.items():
            place = ORDER.index(page)
            state = "done" if place < now or (page is PageId.REVIEW and self.state.preview) else "later"
            if place == now and state != "done":
                state = "now"
            words_of = chosen.get(page, ("", "")) if state == "done" else ("", "")
            mark.show_state({"done": "ok", "now": "running"}.get(state, ""))
            words = {"done": self.tr("done"), "now": self.tr("in progress"), "later": self.tr("not yet")}
            told = told_of(page_name(page), words[state])
            mark.setAccessibleName(told)
            name.setText(page_name(page))
            value.setText(words_of[0])
            is_said = state == "now" and place == now  # once, where the looking is
            note.setText(self.tr("checking…") if is_said else words_of[1])
            note.setVisible(bool(note.text()))
            value.setAccessibleName(spoken(filter(None, (told, *words_of))))

    def _chosen(self) -> dict[PageId, tuple[str, str]]:
        state = self.state
        found: dict[PageId, tuple[str, str]] = {}
        if state.selected is not None:  # what the tables propose is told when a source has answered that it has it
            build = state.selected.candidate
            words = f"torch {build.torch} + {variant_text(build.variant)}"
            found[PageId.BUILD] = (words, self.tr("fits") if build.fits and build.variant != "cpu" else "")
            source = state.selected.torch_source
            rates = [one.rate for one in rows_of(state.selected) if "torch" in one.uses and one.rate]
            found[PageId.SOURCE] = (self.say(source.label), rate_text(rates[0]) if rates else "")
        if state.place is not None:
            place = state.choices.prefix or str(self.context.session.environments_dir() / DEFAULT_NAME)
            found[PageId.PLACE] = (place, "")
        return found
