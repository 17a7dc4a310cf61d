"""Where Miniforge may come to: spaces, letters, folders that are there, root."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.environment.bootstrap.planning import code_of, linux_only, planned, row
from tests.environment.miniforge import Releases
from wizard.environment.conda.miniforge import check_root, is_taken, propose_root, spelling_problem
from wizard.model.errors import UsageError
from wizard.model.messages import text


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
    monkeypatch.setattr("wizard.environment.conda.miniforge.os.access", lambda path, mode: False)
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


@pytest.mark.skipif(sys.platform == "win32", reason="no sudo there")
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
