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
from wizard.model.errors import Cancelled
from wizard.model.messages import LANGUAGES, text
from wizard.run.select.benchmark import Benchmark, run_benchmark
from wizard.sources.model import Layout, Origin, Source, SourceKind, UserSettings
from wizard.sources.platform_tags import platform_tags
from wizard.sources.race_policy import benchmark_policy
from wizard.sources.status import SourceStatus, Truth, WantedWheel, WheelQuestion

TAGS = platform_tags("3.12", "linux", "x86_64", "2.36")
WANTED = WheelQuestion(WantedWheel("torch", "2.14.1", "cu126", "3.12", TAGS))
NEWEST = WheelQuestion(WantedWheel("torch", "", "cu126", "3.12", TAGS))
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

    def race(self, question: WheelQuestion = WANTED, policy: object = PATIENT, **more: object) -> Benchmark:
        return run_benchmark(
            SourceKind.TORCH, question, self.sources, UserSettings(), lambda: False, policy=policy, **more
        )  # type: ignore[arg-type]

    def finding(self, name: str, question: WheelQuestion = WANTED) -> SourceStatus:
        return next(one.finding for one in self.race(question).placed if one.source.id == name)


@pytest.fixture
def field(wheels: Path) -> Iterator[Field]:
    with Field(wheels) as made:
        yield made


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("as_json", [False, True])
def test_a_complete_mirror(field: Field, flat: bool, as_json: bool) -> None:
    field.add("official")
    mirror = field.add("mirror", Ways(json=as_json), flat=flat)
    found = field.finding("mirror")
    assert (found.truth, found.file, found.final_host) == (Truth.COMPLETE, WHEEL, "127.0.0.1")
    assert found.size == (mirror.root / WHEEL).stat().st_size
    assert mirror.files_sent() <= 1024, "its link is begun, not downloaded"


@pytest.mark.parametrize(
    ("ways", "truth", "says"),
    [
        (Ways(lost=(WHEEL,)), Truth.MISSING, "not there"),
        (Ways(refuses="pages"), Truth.REFUSED, "403"),
        (Ways(refuses="files"), Truth.REFUSED, "403"),
        (Ways(refuses_agent="uv/"), Truth.REFUSED, "403"),
        (Ways(refuses_agent="torch-setup/"), Truth.REFUSED, "403"),
        (Ways(busy="pages", retry_after="120"), Truth.BUSY, "120 s"),
        (Ways(busy="files", retry_after="Sat, 01 Jan 2050 00:00:00 GMT"), Truth.BUSY, " s,"),
        (Ways(busy="all"), Truth.BUSY, "429"),
        (Ways(portal="all"), Truth.PORTAL, "sign-in"),
        (Ways(portal="files"), Truth.PORTAL, "sign-in"),
        (Ways(longer_by=7), Truth.WRONG, "bytes"),
        (Ways(lists_longer_by=7), Truth.WRONG, "bytes"),
        (Ways(lists_hash="0" * 64), Truth.WRONG, "SHA-256"),
    ],
)
def test_a_mirror_that_is_none(field: Field, ways: Ways, truth: Truth, says: str) -> None:
    field.add("official")
    field.add("mirror", ways)
    found = field.finding("mirror")
    assert found.truth is truth
    assert says in text(found.message, "en")
    assert text(found.message, "zh_CN")


def test_missing_is_not_stale(field: Field) -> None:
    """It has the newest release for other builds, and lacks this one."""
    field.add("official")
    field.add("mirror", Ways(lacks=(TORCH.format("2.13.0"),)))
    question = replace(WANTED, wanted=replace(WANTED.wanted, version="2.13.0"))
    assert field.finding("mirror", question).truth is Truth.MISSING


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
        for question in (WANTED, NEWEST):
            found = field.finding(name, question)
            assert (found.truth, found.newest) == (Truth.STALE, "2.12.1")
            assert dict(found.message.params) == {"newest": "2.12.1", "official": "2.14.1", "count": 2, "days": 76}


def test_stale_without_dates(field: Field) -> None:
    field.add("official")
    field.add("mirror", Ways(lacks=(WHEEL,)))
    found = field.finding("mirror")
    assert (found.message.key, found.message.params["count"]) == ("truth.stale", 1)


def test_where_the_link_ends(field: Field) -> None:
    """The page may be a perfect copy: what counts is the host that hands out the file."""
    official = field.add("official", host=OTHER_HOST)
    field.add("mirror", Ways(sends_to=official.url))
    field.add("other", host=OTHER_HOST)
    found = field.finding("mirror")
    assert (found.truth, found.final_host) == (Truth.ELSEWHERE, OTHER_HOST)
    assert text(found.message, "en") == f"only sends you on to {OTHER_HOST}"
    assert field.finding("other").truth is Truth.COMPLETE


def test_the_official_place_may_keep_its_files_elsewhere(field: Field) -> None:
    store = field.add("store", host=OTHER_HOST)
    field.add("official", Ways(sends_to=store.url))
    assert field.finding("official").truth is Truth.COMPLETE


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
    found = {one.source.id: one.finding for one in race.placed}
    assert found["pages"].truth is found["files"].truth is Truth.SILENT
    assert found["drips"].message.key == "truth.late", "never silent for long, and never done"


def test_nobody_there_and_no_certificate(field: Field) -> None:
    field.add("official")
    tls = field.add("tls")
    field.sources[-1] = replace(field.sources[-1], url=tls.simple.replace("http://", "https://"))
    field.sources.append(Source("gone", Layout.SIMPLE, Origin.MIRROR, "http://127.0.0.1:9/simple", "gone"))
    verdicts = {one.source.id: one.finding.truth for one in field.race().placed}
    assert verdicts["gone"] is Truth.SILENT
    assert verdicts["tls"] in (Truth.TLS, Truth.SILENT)


def test_without_the_official_page_a_lone_hash_is_not_believed(field: Field) -> None:
    field.sources.append(Source("official", Layout.SIMPLE, Origin.OFFICIAL, "http://127.0.0.1:9/simple", "o"))
    for name in ("a", "b"):
        field.add(name)
    field.add("liar", Ways(lists_hash="0" * 64))
    verdicts = {one.source.id: one.finding.truth for one in field.race().placed}
    assert (verdicts["a"], verdicts["b"], verdicts["liar"]) == (Truth.COMPLETE, Truth.COMPLETE, Truth.WRONG)


def test_a_folder_is_a_source(field: Field, wheels: Path) -> None:
    field.add("official")
    field.sources.append(Source("folder", Layout.FLAT, Origin.USER_SETTINGS, wheels.as_uri(), "folder"))
    race = field.race()
    assert race.placed[0].source.id == "folder", "nothing is nearer"
    assert race.placed[0].finding.final_host is None


def test_cancelled_at_once(field: Field) -> None:
    field.add("official", Ways(hangs="all"))
    asked: list[bool] = []

    def is_cancelled() -> bool:
        asked.append(True)
        return len(asked) > 2

    with pytest.raises(Cancelled):
        run_benchmark(SourceKind.TORCH, WANTED, field.sources, UserSettings(), is_cancelled, policy=PATIENT)


def test_every_verdict_has_words() -> None:
    for truth in Truth:
        key = {"silent": "truth.silent", "wrong": "truth.wrong-hash", "broken": "truth.status"}.get(truth.value)
        from wizard.model.messages import catalogue

        for language in LANGUAGES:
            assert (key or f"truth.{truth.value}") in catalogue(language)


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
    race = field.race()
    found = {one.source.id: one.finding for one in race.placed}
    assert {name: found[name].truth for name in ("first", "second", "third")} == {
        "first": Truth.WRONG,
        "second": Truth.WRONG,
        "third": Truth.COMPLETE,
    }
    for name in ("first", "second"):
        assert "SHA-256" in text(found[name].message, "en")
        assert text(found[name].message, "zh_CN")
