"""What a plan cannot have ready, and which Python or torch is taken for that: rows of the table against small lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, NO_CARD, build, codes, decided, relaxed, without
from wizard.model.messages import text
from wizard.project.decide import ProjectDecision

LACKING = "project.remark.wheel-of-pin"


def lacking(found: ProjectDecision) -> str:
    return ", ".join(str(one.params["packages"]) for one in found.remarks if one.key == LACKING)


@pytest.mark.parametrize(
    ("line", "python"),
    [
        ("hydra-core==1.0.7", "3.10"),  # cannot be imported with a newer one
        ("hydra-core>=1.0.7,<1.1", "3.10"),
        ("hydra-core==1.3.2", "3.12"),
        ("fairseq==0.12.2", "3.8"),
        ("pytorch-lightning==1.5.10", "3.12"),
        ("mujoco==2.3.1.post1", "3.11"),
        ("onnx-simplifier==0.4.10", "3.10"),
    ],
)
def test_the_python_is_one_that_a_pin_goes_with(tmp_path: Path, line: str, python: str) -> None:
    assert build(decided(tmp_path, {"requirements.txt": f"torch\n{line}\n"}, AMPERE))[2] == python


@pytest.mark.parametrize(
    "line", ["mujoco==2.3.1", "onnxruntime-gpu==1.20.1", "gym==0.21.0", "av==11.0.0", "torchrl-nightly==2026.7.20"]
)
def test_a_release_that_is_gone_or_has_its_source_alone_is_named(tmp_path: Path, line: str) -> None:
    assert lacking(decided(tmp_path, {"requirements.txt": f"torch\n{line}\n"}, AMPERE)) == line.partition("==")[0]


def test_what_a_pin_needs_and_has_no_wheel_is_named_with_it(tmp_path: Path) -> None:
    found = decided(tmp_path / "a", {"requirements.txt": "torch\nfaster-whisper==1.0.2\n"}, AMPERE)
    assert lacking(found) == "av==11.* (faster-whisper)"
    found = decided(tmp_path / "b", {"requirements.txt": "torch\nfaster-whisper==1.1.0\n"}, AMPERE)
    assert LACKING not in {one.key for one in found.remarks}


@pytest.mark.parametrize("package", ["basicsr", "gfpgan", "realesrgan", "pytorchvideo"])
def test_what_needs_an_old_torchvision_holds_torch_back_where_that_runs(tmp_path: Path, package: str) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": f"torch>=1.7\ntorchvision\n{package}\n"}
    assert build(decided(tmp_path / "a", files, AMPERE))[0] == "2.1.2"
    found = decided(tmp_path / "b", files, BLACKWELL)
    assert "bound-by-code" in codes(found)  # which no resolver sees
    assert any(package in text(one, "en") and "<2.2" in text(one, "en") for one in found.remarks)
    newest: dict[str, str | bytes] = {
        "requirements.txt": f"torch>=1.7\n{package} @ git+https://code.example/x/{package}\n"
    }
    assert build(decided(tmp_path / "c", newest, ADA))[0] == "2.14.1"


def test_an_old_ignite_holds_torch_below_2(tmp_path: Path) -> None:
    assert build(decided(tmp_path, {"requirements.txt": "torch\npytorch-ignite==0.4.7\n"}, AMPERE))[0] == "1.13.1"


def test_condas_other_outputs_of_one_package_are_no_packages_of_the_index(tmp_path: Path) -> None:
    words = "dependencies:\n  - pytorch=2.1\n  - nbconvert-core=7.2.9\n"
    words += "  - nbconvert-pandoc=7.2.9\n  - graph-tool-base=2.56\n  - jsonschema-with-format-nongpl=4.17.3\n"
    found = decided(tmp_path, {"environment.yml": words}, AMPERE)
    assert [one.name for one in found.understood.rest] == ["nbconvert", "jsonschema"]
    assert "conda-libraries" in codes(found)


def test_the_python_is_one_that_a_package_in_any_version_has_wheels_for(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\npybullet\n"}, AMPERE)
    assert (build(found)[2], lacking(found)) == ("3.11", "")
    found = decided(tmp_path / "b", {"requirements.txt": "torch\nisaacgym\n"}, AMPERE)
    assert (build(found)[2], [one.name for one in found.understood.native]) == ("3.8", ["isaacgym"])


def test_a_runtime_that_is_a_number_alone_is_a_python(tmp_path: Path) -> None:
    assert build(decided(tmp_path, {"runtime.txt": "3.9\n", "requirements.txt": "torch==2.4.1\n"}, AMPERE))[2] == "3.9"


def test_where_the_wheels_of_the_makers_lie_is_named(tmp_path: Path) -> None:
    """By their names there: conda has a package for each CUDA."""
    words = (
        "dependencies:\n- python=3.10\n- pytorch={}\n- pytorch-cuda=11.8\n- dgl-cuda11.8\n- pip:\n  - torch-sparse\n"
    )
    pyg, dgl = "https://data.pyg.org/whl/torch-2.3.0+cu118.html", "https://data.dgl.ai/wheels"
    for torch, page in (("2.3", f"{dgl}/torch-2.3/cu118/repo.html"), ("2.0", dgl)):
        found = decided(tmp_path / torch, {"environment.yml": words.format(torch)}, AMPERE)
        said = {one.params["packages"]: one.params["page"] for one in found.remarks if one.key.endswith("native.page")}
        assert said == {"dgl": page, "torch-sparse": pyg.replace("2.3", torch)}
    assert "page" not in codes(decided(tmp_path / "b", {"requirements.txt": "torch\neinops\n"}, AMPERE))


def test_the_toolkit_that_compiling_against_torch_needs_is_named_by_its_major_version(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.0.1\ntorchmcubes @ git+https://g.example/t/torchmcubes\nnvdiffrast\ndlib\n",
    }
    for on, major, least in ((AMPERE, 11, {}), (ADA, 11, {}), (BLACKWELL, 12, {"least": "12.8"}), (NO_CARD, None, {})):
        found = decided(tmp_path, files, on)
        said = [one.params for one in found.remarks if one.key.startswith("project.native.toolkit")]
        assert said == [{"packages": "torchmcubes, nvdiffrast", "major": major, **least}] * (major is not None)
    files["requirements.txt"] = "torch==2.0.1\nxformers\n"
    assert "toolkit" not in codes(decided(tmp_path / "ready", files, AMPERE))


def test_a_numpy_without_a_wheel_moves_to_the_nearest_that_has_one(tmp_path: Path) -> None:
    words = "dependencies:\n  - python==3.8.5\n  - pytorch==1.7.0\n  - pip:\n    - numpy==1.19.2\n"
    found = decided(tmp_path, {"environment.yml": words}, BLACKWELL)
    assert (build(found)[2], found.numpy) == ("3.9", ">=1.19.3,<1.20")
    assert relaxed(found)["numpy"] == ("==1.19.2", ">=1.19.3,<1.20", "project.why.numpy-wheel")
    told = [one.params["packages"] for one in found.remarks if one.key.endswith("wheel-of-pin")]
    assert not any("numpy" in str(one) for one in told)  # what moves is told as that
    [moved] = [one.origins for one in found.relaxed if one.name == "numpy"]
    assert [(one.file, one.line) for one in moved] == [("environment.yml", 5)]
    assert "numpy" not in relaxed(decided(tmp_path, {"environment.yml": words}, AMPERE))
    old = f"{words}    - pandas==1.5.3\n".replace("==3.8.5", "=3.12").replace("pytorch==1.7.0", "pytorch==2.7.1")
    found = decided(tmp_path / "old", {"environment.yml": old.replace("1.19.2", "1.25.2")}, BLACKWELL)
    assert (build(found)[2], found.numpy) == ("3.12", ">=1.26.0,<1.27")


def test_what_a_maker_gives_after_a_yes_to_its_licence_is_told_with_its_needs(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.10.0\nisaacgym\n"}
    for on in (AMPERE, ADA):
        found = decided(tmp_path, files, on)
        [said] = [one.params for one in found.remarks if one.key == "project.native.by-hand"]
        assert (said["page"], said["systems"], said["pythons"]) == (
            "https://developer.nvidia.com/isaac-gym",
            "Linux",
            "3.6-3.8",
        )
        assert not {"compiler", "no-wheel"} & codes(found)
    assert "by-hand" not in codes(decided(tmp_path, {"requirements.txt": "torch==1.10.0\n"}, AMPERE))


def test_of_releases_for_two_cudas_one_with_a_wheel_is_enough(tmp_path: Path) -> None:
    lines = "# for cuda 12.x\npip install onnxruntime-gpu==1.22.0\n# for cuda 11.x\npip install onnxruntime-gpu==1.20.1"
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.7.0\n", "README.md": f"# t\n```\n{lines}\n```\n"}
    assert "wheel-of-told" not in codes(decided(tmp_path / "two", files, AMPERE))
    alone = "pip install onnxruntime-gpu==1.20.1"
    files["README.md"] = f"# t\n```\n{alone} --index-url https://index.example/simple/\n```\n"
    assert "wheel-of-told" not in codes(decided(tmp_path / "index", files, AMPERE))
    files["README.md"] = f"# t\n```\n{alone}\n```\n"
    assert "wheel-of-told" in codes(decided(tmp_path / "alone", files, AMPERE))


def test_what_programs_need_is_not_told_to_be_left_out(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.7.1\n", "main.py": "import scipy\n"}
    files["Dockerfile"] = "FROM x\nRUN pip install scipy==1.2.0\n"
    found = codes(decided(tmp_path / "a", files, BLACKWELL))
    assert found & {"wheel-of-told", "wheel-of-needed"} == {"wheel-of-needed"}
    files["main.py"] = "import torch\n"
    found = codes(decided(tmp_path / "b", files, BLACKWELL))
    assert found & {"wheel-of-told", "wheel-of-needed"} == {"wheel-of-told"}


@pytest.mark.parametrize(
    "name", ["nvidia-tensorrt", "nvidia-cuda-nvcc-cu12", "nvidia-nvimgcodec-cu12", "cudf", "cucim", "jax-cuda12-plugin"]
)
def test_a_library_of_cuda_is_of_no_use_without_a_card(tmp_path: Path, name: str) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": f"torch\n{name}\n"}
    assert without(decided(tmp_path, files, NO_CARD)) == (name,)
    assert without(decided(tmp_path, files, AMPERE)) == ()


def test_what_needs_no_card_stays_without_one(tmp_path: Path) -> None:
    words = "torch\njax\nnvidia-ml-py\npynvml\nnvidia-cublas-cu12\nfaiss-cpu\nonnxruntime\n"
    assert without(decided(tmp_path, {"requirements.txt": words}, NO_CARD)) == ()


def test_what_a_readme_has_for_a_card_is_told_with_the_one_for_the_processor(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "README.md": "pip install faiss-gpu tensorrt\n"}
    found = [one.params for one in decided(tmp_path, files, NO_CARD).remarks if one.key == "project.native.on-cpu"]
    assert [(one["name"], one["place"], one["instead"]) for one in found] == [("faiss-gpu", "README.md:1", "faiss-cpu")]
    assert "on-cpu" not in codes(decided(tmp_path, files, AMPERE))
    planned = {**files, "requirements.txt": "torch\nfaiss-gpu\n"}
    assert "on-cpu" not in codes(decided(tmp_path, planned, NO_CARD))


def test_programs_of_conda_are_named_as_left_out(tmp_path: Path) -> None:
    words = (
        "dependencies:\n  - pytorch=2.1\n  - colmap\n  - ambertools=22\n  - montreal-forced-aligner\n  - openmm=7.7\n"
    )
    found = decided(tmp_path, {"environment.yml": f"{words}  - pdbfixer\n  - biopython\n"}, AMPERE)
    assert [one.name for one in found.understood.rest] == ["openmm", "pdbfixer", "biopython"]
    [said] = [one.params for one in found.remarks if one.key == "project.remark.conda-libraries"]
    assert said["packages"] == "colmap, ambertools, montreal-forced-aligner"
    assert lacking(found) == "openmm, pdbfixer"
    newer = {"environment.yml": "dependencies:\n  - pytorch=2.1\n  - openmm>=8.1\n"}
    assert lacking(decided(tmp_path / "b", {**newer}, AMPERE)) == ""


def test_programs_of_conda_that_a_readme_installs_are_named_with_the_line(tmp_path: Path) -> None:
    readme = (
        "```\nconda install -c conda-forge -c bioconda hmmer=3.3 openmm hhsuite::hhsuite\nconda install pandas\n```\n"
    )
    found = decided(tmp_path, {"requirements.txt": "torch\n", "README.md": readme}, AMPERE)
    said = [one.params for one in found.remarks if one.key == "project.remark.conda-programs"]
    assert [(one["file"], one["line"], one["packages"]) for one in said] == [("README.md", 2, "hmmer, hhsuite")]


def test_a_sentence_that_names_not_all_says_how_many_more_there_are(tmp_path: Path) -> None:
    pins = ["h5py==2.10.0", "matplotlib==3.1.0", "numba==0.48.0", "opencv-python==4.1.2.30", "pandas==0.25.3"]
    pins += ["pillow==6.2.1", "pyyaml==5.3", "scikit-image==0.16.2", "scikit-learn==0.22", "scipy==1.4.1"]
    files: dict[str, str | bytes] = {"requirements.txt": "\n".join(["torch", *pins])}
    found = decided(tmp_path, files, BLACKWELL)
    [said] = [str(one.params["packages"]) for one in found.remarks if one.key.endswith("wheel-of-pin")]
    named = [pin.partition("==")[0] for pin in pins]
    assert [name for name in named if name not in said] == [] or "(+" in said
