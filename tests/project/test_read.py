"""What a project's files ask for, with the file and the line of each statement; nothing of them is run.

One file: a few lines for each kind of file and each way to write a line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wizard.model.messages import LANGUAGES, text
from wizard.project.model import DECLARED, LOCKED, Project, Statement
from wizard.project.read import read_project


def project_of(folder: Path, files: dict[str, str | bytes]) -> Project:
    for name, words in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(words if isinstance(words, bytes) else words.encode())
    return read_project(folder)


def asked(project: Project, name: str) -> list[tuple[str, str]]:
    return [(one.specifier, str(one.origin)) for one in project.statements if one.name == name]


def one(project: Project, name: str) -> Statement:
    found = [statement for statement in project.statements if statement.name == name]
    assert len(found) == 1, found
    return found[0]


def codes(project: Project) -> list[str]:
    assert all(text(remark, language) for remark in project.remarks for language in LANGUAGES)
    return [remark.key.rpartition(".")[2] for remark in project.remarks]


def test_a_list_whose_path_has_blanks_is_read_and_no_package(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"my list.txt": "einops==0.7.0\n"}
    files["environment.yml"] = "dependencies:\n  - pip:\n    - torch\n    - -r   my list.txt\n"
    project = project_of(tmp_path, files)
    assert asked(project, "einops") == [("==0.7.0", "my list.txt:1")]
    assert asked(project, "list-txt") == []
    for number, (name, line) in enumerate(
        (
            ("my list.txt", "-r my list.txt rich"),
            ("my  two.txt", "-r  my  two.txt"),
            ("my list2.txt", "-r my\\ list2.txt"),
            ("a.txt", "--requirement=a.txt rich"),
        )
    ):
        files = {name: "einops==0.7.0\n", "requirements.txt": f"torch\n{line}\n"}
        project = project_of(tmp_path / str(number), files)
        assert asked(project, "einops") == [("==0.7.0", f"{name}:1")]
        assert {one.name for one in project.statements} == {"torch", "einops"} | (
            {"rich"} if line.endswith("rich") else set()
        )


def test_requirements_with_their_lines_options_markers_and_hashes(tmp_path: Path) -> None:
    words = """# a comment
--extra-index-url https://download.pytorch.org/whl/cu117
-f https://data.pyg.org/whl/torch-1.13.0+cu117.html
torch==1.13.1+cu117 \\
    --hash=sha256:00
numpy<2 ; python_version < "3.13"  # old
Flask_Cors[async]>=3
open-clip @ git+https://git.example/open_clip.git@v1
-e git+https://git.example/x.git#egg=taming-transformers
https://files.example/flash_attn-2.8.3+cu128torch2.9-cp313-cp313-linux_x86_64.whl
"""
    project = project_of(tmp_path, {"requirements.txt": words})
    assert asked(project, "torch") == [("==1.13.1", "requirements.txt:4")]
    assert one(project, "torch").local == "cu117"
    assert one(project, "numpy").marker == 'python_version < "3.13"'
    assert asked(project, "flask-cors") == [(">=3", "requirements.txt:7")]
    assert one(project, "open-clip").url.startswith("git+https")
    assert one(project, "taming-transformers").origin.line == 9
    assert one(project, "flash-attn").specifier == "==2.8.3"
    kinds = [(source.kind, source.origin.line) for source in project.sources]
    assert kinds == [("index", 2), ("find-links", 3)]


def test_what_pip_refuses_or_drops_is_read_by_its_intent_and_said(tmp_path: Path) -> None:
    words = """torch==1.12.1+cu116 torchvision==0.13.1+cu116 --index-url https://download.pytorch.org/whl/cu116
-f https://k2.example/k2/cpu.html k2==1.24.4
zhipuai>=1.0.7，<=2.0.0
"""
    project = project_of(tmp_path, {"requirements.txt": words})
    assert asked(project, "torch") == [("==1.12.1", "requirements.txt:1")]
    assert asked(project, "torchvision") == [("==0.13.1", "requirements.txt:1")]
    assert asked(project, "k2") == [("==1.24.4", "requirements.txt:2")]
    assert codes(project) == ["option-after", "several-on-line", "option-on-line", "unreadable-line"]


def test_includes_constraints_circles_and_what_lies_outside(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret==1\n")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "link-requirements.txt").symlink_to(tmp_path / "secret.txt")
    project = project_of(
        tmp_path / "p",
        {
            "requirements.txt": "-r reqs/base.txt\n-c pins.txt\n-r ../secret.txt\n-r https://x.example/r.txt\nb\n",
            "reqs/base.txt": "-r ../requirements.txt\n-r reqs/more.txt\na\n",
            "reqs/more.txt": "c\n",
            "pins.txt": "d==1\n",
        },
    )
    assert {statement.name for statement in project.statements} == {"a", "b", "c", "d"}
    assert one(project, "d").group == "constraint"
    assert sorted(codes(project)) == ["file-outside", "include-from-elsewhere", "include-missing"]


def test_a_list_at_a_file_address_is_on_no_other_host(tmp_path: Path) -> None:
    outside = (tmp_path / "pins.txt").as_uri()
    project = project_of(tmp_path / "p", {"requirements.txt": f"torch\n-c {outside}\n"})
    assert codes(project) == ["file-outside"]
    assert "another host" not in text(project.remarks[0], "en")


def test_a_part_of_a_repository_shares_its_lists(tmp_path: Path) -> None:
    (tmp_path / "all" / ".git").mkdir(parents=True)
    (tmp_path / "all" / "pins.txt").write_text("torch==2.10.0\n")
    (tmp_path / "secret.txt").write_text("secret==1\n")
    project = project_of(
        tmp_path / "all" / "part", {"requirements.txt": "-c ../pins.txt\n-r ../../secret.txt\ntorch\n"}
    )
    assert {(each.name, each.specifier) for each in project.statements} == {("torch", "==2.10.0"), ("torch", "")}
    assert codes(project) == ["include-missing"]


@pytest.mark.parametrize(("holds", "name"), [("all", ".env"), (".", "pins.txt")])
def test_of_a_repository_lists_alone_are_shared_and_none_of_a_persons_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, holds: str, name: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / holds / ".git").mkdir(parents=True)
    (tmp_path / "all").mkdir(exist_ok=True)
    (tmp_path / "all" / name).write_text("secret==1\n")
    project = project_of(tmp_path / "all" / "part", {"requirements.txt": f"-r ../{name}\ntorch\n"})
    assert [each.name for each in project.statements] == ["torch"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_encodings_and_line_ends(tmp_path: Path, encoding: str, end: str) -> None:
    data = f"# 项目的依赖{end}torch==2.1.0{end}".encode(encoding)
    assert asked(project_of(tmp_path, {"requirements.txt": data}), "torch") == [("==2.1.0", "requirements.txt:2")]


def test_conda_environment(tmp_path: Path) -> None:
    words = """name: x
channels:
  - pytorch
dependencies:
  - python=3.8.5
  - cudatoolkit = 11.3
  - pytorch::pytorch=1.11.0=py3.8_cuda11.3_cudnn8.2.0_0
  - numpy >=1.19,<2
  - bioconda:prodigal=2.6
  - vs2019_win-64  # [win]
  - pip:
    - transformers==4.19.2
    - -e git+https://git.example/clip.git@main#egg=clip
"""
    project = project_of(tmp_path, {"environment.yaml": words})
    assert asked(project, "python") == [("==3.8.5.*", "environment.yaml:5")]
    assert asked(project, "cudatoolkit") == [("==11.3.*", "environment.yaml:6")]
    assert asked(project, "torch") == [("==1.11.0", "environment.yaml:7")]
    assert one(project, "torch").build == "py3.8_cuda11.3_cudnn8.2.0_0"
    assert one(project, "vs2019-win-64").marker == "sys_platform == 'win32'"
    assert asked(project, "prodigal") == [("==2.6.*", "environment.yaml:9")]
    assert asked(project, "transformers") == [("==4.19.2", "environment.yaml:12")]
    assert [(source.kind, source.url) for source in project.sources] == [("channel", "pytorch")]


def test_conda_lists(tmp_path: Path) -> None:
    explicit = "# platform: linux-64\n@EXPLICIT\nhttps://c.example/linux-64/pytorch-1.11.0-py3.9_cuda11.3_0.tar.bz2\n"
    explicit += "https://c.example/noarch/einops-0.7.0-pyhd8ed1ab_0.conda\n"
    exported = "numpy=1.23.0=py39_0\npytorch=1.11.0=py3.9_cuda11.3_0\n"
    project = project_of(tmp_path, {"spec-file.txt": explicit, "requirements.txt": exported})
    assert asked(project, "torch") == [("==1.11.0", "requirements.txt:2"), ("==1.11.0", "spec-file.txt:3")]
    assert asked(project, "einops") == [("==0.7.0", "spec-file.txt:4")]
    assert codes(project) == ["platform-list"]


def test_pyproject_of_every_kind(tmp_path: Path) -> None:
    words = """[project]
requires-python = ">= 3.10"
dependencies = ["torch~=2.1", "a; sys_platform == 'win32'"]
[project.optional-dependencies]
gpu = ["xformers==0.0.27"]
[dependency-groups]
base = ["pytest"]
dev = [{include-group = "base"}, "ruff"]
loop = [{include-group = "loop"}]
[tool.poetry.dependencies]
python = "^3.9"
torchvision = {version = "^0.18", optional = true, markers = "sys_platform == 'linux'"}
clip = {git = "https://git.example/clip.git"}
[tool.poetry.group.docs.dependencies]
sphinx = "~7.2"
[[tool.uv.index]]
name = "pytorch"
url = "https://download.pytorch.org/whl/cu128"
[tool.pixi.feature.cuda.dependencies]
pytorch-gpu = ">=2.5,<3"
"""
    project = project_of(tmp_path, {"pyproject.toml": words})
    assert asked(project, "python") == [(">=3.10", "pyproject.toml:2"), ("<4,>=3.9", "pyproject.toml:11")]
    assert asked(project, "torch") == [("~=2.1", "pyproject.toml:3"), (">=2.5,<3", "pyproject.toml:20")]
    assert one(project, "xformers").group == "gpu"
    assert {statement.name for statement in project.statements if statement.group == "dev"} == {"pytest", "ruff"}
    assert (one(project, "torchvision").specifier, one(project, "torchvision").group) == ("<0.19,>=0.18", "extras")
    assert (one(project, "sphinx").specifier, one(project, "sphinx").group) == ("<7.3,>=7.2", "docs")
    assert [(source.url, source.origin.line) for source in project.sources] == [
        ("https://download.pytorch.org/whl/cu128", 18)
    ]


def test_poetrys_bounds_with_gaps_and_lines_by_python(tmp_path: Path) -> None:
    text = (
        '[tool.poetry.dependencies]\npython = ">= 3.8, < 4.0"\ntorch = ">=1.10.1, < 1.13.0"\n'
        'scipy = [{version = "<=1.6", python = ">=3.8,<3.9"}, {version = "^1.9", python = ">=3.9"}]\n'
    )
    project = project_of(tmp_path, {"pyproject.toml": text})
    assert [(one.name, one.specifier, one.marker) for one in project.statements] == [
        ("python", "<4.0,>=3.8", ""),
        ("torch", "<1.13.0,>=1.10.1", ""),
        ("scipy", "<=1.6", 'python_version < "3.9" and python_version >= "3.8"'),
        ("scipy", "<2,>=1.9", 'python_version >= "3.9"'),
    ]


def test_locks_are_what_was_and_not_what_is_asked(tmp_path: Path) -> None:
    lock = '[[package]]\nname = "torch"\nversion = "2.5.1+cu124"\n'
    files = {"requirements.txt": "x\n", "uv.lock": lock, "pylock.toml": lock.replace("package", "packages")}
    torch = [one for one in project_of(tmp_path, {**files}).statements if one.name == "torch"]
    assert {(one.strength, one.specifier, one.local) for one in torch} == {(LOCKED, "==2.5.1", "cu124")}


LOCKS = {
    "pylock.toml": 'lock-version = "1.0"\nrequires-python = ">=3.10,<3.11"\n[[packages]]\nname = "torch"\n'
    'version = "2.8.0+cu128"\n[[packages]]\nname = "einops"\nversion = "0.8.0"\n',
    "poetry.lock": '[[package]]\nname = "torch"\nversion = "2.8.0"\n[[package]]\nname = "einops"\nversion = "0.8.0"\n'
    '[metadata]\npython-versions = ">=3.10,<3.11"\n',
    "uv.lock": 'requires-python = ">=3.10,<3.11"\n'
    '[[package]]\nname = "mine"\nversion = "0.1"\nsource = { virtual = "." }\n'
    '[[package]]\nname = "torch"\nversion = "2.8.0"\n[[package]]\nname = "einops"\nversion = "0.8.0"\n',
}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_alone_is_what_is_asked(tmp_path: Path, name: str) -> None:
    alone = project_of(tmp_path, {name: LOCKS[name]})
    declared = {one.name: one.specifier for one in alone.statements if one.strength == DECLARED}
    assert declared == {"torch": "==2.8.0", "einops": "==0.8.0", "python": "<3.11,>=3.10"}
    assert codes(alone) == ["lock-alone"]
    beside = project_of(tmp_path, {"requirements.txt": "torch\n"})
    assert [one.name for one in beside.statements if one.strength == DECLARED] == ["torch"]


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("git+https://git.example/z/dev.git@feature/x", "dev"),
        ("git+https://git.example/z/dev.git@a/b/c#subdirectory=libs/inner", "dev"),
        ("git+https://git.example/z/y.git@--upload-pack=/tmp/other", "y"),
        ("git+https://somebody@git.example/z/y.git", "y"),
        ("git+ssh://git@git.example/z/y.git@v1", "y"),
        ("git+git@git.example:z/y.git@feature/x", "y"),
        ("https://git.example/z/y@v1/whole-1.0-py3-none-any.whl", "whole"),
    ],
)
def test_a_repository_is_called_as_it_is_and_not_as_its_revision(tmp_path: Path, address: str, name: str) -> None:
    project = project_of(tmp_path, {"requirements.txt": f"torch\n{address}\n"})
    assert {one.name for one in project.statements} == {"torch", name}


def test_a_file_that_leads_out_is_told_as_that_and_not_as_read(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "secret.txt").write_text("hidden\n")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "secret.txt").symlink_to(tmp_path / "there" / "secret.txt")
    (folder / "more").symlink_to(tmp_path / "there")
    (folder / "requirements.txt").symlink_to(tmp_path / "there" / "secret.txt")
    words = "torch\n-r secret.txt\n-r more/secret.txt\n-r ../there/secret.txt\n-r nowhere.txt\n"
    project = project_of(folder, {"requirements-gpu.txt": words})
    assert [one.name for one in project.statements] == ["torch"]
    assert project.files == ("requirements-gpu.txt",)
    said = [(one.key.rpartition(".")[2], one.params["name"]) for one in project.remarks]
    assert sorted(said) == [
        ("file-outside", "more/secret.txt"),
        ("file-outside", "requirements.txt"),
        ("file-outside", "secret.txt"),
        ("include-missing", "../there/secret.txt"),
        ("include-missing", "nowhere.txt"),
    ]
