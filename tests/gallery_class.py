"""The pages of a class for the gallery: a small real pack with results; server and download are told, not run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wizard.app.classroom import ClassTools

CLASS_CODE = "7YD-25C8-7SP-8YWZ"
_CARDS = ("NVIDIA GeForce RTX 3060", "NVIDIA GeForce GTX 1060 6GB", "NVIDIA GeForce RTX 4070 Laptop GPU")


@dataclass
class _Counts:
    bytes_sent: int = 61_400_000_000
    refused: int = 4
    results: int = 26
    clients: set[str] = field(default_factory=lambda: {str(number) for number in range(27)})


@dataclass
class ToldServer:
    code: str
    addresses: tuple[str, ...] = ("http://192.168.1.20:8765/",)
    problems: tuple[Any, ...] = ()
    is_announced: bool = True
    counted: _Counts = field(default_factory=_Counts)

    def stop(self) -> None: ...


class ToldClasses(ClassTools):
    """Real, but for what would take an address of this computer or the network."""

    def serve(self, folder: Path, announce: bool, on_bytes: Any, is_cancelled: Any) -> Any:
        return ToldServer(self.look_at(folder).code)


def told_hand_on(window: Any) -> None:
    """On Verify: as it looks to who hands the files on."""
    from wizard.gui.shell.serving import DOWNLOADS

    window.serving.what, window.serving.server = DOWNLOADS, ToldServer(CLASS_CODE)
    window.serving.changed.emit()


class ClassWalk:
    """`walk`: the gallery's walk through the side pages, which has the window and takes the pictures."""

    def __init__(self, walk: Any, home: Path) -> None:
        self._walk, self._window, self._home = walk, walk.window, home
        walk.api.classes = ToldClasses()

    def go(self) -> None:
        from wizard.app.pages.order import SideId

        profile, pack = self._made()
        self._window.side.switch(SideId.CLASS)
        page: Any = self._window.page
        self._shoot("e0-class")
        page.plan_pack(profile, self._home / "deep-learning-pack")
        self._with_layout()
        plan = replace(
            page.pack.plan, total=8_412_000_000, files=61, volume="vfat", needs_split=True, free=4_100_000_000
        )
        page.pack.show_plan(replace(plan, folder=Path("/media/li/STICK/deep-learning-pack")))
        self._shoot("e1-plan")
        page.pack.show_going()
        page.pack.show_progress(_progress())
        self._shoot("e2-building")
        page.escape()
        page.pack.show_choice()
        page.open_pack(pack)
        self._with_layout(lambda: page.room.room is not None)
        page.pack.show_pack(replace(page._seen, folder=Path("/srv/class/deep-learning-pack"), made="2026-11-21"))
        page.room.seats.setValue(30)
        self._with_layout(lambda: page.room.room.expected == 30)
        self._shoot("e3-room")
        page.serving.start.click()
        self._with_layout(lambda: self._window.serving.is_on)
        page._seen = replace(page._seen, builds=("2.14.1+cu126",))
        page.render_state()
        self._shoot("e4-serving")
        page.room.only_red.setChecked(True)
        bar = page._scroll.verticalScrollBar()
        bar.setValue(bar.maximum())
        self._shoot("e5-only-red")
        self._window.close()
        self._shoot("e6-closing")
        self._window.ask.put_away()
        self._window.serving.stop()
        self._window.side.close()
        self._with_layout()
        self._join()

    def _join(self) -> None:
        welcome: Any = self._window.page
        welcome.join.click()
        welcome.joining.code.setText(CLASS_CODE)
        welcome.joining.seat.setText("seat 7")
        self._shoot("f0-join")
        welcome.escape()

    def _made(self) -> tuple[Path, Path]:
        from tests.classroom.pack.classes import make_class, publish
        from tests.classroom.server.test_room import full, told
        from tests.servers.fault_server import FaultServer
        from wizard.classroom.pack.build import BuildOptions, build
        from wizard.classroom.pack.make import wanted_of
        from wizard.classroom.results.certificate import write_into
        from wizard.transfer.download import Downloads

        pack = self._home / "class-pack"
        with FaultServer() as origin:
            course = make_class(origin.root)
            publish(origin, course)
            build(wanted_of(course.file), pack, BuildOptions(), Downloads(self._home / "class-own"))
        for number in range(1, 27):
            status, error = (1, full()) if number == 11 else (0, None)
            value = told(number, status, error, off=400 * 86400.0 if number == 4 else 0.0, profile=course.file.sha256)
            report = {**value.report, "machine": {"os": "windows", "gpus": [{"name": _CARDS[number % 3]}]}}
            write_into(pack / "results", replace(value, machine=f"{number * 40503 % 65536:08x}" * 4, report=report))
        return course.write(self._home / "deep-learning.torchlab"), pack

    def _with_layout(self, done: Any = None) -> None:
        self._walk.settle(done)

    def _shoot(self, name: str) -> None:
        self._walk.shoot(name)


def _progress() -> Any:
    from wizard.transfer.download import FetchProgress

    return FetchProgress(3_210_000_000, 8_412_000_000, 11_800_000.0, "torch-2.13.0+cu126-cp312-win_amd64.whl", 14, 61)
