"""Text: labels with a role for the style sheet, and pills that say a state as sign, word and colour.

One file: what is shown of words, and the room that they are given.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QLabel, QMenu, QSizePolicy, QWidget

SPOKEN_AS = "spoken"  # property: "list", "item", "heading" or "advice" for a screen reader
SIGNS = {"ok": "✓", "note": "•", "warning": "!", "problem": "✕"}


BREAK = "\u200b"  # of no width; a line may end there
JOINT = "\u2060"  # of no width; no line may end there
_FIRST_SLASH = re.compile(r"(?:(?<!\S)|:/)/(?=\S)")

_TAG = re.compile(r"(<[^<>]*>)")
_LONG_WORD = re.compile(r"\S{31,}")
_UNBROKEN = re.compile(r"[!-~]+")  # a Chinese sentence may end its line anywhere
_PATH = re.compile(r"(?:(?<![!-~])/|\b[A-Za-z]:\\)[!-~]*(?: [!-~]+[/\\][!-~]*)*")  # one with blanks, too
_LEAST_PATH = 90  # pixels: of fewer nobody knows it again
_MAY_END = re.compile(r"[_@&]|=(?!=)|[^\W_]{24}(?=[^\W_])", re.ASCII)
_OF_REPOSITORY = re.compile(r"\b(?:git|hg|svn|bzr)\+[!-~]+")  # git+https://git.example/diffusers.git
_IN_IT = re.compile(r"[+.:/@_-](?=\w)|\w{12}(?=\w)", re.ASCII)
_PINNED = re.compile(r"(?<=[^\s=]==)(?=[^\s=])")  # torch==2.14.1+cu126


def may_end_lines(words: str) -> str:
    """Also a path of Windows ends a line: Qt knows no break after its backslashes, and cut off what did not fit. No
    line ends behind the first slash of a path, or behind https://.
    A word that is longer than many a line may end it behind its underscores and the like, and within a hash; any pin
    before its version, and the address of a repository behind each of its signs."""
    words = _OF_REPOSITORY.sub(lambda found: _IN_IT.sub(lambda end: end[0] + BREAK, found[0]), words)
    words = _LONG_WORD.sub(lambda found: _MAY_END.sub(lambda end: end[0] + BREAK, found[0]), words)
    words = _PINNED.sub(BREAK, words)
    return _FIRST_SLASH.sub(lambda found: found[0] + JOINT, words.replace("\\", f"\\{BREAK}"))


def _between_tags(rich: str) -> str:
    """Chinese has no blanks: a tag there is a part of a long word, and a sign within it would break its link."""
    parts = _TAG.split(rich)
    parts[::2] = [html.escape(may_end_lines(html.unescape(part)), quote=False) for part in parts[::2]]
    return "".join(parts)


class Wrapped(QLabel):
    """What is copied is the words without the signs of no width."""

    _words = ""
    _plain = ""

    def setText(self, words: str) -> None:
        self._words = words
        is_rich = self.textFormat() == Qt.TextFormat.RichText
        super().setText(_between_tags(words) if is_rich else may_end_lines(words))
        self.say_plainly()

    def say_plainly(self) -> None:
        """Let a screen reader have the words without the signs, which it would stumble over."""
        has_signs = super().text() != self._words and self.textFormat() != Qt.TextFormat.RichText
        if has_signs or self.accessibleName() == self._plain:  # else somebody gave it another name
            self._plain = self._words if has_signs else ""
            self.setAccessibleName(self._plain)

    def text(self) -> str:
        return self._words

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """As Qt's own, which would copy the breaks."""
        if self.hasSelectedText():
            menu = QMenu(self)
            menu.addAction(QCoreApplication.translate("QWidgetTextControl", "&Copy"), self._copy)
            menu.exec(event.globalPos())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.selectedText().replace(BREAK, "").replace(JOINT, ""))


class Roomy(Wrapped):
    """Words that others stand in for at times, which need more lines: what lies below does not move then."""

    def __init__(self, role: str) -> None:
        super().__init__()
        self._longest = label("", role, self)
        self._longest.hide()
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setMinimumWidth(40)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)

    def keep_room(self, words: str) -> None:
        """Be at least as high as these words."""
        if words != self._longest.text():
            self._longest.setText(words)
            self.updateGeometry()

    def heightForWidth(self, width: int) -> int:
        return max(super().heightForWidth(width), self._longest.heightForWidth(width))


class OneLine(QLabel):
    """Words that stay on one line: what does not fit is left out in its middle, and told by a tool tip and a reader."""

    def __init__(self, role: str = "") -> None:
        super().__init__()
        self._words = ""
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def setText(self, words: str) -> None:
        self._words = words
        self._fit()

    def text(self) -> str:
        return self._words

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        shown = self._cut(self._words)
        super().setText(shown)
        is_whole = shown == self._words
        self.setToolTip(plain_tip("" if is_whole else self._words))
        self.setAccessibleName("" if is_whole else self._words)

    def _cut(self, words: str) -> str:
        return self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, self.width())


class Turned(OneLine):
    """Words that go on in another line. A path is left out in its middle for the words to stay on one, and where it
    alone is longer than a line."""

    def __init__(self, role: str = "") -> None:
        super().__init__(role)
        self.setWordWrap(True)

    def _cut(self, words: str) -> str:
        paths, wide = _PATH.findall(words), self.fontMetrics().horizontalAdvance
        if len(paths) == 1 and (room := self.width() - wide(words.replace(paths[0], ""))) >= _LEAST_PATH:
            mid = Qt.TextElideMode.ElideMiddle
            words = words.replace(paths[0], self.fontMetrics().elidedText(paths[0], mid, room))
        return _UNBROKEN.sub(lambda found: super(Turned, self)._cut(found[0]), words)


def label(
    words: str = "",
    role: str = "",
    parent: QWidget | None = None,
    wrap: bool = True,
    spoken_as: str = "",
    kind: type[Wrapped] = Wrapped,
) -> QLabel:
    """Return a label that never takes its words for HTML; `role` is for the style sheet. What it is for a screen reader
    stands before its words come: these are told at once, and then Qt keeps what it was."""
    made = kind(parent) if wrap else QLabel(parent)
    if role:
        made.setProperty("role", role)
    if spoken_as:
        made.setProperty(SPOKEN_AS, spoken_as)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setText(words)
    made.setWordWrap(wrap)
    if wrap:
        made.setMinimumWidth(40)
        policy = made.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.MinimumExpanding if role == "fill" else policy.horizontalPolicy())
        made.setSizePolicy(policy)
    return made


def selectable(made: QLabel) -> QLabel:
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def plain_tip(words: str) -> str:
    """Return what a tool tip shows as just these words: Qt takes a text that looks like HTML for HTML, and the name of
    a computer or a folder is somebody else's."""
    if "<" not in words and "&" not in words:
        return words
    return f"<span>{html.escape(words, quote=False).replace(chr(10), '<br>')}</span>"


def _is_chinese(words: Iterable[str]) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for part in words for letter in part)


_KEY = re.compile(r"\s?\(&\w\)|&(&?)")  # 软件包(&P), Pac&kages; && is the sign itself


def without_key(words: str) -> str:
    """Return the words of a control without its key letter, which Chinese has in brackets of its own."""
    return _KEY.sub(r"\1", words)


def told_of(name: str, words: str) -> str:
    """Return what is told of a thing as one line to be heard."""
    return f"{name}：{words}" if _is_chinese((name, words)) else f"{name}: {words}"


def spoken(parts: Iterable[str]) -> str:
    """Return parts of a row as one line to be heard: a sentence that has ended needs no comma after it."""
    said = list(parts)
    comma, space = ("，", "") if _is_chinese(said) else (", ", " ")
    whole = "".join(part + (space if part.endswith((".", "。", "…", "!", "！")) else comma) for part in said)
    return whole.rstrip(" ,，")


def in_a_row(*sentences: str) -> str:
    """Return sentences one after the other: no blank stands behind a Chinese full stop."""
    said = [one for one in sentences if one]
    return "".join(one if one.endswith(("。", "！", "？")) else f"{one} " for one in said).strip()


def restyle(widget: QWidget) -> None:
    """Qt looks at a dynamic property only when the widget is polished again."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def dress(widget: QWidget, role: str) -> None:
    """Give a widget that is shown already another look, if it is another."""
    if (widget.property("role") or "") != role:
        widget.setProperty("role", role)
        restyle(widget)


def state_word(state: str) -> str:
    """Return the word for a state in the language of the window."""
    words = {
        "ok": QCoreApplication.translate("Pill", "OK"),
        "note": QCoreApplication.translate("Pill", "Note"),
        "warning": QCoreApplication.translate("Pill", "Warning"),
        "problem": QCoreApplication.translate("Pill", "Problem"),
    }
    return words.get(state, state)


class Pill(QLabel):
    """A state: never by colour alone. `word` replaces the usual word."""

    def __init__(self, state: str = "note", word: str = "", parent: QWidget | None = None, spoken_as: str = "") -> None:
        super().__init__(parent)
        if spoken_as:
            self.setProperty(SPOKEN_AS, spoken_as)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.show_state(state, word)

    def show_state(self, state: str, word: str = "") -> None:
        """Show a state as sign, word and colour; screen readers get the word alone."""
        word = word or state_word(state)
        self.setText(f"{SIGNS.get(state, '•')} {word}")
        self.setAccessibleName(word)
        if self.property("pill") != state:
            self.setProperty("pill", state)
            restyle(self)


def put_words(widget: QLabel, words: str) -> None:
    """Setting the same text again would still lay the page out anew."""
    if widget.text() != words:
        widget.setText(words)


def keep_room(widget: QWidget, is_kept: bool = True) -> None:
    """Hidden, it leaves its room empty."""
    policy = widget.sizePolicy()
    if policy.retainSizeWhenHidden() is not is_kept:
        policy.setRetainSizeWhenHidden(is_kept)
        widget.setSizePolicy(policy)


def keep_line(*shown: QLabel) -> None:
    """Empty, they are as high as with words, whose height Qt rounds up."""
    for one in shown:
        one.ensurePolished()
        one.setMinimumHeight(one.fontMetrics().height() + 1)


def least_width(widget: QWidget) -> int:
    """Return the pixels that a layout gives it at least (Qt's qSmartMinSize)."""
    policy, least = widget.sizePolicy().horizontalPolicy(), widget.minimumSizeHint().width()
    if policy is QSizePolicy.Policy.Ignored:
        least = 0
    elif not policy.value & QSizePolicy.PolicyFlag.ShrinkFlag.value:
        least = max(least, widget.sizeHint().width())
    return widget.minimumWidth() or min(least, widget.maximumWidth())
