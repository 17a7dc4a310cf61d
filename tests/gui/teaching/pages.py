"""Shared by the tests of the page: what it says, a pack opened in it, and results handed in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.classroom.pack.classes import Class
from tests.classroom.server.test_room import told
from tests.gui.walking import visible
from wizard.classroom.results.certificate import Certificate, write_into
from wizard.gui.shell.window import WizardWindow
from wizard.gui.tools.class_page import ClassPage

LONG = 60_000  # milliseconds: a limit for a hang, not a speed


def said(window: WizardWindow) -> str:
    return "\n".join(one.text() for one in visible(window, QLabel) if isinstance(one, QLabel))


def opened(qtbot: QtBot, page: ClassPage, pack: Path) -> None:
    page.open_pack(pack)
    qtbot.waitUntil(lambda: page.room.room is not None, timeout=LONG)


def reported(pack: Path, *values: Certificate) -> None:
    for value in values:
        write_into(pack / "results", value)


def of_pack(built: tuple[Class, Path], number: int, **more: object) -> Certificate:
    value = told(number, profile=built[0].file.sha256, **more)  # type: ignore[arg-type]
    return replace(value, machine=f"{number:08x}" * 4)
