"""A program that is broken in itself ends with a sentence; the traceback is in a file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.windows.fake_windows import library
from wizard import __main__
from wizard.__main__ import open_window
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, text
from wizard.process import child_environment
from wizard.safety.fatal_error import last_words
from wizard.system import paths
from wizard.system.windows import desktop

PYTHON_CODE = "raise ImportError('libEGL.so.1: cannot open shared object file: No such file or directory')\n"


def start(broken: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The program with a folder before all others on its path."""
    found = paths.own_environment()["PYTHONPATH"]
    environment = child_environment(
        {
            "PYTHONPATH": f"{broken}{os.pathsep}{found}",
            paths.HOME_VARIABLE: str(paths.home()),
            "TORCH_WIZARD_LANG": "en",
            "TMPDIR": str(broken),
            "TEMP": str(broken),
            **more,
        }
    )
    return subprocess.run(
        [*paths.own_command(), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=broken,
    )


@pytest.mark.parametrize("module", ["packaging", "msgspec", "filelock"])
def test_a_part_that_does_not_load(module: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}.py").write_text(PYTHON_CODE, encoding="utf-8")
    done = start(tmp_path, "probe")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    log = next(path for path in (paths.logs_dir(), tmp_path) if list(path.glob("*.log")))
    assert "libEGL" in next(log.glob("*.log")).read_text(encoding="utf-8")


def test_a_window_whose_library_does_not_load(tmp_path: Path) -> None:
    (tmp_path / "PySide6").mkdir()
    (tmp_path / "PySide6" / "__init__.py").write_text(PYTHON_CODE, encoding="utf-8")
    done = start(tmp_path, "window", QT_QPA_PLATFORM="offscreen")
    assert done.returncode == 1
    summary, hint = done.stderr.strip().splitlines()
    assert summary.startswith("✗ The window cannot be opened: the system lacks a library")
    assert "libEGL.so.1" in summary
    assert "torch-wizard setup" in hint


@pytest.mark.skipif(sys.platform == "win32", reason="the display of X11")
def test_a_display_that_does_not_answer(tmp_path: Path) -> None:
    """Qt itself would print its own words and abort."""
    done = start(tmp_path, "window", QT_QPA_PLATFORM="xcb", DISPLAY=":98765")
    assert done.returncode == 1, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith(("✗", "  "))]
    assert said[0].startswith("✗ The window cannot be opened")
    assert "Traceback" not in done.stderr
    assert "Aborted" not in done.stderr


def test_without_a_console_windows_shows_a_box(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As the windowed program runs on Windows: no streams. The box is composed."""
    shown: list[tuple[str, str]] = []
    user32 = library("user32", MessageBoxW=lambda owner, words, title, kind: shown.append((title, words)) or 1)
    monkeypatch.setattr(desktop, "load", lambda name: user32)
    monkeypatch.setattr(sys, "stderr", None)
    assert last_words(ModuleNotFoundError("No module named 'msgspec'", name="msgspec")) == 1
    assert __main__._tell_that_no_window_opens(ImportError("DLL load failed while importing QtCore")) == 1
    assert [title for title, _ in shown] == ["Torch Setup", "Torch Setup"]
    assert "msgspec" in shown[0][1]
    assert "QtCore" in shown[1][1]
    assert not any("Traceback" in words for _, words in shown)


def test_the_sentence_in_chinese(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TORCH_WIZARD_LANG", "zh_CN")
    assert last_words(ImportError("x", name="isal")) == 1
    said = capsys.readouterr().err
    assert "无法启动" in said
    assert "isal" in said
    assert str(paths.logs_dir() / "start.log") in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_system_library_that_is_missing_is_told_with_its_package(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Installing the program again would not help: libGL.so.1 is the system's."""

    class NotThere:
        def find_spec(self, name: str, *more: object) -> None:
            if name == "wizard.gui.startup.app":
                raise ImportError("libGL.so.1: cannot open shared object file: No such file or directory")

    monkeypatch.delitem(sys.modules, "wizard.gui.startup.app", raising=False)
    monkeypatch.setattr(sys, "meta_path", [NotThere(), *sys.meta_path])
    with pytest.raises(WizardError) as caught:
        open_window(None, None, self_test=False)  # type: ignore[arg-type]
    assert "libGL.so.1" in text(caught.value.summary, language)
    assert "apt-get install libgl1" in text(caught.value.hint, language)
