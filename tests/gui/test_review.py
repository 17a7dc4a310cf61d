"""The Review page: limits for a shared network, and that nothing can be turned while the setup begins."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from PySide6.QtCore import QPoint, QSize
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QScrollBar, QWidget
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.scenes import other_than_chosen
from tests.gui.walking import go_to, lower, press, settle, texts, visible
from tests.sentences import error_text, messages
from wizard.app.pages.differences import _BECAUSE, _ROWS, difference_row
from wizard.app.pages.order import ORDER, PageId
from wizard.compatibility.model import Choices, PlanSource
from wizard.gui.pages.review import ReviewPage
from wizard.gui.pages.review_parts import PlanTiles
from wizard.gui.shell.window import WizardWindow
from wizard.gui.widgets.frames import Fold
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, bytes_text, message, text
from wizard.run.plan.other_packages import naming
from wizard.transfer.download import FetchProgress


def review_page(window: WizardWindow) -> ReviewPage:
    page = window.pages[PageId.REVIEW]
    assert isinstance(page, ReviewPage)
    return page


def test_what_is_here_already_is_not_to_be_downloaded(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    preview = window.navigator.state.preview
    assert preview is not None
    page, files = review_page(window), preview.lock.files
    said = lambda: " ".join(found.text() for found in page.findChildren(QLabel))  # noqa: E731
    assert f"Files: {len(files)}" in page.tiles.download.words
    assert "here already" not in said()
    window.navigator.put_preview(replace(preview, here=frozenset({files[0].filename})))
    left = preview.lock.total_bytes - files[0].size
    assert f"{bytes_text(left)}, " in page.tiles.download.words
    assert f"Files: {len(files) - 1} of {len(files)}" in page.tiles.download.words
    assert said().count("here already") == 1
    window.navigator.put_preview(replace(preview, here=frozenset(file.filename for file in files)))
    assert f"Download: {bytes_text(0)}, All of it" in page.tiles.download.words


@pytest.mark.parametrize(("tile", "page"), [("what", PageId.BUILD), ("where", PageId.PLACE)])
def test_what_a_tile_says_is_changed_where_it_is_decided(
    tile: str, page: PageId, qtbot: QtBot, make_window: MakeWindow
) -> None:
    """Who let the program choose has not seen these pages."""
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    change = getattr(review_page(window).tiles, tile).change
    assert change.accessibleName() == f"{tile.capitalize()}: Change"
    press(qtbot, change)
    assert window.navigator.page is page


def test_the_time_is_said_where_the_speed_was_measured(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    tile, preview = review_page(window).tiles.download, window.navigator.state.preview
    assert preview is not None
    assert "About" not in tile.words, "no source was measured"
    window.navigator.put_selected_build(values.PROBED_SELECTED)
    window.navigator.put_preview(preview)
    assert tile.words.endswith("About 1 min 20 s")  # 2.88 GB at 38.2 MB/s, 23 MB at 6.8
    choices = replace(preview.plan.choices, limit_rate=5_000_000)
    window.navigator.put_preview(replace(preview, plan=replace(preview.plan, choices=choices)))
    assert tile.words.endswith("About 9 min 40 s"), "not faster than its limit"
    elsewhere = replace(preview.lock.files[0], urls=("https://other.example/torch.whl",))
    lock = replace(preview.lock, files=(elsewhere, *preview.lock.files[1:]))
    window.navigator.put_preview(replace(preview, lock=lock))
    assert "About" not in tile.words, "most comes from where nobody measured"


def test_a_notice_of_the_plan_is_read_before_install(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    preview = window.navigator.state.preview
    assert preview is not None
    how = message("notice.on-both-index", address="https://lab.example/simple")
    told = naming("notice.on-both", ["labtools 9.0"], main="TUNA", source="lab", address="https://lab.example", how=how)
    window.navigator.put_preview(replace(preview, plan=replace(preview.plan, notices=(told,))))
    shown = [found.text() for found in review_page(window).findChildren(QLabel) if "labtools 9.0" in found.text()]
    assert len(shown) == 1
    assert shown[0].endswith('name that place on the page <a href="source">Source</a>.'), "and no option of a command"
    assert "Worth knowing" in review_page(window).different.accessibleName()


def test_four_tiles_say_what_where_download_and_disk_and_all_else_is_folded(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    page = review_page(window)
    plan = window.navigator.state.preview.plan  # type: ignore[union-attr]
    assert page.tiles.what.words.startswith("What: torch 2.14.1 + CUDA 12.6, torchvision 0.29.1 •")
    assert page.tiles.where.words == f"Where: {plan.prefix}, New environment"
    assert page.tiles.disk.words == "Disk: 7.4 GB, 81 GB free"
    assert "81\N{NO-BREAK SPACE}GB free" in page.tiles.disk._more.text(), "they do not part"
    assert page.tiles.disk.bar.isVisible()
    assert not page.different.isVisible()
    for fold in (page.files, page.commands, page.limits_fold, page.more):
        assert fold.isVisible()
        assert not fold.button.isChecked()


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_a_package_comes_from_turns_no_line_with_room_beside_it(
    language: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(language)
    lower(window, (1024, 640))
    go_to(qtbot, window, PageId.REVIEW)
    page = review_page(window)
    preview = window.navigator.state.preview
    assert preview is not None
    by_hand = message("source.by-hand", option="--index")
    listed = tuple(replace(one, listed_by="https://lab.example/simple") for one in preview.lock.files)
    source = replace(preview.plan.sources[0], name=by_hand, url="https://lab.example/simple")
    plan = replace(preview.plan, sources=(source,))
    window.navigator.put_preview(replace(preview, plan=plan, lock=replace(preview.lock, files=listed)))
    page.files.button.click()

    def heights() -> set[int]:
        shown = (one for one in page.files.findChildren(QLabel) if one.text() == page.say(by_hand) and one.isVisible())
        return {one.heightForWidth(one.width()) // one.fontMetrics().lineSpacing() for one in shown}

    qtbot.waitUntil(lambda: heights() == {1})


def test_what_differs_stands_in_one_box_and_from_a_choice_only_where_one_was_made(
    qtbot: QtBot, make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    preview = window.navigator.state.preview
    assert preview is not None
    left_out = message("notice.companion-dropped", name="torchvision", build="torch 2.14.1+cu126")
    window.navigator.put_preview(replace(preview, plan=replace(preview.plan, notices=(left_out,))))
    box = review_page(window).different
    assert box.isVisible()
    assert box.accessibleName().startswith("Different from the usual setup: torchvision: Left out")
    other = message("plan.notice.unsure.low", build="2.14.1+cu126")
    window.navigator.put_preview(replace(preview, plan=replace(preview.plan, notices=(left_out, other))))
    assert box.accessibleName().startswith("Different from the usual setup: "), "also beside what is only to be known"
    state = replace(window.navigator.state, choices=replace(preview.plan.choices, python="3.12"))
    monkeypatch.setattr(window.navigator, "_state", state)
    review_page(window).render_state()
    assert box.accessibleName().startswith("Different from the usual setup: "), "the Python is as it was chosen"
    window.navigator.put_preview(replace(preview, plan=replace(preview.plan, notices=(left_out,))))
    state = replace(window.navigator.state, choices=replace(preview.plan.choices, torch="2.14.1"))
    assert state.has_chosen
    monkeypatch.setattr(window.navigator, "_state", state)
    review_page(window).render_state()
    assert box.accessibleName().startswith("Different from what you chose: torchvision: Left out")


def test_another_python_than_build_proposed_is_said(
    qtbot: QtBot, make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    preview = window.navigator.state.preview
    assert preview is not None
    own = message("environments.reason.venv-no-channel", python="3.9.2", path="/usr/bin/python3.9")
    plan = replace(preview.plan, python="3.9", engine="venv", engine_reason=own)
    window.navigator.put_preview(replace(preview, plan=plan))
    assert "Python: 3.9, not 3." in review_page(window).different.accessibleName()
    why = "The source has this torch for Python 3.9 only."
    qtbot.waitUntil(lambda: why in texts(window))  # the other one is here
    assert not any(one.accessibleName() == "Python: Why?" for one in visible(window, QPushButton)), "that is all of it"
    facts = window.navigator.state.facts
    assert facts is not None
    bare = replace(window.navigator.state, facts=replace(facts, machine=replace(facts.machine, pythons=())))
    monkeypatch.setattr(window.navigator, "_state", bare)
    window.navigator.put_preview(replace(preview, plan=plan))
    assert ", No source of Python answers" in review_page(window).different.accessibleName()
    qtbot.waitUntil(lambda: "No source of Python answers" in texts(window))
    assert not any("no conda channel" in words for words in texts(window)), "the few words stand alone"
    press(qtbot, why_button(qtbot, window))
    assert any("no conda channel" in words for words in texts(window))
    press(qtbot, why_button(qtbot, window))
    assert not any("no conda channel" in words for words in texts(window))


def test_an_engine_that_brings_any_python_is_no_reason_for_another_one(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    preview = window.navigator.state.preview
    assert preview is not None
    assert preview.plan.engine == "rattler"
    window.navigator.put_preview(replace(preview, plan=replace(preview.plan, python="3.11")))
    told = review_page(window).different.accessibleName()
    assert "The source has this torch for Python 3.11 only." in told
    assert "Built-in engine" not in told


def why_button(qtbot: QtBot, window: WizardWindow) -> QPushButton:
    found = lambda: [one for one in visible(window, QPushButton) if one.accessibleName() == "Python: Why?"]  # noqa: E731
    qtbot.waitUntil(lambda: bool(found()))
    return found()[0]


def test_a_reason_that_says_the_row_once_more_is_left_out() -> None:
    said = {"build": "torch 2.13.0+cpu", "wanted": "torch 2.15.0+cpu"}
    for notice in (
        message("notice.second-choice", **said),
        message("notice.companion-dropped", name="torchaudio", build=said["build"]),
    ):
        shown = difference_row(notice)
        assert (shown.because and text(shown.because, "en"), shown.why) == ("No source has it", None)


def test_the_few_words_of_a_difference_have_no_blank_that_its_notice_does_not_fill() -> None:
    known = dict(messages())
    for code, (subject, few) in _ROWS.items():
        blanks = set(re.findall(r"\{(\w+)\}", known.get(code, ""))) | {"python", "proposed"}
        assert set(re.findall(r"\{(\w+)\}", known[few])) <= blanks, code
        assert subject or "name" in blanks, code
    for code, few in _BECAUSE.items():
        blanks = set(re.findall(r"\{(\w+)\}", known[code]))
        assert set(re.findall(r"\{(\w+)\}", known[few])) <= blanks, code


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_row_of_a_difference_says_its_reason(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(language)
    go_to(qtbot, window, PageId.REVIEW)
    preview = window.navigator.state.preview
    assert preview is not None
    known, said = dict(messages()), []
    for code in (code for code in _ROWS if code in _BECAUSE):
        blanks = set(re.findall(r"\{(\w+)\}", known[code])) | {"asked", "given"}
        notice = message(code, **dict.fromkeys(blanks, "9.9"))
        window.navigator.put_preview(replace(preview, plan=replace(preview.plan, notices=(notice,))))
        because = difference_row(notice).because
        assert because is not None
        said.append(text(because, language))
        qtbot.waitUntil(lambda: said[-1] in texts(window))
    assert len(said) > 5


def test_limits_reach_the_plan_before_the_start(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    page = review_page(window)
    assert page.limits.rate.text() == "no limit"
    assert page.limits.connections.text() == "automatic"
    page.limits_fold.button.setChecked(True)
    page.limits.rate.setValue(2.5)
    page.limits.connections.setValue(2)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    assert ("set_limits", (2_500_000, 2)) in session.calls
    names = session.names()
    assert names.index("set_limits") < names.index("start")
    choices = window.navigator.state.choices
    assert (choices.limit_rate, choices.connections) == (2_500_000, 2)


def test_without_a_limit_the_plan_stays_as_it_is(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    assert "set_limits" not in session.names()


def test_limits_that_were_chosen_earlier_are_shown(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    page = review_page(window)
    page.limits.show_choices(replace(Choices(), limit_rate=10_000_000, connections=3))
    assert page.limits.limits() == (10_000_000, 3)
    assert page.limits.rate.text() == "10.0 MB/s"


def test_while_it_begins_nobody_turns_the_page(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.hold.add("start")
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: "start" in session.names())
    assert not window.footer.back.isEnabled()
    assert [page for page in ORDER if window.rail.steps[page].isEnabled()] == [PageId.REVIEW]
    session.hold.clear()
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    assert "discard" not in session.names()


@pytest.mark.parametrize("size", [(1280, 800), (1024, 640)])
def test_while_it_begins_nothing_moves_and_the_line_below_the_title_says_it(
    size: tuple[int, int], qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """A card with a bar pushed all tiles down, and Back went."""
    session.hold.add("start")
    window = make_window()
    lower(window, size)
    go_to(qtbot, window, PageId.REVIEW)
    page = review_page(window)

    def places() -> dict[QWidget, tuple[QPoint, QSize]]:
        seen = (one for one in (*page.findChildren(QWidget), *window.footer.findChildren(QWidget)) if one.isVisible())
        kinds = (one for one in seen if isinstance(one, Fold | PlanTiles | QAbstractButton | QScrollBar))
        return {one: (one.mapTo(window, QPoint()), one.size()) for one in kinds}

    qtbot.wait(200)
    before = places()
    assert window.footer.back in before
    assert "Nothing changed yet." in texts(window)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: "start" in session.names())
    qtbot.wait(200)
    now = places()  # without the tiles' ways back, which nobody may go now
    assert now == {one: before[one] for one in now}
    assert {page.tiles, page.files, window.footer.back, window.footer.primary} <= set(now)
    assert "Starting…" in texts(window)
    assert "Nothing changed yet." not in texts(window)
    assert not window.footer.primary.isEnabled()
    session.fail["start"] = WizardError(error_text("worker-not-started"))
    session.hold.clear()
    settle(qtbot, window)
    assert window.footer.back.isEnabled()
    assert "Nothing changed yet." in texts(window)


def test_a_start_that_fails_says_so_and_can_be_tried_again(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.fail["start"] = WizardError(error_text("worker-not-started"))
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    assert window.page.trouble.code == "error.worker-not-started.summary"
    assert window.footer.back.isVisible()
    session.fail.clear()
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)


def test_a_file_that_must_come_whole_first_is_seen(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window()
    session.hold.add("preview")
    session.whole_files = (FetchProgress(4_000_000, 12_000_000, 2e6, "torch-1.0-py3-none-any.whl", 0, 1),)
    steps = list(ORDER)
    go_to(qtbot, window, steps[steps.index(PageId.REVIEW) - 1])
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: "torch-1.0-py3-none-any.whl" in review_page(window).busy.accessibleName())
    assert "4 of 12 MB, 2 MB/s" in review_page(window).busy.accessibleName()
    session.hold.clear()
    settle(qtbot, window)
    assert window.footer.primary.isEnabled()


def test_who_vouches_for_the_packages_of_a_profile_stands_in_the_details(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    page, preview = review_page(window), window.navigator.state.preview
    assert preview is not None
    own = message("profile.own-word", "Nothing but the profile's own checksums vouches.")
    notices = (message("profile.unsigned"), own)
    window.navigator.put_preview(replace(preview, plan=replace(preview.plan, notices=notices)))
    assert "check with your teacher" in page.different.accessibleName()
    assert "own checksums" not in page.different.accessibleName()
    assert any("own checksums" in one.text() for one in page.more.findChildren(QLabel))


def test_a_limit_stays_for_who_goes_back_and_comes_again(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    review_page(window).limits.rate.setValue(2.5)
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    assert window.navigator.page is not PageId.REVIEW
    go_to(qtbot, window, PageId.REVIEW)
    assert review_page(window).limits.limits() == (2_500_000, None)


@pytest.mark.parametrize(
    ("left_out", "title"), [(True, "Different from the usual setup"), (False, "Not the newest versions")]
)
def test_the_box_is_titled_by_what_it_says(left_out: bool, title: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    preview = window.navigator.state.preview
    assert preview is not None
    notices = other_than_chosen(preview).plan.notices
    kept = tuple(one for one in notices if left_out or one.key.startswith("notice.held-back"))
    window.navigator.put_preview(replace(preview, plan=replace(preview.plan, notices=kept)))
    assert review_page(window).different.accessibleName().startswith(title)


def test_the_rows_of_what_differs_are_low_until_one_is_opened(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    preview = window.navigator.state.preview
    assert preview is not None
    window.navigator.put_preview(other_than_chosen(preview))
    whys = lambda: [one for one in visible(window, QPushButton) if one.accessibleName().endswith(": Why?")]  # noqa: E731
    places = lambda: [one.mapTo(window, one.rect().center()).y() for one in whys()]  # noqa: E731
    qtbot.waitUntil(lambda: len(whys()) == 2 and places()[1] - places()[0] < 2 * 46)  # a row between
    press(qtbot, whys()[0])
    qtbot.waitUntil(lambda: places()[1] - places()[0] > 46 + 55)


def test_after_a_failure_the_keys_are_at_what_mends_it(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.fail["preview"] = WizardError(error_text("lock-network"), source="X", details="")
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    page = review_page(window)
    qtbot.waitUntil(page.trouble.isVisible)
    way = page.trouble.first_way
    assert way is not None
    window.page.setFocus()
    window.page.wants_focus.emit()
    assert window.focusWidget() is way


def test_files_are_counted_once(qtbot: QtBot, make_window: MakeWindow) -> None:
    """“Files: 10” to be downloaded, Python's own among them, stood above “Files 7”."""
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    review = window.page
    assert isinstance(review, ReviewPage)
    assert review.files.button.text().startswith("&Packages")
    assert "Files" not in review.files.button.accessibleName()


def test_each_package_says_where_it_comes_from(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    """Check promises that of one's own sources."""
    window = make_window()
    page, preview = review_page(window), values.preview("r")
    own = PlanSource("packages", "simple", "user-settings", "https://li:word@lab.example/simple", "The lab's index")
    plan = replace(preview.plan, sources=(*preview.plan.sources, own))
    first, second, *others = preview.lock.files
    files = (first, replace(second, listed_by="https://lab.example/simple"), *others)
    go_to(qtbot, window, PageId.REVIEW)
    window.navigator.put_preview(replace(preview, plan=plan, lock=replace(preview.lock, files=files)))
    page.files.button.setChecked(True)
    shown = [one.text() for one in page.files.findChildren(QLabel) if one.isVisible()]
    assert shown.count("The lab's index") == 1
    assert {urlsplit(one.urls[0]).hostname for one in (first, *others)} <= set(shown)


def test_the_disk_of_an_environment_that_is_there_counts_the_store(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    page, preview = review_page(window), values.preview("r")
    go_to(qtbot, window, PageId.REVIEW)
    told = (
        message("environments.volume.environment", path="/e", needed=0, free=81, total=256),
        message("environments.volume.cache", path="/c", needed=0.46, free=81),
    )
    window.navigator.put_preview(replace(preview, changes=told))
    assert page.tiles.disk.words == "Disk: 0.46 GB, 81 GB free"
