"""`python -m tests.gallery OUT`: a picture of every page, in two languages, two themes and two scales.

With the recorded session, so that pictures differ only when the window does. Each scale needs a process of
its own, because Qt reads its scale once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

SCALES = ("1", "1.5")
_SCALE = "QT_SCALE_FACTOR"


def main(out: Path) -> int:
    for scale in SCALES:
        environment = {**os.environ, _SCALE: scale, "TORCH_GALLERY_CHILD": "1"}
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        subprocess.run([sys.executable, "-m", "tests.gallery", str(out)], env=environment, check=True)
    return 0


def draw(out: Path) -> None:
    from wizard.gui.app import application
    from wizard.gui.preferences import Preferences

    app = application()
    suffix = "@150" if os.environ.get(_SCALE) == "1.5" else ""
    for language in ("en", "zh_CN"):
        for theme in ("light", "dark"):
            folder = out / f"{language}-{theme}{suffix}"
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory() as home:
                wishes = Preferences(Path(home) / "settings.json")
                wishes.put(language=language, theme=theme)
                _Walk(app, wishes, Path(home), folder).go()


class _Walk:
    def __init__(self, app, wishes, home: Path, folder: Path) -> None:  # type: ignore[no-untyped-def]
        from tests.gui import fake_session
        from wizard.gui.window import WizardWindow

        self.app, self.folder, self.fake = app, folder, fake_session
        self.session = fake_session.FakeSession(home / "runs")
        self.session.script = fake_session.half_run
        self.window = WizardWindow(app, self.session, wishes, None)
        self.window.show()

    def go(self) -> None:
        from tests.flow import values

        window, session = self.window, self.session
        session.known_runs = [values.run_info("old", "unfinished", "/home/li/torch-envs/classroom")]
        self.settle(lambda: "runs" in session.names())
        window.pages[window.navigator.page].enter()
        self.settle(lambda: not window.errands.busy)
        self.shoot("0-welcome")
        for name in ("1-check", "2-build", "3-source", "4-place", "5-review"):
            window.footer.primary.click()
            self.settle(window.page.may_press)
            self.shoot(name)
        window.footer.primary.click()
        install = window.pages[list(window.pages)[6]]
        self.settle(lambda: install.watch.view.bytes is not None and install.watch.view.bytes.done > 1e9)
        install.log_button.setChecked(True)
        self.shoot("6-install")
        install.log_button.setChecked(False)
        window.close()
        self.shoot("6-install-closing")
        window.ask.put_away()
        self.end(self.fake.failed_run)
        self.settle(lambda: install.remove.isVisible() and not window.errands.busy)
        self.shoot("6-install-failed")
        self.finish("7-verify", True)
        self.finish("8-failure", False)
        window.close()
        window.deleteLater()
        self.app.processEvents()

    def end(self, script: Callable[..., None]) -> None:
        script(self.fake.FakeRun(self.session, "run-1"))

    def finish(self, name: str, gpu_ok: bool) -> None:
        self.session.gpu_ok = gpu_ok
        self.window.navigator.put_run_over(self.fake.report(gpu_ok), "/home/li/torch-envs/torch")
        if self.window.navigator.may_go_next():
            self.window.navigator.go_next()
        self.shoot(name)

    def settle(self, done: Callable[[], bool]) -> None:
        until = time.monotonic() + 20
        while not done():
            if time.monotonic() > until:
                raise TimeoutError(self.window.page.title)
            self.app.processEvents()
            time.sleep(0.005)

    def shoot(self, name: str) -> None:
        for _ in range(6):
            self.app.processEvents()
            time.sleep(0.01)
        self.window.grab().save(str(self.folder / f"{name}.png"))


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "gallery")
    if os.environ.get("TORCH_GALLERY_CHILD"):
        draw(target)
    else:
        sys.exit(main(target))
