"""Packages that hang on torch: which torch they imply, what moves with it, what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, CONDA, NO_CARD, build, codes, decided, relaxed, without
from tests.project.test_read import project_of
from wizard.machine.model import Machine
from wizard.model.messages import text
from wizard.project.answer import project_document, project_lines
from wizard.project.packages.companions import companion, has_library, library_bound, torch_of, undeclared_bounds


def test_without_a_card_the_cpu_build_and_no_card_packages(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.3.1+cu121\nxformers==0.0.27\nflash-attn\noptimum-quanto\n"
    }
    found = decided(tmp_path, files, NO_CARD)
    assert build(found)[:2] == ("2.3.1", "cpu")
    assert relaxed(found)["cuda"] == ("cu121", "cpu", "project.why.no-gpu")
    assert without(found) == ("xformers", "flash-attn")


def test_without_a_card_the_package_for_the_processor_takes_the_place_of_the_one_for_cards(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nonnxruntime-gpu==1.18.0\nfaiss-gpu\ncupy-cuda12x\n"}
    found = decided(tmp_path, files, NO_CARD)
    assert {name: words[1] for name, words in relaxed(found).items()} == {
        "onnxruntime-gpu": "onnxruntime",
        "faiss-gpu": "faiss-cpu",
    }
    assert without(found) == ("cupy-cuda12x",)
    assert (relaxed(decided(tmp_path, files, AMPERE)), without(decided(tmp_path, files, AMPERE))) == ({}, ())


def test_what_is_left_out_is_not_also_said_to_move_with_torch(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==9.9.9\nflash-attn==2.7.4\n"}
    found = decided(tmp_path, files, ADA)
    assert without(found) == ("flash-attn",)
    assert set(relaxed(found)) == {"torch"}
    assert set(relaxed(decided(tmp_path, files, AMPERE))) == {"torch", "flash-attn"}


def test_xformers_implies_its_torch(tmp_path: Path) -> None:
    assert torch_of("xformers", "0.0.28.post3") == "2.5.1"
    assert torch_of("xformers", "0.0.29") == torch_of("xformers", "0.0.29.post1") == "2.5.1"
    assert build(decided(tmp_path, {"requirements.txt": "torch\nxformers==0.0.28.post3\n"}, AMPERE))[0] == "2.5.1"


def test_packages_that_choose_their_torch_are_named(tmp_path: Path) -> None:
    assert "chooses-torch" in codes(decided(tmp_path, {"requirements.txt": "torch\nvllm\n"}, BLACKWELL))
    for words in ("torch==2.9.0\nvllm\n", "torch\nbitsandbytes\n"):
        assert "chooses-torch" not in codes(decided(tmp_path, {"requirements.txt": words}, BLACKWELL))


def test_companions_are_known_by_their_patterns() -> None:
    assert [row.name for name in ("dgl-cuda10-2", "cupy-cuda11x", "mmcv-full") if (row := companion(name))] == [
        "dgl",
        "cupy-cuda12x",
        "mmcv-full",
    ]
    assert companion("einops") is None


def test_a_package_that_has_its_cuda_in_its_name_moves_with_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"environment.yml": "dependencies:\n  - pytorch=2.3\n  - dgl-cuda11.3\n"}
    assert relaxed(decided(tmp_path, files, AMPERE))["dgl-cuda11-3"] == (
        "dgl-cuda11-3",
        "dgl (cu118)",
        "project.why.cuda-in-name",
    )
    assert relaxed(decided(tmp_path, files, NO_CARD))["dgl-cuda11-3"][1] == "dgl (cpu)"
    files = {"environment.yml": "dependencies:\n  - pytorch>=2.5\n  - dgl-cuda11.3\n"}
    for number, on in enumerate((BLACKWELL, NO_CARD)):  # its makers have none for so new a torch
        assert relaxed(decided(tmp_path / str(number), files, on))["dgl-cuda11-3"][1] == "–"
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
    told = [text(one, "en") for one in found.remarks if one.key.endswith(".held-back")]
    assert not [words for words in told if "the newest" in words]  # of those alone that its lines for torch leave


def test_a_release_that_only_a_cog_names_leaves_nothing_out(tmp_path: Path) -> None:
    cog = 'build:\n  python_packages:\n    - "bitsandbytes==0.41.0"\n'
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nbitsandbytes\n", "cog.yaml": cog}
    assert without(decided(tmp_path, files, ADA)) == ()


@pytest.mark.parametrize(
    ("line", "numpy"),
    [
        ("scikit-learn==1.2.2", "<2"),
        ("scikit-learn>=1.2", ""),
        ("pandas<2.1", "<2"),
        ("tensorflow==2.10.0", "<2"),
        ("tensorflow==2.14.0", "<2"),
        ("tensorflow>=2.18", ""),
        ("numba==0.53.1", "<1.21"),
        ("numba==0.53.1\nnumpy==1.19.5", "==1.19.5,<1.21"),
        ("numba==0.60.0", ""),
    ],
)
def test_an_old_pin_without_a_bound_of_its_own_keeps_numpy_old(tmp_path: Path, line: str, numpy: str) -> None:
    assert decided(tmp_path, {"requirements.txt": f"torch>=2.5\n{line}\n"}, AMPERE).numpy == numpy


@pytest.mark.parametrize(
    ("line", "torch"),
    [
        ("sglang==0.4.5.post2", "2.5.1"),
        ("sglang==0.4.5.post3", "2.6.0"),
        ("sglang[all]==0.4.6.post1", "2.6.0"),
        ("sglang==0.5.5", "2.8.0"),
        ("sglang", "2.14.1"),
    ],
)
def test_an_older_sglang_brings_the_torch_of_its_day(tmp_path: Path, line: str, torch: str) -> None:
    assert build(decided(tmp_path, {"requirements.txt": f"{line}\n"}, AMPERE))[0] == torch


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


def test_bitsandbytes_decides_the_cuda_or_moves(tmp_path: Path) -> None:
    """It takes the library of torch's own CUDA: a program misses one that its wheel lacks."""
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nbitsandbytes==0.40.0\n"}
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[:2], relaxed(found)) == (("2.5.1", "cu121"), {})
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


def test_what_nvidia_has_beside_torchs_own_parts_is_the_projects(tmp_path: Path) -> None:
    lines = "torch==2.12.0\nnvidia-nccl-cu13==2.29.7\nnvidia-nvcomp-cu13==5.3.0\nnvidia-cublas==13.1\n"
    found = decided(tmp_path, {"requirements.txt": lines}, AMPERE)
    assert [one.name for one in found.understood.rest] == ["nvidia-nvcomp-cu13"]


def test_the_end_of_the_torch_that_bytecheckpoint_asks_for_binds(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\nbytecheckpoint\n",
        "README.md": "```\npip install torch==2.5.0\n```\n",
        "Dockerfile": "FROM debian\nRUN pip install torch==2.5.1\n",
    }
    assert build(decided(tmp_path / "told", files, AMPERE))[0] == "2.5.0"
    assert build(decided(tmp_path / "open", {"requirements.txt": "torch\nbytecheckpoint\n"}, AMPERE))[0] == "2.5.0"


def test_a_release_that_bounds_torch_moves_and_old_builds_keep_numpy_old(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch==2.6.0\nlmdeploy==0.7.1\n"}, AMPERE)
    assert relaxed(found)["lmdeploy"] == ("==0.7.1", "lmdeploy (torch 2.6.0)", "project.why.with-torch")
    assert "lmdeploy" not in relaxed(decided(tmp_path, {"requirements.txt": "torch==2.5.1\nlmdeploy==0.7.1\n"}, AMPERE))
    for line in ("rdkit==2022.3.5", "jax==0.4.23", "jaxlib==0.4.23"):
        assert decided(tmp_path, {"requirements.txt": f"torch==2.7.1\n{line}\n"}, AMPERE).numpy == "<2"
    words = "dependencies:\n  - python=3.7\n  - pytorch=1.12.1\n  - setuptools=69.0.3\n"
    files: dict[str, str | bytes] = {"environment.yml": words}
    assert "wheel-of-pin" in codes(decided(tmp_path, files, AMPERE))


def test_what_moves_with_torch_moves_the_pins_of_what_it_needs(tmp_path: Path) -> None:
    pins = "vllm==0.7.3\ntransformers==4.51.3\ndepyf==0.18.0\nopenai>=1\ncompressed-tensors==0.9.1\n"
    found = relaxed(decided(tmp_path, {"requirements.txt": f"torch==2.5.1\n{pins}"}, BLACKWELL))
    assert found["vllm"] == ("==0.7.3", "0.10.1.1", "project.why.with-torch")
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


@pytest.mark.parametrize(
    ("numpy", "bounds"),
    [
        ("numpy==1.26.4", ("pyarrow<26.0.0",)),
        ("numpy<2", ("pyarrow<26.0.0",)),
        ("numpy>=1.24", ()),
        ("einops==0.8", ()),
        ("scipy==1.5", ("numpy<2", "pyarrow<26.0.0")),
    ],
)
def test_what_no_metadata_says_of_an_old_numpy_binds_the_resolver(numpy: str, bounds: tuple[str, ...]) -> None:
    assert undeclared_bounds(("torch==2.7.1+cu128", "demo @ file:///demo.whl", numpy)) == bounds


@pytest.mark.parametrize(
    ("torch", "bounds"),
    [("2.0.1+cu118", ("4.52.0", "5.0.0", "5.1.0", "5.15.0", "5.20.0")), ("2.5.1", ("5.20.0",)), ("2.6.0+cu126", ())],
)
def test_an_open_transformers_is_one_that_takes_the_torch(torch: str, bounds: tuple[str, ...]) -> None:
    """A newer one turns PyTorch off at its import, and no metadata says so."""
    found = undeclared_bounds((f"torch=={torch}", "transformers"))
    assert found == tuple(f"transformers<{one}" for one in bounds)


@pytest.mark.parametrize(
    ("lines", "bounds"),
    [
        (("diffusers==0.27.2",), ("huggingface-hub<0.26",)),
        (("diffusers==0.18.2.*", "huggingface-hub>=0.14"), ("huggingface-hub<0.26",)),
        (("diffusers>=0.18,<0.28",), ("huggingface-hub<0.26",)),
        (("diffusers==0.11.1.*",), ("huggingface-hub<0.26",)),  # as conda's lines are read
        (("diffusers==0.29.0",), ()),
        (("pytorch-lightning==1.4.2",), ("numpy<2", "setuptools<82", "torchmetrics<0.8", "pyarrow<26.0.0")),
        (("pytorch-lightning==1.6.5", "torchmetrics==0.11.4"), ("numpy<2", "setuptools<82", "pyarrow<26.0.0")),
        (("pytorch-lightning==2.4.0",), ()),
        (("librosa==0.7.0",), ("numba<0.50",)),
        (("librosa==0.9.1",), ("setuptools<82",)),
        (("librosa==0.10.2",), ()),
        (("peft==0.17.1", "transformers>=4.44"), ("transformers<5",)),
        (("peft==0.18.0", "transformers"), ()),
        (("diffusers>=0.27",), ()),  # the newest goes with any
        (("diffusers", "huggingface-hub>=1"), ()),
        (("diffusers==0.27.2", "huggingface-hub==1.8.0"), ()),  # no resolver can mend that
    ],
)
def test_what_an_old_release_needs_unsaid_binds_the_resolver(lines: tuple[str, ...], bounds: tuple[str, ...]) -> None:
    assert undeclared_bounds(lines) == bounds


def test_what_an_old_release_needs_unsaid_is_told(tmp_path: Path) -> None:
    lines = "torch\ndiffusers==0.27.2\ntransformers==4.41.0\n"
    found = decided(tmp_path / "a", {"requirements.txt": lines}, AMPERE)
    said = [one.params for one in found.remarks if one.key.endswith("needs-unsaid")]
    assert [(one["package"], one["other"], one["bound"]) for one in said] == [
        ("diffusers==0.27.2", "huggingface-hub", "<0.26")
    ]
    found = decided(tmp_path / "b", {"requirements.txt": f"{lines}huggingface-hub==1.8.0\n"}, AMPERE)
    assert codes(found) & {"needs-unsaid", "needs-line"} == {"needs-line"}


def test_a_bound_of_one_package_counts_beside_what_no_torch_here_is_ready_for(tmp_path: Path) -> None:
    lines = "torch>=2\nmmcv-full==1.6.2\nbitsandbytes==0.42.0\n"
    assert build(decided(tmp_path / "a", {"requirements.txt": lines}, AMPERE))[0] == "2.5.1"
    left = decided(tmp_path / "b", {"requirements.txt": lines}, ADA)  # bitsandbytes has no wheel for Windows so early
    assert (without(left), build(left)[0] == "2.5.1", "bound" in codes(left)) == (("bitsandbytes",), False, False)
    newer = lines.replace("0.42.0", "0.45.1")
    assert build(decided(tmp_path / "c", {"requirements.txt": newer}, AMPERE))[0] != "2.5.1"


def test_a_line_that_does_not_run_with_the_torch_that_is_asked_for_is_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.6.0\nbitsandbytes==0.43.0\n"}
    [told] = [one for one in decided(tmp_path, files, AMPERE).remarks if one.key == "project.remark.bound-by-code"]
    said = told.params
    assert text(told, "en").endswith("Take bitsandbytes 0.45.1 or newer.")
    assert (said["package"], said["asked"], said["torch"]) == ("bitsandbytes", "<2.6", "2.6.0")


def test_what_a_line_or_python_leaves_out_anyhow_is_not_told(tmp_path: Path) -> None:
    lines = "torch==1.7.1\nlibrosa==0.7.0\nnumba==0.48\npytorch-lightning==1.2.10\n"
    for python, told in (("3.7", set()), ("3.9", {("pytorch-lightning", "setuptools")})):
        files: dict[str, str | bytes] = {"requirements.txt": lines, "environment.yml": CONDA.replace("3.10", python)}
        found = decided(tmp_path / python, files, AMPERE)
        said = [one.params for one in found.remarks if one.key.endswith("needs-unsaid")]
        assert {(str(one["package"]).partition("==")[0], one["other"]) for one in said} == told


def test_a_pin_that_cannot_have_what_it_needs_unsaid_moves(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.7.1\nlibrosa==0.7.0\nnumba==0.48\n"}
    moved = relaxed(decided(tmp_path / "a", files, BLACKWELL))
    assert moved["librosa"] == ("==0.7.0", ">=0.8.0,<0.9", "project.why.outrun")
    assert "librosa" not in relaxed(decided(tmp_path / "b", files, AMPERE))


def test_a_pyarrow_that_starts_with_numpy_2_alone_is_told_beside_an_older_one(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.7.1\nnumpy==1.26.4\npyarrow==26.0.1\n"}
    [said] = [one.params for one in decided(tmp_path, files, AMPERE).remarks if one.key.endswith("needs-line")]
    assert (said["need"], said["other"], said["other_line"]) == ("numpy>=2.0", "numpy==1.26.4", 2)


def test_an_old_lightning_holds_numpy_below_2(tmp_path: Path) -> None:
    for release, is_old in (("1.9.4", True), ("2.2.0", False)):
        files: dict[str, str | bytes] = {"requirements.txt": f"torch==2.7.1\npytorch-lightning=={release}\n"}
        assert (decided(tmp_path, files, AMPERE).numpy == "<2") == is_old, release


def test_of_packages_for_one_cuda_each_the_one_for_this_is_no_difference(tmp_path: Path) -> None:
    words = "torch==2.4.1\n--extra-index-url https://download.pytorch.org/whl/cu118\n"
    files: dict[str, str | bytes] = {"requirements.txt": f"{words}spconv-cu118\nspconv-cu120\n"}
    assert relaxed(decided(tmp_path / "a", files, AMPERE)) == {}
    files = {"requirements.txt": f"{words}spconv-cu120\n"}
    assert list(relaxed(decided(tmp_path / "b", files, AMPERE))) == ["spconv-cu120"]


@pytest.mark.parametrize(
    ("torch", "name", "given"),
    [
        ("2.7.1", "spconv-cu121", "spconv-cu126"),  # there is none for CUDA 12.8
        ("2.15.0", "spconv-cu121", "–"),  # nor one for CUDA 13
        ("2.15.0", "cudf-cu12", "cudf-cu13"),
        ("2.15.0", "nvidia-dali-cuda120", "nvidia-dali-cuda130"),
    ],
)
def test_in_the_place_of_a_package_comes_one_that_there_is(tmp_path: Path, torch: str, name: str, given: str) -> None:
    found = decided(tmp_path, {"requirements.txt": f"torch=={torch}\n{name}\n"}, BLACKWELL)
    assert relaxed(found)[name][1] == given


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


def test_what_is_only_recommended_moves_nothing_and_is_not_said_to(tmp_path: Path) -> None:
    docker = "FROM python:3.10\nRUN pip install torch==2.1.2\nRUN pip install vllm==0.2.7\n"
    files: dict[str, str | bytes] = {"requirements.txt": "transformers>=4.32,<4.38\n", "Dockerfile": docker}
    found = decided(tmp_path / "a", files, BLACKWELL)
    assert set(relaxed(found)) == {"torch"}
    files["requirements.txt"] = "transformers>=4.32,<4.38\nvllm==0.2.7\n"  # now it is in the plan
    assert {"transformers", "vllm"} < set(relaxed(decided(tmp_path / "b", files, BLACKWELL)))


def test_what_is_left_out_is_told_with_its_line(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "Dockerfile": "FROM x\nRUN pip install triton\n"}
    [said] = [one.params for one in decided(tmp_path, files, NO_CARD).remarks if one.key == "project.native.no-card"]
    assert (said["name"], said["place"]) == ("triton", "Dockerfile:2")


def test_parts_of_another_cuda_that_a_package_opens_are_taken(tmp_path: Path) -> None:
    words = "torch\nfaster-whisper\nnvidia-cublas-cu12; sys_platform == 'linux'\nnvidia-cudnn-cu12\n"
    found = decided(tmp_path / "a", {"requirements.txt": words}, BLACKWELL)
    assert build(found)[1] == "cu132"  # which brings CUDA 13's
    assert {"nvidia-cublas-cu12", "nvidia-cudnn-cu12"} <= {one.name for one in found.understood.rest}
    assert codes(found) & {"parts-kept", "parts-lacking", "nvidia-parts"} == {"parts-kept"}
    older = decided(tmp_path / "b", {"requirements.txt": words.replace("torch\n", "torch==2.8.0\n")}, BLACKWELL)
    assert "nvidia-cublas-cu12" not in {one.name for one in older.understood.rest}  # torch brings it
    assert codes(older) & {"parts-kept", "parts-lacking", "nvidia-parts"} == {"nvidia-parts"}


def test_parts_that_an_older_torch_has_brought_and_nothing_opens_are_left(tmp_path: Path) -> None:
    words = "torch\nnvidia-cublas-cu12==12.8.4.1\nnvidia-nccl-cu12==2.27.3\n"
    found = decided(tmp_path / "a", {"requirements.txt": words}, BLACKWELL)
    assert not [one for one in found.understood.rest if one.name.startswith("nvidia-")]
    found = decided(tmp_path / "b", {"requirements.txt": f"{words}ctranslate2\n"}, BLACKWELL)
    assert [one.name for one in found.understood.rest if one.name.startswith("nvidia-")] == ["nvidia-cublas-cu12"]


@pytest.mark.parametrize(
    ("lines", "on", "said"),
    [
        ("faster-whisper\n", BLACKWELL, True),
        ("faster-whisper<1\n", BLACKWELL, False),
        ("ctranslate2==3.24.0\n", BLACKWELL, False),
        ("ctranslate2\n", NO_CARD, False),
        ("ctranslate2\n", AMPERE, False),  # its torch has CUDA 12
    ],
)
def test_what_a_package_opens_and_neither_torch_nor_a_line_brings_is_told(
    tmp_path: Path, lines: str, on: Machine, said: bool
) -> None:
    assert ("parts-lacking" in codes(decided(tmp_path, {"requirements.txt": f"torch\n{lines}"}, on))) == said


@pytest.mark.parametrize("marker", ['sys_platform == "win32"', 'python_version < "3.10"'])
def test_native_code_that_is_for_another_system_or_python_is_not_named(tmp_path: Path, marker: str) -> None:
    lines = f"torch\nxformers==0.0.16; {marker}\nflash-attn; {marker}\nattrs\n"
    found = decided(tmp_path, {"requirements.txt": lines}, BLACKWELL)
    assert found.candidate
    document, said = project_document(project_of(tmp_path, {}), found), project_lines(found, "en")
    assert (document["native"], document["native_elsewhere"]) == ([], ["xformers", "flash-attn"])
    assert "Packages with native code" not in said
    assert "for another system or Python alone: xformers, flash-attn" in said
    assert not [one for one in found.remarks if one.key.startswith("project.native.")]
    lines = "torch\nxformers; sys_platform == 'linux'\nxformers; sys_platform == 'win32'\n"
    there = decided(tmp_path / "there", {"requirements.txt": lines}, BLACKWELL)
    assert (there.elsewhere, "code: xformers" in project_lines(there, "en")) == ((), True)
