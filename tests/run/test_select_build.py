"""The live check on real pages: the matrix's best is taken only if a source lists that very wheel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app import values
from tests.pinned import pin
from tests.sentences import error_text
from tests.servers.index_server import IndexServer
from tests.sources.wheels import make_wheel
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Driver, Gpu, Machine, PythonInstall
from wizard.model.capability import ComputeCapability
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import message, text
from wizard.run.model import Facts, SelectedBuild
from wizard.run.select.select_build import nothing_found, select_build
from wizard.sources.cross_check import of_failure
from wizard.sources.model import Availability, SourceStatus, UserSettings
from wizard.transfer.http import SourceUnreachable

PYTHONS = (PythonInstall("/py/3.13", "3.13.1", True), PythonInstall("/py/3.11", "3.11.7", True))
NO_CARD = Machine("linux", "x86_64", "2.36", None, (), pythons=PYTHONS)
RTX_4090 = replace(
    NO_CARD,
    driver=Driver("560.35.03", "12.6"),
    gpus=(Gpu("nvidia", "NVIDIA GeForce RTX 4090", "10de:2684", ComputeCapability(8, 9)),),
)
LINUX = "manylinux_2_28_x86_64"


def wheel(folder: Path, name: str, version: str, python: str = "311") -> None:
    make_wheel(folder, f"{name}-{version}-cp{python}-cp{python}-{LINUX}.whl")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[IndexServer]:
    with IndexServer(tmp_path / "wheels") as server:
        yield server


def choose(
    server: IndexServer, machine: Machine = NO_CARD, settings: UserSettings | None = None, **wishes: object
) -> SelectedBuild:
    choices = Choices(engine="venv", index=server.simple, torch_index=server.simple)
    choices = replace(choices, **wishes)  # type: ignore[arg-type]
    matrix = load_matrix()
    facts = Facts(machine, settings or UserSettings(), (), 0.0)
    return select_build(facts, matrix, resolve(machine, matrix, choices), choices, None, lambda: False)


def keys(selected: SelectedBuild) -> set[str]:
    return {notice.key for notice in selected.notices}


def test_the_best_that_is_really_there(server: IndexServer) -> None:
    wheel(server.root, "torch", "2.13.0+cpu")
    wheel(server.root, "torch", "2.12.1+cpu")
    selected = choose(server)
    assert (selected.candidate.torch, selected.candidate.variant, selected.python) == ("2.13.0", "cpu", "3.11")
    assert selected.wanted.torch == "2.15.0"
    assert "notice.second-choice" in keys(selected)
    assert selected.requirements[0] == "torch==2.13.0+cpu"


def test_a_better_build_in_any_source_beats_a_worse_one_in_the_first(server: IndexServer, tmp_path: Path) -> None:
    """By build first and by source second."""
    wheel(tmp_path / "links", "torch", "2.12.1+cu126")
    wheel(server.root, "torch", "2.14.1+cu126")
    selected = choose(server, RTX_4090, find_links=(str(tmp_path / "links"),))
    assert (selected.candidate.torch, selected.candidate.variant) == ("2.14.1", "cu126")
    assert "notice.second-choice" not in keys(selected)


def test_each_source_is_asked_for_the_build_that_is_taken(server: IndexServer, tmp_path: Path) -> None:
    """Nobody has 2.15.0: of who has 2.13.0 the rows say that, not that the other one is missing."""
    for folder in (tmp_path / "links", tmp_path / "more", server.root):
        wheel(folder, "torch", "2.13.0+cpu")
    wheel(tmp_path / "old", "torch", "2.12.1+cpu")
    selected = choose(server, find_links=tuple(str(tmp_path / name) for name in ("links", "more", "old")))
    said = {status.source.url: status.verdict for status in selected.states if status.kind != "packages"}
    assert sorted(said.values()) == ["carries", "carries", "carries", "missing"], said
    (lacking,) = (status for status in selected.states if status.verdict == "missing")
    assert lacking.message.params["build"] == "2.13.0+cpu"


def test_a_wheel_without_local_version_is_the_default_build_and_no_other(server: IndexServer) -> None:
    wheel(server.root, "torch", "2.14.1")  # PyPI's build of 2.14.1 is cu130, which driver 560 cannot run
    wheel(server.root, "torch", "2.7.1")  # PyPI's build of 2.7 is cu126
    selected = choose(server, RTX_4090)
    assert (selected.candidate.torch, selected.candidate.variant) == ("2.7.1", "cu126")
    assert selected.requirements[0] == "torch==2.7.1"


def test_companions_of_the_same_variant_or_none(server: IndexServer) -> None:
    wheel(server.root, "torch", "2.13.0+cpu")
    wheel(server.root, "torchvision", "0.28.0")  # the default build: made for CUDA
    selected = choose(server)
    assert selected.candidate.torchvision is None
    assert "notice.companion-dropped" in keys(selected)
    with pytest.raises(UsageError, match="torchvision"):
        choose(server, companions=("torchvision",))
    wheel(server.root, "torchvision", "0.28.0+cpu")
    selected = choose(server)
    assert selected.candidate.torchvision == "0.28.0"
    assert selected.requirements == ("torch==2.13.0+cpu", "torchvision==0.28.0+cpu", *selected.requirements[2:])


def test_a_companion_that_was_asked_for_leads_on_to_the_source_that_has_it(
    server: IndexServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = tmp_path / "links"
    wheel(links, "torch", "2.13.0+cpu")
    settings = UserSettings(find_links=(links.as_uri(),), index_url=server.simple)
    wheel(server.root, "torch", "2.13.0+cpu")
    wheel(server.root, "torchvision", "0.28.0+cpu")
    pin(monkeypatch, tmp_path / "tables", *links.iterdir(), *server.root.iterdir())
    wishes = {"settings": settings, "index": None, "torch_index": None, "mirrors": "official"}
    asked = choose(server, companions=("torchvision",), **wishes)
    assert (asked.torch_source.url, asked.candidate.torchvision) == (server.simple, "0.28.0")
    unasked = choose(server, **wishes)
    assert (unasked.torch_source.url, unasked.candidate.torchvision) == (links.as_uri(), None)


def test_no_worse_build_is_taken_for_a_companion(server: IndexServer, tmp_path: Path) -> None:
    wheel(tmp_path / "links", "torch", "2.12.1+cpu")
    wheel(tmp_path / "links", "torchvision", "0.27.1+cpu")
    wheel(server.root, "torch", "2.13.0+cpu")
    with pytest.raises(UsageError, match="torchvision"):
        choose(server, find_links=(str(tmp_path / "links"),), companions=("torchvision",))


def test_the_users_own_settings_are_a_source(
    server: IndexServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(tmp_path / "lab", "torch", "2.13.0+cpu")
    pin(monkeypatch, tmp_path / "tables", *(tmp_path / "lab").iterdir())
    settings = UserSettings(find_links=((tmp_path / "lab").as_uri(),), no_index=True)
    selected = choose(server, settings=settings, index=None, torch_index=None)
    assert selected.torch_source.url == (tmp_path / "lab").as_uri()


def test_python_follows_what_the_machine_and_the_source_have(server: IndexServer) -> None:
    wheel(server.root, "torch", "2.13.0+cpu", "313")
    wheel(server.root, "torch", "2.13.0+cpu", "312")
    assert choose(server).python == "3.13"
    with pytest.raises(WizardError) as caught:
        choose(server, python="3.12")
    assert caught.value.code == "engine-venv-no-python"


def test_a_variant_asked_for_by_name_is_honoured_and_said(server: IndexServer) -> None:
    wheel(server.root, "torch", "2.14.1+cu126")
    selected = choose(server, variant="cu126")
    assert not selected.candidate.fits
    assert "notice.asked-unfit" in keys(selected)


def test_nothing_carried_is_said(server: IndexServer) -> None:
    wheel(server.root, "numpy", "2.0.0")
    with pytest.raises(WizardError) as caught:
        choose(server)
    assert caught.value.code == "no-source"
    wheel(server.root, "torch", "2.14.1+cpu", python="314")
    with pytest.raises(WizardError) as caught:  # which is there for another Python alone
        choose(server, python="3.11")
    assert "(Python 3.1" in text(caught.value.summary, "en")


def test_where_most_sources_are_silent_the_network_is_what_is_named() -> None:
    silent = replace(
        values.PROBED[0],
        availability=Availability.UNREACHABLE,
        message=message("error.source-offline.summary", source="PyTorch"),
        kind="torch",
    )
    answers = replace(silent, availability=Availability.MISSING, message=message("truth.missing"))
    error = nothing_found((silent, silent, answers), "torch 2.15.0+cpu")
    assert error.code == "no-source-some-silent"
    assert text(error.summary, "en").startswith("2 of 3 PyTorch sources did not answer")
    assert nothing_found((silent, answers, answers), "torch 2.15.0+cpu").code == "no-source"


def told(failure: SourceUnreachable) -> SourceStatus:
    availability, words = of_failure(failure)
    return replace(values.PROBED[0], availability=availability, message=words, kind="torch")


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (("network-tls-issuer", "network-tls-authority", "network-tls-issuer"), "network-tls-issuer"),
        (("network-tls-authority", "source-tls", "source-offline"), "network-tls-authority"),
        (("source-tls", "source-tls", "source-offline"), "source-tls"),
        (("source-certificate", "source-certificate", "source-certificate"), "source-certificate"),
        (("network-proxy-offline", "network-proxy-refused", "source-timeout"), "network-proxy-offline"),
        (("network-tls-expired", "network-tls-expired", "network-tls-expired"), "network-tls-clock"),
        (("network-tls-expired",), "network-tls-expired"),
        (("network-tls-expired", "source-timeout", "source-offline"), "no-source-answers"),
    ],
)
def test_a_certificate_or_a_proxy_before_most_of_them_is_named(codes: tuple[str, ...], expected: str) -> None:
    named = {"place": "PyTorch", "issuer": "Campus", "proxy": "127.0.0.1:7890", "status": "HTTP 403"}
    states = tuple(told(SourceUnreachable(error_text(code), source="PyTorch", **named)) for code in codes)
    error = nothing_found(states, "torch 2.15.0+cpu")
    assert error.code == expected
    assert "{" not in str(error)


def test_where_the_asked_torch_is_nowhere_the_newest_that_is_there_is_named(server: IndexServer) -> None:
    wheel(server.root, "torch", "2.12.1+cpu")
    wheel(server.root, "torch", "2.13.0+cpu")
    with pytest.raises(WizardError) as caught:
        choose(server, torch="2.6.0")
    assert (caught.value.code, caught.value.params["torch"]) == ("no-source-but", "2.13.0")
    assert caught.value.params["build"] == "torch 2.6.0+cpu"


def test_nothing_answers_is_said(server: IndexServer) -> None:
    with pytest.raises(WizardError) as caught:
        choose(server, torch_index="http://127.0.0.1:9/simple", index="http://127.0.0.1:9/simple")
    assert caught.value.code == "no-source-answers"


def make_channel(folder: Path, *subdirs: str) -> None:
    for subdir in subdirs:
        (folder / subdir).mkdir(parents=True)
        (folder / subdir / "repodata.json").write_bytes(b'{"info": {}, "packages": {}}')


def test_a_dead_channel_of_the_users_does_not_stop_anything(server: IndexServer) -> None:
    """The next one does the work, and is asked no more than it has to be."""
    wheel(server.root, "torch", "2.13.0+cpu", "312")
    make_channel(server.root / "half" / "conda-forge", "noarch")
    make_channel(server.root / "good" / "conda-forge", "noarch", "linux-64")
    make_channel(server.root / "spare" / "conda-forge", "noarch", "linux-64")
    dead, half = "http://127.0.0.1:9/conda-forge", f"{server.url}/half/conda-forge"
    good, spare = f"{server.url}/good/conda-forge", f"{server.url}/spare/conda-forge"
    settings = UserSettings(conda_channels=(dead, half, good, spare))
    selected = choose(server, settings=settings, engine="auto")
    assert (selected.engine, selected.channels, selected.python) == ("rattler", (good,), "3.12")
    silent = [notice.params["channel"] for notice in selected.notices if notice.key == "notice.channel-silent"]
    assert silent == [dead, half]
    assert not any("/spare/" in path for path in server.paths())


def test_a_closed_lab_without_a_channel_uses_its_own_python(server: IndexServer) -> None:
    wheel(server.root, "torch", "2.13.0+cpu")
    settings = UserSettings(conda_channels=("http://127.0.0.1:9/conda-forge",), conda_only=True)
    selected = choose(server, settings=settings, engine="auto")
    assert (selected.engine, selected.channels) == ("venv", ())
    assert "notice.channel-silent" not in keys(selected)
