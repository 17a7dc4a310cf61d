"""Nothing on Install moves from the first picture of a run to its last: steps, bars and what they lie in."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeRun, FakeSession
from tests.gui.test_running import run_of
from tests.gui.walking import go_to, lower, press
from wizard.app.pages.order import PageId
from wizard.gui.pages import file_bars
from wizard.gui.pages.install import InstallPage
from wizard.gui.widgets.labels import Turned
from wizard.model.events import EventKind
from wizard.model.messages import LANGUAGES, Message, message

FOLDER = "/home/li/" + "a-long-name/" * 20 + "torch"
CREATING = {
    "rattler": message("step.create.rattler", python="3.12.11", prefix=FOLDER),
    "venv": message("step.create.venv", python="3.12.11", prefix=FOLDER),
    "conda": message("step.create.conda", python="3.12", prefix=FOLDER),
}


class _Watcher(QObject):
    """Where all lies, looked at as each picture is drawn."""

    def __init__(self, install: InstallPage) -> None:
        super().__init__()
        self.install = install
        self.seen: list[dict[str, QRect]] = []
        self.cut: set[str] = set()
        for part in (install.steps, install.progress):
            part.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and (not self.seen or self.seen[-1] != self.places()):
            self.seen.append(self.places())
        return False

    def places(self) -> dict[str, QRect]:
        steps, progress = self.install.steps, self.install.progress
        rows = steps._rows
        self.cut.update(row.name.text() for row in rows.values() if row.name.width() < row.name.sizeHint().width())
        parts: dict[str, QWidget] = {"steps": steps._card, "progress": progress, "bar": progress.bar}
        parts |= {name: row.name for name, row in rows.items()}
        parts |= {f"words of {name}": row.words for name, row in rows.items()}
        window = self.install.window()
        return {name: QRect(part.mapTo(window, QPoint()), part.size()) for name, part in parts.items()}


def started(run: FakeRun, name: str, words: Message) -> None:
    run.emit(EventKind.STEP_STARTED, step=name, message=words.to_json("en"))


def ended(run: FakeRun, name: str, words: Message) -> None:
    run.emit(EventKind.STEP_FINISHED, step=name, outcome="done", seconds=11.9, message=words.to_json("en"))


@pytest.mark.parametrize("engine", CREATING)
@pytest.mark.parametrize("size", [(1280, 800), (1024, 640)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_moves_from_the_first_picture_to_the_last(
    language: str,
    size: tuple[int, int],
    engine: str,
    qtbot: QtBot,
    make_window: MakeWindow,
    session: FakeSession,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The step that runs is bold, its words change, bars come and go, and the speed goes with the download."""
    monkeypatch.setattr(file_bars, "_STAYS", 0.1)
    session.script = lambda run: None  # the worker has said nothing yet
    window = make_window(language)
    lower(window, size)
    go_to(qtbot, window, PageId.REVIEW)
    install = window.pages[PageId.INSTALL]
    assert isinstance(install, InstallPage)
    watcher = _Watcher(install)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.INSTALL and install.steps.isVisible())
    run = run_of(session)

    def picture(state: str = "", of: str = "preflight") -> None:
        def is_told() -> bool:
            step = install.watch.view.step(of)
            return not state or (step is not None and step.state == state)

        qtbot.waitUntil(is_told)
        qtbot.wait(60)

    picture()
    run.begin()
    started(run, "preflight", values.STEPS_WILL["preflight"])
    picture("running")
    ended(run, "preflight", values.STEPS_DONE["preflight"])
    started(run, "create", CREATING[engine])
    picture("running", "create")
    for part in (0.1, 0.3, 0.5):
        run.fetch((part,))
        picture("running", "fetch")
    assert install.steps.findChildren(file_bars.FileBars)[0].isVisible()
    ended(run, "create", message("step.create.got", python="3.12.11", prefix=FOLDER, size="100 MB"))
    picture("done", "create")
    for _ in range(3):  # their bars go
        run.fetch((1.0,))
        picture()
    ended(run, "fetch", values.STEPS_DONE["fetch"])
    picture("done", "fetch")
    for name in ("install", "check", "verify"):
        started(run, name, values.STEPS_WILL[name])
        picture("running", name)
        ended(run, name, values.STEPS_DONE[name])
        picture("done", name)
    first = watcher.seen[0]
    moved = [
        {name: (first.get(name), place[name]) for name in place if place[name] != first.get(name)}
        for place in watcher.seen
    ]
    assert moved == [{}]
    assert watcher.cut == set()
    tops = [row.name.mapTo(window, QPoint()).y() for row in install.steps._rows.values()]
    assert len({below - above for above, below in zip(tops, tops[1:], strict=False)}) == 1, "one gap"


def test_a_path_gives_way_for_its_sentence_to_stay_on_one_line(qtbot: QtBot) -> None:
    """There was room beside it as it turned: a path ends its line only at a slash."""
    words = Turned()
    qtbot.addWidget(words)
    words.resize(600, 60)
    words.show()
    line = words.fontMetrics().lineSpacing()
    for folder in (FOLDER, FOLDER.replace("a-long", "a long"), FOLDER.replace("/", "\\").replace("\\home", "C:", 1)):
        for sentence in ("Python 3.12.11 in {}, 100 MB downloaded", "{} 中的 Python 3.12.11"):
            words.setText(sentence.format(folder))
            assert words.heightForWidth(words.width()) < 2 * line
            before, after = sentence.split("{}")
            shown = QLabel.text(words)
            assert shown.startswith(before + folder[:4])
            assert shown.endswith(after)
            assert "…" in shown
            assert words.toolTip() == sentence.format(folder)
