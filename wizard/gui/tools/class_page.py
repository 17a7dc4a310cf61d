"""Class: the admin's side. A pack is opened or built, handed out by this computer, and the room shows who needs help.

Building goes on when the page is left, and so does serving, which is the window's (`ServingNow`).

One file: one page; the pack and the room are files of their own.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFileDialog, QWidget

from wizard.gui.shell.context import AppContext
from wizard.gui.shell.serving import PACK
from wizard.gui.shell.tasks import IsCancelled, OnNote
from wizard.gui.tools.base import SidePage, button
from wizard.gui.tools.class_pack import PackPanel
from wizard.gui.tools.class_room import BESIDE, RoomPanel, ServingPanel
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.figures import build_text
from wizard.gui.widgets.frames import FoldList
from wizard.gui.widgets.labels import Pill
from wizard.model.errors import WizardError
from wizard.model.messages import Message, bytes_text, message

if TYPE_CHECKING:
    from wizard.app.classroom import ClassTools, PackPlan, PackSeen, RoomState
    from wizard.app.pages.order import Visit
    from wizard.classroom.pack.listing import Built

_LOOK_MS = 1000
_BESIDE, _BELOW = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
_SAVE_AS = "HTML (*.html);;CSV (*.csv)"
_PROFILES = "Torch Setup (*.torchlab)"


def _pack_beside(profile: Path) -> Path:
    return profile.with_name(f"{profile.stem}-pack")


class ClassPage(SidePage):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._seen: PackSeen | None = None
        self._mark = ""
        self._said: Message | None = None
        self._was = (False, False)  # serving, starting to
        self._planned_for: Visit | None = None  # the one that brought a profile
        self.pack, self.serving = PackPanel(self.say), ServingPanel(context.translator, context.serving)
        self.room = RoomPanel(context.translator)
        self._news, self.sharing = Advice("", "strong"), Pill("ok")
        self.head.addWidget(self.sharing, 0, Qt.AlignmentFlag.AlignTop)
        self.save = button()
        self.footer_left = [self.save]
        self._both = QBoxLayout(_BELOW)
        self._both.setSpacing(14)
        self._both.addWidget(self.serving)
        self._both.addWidget(self.room, 1)
        self.body.addWidget(self._news)
        self.body.addWidget(self.pack)
        self.body.addLayout(self._both)
        self.body.addWidget(FoldList(self.serving.more))
        self.body.addStretch(1)
        self._clock = QTimer(self)
        self._clock.setInterval(_LOOK_MS)
        self._connect()

    def _connect(self) -> None:
        self._clock.timeout.connect(self._look)
        self.context.serving.changed.connect(self._served)
        self.pack.begin_wanted.connect(self._choose_setup)
        self.pack.open_wanted.connect(self._ask_pack)
        self.pack.make_wanted.connect(self._ask_profile)
        self.pack.other_wanted.connect(self.close_pack)
        self.pack.browse_wanted.connect(self._ask_folder)
        self.pack.folder_named.connect(self._folder_named)
        self.pack.agreed.connect(self._build)
        self.pack.put_away.connect(self._put_away)
        self.serving.start_wanted.connect(self._start)
        self.serving.stop_wanted.connect(self.context.serving.stop)
        self.serving.mend_wanted.connect(self._mend)
        self.room.seats_named.connect(self._expect)
        self.save.clicked.connect(self._ask_where_to_save)

    @property
    def classes(self) -> ClassTools:
        return self.api.classes

    def enter(self) -> None:
        visit = self.visit
        if visit.prefix is not None and visit is not self._planned_for and not self.pack.is_going:
            self._planned_for = visit
            self.plan_pack(visit.prefix, Path(visit.text) if visit.text else _pack_beside(visit.prefix))
        elif self._seen is not None:
            self._clock.start()
            self._look()

    def leave(self) -> None:
        """What has begun goes on."""
        self._clock.stop()
        self.stop_beside("room")
        if not self.pack.is_going:
            super().leave()

    @property
    def ends_with_window(self) -> str:
        return "building" if self.pack.is_going else ""

    def first_control(self) -> QWidget:
        if self.pack.is_going:
            return self.pack.drop
        if self.pack.plan is not None:
            return self.pack.browse if self.pack.lacks_room else self.pack.go
        if self._seen is None:
            return self.pack.begin
        ways = (self.serving.large, self.serving.stop)  # one more Return must not end what it began
        return next((way for way in ways if way.isVisible()), self.serving.start)

    def escape(self) -> bool:
        if self.pack.plan is None or self.pack.is_going:
            return False
        self._put_away()
        return True

    def retranslate(self) -> None:
        self._show_head()
        self.save.setText(self.tr("Save the &room…"))
        for panel in (self.pack, self.serving, self.room):
            panel.retranslate()

    def render_state(self) -> None:
        self._news.show_words(self.signed(self._said))
        self._news.setVisible(self._said is not None)
        is_open = self._seen is not None and self.pack.plan is None
        for widget in (self.serving, self.room, self.save):
            widget.setVisible(is_open)
        self.pack.other.setEnabled(not self._is_serving)
        self.serving.show_now()
        is_shared = is_open and self._is_shared
        self.pack.setVisible(not is_shared)  # another one can't be opened now: its name stands above
        self.room.fold_seats(is_shared)
        self._part()
        self._show_head()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._part()

    def _part(self) -> None:
        """Put the code beside the room while it is shared, where both find room."""
        sides = self._sheet_rows.contentsMargins()
        needed = BESIDE + self._both.spacing() + self.room.beside + sides.left() + sides.right()
        is_beside = self._is_shared and needed <= self._scroll.viewport().width()
        self._both.setDirection(_BESIDE if is_beside else _BELOW)
        self.serving.stand_beside(is_beside)

    @property
    def _is_shared(self) -> bool:
        return self.context.serving.what == PACK and self.context.serving.is_on

    def _show_head(self) -> None:
        words = self.tr("One download for the whole room. See who needs help.")
        title, seen = self.tr("Class"), self._seen
        if self._is_shared and seen is not None:
            title, words = seen.title, self.context.translator.listed(map(build_text, seen.builds)) or str(seen.folder)
        self.set_head(title, words)
        self.sharing.show_state("ok", self.tr("Sharing"))
        self.sharing.setVisible(self._is_shared)

    @property
    def _is_serving(self) -> bool:
        serving = self.context.serving
        return serving.what == PACK and (serving.is_on or serving.is_starting)

    # -- opening and building

    def _choose_setup(self) -> None:
        """Begin a new setup on its first page, whatever the wizard shows; a run that goes on does so by itself."""
        if not self.context.navigator.state.is_beginning:
            self.context.navigator.open_setup_for_class()
        self.context.side.close()

    def _ask_pack(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, self.tr("Open a pack"), str(Path.home()))
        if chosen:
            self.open_pack(Path(chosen))

    def open_pack(self, folder: Path) -> None:
        self._said = None
        self.start_task(None, lambda is_cancelled, note: self.classes.look_at(folder), self._opened)

    def _opened(self, seen: PackSeen) -> None:
        self._seen, self._mark = seen, ""
        self.pack.show_pack(seen)
        self.serving.show_total(seen.total)
        self.room.show_room(None)
        self.render_state()
        if self.is_here:
            self._clock.start()
            self._look()
            self.wants_focus.emit()
        self.announce(seen.title)

    def close_pack(self) -> None:
        """Leave this pack; a server that hands it out keeps running."""
        self._clock.stop()
        self.stop_beside("room")
        self._seen = self._said = None
        self.room.show_room(None)
        self.pack.show_choice()
        self.render_state()
        self.changed.emit()
        self.wants_focus.emit()

    def _ask_profile(self) -> None:
        title = self.tr("Build a pack from a class profile")
        chosen, _ = QFileDialog.getOpenFileName(self, title, str(Path.home()), _PROFILES)
        if chosen:
            path = Path(chosen)
            self.plan_pack(path, _pack_beside(path))

    def plan_pack(self, profile: Path, folder: Path) -> None:
        self._said = None
        self.start_task(None, lambda is_cancelled, note: self.classes.plan_pack(profile, folder), self._planned)

    def _planned(self, plan: PackPlan) -> None:
        self.pack.show_plan(plan)
        self.render_state()
        self.wants_focus.emit()

    def _ask_folder(self) -> None:
        plan = self.pack.plan
        if plan is not None:
            chosen = QFileDialog.getExistingDirectory(self, self.tr("Folder of the pack"), self.pack.folder.start())
            if chosen:
                self._folder_named(chosen)

    def _folder_named(self, folder: str) -> None:
        if self.pack.plan is not None:
            self.plan_pack(self.pack.plan.profile, Path(folder).expanduser().absolute())

    def _put_away(self) -> None:
        """Before the start: not wanted. After it: what was fetched so far is kept, so that it can be gone on with."""
        plan, was_going = self.pack.plan, self.pack.is_going
        self.stop_beside("build")
        self._said = (
            message(
                "share.pack-kept",
                "Stopped. What was fetched lies in {path} and is used by the next build.",
                path=str(plan.folder),
            )
            if plan and was_going
            else None
        )
        self._back_to_pack()

    def _back_to_pack(self) -> None:
        """To the pack that was open before, if there was one."""
        if self._seen is not None:
            self.pack.show_pack(self._seen)
        else:
            self.pack.show_choice()
        self.render_state()
        self.changed.emit()
        self.wants_focus.emit()

    def _build(self, split: bool) -> None:
        plan = self.pack.plan
        if plan is None:
            return
        self.trouble.clear()
        self._said = None
        self.pack.show_going()
        self.render_state()
        self.wants_focus.emit()

        trusted = self.pack.consent.trusted

        def work(is_cancelled: IsCancelled, note: OnNote) -> Built:
            return self.classes.build(plan, split, note, is_cancelled, trusted)

        self.beside("build", work, partial(self._built, plan), self.pack.show_progress, self._not_built)

    def _built(self, plan: PackPlan, built: Built) -> None:
        self.pack.is_going = False
        self.open_pack(plan.folder)
        fetched, copied = bytes_text(built.bytes_fetched), bytes_text(built.bytes_copied)
        self._said = message(
            "share.pack-built",
            "The pack is ready. Downloaded: {fetched}; taken from this computer's downloads: "
            "{copied}; was there already: {present}.",
            fetched=fetched,
            copied=copied,
            present=bytes_text(built.bytes_present),
        )
        self.announce(self.say(self._said), urgent=True)

    def _not_built(self, error: WizardError) -> None:
        plan = self.pack.plan
        if plan is not None:
            self.pack.show_plan(plan)
        self.render_state()
        self.trouble.show_error(error)
        self.changed.emit()

    # -- serving

    def _start(self, announce: bool) -> None:
        seen = self._seen
        if seen is None:
            return
        self.trouble.clear()
        self._said = None  # that the pack is ready is no news any more
        classes = self.classes
        self.context.serving.start(
            PACK,
            lambda on_bytes, is_cancelled: classes.serve(seen.folder, announce, on_bytes, is_cancelled),
            self.trouble.show_error,
        )
        self.wants_focus.emit()

    def _served(self) -> None:
        """Another state of the server, or more of the pack was read."""
        serving, before = self.context.serving, self._was
        self._was = (serving.is_on, serving.is_starting)
        if self._was == before:
            self.serving.show_now()
            return
        self.render_state()
        if self._is_shared and not before[0]:
            self.announce(self.serving.begun)
        if self.is_here:
            self.changed.emit()
            self.wants_focus.emit()

    def _mend(self) -> None:
        """The pack's own profile says what belongs into it."""
        seen = self._seen
        if seen is not None:
            self.context.serving.stop()
            self.plan_pack(seen.folder / "profile.torchlab", seen.folder)

    # -- the room

    def _look(self) -> None:
        """Each second while the page is shown; the folder is read again only when something in it has changed."""
        self.serving.show_now()
        seen = self._seen
        if seen is None or "room" in self._beside:
            return
        mark = self._mark
        self.beside(
            "room",
            lambda is_cancelled, note: self.classes.room(seen.folder, mark),
            self._looked,
            on_failed=lambda error: None,  # a stick that was pulled out comes back, and the next look finds it
        )

    def _looked(self, told: RoomState | None) -> None:
        if told is None:
            return
        before, self._mark = self.room.room, told.mark
        self.room.show_room(told.room)
        self._part()
        if before is not None and len(told.room.rows) != len(before.rows):
            self.announce(self.say(told.room.head))
        self.changed.emit()

    def _expect(self, seats: int) -> None:
        seen = self._seen
        if seen is not None:
            self.start_task(None, lambda is_cancelled, note: self.classes.expect(seen.folder, seats), self._expected)

    def _expected(self, answer: None) -> None:
        self._look()

    def _ask_where_to_save(self) -> None:
        start = str(Path.home() / "room.html")
        chosen, _ = QFileDialog.getSaveFileName(self, self.tr("Save the room"), start, _SAVE_AS)
        if chosen:
            self.save_to(Path(chosen))

    def save_to(self, path: Path) -> None:
        """Write the page of the room's results, in the background."""
        room, language = self.room.room, self.context.translator.language
        if room is None:
            return
        self.start_task(
            None, lambda is_cancelled, note: self.classes.save_room(room, path, language), partial(self._saved, path)
        )

    def _saved(self, path: Path, answer: None) -> None:
        self._said = message("share.saved", path=str(path))
        self.render_state()
        self.announce(self.say(self._said))
