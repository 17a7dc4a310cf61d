"""A student's computer joins a class in the window: code and address, on to Review, and the result is handed in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.app.values import FACTS
from tests.classroom.pack.classes import Class, make_class, publish
from tests.classroom.profile.known import list_hosts_of, make_official
from tests.classroom.server.test_line import _built, profile_of
from tests.gui.conftest import MakeWindow
from tests.gui.fake_tools import FakeTools
from tests.gui.walking import lower, mnemonics, press, settle, typed, visible
from tests.line import test_window as of_line
from tests.line.world import PYTHON, TORCH, World
from tests.servers.fault_server import FaultServer
from wizard.app.classroom import in_class
from wizard.app.pages.order import PageId
from wizard.app.tools import WindowSession
from wizard.classroom.code import code_of
from wizard.classroom.join import Asked, enter
from wizard.classroom.pack.build import BuildOptions, build
from wizard.classroom.pack.make import read_listing, wanted_of
from wizard.classroom.results.submit import read_room
from wizard.classroom.server.share import ServingOn, serve_on
from wizard.compatibility.model import Choices
from wizard.gui.pages.verify.page import VerifyPage
from wizard.gui.pages.welcome.page import WelcomePage
from wizard.gui.shell.window import WizardWindow
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES
from wizard.run.plan.place import target_prefix
from wizard.run.plan.plan_file import plan_to_json
from wizard.run.report.document import report_document
from wizard.run.run_folder import create_run_folder
from wizard.transfer.download import Downloads
from wizard.transfer.proxy.model import Network

pytestmark = pytest.mark.slow

at_home, open_window = of_line.at_home, of_line.open_window
LONG = 60_000  # milliseconds: a limit for a hang, not a speed


@pytest.fixture(autouse=True)
def stay_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("wizard.classroom.server.announce", "wizard.classroom.server.share"):
        monkeypatch.setattr(f"{module}.own_addresses", lambda: ["127.0.0.1"])


def said(window: WizardWindow) -> str:
    return "\n".join(one.text() for one in visible(window, QLabel) if isinstance(one, QLabel))


@pytest.fixture
def course(tmp_path: Path) -> Class:
    """Its pack lies in `tmp_path / "pack"`."""
    with FaultServer() as origin:
        made = make_class(origin.root)
        publish(origin, made)
        build(wanted_of(made.file), tmp_path / "pack", BuildOptions(), Downloads(tmp_path / "own"))
    list_hosts_of(made.file.profile)
    return made


@pytest.fixture
def server(course: Class, tmp_path: Path) -> Iterator[ServingOn]:
    running = serve_on(tmp_path / "pack", False, lambda count: None, lambda: False)
    yield running
    running.stop()


def form(qtbot: QtBot, window: WizardWindow) -> WelcomePage:
    settle(qtbot, window)
    welcome = window.page
    assert isinstance(welcome, WelcomePage)
    press(qtbot, welcome.join)
    assert window.focusWidget() is welcome.joining.code
    return welcome


def test_code_and_address_lead_to_review_with_the_class_as_source(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, course: Class, server: ServingOn
) -> None:
    window = make_window()
    welcome = form(qtbot, window)
    assert not window.footer.primary.isEnabled()
    typed(qtbot, welcome.joining.code, code_of(course.file.sha256).upper())
    typed(qtbot, welcome.joining.address, server.addresses[0])
    typed(qtbot, welcome.joining.seat, "seat 7")
    welcome.joining.hand_on.click()
    qtbot.keyClick(welcome.joining.seat, Qt.Key.Key_Return)  # as people do it
    for page in (PageId.CHECK, PageId.REVIEW):
        qtbot.waitUntil(lambda page=page: window.navigator.page is page, timeout=LONG)
        qtbot.waitUntil(window.footer.primary.isEnabled, timeout=LONG)
        if page is PageId.CHECK:
            press(qtbot, window.footer.primary)
    choices = next(value for name, value in side.calls if name == "plan_profile")
    assert (choices.name, choices.packs, choices.label) == ("class", (server.addresses[0],), "seat 7")
    state = window.navigator.state
    assert state.classroom is not None
    assert state.hand_on
    window.navigator.restart()
    assert window.navigator.state.choices.packs == ()
    assert window.navigator.state.classroom is None
    assert not window.page.joining.isVisible()


def test_a_folder_needs_no_code(
    qtbot: QtBot, make_window: MakeWindow, course: Class, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    welcome = form(qtbot, window)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "pack"))
    press(qtbot, welcome.joining.browse)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.CHECK, timeout=LONG)
    assert window.navigator.state.choices.packs == ((tmp_path / "pack").as_uri() + "/",)


def test_a_profile_that_is_opened_in_its_pack_takes_the_files_from_there(
    qtbot: QtBot, make_window: MakeWindow, course: Class, tmp_path: Path
) -> None:
    window = make_window()
    window.open_file(tmp_path / "pack" / "profile.torchlab")
    qtbot.waitUntil(lambda: "Deep learning 101" in said(window), timeout=LONG)
    settle(qtbot, window)
    qtbot.keyClick(window, Qt.Key.Key_D, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.CHECK, timeout=LONG)
    assert window.navigator.state.choices.packs == ((tmp_path / "pack").as_uri() + "/",)


def test_an_http_address_alone_waits_for_the_code_and_says_so(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    welcome = form(qtbot, window)
    typed(qtbot, welcome.joining.address, "http://127.0.0.1:9/")
    assert not window.footer.primary.isEnabled()
    lacks = welcome.joining.lacks
    assert lacks is not None
    welcome.joining.address.clear()
    typed(qtbot, welcome.joining.address, "127.0.0.1:9")  # as a student types it
    assert welcome.joining.lacks == lacks
    assert lacks.key == "page.welcome.lacks-proof"
    assert welcome.joining.waits.isVisible(), "a grey button alone tells nothing"
    assert "Type the class code, too" in welcome.joining.waits.text()
    typed(qtbot, welcome.joining.address, "http://[")  # half an address: no crash
    assert not window.footer.primary.isEnabled()
    for one in ("https://class.example/", "/media/stick/class"):
        welcome.joining.address.clear()
        typed(qtbot, welcome.joining.address, one)
        assert window.footer.primary.isEnabled(), one
        assert not welcome.joining.waits.isVisible()


@pytest.mark.parametrize(
    ("code", "address", "expected"),
    [
        ("3f9a", "", "share-bad-code"),
        ("7YD-25C8-7SP-8YWU", "", "share-bad-code"),
        ("7YD-25C8-7SP-8YWY", "", "share-bad-code"),
        ("0" * 16, "http://127.0.0.1:9/", "pack-unreachable"),
        ("", "/nowhere/at/all", "pack-no-folder"),
    ],
)
def test_what_cannot_be_is_said_in_the_form(
    code: str, address: str, expected: str, qtbot: QtBot, make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wizard.classroom.join.START_SECONDS", 0.0)
    window = make_window()
    welcome = form(qtbot, window)
    typed(qtbot, welcome.joining.code, code)
    typed(qtbot, welcome.joining.address, address)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(welcome.trouble.isVisible, timeout=LONG)
    assert welcome.trouble.code == f"error.{expected}.summary"
    assert welcome.joining.code.text() == code, "what was typed is still there"
    heard = welcome.joining.children()
    assert heard.index(welcome.trouble) < heard.index(welcome.joining.seat), "and not after Cancel"
    wrong = welcome.joining.address if address else welcome.joining.code
    assert wrong.property("wrong") is True
    assert welcome.trouble.plain_text() in wrong.accessibleDescription()
    qtbot.waitUntil(lambda: 0 < welcome.trouble.y() - wrong.geometry().bottom() < wrong.height())
    qtbot.keyClick(wrong, Qt.Key.Key_End)
    qtbot.keyClicks(wrong, "1")
    assert not wrong.property("wrong"), "it may be right now"
    assert not welcome.trouble.isVisible()
    qtbot.keyClick(wrong, Qt.Key.Key_Backspace)
    qtbot.keyClick(welcome.joining.code, Qt.Key.Key_Escape)
    assert welcome.setup.isVisible()
    assert not welcome.trouble.isVisible()


def is_whole(one: QWidget) -> bool:
    return one.hasFocus() and one.visibleRegion().boundingRect().height() == one.height()


def test_a_server_that_is_not_up_yet_is_waited_for_until_somebody_goes_back(
    qtbot: QtBot, make_window: MakeWindow, heard: list[str]
) -> None:
    window = make_window()
    lower(window)
    welcome = form(qtbot, window)
    press(qtbot, welcome.joining.drop)
    welcome = form(qtbot, window)  # a second time
    typed(qtbot, welcome.joining.code, "0" * 16)
    typed(qtbot, welcome.joining.address, "127.0.0.1:9")
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: "class server http://127.0.0.1:9/ (" in said(window), timeout=LONG)
    assert welcome.busy.y() - welcome.joining.geometry().bottom() < 40, "at the form"
    assert [words for words in heard if "class server http://127.0.0.1:9/ (" in words] != []
    qtbot.waitUntil(lambda: welcome.busy.visibleRegion().boundingRect().height() == welcome.busy.height(), timeout=LONG)
    press(qtbot, welcome.joining.drop)
    assert welcome.joining.address.text() == "127.0.0.1:9", "what was typed is kept"
    assert welcome.joining.isVisible()
    assert welcome.joining.code.selectedText() == "0" * 16, "what is typed next takes its place"
    qtbot.waitUntil(lambda: is_whole(welcome.joining.code))
    assert not welcome.busy.isVisible()
    qtbot.keyClick(welcome.joining.code, Qt.Key.Key_Escape)
    qtbot.waitUntil(welcome.setup.isVisible, timeout=LONG)
    assert not welcome.busy.isVisible()
    assert not welcome.trouble.isVisible()


def test_another_class_than_the_code_names_is_not_taken(
    qtbot: QtBot, make_window: MakeWindow, course: Class, server: ServingOn
) -> None:
    window = make_window()
    welcome = form(qtbot, window)
    typed(qtbot, welcome.joining.code, "0000-1111-2222-3333")
    typed(qtbot, welcome.joining.address, server.addresses[0])
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(welcome.trouble.isVisible, timeout=LONG)
    assert welcome.trouble.code == "error.share-wrong-code.summary"
    assert window.navigator.page is PageId.WELCOME


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_form_has_its_own_letters_and_every_field_a_name(
    language: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(language)
    letters = [letter for letter, _ in mnemonics(window)]
    assert len(letters) == len(set(letters)), sorted(mnemonics(window))
    welcome = form(qtbot, window)
    letters = [letter for letter, _ in mnemonics(window)]
    assert len(letters) == len(set(letters)), sorted(mnemonics(window))
    joining = welcome.joining
    for one in (joining.code, joining.address, joining.seat, joining.browse, joining.hand_on, joining.drop):
        assert one.accessibleDescription()


def test_who_finds_no_build_tells_the_class(
    open_window: Callable[[], WizardWindow], at_home: World, wheels: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    """Before there is a run: the window has only made the plan, and the room knows why it was none."""
    with FaultServer() as origin:
        made = make_class(origin.root, builds=(("windows", "cu126"),))
        publish(origin, made)
        build(wanted_of(made.file), tmp_path / "pack", BuildOptions(), Downloads(tmp_path / "own"))
    list_hosts_of(made.file.profile)
    window = open_window()
    welcome = form(qtbot, window)
    typed(qtbot, welcome.joining.address, str(tmp_path / "pack"))
    typed(qtbot, welcome.joining.seat, "seat 3")
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.CHECK and window.footer.primary.isEnabled(), timeout=LONG)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.page.trouble.isVisible(), timeout=LONG)
    assert window.page.trouble.code == "error.profile-none-fits.summary"
    (row,) = read_room(tmp_path / "pack").rows
    assert (row.label, row.state, row.code) == ("seat 3", "red", "profile-none-fits")


def test_who_has_it_already_tells_the_class(course: Class, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its result may have been lost, or its clock was wrong."""
    session = WindowSession(Network()).tools
    room = enter(Asked(pack=str(tmp_path / "pack")))
    monkeypatch.setattr("wizard.classroom.profile.setup.check_target", lambda file, choices: True)
    choices = in_class(session.profile_choices(room.file, Choices()), room, "seat 9")
    assert session.plan_profile(FACTS, room.file, choices, lambda: False, room) is None
    assert read_room(tmp_path / "pack").rows == ()  # it is there, but no run has tested it
    run = create_run_folder("20261120-101200-abcd")
    plan = values.plan(run.id, str(target_prefix(choices)))
    run.plan.write_bytes(plan_to_json(replace(plan, profile_sha256=room.file.sha256)))
    run.report.write_text(json.dumps(report_document(None, None, status=0)), encoding="utf-8")
    assert session.plan_profile(FACTS, room.file, choices, lambda: False, room) is None
    (row,) = read_room(tmp_path / "pack").rows
    assert (row.label, row.state) == ("seat 9", "green")


def test_from_the_code_to_a_tested_environment_and_on_to_the_next(
    open_window: Callable[[], WizardWindow], at_home: World, wheels: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    make_official(at_home)
    pack = tmp_path / "pack"
    built = _built(at_home, profile_of(at_home, wheels, tmp_path / "course.torchlab", only_share=True), pack, wheels)
    assert built.returncode == 0, built.stderr
    teacher = serve_on(pack, False, lambda count: None, lambda: False)
    code = code_of(read_listing(pack).profile_sha256)
    try:
        window = open_window()
        welcome = form(qtbot, window)
        typed(qtbot, welcome.joining.code, code)
        typed(qtbot, welcome.joining.address, teacher.addresses[0])
        typed(qtbot, welcome.joining.seat, "seat 7")
        welcome.joining.hand_on.click()
        for page in (PageId.WELCOME, PageId.CHECK, PageId.REVIEW):
            qtbot.waitUntil(
                lambda page=page: window.navigator.page is page and window.footer.primary.isEnabled(), timeout=LONG
            )
            press(qtbot, window.footer.primary)
        of_line.wait_for_end(qtbot, window)
        assert window.navigator.state.report["status"] == 0
        (row,) = read_room(pack).rows
        assert (row.label, row.state, row.build) == ("seat 7", "green", f"torch {TORCH}+cpu, Python {PYTHON}")
        assert teacher.server.counted.results == 1
    finally:
        teacher.stop()
    verify = window.page
    assert isinstance(verify, VerifyPage)
    qtbot.waitUntil(lambda: window.serving.is_on, timeout=LONG)
    assert "shares the files with its class" in said(window)
    assert window.serving.server is not None
    (address,) = window.serving.server.addresses
    second = enter(Asked(pack=address, code=code), look=lambda wanted: ())
    assert all(second.further_urls()(file) for file in second.file.profile.locks[0].files)
    window.close()
    assert window.isVisible(), "it asks first"
    press(qtbot, window.ask.stay)
    press(qtbot, verify.hand_on.stop)
    qtbot.waitUntil(lambda: not window.tasks.busy, timeout=LONG)
    assert not verify.hand_on.isVisible()
    with pytest.raises(WizardError):
        enter(Asked(pack=address, code=code), look=lambda wanted: ())
