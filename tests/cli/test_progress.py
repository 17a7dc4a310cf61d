"""What is drawn while something goes on: bars on a terminal, plain lines elsewhere, and rich only where it draws."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# A run's events as the reporter gets them; at the end, whether rich was loaded.
EVENTS = """
import sys
from wizard.cli.reporter import ConsoleReporter
from wizard.cli.terminal import Terminal, prepare_streams
from wizard.model.events import Event, EventKind
prepare_streams()
terminal = Terminal("en")
reporter = ConsoleReporter(terminal)
def tell(kind, **data):
    reporter.tell(Event(kind, 1, 1.0, "r", data))
title = {"key": "in-each", "params": {"en": "Downloading 3 files", "zh_CN": "-"}}
done = {"key": "in-each", "params": {"en": "3 files are here", "zh_CN": "-"}}
tell(EventKind.STEP_STARTED, step="fetch", message=title)
tell(EventKind.PROGRESS, step="fetch", unit="bytes", done=250e6, total=1000e6, rate=5e6, limited_by="server")
tell(EventKind.NOTICE, message={"key": "in-each", "params": {"en": "by the way", "zh_CN": "-"}})
tell(EventKind.PROGRESS, step="fetch", unit="bytes", done=750e6, total=1000e6, rate=5e6, limited_by="server")
tell(EventKind.STEP_FINISHED, step="fetch", outcome="done", seconds=7, message=done)
reporter.tell_silence(40)
terminal.drop()
print("rich" in sys.modules)
"""
PARTS = (
    EVENTS.partition("title =")[0]
    + """
title = {"key": "step.parts.will", "params": {"names": "lib, mine"}, "sentence": "Installing {names}"}
at = {"key": "step.parts.at", "params": {"name": "lib"}, "sentence": "Installing 2 of 5: {name} (git)"}
tell(EventKind.STEP_STARTED, step="parts", message=title)
terminal.drop()
tell(EventKind.PROGRESS, step="parts", done=1, total=5, detail=at)
terminal.drop()
"""
)
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def shown(code: str, **variables: str) -> str:
    """Return what a terminal of 80 columns gets on stderr."""
    pty = pytest.importorskip("pty", reason="a Linux terminal")
    leader, follower = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "80", "PYTHONPATH": str(ROOT), **variables}
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, stderr=follower, stdout=subprocess.PIPE, timeout=120
        )
    finally:
        os.close(follower)
    said = b""
    try:
        while chunk := os.read(leader, 65536):
            said += chunk
    except OSError:  # nobody writes any more
        pass
    finally:
        os.close(leader)
    assert done.returncode == 0, said
    return said.decode() + done.stdout.decode()


def test_a_terminal_gets_bars_below_the_lines() -> None:
    said = shown(EVENTS)
    assert "━" in said
    assert "250 of 1000 MB" in ESCAPE.sub("", said)
    assert "\x1b[38;" in said, "in colour"
    assert said.count("\x1b[?25l") == said.count("\x1b[?25h"), "the cursor is there again"
    lines = [line.strip() for line in ESCAPE.sub("", said).replace("\r", "\n").splitlines()]
    assert [line for line in lines if line.startswith(("!", "✓", "·", "…"))] == [
        "! by the way",
        "✓ 3 files are here (7 s)",
    ]
    assert any("shown no progress for" in line for line in lines)


def test_the_bar_of_a_project_s_parts_names_the_one_at_work() -> None:
    said = ESCAPE.sub("", shown(PARTS))
    assert "Installing 2 of 5: lib (git)" in said
    assert "mine" not in said.partition("Installing 2 of 5")[2]


def test_no_color_is_respected() -> None:
    said = shown(EVENTS, NO_COLOR="1")
    assert "━" in said
    assert re.findall(r"\x1b\[[0-9;]*m", said.replace("\x1b[0m", "")) == []


def test_a_terminal_that_cannot_draw_gets_lines() -> None:
    said = shown(EVENTS, TERM="dumb")
    assert "\x1b" not in said
    assert said.splitlines()[0] == "  … Downloading 3 files"
    assert said.splitlines()[-1] == "False", "nor is rich loaded"


def test_a_file_gets_lines() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", EVENTS], capture_output=True, env=environment, timeout=120)
    assert done.stdout.decode().split() == ["False"], "rich is loaded where something is drawn only"
    first, *others = done.stderr.decode().splitlines()
    assert first == "  … Downloading 3 files"
    assert others[:2] == ["  ! by the way", "  ✓ 3 files are here (7 s)"]
    assert others[2].startswith("  · The setup has shown no progress")
    assert len(others) == 3
