"""Races on real servers: who is elected and why, what is kept and when it is thrown away, and how polite it all is."""

from __future__ import annotations

import json
import os
import random
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.run.mirrors import NOWHERE, write_mirrors
from tests.run.test_select_build import NO_CARD
from tests.servers.mirror_server import MirrorServer, Ways
from tests.sources.torch_wheels import torch_wheel
from tests.sources.wheels import make_wheel
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import message, text
from wizard.run.model import Facts, SelectedBuild
from wizard.run.select.mirror_policy import named_within
from wizard.run.select.select_build import select_build
from wizard.sources import speed
from wizard.sources.benchmark import read_benchmark
from wizard.sources.known_sources import own_indexes
from wizard.sources.model import Origin, SourceStatus, UserSettings

pytestmark = pytest.mark.slow

TORCH = "torch-2.15.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl"
SYMPY = "sympy-1.14.0-py3-none-any.whl"
FAST, SLOW = None, 150_000.0  # bytes a second


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    torch_wheel(tmp_path / "wheels", TORCH, None, ballast=400_000)
    with zipfile.ZipFile(make_wheel(tmp_path / "wheels", SYMPY), "a") as wheel:
        wheel.writestr("sympy/data.bin", random.Random(3).randbytes(300_000))
    return tmp_path / "wheels"


class Lab:
    def __init__(self, wheels: Path) -> None:
        self.stack, self.wheels = ExitStack(), wheels
        self.rows: dict[tuple[str, str], str] = {}
        self.layouts: dict[tuple[str, str], str] = {}

    def add(self, name: str, ways: Ways | None = None, flat: bool = False) -> MirrorServer:
        server = self.stack.enter_context(MirrorServer(self.wheels, ways))
        self.rows["pytorch-wheels", name] = server.flat if flat else server.simple
        self.layouts["pytorch-wheels", name] = "flat" if flat else "simple"
        self.rows["pypi", name] = server.simple
        return server

    def select_build(self, settings: UserSettings | None = None, **wishes: object) -> SelectedBuild:
        write_mirrors(Path(os.environ["TORCH_WIZARD_HOME"]), self.rows, self.layouts)
        choices = replace(Choices(engine="venv", mirrors="race"), **wishes)  # type: ignore[arg-type]
        matrix, facts = load_matrix(), Facts(NO_CARD, settings or UserSettings(), (), 0.0)
        return select_build(facts, matrix, resolve(NO_CARD, matrix, choices), choices, None, lambda: False)


@pytest.fixture
def lab(wheels: Path) -> Iterator[Lab]:
    made = Lab(wheels)
    with made.stack:
        yield made


def states(selected: SelectedBuild, kind: str = "torch") -> dict[str, SourceStatus]:
    return {state.source.id.split("-")[0]: state for state in selected.states if state.kind == kind}


def test_the_fastest_complete_one_wins(lab: Lab) -> None:
    lab.add("official", Ways(bytes_per_second=SLOW))
    lab.add("slow", Ways(bytes_per_second=SLOW))
    lab.add("quick")
    lab.add("refuses", Ways(refuses="all"))
    lab.add("stale", Ways(lacks=(TORCH, SYMPY)))
    selected = lab.select_build()
    assert selected.torch_source.id == "quick-torch-cpu"
    assert [source.id for source in selected.package_sources] == ["quick-packages"]
    seen = states(selected)
    found = {name: state.availability for name, state in seen.items()}
    assert found == {
        "quick": "complete",
        "slow": "complete",
        "official": "complete",
        "refuses": "refused",
        "stale": "missing",
    }
    assert (seen["quick"].rate or 0) > (seen["slow"].rate or 0) > 0
    assert seen["quick"].final_host == "127.0.0.1"
    assert {"race.torch-rate", "race.packages-rate"} <= {notice.key for notice in selected.notices}
    said = " ".join(text(notice, "en") for notice in selected.notices)
    assert "out of 3 sources with this build" in said
    assert [source.id for source in selected.further["torch"]][0] == "quick-torch-cpu"
    assert any(source.origin is Origin.OFFICIAL for source in selected.further["torch"])


def test_outside_china_the_official_place_is_asked_and_nobody_else(lab: Lab) -> None:
    official, mirror = lab.add("official"), lab.add("mirror")
    selected = lab.select_build(mirrors="auto", region="world")
    assert selected.torch_source.origin is Origin.OFFICIAL
    assert selected.further == {}
    assert mirror.asked == []
    assert official.files_sent() == 0
    assert sorted(official.paths()) == ["/simple/torch/", "/simple/torchaudio/", "/simple/torchvision/"]


def test_official_by_the_persons_word_in_china(lab: Lab) -> None:
    lab.add("official")
    mirror = lab.add("mirror")
    assert lab.select_build(mirrors="official", region="cn").torch_source.origin is Origin.OFFICIAL
    assert mirror.asked == []


def test_a_silent_official_place_lets_the_mirrors_race_anywhere(lab: Lab) -> None:
    lab.add("mirror")
    selected = lab.select_build(mirrors="auto", region="world")
    assert selected.torch_source.id == "mirror-torch-cpu"
    assert selected.package_sources[0].id == "mirror-packages"
    assert "race.official-silent" in {notice.key for notice in selected.notices}
    with pytest.raises(WizardError) as caught:
        lab.select_build(mirrors="official", region="cn")
    assert caught.value.code == "no-source-answers"


def test_in_china_they_race_unasked(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.add("official", Ways(bytes_per_second=SLOW))
    lab.add("mirror")
    monkeypatch.setenv("TORCH_WIZARD_REGION", "cn")
    assert lab.select_build(mirrors="auto").torch_source.id == "mirror-torch-cpu"


def test_one_mirror_by_name(lab: Lab) -> None:
    other = lab.add("other")
    lab.add("official")
    chosen = lab.add("chosen", Ways(bytes_per_second=SLOW))
    selected = lab.select_build(mirrors="chosen")
    assert (selected.torch_source.id, selected.package_sources[0].id) == ("chosen-torch-cpu", "chosen-packages")
    assert other.asked == []
    assert chosen.files_sent() <= 2 * 1024, "chosen is chosen: nothing is measured"
    with pytest.raises(UsageError) as caught:
        lab.select_build(mirrors="nobody")
    assert (caught.value.code, caught.value.params["known"]) == ("no-such-mirror", "other, chosen")


def test_a_chosen_mirror_that_refuses_is_said(lab: Lab) -> None:
    lab.add("official")
    lab.add("chosen", Ways(refuses="all"))
    selected = lab.select_build(mirrors="chosen")
    assert selected.torch_source.origin is Origin.OFFICIAL
    assert "race.not-usable" in {notice.key for notice in selected.notices}


def test_by_hand_and_private_places_do_not_race(lab: Lab, wheels: Path) -> None:
    lab.add("official")
    mirror = lab.add("mirror")
    with MirrorServer(wheels) as own:
        selected = lab.select_build(index=own.simple, torch_index=own.simple)
        assert selected.torch_source.url == own.simple
        assert mirror.asked == []
        private = own.simple.replace("://", "://me:secret@")
        selected = lab.select_build(UserSettings(index_url=private))
        assert [source.url for source in selected.package_sources] == [private]


def test_words_for_a_source_begin_small_in_a_sentence() -> None:
    (own,) = own_indexes(UserSettings(index_url="https://wheels.example/simple"))
    assert text(
        message("race.torch", source=named_within(own), sources=message("race.source", "the only source"), count=1),
        "en",
    ) == ("PyTorch comes from your own pip or uv settings (index-url), the only source with this build.")


def test_what_lists_no_hashes_makes_no_lock_but_may_give_bytes(lab: Lab) -> None:
    lab.add("official", Ways(bytes_per_second=SLOW))
    lab.add("bare", Ways(hashes=False, json=False), flat=True)
    selected = lab.select_build()
    assert selected.torch_source.id == "official-torch-cpu"
    assert [source.id for source in selected.further["torch"]] == ["bare-torch-cpu", "official-torch-cpu"]


def test_polite(lab: Lab) -> None:
    """Three are measured for each kind, one after the other, and never for more than was said."""
    torch_wheel(lab.wheels, TORCH, None, ballast=9_000_000)
    servers = [lab.add(name) for name in ("official", "a", "b", "c", "d")]
    lab.select_build()
    path, limit = f"/files/{TORCH}", 8 * 1024 * 1024
    measured = [server for server in servers if server.sent[path] > 1024]
    assert len(measured) == 3
    for server in servers:
        assert server.sent[path] <= limit + 1024
        assert len(server.paths(path)) <= 2
        assert server.paths("/simple/torch/") in (["/simple/torch/"], ["/simple/torch/"] * 2)  # the race, the walk
    starts = [span.split("=")[1].split("-")[0] for server in measured for p, span in server.asked if p == path and span]
    assert any(start != "0" for start in starts), "at a random place"


def test_a_server_without_ranges_is_cut_off(lab: Lab) -> None:
    torch_wheel(lab.wheels, TORCH, None, ballast=40_000_000)
    server = lab.add("mirror", Ways(knows_ranges=False))
    lab.add("official")
    assert states(lab.select_build())["mirror"].availability == "complete"
    assert server.sent[f"/files/{TORCH}"] < 20_000_000, "eight, and what was on the wire"


def test_kept_for_a_day_in_this_network(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.add("official", Ways(bytes_per_second=SLOW))
    mirror = lab.add("mirror")
    first = states(lab.select_build())["mirror"]
    mirror.forget()
    again = states(lab.select_build())["mirror"]
    assert (again.rate, again.asked) == (first.rate, first.asked)
    assert mirror.files_sent() == 0
    files = list((Path(os.environ["TORCH_WIZARD_HOME"]) / "cache" / "mirror-races").iterdir())
    assert len(files) == 2
    assert all("127.0.0.1:" not in file.read_text(encoding="utf-8") for file in files), "no address is kept"
    monkeypatch.setattr(speed, "_routes", lambda: ("gateway 10.9.9.9",))
    assert states(lab.select_build())["mirror"].asked != first.asked
    assert mirror.files_sent() > 0


def test_a_kept_race_ends(lab: Lab) -> None:
    lab.add("official")
    lab.select_build()
    path = next((Path(os.environ["TORCH_WIZARD_HOME"]) / "cache" / "mirror-races").iterdir())
    kept = read_benchmark(path, speed.network_fingerprint(UserSettings()), 60)
    assert kept
    mark = kept.network
    assert read_benchmark(path, mark, 60, now=kept.asked + 59) == kept
    assert read_benchmark(path, mark, 60, now=kept.asked + 61) is None
    assert not path.exists(), "thrown away"
    path.write_bytes(b"{")
    assert read_benchmark(path, mark, 60) is None


def test_a_kept_winner_that_is_gone_meanwhile(lab: Lab) -> None:
    lab.add("official", Ways(bytes_per_second=SLOW))
    mirror = lab.add("mirror")
    assert lab.select_build().torch_source.id == "mirror-torch-cpu"
    mirror.ways = Ways(refuses="all")
    selected = lab.select_build()
    assert selected.torch_source.id == "official-torch-cpu"
    assert states(selected)["official"].availability == "complete"


def forge(folder: Path) -> None:
    rows = {"python-3.12.4-0.conda": {"name": "python", "version": "3.12.4"}}
    for subdir in ("noarch", "linux-64"):
        (folder / "forge" / subdir).mkdir(parents=True)
        text = json.dumps({"info": {}, "packages": {}, "packages.conda": rows})
        (folder / "forge" / subdir / "repodata.json").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("region", ["cn", "world"])
def test_channels_race_too(lab: Lab, region: str) -> None:
    """In China at once; elsewhere when the official channel is silent, as it is here."""
    forge(lab.wheels)
    lab.add("official")
    for name, ways in (("refuses", Ways(refuses="all")), ("mirror", Ways())):
        lab.rows["conda-forge", name] = f"{lab.add(name, ways).url}/forge"
    selected = lab.select_build(engine="auto", mirrors="auto", region=region)
    assert (selected.engine, selected.channels) == ("rattler", (lab.rows["conda-forge", "mirror"],))
    assert states(selected, "conda")["refuses"].availability == "refused"
    said = {notice.key for notice in selected.notices}
    assert "race.conda-rate" in said
    assert ("race.official-silent" in said) is (region == "world")


def test_the_users_own_channels_stay(lab: Lab) -> None:
    forge(lab.wheels)
    lab.add("official")
    url = f"{lab.add('mirror').url}/forge"
    lab.rows["conda-forge", "mirror"] = f"{lab.add('other').url}/forge"
    settings = UserSettings(conda_channels=(url,), conda_only=True)
    assert lab.select_build(settings, engine="auto", region="cn", mirrors="auto").channels == (url,)


def test_nobody_answers(lab: Lab) -> None:
    lab.rows["pytorch-wheels", "mirror"] = f"{NOWHERE}/simple"
    with pytest.raises(WizardError) as caught:
        lab.select_build()
    assert caught.value.code == "no-source-answers"


def test_an_index_that_the_settings_add_takes_nobodys_place(lab: Lab) -> None:
    """It has the file of the race and may lack all others."""
    official = lab.add("official", Ways(bytes_per_second=SLOW))
    extra = lab.stack.enter_context(MirrorServer(lab.wheels))
    selected = lab.select_build(UserSettings(extra_index_urls=(extra.simple,)))
    assert [source.url for source in selected.package_sources] == [official.simple, extra.simple]
