"""Project files that would never end, lead out of the folder, or cannot be read: bounded, and told."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.project.deciding import AMPERE, build, decided
from tests.project.test_read import codes, one, project_of
from wizard.model.errors import UsageError
from wizard.project.formats.requirements import MOST_ENTRIES
from wizard.project.read import read_project


@pytest.mark.parametrize("words", ["import a" + ".a" * 100_000, "x=1;" * 200_000])
def test_a_setup_py_that_python_would_take_gigabytes_for_is_not_read(tmp_path: Path, words: str) -> None:
    found = project_of(tmp_path, {"setup.py": words, "requirements.txt": "torch\n"})
    assert codes(found) == ["unreadable-file"]


@pytest.mark.slow
def test_a_setup_py_of_thousands_of_functions_and_conditions_is_followed(tmp_path: Path) -> None:
    many = "".join(f"def f{one}():\n f{one + 1}()\n" for one in range(9_000))
    words = f"{many}def f9000():\n CUDAExtension('a', [])\nf0()\n"
    assert codes(project_of(tmp_path / "a", {"setup.py": words, "requirements.txt": "torch\n"})) == ["own-cuda"]
    names = "".join(f"a{one}=1\n" for one in range(9_000))
    words = names + "if b:c\n" * 9_000 + "if a1 == 2:\n CUDAExtension('a', [])\n"
    assert codes(project_of(tmp_path / "b", {"setup.py": words, "requirements.txt": "torch\n"})) == []


def test_a_folder_below_is_a_path_and_no_broken_line(tmp_path: Path) -> None:
    words = "dependencies:\n  - pip:\n    - submodules/simple-knn\n    - parts/mine[all]\n"
    there = {"submodules/simple-knn/a.h": "", "parts/mine/a.h": ""}
    found = project_of(tmp_path, {"environment.yml": words, "requirements.txt": "a/b c\n", **there})
    assert one(found, "simple-knn").url == "submodules/simple-knn"
    assert (one(found, "mine").url, one(found, "mine").extras) == ("parts/mine", ("all",))
    assert sorted(codes(found)) == ["local-path", "local-path", "unreadable-line"]


def test_hostile_files_are_bounded(tmp_path: Path) -> None:
    bomb = "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\ndependencies: [*c]\n"
    lines = "\n".join(f"package-{number}=={number}" for number in range(10_000))
    project = project_of(
        tmp_path,
        {
            "requirements.txt": lines,
            "environment.yml": bomb,
            "pyproject.toml": "x = " + "[" * 5000,
            "setup.py": "(" * 5000,
            "big-requirements.txt": b"x" * 8_000_001,
            "\x1b[2Jrequirements.txt": "\x1b[2J???\n",
        },
    )
    assert len(project.statements) == 10_000
    assert sorted(codes(project)) == [
        "file-not-read",
        "unreadable-file",
        "unreadable-file",
        "unreadable-line",
        "yaml-alias",
    ]
    shown = [str(value) for remark in project.remarks for value in remark.params.values()]
    assert all(words.isprintable() for words in shown)


def test_a_key_of_too_many_parts_and_a_list_that_is_cut_are_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "pyproject.toml": '[project]\ndependencies=["tqdm"]\n[tool]\n' + ".".join("a" * 2000) + " = 1\n",
        "requirements.txt": "torch\n" + "\n" * 50_001 + "tqdm\n" * (MOST_ENTRIES - 1) + "numpy\n",
    }
    project = project_of(tmp_path, files)
    assert [each.name for each in project.statements] == ["torch", *["tqdm"] * (MOST_ENTRIES - 1)]
    assert sorted(codes(project)) == ["too-long", "unreadable-file"]


def test_a_path_of_another_place_is_no_package(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"requirements.txt": "/etc/passwd\n~/lib\ntorch\n"})
    assert [each.name for each in project.statements] == ["torch"]
    assert codes(project) == ["file-outside", "file-outside"]


@pytest.mark.slow
def test_what_would_never_end_or_leads_out_is_said(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe-requirements.txt")
    (tmp_path / "passwd-requirements.txt").symlink_to("/etc/passwd")
    chain = {f"requirements-{number}.txt": f"-r requirements-{number + 1}.txt\n" for number in range(150)}
    tagged = 'dependencies: !!python/object/apply:os.system ["touch"]\n'
    nested = "x ; " + "(" * 5000 + "python_version < '3'" + ")" * 5000
    words = f"-r ../elsewhere/requirements.txt\n{'a' * 5_000_000}\n{nested}\nb\n"
    project = project_of(tmp_path, {**chain, "environment.yml": tagged, "requirements.txt": words})
    assert [one.name for one in project.statements] == ["x", "b"]
    assert sorted(set(codes(project))) == [
        "file-not-read",
        "file-outside",
        "include-missing",
        "several-on-line",
        "too-many-files",
        "unreadable-line",
    ]


@pytest.mark.parametrize(
    ("name", "words"), [("pyproject.toml", "[project\nname = 1\n"), ("environment.yml", "a: &a [x]\nb: [*a, *a]\n")]
)
def test_a_file_that_cannot_be_read_is_the_reason(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(UsageError, match=name) as caught:
        project_of(tmp_path, {name: words})
    assert caught.value.code == "nothing-read"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("requirements.txt", "torch=={digits}\nnumpy\n"),
        ("requirements.txt", "torch=={digits}=py3_0\nnumpy\n"),
        ("pyproject.toml", '[project]\ndependencies = ["torch<{digits}", "numpy"]\n'),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "^{digits}"\nnumpy = "*"\n'),
        ("environment.yml", "dependencies:\n  - pytorch={digits}\n  - numpy\n"),
        (
            "uv.lock",
            '[[package]]\nname = "torch"\nversion = "{digits}"\n[[package]]\nname = "numpy"\nversion = "2.0"\n',
        ),
    ],
)
def test_a_version_of_thousands_of_digits_is_a_line_that_cannot_be_read(tmp_path: Path, name: str, words: str) -> None:
    found = project_of(tmp_path, {name: words.format(digits="9" * 4400)})
    assert "numpy" in [each.name for each in found.statements]
    assert all(len(each.specifier) < 1000 for each in found.statements)
    assert {"unreadable-line", "bound-unread"} & set(codes(found))


@pytest.mark.parametrize(
    "option",
    [
        '--install-option="--no-cuda"',
        "--global-option=--no-cuda",
        '--global-option "build_ext"',
        "--config-settings='--build-option=--x'",
        "--config-settings key=value --global-option=--y",
    ],
)
def test_an_option_for_a_build_takes_no_pin_with_it(tmp_path: Path, option: str) -> None:
    found = project_of(tmp_path, {"requirements.txt": f"numpy==1.26.4 {option}\n"})
    assert one(found, "numpy").specifier == "==1.26.4"
    assert codes(found) == ["option-left"]


def test_dependencies_that_are_no_list_are_said(tmp_path: Path) -> None:
    words = '[project]\nname = "x"\nversion = "1"\ndependencies = "torch"\n'
    assert "dependencies-unread" in codes(project_of(tmp_path, {"pyproject.toml": words, "requirements.txt": "rich\n"}))


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no project"):
        read_project(tmp_path / "x")
    with pytest.raises(UsageError, match="Nothing in"):
        read_project(tmp_path)


# What was made to be long, slow or no number, by the file that holds it: the project beside it is read all the same.
LONG = "a" * 300
HOSTILE: dict[str, dict[str, str | bytes]] = {
    "a folder's name": {"README.md": f"```\npip install -e ./{LONG}\n./install-{LONG}.sh\nmake -C {LONG}\n```\n"},
    "a submodule's": {".gitmodules": f'[submodule "a"]\n\tpath = {LONG}\n', "a.py": f"import {LONG}\n"},
    "an imported module's": {
        "README.md": "`python run.py`\n",
        "run.py": f"import {LONG}\nimport torch\nimport " + ".".join(["b"] * 90),
    },
    "a release": {"a.py": f"import m\nassert m.__version__ >= '{'9' * 5_000}'\nassert m.__version__ > '1.0,===x'\n"},
    "digits of other scripts": {
        "README.md": "Requires PyTorch 2.1.0 and mmcv \u0661.\u0663\n```\ngit clone https://github.com/open-mmlab/mmcv\n"
        "cd mmcv\ngit checkout v\u0661.\u0663.\u0661\npip install .\n```\n",
        "requirements.txt": "torch\nmmcv==1.3.x!\nspconv===1.x_y\n",
    },
    "a tag": {
        "requirements.txt": "torch\nmmcv @ git+https://github.com/open-mmlab/mmcv@v1.3.foo\n",
    },
    "an option": {
        "setup.py": "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('a', [], extra_compile_args={"
        + "-" * 2_000 + "'nvcc': '-std=c++14'})\n",
    },
    "50,000 imports": {
        "README.md": "`python run.py`\n",
        "run.py": "".join(f"import c{one}.d\n" for one in range(20_000)) + "import torch\n",
        **{f"part{one}.py": "".join(f"import c{each}.d\n" for each in range(9_000)) for one in range(30)},
    },
    "empty lines": {"Dockerfile": "FROM x\n" + "\n" * 200_000 + "RUN pip install -r requirements-not-here.txt\n"},
    "a name of 20,000 calls": {"a.py": "import torch\nx = torch.load('a')\n" + "\n".join(
        ["x" + "[0]" * 900 + ".eval()"] * 300) + "\n"},
    "15,000 bounds": {
        "a.py": "import mmcv\n" + "".join(f"assert mmcv.__version__ >= '0.{one}'\n" for one in range(15_000)),
    },
    "10,000 programs": {
        "README.md": "\n".join(f"apt-get install lib{one}-dev ffmpeg" for one in range(10_000)) + "\n",
    },
    "3,000 clones": {"README.md": "# net\n" + "git clone https://github.com/a/net\n" * 3_000},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_what_was_made_to_be_long_or_no_number_spoils_nothing_beside_it(tmp_path: Path, kind: str) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch>=2\nmmcv>=0.1\n", **HOSTILE[kind]}, AMPERE)
    assert build(found)[0] >= "2"
    said = [value for remark in found.remarks for value in remark.params.values() if isinstance(value, str)]
    assert all(len(words) < 2_000 for words in said)
    assert len(found.remarks) < 60


@pytest.mark.parametrize("words", ["[" * 50_000, "{" * 50_000, f"[{'[],' * 100_000}]"])
def test_lists_in_lists_of_conda_cost_no_time(tmp_path: Path, words: str) -> None:
    """The reading of YAML took 15 s to say that it has no end."""
    begun = time.monotonic()
    project = project_of(tmp_path, {"environment.yml": f"dependencies:\n  - {words}\n", "requirements.txt": "torch\n"})
    assert time.monotonic() - begun < 4
    [said] = [each.params for each in project.remarks if each.key.endswith("unreadable-file")]
    assert (said["file"], said["line"], project.files) == ("environment.yml", 2, ("requirements.txt",))
