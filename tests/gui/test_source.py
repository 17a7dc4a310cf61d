"""The Source page: where from, rows that fill in while the race goes on, a mirror for good."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui import scenes
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.walking import choose, go_to, lower, press, settle, source_page, texts, typed
from tests.sentences import error_text
from wizard.app.pages.order import PageId
from wizard.gui.pages.source.page import SourcePage
from wizard.gui.widgets.advice import Advice
from wizard.model.errors import UsageError, WizardError
from wizard.model.marks import in_window
from wizard.model.messages import message
from wizard.run.select.origin import PIN_DIFFERS
from wizard.sources.model import Availability, Origin, SourceStatus
from wizard.sources.table import mirror_rows
from wizard.transfer.proxy.model import Mode, Network


def test_where_from_is_a_choice_and_asks_again(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    named = {page.where.choice.itemText(place) for place in range(page.where.choice.count())}
    assert {"Automatic", "Nanjing University", "Alibaba Cloud", "Tsinghua University TUNA"} <= named
    for word in ("official", "race", "tuna", "auto"):
        choose(page, word)
        settle(qtbot, window)
        assert window.navigator.state.choices.mirrors == word
        assert page.where.choice.currentData() == word
    asked = [value.mirrors for name, value in session.calls if name == "select_build"]
    assert asked == ["auto", "official", "race", "tuna", "auto"]
    assert "Tsinghua" not in page.where.why


@pytest.mark.parametrize(("word", "said"), [("cn", "in China"), ("world", "Official servers first")])
def test_the_region_is_guessed_and_can_be_said(
    word: str, said: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    page.network_fold.button.setChecked(True)
    place = page.region.choice.findData(word)
    page.region.choice.setCurrentIndex(place)
    page.region.choice.activated.emit(place)
    settle(qtbot, window)
    assert window.navigator.state.choices.region == word
    assert said in page.where.why


def test_an_own_address_is_said_where_the_source_is_chosen(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    page.by_hand.torch.setText("https://lab.example/whl")
    page.by_hand.left.emit()
    settle(qtbot, window)
    assert page.where.why == "Your own address below is used; this choice is for everything else."
    page.by_hand.torch.clear()
    page.by_hand.left.emit()
    settle(qtbot, window)
    assert page.where.why.startswith("Official servers first")


def test_rows_fill_in_while_the_race_goes_on(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.hold.add("select_build")
    session.told = scenes.told()
    window = make_window()
    go_to(qtbot, window, PageId.BUILD)
    press(qtbot, window.footer.primary)
    expected = {"Nanjing University", "38.2 MB/s", "measuring…", "Redirects to download.pytorch.org"}
    qtbot.waitUntil(lambda: expected <= set(texts(window)))
    assert not window.footer.primary.isEnabled()
    window.rail.languages["zh_CN"].click()
    assert {"南京大学", "测速中…"} <= set(texts(window)), "in the window's language, while it goes on"
    assert not window.page.busy.isVisible(), "the rows say it, and nothing moves up when all are measured"
    window.rail.languages["en"].click()
    session.selected = values.PROBED_SELECTED
    session.hold.clear()
    settle(qtbot, window)
    qtbot.waitUntil(lambda: "4.1 MB/s" in texts(window))
    shown = texts(window)
    assert "measuring…" not in shown
    assert {"Measured 2 h ago, with the file to be installed.", "2.48 GB", "about 1 min 5 s", "about 10 min"} <= {
        *shown
    }
    page = source_page(window)
    assert page.first_control() is page.tables["torch"].chosen_choice, "in sight, as what is folded may not be"
    assert window.focusWidget() is not page.fold.button
    lines = page.tables["torch"].lines
    assert [line.radio.isChecked() for line in lines] == [True, False, False]
    assert [line.bar.value() for line in lines] == [1000, 108, 0]
    assert "1 min 5 s" in lines[0].radio.accessibleName()
    assert page.tables["packages"].lines[0].bar.value() == 178, "6.8 of 38.2: one scale for all of them"


def test_how_long_the_other_packages_take_is_said_where_the_plan_is_known(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.selected = values.PROBED_SELECTED
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    line = source_page(window).tables["packages"].lines[0]
    assert line.time.text() == ""
    go_to(qtbot, window, PageId.REVIEW)
    window.navigator.go_to(PageId.SOURCE)
    assert window.page is source_page(window)
    assert line.time.text() == "about 1 min", "416 MB at 6.8 MB/s"


@pytest.mark.parametrize(("width", "is_beside"), [(624, False), (1080, True)])
def test_a_source_has_its_whole_name_in_any_window(
    width: int, is_beside: bool, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.selected = values.PROBED_SELECTED
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    window.setMinimumSize(1, 1)
    window.resize(width, 600)
    lines = source_page(window).tables["torch"].lines

    def cut() -> list[str]:
        words = ((line.name, max(line.name.text().split(), key=len)) for line in lines)
        return [word for name, word in words if name.width() < name.fontMetrics().horizontalAdvance(word)]

    qtbot.waitUntil(lambda: not cut() and (lines[0].bar.y() < lines[0].height() // 2) is is_beside)


def test_a_row_is_chosen_and_the_others_stay_choices(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.selected = values.PROBED_SELECTED
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    lines = source_page(window).tables["torch"].lines
    qtbot.waitUntil(lambda: lines[0].radio.isVisible())
    assert [line.radio.isVisible() for line in lines] == [True, True, False], "one sends to another host: no choice"
    official = replace(values.PROBED[1], rate=None)
    session.selected = replace(values.PROBED_SELECTED, torch_source=values.OFFICIAL, states=(official,))
    press(qtbot, lines[1].radio)
    qtbot.waitUntil(lambda: window.navigator.state.choices.mirrors == "official")
    settle(qtbot, window)
    rows = source_page(window).tables["torch"].rows
    assert [(row.source, bool(row.uses)) for row in rows] == [
        (values.TORCH_SOURCE, False),
        (values.OFFICIAL, True),
        (values.FLAT, False),
    ]
    assert rows[1].rate == values.PROBED[1].rate, "what was measured before is not forgotten"
    assert [line.radio.isChecked() for line in source_page(window).tables["torch"].lines] == [False, True, False]


@pytest.mark.parametrize("by_mouse", [False, True])
def test_a_choice_moves_no_row(by_mouse: bool, qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    """The chosen row went to the top: the Down key came never farther than the second of three."""
    mirror = next(row for row in mirror_rows() if row.kind == "pytorch-wheels" and row.id != "nju")
    other = replace(values.TORCH_SOURCE, id="other-cu126", row=mirror)
    third = replace(values.PROBED[0], source=other, rate=2_000_000)
    three = (*values.PROBED[:2], third)
    session.selected = replace(values.PROBED_SELECTED, states=(*three, *values.PROBED[3:]))
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    shown = source_page(window).tables["torch"]
    sources = [row.source for row in three]
    qtbot.waitUntil(lambda: len(shown.lines) == 3)
    shown.lines[0].radio.setFocus()
    for place, word in ((1, "official"), (2, mirror.id)):
        now = replace(three[place], rate=None)
        session.selected = replace(values.PROBED_SELECTED, torch_source=now.source, states=(now,))
        session.hold.add("select_build")
        if by_mouse:
            press(qtbot, shown.lines[place].radio)
        else:
            qtbot.keyClick(shown.lines[place - 1].radio, Qt.Key.Key_Down)
        qtbot.waitUntil(lambda word=word: window.navigator.state.choices.mirrors == word)  # type: ignore[misc]
        for _ in ("while it is asked for", "and then"):
            assert [row.source for row in shown.rows] == sources
            assert [line.radio.isChecked() for line in shown.lines] == [at == place for at in range(3)]
            assert window.focusWidget() is shown.lines[place].radio
            session.hold.clear()
            settle(qtbot, window)


def test_what_was_never_measured_has_no_age(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    assert any("Not measured" in text for text in texts(window))
    assert not any("h ago" in text for text in texts(window))


def test_asking_again_takes_nothing_that_was_kept(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    press(qtbot, source_page(window).again)
    settle(qtbot, window)
    assert session.fresh == [False, True]


@pytest.mark.parametrize("width", [0, 560, 480])
def test_while_all_are_measured_again_the_rows_stay_with_their_old_speeds_marked(
    width: int, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.selected = values.PROBED_SELECTED
    window = make_window()
    if width:
        lower(window, (width, 640))
    go_to(qtbot, window, PageId.SOURCE)
    qtbot.wait(150)
    page = source_page(window)
    lines = page.tables["torch"].lines
    before = [(line.name.text(), line.y(), line.height()) for line in lines]
    chosen = [(line.radio.isChecked(), line.property("chosen")) for line in lines]
    assert (True, True) in chosen
    session.hold.add("select_build")
    session.told = scenes.told(2)  # the first is measured, the second is being measured
    press(qtbot, page.again)
    qtbot.waitUntil(lambda: "measuring…" in texts(window), timeout=5000)
    assert [line.name.text() for line in lines] == [name for name, _, _ in before]
    moved = [
        max(abs(line.y() - y), abs(line.height() - height)) for line, (_, y, height) in zip(lines, before, strict=True)
    ]
    assert max(moved) <= 1, "pixels"
    assert [(line.radio.isChecked(), line.property("chosen")) for line in lines] == chosen, "until the end"
    assert not page.busy.isVisible()
    marked = [
        line.rate.text()
        for table in page.tables.values()
        for line in table.lines
        if "measured before" in line.words.text()
    ]
    assert marked, "those that have not answered say that their speed is an old one"
    session.hold.clear()
    settle(qtbot, window)
    assert "measured before" not in " ".join(texts(window))


def test_where_no_channel_answers_the_python_that_is_used_is_named(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    selected = window.navigator.state.selected
    assert selected is not None
    why = message("environments.reason.venv-no-channel", python="3.11.7", path="/usr/bin/python3")
    window.navigator.put_selected_build(replace(selected, engine="venv", engine_reason=why))
    said = source_page(window).tables["conda"]._lost.text()
    assert "own Python 3.11.7" in said


def test_none_at_all(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.wish = Network(Mode.CUSTOM, "http://127.0.0.1:9")
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    page.network_fold.button.setChecked(True)
    assert page.network.modes[Mode.CUSTOM].isChecked()
    page.network.modes[Mode.NONE].setChecked(True)
    press(qtbot, page.network.apply)
    settle(qtbot, window)
    assert session.wish == Network(Mode.NONE)


def test_who_did_not_answer_is_not_said_to_have_answered(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    silent = replace(values.PROBED[0], availability=Availability.SILENT, message=message("truth.silent"), rate=None)
    session.selected = replace(values.PROBED_SELECTED, torch_source=values.OFFICIAL, states=(values.PROBED[1], silent))
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    answers, is_silent = source_page(window).tables["torch"].lines
    assert "answered in" in answers.name.toolTip()
    assert "answered in" not in is_silent.name.toolTip()
    assert not is_silent.radio.isVisible()


def test_a_wrong_address_is_told_below_its_field_once_the_field_is_left(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    press(qtbot, page.fold.button)
    session.fail["select_build"] = UsageError("bad-address", address="foo bar", option="--index")
    field = page.by_hand.packages
    typed(qtbot, field, "foo bar")
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    qtbot.waitUntil(page.trouble.isVisible)
    assert session.names().count("select_build") == 2, "asked without a further press"
    top = page.trouble.mapTo(page, page.trouble.rect().topLeft()).y()
    assert 0 < top - field.mapTo(page, field.rect().bottomLeft()).y() < 16
    assert [bool(one.property("wrong")) for one in page.by_hand._fields] == [False, True, False, False]
    session.fail.clear()
    typed(qtbot, field, "https://lab.example/simple")
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    settle(qtbot, window)
    assert not page.trouble.isVisible()
    assert not field.property("wrong")
    assert window.navigator.state.choices.index == "https://lab.example/simple"


@pytest.mark.parametrize(
    ("code", "fold"),
    [("no-source", "fold"), ("no-source-some-silent", "fold"), ("no-source-answers", "network_fold")],
)
def test_where_no_source_will_do_the_way_out_is_open_on_this_page(
    code: str, fold: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.fail["select_build"] = WizardError(
        error_text(code), build="torch 2.15.0+cpu", reasons=(), silent="2", asked="3"
    )
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    qtbot.waitUntil(page.trouble.isVisible)
    assert getattr(page, fold).button.isChecked()
    assert "“Source”" not in page.trouble.plain_text()
    assert "below" in page.trouble.plain_text()
    assert not any("is asked for" in words for words in texts(window)), "nobody is asked any more"


def test_a_source_with_another_file_is_left_on_this_page(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """Who stands on Source is not sent there, and reads what package it is, not its file's long name."""
    session.fail["select_build"] = WizardError(
        PIN_DIFFERS, source="Your choice", place="lab.example", file="torch-2.15.0-cp312.whl", package="torch 2.15.0"
    )
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    qtbot.waitUntil(page.trouble.isVisible)
    words = page.trouble.plain_text()
    assert "lab.example offers torch 2.15.0 with another SHA-256" in words
    assert not any(one in words for one in ("“Source”", ".whl", "Your choice"))


def is_in_sight(page: SourcePage, widget: QWidget) -> bool:
    viewport = page._scroll.viewport()
    return widget.isVisible() and viewport.rect().contains(widget.mapTo(viewport, widget.rect().center()))


def test_the_name_of_this_page_is_no_link(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.fail["select_build"] = WizardError("x", "No source.", "See (page {page.source}) and {page.build}.")
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    qtbot.waitUntil(page.trouble.isVisible)
    added = Advice(in_window("On the page {page.source}."))
    page.body.addWidget(added)
    added.show()
    for said, links in ((page.trouble._do, ["build"]), (added, [])):
        assert "“Source”" in said.text()
        assert re.findall('href="([^"]*)"', said.label.text()) == links
        assert "Source" not in said.label.accessibleDescription()
    window.navigator.go_to(PageId.CHECK)
    elsewhere = Advice(in_window("On the page {page.source}."))
    window.page.body.addWidget(elsewhere)
    elsewhere.show()
    assert 'href="source"' in elsewhere.label.text()


def test_a_python_that_is_not_here_gives_way_to_one_that_is(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    lacking = "This computer has no Python 3.15.", "Choose another Python version."
    session.fail["select_build"] = UsageError("engine-venv-no-python", *lacking)
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    qtbot.waitUntil(page.trouble.isVisible)
    assert page.trouble.again.text().replace("&", "") == "Use Python 3.12"
    session.fail.clear()
    press(qtbot, page.trouble.again)
    settle(qtbot, window)
    assert not page.trouble.isVisible()
    assert window.navigator.state.choices.python == "3.12"
    assert window.navigator.state.selected is not None


def test_no_python_is_offered_that_a_source_of_ones_own_may_lack(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.fail["select_build"] = UsageError("engine-venv-no-python", "There is no Python 3.15.", "Choose another.")
    window = make_window()
    go_to(qtbot, window, PageId.BUILD)
    navigator = window.navigator
    navigator.put_sources(replace(navigator.state.choices, torch_index="https://wheels.example/torch"))
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    qtbot.waitUntil(page.trouble.isVisible)
    assert page.trouble.again.isHidden()


def test_what_is_asked_too_and_what_becomes_different_are_told_as_such(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    own = replace(values.TUNA, id="own", origin=Origin.USER_SETTINGS, url="file:///opt/wheels", name="own")
    missing = SourceStatus(own, Availability.MISSING, message("truth.missing"), kind="packages")
    how = message("error.source-offline.summary", source="PyTorch")
    lost = replace(values.PROBED[2], availability=Availability.UNREACHABLE, message=how)
    dropped = message("notice.companion-dropped", name="torchvision", build="torch 2.14.1+cu126")
    session.selected = replace(
        values.PROBED_SELECTED,
        package_sources=(*values.PROBED_SELECTED.package_sources, own),
        states=(*values.PROBED[:2], lost, missing),
        notices=(dropped, message("race.official-silent", source="PyTorch")),
    )
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    qtbot.waitUntil(page.different.isVisible)
    assert "torchvision: Left out" in page.different.accessibleName()
    assert "torchvision" not in page._notices.text()
    qtbot.waitUntil(lambda: {"Also used · file:///opt/wheels", "Cannot be reached"} <= set(texts(window)))
    assert not any(words.startswith("Does not have") for words in texts(window))


def test_a_channel_of_ones_own_is_not_called_official(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    own = "https://conda.lab.example/forge"
    official = next(row for row in mirror_rows() if (row.kind, row.id) == ("conda-forge", "official")).address()
    for url, word in ((own, "Your own"), (official, "Official")):
        session.selected = replace(values.SELECTED, channels=(url,), states=())
        window = make_window()
        go_to(qtbot, window, PageId.SOURCE)
        (line,) = source_page(window).tables["conda"].lines
        assert line.words.text().startswith(word)
        assert (own in line.words.text()) is (url == own)
        window.close()


def test_the_fold_by_hand_says_that_an_own_address_is_used(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    assert "Your own" not in texts(window)
    page.by_hand.packages.setText("https://a.example/simple")
    window.navigator.put_sources(page.by_hand.put_into(window.navigator.state.choices))
    assert "Your own" in texts(window)
