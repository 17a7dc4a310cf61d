"""Garbage that Qt has to do with is collected by the window's thread, however busy the others are."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from tests import gallery, gallery_side
from wizard.gui.startup.app import Collecting


class _Cycle:
    def __init__(self, ended_in: list[int]) -> None:
        self._self, self._ended_in = self, ended_in

    def __del__(self) -> None:
        self._ended_in.append(threading.get_ident())


def make_many(ended_in: list[int]) -> None:
    for _ in range(20_000):
        _Cycle(ended_in)


def test_only_the_windows_thread_collects(qtbot: QtBot) -> None:
    gc.enable()
    gc.unfreeze()  # what pytest collected
    parent, ended_in = QObject(), list[int]()
    collecting = Collecting(parent)
    try:
        qtbot.waitUntil(lambda: gc.get_freeze_count() > 0)
        thread = threading.Thread(target=make_many, args=(ended_in,))
        thread.start()
        thread.join()
        assert ended_in == []
        qtbot.waitUntil(lambda: len(ended_in) == 20_000)
        assert set(ended_in) == {threading.get_ident()}
    finally:
        collecting.stop()
    assert gc.get_freeze_count() == 0
    assert not gc.isenabled()  # a thread that outlives the window must not begin


@pytest.mark.usefixtures("qtbot")
def test_the_gallery_collects_as_the_program_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight windows one after the other: what is left of one is garbage while the tasks of the next are at work."""
    found: list[bool] = []

    class Walk:
        def __init__(self, *given: object) -> None: ...

        def go(self) -> None:
            found.append(gc.isenabled())

    monkeypatch.setattr(gallery, "_Walk", Walk)
    monkeypatch.setattr(gallery_side, "SideWalk", Walk)
    gc.enable()
    gallery.draw(tmp_path)
    assert found == [False] * 8
