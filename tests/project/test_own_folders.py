"""The ways in which a line names a folder of the project itself: each is that folder, and no package of the index."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import AMPERE, build, codes, decided
from tests.project.test_read import project_of
from wizard.model.messages import text

Files = dict[str, str | bytes]
_IT = '[project]\nname = "it"\nversion = "1"\ndependencies = {}\n'
_LIB: Files = {"lib/pyproject.toml": '[project]\nname = "lib"\nversion = "1"\n'}


def urls(folder: Path, files: Files) -> dict[str, str]:
    return {one.name: one.url for one in decided(folder, files, AMPERE).understood.packages}


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("lib @ {root:uri}/lib", "./lib"),
        ("lib[x] @ {root:uri}/lib", "./lib"),
        ("lib @ {root:parent:uri}/lib", "../lib"),
        ("lib @ {root:parent:parent:uri}/lib", "../../lib"),
        ("lib @ file://{root}/lib", "./lib"),
        ("lib @ file:///${PROJECT_ROOT}/lib", "./lib"),
        ("-e file:///${PROJECT_ROOT}/lib#egg=lib", "./lib"),
        ("-e file:///${PROJECT_ROOT}/a/b#egg=lib&subdirectory=c", "./a/b#subdirectory=c"),
    ],
)
def test_the_variables_of_hatch_and_pdm_are_the_projects_folder(tmp_path: Path, line: str, where: str) -> None:
    files: Files = {"pyproject.toml": _IT.format(f'["torch", "{line}"]')}
    found = decided(tmp_path, files, AMPERE)
    assert {one.name: one.url for one in found.understood.packages} == {"lib": where}
    assert {"unreadable-line", "file-paths"} & codes(found) == set()
    assert "as-folder" in codes(found)


@pytest.mark.parametrize(
    "line",
    [
        "-e file:./lib",
        "-e file:lib",
        "-e file://{root}/lib",
        "-e file://{root}/lib#egg=lib",
        "-e {root}/lib",
        "{root}/lib",
        "lib @ file://{root}/lib",
        "lib @ file://localhost{root}/lib",
        "lib @ {root}/lib",
    ],
)
def test_a_whole_path_within_the_project_is_a_folder_of_it(tmp_path: Path, line: str) -> None:
    root = tmp_path / "a project"
    quoted = root.as_posix().replace(" ", "%20") if "file:" in line else root.as_posix()
    words = line.format(root=quoted)
    found = decided(root, {"requirements.txt": f"torch\n{words}\n", **_LIB}, AMPERE)
    assert [(one.name, one.url.removeprefix("./")) for one in found.understood.packages] == [("lib", "lib")]
    assert {"file-paths", "file-outside", "unreadable-line"} & codes(found) == set()


def test_what_is_editable_elsewhere_is_never_asked_of_the_index(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\n-e file:///home/me/lib#egg=lib\nrich\n"}, AMPERE)
    assert ([one.name for one in found.understood.packages], "file-outside" in codes(found)) == (["rich"], True)


def test_a_list_that_is_named_by_its_whole_path_is_read_once(tmp_path: Path) -> None:
    lines = "torch\neinops\n-r file://{0}/requirements.txt\n-r {0}/requirements.txt\n-r ./more/../requirements.txt\n"
    files: Files = {
        "requirements.txt": (lines + "-r {0}/more/a.txt\n-r more/a.txt\n").format(tmp_path.as_posix()),
        "more/a.txt": "rich\n-r ../requirements.txt\n",
    }
    found = project_of(tmp_path, files)
    assert found.files == ("requirements.txt", "more/a.txt")
    assert [str(one) for one in found.statements] == ["torch", "einops", "rich"]
    assert found.remarks == ()


def test_a_list_with_two_names_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "also.txt").symlink_to("requirements.txt")
    found = project_of(tmp_path, {"requirements.txt": "torch\neinops\n-r also.txt\n"})
    assert [str(one) for one in found.statements] == ["torch", "einops"]


def test_what_pdm_has_for_its_authors_can_be_read_and_is_not_taken(tmp_path: Path) -> None:
    table = '[tool.pdm.dev-dependencies]\ndev = ["-e file:///${PROJECT_ROOT}/lib#egg=lib", "einops"]\n'
    found = decided(tmp_path, {"pyproject.toml": _IT.format('["torch"]') + table, **_LIB}, AMPERE)
    assert (found.understood.packages, codes(found) & {"unreadable-line", "local-path"}) == ((), set())


def test_an_override_of_pdm_may_be_a_folder(tmp_path: Path) -> None:
    table = '[tool.pdm.resolution.overrides]\nlib = "file:///${PROJECT_ROOT}/lib"\nrich = "13.0"\n'
    found = decided(tmp_path, {"pyproject.toml": _IT.format('["torch", "lib", "rich"]') + table, **_LIB}, AMPERE)
    assert [one.url for one in found.understood.packages if one.name == "lib"] == ["./lib"]
    assert [str(one) for one in found.understood.overrides] == ["rich==13.0"]
    assert {one.origin.line for one in found.understood.constraints} == {6, 7}


def test_the_tables_of_rye_are_read(tmp_path: Path) -> None:
    tables = (
        '[tool.rye]\ndev-dependencies = ["ogb"]\n[[tool.rye.sources]]\nname = "ours"\nurl = "https://o.test/simple"\n'
    )
    lock = "-e file:.\nrich==13.0.0\n    # via it\ntorch==2.4.1\n"
    files: Files = {"pyproject.toml": _IT.format('["torch", "rich"]') + tables, "requirements.lock": lock}
    found = decided(tmp_path, files, AMPERE)
    assert [one.url for one in found.understood.sources] == ["https://o.test/simple"]
    assert [one.name for one in found.understood.packages] == ["rich"]
    assert build(found)[0] == "2.4.1"
    assert "local-path" not in codes(found)


@pytest.mark.parametrize(("file", "head"), [("pyproject.toml", "tool.hatch."), ("hatch.toml", "")])
def test_the_environment_that_hatch_makes_unasked(tmp_path: Path, file: str, head: str) -> None:
    tables = f'[{head}envs.default]\ndependencies = ["{{}}", "einops", "pytest-xdist"]\n'
    tables += f'[{head}envs.x]\ndependencies = ["ogb"]\n'

    def made(name: str, declared: str, torch: str) -> Files:
        own: Files = {"pyproject.toml": _IT.format(declared)}
        own[file] = str(own.get(file, "")) + tables.format(torch)
        return own

    its = decided(tmp_path / "its", made("its", "[]", "torch==2.4.1"), AMPERE)
    assert [one.name for one in its.understood.packages] == ["einops", "pytest-xdist"]
    assert build(its)[0] == "2.4.1"
    assert not {"in-extras", "hatch-left"} & codes(its)
    beside = decided(tmp_path / "beside", made("beside", '["torch"]', "rich"), AMPERE)
    [said] = [one for one in beside.remarks if one.key.endswith("hatch-left")]
    assert (beside.understood.packages, said.params["packages"]) == ((), "rich, einops")
    assert "einops" in text(said, "zh_CN")


def test_the_extras_of_the_environment_that_hatch_makes_unasked_are_taken(tmp_path: Path) -> None:
    extras = '[project.optional-dependencies]\ntrain = ["einops"]\ntest = ["ogb"]\n'
    table = '[tool.hatch.envs.default]\nfeatures = ["train", "test"]\n'
    assert urls(tmp_path, {"pyproject.toml": _IT.format('["torch"]') + extras + table}) == {"einops": ""}


_NESTED: Files = {
    "packages/ui/pyproject.toml": '[project]\nname = "ui"\nversion = "1"\ndependencies = ["core", "deep", "far"]\n'
    '[tool.uv.sources]\ncore = { path = "../../libs/core" }\ndeep = { path = "deep" }\n'
    'far = { path = "../../../far" }\n',
    "packages/ui/deep/pyproject.toml": '[project]\nname = "deep"\nversion = "1"\n',
    "libs/core/pyproject.toml": '[project]\nname = "core"\nversion = "1"\n',
}


def test_a_folder_that_a_folder_names_has_its_path_from_the_project(tmp_path: Path) -> None:
    root = '[tool.uv.workspace]\nmembers = ["packages/*"]\n'
    found = decided(tmp_path, {"pyproject.toml": _IT.format('["torch", "ui"]') + root, **_NESTED}, AMPERE)
    assert {one.name: one.url for one in found.understood.packages} == {
        "ui": "./packages/ui",
        "core": "./libs/core",
        "deep": "./packages/ui/deep",
        "far": "../far",
    }
    assert [one.params["folder"] for one in found.remarks if one.key.endswith("folder-outside")] == ["../far"]


def test_a_list_below_names_what_lies_where_pip_is_started_or_beside_it(tmp_path: Path) -> None:
    files: Files = {"requirements.txt": "torch\n-r sub/all.txt\n", "sub/all.txt": "-e ./lib\n-e ../two\n-e ./three\n"}
    files |= {"sub/lib/setup.py": "", "lib/setup.py": "", "two/setup.py": "", "sub/three/setup.py": ""}
    assert urls(tmp_path, files) == {"lib": "./lib", "two": "./two", "three": "./sub/three"}


_LOCKS = {
    "uv.lock": 'version = 1\n[[package]]\nname = "lib"\nversion = "1"\nsource = {{ editable = "{}" }}\n',
    "poetry.lock": '[[package]]\nname = "lib"\nversion = "1"\n[package.source]\ntype = "directory"\nurl = "{}"\n',
    "pdm.lock": '[[package]]\nname = "lib"\nversion = "1"\npath = "{}"\neditable = true\n',
}


@pytest.mark.parametrize("lock", _LOCKS)
@pytest.mark.parametrize(
    ("where", "code"),
    [("lib", ""), ("./gone", "folder-gone"), ("../lib", "folder-outside"), ("/nowhere/lib", "folder-outside")],
)
def test_what_a_lock_has_from_a_folder_is_not_asked_of_the_index(
    tmp_path: Path, lock: str, where: str, code: str
) -> None:
    files: Files = {"pyproject.toml": _IT.format('["torch", "lib"]'), lock: _LOCKS[lock].format(where), **_LIB}
    found = decided(tmp_path / "it", files, AMPERE)
    assert {one.name: one.url.removeprefix("./") for one in found.understood.packages} == {
        "lib": where.removeprefix("./")
    }
    said = [one for one in found.remarks if one.key.rpartition(".")[2] in ("folder-gone", "folder-outside")]
    assert [one.key.rpartition(".")[2] for one in said] == [code] * bool(code)
    assert all(str(one.params["folder"]).removeprefix("./") in text(one, "zh_CN") for one in said)


def test_a_path_that_no_file_could_have_is_passed_over(tmp_path: Path) -> None:
    lines = f"torch\n-e ./{'x' * 5_000}\n-e ./round\n"
    (tmp_path / "round").symlink_to("round")
    found = decided(tmp_path, {"requirements.txt": lines}, AMPERE)
    assert [one.name for one in found.understood.packages][1:] == ["round"]
