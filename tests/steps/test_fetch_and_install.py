"""Fetch and install as the worker runs them, at the same time, with real wheels from a real server."""

from __future__ import annotations

import json
import sys
import threading
import venv
from pathlib import Path

import pytest

from tests.packages import wheels
from tests.packages.files import locked, some_bytes
from tests.servers.fault_server import Faults, FaultServer
from tests.steps.stage import stage
from wizard import paths
from wizard.errors import WizardError
from wizard.i18n import Message, message
from wizard.packages.early import FOLDER, EarlyUnpacker
from wizard.packages.install import find_places
from wizard.packages.record import check_record
from wizard.plan.model import Choices
from wizard.session.runs import remove_run
from wizard.steps.context import Context
from wizard.steps.executor import carry_out
from wizard.steps.fetch import Fetch
from wizard.steps.install import Install


@pytest.fixture
def python(tmp_path: Path) -> Path:
    prefix = tmp_path / "demo env"
    venv.create(prefix, with_pip=False, symlinks=sys.platform != "win32")
    return prefix / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def progress_of(context: Context, step: str) -> list[dict[str, object]]:
    events = [json.loads(line) for line in context.folder.events.read_text(encoding="utf-8").splitlines() if line]
    return [event for event in events if event["event"] == "progress" and event["step"] == step]


def test_wheels_are_installed_while_others_come(tmp_path: Path, python: Path) -> None:
    """The last file comes only when the others are installed."""
    site_packages = find_places(python).purelib
    others_are_there = threading.Event()
    built = [wheels.build(tmp_path / "made", f"part{number}") for number in range(4)]
    with FaultServer() as server:
        gates = [Faults(), Faults(), Faults(), Faults(gate=others_are_there)]
        files = [
            locked(wheel.read_bytes(), server.add(f"/{wheel.stem}", wheel.read_bytes(), faults), name=wheel.name[:5])
            for wheel, faults in zip(built, gates, strict=True)
        ]
        is_over = threading.Event()

        def watch() -> None:
            while not is_over.wait(0.02):
                if len(list(site_packages.glob("part[012]/__init__.py"))) == 3:
                    others_are_there.set()

        watcher = threading.Thread(target=watch)
        watcher.start()
        with stage(tuple(files), python) as context:
            carry_out(((Fetch(), Install()),), context)
        was_opened = others_are_there.is_set()
        is_over.set()
        watcher.join()
    assert was_opened
    assert server.requests("/part3-1.0-py3-none-any") == 1
    stored = sorted(paths.downloads_dir().rglob("part*.whl"))
    assert [check_record(site_packages, wheel) for wheel in stored] == [()] * 4


def test_a_failed_fetch_ends_both_and_a_second_go_completes(tmp_path: Path, python: Path) -> None:
    good, late = wheels.build(tmp_path, "good"), wheels.build(tmp_path, "late")
    with FaultServer() as server:
        files = (
            locked(good.read_bytes(), server.add("/good", good.read_bytes()), name="good"),
            locked(late.read_bytes(), server.root + "/late", name="late"),
        )
        with stage(files, python) as context, pytest.raises(WizardError) as caught:
            carry_out(((Fetch(), Install()),), context)
        assert caught.value.code == "fetch-not-found"
        server.add("/late", late.read_bytes())
        with stage(files, python, run="r2") as again:
            carry_out(((Fetch(), Install()),), again)
        assert server.sent["/good"] == len(good.read_bytes())
    site_packages = find_places(python).purelib
    assert [check_record(site_packages, wheel) for wheel in paths.downloads_dir().rglob("*.whl")] == [(), ()]


def test_the_plan_limits_rate_and_connections(python: Path) -> None:
    data = [some_bytes(120_000, seed=number) for number in range(4)]
    with FaultServer() as server:
        files = tuple(locked(item, server.add(f"/{at}", item), name=f"n{at}") for at, item in enumerate(data))
        with stage(files, python, Choices(limit_rate=400_000, connections=1)) as context:
            Fetch().run(context)
        assert server.most_at_once == 1
    seen = progress_of(context, "fetch")
    assert "limit" in {event["limited_by"] for event in seen}
    assert seen[-1]["done"] == sum(map(len, data))


class _Fails:
    """A step after the fetch that cannot go on."""

    name, weight = "fails", 1

    def announce(self, context: Context) -> Message:
        return message("step.install.will", count=0)

    def run(self, context: Context) -> Message:
        assert list((paths.downloads_dir() / FOLDER / context.folder.id).rglob("0")), "something was unpacked by then"
        raise WizardError("install-no-space", folder="x")


def test_a_step_that_fails_leaves_nothing_that_was_unpacked_early(tmp_path: Path, python: Path) -> None:
    wheel = wheels.rich(tmp_path / "made")
    file = locked(wheel.read_bytes(), wheel.as_uri(), name="rich_demo")
    with stage((file,), python) as context, pytest.raises(WizardError):
        carry_out(((Fetch(),), (_Fails(),), (Install(),)), context)
    assert list((paths.downloads_dir() / FOLDER).iterdir()) == []
    assert list(paths.downloads_dir().rglob("*.whl")), "what was fetched stays"


def test_removing_a_run_removes_what_it_had_unpacked(tmp_path: Path, python: Path) -> None:
    with stage((), python, run="killed") as context:
        left = paths.downloads_dir() / FOLDER / "killed"
        left.mkdir(parents=True)
        (left / "0").write_bytes(b"x")
        other = EarlyUnpacker(paths.downloads_dir(), "going on")
        left.mkdir()
    remove_run(context.folder)
    assert not left.exists()
    assert (paths.downloads_dir() / FOLDER / "going on").is_dir()
    other.close()
    assert list((paths.downloads_dir() / FOLDER).iterdir()) == []
