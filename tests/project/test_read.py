"""What a project's files ask for, with the file and the line of each statement; nothing of them is run.

One file: a few lines for each kind of file and each way to write a line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wizard.model.messages import LANGUAGES, text
from wizard.project.model import DECLARED, LOCKED, RECOMMENDED, Project, Statement
from wizard.project.read import read_project
from wizard.project.understand import understand


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
    assert codes(project) == ["option-on-line", "several-on-line", "option-on-line", "unreadable-line"]


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


def test_a_part_of_a_repository_shares_its_lists(tmp_path: Path) -> None:
    (tmp_path / "all" / ".git").mkdir(parents=True)
    (tmp_path / "all" / "pins.txt").write_text("torch==2.10.0\n")
    (tmp_path / "secret.txt").write_text("secret==1\n")
    project = project_of(
        tmp_path / "all" / "part", {"requirements.txt": "-c ../pins.txt\n-r ../../secret.txt\ntorch\n"}
    )
    assert {(each.name, each.specifier) for each in project.statements} == {("torch", "==2.10.0"), ("torch", "")}
    assert codes(project) == ["include-missing"]


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
    exported = "numpy=1.23.0=py39_0\npytorch=1.11.0=py3.9_cuda11.3_0\n"
    project = project_of(tmp_path, {"spec-file.txt": explicit, "requirements.txt": exported})
    assert asked(project, "torch") == [("==1.11.0", "requirements.txt:2"), ("==1.11.0", "spec-file.txt:3")]
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


def test_what_setup_py_computes_is_said_to_be_unseen(tmp_path: Path) -> None:
    words = """from setuptools import setup
def read(): return open("requirements.txt").read().splitlines()
BASE = ["torch"]
setup(install_requires=BASE + ["numpy", f"scipy>={1}.5"], extras_require={"a": read(), "b": [*EXTRA]})
"""
    project = project_of(tmp_path, {"setup.py": words, "requirements.txt": "rich\n"})
    assert sorted(one.name for one in project.statements) == ["numpy", "rich", "torch"]
    assert codes(project) == ["setup-computed"]


def test_setup_py_is_syntax_and_never_run(tmp_path: Path) -> None:
    words = f"""import pathlib
pathlib.Path({str(tmp_path / "ran")!r}).touch()
WANTED = ["torch>=1.8", "numpy"]
def listed():
    return open("requirements-extra.txt").read().splitlines()
setup(python_requires=">=3.8", install_requires=WANTED + listed(), extras_require={{"dev": ["black"]}})
"""
    project = project_of(tmp_path, {"setup.py": words, "requirements-extra.txt": "einops\n"})
    assert not (tmp_path / "ran").exists()
    assert asked(project, "torch") == [(">=1.8", "setup.py:3")]
    assert asked(project, "python") == [(">=3.8", "setup.py:6")]
    assert one(project, "black").group == "dev"
    assert one(project, "einops").origin.file == "requirements-extra.txt"


def test_setup_cfg_with_files(tmp_path: Path) -> None:
    words = """[options]
python_requires = >= 3.10
install_requires =
  torch>=2
[options.extras_require]
t = file: t.txt
"""
    project = project_of(tmp_path, {"setup.cfg": words, "t.txt": "timm\n"})
    assert asked(project, "python") == [(">=3.10", "setup.cfg:2")]
    assert asked(project, "torch") == [(">=2", "setup.cfg:4")]
    assert one(project, "timm").group == "t"


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
    assert "numpy, tiktoken" in text(folder.remarks[-1], "en")
    assert one(folder, "tiktoken").strength == RECOMMENDED
    named = read_project(tmp_path / "README.md")
    assert [one(named, name).strength for name in ("torch", "numpy", "tiktoken")] == [RECOMMENDED, DECLARED, DECLARED]
    assert codes(named) == []
    declared = project_of(tmp_path, {"README.md": words, "requirements.txt": "einops\n"})
    assert "recommended-too" not in codes(declared)


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
    assert codes(project) == ["other-lists"]


def test_the_words_of_a_call_in_setup_py_are_no_packages_and_its_file_is_read(tmp_path: Path) -> None:
    text = (
        "import os\nfrom setuptools import setup\n"
        "with open(os.path.join('.', 'requirements.dev.txt')) as f:\n    dev = f.readlines()\n"
        "setup(install_requires=open('requirements.txt', encoding='utf-8').read().splitlines(),\n"
        "      extras_require={'dev': dev})\n"
    )
    lists: dict[str, str | bytes] = {"requirements.txt": "torch==2.1.0\n", "requirements.dev.txt": "black\n"}
    project = project_of(tmp_path, {"setup.py": text, **lists})
    assert {one.name for one in project.statements} == {"torch", "black"}
    assert not project.remarks


def test_a_key_in_setup_py_is_no_package(tmp_path: Path) -> None:
    words = (
        "from setuptools import setup\nneeds = {'infer': ['einops>=0.6'], 'train': ['tqdm'], 'openai': ['fastapi']}\n"
        "setup(install_requires=needs['infer'] + needs['train'], extras_require={'openai': needs['openai']})\n"
    )
    project = project_of(tmp_path, {"setup.py": words})
    assert [(one.name, one.group) for one in project.statements] == [
        ("einops", ""),
        ("tqdm", ""),
        ("fastapi", "openai"),
    ]
    assert codes(project) == []


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


def test_nbdevs_settings_and_a_table_of_lines_by_name(tmp_path: Path) -> None:
    settings = (
        "[DEFAULT]\nlib_name = x\nmin_python = 3.8\nrequirements = fastcore>=1.5 torchvision>=0.11\n"
        "pip_requirements = torch>=1.10,<2.2\n"
    )
    setup = (
        '_deps = ["accelerate>=0.20", "torch==2.6.0", "black"]\n'
        "deps = {b: a for a, b in (split(x) for x in _deps)}\n"
        'setup(install_requires=[deps["accelerate"]])\n'
    )
    project = project_of(tmp_path, {"settings.ini": settings, "setup.py": setup})
    assert [(str(one), one.group) for one in project.statements] == [
        ("python>=3.8", ""),
        ("fastcore>=1.5", ""),
        ("torchvision>=0.11", ""),
        ("torch<2.2,>=1.10", ""),
        ("accelerate>=0.20", "extras"),
        ("torch==2.6.0", "extras"),
        ("black", "extras"),
        ("accelerate>=0.20", ""),
    ]


def test_a_line_of_setup_py_is_for_the_system_of_its_condition(tmp_path: Path) -> None:
    text = (
        "import platform\nneeds = ['torch']\n"
        "if platform.system().lower() == 'windows':\n    needs.append('bitsandbytes-windows')\n"
        "else:\n    needs.append('bitsandbytes')\nsetup(install_requires=needs)\n"
    )
    found = project_of(tmp_path, {"setup.py": text}).statements
    assert {one.name: one.marker for one in found} == {
        "torch": "",
        "bitsandbytes-windows": "sys_platform == 'win32'",
        "bitsandbytes": "sys_platform != 'win32'",
    }
