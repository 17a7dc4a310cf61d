"""Miniforge from a loopback release page, by the real fetcher and a real installer script."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.environments.miniforge import NAME, VERSION, Releases, installer, publish
from tests.servers.fault_server import Faults, FaultServer
from wizard.environments import bootstrap_run
from wizard.environments.bootstrap_place import check_root, is_taken, propose_root, spelling_problem
from wizard.environments.bootstrap_table import InstallerRow, miniforge_table
from wizard.errors import Cancelled, UsageError, WizardError
from wizard.i18n import LANGUAGES, text
from wizard.session.bootstrap import (
    BootstrapPlan,
    bootstrap,
    installer_places,
    parse_sha256,
    plan_bootstrap,
)

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="the installer is a shell script")


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


@pytest.fixture
def releases(server: FaultServer) -> Releases:
    return publish(server, installer())


@pytest.fixture
def root(home: Path) -> Path:
    return home / "new" / "miniforge3"


def planned(releases: Releases, root: Path | None, mirror: str | None = None) -> BootstrapPlan:
    return plan_bootstrap(str(root) if root else None, mirror, {}, releases.places)


def code_of(caught: pytest.ExceptionInfo[WizardError]) -> str:
    return caught.value.code


# -- the plan ----------------------------------------------------------------------------------------------------------


def test_the_plan_names_release_hash_addresses_and_licence(releases: Releases, root: Path, home: Path) -> None:
    plan = planned(releases, root)
    assert (plan.version, plan.file.filename) == (VERSION, NAME)
    assert plan.file.sha256 == hashlib.sha256(releases.data).hexdigest()
    assert plan.file.urls == (releases.server.root + releases.file, releases.server.root + releases.mirrored)
    assert planned(releases, root, "tuna").file.urls == tuple(reversed(plan.file.urls))
    for language in LANGUAGES:
        said = "\n".join(text(change, language) for change in plan.changes)
        assert str(root) in said
        assert "BSD-3-Clause" in said
        assert "LICENSE" in said
    assert list(home.iterdir()) == []
    assert releases.server.requests(releases.file) == 0


def test_nothing_is_fetched_before_somebody_agrees(releases: Releases, root: Path, home: Path) -> None:
    with pytest.raises(UsageError) as caught:
        bootstrap(planned(releases, root), agreed=False)
    assert code_of(caught) == "bootstrap-needs-yes"
    assert releases.server.requests(releases.file) == 0
    assert list(home.iterdir()) == []


def test_the_official_places_are_those_of_the_table() -> None:
    places = installer_places()
    assert places.latest == "https://github.com/conda-forge/miniforge/releases/latest"
    official = places.official_file("26.3.2-3", NAME)
    assert official == f"https://github.com/conda-forge/miniforge/releases/download/26.3.2-3/{NAME}"
    assert all(mirror.startswith("https://") for mirror in places.mirrors)
    assert installer_places("tuna").mirrors == (
        "https://mirrors.tuna.tsinghua.edu.cn/github-release/conda-forge/miniforge/LatestRelease/",
    )


@pytest.mark.parametrize(
    ("document", "found"),
    [
        (f"{'Ab' * 32}  ./{NAME}\n", "ab" * 32),
        (f"{'ab' * 32} *{NAME}", "ab" * 32),
        ("ab" * 32, "ab" * 32),
        (f"{'ab' * 32}  ./Miniforge3-Windows-x86_64.exe", None),
        (f"{'ab' * 31}  {NAME}", None),
        ("<html>please sign in</html>", None),
        ("", None),
    ],
)
def test_the_hash_file(document: str, found: str | None) -> None:
    assert parse_sha256(document, NAME) == found


@pytest.mark.parametrize(
    ("path", "faults", "code"),
    [
        ("/releases/latest", Faults(status=503), "bootstrap-no-release"),
        ("/releases/latest", Faults(html=True), "bootstrap-no-release"),
        ("hash", Faults(status=404), "bootstrap-no-hash"),
        ("hash", Faults(html=True), "bootstrap-no-hash"),
    ],
)
def test_without_a_release_or_its_hash_nothing_is_fetched(
    releases: Releases, root: Path, path: str, faults: Faults, code: str
) -> None:
    """The mirror has the file all the same: it is no authority."""
    releases.server.add(f"{releases.file}.sha256" if path == "hash" else path, b"", faults)
    with pytest.raises(WizardError) as caught:
        planned(releases, root)
    assert code_of(caught) == code
    assert releases.server.requests(releases.mirrored) == 0


# -- installing --------------------------------------------------------------------------------------------------------


@linux_only
def test_a_conda_of_ones_own(releases: Releases, root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (".bashrc", ".zshrc", ".profile", ".condarc"):
        (home / name).write_text("# mine\n")
    monkeypatch.setenv("CONDA_PREFIX", "/elsewhere")
    monkeypatch.setenv("CONDARC", "/elsewhere/condarc")
    told: list[tuple[int, int | None, str]] = []
    done = bootstrap(planned(releases, root), True, lambda *each: told.append(each))
    assert (done.conda, done.version) == (root / "bin" / "conda", "26.7.1")
    assert str(root) in text(done.message, "en")
    assert (root / "conda-meta").is_dir()
    assert max(each[0] for each in told) == len(releases.data)
    environment = (root / "environment").read_text(encoding="utf-8")
    assert "CONDA" not in environment
    shells = {path.name: path.read_text() for path in home.iterdir() if path.is_file()}
    assert shells == dict.fromkeys((".bashrc", ".zshrc", ".profile", ".condarc"), "# mine\n")
    assert bootstrap_run.unfinished() == ()
    with pytest.raises(UsageError) as caught:
        bootstrap(planned_again(releases, root), True)
    assert code_of(caught) == "bootstrap-taken"
    assert done.conda.is_file()


def planned_again(releases: Releases, root: Path) -> BootstrapPlan:
    """As if it had been planned while the place was free."""
    return replace(planned(releases, root.with_name("free")), prefix=root)


def row(os_name: str) -> InstallerRow:
    return miniforge_table().row(os_name, "x86_64")


@linux_only
def test_a_mirror_with_other_bytes_is_not_believed(releases: Releases, root: Path) -> None:
    releases.server.add(releases.mirrored, installer("touch /tmp/never"))
    done = bootstrap(planned(releases, root, "tuna"), True)
    assert done.conda.is_file()
    assert releases.server.requests(releases.mirrored) > 0
    assert releases.server.sent[releases.file] >= len(releases.data), "the official place had to give them"


@linux_only
def test_a_wrong_hash_everywhere_runs_nothing(server: FaultServer, root: Path, home: Path) -> None:
    releases = publish(server, installer(), sha256="ab" * 32)
    with pytest.raises(WizardError) as caught:
        bootstrap(planned(releases, root), True)
    assert code_of(caught).startswith("fetch-")
    assert list(home.iterdir()) == []
    assert bootstrap_run.unfinished() == ()


@linux_only
def test_a_drop_in_the_middle_is_gone_on_with(releases: Releases, root: Path) -> None:
    releases.server.add(releases.file, releases.data, Faults(drop_after=1_000_000, times=1, etag='"1"'))
    assert bootstrap(planned(releases, root), True).conda.is_file()


@linux_only
def test_cancelled_while_fetching_then_resumed(releases: Releases, root: Path, home: Path) -> None:
    slow = Faults(bytes_per_second=2_000_000, etag='"1"')
    releases.server.add(releases.file, releases.data, slow)
    releases.server.add(releases.mirrored, releases.data, slow)
    seen: list[int] = []
    with pytest.raises(Cancelled):
        bootstrap(
            planned(releases, root), True, lambda done, *_: seen.append(done),
            lambda: any(done > 500_000 for done in seen),
        )  # fmt: skip
    assert list(home.iterdir()) == []
    before = releases.server.sent[releases.file] + releases.server.sent[releases.mirrored]
    assert bootstrap(planned(releases, root), True).conda.is_file()
    assert releases.server.sent[releases.file] + releases.server.sent[releases.mirrored] - before < len(releases.data)


@linux_only
def test_cancelled_while_installing_leaves_nothing(server: FaultServer, root: Path, home: Path) -> None:
    releases = publish(server, installer("sleep 60"))
    with pytest.raises(Cancelled):
        bootstrap(planned(releases, root), True, is_cancelled=lambda: (root / "pkgs" / "half").exists())
    assert list(home.iterdir()) == []
    assert bootstrap_run.unfinished() == ()


@linux_only
@pytest.mark.parametrize("middle", ["exit 7", "kill -9 $$", "rm -rf $PREFIX; exit 0"])
def test_an_installer_that_fails_leaves_nothing(server: FaultServer, root: Path, home: Path, middle: str) -> None:
    releases = publish(server, installer(middle))
    with pytest.raises(WizardError) as caught:
        bootstrap(planned(releases, root), True)
    assert code_of(caught) == "bootstrap-failed"
    assert list(home.iterdir()) == []
    assert bootstrap_run.unfinished() == ()


@linux_only
def test_a_conda_that_does_not_answer_is_taken_back(server: FaultServer, root: Path, home: Path) -> None:
    releases = publish(server, installer(behaviour='say={"info": {"code": 1, "stderr": "bad interpreter"}}'))
    with pytest.raises(WizardError) as caught:
        bootstrap(planned(releases, root), True)
    assert code_of(caught) == "bootstrap-broken"
    assert "bad interpreter" in caught.value.details
    assert list(home.iterdir()) == []


_WORKER = """
import json, sys
from pathlib import Path
sys.path.insert(0, {project!r})
from wizard.environments.bootstrap_run import install
from wizard.environments.bootstrap_table import miniforge_table
install(miniforge_table().installers[0], Path({installer!r}), Path({root!r}), {{}}, lambda: False)
"""


def kill_in_the_middle(releases: Releases, root: Path, home: Path) -> None:
    """A process of ours that installs is ended by SIGKILL when the folder is half made and noted."""
    script = home.parent / "worker.py"
    program = home.parent / NAME
    program.write_bytes(releases.data)
    project = str(Path(__file__).resolve().parents[2])
    script.write_text(_WORKER.format(project=project, installer=str(program), root=str(root)), encoding="utf-8")
    worker = subprocess.Popen([sys.executable, str(script)])
    deadline = time.monotonic() + 60
    while not ((root / "pkgs" / "half").exists() and any(b.identity for b in bootstrap_run.unfinished())):
        assert worker.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    while any(str(program) in " ".join(_line(process)) for process in psutil.process_iter()):
        assert time.monotonic() < deadline, "the installer died with it"
        time.sleep(0.05)


def _line(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


@linux_only
def test_a_killed_bootstrap_is_begun_anew_by_the_next(server: FaultServer, root: Path, home: Path) -> None:
    kill_in_the_middle(publish(server, installer("sleep 60")), root, home)
    assert [begun.prefix for begun in bootstrap_run.unfinished()] == [root]
    releases = publish(server, installer())
    plan = planned(releases, None)
    assert plan.prefix == root, "the interrupted place is proposed again"
    assert bootstrap(plan, True).conda.is_file()
    assert sorted(path.name for path in root.parent.iterdir()) == ["miniforge3"]
    assert bootstrap_run.unfinished() == ()


@linux_only
def test_a_killed_bootstrap_is_taken_back(server: FaultServer, root: Path, home: Path) -> None:
    kill_in_the_middle(publish(server, installer("sleep 60")), root, home)
    assert bootstrap_run.take_back(root)
    assert list(home.iterdir()) == []
    assert not bootstrap_run.take_back(root)


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
        bootstrap_run.take_back(root)
    assert code_of(caught) == "bootstrap-foreign"
    assert kept.is_dir()
    assert any(kept.iterdir())
    assert not bootstrap_run.take_back(root), "it is not asked about again"


@linux_only
def test_killed_between_the_installers_end_and_ours(releases: Releases, root: Path) -> None:
    """It is finished, not removed: somebody may work with it by now."""
    bootstrap(planned(releases, root), True)
    (root / "mine").write_text("x")
    note = bootstrap_run._Note(bootstrap_run._beginning(root))
    note.see(is_installed=True)
    note.write()
    assert bootstrap(planned(releases, root), True).conda.is_file()
    assert (root / "mine").exists()
    assert bootstrap_run.unfinished() == ()


@pytest.mark.parametrize("note", ["", "{", "[]", '{"prefix": "/x"}', '{"prefix": 1, "identity": [1]}'])
def test_a_note_that_is_cut_short_removes_nothing(home: Path, root: Path, note: str) -> None:
    root.mkdir(parents=True)
    path = bootstrap_run._note_path(root)
    path.parent.mkdir(parents=True)
    path.write_text(note)
    assert not bootstrap_run.take_back(root)
    assert root.is_dir()


# -- places ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["my conda", "a\tb"])
def test_a_space_is_refused_with_a_proposal(releases: Releases, home: Path, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        planned(releases, home / name / "miniforge3")
    assert code_of(caught) == "bootstrap-space"
    assert str(home / "miniforge3") in str(caught.value)
    assert releases.server.requests("/releases/latest") == 0


def test_other_letters_trouble_the_windows_installer_only(home: Path) -> None:
    place = home / "用户" / "miniforge3"
    assert spelling_problem(place, row("windows")) == "bootstrap-letters"
    assert spelling_problem(place, row("linux")) is None


def test_a_folder_that_is_there(home: Path) -> None:
    (home / "empty").mkdir()
    (home / "full").mkdir()
    (home / "full" / "thesis").touch()
    assert [is_taken(home / name, row("linux")) for name in ("gone", "empty", "full")] == [False, True, True]
    assert [is_taken(home / name, row("windows")) for name in ("gone", "empty", "full")] == [False, False, True]
    with pytest.raises(UsageError) as caught:
        check_root(home / "full", row("linux"), {})
    assert code_of(caught) == "bootstrap-taken"


@linux_only
def test_where_no_usual_place_will_do_that_is_said(
    releases: Releases, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an ordinary user with root's HOME; a space is what root cannot write away."""
    monkeypatch.setenv("HOME", str(tmp_path / "not mine"))
    monkeypatch.setattr("wizard.environments.bootstrap_place.os.access", lambda path, mode: False)
    with pytest.raises(UsageError) as caught:
        planned(releases, None)
    assert code_of(caught) == "bootstrap-no-place"
    assert "/opt/miniforge3" in text(caught.value.summary, "zh_CN")
    (tmp_path / "not mine" / "miniforge3").mkdir(parents=True)
    with pytest.raises(UsageError) as caught:
        planned(releases, None)
    assert code_of(caught) == "bootstrap-taken"
    with pytest.raises(UsageError) as caught:
        check_root(tmp_path / "closed", row("linux"), {})
    assert "/data/miniforge3" in text(caught.value.hint, "en")


def test_under_sudo_it_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    with pytest.raises(UsageError) as caught:
        check_root(home / "miniforge3", row("linux"), {"SUDO_UID": "1000"})
    assert code_of(caught) == "bootstrap-root"
    check_root(home / "miniforge3", row("linux"), {})


def test_a_home_with_a_space_gets_another_proposal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Ann Li").mkdir()
    (tmp_path / "public").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "Ann Li"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "Ann Li"))
    known = {"LOCALAPPDATA": str(tmp_path / "Ann Li" / "AppData"), "PUBLIC": str(tmp_path / "public")}
    assert propose_root(row("windows"), known) == tmp_path / "public" / "miniforge3"


def test_the_silent_command_of_each_system() -> None:
    """As the installers' makers document and test them: nothing is asked, no PATH, no registered Python."""
    program, prefix = Path("installer.exe"), Path("C:/miniforge3")
    assert row("windows").argv(program, prefix) == (
        "installer.exe", "/S", "/InstallationType=JustMe", "/RegisterPython=0", "/AddToPath=0", f"/D={prefix}",
    )  # fmt: skip
    assert row("linux").argv(program, prefix) == ("bash", "installer.exe", "-b", "-p", str(prefix))
    assert row("windows").filename("26.3.2-3") == "Miniforge3-26.3.2-3-Windows-x86_64.exe"
    assert miniforge_table().row("linux", "aarch64").filename("1") == "Miniforge3-1-Linux-aarch64.sh"
    with pytest.raises(UsageError) as caught:
        miniforge_table().row("windows", "riscv64")
    assert code_of(caught) == "bootstrap-no-installer"
