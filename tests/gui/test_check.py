"""The Check page: rows that fill in, settings that are mended after they were shown, the driver, what has drifted."""

from __future__ import annotations

import re
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.compatibility.machines import FOLDER
from tests.gui import scenes
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.walking import go_to, lower, press, settle, texts, visible
from tests.sentences import error_text
from wizard.app.pages.check import Looks, check_rows, is_fine, live_rows, other_findings
from wizard.app.pages.order import PageId
from wizard.app.pages.requirements import requirements, with_lint
from wizard.gui.pages.check import CheckPage
from wizard.gui.pages.check_rows import CheckRows, DriverPanel
from wizard.gui.shell.window import WizardWindow
from wizard.gui.widgets.code import CodeLine
from wizard.gui.widgets.frames import Fold, RowCell
from wizard.machine.machine_file import read_machine_file
from wizard.machine.model import MigInstance
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, text
from wizard.sources.model import UserSettings
from wizard.transfer.proxy.tunnel import is_reachable
from wizard.undo.journal import UndoJournal


def check_page(window: WizardWindow) -> CheckPage:
    page = window.pages[PageId.CHECK]
    assert isinstance(page, CheckPage)
    return page


def button(window: WizardWindow, words: str) -> QPushButton:
    found = [
        one for one in visible(window, QPushButton) if isinstance(one, QPushButton) and one.text().startswith(words)
    ]
    assert found, words
    return found[0]


# -- the rows, without a window


def test_a_row_waits_for_all_its_parts() -> None:
    rows = live_rows(values.FACTS.requirements, frozenset({"nvml", "nvidia-smi", "volumes"}))
    assert {one.name: one.is_known for one in rows} == {
        "gpu": False,
        "driver": False,
        "toolkit": False,
        "python": False,
        "conda": False,
        "disk": True,
        "system": True,
        "restart": True,
        "runtime": True,
        "path": True,
    }
    assert [row.name for one in rows for row in one.rows] == ["disk"]


def test_findings_of_this_install_stand_with_the_facts_and_the_others_apart(session: FakeSession) -> None:
    scenes.rich(session)
    rows = check_rows(session.facts, session.looks)
    assert [row.finding.code for row in rows if row.finding] == ["dead-mirror"]
    others = other_findings(session.looks)
    assert "conda-cpu-order" in [row.finding.code for row in others if row.finding]
    assert len(others) + 1 == len(session.looks.findings)


@pytest.mark.parametrize(
    ("pip", "state", "met"),
    [
        ("index-url = https://pypi.douban.com/simple", "warning", "Using another."),
        ("index-url = http://lab.example/simple", "warning", "Setup takes another source."),
        ("find-links = /srv/wheels  # ours", "warning", "Setup works around it."),
        ("cert = /not/there.pem", "problem", "Setup fails until it is mended."),
        ("no-index = true", "problem", "Setup fails until it is mended."),
        ("index-url = https://download.pytorch.org/whl/cu126", "problem", "Setup fails until it is mended."),
    ],
)
def test_a_setting_says_whether_it_hinders_the_setup(pip: str, state: str, met: str, session: FakeSession) -> None:
    """What breaks pip by itself is no problem here where setup goes on without it."""
    scenes.write_settings(session).write_text(f"[global]\n{pip}\n", encoding="utf-8")
    looks = Looks(scenes.findings(session))
    told = [(row.state, text(row.met, "en")) for row in check_rows(session.facts, looks) if row.met is not None]
    assert told == [(state, met)]
    (row,) = with_lint((), looks.findings)
    assert row.state == state, "so that Next shows each step"


def test_whether_a_setting_hinders_is_read_with_it(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    _, window = _found(qtbot, make_window, session)
    said = "pypi.douban.com/simple: no answer. Using another."
    assert said in texts(window)
    press(qtbot, check_page(window).copy)
    assert f"Settings: {said}" in QGuiApplication.clipboard().text()


def test_the_network_is_a_row_and_hides_a_password() -> None:
    facts = replace(values.FACTS, requirements=(), settings=UserSettings(environment={"NO_PROXY": "localhost"}))
    row = check_rows(facts, None)[0]
    assert (row.fact.key, row.state) == ("page.check.direct", "note"), "nothing was asked: no tick"
    assert "is tested in a later step" in text(row.fact, "en")
    proxy = UserSettings(environment={"HTTPS_PROXY": "http://me:word@proxy.example:3128"})
    row = check_rows(replace(facts, settings=proxy), None)[0]
    assert row.fact.key == "page.check.proxy"
    assert "word" not in str(row.fact.params)
    assert "proxy.example:3128" in str(row.fact.params)


def test_a_proxy_that_does_not_answer_is_said_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        alive = f"http://127.0.0.1:{server.getsockname()[1]}"
        assert is_reachable(alive)
    assert not is_reachable(alive)
    facts = replace(values.FACTS, requirements=(), settings=UserSettings(environment={"HTTPS_PROXY": alive}))
    (row,) = check_rows(facts, Looks(has_dead_proxy=True))
    assert (row.fact.key, row.state) == ("page.check.proxy-dead", "warning")
    assert not is_fine(row), "it stands open, with what to do"
    assert row.fix is not None


def test_a_driver_that_would_give_more_is_a_note_with_the_way_to_it(session: FakeSession) -> None:
    scenes.rich(session)
    good = replace(values.FACTS.requirements[1], state="ok", why=None, fix=None)
    row = check_rows(replace(session.facts, requirements=(good,)), session.looks)[0]
    assert (row.name, row.state) == ("driver", "note")
    assert row.why is not None
    assert row.why.key == "page.check.driver-update"
    assert re.search(r"torch \d[\d.]+ \+ CUDA \d+\.\d\.$", text(row.why, "en")), "as Build says it"
    assert row.guide is session.looks.guide


# -- the page


def test_another_makers_card_is_named_on_one_line_in_a_usual_window(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """It broke before its last word: the column of the names was wider than the widest of them."""
    machine = read_machine_file(FOLDER.parent / "other_makers" / "rx-7900-xtx-linux.json")
    session.facts = replace(session.facts, machine=machine, requirements=requirements(machine, UserSettings()))
    window = make_window()
    lower(window, (1280, 800))
    go_to(qtbot, window, PageId.CHECK)

    def lines() -> list[int]:
        shown = (one for one in visible(window, QLabel) if isinstance(one, QLabel) and one.text().endswith("gfx1100)"))
        return [one.heightForWidth(one.width()) // one.fontMetrics().lineSpacing() for one in shown]

    qtbot.waitUntil(lambda: lines() == [1], timeout=10_000)


def test_another_makers_card_is_named_with_its_lines(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    machine = read_machine_file(FOLDER.parent / "other_makers" / "rx-7900-xtx-linux.json")
    session.facts = replace(session.facts, machine=machine, requirements=requirements(machine, UserSettings()))
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    qtbot.waitUntil(lambda: any("Radeon RX 7900 XT" in one for one in texts(window)))
    told = "\n".join(texts(window))
    assert "PyTorch uses the processor: slower" in told
    assert "AMD offers" not in told, "what its maker offers is folded away"
    press(qtbot, next(one for one in visible(window, QPushButton) if one.text() == "What to do"))
    qtbot.waitUntil(lambda: any("AMD offers" in one for one in texts(window)))
    told = "\n".join(texts(window))
    assert "torch[device" not in told, "and so is a command"
    folds = (one for one in visible(window, Fold) if isinstance(one, Fold) and one.button.text() == "In a terminal")
    fold = next(folds)
    fold.button.click()
    line = next(one for one in fold.findChildren(CodeLine) if '"torch[device-gfx1100]"' in one.code)
    qtbot.waitUntil(line.isVisible)
    press(qtbot, line.button)
    assert QGuiApplication.clipboard().text() == line.code
    assert "No NVIDIA" not in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_parts_of_a_card_open_how_one_is_chosen(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """Nothing has to be done about them."""
    parts = tuple(MigInstance("1g.10gb", 10 * 2**30, name) for name in ("MIG-1", "MIG-2"))
    card = replace(values.MACHINE.nvidia_gpus[0], mig=parts)
    machine = replace(values.MACHINE, gpus=(card,))
    session.facts = replace(session.facts, machine=machine, requirements=requirements(machine, UserSettings()))
    window = make_window(language)
    go_to(qtbot, window, PageId.CHECK)
    assert [row.name for row in check_rows(session.facts, None)].count("gpu") == 1, "it is one card"

    def row() -> str:
        """What is said of the card in one row."""
        said = (one.words for one in visible(window, RowCell) if isinstance(one, RowCell))
        return next((words for words in said if "GTX 1660" in words), "")

    qtbot.waitUntil(lambda: "1g.10gb (10 GB)" in row(), timeout=10_000)
    words = {"en": "How to choose", "zh_CN": "如何选用分区"}[language]
    qtbot.waitUntil(lambda: any(one.text() == words for one in visible(window, QPushButton)))
    opener = button(window, words)
    assert words in opener.accessibleName()
    said = {"en": "Programs use the first part", "zh_CN": "程序使用第一个分区"}[language]
    assert said in opener.accessibleDescription()
    fix = next(row.fix for row in session.facts.requirements if row.fix and "uuid" in row.fix.params)
    assert fix.params["uuid"] == "MIG-2", "the first is used anyhow"
    alone = replace(machine, gpus=(replace(card, mig=parts[:1]),))
    assert not any(row.fix for row in requirements(alone, UserSettings()) if row.fact.key == "check.gpu.mig")


def test_rows_in_order_are_one_line_whose_tip_names_them(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    page = check_page(window)
    fine = [row for row in check_rows(session.facts, None) if is_fine(row)]
    assert {"gpu", "driver"}.isdisjoint(row.name for row in fine), "the card and its driver are always seen"
    qtbot.waitUntil(lambda: "NVIDIA GeForce GTX 1660 Ti, 6 GB" in texts(window))
    named = page.fine.button.toolTip()
    assert sum(counted(page)) == len(named.split(", ")) == len({row.name for row in fine})
    assert not any("toolkit 11.2" in one for one in texts(window))
    page.fine.button.setChecked(True)
    qtbot.waitUntil(lambda: any("toolkit 11.2" in one for one in texts(window)))


def test_the_line_counts_the_rows_that_it_unfolds(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    """Two disks are two rows of one name."""
    disk = next(one for one in session.facts.requirements if one.name == "disk")
    session.facts = replace(session.facts, requirements=(*session.facts.requirements, disk))
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    page = check_page(window)
    rows = [row for row in check_rows(session.facts, None) if is_fine(row)]
    assert [row.name for row in rows].count("disk") == 2
    qtbot.waitUntil(lambda: sum(counted(page)) == len(rows))
    assert page.fine.button.toolTip().count("Disk") == 1


def counted(page: CheckPage) -> list[int]:
    return [int(one) for one in re.findall(r"\d+", page.fine.button.accessibleName())]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_line_calls_no_note_ok(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, heard: list[str]
) -> None:
    """And nobody hears at once what is folded away."""
    window = make_window(language)
    go_to(qtbot, window, PageId.CHECK)
    page = check_page(window)
    fine = [row for row in check_rows(session.facts, None) if is_fine(row)]
    states = [row.state for row in fine]
    qtbot.waitUntil(lambda: counted(page) == [states.count("ok"), states.count("note")])
    assert 0 < states.count("note") < len(states)
    assert ("notes" in page.fine.button.accessibleName()) == (language == "en" and states.count("note") > 1)
    assert "in order" not in page.fine.button.accessibleDescription()
    qtbot.waitUntil(lambda: window.navigator.state.looks is not None and not window.tasks.busy)
    said = "\n".join(heard)
    assert not any(text(row.fact, language) in said for row in fine)
    assert page._counted([row for row in fine if row.state == "note"]).startswith(("2 ", "1 ", "另有"))


def test_rows_fill_in_as_the_parts_end(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.hold.add("probe")
    session.parts = ("nvml", "nvidia-smi", "devices", "toolkits")
    window = make_window()
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: "NVIDIA GeForce GTX 1660 Ti, 6 GB" in texts(window))
    assert texts(window).count("• Checking…") == 3
    assert not window.footer.primary.isEnabled()
    session.hold.clear()
    settle(qtbot, window)
    qtbot.waitUntil(lambda: "• Checking…" not in texts(window))


def test_rows_are_made_when_there_is_news_and_once_for_parts_that_end_together(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    page = check_page(window)
    card, made = page.rows.grid.parentWidget(), []
    page.render_state()
    assert page.rows.grid.parentWidget() is card
    monkeypatch.setattr(CheckRows, "show_live", lambda self, live: made.append(live))
    press(qtbot, page.again)
    settle(qtbot, window)
    assert 0 < len(made) < len(session.parts)


def test_a_fix_shows_the_change_first_then_writes_it_and_looks_again(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    pip, window = _found(qtbot, make_window, session)
    page = check_page(window)
    before = pip.read_text(encoding="utf-8")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    press(qtbot, page.rows.fixes["dead-mirror"])
    settle(qtbot, window)
    qtbot.waitUntil(lambda: page.rows.write.isVisible())
    assert window.isActiveWindow(), "no button was a window of its own for a moment"
    assert pip.read_text(encoding="utf-8") == before, "only shown"
    window.rail.languages["zh_CN"].click()
    assert not page.rows.write.isHidden(), "it stays open in another language"
    window.rail.languages["en"].click()
    probes = session.names().count("probe")
    qtbot.waitUntil(lambda: page.rows.write.isVisible())
    press(qtbot, page.rows.write)
    settle(qtbot, window)
    after = pip.read_text(encoding="utf-8")
    assert "douban.com/simple" not in after
    assert "# our lab's settings, please keep" in after
    assert session.names().count("probe") == probes + 1
    assert "dead-mirror" not in page.rows.fixes
    qtbot.waitUntil(lambda: any("“Undo changes” takes it back" in text for text in texts(window)))
    assert len(UndoJournal().changes()) == 1


def test_a_fix_that_was_looked_at_can_be_left(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    pip, window = _found(qtbot, make_window, session)
    page, before = check_page(window), pip.read_bytes()
    for close in (lambda: press(qtbot, page.rows.leave_it), page.escape):
        press(qtbot, page.rows.fixes["dead-mirror"])
        settle(qtbot, window)
        qtbot.waitUntil(lambda: page.rows.write.isVisible())
        close()
        assert page.rows._fix is None
    assert pip.read_bytes() == before
    assert "mend" not in session.names()


def test_a_fix_that_cannot_be_written_says_so(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    pip, window = _found(qtbot, make_window, session)
    page = check_page(window)
    press(qtbot, page.rows.fixes["dead-mirror"])
    settle(qtbot, window)
    qtbot.waitUntil(lambda: page.rows.write.isVisible())
    pip.write_text("[global]\n", encoding="utf-8")
    press(qtbot, page.rows.write)
    settle(qtbot, window)
    assert page.trouble.code == "error.undo-changed-meanwhile.summary"
    assert page.rows._fix is None
    assert pip.read_text(encoding="utf-8") == "[global]\n"


def test_other_settings_are_folded_away_and_can_be_mended_too(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    _, window = _found(qtbot, make_window, session)
    page = check_page(window)
    assert not page.others.isVisible()
    page.fold.button.setChecked(True)
    qtbot.waitUntil(lambda: page.others.fixes["conda-cpu-order"].isVisible())
    page.others.fixes["conda-cpu-order"].click()
    settle(qtbot, window)
    qtbot.waitUntil(lambda: page.others.write.isVisible())
    page.others.write.click()
    settle(qtbot, window)
    conda = (session.around.home / ".condarc").read_text(encoding="utf-8")
    assert "# for the course" in conda
    assert conda != scenes.CONDARC


def test_the_way_to_the_driver_is_advice_with_lines_to_copy(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    _, window = _found(qtbot, make_window, session)
    press(qtbot, button(window, "How to update"))
    panel = next(one for one in visible(window, DriverPanel) if isinstance(one, DriverPanel))
    assert opened == []
    guide = session.looks.guide
    assert guide is not None
    assert [line.code for line in panel.lines] == list(guide.install)
    assert not any(line.isVisible() for line in panel.lines), "nobody has to type"
    press(qtbot, panel.fold.button)
    qtbot.waitUntil(lambda: panel.lines[-1].button.isVisible())
    panel.lines[-1].button.click()
    assert "nvidia-driver-580" in QGuiApplication.clipboard().text()
    panel.page.click()
    assert opened == [guide.page]


@pytest.mark.slow
def test_what_has_drifted_is_named_with_who_brought_it(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    _, window = _found(qtbot, make_window, session)
    check_page(window).fold.button.setChecked(True)
    qtbot.waitUntil(lambda: "fancy-diffusion" in " ".join(texts(window)))
    said = " ".join(texts(window))
    assert "torch was 2.14.1+cu126 and is now 2.15.0" in said
    assert "fancy-diffusion" in said


def test_looks_that_fail_do_not_hold_anybody_up(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.fail["look_over"] = WizardError(error_text("window-unexpected"), what="X")
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    assert window.page.trouble.isVisible()
    assert window.footer.primary.isEnabled()


def test_copied_facts_have_every_row(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    _, window = _found(qtbot, make_window, session)
    press(qtbot, check_page(window).copy)
    copied = QGuiApplication.clipboard().text().splitlines()
    rows = check_rows(session.facts, session.looks)
    assert len(copied) == len(rows) + 1 + len(other_findings(session.looks))


def _found(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> tuple[Path, WizardWindow]:
    scenes.rich(session)
    window = make_window()
    window.resize(1080, 1600)
    go_to(qtbot, window, PageId.CHECK)
    qtbot.waitUntil(lambda: isinstance(window.navigator.state.looks, Looks))
    qtbot.waitUntil(lambda: check_page(window).rows.fixes["dead-mirror"].isVisible())
    return session.around.home / ".config" / "pip" / "pip.conf", window
