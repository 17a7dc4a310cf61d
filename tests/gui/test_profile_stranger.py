"""A class profile from a stranger in the window: each host is named, and nothing goes on before each has its yes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QCheckBox
from pytestqt.qtbot import QtBot

from tests.app.values import run_info
from tests.classroom.pack.classes import Class, make_class, publish, with_share
from tests.classroom.profile.examples import entry, profile
from tests.classroom.profile.known import list_hosts_of
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.fake_tools import FakeTools
from tests.gui.test_profile import button, opened, said
from tests.gui.walking import mnemonics, press, settle, typed, visible
from tests.servers.fault_server import FaultServer
from tests.servers.raw_server import RawServer
from wizard.app.pages.order import PageId
from wizard.classroom.code import code_of
from wizard.classroom.pack.build import BuildOptions, build
from wizard.classroom.pack.make import wanted_of
from wizard.classroom.profile.hosts import ForeignHost, foreign_hosts
from wizard.classroom.profile.keys import check_signature, sign_profile
from wizard.classroom.profile.read import read_profile
from wizard.classroom.profile.signature import new_key, signature_path
from wizard.classroom.profile.write import profile_text
from wizard.classroom.server.share import serve_on
from wizard.gui.pages.welcome.page import WelcomePage
from wizard.gui.shell.window import WizardWindow
from wizard.model.messages import LANGUAGES
from wizard.transfer.download import Downloads

LONG = 60_000  # milliseconds: a limit for a hang, not a speed


def boxes(window: WizardWindow) -> dict[str, QCheckBox]:
    return {one.accessibleName(): one for one in visible(window, QCheckBox) if isinstance(one, QCheckBox)}


def tick(qtbot: QtBot, box: QCheckBox) -> None:
    """Press on its sign: beside the words a click is none."""
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(10, box.height() // 2))


def of_a_stranger(tmp_path: Path) -> Path:
    """torch from one host, numpy from two."""
    lock = entry("linux", "cu126")
    numpy, torch = lock.files
    numpy = replace(numpy, urls=(*numpy.urls, f"https://second.example/{numpy.filename}"))
    torch = replace(torch, urls=(f"https://evil.example/{torch.filename}",))
    path = tmp_path / "lesson.torchlab"
    path.write_text(profile_text(profile(replace(lock, files=(numpy, torch)))), encoding="utf-8")
    return path


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_double_click_alone_leads_nowhere(
    language: str, qtbot: QtBot, make_window: MakeWindow, side: FakeTools, tmp_path: Path
) -> None:
    window = make_window(language)
    opened(qtbot, window, of_a_stranger(tmp_path))
    qtbot.waitUntil(lambda: len(boxes(window)) == 3)
    assert [next(host for host in HOSTS if host in text) for text in boxes(window)] == list(HOSTS)
    assert "evil.example: torch" in said(window).replace("\u200b", "").replace("：", ": ")
    letters = [letter for letter, _ in mnemonics(window)]
    assert len(letters) == len(set(letters)), sorted(mnemonics(window))
    go = button(window, "(&D)" if language == "zh_CN" else "&does")
    for box in boxes(window).values():
        assert not go.isEnabled()
        assert not box.isChecked()
        assert box.accessibleDescription()
        tick(qtbot, box)
    assert go.isEnabled()
    tick(qtbot, next(iter(boxes(window).values())))
    assert not go.isEnabled(), "a yes can be taken back"
    tick(qtbot, next(iter(boxes(window).values())))
    press(qtbot, go)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.CHECK)
    qtbot.waitUntil(window.footer.primary.isEnabled)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: "plan_profile" in side.names())
    assert window.navigator.state.trusted == frozenset(HOSTS)
    window.navigator.restart()
    assert window.navigator.state.trusted == frozenset()


def test_in_a_low_window_what_was_opened_is_seen_and_has_the_keys(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    """It had stood above the visible part, and Return set up something else."""
    window = make_window("en")
    window.resize(496, 280)
    opened(qtbot, window, of_a_stranger(tmp_path))
    qtbot.waitUntil(lambda: len(boxes(window)) == 3)
    first = next(iter(boxes(window).values()))
    qtbot.waitUntil(first.hasFocus)
    qtbot.wait(100)
    assert not first.visibleRegion().isEmpty()


HOSTS = ("evil.example", "files.example.org", "second.example")


def test_the_yes_is_for_the_file_that_was_seen(qtbot: QtBot, make_window: MakeWindow, tmp_path: Path) -> None:
    """Another file opened in its place asks anew."""
    window = make_window()
    opened(qtbot, window, of_a_stranger(tmp_path))
    qtbot.waitUntil(lambda: len(boxes(window)) == 3)
    for box in boxes(window).values():
        tick(qtbot, box)
    other = tmp_path / "other.torchlab"
    other.write_bytes(of_a_stranger(tmp_path).read_bytes().replace(b"second.example", b"third.example"))
    window.open_file(other)
    qtbot.waitUntil(lambda: any("third.example" in text for text in boxes(window)))
    assert not any(box.isChecked() for box in boxes(window).values())
    assert not button(window, "&does").isEnabled()


@pytest.mark.slow
def test_a_class_that_has_every_file_leads_to_no_other_host(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, tmp_path: Path
) -> None:
    """Neither the server that the profile names nor the addresses of its files are asked, so none wants a yes."""
    asked: list[bytes] = []

    def answer(request: bytes) -> list[bytes | float]:
        asked.append(request)
        return [b""]

    with RawServer(answer) as stranger, FaultServer() as origin:
        course: Class = with_share(make_class(origin.root), f"{stranger.root}/")
        publish(origin, course)
        build(wanted_of(course.file), tmp_path / "pack", BuildOptions(), Downloads(tmp_path / "own"))
        server = serve_on(tmp_path / "pack", False, lambda count: None, lambda: False)
        try:
            window = make_window()
            settle(qtbot, window)
            welcome = window.page
            assert isinstance(welcome, WelcomePage)
            press(qtbot, welcome.join)
            typed(qtbot, welcome.joining.code, code_of(course.file.sha256))
            typed(qtbot, welcome.joining.address, f"http://127.0.0.1:{server.server.port}/")
            press(qtbot, window.footer.primary)
            qtbot.waitUntil(lambda: window.navigator.page is PageId.CHECK, timeout=LONG)
            assert asked == []
            assert window.navigator.state.trusted == frozenset()
            room = window.navigator.state.classroom
            assert room is not None
            urls = room.further_urls()
            (missing, *_) = course.file.profile.files
            held = foreign_hosts(course.file.profile, is_held=lambda one: one != missing and bool(urls(one)))
            assert "share" in {role for host in held for role in host.roles}, "what the class lacks comes from others"
            assert any(missing.name in host.packages for host in held)
        finally:
            server.stop()


def test_the_card_says_who_signed_and_install_remembers_it(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, tmp_path: Path
) -> None:
    session.known_runs.append(run_info("run-class", "planned"))  # what the side's plan becomes: it stays on Install
    path = tmp_path / "lesson.torchlab"
    path.write_text(profile_text(profile()), encoding="utf-8")
    list_hosts_of(profile())
    window = make_window()
    opened(qtbot, window, path)
    qtbot.waitUntil(lambda: "is not signed" in said(window))
    key = sign_profile(path, read_profile(path), new_key())  # not this computer's own
    window.open_file(path)
    qtbot.waitUntil(lambda: f"the key {key.fingerprint}" in said(window))
    press(qtbot, button(window, "&does"))
    for page in (PageId.CHECK, PageId.REVIEW):
        qtbot.waitUntil(lambda page=page: window.navigator.page is page and window.footer.primary.isEnabled())
        assert check_signature(read_profile(path)).is_new
        press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.INSTALL)
    assert not check_signature(read_profile(path)).is_new
    signature_path(path).unlink()
    window.navigator.restart()
    window.open_file(path)
    qtbot.waitUntil(lambda: window.page.trouble.isVisible())
    assert window.page.trouble.code == "error.signature-missing.summary"


def test_another_code_wants_another_yes(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    settle(qtbot, window)
    welcome = window.page
    assert isinstance(welcome, WelcomePage)
    press(qtbot, welcome.join)
    typed(qtbot, welcome.joining.code, "3f9a")
    welcome.joining.consent.show_hosts((ForeignHost("evil.example", ("torch",), ()),))
    assert not welcome.joining.is_filled
    welcome.joining.consent.boxes["evil.example"].click()
    assert welcome.joining.is_filled
    typed(qtbot, welcome.joining.code, "3f9b")
    assert welcome.joining.consent.boxes == {}
