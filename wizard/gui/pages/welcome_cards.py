"""Welcome's cards and forms: a setup that is running or was left, what was opened, a class to join, a project to open.

They show a value and offer one or two ways on; what a way does is the page's. One file: each is a few lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QFrame, QGridLayout, QLabel, QLineEdit, QPushButton, QWidget

from wizard.app.pages.order import SideId
from wizard.gui.pages.run_watch import RunWatch, run_name
from wizard.gui.widgets.announce import announce
from wizard.gui.widgets.fields import PathField, read_in_order, tell_wrong
from wizard.gui.widgets.frames import column, line_up
from wizard.gui.widgets.hosts_consent import HostsConsent
from wizard.gui.widgets.icons import ICON_SIZE, icon
from wizard.gui.widgets.labels import Pill, label
from wizard.model.messages import Message, message

if TYPE_CHECKING:
    from wizard.app.pages.opened import Opened
    from wizard.app.use.environments import Glance
    from wizard.classroom.profile.hosts import ForeignHost
    from wizard.classroom.profile.model import ProfileFile
    from wizard.environment.inspect.baseline import EnvironmentChanges
    from wizard.gui.shell.context import AppContext
    from wizard.gui.widgets.frames import Tile
    from wizard.gui.widgets.messages import Trouble
    from wizard.model.errors import WizardError
    from wizard.run.model import RunInfo


_CODE = "7YD-25C8-7SP-8YWZ"
_ADDRESS = "http://192.168.1.20:8765/"
_OF_CODE = ("share-bad-code", "share-needs-code", "share-wrong-code")


@dataclass(frozen=True, slots=True)
class JoinRequest:
    code: str
    address: str
    label: str
    hand_on: bool


class JoinPanel(QFrame):
    changed = Signal()
    put_away = Signal()

    def __init__(self, say: Callable[[Message], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.consent = HostsConsent(say, self)
        rows = column(self, (16, 14, 16, 14), 10)
        self._title, self._words = label("", "heading"), label("", "muted")
        self.code, self.address, self.seat = QLineEdit(self), PathField(self), QLineEdit(self)
        self.browse, self.drop, self.hand_on = QPushButton(self), QPushButton(self), QCheckBox(self)
        self._texts = [QLabel(self) for _ in range(3)]
        self._fields = fields = QGridLayout()
        fields.setHorizontalSpacing(12)
        for row, (text, field) in enumerate(zip(self._texts, (self.code, self.address, self.seat), strict=True)):
            text.setBuddy(field)
            fields.addWidget(text, 2 * row, 0)
            fields.addWidget(field, 2 * row, 1)
            field.textChanged.connect(self.changed)
        fields.addWidget(self.browse, 2, 2)
        fields.setColumnStretch(1, 1)
        for widget in (self._title, self._words):
            rows.addWidget(widget)
        rows.addLayout(fields)
        rows.addWidget(self.consent)
        rows.addWidget(self.hand_on)
        rows.addWidget(self.drop, 0, Qt.AlignmentFlag.AlignLeft)
        for field in (self.code, self.address):
            field.textChanged.connect(lambda text: self.consent.show_hosts(()))  # those of another class
        self.consent.changed.connect(self.changed)
        self.browse.clicked.connect(self._ask_folder)
        self.drop.clicked.connect(self.put_away)
        code, address, seat = zip(self._texts, (self.code, self.address, self.seat), strict=True)
        fields_shown = (*code, *address, self.browse, *seat)
        read_in_order(self._title, self._words, *fields_shown, self.consent, self.hand_on, self.drop)
        self.setVisible(False)

    @property
    def first(self) -> QWidget:
        return self.code

    def show_wrong(self, error: WizardError | None, trouble: Trouble) -> None:
        """Show an error below the field that it is about; None: what was wrong is over."""
        is_of_address = bool(self.address.text()) and error is not None and error.code not in _OF_CODE
        trouble.put_below_field(error is not None)
        for row, field in ((1, self.code), (3, self.address)):
            is_wrong = error is not None and is_of_address == (field is self.address)
            if is_wrong and error is not None:
                self._fields.addWidget(trouble, row, 1, 1, 2)
                trouble.show_error(error)
            tell_wrong(field, trouble.plain_text() if is_wrong else "")

    @property
    def is_filled(self) -> bool:
        return bool(self.wish.code or self.wish.address) and self.consent.is_agreed

    @property
    def wish(self) -> JoinRequest:
        code, address, seat = (field.text().strip() for field in (self.code, self.address, self.seat))
        return JoinRequest(code, address, seat, self.hand_on.isChecked())

    def _ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, self.tr("The folder of the class"), str(Path.home()))
        if chosen:
            self.address.setText(chosen)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Join a class"))
        self._words.setText(
            self.tr("Type the class code that your teacher shows. Each file is checked after it is downloaded.")
        )
        names = (self.tr("Class c&ode"), self.tr("&Address or folder"), self.tr("Na&me of this computer"))
        for text, words in zip(self._texts, names, strict=True):
            text.setText(words)
        self.code.setPlaceholderText(_CODE)
        self.code.setAccessibleName(self.tr("Class code"))
        only = self.tr("only if the code finds nothing: %1").replace("%1", _ADDRESS)
        self.address.setPlaceholderText(only)
        self.address.setAccessibleName(self.tr("Address or folder of the class"))
        self.seat.setPlaceholderText(self.tr("for example seat 7 (optional)"))
        self.seat.setAccessibleName(self.tr("Name of this computer in the class"))
        self.browse.setText(self.tr("&Folder…"))
        self.hand_on.setText(self.tr("When this computer is ready, s&hare the files with the others"))
        self.drop.setText(self.tr("Ca&ncel"))
        self.consent.retranslate()


class OpenPanel(QFrame):
    """Which project: a folder, or one file of it, typed, chosen or dropped."""

    changed = Signal()
    put_away = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        rows = column(self, (16, 14, 16, 14), 10)
        self._title, self._words = label("", "heading"), label("", "muted")
        self.where = PathField(self)
        self.folder, self.file, self.drop = QPushButton(self), QPushButton(self), QPushButton(self)
        line = line_up()
        line.addWidget(self.where, 1)
        line.addWidget(self.folder)
        line.addWidget(self.file)
        rows.addWidget(self._title)
        rows.addWidget(self._words)
        rows.addLayout(line)
        rows.addWidget(self.drop, 0, Qt.AlignmentFlag.AlignLeft)
        self.where.textChanged.connect(self.changed)
        self.folder.clicked.connect(self._ask_folder)
        self.file.clicked.connect(self._ask_file)
        self.drop.clicked.connect(self.put_away)
        read_in_order(self._title, self._words, self.where, self.folder, self.file, self.drop)
        self.setVisible(False)

    @property
    def first(self) -> QWidget:
        return self.where

    @property
    def is_filled(self) -> bool:
        return bool(self.where.text().strip())

    def _ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, self.tr("The folder of the project"), str(Path.home()))
        if chosen:
            self.where.setText(chosen)

    def _ask_file(self) -> None:
        title = self.tr("The file that lists what the project needs")
        chosen, _ = QFileDialog.getOpenFileName(self, title, str(Path.home()))
        if chosen:
            self.where.setText(chosen)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Open a project"))
        self._words.setText(self.tr("What it needs is read from files such as requirements.txt; none of it is run."))
        self.where.setAccessibleName(self.tr("Folder, file or address of the project"))
        self.where.setPlaceholderText(self.tr("Drop the folder here, or paste the address of a repository"))
        self.folder.setText(self.tr("&Folder…"))
        self.file.setText(self.tr("F&ile…"))
        self.drop.setText(self.tr("Ca&ncel"))


_LINKS = 3  # in a line: a small window holds them in both languages


def links_in_lines(links: Mapping[QPushButton, str]) -> QGridLayout:
    """Return the quiet ways on in columns, each with its icon."""
    made = QGridLayout()
    made.setHorizontalSpacing(20)
    made.setVerticalSpacing(4)
    for place, (link, name) in enumerate(links.items()):
        link.setProperty("role", "plain")
        link.setIcon(icon(name))
        link.setIconSize(ICON_SIZE)
        made.addWidget(link, place // _LINKS, place % _LINKS)
    for place in range(_LINKS):
        made.setColumnStretch(place, 1)
    return made


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
        consent: HostsConsent | None = None,
    ) -> None:
        """`name`: what the buttons are about, for who hears them only. `consent`: what they wait for."""
        super().__init__()
        self.setProperty("role", "card")
        self._name = name
        rows = column(self, (18, 12, 18, 12), 6)
        head = line_up()
        self.pill, self.words, self.about = Pill(), label("", "heading"), label("", "muted")
        head.addWidget(self.pill)
        head.addStretch(1)
        rows.addLayout(head)
        rows.addWidget(self.words)
        rows.addWidget(self.about)
        self.show_words(state, word, words, about)
        buttons = line_up()
        self.buttons = [QPushButton() for _ in ways]
        for button, (text, way) in zip(self.buttons, ways, strict=True):
            self.show_way(button, text)
            button.clicked.connect(lambda checked=False, way=way: way())
            buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        buttons.addStretch(1)
        if consent is not None:
            self._wait_for(consent)
            rows.addWidget(consent)
        if ways:
            rows.addLayout(buttons)

    def _wait_for(self, consent: HostsConsent) -> None:
        def look() -> None:
            for button in self.buttons:
                button.setEnabled(consent.is_agreed)

        consent.changed.connect(look)
        look()

    def show_words(self, state: str, word: str, words: str, about: str) -> None:
        """Show a state by sign and word, what there is to say, and more of it small."""
        self.pill.show_state(state, word)
        self.pill.setAccessibleName(f"{self._name}: {word}")
        self.words.setText(words)
        self.about.setText(about)
        self.about.setVisible(bool(about))

    def show_way(self, button: QPushButton, text: str) -> None:
        button.setText(text)
        button.setAccessibleName(f"{text.split('(')[0].replace('&', '')}: {self._name}")


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
    way = (look if is_first else look.replace("&", ""), lambda: open_page(SideId.DOCTOR, drift.prefix))
    return WelcomeCard("warning", translate("WelcomePage", "Changed"), words, said, drift.prefix.name, [way])


def opened_card(
    opened: Opened, say: Callable[[Message], str], check: Callable[[], None], resume: Callable[[], None]
) -> WelcomeCard:
    """Return what says of a plan or another file what it is, and what can be done with it."""
    translate, name, run = QCoreApplication.translate, opened.path.name, opened.run
    title = translate("WelcomePage", "Opened file")
    ways: list[Way] = []
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
        ways = [(translate("WelcomePage", "&Begin"), resume)] if run.state == "planned" else []
    return WelcomeCard("note", title, words, str(opened.path), run_name(run), ways)


def show_facts(found: Glance, setup: Tile, check: Tile) -> None:
    """Say on the tiles what was seen of this computer."""
    if found.card:
        card = found.card.removeprefix("NVIDIA ").removeprefix("GeForce ").removesuffix(" GPU")  # one line
        setup.show_fact(f"{card} • {found.driver}" if found.driver else card, "ok")
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
        foreign: Sequence[ForeignHost],
    ) -> None:
        wish, title = file.profile.environment, file.profile.title
        what = message(
            "flow.profile.what",
            "Makes the environment “{name}” with {packages}. Builds in the file: {builds}; made on "
            "{made}; code {code}.",
            name=wish.name,
            builds=len(file.profile.locks),
            packages=", ".join(("torch", *wish.companions, *wish.extras)),
            made=file.profile.made,
            code=file.sha256[:12],
        )
        about = f"{say(what)}\n{say(signer) if signer else ''}\n{path}"
        ways = [(QCoreApplication.translate("WelcomePage", "Set up as the class &does"), carry_out)]
        word, state = QCoreApplication.translate("WelcomePage", "Class profile"), "warning" if foreign else "note"
        self.consent = HostsConsent(say)
        super().__init__(state, word, title, about, title, ways, self.consent)


class RunningCard(WelcomeCard):
    """A run that goes on: how far it is, and that it has ended well. It follows the run by itself.

    `is_over`: nobody carries it out any more, but it is not done: the page has to look again.
    """

    is_over = Signal()
    done = Signal(object)  # RunInfo

    def __init__(self, context: AppContext, run: RunInfo, show: Callable[[], None]) -> None:
        super().__init__("note", "", "", "", run_name(run), [("", show)])
        self._context, self._run, self._is_done = context, run, run.state == "finished"
        self._watch = RunWatch(context.session, context.tasks, context.translator.say, self)
        self._watch.changed.connect(self._show_run)
        self._watch.over.connect(self._over)
        self._watch.vanished.connect(self.is_over)
        self._show_run()
        if not self._is_done:
            self._watch.follow(run.id)

    def _show_run(self) -> None:
        name, about = run_name(self._run), self._run.prefix
        if self._is_done:
            words = self.tr("Finished, see the result: %1").replace("%1", name)
            self.show_words("ok", self.tr("Finished"), words, about)
            self.show_way(self.buttons[0], self.tr("&See the result"))
            return
        if self._watch.silence:
            said = self._context.translator.say(message("flow.silent", seconds=self._watch.silence))
            about = f"{about}\n{said}"
        percent = f"{int(self._watch.view.fraction * 100)} %"
        what = self.tr("Packages are being changed: %1") if self._run.adds else self.tr("A setup is running: %1")
        words = what.replace("%1", name)
        self.show_words("note", self.tr("Running, %1").replace("%1", percent), words, about)
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
