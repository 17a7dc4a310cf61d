"""A path of Windows is shown whole in a narrow window, and copied as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QDesktopServices, QTextDocument, QTextLayout
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.sentences import messages
from wizard.gui.shell.theme import colour_now
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.code import CodeLine
from wizard.gui.widgets.frames import Fold, column
from wizard.gui.widgets.headings import tell_headings
from wizard.gui.widgets.labels import JOINT, in_a_row, label, plain_tip, selectable, spoken, without_key
from wizard.model.catalogue import translate
from wizard.model.marks import END, PAGE, in_window
from wizard.model.messages import LANGUAGES, text
from wizard.sources.known_sources import _user
from wizard.sources.model import Layout

PATH = "C:\\" + "\\".join(["folders"] * 20) + "\\pip.ini"


def test_a_path_with_backslashes_ends_lines(qtbot: QtBot) -> None:
    made = label(PATH)
    qtbot.addWidget(made)
    longest = made.fontMetrics().horizontalAdvance("folders\\" * 6)
    assert made.heightForWidth(longest) >= 4 * made.fontMetrics().lineSpacing()
    assert made.text() == PATH


def test_what_is_copied_has_no_breaks(qtbot: QtBot) -> None:
    made = selectable(label(PATH))
    qtbot.addWidget(made)
    made.setSelection(0, len(PATH) + PATH.count("\\"))
    QApplication.clipboard().clear()
    qtbot.keyClick(made, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == PATH


def test_a_pin_ends_a_line_before_its_version(qtbot: QtBot) -> None:
    made = label("torch==1.13.1+cu117")
    qtbot.addWidget(made)
    made.resize(made.fontMetrics().horizontalAdvance("1.13.1+cu117") + 4, 100)
    assert lines_of(made) == ["torch==", "1.13.1+cu117"]
    assert made.text() == made.accessibleName() == "torch==1.13.1+cu117"


def test_a_screen_reader_hears_the_words_without_the_signs(qtbot: QtBot) -> None:
    path, code, plain = label(PATH), CodeLine(f"cd {'/folders' * 20}"), label("Python 3.12")
    for one in (path, code, plain):
        qtbot.addWidget(one)
    code.resize(400, 300)
    code.grab()  # lays it out
    assert path.accessibleName() == PATH
    assert code._label.accessibleName() == code.code
    assert plain.accessibleName() == ""
    path.setText("Python 3.12")
    assert path.accessibleName() == ""
    tell_headings()
    advice = Advice(in_window("See https://a.example/x, then run “`pip install uv`”.", "en"))
    qtbot.addWidget(advice)
    assert 'href="https://a.example/x"' in advice.label.text().replace("\u2060", "")
    assert advice.label.accessibleName() == "See https://a.example/x, then run the command below."
    assert advice.label.accessibleDescription() == "Links: https://a.example/x"
    told = QAccessible.queryAccessibleInterface(advice.label)
    assert (told.role(), told.text(QAccessible.Text.Name)) == (QAccessible.Role.Link, advice.label.accessibleName())


def test_an_address_ends_before_the_quotation_mark_of_a_tool(qtbot: QtBot) -> None:
    advice = Advice("fatal: unable to access 'https://a.example/x.git/': no such host")
    qtbot.addWidget(advice)
    assert 'href="https://a.example/x.git/"' in advice.label.text().replace("\u2060", "")


def test_an_address_ends_where_the_chinese_sentence_goes_on(qtbot: QtBot) -> None:
    advice = Advice("加上 https://a.example/cu117（在 requirements 文件里：写一行）")
    qtbot.addWidget(advice)
    assert '<a href="https://a.example/cu117">' in advice.label.text().replace("\u2060", "")


def lines_of(made: QLabel) -> list[str]:
    """As Qt lays out what the label shows, without the signs of no width."""
    words, laid = QLabel.text(made), QTextLayout(QLabel.text(made), made.font())
    laid.beginLayout()
    found = []
    while (line := laid.createLine()).isValid():
        line.setLineWidth(made.width())
        found.append(words[line.textStart() : line.textStart() + line.textLength()])
    laid.endLayout()
    return [each.replace("\u2060", "").replace("\u200b", "") for each in found]


COMMAND = (
    "uv pip install --index-url https://download.example/whl/cu126 --extra-index-url https://a.example/simple torch"
)


def test_a_page_is_a_link_amid_a_long_chinese_sentence(qtbot: QtBot) -> None:
    """Without a blank all of it is one word, in which lines may end."""
    shown = Advice(f"请使用 PyTorch；a&b_c=d{'字' * 40}打开{PAGE}build{END}页面会显示合适的版本")
    qtbot.addWidget(shown)
    assert 'href="build"' in QLabel.text(shown.label)
    assert "&amp;" in QLabel.text(shown.label)


def test_a_command_ends_its_lines_between_words(qtbot: QtBot) -> None:
    made = CodeLine(COMMAND)
    qtbot.addWidget(made)
    shown = made._label
    for width in range(420, 1000, 7):
        made.resize(width, 200)
        made.grab()  # lays it out
        assert shown.height() >= shown.heightForWidth(shown.width())
        lines = lines_of(shown)
        assert [word for line in lines for word in line.split()] == COMMAND.split(), width
    assert made.code == COMMAND


def test_a_word_longer_than_a_line_is_shown_whole(qtbot: QtBot) -> None:
    command = f"cd {'/folders' * 20}/bin"
    made = CodeLine(command)
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.grab()  # lays it out
    lines = lines_of(made._label)
    advance = made._label.fontMetrics().horizontalAdvance
    assert "".join(lines) == command
    assert max(advance(line) for line in lines) <= made._label.width()


def test_no_line_ends_behind_the_first_slash_of_a_path(qtbot: QtBot) -> None:
    made = label("It goes to /home/li/somewhere and to /opt/else, from https://mirror.example/simple.")
    qtbot.addWidget(made)
    for width in range(60, 300, 5):
        made.resize(width, 300)
        lines = lines_of(made)
        assert "".join(lines).startswith("It goes to /home"), width
        assert not any(line.rstrip().endswith((" /", "//")) or line == "/" for line in lines), width


def test_a_copied_command_has_no_joints(qtbot: QtBot) -> None:
    made = CodeLine(COMMAND)
    qtbot.addWidget(made)
    made.resize(900, 60)
    made.grab()  # lays it out
    made._label.setSelection(0, len(QLabel.text(made._label)))
    QApplication.clipboard().clear()
    qtbot.keyClick(made._label, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == COMMAND


def test_the_long_name_of_a_file_is_shown_whole(qtbot: QtBot) -> None:
    made = label("torch-2.14.1+cu126-cp312-manylinux_2_28_x86_64.whl on linux_x86_64")
    qtbot.addWidget(made)
    made.resize(made.fontMetrics().horizontalAdvance("torch-2.14.1+cu126-") + 2, 300)
    lines = lines_of(made)
    assert max(made.fontMetrics().horizontalAdvance(line.rstrip()) for line in lines) <= made.width()
    assert "linux_x86_64" in lines[-1], "a short word stays together"


def test_a_tool_tip_shows_the_name_of_somebody_else_as_it_is() -> None:
    hostile = 'seat 1 <img src="file:///etc/hostname"> & <b>ready</b>\nof 5'
    document = QTextDocument()
    document.setHtml(plain_tip(hostile))
    assert document.toPlainText() == hostile
    assert plain_tip("seat 7: ready") == "seat 7: ready"


def test_no_tool_tip_takes_words_for_html() -> None:
    window = Path(__file__).parents[2] / "wizard" / "gui"
    lines = [line for path in window.rglob("*.py") for line in path.read_text("utf-8").splitlines()]
    tips = [line.strip() for line in lines if ".setToolTip(" in line]
    assert tips
    assert [line for line in tips if not re.search(r"\.setToolTip\(plain_tip\(", line)] == []


def test_a_row_is_heard_as_a_person_would_say_it() -> None:
    assert spoken(["Graphics card: Note", "None was found.", "PyTorch works."]) == (
        "Graphics card: Note, None was found. PyTorch works."
    )
    assert spoken(["显卡：提示", "没有找到显卡。", "PyTorch 可用"]) == "显卡：提示，没有找到显卡。PyTorch 可用"


def test_the_fold_below_a_sentence_says_what_the_sentence_calls_below(qtbot: QtBot) -> None:
    for said, inside in (("Run `uv sync`.", "Command"), ("Set `A_B=1`, then `uv sync` and `uv run x`.", "3")):
        advice = Advice(in_window(said, "en"))
        qtbot.addWidget(advice)
        assert advice.fold.button.accessibleName() == f"In a terminal {inside}"
        assert not advice.fold.button.isChecked()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_ends_in_its_middle_and_no_source_is_called_by_a_setting(language: str) -> None:
    said = [in_window(translate(words, language, code), language) for code, words in messages()]
    half = re.compile("(?:stays so|仍然如此|还是这样) ?[:：]")
    assert [words for words in said if half.search(words)] == []
    (source,) = _user("find-links", ["https://lab.example/files"], Layout.FLAT)
    found = source.label
    assert "find-links" not in text(found, language, in_window)
    assert "find-links" in text(found, language), "a terminal says which"


def test_each_link_of_a_sentence_is_one_stop_with_a_ring_and_return_follows_it(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda address: opened.append(address.toString()) or True)
    room, before, after = QWidget(), QPushButton("before"), QPushButton("after")
    advice = Advice("See https://a.example/x and a long way on https://b.example/y, which is all there is to say.")
    rows = column(room)
    for one in (before, advice, after):
        rows.addWidget(one)
    qtbot.addWidget(room)
    room.resize(240, 300)
    with qtbot.waitExposed(room):
        room.show()
    room.activateWindow()
    before.setFocus()
    qtbot.waitUntil(before.hasFocus, timeout=20_000)

    def look(key: Qt.Key) -> tuple[str, bool]:
        """Return the link that has the keys after this one, and whether there is a ring around it."""
        plain = advice.label.grab().toImage()
        qtbot.keyClick(room.focusWidget(), key)
        rings, now = advice.label.rings(), advice.label.grab().toImage()
        edges = [ring.topLeft().toPoint() + QPoint(int(ring.width()) // 2, 0) for ring in rings]
        ink, rows = colour_now("text").name(), (-1, 0, 1)  # where fonts differ, between two rows of pixels
        inked = (any(now.pixelColor(edge + QPoint(0, row)).name() == ink for row in rows) for edge in edges)
        is_seen = bool(edges) and all(inked)
        return advice.label.selectedText().replace(JOINT, ""), is_seen and now != plain

    assert look(Qt.Key.Key_Tab) == ("https://a.example/x", True)
    assert look(Qt.Key.Key_Tab) == ("https://b.example/y", True)
    qtbot.keyClick(advice.label, Qt.Key.Key_Return)
    assert opened == ["https://b.example/y"]
    assert look(Qt.Key.Key_Tab) == ("", False)
    assert after.hasFocus()
    assert look(Qt.Key.Key_Backtab) == ("https://b.example/y", True)
    assert look(Qt.Key.Key_Backtab) == ("https://a.example/x", True)
    assert look(Qt.Key.Key_Backtab) == ("", False)
    assert before.hasFocus()


def test_a_sentence_that_gets_a_link_later_is_told_as_one(qtbot: QtBot) -> None:
    QAccessible.setActive(True)
    try:
        tell_headings()
        advice = Advice()
        qtbot.addWidget(advice)
        told = QAccessible.queryAccessibleInterface(advice.label)
        assert told.role() == QAccessible.Role.StaticText
        advice.show_words("See https://a.example/x")
        assert told.role() == QAccessible.Role.Link
        advice.show_words("Nothing to see")
        assert told.role() == QAccessible.Role.StaticText
    finally:
        QAccessible.setActive(False)


@pytest.mark.parametrize(
    ("words", "heard"),
    [("Pac&kages", "Packages"), ("软件包(&P)", "软件包"), ("A && B", "A & B"), ("Open (&O)…", "Open…"), ("(5)", "(5)")],
)
def test_a_name_that_is_heard_has_no_key_letter(words: str, heard: str, qtbot: QtBot) -> None:
    assert without_key(words) == heard
    fold = Fold()
    qtbot.addWidget(fold)
    fold.show_words(words, "7")
    assert fold.button.accessibleName() == f"{heard} 7"


def test_no_name_is_heard_with_half_of_its_key() -> None:
    """Taking only the sign away leaves the letter: 软件包(P)."""
    gui = Path(__file__).resolve().parents[2] / "wizard" / "gui"
    halves = [path.name for path in gui.rglob("*.py") if '.replace("&", "")' in path.read_text(encoding="utf-8")]
    assert halves == ["translator.py"], "it looks for Qt's own words, whose English has no brackets"


@pytest.mark.parametrize(
    "code",
    [
        "pip install torch torchvision --index-url https://download.pytorch.org/whl/rocm7.2",
        r"C:\Users\li\AppData\Local\Programs\Python\Python312\python.exe -m pip install torch==2.14.1+cu126",
    ],
)
def test_a_command_in_a_narrow_window_loses_no_letter(code: str, qtbot: QtBot) -> None:
    """A part of an address that is longer than a line goes on in the next one."""
    made = CodeLine(code)
    qtbot.addWidget(made)
    advance = made._label.fontMetrics().horizontalAdvance
    for width in range(140, 480, 7):
        made.resize(width, 400)
        made.grab()  # lays it out
        lines = lines_of(made._label)
        assert max(advance(line.rstrip()) for line in lines) <= made._label.width(), (width, lines)
        assert "".join(lines).replace(" ", "") == code.replace(" ", ""), width
    assert made.code == code


def test_sentences_stand_in_a_row_as_their_language_has_it() -> None:
    assert in_a_row("It is gone.", "", "Choose another.") == "It is gone. Choose another."
    assert in_a_row("无法连接到服务器。", "请检查网络。") == "无法连接到服务器。请检查网络。"
