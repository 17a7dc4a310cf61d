"""What the tables say to an error text of what stands beside torch: its pair, companions, two torches in one list."""

from __future__ import annotations

import pytest

from tests.compatibility.judged_text import reasons
from wizard.diagnose.known_errors.facts import Named, parse_facts


def test_a_torchvision_of_another_release_is_named_with_the_right_one() -> None:
    assert reasons("torch 2.6.0\ntorchvision 0.23.0")["pair"]["right"] == "0.21.0"
    assert reasons("torch 2.6.0\ntorchvision 0.21.0") == {}
    assert "tags" in reasons("torch 2.6.0+cu124\ntorchvision 0.21.0+cu126")


CONDAS = "pytorch                   2.5.1           py3.11_cuda12.4_cudnn9.1.0_0    pytorch"


PIPS = "torch                     2.9.0+cu128              pypi_0    pypi"


@pytest.mark.parametrize("before", ["", "[conda] "])
def test_condas_torch_beside_pips_in_a_list_is_told(before: str) -> None:
    assert reasons(f"{before}{CONDAS}\n{before}{PIPS}")["twice"] == {"conda": "2.5.1", "pip": "2.9.0+cu128"}


@pytest.mark.parametrize("words", [CONDAS, PIPS, f"{PIPS}\npytorch-cuda 12.4 hc786d27_7 pytorch"])
def test_one_torch_in_a_list_is_no_fault(words: str) -> None:
    assert "twice" not in reasons(words)


def test_a_library_of_another_cuda_is_another_packages() -> None:
    said = (
        "/v/lib/python3.11/site-packages/vllm/_C.py\nlibcudart.so.12: cannot open shared object file\ntorch 2.9.1+cu130"
    )
    assert reasons(said)["library-of"]["package"] == "vllm"
    assert reasons(said.replace("so.12", "so.13")) == {}


def test_two_installations_in_one_text_are_not_one_environment() -> None:
    said = "+ torch==2.7.1+cpu\n+ torchvision==0.22.1+cpu\nuv 0.8.12 installs torch==2.7.1+cu128"
    assert "tags" not in reasons(said)
    assert "tags" in reasons("torch==2.7.1+cu128\ntorchvision==0.22.1+cpu")


def test_a_torchaudio_beyond_the_last_is_told_to_have_ended() -> None:
    said = "ERROR: Could not find a version that satisfies the requirement torchaudio=={} (from versions: 2.7.0, 2.9.1)"
    assert reasons(said.format("2.12.0"))["audio-ends"] == {"wanted": "2.12.0", "last": "2.11.0", "first": "2.11.0"}
    assert "audio-ends" not in reasons(said.format("2.10.0"))


@pytest.mark.parametrize(
    ("words", "key", "params"),
    [
        (
            "torch-2.4.1-cp310-cp310-manylinux_2_28_x86_64.whl\n$ ldd --version\nldd (GNU libc) 2.17",
            "glibc",
            {"there": "2.17", "wants": "2.28", "last": "2.6.0"},
        ),
        (
            "PyTorch Version: 2.8.0+cu128\nnunchaku version: 0.3.2+torch2.7",
            "made-for",
            {"made": "2.7", "right": "2.8"},
        ),
        (
            "torch 2.5.1+cu121 with xformers",
            "companion",
            {"torch": "2.5.1", "package": "xformers", "releases": "0.0.28.post3, 0.0.29, 0.0.29.post1"},
        ),
        (
            "pip install torch --index-url https://download.pytorch.org/whl/cu121\nPython 3.13.5 on Windows 11",
            "index-python",
            {"index": "cu121", "last": "3.12", "system": "Windows"},
        ),
        (
            "total capacity of 95.00 GiB of which 6.50 MiB is free. Process 1 has 73.02 GiB memory in use. "
            "Process 2 has 21.96 GiB memory in use. Of the allocated memory 21.65 GiB is allocated by PyTorch",
            "held",
            {"number": "1", "held": 73.02, "whole": 95.0},
        ),
        (
            "torch: 2.9.0.dev20250722+cu128\n/x/site-packages/sgl_kernel/common_ops.abi3.so: undefined symbol: _ZN3c10",
            "nightly",
            {"package": "sgl_kernel", "torch": "2.9.0.dev20250722+cu128"},
        ),
        (
            "/x/site-packages/flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so: undefined symbol: _ZN3c10",
            "owner",
            {"package": "flash_attn"},
        ),
    ],
)
def test_what_stands_beside_torch_is_judged(words: str, key: str, params: dict[str, object]) -> None:
    assert reasons(words)[key].items() >= params.items()


@pytest.mark.parametrize(
    "words",
    [
        "torch-2.9.0-cp310-cp310-manylinux_2_28_x86_64.whl\nldd (GNU libc) 2.39",
        "torch 2.8.0+cu128, nunchaku 0.3.2+torch2.8",
        "total capacity of 24.00 GiB. Process 1 has 23.00 GiB memory in use. 22.5 GiB is allocated by PyTorch",
        "/x/site-packages/rasterio/_base.so: undefined symbol: GDALVersionInfo",
        "/x/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: _ZN3c10",
    ],
)
def test_what_goes_together_beside_torch_is_not_blamed(words: str) -> None:
    assert reasons(words) == {}


def test_what_xformers_was_built_for_is_not_what_is_there() -> None:
    facts = parse_facts(
        "WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:\n"
        "    PyTorch 2.0.1+cu118 with CUDA 1108 (you have 2.1.2+cu121)\n    Python  3.10.11 (you have 3.11.6)\n"
    )
    assert facts.torch == Named("torch", "2.1.2", "cu121")
    assert facts.torches == ("2.1.2",)
    assert facts.python == "3.11"


def test_all_conflicts_of_pips_report_are_named_with_torch_first() -> None:
    said = (
        "ERROR: pip's dependency resolver does not currently take into account all the packages that are installed.\n"
        "gradio 4.44.0 requires pydantic<3,>=2.0, but you have pydantic 1.10.2 which is incompatible.\n"
        "torchvision 0.20.1 requires torch==2.5.1, but you have torch 2.6.0 which is incompatible.\n"
    )
    assert reasons(said)["conflicts"] == {
        "count": 2,
        "list": "torchvision 0.20.1 → torch==2.5.1 (torch 2.6.0); gradio 4.44.0 → pydantic<3,>=2.0 (pydantic 1.10.2)",
    }
    assert "conflicts" not in reasons(said.replace("gradio 4.44.0 requires", "gradio"))


def test_no_companion_is_named_for_a_build_that_is_no_release() -> None:
    said = "PyTorch version: {}\nCould not load libtorchcodec"
    assert parse_facts(said.format("2.8.0a0+5228986c39.nv25.06")).torches == ()
    assert parse_facts(said.format("2.10.0.dev20251105+cu130")).torches == ()
    assert parse_facts(said.format("2.8.0+cu128")).torches == ("2.8.0",)
