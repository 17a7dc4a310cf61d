"""What is true of conda channels and of places that hand out Miniforge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.servers.mirror_server import MirrorServer, Ways
from wizard.sources.benchmark import Benchmark, run_benchmark
from wizard.sources.benchmark_policy import benchmark_policy
from wizard.sources.model import Availability, Layout, Origin, Source, SourceKind, UserSettings
from wizard.sources.wanted import Wanted, WantedChannel, WantedInstaller

PATIENT = replace(benchmark_policy(), probe_seconds=30.0)
PYTHON = WantedChannel("linux-64", "3.12")
INSTALLER = WantedInstaller("Linux-x86_64.sh")
NEW, OLD = "Fri, 20 Nov 2026 08:00:00 GMT", "Sun, 01 Nov 2026 08:00:00 GMT"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as made:
        yield made


def channel(folder: Path, *pythons: str, subdir: str = "linux-64", name: str = "repodata.json") -> Path:
    rows = {f"python-{v}-0.conda": {"name": "python", "version": v} for v in pythons}
    (folder / "forge" / subdir).mkdir(parents=True)
    text = json.dumps({"info": {}, "packages": {}, "packages.conda": rows})
    (folder / "forge" / subdir / name).write_bytes(b"\x28\xb5\x2f\xfd" * 200 if name.endswith("zst") else text.encode())
    return folder


def race(wanted: Wanted, *places: tuple[str, str]) -> Benchmark:
    """(id, address)."""
    sources = [
        Source(name, Layout.CHANNEL, Origin.OFFICIAL if name == "official" else Origin.MIRROR, url, name)
        for name, url in places
    ]
    kind = SourceKind.CONDA if isinstance(wanted, WantedChannel) else SourceKind.MINIFORGE
    return run_benchmark(kind, wanted, sources, UserSettings(), lambda: False, policy=PATIENT)


def availabilities(found: Benchmark) -> dict[str, Availability]:
    return {one.source.id: one.availability for one in found.ranked}


def serve(stack: ExitStack, root: Path, ways: Ways | None = None) -> MirrorServer:
    return stack.enter_context(MirrorServer(root, ways))


def test_channels(tmp_path: Path, stack: ExitStack) -> None:
    good = channel(tmp_path / "good", "3.11.9", "3.12.4")
    places = {
        "official": serve(stack, good),
        "lacks": serve(stack, channel(tmp_path / "lacks", "3.11.9")),
        "platform": serve(stack, channel(tmp_path / "platform", "3.12.4", subdir="win-64")),
        "refuses": serve(stack, good, Ways(refuses="all")),
        "portal": serve(stack, good, Ways(portal="all")),
        "busy": serve(stack, good, Ways(busy="all", retry_after="9")),
        "ends": serve(stack, good, Ways(sends_to=serve_elsewhere(stack, good))),
    }
    found = race(PYTHON, *((name, f"{server.url}/forge") for name, server in places.items()))
    assert availabilities(found) == {
        "official": Availability.COMPLETE,
        "lacks": Availability.MISSING,
        "platform": Availability.MISSING,
        "refuses": Availability.REFUSED,
        "portal": Availability.PORTAL,
        "busy": Availability.BUSY,
        "ends": Availability.ELSEWHERE,
    }


def serve_elsewhere(stack: ExitStack, root: Path) -> str:
    return stack.enter_context(MirrorServer(root, None, "127.0.0.2")).url


def test_a_big_index_is_begun_and_its_date_counts(tmp_path: Path, stack: ExitStack) -> None:
    folder = channel(tmp_path, "3.12.4", name="repodata.json.zst")
    official, old = serve(stack, folder, Ways(modified=NEW)), serve(stack, folder, Ways(modified=OLD))
    fresh = serve(stack, folder, Ways(modified="Thu, 19 Nov 2026 08:00:00 GMT"))
    found = race(
        PYTHON, ("official", f"{official.url}/forge"), ("old", f"{old.url}/forge"), ("fresh", f"{fresh.url}/forge")
    )
    assert availabilities(found) == {
        "official": Availability.COMPLETE,
        "fresh": Availability.COMPLETE,
        "old": Availability.STALE,
    }
    stale = next(one for one in found.ranked if one.source.id == "old")
    assert stale.message.params["days"] == 19
    assert [span for _, span in old.asked] == ["bytes=0-511"]


def test_a_channel_in_a_folder(tmp_path: Path) -> None:
    folder = channel(tmp_path / "a", "3.12.4") / "forge"
    lacks = channel(tmp_path / "b", "3.10.1") / "forge"
    found = race(PYTHON, ("here", folder.as_uri()), ("lacks", lacks.as_uri()), ("gone", (tmp_path / "c").as_uri()))
    assert availabilities(found) == {
        "here": Availability.COMPLETE,
        "lacks": Availability.MISSING,
        "gone": Availability.BROKEN,
    }


def listing(folder: Path, *names: str) -> Path:
    folder.mkdir()
    links = "".join(f'<a href="{name}">{name}</a>' for name in names)
    (folder / "LatestRelease").write_text(f"<!DOCTYPE html><html><body>{links}</body></html>", encoding="utf-8")
    return folder


def test_miniforge(tmp_path: Path, stack: ExitStack) -> None:
    new = listing(tmp_path / "new", "Miniforge3-26.3.2-3-Linux-x86_64.sh", "Miniforge3-26.3.2-3-Windows-x86_64.exe")
    old = listing(tmp_path / "old", "Miniforge3-26.1.1-0-Linux-x86_64.sh")
    none = listing(tmp_path / "none", "Miniforge3-26.3.2-3-Windows-x86_64.exe")
    tag = tmp_path / "github" / "releases" / "tag"
    tag.mkdir(parents=True)
    (tag / "26.3.2-3").write_text("<html>a page for people, by script</html>", encoding="utf-8")
    official = serve(stack, tmp_path / "github")
    latest = serve(stack, tmp_path / "github", Ways(sends_to=official.url))
    places = {"new": new, "old": old, "none": none}
    urls = [(name, f"{serve(stack, folder).url}/LatestRelease") for name, folder in places.items()]
    urls.append(("portal", f"{serve(stack, new, Ways(portal='all')).url}/LatestRelease"))
    found = race(INSTALLER, ("official", f"{latest.url}/releases/tag/26.3.2-3"), *urls)
    assert availabilities(found) == {
        "official": Availability.COMPLETE,
        "new": Availability.COMPLETE,
        "old": Availability.STALE,
        "none": Availability.MISSING,
        "portal": Availability.PORTAL,
    }
    assert all(one.rate is None for one in found.ranked), "nothing is fetched from there"
