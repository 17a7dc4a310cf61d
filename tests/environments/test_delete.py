"""Deleting real environments: what goes, what stays, what is refused, and that nothing else is touched."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.environments.cheap import MINOR, add_wheel, make_conda, make_venv, site_of
from wizard import paths
from wizard.environments import refuse, survey, trash
from wizard.environments.conda_records import environments_list, register
from wizard.environments.delete import DeletionPlan, delete, finish_deletions, plan_deletion
from wizard.environments.found import Environment, Kind, State
from wizard.environments.in_use import parse_maps, running_inside
from wizard.environments.look import look
from wizard.environments.model import Target
from wizard.environments.rattler_engine import RattlerEngine
from wizard.environments.refuse import Surroundings, frozen_reason
from wizard.environments.trash import deletions_dir, pending
from wizard.environments.venv_engine import VenvEngine
from wizard.errors import Cancelled, WizardError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Linux environments")
NOTHING = Surroundings()


def plan_of(prefix: Path, around: Surroundings = NOTHING) -> DeletionPlan:
    found = look(prefix)
    assert found is not None, prefix
    return plan_deletion(found, around, {}, lambda: False)


def refusal(prefix: Path, around: Surroundings = NOTHING) -> str:
    """What needs no walk is refused in the doing, too, just as in the plan."""
    found = look(prefix) or Environment(prefix.name, prefix, Kind.VENV, State.OK)
    with pytest.raises(WizardError) as caught:
        plan_deletion(found, around, {})
    if caught.value.params.get("what") is None and caught.value.code != "delete-denied":
        with pytest.raises(WizardError, match=re.escape(str(caught.value))):
            refuse.check_deletable(prefix, around)
    return caught.value.code


@pytest.fixture
def ours(home: Path, prefix: Path, minor: str, conda_channel: str) -> Path:
    """By the built-in engine from the real channel, under a path with a space and Chinese letters."""
    RattlerEngine().create(Target(prefix, minor, "rattler", channels=(conda_channel,)), lambda *_: None, lambda: False)
    return prefix


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
        (f"lib/python{MINOR}/site-packages/mine.py", 1, 7, False), ("notebooks", 2, 1002, True),
    ]  # fmt: skip
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


def test_what_shares_files_with_the_cache_says_what_is_freed(ours: Path) -> None:
    """The engine links files from its package cache where it can."""
    inside = [path.lstat() for path in ours.rglob("*") if path.is_file() and not path.is_symlink()]
    shared = sum(status.st_size for status in inside if status.st_nlink > 1)
    plan = plan_of(ours)
    if shared:
        assert plan.sizes.apparent - plan.sizes.freed > 0.9 * shared - 4096 * len(inside)
        assert "envs.stays.shared" in [words.key for words in plan.stays]
    assert {"envs.stays.conda-cache", "envs.stays.downloads"} <= {words.key for words in plan.stays}


def test_a_fresh_environment_has_nothing_of_nobody(ours: Path, home: Path, minor: str, base_python: Path) -> None:
    assert plan_of(ours).unowned == ()
    venv = home / "made by venv"
    VenvEngine().create(Target(venv, minor, "venv", base_python), lambda *_: None, lambda: False)
    assert plan_of(venv).unowned == ()
    by_uv = home / "made by uv"
    subprocess.run([paths.uv_executable(), "venv", "-q", "-p", base_python, by_uv], check=True)
    assert plan_of(by_uv).unowned == ()


def test_the_name_must_be_typed(tmp_path: Path) -> None:
    plan = plan_of(make_venv(tmp_path / "env"))
    for typed in ("", "ENV", "env ", "other"):
        with pytest.raises(WizardError) as caught:
            delete(plan, typed, NOTHING)
        assert caught.value.code == "delete-name"
    assert look(tmp_path / "env") is not None


def _with(folder: Path, make: Callable[[Path], object]) -> Path:
    make(folder)
    return folder


def _base(folder: Path) -> None:
    make_conda(folder)
    (folder / "envs").mkdir()


def _frozen(folder: Path) -> None:
    (make_conda(folder) / "conda-meta" / "frozen").write_text('{"message": "managed by lab"}')


def _without_history(folder: Path) -> None:
    (make_conda(folder) / "conda-meta" / "history").unlink()


def _with_inner_venv(folder: Path) -> None:
    make_venv(folder)
    make_venv(folder / "projects" / "deep" / ".venv")


def _with_inner_conda(folder: Path) -> None:
    make_venv(folder)
    make_conda(folder / "projects" / "conda")


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (_base, "delete-base"),
        (_frozen, "delete-frozen"),
        (_without_history, "delete-foreign"),
        (lambda folder: folder.mkdir(), "delete-foreign"),
        (lambda folder: None, "delete-missing"),
        (lambda folder: folder.symlink_to(make_venv(folder.with_name("real"))), "delete-link"),
        (_with_inner_venv, "delete-holds"),
        (_with_inner_conda, "delete-holds"),
    ],
)
def test_refused(tmp_path: Path, make: Callable[[Path], object], code: str) -> None:
    prefix = _with(tmp_path / "env", make)
    before = sorted(tmp_path.rglob("*"))
    assert refusal(prefix) == code
    assert sorted(tmp_path.rglob("*")) == before


def test_refused_for_what_is_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prefix = make_venv(tmp_path / "env")
    inner = look(make_venv(tmp_path / "env" / "x"))
    assert inner is not None
    shutil.rmtree(prefix / "x" / "bin")
    assert refusal(prefix, Surroundings(environments=(inner,))) == "delete-holds"
    shutil.rmtree(prefix / "x")
    assert refusal(prefix, Surroundings(roots=(prefix,))) == "delete-base"
    assert refusal(prefix, Surroundings(home=prefix / "home")) == "delete-holds"
    assert refusal(prefix, Surroundings(home=prefix)) == "delete-holds"
    monkeypatch.setattr(sys, "prefix", str(prefix))
    assert refusal(prefix) == "delete-ourselves"
    monkeypatch.undo()
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(prefix / "state"))
    assert refusal(prefix) == "delete-holds"


def test_the_python_that_runs_these_tests_and_system_folders(tmp_path: Path) -> None:
    assert refusal(Path(sys.prefix)) == "delete-ourselves"
    with pytest.raises(WizardError, match="belongs to the system"):
        refuse.check_deletable(Path("/usr"), NOTHING)
    (tmp_path / "link").symlink_to("/usr")
    with pytest.raises(WizardError, match="belongs to the system"):
        refuse.check_deletable(tmp_path / "link" / "lib", NOTHING)


def test_mounted_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's list of mounts as it would be; to mount something needs rights."""
    prefix = make_venv(tmp_path / "env")

    def mounts(*places: Path) -> Callable[..., list[object]]:
        rows = [SimpleNamespace(mountpoint=str(place)) for place in places]
        return lambda all: rows

    monkeypatch.setattr(survey.psutil, "disk_partitions", mounts(tmp_path, prefix.with_name("env2")))
    assert plan_of(prefix)
    monkeypatch.setattr(survey.psutil, "disk_partitions", mounts(prefix / "data"))
    assert refusal(prefix) == "delete-mount"
    monkeypatch.setattr(survey.psutil, "disk_partitions", mounts(prefix))
    assert refusal(prefix) == "delete-mount"


@pytest.mark.parametrize(
    ("text", "expected"),
    [('{"message": "managed\\n by lab"}', "managed by lab"), ("{}", "-"), ("", "-"), ("hands off", "hands off")],
)
def test_the_reason_of_a_frozen_one(text: str, expected: str) -> None:
    assert frozen_reason(text) == expected


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
    """Any that this Python has open."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    return next(path for path in parse_maps(maps) if ".so" in path and os.path.exists(path))  # noqa: PTH110


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
    plan = plan_of(prefix, Surroundings(home=home))
    assert [(one.name, one.title, one.folder) for one in plan.kernels] == [("mine", "My mine", kernels / "mine")]
    assert "envs.stays.kernel" in [words.key for words in plan.stays]
    delete(plan, "env", Surroundings(home=home))
    assert (kernels / "mine" / "kernel.json").exists()


def test_virtual_environments_that_borrow_this_python_are_named(tmp_path: Path) -> None:
    prefix = make_conda(tmp_path / "env")
    borrowing = look(make_venv(tmp_path / "venv", home=prefix / "bin"))
    free = look(make_venv(tmp_path / "free"))
    assert borrowing is not None
    assert free is not None
    plan = plan_of(prefix, Surroundings(environments=(borrowing, free)))
    assert plan.dependants == (borrowing,)


def test_files_of_packages_are_owned_however_they_are_listed(tmp_path: Path) -> None:
    prefix = make_venv(tmp_path / "env")
    add_wheel(prefix, "tool", "1.0", {"tool/__init__.py": "", "tool/data, with comma.txt": ""})
    record = site_of(prefix) / "tool-1.0.dist-info" / "RECORD"
    record.write_text(record.read_text().replace("tool/data, with comma.txt", '"tool/data, with comma.txt"'))
    with record.open("a") as stream:
        stream.write("../../../bin/tool,,\n../../../share/man/tool.1,,\n")
    for name in ("bin/tool", "share/man/tool.1", "share/mine.txt"):
        (prefix / name).parent.mkdir(parents=True, exist_ok=True)
        (prefix / name).touch()
    (site_of(prefix) / "tool" / "__pycache__").mkdir()
    (site_of(prefix) / "tool" / "__pycache__" / "__init__.cpython-312.pyc").touch()
    (site_of(prefix) / "tool-1.0.dist-info" / "REQUESTED").touch()
    (site_of(prefix) / "tool" / "added.txt").touch()
    assert [row.path for row in plan_of(prefix).unowned] == [
        f"lib/python{MINOR}/site-packages/tool/added.txt", "share/mine.txt",
    ]  # fmt: skip


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
        "import sys; from wizard.environments.trash import held, pending\n"
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
    written = trash._write

    def write(path: Path, data: bytes) -> None:
        if any(tmp_path.rglob("conda-meta")):
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        written(path, data)

    monkeypatch.setattr(trash, "_write", write)
    delete(plan_of(prefix), "env", NOTHING)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith((".torch", "env"))] == []
    assert pending() == ()
    prefix = make_venv(tmp_path / "env")
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(trash, "_write", lambda path, data: (_ for _ in ()).throw(full))
    delete(plan_of(prefix), "env", NOTHING)
    assert not prefix.exists()


def test_a_folder_that_cannot_be_renamed_stays_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows somebody may hold a file of it open."""
    prefix = make_venv(tmp_path / "env")
    plan = plan_of(prefix)
    before = sorted(prefix.rglob("*"))
    register(prefix)

    def busy(self: Path, target: Path) -> Path:
        raise PermissionError(errno.EACCES, "in use", str(self))

    monkeypatch.setattr(Path, "rename", busy)
    with pytest.raises(WizardError) as caught:
        delete(plan, "env", NOTHING)
    assert caught.value.code == "delete-failed"
    assert sorted(prefix.rglob("*")) == before
    assert pending() == ()


# All is imported while still root: an ordinary user may not reach Python and our modules in root's home.
AS_USER = """
import os, sys, filelock, msgspec, psutil, wizard.process.running
from pathlib import Path
from wizard.environments.delete import delete, plan_deletion
from wizard.environments.look import look
from wizard.environments.refuse import Surroundings
from wizard.errors import WizardError
os.setgroups([]); os.setgid(65534); os.setuid(65534)
for name in sys.argv[1:]:
    try:
        delete(plan_deletion(look(Path(name)), Surroundings(), {}), Path(name).name, Surroundings())
        print("deleted")
    except WizardError as error:
        print(error.code)
"""


def test_an_ordinary_user(tmp_path: Path) -> None:
    """Their own go, read-only folders and all; one with a folder of root's inside is refused before it is begun."""
    folder = tmp_path / "shared"
    own, mixed, in_closed = (make_venv(folder / name) for name in ("own", "mixed", "closed/env"))
    (own / "lib").chmod(0o555)
    (site_of(own) / "locked").mkdir(mode=0o500)
    (mixed / "roots").mkdir(mode=0o755)
    (mixed / "roots" / "file").touch()
    folder.chmod(0o777)
    (folder / "closed").chmod(0o755)
    if os.geteuid() != 0:
        plan = plan_of(own)
        delete(plan, "own", NOTHING)
        assert not own.exists()
        (folder / "closed").chmod(0o555)
        assert refusal(in_closed) == "delete-denied"
        (folder / "closed").chmod(0o755)
        return
    for prefix in (own, mixed, in_closed):
        for path in (prefix, *prefix.rglob("*")):
            os.chown(path, 65534, 65534, follow_symlinks=False)
    for path in (mixed / "roots", mixed / "roots" / "file"):
        os.chown(path, 0, 0)
    said = _as_user(tmp_path, own, mixed, in_closed)
    assert said == ["deleted", "delete-denied", "delete-denied"]
    assert not own.exists()
    assert (mixed / "roots" / "file").exists()
    assert look(in_closed) is not None
    assert sorted(path.name for path in folder.iterdir()) == ["closed", "mixed"]


def _as_user(tmp_path: Path, *prefixes: Path) -> list[str]:
    state = tmp_path / "state-of-user"
    state.mkdir()
    os.chown(state, 65534, 65534)
    for place in (tmp_path, *tmp_path.parents):
        if place == Path(tempfile.gettempdir()):
            break
        place.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", AS_USER, *map(str, prefixes)],
        cwd=Path(__file__).resolve().parents[2], capture_output=True, text=True,
        env={**os.environ, "TORCH_WIZARD_HOME": str(state), "HOME": str(state), "TORCH_WIZARD_LANG": "en"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
