"""What a project's own C++ code, and the options that it is compiled with, ask of torch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, NO_CARD, build, decided
from wizard.model.tables import TableError
from wizard.project.decide import ProjectDecision
from wizard.project.packages.rows import parse_companions
from wizard.system.paths import matrices_dir

HEAD = "from setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension\n"
MADE = HEAD + "{}\nsetup(ext_modules=[CUDAExtension('a', ['a.cu'], extra_compile_args={{'cxx': cxx, 'nvcc': nvcc}})])\n"
LISTS = "cxx = ['-O3', '{}']\nnvcc = ['-O3', '{}']"
OPEN: dict[str, str | bytes] = {"requirements.txt": "torch\n"}


def told(found: ProjectDecision) -> list[tuple[str, object, object]]:
    lines = [one for one in found.remarks if one.key.startswith("project.remark.native-")]
    return [(one.key.rpartition("-")[2], one.params["places"], one.params.get("instead")) for one in lines]


@pytest.mark.parametrize(
    ("standard", "newest", "instead"),
    [("c++11", "", "-std=c++20"), ("c++14", "2.0.1", "-std=c++20"), ("c++17", "2.13.0", "-std=c++20")],
)
def test_torch_stays_below_the_release_whose_headers_refuse_the_standard(
    tmp_path: Path, standard: str, newest: str, instead: str
) -> None:
    option = f"-std={standard}"
    files = {**OPEN, "ops/setup.py": MADE.format(LISTS.format(option, option))}
    found = decided(tmp_path, files, AMPERE)
    assert build(found)[0] == (newest or "2.14.1")
    assert told(found) == [("holds", "ops/setup.py:3", None) if newest else ("refused", "ops/setup.py:3", instead)]


def test_what_to_write_goes_with_the_torch_that_the_card_needs(tmp_path: Path) -> None:
    files = {**OPEN, "requirements.txt": "torch==1.5.0\n", "a/setup.py": MADE.format(LISTS.format("-std=c++14", "-O"))}
    files["b/setup.py"] = files["a/setup.py"]
    found = decided(tmp_path, files, BLACKWELL)
    assert build(found)[0] == "2.7.1"
    assert told(found) == [("refused", "a/setup.py:3, b/setup.py:3", "-std=c++17")]


def test_what_is_compiled_as_the_program_runs_counts_too(tmp_path: Path) -> None:
    program = "from torch.utils.cpp_extension import load\n\n_c = load('c', ['c.cpp'], extra_cflags=['-std=c++14'])\n"
    found = decided(tmp_path, {**OPEN, "net/ops.py": program}, NO_CARD)
    assert (build(found)[0], told(found)) == ("2.0.1", [("holds", "net/ops.py:3", None)])


def test_windows_passes_over_the_option_but_nvcc_there(tmp_path: Path) -> None:
    files = {**OPEN, "setup.py": MADE.format(LISTS.format("-std=c++14", "-O"))}
    assert (told(decided(tmp_path / "a", files, ADA))) == []
    files["setup.py"] = MADE.format(LISTS.format("/std:c++17", "-std=c++14"))
    assert told(decided(tmp_path / "b", files, ADA)) == [("holds", "setup.py:4", None)]


def test_what_is_for_cards_alone_holds_no_torch_without_one(tmp_path: Path) -> None:
    files = {**OPEN, "setup.py": MADE.format(LISTS.format("-std=c++14", "-std=c++14"))}
    found = decided(tmp_path, files, NO_CARD)
    assert (build(found)[0], told(found)) == ("2.15.0", [])


def test_a_line_with_a_newer_torch_is_what_its_authors_build_it_with(tmp_path: Path) -> None:
    files = {"requirements.txt": "torch==2.4.1\n", "setup.py": MADE.format(LISTS.format("-std=c++14", "-O"))}
    assert told(decided(tmp_path, files, AMPERE)) == []


@pytest.mark.parametrize(
    ("file", "program"),
    [
        ("setup.py", MADE.format(LISTS.format("-O2", "-O2"))),
        ("setup.py", MADE.format(LISTS.format("-std=c++20", "-std=c++20"))),
        ("tests/setup.py", MADE.format(LISTS.format("-std=c++14", "-O2"))),
        ("third_party/ops/setup.py", MADE.format(LISTS.format("-std=c++14", "-O2"))),
        ("setup.py", HEAD + "\n# '-std=c++14'\nsetup(ext_modules=[CUDAExtension('a', ['a.cu'])])\n"),
        ("setup.py", "from setuptools import Extension, setup\nsetup(ext_modules=[Extension('a', ['-std=c++14'])])\n"),
        ("run.py", "import subprocess\nsubprocess.run(['g++', '-std=c++14', 'a.cpp'])\n"),
        ("setup.py", MADE.format("import torch\nif torch.__version__ < '2.1':\n    cxx = ['-std=c++14']\nnvcc = []")),
        (
            "setup.py",
            MADE.format(
                "import torch\nn = torch.__version__ >= '2.1'\ncxx = ['-std=c++14']\nif n:\n    cxx = ['-std=c++17']"
            ),
        ),
        ("setup.py", MADE.format("cxx = nvcc = ['-O2']\nif '-std=c++14' in cxx:\n    cxx.remove('-std=c++14')")),
        ("setup.py", MADE.format("import os\nif os.getenv('BUILD') == '1':\n    x = 1\ncxx = f'-std=c++{14}'")),
    ],
)
def test_what_gives_no_standard_to_code_with_torch_is_not_named(tmp_path: Path, file: str, program: str) -> None:
    found = decided(tmp_path, {**OPEN, file: program}, AMPERE)
    assert (told(found), build(found)[0]) == ([], "2.14.1")


PLAIN = MADE.format("cxx = nvcc = ['-O2']")


@pytest.mark.parametrize(
    ("code", "newest", "instead"),
    [
        ("void f(at::Tensor x) {\n  AT_CHECK(x.is_cuda(), 1);\n}\n", "", "TORCH_CHECK"),
        ("#include <torch/extension.h>\n#include <THC/THC.h>\n", "1.10.2", None),
        ('void f() {\n  AT_DISPATCH_FLOATING_TYPES(x.type(), "f", ([&] {}));\n}\n', "2.5.1", None),
        ("#ifdef WITH_CUDA\n#include <THC/THC.h>\n#endif\n", "1.10.2", None),
        ("#ifndef A_H\n#define A_H\n\n#include <THC/THC.h>\n#endif\n", "1.10.2", None),
    ],
)
def test_what_the_headers_of_newer_torch_lack_holds_torch_or_is_told(
    tmp_path: Path, code: str, newest: str, instead: str | None
) -> None:
    found = decided(tmp_path, {**OPEN, "ops/setup.py": PLAIN, "ops/src/a.cu": code}, AMPERE)
    line = next(number for number, words in enumerate(code.split("\n"), 1) if "THC" in words or "AT_" in words)
    expected = [("holds" if newest else "refused", f"ops/src/a.cu:{line}", instead)]
    assert (told(found), build(found)[0]) == (expected, newest or "2.14.1")


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("ops/a.cu", "// AT_CHECK(x)\n/* AT_CHECK(\n x) */\n"),
        ("ops/a.cu", "#if TORCH_VERSION_MAJOR < 2\n#include <THC/THC.h>\n#else\n#include <ATen/ATen.h>\n#endif\n"),
        ("ops/a.cu", "#ifndef AT_CHECK\n#define AT_CHECK TORCH_CHECK\n#endif\nAT_CHECK(x);\n"),
        ("ops/a.cu", "#ifndef TORCH_CHECK\n#define TORCH_CHECK(x) AT_CHECK(x)\n#endif\n"),
        ("ops/a.cu", "#if 0\nAT_CHECK(x);\n#endif\n"),
        ("ops/a.cu", 'AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "f", ([&] {}));\nTORCH_CHECK(x.type().is_cuda());\n'),
        ("other/a.cu", "AT_CHECK(x);\n"),  # nothing compiles it
        ("ops/third_party/a.cu", "AT_CHECK(x);\n"),
        ("ops/tests/a.cpp", "AT_CHECK(x);\n"),
        ("ops/README.md", "AT_CHECK(x);\n"),
    ],
)
def test_code_that_goes_with_any_torch_or_is_not_compiled_is_not_named(tmp_path: Path, file: str, code: str) -> None:
    found = decided(tmp_path, {**OPEN, "ops/setup.py": PLAIN, file: code}, AMPERE)
    assert (told(found), build(found)[0]) == ([], "2.14.1")


def test_a_row_with_a_pattern_that_is_none_is_refused() -> None:
    text = (matrices_dir() / "companions.toml").read_text("utf-8")
    assert "pattern = '\\bAT_DISPATCH" in text
    with pytest.raises(TableError, match="pattern"):
        parse_companions(text.replace("pattern = '\\bAT_DISPATCH", "pattern = '(AT_DISPATCH"))
