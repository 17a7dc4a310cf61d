"""Light and dark: explicit palettes and one style sheet, because Qt's own switch does nothing on bare X11.

The colours are data (`resources/style/themes.toml`); this module only fills them in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from PySide6 import (
    QtCore,
    QtWidgets,  # QStyle where it is needed: its enums take 6 ms to make
)
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from wizard.system import paths

# Whether this person wants things to move. What moves here only says "still at it", and words say that too.

_PROPERTY = "reduced_motion"


def put_reduced_motion(app: QApplication, is_reduced: bool) -> None:
    """From the settings file; the system's own wish is asked each time."""
    app.setProperty(_PROPERTY, is_reduced)


def is_motion_reduced() -> bool:
    """Return whether the system, or our own setting, asks for no motion."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        return False
    if app.property(_PROPERTY):
        return True
    return app.style().styleHint(QtWidgets.QStyle.StyleHint.SH_Widget_Animation_Duration) == 0


THEMES = ("system", "light", "dark")
_NAME = re.compile(r"@([a-z_]+?)(?=pt\b|[^a-z_]|$)")
# A desktop's own font is left alone; these are what Qt falls back to where no desktop says anything.
_NO_DESKTOP_FONT = ("", "Sans", "Sans Serif", "DejaVu Sans", "Bitstream Vera Sans", "Helvetica")
# One of Latin letters first: a Chinese font's quotes and dots are twice as wide.
_LATIN = ("Noto Sans", "Open Sans", "Ubuntu", "Cantarell", "Liberation Sans", "DejaVu Sans")
_WORN = "worn_theme"
_SHOWN = "shown_theme"  # of the application
_SYSTEM_FONT = "system_font"
_FIXED = ("Cascadia Mono", "Consolas", "Menlo", "Noto Sans Mono", "DejaVu Sans Mono", "Liberation Mono")
_CHINESE = (
    "Microsoft YaHei UI",
    "Microsoft YaHei",
    "PingFang SC",
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
    "SimSun",
)


@cache
def colours(theme: str) -> Mapping[str, str]:
    """`light` or `dark`. Our own file of one line per colour: a TOML reader would cost more than the first picture."""
    found: dict[str, str] = {}
    table = ""
    for line in (paths.resources_dir() / "style" / "themes.toml").read_text(encoding="utf-8").splitlines():
        name, is_colour, value = line.partition(" = ")
        if line.startswith("["):
            table = line.strip("[]")
        elif is_colour and table == theme:
            found[name] = value.strip('"')
    return found


def colour_now(name: str) -> QColor:
    """Return the colour `name` of the theme that is worn, for what is drawn rather than styled."""
    app = QApplication.instance()
    return QColor(colours(str(app.property(_SHOWN) or "light") if app else "light")[name])


def lead_points(points: float) -> float:
    return round(points * 1.08, 1)


def style_sheet(theme: str, points: float) -> str:
    """`points`: size of the running text; titles are in proportion, so all grows with the system's setting."""
    values = {
        **colours(theme),
        "theme": theme,
        "icons": (paths.resources_dir() / "icons").as_posix(),
        "title": f"{points * 1.72:.1f}",
        "moment": f"{points * 2.2:.1f}",
        "big": f"{points * 1.3:.1f}",
        "lead": f"{lead_points(points):.1f}",
        "small": f"{points * 0.92:.1f}",
    }
    template = (paths.resources_dir() / "style" / "window.qss").read_text(encoding="utf-8")
    template = template[template.index("*/") + 2 :]
    return _NAME.sub(lambda match: values[match[1]], template)


def palette(theme: str) -> QPalette:
    """Return Qt's palette in the colours of the theme, for what the style sheet does not reach."""
    table = colours(theme)
    role = QPalette.ColorRole
    roles = {
        role.Window: "window",
        role.WindowText: "text",
        role.Base: "field",
        role.AlternateBase: "card",
        role.Text: "text",
        role.Button: "card",
        role.ButtonText: "text",
        role.BrightText: "on_problem",
        role.Highlight: "accent",
        role.HighlightedText: "on_accent",
        role.ToolTipBase: "card",
        role.ToolTipText: "text",
        role.PlaceholderText: "muted",
        role.Link: "accent",
        role.Mid: "border",
        role.Dark: "border",
        role.Light: "card",
        role.Midlight: "hover",
        role.Shadow: "border",
    }
    made = QPalette()
    for one, name in roles.items():
        made.setColor(one, QColor(table[name]))
    for one in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, one, QColor(table["on_disabled"]))
    return made


def text_font(app: QApplication) -> QFont:
    """The system's font, a little larger, with Simplified Chinese behind it (else Linux shows Japanese forms)."""
    if app.property(_SYSTEM_FONT) is None:  # a second window must not enlarge what the first one enlarged
        app.setProperty(_SYSTEM_FONT, app.font())
    font = QFont(app.property(_SYSTEM_FONT))
    own = font.family()
    installed = set(QFontDatabase.families())
    first = [name for name in _LATIN if name in installed][:1] if own in _NO_DESKTOP_FONT else []
    families = [*first, own, *(name for name in _CHINESE if name in installed)]
    font.setFamilies(list(dict.fromkeys(name for name in families if name)))
    if font.pointSizeF() > 0:
        font.setPointSizeF(round(font.pointSizeF() * 1.17, 1))
    return font


def code_font() -> QFont:
    """Fixed width; families by name, because the "system's fixed font" is proportional where there is no desktop."""
    font = QFont(QApplication.font())
    installed = set(QFontDatabase.families())
    font.setFamilies([name for name in (*_FIXED, *_CHINESE) if name in installed] or ["monospace"])
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFixedPitch(True)
    font.setPointSizeF(round(font.pointSizeF() * 0.9, 1))
    return font


class Theme(QObject):
    """The chosen theme on the application. `name` is what was chosen, `shown` is what that means now."""

    changed = Signal()

    def __init__(self, app: QApplication, name: str) -> None:
        super().__init__(app)
        self._app = app
        self._name = name if name in THEMES else "system"
        self._shown = self._sheet = ""
        if app.style().name() != "fusion":  # in the tests one application has many windows, and each would be restyled
            app.setStyle("Fusion")
        app.setFont(text_font(app))
        app.styleHints().colorSchemeChanged.connect(self._system_changed)
        self._apply()

    @property
    def name(self) -> str:
        return self._name

    @property
    def shown(self) -> str:
        return self._shown

    @property
    def points(self) -> float:
        """Size of the running text."""
        return max(self._app.font().pointSizeF(), 8.0)

    def colour(self, name: str) -> QColor:
        return QColor(colours(self._shown)[name])

    def choose(self, name: str) -> None:
        self._name = name
        self._apply()

    def _system_changed(self) -> None:
        if self._name == "system":
            self._apply()

    def _wanted(self) -> str:
        if self._name != "system":
            return self._name
        return "dark" if self._app.styleHints().colorScheme() == QtCore.Qt.ColorScheme.Dark else "light"

    def _apply(self) -> None:
        wanted = self._wanted()
        if wanted == self._shown:
            return
        self._shown = wanted
        self._app.setProperty(_SHOWN, wanted)
        self._app.setPalette(palette(wanted))
        self._sheet = style_sheet(wanted, self.points)
        self.changed.emit()

    def dress(self, widget: QWidget) -> None:
        """Puts the style sheet on a part of the window. Part by part and only what is shown: one sheet on the whole
        application takes 300 ms to change."""
        if widget.property(_WORN) == self._shown:
            return
        widget.setProperty(_WORN, self._shown)
        widget.setFont(self._app.font())  # on X11 a sheet of its own makes a widget forget the application's font
        widget.setStyleSheet("")  # replacing a sheet is far slower than taking it off first
        widget.setStyleSheet(self._sheet)
