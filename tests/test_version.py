"""One version, in one place, taken by everything that names one; and a changelog and a release that agree with it."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.clone import ROOT, tracked
from wizard import __version__
from wizard.cli.main import main
from wizard.cli.root import version_line
from wizard.compatibility.data.date import data_date
from wizard.system import paths

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

INSTALLER = ROOT / "resources" / "installer"
COLLECTION = "resources/ansible/galaxy.yml"
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def load(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A script of the installer's folder, as it is when it is run there."""
    monkeypatch.syspath_prepend(str(INSTALLER))
    spec = importlib.util.spec_from_file_location(f"installer_{name}", INSTALLER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def test_it_is_a_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", __version__)


def test_the_project_takes_it_from_the_program() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "wizard/__init__.py"


def test_the_installer_takes_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load("build", monkeypatch).version() == __version__
    spec = (ROOT / "build_installer.spec").read_text(encoding="utf-8")
    assert "from wizard import __version__" in spec
    script = (INSTALLER / "torch-setup.nsi").read_text(encoding="utf-8")
    assert "${VERSION}" in script
    assert "!define VERSION " not in script


def test_nobody_else_writes_it_down() -> None:
    """A second copy is one that is forgotten. The changelog, the data and recorded output are no copies."""
    kinds = (".py", ".spec", ".nsi", ".sh", ".xml", ".desktop", ".yml", ".toml")
    written = re.compile(rf"(?<![\d.])(?:v|version\W{{0,4}}){re.escape(__version__)}(?![\d.])", re.IGNORECASE)
    places = [
        name
        for name in tracked()
        if name.endswith(kinds)
        and not name.startswith(("tests/", "matrices/"))
        and written.search((ROOT / name).read_text(encoding="utf-8", errors="replace"))
    ]
    assert places == [COLLECTION]


def test_no_name_of_a_file_has_one_in_the_documents() -> None:
    """`TorchSetup-…-linux-x86_64.tar.xz`, or VERSION in its place: a number would be an old one soon."""
    written = re.compile(rf"TorchSetup-v?\d|(?<![\d.]){re.escape(__version__)}(?![\d.])")
    read = [name for name in tracked() if name.endswith(".md") and name != "CHANGELOG.md"]
    assert "docs/download.md" in read
    assert [name for name in read if written.search((ROOT / name).read_text(encoding="utf-8"))] == []


def test_ansible_reads_it_from_its_own_file_only() -> None:
    """The one copy there has to be: a collection is installed from the folder as it is."""
    said = re.search(r"^version: (\S+)$", (ROOT / COLLECTION).read_text(encoding="utf-8"), re.MULTILINE)
    assert said
    assert said[1] == __version__


def test_the_line_says_how_old_the_data_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"], lambda *told: 99) == 0
    said = capsys.readouterr().out.strip()
    assert said == f"torch-wizard {__version__} (data of {data_date(paths.matrices_dir())})"
    assert re.search(r"data of 20\d\d-\d\d", said)


def test_rows_learnt_here_are_named_and_broken_ones_are_not(tmp_path: Path) -> None:
    overlay = paths.matrices_overlay_dir()
    overlay.mkdir(parents=True)
    (overlay / "releases.csv").write_text("torch,as_of\n9.9,2031-02-03\n9.8,soon\n", encoding="utf-8")
    assert version_line().endswith("learnt on this computer 2031-02-03)")
    (overlay / "releases.csv").write_bytes(b"\xff\xfe\0as_of")
    assert "learnt" not in version_line()
    assert data_date(tmp_path) is None


def test_the_changelog_keeps_its_form() -> None:
    """Keep a Changelog: the newest first, each section with a date and the usual headings."""
    sections = re.findall(r"^## (.+)$", CHANGELOG, re.MULTILINE)
    assert sections[0] == "[Unreleased]"
    dates = []
    for section in sections[1:]:
        match = re.fullmatch(r"\[\d+\.\d+\.\d+\] - (\d{4}-\d{2}-\d{2})", section)
        assert match, section
        dates.append(match[1])
    assert dates == sorted(dates, reverse=True)
    headings = set(re.findall(r"^### (.+)$", CHANGELOG, re.MULTILINE))
    assert headings <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_a_release_needs_tag_version_and_date_to_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    complaints = load("release", monkeypatch).complaints
    good = "## [Unreleased]\n\n## [1.2.0] - 2026-12-01\n\n## [1.1.0] - 2026-11-01\n"
    assert complaints("v1.2.0", "1.2.0", good) == []
    assert len(complaints("v1.2.0", "1.2.1", good)) == 2
    assert len(complaints("1.2.0", "1.2.0", good)) == 1
    assert len(complaints("v1.2.0", "1.2.0", good.replace("2026-12-01", "Unreleased"))) == 1
    assert len(complaints("v1.1.0", "1.1.0", good)) == 1
    assert len(complaints("v1.2.0", "1.2.0", good.replace("2026-11-01", "Unreleased"))) == 1
