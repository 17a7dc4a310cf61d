"""What is true of a mirror, found out from real servers on loopback: one test for each way not to be one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.pinned import pin
from tests.servers.mirror_server import MirrorServer, Ways
from tests.sources.torch_wheels import torch_wheel
from wizard.compatibility.data.load import load_matrix
from wizard.model.errors import Cancelled
from wizard.model.messages import LANGUAGES, text
from wizard.sources.benchmark import Benchmark, run_benchmark
from wizard.sources.benchmark_policy import benchmark_policy
from wizard.sources.model import Availability, Layout, Origin, Source, SourceKind, SourceStatus, UserSettings
from wizard.sources.wanted import WantedWheel, platform_tags

TAGS = platform_tags("3.12", "linux", "x86_64", "2.36")
WANTED = WantedWheel("torch", "2.14.1", "cu126", "3.12", TAGS)
NEWEST = WantedWheel("torch", "", "cu126", "3.12", TAGS)
TORCH = "torch-{0}+cu126-cp312-cp312-manylinux_2_28_x86_64.whl"
WHEEL = TORCH.format("2.14.1")
OTHER_HOST = "127.0.0.2"
# Time is not what these tests are about: a busy machine must not make a good mirror silent.
PATIENT = replace(benchmark_policy(), probe_seconds=30.0, most_measured=0)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    for version in ("2.12.1", "2.13.0", "2.14.1"):
        torch_wheel(folder, TORCH.format(version), "12.6", ballast=300_000)
    return folder


class Field:
    """An official place and mirrors, each a server of its own."""

    def __init__(self, wheels: Path) -> None:
        self._stack, self._wheels = ExitStack(), wheels
        self.sources: list[Source] = []

    def __enter__(self) -> Field:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, name: str, ways: Ways | None = None, flat: bool = False, host: str = "127.0.0.1") -> MirrorServer:
        server = self._stack.enter_context(MirrorServer(self._wheels, ways, host))
        origin = Origin.OFFICIAL if name == "official" else Origin.MIRROR
        layout, url = (Layout.FLAT, server.flat) if flat else (Layout.SIMPLE, server.simple)
        self.sources.append(Source(name, layout, origin, url, name, "cu126"))
        return server

    def race(self, wanted: WantedWheel = WANTED, policy: object = PATIENT, **more: object) -> Benchmark:
        return run_benchmark(
            SourceKind.TORCH, wanted, self.sources, UserSettings(), lambda: False, policy=policy, **more
        )

    def status(self, name: str, wanted: WantedWheel = WANTED) -> SourceStatus:
        return next(one for one in self.race(wanted).ranked if one.source.id == name)


@pytest.fixture
def field(wheels: Path) -> Iterator[Field]:
    with Field(wheels) as made:
        yield made


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("as_json", [False, True])
def test_a_complete_mirror(field: Field, flat: bool, as_json: bool) -> None:
    field.add("official")
    mirror = field.add("mirror", Ways(json=as_json), flat=flat)
    found = field.status("mirror")
    assert (found.availability, found.file, found.final_host) == (Availability.COMPLETE, WHEEL, "127.0.0.1")
    assert found.size == (mirror.root / WHEEL).stat().st_size
    assert mirror.files_sent() <= 1024, "its link is begun, not downloaded"


@pytest.mark.parametrize(
    ("ways", "availability", "says"),
    [
        (Ways(lost=(WHEEL,)), Availability.MISSING, "not there"),
        (Ways(refuses="pages"), Availability.REFUSED, "403"),
        (Ways(refuses="files"), Availability.REFUSED, "403"),
        (Ways(refuses_agent="uv/"), Availability.REFUSED, "403"),
        (Ways(refuses_agent="torch-setup/"), Availability.REFUSED, "403"),
        (Ways(busy="pages", retry_after="120"), Availability.BUSY, "120 s"),
        (Ways(busy="files", retry_after="Sat, 01 Jan 2050 00:00:00 GMT"), Availability.BUSY, " s,"),
        (Ways(busy="all"), Availability.BUSY, "429"),
        (Ways(portal="all"), Availability.PORTAL, "sign-in"),
        (Ways(portal="files"), Availability.PORTAL, "sign-in"),
        (Ways(longer_by=7), Availability.WRONG, "bytes"),
        (Ways(lists_longer_by=7), Availability.WRONG, "bytes"),
        (Ways(lists_hash="0" * 64), Availability.WRONG, "SHA-256"),
    ],
)
def test_a_mirror_that_is_none(field: Field, ways: Ways, availability: Availability, says: str) -> None:
    field.add("official")
    field.add("mirror", ways)
    found = field.status("mirror")
    assert found.availability is availability
    assert says in text(found.message, "en")
    assert text(found.message, "zh_CN")


def test_missing_is_not_stale(field: Field) -> None:
    """It has the newest release for other builds, and lacks this one."""
    field.add("official")
    field.add("mirror", Ways(lacks=(TORCH.format("2.13.0"),)))
    wanted = replace(WANTED, version="2.13.0")
    assert field.status("mirror", wanted).availability is Availability.MISSING


def test_stale_by_how_much(field: Field) -> None:
    dates = {
        WHEEL: "2026-09-15T10:00:00Z",
        TORCH.format("2.13.0"): "2026-08-11T10:00:00.123Z",
        TORCH.format("2.12.1"): "2026-07-01T09:00:00Z",
    }
    old = (WHEEL, TORCH.format("2.13.0"))
    field.add("official", Ways(uploaded=dates))
    field.add("mirror", Ways(lacks=old))
    field.add("html", Ways(lacks=old, json=False, uploaded=dates))
    for name in ("mirror", "html"):
        for wanted in (WANTED, NEWEST):
            found = field.status(name, wanted)
            assert (found.availability, found.newest) == (Availability.STALE, "2.12.1")
            assert dict(found.message.params) == {"newest": "2.12.1", "official": "2.14.1", "count": 2, "days": 76}


def test_stale_without_dates(field: Field) -> None:
    field.add("official")
    field.add("mirror", Ways(lacks=(WHEEL,)))
    found = field.status("mirror")
    assert (found.message.key, found.message.params["count"]) == ("truth.stale", 1)


def test_where_the_link_ends(field: Field) -> None:
    """The page may be a perfect copy: what counts is the host that hands out the file."""
    official = field.add("official", host=OTHER_HOST)
    field.add("mirror", Ways(sends_to=official.url))
    field.add("other", host=OTHER_HOST)
    found = field.status("mirror")
    assert (found.availability, found.final_host) == (Availability.ELSEWHERE, OTHER_HOST)
    assert text(found.message, "en") == f"redirects to {OTHER_HOST}"
    assert field.status("other").availability is Availability.COMPLETE


def test_the_official_place_may_keep_its_files_elsewhere(field: Field) -> None:
    store = field.add("store", host=OTHER_HOST)
    field.add("official", Ways(sends_to=store.url))
    assert field.status("official").availability is Availability.COMPLETE


def test_each_asks_as_the_client_that_will_come(field: Field) -> None:
    """The list as uv asks for it, the wheel as our own fetcher does."""
    mirror = field.add("official")
    field.race()
    (page, lister, accept), (file, fetcher, _) = mirror.agents
    assert (page, file) == ("/simple/torch/", f"/files/{WHEEL}")
    assert lister.startswith("uv/0.")
    assert '"name":"uv"' in lister
    assert accept.startswith("application/vnd.pypi.simple.v1+json, ")
    assert fetcher.startswith("torch-setup/")
    assert mirror.asked[1][1] == "bytes=0-1023"


def test_the_real_uv_asks_like_that(field: Field, tmp_path: Path) -> None:
    from wizard.process import Request, run
    from wizard.system import paths

    mirror = field.add("official")
    field.race()
    _, agent, accept = mirror.agents[0]
    mirror.forget()
    command = (str(paths.uv_executable()), "pip", "compile", "--no-config", "--no-cache", "--no-python-downloads")
    run(Request((*command, "--default-index", mirror.simple, "-"), stdin="torch==99\n", timeout=60, cwd=tmp_path))
    _, real, accepted = next(row for row in mirror.agents if row[0] == "/simple/torch/")
    assert accepted == accept
    assert real.split()[0] == agent.split()[0]


def test_a_hanging_mirror_is_left_behind(field: Field) -> None:
    field.add("official")
    field.add("pages", Ways(hangs="pages"))
    field.add("files", Ways(hangs="files"))
    field.add("drips", Ways(bytes_per_second=40))
    race = field.race(policy=replace(PATIENT, probe_seconds=2.0))
    found = {one.source.id: one for one in race.ranked}
    assert found["pages"].availability is found["files"].availability is Availability.SILENT
    assert found["drips"].message.key == "truth.late", "never silent for long, and never done"


def test_nobody_there_and_no_certificate(field: Field) -> None:
    field.add("official")
    tls = field.add("tls")
    field.sources[-1] = replace(field.sources[-1], url=tls.simple.replace("http://", "https://"))
    field.sources.append(Source("gone", Layout.SIMPLE, Origin.MIRROR, "http://127.0.0.1:9/simple", "gone"))
    verdicts = {one.source.id: one.availability for one in field.race().ranked}
    assert verdicts["gone"] is Availability.SILENT
    assert verdicts["tls"] in (Availability.TLS, Availability.SILENT)


def test_without_the_official_page_a_lone_hash_is_not_believed(field: Field) -> None:
    field.sources.append(Source("official", Layout.SIMPLE, Origin.OFFICIAL, "http://127.0.0.1:9/simple", "o"))
    for name in ("a", "b"):
        field.add(name)
    field.add("liar", Ways(lists_hash="0" * 64))
    verdicts = {one.source.id: one.availability for one in field.race().ranked}
    assert (verdicts["a"], verdicts["b"], verdicts["liar"]) == (
        Availability.COMPLETE,
        Availability.COMPLETE,
        Availability.WRONG,
    )


def test_a_folder_is_a_source(field: Field, wheels: Path) -> None:
    field.add("official")
    field.sources.append(Source("folder", Layout.FLAT, Origin.USER_SETTINGS, wheels.as_uri(), "folder"))
    race = field.race()
    assert race.ranked[0].source.id == "folder", "nothing is nearer"
    assert race.ranked[0].final_host is None


def test_cancelled_at_once(field: Field) -> None:
    field.add("official", Ways(hangs="all"))
    asked: list[bool] = []

    def is_cancelled() -> bool:
        asked.append(True)
        return len(asked) > 2

    with pytest.raises(Cancelled):
        run_benchmark(SourceKind.TORCH, WANTED, field.sources, UserSettings(), is_cancelled, policy=PATIENT)


def test_every_verdict_has_words() -> None:
    unprobed = (Availability.UNREACHABLE, Availability.UNPROVEN, Availability.UNCHECKED)
    for found in set(Availability) - set(unprobed):
        key = {"silent": "truth.silent", "wrong": "truth.wrong-hash", "broken": "truth.status"}.get(found.value)
        from wizard.model.messages import catalogue

        for language in LANGUAGES:
            assert (key or f"truth.{found.value}") in catalogue(language)


@pytest.mark.parametrize("official", [None, Ways(), Ways(lists_hash="")])
def test_another_hash_than_the_programs_own_table(
    field: Field, wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, official: Ways | None
) -> None:
    """Also where all mirrors agree and the official page is silent: nobody is left to contradict them."""
    pin(monkeypatch, tmp_path / "pinned", wheels / WHEEL)
    if official:
        field.add("official", official)
    for name in ("first", "second"):
        field.add(name, Ways(lists_hash="0" * 64))
    field.add("third")
    race = field.race(contradicts_pin=load_matrix().contradicts_pin)
    found = {one.source.id: one for one in race.ranked}
    assert {name: found[name].availability for name in ("first", "second", "third")} == {
        "first": Availability.WRONG,
        "second": Availability.WRONG,
        "third": Availability.COMPLETE,
    }
    for name in ("first", "second"):
        assert "SHA-256" in text(found[name].message, "en")
        assert text(found[name].message, "zh_CN")
