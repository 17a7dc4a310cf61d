"""Killed in the middle: what was begun is finished or taken back, and nothing else is removed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environment.bootstrap.planning import code_of, linux_only, planned
from tests.environment.miniforge import NAME, Releases, installer, publish
from tests.servers.fault_server import FaultServer
from tests.waiting import processes_about, wait_until
from wizard.app.use.miniforge import bootstrap
from wizard.environment.conda import miniforge_install
from wizard.model.errors import WizardError

_WORKER = """
import json, sys
from pathlib import Path
sys.path.insert(0, {project!r})
from wizard.environment.conda.miniforge_install import install
from wizard.environment.conda.miniforge import miniforge_table
install(miniforge_table().installer[0], Path({installer!r}), Path({root!r}), {{}}, lambda: False)
"""


def kill_in_the_middle(releases: Releases, root: Path, home: Path) -> None:
    """A process of ours that installs is ended by SIGKILL when the folder is half made and noted."""
    script = home.parent / "worker.py"
    program = home.parent / NAME
    program.write_bytes(releases.data)
    project = str(Path(__file__).resolve().parents[3])
    script.write_text(_WORKER.format(project=project, installer=str(program), root=str(root)), encoding="utf-8")
    worker = subprocess.Popen([sys.executable, str(script)])

    def is_noted() -> bool:
        assert worker.poll() is None
        return (root / "pkgs" / "half").exists() and any(begun.identity for begun in miniforge_install.unfinished())

    wait_until(is_noted)
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    wait_until(lambda: not processes_about(program))


@linux_only
def test_a_killed_bootstrap_is_begun_anew_by_the_next(server: FaultServer, root: Path, home: Path) -> None:
    kill_in_the_middle(publish(server, installer("sleep 60")), root, home)
    assert [begun.prefix for begun in miniforge_install.unfinished()] == [root]
    releases = publish(server, installer())
    plan = planned(releases, None)
    assert plan.prefix == root, "the interrupted place is proposed again"
    assert bootstrap(plan, True).conda.is_file()
    assert sorted(path.name for path in root.parent.iterdir()) == ["miniforge3"]
    assert miniforge_install.unfinished() == ()


@linux_only
def test_a_killed_bootstrap_is_taken_back(server: FaultServer, root: Path, home: Path) -> None:
    kill_in_the_middle(publish(server, installer("sleep 60")), root, home)
    assert miniforge_install.take_back(root)
    assert list(home.iterdir()) == []
    assert not miniforge_install.take_back(root)


@linux_only
@pytest.mark.parametrize("what", ["another folder", "a link", "in use since"])
def test_what_is_not_what_we_began_is_never_removed(server: FaultServer, root: Path, home: Path, what: str) -> None:
    kill_in_the_middle(publish(server, installer("sleep 60")), root, home)
    if what == "in use since":
        (root / "envs" / "work" / "conda-meta").mkdir(parents=True)
        kept = root / "envs" / "work"
    else:
        root.rename(root.with_name("moved"))
        kept = root if what == "another folder" else home / "precious"
        kept.mkdir()
        (kept / "thesis").write_text("mine")
        if what == "a link":
            root.symlink_to(kept)
    with pytest.raises(WizardError) as caught:
        miniforge_install.take_back(root)
    assert code_of(caught) == "bootstrap-foreign"
    assert kept.is_dir()
    assert any(kept.iterdir())
    assert not miniforge_install.take_back(root), "it is not asked about again"


@linux_only
def test_killed_between_the_installers_end_and_ours(releases: Releases, root: Path) -> None:
    """It is finished, not removed: somebody may work with it by now."""
    bootstrap(planned(releases, root), True)
    (root / "mine").write_text("x")
    note = miniforge_install._Note(miniforge_install._beginning(root))
    note.see(is_installed=True)
    note.write()
    assert bootstrap(planned(releases, root), True).conda.is_file()
    assert (root / "mine").exists()
    assert miniforge_install.unfinished() == ()


@pytest.mark.parametrize("note", ["", "{", "[]", '{"prefix": "/x"}', '{"prefix": 1, "identity": [1]}'])
def test_a_note_that_is_cut_short_removes_nothing(home: Path, root: Path, note: str) -> None:
    root.mkdir(parents=True)
    path = miniforge_install._note_path(root)
    path.parent.mkdir(parents=True)
    path.write_text(note)
    assert not miniforge_install.take_back(root)
    assert root.is_dir()
