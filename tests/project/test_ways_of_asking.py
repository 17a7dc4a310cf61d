"""The ways in which projects ask for torch and its CUDA: names, stars, channels, constraints, words behind a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import (
    ADA,
    AMPERE,
    BLACKWELL,
    CONDA,
    build,
    codes,
    decided,
    relaxed,
)
from tests.project.test_read import project_of
from wizard.compatibility.model import Choices

PINNED: dict[str, str | bytes] = {
    "requirements.txt": "--extra-index-url https://download.pytorch.org/whl/cu117\ntorch==1.13.1+cu117\n"
    "torchvision==0.14.1+cu117\ntorch-scatter==2.1.0+pt113cu117\neinops\n"
}


def test_pytorch_means_torch_in_any_file(tmp_path: Path) -> None:
    poetry: dict[str, str | bytes] = {"pyproject.toml": '[tool.poetry.dependencies]\npytorch = "2.0.1"\neinops = "*"\n'}
    pip: dict[str, str | bytes] = {"requirements.txt": "pytorch==2.0.1\neinops\n"}
    for folder, files in (("poetry", poetry), ("pip", pip)):
        found = decided(tmp_path / folder, files, AMPERE)
        assert (build(found)[0], [one.name for one in found.understood.rest]) == ("2.0.1", ["einops"])


def test_any_cuda_of_a_number_is_asked_by_a_star(tmp_path: Path) -> None:
    pixi = '[workspace]\nchannels = ["conda-forge"]\n[dependencies]\npytorch = "2.14.*"\ncuda-version = "12.*"\n'
    assert decided(tmp_path, {"pixi.toml": pixi}, AMPERE).relaxed == ()
    (moved,) = decided(tmp_path, {"pixi.toml": pixi}, BLACKWELL).relaxed
    assert (moved.name, moved.asked) == ("cuda", "cu12")
    assert moved.why.key == "reason.no-kernels-for-gpu"


WAYS: dict[str, tuple[dict[str, str | bytes], tuple[str, str, str | None]]] = {
    "poetry, a wheel's address": (
        {
            "pyproject.toml": '[tool.poetry.dependencies]\npython=">=3.8,<3.11"\n'
            'torch={url="https://example.org/torch-1.13.1%2Bcu117-cp310-cp310-linux_x86_64.whl"}\n'
        },
        ("1.13.1", "cu117", "3.10"),
    ),
    "uv, a wheel's address": (
        {
            "pyproject.toml": '[project]\nname="x"\ndependencies=["torch"]\n[tool.uv.sources]\n'
            'torch={url="https://example.org/torch-2.1.2%2Bcu118-cp311-cp311-linux_x86_64.whl"}\n'
        },
        ("2.1.2", "cu118", "3.11"),
    ),
    "poetry, either of two": (
        {"pyproject.toml": '[tool.poetry.dependencies]\npython="^3.9"\ntorch="^1.13 || ^2.0,<2.5"\n'},
        ("2.4.1", "cu124", "3.12"),
    ),
    "pipenv": (
        {"Pipfile": '[packages]\ntorch="==1.12.1"\n[dev-packages]\npytest="*"\n[requires]\npython_version="3.9"\n'},
        ("1.12.1", "cu116", "3.9"),
    ),
    "one equals sign": ({"requirements.txt": "torch=1.13.1\nnumpy=1.23.5\n"}, ("1.13.1", "cu117", "3.10")),
    "pip list": (
        {"requirements.txt": "Package Version\n------- ------\nnumpy 1.21.2\ntorch 1.10.2+cu113\n"},
        ("1.10.2", "cu113", "3.9"),
    ),
    "a tag of the repository": (
        {"requirements.txt": "torch @ git+https://github.com/pytorch/pytorch.git@v2.1.0\n"},
        ("2.1.0", "cu121", "3.11"),
    ),
    "an override of uv": (
        {
            "pyproject.toml": '[project]\nname="x"\ndependencies=["torch>=2.8"]\n'
            '[tool.uv]\noverride-dependencies=["torch==2.6.0"]\n'
        },
        ("2.6.0", "cu126", "3.12"),
    ),
    "extras of which one is chosen": (
        {
            "pyproject.toml": '[project]\nname="x"\n[project.optional-dependencies]\nold=["torch==2.1.0"]\n'
            'new=["torch==2.4.0"]\namd=["torch==2.4.1+rocm6.1"]\n'
        },
        ("2.4.0", "cu124", "3.12"),
    ),
    "an image by its arguments": (
        {
            "requirements.txt": "tqdm\n",
            "Dockerfile": 'ARG PYTORCH="1.9.0"\nARG CUDA="11.1"\nFROM pytorch/pytorch:${PYTORCH}-cuda${CUDA}-devel\n',
        },
        ("1.9.0", "cu111", "3.9"),
    ),
    "NVIDIA's line beside AMD's": (
        {
            "setup.sh": "conda install pytorch==2.4.0 pytorch-cuda=11.8 -c pytorch\n"
            "pip install torch==2.4.1 --index-url https://download.pytorch.org/whl/rocm6.1\n"
        },
        ("2.4.0", "cu118", "3.12"),
    ),
    "a release for developers beside none": (
        {
            "pyproject.toml": '[build-system]\nrequires=["torch>=2.5,<2.9"]\n[project]\n'
            'name="x"\ndependencies=["tqdm"]\n',
            "Dockerfile": "RUN pip install torch==2.7.0.dev20250307\n",
        },
        ("2.8.0", "cu129", "3.12"),
    ),
    "pins choose an older torch by their Python": (
        {"requirements.txt": "torch\nnumpy==1.19.5\n"},
        ("2.8.0", "cu129", "3.9"),
    ),
    "transformers by its tokenizers": (
        {"requirements.txt": "torch==2.1.0\ntransformers==4.19.2\n"},
        ("2.1.0", "cu121", "3.10"),
    ),
    "a list that setup.py adds to": (
        {
            "setup.py": "from setuptools import setup\nreqs = ['numpy']\nreqs.append('torch==1.12.1')\n"
            "reqs += ['tqdm']\nsetup(**dict(name='x', install_requires=reqs, python_requires='<3.10'))\n"
        },
        ("1.12.1", "cu116", "3.9"),
    ),
    "a bullet and a quotation": ({"requirements.txt": "- 'torch==1.13.1'\n- tqdm\n"}, ("1.13.1", "cu117", "3.10")),
    "the very patch of torchvision": ({"requirements.txt": "torchvision==0.16.0\n"}, ("2.1.0", "cu121", "3.11")),
    "flit of old": (
        {"pyproject.toml": '[tool.flit.metadata]\nmodule="x"\nrequires=["torch==1.12.1"]\n'},
        ("1.12.1", "cu116", "3.10"),
    ),
    "a pinned vLLM means its torch": ({"requirements.txt": "torch\nvllm==0.6.3\n"}, ("2.4.0", "cu124", "3.12")),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_ways_in_which_projects_ask_for_torch(tmp_path: Path, way: str) -> None:
    files, wanted = WAYS[way]
    found = decided(tmp_path, files, AMPERE)
    assert build(found) == wanted
    assert found.relaxed == () and "contradiction" not in codes(found) or way == "an override of uv"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("torch>=2.0.0+cu118", "2.14.1"),
        ("torch==2.1.0 // for CUDA 11.8", "2.1.0"),
        ("torch==2.1.0 (tried)", "2.1.0"),
        ("torch=>2.1.0", "2.14.1"),
        ("torch==2.1.0 torchvision", "2.1.0"),
    ],
)
def test_a_line_with_words_behind_it_is_read_by_its_intent(tmp_path: Path, line: str, expected: str) -> None:
    found = decided(tmp_path, {"requirements.txt": f"{line}\n"}, AMPERE)
    assert build(found)[0] == expected
    assert codes(found) & {"read-as", "several-on-line"}


def test_of_condas_alternatives_the_newest_counts(tmp_path: Path) -> None:
    text = "dependencies:\n  - python=3.11|3.9\n  - pytorch=1.12|2.0\n"
    found = decided(tmp_path, {"environment.yml": text}, AMPERE)
    assert (build(found)[0], build(found)[2]) == ("2.0.1", "3.11")


def test_a_bound_of_condas_that_pep_440_lacks(tmp_path: Path) -> None:
    text = "dependencies:\n  - pytorch>=1.7.*\n  - pytorch[version='>=2.1,<2.3']\n  - numpy>=1=py\n  - scipy=?1\n"
    found = decided(tmp_path, {"environment.yml": text}, AMPERE)
    given = [one.specifier for one in (*found.understood.torch, *found.understood.numpy)]
    assert given == [">=1.7", ">=2.1,<2.3", ">=1"]
    assert "bound-unread" in codes(found)


def test_condas_name_of_the_cpu_build_asks_for_it(tmp_path: Path) -> None:
    found = decided(tmp_path, {"environment.yml": "dependencies:\n  - pytorch-cpu=2.1.0\n"}, AMPERE)
    assert build(found)[:2] == ("2.1.0", "cpu")
    assert "cpu-asked" in codes(found)


def test_the_python_of_a_person_is_kept_where_a_torch_is_only_recommended(tmp_path: Path) -> None:
    words = "pip install torch==1.12.1+cu113 torchvision==0.13.1+cu113\n"
    found = decided(tmp_path, {"requirements.txt": "tqdm\n", "README.md": words}, AMPERE, Choices(python="3.13"))
    assert (build(found)[2], set(relaxed(found))) == ("3.13", {"torch", "torchvision"})


def test_constraints_that_nothing_includes_install_nothing(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\n", "constraints.txt": "torch==2.3.1\ntqdm==4.0\n"}, AMPERE)
    assert (build(found)[0], found.understood.rest) == ("2.3.1", ())


def test_cuda_as_a_range_as_a_channel_and_as_no_cuda_at_all(tmp_path: Path) -> None:
    pixi = '[workspace]\nname="x"\n[dependencies]\npytorch-gpu="*"\ncuda-version=">=12.4,<13"\n'
    assert build(decided(tmp_path / "range", {"pixi.toml": pixi}, BLACKWELL))[1].startswith("cu12")
    conda = "channels: [nvidia/label/cuda-11.8.0]\ndependencies:\n  - pip:\n    - torch==2.1.2\n"
    assert build(decided(tmp_path / "label", {"environment.yml": conda}, AMPERE))[1] == "cu118"
    cpu = "dependencies:\n  - pytorch=1.12.1=py3.9_cpu_0\n"
    found = decided(tmp_path / "cpu", {"environment.yml": cpu}, AMPERE)
    assert build(found)[1] == "cpu"
    assert "cpu-asked" in codes(found)


def test_an_index_of_uv_counts_on_the_systems_that_its_marker_names(tmp_path: Path) -> None:
    page = "https://download.pytorch.org/whl"
    words = f"""[project]\nname="x"\ndependencies=["torch==2.7.1"]\n[tool.uv.sources]\ntorch=[
{{index="cpu",marker="sys_platform != 'linux'"}},{{index="gpu",marker="sys_platform == 'linux'"}}]
[[tool.uv.index]]\nname="cpu"\nurl="{page}/cpu"\n[[tool.uv.index]]\nname="gpu"\nurl="{page}/cu128"\n"""
    assert build(decided(tmp_path / "linux", {"pyproject.toml": words}, AMPERE))[1] == "cu128"
    found = decided(tmp_path / "windows", {"pyproject.toml": words}, ADA)
    assert build(found)[1] == "cpu"
    assert "cpu-asked" in codes(found)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("install.sh", "# pip install torch==2.6.0\npip install torch==2.1.0\n"),
        ("install.sh", "# pip install torch==2.6.0 \\\npip install torch==2.1.0\n"),
        ("Dockerfile", "# RUN pip install torch==2.6.0\nRUN pip install torch==2.1.0\n"),
        ("install.sh", "# install pytorch and torchvision first\npip install torch==2.1.0\n"),
        ("install.sh", "# 需要先自行安装pytorch和torchvision\npip install torch==2.1.0\n"),
    ],
)
def test_what_a_script_has_as_a_comment_installs_nothing(tmp_path: Path, name: str, words: str) -> None:
    found = decided(tmp_path / "both", {name: words, "requirements.txt": "tqdm\n"}, AMPERE)
    assert build(found)[0] == "2.1.0"
    alone = words.replace("pip install torch==2.1.0", "echo")
    left = decided(tmp_path / "comment", {name: alone, "requirements.txt": "tqdm\n"}, AMPERE)
    assert {"commented", "undeclared"} <= codes(left)


def test_a_source_of_poetry_that_nothing_names_is_for_other_computers(tmp_path: Path) -> None:
    words = '[tool.poetry.dependencies]\npython = "^3.10"\ntorch = {version = "2.7.*", source = "%s"}\n'
    for name, kind in (("gpu", "cu118"), ("cpu", "cpu")):
        words += f'[[tool.poetry.source]]\nname = "{name}"\nurl = "https://download.pytorch.org/whl/{kind}"\n'
        words += 'priority = "explicit"\n'
    for name, kind in (("gpu", "cu118"), ("cpu", "cpu")):
        found = decided(tmp_path / name, {"pyproject.toml": words % name}, AMPERE)
        assert (build(found)[:2], relaxed(found)) == (("2.7.1", kind), {})
        assert ("cpu-asked" in codes(found)) == (kind == "cpu")


def test_a_comment_that_talks_of_a_command_names_no_packages(tmp_path: Path) -> None:
    readme = "```bash\npip install einops\n# As of 2023, pip install may not run with new versions of it.\n```\n"
    found = project_of(tmp_path, {"requirements.txt": "torch\n", "README.md": readme})
    assert {one.name for one in found.statements} == {"torch", "einops"}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Do the `pip install einops...` line first.", {"einops"}),
        ("    pip install einops ...", {"einops"}),
        ("    pip install einops // pip install timm // have fun", {"einops", "timm"}),
    ],
)
def test_an_ellipsis_and_slashes_end_a_command(tmp_path: Path, line: str, names: set[str]) -> None:
    found = project_of(tmp_path, {"requirements.txt": "torch\n", "README.md": f"{line}\n"})
    assert {one.name for one in found.statements} == {"torch", *names}


@pytest.mark.parametrize(
    "table",
    [
        '[tool.uv]\noverride-dependencies = ["torch>=2", "triton==3.2.0", "protobuf>=3.20,<6"]\n',
        '[tool.pdm.resolution.overrides]\ntorch = ">=2"\ntriton = "3.2.0"\nprotobuf = ">=3.20,<6"\n',
    ],
)
def test_what_counts_in_place_of_the_packages_own_needs_is_kept_and_told(tmp_path: Path, table: str) -> None:
    """But for torch, which is decided, and for what goes with one torch."""
    pyproject = f'[project]\nname = "x"\ndependencies = ["torch", "einops"]\n{table}'
    found = decided(tmp_path, {"pyproject.toml": pyproject}, AMPERE)
    assert [(one.name, one.specifier) for one in found.understood.overrides] == [("protobuf", "<6,>=3.20")]
    [said] = [one.params for one in found.remarks if one.key.endswith(".overrides")]
    assert (said["line"], said["packages"]) == (7 if "pdm" in table else 5, "protobuf<6,>=3.20")


@pytest.mark.parametrize(
    ("lists", "torch", "apart"),
    [
        ("whisperx>=3.8.1\n", "2.8.0", [1]),
        ("numpy>=2.0.2\n", "2.14.1", [1]),
        ("tqdm\nnumpy>=1.20\n", "2.0.0", []),
        ("torch==2.0.0\nnumpy>=2.0.2\n", "2.0.0", []),
    ],
)
def test_a_torch_that_is_only_recommended_gives_way_to_what_is_declared(
    tmp_path: Path, lists: str, torch: str, apart: list[int]
) -> None:
    image = "RUN pip install torch==2.0.0 torchaudio==2.0.0 --index-url https://download.pytorch.org/whl/cu118\n"
    files: dict[str, str | bytes] = {"requirements.txt": lists, "Dockerfile": f"FROM python:3.10\n{image}"}
    found = decided(tmp_path / "image", files, AMPERE)
    said = [one.params["other_line"] for one in found.remarks if one.key.endswith("recommended-apart")]
    assert (build(found)[0], said, "recommended-others" in codes(found)) == (torch, apart, False)
    files["README.md"] = "# t\n```\npip install torch==2.8.0\n```\n"
    assert (build(decided(tmp_path / "two", files, AMPERE))[0] == "2.8.0") == bool(apart)


EXPORT = (
    "name: x\nchannels: [pytorch]\ndependencies:\n  - python=3.7.11=h12debd9_0\n  - numpy=1.19.2=py37h54aff64_0\n"
    "  - pytorch=1.7.1=py3.7_cuda11.0.221_cudnn8.0.5_0\n  - pip:\n    - tqdm==4.50.0\n"
)
SETUP = "from setuptools import setup\nsetup(name='x', install_requires=['torch>=2.0', 'numpy>=1.24'])\n"


@pytest.mark.parametrize(
    ("step", "file", "text"),
    [
        ("pip install -e .", "setup.py", SETUP),
        ("pip install --no-deps -e '.[dev]'", "setup.py", SETUP),
        ("pip install -r requirements.txt", "requirements.txt", "torch>=2.0\nnumpy>=1.24\n"),
    ],
)
def test_the_steps_of_a_readme_count_before_an_export_that_nothing_names(
    tmp_path: Path, step: str, file: str, text: str
) -> None:
    files: dict[str, str | bytes] = {file: text, "environment.yml": EXPORT}
    found = decided(tmp_path / "a", {**files, "README.md": f"```\n{step}\n```\n"}, AMPERE)
    assert (build(found)[0], [one.name for one in found.understood.rest]) == ("2.14.1", ["numpy"])
    assert "export-left" in codes(found)
    for number, readme in enumerate(
        (f"conda env create -f environment.yml\n{step}\n", f"{step} # or see environment.yml\n", "Have fun.\n")
    ):
        files["README.md"] = f"```\n{readme}```\n"
        assert "export-left" not in codes(decided(tmp_path / str(number), files, AMPERE))


def test_an_export_stays_where_it_is_typed_or_has_the_only_torch(tmp_path: Path) -> None:
    step: dict[str, str | bytes] = {"README.md": "```\npip install -r requirements.txt\n```\n"}
    typed = CONDA + "  - pytorch=1.13\n  - numpy=1.21\n"
    files = {**step, "requirements.txt": "torch\ntqdm\n"}
    assert "export-left" not in codes(decided(tmp_path / "a", {**files, "environment.yml": typed}, AMPERE))
    files = {**step, "requirements.txt": "tqdm\n", "environment.yml": EXPORT}
    found = decided(tmp_path / "b", files, AMPERE)
    assert (build(found)[0], "export-left" in codes(found)) == ("1.7.1", False)
