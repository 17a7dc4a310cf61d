"""Several parts, several lists and several names in one project: which are taken, which are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, NO_CARD, build, codes, decided, relaxed
from tests.project.test_read import project_of
from wizard.model.errors import UsageError
from wizard.model.messages import LANGUAGES, text
from wizard.project.decide import ProjectDecision


def rest(found: ProjectDecision) -> dict[str, str]:
    return {one.name: one.specifier for one in found.understood.rest}


@pytest.mark.parametrize("name", ["pip/modules.txt", "reqs/base.txt", "deps/python.txt", "docker/requirements.txt"])
def test_a_list_in_a_folder_that_is_named_for_pip_is_read_where_the_root_has_none(tmp_path: Path, name: str) -> None:
    found = decided(tmp_path / "a", {name: "torch==2.4.1\neinops\n", "README.md": "A model.\n"}, AMPERE)
    assert (build(found)[0], list(rest(found))) == ("2.4.1", ["einops"])
    beside: dict[str, str | bytes] = {name: "torch==2.4.1\n", "requirements-dev.txt": "ruff\n"}
    found = decided(tmp_path / "b", beside, AMPERE)
    assert build(found)[0] == "2.4.1"


def test_what_is_no_list_is_not_read_for_its_folder(tmp_path: Path) -> None:
    words = "We depend on torch, as everybody does.\n"
    with pytest.raises(UsageError):
        project_of(tmp_path, {"deps/notes.txt": words})


def test_parts_that_go_together_are_one_environment(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "train/requirements.txt": "torch>=2.0\nnumpy<2\n",
        "serve/setup.py": "import setuptools\nsetuptools.setup(install_requires=['torch<2.5', 'flask'])\n",
    }
    found = decided(tmp_path / "a", files, AMPERE)
    assert (build(found)[0], {"flask", "numpy"} <= rest(found).keys()) == ("2.4.1", True)
    assert "parts-together" in codes(found)
    with pytest.raises(UsageError) as error:
        project_of(tmp_path / "b", {**files, "serve/requirements.txt": "numpy==2.1.0\n"})
    assert error.value.code == "project-in-parts"


@pytest.mark.parametrize(
    ("own", "other", "is_one"),
    [
        ("onnxruntime==1.15.1", "onnxruntime-gpu", False),
        ("faiss-gpu", "faiss-cpu", False),
        ("onnxruntime==1.15.1", "onnxruntime\nonnxruntime-gpu", True),  # one alone has both: its own matter
        ("onnxruntime", "onnxruntime", True),
        ("onnxruntime", "onnxruntime-gpu; sys_platform == 'linux'", True),
    ],
)
def test_parts_whose_packages_write_over_each_other_are_no_one_environment(
    tmp_path: Path, own: str, other: str, is_one: bool
) -> None:
    files: dict[str, str | bytes] = {
        "a_pytorch/requirements.txt": f"torch==2.0.1\n{own}\n",
        "av2_pytorch/requirements.txt": f"torch>=2.0.1\n{other}\n",
    }
    if is_one:
        assert "parts-together" in codes(decided(tmp_path, files, AMPERE))
        return
    with pytest.raises(UsageError) as error:
        project_of(tmp_path, files)
    assert error.value.code == "project-in-parts"


def test_the_part_that_is_called_as_the_project_is_taken(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "fastnet/requirements.txt": "torch==2.4.1\n",
        "old/requirements.txt": "torch==1.13.1\n",
    }
    found = decided(tmp_path / "FastNet", files, AMPERE)
    assert (build(found)[0], "part-of-name" in codes(found)) == ("2.4.1", True)


def test_the_project_is_no_package_that_its_own_list_asks_for(tmp_path: Path) -> None:
    setup = "from setuptools import setup\nsetup(name='verl', install_requires=['torch'])\n"
    files: dict[str, str | bytes] = {"setup.py": setup, "requirements.txt": "torch==2.4.1\nverl==0.2\nray\n"}
    found = decided(tmp_path, files, AMPERE)
    assert (list(rest(found)), "own-name" in codes(found)) == (["ray"], True)
    told: dict[str, str | bytes] = {"setup.py": setup, "README.md": "pip install verl\n"}
    assert not {"own-name", "recommended-too"} & codes(decided(tmp_path / "b", told, AMPERE))


def test_lines_of_the_list_for_this_system_count_before_those_for_all(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\nscipy==1.10.0\neinops\n",
        "requirements_win.txt": "scipy==1.11.4\npydub\n",
    }
    found = decided(tmp_path, files, ADA)
    assert (rest(found)["scipy"], "own-lines" in codes(found), "contradiction" in codes(found)) == (
        "==1.11.4",
        True,
        False,
    )
    assert {"einops", "pydub"} <= rest(found).keys()
    assert rest(decided(tmp_path / "b", files, AMPERE)) == {"scipy": "==1.10.0", "einops": ""}


def test_the_list_of_colab_is_that_of_linux_where_there_is_no_other(tmp_path: Path) -> None:
    colab = "torch==2.4.1\nnumpy<2\npandas\n"
    files: dict[str, str | bytes] = {
        "requirements-colab.txt": colab,
        "requirements.txt": "torch==2.6.0\nnumpy<2\npandas\n",
    }
    found = decided(tmp_path / "a", files, AMPERE)
    assert (build(found)[0], "other-lists" in codes(found)) == ("2.6.0", True)
    alone: dict[str, str | bytes] = {"requirements-colab.txt": colab, "requirements_windows.txt": "torch==2.5.1\n"}
    assert build(decided(tmp_path / "b", alone, AMPERE))[0] == "2.4.1"
    assert build(decided(tmp_path / "c", alone, ADA))[0] == "2.5.1"


def test_a_list_that_repeats_the_main_one_is_another_way_to_the_same(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "numpy==1.23.4\nscipy==1.10.1\nlibrosa==0.9.2\ntqdm\n",
        "requirements3d.txt": "numpy==1.21.6\nscipy==1.5.3\nlibrosa==0.9.2\npytorch3d\n",
        "requirements_extra.txt": "gradio\nsafetensors\nnumpy\n",
        "README.md": "pip install torch==2.4.1\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert (rest(found)["scipy"], "gradio" in rest(found), "pytorch3d" in rest(found)) == ("==1.10.1", True, False)
    assert any("requirements3d.txt" in text(one, "en") for one in found.remarks if one.key.endswith("other-lists"))
    assert "contradiction" not in codes(found)


def test_a_pair_goes_with_the_torch_of_its_own_file_where_that_is_not_taken(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.4.1\n",
        "environment.yml": "dependencies:\n  - python=3.10\n  - pytorch=1.12.1\n  - torchvision=0.13.1\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[0], found.candidate and found.candidate.torchvision, relaxed(found)) == ("2.4.1", "0.19.1", {})
    assert "contradiction" in codes(found)


def test_of_two_pythons_that_are_only_told_the_file_counts_and_that_is_said(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.2.2\n",
        "runtime.txt": "python-3.9.13\n",
        "README.md": "Requires Python 3.11.\n",
    }
    found = decided(tmp_path / "a", files, AMPERE)
    assert (build(found)[2], "contradiction" in codes(found)) == ("3.9", True)
    found = decided(tmp_path / "b", {**files, "README.md": "Requires Python 3.9.x.\n"}, AMPERE)
    assert (build(found)[2], "contradiction" in codes(found)) == ("3.9", False)


def test_folders_below_that_are_compiled_are_named(tmp_path: Path) -> None:
    setup = "from setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension\n"
    setup += "setup(name='ops', ext_modules=[CUDAExtension('ops', ['a.cu'])])\n"
    plain = "from setuptools import setup\nsetup(name='plain')\n"
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.4.1\n",
        "models/ops/setup.py": setup,
        "plain/setup.py": plain,
        "README.md": "Run it.\n",
    }
    found = decided(tmp_path / "a", files, NO_CARD)
    [said] = [one.params["folders"] for one in found.remarks if one.key.endswith("parts-compiled")]
    assert said == "models/ops"
    named: dict[str, str | bytes] = {**files, "README.md": "```\ncd models/ops\npip install .\n```\n"}
    found = decided(tmp_path / "b", named, BLACKWELL)
    assert {"folders-too", "parts-compiled", "own-no-card"} & codes(found) == {"folders-too", "parts-compiled"}
    found = decided(tmp_path / "b", named, NO_CARD)
    [said] = [one.params["file"] for one in found.remarks if one.key.endswith("own-no-card")]
    assert said == "models/ops", "a line that installs it takes no sentence away"
    either = setup.replace("CUDAExtension\n", "CUDAExtension, CppExtension\n") + "CppExtension('a', [])\n"
    found = decided(tmp_path / "c", {**files, "models/ops/setup.py": either}, NO_CARD)
    assert {"parts-compiled", "own-no-card"} & codes(found) == {"parts-compiled"}
    beside = {"setup.py": setup.replace("'ops', ", "'all', "), "requirements.txt": "torch\n"}
    found = decided(tmp_path / "d", {**files, **beside}, NO_CARD)
    [said] = [one.params["file"] for one in found.remarks if one.key.endswith("own-no-card")]
    assert said == "setup.py, models/ops"


def test_where_each_python_has_a_torch_of_its_own_the_python_is_chosen_first(tmp_path: Path) -> None:
    words = 'torch==2.6.0; python_version < "3.14"\ntorch>=2.9.0; python_version >= "3.14"\n'
    files: dict[str, str | bytes] = {"requirements.txt": words, "README.md": "Tested on Python 3.11.\n"}
    assert build(decided(tmp_path / "a", files, AMPERE))[::2] == ("2.6.0", "3.11")
    assert build(decided(tmp_path / "b", files, BLACKWELL))[::2] == ("2.15.0", "3.14")
    files["README.md"] = "A model.\n"
    assert build(decided(tmp_path / "c", files, AMPERE))[::2] == ("2.6.0", "3.12")


def test_a_lock_of_condas_says_for_which_systems_it_is(tmp_path: Path) -> None:
    place = "https://wheels.example/cu124/torch-2.6.0%2Bcu124-cp312-cp312"
    words = "version: 6\nenvironments:\n  default:\n    packages:\n      linux-64:\n"
    words += f"      - pypi: {place}-linux_x86_64.whl\n      osx-arm64:\n"
    words += "      - pypi: https://wheels.example/torch-2.5.1-cp312-none-macosx_11_0_arm64.whl\n"
    toml = '[workspace]\nchannels = ["conda-forge"]\n[pypi-dependencies]\ntorch = ">=2.4"\n'
    files: dict[str, str | bytes] = {"pixi.toml": toml, "pixi.lock": words}
    found = decided(tmp_path / "a", files, AMPERE)
    assert (build(found)[:2], "lock-elsewhere" in codes(found)) == (("2.6.0", "cu124"), False)
    found = decided(tmp_path / "b", files, ADA)
    assert (build(found)[0], "lock-elsewhere" in codes(found)) == ("2.14.1", True)
    lock = "metadata:\n  platforms:\n  - linux-64\npackage:\n- name: python\n  platform: linux-64\n"
    lock += "  url: https://conda.example/linux-64/python-3.10.12-hd12c33a_0_cpython.conda\n"
    beside: dict[str, str | bytes] = {"environment.yml": "dependencies:\n  - pytorch\n", "conda-lock.yml": lock}
    assert build(decided(tmp_path / "c", beside, AMPERE))[2] == "3.10"
    assert "lock-elsewhere" in codes(decided(tmp_path / "d", beside, ADA))


_READS = "from setuptools import setup\ndef read(name):\n    return open(name).read().splitlines()\n"


@pytest.mark.parametrize(
    "words",
    [
        'setup(install_requires=["torch>=2"], extras_require={"all": read("extras/requirements.txt")})\n',
        'def more():\n    return read("extras/requirements.txt")\n'
        'setup(install_requires=["torch>=2"], extras_require={"all": more()})\n',
        'def more():\n    return {"all": read("extras/requirements.txt")}\n'
        'setup(install_requires=["torch>=2"], extras_require=more())\n',
        'E = {one: read(one) for one in ["extras/requirements.txt"]}\n'
        'setup(install_requires=["torch>=2"], extras_require=E)\n',
        'setup(install_requires=["einops"], python_requires=">=3.8")\n',
    ],
)
def test_lists_of_extras_are_no_demands_of_the_plain_install(tmp_path: Path, words: str) -> None:
    lists: dict[str, str | bytes] = {"setup.py": _READS + words, "extras/requirements.txt": "torch==1.13.1\nmlflow\n"}
    found = decided(tmp_path, lists, AMPERE)
    assert build(found)[0] == "2.14.1"
    assert "mlflow" not in [one.name for one in found.understood.rest]


def test_lists_of_the_documents_are_no_demands_beside_others(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.4.1\n",
        "docs/requirements.txt": "torch==1.10.0\nsphinx\n",
        "README.md": "```\npip install -r docs/requirements.txt\n```\n",
    }
    found = decided(tmp_path / "a", files, AMPERE)
    assert (build(found)[0], [one.name for one in found.understood.rest]) == ("2.4.1", [])
    assert "contradiction" not in codes(found)
    del files["requirements.txt"]
    assert build(decided(tmp_path / "b", files, AMPERE))[0] == "1.10.0", "nothing else says what is needed"


def test_repositories_within_that_were_not_fetched_are_named(tmp_path: Path) -> None:
    words = '[submodule "a"]\n\tpath = submodules/a\n\turl = https://x.example/a\n[submodule "b"]\n  path="ext/b"\n'
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", ".gitmodules": words, "ext/b/setup.cfg": ""}
    files["README.md"] = "# t\nRun `git submodule update --init` first.\n"
    (tmp_path / "submodules" / "a").mkdir(parents=True)  # git makes it, empty
    said = [one for one in decided(tmp_path, files, AMPERE).remarks if one.key.endswith(".submodules")]
    assert [one.params["folders"] for one in said] == ["submodules/a"]
    (tmp_path / "submodules" / "a" / "a.py").write_text("")
    assert "submodules" not in codes(decided(tmp_path, files, AMPERE))


@pytest.mark.parametrize(
    ("more", "is_needed"),
    [
        ({}, False),
        ({"README.md": "# t\nSee [low](https://x.example/ext/low).\n"}, False),
        ({"README.md": "# t\n`git clone --recursive https://x.example/t`\n"}, True),
        ({"README.md": "# t\n`cd ext/low && make`\n"}, True),
        ({"ops/CMakeLists.txt": "add_subdirectory(../ext/low)\n"}, True),
        ({"tools/convert.py": "from ext.low import net\n"}, False),
        ({"tools/convert.py": "from ext.low import net\n", "main.py": "import tools.convert\n"}, True),
        ({"README.md": "# t\n`python main.py`\n", "main.py": "import low\n"}, True),
        ({"README.md": "# t\n`python main.py`\n", "main.py": "", "convert.py": "import low\n"}, False),
    ],
)
def test_a_submodule_that_nothing_names_is_for_who_uses_it(
    tmp_path: Path, more: dict[str, str | bytes], is_needed: bool
) -> None:
    module = '[submodule "low"]\n\tpath = ext/low\n\turl = https://x.example/low\n'
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", ".gitmodules": module, **more}
    told = codes(decided(tmp_path, files, AMPERE)) & {"submodules", "submodules-aside"}
    assert told == {"submodules" if is_needed else "submodules-aside"}


def test_a_repository_that_is_fetched_beside_the_project_is_told(tmp_path: Path) -> None:
    block = "```\ngit clone https://github.com/x/net.git\ngit clone https://github.com/y/taming.git\ncd net\n{0}\n```\n"
    later = "## Export\n```\ngit clone https://github.com/y/trt\n```\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n"}

    def told(name: str, more: str) -> list[tuple[object, object]]:
        readme = f"## Install\n{block.format(more)}{later}"
        remarks = decided(tmp_path / name / "net", {**files, "README.md": readme}, ADA).remarks
        return [(one.params["line"], one.params["repositories"]) for one in remarks if one.key.endswith("fetched-too")]

    assert told("a", "pip install -r requirements.txt") == [(4, "https://github.com/y/taming")]
    assert told("b", "pip install -e ../taming") == []  # it is told as what is installed
    assert told("c", "git clone https://github.com/y/other") == [
        (4, "https://github.com/y/taming, https://github.com/y/other")
    ]


def test_a_folder_that_a_script_builds_with_cmake_is_told(tmp_path: Path) -> None:
    script = "cd ${ROOT}/native/fast/ && \\\nmkdir -p build && cd build && \\\ncmake .. && make -j4\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "build_all.sh": script}
    files |= {"native/fast/CMakeLists.txt": "project(x)\n", "native/other/CMakeLists.txt": "project(y)\n"}
    files |= {"ops/Makefile": "all:\n", "README.md": "```\ncd ops && make\n```\n"}
    [said] = [one.params for one in decided(tmp_path, files, AMPERE).remarks if one.key.endswith("parts-compiled")]
    assert said["folders"] == "native/fast, ops"
    plain: dict[str, str | bytes] = {**files, "build_all.sh": "cd native/fast && python x.py\n", "README.md": ""}
    assert "parts-compiled" not in codes(decided(tmp_path / "plain", plain, AMPERE))


def test_what_a_folder_that_a_list_installs_asks_of_torchs_family_counts_and_the_rest_is_named(tmp_path: Path) -> None:
    needs = "['torch', 'torchaudio<2.9', 'julius', 'numpy']"
    setup = f"from setuptools import setup\nsetup(name='x', install_requires={needs})\n"
    files: dict[str, str | bytes] = {"requirements.txt": "numpy\n./ext/x\n", "ext/x/setup.py": setup}
    files["components/y/requirements.txt"] = "torch>=2.0.0\ntorchvision\n"
    found = decided(tmp_path / "a", files, BLACKWELL)
    assert build(found)[0] == "2.8.0"
    assert {name: [one.specifier for one in lines] for name, lines in found.understood.pairs.items()} == {
        "torchaudio": ["<2.9"]
    }
    [said] = [one.params for one in found.remarks if one.key.endswith("folder-needs")]
    assert (said["file"], said["line"], said["folder"], said["packages"]) == ("requirements.txt", 2, "ext/x", "julius")
    assert "torch-below" not in codes(found)
    files["requirements.txt"] = "numpy\n"
    assert "folder-needs" not in codes(decided(tmp_path / "b", files, BLACKWELL))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("import torch", "setup.py:2, ops/setup.py:2"),
        (
            "try:\n    from torch.utils import cpp_extension\nexcept ImportError:\n    pass",
            "setup.py:3, ops/setup.py:3",
        ),
        ("import os  # torch", None),
    ],
)
def test_a_build_that_imports_torch_is_told_with_the_option_that_lets_it(
    tmp_path: Path, line: str, said: str | None
) -> None:
    setup = f"from setuptools import setup\n{line}\nsetup(name='x')\n"
    found = decided(tmp_path, {"requirements.txt": "torch\n", "setup.py": setup, "ops/setup.py": setup}, AMPERE)
    told = [one for one in found.remarks if one.key == "project.remark.torch-in-build"]
    assert [one.params["files"] for one in told] == ([said] if said else [])
    assert all("--no-build-isolation" in text(one, language) for one in told for language in LANGUAGES)


def test_a_build_that_brings_a_torch_of_its_own_is_not_told_to_lack_one(tmp_path: Path) -> None:
    setup = "from setuptools import setup\nimport torch\nsetup(name='x')\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "setup.py": setup, "ops/setup.py": setup}
    for needs, said in (
        ('["setuptools", "torch>=2"]', "ops/setup.py:2"),
        ('["torch-geometric"]', "setup.py:2, ops/setup.py:2"),
    ):
        files["pyproject.toml"] = f"# needs torch>=2\n[build-system]\nrequires = {needs}\n"
        found = decided(tmp_path / said.replace("/", "-"), files, AMPERE)
        told = [one.params["files"] for one in found.remarks if one.key == "project.remark.torch-in-build"]
        assert told == [said]
        own = [one.params for one in found.remarks if one.key.endswith("torch-of-build")]
        places = [(one["file"], one["line"], one["text"]) for one in own]
        assert places == [("pyproject.toml", 3, "torch>=2")] * (said == "ops/setup.py:2")
    files["pyproject.toml"] = '[build-system]\nrequires = []\nbuild-backend = "hatchling.build"\n'  # runs no setup.py
    [told] = [one for one in decided(tmp_path / "other", files, AMPERE).remarks if one.key.endswith(".torch-in-build")]
    assert told.params["files"] == "ops/setup.py:2"


def test_what_a_readme_has_built_from_git_and_programs_import_is_built_against_this_torch(tmp_path: Path) -> None:
    readme = (
        "```\npip install torch==2.5.1\npip install 'git+https://github.com/facebookresearch/detectron2.git'\n```\n"
    )
    files: dict[str, str | bytes] = {"README.md": readme, "requirements.txt": "einops\n"}
    for number, program in enumerate(("import detectron2\n", "import einops\n")):
        found = decided(tmp_path / str(number), {**files, "train.py": program}, AMPERE)
        said = [str(one.params["packages"]) for one in found.remarks if one.key.startswith("project.native.toolkit")]
        assert said == ["detectron2"] * (number == 0)


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("g++ -O2 -std=c++11 -o orca orca.cpp", True),
        ("$ nvcc a.cu -o a", True),
        ("   ```g++ -O2 -o orca orca.cpp```", True),
        ("You need g++ -o speaks for itself", False),
        ("gcc --version", False),
    ],
)
def test_a_line_that_compiles_a_program_is_told(tmp_path: Path, line: str, is_told: bool) -> None:
    readme = f"## Install\n```\ncd orca\n{line}\n```\n"
    found = decided(tmp_path, {"requirements.txt": "torch\n", "README.md": readme}, AMPERE)
    said = [one.params["line"] for one in found.remarks if one.key == "project.remark.compiler-line"]
    assert said == ([4] if is_told else [])


_BELOW = "`conda create -n x python=3.10`\n\n`pip install torch==2.1.1`\n\n`pip install -r requirements.txt`\n"


@pytest.mark.parametrize(
    ("files", "torch"),
    [
        ({"requirements.txt": "timm==0.4.12\n", "lab/README.md": _BELOW}, "2.1.1"),
        ({"requirements.txt": "timm==0.4.12\n", "lab/README.md": _BELOW, "lab/requirements.txt": "einops\n"}, ""),
        ({"requirements.txt": "timm==0.4.12\ntorch>=2.0\n", "lab/README.md": _BELOW}, ""),
    ],
    ids=["the root's list", "a list of its own", "the root says which torch"],
)
def test_a_readme_below_that_installs_the_list_of_the_root_says_which_torch(
    tmp_path: Path, files: dict[str, str], torch: str
) -> None:
    project = project_of(tmp_path, {"README.md": "A model.\n", **files})
    told = [one.specifier for one in project.statements if one.origin.file == "lab/README.md" and one.name == "torch"]
    assert told == ([f"=={torch}"] if torch else [])


def test_a_document_below_that_names_a_torch_is_named_where_no_line_says_which(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "README.md": "A model.\n",
        "requirements.txt": "torch\neinops\n",
        "lab/notes/own.md": "`pip install torch==2.3.1`\n",
    }
    [told] = [one for one in project_of(tmp_path / "open", files).remarks if one.key.endswith("torch-unread")]
    assert text(told, "en").startswith("lab/notes/own.md, line 1, installs torch ==2.3.1 and is not read")
    files["requirements.txt"] = "torch>=2.0\n"
    pinned = project_of(tmp_path / "bound", files)
    assert not [one for one in pinned.remarks if one.key.endswith("torch-unread")]


@pytest.mark.parametrize("link", ["/doc/setup_en.md", "doc/setup.md", "./docs/install_zh.md"])
def test_a_document_that_the_readme_goes_to_for_the_installation_says_which_torch(tmp_path: Path, link: str) -> None:
    files = {
        "README.md": f"# t\nPlease refer to [setup]({link}).\n",
        "requirements.txt": "einops\n",
        link.lstrip("./"): "`conda install pytorch==2.3.1 -c pytorch`\n",
    }
    assert build(decided(tmp_path, files, AMPERE))[0] == "2.3.1"


def test_a_comment_of_a_block_makes_a_choice_of_the_lines_up_to_an_empty_one(tmp_path: Path) -> None:
    block = "pip install torch==2.3.1\npip install timm\n\n# for the benchmarks\npip install ogb\n\npip install yacs\n"
    found = decided(tmp_path, {"README.md": f"# t\n## Environment setup\n```\n{block}```\n"}, AMPERE)
    assert [*rest(found)] == ["timm", "yacs"]


def test_all_members_of_a_workspace_are_read_and_are_no_packages_of_the_index(tmp_path: Path) -> None:
    sources = "[tool.uv.sources]\nit-core = { workspace = true }\n"
    part = '[project]\nname = "it-{}"\nversion = "1"\ndependencies = {}\n'
    files: dict[str, str | bytes] = {
        "packages/core/pyproject.toml": part.format("core", '["torch", "einops"]'),
        "packages/ways/pyproject.toml": part.format("ways", '["it-core", "tqdm"]'),
        "packages/more/pyproject.toml": part.format("more", '["rich"]'),
    }
    root = f'{sources}[tool.uv.workspace]\nmembers = ["packages/*"]\nexclude = ["packages/more"]\n'
    found = decided(tmp_path / "a", {**files, "pyproject.toml": root}, AMPERE)
    assert {one.name for one in found.understood.rest} == {"einops", "tqdm", "it-core"}
    others = {f"aside/n{n}/pyproject.toml": part.format(f"n{n}", '["rich"]') for n in range(30)}
    deeper = {"packages/ways/deep/pyproject.toml": part.format("deep", '["yacs"]')}
    found = decided(tmp_path / "many", {**files, **others, **deeper, "pyproject.toml": root}, AMPERE)
    assert {one.name for one in found.understood.rest} == {"einops", "tqdm", "it-core"}, (
        "of its members alone, however many"
    )
    both = root.replace("packages/*", "./packages/**/")
    found = decided(tmp_path / "deep", {**files, **deeper, "pyproject.toml": both}, AMPERE)
    assert {one.name for one in found.understood.rest} == {"einops", "tqdm", "yacs", "it-core"}
    found = decided(tmp_path / "b", {**files, "pyproject.toml": sources}, AMPERE)
    assert {one.name for one in found.understood.rest} == {"einops"}
