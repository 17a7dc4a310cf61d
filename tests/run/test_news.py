"""Releases that the sources have and the tables don't: found, looked into, judged, learnt, forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.servers.index_server import Answer, IndexServer
from tests.sources.torch_wheels import companion, torch_wheel
from wizard.app.use import tables
from wizard.cli.main import main
from wizard.cli.pick import render
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.explain import why_not_newest
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Driver, Gpu, Machine
from wizard.model.capability import ComputeCapability
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import LANGUAGE_VARIABLE, text
from wizard.run.select.learned_rows import JudgedBuild, judge_new_builds
from wizard.run.select.new_builds import readings_dir
from wizard.sources.model import UserSettings
from wizard.system import paths

RTX_4090 = Machine(
    "linux",
    "x86_64",
    "2.36",
    Driver("580.95.05", "13.0"),
    (Gpu("nvidia", "NVIDIA GeForce RTX 4090", "10de:2684", ComputeCapability(8, 9)),),
)
V100 = replace(RTX_4090, gpus=(Gpu("nvidia", "Tesla V100", "10de:1db4", ComputeCapability(7, 0)),))
LINUX = "cp312-cp312-manylinux_2_28_x86_64.whl"
ALL = ("linux_x86_64", "linux_aarch64", "win_amd64")


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.setenv(LANGUAGE_VARIABLE, "en")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[IndexServer]:
    (tmp_path / "root").mkdir()
    with IndexServer(tmp_path / "root") as running:
        torch_wheel(running.root, f"torch-2.16.0+cu132-{LINUX}", "13.2", ballast=1000)
        torch_wheel(running.root, f"torch-2.15.0+cu132-{LINUX}", "13.2", ballast=1000)
        torch_wheel(running.root, f"torch-2.17.0.dev20261121+cu132-{LINUX}", "13.2", ballast=1000)
        yield running


def news(server: IndexServer, machine: Machine = RTX_4090) -> tuple[JudgedBuild, ...]:
    choices = Choices(torch_index=server.simple, index=server.simple)
    return judge_new_builds(machine, load_matrix(), choices, UserSettings(), lambda: False)


def learn(server: IndexServer, platforms: tuple[str, ...] = ALL) -> tables.Refreshed:
    return tables.refresh(Choices(torch_index=server.simple), UserSettings(), platforms, lambda: False)


def test_a_newer_release_is_found_read_and_judged(server: IndexServer) -> None:
    (one,) = news(server)
    assert (one.build.torch, one.build.variant, one.build.pythons) == ("2.16.0", "cu132", ("3.12",))
    assert one.build.architectures == ("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120")
    assert (one.build.evidence, one.build.confidence) == ("table inside the wheel", "high")
    assert one.fits is True
    (other,) = news(server, V100)
    assert (other.fits, [reason.code for reason in other.reasons]) == (False, ["no-kernels-for-gpu"])
    (third,) = news(server, replace(RTX_4090, driver=Driver("550.54.14")))
    assert [reason.code for reason in third.reasons] == ["driver-too-old"]


def test_a_look_is_remembered_with_its_date(server: IndexServer) -> None:
    (first,) = news(server)
    asked = len([path for path in server.paths() if path.endswith(".whl")])
    (again,) = news(server)
    assert len([path for path in server.paths() if path.endswith(".whl")]) == asked
    assert again == first
    (kept,) = readings_dir().iterdir()
    assert json.loads(kept.read_bytes())["as_of"] == first.build.as_of != ""
    kept.write_bytes(b"{damaged")
    assert news(server) == (first,)


def test_kernels_unknown_is_said_and_never_guessed(server: IndexServer) -> None:
    for path in server.root.glob("torch-2.16*"):
        server.answers[f"/files/{path.name}"] = Answer(path.read_bytes())
    (one,) = news(server)
    assert (one.build.architectures, one.fits) == (None, None)
    assert one.build.failure
    assert one.build.failure.key == "error.source-no-ranges.summary"
    assert learn(server).taken == ()
    assert load_matrix().overlay is None


def test_a_default_wheel_tells_its_cuda_itself(server: IndexServer) -> None:
    for path in server.root.glob("torch-2.16*"):
        path.unlink()
    torch_wheel(server.root, f"torch-2.16.0-{LINUX}", "13.4", flags="sm_80 sm_120", ballast=1000)
    (one,) = news(server)
    assert (one.build.variant, one.build.is_default, one.build.architectures) == ("cu134", True, ("sm_80", "sm_120"))
    assert one.fits is True


def test_a_wheel_that_is_not_what_its_name_says(server: IndexServer) -> None:
    torch_wheel(server.root, f"torch-2.16.0+cu132-{LINUX}", "12.6", version="2.13.0+cu126", ballast=1000)
    (one,) = news(server)
    assert one.fits is None
    assert one.build.failure
    assert one.build.failure.key == "matrices.not-what-it-says"


@pytest.mark.parametrize(
    ("version", "cuda"),
    [("not a version!", "13.2"), ("9" * 5000, "13.2"), (None, "abc"), (None, "13"), (None, "13.10"), (None, "13.2.1")],
)
@pytest.mark.parametrize("tag", ["+cu132", ""])
def test_an_odd_wheel_is_named_and_passed_over(server: IndexServer, version: str, cuda: str, tag: str) -> None:
    torch_wheel(server.root, f"torch-2.17.0{tag}-{LINUX}", cuda, version=version or "2.17.0", ballast=1000)
    odd, sound = news(server)
    assert (odd.build.torch, odd.build.architectures, odd.fits) == ("2.17.0", None, None)
    assert odd.build.failure
    assert odd.build.failure.key == "matrices.not-what-it-says"
    assert (sound.build.torch, sound.fits) == ("2.16.0", True)
    assert [build.torch for build in learn(server).taken] == ["2.16.0"]


def test_an_odd_companion_is_passed_over(server: IndexServer) -> None:
    companion(server.root, f"torchvision-0.31.0.post1+cu132-{LINUX}", "torch==2.16.0")
    companion(server.root, f"torchvision-0.31.0+cu132-{LINUX}", "torch==2.16.0")
    learn(server)
    assert load_matrix().releases["2.16.0"].torchvision == "0.31.0"


def test_a_wheel_for_every_later_python_and_other_spellings(server: IndexServer) -> None:
    torch_wheel(server.root, "torch-2.17+cu132-cp310-abi3-manylinux_2_28_x86_64.whl", "13.2", ballast=1000)
    torch_wheel(server.root, f"torch-2.15.0.0+cu132-{LINUX}", "13.2", ballast=1000)
    newest, other = news(server)
    assert (newest.build.torch, newest.fits, other.build.torch) == ("2.17.0", True, "2.16.0")
    assert newest.build.pythons[:3] == ("3.10", "3.11", "3.12")
    assert "3.14" in newest.build.pythons


def test_a_cuda_of_a_new_major_is_not_judged(server: IndexServer) -> None:
    for path in server.root.glob("torch-2.16*"):
        path.unlink()
    torch_wheel(server.root, f"torch-2.16.0+cu140-{LINUX}", "14.0", flags="sm_80 sm_120", table="", ballast=1000)
    (one,) = news(server)
    assert (one.build.architectures, one.fits) == (("sm_80", "sm_120"), None)


def test_refresh_learns_and_the_rule_takes_it_up(server: IndexServer) -> None:
    torch_wheel(server.root, "torch-2.16.0+cu132-cp313-cp313-manylinux_2_28_x86_64.whl", "13.2", ballast=1000)
    torch_wheel(server.root, "torch-2.16.0+cu132-cp312-cp312-win_amd64.whl", "13.2", ballast=1000, flags="sm_75 sm_120")
    torch_wheel(server.root, f"torch-2.16.0+cpu-{LINUX}", None, ballast=1000)
    companion(server.root, f"torchvision-0.30.0+cu132-{LINUX}", "numpy", "torch==2.15.0")
    companion(
        server.root, "torchvision-0.31.0+cu132-py3-none-manylinux_2_28_x86_64.whl", "numpy", "torch>=2.16.0,<2.17"
    )
    companion(server.root, f"torchvision-0.32.0+cu132-{LINUX}", "numpy", "torch==2.17.0")
    companion(server.root, f"torchaudio-2.11.0+cu132-{LINUX}")
    done = learn(server)
    assert len(done.taken) == 3
    matrix = load_matrix()
    release = matrix.releases["2.16.0"]
    assert (release.torchvision, release.torchaudio) == ("0.31.0", "2.11.0")
    best = resolve(RTX_4090, matrix, Choices()).best
    assert best
    assert (best.torch, best.variant, best.pythons, best.confidence) == ("2.16.0", "cu132", ("3.12", "3.13"), "medium")
    assert news(server) == ()
    assert tables.check() == ()
    assert tables.forget()
    assert "2.16.0" not in load_matrix().releases


def test_what_a_source_without_ranges_leaves_open_is_not_called_unpublished(
    server: IndexServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file for the processor is known by its name; the one with CUDA is listed and could not be read."""
    torch_wheel(server.root, f"torch-2.16.0+cpu-{LINUX}", None, ballast=1000)
    torch_wheel(server.root, "torch-2.16.0+cpu-cp312-cp312-win_amd64.whl", None, ballast=1000)
    for path in server.root.glob("torch-2.16.0+cu132*"):
        server.answers[f"/files/{path.name}"] = Answer(path.read_bytes())
    assert main(["matrices", "refresh", "--all-platforms", "--torch-index", server.simple], lambda *_: 99) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(set(lines)) == 2, "the one for two processors once"
    assert {build.variant for build in load_matrix().builds if build.torch == "2.16.0"} == {"cpu"}
    verdict = resolve(RTX_4090, load_matrix(), Choices())
    assert verdict.best
    assert verdict.best.torch == "2.15.0"
    said = {one.variant: one.reasons[0] for one in verdict.candidates if one.torch == "2.16.0" and one.reasons}
    assert {reason.words for reason in said.values()} == {"publication-unknown"}
    assert "is not known" in text(said["cu132"].message, "en")
    assert len(said) > 9
    whole = why_not_newest(verdict, "en") or ""
    assert 0 < whole.count("CUDA ") < 9, "not every tag that there ever was"
    assert "cu92" not in whole
    capsys.readouterr()
    assert main(["matrices", "refresh", "--all-platforms", "--torch-index", server.simple], lambda *_: 99) == 0
    again = capsys.readouterr()
    assert "for the processor" not in again.out, "it was learnt before"
    assert "cu132" in again.out, "still not known"
    assert "nothing that can be used and that the tables do not know" in again.err
    row = next(line for line in render(verdict, "en").splitlines() if line.startswith("2.16.0"))
    assert "not published" not in row
    assert "? not known" in row
    other = resolve(RTX_4090, load_matrix(), Choices(torch="2.15.0", variant="cu118")).candidates[0]
    assert (other.reasons[0].code, other.reasons[0].words) == ("not-published", ""), "what is shipped is whole"


def test_an_unknown_cuda_of_a_known_family_brings_its_floor(server: IndexServer) -> None:
    torch_wheel(server.root, f"torch-2.16.0+cu139-{LINUX}", "13.9", table="", flags="sm_80 sm_120", ballast=1000)
    assert {build.variant for build in learn(server).taken} == {"cu132", "cu139"}
    matrix = load_matrix()
    assert matrix.overlay
    assert matrix.overlay.problems == ()
    assert matrix.floors["13.9", "linux"].driver_floor == "580.65.06"
    assert not any(build.advertised for build in matrix.builds if build.variant == "cu139")


def test_what_was_learnt_before_stays(server: IndexServer) -> None:
    learn(server)
    for path in server.root.glob("torch-2.16*"):
        path.unlink()
    torch_wheel(server.root, f"torch-2.16.1+cu132-{LINUX}", "13.2", ballast=1000)
    learn(server)
    assert {"2.16.0", "2.16.1"} <= load_matrix().releases.keys()


def test_the_rumoured_build_that_appears(server: IndexServer) -> None:
    torch_wheel(server.root, f"torch-2.15.0+cu134-{LINUX}", "13.4", flags="sm_80 sm_120", ballast=1000)
    assert ("2.15.0", "cu134") in {(one.build.torch, one.build.variant) for one in news(server)}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(b"<html><form action=/login><input name=user></form></html>"), "not with a package list"),
        (Answer(b"\x89PNG garbage", headers={"Content-Type": "image/png"}), "not with a package list"),
        (Answer(bytes(range(256)) * 20), "not with a package list"),
        (Answer(b""), "not with a package list"),
        (Answer(b"no", 503), "HTTP 503"),
        (Answer(b"no", 403), "refuses to answer this computer (HTTP 403)"),
        (Answer(b"", 302, {"Location": "http://mirror.invalid/"}), "an address that is not secure"),
        (Answer(b"<html>" * 50, cut_after=10), "broke off"),
    ],
)
def test_garbage_and_portals_are_named_and_the_shipped_data_answer(
    server: IndexServer, answer: Answer, reason: str
) -> None:
    for path in ("/simple/torch/", "/simple/", "/simple"):
        server.answers[path] = answer
    assert news(server) == ()
    with pytest.raises(WizardError) as caught:
        learn(server)
    assert caught.value.code == "no-source-answers"
    assert reason in text(caught.value.summary, "en")
    assert reason in caught.value.details
    assert resolve(RTX_4090, load_matrix(), Choices()).best


def test_show(server: IndexServer) -> None:
    document = tables.document(load_matrix(), "2.14.1")
    build = next(one for one in document["releases"][0]["builds"] if one["variant"] == "cu130")
    assert build["bytes"] > 400_000_000
    assert build["architectures"][0].startswith("sm_")
    assert len(tables.document(load_matrix())["releases"]) == 42
    with pytest.raises(UsageError):
        tables.document(load_matrix(), "3.0")
