"""Deleting real environments: what goes, what stays, and that nothing else is touched."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environment.cheap import MINOR, SCRIPTS, SITE, UP, add_wheel, make_conda, make_venv, site_of
from tests.environment.deleting import NOTHING, plan_of
from wizard.environment.conda.records import environments_list, register
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.environment.create.venv_engine import VenvEngine
from wizard.environment.inspect.look import look
from wizard.environment.model import Target
from wizard.environment.remove import trash
from wizard.environment.remove.delete import delete, finish_deletions
from wizard.environment.remove.trash import deletions_dir, pending
from wizard.model.errors import Cancelled, WizardError
from wizard.system import moving, paths

needs_channel = pytest.mark.skipif(sys.platform != "linux", reason="the test channel holds a Linux Python")


@pytest.fixture
def ours(home: Path, prefix: Path, minor: str, conda_channel: str) -> Path:
    """By the built-in engine from the real channel, under a path with a space and Chinese letters."""
    RattlerEngine().create(Target(prefix, minor, "rattler", channels=(conda_channel,)), lambda *_: None, lambda: False)
    return prefix


@needs_channel
def test_a_real_environment_goes_and_all_else_stays(ours: Path) -> None:
    environments_list().write_bytes(b"/somebody/else\n" + environments_list().read_bytes())
    subprocess.run([ours / "bin" / "python", "-c", "import json, email, http"], check=True)  # leaves compiled modules
    (ours / "notebooks" / "2026").mkdir(parents=True)
    (ours / "notebooks" / "first.ipynb").write_text("{}")
    (ours / "notebooks" / "2026" / "model.pt").write_bytes(b"x" * 1000)
    (site_of(ours) / "mine.py").write_text("print()")
    neighbour = make_venv(ours.with_name("neighbour"))
    plan = plan_of(ours)
    assert [(row.path, row.files, row.size, row.is_folder) for row in plan.unowned] == [
        (f"lib/python{MINOR}/site-packages/mine.py", 1, 7, False),
        ("notebooks", 2, 1002, True),
    ]
    assert plan.name == "torch 测试"
    assert plan.running == plan.kernels == plan.dependants == ()
    assert plan.sizes.files > 1000
    cached = sum(1 for _ in paths.cache_dir().rglob("*"))
    gone: list[tuple[int, int]] = []
    delete(plan, "torch 测试", NOTHING, lambda *done: gone.append(done))
    assert sorted(path.name for path in ours.parent.iterdir()) == ["neighbour"]
    assert look(neighbour) is not None
    assert environments_list().read_bytes() == b"/somebody/else\n"
    assert gone == sorted(gone)
    assert abs(gone[-1][0] - plan.sizes.files) <= 1
    assert gone[-1][1] == pytest.approx(plan.sizes.freed, rel=0.01)
    assert pending() == ()
    assert list(deletions_dir().iterdir()) == []
    assert sum(1 for _ in paths.cache_dir().rglob("*")) >= cached


@needs_channel
def test_what_shares_files_with_the_cache_says_what_is_freed(ours: Path) -> None:
    """The engine links files from its package cache where it can."""
    inside = [path.lstat() for path in ours.rglob("*") if path.is_file() and not path.is_symlink()]
    shared = sum(status.st_size for status in inside if status.st_nlink > 1)
    plan = plan_of(ours)
    if shared:
        assert plan.sizes.apparent - plan.sizes.freed > 0.9 * shared - 4096 * len(inside)
        assert "envs.stays.shared" in [words.key for words in plan.stays]
    assert {"envs.stays.conda-cache", "envs.stays.downloads"} <= {words.key for words in plan.stays}


@needs_channel
@pytest.mark.slow
def test_a_fresh_environment_has_nothing_of_nobody(ours: Path, home: Path, minor: str, base_python: Path) -> None:
    assert plan_of(ours).unowned == ()
    venv = home / "made by venv"
    VenvEngine().create(Target(venv, minor, "venv", base_python), lambda *_: None, lambda: False)
    assert plan_of(venv).unowned == ()
    by_uv = home / "made by uv"
    subprocess.run([paths.uv_executable(), "venv", "-q", "-p", base_python, by_uv], check=True)
    assert plan_of(by_uv).unowned == ()


def test_files_of_packages_are_owned_however_they_are_listed(tmp_path: Path) -> None:
    prefix = make_venv(tmp_path / "env")
    add_wheel(prefix, "tool", "1.0", {"tool/__init__.py": "", "tool/data, with comma.txt": ""})
    record = site_of(prefix) / "tool-1.0.dist-info" / "RECORD"
    record.write_text(record.read_text().replace("tool/data, with comma.txt", '"tool/data, with comma.txt"'))
    with record.open("a") as stream:
        stream.write(f"{UP}/{SCRIPTS}/tool,,\n{UP}/share/man/tool.1,,\n")
    for name in (f"{SCRIPTS}/tool", "share/man/tool.1", "share/mine.txt"):
        (prefix / name).parent.mkdir(parents=True, exist_ok=True)
        (prefix / name).touch()
    (site_of(prefix) / "tool" / "__pycache__").mkdir()
    (site_of(prefix) / "tool" / "__pycache__" / "__init__.cpython-312.pyc").touch()
    (site_of(prefix) / "tool-1.0.dist-info" / "REQUESTED").touch()
    (site_of(prefix) / "tool" / "added.txt").touch()
    assert [row.path for row in plan_of(prefix).unowned] == [
        f"{SITE}/tool/added.txt",
        "share/mine.txt",
    ]


def test_no_record_makes_the_users_own_files_a_packages(tmp_path: Path) -> None:
    """Anybody may write a RECORD; the warning before a deletion must not fall silent for it."""
    prefix = make_venv(tmp_path / "env")
    add_wheel(prefix, "evil", "1.0", {"evil.py": ""})
    mine = ["notes.txt", "project/train.py"]
    with (site_of(prefix) / "evil-1.0.dist-info" / "RECORD").open("a") as stream:
        stream.writelines(f"{UP}/{path},,\n" for path in mine)
    for path in mine:
        (prefix / path).parent.mkdir(exist_ok=True)
        (prefix / path).write_text("x")
    assert [row.path for row in plan_of(prefix).unowned] == ["notes.txt", "project"]


def test_cancelled_it_is_gone_and_the_next_start_removes_the_rest(home: Path, tmp_path: Path) -> None:
    prefix = make_venv(tmp_path / "envs" / "env")
    for number in range(30):
        add_wheel(prefix, f"p{number}", "1", {f"p{number}/a/b.py": ""})
    gone: list[int] = []
    with pytest.raises(Cancelled):
        delete(plan_of(prefix), "env", NOTHING, lambda files, size: gone.append(files), lambda: bool(gone))
    assert not prefix.exists()
    (rest,) = prefix.parent.iterdir()
    assert rest.name.startswith(trash.TRASH)
    assert [one.prefix for one in pending()] == [str(prefix)]
    again = make_venv(prefix)  # meanwhile somebody makes a new one of that name
    register(again)
    finished = finish_deletions()
    assert ([one.prefix for one in finished.done], finished.failed) == ([str(prefix)], ())
    assert list(prefix.parent.iterdir()) == [again]
    assert look(again) is not None
    assert environments_list().read_text().splitlines() == [str(again)]
    assert list(deletions_dir().iterdir()) == []


def test_one_that_another_process_is_at_is_left_to_it(tmp_path: Path) -> None:
    prefix = make_venv(tmp_path / "env")
    deletion = trash.new_deletion(prefix)
    trash.put_away(deletion)
    code = (
        "import sys; from wizard.environment.remove.trash import held, pending\n"
        "with held(pending()[0]) as ours: print(ours, flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "True\n"
    assert finish_deletions().done == ()
    assert deletion.trash.is_dir()
    child.kill()
    child.communicate()
    assert finish_deletions().done == (deletion,)
    assert list(tmp_path.glob(".torch*")) == []


def test_a_disk_that_is_full_is_no_hindrance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deleting is what one does then. The first writes fail as on a full disk, until something is gone."""
    prefix = make_conda(tmp_path / "env")
    written = moving.write_whole

    def write(path: Path, data: bytes) -> None:
        if any(tmp_path.rglob("conda-meta")):
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        written(path, data)

    monkeypatch.setattr(moving, "write_whole", write)
    delete(plan_of(prefix), "env", NOTHING)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith((".torch", "env"))] == []
    assert pending() == ()
    prefix = make_venv(tmp_path / "env")
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(moving, "write_whole", lambda path, data: (_ for _ in ()).throw(full))
    delete(plan_of(prefix), "env", NOTHING)
    assert not prefix.exists()


def test_a_folder_that_cannot_be_renamed_stays_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows somebody may hold a file of it open."""
    prefix = make_venv(tmp_path / "env")
    plan = plan_of(prefix)
    before = sorted(prefix.rglob("*"))
    register(prefix)

    def busy(source: Path, target: Path) -> None:
        raise PermissionError(errno.EACCES, "in use", str(source))

    monkeypatch.setattr(os, "rename", busy)
    with pytest.raises(WizardError) as caught:
        delete(plan, "env", NOTHING)
    assert caught.value.code == "delete-failed"
    assert sorted(prefix.rglob("*")) == before
    assert pending() == ()
