"""The catalogue of known errors: every row tells its error from the others, and nothing else is ever advised."""

from __future__ import annotations

import json
import re
import string
import subprocess
import sys
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NoReturn

import pytest

from tests.app import values
from tests.explain.in_the_wild import WILD
from tests.explain.samples import SAMPLES, UNRELATED
from tests.explain.unrelated import ELSEWHERE
from wizard.app.use.explain import answer
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.diagnose.known_errors.fact_checks import judge_facts
from wizard.diagnose.known_errors.facts import parse_facts
from wizard.diagnose.known_errors.match import cause_and_fix, explain, known_errors, parse_errors
from wizard.diagnose.known_errors.pasted import decode
from wizard.machine.machine_file import read_machine_file
from wizard.model.marks import in_terminal
from wizard.model.messages import LANGUAGES, catalogue, text

DATA = Path(__file__).parent.parent / "data"

# Advice that makes things worse: never given, in no language.
HARMFUL = re.compile(
    r"trusted-host [\w<]|--trusted-host|KMP_DUPLICATE|verify[ =]*(off|false)|ssl_verify|--insecure|dll-files|"
    r"(disable|switch off|turn off|关闭|禁用)[^。.]{0,20}(antivirus|Secure Boot|杀毒|防火墙)|sudo pip|chmod 777|"
    r"auto_accept|tos accept-all|--break-system-packages",
    re.IGNORECASE,
)

# What is of use with an NVIDIA card alone; and the rows that deny it, or say beside it what helps without one.
OF_A_CARD = re.compile(r"CUDA build|index for CUDA|(?i:install|update) the NVIDIA driver|newest NVIDIA driver")
SAYS_BOTH = {
    *("no-hip", "no-hip-wsl", "config-says-cuda", "half-on-cpu", "xformers-other-maker", "dll-dialog"),
    *("libtorch-cmake", "torch-install-said", "winerror5-replaces-torch", "cuda-count-memory"),
}


def test_every_row_has_a_sample() -> None:
    assert {row.id for row in known_errors()} == set(SAMPLES)


def first(words: str) -> str | None:
    return next((found.id for found in explain(words)), None)


def test_the_sample_is_told_from_all_others() -> None:
    found = {name: explain(words)[:1] for name, words in SAMPLES.items()}
    assert {name: ids for name, one in found.items() if (ids := [row.id for row in one]) != [name]} == {}
    for one in chain(*found.values()):
        assert one.line.strip(), one.id
        for language in LANGUAGES:
            for words in (text(one.cause, language), text(one.fix, language)):
                assert len(words) > 8, one.id
                assert "{" not in words, one.id


def test_the_error_is_found_in_a_long_log() -> None:
    noise = "Collecting something\n  Downloading a.whl (3.1 MB)\n" * 200
    logs = {name: f"{noise}\x1b[31m{words}\x1b[0m\r\n".replace("\n", "\r\n") for name, words in SAMPLES.items()}
    found = {name: first(log) for name, log in logs.items()}
    differ = {name: one for name, one in found.items() if name != one}
    assert differ == {"disk-full": "nospace"}, "the installer's, after an installer's lines"


def test_errors_as_people_paste_them() -> None:
    assert [(name, words, found) for name, words in WILD if (found := first(words)) != name] == []


@pytest.mark.parametrize(
    ("row", "never"),
    [
        ("xpu-dll", "Visual C"),
        ("winerror-127", "Visual C"),
        ("vllm-cudart", "doctor"),
        ("intel-mac", "64-bit"),
        ("nightly-gone", "Python"),
        ("index-lacks-package", "64-bit"),
        ("companion-kernel", "Install the PyTorch build"),
    ],
)
def test_what_was_advised_wrongly_once_is_not_advised(row: str, never: str) -> None:
    for words in [SAMPLES[row], *(words for name, words in WILD if name == row)]:
        assert all(never not in text(one.fix, "en") for one in explain(words)), words


def test_a_mac_that_has_no_number_is_not_told_to_install_cuda() -> None:
    assert explain("RuntimeError: Invalid device string: 'mps:0'") == ()


def test_two_processes_on_one_card_are_the_whole_answer() -> None:
    """As a real card said it: NCCL's own line above is no second cause."""
    words = (
        "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:93, "
        "invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.28.9\n"
        "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\n"
        "Last error:\nDuplicate GPU detected : rank 1 and rank 0 both on CUDA device 60"
    )
    assert [found.id for found in explain(words)] == ["nccl-duplicate"]


def test_a_word_that_contradicts_a_row_silences_it() -> None:
    said = "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm`\n{}"
    assert explain(said.format("GPU: AMD Radeon RX 7900 XT"))[0].id == "amd-stands-in"
    both = explain(said.format("Radeon Graphics (of the processor), NVIDIA GeForce RTX 4070"))
    assert both[0].id == "cublas-failed"


def test_a_card_that_is_lost_is_told_with_heat_power_and_slot() -> None:
    one = explain("Unable to determine the device handle for GPU0000:01:00.0: Unknown Error")[0]
    told = f"{text(one.cause, 'en')} {text(one.fix, 'en')}"
    assert all(words in told for words in ("heat", "power", "slot"))


def test_what_is_not_known_gets_no_advice() -> None:
    assert {words: found for words in (*UNRELATED, *ELSEWHERE) if (found := first(words))} == {}


@pytest.mark.parametrize(
    ("name", "examined"),
    [("oom", False), ("oom-room-said", False), ("vllm-memory", False), ("torch-cpu-build", True), ("nospace", False)],
)
def test_the_doctor_is_offered_where_an_environment_can_be_at_fault(name: str, examined: bool) -> None:
    assert explain(SAMPLES[name])[0].error.examined is examined


def test_a_compiled_module_leads_to_the_package_that_brings_it() -> None:
    words = (
        "ImportError: /e/site-packages/selective_scan_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN3c10"
    )
    assert "mamba_ssm" in text(explain(words)[0].fix, "en")
    assert parse_facts(words).failed_file == "mamba_ssm"


@pytest.mark.parametrize(
    ("said", "row"),
    [
        ("fatal: unable to access 'https://git.example/a/b.git/': Could not resolve host: git.example", "git-host"),
        (
            "fatal: unable to access 'https://me:pw@git.example/b/': Failed to connect to 127.0.0.1 port 7890",
            "git-host",
        ),
        ("ssh: Could not resolve hostname github.com: Name or service not known", "git-host"),
        ("ssh: Could not resolve hostname git.example: x\nfatal: Could not read from remote repository.", "git-host"),
        ("fatal: unable to access 'https://pw@git.example/b/': The requested URL returned error: 403", "git-refused"),
        ("fatal: repository 'https://git.example/a/b.git/' not found", "git-refused"),
        ("fatal: could not read Username for 'https://git.example': terminal prompts disabled", "git-refused"),
        ("fatal: could not read Username for 'https://git.example': No such device or address", "git-refused"),
        ("fatal: Authentication failed for 'https://me:pw@git.example/a/b.git/'", "git-refused"),
        ("$ pip install x\nerror: RPC failed; curl 56 Recv failure: Connection was reset", "git-broken-off"),
        ("error: RPC failed; curl 92 HTTP/2 stream 0 was not closed cleanly: CANCEL (err 8)", "git-broken-off"),
        ("Building wheel for foo (setup.py): error\nfoo.c:1:10: fatal error: bar.h: No such file", "header-missing"),
        ("ERROR: Failed building wheel for foo", "kind-build"),
    ],
)
def test_why_a_part_of_a_project_was_not_installed_is_known(said: str, row: str) -> None:
    """Verify leads there with what pip and git said; only the kind of a failure it does not say itself."""
    assert first(said) == row
    assert (cause_and_fix(said) is None) is row.startswith("kind-")
    assert "pw" not in text(explain(said)[0].cause, "en")


def test_the_headers_of_python_and_cuda_are_other_rows_matter() -> None:
    said = "ERROR: Failed building wheel for foo\nfoo.cu:1:10: fatal error: {}: No such file or directory"
    found = {name: first(said.format(name)) for name in ("Python.h", "cuda_runtime.h", "torch/extension.h", "stddef.h")}
    assert "header-missing" not in found.values(), found
    assert first(said.format("GL/osmesa.h")) == "header-missing"


@pytest.mark.parametrize(
    "line",
    [
        "foo.cpp:3:10: fatal error: {}: No such file or directory",
        "foo.cpp:3:10: fatal error: '{}' file not found",
        "foo.cpp(3): fatal error C1083: Cannot open include file: '{}': No such file or directory",
        "foo.cpp:3:10: 致命错误：{}：没有那个文件或目录",
    ],
)
@pytest.mark.parametrize("header", ["zlib.h", "libavcodec/avcodec.h"])
def test_a_header_that_is_missing_is_named_whole(line: str, header: str) -> None:
    found = explain(f"ERROR: Failed building wheel for foo\n{line.format(header)}")[0]
    assert found.id == "header-missing"
    assert f" {header}" in text(found.cause, "en")


def test_a_row_hides_other_rows_only() -> None:
    ids = {row.id for row in known_errors()}
    assert all(row.hides < ids - {row.id} for row in known_errors())


def test_no_harmful_advice_is_ever_given() -> None:
    for language in LANGUAGES:
        for key, words in catalogue(language).items():
            if key.startswith("explain.error."):
                assert not HARMFUL.search(words), f"{language} {key}: {words}"


def test_every_blank_of_the_words_is_filled_by_every_pattern() -> None:
    formatter = string.Formatter()
    for row in known_errors():
        for language in LANGUAGES:
            words = "".join(catalogue(language)[f"explain.error.{row.id}.{part}"] for part in ("cause", "fix"))
            blanks = {name for _, name, _, _ in formatter.parse(in_terminal(words, language)) if name}
            for pattern in row.patterns:
                groups = {name.removesuffix("_cuda_int") for name in pattern.groups}
                assert blanks <= groups, row.id


def test_every_row_has_words_and_every_word_a_row() -> None:
    ids = {row.id for row in known_errors()}
    for language in LANGUAGES:
        named = {key.split(".")[2] for key in catalogue(language) if key.startswith("explain.error.")}
        assert named == ids


def test_rows_name_their_source() -> None:
    for row in known_errors():
        assert len(row.source) > 10, row.id
        assert row.as_of, row.id
        assert row.status, row.id


def test_what_says_more_wins_and_then_what_stands_last() -> None:
    log = (
        "UserWarning: RTX 3090 with CUDA capability sm_86 is not compatible with the current PyTorch installation.\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
    )
    assert [found.id for found in explain(log)] == ["sm-incompatible", "no-kernel-image"]
    first_numpy = f"{SAMPLES['numpy-multiarray']}\n...\n{SAMPLES['oom']}"
    assert explain(first_numpy)[0].id == "oom"


@pytest.mark.parametrize(
    ("said", "row"),
    [
        ("OSError: 找不到指定的模块。 Error loading D:\\x\\torch\\lib\\c10.dll or one of its dependencies.", "dll-126"),
        ("OSError: 動態連結程式庫 (DLL) 初始化例行程序失敗。 Error loading D:\\torch\\lib\\c10.dll", "c10-1114"),
        ("ERROR: Could not install packages due to an OSError: 拒绝访问。: 'D:\\x\\site-packages\\torch'", "winerror5"),
        ("RuntimeError: CUDA 内存不足。尝试分配 108.00 MiB 的内存。", "oom"),
        ("AssertionError: Torch 未启用 CUDA 编译", "torch-cpu-build"),
        ("python -c 'import torch'\n段错误 (核心已转储)", "import-crash"),
        ("Die Auslagerungsdatei ist zu klein. Error loading torch\\lib\\cublas64_12.dll", "paging-1455"),
    ],
)
def test_other_languages_lead_to_the_same_row_and_the_line_is_shown_as_it_was(said: str, row: str) -> None:
    found = explain(said)[0]
    assert found.id == row
    assert found.line in said


def test_a_note_that_stops_nothing_is_silent_beside_a_failure() -> None:
    note = "You need pytorch with cu130 or higher to use optimized CUDA operations"
    failure = "torch._inductor.exc.InductorError: LoweringException: something"
    assert [found.id for found in explain(note)] == ["comfy-cu130"]
    assert [found.id for found in explain(f"{note}\n{failure}")] == ["kind-triton"]


REFUSED = "ssl: CERTIFICATE_VERIFY_FAILED: unable to get local issuer certificate\n"


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("$ pip install torch\n", ["ssl-verify"]),
        ("error: Failed to fetch: `https://files.example/torch/`\n", ["ssl-verify"]),
        ("$ pip install torch\nSuccessfully installed torch-2.7.0\n$ node server.js\n", []),
        ("$ uv pip install torch\nInstalled 12 packages in 3ms\n$ ./deploy.sh\n", []),
        ("$ pip install torch\n" + "a line of the server's log\n" * 200, []),
        ("", []),
    ],
)
def test_what_every_program_prints_is_explained_only_beside_an_installer(before: str, expected: list[str]) -> None:
    assert [found.id for found in explain(before + REFUSED)] == expected


def test_the_line_that_told_it_hides_secrets() -> None:
    found = explain("pip: ProxyError('https://me:geheim@proxy.example:3128 refused')")
    assert found[0].id == "proxy-tunnel"
    assert "geheim" not in found[0].line


def test_a_huge_text_is_read_from_its_end() -> None:
    words = "a line of no interest\n" * 300_000 + SAMPLES["oom"]
    assert explain(words)[0].id == "oom"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("显存不足".encode("gb18030") * 3, "显存不足" * 3),
        ("CUDA 错误".encode("utf-16"), "CUDA 错误"),
        (b"\xef\xbb\xbfplain", "plain"),
        (b"\xe6ImportError: x", "\ufffdImportError: x"),
    ],
)
def test_any_encoding_is_read(data: bytes, words: str) -> None:
    assert decode(data) == words


def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "wizard", *arguments], input=stdin, capture_output=True, check=False)


@pytest.mark.slow
def test_the_command_explains_a_file_and_says_what_it_does_not_know(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text(SAMPLES["oom"], encoding="utf-8")
    told = run("--lang", "en", "explain", str(log))
    assert told.returncode == 0
    assert b"a smaller batch" in told.stdout
    assert told.stderr == b""
    document = json.loads(run("explain", "--json", stdin=UNRELATED[0].encode()).stdout)
    assert (document["schema"], document["known"], document["errors"]) == (1, False, [])
    unknown = run("--lang", "en", "explain", stdin=UNRELATED[0].encode())
    assert unknown.returncode == 1
    assert b"torch-wizard doctor" in unknown.stdout
    assert run("explain", str(tmp_path / "none")).returncode == 2
    assert run("explain", "-", stdin=b" \n").returncode == 2
    (tmp_path / "binary").write_bytes(b"\x7fELF\x00\x01" * 100)
    assert run("explain", str(tmp_path / "binary")).returncode == 2


def test_what_no_row_knows_is_still_held_against_the_tables() -> None:
    told = run("--lang", "en", "explain", stdin=b"torch 2.6.0\ntorchvision 0.23.0\n")
    assert told.returncode == 1
    assert b"torch 2.6.0 goes with torchvision 0.21.0" in told.stdout
    assert b"Based on: torch 2.6.0, torchvision 0.23.0." in told.stdout


@pytest.mark.parametrize("piece", ["a://", "conda install ", "\t \n", "torch "])
def test_a_log_in_one_line_is_explained_too(piece: str) -> None:
    """It would be tried from every beginning to its end."""
    words = piece * (400_000 // len(piece)) + "\nRuntimeError: No CUDA GPUs are available\n"
    code = "import sys; from wizard.diagnose.known_errors.match import explain; print(explain(sys.stdin.read())[0].id)"
    done = subprocess.run([sys.executable, "-c", code], input=words, text=True, capture_output=True, timeout=120)
    assert done.stdout.split() == ["no-cuda-gpus"], done.stderr


def test_what_fills_the_words_holds_no_secret() -> None:
    rows = parse_errors(
        '[[error]]\nid="x"\narea="pip"\nos="any"\npatterns=["from (?P<url>\\\\S+)"]\n'
        'source="a"\nstatus="b"\nas_of="2026-11"'
    )
    found = explain("from https://user:s3cr3t@host.example/", rows)[0]
    assert "s3cr3t" not in f"{found.line} {found.cause.params}"


def test_a_tag_that_people_write_in_capitals_is_judged_as_the_tables_write_it() -> None:
    facts = parse_facts(
        'PyTorch 2.9.0 + CPU-only wheel\nError loading "C:\\torch\\lib\\c10.dll" or one of its dependencies.'
    )
    assert "'CPU'" not in repr(facts)
    judge_facts(facts, load_matrix())  # no ValueError


def _no_look() -> NoReturn:
    pytest.fail("the tables alone say it")


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("cv2", "opencv-python"),
        ("PIL", "pillow"),
        ("sklearn", "scikit-learn"),
        ("skimage", "scikit-image"),
        ("yaml", "pyyaml"),
        ("bs4", "beautifulsoup4"),
        ("Crypto", "pycryptodome"),
        ("serial", "pyserial"),
        ("dotenv", "python-dotenv"),
        ("fitz", "pymupdf"),
        ("pandas", "pandas"),
        ("torchvision", "torchvision"),
    ],
)
@pytest.mark.parametrize("before", ["", 'Traceback (most recent call last):\n  File "/a/torch/x.py", line 1\n'])
def test_a_module_that_is_missing_is_named_by_its_package(before: str, module: str, package: str) -> None:
    given = answer(f"{before}ModuleNotFoundError: No module named '{module}'", _no_look)
    assert given.package == package
    assert package in text(given.found[0].fix, "en")


@pytest.mark.parametrize("module", ["django", "torchlight", "pipeline", "sklaern"])
def test_of_a_module_that_nobody_knows_no_package_is_guessed(module: str) -> None:
    given = answer(f"ModuleNotFoundError: No module named '{module}'", _no_look)
    (found,) = given.found
    assert (found.id, given.package) == ("module-missing", "")
    assert "project's own page" in text(found.fix, "en")
    assert f"add NAME {module}" not in text(found.fix, "en")


@pytest.mark.parametrize("module", ["utils", "src", "my_helpers", "_tkinter"])
def test_a_programs_own_file_is_no_package(module: str) -> None:
    assert not explain(f"ModuleNotFoundError: No module named '{module}'")


@pytest.mark.parametrize(
    "words",
    [
        "Failed to initialize NVML: Driver/library version mismatch",
        "NVRM: Xid (PCI:0000:01:00): 79, pid=1, GPU has fallen off the bus.",
        "RuntimeError: No CUDA GPUs are available",
        'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].',
        "RuntimeError: CUDA error: the launch timed out and was terminated",
    ],
)
@pytest.mark.parametrize(
    "machine", ["other_makers/rx-7900-xtx-linux", "machines/intel-only-windows", "machines/no-gpu-linux"]
)
def test_what_only_a_card_of_nvidia_needs_is_folded_on_machines_without_one(machine: str, words: str) -> None:
    here, matrix = read_machine_file(DATA / f"{machine}.json"), load_matrix()
    looked = (replace(values.FACTS, machine=here), resolve(here, matrix, Choices()), matrix)
    first = answer(words, lambda: looked).found[0]
    assert first.with_card is not None
    said = text(first.fix, "en")
    assert "no NVIDIA card" in said or "The text is from a computer with an NVIDIA card" in said
    assert ("there is a PyTorch for it" in said) is machine.startswith("other_makers")


def test_without_a_card_nothing_is_advised_that_only_helps_with_one() -> None:
    none = replace(values.FACTS, machine=replace(values.MACHINE, gpus=(), driver=None))
    looked = (none, values.VERDICT, load_matrix())
    for name, words in SAMPLES.items():
        given = answer(words, lambda: looked)
        assert given.found[0].error.wants_card is (given.found[0].with_card is not None), name
        for one in given.found:
            assert one.id in SAYS_BOTH or not OF_A_CARD.search(text(one.fix, "en")), (name, one.id)
