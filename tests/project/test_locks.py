"""A project's own locks: kept where they run and today's lines allow it, and what is told where not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, ANY, BLACKWELL, build, codes, decided
from tests.project.test_read import project_of
from wizard.compatibility.model import Choices
from wizard.machine.model import Machine
from wizard.model.errors import UsageError
from wizard.model.messages import text
from wizard.project.answer import project_document, unasked_words


def test_a_lock_is_kept_where_it_runs_and_said(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "pyproject.toml": '[project]\ndependencies = ["torch>=2.2"]\n',
        "uv.lock": '[[package]]\nname = "torch"\nversion = "2.5.1"\n',
    }
    found = decided(tmp_path, files, AMPERE)
    assert build(found)[0] == "2.5.1"
    assert "locked" in codes(found)
    assert "lock-left" in codes(decided(tmp_path, files, BLACKWELL))


def test_what_a_lock_has_beside_its_torch_is_neither_asked_nor_told_of_the_newest(tmp_path: Path) -> None:
    lock = "".join(
        f'[[package]]\nname = "{name}"\nversion = "{of}"\n' for name, of in [("torch", "2.10.0"), ("torchcodec", "{}")]
    )
    project = '[project]\ndependencies = ["torch>=2.8", "torchcodec>=0.7"]\n'
    for number, (has, said) in enumerate({"0.10.0": set[str](), "0.11.0": {"tried"}}.items()):
        files: dict[str, str | bytes] = {"pyproject.toml": project, "uv.lock": lock.format(has)}
        found = decided(tmp_path / str(number), files, AMPERE)
        assert (build(found)[0], codes(found) & {"tried", "chooses-torch"}) == ("2.10.0", said)
    assert "chooses-torch" in codes(decided(tmp_path / "open", {"pyproject.toml": project}, AMPERE))
    files |= {"requirements.txt": "torchcodec==0.11.0\n", "uv.lock": lock.format("0.10.0")}
    assert "tried" in codes(decided(tmp_path / "against", files, AMPERE)), "another line refuses what the lock has"


def test_the_cuda_of_a_lock_is_kept_where_it_runs(tmp_path: Path) -> None:
    locked = 'lock-version = "1.0"\n[[packages]]\nname = "torch"\nversion = "2.8.0+cu128"\n'
    for on in (BLACKWELL, AMPERE, ADA):
        found = decided(tmp_path, {"pylock.toml": locked}, on)
        assert build(found)[:2] == ("2.8.0", "cu128")
        assert found.relaxed == ()


def test_a_lock_for_other_systems_alone_is_told(tmp_path: Path) -> None:
    lock = "supported-markers = [\"sys_platform == 'win32'\"]\n[[package]]\nname = 'torch'\nversion = '2.6.0'\n"
    files: dict[str, str | bytes] = {"uv.lock": lock, "pyproject.toml": "[project]\ndependencies = ['torch']\n"}
    for folder, on, told in (("linux", AMPERE, {"lock-elsewhere"}), ("windows", ADA, set())):
        found = decided(tmp_path / folder, files, on)
        assert (build(found)[0], codes(found) & {"lock-elsewhere"}) == ("2.6.0", told)
    marker = "sys_platform == 'win32'"
    words = f'[project]\ndependencies = ["torch", "bridge; {marker}"]\n[tool.uv]\nenvironments = [\n"{marker}",\n]\n'
    found = decided(tmp_path / "own", {"pyproject.toml": words}, AMPERE)
    [said] = [one.params for one in found.remarks if one.key.endswith("lock-elsewhere")]
    assert (said["line"], said["marker"]) == (5, marker)


@pytest.mark.parametrize(
    ("tags", "told"),
    [
        (("macosx_11_0_arm64",), 'sys_platform == "darwin"'),
        (("win_amd64",), 'sys_platform == "win32"'),
        (("manylinux_2_17_x86_64.manylinux2014_x86_64",), ""),
        (("macosx_11_0_arm64", "manylinux_2_28_x86_64"), ""),
    ],
)
def test_a_pylock_with_wheels_for_another_system_alone_is_told(
    tmp_path: Path, tags: tuple[str, ...], told: str
) -> None:
    lock = 'lock-version = "1.0"\n[[packages]]\nname = "torch"\nversion = "2.6.0"\nwheels = [\n'
    lock += "".join(f'{{url = "https://files.example/torch-2.6.0-cp312-cp312-{tag}.whl"}},\n' for tag in tags) + "]\n"
    lock += '[[packages]]\nname = "pure"\nversion = "1.0"\nwheels = [{name = "pure-1.0-py3-none-any.whl"}]\n'
    said = [one for one in decided(tmp_path, {"pylock.toml": lock}, AMPERE).remarks if "lock-elsewhere" in one.key]
    assert [(one.params["line"], one.params["marker"]) for one in said] == ([(2, told)] if told else [])


def test_a_lock_that_todays_lines_refuse_is_not_kept(tmp_path: Path) -> None:
    pyproject = '[project]\nname = "x"\ndependencies = ["torch>=1.13", "pyarrow>=22"]\n'
    lock = '[[package]]\nname = "torch"\nversion = "1.13.0"\n[[package]]\nname = "pyarrow"\nversion = "11.0.0"\n'
    found = decided(tmp_path, {"pyproject.toml": pyproject, "poetry.lock": lock}, ADA)
    assert build(found)[0] == "2.14.1"
    assert "lock-stale" in codes(found)


@pytest.mark.parametrize(
    ("lock", "words"),
    [
        (
            "Pipfile.lock",
            '{"_meta": {"sources": []}, "default": {"torch": {"version": "==2.2.0"}, "x": {"path": "."}}}',
        ),
        ("pdm.lock", '[metadata]\ngroups = ["default"]\n[[package]]\nname = "torch"\nversion = "2.2.0"\n'),
        ("pixi.lock", "- conda: https://example.org/conda-forge/linux-64/pytorch-2.2.0-cuda120_py311h_0.conda\n"),
        ("pixi.lock", "  - pypi: https://example.org/ab/torch-2.2.0-cp311-cp311-manylinux1_x86_64.whl\n"),
        ("conda-lock.yml", "package:\n- url: https://example.org/linux-64/pytorch-2.2.0-py311_cuda12_0.tar.bz2\n"),
        ("requirements.lock", "# by rye\n-e file:.\ntorch==2.2.0\n    # via x\n"),
    ],
)
def test_every_kind_of_lock_is_kept_where_it_runs(tmp_path: Path, lock: str, words: str) -> None:
    pyproject = '[project]\nname = "x"\ndependencies = ["torch>=2"]\n'
    found = decided(tmp_path, {"pyproject.toml": pyproject, lock: words}, AMPERE)
    assert build(found)[0] == "2.2.0"
    assert "locked" in codes(found)


@pytest.mark.parametrize("words", ["{", "{]", '{"default": []}', '{"default": {"torch": 3}}', "{" * 9999])
def test_a_broken_pipfile_lock_is_no_end(tmp_path: Path, words: str) -> None:
    files: dict[str, str | bytes] = {"Pipfile": '[packages]\ntorch = "*"\n', "Pipfile.lock": words}
    assert build(decided(tmp_path, files, AMPERE))[0] == "2.14.1"


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (
            "pyproject.toml",
            '[project]\nname = "x"\ndependencies = ["torch==2.5.1", "verify", "former==4.49.0", "einops"]\n'
            '[tool.uv.sources]\nverify = { path = "../verify", editable = true }\n'
            'former = { git = "https://git.example/a/former", rev = "v4.49.0-own" }\n',
        ),
        (
            "pyproject.toml",
            '[tool.poetry]\nname = "x"\n[tool.poetry.dependencies]\ntorch = "2.5.1"\neinops = "*"\n'
            'verify = { path = "../verify" }\nformer = { git = "https://git.example/a/former", rev = "v4.49.0-own" }\n',
        ),
    ],
)
def test_what_comes_from_a_folder_or_a_repository_is_not_the_package_of_the_index(
    tmp_path: Path, file: str, words: str
) -> None:
    lock = 'version = 1\n[[package]]\nname = "torch"\nversion = "2.5.1"\n'
    lock += '[[package]]\nname = "former"\nversion = "4.50.0.dev0"\nsource = { git = "https://git.example/a/former" }\n'
    found = decided(tmp_path, {file: words, "uv.lock": lock}, AMPERE)
    told = {one.key.rpartition(".")[2]: one.params.get("packages") for one in found.remarks}
    assert (told["as-folder"], told["as-source"]) == ("verify (../verify)", "former")
    assert "lock-stale" not in told
    document = project_document(project_of(tmp_path, {}), found)
    rest = ["einops", "former @ git+https://git.example/a/former@v4.49.0-own", "verify @ ../verify"]
    assert sorted(document["rest"]) == rest


def test_of_a_lock_for_several_systems_the_line_for_this_one_counts(tmp_path: Path) -> None:
    place = "https://conda.example/pytorch"
    lines = [
        f"{place}/linux-64/pytorch-2.4.0-py3.12_cuda12.4_0.tar.bz2",
        f"{place}/win-64/pytorch-2.5.1-py3.12_0.conda",
    ]
    lock = "version: 6\n" + "".join(f"- conda: {line}\n" for line in lines)
    files: dict[str, str | bytes] = {"pixi.toml": '[dependencies]\npytorch = "*"\n', "pixi.lock": lock}
    for on, torch, line in ((AMPERE, "2.4.0", 2), (ADA, "2.5.1", 3)):
        found = decided(tmp_path, files, on)
        [told] = [one.params["line"] for one in found.remarks if one.key == "project.remark.locked"]
        assert (build(found)[0], told) == (torch, line)


def test_a_lock_that_is_an_explicit_list_of_conda_is_read(tmp_path: Path) -> None:
    page = "https://example.org/conda-forge/linux-64"
    lock = f"# platform: linux-64\n@EXPLICIT\n{page}/pytorch-2.2.0-cuda120_py311h_0.conda#59659d02\n"
    files: dict[str, str | bytes] = {
        "environment.yml": "dependencies:\n  - python=3.11\n  - pytorch\n",
        "conda-linux-64.lock": lock,
        "README.md": "    conda create --name x --file conda-linux-64.lock\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[0], "locked" in codes(found), "unreadable-file" in codes(found)) == ("2.2.0", True, False)
    assert build(decided(tmp_path, files, ADA))[0] != "2.2.0"


@pytest.mark.parametrize("name", ["pixi.lock", "conda-lock.yml"])
def test_digits_without_end_in_a_lock_of_condas_are_told(tmp_path: Path, name: str) -> None:
    endless = "9" * 6000
    words = f"- url: https://conda.example/linux-64/python-3.{endless}-h_0.conda\n"
    words += f"- pypi: https://wheels.example/torch-2.{endless}-cp312-cp312-linux_x86_64.whl\n"
    found = decided(tmp_path, {name: words, "requirements.txt": "torch==2.4.1\n"}, AMPERE)
    assert (build(found)[0], "unreadable-line" in codes(found)) == ("2.4.1", True)


def test_a_lock_that_is_not_kept_answers_nothing_and_shows_what_has_no_wheel(tmp_path: Path) -> None:
    lock = """
[[package]]
name = "torch"
version = "{torch}"
source = {{ registry = "https://index.example/simple" }}
wheels = [{{ url = "https://files.example/torch.whl" }}]

[[package]]
name = "webrtcvad"
version = "2.0.10"
source = {{ registry = "https://index.example/simple" }}
sdist = {{ url = "https://files.example/webrtcvad-2.0.10.tar.gz" }}
"""
    asks = '[project]\nname = "x"\nversion = "1"\ndependencies = ["torch", "webrtcvad"]\n'
    for number, (torch, is_open) in enumerate((("2.13.0", False), ("1.10.2", True))):
        folder = tmp_path / str(number)
        files: dict[str, str | bytes] = {"pyproject.toml": asks, "uv.lock": lock.format(torch=torch)}
        found = decided(folder, files, BLACKWELL)
        assert "lock-source" in codes(found)
        assert bool(unasked_words(project_of(folder, {}), found)) is is_open


def test_what_a_lock_has_for_an_extra_alone_is_not_told_as_left_out(tmp_path: Path) -> None:
    entry = '[[package]]\nname = "{}"\nversion = "1.0"\n{}\nfiles = [{{file = "{}-1.0.tar.gz", hash = "sha256:0"}}]\n\n'
    kinds = {
        "gym": "optional = true",
        "roms": 'groups = ["dev"]',
        "old": 'category = "dev"',
        "rliable": "optional = false",
    }
    lock = "".join(entry.format(name, words, name) for name, words in kinds.items())
    project = project_of(tmp_path, {"pyproject.toml": '[tool.poetry]\nname = "x"\n', "poetry.lock": lock})
    [said] = [one.params for one in project.remarks if one.key.endswith("lock-source")]
    assert (said["packages"], said["count"]) == ("rliable", 1)


@pytest.mark.parametrize(
    ("locked", "asks", "choices", "why"),
    [
        ("2.5.1", "torch>=2.2", ANY, "has no code for the card (generation 12.0)"),
        ("9.9.9", "torch>=2.2", ANY, "this program does not know torch 9.9.9"),
        ("2.8.0", "torch>=2.9", ANY, "setup.cfg, line 2 asks for torch>=2.9"),
        ("2.8.0", "torch>=2.2", Choices(torch="2.9.0"), "torch 2.9.0 was chosen by hand"),
    ],
)
def test_a_lock_whose_torch_is_not_taken_is_told_with_the_reason(
    tmp_path: Path, locked: str, asks: str, choices: Choices, why: str
) -> None:
    files: dict[str, str | bytes] = {
        "setup.cfg": f"[options]\ninstall_requires = {asks}\n",
        "uv.lock": f'[[package]]\nname = "torch"\nversion = "{locked}"\n',
    }
    found = decided(tmp_path, files, BLACKWELL, choices)
    [said] = [text(one, "en") for one in found.remarks if one.key.endswith("lock-left")]
    assert why in said


@pytest.mark.parametrize(
    ("tag", "on", "elsewhere"), [("win_amd64", AMPERE, ADA), ("manylinux_2_17_x86_64", ADA, AMPERE)]
)
def test_a_lock_alone_asks_for_its_packages_and_tells_what_this_system_lacks(
    tmp_path: Path, tag: str, on: Machine, elsewhere: Machine
) -> None:
    """What is noted of a lock is no package that it asks for, and what it has from a folder none of the index's."""
    lock = '[[package]]\nname = "torch"\nversion = "2.6.0"\n'
    lock += '[[package]]\nname = "bridge"\nversion = "308"\nsource = { registry = "https://index.example/simple" }\n'
    lock += f'wheels = [{{ url = "https://files.example/bridge-308-cp311-cp311-{tag}.whl", hash = "sha256:0" }}]\n'
    lock += '[[package]]\nname = "app"\nversion = "0.1"\nsource = { editable = "." }\n'
    lock += 'dependencies = [{ name = "bridge" }]\n'
    lock += '[[package]]\nname = "part"\nversion = "0.1"\nsource = { editable = "parts/part" }\n'
    lock += '[[package]]\nname = "far"\nversion = "1"\nsource = { git = "https://git.example/a/far?rev=v1#0a1b" }\n'
    found = decided(tmp_path / "a", {"uv.lock": lock}, on)
    rest = {one.name: one.url for one in found.understood.rest}
    assert rest == {"bridge": "", "part": "./parts/part", "far": "git+https://git.example/a/far@0a1b"}
    told = "unix-lock" if on is ADA else "lock-without-linux"
    assert told in codes(found)
    assert "unix-backend" not in codes(found)
    assert told not in codes(decided(tmp_path / "b", {"uv.lock": lock}, elsewhere))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("uv.lock", "[[package\nname = "),
        ("poetry.lock", "[[package]]\nname = 1\n"),
        ("pylock.toml", "package = 3\n"),
        ("uv.lock", "\n"),
        ("pixi.lock", "environments: [\n"),
        ("conda-lock.yml", "<<<<<<< HEAD\n"),
    ],
)
def test_a_lock_that_cannot_be_read_is_told_and_is_none_that_was_read(tmp_path: Path, name: str, words: str) -> None:
    project = project_of(tmp_path / "beside", {name: words, "train.py": "import torch\n"})
    told = [one.params["file"] for one in project.remarks if one.key == "project.remark.unreadable-file"]
    assert (told, project.files) == ([name], ())
    with pytest.raises(UsageError) as caught:
        project_of(tmp_path / "alone", {name: words})
    assert caught.value.code == "nothing-read"
    assert f"{name}, line 1: the file cannot be read" in text(caught.value.summary, "en")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("uv.lock", 'version = 1\nrequires-python = ">=3.10"\n'),
        ("poetry.lock", 'package = []\n[metadata]\nlock-version = "2.0"\n'),
        ("pixi.lock", "version: 6\nenvironments:\n  default:\n    packages: {}\npackages: []\n"),
    ],
)
def test_a_lock_of_nothing_is_no_fault(tmp_path: Path, name: str, words: str) -> None:
    project = project_of(tmp_path, {name: words, "train.py": "import torch\n"})
    assert not [one for one in project.remarks if one.key == "project.remark.unreadable-file"]
    assert name in project.files
