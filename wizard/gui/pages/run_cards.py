"""Welcome's cards: a setup that is running or was left unfinished, a plan that was opened, a build that was replaced.

They show a value and offer one or two ways on; what a way does is the page's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QPushButton

from wizard.gui.figures import variant_text
from wizard.gui.parts.boxes import box, column, line_up
from wizard.gui.parts.labels import Pill, label

if TYPE_CHECKING:
    from wizard.session.model import RunInfo

Way = tuple[str, Callable[[], None]]


def run_name(run: RunInfo) -> str:
    return f"{PurePath(run.prefix).name} (torch {run.torch}, {variant_text(run.variant)})"


def card(state: str, word: str, words: str, about: str, name: str, ways: Sequence[Way]) -> QFrame:
    """`name`: what the buttons are about, for who hears them only."""
    made = box("card")
    rows = column(made, (18, 12, 18, 12), 6)
    head = line_up()
    pill = Pill(state, word)
    pill.setAccessibleName(f"{name}: {word}")
    head.addWidget(pill)
    head.addStretch(1)
    rows.addLayout(head)
    rows.addWidget(label(words, "heading"))
    if about:
        rows.addWidget(label(about, "muted"))
    buttons = line_up()
    for text, way in ways:
        button = QPushButton(text)
        button.setAccessibleName(f"{text.split('(')[0].replace('&', '')}: {name}")
        button.clicked.connect(lambda checked=False, way=way: way())
        buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
    buttons.addStretch(1)
    if ways:
        rows.addLayout(buttons)
    return made
