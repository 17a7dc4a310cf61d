"""What setup.py, setup.cfg and other settings of a package say, read and never run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project import deciding
from tests.project.test_read import asked, codes, one, project_of


def test_what_setup_py_computes_is_said_to_be_unseen(tmp_path: Path) -> None:
    words = """from setuptools import setup
def read(): return open("requirements.txt").read().splitlines()
BASE = ["torch"]
setup(install_requires=BASE + ["numpy", f"scipy>={1}.5"], extras_require={"a": read(), "b": [*EXTRA]})
"""
    project = project_of(tmp_path, {"setup.py": words, "requirements.txt": "rich\n"})
    assert sorted(one.name for one in project.statements) == ["numpy", "rich", "torch"]
    assert codes(project) == ["setup-computed"]


@pytest.mark.parametrize(
    "asked_for", ['"torch==" + V', '"torch==%s" % V', '"%s==%s" % ("torch", "2.2.0")', 'f"torch=={V}"', "PINNED"]
)
def test_words_that_setup_py_puts_together_are_read(tmp_path: Path, asked_for: str) -> None:
    """Joined by a plus sign of two words in the file they were passed over, and nothing was said."""
    words = f'V = "2.2.0"\nPINNED = "torch==" + V\nsetup(install_requires=[{asked_for}, "scipy"])\n'
    project = project_of(tmp_path, {"setup.py": words})
    assert [each.specifier for each in project.statements if each.name == "torch"] == ["==2.2.0"]
    assert sorted(each.name for each in project.statements) == ["scipy", "torch"]
    assert codes(project) == []


def test_words_that_a_call_gets_are_no_packages(tmp_path: Path) -> None:
    words = 'HERE = "reqs"\nsetup(install_requires=["torch"] + read(HERE + "_list") + load(name=HERE + "-extra"))\n'
    project = project_of(tmp_path, {"setup.py": words})
    assert [each.name for each in project.statements] == ["torch"]


def test_words_of_many_pieces_are_one(tmp_path: Path) -> None:
    pieces = "+".join(f'"{letter}"' for letter in "abcdefghij")
    project = project_of(tmp_path, {"setup.py": f"setup(install_requires=[{pieces}])\n"})
    assert [each.name for each in project.statements] == ["abcdefghij"]


def test_names_that_multiply_come_to_an_end(tmp_path: Path) -> None:
    lines = [f'v{at} = "a"' + f" + v{at + 1}" * 40 for at in range(12)]
    words = "\n".join([*lines, 'v12 = "b"', 'setup(install_requires=["torch", "x" + v0])', ""])
    project = project_of(tmp_path, {"setup.py": words})
    assert [each.name for each in project.statements] == ["torch"]


def test_setup_py_is_syntax_and_never_run(tmp_path: Path) -> None:
    words = f"""import pathlib
pathlib.Path({str(tmp_path / "ran")!r}).touch()
WANTED = ["torch>=1.8", "numpy"]
def listed():
    return open("requirements-extra.txt").read().splitlines()
setup(python_requires=">=3.8", install_requires=WANTED + listed(), extras_require={{"dev": ["black"]}})
"""
    project = project_of(tmp_path, {"setup.py": words, "requirements-extra.txt": "einops\n"})
    assert not (tmp_path / "ran").exists()
    assert asked(project, "torch") == [(">=1.8", "setup.py:3")]
    assert asked(project, "python") == [(">=3.8", "setup.py:6")]
    assert one(project, "black").group == "dev"
    assert one(project, "einops").origin.file == "requirements-extra.txt"


def test_setup_cfg_with_files(tmp_path: Path) -> None:
    words = """[options]
python_requires = >= 3.10
install_requires =
  torch>=2
[options.extras_require]
t = file: t.txt
"""
    project = project_of(tmp_path, {"setup.cfg": words, "t.txt": "timm\n"})
    assert asked(project, "python") == [(">=3.10", "setup.cfg:2")]
    assert asked(project, "torch") == [(">=2", "setup.cfg:4")]
    assert one(project, "timm").group == "t"


def test_the_words_of_a_call_in_setup_py_are_no_packages_and_its_file_is_read(tmp_path: Path) -> None:
    text = (
        "import os\nfrom setuptools import setup\n"
        "with open(os.path.join('.', 'requirements.dev.txt')) as f:\n    dev = f.readlines()\n"
        "setup(install_requires=open('requirements.txt', encoding='utf-8').read().splitlines(),\n"
        "      extras_require={'dev': dev})\n"
    )
    lists: dict[str, str | bytes] = {"requirements.txt": "torch==2.1.0\n", "requirements.dev.txt": "black\n"}
    project = project_of(tmp_path, {"setup.py": text, **lists})
    assert {one.name for one in project.statements} == {"torch", "black"}
    assert not project.remarks


def test_a_key_in_setup_py_is_no_package(tmp_path: Path) -> None:
    words = (
        "from setuptools import setup\nneeds = {'infer': ['einops>=0.6'], 'train': ['tqdm'], 'openai': ['fastapi']}\n"
        "setup(install_requires=needs['infer'] + needs['train'], extras_require={'openai': needs['openai']})\n"
    )
    project = project_of(tmp_path, {"setup.py": words})
    assert [(one.name, one.group) for one in project.statements] == [
        ("einops", ""),
        ("tqdm", ""),
        ("fastapi", "openai"),
    ]
    assert codes(project) == []


def test_nbdevs_settings_and_a_table_of_lines_by_name(tmp_path: Path) -> None:
    settings = (
        "[DEFAULT]\nlib_name = x\nmin_python = 3.8\nrequirements = fastcore>=1.5 torchvision>=0.11\n"
        "pip_requirements = torch>=1.10,<2.2\n"
    )
    setup = (
        '_deps = ["accelerate>=0.20", "torch==2.6.0", "black"]\n'
        "deps = {b: a for a, b in (split(x) for x in _deps)}\n"
        'setup(install_requires=[deps["accelerate"]])\n'
    )
    project = project_of(tmp_path, {"settings.ini": settings, "setup.py": setup})
    assert [(str(one), one.group) for one in project.statements] == [
        ("python>=3.8", ""),
        ("fastcore>=1.5", ""),
        ("torchvision>=0.11", ""),
        ("torch<2.2,>=1.10", ""),
        ("accelerate>=0.20", "extras"),
        ("torch==2.6.0", "extras"),
        ("black", "extras"),
        ("accelerate>=0.20", ""),
    ]


def test_a_line_of_setup_py_is_for_the_system_of_its_condition(tmp_path: Path) -> None:
    text = (
        "import platform\nneeds = ['torch']\n"
        "if platform.system().lower() == 'windows':\n    needs.append('bitsandbytes-windows')\n"
        "else:\n    needs.append('bitsandbytes')\nsetup(install_requires=needs)\n"
    )
    found = project_of(tmp_path, {"setup.py": text}).statements
    assert {one.name: one.marker for one in found} == {
        "torch": "",
        "bitsandbytes-windows": "sys_platform == 'win32'",
        "bitsandbytes": "sys_platform != 'win32'",
    }


def test_what_the_project_itself_compiles_is_told(tmp_path: Path) -> None:
    head = "from setuptools import setup\nfrom torch.utils import cpp_extension\n"
    both = "E = cpp_extension.CppExtension\nif cuda: E = cpp_extension.CUDAExtension\nsetup(ext_modules=[E('a', [])])\n"
    words = {
        "own-cuda": f"{head}setup(ext_modules=[cpp_extension.CUDAExtension('a', [])])\n",
        "own-either": head + both,
    }
    words["own-cpp"] = words["own-cuda"].replace("CUDA", "Cpp")
    for code, setup in words.items():
        files: dict[str, str | bytes] = {"setup.py": setup, "requirements.txt": "torch\n"}
        [told] = [each for each in project_of(tmp_path / code, files).remarks if ".own-" in each.key]
        assert (told.key, told.params["line"]) == (f"project.remark.{code}", 4 if code == "own-either" else 3)
        for on, is_told in ((deciding.AMPERE, False), (deciding.NO_CARD, code == "own-cuda")):
            found = deciding.decided(tmp_path / code, files, on)
            assert ("own-no-card" in deciding.codes(found)) == is_told
    cython = "from setuptools import setup\nfrom Cython.Build import cythonize\nsetup(ext_modules=cythonize('a.pyx'))\n"
    project = project_of(tmp_path / "cython", {"setup.py": cython, "requirements.txt": "torch\n"})
    assert [each.params["line"] for each in project.remarks if each.key.endswith(".own-cpp")] == [3]
    below = project_of(tmp_path / "below", {"ops/setup.py": words["own-cpp"], "requirements.txt": "torch\n"})
    assert not [each for each in below.remarks if ".own-" in each.key]


@pytest.mark.parametrize(
    ("condition", "given", "line"),
    [
        ("if sys.platform != 'win32':", "made()", 7),
        ("if True:", "E", 0),
        ("if os.getenv('BUILD'):", "made()", 0),
    ],
)
def test_what_a_class_of_the_projects_own_has_compiled_is_told(
    tmp_path: Path, condition: str, given: str, line: int
) -> None:
    words = f"import os, sys\nfrom setuptools import setup\nE = []\ndef made():\n    ops = []\n    {condition}\n"
    words += "        ops.append(FastOp().build())\n    return ops\n"
    words += f"setup(install_requires=['torch'], ext_modules={given})\n"
    told = [one for one in project_of(tmp_path, {"setup.py": words}).remarks if ".own-" in one.key]
    assert [(one.key.rpartition(".")[2], one.params["line"]) for one in told] == [("own-some", line)] * bool(line)


_ON_DEMAND = """import os, sys
from setuptools import setup
RUN = os.getenv("BUILD_MINE", "0") == "1"
BUILD_CPP = BUILD_CUDA = False
try:
    import torch
    from torch.utils.cpp_extension import CppExtension, CUDAExtension
    BUILD_CPP = True
    BUILD_CUDA = torch.cuda.is_available()
finally:
    if not RUN:
        BUILD_CPP = BUILD_CUDA = False
def extensions():
    kind = None
    if BUILD_CPP:
        kind = CppExtension
    if BUILD_CUDA:
        kind = CUDAExtension
    return [kind("a", [])] if kind else []
setup(install_requires=["torch"], ext_modules=extensions())
"""
_HEAD = "import os, sys\nfrom setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension\n"


@pytest.mark.parametrize(
    ("words", "is_told"),
    [
        (_ON_DEMAND, False),
        (_ON_DEMAND.replace('"0"', '"1"'), True),
        (_ON_DEMAND.replace("not RUN", "broken"), True),
        ('E = []\nif os.environ.get("CUDA"):\n    E.append(CUDAExtension("a", []))\n', False),
        ('E = []\nif not os.environ.get("NO_CUDA"):\n    E.append(CUDAExtension("a", []))\n', True),
        ('E = []\nif "CUDA" in os.environ:\n    E.append(CUDAExtension("a", []))\n', False),
        ('E = []\nif "--cuda_ext" in sys.argv:\n    E.append(CUDAExtension("a", []))\n', False),
        ('E = []\nif "clean" not in sys.argv:\n    E.append(CUDAExtension("a", []))\n', True),
        ('E = [CUDAExtension("a", [])] if os.getenv("CUDA", "off").lower() in ("on", "1") else []\n', False),
        ('E = [CUDAExtension("a", [])] if os.getenv("CUDA", "ON").lower() in ("on", "1") else []\n', True),
        ('E = [CUDAExtension("a", [])] if bool(int(os.getenv("CUDA", 0))) else []\n', False),
        ('E = [CUDAExtension("a", [])] if (os.getenv("CUDA") or "1") == "1" else []\n', True),
        (
            'W = torch.cuda.is_available() or os.getenv("C", "0") == "1"\nE = [CUDAExtension("a", [])] if W else []\n',
            True,
        ),
        ('def made():\n    return [CUDAExtension("a", [])]\nE = made() if os.getenv("CUDA") else []\n', False),
        (
            'def f():\n    if not os.getenv("C"):\n        return []\n    return [CUDAExtension("a", [])]\nE = f()\n',
            False,
        ),
        ('W = False\nfor one in sys.argv:\n    E = [CUDAExtension("a", [])] if W else []\n    W = True\n', True),
    ],
)
def test_what_is_compiled_on_demand_alone_is_not_told(tmp_path: Path, words: str, is_told: bool) -> None:
    setup = words if words.startswith("import") else f"{_HEAD}{words}setup(install_requires=['torch'], ext_modules=E)\n"
    project = project_of(tmp_path, {"setup.py": setup})
    assert any(".own-" in each.key for each in project.remarks) == is_told
    assert asked(project, "torch")


@pytest.mark.parametrize(
    ("look", "code"),
    [
        (
            "if torch.cuda.is_available():\n    E = CUDAExtension\nelse:\n    raise NotImplementedError('no CUDA')\n",
            "cuda",
        ),
        ("if not torch.cuda.is_available():\n    raise RuntimeError('no CUDA')\nE = CUDAExtension\n", "cuda"),
        ("if torch.cuda.is_available():\n    E = CUDAExtension\nelse:\n    E = CppExtension\n", "either"),
    ],
)
def test_a_setup_that_stops_without_cuda_is_built_with_cuda_alone(tmp_path: Path, look: str, code: str) -> None:
    head = "import torch\nfrom setuptools import setup\nfrom torch.utils.cpp_extension import *\n"
    setup = f"{head}E = CppExtension\n{look}setup(name='ops', ext_modules=[E('a', [])])\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.8.1\n", "models/ops/setup.py": setup}
    found = deciding.decided(tmp_path, files, deciding.NO_CARD)
    assert ("own-no-card" in deciding.codes(found)) == (code == "cuda")
