"""Where torch's wheels may come from: the official file from anywhere, another file only from a place that was chosen;
and never one whose SHA-256 the tables know otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pinned import pin
from tests.run.mirrors import write_mirrors
from tests.servers.index_server import IndexServer
from tests.sources.wheels import make_wheel
from wizard.app.use import tables
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Machine, PythonInstall
from wizard.model.errors import WizardError
from wizard.model.marks import in_window
from wizard.model.messages import LANGUAGES, text
from wizard.run.model import Facts, SelectedBuild
from wizard.run.select.select_build import select_build
from wizard.sources.model import UserSettings
from wizard.system import paths

MACHINE = Machine("linux", "x86_64", "2.36", None, (), pythons=(PythonInstall("/py", "3.11.7", True),))
WHEEL = "torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl"
VISION = "torchvision-0.28.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl"


class Places:
    """Three places on loopback: the official one, the user's extra index, and a lab's by hand."""

    def __init__(self, folder: Path, official: IndexServer, extra: IndexServer) -> None:
        self.official, self.extra = official, extra
        self.settings = UserSettings(extra_index_urls=(extra.simple,))

    def true_wheel(self, name: str = WHEEL) -> Path:
        return make_wheel(self.official.root, name)

    def other_wheel(self, name: str = WHEEL) -> Path:
        return make_wheel(self.extra.root, name, requires_python=">=3.10")

    def select_build(self, settings: UserSettings | None = None, **wishes: object) -> SelectedBuild:
        choices = Choices(**{"engine": "venv", "mirrors": "official", **wishes})  # type: ignore[arg-type]
        matrix = load_matrix()
        facts = Facts(MACHINE, settings or self.settings, (), 0.0)
        return select_build(facts, matrix, resolve(MACHINE, matrix, choices), choices, None, lambda: False)


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    folders = [tmp_path / name for name in ("official", "extra")]
    for folder in folders:
        folder.mkdir()
    with IndexServer(folders[0]) as official, IndexServer(folders[1]) as extra:
        write_mirrors(paths.home(), {("pytorch-wheels", "official"): official.simple})
        yield Places(tmp_path, official, extra)


def told(selected: SelectedBuild) -> set[str]:
    return {notice.key for notice in selected.notices}


def test_another_torch_in_an_extra_index_is_passed_over_and_named(places: Places) -> None:
    places.true_wheel()
    places.other_wheel()
    selected = places.select_build()
    assert selected.torch_source.url == places.official.simple
    notice = next(one for one in selected.notices if one.key == "notice.origin-unproven")
    for language in LANGUAGES:
        assert f"--torch-index {places.extra.simple}" in text(notice, language)
    # Asked for by name it is taken, and shown as the source.
    assert places.select_build(torch_index=places.extra.simple).torch_source.url == places.extra.simple


def test_a_higher_torch_in_an_extra_index_is_no_news(places: Places) -> None:
    places.true_wheel()
    make_wheel(places.extra.root, WHEEL.replace("2.13.0", "99.0"))
    assert places.select_build().candidate.torch == "2.13.0"
    found = tables.refresh(Choices(mirrors="official"), places.settings, ("linux_x86_64",), lambda: False)
    assert found.builds == ()


def test_the_official_file_is_taken_from_an_extra_index(places: Places) -> None:
    """A lab's copy saves the way to the official place."""
    true = places.true_wheel()
    (places.extra.root / WHEEL).write_bytes(true.read_bytes())
    selected = places.select_build()
    assert selected.torch_source.url == places.extra.simple
    assert "notice.origin-unproven" not in told(selected)


def test_only_in_an_extra_index(places: Places) -> None:
    places.other_wheel()
    with pytest.raises(WizardError) as caught:
        places.select_build()
    assert caught.value.code == "origin-unproven"
    for language in LANGUAGES:
        assert f"--torch-index {places.extra.simple}" in text(caught.value.hint, language)


def test_in_two_extra_indexes_it_is_not_called_the_only_one(places: Places, tmp_path: Path) -> None:
    places.other_wheel()
    make_wheel(tmp_path / "third", WHEEL, requires_python=">=3.9")
    with IndexServer(tmp_path / "third") as third, pytest.raises(WizardError) as caught:
        places.select_build(UserSettings(extra_index_urls=(places.extra.simple, third.simple)))
    assert caught.value.code == "origin-unproven"
    assert "only" not in text(caught.value.summary, "en")


def test_the_tables_prove_it_where_the_official_place_is_silent(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = places.other_wheel()
    pin(monkeypatch, tmp_path / "tables", wheel)
    closed = UserSettings(find_links=(places.extra.root.as_uri(),), no_index=True)
    assert places.select_build(closed).torch_source.url == places.extra.root.as_uri()
    wheel.write_bytes(wheel.read_bytes() + b"\n")
    with pytest.raises(WizardError) as caught:
        places.select_build(closed)
    assert (caught.value.code, caught.value.params["file"]) == ("pin-differs", WHEEL)


def test_a_labs_index_by_hand_that_lies_is_refused_by_name(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pin(monkeypatch, tmp_path / "tables", places.true_wheel())
    places.other_wheel()
    with pytest.raises(WizardError) as caught:
        places.select_build(torch_index=places.extra.simple)
    assert caught.value.code == "pin-differs"
    for language in LANGUAGES:
        assert WHEEL in text(caught.value.summary, language)
        assert "--torch-index" in text(caught.value.summary, language)
        seen = text(caught.value.summary, language, in_window)
        assert (".whl" in seen, "torch 2.13.0" in seen, "127.0.0.1:" in seen) == (False, True, True)


def test_another_name_does_not_hide_a_wheel(places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pin(monkeypatch, tmp_path / "tables", places.true_wheel())
    places.other_wheel(WHEEL.replace("manylinux_2_28", "manylinux_2_27"))
    with pytest.raises(WizardError) as caught:
        places.select_build(torch_index=places.extra.simple)
    assert caught.value.code == "pin-differs"


def test_a_companion_is_held_to_the_same(places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = places.true_wheel()
    (places.extra.root / WHEEL).write_bytes(true.read_bytes())
    pin(monkeypatch, tmp_path / "tables", places.true_wheel(VISION))
    places.other_wheel(VISION)
    selected = places.select_build(torch_index=places.extra.simple)
    assert selected.candidate.torchvision is None
    assert "notice.pin-differs" in told(selected)


def test_a_public_torch_index_in_the_settings_serves_no_other_package(places: Places) -> None:
    places.true_wheel()
    settings = UserSettings(extra_index_urls=(f"{places.official.simple}/cu118", places.extra.simple))
    sources = places.select_build(settings).package_sources
    assert [source.url for source in sources][1:] == [places.extra.simple]


def test_the_highest_version_of_all_indexes_is_said(places: Places) -> None:
    places.true_wheel()
    assert "notice.any-index" not in told(places.select_build())
    selected = places.select_build(index_strategy="unsafe-best-match")
    assert selected.index_strategy == "unsafe-best-match"
    assert "notice.any-index" in told(selected)


def test_a_mirror_that_lies_is_refused_by_name(places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The official place is silent, so there is only the tables' word against the mirror's."""
    pin(monkeypatch, tmp_path / "tables", places.true_wheel())
    places.other_wheel()
    write_mirrors(paths.home(), {("pytorch-wheels", "liar"): places.extra.simple})
    with pytest.raises(WizardError) as caught:
        places.select_build(UserSettings(), mirrors="liar")
    words = text(caught.value.summary, "en")
    assert (caught.value.code, "liar" in words, WHEEL in words) == ("no-source-answers", True, True)
    rows = {("pytorch-wheels", "m"): places.official.simple, ("pytorch-wheels", "liar"): places.extra.simple}
    write_mirrors(paths.home(), rows)
    selected = places.select_build(UserSettings(), mirrors="race")
    notice = next(one for one in selected.notices if one.key == "notice.pin-differs")
    assert tuple(text(name, "en") for name in (selected.torch_source.name, notice.params["source"])) == ("m", "liar")


def test_a_wheel_that_nothing_confirms_is_named(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By hand, and of a mirror whose official place is silent; not where the tables or the official page know it."""
    wheel = places.true_wheel()
    by_hand = {"settings": UserSettings(), "torch_index": places.official.simple}
    notice = next(one for one in places.select_build(**by_hand).notices if one.key == "notice.unconfirmed")
    for language in LANGUAGES:
        assert WHEEL in text(notice, language)
        seen = text(notice, language, in_window)  # where nobody knows file names, and there is more than one choice
        assert (".whl" in seen, "torch 2.13.0" in seen, "127.0.0.1:" in seen) == (False, True, True)
    assert "notice.unconfirmed" not in told(places.select_build(settings=UserSettings()))
    silent = {("pytorch-wheels", "official"): places.extra.simple, ("pytorch-wheels", "m"): places.official.simple}
    write_mirrors(paths.home(), silent)
    mirror = {"settings": UserSettings(), "mirrors": "m"}
    assert "notice.unconfirmed" in told(places.select_build(**mirror))
    (places.extra.root / WHEEL).write_bytes(wheel.read_bytes())
    assert "notice.unconfirmed" not in told(places.select_build(**mirror))
    (places.extra.root / WHEEL).unlink()
    pin(monkeypatch, tmp_path / "pinned", wheel)
    assert "notice.unconfirmed" not in told(places.select_build(**mirror)) | told(places.select_build(**by_hand))
