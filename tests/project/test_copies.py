"""What commands install from copies: other repositories that they fetch, parts of the project, files of conda's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, NO_CARD, PASCAL, build, codes, decided, relaxed
from wizard.model.messages import text
from wizard.project.decide import ProjectDecision


def told(found: ProjectDecision) -> dict[str, str]:
    return {one.name: one.url for one in found.understood.told if one.url}


def test_another_repository_that_a_readme_fetches_is_named_and_the_project_is_none(tmp_path: Path) -> None:
    readme = (
        "```\ngit clone https://code.example/me/mine.git\ncd mine\npip install -r requirements.txt\npip install -e .\n"
    )
    readme += "git clone --recursive https://code.example/x/detectron2.git\ncd detectron2\npip install -e .\ncd ..\n"
    readme += "git clone https://code.example/x/lists && cd lists && pip install -r requirements.txt\n```\n"
    files: dict[str, str | bytes] = {"README.md": readme, "requirements.txt": "torch==2.4.1\neinops\n"}
    found = decided(tmp_path, files, AMPERE)
    assert told(found)["detectron2"] == "git+https://code.example/x/detectron2"
    assert "mine" not in told(found)
    assert [native.name for native in found.understood.native] == ["detectron2"]
    assert {"recommended-too", "include-from-elsewhere"} <= codes(found)


def test_the_newest_state_of_the_project_in_place_of_its_package_is_the_project(tmp_path: Path) -> None:
    lines = "pip install its-net  # a release, OR:\npip install git+https://github.com/a/net.git  # the newest\n"
    setup = "from setuptools import setup\nsetup(name='its-net', install_requires=['torch'])\n"
    for name, readme, is_told in (
        ("or", lines, False),
        ("and", lines.replace(", OR:", ""), True),
        ("other", lines.replace("its-net", "some-net"), True),
    ):
        files: dict[str, str | bytes] = {"README.md": f"```\n{readme}```\n", "setup.py": setup}
        said = [
            one.params["packages"]
            for one in decided(tmp_path / name, files, AMPERE).remarks
            if "packages" in one.params
        ]
        assert any("net" in str(one).replace("some-net", "").split(", ") for one in said) == is_told


def test_what_is_fetched_after_the_project_itself_was_installed_is_another_repository(tmp_path: Path) -> None:
    readme = "```\npip install -r requirements.txt\n```\nIt is faster with it:\n```\n"
    readme += "git clone https://code.example/x/flash-ops\ncd flash-ops && pip install .\n# pip install csrc/rotary\n"
    readme += "pip install csrc/norm\n```\n"
    files: dict[str, str | bytes] = {"README.md": readme, "requirements.txt": "torch\n"}
    found = decided(tmp_path, files, AMPERE)
    assert told(found) == {
        "flash-ops": "git+https://code.example/x/flash-ops",
        "norm": "git+https://code.example/x/flash-ops#subdirectory=csrc/norm",
    }
    assert "folders-too" not in codes(found)


def test_a_script_within_a_dockerfile_goes_on_in_its_folder_and_ends_with_its_word(tmp_path: Path) -> None:
    docker = "RUN <<EOF\ncd /srv/mine\ngit clone -b v2 https://code.example/x/fast-ops\ncd /srv/mine/fast-ops &&\n"
    docker += "  pip install . &&\n  pip install csrc/norm\nEOF\nRUN pip install ./ops\n"
    files: dict[str, str | bytes] = {"Dockerfile": docker, "requirements.txt": "torch\n", "ops/setup.py": ""}
    assert told(decided(tmp_path, files, AMPERE)) == {
        "fast-ops": "git+https://code.example/x/fast-ops",
        "norm": "git+https://code.example/x/fast-ops#subdirectory=csrc/norm",
        "ops": "./ops",
    }


def test_a_folder_that_is_installed_to_be_worked_on_is_no_package_of_the_index(tmp_path: Path) -> None:
    docker = "RUN python -m pip install -e segment_ops\nRUN pip install --no-deps -e ops[gui] rich\n"
    files: dict[str, str | bytes] = {
        "Dockerfile": docker,
        "requirements.txt": "torch\n-e lib_ops\n",
        **{f"{folder}/setup.py": "" for folder in ("segment_ops", "ops", "lib_ops")},
    }
    found = decided(tmp_path, files, AMPERE)
    assert told(found) == {"segment-ops": "./segment_ops", "ops": "./ops"}
    assert [(one.name, one.url) for one in found.understood.rest] == [("lib-ops", "./lib_ops")]


def test_what_a_script_copies_away_and_installs_is_named(tmp_path: Path) -> None:
    script = "pip install torch==2.4.0\ngit clone https://code.example/x/nvdiffrast.git /tmp/ext/nvdiffrast\n"
    script += "pip install /tmp/ext/nvdiffrast\ngit clone https://code.example/x/splat /tmp/ext/splat\n"
    script += "pip install /tmp/ext/splat/sub/simple-knn/\ncp -r ext/vox /tmp/ext/vox\npip install /tmp/ext/vox\n"
    files: dict[str, str | bytes] = {
        "setup.sh": script,
        "ext/vox/setup.py": "",
        "README.md": "```\n. ./setup.sh\n```\n",
    }
    found = decided(tmp_path, files, BLACKWELL)
    assert told(found) == {
        "nvdiffrast": "git+https://code.example/x/nvdiffrast",
        "simple-knn": "git+https://code.example/x/splat#subdirectory=sub/simple-knn",
        "vox": "./ext/vox",
    }
    assert set(relaxed(found)) == {"torch"}, "a source is built with the torch that is there"
    assert any("vox" in text(one, "en") for one in found.remarks if one.key.endswith("folders-too"))


def test_words_about_what_is_installed_are_no_packages(tmp_path: Path) -> None:
    readme = "```\n# pip install required packages\npip install thop --install-option=--fast\n```\n"
    found = decided(tmp_path, {"README.md": readme, "requirements.txt": "torch\n"}, AMPERE)
    [said] = [one.params["packages"] for one in found.remarks if one.key.endswith("recommended-too")]
    assert said == "thop"
    assert "option-left" in codes(found)
    option: dict[str, str | bytes] = {
        "README.md": "`pip install --config-settings editable_mode=compat thop torch==2.4.1`\n"
    }
    assert [one.name for one in decided(tmp_path / "b", option, AMPERE).understood.told] == ["thop", "torch"]
    chinese: dict[str, str | bytes] = {
        "README.md": "在执行 pip install 之前，请先安装 Microsoft C++ Build Tools。用 pip install thop 安装 einops。\n",
        "requirements.txt": "torch\n",
    }
    assert [one.name for one in decided(tmp_path / "c", chinese, AMPERE).understood.told] == ["thop"]


@pytest.mark.parametrize(
    ("words", "python"),
    [
        ("You will need at least Python 3.8.", "3.12"),
        ("- Python >= 3.8 (for openMM, use Python = 3.9)", "3.12"),
        ("### Install with pip, Python 3.10, CUDA 11.8, PyTorch 2.0+", "3.10"),
    ],
)
def test_a_readme_names_its_python_in_words(tmp_path: Path, words: str, python: str) -> None:
    found = decided(tmp_path, {"README.md": f"{words}\n", "requirements.txt": "torch==2.6.0\n"}, AMPERE)
    assert (build(found)[2], "python-left" in codes(found)) == (python, False)


def test_the_build_of_a_package_of_condas_says_which_torch_it_is_made_for(tmp_path: Path) -> None:
    words = "dependencies:\n  - python=3.9\n  - pytorch\n  - pytorch3d=0.7.4=py39_cu117_pyt201\n"
    found = decided(tmp_path / "a", {"environment.yml": words}, AMPERE)
    assert build(found) == ("2.0.1", "cu117", "3.9")
    readme = "conda install https://conda.example/pytorch3d/linux-64/pytorch3d-0.7.5-py310_cu118_pyt210.tar.bz2\n"
    files: dict[str, str | bytes] = {"README.md": readme, "requirements.txt": "torch>=2.0\n"}
    found = decided(tmp_path / "b", files, AMPERE)
    assert "pytorch3d" in [native.name for native in found.understood.native]
    assert build(found)[0] == "2.14.1", "what is only recommended binds nothing"


def test_extensions_of_pybind_are_compiled(tmp_path: Path) -> None:
    setup = "from pybind11.setup_helpers import Pybind11Extension\nfrom setuptools import setup\n"
    setup += "setup(name='x', ext_modules=[Pybind11Extension('x._c', ['c.cpp'])], install_requires=['torch'])\n"
    assert "own-cpp" in codes(decided(tmp_path, {"setup.py": setup}, NO_CARD))
    assert "own-cpp" in codes(decided(tmp_path / "b", {"setup.py": setup.replace("Pybind11Ext", "CMakeExt")}, ADA))


def test_a_dockerfile_that_fetches_the_project_names_no_other_repository(tmp_path: Path) -> None:
    docker = "RUN git clone https://code.example/me/Mine && cd Mine && pip3 install cython; "
    docker += "pip3 install -r requirements.txt\n"
    files: dict[str, str | bytes] = {
        "README.md": "```\ngit clone https://code.example/me/Mine.git\n```\n",
        "requirements.txt": "torch==2.4.1\n",
        "Dockerfile": docker,
    }
    found = decided(tmp_path / "a", files, AMPERE)
    assert (told(found), "include-from-elsewhere" in codes(found)) == ({}, False)
    assert [one.name for one in found.understood.told if one.name != "torch"] == ["cython"]
    del files["README.md"]
    assert "include-from-elsewhere" not in codes(decided(tmp_path / "Mine", files, AMPERE))
    assert "include-from-elsewhere" in codes(decided(tmp_path / "other", files, AMPERE))


def test_a_long_label_for_a_mac_is_one(tmp_path: Path) -> None:
    label = "Apple Silicon users will need to run a follow-up command to make use of the nightly build of PyTorch:"
    readme = f"{label}\n\n```\npip install --pre torch --index-url https://download.pytorch.org/whl/nightly/cpu\n```\n"
    found = decided(tmp_path, {"README.md": readme, "requirements.txt": "torch\n"}, ADA)
    assert (build(found)[1], "nightly" in codes(found)) == ("cu126", False)


def test_the_repository_that_is_called_as_the_project_is_it_wherever_it_stands(tmp_path: Path) -> None:
    words = "```\ngit clone https://code.example/x/mmcv.git && cd mmcv\npip install -e .\ncd ..\n"
    words += "git clone https://code.example/me/Mine.git && cd Mine\npip install -r requirements.txt\n```\n"
    files: dict[str, str | bytes] = {"README.md": words, "requirements.txt": "torch==2.4.1\n"}
    found = decided(tmp_path / "Mine", files, AMPERE)
    assert told(found) == {"mmcv": "git+https://code.example/x/mmcv"}
    assert "include-from-elsewhere" not in codes(found)
    files["requirements.txt"] = "torch==2.4.1\nmine @ git+https://code.example/me/Mine.git@main\neinops\n"
    found = decided(tmp_path / "b" / "Mine", files, AMPERE)
    assert ([one.name for one in found.understood.rest], "own-name" in codes(found)) == (["einops"], True)


def test_a_package_of_the_table_is_not_the_project_for_being_fetched_first(tmp_path: Path) -> None:
    words = "```\ngit clone https://code.example/x/detectron2 && cd detectron2\npip install -e .\n```\n"
    lines = "torch==2.4.1\nlavis @ git+https://code.example/x/LAVIS\n"
    files: dict[str, str | bytes] = {"README.md": words, "requirements.txt": lines}
    found = decided(tmp_path, files, AMPERE)
    assert told(found) == {"detectron2": "git+https://code.example/x/detectron2"}
    files["README.md"] = words.replace("detectron2", "LAVIS")
    found = decided(tmp_path / "b", files, AMPERE)
    assert [one.name for one in found.understood.rest] == ["lavis"], "the folder is not called so"


def test_an_extra_that_names_the_project_is_nothing_to_tell(tmp_path: Path) -> None:
    words = '[project]\nname = "mine"\ndependencies = ["torch"]\n[project.optional-dependencies]\nall = ["mine[dev]"]\n'
    assert "own-name" not in codes(decided(tmp_path, {"pyproject.toml": words}, AMPERE))


@pytest.mark.parametrize(
    ("base", "readme", "extras"),
    [
        ("rich", 'pip install -e ".[web,model]"\n```\n## Training\n```\npip install -e ".[train]"\n', "model, web"),
        ("rich", 'pip install -e ".[model,train]"\npip install -e ".[model]"\n', "model"),
        ("rich", 'pip install -e .\npip install -e ".[model]"\n', ""),  # either
        ("rich", 'pip install -e ".[web]"\n', ""),  # asks for no torch, either
        ("torch", 'pip install -e ".[web,model]"\n', ""),
    ],
)
def test_extras_without_which_there_is_no_torch_are_taken(tmp_path: Path, base: str, readme: str, extras: str) -> None:
    words = 'model = ["torch", "einops"]\nweb = ["gradio"]\ntrain = ["flash-attn", "wandb"]\n'
    words = f'[project]\nname = "mine"\ndependencies = ["{base}"]\n[project.optional-dependencies]\n{words}'
    dockerfile = "FROM x\nRUN pip install mine\nRUN pip install mine[model,web]\n"
    files = {"pyproject.toml": words, "README.md": f"# t\n## Install\n```\n{readme}```\n", "Dockerfile": dockerfile}
    found = decided(tmp_path, files, AMPERE)
    [said] = [one.params["extras"] for one in found.remarks if one.key.endswith(".extras-taken")] or [""]
    names = {one.name for one in found.understood.rest}
    assert (said, "einops" in names, "gradio" in names) == (extras, "model" in extras, "web" in extras)
    assert "wandb" not in names
    assert "folders-too" not in codes(found)


def test_the_extras_that_a_readme_installs_are_named_with_what_they_bring(tmp_path: Path) -> None:
    extras = 'fast = ["vllm==0.9", "rich"]\nall = ["mine[fast]", "gradio"]\n'
    extras += 'dev = ["pytest"]\nspare = ["tensorrt", "flash-attn"]\n'
    words = f'[project]\nname = "mine"\ndependencies = ["torch"]\n[project.optional-dependencies]\n{extras}'
    readme = "```\npip install mine[fast]  # (recommended)\npip install -e '.[all,dev]'\npip install -e '.[dev]'\n```\n"
    files: dict[str, str | bytes] = {"pyproject.toml": words, "README.md": readme}
    found = decided(tmp_path, files, AMPERE)
    [said] = [one.params for one in found.remarks if one.key.endswith(".extras-too")]
    assert (said["file"], said["line"], said["extras"]) == ("README.md", 2, "fast, all")
    assert said["packages"] == "fast (vllm==0.9, rich), all (gradio, vllm==0.9, rich)"
    assert "folders-too" not in codes(found)
    assert [one.name for one in found.understood.rest] == []
    for on in (PASCAL, NO_CARD):  # of the cards that it needs, and of an extra that nobody names, nothing but that
        told = [one.params["name"] for one in decided(tmp_path, files, on).remarks if ".native." in one.key]
        assert told == (["vllm"] if on is PASCAL else [])


@pytest.mark.parametrize("folder", ["Mine-master", "Mine-main", "Mine-1.2.3", "Mine-v2.0", f"Mine-{'0a' * 20}"])
def test_the_folder_of_an_archive_is_called_as_the_project_is(tmp_path: Path, folder: str) -> None:
    words = "RUN git clone https://code.example/me/Mine.git && cd Mine && pip install -r requirements.txt\n"
    lines = "torch==2.4.1\nmine @ git+https://code.example/me/Mine.git@main\neinops\n"
    files: dict[str, str | bytes] = {"Dockerfile": words, "requirements.txt": lines}
    found = decided(tmp_path / folder, files, AMPERE)
    assert [one.name for one in found.understood.rest] == ["einops"]
    assert {"own-name", "include-from-elsewhere"} & codes(found) == {"own-name"}
    (tmp_path / "cloned" / folder / ".git").mkdir(parents=True)  # what git made is called as it is
    assert "include-from-elsewhere" in codes(decided(tmp_path / "cloned" / folder, files, AMPERE))


def test_an_address_of_the_project_itself_is_its_own_file(tmp_path: Path) -> None:
    lines = "torch==2.4.1\n-r https://raw.code.example/me/Mine/master/lists/base.txt\n"
    files: dict[str, str | bytes] = {"requirements.txt": lines, "lists/base.txt": "einops\n"}
    found = decided(tmp_path / "Mine-master", files, AMPERE)
    assert ([one.name for one in found.understood.rest], "include-from-elsewhere" in codes(found)) == (
        ["einops"],
        False,
    )
    found = decided(tmp_path / "other", files, AMPERE)
    assert ([one.name for one in found.understood.rest], "include-from-elsewhere" in codes(found)) == ([], True)


@pytest.mark.parametrize(
    ("lines", "name", "below"),
    [
        ("git clone https://code.example/x/thing.git deps/other\npip install deps/other", "thing", ""),
        ("git clone https://code.example/x/thing.git other\npip install ./other[all]", "thing", ""),
        ("git clone https://code.example/x/thing.git other && pip install other", "thing", ""),
        ("git clone https://code.example/x/thing.git\npip install -e thing", "thing", ""),
        ("git clone https://code.example/x/thing.git other\ncd other && pip install .", "thing", ""),
        ("git clone https://code.example/x/thing.git other\ncd other/ops\npip install .", "ops", "ops"),
        ("git clone https://code.example/x/thing.git other\npip install other/ops", "ops", "ops"),
    ],
)
def test_a_folder_that_a_line_made_is_the_repository_and_no_package(
    tmp_path: Path, lines: str, name: str, below: str
) -> None:
    readme = f"```\ngit clone https://code.example/me/mine.git\n{lines}\n```\n"
    found = decided(tmp_path / "mine", {"README.md": readme, "requirements.txt": "torch==2.4.1\n"}, AMPERE)
    url = "git+https://code.example/x/thing" + (f"#subdirectory={below}" if below else "")
    assert told(found) == {name: url}
    assert [one.name for one in found.understood.told if one.name != "torch"] == [name]
    assert {"folders-too", "include-from-elsewhere"} & codes(found) == set()


def test_a_copy_of_the_project_in_a_folder_of_its_own_name_is_the_project(tmp_path: Path) -> None:
    lines = "git clone https://code.example/me/mine.git work\npip install -e work\npip install work/ops\n"
    readme = f"```\n{lines}cd work/lists && pip install -r more.txt\n```\n"
    setup = "from setuptools import setup\nsetup(name='ops')\n"
    files: dict[str, str | bytes] = {"README.md": readme, "requirements.txt": "torch\n", "lists/more.txt": "einops\n"}
    found = decided(tmp_path / "mine", {**files, "ops/setup.py": setup}, AMPERE)
    assert (told(found), [one.name for one in found.understood.rest]) == ({"ops": "./ops"}, ["einops"])
    named = "```\ngit clone https://code.example/x/thing.git\npip install thing\n```\n"
    found = decided(tmp_path / "b", {**files, "README.md": named}, AMPERE)
    assert told(found) == {}, "a bare name is the index's for pip"


@pytest.mark.parametrize(
    "step",
    [
        "- Clone https://code.example/x/rsl_rl\n- `cd rsl_rl && git checkout v1.0.2 && pip install -e .`\n",
        "```\ngit clone https://code.example/x/rsl_rl\ncd rsl_rl && git checkout v1.0.2 && pip install -e .\n```\n",
    ],
)
def test_a_repository_of_what_the_files_ask_for_is_named_and_is_not_the_project(tmp_path: Path, step: str) -> None:
    for line, is_told in (("rsl-rl", True), ("rsl-rl==1.0", False), ("einops", False)):
        found = decided(
            tmp_path / f"p {line}", {"README.md": step, "requirements.txt": f"torch==2.4.1\n{line}\n"}, AMPERE
        )
        said = [one.params["packages"] for one in found.remarks if one.key.endswith("from-repository")]
        assert said == ["rsl-rl (https://code.example/x/rsl_rl@v1.0.2)"] * is_told


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("Do `pip uninstall pywin32` and then `pip install pywin32` or `conda install pywin32`.", ""),
        ("Do `pip uninstall einops` and then `pip install einops==0.6`.", "einops==0.6"),
        ("Then pip uninstall einops, and pip install timm instead.", "timm"),
    ],
)
def test_what_a_line_takes_out_and_puts_in_again_is_a_repair(tmp_path: Path, words: str, named: str) -> None:
    found = decided(tmp_path, {"README.md": f"# P\n\n{words}\n", "requirements.txt": "torch==2.4.1\n"}, AMPERE)
    assert ", ".join(map(str, found.understood.told)) == named
    assert named or not found.remarks


APEX = "git clone https://github.com/NVIDIA/apex\ncd apex\npip install -v --no-cache-dir ./\n"


def natives(folder: Path, files: dict[str, str | bytes]) -> list[tuple[str, str]]:
    asks = decided(folder, {"requirements.txt": "torch\n", **files}, AMPERE).understood
    return [(one.name, str(one.origins[0])) for one in asks.native]


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("SETUP.md", f"# Set up\n```\n{APEX}```\n", "SETUP.md:5"),
        ("GETTING_STARTED.md", "pip install git+https://github.com/NVIDIA/apex.git\n", "GETTING_STARTED.md:1"),
        ("docs/use/SETUP.md", f"```\n{APEX}```\n", "docs/use/SETUP.md:4"),
        ("INSTALL.md", "".join(f"    {line}\n" for line in APEX.splitlines()), "INSTALL.md:3"),
    ],
)
def test_what_a_document_on_installing_builds_is_native(tmp_path: Path, file: str, text: str, place: str) -> None:
    readme = f"# It\nSee [how]({file}).\n"
    assert natives(tmp_path, {"README.md": readme, file: text}) == [("apex", place)]


def test_other_documents_and_what_is_no_native_code_name_none(tmp_path: Path) -> None:
    plain = "pip install git+https://github.com/a/plain.git\npip install apex\n"
    assert natives(tmp_path / "a", {"SETUP.md": plain}) == []
    assert natives(tmp_path / "b", {"CHANGELOG.md": APEX, "FAQ.md": f"```\n{APEX}```\n"}) == []
    apart = "    git clone https://github.com/NVIDIA/apex\n    cd apex\n\nThen go back.\n\n    pip install -e .\n"
    assert natives(tmp_path / "c", {"README.md": apart}) == []


def test_a_sentence_that_has_a_repository_installed_names_it(tmp_path: Path) -> None:
    link = "[detectron2](https://github.com/facebookresearch/detectron2)"
    assert natives(tmp_path / "a", {"README.md": f"# It\n\n2. Install {link}.\n"}) == [("detectron2", "README.md:3")]
    for number, words in enumerate(
        (f"Our code is built on {link}.", f"Thanks to {link}!", "Install [it](https://x.y).")
    ):
        assert natives(tmp_path / str(number), {"README.md": f"# It\n\n{words}\n"}) == []


def test_a_repository_of_the_table_that_a_readme_fetches_first_is_not_the_project(tmp_path: Path) -> None:
    words = "git clone https://github.com/IDEA-Research/GroundingDINO.git\ncd GroundingDINO/\npip install -e .\n"
    assert natives(tmp_path, {"README.md": f"```\n{words}```\n"}) == [("groundingdino", "README.md:4")]


def test_a_clone_before_that_of_the_project_is_another_repository(tmp_path: Path) -> None:
    manual = "## Install\n```\npip install torch==1.9.1\ngit clone https://github.com/open-mmlab/mmdetection3d.git\n"
    manual += "cd mmdetection3d\ngit checkout v0.17.1 # others may not go\npython setup.py install\n```\n"
    manual += "```\ngit clone https://github.com/a/Seer.git\n```\n"
    readme = '<div align="center">\n\n# Seer: sees all\n</div>\n\n[Installation](docs/install.md)\n'
    files: dict[str, str | bytes] = {"README.md": readme, "docs/install.md": manual, "run.py": "import mmdet3d\n"}
    found = decided(tmp_path, files, AMPERE)
    assert told(found) == {"mmdet3d": "git+https://github.com/open-mmlab/mmdetection3d@v0.17.1"}
    assert "fetched-too" not in codes(found)
    [said] = [str(one.params["packages"]) for one in found.remarks if one.key.endswith(".needed-too")]
    assert said.endswith("mmdetection3d@v0.17.1 (run.py)")


def test_words_on_a_clone_name_no_repository(tmp_path: Path) -> None:
    readme = "```\n# git clone this repository\ngit clone https://github.com/a/Seer\ncd Seer\n"
    readme += "pip install -r requirements.txt\npython parts/setup.py develop\n```\n"
    files: dict[str, str | bytes] = {"README.md": readme, "requirements.txt": "torch\n", "parts/setup.py": ""}
    found = decided(tmp_path, {**files, "parts/__init__.py": ""}, AMPERE)
    assert told(found) == {"parts": "./parts"}
    assert {"folders-too", "recommended-too", "include-from-elsewhere"} & codes(found) == {"folders-too"}


def test_what_the_project_does_not_start_without_is_never_cut_off(tmp_path: Path) -> None:
    parts = [f"third_party/a_part_with_a_long_name_{number}" for number in range(8)]
    readme = "\n".join(["```", *(f"cd {part} && pip install -e . && cd ../.." for part in parts), "```"])
    files: dict[str, str | bytes] = {f"{part}/setup.py": "from setuptools import setup\nsetup()\n" for part in parts}
    found = decided(tmp_path, {"requirements.txt": "torch\n", "README.md": readme, **files}, AMPERE)
    said = [str(one.params["packages"]).split(", ") for one in found.remarks if one.key.endswith(".folders-too")]
    assert [one for each in said for one in each] == [f"./{part}" for part in parts]
