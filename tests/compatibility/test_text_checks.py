"""What the tables say to an error text's own facts.

One file on purpose: a text and what is said to it, for one rule after the other, by the same few machines.
"""

from __future__ import annotations

import pytest

from tests.compatibility.machines import machine
from wizard.app.use.explain import answer, by_the_texts_facts
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.diagnose.known_errors.fact_checks import JudgedFacts, judge_facts
from wizard.diagnose.known_errors.facts import Named, TextFacts, parse_facts
from wizard.diagnose.known_errors.match import Explanation, explain
from wizard.model.capability import ComputeCapability
from wizard.model.messages import LANGUAGES, text
from wizard.run.model import Facts
from wizard.sources.model import UserSettings


def reasons(words: str) -> dict[str, dict[str, str]]:
    judged = judge_facts(parse_facts(words), load_matrix()).reasons
    for reason in judged:
        for language in LANGUAGES:
            assert "{" not in text(reason, language)
    return {reason.key.rpartition(".")[2]: dict(reason.params) for reason in judged}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("torch 2.8.0+cu128", Named("torch", "2.8.0", "cu128")),
        ("[pip3] torch==2.7.1", Named("torch", "2.7.1")),
        ("torch        2.6.0+cu124\ntorchvision  0.21.0", Named("torch", "2.6.0", "cu124")),
        ("PyTorch version: 2.5.1+cu124", Named("torch", "2.5.1", "cu124")),
        (">>> torch.__version__\n'2.9.1+cpu'", Named("torch", "2.9.1", "cpu")),
        ("a 1.0 requires torch==2.9.0, but you have torch 2.9.1+cu130 which", Named("torch", "2.9.1", "cu130")),
        ("torch 2.9.0+rocm7.0", Named("torch", "2.9.0", "rocm7.0")),
        ("torch==2.8.0+xpu", Named("torch", "2.8.0", "xpu")),
        ("torch-2.13.0.dev20260417+cu130", None),
        ("a 1.0 requires torch==2.9.0", None),
        ("the torch of liberty, 2.8.0", None),
    ],
)
def test_the_torch_that_is_there(words: str, named: Named | None) -> None:
    assert parse_facts(words).torch == named


def test_a_torchvision_of_another_release_is_named_with_the_right_one() -> None:
    assert reasons("torch 2.6.0\ntorchvision 0.23.0")["pair"]["right"] == "0.21.0"
    assert reasons("torch 2.6.0\ntorchvision 0.21.0") == {}
    assert "tags" in reasons("torch 2.6.0+cu124\ntorchvision 0.21.0+cu126")


def test_the_build_that_has_code_for_the_card_is_of_the_same_release() -> None:
    said = "with CUDA capability sm_60 is not compatible with the current PyTorch installation.\ntorch 2.8.0+cu128"
    assert reasons(said)["no-code-if"] == {"build": "torch 2.8.0+cu128", "other": "torch 2.8.0+cu126", "sm": "sm_60"}


def test_the_build_that_has_code_for_the_card_runs_with_the_driver_of_the_text() -> None:
    said = (
        "NVIDIA GeForce RTX 5090 D with CUDA capability sm_120 is not compatible with this PyTorch installation.\n"
        "PyTorch version: 2.6.0+cu126\nNvidia driver version: {}"
    )
    assert reasons(said.format("570.124.04"))["no-code"]["other"].endswith("+cu128")
    assert reasons(said.format("580.95.05"))["no-code"]["other"].endswith("+cu130")


def test_a_build_that_has_code_for_the_card_is_not_blamed() -> None:
    said = "Found GPU0 NVIDIA GB10 which is of compute capability (CC) 12.1.\ntorch==2.9.1+cu130"
    assert "has-code" in reasons(said)


NO_CODE = "RuntimeError: CUDA error: no kernel image is available for execution on the device"


@pytest.mark.parametrize(
    ("card", "sm"),
    [
        ("在RTX5090上", "sm_120"),
        ("Device is RTX 5090 D", "sm_120"),
        ("my GTX1070 card", "sm_61"),
        ("the same on 5060TI", "sm_120"),
        ("5090显卡无法运行", "sm_120"),
        ("rtx-4090", "sm_89"),
    ],
)
def test_a_card_that_is_named_where_its_code_is_missing_has_its_capability(card: str, sm: str) -> None:
    assert reasons(f"{card}\n{NO_CODE}")["code"]["sm"] == sm
    assert reasons(f"{card}\nRuntimeError: CUDA error: device-side assert triggered") == {}


@pytest.mark.parametrize(
    "cards",
    ["RTX 4000", "RTX 3090 and RTX 5090", "RTX 9999", "took 3090 ms", "port 5060", "a.py, line 5090", "8.4070", "1080"],
)
def test_names_of_unlike_or_unknown_cards_say_nothing(cards: str) -> None:
    assert reasons(f"{cards}\n{NO_CODE}") == {}


CONDAS = "pytorch                   2.5.1           py3.11_cuda12.4_cudnn9.1.0_0    pytorch"
PIPS = "torch                     2.9.0+cu128              pypi_0    pypi"


@pytest.mark.parametrize("before", ["", "[conda] "])
def test_condas_torch_beside_pips_in_a_list_is_told(before: str) -> None:
    assert reasons(f"{before}{CONDAS}\n{before}{PIPS}")["twice"] == {"conda": "2.5.1", "pip": "2.9.0+cu128"}


@pytest.mark.parametrize("words", [CONDAS, PIPS, f"{PIPS}\npytorch-cuda 12.4 hc786d27_7 pytorch"])
def test_one_torch_in_a_list_is_no_fault(words: str) -> None:
    assert "twice" not in reasons(words)


def test_a_build_that_has_the_named_cards_code_is_not_blamed() -> None:
    assert "has-code" in reasons(f"RTX 5090, torch 2.8.0+cu128\n{NO_CODE}")
    assert "no-code-if" in reasons(f"RTX 5090, torch 2.8.0+cu126\n{NO_CODE}")


def test_the_drivers_cuda_limits_the_major_version_only() -> None:
    found = reasons("The NVIDIA driver on your system is too old (found version 12040).")["driver"]
    assert found["cuda"] == "12.4"
    assert "+cu12" in found["build"]


def test_a_pin_is_told_its_pythons_and_tags() -> None:
    said = "Could not find a version that satisfies the requirement torch==1.8.1+cu128 (from versions: 2.0.0)"
    found = reasons(said)
    assert found["pythons"] == {"torch": "1.8.1", "first": "3.6", "last": "3.9"}
    assert "cu111" in found["no-tag"]["tags"]
    assert found["nearest"] == {"nearest": "2.0.0"}


def test_a_python_that_has_early_wheels_counts() -> None:
    said = pin("torch==2.3.1", "none", "/home/user/v/lib/python3.12/site-packages/pip/a.py x86_64")
    assert reasons(said)["pythons"]["last"] == "3.12"
    assert "nearest-build" not in reasons(said)


def test_an_index_of_one_tag_is_told_the_tags_that_there_are() -> None:
    said = "Could not find a version that satisfies the requirement torch==2.7.0 (from versions: {})"
    listed = reasons(said.format("2.5.1+cu124, 2.6.0+cu124"))["no-tag"]
    assert listed["tag"] == "cu124"
    assert "cu128" in listed["tags"]
    index = "--index-url https://download.pytorch.org/whl/test/cu124"
    assert reasons(f"{index}\n{said.format('none')}")["no-tag"] == listed
    assert "no-tag" not in reasons(said.format("2.5.1, 2.6.0+cu124"))


def test_a_version_that_the_index_listed_is_not_blamed_on_the_python() -> None:
    said = "Could not find a version that satisfies the requirement torch==2.7.1+cu128 (from versions: 2.6.0, 2.7.1)"
    assert reasons(said) == {}
    assert reasons(said.replace("2.6.0, 2.7.1", "1.13.0, 2.6.0, 2.8.0"))["nearest"]["nearest"] == "2.6.0"


def test_of_the_listed_versions_below_the_newest_is_the_nearest() -> None:
    said = pin("torch==2.5.1", "2.0.0, 2.2.0, 2.2.1, 2.2.2")
    assert reasons(said)["nearest"]["nearest"] == "2.2.2"
    assert reasons(pin("torch==2.4.1", "2.6.0, 2.6.1, 2.7.0"))["nearest"]["nearest"] == "2.6.0"


def test_the_capability_that_a_program_demands_is_not_the_cards() -> None:
    demanded = "SM89 kernel is not available. Make sure you GPUs with compute capability 8.9."
    assert parse_facts(demanded).capability is None
    assert parse_facts(f"GPU 0 has cuda capability 12.0\n{demanded}").capability is not None


def test_a_pin_of_poetry_is_read_too() -> None:
    found = reasons("Unable to find installation candidates for torch (2.7.1)")
    assert found["pythons"]["last"] == "3.13"


def test_what_no_table_holds_gets_no_sentence() -> None:
    assert reasons("torch 9.9.9+cu128\ntorchvision 0.1.0\nrequirement torch==9.9.9") == {}


def pin(wanted: str, listed: str, *lines: str) -> str:
    first = f"ERROR: Could not find a version that satisfies the requirement {wanted} (from versions: {listed})"
    return "\n".join((*lines, first))


@pytest.mark.parametrize(
    ("words", "name", "is_right"),
    [
        (r"C:\Users\user\venv\Lib\site-packages\torch\lib\c10.dll", "os", "windows"),
        ("Python 3.14.2 (tags/v3.14.2:df79316) [MSC v.1944 64 bit (AMD64)]", "os", "windows"),
        ("/home/user/venv/lib/python3.12/site-packages/torch/lib/libtorch.so:", "os", "linux"),
        ("/Users/user/venv/lib/python3.12/site-packages/x.py", "os", "macos"),
        ("/home/user and WinError 126", "os", ""),
        ("torch-2.7.0-cp312-cp312-manylinux_2_28_aarch64.whl", "arch", "aarch64"),
        ("torch-2.7.0-cp312-cp312-win_amd64.whl", "arch", "x86_64"),
        ("/home/user/venv/lib/python3.12/site-packages/x.py", "python", "3.12"),
        (r"C:\Python310\python.exe", "python", "3.10"),
        ("Using CPython 3.13.1", "python", "3.13"),
        ("[WinError 127] The specified procedure could not be found", "error", "WinError 127"),
        ("OSError: [Errno 28] No space", "error", "Errno 28"),
        (r'Error loading "C:\x\torch\lib\c10_cuda.dll"', "library", "c10_cuda.dll"),
        ("libcudart.so.12: cannot open shared object file", "library", "libcudart.so.12"),
        ("libcudart.so.12: cannot open shared object file", "library_cuda", 12),
        ("/x/lib/python3.11/site-packages/torch/a.py\n/x/site-packages/xformers/b.py", "package", "xformers"),
        ('File "/opt/envs/lab/lib/python3.11/site-packages/torch/a.py"', "environment", "/opt/envs/lab"),
        ("  - feature:/linux-64::__cuda==12.2=0", "driver_cuda", "12.2"),
        ("| NVIDIA-SMI 535.86.10   Driver Version: 535.86.10   CUDA Version: 12.2 |", "driver", "535.86.10"),
        ("Looking in indexes: https://download.pytorch.org/whl/cu121", "index", "cu121"),
    ],
)
def test_what_a_text_says_of_itself(words: str, name: str, is_right: object) -> None:
    assert getattr(parse_facts(words), name) == is_right


def test_a_pin_is_judged_for_the_python_and_the_system() -> None:
    said = pin("torch==2.1.0+cu121", "2.6.0, 2.7.0", r"C:\lab\Python313\Lib\site-packages\pip\a.py")
    assert reasons(said)["nearest-build"]["system"] == "Windows"
    assert reasons(said)["nearest-build"]["python"] == "3.13"
    aarch64 = pin("torch==2.1.0+cu121", "2.6.0", "/home/user/venv/lib/python3.11/site-packages/pip/a.py aarch64")
    assert reasons(aarch64)["no-tag"]["tags"] == "cpu"


def test_a_build_that_exists_is_found_in_its_own_index() -> None:
    said = pin("torch==2.7.1+cu128", "2.6.0, 2.7.1", "/home/user/v/lib/python3.12/site-packages/pip/a.py x86_64")
    assert reasons(said)["exists"]["tag"] == "cu128"
    assert "exists" not in reasons(f"Looking in indexes: https://download.pytorch.org/whl/cu128\n{said}")


def test_a_mac_has_no_cuda_tags() -> None:
    assert set(reasons(pin("torch==2.7.1+cu128", "2.6.0", "/Users/user/x macosx_14_0_arm64"))) == {"mac"}


def test_a_wheel_of_another_python() -> None:
    wheel = "ERROR: torch-2.7.0+cu128-cp310-cp310-win_amd64.whl is not a supported wheel on this platform."
    found = reasons(f"Python 3.12.4\n{wheel}")["wheel-python"]
    assert (found["made"], found["python"]) == ("3.10", "3.12")
    assert "wheel-python" not in reasons(f"Python 3.10.4\n{wheel}")


def test_a_library_of_another_cuda_is_another_packages() -> None:
    said = (
        "/v/lib/python3.11/site-packages/vllm/_C.py\nlibcudart.so.12: cannot open shared object file\ntorch 2.9.1+cu130"
    )
    assert reasons(said)["library-of"]["package"] == "vllm"
    assert reasons(said.replace("so.12", "so.13")) == {}


def test_the_answer_names_its_facts_its_sureness_and_what_would_settle_it() -> None:
    def judged(words: str) -> JudgedFacts:
        return judge_facts(parse_facts(words), load_matrix())

    sure = judged("torch 2.8.0+cu128\nwith CUDA capability sm_60 is not compatible")
    assert (sure.sureness, sure.settles) == ("high", None)
    assert "torch 2.8.0+cu128" in sure.used
    assert "sm_60" in sure.used
    likely = judged(pin("torch==1.8.1", "2.0.0"))
    assert likely.sureness == "medium"
    assert likely.settles is not None
    assert likely.settles.key == "explain.ask-python"
    unknown = judged("with CUDA capability sm_120 is not compatible with the current PyTorch installation")
    assert unknown.settles is not None
    assert unknown.settles.key == "explain.ask-torch"


def test_a_text_of_another_computer_is_not_judged_by_this_one() -> None:
    here = machine("rtx-5070-ti-windows-581")

    def keys(words: str) -> list[str]:
        judged = judge_facts(parse_facts(words), load_matrix(), here)
        return [reason.key.rpartition(".")[2] for reason in judged.reasons]

    assert "other-system" in keys("/home/user/x/libtorch.so: sm_60")
    assert "other-card" in keys("WinError 1 with CUDA capability sm_75 is not compatible")
    assert "other-card" not in keys("WinError 1 with CUDA capability sm_120 is not compatible")
    assert "other-driver" in keys("Driver Version: 551.61")
    assert "Windows" in str(
        judge_facts(parse_facts(pin("torch==2.1.0", "2.6.0", "Python 3.13.0")), load_matrix(), here)
    )


@pytest.mark.parametrize("tag", ["rocm7.0", "xpu"])
def test_nothing_is_said_of_a_build_that_no_table_holds(tag: str) -> None:
    assert reasons(pin(f"torch==2.8.0+{tag}", "2.9.0", "Python 3.12.0")) == {}
    said = reasons(f"torch 2.8.0+{tag}\nwith CUDA capability sm_120 is not compatible\nlibcudart.so.12: cannot")
    assert list(said) == ["library-nvidia"]


def test_the_build_for_this_computer_is_no_advice_beside_the_log_of_another() -> None:
    matrix, no_card = load_matrix(), machine("no-gpu-linux")
    look = (Facts(no_card, UserSettings(), (), 0.0), resolve(no_card, matrix, Choices()), matrix)
    failure = "CUDA error: no kernel image is available for execution on the device"

    def told(words: str) -> set[str]:
        return {fact.key for fact in answer(words, lambda: look).facts}

    assert "explain.fact.best" in told("AssertionError: Torch not compiled with CUDA enabled")
    assert "explain.fact.best" not in told(failure)  # there is such a card, and none here
    assert "explain.fact.best" not in told("/x/site-packages/vllm/_C.abi3.so: undefined symbol: _ZN5torch3jit17parse")
    assert "explain.fact.best" not in told(f"D:\\AI\\main.py WinError 1\n{failure}")
    assert "explain.fact.best" not in told(f"with CUDA capability sm_120 is not compatible\n{failure}")


def test_a_driver_is_held_against_the_cuda_of_the_torch_beside_it() -> None:
    said = "CUDA driver version is insufficient for CUDA runtime version\nDriver Version: {}\ntorch 2.9.1+cu{}"
    assert reasons(said.format("535.288.01", "130"))["driver-short"]["torch"] == "torch 2.9.1+cu130"
    assert "driver-short" not in reasons(said.format("575.64.03", "128"))
    matrix, no_card = load_matrix(), machine("no-gpu-linux")
    look = (Facts(no_card, UserSettings(), (), 0.0), resolve(no_card, matrix, Choices()), matrix)
    found = answer(said.format("575.64.03", "128"), lambda: look).found[0]
    assert (found.cause.key, found.fix.key) == ("explain.cause-driver-suffices", "explain.fix-driver-suffices")
    short = answer(said.format("535.288.01", "130"), lambda: look).found[0]
    assert short.cause.key == "explain.error.driver-insufficient.cause"


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("Tried to allocate 108.00 MiB. GPU 0 has a total capacity of 24.00 GiB of which 15.34 GiB is free.", True),
        (
            "Tried to allocate 3.05 GiB (GPU 0; 95.59 GiB total capacity; 2 GiB already allocated; 52.31 GiB free; x",
            True,
        ),
        ("Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 2.10 GiB is free.", False),
        ("Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 8.00 GiB of which 90.00 MiB is free.", False),
    ],
)
def test_a_card_with_room_is_not_called_full(said: str, cause: bool) -> None:
    found = by_the_texts_facts(*of(f"torch.OutOfMemoryError: CUDA out of memory. {said}"))[0]
    assert (found.cause.key == "explain.cause-card-has-room") is cause


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("product: DG2 [Arc A770]", True),
        ("AMD Radeon RX 7900 XTX", True),
        ("NVIDIA GeForce RTX 3060 and Intel(R) Arc(TM) A380", False),
        ("the search arc of a graph", False),
    ],
)
def test_no_cuda_build_is_advised_for_another_makers_card(said: str, cause: bool) -> None:
    found = by_the_texts_facts(*of(f"AssertionError: Torch not compiled with CUDA enabled\n{said}"))[0]
    assert (found.cause.key == "explain.cause-other-maker") is cause


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("Intel Arc B580, Windows 11", True),
        ("AMD Radeon RX 7900 XTX with torch 2.9.0+rocm7.0", False),
        ("NVIDIA GeForce MX450, Intel(R) Iris(R) Xe", False),
    ],
)
def test_no_driver_of_nvidia_is_advised_for_another_makers_card(said: str, cause: bool) -> None:
    found = by_the_texts_facts(*of(f"torch.cuda.is_available()\nFalse\n{said}"))[0]
    assert (found.cause.key == "explain.cause-other-maker") is cause


def test_two_installations_in_one_text_are_not_one_environment() -> None:
    said = "+ torch==2.7.1+cpu\n+ torchvision==0.22.1+cpu\nuv 0.8.12 installs torch==2.7.1+cu128"
    assert "tags" not in reasons(said)
    assert "tags" in reasons("torch==2.7.1+cu128\ntorchvision==0.22.1+cpu")


def of(words: str) -> tuple[tuple[Explanation, ...], TextFacts]:
    return explain(words), parse_facts(words)


def test_code_that_is_lacking_is_said_with_its_architecture() -> None:
    said = "torch (cu128) has no sm_60 kernels, so it dies with cudaErrorNoKernelImageForDevice"
    assert parse_facts(said).capability == ComputeCapability(6, 0)


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
            {"torch": "2.5.1", "package": "xformers", "releases": "0.0.28.post3"},
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


@pytest.mark.parametrize(
    "words",
    [
        "Windows 11 + WSL2 Ubuntu",
        "resolving dependencies for split (sys_platform == 'darwin') in /home/x",
    ],
)
def test_a_system_that_is_only_named_is_not_the_texts_own(words: str) -> None:
    assert parse_facts(words).os == "linux"


def test_a_build_that_never_was_is_said_first() -> None:
    said = "a version that satisfies the requirement torch==2.7.0+cu121 (from versions: 1.11.0, ..., 2.6.0)"
    given = answer(said, lambda: (_ for _ in ()).throw(AssertionError("no facts are asked for")))
    assert given.found[0].cause.key == "explain.cause-no-such-build"
    assert reasons(said)["nearest"] == {"nearest": "2.6.0"}


def test_a_python_without_code_for_the_card_is_named() -> None:
    said = "python==3.8\nRTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation."
    assert reasons(said)["code-python"]["python"] == "3.8"


def test_the_tables_say_nothing_to_a_text_of_another_program() -> None:
    given = answer("renderer: needs compute capability 5.0", lambda: (_ for _ in ()).throw(AssertionError("not asked")))
    assert not given.found
    assert given.reasons == ()


def test_the_cpu_build_that_a_text_names_is_the_reason_that_it_asks_for() -> None:
    found = by_the_texts_facts(*of("torch 2.8.0+cpu, torchvision 0.23.0+cpu; my GPU is never used"))[0]
    assert "2.8.0+cpu" in text(found.cause, "en")


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("/Users/me/x: OSError: CUDA_HOME environment variable is not set.", "explain.cause-mac"),
        ("macOS 15: torch.cuda.is_available() False", "explain.cause-mac"),
        ("WSL2: ImportError: libcuda.so.1: cannot open shared object file", "explain.error.no-driver-wsl.cause"),
        ("Strix Halo 8060S: torch.cuda.is_available() False, torch 2.9.0+cpu", "explain.cause-other-maker"),
    ],
)
def test_where_the_text_comes_from_decides_what_is_advised(said: str, cause: str) -> None:
    assert by_the_texts_facts(*of(said))[0].cause.key == cause


def test_nothing_beside_it_puts_a_linux_driver_into_wsl() -> None:
    said = (
        "Linux 5.15.153.1-microsoft-standard-WSL2\nE: Unable to locate package nvidia-driver-550\n"
        "bash: nvidia-smi: command not found\n"
        "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory\n"
    )
    found, named = of(said)
    assert len(found) > 1
    assert [one.cause.key for one in by_the_texts_facts(found, named)] == ["explain.error.no-driver-wsl.cause"]


@pytest.mark.parametrize(
    ("words", "driver"),
    [
        ("NVIDIA drivers are installed, v573.24. torch", "573.24"),
        ("驱动程序版本 566.36 torch", "566.36"),
        ("driver took 123.45 s torch", ""),
    ],
)
def test_the_driver_is_read_as_people_write_it(words: str, driver: str) -> None:
    assert parse_facts(words).driver == driver


def test_a_card_that_a_container_does_not_see_is_looked_for_in_how_it_was_started() -> None:
    matrix, no_card = load_matrix(), machine("no-gpu-linux")
    look = (Facts(no_card, UserSettings(), (), 0.0), resolve(no_card, matrix, Choices()), matrix)

    def told(words: str) -> set[str]:
        return {reason.key for reason in answer(words, lambda: look).reasons}

    assert "explain.reason.container" in told("进入docker内部，torch.cuda.is_available() 为false")
    assert "explain.reason.container" not in told("torch.cuda.is_available() False")


def test_what_xformers_was_built_for_is_not_what_is_there() -> None:
    facts = parse_facts(
        "WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:\n"
        "    PyTorch 2.0.1+cu118 with CUDA 1108 (you have 2.1.2+cu121)\n    Python  3.10.11 (you have 3.11.6)\n"
    )
    assert facts.torch == Named("torch", "2.1.2", "cu121")
    assert facts.torches == ("2.1.2",)
    assert facts.python == "3.11"


def test_a_release_above_the_whole_list_is_not_told_to_take_an_older_python() -> None:
    said = pin("torch==2.6.0", "2.3.1, 2.4.0, 2.4.1", "")
    found = by_the_texts_facts(explain(said), parse_facts(said))
    assert found[0].cause.key == "explain.cause-newer-listed"
    assert "2.4.1" in text(found[0].fix, "en")
    below = pin("torch==1.8.1", "2.3.1, 2.4.0, 2.4.1", "")
    assert by_the_texts_facts(explain(below), parse_facts(below))[0].fix.key == "explain.error.no-version-listed.fix"


def test_an_old_index_is_told_the_nearest_one_that_has_the_release() -> None:
    said = "Looking in indexes: https://download.pytorch.org/whl/{}\n" + pin("torch==2.6.0", "none", "")
    assert reasons(said.format("cu117"))["nearest-tag"] == {"tag": "cu117", "near": "cu118"}
    assert reasons(said.format("cu128"))["nearest-tag"]["near"] == "cu126"
    assert "nearest-tag" not in reasons(said.format("cu12.1"))


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


@pytest.mark.parametrize(
    ("words", "key", "params"),
    [
        # a driver's newest build must have code for the card, and a wheel for the Python
        (
            "RTX 5090\nThe NVIDIA driver on your system is too old (found version 12080). torch 2.11.0+cu130",
            "driver",
            {"build": "torch 2.11.0+cu128"},
        ),
        (
            "The NVIDIA driver on your system is too old (found version 12080). torch 2.11.0+cu130 Python 3.9.2",
            "driver",
            {"build": "torch 2.8.0+cu129"},
        ),
        (
            "[MSC v.1934 64 bit (AMD64)]\nGPU with CUDA capability sm_120 is not compatible with the current PyTorch "
            "installation.\ntorch 2.6.0+cu124 Python 3.9.13",
            "no-code-if",
            {"other": "torch 2.8.0+cu128"},
        ),
        (
            "torch 2.6.0+cu124\ntorchvision 0.21.0+cu124\noperator torchvision::nms does not exist",
            "pair-fits",
            {"torch": "torch 2.6.0+cu124"},
        ),
        ("torch 2.9.0+cu128\nCould not load libtorchcodec", "companion", {"releases": ">=0.8,<0.10"}),
        ("libtorchcodec: PyTorch version (2.8.0+cu128)", "companion", {"releases": ">=0.6,<0.8"}),
        (
            "torch 2.7.0 flash_attn 2.8.3+cu12torch2.7cxx11abiFALSE\nflash_attn_2_cuda.so: undefined symbol: _ZN3",
            "made-for-this",
            {"made": "2.7"},
        ),
        ("[MSC v.1934 32 bit (Intel)] on win32\nNo matching distribution found for torch", "32-bit", {}),
        (
            "vllm 0.6.3 requires torch==2.4.0, but you have torch 2.4.1 which is incompatible.\n"
            "xformers 0.0.27.post2 requires torch==2.4.0, but you have torch 2.4.1 which is incompatible.",
            "one-torch",
            {"torch": "2.4.0"},
        ),
        (
            "Because torch==2.4.1+cu118 has no wheels with a matching Python ABI tag (e.g., `cp313`) and your project",
            "pythons",
            {"last": "3.12"},
        ),
    ],
)
def test_the_facts_of_a_text_choose_the_build(words: str, key: str, params: dict[str, object]) -> None:
    assert reasons(words)[key].items() >= params.items()


def test_git_bash_on_windows_is_no_mac() -> None:
    assert parse_facts("$ pwd\n/c/Users/me/proj\ntorch 2.7.0").os != "macos"
    assert parse_facts("$ pwd\n/Users/me/proj\ntorch 2.7.0").os == "macos"


def test_no_companion_is_named_for_a_build_that_is_no_release() -> None:
    said = "PyTorch version: {}\nCould not load libtorchcodec"
    assert parse_facts(said.format("2.8.0a0+5228986c39.nv25.06")).torches == ()
    assert parse_facts(said.format("2.10.0.dev20251105+cu130")).torches == ()
    assert parse_facts(said.format("2.8.0+cu128")).torches == ("2.8.0",)
