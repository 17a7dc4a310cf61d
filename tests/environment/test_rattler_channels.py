"""The built-in engine chooses first, then makes just that. Channels that fail in the middle, alone and with others."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.environment.served import channel_at
from tests.waiting import wait_until
from wizard.environment.conda.records import read_records
from wizard.environment.create.package_cache import package_cache
from wizard.environment.create.rattler_engine import RattlerEngine, attempts_for
from wizard.environment.model import Target
from wizard.environment.remove.unfinished import mark_begun, remove_unfinished
from wizard.model.errors import Cancelled, WizardError
from wizard.system import paths

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the test channel holds a Linux Python"),
]


def never() -> bool:
    return False


def archives(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.glob("*/*.tar.bz2")}


def made(target: Target, engine: RattlerEngine | None = None) -> list[tuple[int, int | None, str]]:
    told: list[tuple[int, int | None, str]] = []
    (engine or RattlerEngine()).create(target, lambda *each: told.append(each), never)
    return told


def test_the_plan_has_the_exact_packages_and_bytes_and_changes_nothing(
    home: Path, prefix: Path, minor: str, conda_channel_folder: Path
) -> None:
    sizes = archives(conda_channel_folder)
    with channel_at(conda_channel_folder) as server:
        target = Target(prefix, minor, "rattler", channels=(server.url,))
        part = RattlerEngine().plan(target)
        assert server.packages == []
        assert list(home.iterdir()) == []
        assert part.bytes_to_fetch == sum(sizes.values())
        created = RattlerEngine().create(target, lambda *_: None, never)
        assert created.bytes_downloaded == part.bytes_to_fetch
        again = RattlerEngine().plan(Target(prefix.with_name("other"), minor, "rattler", channels=(server.url,)))
    names = {(package.name, package.version, package.build) for package in part.packages}
    assert names == {(record.name, record.version, record.build) for record in read_records(prefix)}
    assert again.bytes_to_fetch == 0
    assert all(package.is_cached for package in again.packages)


def test_what_was_chosen_is_made_without_asking_the_channel_for_its_list(
    prefix: Path, minor: str, conda_channel_folder: Path
) -> None:
    with channel_at(conda_channel_folder) as server:
        target = Target(prefix, minor, "rattler", channels=(server.url,))
        chosen = RattlerEngine().plan(target).text
        server.asked.clear()
        made(Target(prefix, minor, "rattler", channels=(server.url,), chosen=chosen))
        assert sorted(server.asked) == sorted(archives(conda_channel_folder))
    recorded = json.loads(next((prefix / "conda-meta").glob("python-*.json")).read_text(encoding="utf-8"))
    assert recorded["requested_specs"] == [f"python {minor}.*"]
    assert recorded["sha256"] == next(row["sha256"] for row in json.loads(chosen) if row["name"] == "python")


@pytest.mark.parametrize("trouble", ["404", "503", "html", "cut"])
def test_a_channel_that_fails_in_the_middle_has_a_sentence(
    home: Path, prefix: Path, minor: str, conda_channel_folder: Path, trouble: str
) -> None:
    mark_begun(prefix, "run-1")
    with channel_at(conda_channel_folder) as server:
        server.troubles = lambda name: trouble if name.startswith("python-") and name.endswith(".bz2") else None
        with pytest.raises(WizardError) as caught:
            made(Target(prefix, minor, "rattler", channels=(server.url,)))
    assert caught.value.code == "env-channel-lost"
    assert "python-" in str(caught.value.params["file"])
    assert caught.value.params["channels"] == server.url
    assert remove_unfinished(prefix, "run-1")
    assert list(home.iterdir()) == []


def test_the_next_channel_goes_on_with_the_same_files(
    prefix: Path, minor: str, conda_channel_folder: Path, tmp_path: Path
) -> None:
    """Chosen at the first, which then fails for good; what it did send is not fetched again."""
    archive_names = list(archives(conda_channel_folder))

    def kept_all_others(names: list[str]) -> bool:
        """rattler unpacks a package beside its place and moves it there whole. Its failure ends what is under way."""
        others = [name.removesuffix(".tar.bz2") for name in names if not name.startswith("python-")]
        places = [package_cache(prefix).folder / name for name in others]
        locks = [place.with_name(f"{place.name}.lock") for place in places]
        wait_until(lambda: all(place.is_dir() for place in places))
        wait_until(lambda: all(lock.is_file() and lock.stat().st_size for lock in locks))
        return True

    mark_begun(prefix, "run-1")
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "forge").symlink_to(conda_channel_folder)
    with channel_at(tmp_path / "one") as first, channel_at(tmp_path / "one") as second:
        elected, other = f"{first.url}/forge", f"{second.url}/forge"
        chosen = RattlerEngine().plan(Target(prefix, minor, "rattler", channels=(elected,))).text
        first.troubles = lambda name: "503" if name.startswith("python-") and kept_all_others(archive_names) else None
        target = Target(prefix, minor, "rattler", channels=(elected,), chosen=chosen, further_channels=(other,))
        told = made(target)
        assert second.asked == [name for name in archive_names if name.startswith("python-")]
    assert any(other in str(words) for _, _, words in told)
    assert any(str(record).startswith(f"{other}/") for record in read_records(prefix))
    assert "python" in {record.name for record in read_records(prefix)}


def test_a_mirror_with_other_bytes_is_not_believed(
    prefix: Path, minor: str, conda_channel_folder: Path, tmp_path: Path
) -> None:
    false = tmp_path / "false" / "forge"
    for source in conda_channel_folder.glob("*/*.tar.bz2"):
        copy = false / source.parent.name / source.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(next(path for path in conda_channel_folder.glob("noarch/pip-*.bz2")).read_bytes())
    (tmp_path / "true").mkdir()
    (tmp_path / "true" / "forge").symlink_to(conda_channel_folder)
    with channel_at(tmp_path / "true") as first, channel_at(tmp_path / "false") as second:
        elected, other = f"{first.url}/forge", f"{second.url}/forge"
        chosen = RattlerEngine().plan(Target(prefix, minor, "rattler", channels=(elected,))).text
        first.troubles = lambda name: "503" if name.startswith("python-") else None
        target = Target(prefix, minor, "rattler", channels=(elected,), chosen=chosen, further_channels=(other,))
        with pytest.raises(WizardError) as caught:
            made(target)
        assert any(name.startswith("python-") for name in second.asked)
    assert caught.value.code == "env-channel-lost"
    assert caught.value.params["channels"] == elected


def test_what_is_no_longer_handed_out_is_chosen_anew(prefix: Path, minor: str, conda_channel_folder: Path) -> None:
    with channel_at(conda_channel_folder) as server:
        target = Target(prefix, minor, "rattler", channels=(server.url,))
        rows = json.loads(RattlerEngine().plan(target).text)
        for row in rows:
            row["url"] = row["url"].replace("/pip-", "/pip-0.")
            row["fn"] = row["fn"].replace("pip-", "pip-0.")
        made(Target(prefix, minor, "rattler", channels=(server.url,), chosen=json.dumps(rows)))
    assert {"python", "pip"} <= {record.name for record in read_records(prefix)}


def test_a_channel_that_falls_silent_is_left(prefix: Path, minor: str, conda_channel_folder: Path) -> None:
    with channel_at(conda_channel_folder) as server:
        server.troubles = lambda name: "silent" if name.startswith("python-") and name.endswith(".bz2") else None
        with pytest.raises(WizardError) as caught:
            made(Target(prefix, minor, "rattler", channels=(server.url,)), RattlerEngine(stall_seconds=0.5))
    assert caught.value.code == "env-channel-lost"
    assert "no bytes for 0.5 seconds" in caught.value.details


def test_a_plan_can_be_cancelled(prefix: Path, minor: str, conda_channel: str) -> None:
    with pytest.raises(Cancelled):
        RattlerEngine().plan(Target(prefix, minor, "rattler", channels=(conda_channel,)), lambda: True)


def test_which_channels_are_tried() -> None:
    target = Target(
        Path("/p"),
        "3.12",
        "rattler",
        channels=("https://own.example/lab", "https://a.example/conda-forge"),
        chosen="[]",
        further_channels=("https://b.example/cloud/conda-forge/", "https://c.example/bioconda"),
    )
    rows = attempts_for(target)
    assert [row.channels for row in rows] == [
        target.channels,
        ("https://own.example/lab", "https://b.example/cloud/conda-forge/"),
    ]
    assert rows[1].moves == (("https://a.example/conda-forge", "https://b.example/cloud/conda-forge/"),)


def test_on_another_disk_the_packages_lie_there_while_they_are_needed(
    home: Path, minor: str, conda_channel: str, other_disk: Path
) -> None:
    prefix = other_disk / "环境 b"
    mark_begun(prefix, "run-1")
    assert not package_cache(prefix).is_lasting
    made(Target(prefix, minor, "rattler", channels=(conda_channel,)))
    assert not (paths.cache_dir() / "rattler" / "packages").exists()
    assert not [path for path in prefix.iterdir() if path.name.startswith(".torch-setup-packages")]
    assert package_cache(home / "x").is_lasting
    assert (prefix / "bin" / "python").exists()


@pytest.mark.parametrize(
    ("mask", "record", "script"), [(0o022, 0o644, 0o755), (0o002, 0o664, 0o775), (0o077, 0o600, 0o700)]
)
def test_files_have_the_modes_of_the_users_umask(
    prefix: Path, minor: str, conda_channel: str, mask: int, record: int, script: int
) -> None:
    before = os.umask(mask)
    try:
        made(Target(prefix, minor, "rattler", channels=(conda_channel,)))
    finally:
        os.umask(before)
    modes = {path.stat().st_mode & 0o777 for path in (prefix / "conda-meta").iterdir()}
    assert modes == {record}
    assert (prefix / "bin" / "pip").stat().st_mode & 0o777 == script
    assert (prefix / "bin" / "activate").stat().st_mode & 0o777 == 0o666 & ~mask
