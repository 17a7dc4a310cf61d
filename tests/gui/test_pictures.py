"""The window beside its last accepted pictures: many machines, each failing step, Verify in each of its ends.

The pictures (`tests/data/pictures`) are grey and a fifth of the size. They are held against the window of today as the
mean grey of squares: a title that is cut or a row that is gone changes some of them much, another version of a font's
renderer all of them a little. `TORCH_SETUP_RECORD=1 pytest tests/gui/test_pictures.py -m "slow or not slow"` accepts
what is there; look at it before you commit it. They have Debian 12's fonts (DejaVu Sans, WenQuanYi Micro Hei).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QLibraryInfo, Qt
from PySide6.QtGui import QFontDatabase, QFontInfo, QImage
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tests.compatibility.machines import machine
from tests.gallery_class import CLASS_CODE, ToldClasses
from tests.gui import fake_tools
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import STEPS, FakeRun, FakeSession, half_run, report
from tests.gui.fake_tools import FakeTools
from tests.gui.walking import go_to, press, settle, texts
from tests.sentences import error_text
from wizard.app.classroom import PackSeen, RoomState
from wizard.app.pages.check import Looks, driver_advice
from wizard.app.pages.order import PageId, SideId
from wizard.app.pages.requirements import requirements, verdict_rows
from wizard.classroom.results.room import GREEN, RED, ClassResults, MachineRow, Said
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices, Verdict
from wizard.compatibility.resolve import resolve
from wizard.gui.pages.install import InstallPage
from wizard.gui.shell.splash import SIZE
from wizard.gui.shell.window import WizardWindow
from wizard.gui.tools.class_page import ClassPage
from wizard.machine.machine_file import machine_from_json
from wizard.machine.model import Driver, Machine, MigInstance
from wizard.model.errors import ExitStatus, WizardError
from wizard.model.messages import LANGUAGES, message
from wizard.run.model import Facts
from wizard.sources.model import UserSettings

ACCEPTED = Path(__file__).parent.parent / "data" / "pictures"
IS_RECORDING = bool(os.environ.get("TORCH_SETUP_RECORD"))
SMALL = (SIZE[0] // 5, SIZE[1] // 5)  # pixels
SQUARE = 4  # pixels of the small picture, 20 of the window
MUCH = 14  # of 255: words that come or go change a square by 20 to 60
FEW = 3  # squares
QT = 11  # 6.11, which Python 3.11 gets: another one may lay out a row by a pixel otherwise
KEY = re.compile(r"[a-z-]+(\.[a-z-]+){2,}")  # of a message: error.no-source.summary
FONTS = ("DejaVu Sans", "WenQuanYi Micro Hei")


def squares(picture: QImage) -> list[int]:
    """Return the mean grey of each square, row by row."""
    wide, high = SMALL[0] // SQUARE, SMALL[1] // SQUARE
    mean = picture.scaled(wide, high, mode=Qt.TransformationMode.SmoothTransformation)
    mean = mean.convertToFormat(QImage.Format.Format_Grayscale8)
    return [mean.pixelColor(column, row).lightness() for row in range(high) for column in range(wide)]


def seen(window: WizardWindow) -> QImage:
    small = (
        window.grab()
        .toImage()
        .scaled(*SMALL, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)
    )
    return small.convertToFormat(QImage.Format.Format_Grayscale8)


def differences(before: QImage, now: QImage) -> int:
    """Count the squares that have changed much."""
    pairs = zip(squares(before), squares(now), strict=True)
    return sum(abs(old - new) > MUCH for old, new in pairs)


def at_rest(qtbot: QtBot, window: WizardWindow) -> QImage:
    """Return the window when three looks, a fifth of a second apart, were the same."""
    looks = [seen(window)]
    while len(looks) < 3:
        qtbot.wait(200)
        now = seen(window)
        looks = [*looks, now] if squares(now) == squares(looks[-1]) else [now]
    return looks[-1]


@pytest.fixture
def compare(
    qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[WizardWindow, str], None]]:
    """Hold the window against an accepted picture; all that differ are named in the end."""
    fonts = (QFontInfo(qapp.font()).family(), *QFontDatabase.families())
    if fonts[0] != FONTS[0] or FONTS[1] not in fonts or QLibraryInfo.version().minorVersion() != QT:
        pytest.skip(f"the pictures are of Qt 6.{QT} with {' and '.join(FONTS)}")
    # Where there are more, another one comes first.
    monkeypatch.setattr("wizard.gui.shell.theme._FIXED", ("DejaVu Sans Mono",))
    monkeypatch.setattr("wizard.gui.widgets.icons.is_motion_reduced", lambda: True)  # what runs stands still
    wrong: list[str] = []

    def look(window: WizardWindow, name: str, is_busy: bool = False) -> None:
        window.resize(*SIZE)
        if not is_busy:
            settle(qtbot, window)
        keys = [words for words in texts(window) if KEY.fullmatch(words)]
        assert keys == [], "sentences that nobody has written"
        path = ACCEPTED / f"{name}.png"
        if IS_RECORDING:
            at_rest(qtbot, window).save(str(path))
            return
        before = QImage(str(path))
        assert not before.isNull(), f"no accepted picture: {path.name}"
        for _ in range(40):  # what fades in or is laid out anew comes to rest
            if (count := differences(before, seen(window))) < FEW:
                return
            qtbot.wait(50)
        wrong.append(f"{name}: {count} squares")

    yield look
    assert not wrong, f"not as accepted (see this file's head): {wrong}"


class MachineSession(FakeSession):
    """The recorded session of another machine, for which the real rule chooses."""

    def __init__(self, root: Path, one: Machine) -> None:
        super().__init__(root)
        matrix = load_matrix()
        verdict = resolve(one, matrix, Choices())
        self.facts = Facts(one, UserSettings(), requirements(one, UserSettings(), matrix), 0.4)
        guide = driver_advice(one, matrix, verdict.after_driver_update)
        self.looks = Looks((), verdict.after_driver_update, guide, (), verdict_rows(self.facts, verdict))

    def propose(self, facts: Facts, choices: Choices) -> Verdict:
        self._called("propose", choices)
        return resolve(facts.machine, load_matrix(), choices)


def other(name: str) -> Machine:
    path = Path(__file__).parent.parent / "data" / "other_makers" / f"{name}.json"
    return machine_from_json(json.loads(path.read_text(encoding="utf-8")))


def new_card_old_driver() -> Machine:
    one = machine("rtx-5070-ti-linux-550")
    card = replace(one.gpus[0], name="NVIDIA GeForce RTX 5090", pci_id="10de:2b85")
    return replace(one, gpus=(card,), driver=Driver("535.183.01", "12.2"))


def in_parts() -> Machine:
    one = machine("a100-linux-470")
    return replace(
        one,
        gpus=(replace(one.gpus[0], mig=(MigInstance("1g.5gb"), MigInstance("2g.10gb"))),),
        driver=Driver("580.95.05", "13.0"),
    )


MACHINES: dict[str, Callable[[], Machine]] = {
    "no-driver": lambda: replace(machine("v100-linux-580"), driver=None),
    "nouveau": lambda: machine("gtx-970-linux-nouveau"),
    "two-cards": lambda: machine("gtx-1080-ti-rtx-5090-linux-580"),
    "too-old": lambda: machine("gtx-970-windows-552"),
    "too-new": new_card_old_driver,
    "laptop": lambda: machine("laptop-intel-rtx-4060-windows"),
    "mig": in_parts,
    "amd": lambda: other("rx-7900-xtx-linux"),
    "intel": lambda: machine("intel-only-windows"),
    "no-card": lambda: machine("no-gpu-linux"),
    "board": lambda: machine("jetson-orin-linux"),
}
USUAL = ("two-cards",)  # the others are slow together


def _kinds() -> Iterator[object]:
    for name in MACHINES:
        for language, theme in zip(LANGUAGES, ("light", "dark"), strict=True):
            marks = () if name in USUAL else (pytest.mark.slow,)
            yield pytest.param(name, language, theme, marks=marks, id=f"{name}-{language}")


@pytest.fixture
def session(request: pytest.FixtureRequest, tmp_path: Path) -> FakeSession:
    given = getattr(request.node, "callspec", None)
    name = given.params.get("name") if given else None
    return MachineSession(tmp_path / "runs", MACHINES[name]()) if name else FakeSession(tmp_path / "runs")


@pytest.mark.parametrize(("name", "language", "theme"), list(_kinds()))
def test_machines(
    name: str,
    language: str,
    theme: str,
    qtbot: QtBot,
    make_window: MakeWindow,
    compare: Callable[[WizardWindow, str], None],
) -> None:
    window = make_window(language, theme)
    window.resize(*SIZE)  # before any page: what has the keys hangs on what is seen
    for page in (PageId.CHECK, PageId.BUILD):
        go_to(qtbot, window, page)
        compare(window, f"{name}-{page.value}-{language}")


def failing_at(step: str) -> Callable[[FakeRun], None]:
    def script(run: FakeRun) -> None:
        run.begin()
        for name, _ in STEPS:
            if name == step:
                run.step(name, "failed")
                break
            run.step(name)
        lost = WizardError("fetch-unreachable", details="[Errno 101] Network is unreachable", file="torch.whl")
        run.finish(ExitStatus.FAILED, lost.to_json("en"))

    return script


@pytest.mark.slow
@pytest.mark.parametrize("step", [name for name, _ in STEPS])
def test_each_step_that_fails(
    step: str,
    qtbot: QtBot,
    make_window: MakeWindow,
    session: FakeSession,
    compare: Callable[[WizardWindow, str], None],
) -> None:
    session.script = failing_at(step)
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    qtbot.waitUntil(lambda: window.page.remove.isVisible())  # type: ignore[attr-defined]
    compare(window, f"failed-{step}")


@pytest.mark.slow
@pytest.mark.parametrize(("language", "theme"), list(zip(LANGUAGES, ("light", "dark"), strict=True)))
def test_the_way_to_a_run(
    language: str,
    theme: str,
    qtbot: QtBot,
    make_window: MakeWindow,
    session: FakeSession,
    compare: Callable[..., None],
) -> None:
    session.script = half_run  # which stands still in its download
    window = make_window(language, theme)
    compare(window, f"way-welcome-{language}")
    go_to(qtbot, window, PageId.CHECK)
    session.hold.add("propose")
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.chooses)
    compare(window, f"way-choosing-{language}", True)
    window.navigator.stop_hurrying()  # each page is wanted, not only the last one
    session.hold.clear()
    for page in (PageId.SOURCE, PageId.PLACE, PageId.REVIEW):
        go_to(qtbot, window, page)
        compare(window, f"way-{page.value}-{language}")
    go_to(qtbot, window, PageId.INSTALL)
    install = window.page
    assert isinstance(install, InstallPage)
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None and install.watch.view.bytes.files_done == 2)
    install.watch.stop()  # it says nothing more: no silence is told, and no curve moves
    compare(window, f"way-install-{language}", True)


@pytest.mark.slow
@pytest.mark.parametrize(("language", "theme"), list(zip(LANGUAGES, ("light", "dark"), strict=True)))
def test_a_project(
    language: str,
    theme: str,
    qtbot: QtBot,
    make_window: MakeWindow,
    compare: Callable[[WizardWindow, str], None],
) -> None:
    folder = Path(tempfile.gettempdir()) / f"image captions {language}"  # which is in the picture
    folder.mkdir(exist_ok=True)
    (folder / "requirements.txt").write_text("torch==2.0.99\ntorchvision\ntqdm\nflash-attn>=2.7\n")
    window = make_window(language, theme)
    press(qtbot, window.page.project)  # type: ignore[attr-defined]
    window.page.opening.where.setText(str(folder))  # type: ignore[attr-defined]
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.CHECK)
    go_to(qtbot, window, PageId.BUILD)
    qtbot.waitUntil(lambda: window.navigator.state.request is not None)
    compare(window, f"project-{language}")
    shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_network(
    language: str,
    qtbot: QtBot,
    make_window: MakeWindow,
    session: FakeSession,
    compare: Callable[[WizardWindow, str], None],
) -> None:
    session.fail["select_build"] = WizardError(error_text("no-source-answers"), reasons="")
    window = make_window(language)
    go_to(qtbot, window, PageId.SOURCE)
    compare(window, f"no-network-{language}")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("end", ["ok", "failed"])
def test_verify(
    end: str,
    language: str,
    qtbot: QtBot,
    make_window: MakeWindow,
    session: FakeSession,
    compare: Callable[[WizardWindow, str], None],
) -> None:
    window = make_window(language)
    window.navigator.show_run("run-1")
    window.navigator.put_run_over(report(end == "ok"), "/home/li/torch-envs/torch")
    window.navigator.go_next()
    assert window.navigator.page is PageId.VERIFY
    compare(window, f"verify-{end}-{language}")


@pytest.mark.slow
@pytest.mark.parametrize(("language", "theme"), list(zip(LANGUAGES, ("light", "dark"), strict=True)))
def test_pages_beside_the_wizard(
    language: str,
    theme: str,
    qtbot: QtBot,
    make_window: MakeWindow,
    side: FakeTools,
    compare: Callable[[WizardWindow, str], None],
) -> None:
    side.answer = lambda prefix: fake_tools.examination(fake_tools.answer("found", prefix, fake_tools.CPU_BUILD))
    window = make_window(language, theme)
    broken = fake_tools.HOME / "old"
    window.side.open(SideId.ENVIRONMENTS, broken)
    qtbot.waitUntil(lambda: window.page.card.isVisible())  # type: ignore[attr-defined]
    compare(window, f"environments-{language}")
    press(qtbot, window.page.card.buttons["check"])  # type: ignore[attr-defined]
    compare(window, f"doctor-{language}")


class ToldRoom(ToldClasses):
    """A pack that is shared with a room of 12 seats, one of which needs help: told, since a real one takes seconds."""

    def look_at(self, folder: Path) -> PackSeen:
        return PackSeen(
            folder, "Deep learning, autumn", CLASS_CODE, "2026-11-21", 61, 8_412_000_000, 0, 12, ("2.14.1+cu126",)
        )

    def room(self, folder: Path, mark: str) -> RoomState | None:
        said = (Said(message("share.fix.log", "Look at the report on that computer.")),)
        seats = [(number, RED if number == 5 else GREEN, said if number == 5 else ()) for number in (1, 2, 3, 5, 8)]
        rows = (
            MachineRow(f"m{number}", f"seat {number}", state, "ok", why, why, "Linux", "RTX 3060", "cu126", "", 74.0)
            for number, state, why in seats
        )
        return (
            None if mark else RoomState(ClassResults("Deep learning, autumn", "0" * 64, tuple(rows), expected=12), "1")
        )


@pytest.mark.slow
@pytest.mark.parametrize(("language", "theme"), list(zip(LANGUAGES, ("light", "dark"), strict=True)))
def test_a_class_that_is_served(
    language: str,
    theme: str,
    qtbot: QtBot,
    make_window: MakeWindow,
    side: FakeTools,
    compare: Callable[[WizardWindow, str], None],
) -> None:
    side.classes = ToldRoom()
    window = make_window(language, theme)
    window.side.open(SideId.CLASS)
    page = window.page
    assert isinstance(page, ClassPage)
    page.open_pack(Path("/srv/class/deep-learning-pack"))
    qtbot.waitUntil(lambda: page.room.room is not None)
    compare(window, f"class-pack-{language}")
    press(qtbot, page.serving.start)
    qtbot.waitUntil(lambda: window.serving.is_on)
    assert window.focusWidget() is page.serving.large, "one more Return must not end it"
    compare(window, f"class-shared-{language}")
    window.serving.stop()


def test_a_cut_title_is_found(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    window.resize(*SIZE)
    go_to(qtbot, window, PageId.CHECK)
    before = seen(window)
    assert differences(before, seen(window)) == 0
    title = next(one for one in window.page.findChildren(QLabel) if one.property("role") == "title")
    title.setFixedWidth(title.fontMetrics().horizontalAdvance(title.text()[:2]))
    settle(qtbot, window)
    qtbot.waitUntil(lambda: differences(before, seen(window)) >= FEW)
