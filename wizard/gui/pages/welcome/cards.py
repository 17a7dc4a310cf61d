"""Welcome's cards: a setup that is running or was left, what was opened, what has changed; and its quiet links.

They show a value and offer one or two ways on; what a way does is the page's. One file: each of them is small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QProgressBar, QPushButton, QWidget

from wizard.app.pages.order import SideId
from wizard.gui.pages.run_watch import RunWatch, run_name, unfinished_words
from wizard.gui.widgets.announce import announce
from wizard.gui.widgets.frames import Tile, Turning, column, line_up
from wizard.gui.widgets.hosts_consent import LACKS_TRUST, HostsConsent
from wizard.gui.widgets.icons import ICON_SIZE, icon
from wizard.gui.widgets.labels import Pill, label, told_of, without_key
from wizard.model.messages import Message, message

if TYPE_CHECKING:
    from wizard.app.pages.opened import Opened
    from wizard.app.use.environments import Glance
    from wizard.classroom.profile.hosts import ForeignHost
    from wizard.classroom.profile.model import ProfileFile
    from wizard.environment.inspect.baseline import EnvironmentChanges
    from wizard.gui.shell.context import AppContext
    from wizard.run.model import RunInfo


_APART, _LEAST_WORDS = 20, 180  # pixels
_LINKS, _FEW_LINKS = 3, 2  # in a line: a small window holds three in both languages, half a screen two


class Links(QWidget):
    """The quiet ways on in columns, each with its icon."""

    def __init__(self) -> None:
        super().__init__()
        self.manage, self.explain, self.undo, self.join, self.profile, self.hold = (QPushButton() for _ in range(6))
        links = {
            self.manage: "box",
            self.explain: "circle-question-mark",
            self.undo: "undo-2",
            self.join: "users",
            self.profile: "file-check",
            self.hold: "graduation-cap",
        }
        self._links = self.buttons = tuple(links)
        self.sides = {  # what they open beside the wizard
            self.manage: SideId.ENVIRONMENTS,
            self.explain: SideId.EXPLAIN,
            self.undo: SideId.UNDO,
            self.hold: SideId.CLASS,
        }
        self._grid = made = QGridLayout(self)
        made.setContentsMargins(0, 8, 0, 0)
        made.setHorizontalSpacing(_APART)
        made.setVerticalSpacing(4)
        for link, name in links.items():
            link.setProperty("role", "plain")
            link.setIcon(icon(name))
            link.setIconSize(ICON_SIZE)
        self._put(_LINKS)

    def retranslate(self, environments: int = 0) -> None:
        count = f" ({environments})" if environments else ""
        self.manage.setText(self.tr("En&vironments") + count)
        self.join.setText(self.tr("&Join a class…"))
        self.profile.setText(self.tr("&Open class profile…"))
        self.hold.setText(self.tr("Teac&h a class"))
        self.explain.setText(self.tr("E&xplain an error"))
        self.undo.setText(self.tr("&Undo changes"))

    def _put(self, columns: int) -> None:
        self._columns = columns
        for place, link in enumerate(self._links):
            self._grid.addWidget(link, place // columns, place % columns)
        for place in range(_LINKS):
            self._grid.setColumnStretch(place, 1 if place < columns else 0)

    def _least(self, columns: int) -> int:
        widths = [link.minimumSizeHint().width() for link in self._links]
        return sum(max(widths[place::columns]) for place in range(columns)) + (columns - 1) * _APART

    def minimumSizeHint(self) -> QSize:
        return QSize(self._least(_FEW_LINKS), super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Fewer in a line where three are too wide, with the words that they have now."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            columns = _LINKS if self._least(_LINKS) <= self.width() else _FEW_LINKS
            if columns != self._columns:
                self._put(columns)
        return super().event(event)


Way = tuple[str, Callable[[], None]]


class WelcomeCard(QFrame):
    def __init__(
        self,
        state: str,
        word: str,
        words: str,
        about: str,
        name: str,
        ways: Sequence[Way],
        main: Way | None = None,
    ) -> None:
        """`name`: what the buttons are about, for who hears them only. `main`: what the window's own main button does
        while the card is there: two buttons would both look chosen."""
        super().__init__()
        self.setProperty("role", "card")
        self._name, self.main = name, main
        side = Turning(16, (18, 14, 18, 14))
        column(self).addWidget(side)
        outer = side.line
        self.lines = column(gap=6)  # all but the buttons, which stand beside them
        head = line_up()
        self.pill, self.words, self.about = Pill(), label("", "heading"), label("", "muted")
        self.words.setMinimumWidth(_LEAST_WORDS)
        head.addWidget(self.pill, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.words, 1)
        self.lines.addLayout(head)
        self.lines.addWidget(self.about)
        outer.addLayout(self.lines, 1)
        self.show_words(state, word, words, about)
        self.buttons = [QPushButton() for _ in ways]
        for button, (text, way) in zip(self.buttons, ways, strict=True):
            self.show_way(button, text)
            button.clicked.connect(lambda checked=False, way=way: way())
            outer.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    @property
    def lacks(self) -> Message | None:
        """What the main way waits for."""
        return None

    def first_control(self) -> QWidget | None:
        """Return what gets the keys where the card is what was wanted; None: nothing, or its way is the main one."""
        return next((one for one in self.buttons if one.isEnabled()), None)

    def show_words(self, state: str, word: str, words: str, about: str) -> None:
        """Show a state by sign and word, what there is to say, and more of it small."""
        self.pill.show_state(state, word)
        self.pill.setAccessibleName(told_of(self._name, word))
        self.words.setText(words)
        self.about.setText(about)
        self.about.setVisible(bool(about))

    def show_way(self, button: QPushButton, text: str) -> None:
        button.setText(text)
        button.setAccessibleName(told_of(without_key(text.split("(")[0]), self._name))


def drift_card(
    drift: EnvironmentChanges,
    is_first: bool,
    say: Callable[[Message], str],
    open_page: Callable[[SideId, Path], None],
) -> WelcomeCard:
    """Return what says that something else changed an environment. Only the first has a letter."""
    from wizard.gui.tools.doctor_answer import drift_messages

    translate = QCoreApplication.translate
    said = "\n".join(say(words) for words in drift_messages(drift))
    words = translate("WelcomePage", "PyTorch in %1 has changed").replace("%1", drift.prefix.name)
    look = translate("WelcomePage", "&Look into it")
    way = (look if is_first else without_key(look), lambda: open_page(SideId.DOCTOR, drift.prefix))
    return WelcomeCard("warning", translate("WelcomePage", "Changed"), words, said, drift.prefix.name, [way])


def unfinished_card(
    run: RunInfo, is_first: bool, resume: Callable[[], None], remove: Callable[[], None]
) -> WelcomeCard:
    """Return what says of a setup that it was left. A letter that stands twice would press neither."""
    translate = QCoreApplication.translate
    words = [translate("WelcomePage", "&Resume"), translate("WelcomePage", "Re&move")]
    ways = list(zip(words if is_first else [without_key(one) for one in words], (resume, remove), strict=True))
    return WelcomeCard("warning", translate("WelcomePage", "Unfinished"), *unfinished_words(run), run_name(run), ways)


def opened_card(
    opened: Opened, say: Callable[[Message], str], check: Callable[[], None], resume: Callable[[], None]
) -> WelcomeCard:
    """Return what says of a plan or another file what it is, and what can be done with it."""
    translate, name, run = QCoreApplication.translate, opened.path.name, opened.run
    title = translate("WelcomePage", "Opened file")
    ways: list[Way] = []
    main: Way | None = None
    if run is None:
        words = say(message(f"flow.opened.{opened.kind}", name=name))
        return WelcomeCard("note", title, words, str(opened.path), name, ways)
    if run.state == "finished":
        words = translate("WelcomePage", "This plan was carried out already: %1").replace("%1", run_name(run))
        ways = [(translate("WelcomePage", "&Check it"), check)]
    elif run.state == "running":
        words = translate("WelcomePage", "This plan is being carried out: %1").replace("%1", run_name(run))
    else:
        words = translate("WelcomePage", "Carry out this plan: %1").replace("%1", run_name(run))
        main = (translate("WelcomePage", "&Begin"), resume) if run.state == "planned" else None
    return WelcomeCard("note", title, words, str(opened.path), run_name(run), ways, main)


def show_facts(found: Glance, setup: Tile, check: Tile) -> None:
    """Say on the tiles what was seen of this computer."""
    if found.card:
        card = found.card.removeprefix("NVIDIA ").removeprefix("GeForce ").removesuffix(" GPU")  # one line
        setup.show_fact(card, "ok")
    words = QCoreApplication.translate("WelcomePage", "%1 is broken")
    check.show_fact(words.replace("%1", found.broken) if found.broken else "", "problem")


class ProfileCard(WelcomeCard):
    """A class profile that was opened: what it makes, by whom it is signed, and the hosts that want a yes."""

    def __init__(
        self,
        file: ProfileFile,
        path: Path,
        signer: Message | None,
        say: Callable[[Message], str],
        carry_out: Callable[[], None],
        on_agreed: Callable[[frozenset[str]], None],
        hosts: tuple[tuple[ForeignHost, ...], frozenset[str]],
    ) -> None:
        """`hosts`: those that want a yes, and those that got one; `on_agreed` hears of each change."""
        from wizard.classroom.code import code_of  # Welcome alone needs none

        wish, title = file.profile.environment, file.profile.title
        what = message(
            "flow.profile.what",
            "Makes the environment “{name}” with {packages}. Builds in the file: {builds}; made on "
            "{made}; code {code}.",
            name=wish.name,
            builds=len(file.profile.locks),
            packages=", ".join(("torch", *wish.companions, *wish.extras)),
            made=file.profile.made,
            code=code_of(file.sha256),
        )
        about = f"{say(what)}\n{say(signer) if signer else ''}\n{path}"
        main = (QCoreApplication.translate("WelcomePage", "Set up as the class &does"), carry_out)
        word, state = QCoreApplication.translate("WelcomePage", "Class profile"), "warning" if hosts[0] else "note"
        super().__init__(state, word, title, about, title, (), main)
        self._consent = consent = HostsConsent(say)
        self.lines.addWidget(consent)
        consent.show_hosts(*hosts)
        consent.changed.connect(lambda: on_agreed(consent.trusted))

    @property
    def lacks(self) -> Message | None:
        return None if self._consent.is_agreed else LACKS_TRUST

    def first_control(self) -> QWidget | None:
        """Return the first host that wants a yes."""
        return next(iter(self._consent.boxes.values()), None)


class RunningCard(WelcomeCard):
    """A run that goes on: how far it is, and that it has ended well. It follows the run by itself.

    `is_over`: nobody carries it out any more, but it is not done: the page has to look again.
    """

    is_over = Signal()
    done = Signal(object)  # RunInfo

    def __init__(self, context: AppContext, run: RunInfo, show: Callable[[], None]) -> None:
        super().__init__("note", "", "", "", run_name(run), [("", show)])
        self._context, self._run, self._is_done = context, run, run.state == "finished"
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self.lines.addWidget(self._bar)
        self._watch = RunWatch(context.session, context.tasks, context.translator.say, self)
        self._watch.changed.connect(self._show_run)
        self._watch.over.connect(self._over)
        self._watch.vanished.connect(self.is_over)
        self._show_run()
        if not self._is_done:
            self._watch.follow(run.id)

    def _show_run(self) -> None:
        name, about = run_name(self._run), self._run.prefix
        self._bar.setVisible(not self._is_done)
        if self._is_done:
            words = self.tr("Finished, see the result: %1").replace("%1", name)
            self.show_words("ok", self.tr("Finished"), words, about)
            self.show_way(self.buttons[0], self.tr("&See the result"))
            return
        if self._watch.silence:
            said = self._context.translator.say(message("flow.silent", seconds=self._watch.silence))
            about = f"{about}\n{said}"
        share = int(self._watch.view.fraction * 100)
        percent = f"{share} %"
        self._bar.setValue(share)
        what = self.tr("Packages are being changed: %1") if self._run.adds else self.tr("A setup is running: %1")
        words = what.replace("%1", name)
        self.show_words("note", self.tr("Running, %1").replace("%1", percent), words, about)
        self._bar.setAccessibleName(self.pill.accessibleName())
        self.show_way(self.buttons[0], self.tr("Sho&w it"))

    def stop(self) -> None:
        self._watch.stop()

    def _over(self, run: RunInfo) -> None:
        self._watch.stop()
        if run.state != "finished":
            self.is_over.emit()
            return
        self._is_done = True
        self._show_run()
        announce(self, self.words.text())
        self.done.emit(run)
