"""The pages beside the wizard for the gallery, and what else of the wizard a person may meet on an uncommon way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gallery_window import Pictures

PASTED = """\
Traceback (most recent call last):
  File "train.py", line 12, in <module>
    model.to("cuda")
RuntimeError: CUDA error: no kernel image is available for execution on the device
"""


class SideWalk(Pictures):
    def __init__(self, app: Any, wishes: Any, home: Path, folder: Path) -> None:
        from tests.app import values
        from tests.gallery_class import ClassWalk
        from tests.gui import fake_tools
        from tests.gui.fake_session import FakeSession
        from wizard.gui.shell.splash import SIZE
        from wizard.gui.shell.window import WizardWindow

        self.app, self.folder, self.fake = app, folder, fake_tools
        self.session = session = FakeSession(home / "side-runs")
        self.api = session.tools
        self.api.drifts = (fake_tools.drift_in(fake_tools.HOME / "torch"),)
        session.known_runs = [values.run_info("old", "unfinished", "/home/li/torch-envs/classroom")]
        self.window = WizardWindow(app, session, wishes, None)
        self.window.resize(*SIZE)  # not where the window before was left
        self.window.show()
        self.course = ClassWalk(self, home)

    def go(self) -> None:
        self.settle()
        self.shoot("0-welcome-news")
        self.environments()
        self.doctor()
        self.explain()
        self.undo()
        self.far_host()
        self.course.go()
        self.wizard()
        self.window.close()
        self.window.deleteLater()
        self.app.processEvents()

    def environments(self) -> None:
        from wizard.app.pages.order import SideId
        from wizard.app.use.environments import Replaced

        self.window.side.open(SideId.ENVIRONMENTS)
        self.settle()
        page: Any = self.window.page
        self.shoot("a1-environments")
        self.api.kept = Replaced(("torch", "torchvision"), 2_900_000_000, 0.0)
        page.table.selectRow(0)
        self.settle()
        self.shoot("a2-environment")
        page.table.selectRow(3)
        page.card.details.setChecked(True)
        self.settle()
        self.shoot("a2-details")
        page.table.selectRow(0)
        self.settle()
        page.card.buttons["clone"].click()
        self.settle()
        self.shoot("a2-clone")
        page.copying.keep.click()
        page.card.buttons["delete"].click()
        self.settle()
        self.shoot("a3-delete")
        page.panel.name.setText("torch")
        self.api.hold.add("delete")
        page.panel.go.click()
        self.settle(lambda: page.panel.bar.maximum() > 1)
        self.shoot("a4-deleting")
        self.api.let_go.set()
        self.settle()
        self.shoot("a5-deleted")
        self.api.running = self.fake.IN_USE
        page.table.selectRow(1)
        page.card.buttons["delete"].click()
        self.settle()
        self.shoot("a6-in-use")

    def doctor(self) -> None:
        from wizard.app.pages.order import SideId

        prefix = self.fake.ENVIRONMENTS[0].prefix
        self.window.side.switch(SideId.DOCTOR)
        self.settle()
        self.shoot("b0-doctor")
        page: Any = self.window.page
        for name, verdict, cause in (
            ("b1-found", "found", self.fake.CPU_BUILD),
            ("b2-nothing", "nothing-wrong", None),
            ("b3-unknown", "unknown", None),
        ):
            given = self.fake.answer(verdict, prefix, cause, (self.fake.CPU_BUILD,) if verdict == "unknown" else ())
            self.api.answer = lambda asked, given=given: self.fake.examination(given, self.fake.drift_in(prefix))
            page._examine()
            self.settle()
            for fold in (page.answer.evidence, page.answer.looks):
                fold.button.setChecked(verdict != "found" or fold is page.answer.evidence)
            self.shoot(name)

    def explain(self) -> None:
        from wizard.app.pages.order import SideId

        self.window.side.switch(SideId.EXPLAIN)
        self.settle()
        self.shoot("c0-explain")
        self.window.side.open(SideId.EXPLAIN, text=PASTED)
        self.settle()
        self.shoot("c1-known")
        self.window.side.open(SideId.EXPLAIN, text="ValueError: too many values to unpack")
        self.settle()
        self.shoot("c2-unknown")

    def undo(self) -> None:
        from wizard.app.pages.order import SideId

        self.window.side.switch(SideId.UNDO)
        self.settle()
        self.shoot("d1-undo")
        self.window.footer.primary.click()
        self.settle()
        self.shoot("d2-undone")
        self.window.side.switch(SideId.VERSIONS)
        self.settle()
        self.shoot("d3-versions")

    def far_host(self) -> None:
        from wizard.app.pages.order import SideId

        self.window.side.switch(SideId.FAR_HOST)
        self.settle()
        self.shoot("e0-far-host")
        page: Any = self.window.page
        page.address.setText("li@box")
        page.wanted.setText("/home/li/code/their-repo")
        page.log.add(["torch 2.14.1+cu126, Python 3.12", "To be downloaded: 2.9 GB at most (packages: 31)."])
        page._planned((0, "r1", None))
        page.changed.emit()
        self.settle()
        self.shoot("e1-far-host-plan")
        page._edited()

    def wizard(self) -> None:
        from dataclasses import replace

        from tests.gui.fake_session import until_cancelled
        from wizard.app.pages.order import PageId
        from wizard.machine.model import CondaInstall

        window, session = self.window, self.session
        window.side.close()
        self.api.known, self.api.running = self.fake.ENVIRONMENTS, ()
        condas = (
            CondaInstall("/a/conda", "26.3.1", "/home/li/miniforge3", "conda"),
            CondaInstall("/b/micromamba", "2.1.0", "/opt/mamba", "micromamba"),
        )
        session.facts = replace(session.facts, machine=replace(session.facts.machine, condas=condas))
        session.script = until_cancelled
        while window.navigator.page is not PageId.PLACE:
            self.settle(lambda: window.page.may_press() and not window.tasks.busy)
            window.footer.primary.click()
            window.navigator.stop_hurrying()  # not past Place
            self.settle(lambda: window.page.may_press() and not window.tasks.busy)
        place: Any = window.page
        place.engine_fold.button.setChecked(True)
        place.engines["conda"].click()
        self.settle(window.page.may_press)
        self.shoot("4-place-conda")
        place.there.click()
        place.existing.table.selectRow(1)
        self.settle(window.page.may_press)
        self.shoot("4-place-existing")
        self.api.would_change = False
        window.footer.primary.click()
        self.settle()
        self.shoot("5-review-nothing")
        window.footer.back.click()
        self.settle()
        place.new.click()
        self.settle(window.page.may_press)
        window.footer.primary.click()
        self.settle(window.page.may_press)
        window.footer.primary.click()
        install: Any = window.pages[PageId.INSTALL]
        self.settle(lambda: install.watch.view.bytes is not None)
        install.pause.click()
        self.shoot("6-install-paused")
        self.settle()
        install.cancel.click()
        self.settle(lambda: install.rest.isVisible() and not window.tasks.busy)
        self.shoot("6-install-cancelled")
