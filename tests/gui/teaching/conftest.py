"""A pack that was built once, a copy of it for each test, and windows that show the page "Class"."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.classroom.pack.classes import Class, make_class, publish
from tests.gui.conftest import MakeWindow
from tests.servers.fault_server import FaultServer
from wizard.app.pages.order import SideId
from wizard.classroom.pack.build import BuildOptions, build
from wizard.classroom.pack.make import wanted_of
from wizard.gui.shell.window import WizardWindow
from wizard.gui.tools.class_page import ClassPage
from wizard.transfer.download import Downloads


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Class, Path]:
    folder = tmp_path_factory.mktemp("class")
    with FaultServer() as origin:
        made = make_class(origin.root)
        publish(origin, made)
        build(wanted_of(made.file), folder / "pack", BuildOptions(), Downloads(folder / "own"))
    return made, folder / "pack"


@pytest.fixture
def pack(built: tuple[Class, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(built[1], tmp_path / "pack"))


@pytest.fixture(autouse=True)
def stay_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("wizard.classroom.server.announce", "wizard.classroom.server.share"):
        monkeypatch.setattr(f"{module}.own_addresses", lambda: ["127.0.0.1"])


@pytest.fixture
def page_of(make_window: MakeWindow, qtbot: QtBot) -> Iterator[object]:
    windows: list[WizardWindow] = []

    def make(language: str = "en") -> tuple[WizardWindow, ClassPage]:
        window = make_window(language)
        windows.append(window)
        window.side.open(SideId.CLASS)
        page = window.page
        assert isinstance(page, ClassPage)
        return window, page

    yield make
    for window in windows:
        window.serving.end()
