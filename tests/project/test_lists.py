"""Which of several lists of requirements counts.

One file: a project is a few of them each time, and one answer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, CONDA, NO_CARD, PASCAL, build, codes, decided
from tests.project.test_read import project_of
from wizard.project.formats.conda_words import conda_names, is_condas_alone


def test_another_list_that_asks_for_torch_is_named_and_one_of_extras_is_read(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\neinops\n",
        "requirements_encoder.txt": "torch==1.13.1\nonnx\n",
        "requirements-extras.txt": "-r requirements.txt\ntimm\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert "1.13.1" not in build(found)
    assert [one.name for one in found.understood.rest] == ["einops", "timm"]
    [told] = [remark for remark in found.remarks if remark.key == "project.remark.other-lists"]
    assert told.params["files"] == "requirements_encoder.txt"


def test_a_folder_venv_with_lists_is_read_and_an_environment_is_not(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "setup.py": "from setuptools import setup\nsetup(install_requires=['einops'])\n",
        "venv/environment_gpu.yaml": "dependencies:\n  - python=3.10\n  - pytorch=2.1.0\n  - pytorch-cuda=11.8\n",
    }
    assert build(decided(tmp_path / "a", files, AMPERE)) == ("2.1.0", "cu118", "3.10")
    found = decided(tmp_path / "b", {**files, "venv/pyvenv.cfg": "version = 3.12\n"}, AMPERE)
    assert "undeclared" in codes(found)


def test_lists_beside_the_main_one_in_a_folder_of_lists_are_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements/requirements.txt": "einops\n-r requirements-base.txt\n",
        "requirements/requirements-base.txt": "tqdm\n",
        "requirements/requirements-sparse.txt": "triton==2.1.0\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert {one.name for one in found.understood.rest} == {"einops", "tqdm"}
    assert {"undeclared", "other-lists"} <= codes(found)


def test_a_list_for_the_authors_says_nothing_of_torch_beside_another(tmp_path: Path) -> None:
    lists: dict[str, str | bytes] = {"requirements.txt": "torch\n", "requirements-dev.txt": "torch==1.13.1\nblack\n"}
    assert build(decided(tmp_path, lists, ADA))[0] == "2.14.1"
    del lists["requirements.txt"]
    (tmp_path / "requirements.txt").unlink()
    assert build(decided(tmp_path, lists, ADA))[0] == "1.13.1"


def test_the_lists_that_a_readme_names_are_the_project(tmp_path: Path) -> None:
    lists: dict[str, str | bytes] = {"a/requirements.txt": "torch==2.1.0\n", "b/requirements.txt": "torch==2.2.0\n"}
    found = decided(tmp_path, {**lists, "README.md": "pip install -r b/requirements.txt\n"}, ADA)
    assert build(found)[0] == "2.2.0"


def test_a_list_for_another_framework_does_not_count_beside_torchs(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements_tf.txt": "tensorflow==1.15\nnumpy==1.16.0\n",
        "requirements_torch.txt": "torch==2.0.0\nnumpy==1.23.5\n",
        "README.md": "pip install -r requirements_tf.txt\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert [one.name for one in found.understood.rest] == ["numpy"]
    assert "other-lists" in codes(found)


def test_lists_of_a_folder_that_ask_for_torch_where_nothing_else_does(tmp_path: Path) -> None:
    lists: dict[str, str | bytes] = {"requirements.txt": "tqdm\n", "requirements/pyt201.txt": "torch==2.0.1\n"}
    assert build(decided(tmp_path, lists, AMPERE))[0] == "2.0.1"
    found = decided(tmp_path, {**lists, "requirements/pyt251.txt": "torch==2.5.1\n"}, AMPERE)
    assert "torch-in-parts" in codes(found)


def test_of_two_whole_environments_one_is_planned_and_the_other_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "inference.yml": f"name: a\n{CONDA}  - pytorch=2.3.0\n  - pip:\n    - vllm==0.4.2\n    - numpy==1.26.4\n",
        "training.yml": f"name: b\n{CONDA}  - pytorch=2.3.0\n  - pip:\n    - peft\n    - numpy==1.24.1\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert {one.name for one in found.understood.rest} == {"vllm", "numpy"}
    [told] = [one.params for one in found.remarks if one.key == "project.remark.other-lists"]
    assert (told["file"], told["files"], "contradiction" in codes(found)) == ("inference.yml", "training.yml", False)
    files["environment.yml"] = files.pop("training.yml")
    found = decided(tmp_path / "main", files, AMPERE)
    assert {one.name for one in found.understood.rest} == {"peft", "numpy"}


def test_environments_of_several_names_are_no_one_list(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "generate.yaml": f"name: gen\n{CONDA}  - pip:\n    - torch==2.4.0\n    - torchaudio\n    - trl==0.12.0\n",
        "anno.yaml": f"name: anno\n{CONDA}  - pip:\n    - trl==0.11.1\n    - distro\n",
        "environment.yaml": f"name: yy\n{CONDA}  - pip:\n    - torch==2.4.0\n    - trl==0.11.4\n",
        "environment_gpu.yaml": f"name: yy-gpu\n{CONDA}  - pip:\n    - torch==2.4.0\n    - trl==0.11.4\n",
        "env_setup.sh": "conda env create -f generate.yaml\nconda env create -f environment.yaml\n",
    }
    for on in (AMPERE, BLACKWELL, PASCAL):
        found = decided(tmp_path, files, on)
        assert [str(one) for one in found.understood.rest] == ["trl==0.11.4"]
        [told] = [one.params for one in found.remarks if one.key == "project.remark.other-lists"]
        assert (told["file"], told["files"]) == ("environment.yaml", "anno.yaml, generate.yaml")
        assert "contradiction" not in codes(found)
    files["README.md"] = str(files.pop("env_setup.sh")).replace("environment.yaml", "anno.yaml")
    (tmp_path / "env_setup.sh").unlink()
    (tmp_path / "environment_gpu.yaml").unlink()
    del files["environment_gpu.yaml"]
    found = decided(tmp_path, files, AMPERE)
    assert [str(one) for one in found.understood.rest] == ["trl==0.12.0"]


@pytest.mark.parametrize(
    ("other", "name", "more"),
    [
        ("course2023_{}.yml", "course2023", ""),
        ("course2024_jax_{}.yml", "course_jax", "  - jax=0.4.5\n  - torchaudio=2.1.0\n"),
    ],
)
def test_of_environments_for_one_kind_of_computer_the_newest_for_torch_is_taken(
    tmp_path: Path, other: str, name: str, more: str
) -> None:
    cuda, made = {"gpu": "pytorch-cuda=11.8", "cpu": "cpuonly=2.0"}, "name: {}\ndependencies:\n  - pytorch={}\n  - {}\n"
    files: dict[str, str | bytes] = {}
    for kind, words in cuda.items():
        files[other.format(kind)] = made.format(name, "2.1.0", words) + more
        files[f"course2024_{kind}.yml"] = made.format("course2024", "2.5.0", words)
    for on, kind in ((AMPERE, "gpu"), (NO_CARD, "cpu")):
        found = decided(tmp_path, files, on)
        assert (build(found)[0], found.understood.rest) == ("2.5.0", ())
        [told] = [one.params for one in found.remarks if one.key == "project.remark.other-lists"]
        assert (told["file"], told["files"]) == (f"course2024_{kind}.yml", other.format(kind))


def test_of_folders_with_environments_of_their_own_one_is_taken(tmp_path: Path) -> None:
    readme = "```shell\nconda create -n {0} python=3.10\nconda install pytorch=={1} torchvision=={2} -c pytorch\n```\n"
    files: dict[str, str | bytes] = {
        "README.md": "+ Torch ([1.13](./torch-1.13/))\n+ MONAI ([1.3](./monai-1.3/))\n",
        "torch-1.13/README.md": readme.format("torch", "1.13.1", "0.14.1"),
        "torch-1.13/requirements.txt": "tqdm\n",
        "monai-1.3/README.md": readme.format("monai", "2.0.1", "0.15.2"),
        "monai-1.3/requirements.txt": "nibabel\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert build(found)[0::2] == ("1.13.1", "3.10")
    assert (found.understood.names_torch, [one.name for one in found.understood.rest]) == (True, ["tqdm"])
    [told] = [one.params for one in found.remarks if one.key == "project.remark.part-taken"]
    assert (told["file"], told["folders"]) == ("torch-1.13", "monai-1.3")
    alone = {name: words for name, words in files.items() if not name.startswith("torch")}
    assert build(decided(tmp_path / "alone", alone, AMPERE))[0] == "2.0.1"


def test_a_list_in_a_folder_of_lists_that_pins_torch_is_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "setup.py": 'setup(install_requires=["torch"])\n',
        "requirements/server.txt": "torch==1.10.1\n",
    }
    found = decided(tmp_path, files, ADA)
    assert [one.params["files"] for one in found.remarks if one.key.endswith("other-lists")] == [
        "requirements/server.txt"
    ]


def test_lists_that_go_on_from_the_same_one_are_not_mixed(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "base.txt": "tqdm\n",
        "requirements.txt": "-r base.txt\nscipy==1.12.0\n",
        "dgx_requirements.txt": "-r base.txt\nscipy==1.16.0\n",
        "requirements-train.txt": "-r requirements.txt\npeft\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert {str(one) for one in found.understood.packages} == {"tqdm", "scipy==1.12.0", "peft"}
    assert "other-lists" in codes(found)


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("README.md", "Run `cd part && pip install -r requirements.txt`.\n", "2.3.1"),
        (
            "README.md",
            "```\ngit clone https://g.example/a/x.git\ncd x/part\npip install -r requirements.txt\n```\n",
            "2.3.1",
        ),
        (
            "README.md",
            "```\ngit clone https://g.example/a/part.git\ncd part\npip install -r requirements.txt\n```\n",
            "",
        ),
        ("README.md", "```\ncd part\n```\npip install -r requirements.txt\n", ""),
        ("setup.sh", "cd part\npip install -r requirements.txt\ncd ..\n", "2.3.1"),
        ("setup.sh", "cd part\nmake\ncd ..\npip install -r requirements.txt\n", ""),
        ("setup.sh", "(cd part && make)\npip install -r requirements.txt\n", ""),
        ("setup.sh", 'cd "$HOME/part"\npip install -r requirements.txt\n', ""),
        ("Makefile", "all:\n\tcd part && make\n\tpip install -r requirements.txt\n", ""),
        ("Dockerfile", "RUN cd part && \\\n  pip install -r requirements.txt\n", "2.3.1"),
    ],
)
def test_a_list_is_that_of_the_folder_in_which_the_command_runs(
    tmp_path: Path, name: str, words: str, expected: str
) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\n",
        "part/requirements.txt": "torch==2.3.1\n",
        name: words,
    }
    torch = [each.specifier for each in project_of(tmp_path, files).statements if each.name == "torch"]
    assert torch == ["", f"=={expected}"] if expected else [""]


def test_a_shorthand_for_two_files_means_both(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"README.md": "```\nconda env create -f env[_cpu].yml\n```\n"}
    files |= {f"env{of}.yml": "dependencies:\n  - pytorch=2.4.0\n  - einops\n" for of in ("", "_cpu")}
    for name, on in {"gpu": AMPERE, "cpu": NO_CARD}.items():
        found = decided(tmp_path / name, files, on)
        assert (build(found)[0], codes(found) & {"include-missing"}) == ("2.4.0", set())
    del files["env_cpu.yml"]
    missing = decided(tmp_path / "one", files, AMPERE)
    assert [one.params["name"] for one in missing.remarks if one.key.endswith("include-missing")] == ["env_cpu.yml"]


def test_of_two_environments_that_exclude_each_other_one_is_taken_and_said(tmp_path: Path) -> None:
    made = {"infer": ("2.3.0", "vllm==0.5.0"), "train": ("2.4.0", "deepspeed==0.14.0")}
    words = "dependencies:\n  - pip:\n    - torch=={}\n    - {}\n    - einops=={}\n"
    files: dict[str, str | bytes] = {
        f"{name}_environment.yml": words.format(torch, other, torch) for name, (torch, other) in made.items()
    }
    files["README.md"] = "".join(f"conda env create -n {name} -f {name}_environment.yml\n" for name in made)
    found = decided(tmp_path, files, AMPERE)
    [said] = [one.params for one in found.remarks if one.key.endswith("other-lists")]
    assert (said["file"], said["files"]) == ("infer_environment.yml", "train_environment.yml")
    assert (build(found)[0], {one.name for one in found.understood.rest}) == ("2.3.0", {"vllm", "einops"})
    assert "contradiction" not in codes(found)
    same = {name: str(words).replace("2.4.0", "2.3.0") for name, words in files.items()}
    assert {"vllm", "deepspeed"} <= {one.name for one in decided(tmp_path / "same", {**same}, AMPERE).understood.rest}


def test_what_conda_alone_has_is_told_once_and_is_no_package(tmp_path: Path) -> None:
    libraries = [
        "libgcc-ng=12.1",
        "cuda-nvcc=11.6",
        "xorg-libx11",
        "gxx_linux-64",
        "readline=8.2",
        "ffmpeg",
        "graphviz",
    ]
    lines = "".join(f"  - {one}\n" for one in [*libraries, "pytorch=2.1.2", "nomkl", "librosa", "cuda-python", "tqdm"])
    words = f"name: x\nchannels: [conda-forge]\ndependencies:\n{lines}  - pip:\n    - graphviz\n    - readline\n"
    found = decided(tmp_path, {"environment.yml": words}, AMPERE)
    assert [one.name for one in found.understood.rest] == ["librosa", "cuda-python", "tqdm", "graphviz", "readline"]
    [said] = [one.params for one in found.remarks if one.key == "project.remark.conda-libraries"]
    assert (said["count"], str(said["packages"])[:20]) == (7, "libgcc-ng, cuda-nvcc")
    assert not [name for name in conda_names() if is_condas_alone(name)]


def test_what_conda_alone_has_is_left_out_and_what_programs_import_of_it_is_named_first(tmp_path: Path) -> None:
    libraries = [f"libmade{number}=1.0=h{number:07}_0" for number in range(20)]
    lines = "".join(f"  - {one}\n" for one in [*libraries, "psikit=0.2.0", "google-sparsehash", "seaborn-base=0.11.1"])
    words = f"channels: [conda-forge]\ndependencies:\n  - python=3.8\n  - pytorch=1.8.1\n{lines}  - rdkit=2020.09.1\n"
    found = decided(tmp_path, {"environment.yml": words, "prop.py": "from psikit import Psikit\n"}, AMPERE)
    assert [str(one) for one in found.understood.rest] == ["seaborn==0.11.1.*", "rdkit==2020.09.1.*"]
    [said] = [one.params for one in found.remarks if one.key == "project.remark.conda-libraries"]
    assert (said["count"], str(said["packages"])[:6]) == (22, "psikit")
    [said] = [one.params for one in found.remarks if one.key == "project.remark.of-conda"]
    assert said["packages"] == "rdkit==2020.09.1.*"


def test_what_conda_built_for_no_python_is_a_library_and_other_names_are_the_indexs(tmp_path: Path) -> None:
    libraries = ["s2geometry=0.10.0=hed9ab30_0", "glpk=5.0=nompi_h27087fc_1", "mkl=2023.0.0", "aws-c-io", "libmlir19"]
    packages = ["gym-super=1.2=hd8ed1ab_0", "sympy2=1=py311h06a4308_0", "tensorflow-gpu=2.4.1=h30adc30_0", "typing"]
    own = ["python=3.10.8=h257c98d_0", "cudatoolkit=11.3.1=h2bc3f7f_2", "pytorch=2.1.2=py3.10_cuda11.8_cudnn8.7.0_0"]
    renamed = ["pytorch_cluster", "torchtriton=2.1.0=py310", "pyqt=5.15.4", "msgpack-python", "antlr-python-runtime"]
    lines = "".join(f"  - {one}\n" for one in [*libraries, *packages, *own, *renamed, "pyqt=6.7.1=py311h5da7b33_1"])
    found = decided(tmp_path, {"environment.yml": f"channels: [conda-forge]\ndependencies:\n{lines}"}, AMPERE)
    rest = ["gym-super", "sympy2", "tensorflow-gpu", "torch-cluster", "triton", "pyqt5", "msgpack"]
    assert [one.name for one in found.understood.rest] == [*rest, "antlr4-python3-runtime", "pyqt6"]
    [said] = [one.params for one in found.remarks if one.key == "project.remark.conda-libraries"]
    assert said["packages"] == "s2geometry, glpk, mkl, aws-c-io, libmlir19, typing"


def test_a_link_of_the_pip_section_keeps_its_marker_and_pip_comes_after_conda(tmp_path: Path) -> None:
    lines = [
        'git+https://github.com/diyabc/abcranger@027bff; platform_system == "Darwin"',
        'two @ git+https://github.com/a/two.git; platform_system == "Linux"',
        './part; platform_system == "Darwin"',
        "pyqt5==5.15.11",
    ]
    pip = "".join(f"    - {one}\n" for one in lines)
    words = f"channels: [conda-forge]\ndependencies:\n  - pytorch=2.1.2\n  - pyqt=5.15.4\n  - pip:\n{pip}"
    found = decided(tmp_path, {"environment.yml": words}, AMPERE)
    rest = [(one.name, one.url, one.specifier) for one in found.understood.rest]
    assert rest == [("two", "git+https://github.com/a/two.git", ""), ("pyqt5", "", "==5.15.11")]
    assert "contradiction" not in codes(found)


def test_gobject_introspection_is_condas_alone() -> None:
    assert is_condas_alone("gobject-introspection")


@pytest.mark.parametrize(
    "name", ["requirments.txt", "requirement.txt", "Requiremnts.txt", "reqirements.txt", "requirments-gpu.txt"]
)
def test_a_list_is_one_however_its_name_is_spelled(tmp_path: Path, name: str) -> None:
    files: dict[str, str | bytes] = {name: "torch==2.4.1\neinops\n", "setup.py": "setup(install_requires=['torch'])\n"}
    found = decided(tmp_path / "a", files, AMPERE)
    assert (build(found)[0], [one.name for one in found.understood.rest]) == ("2.4.1", ["einops"])
    files = {"requirements.txt": "torch==2.4.1\n", "README.md": f"```\npip install -r {name}\n```\n"}
    assert "named-alike" in codes(decided(tmp_path / "b", files, AMPERE)) or name.endswith("-gpu.txt")
    files = {"remarks.txt": "torch==2.4.1\n", "request.txt": "torch==2.4.1\n", "requirements.txt": "torch\n"}
    assert build(decided(tmp_path / "c", files, AMPERE))[0] != "2.4.1"


def test_a_list_that_is_called_optional_is_named_and_not_taken(tmp_path: Path) -> None:
    readme = "```\npip install -r requirements.txt\n# Optional\npip install -r requirements_optional.txt\n```\n"
    files = {"requirements.txt": "torch\neinops\n", "requirements_optional.txt": "pyrender\n", "README.md": readme}
    found = decided(tmp_path, files, AMPERE)
    assert [one.name for one in found.understood.rest] == ["einops"]
    [told] = [one.params["files"] for one in found.remarks if one.key.endswith("other-lists")]
    assert told == "requirements_optional.txt"
    (tmp_path / "requirements.txt").unlink()
    found = decided(tmp_path, {"requirements_optional.txt": "torch\npyrender\n"}, AMPERE)
    assert [one.name for one in found.understood.rest] == ["pyrender"], "the only one counts"


def test_what_the_section_for_pip_pins_counts_and_not_condas_line(tmp_path: Path) -> None:
    lines = f"{CONDA}  - pytorch=2.1.0\n  - imagecodecs==2022.8.8\n  - scipy=1.11\n  - pip:\n"
    lines += "    - imagecodecs==2022.9.26\n    - scipy\n"
    found = decided(tmp_path, {"environment.yml": lines}, AMPERE)
    asked = {one.name: one.specifier for one in found.understood.rest}
    assert asked["imagecodecs"] == "==2022.9.26"
    assert asked["scipy"].startswith("==1.11")
    assert "contradiction" not in codes(found)


@pytest.mark.parametrize(
    ("name", "is_left"),
    [
        ("requirements/1.1.0_requirements.txt", True),
        ("requirements-v1.1.txt", True),
        ("requirements-2023-05-01.txt", True),
        ("requirements-frozen.txt", True),
        ("requirements_lock.txt", True),
        ("requirements-2.6.0.txt", False),  # torch's own number
        ("requirements-3.11.txt", False),  # a Python's
    ],
)
def test_what_was_installed_at_one_time_does_not_bind_beside_what_is_needed(
    tmp_path: Path, name: str, is_left: bool
) -> None:
    project = '[project]\nname = "thing"\nversion = "2"\ndependencies = ["torch>=2.1", "einops"]\n'
    files: dict[str, str | bytes] = {"pyproject.toml": project, name: "torch==2.6.0\nnumpy==1.26.4\n"}
    found = decided(tmp_path / "both", files, AMPERE)
    assert (build(found)[0] == "2.14.1", "frozen-lists" in codes(found)) == (is_left, is_left)
    assert build(decided(tmp_path / "alone", {name: files[name]}, AMPERE))[0] == "2.6.0"
    readme = {**files, "README.md": f"# t\n```\npip install -r {name}\n```\n"}
    assert build(decided(tmp_path / "told", readme, AMPERE))[0] == "2.6.0"


@pytest.mark.parametrize(
    ("old", "is_left"),
    [
        ("<!-- ### Deprecated way\n```\nconda env create -f environment.yml\npip install sponge\n``` -->\n", True),
        ("## Old installation\n```\nconda env create -f environment.yml\n```\n", True),
        ("`environment.yml` is no longer maintained.\n", True),
        ("<!-- a word --> or `conda env create -f environment.yml`\n", False),
        ("## On a cluster\n```\nconda env create -f environment.yml\n```\n", False),
    ],
)
def test_an_environment_that_the_readme_calls_old_does_not_count(tmp_path: Path, old: str, is_left: bool) -> None:
    install = "# thing\n```\n# install all (tested up to torch 2.7)\npip install -r requirements.txt\n```\n"
    environment = "name: old\nchannels: [pytorch]\ndependencies:\n  - pytorch=1.10\n  - cudatoolkit=11.3\n"
    files = {"README.md": install + old, "requirements.txt": "torch\ntqdm\n", "environment.yml": environment}
    found = decided(tmp_path, {**files, "setup.py": "from setuptools import setup\nsetup(name='thing')\n"}, AMPERE)
    assert (build(found)[0] == "2.7.1", "retired-lists" in codes(found)) == (is_left, is_left)
    assert not any("sponge" in str(one.params) for one in found.remarks)


def test_a_name_for_any_release_is_no_file_that_is_missing(tmp_path: Path) -> None:
    readme = "# t\n```\npip install -r x.y.z_requirements.txt\npip install -r lost.txt\n```\n"
    found = decided(tmp_path, {"requirements.txt": "torch\n", "README.md": readme}, AMPERE)
    assert [one.params["name"] for one in found.remarks if one.key.endswith("include-missing")] == ["lost.txt"]


def test_a_list_whose_torch_is_set_aside_does_not_choose_the_cuda(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements/a.txt": "torch==2.3.0\n",
        "requirements/b.txt": "--index-url https://download.pytorch.org/whl/cpu\ntorch==2.2.0\n",
    }
    found = decided(tmp_path / "page", files, AMPERE)
    assert (build(found)[:2], codes(found)) == (("2.3.0", "cu121"), {"contradiction"})
    files["requirements/b.txt"] = "torch==2.2.0+cpu\n"
    assert build(decided(tmp_path / "local", files, AMPERE))[:2] == ("2.3.0", "cu121")
    files["requirements/a.txt"] = "torch==2.2.0\n"
    assert build(decided(tmp_path / "both", files, AMPERE))[:2] == ("2.2.0", "cpu")


@pytest.mark.parametrize(
    ("words", "is_left"),
    [
        ("The `bench.txt` is **not** included in the default installation.\n```\npip install -r FILE\n```\n", True),
        ("```\npip install -r FILE  # optional, for the benchmark\n```\n", True),
        ("### Optional\n```\npip install -r FILE\n```\n", True),
        ("An optional tool is in v1.0. Then:\n```\npip install -r FILE\n```\n", False),
        ("### Optional\n```\npip install -r FILE\n```\n### All\n```\npip install -r FILE\n```\n", False),
    ],
)
def test_a_list_that_a_manual_calls_optional_is_named_and_not_taken(
    tmp_path: Path, words: str, *, is_left: bool
) -> None:
    bench = "requirements/bench.txt"
    manual = "# t\n## Installation\n```\npip install -r requirements.txt\n```\n" + words.replace("FILE", bench)
    files: dict[str, str | bytes] = {"requirements.txt": "-r requirements/chat.txt\n", "INSTALLATION.md": manual}
    files |= {"requirements/chat.txt": "torch>=2\n", bench: "tensorflow==2.11.0\n"}
    found = decided(tmp_path / "a", files, ADA)
    assert ("tensorflow" not in [one.name for one in found.understood.rest]) == is_left
    told = [one.params["files"] for one in found.remarks if one.key.endswith("optional-lists")]
    assert told == ([bench] if is_left else [])
    files["requirements.txt"] = "-r requirements/chat.txt\n-r requirements/bench.txt\n"
    found = decided(tmp_path / "b", files, ADA)  # by another list it is declared, whatever the manual calls it
    assert "tensorflow" in [one.name for one in found.understood.rest]


def test_a_library_beside_its_python_package_is_none_of_the_index(tmp_path: Path) -> None:
    lines = ["python=3.10", "pytorch", "pyembree=0.1.6=py310h0da4684_1", "embree=2.17.7=ha770c72_1", "exiftool=12"]
    words = "".join(f"  - {line}\n" for line in lines)
    found = decided(tmp_path, {"environment.yml": f"dependencies:\n{words}"}, AMPERE)
    [said] = [one.params for one in found.remarks if one.key == "project.remark.conda-libraries"]
    assert said["packages"] == "embree, exiftool"
    assert [one.name for one in found.understood.rest] == ["pyembree"]


_EXPORT = "# platform: linux-64\n_libgcc_mutex=0.1=main\npytorch=2.4.1=cuda118_h1_0\n"
_EXPORT += "numpy=1.26.4=h64_0\neinops=0.8.0=pypi_0\n"
_TABLE = (
    "# packages in environment at /opt/conda:\n#\n# Name                    Version                   Build  Channel\n"
    "numpy                     1.26.4               h64_0    conda-forge\n"
    "pytorch                   2.4.1        cuda118_h1_0    conda-forge\n"
    "einops                    0.8.0               pypi_0    pypi\n"
)


@pytest.mark.parametrize(("words", "code"), [(_EXPORT, "platform-list"), (_TABLE, "read-as")])
@pytest.mark.parametrize("file", ["requirements.txt", "conda-list.txt"])
def test_an_export_of_conda_without_a_python_leaves_it_free(tmp_path: Path, file: str, words: str, code: str) -> None:
    found = decided(tmp_path / "free", {file: words}, AMPERE)
    assert ([*found.understood.python], code in codes(found)) == ([], True)
    assert (build(found)[0], {one.name for one in found.understood.packages}) == ("2.4.1", {"numpy", "einops"})
    python = (
        "python=3.10.14=h955_1\n" if words == _EXPORT else "python                    3.10.14              h955_1\n"
    )
    bound = decided(tmp_path / "bound", {file: words + python}, AMPERE)
    assert (build(bound)[0], build(bound)[2]) == ("2.4.1", "3.10")
