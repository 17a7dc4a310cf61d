"""The language of the window, switched live: labels and messages are of one catalogue (`model.catalogue`)."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTranslator, Signal
from PySide6.QtWidgets import QApplication

from wizard.gui.widgets.commands import plain
from wizard.model.catalogue import translate
from wizard.model.marks import in_window
from wizard.model.messages import Words, catalogue, joined, listed, text

LANGUAGE_NAMES = {"en": "English", "zh_CN": "简体中文"}
_FILE_DIALOG = ("QFileDialog", "QAbstractFileIconProvider")
_LOG = logging.getLogger(__name__)


class _Labels(QTranslator):
    """What `tr` asks: the catalogue. A context is the class that a label is of."""

    def __init__(self, parent: QObject, language: str, theirs: QTranslator) -> None:
        super().__init__(parent)
        self._language, self._theirs = language, theirs

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, source: str, disambiguation: str | None = None, count: int = -1) -> str | None:
        """Return None where nobody has words. Qt's own are asked before, but for what its file dialog says by another
        name than its catalogue: with a key, or of another class."""
        found = translate(source, self._language, context)
        if found == source and context in _FILE_DIALOG:
            return self._theirs.translate(_FILE_DIALOG[0], source.replace("&", ""), "") or None
        return found if found != source else None


class Translator(QObject):
    changed = Signal()

    def __init__(self, app: QApplication, language: str) -> None:
        super().__init__(app)
        self._app = app
        self._language = ""
        self._translators: list[QTranslator] = []
        self._loaded: dict[str, list[QTranslator]] = {}
        self.set_language(language)

    @property
    def language(self) -> str:
        return self._language

    def set_language(self, language: str) -> None:
        """Let Qt and our own words speak this language from now on; who shows words is told by the window."""
        if language == self._language:
            return
        self._language = language
        for translator in self._translators:
            self._app.removeTranslator(translator)
        if language != "en" and language not in self._loaded:
            self._loaded[language] = self._load(language)
        self._translators = self._loaded.get(language, [])
        for translator in self._translators:
            self._app.installTranslator(translator)
        QLocale.setDefault(QLocale(language))
        self.changed.emit()

    def _load(self, language: str) -> list[QTranslator]:
        """Ours, and Qt's (the words of its file dialog)."""
        theirs = QTranslator(self)
        is_there = theirs.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
        return [_Labels(self, language, theirs), *([theirs] if is_there else [])]

    def name(self, key: str, fallback: str) -> str:
        """For names that the catalogue may know (`verify.name.matmul`)."""
        return catalogue(self._language).get(key, fallback)

    def join(self, sentences: Iterable[str]) -> str:
        return joined(sentences, self._language)

    def listed(self, names: Iterable[str]) -> str:
        """Return names as a list within a sentence."""
        return listed(names, self._language)

    def say(self, message: Words | None) -> str:
        """The sentence, for where nothing can lie below it."""
        return plain(self.signed(message))

    def signed(self, message: Words | None) -> str:
        """The sentence with signs around commands and pages, as `Advice` shows it; a message that has no entry shows
        its key and is logged, for a window must not fall over it."""
        if message is None:
            return ""
        try:
            return text(message, self._language, in_window)
        except (KeyError, IndexError, ValueError):
            _LOG.warning("no words for %r in %s", message, self._language)
            return message if isinstance(message, str) else message.key
