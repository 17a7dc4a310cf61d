"""Which of a project's files and lines count, for which computer.

One file: a project is a few files each time, and one answer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, NO_CARD, PASCAL, build, codes, decided
from tests.project.test_read import project_of
from wizard.model.errors import UsageError
from wizard.model.messages import text


def test_a_readme_counts_where_nothing_is_declared_and_its_lines_are_alternatives(tmp_path: Path) -> None:
    readme = "pip install torch==2.1.0 --index-url https://download.pytorch.org/whl/cu118\npip install torch==2.7.1\n"
    found = decided(tmp_path / "a", {"README.md": readme, "requirements.txt": "einops\n"}, BLACKWELL)
    assert build(found)[:2] == ("2.7.1", "cu128")
    assert "recommended" in codes(found)
    declared: dict[str, str | bytes] = {"README.md": readme, "requirements.txt": "torch==2.4.1\n"}
    assert build(decided(tmp_path / "b", declared, AMPERE))[0] == "2.4.1"


def test_files_for_other_computers_are_left_out(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements_windows.txt": "torch==2.5.1\n",
        "requirements_linux.txt": "torch==2.6.0\n",
        "requirements_rocm.txt": "torch==2.3.0\n",
    }
    found = decided(tmp_path / "a", files, AMPERE)
    assert build(found)[0] == "2.6.0"
    assert build(decided(tmp_path / "a", files, ADA))[0] == "2.5.1"
    only: dict[str, str | bytes] = {"requirements_windows.txt": "torch==2.5.1\n", "requirements.txt": "einops\n"}
    found = decided(tmp_path / "b", only, AMPERE)
    assert (build(found)[0], "other-system" in codes(found)) == ("2.5.1", True)


def test_an_index_of_a_file_for_another_system_makes_nobody_take_the_cpu_build(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "einops\n",
        "requirements_macOS.txt": "--extra-index-url https://download.pytorch.org/whl/cpu\ntorch==2.3.0\n",
        "README.md": "pip install torch==1.10.1+cu111 torchvision==0.11.2 -f https://download.pytorch.org/whl/cu111\n"
        "pip install torch==2.3.0 torchvision==0.18.0 --index-url https://download.pytorch.org/whl/cu118\n",
    }
    found = decided(tmp_path, files, ADA)
    assert build(found)[:2] == ("2.3.0", "cu118")
    assert found.relaxed == ()  # torchvision 0.18.0 is one of the two that are told


def test_an_index_gives_way_to_the_pin_that_names_its_cuda(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.10.0+cu128 ; platform_machine == 'x86_64'\n"
        "torch==2.10.0+cu130 ; platform_machine == 'aarch64'\n",
        "pyproject.toml": '[[tool.uv.index]]\nname = "a"\nurl = "https://download.pytorch.org/whl/cu130"\n',
    }
    found = decided(tmp_path, files, BLACKWELL)
    assert (build(found)[:2], found.relaxed) == (("2.10.0", "cu128"), ())


def test_a_recommended_line_means_its_torch_and_its_cuda_together(tmp_path: Path) -> None:
    readme = "pip install torch==2.4.0 --index-url https://download.pytorch.org/whl/cu121\n"
    readme += "pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/cu124\n"
    files: dict[str, str | bytes] = {"README.md": readme, "requirements.txt": "xformers==0.0.27.post2\n"}
    assert build(decided(tmp_path, files, AMPERE))[:2] == ("2.4.0", "cu121")


def test_each_recommended_cuda_that_is_not_taken_is_told_with_its_own_line(tmp_path: Path) -> None:
    readme = "conda install pytorch torchaudio pytorch-cuda=11.7 -c pytorch -c nvidia\n"
    image = "RUN conda install pytorch==2.2.2 torchaudio==2.2.2 pytorch-cuda=12.1 -c pytorch -c nvidia\n"
    files: dict[str, str | bytes] = {
        "README.md": f"    {readme}",
        "Dockerfile": image,
        "requirements.txt": "torchaudio\n",
    }
    for on, expected in (
        (AMPERE, [("README.md", "cu117")]),
        (NO_CARD, [("Dockerfile", "cu121, cu117 (README.md:1)")]),
    ):
        told = decided(tmp_path, files, on).remarks
        said = [one.params for one in told if one.key.startswith("project.remark.cuda-")]
        assert sorted((one["file"], one["asked"]) for one in said) == expected
    ways = "pip install torch==2.2.2 --index-url https://download.pytorch.org/whl/cu118\n"
    ways += ways.replace("cu118", "cu121")  # one file with both has an alternative, and nothing is left
    left = codes(decided(tmp_path / "ways", {"README.md": f"```\n{ways}```\n"}, AMPERE))
    assert not any(code.startswith("cuda-") for code in left)


def test_torch_of_one_folder_below_is_read_and_of_several_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements-dev.txt": "ruff\n",
        "speech/pyproject.toml": '[project]\nrequires-python = ">=3.10"\ndependencies = ["torch>=2.2,<2.10"]\n',
        "speech_mlx/pyproject.toml": '[project]\ndependencies = ["mlx"]\n',
    }
    found = decided(tmp_path / "a", files, ADA)
    assert (build(found)[0], "torch-below" in codes(found)) == ("2.9.1", True)
    assert "undeclared" not in codes(found)
    assert [one.name for one in found.understood.rest] == ["ruff"]
    found = decided(tmp_path / "b", {**files, "train/requirements.txt": "torch==2.1.0\n"}, ADA)
    assert {"torch-in-parts", "undeclared"} <= codes(found)
    assert any("speech, train" in text(remark, "en") for remark in found.remarks)
    found = decided(tmp_path / "c", {"requirements.txt": "torch\n", "train/requirements.txt": "torch==2.1.0\n"}, ADA)
    assert (build(found)[0], codes(found) & {"torch-below", "torch-in-parts"}) == ("2.14.1", set())


def test_where_a_readme_alone_asks_for_torch_the_one_folder_below_that_does_is_read(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "README.md": "# It\n```\npip install torch --index-url https://download.pytorch.org/whl/cpu\n```\n",
        "inner/requirements.txt": "torch>=2.0,<2.6\nnumpy<2\n",
    }
    found = decided(tmp_path / "a", files, ADA)
    assert (build(found)[0], found.numpy) == ("2.5.1", "<2")
    found = decided(tmp_path / "b", {**files, "requirements.txt": "einops\n"}, ADA)
    assert build(found)[0] == "2.14.1", "a list of the whole says that it needs no more"


def test_a_path_may_be_written_as_pip_takes_an_address(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "environment.yml": "dependencies:\n- openslide\n- pip:\n  - -r file:more/wanted.txt\n",
        "more/wanted.txt": "torch==2.7.1\n",
    }
    found = decided(tmp_path, files, ADA)
    assert (build(found)[0], codes(found) & {"include-missing"}) == ("2.7.1", set())
    assert "openslide" not in [one.name for one in found.understood.rest], "that is a library of conda's"


def test_two_folders_that_ask_for_torch_are_two_projects(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"a/requirements.txt": "torch==2.1.0\n", "b/requirements.txt": "torch==2.2.0\n"}
    with pytest.raises(UsageError) as error:
        project_of(tmp_path / "several", files)
    assert (error.value.code, error.value.params["folders"]) == ("project-in-parts", "a, b")
    one = {**files, "b/requirements.txt": "einops\n"}
    assert build(decided(tmp_path / "one", one, AMPERE))[0] == "2.1.0"


def test_exports_lose_their_paths_and_parts(tmp_path: Path) -> None:
    words = "torch==2.3.1\nattrs @ file:///croot/attrs_1/work\nnvidia-cublas-cu12==12.1.3.1\n"
    found = decided(tmp_path, {"requirements.txt": words}, AMPERE)
    assert {"file-paths", "nvidia-parts"} <= codes(found)
    assert [one.name for one in found.understood.rest] == ["attrs"]


def test_a_comment_is_a_hint_where_torch_is_not_asked_for(tmp_path: Path) -> None:
    assert "commented" in codes(decided(tmp_path / "a", {"requirements.txt": "# torch==2.1.0\neinops\n"}, AMPERE))
    found = decided(tmp_path / "b", {"requirements.txt": "# torch==2.1.0\ntorch\n"}, AMPERE)
    assert {"commented", "undeclared"} & codes(found) == set()
    files: dict[str, str | bytes] = {"requirements.txt": "# torch==2.6.0\neinops\n"}
    [told] = [
        one for one in decided(tmp_path / "c", files, BLACKWELL).remarks if one.key.endswith("commented-not-here")
    ]
    assert (told.params["torch"], "12.0" in str(told.params["why"])) == ("2.6.0", True)
    assert "commented-not-here" not in codes(decided(tmp_path / "c", files, AMPERE))


def test_the_files_of_a_folder_for_requirements_are_taken_by_that(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements/win-linux-cuda.txt": "torch==2.3.1\neinops\n",
        "requirements/linux-rocm.txt": "--extra-index-url https://download.pytorch.org/whl/rocm6.1\ntorch==2.3.0\n",
        "requirements/mac-mps.txt": "torch==2.2.0\n",
    }
    found = decided(tmp_path / "a", files, ADA)
    assert (build(found)[0], [one.name for one in found.understood.rest]) == ("2.3.1", ["einops"])
    beside: dict[str, str | bytes] = {**files, "requirements.txt": "torch==2.5.1\n"}
    assert build(decided(tmp_path / "b", beside, ADA))[0] == "2.5.1"


@pytest.mark.parametrize("maker", ["maca", "camb", "ascend"])
def test_files_for_the_cards_of_other_makers_bound_nothing(tmp_path: Path, maker: str) -> None:
    files: dict[str, str | bytes] = {
        "requirements_cuda.txt": "torch<=2.12.1\n",
        f"requirements_{maker}.txt": "torch<2.7\n",
    }
    assert build(decided(tmp_path, files, BLACKWELL))[0] == "2.12.1"


@pytest.mark.parametrize(
    "link",
    ["[English](./docs/en/README.md)", '<a href="docs/en/README.md">', "[how](guide/Installation.md#linux)"],
)
def test_a_document_that_a_readme_points_to_is_read_where_nothing_names_torch(tmp_path: Path, link: str) -> None:
    files: dict[str, str | bytes] = {
        "README.md": f"# Mine\n{link} [out](../install.md) [other](docs/en/usage.md)\n",
        "requirements.txt": "einops\n",
        "docs/en/README.md": "`pip install torch==2.5.1 torchvision==0.20.1`\n",
        "guide/Installation.md": "`pip install torch==2.5.1 torchvision==0.20.1`\n[more](install2.md)\n",
        "docs/en/usage.md": "`pip install torch==2.0.1`\n",
    }
    found = decided(tmp_path / "a", files, AMPERE)
    assert (build(found)[0], "torchvision" in found.understood.pairs) == ("2.5.1", True)
    declared = decided(tmp_path / "b", {**files, "requirements.txt": "torch==2.1.2\n"}, AMPERE)
    assert (build(declared)[0], declared.understood.pairs) == ("2.1.2", {})


def test_that_only_extras_ask_for_torch_is_told(tmp_path: Path) -> None:
    words = '[project]\nname = "x"\ndependencies = ["tqdm"]\n[project.optional-dependencies]\n'
    words += 'vlm = ["torch>=2.6,<3", "transformers"]\n'
    found = decided(tmp_path, {"pyproject.toml": words}, AMPERE)
    assert [one.params["extras"] for one in found.remarks if one.key == "project.remark.in-extras"] == ["vlm"]


def test_which_of_two_lists_for_cards_counts_is_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "-r requirements-cuda.txt\n",
        "requirements-cuda.txt": "torch==2.12.0+cu130\n",
        "requirements-cuda-legacy.txt": "torch==2.12.0+cu126\n",
    }
    found = decided(tmp_path, files, AMPERE)
    [told] = [one.params for one in found.remarks if one.key == "project.remark.cuda-chosen"]
    assert (build(found)[:2], told["own"], told["asked"]) == (
        ("2.12.0", "cu126"),
        "requirements-cuda-legacy.txt",
        "cu130",
    )


def test_the_cudas_of_one_files_extras_are_no_two_demands(tmp_path: Path) -> None:
    words = '[project]\nname = "x"\n[project.optional-dependencies]\n'
    words += "".join(f'{tag} = ["torch==2.8.0"]\n' for tag in ("cu126", "cu129")) + "[tool.uv.sources]\ntorch = [\n"
    words += "".join(f'  {{ index = "{tag}", extra = "{tag}" }},\n' for tag in ("cu126", "cu129")) + "]\n"
    for tag in ("cu126", "cu129"):
        url = f"https://download.pytorch.org/whl/{tag}"
        words += f'[[tool.uv.index]]\nname = "{tag}"\nurl = "{url}"\nexplicit = true\n'
    found = decided(tmp_path, {"pyproject.toml": words}, BLACKWELL)
    assert (build(found)[:2], "cuda-chosen" in codes(found)) == (("2.8.0", "cu129"), False)


def test_a_list_that_conda_wrote_on_another_system_is_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"environment.yml": "dependencies:\n- pytorch=1.13.1\n- vs2015_runtime=14.2\n"}
    said = [one.params for one in decided(tmp_path, files, AMPERE).remarks if one.key == "project.remark.exported"]
    assert [one["system"] for one in said] == ["Windows"]
    told: dict[str, str | bytes] = {"README.md": "On Windows `conda install pywin32`.\n", "requirements.txt": "torch\n"}
    assert "exported" not in codes(decided(tmp_path / "told", told, AMPERE))


@pytest.mark.parametrize(("requires", "is_kept"), [(">=3.10,<3.14", True), (">=3.12", False)])
def test_a_python_version_is_kept_where_requires_python_allows_it(tmp_path: Path, requires: str, is_kept: bool) -> None:
    pyproject = f'[project]\nname = "x"\nrequires-python = "{requires}"\ndependencies = ["torch"]\n'
    found = decided(tmp_path, {"pyproject.toml": pyproject, ".python-version": "3.11\n"}, ADA)
    assert (build(found)[2] == "3.11", "lock-stale" not in codes(found)) == (is_kept, is_kept)


def test_the_python_of_a_readme_is_taken_where_what_is_declared_leaves_it_open(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "setup.py": 'setup(python_requires=">=3.6", install_requires=["torch==2.4.0"])\n',
        "README.md": "conda create -n x python=3.10 && pip install torch --index-url https://download.pytorch.org/whl/cu111\n",
    }
    found = decided(tmp_path, files, ADA)
    assert build(found) == ("2.4.0", "cu118", "3.10")
    assert not found.relaxed, "a CUDA that is only recommended needs no yes"
    [told] = [one.params for one in found.remarks if one.key == "project.remark.cuda-none"]
    assert (told["torch"], told["cuda"]) == ("2.4.0", "cu111")


def test_a_recommended_cuda_is_told_by_the_line_for_this_system_and_with_what_is_against_it(tmp_path: Path) -> None:
    page = "https://download.pytorch.org/whl/cu128"
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.11.0\n",
        "Dockerfile": f"FROM python:3.12\nRUN pip install torch==2.7.1 --index-url {page}\n",
        "install.bat": f"uv pip install -r requirements.txt --extra-index-url {page}\n",
        "install.sh": f"uv pip install -r requirements.txt --extra-index-url {page}\n",
    }
    found = decided(tmp_path, files, PASCAL)
    [told] = [one.params for one in found.remarks if one.key == "project.remark.cuda-refused"]
    assert (build(found)[1], told["file"], told["build"]) == ("cu126", "install.bat", "2.11.0+cu128")
    assert ("6.1" in str(told["why"]), "cuda-recommended" in codes(found)) == (True, False)
    found = decided(tmp_path, files, NO_CARD)
    [told] = [one.params for one in found.remarks if one.key == "project.remark.cuda-recommended"]
    assert (told["file"], told["given"]) == ("install.sh", "cpu")
    readme = "```\npip install torch --index-url https://download.pytorch.org/whl/cu{}\n```\n"
    words: dict[str, str | bytes] = {"docs/install.md": readme.format(102), "README.md": f"# P\n{readme.format(121)}"}
    found = decided(tmp_path / "two", {"requirements.txt": "torch==2.11.0\n", **words}, PASCAL)
    [told] = [one.params for one in found.remarks if one.key.startswith("project.remark.cuda-")]
    assert (told["file"], told["asked"]) == ("README.md", "cu121, cu102 (docs/install.md:2)")


@pytest.mark.parametrize("readme", ["README.md", "readme.md", "Readme.rst"])
@pytest.mark.parametrize("other", ["docker/dockerfile", "Dockerfile", "README-ja.md", "install.sh"])
def test_the_readme_counts_before_its_translations_and_before_what_lies_below(
    tmp_path: Path, readme: str, other: str
) -> None:
    begin = "RUN " if "docker" in other.lower() else ""
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.0.0\n",
        other: f"{begin}conda create -n a python=3.8\n",
        readme: "    conda create -n a python=3.9\n",
    }
    assert build(decided(tmp_path, files, AMPERE))[2] == "3.9"


def test_the_manual_of_the_installation_is_read_as_a_readme(tmp_path: Path) -> None:
    words = "pip install torch==1.9.1+cu111 -f https://download.pytorch.org/whl/torch_stable.html\n"
    assert build(decided(tmp_path, {"docs/install.md": words}, AMPERE))[:2] == ("1.9.1", "cu111")


def test_an_index_for_other_makers_beside_ones_own_says_nothing(tmp_path: Path) -> None:
    text = (
        '[project]\nname = "x"\ndependencies = ["torch"]\n'
        '[[tool.uv.index]]\nname = "a"\nurl = "https://download.pytorch.org/whl/cu126"\n'
        '[[tool.uv.index]]\nname = "b"\nurl = "https://download.pytorch.org/whl/rocm6.4"\n'
    )
    assert "other-maker" not in codes(decided(tmp_path, {"pyproject.toml": text}, ADA))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cog.yaml", 'build:\n  python_version: "3.10"\n  cuda: "11.8"\n  python_packages:\n    - "torch==2.0.1"\n'),
        ("env.sh", "pip install torch==2.0.1\n"),
        ("Makefile", "install:\n\tpip install torch==2.0.1\n"),
        ("install.py", 'run("pip install torch==2.0.1")\n'),
        (
            "install.py",
            'run([sys.executable, "-m", "pip", "install", "torch==2.0.1", "--index-url", index_of(card)])\n',
        ),
        ("install.py", 'run(\n    ["pip", "install",\n     "einops", "torch==2.0.1",\n     *more]\n)\n'),
        ("docs/installation.md", "pip install torch==2.0.1\n"),
        ("ldm.yaml", "name: ldm\ndependencies:\n  - python=3.10\n  - pytorch=2.0.1\n"),
        ("pyproject.toml", '[tool.hatch.metadata.hooks.requirements_txt]\nfiles = ["needs.txt"]\n'),
        ("setup.py", 'setup(extras_require=dict(all=["torch==2.0.1"]))\n'),
    ],
)
def test_every_file_that_says_which_torch_is_read(tmp_path: Path, name: str, text: str) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "tqdm\n", "needs.txt": "torch==2.0.1\n", name: text}
    assert build(decided(tmp_path, files, AMPERE))[:2] == ("2.0.1", "cu118")


@pytest.mark.parametrize(
    ("beside", "readme"), [("", "Tested with PyTorch 1.10.\n"), ("  # 1.9 - 1.10 are known to work", "")]
)
def test_a_torch_that_is_named_in_words_is_told_where_no_line_asks_for_one_release(
    tmp_path: Path, beside: str, readme: str
) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": f"torch>=1.9{beside}\n", "README.md": readme}
    found = decided(tmp_path, files, ADA)
    assert ("in-words" in codes(found), build(found)[0]) == (True, "2.14.1")
    files["requirements.txt"] = f"torch==2.1.0{beside}\n"
    assert "in-words" not in codes(decided(tmp_path, files, ADA))


def test_what_hangs_on_torch_moves_none_that_runs(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.7.0+cu118\ntorchvision==0.22.0+cu118\ntriton==3.3.0\n",
        "conda_env.yml": "dependencies:\n  - pip:\n    - torchvision==0.16.2\n    - triton==2.1.0\n",
    }
    found = decided(tmp_path, files, BLACKWELL)
    assert (build(found)[:2], [one.name for one in found.relaxed]) == (("2.7.0", "cu128"), ["cuda"])
    assert "contradiction" in codes(found)
    assert [one.name for one in decided(tmp_path, files, AMPERE).relaxed] == []


@pytest.mark.parametrize("line", ["bash scripts/boot.sh", "RUN ./scripts/boot.sh", "cd x && source scripts/boot.sh"])
def test_a_script_that_a_readme_starts_is_read_where_it_installs(tmp_path: Path, line: str) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "einops\n",
        "README.md": f"```\n{line}\nbash scripts/train.sh\nbash scripts/gone.sh\n```\n",
        "scripts/boot.sh": "pip install torch==2.0.1\n",
        "scripts/train.sh": "python3.8 -m train\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[0], codes(found) & {"undeclared", "include-missing"}) == ("2.0.1", set())
    assert "scripts/train.sh" not in project_of(tmp_path, files).files


def test_constraints_of_a_readme_install_nothing(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\nscipy\n",
        "pins.txt": "torch<2.5\nscipy<1.11\npandas<2\n",
        "README.md": "pip install -r requirements.txt -c pins.txt\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[0], [one.name for one in found.understood.rest]) == ("2.4.1", ["scipy"])
    assert [str(one) for one in found.understood.constraints] == ["scipy<1.11", "pandas<2"]


def test_of_extras_that_stand_against_each_other_the_others_are_told(tmp_path: Path) -> None:
    pyproject = (
        '[project]\nname = "x"\n[project.optional-dependencies]\n'
        'old = ["torch==2.3.0+cu118", "torchvision==0.18.0"]\nnew = ["torch==2.5.0", "torchvision==0.20.0"]\n'
    )
    found = decided(tmp_path, {"pyproject.toml": pyproject}, AMPERE)
    assert (build(found)[0], found.relaxed) == ("2.5.0", ())
    assert "other-extras" in codes(found)
    beside = pyproject.replace('"torch==2.5.0", ', '"torch==2.5.0", "pytorch-lightning<=2.6.1", ')
    taken = decided(tmp_path / "beside", {"pyproject.toml": beside}, AMPERE)
    assert "pytorch-lightning" in {one.name for one in taken.understood.rest}
    pyproject = pyproject.replace("==2.3.0+cu118", ">=2.3").replace("==0.18.0", ">=0.18")
    assert "other-extras" not in codes(decided(tmp_path, {"pyproject.toml": pyproject}, AMPERE))


@pytest.mark.parametrize(
    "table",
    [
        '[tool.pdm.resolution.overrides]\ntorch = "2.3.0"\n',
        '[tool.pdm.dev-dependencies]\ngpu = ["torch==2.3.0"]\n',
        '[tool.hatch.envs.default]\ndependencies = ["torch==2.3.0"]\n',
    ],
)
def test_pdm_and_hatch_ask_for_torch_in_tables_of_their_own(tmp_path: Path, table: str) -> None:
    files: dict[str, str | bytes] = {"pyproject.toml": f'[project]\nname = "x"\ndependencies = ["einops"]\n{table}'}
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[0], "undeclared" in codes(found)) == ("2.3.0", False)


def test_an_explicit_index_that_nothing_names_says_nothing(tmp_path: Path) -> None:
    text = (
        '[project]\nname = "x"\ndependencies = ["torch"]\n'
        '[[tool.uv.index]]\nname = "a"\nurl = "https://download.pytorch.org/whl/cu121"\nexplicit = true\n'
    )
    assert build(decided(tmp_path, {"pyproject.toml": text}, ADA))[:2] == ("2.14.1", "cu126")


def test_a_release_that_no_table_has_stands_against_an_earlier_line(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==1.11.0\n",
        "environment.yml": "dependencies:\n  - pytorch=1.6.0\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[0], "contradiction" in codes(found)) == ("1.11.0", True)


def test_a_torchvision_older_than_the_tables_means_such_a_torch(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torchvision==0.5.0\n"}, AMPERE)
    assert (build(found)[0], [one.name for one in found.relaxed]) == ("1.7.1", ["torch", "torchvision"])
