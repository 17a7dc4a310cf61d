"""What is read of an error text, whose computer it is of, and how sure the answer of the tables is."""

from __future__ import annotations

import pytest

from tests.compatibility.judged_text import of, pin, reasons
from tests.compatibility.machines import machine
from wizard.app.use.explain import answer, by_the_texts_facts
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.diagnose.known_errors.fact_checks import JudgedFacts, judge_facts
from wizard.diagnose.known_errors.facts import Named, parse_facts
from wizard.model.messages import text
from wizard.run.model import Facts
from wizard.sources.model import UserSettings


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


def test_what_no_table_holds_gets_no_sentence() -> None:
    assert reasons("torch 9.9.9+cu128\ntorchvision 0.1.0\nrequirement torch==9.9.9") == {}


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


def test_the_answer_names_its_facts_its_sureness_and_what_would_settle_it() -> None:
    def judged(words: str) -> JudgedFacts:
        return judge_facts(parse_facts(words), load_matrix())

    sure = judged("torch 2.8.0+cu128\nwith CUDA capability sm_60 is not compatible")
    assert (sure.sureness, sure.settles) == ("high", None)
    assert "torch 2.8.0+cu128" in sure.used
    assert "sm_60" in sure.used
    likely = judged(pin("torch==1.8.1", "2.0.0"))
    assert (likely.sureness, likely.open) == ("medium", "system")
    several = judged("torch 2.8.0+cu128 and torch 2.7.0+cu126\nwith CUDA capability sm_60 is not compatible")
    assert (several.open, sure.open) == ("several", "")
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


@pytest.mark.parametrize(
    "words",
    [
        "Windows 11 + WSL2 Ubuntu",
        "resolving dependencies for split (sys_platform == 'darwin') in /home/x",
    ],
)
def test_a_system_that_is_only_named_is_not_the_texts_own(words: str) -> None:
    assert parse_facts(words).os == "linux"


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
