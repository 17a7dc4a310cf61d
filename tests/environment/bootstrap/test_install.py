"""Miniforge from a loopback release page, by the real fetcher and a real installer script."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.environment.bootstrap.planning import code_of, linux_only, planned
from tests.environment.miniforge import Releases, installer, publish
from tests.servers.fault_server import Faults, FaultServer
from wizard.app.use.miniforge import BootstrapPlan, bootstrap
from wizard.environment.conda import miniforge_install
from wizard.model.errors import Cancelled, UsageError, WizardError
from wizard.model.messages import text


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
    assert miniforge_install.unfinished() == ()
    with pytest.raises(UsageError) as caught:
        bootstrap(planned_again(releases, root), True)
    assert code_of(caught) == "bootstrap-taken"
    assert done.conda.is_file()


def planned_again(releases: Releases, root: Path) -> BootstrapPlan:
    """As if it had been planned while the place was free."""
    return replace(planned(releases, root.with_name("free")), prefix=root)


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
    assert miniforge_install.unfinished() == ()


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
            planned(releases, root),
            True,
            lambda done, *_: seen.append(done),
            lambda: any(done > 500_000 for done in seen),
        )
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
    assert miniforge_install.unfinished() == ()


@linux_only
@pytest.mark.parametrize("middle", ["exit 7", "kill -9 $$", "rm -rf $PREFIX; exit 0"])
def test_an_installer_that_fails_leaves_nothing(server: FaultServer, root: Path, home: Path, middle: str) -> None:
    releases = publish(server, installer(middle))
    with pytest.raises(WizardError) as caught:
        bootstrap(planned(releases, root), True)
    assert code_of(caught) == "bootstrap-failed"
    assert list(home.iterdir()) == []
    assert miniforge_install.unfinished() == ()


@linux_only
def test_a_conda_that_does_not_answer_is_taken_back(server: FaultServer, root: Path, home: Path) -> None:
    releases = publish(server, installer(behaviour='say={"info": {"code": 1, "stderr": "bad interpreter"}}'))
    with pytest.raises(WizardError) as caught:
        bootstrap(planned(releases, root), True)
    assert code_of(caught) == "bootstrap-broken"
    assert "bad interpreter" in caught.value.details
    assert list(home.iterdir()) == []
