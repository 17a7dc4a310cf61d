"""What is said, and asked of whom, before anything is fetched; the command that would be run."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.environment.bootstrap.planning import code_of, planned, row
from tests.environment.miniforge import NAME, VERSION, Releases
from tests.servers.fault_server import Faults
from wizard.app.use.miniforge import bootstrap, installer_places, parse_sha256
from wizard.environment.conda.miniforge import miniforge_table
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import LANGUAGES, text


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


def test_the_silent_command_of_each_system() -> None:
    """As the installers' makers document and test them: nothing is asked, no PATH, no registered Python."""
    program, prefix = Path("installer.exe"), Path("C:/miniforge3")
    assert row("windows").argv(program, prefix) == (
        "installer.exe",
        "/S",
        "/InstallationType=JustMe",
        "/RegisterPython=0",
        "/AddToPath=0",
        f"/D={prefix}",
    )
    assert row("linux").argv(program, prefix) == ("bash", "installer.exe", "-b", "-p", str(prefix))
    assert row("windows").filename("26.3.2-3") == "Miniforge3-26.3.2-3-Windows-x86_64.exe"
    assert miniforge_table().row("linux", "aarch64").filename("1") == "Miniforge3-1-Linux-aarch64.sh"
    with pytest.raises(UsageError) as caught:
        miniforge_table().row("windows", "riscv64")
    assert code_of(caught) == "bootstrap-no-installer"
