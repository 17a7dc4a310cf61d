"""A field for a path: a folder or file that is dropped on it becomes its path. A plain field would take it as file://."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QLineEdit


class PathField(QLineEdit):
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _path(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
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
