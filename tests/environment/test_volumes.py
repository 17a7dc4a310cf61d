"""Environment, caches and temporary files: each on a place of its own, measured, named before the start, remembered."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.line.world import World
from wizard.app.use.volumes import prepare, remember, take_saved, with_volumes
from wizard.compatibility.model import Choices
from wizard.environment.create.package_cache import package_cache
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import gigabytes, text
from wizard.process import child_environment
from wizard.run.plan.place import check_place
from wizard.run.steps.disk_space import PYTHON_BYTES, UNPACKED_RATIO
from wizard.system import paths

pytestmark = pytest.mark.slow

linux_only = pytest.mark.skipif(sys.platform == "win32", reason="Linux names of variables and folders")


@pytest.fixture(autouse=True)
def nothing_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set first, so that what the code under test sets is taken back."""
    for name in (paths.CACHE_VARIABLE, paths.TEMP_VARIABLE):
        monkeypatch.setenv(name, "/x")
        monkeypatch.delenv(name)


def code_of(choices: Choices) -> str:
    with pytest.raises(WizardError) as caught:
        check_place(with_volumes(choices))
    for language in ("en", "zh_CN"):
        assert text(caught.value.summary, language)
        assert "-dir" in text(caught.value.hint, language)
    return caught.value.code


def test_each_has_a_row_of_its_own(home: Path, other_disk: Path) -> None:
    wished = Choices(prefix=str(home / "e"), cache_dir=str(other_disk / "包 cache"), temp_dir=str(home / "tmp"))
    rows = {row.fact.key.removeprefix("environments.place."): row for row in check_place(with_volumes(wished))}
    assert rows["caches"].fact.params["path"] == str(other_disk / "包 cache")
    assert rows["temp"].fact.params["path"] == str(home / "tmp")
    assert str(home) in str(rows["free"].fact.params["path"])
    assert {"chosen-disk.fact"} <= set(rows)
    assert paths.home() not in paths.downloads_dir().parents
    assert package_cache(home / "e").is_lasting, "it was chosen, so it is kept"
    assert not (home / "tmp").exists(), "a look makes nothing"
    assert not (other_disk / "包 cache").exists()


@linux_only
def test_what_cannot_be_is_said_at_once(home: Path) -> None:
    prefix = str(home / "e")
    assert code_of(Choices(prefix=prefix, cache_dir=f"{prefix}/cache")) == "cache-dir-inside"
    assert code_of(Choices(prefix=prefix, cache_dir="/proc/nothing")) == "cache-dir-not-writable"
    (home / "file").touch()
    wished = Choices(prefix=prefix, cache_dir="default", temp_dir=str(home / "file"))
    assert code_of(wished) == "temp-dir-not-writable"
    assert code_of(Choices(prefix=prefix, temp_dir=prefix)) == "temp-dir-inside"
    with pytest.raises(UsageError):
        with_volumes(Choices(cache_dir=" "))


@linux_only
def test_children_put_temporary_files_there_once_it_is_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/elsewhere")
    chosen = with_volumes(Choices(temp_dir=str(home / "tmp 临时")))
    assert child_environment()["TMPDIR"] == "/elsewhere"
    prepare(chosen)
    assert child_environment()["TMPDIR"] == str(home / "tmp 临时")


def test_it_is_remembered_and_taken_back(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths.settings_file().parent.mkdir(parents=True, exist_ok=True)
    paths.settings_file().write_text('{"theme": "dark"}')
    remember(Choices())
    remember(Choices(cache_dir=str(home / "c")))
    remember(Choices(temp_dir=str(home / "t")))
    kept = {"theme": "dark", "volumes": {"cache": str(home / "c"), "temp": str(home / "t")}}
    assert json.loads(paths.settings_file().read_text()) == kept
    monkeypatch.setenv(paths.TEMP_VARIABLE, "/the/shells")
    take_saved()
    assert (paths.chosen_cache(), os.environ[paths.TEMP_VARIABLE]) == (home / "c", "/the/shells")
    assert with_volumes(Choices()).cache_dir == str(home / "c"), "in the plan, for who resumes it elsewhere"
    remember(Choices(cache_dir="default"))
    assert with_volumes(Choices(cache_dir="default")).cache_dir is None
    assert paths.downloads_dir() == paths.home() / "downloads"
    assert json.loads(paths.settings_file().read_text())["volumes"] == {"temp": str(home / "t")}


@linux_only
def test_a_whole_setup_with_places_of_its_own(conda_world: World, conda_channel_folder: Path, other_disk: Path) -> None:
    cache, temp = other_disk / "包 cache", conda_world.home / "temp dir"
    options = ("--name", "demo", "--cache-dir", str(cache), "--temp-dir", str(temp), *conda_world.sources)
    shown = conda_world.run("setup", "--dry-run", *options)
    assert shown.returncode == 0, shown.stderr
    for place in (conda_world.home / "state" / "envs" / "demo", cache, temp):
        assert any(str(place) in line and "GB free" in line for line in shown.stderr.splitlines()), place
    wheels = [line.split() for line in shown.stderr.splitlines() if line.startswith("    ") and ".whl " in line]
    download = sum(int(row[-1].replace(",", "")) for row in wheels)
    needed = gigabytes(int(download * UNPACKED_RATIO) + PYTHON_BYTES)
    assert f"{cache} ({needed} GB needed" in shown.stderr, "the store, and the engine's packages"
    assert f"takes up to {gigabytes(download)} GB more" in shown.stderr
    for archive in conda_channel_folder.glob("*/*.tar.bz2"):
        name, version, _ = archive.name.rsplit("-", 2)
        row = next(line for line in shown.stderr.splitlines() if line.startswith(f"    {name} {version} "))
        assert row.endswith(f" {archive.stat().st_size:,}")
    assert any(line.split()[0].startswith("torch-") for line in shown.stderr.splitlines() if line.startswith("    "))
    assert not (conda_world.home / "state" / "settings.json").exists()
    done = conda_world.run("setup", "--yes", *options)
    assert done.returncode == 0, done.stderr
    assert any(cache.glob("store/*/entry.json"))
    assert any((cache / "cache" / "rattler" / "packages").iterdir())
    assert not (conda_world.home / "state" / "downloads").exists()
    told = next(line for line in done.stderr.splitlines() if "There is room" in line)
    assert "temporary files" in told, "two disks"
    assert not any(str(place) in told for place in (cache, temp, conda_world.home)), "where they are is in the log"
    assert str(temp) in next((conda_world.home / "state" / "runs").glob("*/log.txt")).read_text(encoding="utf-8")
    assert temp.is_dir()
    again = conda_world.run("setup", "--dry-run", "--name", "two", *conda_world.sources)
    assert f"{cache}" in again.stderr, "remembered"
    assert "here already" in again.stderr
