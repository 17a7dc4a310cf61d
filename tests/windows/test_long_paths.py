"""An environment whose files lie beyond 260 characters: read, checked, repaired, copied and deleted on Windows.

Wine takes such paths, and so does a Windows whose registry says so. Here this process is refused them as any other
Windows does it: unless a path begins as the extended form does.
"""

from __future__ import annotations

import builtins
import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.environment.deleting import NOTHING, plan_of
from tests.install.wheels import build
from wizard.diagnose.checks.packages import compare_contents, presence, whole_files
from wizard.diagnose.repair.snapshot import RepairSnapshot, kept_runs
from wizard.environment.create.clone import clone, contents_of
from wizard.environment.inspect.baseline import changes_since_baseline, write_baseline
from wizard.environment.inspect.installation import Installation, read_installation
from wizard.environment.inspect.look import look
from wizard.environment.inspect.sizes import measure
from wizard.environment.remove.delete import delete
from wizard.install.record import check_record, is_installed
from wizard.install.wheel import read_wheel
from wizard.system.links import long_path

pytestmark = pytest.mark.skipif(sys.platform != "win32", reason="only Windows has such a limit")
MOST = 259
LONGEST = "torch-2.15.0.dist-info/licenses/" + "third_party/".ljust(127, "x") + "/LICENSE.txt"  # 171
NAMES = {
    os: ("stat", "lstat", "access", "open", "scandir", "listdir", "mkdir", "rmdir", "rename", "replace", "unlink"),
    os.path: ("exists", "lexists", "isfile", "isdir", "islink", "isjunction", "getsize", "getmtime"),
    builtins: ("open",),
    io: ("open",),
}


def _refusing(real: Callable[..., Any]) -> Callable[..., Any]:
    def call(*paths: Any, **more: Any) -> Any:
        for path in (os.fspath(one) for one in paths if isinstance(one, str | os.PathLike)):
            if len(str(Path.cwd() / path)) > MOST and not path.startswith("\\\\?\\"):
                if real.__name__ in ("exists", "lexists", "isfile", "isdir", "islink", "isjunction", "access"):
                    return False
                raise FileNotFoundError(2, "the limit of the test", path)
        return real(*paths, **more)

    call.__name__ = real.__name__
    return call


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as here:
        for module, names in NAMES.items():
            for name in names:
                here.setattr(module, name, _refusing(getattr(module, name)))
        yield


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    files = {"torch/__init__.py": b"a = 1\n", "torch/version.py": b"__version__ = '2.15.0'\n", LONGEST: b"free\n"}
    return build(tmp_path / "wheels", "torch", "2.15.0", files)


@pytest.fixture
def prefix(tmp_path: Path, wheel: Path) -> Path:
    """A virtual environment with that torch; all of its torch lies beyond the limit, its Python before it."""
    place = tmp_path / ("p" * (222 - len(str(tmp_path)) - 1))
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    site = long_path(place / "Lib" / "site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    (site / "torch-2.15.0.dist-info" / "INSTALLER").write_text("torch-setup\n")
    return place


def read(prefix: Path) -> Installation:
    return read_installation(prefix, {})


def test_the_limit_of_the_test(prefix: Path, limited: None) -> None:
    beyond = prefix / "Lib" / "site-packages" / LONGEST
    assert not beyond.exists()
    assert long_path(beyond).read_bytes() == b"free\n"


def test_the_doctor_reads_and_checks_it(prefix: Path, wheel: Path, limited: None) -> None:
    env = read(prefix)
    assert env.torch is not None
    assert (env.torch.version, env.release) == ("2.15.0", "2.15.0")
    assert env.one("torch") is not None
    assert presence(env).findings == whole_files(env, deep=True).findings == ()
    assert compare_contents(env, lambda: False) == ()
    assert check_record(env.site, wheel) == check_record(env.site, env.site / "torch-2.15.0.dist-info") == ()
    assert is_installed(wheel, env.site, deep=True)
    (long_path(env.site) / LONGEST).write_bytes(b"else\n")
    assert compare_contents(env, lambda: False) == (f"torch content: {LONGEST}",)
    (long_path(env.site) / LONGEST).unlink()
    assert [one.code for one in whole_files(env).findings] == ["damaged"]


def test_its_good_state_is_kept_and_compared(prefix: Path, limited: None) -> None:
    env = read(prefix)
    assert write_baseline(prefix, env.site, env.python.version if env.python else "", "cpu") is not None
    assert changes_since_baseline(prefix) is None
    (long_path(env.site) / "torch-2.15.0.dist-info" / "RECORD").write_bytes(b"")
    drift = changes_since_baseline(prefix)
    assert drift is not None
    assert [change.now for change in drift.changes] == ["2.15.0"]


def test_a_repair_moves_it_aside_and_back(prefix: Path, wheel: Path, limited: None) -> None:
    site = prefix / "Lib" / "site-packages"
    snapshot = RepairSnapshot(prefix, site, "20260101-000000-aaaa")
    assert snapshot.put(("torch",), (wheel,), (), ()) == 2
    assert read(prefix).one("torch") is None
    assert kept_runs(prefix) == ("20260101-000000-aaaa",)
    assert snapshot.bytes() > 0
    assert snapshot.restore((wheel,))
    assert is_installed(read_wheel(wheel), site)
    assert kept_runs(prefix) == ()


def test_it_is_copied(prefix: Path, wheel: Path, limited: None) -> None:
    environment = look(prefix)
    assert environment is not None
    target = prefix.with_name("q" * len(prefix.name))
    target.mkdir()
    clone(environment, target, contents_of(prefix), lambda done, size: None, lambda: False)
    assert is_installed(read_wheel(wheel), target / "Lib" / "site-packages", deep=True)


def test_it_is_measured_and_deleted(prefix: Path, limited: None) -> None:
    assert measure(prefix).files > 10
    plan = plan_of(prefix)
    assert plan.unowned == ()
    delete(plan, prefix.name, NOTHING)
    assert [path.name for path in prefix.parent.iterdir() if path.name not in ("wheels", "own-home")] == []
