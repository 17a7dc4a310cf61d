"""What the engine's child says and how it ends: believed, explained, or seen to be no event; its environment."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.environment.test_rattler_engine import never, target
from wizard.environment.create import rattler_engine
from wizard.environment.create.rattler_engine import RattlerEngine, failure, parse_event
from wizard.model.errors import WizardError
from wizard.process import Outcome, Request

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the test channel holds a Linux Python")


def fake_child(tmp_path: Path, *lines: str, code: int = 0) -> tuple[str, ...]:
    script = tmp_path / "child.py"
    script.write_text(
        f"import os, sys\nsys.stdin.read()\nfor line in {lines!r}: print(line, flush=True)\nos._exit({code})"
    )
    return (sys.executable, str(script))


def test_done_without_an_environment_is_not_believed(
    prefix: Path, minor: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = fake_child(tmp_path, '{"event": "done", "bytes_downloaded": 1}')
    monkeypatch.setattr(rattler_engine, "child_command", lambda: command)
    with pytest.raises(WizardError) as caught:
        RattlerEngine().create(target(prefix, minor, "file:///x"), lambda *_: None, never)
    assert caught.value.code == "env-broken"


@pytest.mark.slow
def test_a_crash_after_done_does_not_matter(
    prefix: Path, minor: str, conda_channel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The known crash at interpreter exit: the work is done, the exit code is a signal."""
    real = rattler_engine.child_command()
    wrapper = tmp_path / "child.sh"
    wrapper.write_text(f"#!/bin/sh\n{shlex.join(real)}\nkill -SEGV $$\n")
    wrapper.chmod(0o755)
    monkeypatch.setattr(rattler_engine, "child_command", lambda: (str(wrapper),))
    created = RattlerEngine().create(target(prefix, minor, conda_channel), lambda *_: None, never)
    assert created.packages >= 2


def test_the_frozen_program_calls_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rattler_engine.child_command()[-1] == "_rattler"
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert rattler_engine.child_command() == (sys.executable, "_rattler")
    assert "PYTHONPATH" not in (RattlerEngine().request_for(target(Path("/p"), "3.12"), {}).environment or {})


def test_the_childs_environment_carries_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDA_OVERRIDE_CUDA", "9")
    engine = RattlerEngine({"HTTPS_PROXY": "http://127.0.0.1:3128"})
    request = engine.request_for(target(Path("/p"), "3.12", "c"), {"channels": ["c"]})
    environment = request.environment or {}
    assert environment["HTTPS_PROXY"] == "http://127.0.0.1:3128"
    assert environment["CONDA_OVERRIDE_CUDA"] == ""
    assert json.loads(request.stdin)["channels"] == ["c"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (
            {"kind": "failed", "text": "InstallerError: x\nCaused by: No space left on device (os error 28)"},
            "env-disk-full",
        ),
        ({"kind": "failed", "text": "IoError: not enough space (os error 112)"}, "env-disk-full"),
        ({"kind": "failed", "text": "IoError: file 12112 is odd"}, "env-failed"),
        ({"kind": "unsolvable", "text": "SolverError: x"}, "env-unsolvable"),
        ({"kind": "unreachable", "text": "GatewayError: x"}, "env-channel-unreachable"),
        ({}, "env-crashed"),
    ],
)
def test_failures_by_the_childs_words(error: dict[str, str], code: str) -> None:
    outcome = Outcome(Request(("child",)), 1, "", "", 0.0)
    found = failure(error, outcome, target(Path("/p"), "3.12"), ["https://u:p@host/c"])
    assert found.code == code
    assert "u:p@" not in json.dumps(found.to_json("zh_CN"))
    assert found.to_json("en")["summary"]


@pytest.mark.parametrize("line", ["", "warning: x", "[]", '{"a": 1}', "3"])
def test_what_libraries_print_is_no_event(line: str) -> None:
    assert parse_event(line) is None
