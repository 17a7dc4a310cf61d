"""`python -m tests.gallery OUT`: a picture of every page, in two languages, two themes and three scales.

With the recorded session, so that pictures differ only when the window does. Each scale needs a process of
its own, because Qt reads its scale once.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.gallery_window import Pictures

SCALES = ("1", "1.5", "2")
_SCALE = "QT_SCALE_FACTOR"


def main(out: Path) -> int:
    for scale in SCALES:
        environment = {**os.environ, _SCALE: scale, "TORCH_GALLERY_CHILD": "1"}
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        subprocess.run([sys.executable, "-m", "tests.gallery", str(out)], env=environment, check=True)
    return 0


def draw(out: Path) -> None:
    from tests.gallery_side import SideWalk
    from wizard.gui.startup.app import Collecting, application
    from wizard.gui.startup.preferences import Preferences

    app = application()
    collecting = Collecting(app)  # as in the program: a task's thread must not meet what is left of the window before
    percent = round(float(os.environ.get(_SCALE, "1")) * 100)
    suffix = "" if percent == 100 else f"@{percent}"
    for language in ("en", "zh_CN"):
        for theme in ("light", "dark"):
            folder = out / f"{language}-{theme}{suffix}"
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory() as home:
                wishes = Preferences(Path(home) / "settings.json")
                wishes.put(language=language, theme=theme)
                _Walk(app, wishes, Path(home), folder).go()
                SideWalk(app, wishes, Path(home), folder).go()
    collecting.stop()


def _buttons() -> type:
    from PySide6.QtWidgets import QPushButton

    return QPushButton


class _Walk(Pictures):
    def __init__(self, app, wishes, home: Path, folder: Path) -> None:  # type: ignore[no-untyped-def]
        from tests.gui import fake_session
        from wizard.gui.shell.splash import SIZE
        from wizard.gui.shell.window import WizardWindow

        self.app, self.folder, self.fake = app, folder, fake_session
        self.session = fake_session.FakeSession(home / "runs")
        self.session.script = fake_session.half_run
        self.window = WizardWindow(app, self.session, wishes, None)
        self.window.resize(*SIZE)  # the screen of the pictures is smaller
        self.window.show()

    def go(self) -> None:
        from tests.app import values
        from tests.gallery_class import told_hand_on
        from wizard.app.pages.order import PageId

        window, session = self.window, self.session
        session.known_runs = [values.run_info("old", "unfinished", "/home/li/torch-envs/classroom")]
        self.settle(lambda: "runs" in session.names())
        window.pages[window.navigator.page].enter()
        self.settle(lambda: not window.tasks.busy)
        self.settle(lambda: "glance" in session.tools.names() and not window.tasks.busy)  # the tiles' facts
        self.shoot("0-welcome")
        for number, name in enumerate(("1-check", "2-build", "3-source", "4-place", "5-review"), start=1):
            session.hold.add("propose")  # the picture takes longer than the choosing
            window.footer.primary.click()
            if window.navigator.chooses:
                self.shoot("1-choosing")
            window.navigator.stop_hurrying()  # each page is wanted, not only the last one
            session.hold.discard("propose")
            self.settle(lambda: window.page.may_press() and not window.tasks.busy)
            self.shoot(name)
            getattr(self, f"_more_of_{number}", lambda: None)()
        window.footer.primary.click()
        install = window.pages[PageId.INSTALL]
        self.settle(lambda: install.watch.view.bytes is not None and install.watch.view.bytes.done > 1e9)
        install.log_button.setChecked(True)
        self.shoot("6-install")
        install.log_button.setChecked(False)
        window.close()
        self.shoot("6-install-closing")
        window.ask.put_away()
        self.end(self.fake.failed_run)
        self.settle(lambda: install.remove.isVisible() and not window.tasks.busy)
        self.shoot("6-install-failed")
        self.finish("7-verify", True)
        told_hand_on(window)
        self.shoot("7-verify-hand-on")
        window.serving.stop()
        self.finish("8-failure", False)
        window.close()
        window.deleteLater()
        self.app.processEvents()

    # -- what the pages show when there is much to show

    def _more_of_1(self) -> None:
        from tests.gui import scenes

        page, session = self.window.page, self.session
        session.hold.add("probe")
        session.parts = ("nvml", "nvidia-smi", "devices", "toolkits")
        page.again.click()
        self.settle(lambda: len(page._ended) == 4)
        self.shoot("1-check-looking")
        scenes.rich(session)
        session.parts = type(session)(session.root).parts
        session.hold.clear()
        page.again.click()
        self.settle(lambda: not self.window.tasks.busy)
        self.shoot("1-check-found")
        shown = (button for button in page.rows.findChildren(_buttons()) if button.isVisible())  # not of rows before
        next(button for button in shown if button.isCheckable()).click()
        self.tall("1-check-driver")
        page.rows.fixes["dead-mirror"].click()
        self.settle(lambda: not self.window.tasks.busy)
        page.fold.button.setChecked(True)
        self.tall("1-check-fix")

    def _more_of_2(self) -> None:
        from tests.app import values

        page = self.window.page
        page.force.ask(next(one for one in values.VERDICT.candidates if not one.fits))
        self.shoot("2-build-ask")
        page.force.put_away()

    def _more_of_3(self) -> None:
        from tests.gui import scenes

        page, session = self.window.page, self.session
        session.hold.add("select_build")
        session.told = scenes.told()
        page.again.click()
        self.settle(lambda: len(page._live) == 4)
        self.shoot("3-source-racing")
        session.hold.clear()
        self.settle(lambda: not self.window.tasks.busy)
        page.persistent.tick.click()
        self.settle(lambda: not self.window.tasks.busy)
        self.tall("3-source-lasting")
        page.network_fold.button.setChecked(True)
        page.fold.button.setChecked(True)
        page.network.modes[type(session.wish.mode).CUSTOM].setChecked(True)
        page.network.address.setText("http://proxy.example:3128")
        page.network.password.setText("secret")
        self.tall("3-source-network", 2100)

    def _more_of_5(self) -> None:
        from tests.gui import scenes

        page = self.window.page
        for fold in (page.settings, page.limits_fold):
            fold.button.setChecked(True)
        self.tall("5-review-more")
        page.limits_fold.button.setChecked(False)
        preview = self.window.navigator.state.preview
        self.window.navigator.put_preview(scenes.other_than_chosen(preview))
        self.settle()
        self.shoot("5-review-different")
        next(one for one in page.different.findChildren(_buttons()) if not one.isHidden()).click()
        self.shoot("5-review-why")
        self.window.navigator.put_preview(preview)

    def tall(self, name: str, height: int = 1500) -> None:
        """The whole of a long page, and what of it the smallest window shows."""
        size = self.window.size()
        self.window.resize(900, 600)
        self.shoot(f"{name}-small")
        self.window.resize(size.width(), height)
        self.shoot(name)
        self.window.resize(size)

    def end(self, script: Callable[..., None]) -> None:
        script(self.fake.FakeRun(self.session, "run-1"))

    def finish(self, name: str, gpu_ok: bool) -> None:
        self.session.gpu_ok = gpu_ok
        self.window.navigator.put_run_over(self.fake.report(gpu_ok), "/home/li/torch-envs/torch")
        if self.window.navigator.may_go_next():
            self.window.navigator.go_next()
        self.shoot(name)


if __name__ == "__main__":
    reading = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reading.add_argument("folder", nargs="?", type=Path, default=Path("gallery"))
    target = reading.parse_args().folder
    if os.environ.get("TORCH_GALLERY_CHILD"):
        draw(target)
    else:
        sys.exit(main(target))
