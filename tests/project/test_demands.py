"""What a project's own programs ask for in their code: releases of a package, cards, what they do not run without."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, NO_CARD, PASCAL, build, codes, decided
from wizard.project.decide import ProjectDecision
from wizard.project.search.demands import bounds_in

# As packages that stand on a library of their makers look at it.
LOOKS = (
    "import mmcv\nfrom .version import __version__\n\n\ndef digit_version(words):\n    return words.split('.')\n\n\n"
    "mmcv_minimum_version = '1.3.8'\nmmcv_maximum_version = '1.5.0'\nmmcv_version = digit_version(mmcv.__version__)\n\n"
    "assert (mmcv_version >= digit_version(mmcv_minimum_version)\n"
    "        and mmcv_version <= digit_version(mmcv_maximum_version)), 'no'\n"
)
OPEN: dict[str, str | bytes] = {"requirements.txt": "torch>=1.3\nmmcv-full>=1.3.8\n", "pose/__init__.py": LOOKS}


def told(found: ProjectDecision) -> list[tuple[str, object, object, object]]:
    lines = [one for one in found.remarks if one.key.startswith("project.remark.own-bound")]
    return [
        (one.key.rpartition(".")[2], str(one.params["file"]), one.params["line"], one.params["asked"]) for one in lines
    ]


def test_the_releases_that_code_takes_choose_the_torch_that_lines_leave_open(tmp_path: Path) -> None:
    found = decided(tmp_path, OPEN, AMPERE)
    assert build(found)[0] == "1.11.0"
    assert told(found) == [("own-bound", "pose/__init__.py", 10, ">=1.3.8,<=1.5.0")]
    assert "held-back" in codes(found)
    bound = [one.specifier for one in found.understood.constraints if one.name == "mmcv-full"]
    assert bound == [">=1.3.8,<=1.5.0"], "the lock keeps to it"


def test_where_no_torch_that_old_runs_it_is_said(tmp_path: Path) -> None:
    found = decided(tmp_path / "a", OPEN, BLACKWELL)
    assert [one[0] for one in told(found)] == ["own-bound-none"]
    pinned = {**OPEN, "requirements.txt": "torch==2.1.2\nmmcv-full>=1.3.8\n"}
    found = decided(tmp_path / "b", pinned, AMPERE)
    assert (build(found)[0], [one[0] for one in told(found)]) == ("2.1.2", ["own-bound-older"])
    [said] = [one for one in found.remarks if one.key == "project.remark.own-bound-older"]
    assert said.params["nearest"] == "1.11.0"


def test_a_pin_within_the_bounds_is_no_news_and_one_outside_holds_no_lock(tmp_path: Path) -> None:
    for pin, kept in (("1.4.0", [">=1.3.8,<=1.5.0"]), ("1.7.1", [])):
        found = decided(tmp_path / pin, {**OPEN, "requirements.txt": f"torch==1.9.1\nmmcv-full=={pin}\n"}, AMPERE)
        assert told(found) == []
        assert [one.specifier for one in found.understood.constraints if one.name == "mmcv-full"] == kept


@pytest.mark.parametrize("file", ["tests/a.py", "third_party/net/a.py"])
def test_what_no_start_needs_takes_nothing(tmp_path: Path, file: str) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch>=1.3\nmmcv-full\n", file: LOOKS}, AMPERE)
    assert (told(found), [one.specifier for one in found.understood.constraints]) == ([], [])


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("assert version.parse(m.__version__) >= version.parse('1.2')\n", [("m", ">=1.2", 2)]),
        ("assert m.__version__ == '1.2'\n", [("m", "==1.2", 2)]),
        ("LEAST = '1.3'\nMOST = '1.8.0'\nleast = v(LEAST)\nassert least <= v(m.__version__) < v(MOST)\n",
         [("m", ">=1.3,<1.8.0", 3)]),
        ("if Version(m.__version__) < Version('0.5'):\n    raise ImportError\n", [("m", ">=0.5", 2)]),
        ("if v(m.__version__) < v('0.5') or v(m.__version__) >= v('2'):\n    raise ImportError\n",
         [("m", ">=0.5,<2", 2)]),
        ("if not ('0.5' <= m.__version__ < '0.9'):\n    raise ImportError\n", [("m", ">=0.5,<0.9", 2)]),
        ("if '0.5' <= m.__version__ < '0.9':\n    raise ImportError\n", []),
        ("if not v('0.5') <= v(m.__version__):\n    raise ImportError\n", [("m", ">=0.5", 2)]),
        ("if v(m.__version__) < v('0.5'):\n    print('old')\n", []),
        ("def f():\n    assert m.__version__ >= '1'\n", []),
        ("assert m.__version__ >= '1' or x\n", []),
        ("assert m.__version__ != '1'\n", []),
        ("assert len(m.__version__) > '1'\n", []),
        ("assert m.__version__ >= '1.0,===foo'\n", []),
        ("assert other.__version__ >= '1'\n", []),
        ("assert m.__version__ >= '1.x y'\n", []),
        ("x = '1'\nx = f()\nassert m.__version__ >= x\n", []),
        ("assert m.__version__ >= (\n", []),
    ],
)  # fmt: skip
def test_which_releases_a_program_takes(program: str, said: list[tuple[str, str, int]]) -> None:
    assert bounds_in(f"import m\n{program}") == said


def test_a_program_of_thousands_of_looks_is_read(tmp_path: Path) -> None:
    chain = " < ".join(["a"] * 20_000)
    program = "import m\n" + "assert m.__version__ >= '1'\n" * 5_000 + f"assert {chain}\n"
    assert bounds_in(program) == [("m", ">=1", 2)]
    assert bounds_in("import m\nassert " + "not " * 50_000 + "m.__version__ > '1'\n") == []


def test_a_release_that_is_built_from_a_repository_is_held_against_the_torch(tmp_path: Path) -> None:
    steps = "git clone https://github.com/open-mmlab/mmcv.git\ncd mmcv\ngit checkout v1.6.0\npip install -e .\ncd ..\n"
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.1.2\n",
        "README.md": f"## Install\n```\n{steps}```\n",
    }
    [said] = [one for one in decided(tmp_path / "a", files, AMPERE).remarks if one.key == "project.remark.old-source"]
    assert (said.params["line"], said.params["release"], said.params["newest"]) == (6, "1.6.0", "1.12")
    files["requirements.txt"] = "torch==1.12.1\n"
    found = decided(tmp_path / "b", files, AMPERE)
    assert "old-source" not in codes(found)
    urls = [one.url for one in found.understood.told if one.name == "mmcv"]
    assert urls == ["git+https://github.com/open-mmlab/mmcv@v1.6.0"]


def test_a_sentence_on_what_the_authors_use_chooses_torch_and_names_what_goes_with_it(tmp_path: Path) -> None:
    words = "## Usage\nWe use PyTorch 1.9.0 or NGC docker 21.06, and mmcv 1.3.9 for the experiments.\n"
    found = decided(tmp_path / "a", {"requirements.txt": "timm\n", "README.md": words}, AMPERE)
    assert build(found)[0] == "1.9.0"
    [mmcv] = [one for each in found.understood.native for one in each.statements if each.name == "mmcv"]
    assert (mmcv.specifier, mmcv.origin.line) == ("==1.3.9", 2)
    past = "We use PyTorch 1.9.0 since 1.10 has a bug.\n"
    assert build(decided(tmp_path / "b", {"requirements.txt": "timm\n", "README.md": past}, AMPERE))[0] == "2.14.1"


TRIED = (
    "try:\n    import flash_attn\n    HAS_FLASH = True\nexcept ModuleNotFoundError:\n    HAS_FLASH = False\n\n\n"
    "def attend(q):\n    {}\n    return flash_attn.f(q)\n"
)


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("assert HAS_FLASH, 'no'", True),
        ("if not HAS_FLASH: raise ImportError", True),
        ("assert q", False),
        ("assert HAS_FLASH or q", False),
        ("if not HAS_FLASH: return q", False),
    ],
)
def test_what_is_tried_and_then_asserted_is_told_where_it_is_left_out(tmp_path: Path, line: str, is_told: bool) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nflash-attn\n", "net/a.py": TRIED.format(line)}
    for on in (ADA, NO_CARD):
        said = [one.params for one in decided(tmp_path / on.os, files, on).remarks if one.key.endswith(".asserted")]
        assert [(one["file"], one["line"], one["package"]) for one in said] == [("net/a.py", 9, "flash-attn")] * is_told
    assert "asserted" not in codes(decided(tmp_path / "had", files, AMPERE))


def test_a_name_that_is_none_where_the_import_failed_counts_too(tmp_path: Path) -> None:
    program = "try:\n    from flash_attn import f\nexcept ImportError:\n    f = None\n\n\n"
    program += "def a():\n    assert f is not None\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nflash-attn\n", "a.py": program}
    assert "asserted" in codes(decided(tmp_path / "a", files, ADA))
    files["a.py"] = program.replace("assert f is not None", "if f is None:\n        raise ImportError")
    assert "asserted" in codes(decided(tmp_path / "b", files, ADA))


def test_ready_code_for_another_torch_is_told(tmp_path: Path) -> None:
    program = (
        "import torch\n\nif torch.__version__ >= '2.5':\n    torch.ops.load_library('lib/libops-torch2.5-cu124.so')\n"
        "else:\n    torch.ops.load_library('lib/libops-torch2.3-cu121.cpython-310-x86_64-linux-gnu.so')\n"
    )
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.5.1\n", "utils.py": program}
    assert "own-binary" not in codes(decided(tmp_path / "a", files, AMPERE))
    [said] = [one for one in decided(tmp_path / "b", files, BLACKWELL).remarks if one.key.endswith(".own-binary")]
    assert (said.params["line"], said.params["made"]) == (4, "2.3, 2.5")
    files["utils.py"] = "x = 'torch2.5.txt'\ny = 'pytorch_2.5_notes.md'\nz = 'libtorch.so'\n"
    assert "own-binary" not in codes(decided(tmp_path / "c", files, BLACKWELL))


MADE = (
    "from setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension\nflags = []\n{}\n"
    "setup(ext_modules=[CUDAExtension('a', ['a.cu'], extra_compile_args={{'nvcc': flags}})])\n"
)


@pytest.mark.parametrize(
    ("lines", "cards"),
    [
        ("flags += ['-gencode', 'arch=compute_70,code=sm_70', '-gencode=arch=compute_86,code=sm_86']", "7.0, 8.6"),
        ("flags.append('arch=compute_70,code=sm_70')\nif new:\n    flags.append('arch=compute_120,code=sm_120')", ""),
        ("flags += ['-gencode=arch=compute_70,code=sm_70', '-gencode=arch=compute_70,code=compute_70']", ""),
        ("flags += ['-gencode=arch=compute_70,code=[sm_70,compute_70]']", ""),
        ("flags += ['-arch=sm_80']", ""),
        ("flags += [f'-gencode=arch=compute_{x},code=sm_{x}', '-gencode=arch=compute_70,code=sm_70']", ""),
        ("import os\nos.environ['TORCH_CUDA_ARCH_LIST'] = '7.0;8.0'", "7.0, 8.0"),
        ("import os\nos.environ['TORCH_CUDA_ARCH_LIST'] = '7.0;8.0+PTX'", ""),
        ("import os\nos.environ['TORCH_CUDA_ARCH_LIST'] = ''", ""),
    ],
)
def test_code_that_is_compiled_for_other_cards_alone_is_told(tmp_path: Path, lines: str, cards: str) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "ops/setup.py": MADE.format(lines)}
    said = [one.params for one in decided(tmp_path / "a", files, BLACKWELL).remarks if one.key.endswith(".own-cards")]
    assert [(one["cards"], one["given"]) for one in said] == ([(cards, "12.0")] if cards else [])
    if "8.0" in cards:
        assert "own-cards" not in codes(decided(tmp_path / "b", files, AMPERE))
    assert "own-cards" not in codes(decided(tmp_path / "c", files, NO_CARD))


def test_a_command_that_sets_the_cards_counts_and_an_example_does_not(tmp_path: Path) -> None:
    step = "## Install\n```\nTORCH_CUDA_ARCH_LIST='8.0' python setup.py build install\n```\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "README.md": step, "setup.py": MADE.format("")}
    assert "own-cards" in codes(decided(tmp_path / "a", files, BLACKWELL))
    others = {**files, "setup.py": "from setuptools import setup\nsetup()\n"}  # what it compiles is another's
    assert "own-cards" not in codes(decided(tmp_path / "c", others, BLACKWELL))
    files["README.md"] = step.replace("TORCH", "For example: TORCH")
    assert "own-cards" not in codes(decided(tmp_path / "b", files, BLACKWELL))


@pytest.mark.parametrize(
    ("readme", "cards"),
    [
        ("## Install\n```\ncd ops\nTORCH_CUDA_ARCH_LIST='8.0 9.0a' pip install .\n```\n", "8.0, 9.0"),
        ("## Install\n```\npip install .\n# docker\nTORCH_CUDA_ARCH_LIST='8.0' pip install .\n```\n", ""),
        ("## Install\n```\n# e.g. an A100\nTORCH_CUDA_ARCH_LIST='8.0' pip install .\n```\n", ""),
        ("## FAQ\n```\nexport TORCH_CUDA_ARCH_LIST='8.0'\n```\n", ""),
        ("<summary>\nI got an error\n</summary>\n\nDo\n```\nexport TORCH_CUDA_ARCH_LIST=8.0\n```\n", ""),
        ("## Install\nIf you build for another card:\n```\nexport TORCH_CUDA_ARCH_LIST=8.0\n```\n", ""),
        ("## Install\n```\nexport TORCH_CUDA_ARCH_LIST=8.0 7.5 6.0`\n```\n", "6.0, 7.5, 8.0"),
        ("```\n# if so\n```\n## Install\n```\nexport TORCH_CUDA_ARCH_LIST='8.0 x'\n```\n", "8.0"),
    ],
)
def test_a_list_of_cards_counts_as_the_way_to_install_alone_and_whole(tmp_path: Path, readme: str, cards: str) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "README.md": readme, "setup.py": MADE.format("")}
    said = [one.params for one in decided(tmp_path, files, BLACKWELL).remarks if one.key.endswith(".own-cards")]
    assert [one["cards"] for one in said] == ([cards] if cards else [])


def test_what_programs_import_and_only_a_dockerfile_below_installs_is_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nonnxruntime-gpu\n", "README.md": "# a\n"}
    files["server/pitch.py"] = "import onnxruntime\nimport pyworld\nimport own\n"
    files["server/own.py"] = "def f():\n    import librosa\n"
    docker = "FROM ubuntu\nRUN pip install pyworld==0.3.3 && pip install librosa own onnxruntime\n"
    files["image/client/Dockerfile"] = docker
    [said] = [one for one in decided(tmp_path / "a", files, AMPERE).remarks if one.key.endswith(".needed-aside")]
    assert (said.params["file"], said.params["line"]) == ("image/client/Dockerfile", 2)
    assert said.params["packages"] == "pyworld==0.3.3 (server/pitch.py)"
    files["requirements.txt"] = "torch\npyworld\nonnxruntime\n"
    assert "needed-aside" not in codes(decided(tmp_path / "b", files, AMPERE))


@pytest.mark.parametrize(
    ("torch", "line", "wanted"),
    [
        ("2.1.2", "onnxruntime-gpu==1.17.0", "11"),
        ("2.1.2", "onnxruntime-gpu>=1.16,<1.19", "11"),
        ("2.1.2", "onnxruntime-gpu==1.19.2", ""),
        ("2.1.2", "onnxruntime-gpu", ""),
        ("1.13.1", "onnxruntime-gpu==1.16.3", ""),
        ("1.13.1", "onnxruntime-gpu>=1.19", "12"),
        ("2.1.2", "onnxruntime-gpu==0.5.0", ""),
    ],
)
def test_a_package_for_another_cuda_than_torchs_is_told(tmp_path: Path, torch: str, line: str, wanted: str) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": f"torch=={torch}\n{line}\n"}
    said = [one.params for one in decided(tmp_path / "a", files, AMPERE).remarks if one.key.endswith(".other-cuda")]
    assert [(one["line"], one["wanted"]) for one in said] == ([(2, wanted)] if wanted else [])
    assert "other-cuda" not in codes(decided(tmp_path / "b", files, NO_CARD))
    files["requirements.txt"] = "torch\nonnxruntime-gpu\n"
    assert "other-cuda" not in codes(decided(tmp_path / "c", files, BLACKWELL)), "what the newest is for, nobody knows"


WITH_OPTION = (
    "import torch\n\n\ndef start(cfg, net):\n    if cfg.compile:\n        net = torch.compile(net)\n    return net\n"
)


def test_what_torch_compiles_as_the_program_stands_is_told_where_that_cannot_be(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "net/a.py": WITH_OPTION}
    files["net/config.yaml"] = "seed: 1\ncompile: true\n"
    for on, key in ((ADA, "compile-without"), (PASCAL, "compile-old-card")):
        [said] = [one for one in decided(tmp_path / key, files, on).remarks if ".compile-" in one.key]
        assert said.key == f"project.remark.{key}"
        assert (said.params["line"], said.params["on"]) == (6, " (net/config.yaml: compile)")
    for on in (AMPERE, NO_CARD):
        assert not {"compile-without", "compile-old-card"} & codes(decided(tmp_path / str(on.driver), files, on))
    files["requirements.txt"] = "torch\ntriton-windows\n"
    assert "compile-without" not in codes(decided(tmp_path / "with", files, ADA))


def test_of_several_programs_that_compile_the_one_that_a_readme_starts_is_told(tmp_path: Path) -> None:
    program = "import torch\n\nf = torch.compile(print)\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "README.md": "```\npython train.py\n```\n"}
    found = decided(tmp_path, {**files, "bench.py": program, "train.py": program}, ADA)
    assert [one.params["file"] for one in found.remarks if one.key.endswith(".compile-without")] == ["train.py"]


@pytest.mark.parametrize(
    ("program", "settings", "is_on"),
    [
        (WITH_OPTION, "compile: false\n", False),
        (WITH_OPTION, "", False),
        (WITH_OPTION.replace("cfg.compile", "compile").replace("cfg, net", "net, compile=True"), "", True),
        (WITH_OPTION.replace("cfg.compile", "compile").replace("cfg, net", "net, compile=False"), "", False),
        (WITH_OPTION.replace("cfg.compile", "cfg.fast"), "fast: true\n", False),
        ("import torch\n\n\n@torch.compile\ndef f(x):\n    return x\n", "", True),
        ("import torch\n\n\n@torch.compile(dynamic=True)\ndef f(x):\n    return x\n", "", True),
        ("import torch\n\n\ndef f(x):\n    return torch.compile(x)\n", "", False),
        ("import torch\n\ntry:\n    f = torch.compile(print)\nexcept Exception:\n    f = print\n", "", False),
        ("import torch\n\nf = torch.compile(print)\n", "", True),
        ("import torch\n\ncompile = True  # faster\nif compile:\n    f = torch.compile(print)\n", "", True),
        (
            "import torch\n\ncompile = True\nif old:\n    compile = False\nif compile:\n    f = torch.compile(print)\n",
            "",
            False,
        ),
    ],
)
def test_whether_torch_compiles_as_the_program_stands(tmp_path: Path, program: str, settings: str, is_on: bool) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "a.py": program, "config.yaml": settings}
    assert ("compile-without" in codes(decided(tmp_path, files, ADA))) == is_on


def test_what_settings_choose_by_a_name_is_compiled_where_one_names_it(tmp_path: Path) -> None:
    program = "import torch\n\n\n@torch.compile\ndef f(x):\n    return x\n\n\nclass Muon:\n    by = f\n"
    registers = "from muon import Muon\nWAYS.register_module(module=Muon, name='Muon_2')\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "muon.py": program, "ways.py": registers}
    assert "compile-without" not in codes(decided(tmp_path / "a", files, ADA))
    named = {**files, "configs/a.py": "optimizer = dict(type='Muon_2')\n"}
    assert "compile-without" in codes(decided(tmp_path / "b", named, ADA))
    files["ways.py"] = "from muon import Muon\nway = Muon()\n"
    assert "compile-without" in codes(decided(tmp_path / "c", files, ADA))


@pytest.mark.slow
def test_programs_that_are_deep_or_long_are_read(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n"}
    files["a.py"] = "import torch\ntorch.compile" + "()" * 50_000 + "\n"
    files["b.py"] = "import torch\n" + "if a:\n b = torch.compile(c)\n" * 10_000
    files["c.py"] = "try:\n import flash_attn\n A = True\nexcept E:\n A = False\n" * 5_000 + "assert A\n" * 5_000
    files["d.py"] = "import torch\nx = 'torch2.5" + "-a" * 100_000 + "'\n# torch.compile\n"
    assert not {"compile-without", "own-binary"} & codes(decided(tmp_path, files, ADA))


@pytest.mark.parametrize(
    ("torch", "is_told"), [("torch>=2.6", True), ("torch>=2", False), ("torch", False), ("torch<2.6", False)]
)
def test_a_package_that_reads_whole_models_is_told_beside_a_torch_that_refuses_them(
    tmp_path: Path, torch: str, is_told: bool
) -> None:
    found = decided(tmp_path, {"requirements.txt": f"{torch}\nnumpy\ndemucs==4.0.1\n"}, AMPERE)
    said = [one.params for one in found.remarks if one.key == "project.remark.loads-whole"]
    assert [(one["line"], one["package"], one["first"]) for one in said] == ([(3, "demucs", "2.6")] if is_told else [])
    assert (build(found)[0] == "2.5.1") is not is_told  # where no line asks for a newer torch


@pytest.mark.parametrize(("asked", "torch"), [("pyannote.audio==3.3.2", "2.5.1"), ("pyannote.audio", "2.14.1")])
def test_an_older_torch_is_taken_for_its_models_only_where_its_newest_release_goes_with_that(
    tmp_path: Path, asked: str, torch: str
) -> None:
    found = decided(tmp_path, {"requirements.txt": f"torch\nnumpy\n{asked}\n"}, AMPERE)
    assert build(found)[0] == torch
    assert "loads-whole" not in codes(found), "an older torch is no way for what refuses that"
    alone = decided(tmp_path / "alone", {"requirements.txt": f"{asked}\n"}, AMPERE)
    is_newest = torch == "2.14.1"
    assert ("implied" in codes(alone)) is not is_newest, "the newest is taken anyhow"
    assert not {"loads-whole", "undeclared"} & codes(alone)
