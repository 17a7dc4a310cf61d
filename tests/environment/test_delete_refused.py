"""What is not deleted: not plainly an environment of the user's, or somebody else's right."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.abilities import needs_links
from tests.environment.cheap import EXE, SCRIPTS, add_conda_package, make_conda, make_venv, site_of
from tests.environment.deleting import NOTHING, plan_of, refusal
from tests.users import READING, STRANGER
from wizard.environment.inspect import survey
from wizard.environment.inspect.look import look
from wizard.environment.remove import delete as refuse
from wizard.environment.remove.delete import ProtectedPlaces, delete, frozen_reason
from wizard.model.errors import WizardError

linux = pytest.mark.skipif(sys.platform == "win32", reason="users, modes, mounts and folders of Linux")


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
    """As an installer leaves it, with no environment yet."""
    add_conda_package(make_conda(folder), "conda", "25.1.0", "py312_0", [f"{SCRIPTS}/conda{EXE}"])
    (folder / "envs").mkdir()


def _base_with_environments(folder: Path) -> None:
    make_conda(make_conda(folder) / "envs" / "one")


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
        (_base_with_environments, "delete-base"),
        (_frozen, "delete-frozen"),
        (_without_history, "delete-foreign"),
        (lambda folder: folder.mkdir(), "delete-foreign"),
        (lambda folder: None, "delete-missing"),
        pytest.param(
            lambda folder: folder.symlink_to(make_venv(folder.with_name("real"))), "delete-link", marks=needs_links
        ),
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
    shutil.rmtree(prefix / "x" / SCRIPTS)
    assert refusal(prefix, ProtectedPlaces(environments=(inner,))) == "delete-holds"
    shutil.rmtree(prefix / "x")
    assert refusal(prefix, ProtectedPlaces(roots=(prefix,))) == "delete-base"
    assert refusal(prefix, ProtectedPlaces(home=prefix / "home")) == "delete-holds"
    assert refusal(prefix, ProtectedPlaces(home=prefix)) == "delete-holds"
    monkeypatch.setattr(sys, "prefix", str(prefix))
    assert refusal(prefix) == "delete-ourselves"
    monkeypatch.undo()
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(prefix / "state"))
    assert refusal(prefix) == "delete-holds"


@linux
def test_the_python_that_runs_these_tests_and_system_folders(tmp_path: Path) -> None:
    assert refusal(Path(sys.prefix)) == "delete-ourselves"
    with pytest.raises(WizardError, match="belongs to the system"):
        refuse.check_deletable(Path("/usr"), NOTHING)
    (tmp_path / "link").symlink_to("/usr")
    with pytest.raises(WizardError, match="belongs to the system"):
        refuse.check_deletable(tmp_path / "link" / "lib", NOTHING)


@linux
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


# All is imported while still root: an ordinary user may not reach Python and our modules in root's home.
AS_USER = """
import sys
from pathlib import Path
from wizard.environment.remove.delete import delete, plan_deletion
from wizard.environment.inspect.look import look
from wizard.environment.remove.delete import ProtectedPlaces
from wizard.model.errors import WizardError
for name in sys.argv[1:]:
    try:
        delete(plan_deletion(look(Path(name)), ProtectedPlaces(), {}), Path(name).name, ProtectedPlaces())
        print("deleted")
    except WizardError as error:
        print(error.code)
"""


@linux
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
            os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
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
    os.chown(state, STRANGER, STRANGER)
    for place in (tmp_path, *tmp_path.parents):
        if place == Path(tempfile.gettempdir()):
            break
        place.chmod(0o755)
    done = subprocess.run(
        [*READING, sys.executable, "-c", AS_USER, *map(str, prefixes)],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        env={**os.environ, "TORCH_WIZARD_HOME": str(state), "HOME": str(state), "TORCH_WIZARD_LANG": "en"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
