"""Fields with a wish of their own: a long choice, a pasted text, a path, the limits of a download.

A drop-down whose chosen entry may be longer than it is: shortened in the middle, whole in the list.

One file: each is a few lines about one of Qt's own.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMimeData,
    QObject,
    QPoint,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QDragEnterEvent,
    QDropEvent,
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextLayout,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QApplication,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QWidget,
)

from wizard.compatibility.model import Choices
from wizard.gui.shell.theme import code_font, colour_now
from wizard.gui.widgets.labels import label, without_key

_RING, _ROUND = 2, 8  # pixels: the ring of the keys, as wide as it is far away, and its corners
_TEXTS = (QLineEdit, QPlainTextEdit)
_WORD = re.compile(r"[!-~]+|\S")  # which no line ends within; a Chinese sign is one by itself


def name_buttons(field: QLineEdit) -> None:
    """Qt gives those within a field no name: the one that empties it, and a sign at its beginning."""
    for each in field.findChildren(QToolButton):
        is_clear = each.defaultAction() is not None and "clear" in each.defaultAction().objectName()
        name = QCoreApplication.translate("Fields", "Clear") if is_clear else field.accessibleName()
        each.setAccessibleName(name)


# A box for pasted text that also takes a dropped file. Plain text only: a web page's colours stay outside.


def read_in_order(*widgets: QWidget) -> None:
    """Put them in the order in which they are seen: who hears a form gets its parts in the order of its children."""
    for widget in widgets:
        widget.raise_()


def tell_wrong(field: QWidget, words: str) -> None:
    """Mark a field, and say with it what is wrong; without words nothing is."""
    field.setProperty("wrong", bool(words))
    field.style().polish(field)
    if words and not field.property("usual"):
        field.setProperty("usual", field.accessibleDescription())
    field.setAccessibleDescription(words or field.property("usual") or field.accessibleDescription())
    if not words:
        field.setProperty("usual", None)


class ReturnField(QLineEdit):
    """Return presses the button of its form and goes no further: the window would press what has the focus by then."""

    def __init__(self, button: QAbstractButton, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._button = button

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the form's button answer, where it may be pressed."""
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()
            if self._button.isVisible() and not event.isAutoRepeat():
                self._button.click()


class LateButton(QPushButton):
    """A key presses it only once it has had the keys, and no press, for a moment: who pressed Return twice, or goes on
    pressing it, meant what was there."""

    is_late = True
    _since = 0.0  # seconds

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._since = time.monotonic()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_press = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        before, self._since = self._since, time.monotonic() if is_press else self._since
        if not (self.is_late and is_press) or 1000 * (self._since - before) > QApplication.doubleClickInterval():
            super().keyPressEvent(event)


class MainButton(LateButton):
    """The button that most people want: its ring stands off it, for beside its colour no line is seen."""

    is_late = False  # but where a page says so

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the button smaller while it has the keys, and the ring where its edge was."""
        if not self.hasFocus() or self.property("role") != "primary":
            super().paintEvent(event)
            return
        option, whole = QStyleOptionButton(), self.rect()
        self.initStyleOption(option)
        option.state &= ~QStyle.StateFlag.State_HasFocus  # whose line the style would draw at the edge
        off = 2 * _RING
        option.rect = whole.adjusted(off, off, -off, -off)
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButtonBevel, option)
        option.rect = whole  # else its words were cut
        painter.drawControl(QStyle.ControlElement.CE_PushButtonLabel, option)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour_now("text"), _RING))
        painter.drawRoundedRect(QRectF(whole).adjusted(1, 1, -1, -1), _ROUND, _ROUND)


class FoldButton(QPushButton):
    """Opens a fold. Its arrows go through what is too long to be seen at once: nothing in there takes the keys."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll while more of the fold lies on that side; then an arrow leads to the next control, as always."""
        steps = QAbstractSlider.SliderAction
        way = {Qt.Key.Key_Down: steps.SliderSingleStepAdd, Qt.Key.Key_Up: steps.SliderSingleStepSub}.get(event.key())  # type: ignore[call-overload]
        fold = area = self.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if way is None or fold is None or area is None or not self.isChecked():
            super().keyPressEvent(event)
            return
        room = area.viewport()
        top = fold.mapTo(room, QPoint(0, 0)).y()
        has_more = top < 0 if event.key() == Qt.Key.Key_Up else top + fold.height() > room.height()
        if has_more:
            area.verticalScrollBar().triggerAction(way)
        else:
            super().keyPressEvent(event)


class Tick(QCheckBox):
    """A box to tick whose words go on in another line: Qt's keeps them in one, and makes a narrow page wider."""

    _words = ""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def setText(self, words: str) -> None:
        self._words = words
        self.setAccessibleName(without_key(words))
        self._break()

    def text(self) -> str:
        return self._words

    def sizeHint(self) -> QSize:
        """Give the words a pixel more than Qt counts: lines end by parts of it."""
        wide = self.fontMetrics().horizontalAdvance(self._words) + 1
        return QSize(self._beside + wide, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        longest = max(map(self.fontMetrics().horizontalAdvance, _WORD.findall(self._words)), default=0)
        return QSize(self._beside + longest, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._break()

    @property
    def _beside(self) -> int:
        """Pixels of the box and of what stands around the words."""
        words = self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, super().text())
        return super().sizeHint().width() - words.width()

    def _break(self) -> None:
        laid, lines = QTextLayout(self._words, self.font()), []
        laid.beginLayout()
        while (line := laid.createLine()).isValid():
            line.setLineWidth(self.width() - self._beside)
            lines.append(self._words[line.textStart() : line.textStart() + line.textLength()].strip())
        laid.endLayout()
        if (words := "\n".join(lines)) != super().text():
            super().setText(words)


class PasteBox(QPlainTextEdit):
    dropped = Signal(object)  # list[Path]

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(code_font())
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setAcceptDrops(True)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Tell of files that are dropped; of text only its plain words are taken."""
        files = [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]
        if files:
            self.dropped.emit(files)
        else:
            self.insertPlainText(source.text())


# A field for a path: a folder or file that is dropped on it becomes its path. A plain field would take it as file://.


class PathField(QLineEdit):
    def start(self) -> str:
        """Return where a dialog opens: at what is typed, else at the nearest folder above it that is there."""
        from wizard.environment.naming import nearest_existing

        typed = os.path.expanduser(self.text().strip())  # noqa: PTH111 - the other raises for an unknown user
        return str(nearest_existing(Path.home() / typed))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _path(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Take the path of a dropped file or folder as if it had been typed."""
        path = _path(event.mimeData())
        if not path:
            super().dropEvent(event)
            return
        event.acceptProposedAction()
        self.selectAll()
        self.insert(path)  # as if it had been typed
        self.editingFinished.emit()


def _path(data: QMimeData) -> str:
    """Of exactly one; '' for anything else."""
    urls = data.urls()
    return str(Path(urls[0].toLocalFile())) if len(urls) == 1 and urls[0].isLocalFile() else ""


class AltLetters(QObject):
    """Keeps a letter typed with Alt out of the text: it is a shortcut's, also while the button that has it is grey."""

    def __init__(self, app: QApplication, parent: QObject) -> None:
        super().__init__(parent)
        app.focusChanged.connect(self._follow)

    def _follow(self, old: QWidget | None, now: QWidget | None) -> None:
        if isinstance(old, _TEXTS):
            old.removeEventFilter(self)
        if isinstance(now, _TEXTS):
            now.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take such a key away."""
        if not isinstance(event, QKeyEvent) or event.modifiers() != Qt.KeyboardModifier.AltModifier:
            return False
        return event.type() == QEvent.Type.KeyPress and event.text().isprintable() and bool(event.text())


class WholeChoice(QComboBox):
    """As wide as its longest entry, at least too: of that Qt keeps the width of the first entries that it had."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class Choice(QComboBox):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view().setTextElideMode(Qt.TextElideMode.ElideMiddle)

    def shown_text(self) -> str:
        """As much of the chosen entry as there is room for."""
        option = self._option()
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        return option.fontMetrics.elidedText(option.currentText, Qt.TextElideMode.ElideMiddle, room.width())

    def showPopup(self) -> None:
        """As wide as its longest entry, up to the window's edge."""
        least = self.view().sizeHintForColumn(0) + 2 * self.view().frameWidth() + 16
        room = self.window().width() - self.mapTo(self.window(), self.rect().topLeft()).x()
        self.view().setMinimumWidth(max(self.width(), min(least, room)))
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the box with its text cut in the middle where it is too long."""
        option = self._option()
        option.currentText = self.shown_text()
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def _option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return option


# How fast and with how many connections the download may go. Nothing said: no limit.

_MEGABYTE = 1_000_000
_FASTEST = 1000.0
_MOST = 16


class LimitsForm(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        self._texts = [QLabel(), QLabel()]
        self.rate, self.connections = QDoubleSpinBox(), QSpinBox()
        self.rate.setRange(0, _FASTEST)
        self.rate.setDecimals(1)
        self.rate.setSingleStep(1)
        self.rate.setSuffix(" MB/s")
        self.connections.setRange(0, _MOST)
        self._help = label("", "muted")
        for row, (text, field) in enumerate(zip(self._texts, (self.rate, self.connections), strict=True)):
            text.setBuddy(field)
            field.setMinimumWidth(150)
            field.lineEdit().setTextMargins(8, 0, 0, 0)  # a style sheet's padding does not reach the text in there
            grid.addWidget(text, row, 0)
            grid.addWidget(field, row, 1)
        grid.addWidget(self._help, 2, 0, 1, 3)
        grid.setColumnStretch(2, 1)

    def retranslate(self) -> None:
        words = (self.tr("At &most"), self.tr("Connections at &once"))
        for text, word, field in zip(self._texts, words, (self.rate, self.connections), strict=True):
            text.setText(word)
            field.setAccessibleName(without_key(word))
        self.rate.setSpecialValueText(self.tr("no limit"))
        self.connections.setSpecialValueText(self.tr("automatic"))
        self._help.setText(self.tr("In a classroom, a limit and fewer connections leave bandwidth for the others."))

    def show_choices(self, choices: Choices) -> None:
        """Show limits without telling anybody that they were changed."""
        for field, value in (
            (self.rate, (choices.limit_rate or 0) / _MEGABYTE),
            (self.connections, choices.connections or 0),
        ):
            blocker = QSignalBlocker(field)
            field.setValue(value)  # type: ignore[arg-type]
            del blocker

    def limits(self) -> tuple[int | None, int | None]:
        """Bytes a second and connections; None: not limited by the person."""
        rate = round(self.rate.value() * _MEGABYTE)
        return rate or None, self.connections.value() or None
