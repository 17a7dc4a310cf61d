"""Two themes: readable contrast, nothing unresolved in the style sheet, switched live, remembered."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete, isValid

from tests.gui.conftest import MakeWindow
from tests.gui.walking import go_to
from tests.waiting import HANG
from wizard.app.pages.order import PageId
from wizard.gui.shell.theme import colours, style_sheet
from wizard.gui.startup.preferences import Preferences, Wishes
from wizard.gui.widgets import icons
from wizard.system import paths

TEXT_ON = (
    ("text", "window"),
    ("text", "card"),
    ("text", "rail"),
    ("text", "field"),
    ("text", "code"),
    ("text", "hover"),
    ("muted", "window"),
    ("muted", "card"),
    ("text", "chosen"),
    ("muted", "chosen"),
    ("muted", "rail"),
    ("on_accent", "accent"),
    ("on_accent", "accent_hover"),
    ("on_ok", "ok"),
    ("on_note", "note"),
    ("on_warning", "warning"),
    ("on_problem", "problem"),
    ("card", "on_problem"),
    ("muted", "code"),
    ("muted", "field"),
    ("on_problem", "window"),
)


BORDER_ON = ("window", "card", "rail", "field", "code")  # of what can be pressed or typed into


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(name: str) -> float:
    """WCAG 2."""
    parts = [channel / 255 for channel in QColor(name).getRgb()[:3]]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_can_be_read(theme: str) -> None:
    table = colours(theme)
    for fore, back in TEXT_ON:
        assert contrast(table[fore], table[back]) >= 4.5, (theme, fore, back)
    for back in BORDER_ON:
        assert contrast(table["border"], table[back]) >= 3, (theme, back)
    assert contrast(table["ok_line"], table["window"]) >= 3, "around a seat"
    assert contrast(table["accent"], table["rail"]) >= 3, "around a step that is done"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_current_step_alone_is_filled(theme: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    """Those that are done have a ring in the same colour: filled, too, five of them would look chosen."""
    window = make_window("en", theme)
    go_to(qtbot, window, PageId.REVIEW)
    window.resize(1080, 740)
    qtbot.waitUntil(lambda: window.rail.width() == 224)
    accent, ground = (colours(theme)[name] for name in ("accent", "rail"))
    inside, ring = QPoint(12, 0), QPoint(9, 0)  # from the left, at half the height: circles begin at 8 and are 24 wide

    def looks_of() -> dict[PageId, tuple[str, str]]:
        shown, looks = window.grab().toImage(), {}
        for page, step in window.rail.steps.items():
            middle = step.mapTo(window, QPoint(0, step.height() // 2))
            looks[page] = (shown.pixelColor(middle + ring).name(), shown.pixelColor(middle + inside).name())
        return looks

    qtbot.waitUntil(lambda: looks_of()[PageId.REVIEW] == (accent, accent))
    looks = looks_of()
    del looks[PageId.REVIEW]
    done = [page for page in looks if window.navigator.is_done(page)]
    assert {looks[page] for page in done} == {(accent, ground)}, "a ring with a tick"
    assert {look[1] for look in looks.values()} == {ground}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_style_sheet_is_filled_in(theme: str) -> None:
    sheet = style_sheet(theme, 10)
    assert "@" not in sheet
    for part in sheet.split('url("')[1:]:
        assert Path(part.split('"')[0]).is_file()


def test_both_themes_name_the_same_colours() -> None:
    assert colours("light").keys() == colours("dark").keys()


def test_no_icon_is_carried_about_unused() -> None:
    there = {path.stem for path in (paths.resources_dir() / "icons" / "lucide").glob("*.svg")}
    source = "".join(path.read_text("utf-8") for path in (Path(__file__).parents[2] / "wizard" / "gui").rglob("*.py"))
    assert there, "the set lies elsewhere"
    assert {name for name in there if f'"{name}"' not in source} == set()


DRESSED = re.compile(r'self\.(\w+)(?:\.setProperty\("role", "primary"\)|, [^\n]*"primary")')
COPIED = """
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget
app = QApplication([])
from wizard.gui.widgets.icons import icon
shown = icon("check")
other = QIcon(shown)
other.setIsMask(True)  # Qt makes a copy of its own
assert not other.pixmap(16, 16).isNull()
del other, shown
"""


def test_an_icon_outlives_its_copy() -> None:
    """In a process of its own, which a lost copy ends without a word."""
    done = subprocess.run([sys.executable, "-c", COPIED], capture_output=True, text=True, timeout=HANG)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.usefixtures("qtbot")
def test_what_draws_an_icon_is_kept_until_qt_has_deleted_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else PySide frees it in the midst of that: so a walk through Environments ended now and then."""
    made: list[weakref.ref[icons._Engine]] = []

    class Watched(icons._Engine):
        def __init__(self, name: str, colour: str) -> None:
            super().__init__(name, colour)
            made.append(weakref.ref(self))

    monkeypatch.setattr(icons, "_Engine", Watched)
    button = QPushButton()
    button.setIcon(icons.icon("check"))
    delete(button)
    engine = made[0]()
    assert engine is not None
    assert not isValid(engine)


def test_the_theme_is_switched_live_and_remembered(
    qtbot: QtBot, qapp: QApplication, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(theme="light")
    assert window.theme.shown == "light"
    window.rail.theme_button.click()
    assert window.theme.shown == "dark"
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == colours("dark")["window"]
    assert json.loads((tmp_path / "settings.json").read_text(encoding="utf-8"))["theme"] == "dark"
    window.rail.theme_button.click()
    assert window.theme.name == "system"


def test_a_second_window_has_letters_of_the_same_size(qapp: QApplication, make_window: MakeWindow) -> None:
    make_window()
    size = qapp.font().pointSizeF()
    make_window()
    assert qapp.font().pointSizeF() == size


def test_settings_that_cannot_be_read_or_written_are_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_WIZARD_LANG", "zh_CN")
    (tmp_path / "file").write_text("{", encoding="utf-8")
    assert Preferences(tmp_path / "file").wishes == Wishes("zh_CN", "system")
    Preferences(tmp_path / "file" / "below").put(theme="dark")


def test_what_others_keep_in_the_settings_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"proxy": "x"}', encoding="utf-8")
    Preferences(path).put(language="en")
    assert json.loads(path.read_text(encoding="utf-8"))["proxy"] == "x"


def test_settings_lie_in_our_home() -> None:
    assert paths.settings_file().parent == paths.home()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_typed_into_and_a_seat_have_an_edge_to_be_seen(theme: str, qtbot: QtBot) -> None:
    """In the pixels: the style sheet's own words for an edge may be those of decoration."""
    holder, text, seat = QWidget(), QPlainTextEdit(), QPushButton("1")
    qtbot.addWidget(holder)
    seat.setProperty("role", "seat")
    seat.setProperty("state", "ok")
    rows = QVBoxLayout(holder)
    for one in (text, seat):
        rows.addWidget(one)
    holder.setObjectName("page")
    holder.setStyleSheet(style_sheet(theme, 10))
    holder.resize(300, 200)
    drawn = holder.grab().toImage()
    for one in (text, seat):
        place = one.geometry()
        edge = drawn.pixelColor(place.left(), place.center().y()).name()
        assert contrast(edge, colours(theme)["window"]) >= 3, (theme, one, edge)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_ring_of_a_main_button_stands_off_it(theme: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(theme=theme)
    button = window.footer.primary
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    place, table = button.geometry(), colours(theme)
    drawn = button.parentWidget().grab().toImage()
    seen = [drawn.pixelColor(place.left() + x, place.center().y()).name() for x in range(6)]
    assert seen == [table["text"]] * 2 + [table["window"]] * 2 + [table["accent"]] * 2
    assert contrast(table["text"], table["window"]) >= 3
    wide = button.sizeHint()
    window.footer.back.setFocus()
    assert button.sizeHint() == wide, "nothing moves"


def test_every_main_button_has_that_ring() -> None:
    """None is made of Qt's own, whose line touches the colour."""
    sources = [path.read_text("utf-8") for path in (Path(__file__).parents[2] / "wizard" / "gui").rglob("*.py")]
    named = {(part, source) for source in sources for part in re.findall(DRESSED, source)}
    assert len(named) >= 6
    for part, source in named:
        assert re.search(rf"self\.{part}\b[^\n]* = [^\n]*MainButton\(", source), part


@pytest.mark.parametrize("kind", [QLineEdit, QPlainTextEdit])
def test_what_stands_in_an_empty_field_can_be_read(kind: type[QWidget], qtbot: QtBot, make_window: MakeWindow) -> None:
    """Qt's own colour for it is half of the text's. The theme may change while the field is there."""
    window = make_window(theme="light")
    holder = QWidget(window)
    field = kind(holder)
    for theme in ("light", "dark"):
        window.theme.dress(holder)
        field.ensurePolished()
        QApplication.processEvents()
        shown = field.palette().color(QPalette.ColorRole.PlaceholderText)
        assert (shown.name(), shown.alpha()) == (colours(theme)["muted"], 255)
        window.rail.theme_button.click()
