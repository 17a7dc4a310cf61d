"""Opt-in: the same engine against a real conda, mamba or micromamba, with a channel made of the running Python.

Runs when CONDA_EXE names one (docs/environments.md): `CONDA_EXE=~/miniforge3/bin/conda pytest
tests/environment/test_real_conda.py`. Nothing leaves this computer; package cache, home and environments are the
test's own, and the conda installation itself is not changed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.channel.build_channel import subdir, with_dependency
from tests.channel.parcel import Item, Parcel, write_parcel
from tests.servers.fault_server import Faults, FaultServer
from wizard.environment.conda.answer import parse_document
from wizard.environment.conda.engine import CondaEngine
from wizard.environment.conda.errors import failure
from wizard.environment.conda.find import OwnConda, conda_environment, find_conda
from wizard.environment.conda.records import read_records
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.environment.layout import site_packages_of
from wizard.environment.model import Created, Target
from wizard.environment.remove.unfinished import MARKER, mark_begun, mark_complete, remove_unfinished
from wizard.model.errors import Cancelled, UsageError, WizardError
from wizard.process import Outcome, Request, run

_NAMED = os.environ.get("CONDA_EXE", "")
pytestmark = [
    pytest.mark.skipif(not _NAMED, reason="opt-in: set CONDA_EXE to a real conda, mamba or micromamba"),
    pytest.mark.skipif(sys.platform != "linux", reason="the test channel holds a Linux Python"),
    pytest.mark.slow,
]


def never() -> bool:
    return False


@pytest.fixture
def own(home: Path, monkeypatch: pytest.MonkeyPatch) -> OwnConda:
    monkeypatch.setenv("CONDA_PKGS_DIRS", str(home / "pkgs"))
    monkeypatch.setenv("CONDA_ENVS_PATH", str(home / "envs"))
    monkeypatch.setenv("MAMBA_ROOT_PREFIX", str(home / "mamba-root"))
    monkeypatch.delenv("CONDARC", raising=False)
    return find_conda(_NAMED, (), {})


@pytest.fixture
def place(home: Path) -> Path:
    return home / "my 环境 folder" / "torch测试"


@pytest.fixture
def order(own: OwnConda, place: Path, minor: str, conda_channel: str) -> Target:
    return Target(place, minor, "conda", channels=(conda_channel,), conda=own.executable)


def call(own: OwnConda, *arguments: str) -> Outcome:
    return run(Request((str(own.executable), *arguments), environment=conda_environment({})))


def create(order: Target) -> Created:
    mark_begun(order.prefix, "run-1")
    created = CondaEngine().create(order, lambda *_: None, never)
    assert (order.prefix / MARKER).is_file(), "the program's own mark is left alone"
    mark_complete(order.prefix)
    return created


def listed(own: OwnConda, prefix: Path) -> set[str]:
    outcome = call(own, "list", "--prefix", str(prefix), "--json")
    assert outcome.ok, outcome.tail()
    return {row["name"] for row in json.loads(outcome.stdout)}


def with_hello(folder: Path, channel: Path) -> str:
    """A channel with one more package, `hello`, that the environment does not have yet."""
    for record in channel.glob("*/*.tar.bz2"):
        (folder / record.parent.name).mkdir(parents=True, exist_ok=True)
        (folder / record.parent.name / record.name).hardlink_to(record)
    module = Item("site-packages/hello.py", b"WORD = 'hello'\n")
    write_parcel(Parcel("hello", "1.0", "py_0", "noarch", (module,), ("python",), (), {"noarch": "python"}), folder)
    script = "import asyncio, os, sys; from pathlib import Path; from rattler.index import index_fs;"
    script += "asyncio.run(index_fs(Path(sys.argv[1]))); os._exit(0)"
    subprocess.run([sys.executable, "-c", script, str(folder)], check=True, timeout=120)
    return folder.as_uri()


def test_create_list_install_remove(own: OwnConda, order: Target, home: Path, conda_channel_folder: Path) -> None:
    plan = CondaEngine().plan(order)
    assert plan.packages >= 2
    assert not order.prefix.exists()
    created = create(order)
    assert created.python_version.startswith(f"{order.python}.")
    assert created.packages == len(read_records(order.prefix))
    assert any(site_packages_of(order.prefix, created.python_version, "linux").glob("pip-*.dist-info/RECORD"))
    assert {"python", "pip"} <= listed(own, order.prefix)
    channel = with_hello(home / "more", conda_channel_folder)
    options = ("--prefix", str(order.prefix), "--override-channels", "--channel", channel, "--json", "--yes")
    installed = call(own, "install", *options, "hello")
    assert installed.ok, installed.tail()
    said = run(Request((str(created.python), "-I", "-c", "import hello; print(hello.WORD)")))
    assert said.stdout.strip() == "hello", said.tail()
    removed = call(own, "remove", "--prefix", str(order.prefix), "--json", "--yes", "hello")
    assert removed.ok, removed.tail()
    assert "hello" not in listed(own, order.prefix)
    gone = call(own, "env", "remove", "--prefix", str(order.prefix), "--yes")
    assert gone.ok, gone.tail()
    assert not (order.prefix / "conda-meta").exists()


def test_conda_goes_on_with_what_the_built_in_engine_made(
    own: OwnConda, order: Target, minor: str, home: Path, conda_channel: str, conda_channel_folder: Path
) -> None:
    made = RattlerEngine().create(
        Target(order.prefix, minor, "rattler", channels=(conda_channel,)), lambda *_: None, never
    )
    assert {"python", "pip"} <= listed(own, order.prefix)
    channel = with_hello(home / "more", conda_channel_folder)
    options = ("--prefix", str(order.prefix), "--override-channels", "--channel", channel, "--json", "--yes")
    installed = call(own, "install", *options, "hello")
    assert installed.ok, installed.tail()
    assert run(Request((str(made.python), "-I", "-c", "import hello"))).ok


def test_an_environment_or_a_full_folder_is_refused_and_left_alone(order: Target) -> None:
    create(order)
    (order.prefix / "notes.txt").write_text("mine")
    with pytest.raises(UsageError):
        CondaEngine().create(order, lambda *_: None, never)
    assert (order.prefix / "notes.txt").read_text() == "mine"


def test_progress_by_the_files_and_cancelling(order: Target, conda_channel_folder: Path) -> None:
    """A slow channel on loopback: figures in between, and nothing of conda's left running."""
    seen: list[int] = []
    with FaultServer() as server:
        for path in conda_channel_folder.rglob("*"):
            if path.is_file():
                is_package = path.name.endswith(".tar.bz2")
                faults = Faults(bytes_per_second=2_000_000) if is_package else Faults()
                server.add(f"/{path.relative_to(conda_channel_folder).as_posix()}", path.read_bytes(), faults)
        target = Target(order.prefix, order.python, "conda", channels=(server.root,), conda=order.conda)
        mark_begun(target.prefix, "run-1")
        with pytest.raises(Cancelled):
            CondaEngine().create(
                target, lambda done, *_: seen.append(done), lambda: len({done for done in seen if done}) > 3
            )
    assert remove_unfinished(target.prefix, "run-1")
    assert not target.prefix.exists()
    assert [process for process in psutil.Process().children(recursive=True) if _NAMED in _line(process)] == []


def _line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


def refused(order: Target, channel: str | None = None, python: str | None = None) -> WizardError:
    target = Target(
        order.prefix, python or order.python, "conda", channels=(channel or order.channels[0],), conda=order.conda
    )
    with pytest.raises(WizardError) as caught:
        CondaEngine().create(target, lambda *_: None, never)
    assert not (order.prefix / "conda-meta" / "history").is_file() or read_records(order.prefix) == ()
    return caught.value


def test_failures_have_their_sentences(
    own: OwnConda, order: Target, server: FaultServer, home: Path, conda_channel_folder: Path
) -> None:
    # mamba's words change from release to release: what no row knows is told as it is said.
    loose = {"conda-failed"} if own.info.is_libmamba else set()
    missing = {"conda-package-missing", "conda-unsolvable"} | loose
    assert refused(order, python="3.99").code in missing
    assert refused(order, f"{server.root}/nochannel").code in {"conda-channel-missing"} | loose
    assert refused(order, "http://127.0.0.1:9/closed").code in {"conda-unreachable", "conda-channel-missing"} | loose
    cuda = with_dependency("python", "__cuda >=99", conda_channel_folder, home / "cuda")
    assert refused(order, cuda.as_uri()).code in {"conda-virtual-package"} | missing
    for name in (f"/{subdir()}/repodata.json", "/noarch/repodata.json"):
        server.add(name, b"", Faults(status=401))
    assert refused(order, server.root).code in {"conda-channel-login", "conda-channel-missing"} | loose


def test_what_is_frozen_is_said(own: OwnConda, order: Target) -> None:
    if own.info.is_libmamba:
        pytest.skip("mamba knows no frozen environments")
    create(order)
    (order.prefix / "conda-meta" / "frozen").write_text('{"message": "managed by lab"}')
    options = ("--prefix", str(order.prefix), "--override-channels", "--channel", order.channels[0])
    outcome = call(own, "install", *options, "--json", "--yes", "--force-reinstall", "pip")
    assert not outcome.ok
    assert failure(outcome, order, own.info.kind).code == "conda-frozen"


def test_terms_are_never_accepted(own: OwnConda, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the terms plugin (where it is) sees of us: no CI, no standing consent."""
    monkeypatch.setenv("CI", "1")
    monkeypatch.setenv("CONDA_PLUGINS_AUTO_ACCEPT_TOS", "yes")
    if own.info.is_libmamba:
        pytest.skip("mamba has no terms plugin")
    said = parse_document(call(own, "info", "--json").stdout) or {}
    assert said.get("conda_version") == own.info.version
    shown = call(own, "config", "--show", "plugins", "--json")
    settings = parse_document(shown.stdout) or {}
    assert (settings.get("plugins") or {}).get("auto_accept_tos") in (None, False)
