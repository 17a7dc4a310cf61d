"""Fetch and install as the worker runs them, at the same time, with real wheels from a real server."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import threading
import venv
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest

from tests.install import wheels
from tests.install.files import locked, some_bytes
from tests.run.stage import stage
from tests.servers.fault_server import Faults, FaultServer
from wizard.compatibility.model import Choices
from wizard.environment.model import Created
from wizard.install.installer import find_places
from wizard.install.record import check_record
from wizard.install.store import PackageStore
from wizard.install.store.build import StoreBuilder
from wizard.install.store.folder import BUILDING
from wizard.model.errors import WizardError
from wizard.run.context import Context, TargetEnvironment
from wizard.run.executor import carry_out
from wizard.run.journal import History
from wizard.run.runs import remove_run
from wizard.run.steps.disk_space import demands, download_bytes, files_here
from wizard.run.steps.fetch import Fetch
from wizard.run.steps.install import CheckFiles, Install
from wizard.system import paths


@pytest.fixture
def python(tmp_path: Path) -> Path:
    prefix = tmp_path / "demo env"
    venv.create(prefix, with_pip=False, symlinks=sys.platform != "win32")
    return python_in(prefix)


def python_in(prefix: Path) -> Path:
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
    assert [check_record(site_packages, entry.wheel) for entry in PackageStore().entries()] == [()] * 4
    assert list(paths.downloads_dir().rglob("*.whl")) == [], "nobody needs the wheels any more"


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
    assert [check_record(site_packages, entry.wheel) for entry in PackageStore().entries()] == [(), ()]


@pytest.mark.parametrize("keeps", [Choices(keep_wheels=True), "profile"], ids=["asked", "class"])
def test_wheels_are_kept_for_who_needs_them(tmp_path: Path, python: Path, keeps: Choices | str) -> None:
    wheel = wheels.rich(tmp_path / "made")
    file = locked(wheel.read_bytes(), wheel.as_uri(), name="rich_demo")
    with stage((file,), python, keeps if isinstance(keeps, Choices) else Choices()) as context:
        plan = (
            context.plan
            if isinstance(keeps, Choices)
            else replace(context.plan, profile_sha256="a" * 64, requirements=("rich_demo",))
        )
        carry_out(((Fetch(), Install()),), replace(context, plan=plan))
    assert [path.name for path in paths.downloads_dir().rglob("*.whl")] == [file.filename]


def test_a_second_environment_fetches_nothing_and_takes_no_room(tmp_path: Path, python: Path) -> None:
    wheel = wheels.rich(tmp_path / "made")
    other = tmp_path / "other"
    venv.create(other, with_pip=False, symlinks=sys.platform != "win32")
    with FaultServer() as server:
        file = locked(wheel.read_bytes(), server.add("/rich", wheel.read_bytes()), name="rich_demo")
        with stage((file,), python) as context:
            carry_out(((Fetch(), Install()),), context)
        fetched = server.sent["/rich"]
        with stage((file,), python_in(other), run="r2") as again:
            carry_out(((Fetch(), Install()),), again)
        assert server.sent["/rich"] == fetched
    one, two = (find_places(each).purelib / "rich_demo/lib/large.so" for each in (python, python_in(other)))
    assert one.samefile(two)
    assert download_bytes(again.plan, again.lock) == 0
    linked = replace(again.plan, prefix=str(tmp_path / "new"))
    copied = replace(linked, choices=replace(linked.choices, copies=True))
    own = demands(copied, again.lock)[2].size - demands(linked, again.lock)[2].size
    assert own >= (file.size or 0), "an environment that shares nothing takes room for all of it"
    assert files_here(again.plan, again.lock) == {file.filename}
    wanted = replace(again.plan, choices=replace(again.plan.choices, keep_wheels=True))
    assert files_here(wanted, again.lock) == frozenset(), "the wheel itself is not here"
    assert download_bytes(wanted, again.lock) == file.size


def test_the_plan_limits_rate_and_connections(tmp_path: Path, python: Path) -> None:
    names = [f"n{at}" for at in range(4)]
    built = [wheels.build(tmp_path, name, files={f"{name}.bin": some_bytes(120_000, seed=3)}) for name in names]
    data = [wheel.read_bytes() for wheel in built]
    with FaultServer() as server:
        files = tuple(locked(item, server.add(f"/{at}", item), name=f"n{at}") for at, item in enumerate(data))
        with stage(files, python, Choices(limit_rate=400_000, connections=1)) as context:
            Fetch().run(context)
        assert server.most_at_once == 1
    seen = progress_of(context, "fetch")
    assert "limit" in {event["limited_by"] for event in seen}
    assert seen[-1]["done"] == sum(map(len, data))


def test_a_fetch_that_fails_leaves_nothing_half_unpacked(tmp_path: Path, python: Path) -> None:
    wheel = wheels.rich(tmp_path / "made")
    with FaultServer() as server:
        files = (
            locked(wheel.read_bytes(), server.add("/rich", wheel.read_bytes()), name="rich_demo"),
            locked(b"PK late", server.root + "/late", name="late"),
        )
        with stage(files, python) as context, pytest.raises(WizardError):
            carry_out(((Fetch(), Install()),), context)
    assert list((paths.store_dir() / BUILDING).iterdir()) == []


def test_removing_a_run_removes_what_it_had_unpacked(python: Path) -> None:
    with stage((), python, run="killed") as context:
        going_on = StoreBuilder(PackageStore(), "going on")
        left = paths.store_dir() / BUILDING / "killed"
        left.mkdir()
        (left / "0").write_bytes(b"x")
    remove_run(context.folder)
    assert not left.exists()
    assert (paths.store_dir() / BUILDING / "going on").is_dir()
    going_on.close()
    assert list((paths.store_dir() / BUILDING).iterdir()) == []


@pytest.mark.parametrize("keeps_store", [True, False])
def test_the_check_compares_contents_after_a_crash(tmp_path: Path, python: Path, keeps_store: bool) -> None:
    """Of the right length and not of the right bytes, as a power cut leaves a file."""
    built = wheels.build(tmp_path / "made", "part")
    with FaultServer() as server, contextlib.ExitStack() as ending:
        file = locked(built.read_bytes(), server.add("/part", built.read_bytes()), name="part")
        context = ending.enter_context(stage((replace(file, filename=built.name),), python))
        carry_out([[Fetch(), Install()]], context)
        version = ".".join(map(str, sys.version_info[:2]))
        place: Future[TargetEnvironment] = Future()
        place.set_result(TargetEnvironment(Created(python.parent.parent, python, version, "venv", 0), is_new=True))
        if not keeps_store:
            shutil.rmtree(PackageStore().root)
        target = next(find_places(python).purelib.glob("part/*.py"))
        target.write_bytes(b"\0" * target.stat().st_size)
        CheckFiles().run(replace(context, place=place))
        with pytest.raises(WizardError) as caught:
            CheckFiles().run(replace(context, place=place, history=History(after_crash=True)))
    assert caught.value.code == "install-damaged"
    assert target.name in str(caught.value.params["first"])
