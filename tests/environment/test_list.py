"""The list: what is found, what is said of it, and how little is touched for it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

from tests.abilities import needs_links
from tests.environment.cheap import (
    CONDA_PYTHON,
    EXE,
    MINOR,
    SCRIPTS,
    VENV_PYTHON,
    VERSION,
    add_conda_package,
    add_python,
    add_torch,
    add_wheel,
    make_conda,
    make_venv,
    site_of,
)
from wizard.app.use import environments as use_cases
from wizard.environment.conda.records import register
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.environment.create.venv_engine import VenvEngine
from wizard.environment.inspect.listing import SearchPlaces, interpreter_version, list_environments, usual_places
from wizard.environment.inspect.look import is_conda_base
from wizard.environment.model import Environment, EnvironmentKind, EnvironmentState, Target
from wizard.environment.remove.trash import new_deletion, put_away
from wizard.environment.remove.unfinished import mark_begun

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow
needs_channel = pytest.mark.skipif(sys.platform != "linux", reason="the test channel holds a Linux Python")


def by_name(*folders: Path, **more: object) -> dict[str, Environment]:
    found = list_environments(SearchPlaces(folders=folders, **more))  # type: ignore[arg-type]
    return {one.name: one for one in found}


@needs_channel
def test_real_environments_of_both_engines(
    home: Path, prefix: Path, minor: str, base_python: Path, conda_channel: str
) -> None:
    channel = Target(prefix, minor, "rattler", channels=(conda_channel,))
    RattlerEngine().create(channel, lambda *_: None, lambda: False)
    VenvEngine().create(
        Target(prefix.with_name("虚拟 env"), minor, "venv", base_python), lambda *_: None, lambda: False
    )
    add_torch(prefix, "2.14.1+cu126", "'12.6'")
    add_wheel(prefix, "torchvision", "0.29.1+cu126")
    found = by_name(prefix.parent)
    assert list(found) == ["torch 测试", "虚拟 env"]
    ours, venv = found.values()
    assert (ours.kind, ours.state, ours.prefix) == (EnvironmentKind.RATTLER, EnvironmentState.OK, prefix)
    assert ours.python is not None
    assert ours.python.startswith(f"{minor}.")
    assert (ours.torch, ours.variant) == ("2.14.1", "cu126")
    assert [(one.name, one.version) for one in ours.companions] == [("torchvision", "0.29.1")]
    assert ours.packages >= 4
    assert ours.last_used is not None
    assert 0 <= time.time() - ours.last_used < 600
    assert (venv.kind, venv.state, venv.torch) == (EnvironmentKind.VENV, EnvironmentState.OK, None)
    assert venv.python == VERSION
    assert venv.base == base_python.parent


def test_states(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "envs"
    make_venv(folder / "good")
    make_venv(folder / "gone-base", home=tmp_path / "no-such-python")
    (make_venv(folder / "no-python") / VENV_PYTHON).unlink()
    (make_conda(folder / "half") / "conda-meta" / "history").unlink()
    (make_conda(folder / "empty") / CONDA_PYTHON).unlink()
    make_conda(folder / "only-r", python=False)
    mark_begun(folder / "begun", "20261121-120000-abcd")
    (folder / "documents").mkdir()
    going = make_venv(folder / "going")
    put_away(new_deletion(going))
    found = by_name(folder)
    assert {name: one.state.value for name, one in found.items()} == {
        "good": "ok",
        "gone-base": "broken",
        "no-python": "broken",
        "half": "broken",
        "empty": "broken",
        "only-r": "ok",
        "begun": "unfinished",
        "going": "deleting",
    }
    reasons = {name: one.reason.key for name, one in found.items() if one.reason}
    assert reasons == {
        "gone-base": "envs.broken.base",
        "no-python": "envs.broken.python",
        "half": "envs.broken.half",
        "empty": "envs.broken.python",
    }
    assert found["begun"].run == "20261121-120000-abcd"
    assert found["only-r"].python is None
    assert found["going"].prefix == going
    assert found["going"].kind is EnvironmentKind.VENV, "what lies there still tells"


def test_a_venv_that_was_moved_is_broken(tmp_path: Path) -> None:
    prefix = tmp_path / "envs" / "made here"
    venv.create(prefix, with_pip=False, symlinks=sys.platform != "win32")
    assert by_name(prefix.parent)["made here"].state is EnvironmentState.OK
    if sys.platform != "win32":
        (tmp_path / "link").symlink_to(prefix.parent, target_is_directory=True)
        assert by_name(tmp_path / "link")["made here"].state is EnvironmentState.OK, "the same folder by another name"
    moved = prefix.rename(prefix.with_name("moved"))
    found = by_name(moved.parent)["moved"]
    assert found.reason is not None
    assert (found.reason.key, found.reason.params["path"]) == ("envs.broken.moved", str(prefix))


def test_what_is_being_deleted_keeps_its_engine(tmp_path: Path) -> None:
    folder = tmp_path / "envs"
    for name, kind in (("theirs", EnvironmentKind.CONDA), ("ours", EnvironmentKind.RATTLER), ("odd", None)):
        put_away(new_deletion(make_conda(folder / name), kind=kind.value if kind else "something newer"))
    assert {name: one.kind for name, one in by_name(folder).items()} == {
        "theirs": EnvironmentKind.CONDA,
        "ours": EnvironmentKind.RATTLER,
        "odd": EnvironmentKind.RATTLER,
    }


@needs_links
def test_one_folder_is_one_row_and_stale_lines_are_none(home: Path, tmp_path: Path) -> None:
    real = make_conda(tmp_path / "data" / "real")
    folder = tmp_path / "envs"
    folder.mkdir()
    (folder / "link").symlink_to(real)
    register(real)
    register(tmp_path / "gone")
    listed = home / ".conda" / "environments.txt"
    listed.write_bytes(listed.read_bytes() + b"# note\n\xff\xfe\nrelative\n")
    places = usual_places({"VIRTUAL_ENV": str(real)}, home, tmp_path, folder)
    found = list_environments(places)
    assert [(one.prefix, one.is_current) for one in found] == [(real, True)]


@pytest.mark.parametrize("condarc", [".condarc", ".conda/condarc", ".config/conda/condarc.d/disk.yml"])
def test_the_usual_places(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, condarc: str) -> None:
    root = home / "miniforge3"
    make_conda(root)
    (root / "condabin").mkdir()
    for program in (root / "condabin" / "conda", root / SCRIPTS / f"conda{EXE}"):
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\nexit 1\n")
        program.chmod(0o755)
    make_conda(root / "envs" / "in-root")
    make_conda(tmp_path / "disk" / "from condarc")
    (home / condarc).parent.mkdir(parents=True, exist_ok=True)
    (home / condarc).write_text(f"channels: [conda-forge]\nenvs_dirs:\n  - '{tmp_path / 'disk'}'\n")
    make_venv(home / ".virtualenvs" / "wrapped")
    make_venv(tmp_path / "work" / ".venv")
    make_venv(tmp_path / "wizard-home" / "envs" / "ours")
    monkeypatch.chdir(tmp_path / "work")
    for name in (
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "CONDA_EXE",
        "MAMBA_EXE",
        "MAMBA_ROOT_PREFIX",
        "WORKON_HOME",
        "PYENV_ROOT",
        "CONDARC",
        "CONDA_ENVS_PATH",
        "CONDA_ENVS_DIRS",
    ):
        monkeypatch.delenv(name, raising=False)
    found = [one for one in use_cases.list_environments() if one.kind is not EnvironmentKind.SYSTEM]
    assert [(one.name, one.kind.value) for one in found if str(one.prefix).startswith(str(tmp_path))] == [
        ("from condarc", "conda"),
        ("in-root", "conda"),
        (".venv", "venv"),
        ("ours", "venv"),
        ("wrapped", "venv"),
        ("base", "base"),
    ]


COUNTER = """
import json, os, sys
counts, below = {}, []
def hook(event, arguments):
    if event in ("os.listdir", "os.scandir", "open") and isinstance(arguments[0], str):
        path = arguments[0]
        if path.startswith(sys.argv[1]):
            counts[event] = counts.get(event, 0) + 1
            tail = path.partition("site-packages/")[2]
            if tail and tail not in ("torch", "torch/version.py"):
                below.append(path)
    if event in ("subprocess.Popen", "os.posix_spawn", "os.exec", "os.fork"):
        below.append(event)
from pathlib import Path
from wizard.environment.inspect.listing import list_environments
from wizard.environment.inspect.listing import SearchPlaces
sys.addaudithook(hook)
rows = list_environments(SearchPlaces(folders=(Path(sys.argv[1]),)))
print(json.dumps({"rows": len(rows), "torch": sum(one.torch is not None for one in rows), "counts": counts,
                  "below": below}))
"""


def test_fifty_large_environments_are_not_walked_through(tmp_path: Path) -> None:
    """Counted by the interpreter's own audit events: a few folders and files for each, of what is below
    site-packages the names beside torch's compiled part alone."""
    model = make_conda(tmp_path / "model")
    add_torch(model, "2.15.0", "'13.2'")
    (site_of(model) / "torch" / "lib").mkdir()
    for name in ("torch_python", "torch_cpu", "torch_cuda"):
        (site_of(model) / "torch" / "lib" / f"lib{name}.so").touch()
    (site_of(model) / "torch" / "_C.cpython-312-x86_64-linux-gnu.so").touch()
    for number in range(30):
        add_wheel(model, f"package{number}", "1.0", {f"package{number}/deep/er/m{i}.py": "" for i in range(4)})
    for number in range(50):
        shutil.copytree(model, tmp_path / "envs" / f"e{number}", symlinks=True, copy_function=os.link)
    said = subprocess.run(
        [sys.executable, "-c", COUNTER, str(tmp_path / "envs")], cwd=ROOT, capture_output=True, text=True, check=True
    )
    seen = json.loads(said.stdout)
    assert (seen["rows"], seen["torch"], seen["below"]) == (50, 50, [])
    assert sum(seen["counts"].values()) <= 7 * 50 + 1  # the folder that holds them


def test_looking_is_no_using(home: Path, tmp_path: Path) -> None:
    """Else every list would make everything look fresh."""
    prefix = make_venv(tmp_path / "envs" / "old")
    add_torch(prefix, "2.14.1")
    past = time.time() - 90 * 86_400
    for folder, _, names in os.walk(prefix, topdown=False):
        for name in (*names, "."):
            os.utime(Path(folder, name), (past, past), follow_symlinks=os.utime not in os.supports_follow_symlinks)
    first = by_name(tmp_path / "envs")["old"].last_used
    assert first == pytest.approx(past, abs=2)
    assert by_name(tmp_path / "envs")["old"].last_used == first
    for read in (prefix / "pyvenv.cfg", site_of(prefix) / "torch" / "version.py") if hasattr(os, "O_NOATIME") else ():
        assert read.stat().st_atime == pytest.approx(past, abs=2), "other tools look at this time, too"
    pyc = site_of(prefix) / "torch" / "__pycache__" / f"__init__.cpython-{MINOR.replace('.', '')}.pyc"
    pyc.parent.mkdir()
    pyc.touch()
    os.utime(site_of(prefix), (past, past))
    used = by_name(tmp_path / "envs")["old"].last_used
    assert used is not None
    assert time.time() - used < 600


def test_an_installation_is_base_and_an_environment_with_a_conda_in_it_is_not(tmp_path: Path) -> None:
    root = make_conda(tmp_path / "miniforge3")
    (root / "condabin").mkdir()
    inner = make_conda(root / "envs" / "builder")
    (inner / "condabin").mkdir()
    moved = make_conda(tmp_path / "moved")
    (moved / "pkgs").mkdir()
    (moved / "pkgs" / "urls.txt").touch()
    old = make_conda(tmp_path / "before condabin")
    add_conda_package(old, "conda", "4.5.13", "py36_0", [f"{SCRIPTS}/conda{EXE}"])
    named = make_conda(tmp_path / "named")
    make_conda(named / "envs" / "one")
    project = make_conda(tmp_path / "project")
    (project / "envs" / "settings").mkdir(parents=True)
    add_conda_package(project, "conda-build", "25.1.0", "py312_0", [f"{SCRIPTS}/conda-build{EXE}"])
    assert [is_conda_base(place) for place in (root, moved, old, named)] == [True] * 4
    assert [is_conda_base(place) for place in (inner, project, tmp_path)] == [False] * 3


def test_interpreters_of_the_system(tmp_path: Path, base_python: Path) -> None:
    """To the last number only where the headers are installed, which say it."""
    real = base_python.resolve()
    [found] = list_environments(SearchPlaces(pythons=(real,)))
    known = (None, VERSION) if sys.platform == "win32" else (MINOR, VERSION)  # no number in the program's name there
    assert (found.kind, found.python in known) == (EnvironmentKind.SYSTEM, True)
    made = tmp_path / "usr" / "bin" / f"python{MINOR}"
    add_python(made, real)
    assert interpreter_version(made, made.parents[1]) == MINOR
    headers = made.parents[1] / "include" / f"python{MINOR}" / "patchlevel.h"
    headers.parent.mkdir(parents=True)
    headers.write_text(f'#define PY_VERSION "{VERSION}"\n')
    assert interpreter_version(made, made.parents[1]) == VERSION
    bare = tmp_path / "cpython-3.13.2-linux" / "bin" / "python3.13"
    assert interpreter_version(bare, bare.parent.parent) == "3.13"
    assert interpreter_version(bare.with_name("python"), bare.parent.parent) == "3.13.2"
