"""The members of a workspace (uv, rye, hatch): folders of the project, with what they need, and none of the index's."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from tests.project.deciding import AMPERE, codes, decided
from wizard.project.contradictions import unread_lines
from wizard.project.folders import walk
from wizard.project.model import Statement

Files = dict[str, str | bytes]
_PART = '[project]\nname = "{}"\nversion = "0.1"\ndependencies = {}\n'
_BUILD = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
_ROOT = '[project]\nname = "it"\nversion = "1"\ndependencies = {}\n[tool.uv.workspace]\nmembers = ["packages/*"]\n'
_SOURCE = "[tool.uv.sources]\n{} = {{ workspace = true }}\n"


def lines(folder: Path, files: Files) -> dict[str, Statement]:
    return {one.name: one for one in decided(folder, files, AMPERE).understood.packages}


@pytest.mark.parametrize("source", [_SOURCE.format("humanize"), ""], ids=["source", "no source"])
@pytest.mark.parametrize("asked", ["humanize", "Humanize"])
def test_a_member_is_a_folder_and_never_asked_of_the_index(tmp_path: Path, source: str, asked: str) -> None:
    lock = '[[package]]\nname = "humanize"\nversion = "0.1"\nsource = {{ {} = "packages/humanize" }}\n'
    files: Files = {
        "pyproject.toml": _ROOT.format(f'["torch>=2.7", "{asked}", "tqdm"]') + source,
        "packages/humanize/pyproject.toml": _PART.format("humanize", '["rich"]'),
    }
    found = lines(tmp_path / "plain", files)
    assert (found["humanize"].url, found["rich"].url, {*found}) == (
        "./packages/humanize",
        "",
        {"humanize", "rich", "tqdm"},
    )
    for kind in ("editable", "virtual", "directory"):
        found = lines(tmp_path / kind, {**files, "uv.lock": f"version = 1\n{lock.format(kind)}"})
        assert (found["humanize"].url, found["humanize"].specifier) == ("./packages/humanize", "")
    aside: Files = {
        name.replace("packages/", "examples/"): str(text).replace("packages/", "examples/")
        for name, text in files.items()
    }
    assert lines(tmp_path / "aside", aside)["humanize"].url == "./examples/humanize"
    nested: Files = {name.replace("packages/", "packages/a/b/"): text for name, text in files.items()}
    nested["pyproject.toml"] = str(files["pyproject.toml"]).replace("packages/*", "packages/**")
    assert lines(tmp_path / "nested", nested)["humanize"].url == "./packages/a/b/humanize"


def test_torch_in_a_member_alone_brings_what_all_of_them_need(tmp_path: Path) -> None:
    sources = "[tool.uv.sources]\ncore = { workspace = true }\nui = { workspace = true }\n"
    web = '[project.optional-dependencies]\nweb = ["flask"]\nall = ["yacs"]\n'
    files: Files = {
        "pyproject.toml": _ROOT.format('["ui[web]", "tqdm"]') + sources,
        "packages/core/pyproject.toml": _PART.format("core", '["torch>=2.7", "einops", "it"]'),
        "packages/ui/pyproject.toml": _PART.format("ui", '["core", "rich"]') + web,
        "packages/more/pyproject.toml": _PART.format("more", '["ogb"]'),
    }
    found = lines(tmp_path, files)
    assert {name: one.url for name, one in found.items() if one.url} == {
        "core": "./packages/core",
        "ui": "./packages/ui",
    }
    assert {name for name, one in found.items() if not one.url} == {"tqdm", "rich", "flask", "einops"}
    assert "torch-below" not in codes(decided(tmp_path / "again", files, AMPERE))


def test_what_is_no_member_here_is_left_out_and_told(tmp_path: Path) -> None:
    root = _ROOT.format('["torch", "humanize", "tqdm"]') + _SOURCE.format("humanize")
    files: Files = {"packages/humanize/pyproject.toml": _PART.format("humanize", "[]")}
    excluded = root.replace('["packages/*"]', '["packages/*"]\nexclude = ["packages/humanize"]')
    for number, (there, text) in enumerate(((files, excluded), ({}, root))):
        found = decided(tmp_path / str(number), {**there, "pyproject.toml": text}, AMPERE)
        assert [one.name for one in found.understood.packages] == ["tqdm"]
        assert "member-missing" in codes(found)


def test_the_needs_of_a_folder_of_uvs_sources_are_named(tmp_path: Path) -> None:
    sources = '[tool.uv.sources]\nui = { path = "ui" }\n'
    files: Files = {
        "pyproject.toml": '[project]\nname = "it"\nversion = "1"\ndependencies = ["torch", "ui"]\n' + sources,
        "ui/pyproject.toml": _PART.format("ui", '["rich", "flask"]'),
    }
    [said] = [one for one in decided(tmp_path, files, AMPERE).remarks if one.key.endswith("folder-needs")]
    assert (said.params["folder"], said.params["packages"]) == ("ui", "rich, flask")


def test_members_that_are_packages_are_taken_where_the_root_is_none(tmp_path: Path) -> None:
    files: Files = {
        "pyproject.toml": '[tool.uv.workspace]\nmembers = ["packages/*"]\n',
        "packages/core/pyproject.toml": _PART.format("core", '["torch"]') + _BUILD,
        "packages/list/pyproject.toml": _PART.format("list", '["core", "rich"]') + "[tool.uv]\npackage = false\n",
    }
    assert {name: one.url for name, one in lines(tmp_path, files).items()} == {"core": "./packages/core", "rich": ""}


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("pyproject.toml", '{named}[tool.poetry.dependencies]\nhumanize = {{ path = "{folder}", develop = true }}\n'),
        ("pyproject.toml", '{named}[tool.pixi.pypi-dependencies]\nhumanize = {{ path = "{folder}" }}\n'),
        ("pyproject.toml", '{named}[tool.rye.workspace]\nmembers = ["packages/*"]\n'),
        ("pyproject.toml", "{named}[tool.rye.workspace]\n"),  # all packages below
        ("pyproject.toml", '{named}[tool.hatch.workspace]\nmembers = ["packages/*"]\n'),
        ("pyproject.toml", '{named}[tool.hatch.envs.cuda]\nworkspace.members = ["packages/*"]\n'),
        (
            "pyproject.toml",
            '[project]\nname = "it"\ndependencies = ["torch", "humanize @ file:///${{PROJECT_ROOT}}/{folder}"]\n',
        ),
        ("pixi.toml", '[pypi-dependencies]\ntorch = "*"\n[dependencies]\nhumanize = {{ path = "{folder}" }}\n'),
    ],
)
def test_what_another_tool_has_from_a_folder_is_not_asked_of_the_index(tmp_path: Path, file: str, words: str) -> None:
    named = '[project]\nname = "it"\ndependencies = ["torch", "humanize"]\n'
    folder = "packages/humanize"
    files: Files = {file: words.format(named=named, folder=folder)}
    files |= {f"{folder}/pyproject.toml": _PART.format("humanize", "[]")}
    its = [one.url for one in decided(tmp_path, files, AMPERE).understood.packages if one.name == "humanize"]
    assert {one.removeprefix("./") for one in its} == {folder}


_PLAIN = '[project]\nname = "it"\nversion = "1"\ndependencies = ["torch"]\n'


@pytest.mark.parametrize(
    ("table", "extras"),
    [
        ('[tool.hatch.envs.default]\nworkspace.members = ["packages/core"]\n', ()),
        ('[tool.hatch.envs.default.workspace]\nmembers = [{ path = "packages/c*", features = ["web"] }]\n', ("web",)),
        ('[tool.rye.workspace]\nmembers = ["packages/core"]\n', ()),
        ("[tool.rye.workspace]\n", ()),
    ],
)
def test_what_a_tool_has_in_its_one_environment_is_taken_whole(
    tmp_path: Path, table: str, extras: tuple[str, ...]
) -> None:
    web = '[project.optional-dependencies]\nweb = ["flask"]\n'
    files: Files = {
        "pyproject.toml": _PLAIN + table,
        "packages/core/pyproject.toml": _PART.format("core", '["rich"]') + web + _BUILD,
    }
    found = lines(tmp_path, files)
    assert (found["core"].url, found["core"].extras) == ("./packages/core", extras)
    assert {*found} == {"core", "rich", *(["flask"] if extras else [])}


def test_hatch_has_its_workspace_in_a_file_of_its_own_too(tmp_path: Path) -> None:
    files: Files = {
        "pyproject.toml": _PLAIN.replace('"torch"', '"torch", "core"'),
        "hatch.toml": '[workspace]\nmembers = ["packages/*"]\n',
        "packages/core/pyproject.toml": _PART.format("core", '["rich"]'),
    }
    assert {name: one.url for name, one in lines(tmp_path, files).items()} == {"core": "./packages/core", "rich": ""}


@pytest.mark.parametrize("members", ["packages/*", "packages/*/*", "packages/**", "**", "*/*/*/x"])
def test_a_search_for_members_ends_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, members: str) -> None:
    monkeypatch.setattr(walk, "_MOST_LOOKED", 500)
    for number in range(2_500):
        (tmp_path / f"packages/a{number % 50:02}/b{number // 50:02}").mkdir(parents=True)
    files: Files = {
        "pyproject.toml": _PLAIN.replace('"torch"', '"torch", "last"')
        + f'[tool.uv.workspace]\nmembers = ["{members}"]\n',
        "packages/a49/b49/pyproject.toml": _PART.format("last", "[]"),
    }
    found = decided(tmp_path, files, AMPERE)
    is_small = members == "packages/*"
    assert ("members-cut" in codes(found), bool(unread_lines(found.remarks))) == (not is_small, not is_small)


def test_hundreds_of_members_end_and_that_is_said(tmp_path: Path) -> None:
    files: Files = {
        f"packages/p{number:03}/pyproject.toml": _PART.format(f"p{number:03}", "[]") for number in range(160)
    }
    root = '[tool.uv.workspace]\nmembers = ["packages/*"]\n'
    found = decided(tmp_path, {**files, "pyproject.toml": _PLAIN.replace('"torch"', '"torch", "p149"') + root}, AMPERE)
    assert [one.url for one in found.understood.packages] == ["./packages/p149"]
    assert "members-cut" in codes(found)


def test_a_project_is_gone_through_a_few_times_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data in thousands of folders, on a disk of the network, made the reading last for minutes."""
    for number in range(400):
        (tmp_path / f"data/a{number % 20:02}/b{number // 20:02}").mkdir(parents=True)
    seen, scandir = Counter[str](), os.scandir

    def counted(folder: str) -> object:
        seen[str(folder)] += 1
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", counted)
    decided(tmp_path, {"requirements.txt": "torch\n", "train.py": "import torch\n"}, AMPERE)
    assert 0 < seen[str(tmp_path / "data/a07")] < 8
