"""What lists, READMEs and scripts say beside plain packages: extras of the project itself, folders, repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project import deciding
from tests.project.test_read import asked, codes, one, project_of
from wizard.model.messages import text
from wizard.project.model import DECLARED, RECOMMENDED
from wizard.project.read import read_project
from wizard.project.understand import understand


def test_a_readme_and_scripts_only_recommend(tmp_path: Path) -> None:
    readme = """| Linux | `pip3 install torch==2.9.1 --index-url https://download.pytorch.org/whl/cu128` |
conda create -n x python=3.10 pytorch==2.0.1 pytorch-cuda=11.8 -c pytorch
"""
    script = 'pip install torch==1.13.0+cu116 ^\n  torchvision==0.14.0+cu116\npython -c "import cupy"\n'
    project = project_of(tmp_path, {"README.md": readme, "install.bat": script})
    assert {statement.strength for statement in project.statements} == {RECOMMENDED}
    assert asked(project, "torch") == [
        ("==2.9.1", "README.md:1"),
        ("==2.0.1", "README.md:2"),
        ("==1.13.0", "install.bat:1"),
    ]
    assert asked(project, "python") == [("==3.10.*", "README.md:2")]
    assert asked(project, "torchvision") == [("==0.14.0", "install.bat:1")]
    assert one(project, "cupy").group == "imported"


def test_the_image_that_a_dockerfile_begins_with_is_a_recommendation(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"Dockerfile": "FROM pytorch/pytorch:2.1.0-cuda12.1-cudnn8-runtime\n"})
    found = one(project, "torch")
    assert (found.specifier, found.build, found.strength) == ("==2.1.0", "cuda12.1", RECOMMENDED)


def test_a_readme_that_is_named_itself_is_what_is_asked(tmp_path: Path) -> None:
    words = "```\npip install torch numpy tiktoken\n```\n"
    folder = project_of(tmp_path, {"README.md": words})
    assert codes(folder)[-1] == "recommended-too"
    assert "unasked: tiktoken." in text(folder.remarks[-1], "en"), "NumPy comes with torch"
    assert one(folder, "tiktoken").strength == RECOMMENDED
    named = read_project(tmp_path / "README.md")
    assert [one(named, name).strength for name in ("torch", "numpy", "tiktoken")] == [RECOMMENDED, DECLARED, DECLARED]
    assert codes(named) == []
    declared = project_of(tmp_path, {"README.md": words, "requirements.txt": "einops\n"})
    assert "tiktoken" in text(declared.remarks[-1], "en")


def test_openmmlabs_own_list_is_one_of_the_files(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "-r requirements/build.txt\n-r requirements/runtime.txt\n",
        "requirements/build.txt": "numpy\n",
        "requirements/runtime.txt": "scipy\n",
        "requirements/mminstall.txt": "mmcv>=2.0.0rc4,<2.2.0\nmmengine>=0.7.1,<1.0.0\n",
    }
    project = project_of(tmp_path, files)
    assert asked(project, "mmcv") == [("<2.2.0,>=2.0.0rc4", "requirements/mminstall.txt:1")]
    assert asked(project, "scipy") == [("", "requirements/runtime.txt:1")]
    assert not asked(project, "python")
    project = project_of(tmp_path / "b", {"requirements.txt": "numpy\n", "runtime.txt": "python-3.9.18\n"})
    assert asked(project, "python") == [("==3.9.*", "runtime.txt:1")]


def test_what_pip_needs_to_install_a_line_is_kept(tmp_path: Path) -> None:
    """Extras, and a repository in pip's form, from every kind of file."""
    poetry = (
        '[tool.poetry.dependencies]\na = {version = "^1", extras = ["y", "x"]}\nb = {git = "https://git.example/b"}\n'
    )
    project = project_of(tmp_path, {"pyproject.toml": poetry, "requirements.txt": "c[z]>=2\n"})
    assert [one(project, name).extras for name in ("a", "b", "c")] == [("x", "y"), (), ("z",)]
    assert one(project, "b").url == "git+https://git.example/b"


def test_the_folder_within_a_repository_and_its_branch_are_kept(tmp_path: Path) -> None:
    inner = 'git = "https://git.example/b", subdirectory = "libs/inner"'
    poetry = f'[tool.poetry.dependencies]\na = {{{inner}, rev = "1a2b"}}\nb = {{{inner}}}\n'
    poetry += 'c = {url = "https://x.example/c.zip", subdirectory = "in"}\n'
    project = project_of(tmp_path / "poetry", {"pyproject.toml": poetry})
    assert one(project, "a").url == "git+https://git.example/b@1a2b#subdirectory=libs/inner"
    assert one(project, "b").url == "git+https://git.example/b#subdirectory=libs/inner"
    assert one(project, "c").url == "https://x.example/c.zip#subdirectory=in"
    uv = f'[project]\nname = "x"\ndependencies = ["torch"]\n[tool.uv.sources]\na = {{{inner}, branch = "dev"}}\n'
    project = project_of(tmp_path / "uv", {"pyproject.toml": uv})
    assert one(project, "a").url == "git+https://git.example/b@dev#subdirectory=libs/inner"


OWN = '[project]\nname = "mine"\ndependencies = ["torch"]\n[project.optional-dependencies]\n'
OWN += 'dev = ["einops"]\nall = ["mine[dev]", "timm"]\nspare = ["rich"]\n'
GROUP = '[tool.uv]\ndefault-groups = ["run"]\n[dependency-groups]\nrun = ["mine[spare]"]\n'
WINDOWS = 'sys_platform == "win32"'
CYCLE = '[project]\nname = "mine"\ndependencies = ["torch"]\n[project.optional-dependencies]\n'
CYCLE += 'one = ["mine[two]", "attrs"]\ntwo = ["mine[one]", "click"]\n'


@pytest.mark.parametrize(
    ("line", "url", "taken", "said"),
    [
        ("-e .[dev]", ".", {"einops"}, "extras-listed"),
        (".[all]", ".", {"einops", "timm"}, "extras-listed"),
        ('-e ".[dev, spare]"', ".", {"einops", "rich"}, "extras-listed"),
        ("-e file:.[dev]", ".", {"einops"}, "extras-listed"),
        ("-e .[nope]", ".", set(), "extras-unread"),
        ("-e .", ".", set(), "local-path"),
    ],
)
def test_the_extras_of_the_own_folder_in_a_list_are_taken(
    tmp_path: Path, line: str, url: str, taken: set[str], said: str
) -> None:
    project = project_of(tmp_path, {"pyproject.toml": OWN, "requirements.txt": f"{line}\n"})
    assert one(project, ".").url == url
    assert {each.name for each in project.statements if not each.group} == {".", "torch", *taken}
    assert said in codes(project)


@pytest.mark.parametrize(
    ("files", "taken", "line"),
    [
        ({"requirements.txt": "mine[dev]\n"}, {"einops"}, "requirements.txt:1"),
        ({"requirements.txt": "numpy\nMine[All]>=1\n"}, {"einops", "timm", "numpy"}, "requirements.txt:2"),
        ({"requirements.txt": "mine[dev] @ git+https://git.example/me/mine\n"}, {"einops"}, "requirements.txt:1"),
        (
            {"pyproject.toml": OWN.replace('["torch"]', '["torch", "mine[all]"]')},
            {"einops", "timm"},
            "pyproject.toml:3",
        ),
        ({"pyproject.toml": OWN + GROUP}, {"rich"}, "pyproject.toml:11"),
        ({"requirements.txt": "mine[one]\n", "pyproject.toml": CYCLE}, {"attrs", "click"}, "requirements.txt:1"),
    ],
)
def test_the_extras_of_the_own_name_in_a_list_are_taken(
    tmp_path: Path, files: dict[str, str | bytes], taken: set[str], line: str
) -> None:
    """They are told with that line; two that name each other end."""
    project = project_of(tmp_path, {"pyproject.toml": OWN, **files})
    assert {each.name for each in project.statements if not each.group} == {"torch", *taken}
    (said,) = (each for each in project.remarks if each.key == "project.remark.extras-listed")
    assert f"{said.params['file']}:{said.params['line']}" == line
    assert "own-name" not in codes(project)


def test_an_extra_of_the_own_name_that_no_file_lists_is_told(tmp_path: Path) -> None:
    """Where its line is for one system, so is what it brings."""
    lines = 'mine[nope]\nmine[dev]; sys_platform == "win32"\nmine\n'
    project = project_of(tmp_path, {"pyproject.toml": OWN, "requirements.txt": lines})
    assert {"extras-unread", "extras-listed-where", "own-name"} <= {*codes(project)}
    assert "extras-listed" not in codes(project), "on another system nothing of it is taken"
    assert one(project, "einops").marker == 'sys_platform == "win32"'
    [said] = [each for each in project.remarks if each.key.endswith("extras-listed-where")]
    assert said.params["marker"] == 'sys_platform == "win32"'
    there = project_of(tmp_path / "there", {"pyproject.toml": OWN, "requirements.txt": f"mine[nope]; {WINDOWS}\n"})
    assert "extras-unread-where" in codes(there)


def test_an_extra_that_another_one_names_keeps_its_marker(tmp_path: Path) -> None:
    """By two ways that differ it counts wherever."""
    linux, win = "sys_platform == 'linux'", "sys_platform == 'win32'"
    own = OWN.replace('"mine[dev]"', f'"mine[dev]; {linux}", "mine[deep]; {win}"')
    own += f'deep = ["mine[spare]", "tqdm; python_version > \'3.9\'"]\nboth = ["mine[all]", "mine[spare]; {linux}"]\n'
    project = project_of(tmp_path, {"pyproject.toml": own, "requirements.txt": "mine[both]\n"})
    markers = {each.name: each.marker.replace('"', "'") for each in project.statements}
    assert markers["einops"] == linux
    assert markers["tqdm"] == f"({win}) and (python_version > '3.9')"
    assert (markers["timm"], markers["rich"]) == ("", "")


@pytest.mark.parametrize(
    ("line", "folder", "name", "extras"),
    [
        ("-e ./lib[x]", "lib", "lib", ("x",)),
        ("./lib[x]", "lib", "lib", ("x",)),
        ("./lib/[x]", "lib", "lib", ("x",)),
        ('-e "./空 格"', "空 格", "空-格", ()),
        ("-e ./my\\ lib", "my lib", "my-lib", ()),
        ('"./my lib"', "my lib", "my-lib", ()),
        ("./my lib", "my lib", "my-lib", ()),
        ("-e './my lib[x]'", "my lib", "my-lib", ("x",)),
        ("-e ./my lib", "my", "my", ()),  # as pip takes it: the second word is left
    ],
)
def test_a_folder_of_a_list_is_whole_and_without_its_extras(
    tmp_path: Path, line: str, folder: str, name: str, extras: tuple[str, ...]
) -> None:
    inner = '[project]\nname = "in"\ndependencies = ["timm"]\n[project.optional-dependencies]\nx = ["fairscale"]\n'
    project = project_of(tmp_path, {"requirements.txt": f"torch\n{line}\n", f"{folder}/pyproject.toml": inner})
    part = one(project, name)
    assert (part.url.rstrip("/"), part.extras) == (f"./{folder}", extras)
    [said] = [each.params for each in project.remarks if each.key.endswith(".folder-needs")]
    assert said["packages"] == ("timm, fairscale" if extras else "timm")


def test_a_readme_s_own_extra_that_no_file_lists_is_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "README.md": "```\npip install torch==2.1.0\npip install -e '.[dev]' './my lib'\n```\n"
    }
    [said] = [each.params for each in project_of(tmp_path, files).remarks if each.key.endswith(".folders-too")]
    assert said["packages"] == ".[dev], ./my lib"


def test_every_command_of_a_line_is_read_and_a_path_of_windows(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.0.1\n",
        "requirements_dev.txt": "torch==1.8.0\n",
        "README.md": "`pip install causal-conv1d` and `pip install mamba-ssm`\n"
        "`python -m pip install -r .\\nodes\\x\\requirements.txt`\npip install -r requirements_dev.txt\n",
    }
    project = project_of(tmp_path, files)
    assert {"causal-conv1d", "mamba-ssm"} <= {each.name for each in project.statements}
    assert asked(project, "torch") == [("==2.0.1", "requirements.txt:1")]
    assert codes(project) == ["other-lists", "recommended-too"]


def test_words_that_are_no_names(tmp_path: Path) -> None:
    setup = 'least = "2.0"\nsetup(install_requires=[">=".join(["torch", least])])\n'
    lists: dict[str, str | bytes] = {
        "setup.py": setup,
        "requirements.txt": "llama_cpp_python-0.3.4-cp310-cp310-win_amd64.whl\n"
        "./w/fairseq-0.12.4-cp311-cp311-win_amd64.whl;\n",
        "environment.yml": "dependencies:\n  - python=3.9\n  - pip:\n    - file:.\n",
    }
    names = {one.name for one in project_of(tmp_path, lists).statements}
    assert names == {"torch", "llama-cpp-python", "fairseq", "python", "."}


def test_a_build_of_a_commit_is_no_cuda(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"requirements.txt": "torch==1.14.0a0+410ce96\n"})
    assert understand(project, "linux", True).tags == ()


def test_a_group_that_poetry_takes_unasked_is_declared_and_the_others_are_named(tmp_path: Path) -> None:
    words = '[tool.poetry.dependencies]\npython = "^3.10"\n'
    for group, package in (("gpu", "torch"), ("work", "notebook"), ("dev", "ruff"), ("test", "pytest")):
        words += f'[tool.poetry.group.{group}.dependencies]\n{package} = "2.3.1"\n'
    words += '[tool.poetry.group.app]\noptional = true\n[tool.poetry.group.app.dependencies]\ngradio = "*"\n'
    project = project_of(tmp_path, {"pyproject.toml": words})
    groups = {each.name: each.group for each in project.statements if each.name != "python"}
    assert groups == {"torch": "", "notebook": "", "ruff": "dev", "pytest": "test", "gradio": "app"}
    assert [(one.params["line"], one.params["groups"]) for one in project.remarks] == [(7, "dev, test, app")]
    decision = deciding.decided(tmp_path, {}, deciding.AMPERE)
    assert (deciding.build(decision)[0], deciding.codes(decision) & {"in-extras", "other-extras"}) == ("2.3.1", set())


def test_tasks_that_are_alternatives_ask_for_no_cuda(tmp_path: Path) -> None:
    words = '[tool.poetry]\nname = "x"\n[tool.poetry.dependencies]\npython = ">=3.8,<4.0"\n[tool.poe.tasks]\n'
    line = 'install-{0} = "pip install torch==2.1+{0} --extra-index-url https://download.pytorch.org/whl/{0}"\n'
    three = "".join(line.format(tag) for tag in ("cu118", "cu121", "cpu"))
    files: dict[str, str | bytes] = {"requirements.txt": "torch>=2.0,<3.0\n", "pyproject.toml": words + three}
    for on, given in ((deciding.BLACKWELL, "2.15.0"), (deciding.ADA, "2.14.1")):
        found = deciding.decided(tmp_path / on.os, files, on)
        assert (deciding.build(found)[0], deciding.relaxed(found)) == (given, {})
    alone = {**files, "pyproject.toml": words + line.format("cu118")}
    assert deciding.build(deciding.decided(tmp_path / "alone", alone, deciding.AMPERE))[1] == "cu118"
