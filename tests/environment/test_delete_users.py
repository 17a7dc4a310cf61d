"""Who uses an environment that is to go: running programs, kernels, other environments."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.environment.cheap import make_conda, make_venv
from tests.environment.deleting import NOTHING, plan_of
from wizard.app.use.settings import undo, undo_diffs
from wizard.environment.activate import programs
from wizard.environment.activate.programs import register_kernel
from wizard.environment.create.venv_engine import VenvEngine
from wizard.environment.inspect.in_use import parse_maps, running_inside
from wizard.environment.inspect.look import look
from wizard.environment.layout import site_packages_of
from wizard.environment.model import Target
from wizard.environment.remove.delete import ProtectedPlaces, delete
from wizard.environment.remove.trash import deletions_dir
from wizard.model.errors import WizardError
from wizard.undo.journal import UndoJournal
from wizard.undo.model import How

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="Linux environments")]


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    children: list[subprocess.Popen[str]] = []

    def start(*argv: str | Path, **more: object) -> subprocess.Popen[str]:
        child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more)  # type: ignore[call-overload]
        children.append(child)
        return child

    yield start
    for child in children:
        child.kill()
        child.communicate()


WAIT = "import sys; print('on', flush=True); sys.stdin.read()"


@pytest.mark.parametrize("how", ["path", "relative", "by-PATH", "stands-inside", "library"])
def test_a_running_program_is_named_and_nothing_is_touched(
    home: Path, prefix: Path, minor: str, base_python: Path, started: Callable[..., subprocess.Popen[str]], how: str
) -> None:
    """A venv's Python is a link: the running program itself lies elsewhere."""
    VenvEngine().create(Target(prefix, minor, "venv", base_python), lambda *_: None, lambda: False)
    python, outside = prefix / "bin" / "python", str(base_python)
    if how == "path":
        child = started(python, "-c", WAIT)
    elif how == "relative":
        child = started("./bin/python", "-c", WAIT, cwd=prefix.parent / prefix.name)
        os.chdir(home)
    elif how == "by-PATH":
        child = started(
            "/bin/sh", "-c", 'cd / && exec python -c "$0"', WAIT, env={**os.environ, "PATH": f"{prefix / 'bin'}:/bin"}
        )
    elif how == "stands-inside":
        child = started(outside, "-c", WAIT, cwd=prefix / "lib")
    else:
        shutil.copy(_some_library(), prefix / "lib" / "libmine.so")
        code = f"import ctypes; ctypes.CDLL({str(prefix / 'lib' / 'libmine.so')!r}); {WAIT}"
        child = started(outside, "-c", code)
    assert child.stdout is not None
    assert child.stdout.readline() == "on\n"
    plan = plan_of(prefix)
    assert [one.pid for one in plan.running] == [child.pid]
    with pytest.raises(WizardError) as caught:
        delete(plan, prefix.name, NOTHING)
    assert caught.value.code == "delete-in-use"
    assert f"({child.pid})" in str(caught.value.params["programs"])
    assert "python" in str(caught.value.params["programs"])
    assert python.exists()
    assert list(deletions_dir().glob("*")) == []
    child.kill()
    child.communicate()
    assert running_inside(prefix) == ()
    delete(plan, prefix.name, NOTHING)
    assert not prefix.exists()


def _some_library() -> str:
    """One that every Python has open, and that needs no other beside it."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    return next(path for path in parse_maps(maps) if Path(path).name.startswith(("libm.", "libm-", "libc.")))


def test_maps_with_spaces_and_deleted_files() -> None:
    text = (
        "7f0-7f1 r--p 00000000 fe:00 123   /home/李/my env/lib/libc10.so\n"
        "7f1-7f2 r-xp 00000000 fe:00 124 /a/libtorch.so (deleted)\n7f2-7f3 rw-p 00000000 00:00 0 \n"
        "7ffd-7ffe rw-p 00000000 00:00 0   [stack]\n"
    )
    assert list(parse_maps(text)) == ["/home/李/my env/lib/libc10.so", "/a/libtorch.so"]


def test_kernels_that_point_here_are_named(home: Path, tmp_path: Path) -> None:
    prefix = make_venv(tmp_path / "env")
    make_venv(tmp_path / "env2")
    kernels = home / ".local" / "share" / "jupyter" / "kernels"
    for name, python in (("mine", prefix / "bin" / "python"), ("other", tmp_path / "env2" / "bin" / "python")):
        (kernels / name).mkdir(parents=True)
        (kernels / name / "kernel.json").write_text(json.dumps({"argv": [str(python)], "display_name": f"My {name}"}))
    (kernels / "broken").mkdir()
    (kernels / "broken" / "kernel.json").write_text("{")
    plan = plan_of(prefix, ProtectedPlaces(home=home))
    assert [(one.name, one.title, one.folder) for one in plan.kernels] == [("mine", "My mine", kernels / "mine")]
    assert "envs.goes.kernel-of-others" in [words.key for words in plan.stays]
    before = (kernels / "mine" / "kernel.json").read_bytes()
    delete(plan, "env", ProtectedPlaces(home=home))
    assert not (kernels / "mine" / "kernel.json").exists()
    assert (kernels / "other" / "kernel.json").exists()
    (change,) = UndoJournal().changes()
    assert [(one.how, bool(one.text)) for one in undo_diffs(change)] == [(How.RESTORED, True)]
    assert [one.how for one in undo(change).files] == [How.RESTORED]
    assert (kernels / "mine" / "kernel.json").read_bytes() == before


def test_a_kernel_of_all_users_stays_and_is_named(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prefix, kernel = make_venv(tmp_path / "env"), home / ".local" / "share" / "jupyter" / "kernels" / "mine"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps({"argv": [str(prefix / "bin" / "python")], "display_name": "Mine"}))
    monkeypatch.setattr(programs, "may_take_off", lambda kernel: False)  # root may write everywhere
    monkeypatch.setattr("wizard.environment.remove.delete.may_take_off", lambda kernel: False)
    plan = plan_of(prefix, ProtectedPlaces(home=home))
    assert "envs.stays.kernel" in [words.key for words in plan.stays]
    delete(plan, "env", ProtectedPlaces(home=home))
    assert (kernel / "kernel.json").exists()
    assert UndoJournal().changes() == ()


def test_a_kernel_that_we_listed_goes_with_its_environment(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("JUPYTER_DATA_DIR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    prefix = make_venv(tmp_path / "env")
    (site_packages_of(prefix, "3.12") / "ipykernel").mkdir(parents=True)
    file = register_kernel(prefix, "env", "PyTorch (env)")
    assert register_kernel(prefix, "env", "PyTorch (env)") == file
    assert len(UndoJournal().changes()) == 1, "what stands there already is no change"
    plan = plan_of(prefix, ProtectedPlaces(home=home))
    assert [words.key for words in plan.stays if "kernel" in words.key] == ["envs.goes.kernel"]
    delete(plan, "env", ProtectedPlaces(home=home))
    assert not file.exists()
    assert [change.state.value for change in UndoJournal().changes()] == ["undone"]


def test_virtual_environments_that_borrow_this_python_are_named(tmp_path: Path) -> None:
    prefix = make_conda(tmp_path / "env")
    borrowing = look(make_venv(tmp_path / "venv", home=prefix / "bin"))
    free = look(make_venv(tmp_path / "free"))
    assert borrowing is not None
    assert free is not None
    plan = plan_of(prefix, ProtectedPlaces(environments=(borrowing, free)))
    assert plan.dependants == (borrowing,)
