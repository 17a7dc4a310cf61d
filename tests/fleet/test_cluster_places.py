"""Places on a cluster: a roomier one beside a small home is named, and one that is cleaned is warned of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from wizard.environment.disk import Ground
from wizard.model.messages import text
from wizard.run.model import Requirement
from wizard.run.plan import place
from wizard.run.plan.place import cluster_rows, named_places

HOME = Ground(Path("/home/u"), 1, 3_000_000_000, by_quota=True)


@pytest.fixture
def disks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Ground]:
    """What each folder stands on."""
    known: dict[str, Ground] = {}
    for number, name in enumerate(("work", "scratch", "small"), 2):
        (tmp_path / name).mkdir()
        known[str(tmp_path / name)] = Ground(tmp_path / name, number, 2_000_000_000_000 if name != "small" else 10**9)
    monkeypatch.setattr(place, "look_at_ground", lambda path: known[str(path)])
    return known


def rows(prefix: Path, ground: Ground, **variables: Path | str) -> list[Requirement]:
    return list(cluster_rows(prefix, ground, {name: str(value) for name, value in variables.items()}))


def words(row: Requirement) -> str:
    return " ".join(text(part, "en") for part in (row.fact, row.why, row.fix) if part)


def test_a_small_home_is_shown_the_way(tmp_path: Path, disks: dict[str, Ground]) -> None:
    (row,) = rows(Path("/home/u/torch-envs/x"), HOME, SCRATCH=tmp_path / "scratch", WORK=tmp_path / "work")
    assert row.state == "warning"
    assert f"--prefix {tmp_path / 'work'}/torch-envs/x" in words(row), "the one that keeps files, of the two"
    (only,) = rows(Path("/home/u/torch-envs/x"), HOME, SCRATCH=tmp_path / "scratch")
    assert "usually deleted" in words(only)


def test_few_files_left_is_small_too(tmp_path: Path, disks: dict[str, Ground]) -> None:
    ground = Ground(Path("/home/u"), 1, 10**12, files_left=50_000)
    assert [row.state for row in rows(Path("/home/u/x"), ground, WORK=tmp_path / "work")] == ["warning"]


def test_on_a_network_disk_the_quota_is_not_known(tmp_path: Path, disks: dict[str, Ground]) -> None:
    ground = Ground(Path("/home/u"), 1, 10**13, kind="nfs4", is_network=True)
    assert [row.state for row in rows(Path("/home/u/x"), ground, WORK=tmp_path / "work")] == ["note"]


def test_nothing_is_said_where_all_is_well(tmp_path: Path, disks: dict[str, Ground]) -> None:
    roomy = replace(HOME, free=10**12, by_quota=False)
    assert rows(Path("/home/u/x"), roomy, WORK=tmp_path / "work") == []
    assert rows(Path("/home/u/x"), HOME) == []
    assert rows(Path("/home/u/x"), HOME, WORK=tmp_path / "small") == []
    assert rows(Path("/home/u/x"), HOME, WORK="work", SCRATCH=tmp_path / "not-there") == []
    assert rows(tmp_path / "work" / "x", HOME, WORK=tmp_path / "work") == [], "it is there already"


@pytest.mark.parametrize("change", [{"is_noexec": True}, {"is_read_only": True}, {"has_links": False}, {"volume": 1}])
def test_no_place_for_an_environment(tmp_path: Path, disks: dict[str, Ground], change: dict[str, object]) -> None:
    work = str(tmp_path / "work")
    disks[work] = replace(disks[work], **change)  # type: ignore[arg-type]
    assert rows(Path("/home/u/x"), HOME, WORK=work) == []


def test_a_place_that_is_cleaned(tmp_path: Path, disks: dict[str, Ground]) -> None:
    ground = disks[str(tmp_path / "scratch")]
    (row,) = rows(tmp_path / "scratch" / "me" / "x", ground, SCRATCH=tmp_path / "scratch")
    assert row.state == "warning"
    assert "90 days" in words(row)
    (tmp_path / "link").symlink_to(tmp_path / "scratch")
    assert rows(tmp_path / "link" / "x", ground, SCRATCH=tmp_path / "scratch"), "by another name"
    (tmp_path / "scratch" / "work").mkdir()
    disks[str(tmp_path / "scratch" / "work")] = ground
    inside = rows(tmp_path / "scratch/work/x", ground, SCRATCH=tmp_path / "scratch", WORK=tmp_path / "scratch/work")
    assert inside == [], "the nearest name counts"


def test_every_row_says_where_it_comes_from() -> None:
    found = named_places()
    assert len({row.variable for row in found}) == len(found)
    for row in found:
        assert row.source
        assert row.as_of.startswith("20")
        assert row.variable.isupper()
        assert row.days is None or not row.keeps
