"""A class profile in the window: opened, dropped, carried out, refused in a sentence, and saved from Review."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from tests.classroom.profile.examples import profile
from tests.classroom.profile.known import list_hosts_of, make_official
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.fake_tools import FakeTools
from tests.gui.test_opened import drop
from tests.gui.walking import go_to, mnemonics, press, settle, source_page, typed, visible
from tests.line import test_window as of_line
from tests.line.world import PYTHON, TORCH, World
from tests.sentences import error_text
from wizard.app.pages.order import PageId
from wizard.classroom.code import code_of
from wizard.classroom.profile.read import read_profile
from wizard.classroom.profile.write import profile_text
from wizard.gui.pages.review import ReviewPage
from wizard.gui.pages.welcome.page import WelcomePage
from wizard.gui.shell.window import WizardWindow
from wizard.gui.tools.class_page import ClassPage
from wizard.model.errors import EXPORT_NOT_WRITTEN, UsageError, WizardError
from wizard.model.messages import LANGUAGES

pytestmark = pytest.mark.slow

at_home, open_window = of_line.at_home, of_line.open_window
LONG = 120_000  # milliseconds: a limit for a hang, not a speed


def written(tmp_path: Path, *ask: str) -> Path:
    path = tmp_path / "lesson 课.torchlab"
    path.write_text(profile_text(profile(ask=ask)), encoding="utf-8")
    list_hosts_of(profile())
    return path


def said(window: WizardWindow) -> str:
    return "\n".join(one.text() for one in visible(window, QLabel) if isinstance(one, QLabel))


def button(window: WizardWindow, words: str) -> QPushButton:
    return next(one for one in visible(window, QPushButton) if words in getattr(one, "text", str)())


def opened(qtbot: QtBot, window: WizardWindow, path: Path) -> None:
    drop(window, path)
    settle(qtbot, window)
    qtbot.waitUntil(lambda: "Deep learning 101" in said(window))


def asked_for_place(qtbot: QtBot, window: WizardWindow, words: str = "&does") -> Any:
    """Press what sets up as the class does, and Next on Check; return the page Place."""
    press(qtbot, button(window, words))
    qtbot.waitUntil(window.footer.primary.isEnabled)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.PLACE)
    settle(qtbot, window)
    return window.page


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_dropped_profile_says_what_it_does_and_leads_straight_to_review(
    language: str, qtbot: QtBot, make_window: MakeWindow, side: FakeTools, tmp_path: Path
) -> None:
    window = make_window(language)
    opened(qtbot, window, path := written(tmp_path))
    letters = [letter for letter, _ in mnemonics(window)]
    assert len(letters) == len(set(letters)), sorted(mnemonics(window))
    assert "deep" in said(window)
    assert code_of(sha256(path.read_bytes()).hexdigest()) in said(window), "as the teacher says it"
    press(qtbot, button(window, "(&D)" if language == "zh_CN" else "&does"))
    for page in (PageId.CHECK, PageId.REVIEW):
        qtbot.waitUntil(lambda page=page: window.navigator.page is page)
        qtbot.waitUntil(window.footer.primary.isEnabled)
        for left_out in (PageId.BUILD, PageId.SOURCE, PageId.PLACE):
            assert not window.rail.steps[left_out].isEnabled()
        if page is PageId.CHECK:
            press(qtbot, window.footer.primary)
    choices = next(value for name, value in side.calls if name == "plan_profile")
    assert (choices.name, choices.engine) == ("deep", "auto")
    press(qtbot, window.footer.back)
    assert window.navigator.page is PageId.CHECK
    press(qtbot, window.footer.back)
    assert window.navigator.page is PageId.WELCOME
    assert window.navigator.state.profile is None
    assert window.navigator.state.choices.name is None, "the next setup is one's own"


@pytest.mark.parametrize("language", LANGUAGES)
def test_with_a_class_file_open_the_main_button_is_the_class(
    language: str, qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    """Next had set up plain PyTorch beside the class's own button: both looked chosen."""
    window = make_window(language)
    welcome = window.page
    assert isinstance(welcome, WelcomePage)
    assert welcome.setup.property("role") == "tile-first"
    opened(qtbot, window, written(tmp_path))
    settle(qtbot, window)
    main = window.footer.primary
    assert main.property("role") == "primary"
    assert ("(&D)" if language == "zh_CN" else "&does") in main.text()
    assert welcome.setup.property("role") == "tile", "nothing else looks chosen"
    qtbot.waitUntil(main.hasFocus)
    qtbot.keyClick(main, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.CHECK)
    assert window.navigator.state.profile is not None


def test_beside_a_class_file_the_usual_setup_is_left_to_its_tile(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window()
    welcome = window.page
    assert isinstance(welcome, WelcomePage)
    opened(qtbot, window, written(tmp_path))
    settle(qtbot, window)
    press(qtbot, welcome.setup)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.CHECK)
    assert window.navigator.state.profile is None


def test_what_the_profile_asks_is_asked_and_nothing_else(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools, tmp_path: Path
) -> None:
    window = make_window()
    opened(qtbot, window, written(tmp_path, "place"))
    place = asked_for_place(qtbot, window)
    assert place.name.text() == "deep"
    assert not place.name.isEnabled()
    assert not place.engine.isVisible()
    assert not place.there.isVisible()
    typed(qtbot, place.folder, "/data/envs")
    qtbot.waitUntil(window.footer.primary.isEnabled)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: "plan_profile" in side.names())
    choices = next(value for name, value in side.calls if name == "plan_profile")
    assert choices.prefix == "/data/envs/deep"


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_the_name_of_the_class_is_taken_another_folder_is_asked_for(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, tmp_path: Path
) -> None:
    session.fail["check_place"] = UsageError(error_text("target-is-environment"), path="/home/li/torch-envs/deep")
    window = make_window(language)
    opened(qtbot, window, written(tmp_path, "place"))
    place = asked_for_place(qtbot, window, "(&D)" if language == "zh_CN" else "&does")
    assert not place.name_trouble.isVisible(), "nobody can choose another name"
    assert (place.name.property("wrong"), place.folder.property("wrong")) == (False, True)
    told = place.trouble.plain_text()
    assert "deep" in told
    assert {"en": "Choose another folder.", "zh_CN": "请选择其他文件夹。"}[language] in told
    assert place.folder.hasFocus()
    session.fail.clear()
    typed(qtbot, place.folder, "/data/envs")
    qtbot.waitUntil(window.footer.primary.isEnabled)
    assert not place.trouble.isVisible()


@pytest.mark.parametrize("code", ["target-is-environment", "target-not-empty"])
def test_where_a_name_is_taken_no_more_is_offered_than_the_page_has(
    code: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, tmp_path: Path
) -> None:
    """Into an environment that is there a class is not installed, and its folder is the class's own."""
    window = make_window()
    opened(qtbot, window, written(tmp_path, "name"))
    place = asked_for_place(qtbot, window)
    assert place.name.isEnabled()
    session.fail["check_place"] = UsageError(error_text(code), path="/home/li/torch-envs/deep")
    typed(qtbot, place.name, "deep")
    qtbot.waitUntil(place.name_trouble.isVisible)
    told = place.name_trouble.plain_text()
    assert "Choose another name." in told
    assert not any(words in told for words in ("existing environment", "empty folder"))


def test_one_that_is_set_up_already_says_so(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, tmp_path: Path
) -> None:
    side.set_up = True
    window = make_window()
    opened(qtbot, window, written(tmp_path))
    press(qtbot, button(window, "&does"))
    qtbot.waitUntil(window.footer.primary.isEnabled)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: "is set up as “deep” already" in said(window))
    assert not window.footer.primary.isEnabled()


@pytest.mark.parametrize("content", [b"\x00", b"schema = 99\n", b'schema = 1\ntitle = "x"\n'])
def test_a_damaged_one_is_refused_in_the_page(
    content: bytes, qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    path = tmp_path / "bad.torchlab"
    path.write_bytes(content)
    window = make_window()
    drop(window, path)
    qtbot.waitUntil(lambda: window.page.trouble.isVisible())
    assert window.page.trouble.code.startswith("error.profile-")
    assert window.navigator.page is PageId.WELCOME


def test_the_button_on_welcome_opens_one(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    window = make_window()
    welcome = window.page
    assert isinstance(welcome, WelcomePage)
    press(qtbot, welcome.profile)
    qtbot.waitUntil(lambda: "Deep learning 101" in said(window))


# -- for real, on loopback: saved by one, opened and carried out by another


def test_a_saved_profile_is_carried_out_to_a_tested_environment(
    open_window: Callable[[], WizardWindow], at_home: World, qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window()
    go_to(qtbot, window, PageId.BUILD)
    of_line.stay_on_loopback(window, at_home)
    go_to(qtbot, window, PageId.PLACE)
    press(qtbot, window.page.engine_fold.button)
    press(qtbot, window.page.engines["venv"])
    typed(qtbot, window.page.name, "mine")
    settle(qtbot, window)
    go_to(qtbot, window, PageId.REVIEW)
    review = window.page
    assert isinstance(review, ReviewPage)
    path = tmp_path / "class.torchlab"
    review.class_profile.save_to(path)
    qtbot.waitUntil(lambda: not review.is_busy, timeout=LONG)
    assert path.exists(), review.trouble.plain_text()
    assert str(path) in said(window)
    file = read_profile(path)
    assert (file.profile.environment.name, file.profile.ask) == ("mine", ("place",))
    assert [(lock.torch, lock.variant, lock.python) for lock in file.profile.locks] == [(TORCH, "cpu", PYTHON)]
    assert os.environ["HOME"] not in path.read_text(encoding="utf-8")

    make_official(at_home)
    window.navigator.restart()
    window.open_file(path)
    qtbot.waitUntil(
        lambda: any("&does" in getattr(one, "text", str)() for one in visible(window, QPushButton)), timeout=LONG
    )
    press(qtbot, button(window, "&does"))
    for page in (PageId.CHECK, PageId.PLACE, PageId.REVIEW):
        qtbot.waitUntil(
            lambda page=page: window.navigator.page is page and window.footer.primary.isEnabled(), timeout=LONG
        )
        press(qtbot, window.footer.primary)
    of_line.wait_for_end(qtbot, window)
    assert window.navigator.state.report["status"] == 0
    prefix = at_home.home / "state" / "envs" / "mine"
    assert at_home.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"


def test_review_saves_what_it_shows(qtbot: QtBot, make_window: MakeWindow, side: FakeTools, tmp_path: Path) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    review = window.page
    assert isinstance(review, ReviewPage)
    review.class_profile.save_to(tmp_path / "x.torchlab")
    settle(qtbot, window)
    qtbot.waitUntil(lambda: code_of("ab" * 32) in said(window))
    assert ("make_profile", ("run-1", tmp_path / "x.torchlab")) in side.calls
    assert review.save.isEnabled()
    press(qtbot, review.class_profile.said.buttons[0])
    page = window.page
    assert isinstance(page, ClassPage)
    assert page.visit.prefix == tmp_path / "x.torchlab", "on to building the pack"


def test_after_a_refusal_it_can_be_saved_again(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, tmp_path: Path
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    review = window.page
    assert isinstance(review, ReviewPage)
    side.fail["make_profile"] = WizardError(EXPORT_NOT_WRITTEN, path=str(tmp_path))
    review.class_profile.save_to(tmp_path / "x.torchlab")
    settle(qtbot, window)
    assert review.trouble.isVisible()
    assert review.save.isEnabled()
    assert window.focusWidget() is review.save


# -- for real: a setup from a folder of this computer


def _review_of_a_folder(qtbot: QtBot, window: WizardWindow, world: World, wheels: Path) -> ReviewPage:
    """Torch comes from a folder, as somebody chooses it on the page Source."""
    go_to(qtbot, window, PageId.BUILD)
    of_line.stay_on_loopback(window, world)
    choices = window.navigator.state.choices
    window.navigator.put_sources(replace(choices, torch_index=None, find_links=(str(wheels / "torch"),)))
    go_to(qtbot, window, PageId.PLACE)
    press(qtbot, window.page.engine_fold.button)
    press(qtbot, window.page.engines["venv"])
    typed(qtbot, window.page.name, "mine")
    settle(qtbot, window)
    go_to(qtbot, window, PageId.REVIEW)
    review = window.page
    assert isinstance(review, ReviewPage)
    assert any(url.startswith("file:") for file in review.state.preview.lock.files for url in file.urls)
    return review


def test_files_of_a_folder_reach_the_class_in_a_pack(
    open_window: Callable[[], WizardWindow], at_home: World, wheels: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window()
    review = _review_of_a_folder(qtbot, window, at_home, wheels)
    press(qtbot, review.save)  # asks for no file name: the dialog would fail the test
    assert str(wheels / "torch") in review.class_profile.said.words.replace("\u200b", "")
    assert review.class_profile.said.words.startswith("No class profile was saved: "), "there is no file to look for"
    press(qtbot, review.class_profile.said.buttons[0])
    qtbot.waitUntil(lambda: isinstance(window.page, ClassPage) and window.page.pack.plan is not None, timeout=LONG)
    page = window.page
    assert isinstance(page, ClassPage)
    typed(qtbot, page.pack.folder, str(tmp_path / "pack"))
    page.pack.browse.setFocus()
    qtbot.waitUntil(lambda: page.pack.plan is not None and page.pack.plan.folder == tmp_path / "pack", timeout=LONG)
    settle(qtbot, window)
    for box in page.pack.consent.boxes.values():  # of the index on loopback
        assert "127.0.0.1:" in box.accessibleName()
        box.click()
    press(qtbot, page.pack.go)
    qtbot.waitUntil(lambda: page.room.room is not None, timeout=LONG)
    file = read_profile(tmp_path / "pack" / "profile.torchlab")
    assert str(wheels) not in file.data.decode()
    assert {one.filename for one in file.profile.files} <= {path.name for path in (tmp_path / "pack").rglob("*.whl")}

    make_official(at_home)
    window.side.close()
    window.navigator.restart()
    settle(qtbot, window)
    welcome = window.page
    assert isinstance(welcome, WelcomePage)
    press(qtbot, welcome.join)
    typed(qtbot, welcome.joining.address, str(tmp_path / "pack"))
    for step in (PageId.WELCOME, PageId.CHECK, PageId.PLACE, PageId.REVIEW):
        qtbot.waitUntil(
            lambda step=step: window.navigator.page is step and window.footer.primary.isEnabled(), timeout=LONG
        )
        assert ("Class: mine" in said(window)) is (step is not PageId.WELCOME)
        press(qtbot, window.footer.primary)
    of_line.wait_for_end(qtbot, window)
    assert window.navigator.state.report["status"] == 0
    assert "Class: mine" in said(window)


def test_with_another_source_it_is_saved(
    open_window: Callable[[], WizardWindow], at_home: World, wheels: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window()
    review = _review_of_a_folder(qtbot, window, at_home, wheels)
    review.class_profile.save_to(tmp_path / "first.torchlab")
    settle(qtbot, window)
    assert str(wheels / "torch") in review.class_profile.said.words.replace("\u200b", ""), "refused, and why"
    assert review.save.isEnabled()
    press(qtbot, review.class_profile.said.buttons[1])
    assert window.navigator.page is PageId.SOURCE
    settle(qtbot, window)
    source = source_page(window)
    typed(qtbot, source.by_hand.torch, at_home.torch.simple)
    typed(qtbot, source.by_hand.folder, "")
    source.again.setFocus()
    settle(qtbot, window)
    go_to(qtbot, window, PageId.REVIEW)
    assert not review.class_profile.said.isVisible()
    review.class_profile.save_to(tmp_path / "class.torchlab")
    settle(qtbot, window)
    assert (tmp_path / "class.torchlab").exists(), review.class_profile.said.words
    assert "file:" not in (tmp_path / "class.torchlab").read_text(encoding="utf-8")


def test_a_folder_that_only_this_computers_settings_name_is_left_out(
    open_window: Callable[[], WizardWindow],
    at_home: World,
    wheels: Path,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels / "packages"))
    window = open_window()
    go_to(qtbot, window, PageId.BUILD)
    of_line.stay_on_loopback(window, at_home)
    go_to(qtbot, window, PageId.PLACE)
    press(qtbot, window.page.engine_fold.button)
    press(qtbot, window.page.engines["venv"])
    settle(qtbot, window)
    go_to(qtbot, window, PageId.REVIEW)
    review = window.page
    assert isinstance(review, ReviewPage)
    review.class_profile.save_to(tmp_path / "class.torchlab")
    settle(qtbot, window)
    assert (tmp_path / "class.torchlab").exists(), review.class_profile.said.words


@pytest.mark.parametrize("language", LANGUAGES)
def test_review_of_a_class_that_asks_nothing_offers_nothing_to_choose(
    language: str, qtbot: QtBot, make_window: MakeWindow, side: FakeTools, tmp_path: Path
) -> None:
    side.set_up = True
    window = make_window(language)
    opened(qtbot, window, written(tmp_path))
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.CHECK and window.footer.primary.isEnabled())
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.REVIEW and not window.footer.primary.isVisible())
    settle(qtbot, window)
    assert not any(words in said(window) for words in ("choose", "change it", "请返回", "重新选择"))
    assert window.page.difference_title() in ("Different from what the class uses", "与班级所用的不同")
