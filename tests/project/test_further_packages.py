"""What is named of packages that only a script, a README or a file that was not read has, and what is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import AMPERE, ANY, BLACKWELL, build, codes, decided
from tests.project.test_read import project_of
from wizard.compatibility.data.load import load_matrix
from wizard.project.decide import decide
from wizard.project.model import RECOMMENDED
from wizard.project.read import read_project


def test_what_only_a_script_installs_is_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.0.1\neinops\n",
        "install.sh": "conda install -c iopath iopath\npip install einops\npip install ./submodules/simple_knn -e .\n",
        "README.md": "pip install gradio\npip install -e third_party/raster\n",
    }
    found = decided(tmp_path, files, AMPERE)
    told = [(one.params["file"], one.params["packages"]) for one in found.remarks if one.key.endswith("s-too")]
    assert told == [("README.md", "third_party/raster"), ("install.sh", "./submodules/simple_knn")]
    keys = ("recommended-too", "recommended-conda")
    said = {one.key.rpartition(".")[2]: one.params["packages"] for one in found.remarks if one.key.endswith(keys)}
    assert said == {"recommended-too": "gradio", "recommended-conda": "iopath"}
    assert [one.name for one in found.understood.rest] == ["einops"]
    many = "".join(f"pip install p{number}\n" for number in range(12)) + "pip install opencv-python==4.2.0.34\n"
    found = decided(tmp_path / "many", {"reqs.txt": "einops", "install.sh": f"pip install torch\n{many}"}, AMPERE)
    [words] = [str(one.params["packages"]) for one in found.remarks if one.key.endswith("recommended-too")]
    assert (words[:26], words[-8:]) == ("opencv-python==4.2.0.34, p", "p10 (+1)")
    long = "".join(f"pip install a-package-with-a-long-name-{number}\n" for number in range(6))
    found = decided(tmp_path / "long", {"reqs.txt": "einops", "install.sh": f"pip install torch\n{long}"}, AMPERE)
    [words] = [str(one.params["packages"]) for one in found.remarks if one.key.endswith("recommended-too")]
    assert words == ", ".join(f"a-package-with-a-long-name-{number}" for number in range(5)) + " (+1)"


@pytest.mark.parametrize(
    ("file", "declared"),
    [
        ("Dockerfile", {"requirements.txt": "torch\nscipy\n"}),
        ("setup.sh", {"setup.cfg": "[options.extras_require]\nall = pandas\n"}),
        ("README.md", {"requirements.txt": "torch==2.0.1\n"}),
    ],
)
def test_what_is_not_taken_is_named_beside_an_extra_and_torch(
    tmp_path: Path, file: str, declared: dict[str, str | bytes]
) -> None:
    found = decided(
        tmp_path, {file: "RUN pip install -U pip setuptools wheel\nRUN pip install torch pandas\n", **declared}, AMPERE
    )
    assert [one.params["packages"] for one in found.remarks if one.key.endswith("recommended-too")] == ["pandas"]


def test_of_a_readme_neither_the_project_nor_words_nor_tools_are_further_packages(tmp_path: Path) -> None:
    readme = "git clone https://github.com/who/Nice-Tool.git\nconda create -yn mine python=3.10\n"
    readme += "pip install nicetool nice-tool my_package uv\npip install --proxy http://127.0.0.1:8080 e .\n"
    readme += "pip install geoopt  *# Optional and fast*\npip install -e lib/ops\npip install lib/ops\n"
    owner: dict[str, str | bytes] = {
        "pyproject.toml": "[project]\nname = 'My.Package'\n",
        "setup.py": "from setuptools import setup\nsetup(name='my-package')\n",
        "setup.cfg": "[metadata]\nname = my-package\n",
    }
    for name, words in owner.items():
        files = {"requirements.txt": "torch==2.0.1\neinops\n", "README.md": readme, name: words}
        found = decided(tmp_path / name, files, AMPERE)
        told = [one.params["packages"] for one in found.remarks if one.key.endswith("s-too")]
        assert told == ["lib/ops"], told
        [said] = [one.params["packages"] for one in found.remarks if one.key.endswith("recommended-too")]
        assert said == "geoopt"


def test_a_path_of_windows_and_a_name_in_a_folder_that_a_line_goes_to_are_folders(tmp_path: Path) -> None:
    readme = "```\ncd submodules\npip install raster-32\npip install geoopt\npip install pybind11;\ncd ..\n```\n"
    (tmp_path / "submodules" / "raster-32").mkdir(parents=True)
    files: dict[str, str | bytes] = {"requirements.txt": "submodules\\simple-grid\ntorch==2.0.1\n", "README.md": readme}
    found = decided(tmp_path, files, AMPERE)
    assert [one.params["line"] for one in found.remarks if one.key.endswith("local-path")] == [1]
    told = {one.key.rpartition(".")[2]: one.params["packages"] for one in found.remarks if one.key.endswith("s-too")}
    assert told == {"folders-too": "./submodules/raster-32"}
    [said] = [one.params["packages"] for one in found.remarks if one.key.endswith("recommended-too")]
    assert said == "geoopt, pybind11"


def test_a_comment_behind_a_command_names_no_packages(tmp_path: Path) -> None:
    words = "pip install peft==0.4.0  #for the model\npip install # the rest:\npip install git+https://git.example/x#egg=y\n"
    project = project_of(tmp_path, {"install.sh": words})
    assert [one.name for one in project.statements] == ["peft", "y"]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("Alter the pip install command according to your GPU and driver version.", []),
        ("Follow the conda install instructions, or the pip install guide of einops.", []),
        (
            "Run pip install torch einops==0.8.0 and then conda install faiss-gpu in the new environment.",
            ["torch", "einops", "faiss-gpu"],
        ),
        ("```\npip install torch einops to\n```", ["torch", "einops", "to"]),
    ],
)
def test_words_of_a_sentence_about_pip_are_no_packages(tmp_path: Path, words: str, names: list[str]) -> None:
    project = project_of(tmp_path, {"requirements.txt": "numpy\n", "README.md": words})
    assert [one.name for one in project.statements] == ["numpy", *names]


def test_values_of_options_and_lists_are_no_packages(tmp_path: Path) -> None:
    line = "pip install --index-strategy unsafe-best-match -e requirements/train.txt einops\n"
    files: dict[str, str | bytes] = {"Dockerfile": f"RUN uv {line}", "requirements/train.txt": "torch==2.3.1\n"}
    project = project_of(tmp_path / "a", files)
    assert {one.name for one in project.statements} == {"torch", "einops"}
    options = "--progress-bar off --root-user-action ignore --report made.json --abi cp311 --python-platform linux"
    line = f"pip install {options} -q torch==2.3.1 einops --exists-action w --log-file pip.log\n"
    project = project_of(tmp_path / "b", {"README.md": f"```\n{line}```\n"})
    assert {one.name for one in project.statements} == {"torch", "einops"}
    source = "uv pip install --default-index https://wheels.example/simple --constraints pins.txt torch\n"
    project = project_of(tmp_path / "c", {"Dockerfile": f"RUN {source}", "pins.txt": "torch==2.3.1\n"})
    assert [(one.kind, one.url) for one in project.sources] == [("index", "https://wheels.example/simple")]
    assert [(one.specifier, one.group) for one in project.statements if one.name == "torch"] == [
        ("==2.3.1", "constraint"),
        ("", ""),
    ]


def test_files_that_were_not_read_and_name_further_packages_are_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.1.0\neinops\n",
        "tools/fetch.sh": "pip install gdown einops\n",
        "extra/modules.txt": "decord==0.6.0\ntorch\n",
        "notes.txt": "The model was trained for three days.\n",
        "data/README.md": "pip install lvis\n",
        "lint.sh": "pip install black\n",
    }
    told = [one.params for one in project_of(tmp_path, files).remarks if one.key.endswith(".not-read-too")]
    assert [(one["file"], one["packages"]) for one in told] == [
        ("extra/modules.txt", "decord==0.6.0"),
        ("tools/fetch.sh", "gdown"),
    ]


def test_many_files_that_were_not_read_are_named_in_one_sentence(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"extra/{name}.txt": f"{name}==1.0\ntorch\n" for name in "abcd"}
    found = project_of(tmp_path, {"requirements.txt": "torch\n", **files})
    assert [one.key.rpartition(".")[2] for one in found.remarks] == ["files-not-read"]


def test_options_of_a_program_are_no_list_of_packages(tmp_path: Path) -> None:
    words = "expname = {0}\n\nno_ndc = True\nN_rand = 1024\nlrate_decay = 500\n"
    files: dict[str, str | bytes] = {f"configs/{name}.txt": words.format(name) for name in ("chair", "fern", "lego")}
    assert not project_of(tmp_path, {"requirements.txt": "torch\n", **files}).remarks
    one: dict[str, str | bytes] = {"requirements.txt": "torch\n", "extra/modules.txt": "decord=0.6.0\neinops == 0.8\n"}
    [told] = project_of(tmp_path / "one", one).remarks
    assert told.params["packages"] == "decord==0.6.0, einops==0.8", "a pin with one sign is one"


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("conda install -c conda-forge dlib (only for face detection)", ["dlib"]),
        ("pip install einops （可选）", ["einops"]),
        ("pip install einops  # for the demo", ["einops"]),
        ("<!-- pip install einops -->", []),
    ],
)
def test_a_remark_behind_a_command_names_no_packages(tmp_path: Path, line: str, named: list[str]) -> None:
    readme = f"# A\n```\npip install timm\n{line}\n```\n"
    project = project_of(tmp_path, {"requirements.txt": "torch\n", "README.md": readme})
    told = {one.name for one in project.statements if one.strength == RECOMMENDED and one.name != "timm"}
    assert sorted(told) == named


def test_a_recipe_whose_torch_is_taken_comes_with_its_pins_of_what_the_lists_leave_open(tmp_path: Path) -> None:
    pins = ("timm==0.9.2", "torch==2.1.2", "einops==0.6.0", "gfpgan==1.3.8")
    cog = "build:\n  python_packages:\n" + "".join(f'    - "{pin}"\n' for pin in pins)
    files: dict[str, str | bytes] = {"requirements.txt": "torch\ntimm\neinops>=0.7\n", "cog.yaml": cog}
    found = decided(tmp_path / "a", files, AMPERE)
    assert build(found)[0] == "2.1.2"
    lines = {str(one): str(one.origin) for one in found.understood.packages}
    assert (lines["timm==0.9.2"], "einops==0.6.0" in lines, "gfpgan==1.3.8" in lines) == ("cog.yaml:3", False, False)
    [said] = [one.params for one in found.remarks if one.key.endswith(".recipe-pins")]
    assert (said["file"], said["line"], said["packages"]) == ("cog.yaml", 3, "timm==0.9.2")
    for on, name, words in (
        (BLACKWELL, "cog.yaml", cog),  # where its torch has to move, nothing is known of the others
        (AMPERE, "README.md", "pip install torch==2.1.2\npip install timm==0.9.2\n"),  # people choose of its lines
    ):
        other: dict[str, str | bytes] = {"requirements.txt": "torch\ntimm\n", name: words}
        assert "recipe-pins" not in codes(decided(tmp_path / name, other, on)), name


def test_a_recipe_of_an_older_state_of_the_project_gives_its_torch_alone(tmp_path: Path) -> None:
    pins = ("diffusers==0.25.0", "torch==2.1.2", "timm==0.9.2")
    cog = "build:\n  python_packages:\n" + "".join(f'    - "{pin}"\n' for pin in pins)
    files: dict[str, str | bytes] = {"requirements.txt": "torch\ntimm\ndiffusers\n", "cog.yaml": cog}
    files["net/pipe.py"] = "import torch\nfrom diffusers.callbacks import PipelineCallback\n"
    found = decided(tmp_path / "a", files, AMPERE)
    assert build(found)[0] == "2.1.2"
    assert [str(one) for one in found.understood.packages] == ["timm", "diffusers"]
    assert "code-fails" not in codes(found)
    [said] = [one.params for one in found.remarks if one.key.endswith(".recipe-older")]
    assert (said["asked"], said["other_file"], said["other_line"]) == ("diffusers==0.25.0", "net/pipe.py", 2)
    newer: dict[str, str | bytes] = {**files, "cog.yaml": cog.replace("0.25.0", "0.29.0")}
    assert {"recipe-pins", "recipe-older"} & codes(decided(tmp_path / "b", newer, AMPERE)) == {"recipe-pins"}


@pytest.mark.parametrize(
    ("asked", "pinned", "is_told"),
    [
        ("onnxruntime-gpu==1.26.0", "onnxruntime-gpu==1.21.0", True),
        ("onnxruntime-gpu>=1.20", "onnxruntime-gpu==1.21.0", False),
        ("onnxruntime-gpu", "onnxruntime-gpu==1.21.0", False),
        ("onnxruntime-gpu==1.26.0", "onnxruntime-gpu", False),
        ("onnxruntime-gpu==1.26.0", "rich==1.21.0", False),
    ],
)
def test_a_command_that_installs_another_release_than_the_lists_is_told(
    tmp_path: Path, asked: str, pinned: str, is_told: bool
) -> None:
    block = f"```\npip uninstall onnxruntime onnxruntime-gpu\npip install {pinned}\n```\n"
    files: dict[str, str | bytes] = {"requirements.txt": f"torch\n{asked}\n", "README.md": f"# A\n{block}"}
    found = decided(tmp_path, files, AMPERE)
    told = [one.params for one in found.remarks if one.key.endswith("told-other")]
    assert [(one["line"], one["asked"], one["other"], one["other_line"]) for one in told] == (
        [(4, "onnxruntime-gpu==1.21.0", "onnxruntime-gpu==1.26.0", 2)] if is_told else []
    )
    [taken] = [str(one) for one in found.understood.rest if one.name == "onnxruntime-gpu"]
    assert taken == asked


def test_a_readme_opened_itself_keeps_its_packages_beside_the_list_that_it_brings_in(tmp_path: Path) -> None:
    lines = ["gradio==4.0 numpy==1.26.4", "torch==2.7.0", "-r requirements.txt"]
    readme = "# t\n```\n" + "".join(f"pip install {line}\n" for line in lines) + "```\n"
    project_of(tmp_path, {"requirements.txt": "numpy==2.2.5\n", "README.md": readme})
    found = decide(read_project(tmp_path / "README.md"), AMPERE, load_matrix(), ANY)
    assert {str(one) for one in found.understood.packages} == {"numpy==2.2.5", "gradio==4.0"}
    assert (build(found)[0], found.numpy) == ("2.7.0", "==2.2.5")


@pytest.mark.parametrize(
    ("heading", "declared", "taken"),
    [
        ("## Requirements", {}, {"click", "imageio-ffmpeg"}),
        ("## Optional requirements", {}, set()),
        ("## Usage", {}, set()),
        ("## Requirements", {"setup.py": "from setuptools import setup\nsetup(install_requires=['tqdm'])\n"}, {"tqdm"}),
    ],
)
def test_what_stands_below_requirements_is_declared_where_nothing_else_declares(
    tmp_path: Path, heading: str, declared: dict[str, str | bytes], taken: set[str]
) -> None:
    readme = f"# t\n{heading}\n* PyTorch 1.13.1.\n* Libraries: `pip install click imageio-ffmpeg==0.4.3`.\n"
    found = decided(tmp_path, {"README.md": readme, "run.py": "import click, torch\n", **declared}, AMPERE)
    assert {one.name for one in found.understood.rest} == taken
    assert ("needed-taken" in codes(found), "recommended-too" in codes(found)) == (
        "click" in taken,
        "click" not in taken,
    )


@pytest.mark.parametrize(
    ("heading", "lines", "taken"),
    [
        ("## Installation", "pip install torch==2.0.1\npip install einops timm==0.4.12\n", {"einops", "timm==0.4.12"}),
        ("## Environmental Setup\n### Linux", "pip install einops\n", {"einops"}),
        ("## Installation", "pip install einops\n# optional\npip install wandb\n", {"einops"}),
        ("## Installation", "pip install einops\npip install wandb  # for training\n# pip install x\n", {"einops"}),
        (
            "## Installation",
            "pip install einops setuptools==59.5.0 wheel\npip install wheel==0.40\n",
            {"einops", "setuptools==59.5.0"},
        ),
        ("## Installation\nFor training you want more:", "pip install einops\n", set()),
        ("## Installation\n### Option 2: another way", "pip install einops\n", set()),
        ("## Optional installation", "pip install einops\n", set()),
        ("## Installation\n## Demo", "pip install einops\n", set()),
    ],
)
def test_what_a_readme_installs_is_declared_where_nothing_else_declares(
    tmp_path: Path, heading: str, lines: str, taken: set[str]
) -> None:
    readme = f"# t\nPyTorch 2.0.1 is needed.\n{heading}\n```\n{lines}```\nRun `pip install rich` as you like.\n"
    found = decided(tmp_path / "alone", {"README.md": readme, "run.py": "import torch\n"}, AMPERE)
    assert {str(one) for one in found.understood.rest} == taken
    assert ("needed-taken" in codes(found)) == bool(taken)
    found = decided(tmp_path / "beside", {"README.md": readme, "requirements.txt": "torch\nrich\n"}, AMPERE)
    assert {str(one) for one in found.understood.rest} == {"rich"}


@pytest.mark.parametrize(
    ("declared", "taken"),
    [
        ({}, {"pandas==1.5.3"}),
        ({"setup.cfg": "[options]\npython_requires = >=3.8\n"}, {"pandas==1.5.3"}),
        ({"setup.cfg": "[options.extras_require]\nall = pandas\n"}, set()),
        ({"requirements.txt": "scipy\n"}, {"scipy"}),
        ({"README.md": "# t\n## Requirements\n```\npip install click\n```\n"}, {"click"}),
        ({"install.sh": "pip install torch==2.1.0 rich\n", "README.md": "```\npip install torch==2.0.0\n```\n"}, set()),
    ],
)
def test_what_a_recipe_installs_beside_the_torch_that_counts_is_declared_where_nothing_else_declares(
    tmp_path: Path, declared: dict[str, str | bytes], taken: set[str]
) -> None:
    lines = "RUN pip install -U pip setuptools wheel black\nRUN pip install torch==2.0.1 pandas==1.5.3\n"
    found = decided(tmp_path, {"Dockerfile": lines, **declared}, AMPERE)
    assert {str(one) for one in found.understood.rest} == taken
    assert ("beside-taken" in codes(found)) == (taken == {"pandas==1.5.3"})


def test_data_and_what_a_build_left_are_no_lists(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "data/labels.txt": "positive\nnegative\npositive\n"}
    files |= {"x.egg-info/top_level.txt": "app\nlib\n", "coco.names.txt": "person\n", "data/class_names.txt": "cat\n"}
    assert not {"not-read-too", "files-not-read"} & codes(decided(tmp_path / "a", files, AMPERE))
    files["tools/extras.txt"] = "gradio\n"
    assert "not-read-too" in codes(decided(tmp_path / "b", files, AMPERE))
