"""A project of which no file says what it needs: its programs do, as syntax.

One file: each is a few imports, and what is decided by them.
"""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, NO_CARD, PASCAL, build, codes, decided
from tests.project.test_read import project_of
from wizard.machine.model import Machine
from wizard.model.errors import UsageError
from wizard.model.messages import text

PROGRAM = "import os\nimport torch\nfrom torchvision import models\nfrom net import Net\nimport timm\n"


def test_torch_and_its_pair_are_planned_where_only_programs_name_them(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"train.py": PROGRAM, "net.py": "import numpy\n", "README.md": "A model.\n"}
    found = decided(tmp_path, files, ADA)
    assert (build(found)[:2], [*found.understood.pairs]) == (("2.14.1", "cu126"), ["torchvision"])
    [said] = [one.params for one in found.remarks if one.key.endswith("imports-alone")]
    assert (said["file"], said["line"], said["packages"]) == ("train.py", 2, "numpy, timm")
    assert "undeclared" not in codes(found)


@pytest.mark.parametrize(
    "program",
    ["try:\n    import torch\nexcept ImportError:\n    torch = None\n", "def f():\n    import torch\n", "import (\n"],
)
def test_what_may_be_meant_for_others_asks_for_nothing(tmp_path: Path, program: str) -> None:
    with pytest.raises(UsageError) as error:
        project_of(tmp_path, {"train.py": program, "README.md": "A model.\n"})
    assert error.value.code == "nothing-declared"


def test_programs_are_not_read_where_anything_is_said(tmp_path: Path) -> None:
    found = decided(tmp_path / "a", {"train.py": PROGRAM, "requirements.txt": "einops\n"}, AMPERE)
    assert {"imports-alone", "undeclared"} & codes(found) == {"undeclared"}
    found = decided(tmp_path / "b", {"train.py": PROGRAM, "README.md": "Tested with PyTorch 1.13.1.\n"}, AMPERE)
    assert (build(found)[0], "imports-alone" in codes(found)) == ("1.13.1", False)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("from torch.utils.cpp_extension import load\n\nops = load(name='ops', sources=['a.cu'])\n", 3),
        ("from torch.utils.cpp_extension import load_inline as made\ndef ops():\n    return made('ops', '')\n", 3),
        ("import torch.utils.cpp_extension\nops = torch.utils.cpp_extension.load('ops', ['a.cu'])\n", 2),
        ("from torch.utils import cpp_extension\nops = cpp_extension.load('ops', ['a.cu'])\n", 2),
        ("import torch.utils.cpp_extension as ext\nops = ext.load('ops', ['a.cu'])\n", 2),
        ("from torch.utils.cpp_extension import CUDA_HOME\nfrom json import load\nload(open('a'))\n", 0),
        ("# cpp_extension\nimport torch\ntorch.load('a.pt')\n", 0),
        ("from torch.utils.cpp_extension import load\n", 0),
        (
            "import os\nfrom torch.utils.cpp_extension import load\n\n\ndef f():\n    if os.getenv('JIT') == 'True':\n"
            "        load('ops', [])\n    if os.getenv('AHEAD') != '1':\n        load('ops', ['a.cu'])\n",
            9,
        ),
        (
            "try:\n    import ops\nexcept ImportError:\n    import os\n    ON = os.getenv('JIT')\n    if ON == '1':\n"
            "        from torch.utils.cpp_extension import load\n        ops = load('ops', ['a.cu'])\n",
            0,
        ),
        ("from torch.utils.cpp_extension import load(\n", 0),
    ],
)
def test_a_program_that_compiles_when_it_runs_is_told(tmp_path: Path, words: str, line: int) -> None:
    project = project_of(tmp_path, {"requirements.txt": "torch\n", "ops/made.py": words, "a.py": "import torch\n"})
    told = [one for one in project.remarks if one.key == "project.remark.runs-compiled"]
    assert [(one.params["file"], one.params["line"]) for one in told] == [("ops/made.py", line)] * bool(line)


def test_the_pair_that_programs_import_comes_with_a_torch_that_no_file_names(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"train.py": PROGRAM, "net.py": "", "requirements.txt": "timm\n"}
    found = decided(tmp_path / "a", files, AMPERE)
    assert [(name, [str(one.origin) for one in lines]) for name, lines in found.understood.pairs.items()] == [
        ("torchvision", ["train.py:3"])
    ]
    [said] = [one.params for one in found.remarks if one.key.endswith("pair-imported")]
    assert (said["file"], said["line"], said["name"]) == ("train.py", 3, "torchvision")
    for number, lines in enumerate(("torch\n", "timm\ntorchvision>=0.1\n")):  # who names one of them says what is meant
        found = decided(tmp_path / str(number), {**files, "requirements.txt": lines}, AMPERE)
        assert "pair-imported" not in codes(found)
    local: dict[str, str | bytes] = {**files, "torchvision/models.py": ""}  # a copy of the project's own
    assert "pair-imported" not in codes(decided(tmp_path / "c", local, AMPERE))


_MAIN = "import torch\n\n\ndef main():\n    {0}\n\n\nif __name__ == '__main__':\n    main()\n"


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("import torch\nif __name__ == '__main__':\n    torch.set_default_tensor_type('torch.cuda.FloatTensor')\n", 3),
        ("import torch\nif __name__ == '__main__':\n    torch.zeros(1).cuda()\n", 3),
        (_MAIN.format("net = Net().to('cuda:0')"), 5),
        (_MAIN.format("torch.zeros(1, device='cuda')"), 5),
        (_MAIN.format("torch.cuda.set_device(0)"), 5),
        (_MAIN.format("net = Net().to(device)"), 0),
        (_MAIN.format("if args.cuda:\n        net = Net().cuda()"), 0),
        (_MAIN.format("net = Net().cuda() if args.cuda else Net()"), 0),
        (_MAIN.format("on = 'cuda' if torch.cuda.is_available() else 'cpu'\n    Net().cuda()"), 0),
        ("import torch\n\n\ndef of_card():\n    return torch.zeros(1).cuda()\n", 0),
        ("import torch\ntorch.zeros(1).cuda(\n", 0),
    ],
)
def test_a_program_that_cannot_start_without_a_card_is_told_where_none_is(
    tmp_path: Path, program: str, line: int
) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "run.py": program}
    told = [one.params for one in decided(tmp_path, files, NO_CARD).remarks if one.key.endswith("named-no-card")]
    assert [(one["file"], one["line"]) for one in told] == [("run.py", line)] * bool(line)
    assert not {"named-card", "named-no-card"} & codes(decided(tmp_path, files, AMPERE))


_PLAIN = "import torch\nprint(torch.ones(2))\n"


@pytest.mark.parametrize(
    ("lines", "on", "program", "offered"),
    [
        ("torch==1.8.1\n", BLACKWELL, _PLAIN, "1.8.1"),
        ("torch==1.3.1\n", BLACKWELL, _PLAIN, "1.7.1"),
        ("torch==1.8.1\n", AMPERE, _PLAIN, ""),  # it runs as it is asked for
        ("torch==1.8.1\n", BLACKWELL, "import torch\nif torch.cuda.is_available():\n    pass\n", ""),
        ("torch==1.8.1\n", BLACKWELL, "import torch\ntorch.ones(2).to(where)\n", ""),
        ("torch==1.8.1\n", BLACKWELL, "print()\n", ""),
    ],
)
def test_torch_for_the_processor_is_offered_where_no_program_names_a_card(
    tmp_path: Path, lines: str, on: Machine, program: str, offered: str
) -> None:
    remarks = decided(tmp_path, {"requirements.txt": lines, "run.py": program}, on).remarks
    assert [one.params["torch"] for one in remarks if one.key.endswith("card-unused")] == [offered] * bool(offered)


def test_the_build_that_a_readme_installs_counts_where_no_program_names_a_card(tmp_path: Path) -> None:
    line = "```\npip install torch --index-url https://download.pytorch.org/whl/cpu\n```\n"
    files: dict[str, str | bytes] = {"README.md": line, "run.py": _PLAIN}
    found = decided(tmp_path / "a", files, AMPERE)
    assert (build(found)[1], "cpu-asked" in codes(found)) == ("cpu", True)
    found = decided(tmp_path / "b", {**files, "run.py": "import torch\nprint(torch.ones(2).cuda())\n"}, AMPERE)
    assert (build(found)[1], "cpu-recommended" in codes(found)) == ("cu126", True)


def test_notebooks_beside_fewer_programs_are_read_for_what_they_import(tmp_path: Path) -> None:
    lines = ["import gym\n", "from torchvision import models\n", "from the paper\n", "    import inner\n", "import os"]
    cells = [{"cell_type": "code", "source": lines}]
    files: dict[str, str | bytes] = {
        "utils.py": "import torch\nimport numpy\n",
        "a.ipynb": json.dumps({"cells": cells}, indent=1),
        "README.md": "Notebooks.\n",
    }
    found = decided(tmp_path / "few", files, AMPERE)
    [said] = [one.params for one in found.remarks if one.key.endswith("imports-alone")]
    assert (said["file"], said["packages"], [*found.understood.pairs]) == ("utils.py", "gym, numpy", ["torchvision"])
    many: dict[str, str | bytes] = {**files, "b.py": "import torch\n"}
    [said] = [one.params for one in decided(tmp_path / "many", many, AMPERE).remarks if "packages" in one.params]
    assert said["packages"] == "numpy"


def test_a_torch_that_programs_need_counts_where_nothing_else_asks_for_one_and_it_runs_here(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "main.py": "from torch._six import inf\n"}
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[:2], found.relaxed) == (("1.13.1", "cu117"), ())
    assert codes(found) & {"code-holds", "code-fails", "recommended", "undeclared"} == {"code-holds"}
    new = decided(tmp_path, files, BLACKWELL)
    assert (build(new)[0], "code-fails" in codes(new), new.relaxed) == ("2.15.0", True, ())
    files["requirements.txt"] = "torch==2.4.0\n"
    assert build(decided(tmp_path, files, AMPERE))[0] == "2.4.0"


def test_a_program_that_imports_what_only_the_readme_installs_needs_it(tmp_path: Path) -> None:
    readme = "# t\n## Install\n```\npip install -r requirements.txt\npip install flash-attn einops rich\n```\n"
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\n",
        "README.md": readme,
        "attention.py": "import torch\nfrom flash_attn.bert_padding import pad_input\n",
        "main.py": "import attention, flash_attn\ntry:\n    import einops\nexcept ImportError:\n    pass\n",
        "tests/test_it.py": "import rich\n",
    }
    said = {one.key.rpartition(".")[2]: one.params for one in decided(tmp_path / "told", files, AMPERE).remarks}
    assert said["needed-too"]["packages"] == "flash-attn (attention.py, +1)"
    assert said["recommended-too"]["packages"] == "einops, rich"


@pytest.mark.parametrize("on", [NO_CARD, ADA])
def test_programs_that_need_what_is_left_out_are_named(tmp_path: Path, on: Machine) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\nflash-attn\n",
        "main.py": "import torch\nimport flash_attn\n",
    }
    said = [one.params for one in decided(tmp_path / "a", files, on).remarks if one.key == "project.native.needing"]
    assert [(one["name"], one["programs"]) for one in said] == [("flash-attn", "main.py")]
    files["main.py"] = "import torch\nif torch.cuda.is_available():\n    import flash_attn\n"
    assert "needing" not in codes(decided(tmp_path / "b", files, on))


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("import torch\ndevice = torch.device('cuda')\nm = torch.nn.Linear(1, 1).to(device)\n", 2),
        ("import torch\nDEVICE = 'cuda:0'\ndef main():\n    torch.zeros(1, device=DEVICE)\nmain()\n", 2),
        (
            "import torch\ndevice = torch.device('cuda')\nif not torch.ok: device = 'cpu'\ntorch.zeros(1).to(device)\n",
            0,
        ),
        (
            "import torch\ndevice = torch.device('cuda')\ndef run(device):\n  torch.zeros(1).to(device)\nrun('cpu')\n",
            0,
        ),
        ("import torch\ndevice = torch.device('cuda')\n", 0),  # nothing is put there
    ],
)
def test_a_name_that_is_given_to_the_card_alone_wants_one(tmp_path: Path, program: str, line: int) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch==2.1.0\n", "run.py": program}, NO_CARD)
    assert [one.params["line"] for one in found.remarks if one.key.endswith("named-no-card")] == [line] * bool(line)


def test_what_a_readme_says_of_a_release_that_programs_import_is_kept(tmp_path: Path) -> None:
    sentence = (
        "* This repo is based on [`timm==0.3.2`](https://example.org/timm), for which a fix is needed to work with "
    )
    files: dict[str, str | bytes] = {
        "README.md": f"# MAE\n{sentence}PyTorch 1.8.1+.\n### Catalog\n",
        "main.py": "import torch\nimport timm\nimport einops\n",
    }
    found = decided(tmp_path, files, AMPERE)
    [said] = [one.params["packages"] for one in found.remarks if one.key.endswith("imports-alone")]
    assert said == "einops, timm==0.3.2"
    assert [one.line for one in found.notes] == [2]


def test_what_a_maker_gives_by_hand_is_needed_where_a_program_imports_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "tasks/hand.py": "from isaacgym import gymtorch\n"}
    for on, code in ((AMPERE, "project.native.by-hand"), (ADA, "project.native.by-hand"), (NO_CARD, "no-card")):
        found = decided(tmp_path / f"{on.os}{len(on.gpus)}", files, on)
        assert any(one.key.endswith(code) and one.params["name"] == "isaacgym" for one in found.remarks)
        assert "isaacgym" not in [one.name for one in found.understood.rest]
        assert build(found)[2] == "3.8"
        assert [one.extras for one in found.understood.needing] == [("tasks/hand.py",)]
    files["tasks/hand.py"] = "def f():\n    from isaacgym import gymtorch\n"
    assert build(decided(tmp_path / "b", files, AMPERE))[2] == "3.12"


STARTED = "```\npython setup.py develop\npython train.py --x\n```\n"
STARTS_WITH = "import os\nimport cv2\nimport PIL\nimport models\nfrom torch import nn\n"


def undeclared(folder: Path, requirements: str, program: str = STARTS_WITH, **more: str) -> list[tuple[object, object]]:
    files: dict[str, str | bytes] = {"requirements.txt": requirements, "train.py": program, "README.md": STARTED}
    found = project_of(folder / "it", {**files, "models/net.py": "", **more})
    said = [one.params for one in found.remarks if one.key == "project.remark.undeclared-import"]
    return [(one["line"], one["module"]) for one in said]


def test_what_the_first_program_imports_and_no_file_declares_is_told(tmp_path: Path) -> None:
    assert undeclared(tmp_path / "a", "torch\ntqdm\n") == [(2, "cv2"), (3, "PIL")]
    assert undeclared(tmp_path / "b", "torch\ntorchvision\nopencv-python-headless\n") == []


def test_what_may_be_there_is_not_told_as_undeclared(tmp_path: Path) -> None:
    for number, line in enumerate(("open3d", "mine @ git+https://github.com/a/mine", "ultralytics>=8")):
        assert undeclared(tmp_path / str(number), f"torch\n{line}\n") == []
    guarded = "import torch\ntry:\n    import cv2\nexcept ImportError:\n    cv2 = None\n\n\ndef f():\n    import PIL\n"
    assert undeclared(tmp_path / "guarded", "torch\n", guarded) == []
    assert undeclared(tmp_path / "own", "torch\n", "import cv2\n", **{"cv2/__init__.py": ""}) == []
    readme = "```\npip install opencv-python\npython train.py\n```\n"
    assert undeclared(tmp_path / "told", "torch\n", "import cv2\n", **{"README.md": readme}) == []
    assert undeclared(tmp_path / "not-started", "torch\n", **{"README.md": "Have fun.\n"}) == []


def test_what_files_import_that_a_started_program_or_the_own_package_needs_is_told_too(tmp_path: Path) -> None:
    readme = "```\nconda create -n it python=3.10\npython show.py\npython train.py\n```\n"
    program = "from models.net import Net\nimport models.part\n"
    files = {"README.md": readme, "show.py": "import torch\n", "models/part.py": "from . import low\n"}
    files |= {"models/low.py": "import psutil\n", "models/other.py": "import cv2\n"}
    assert undeclared(tmp_path / "a", "torch\ntqdm\n", program, **files) == [(1, "psutil")]
    own = 'from setuptools import setup\nsetup(name="mine", extras_require={"dev": ["somelint"]})\n'
    files = {"README.md": "Have fun.\n", "setup.py": own, "mine/__init__.py": "from .low import Low\n"}
    files |= {"mine/low.py": "import monai\n", "mine/other.py": "import cv2\n"}
    assert undeclared(tmp_path / "b", "torch\ntqdm\n", program, **files) == [(1, "monai")]
    for number, line in enumerate(("insightface", "gradio\nspaces", "accelerate")):
        assert (
            undeclared(tmp_path / str(number), f"torch\n{line}\n", "import PIL\nimport psutil\nimport scipy\n")
            == ([[(2, "psutil")], [], [(1, "PIL"), (3, "scipy")]][number])
        )


def imported(folder: Path, requirements: str, files: dict[str, str]) -> dict[str, list[object]]:
    """Return what is told of imports that nothing declares, by its code."""
    given: dict[str, str | bytes] = {
        "README.md": STARTED,
        **({"requirements.txt": requirements} if requirements else {}),
    }
    told: dict[str, list[object]] = {}
    for one in project_of(folder, {**given, **files}).remarks:
        if code := one.key.partition("remark.undeclared-")[2]:
            told.setdefault(code, []).append(one.params.get("package") or one.params["packages"])
    return told


def test_a_module_that_no_row_has_is_told_by_its_own_name(tmp_path: Path) -> None:
    program = "import torch\nimport nobody_knows_this\nimport tqdm\n"
    told = imported(tmp_path / "a", "torch\n", {"train.py": program})
    assert told == {"unknown": ["nobody_knows_this (train.py:2)"], "import": ["tqdm"]}
    told = imported(tmp_path / "b", "torch\nsome-net-of-nobody\n", {"train.py": program})
    assert told == {"unknown": ["nobody_knows_this (train.py:2)"], "perhaps": ["tqdm (train.py:3)"]}
    names = "import ffmpeg\nimport Bio\nimport mcubes\nimport flash_attn\nfrom pytorch_net import a\nimport pyabtoast\n"
    names += "import pyosclib\nimport qdarktheme\nimport onnxruntime\n"
    lines = "torch\nffmpeg-python\nbiopython\nPyMCubes\nflash-attn\nnet\npyab-toast-notes\nosclib\n"
    lines += "pyqtdarktheme\nonnxruntime-gpu\n"
    assert imported(tmp_path / "c", lines, {"train.py": names}) == {}
    added = "import sys\nsys.path.append('elsewhere')\nimport nobody_knows_this\n"
    assert imported(tmp_path / "d", "torch\n", {"train.py": added}) == {}


def test_what_a_function_imports_is_told_apart(tmp_path: Path) -> None:
    program = "import torch\n\n\ndef f():\n    import someqrnn\n    import tqdm\n"
    assert imported(tmp_path / "a", "torch\n", {"train.py": program}) == {
        "late": ["someqrnn (train.py:5), tqdm (train.py:6)"]
    }
    guards = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import someqrnn\n\n\ndef f():\n"
        "    try:\n        import tqdm\n    except ImportError:\n        import other_tqdm\n"
    )
    assert imported(tmp_path / "b", "torch\n", {"train.py": guards}) == {}


def test_what_is_of_another_tree_or_of_a_submodule_that_is_not_here_is_no_package(tmp_path: Path) -> None:
    begun = {"train.py": "import __main__\nfrom ops.net import Net\n"}
    copied = "import torch\n\n\ndef f():\n    from parts.net import Net\n    import their_words\n    import tqdm\n"
    told = imported(tmp_path / "copied", "torch\n", {**begun, "ops/net.py": copied})
    assert told == {"late": ["tqdm (ops/net.py:7)"]}
    own = copied.replace("parts.net", "ops.net")
    told = imported(tmp_path / "own", "torch\n", {**begun, "ops/net.py": own})
    assert told == {"late": ["their_words (ops/net.py:6), tqdm (ops/net.py:7)"]}
    module = '[submodule "low"]\n\tpath = outer/low\n\turl = https://github.com/a/low\n'
    program = "import ops.places\nimport outer.low\nimport low\nimport of_low\n"
    places = {"train.py": program, "ops/places.py": "import sys\nsys.path.insert(0, '../outer/low')\n"}
    assert imported(tmp_path / "low", "torch\n", {**places, ".gitmodules": module}) == {}
    told = imported(tmp_path / "none", "torch\n", places)
    assert told == {"unknown": ["outer (train.py:2), low (train.py:3), of_low (train.py:4)"]}


def test_what_only_a_readme_installs_counts_as_named_and_the_rest_is_told(tmp_path: Path) -> None:
    readme = "```\npip install torch==2.1.0 timm\npython train.py\n```\n"
    program = "import timm\nimport numpy\nimport psutil\n"
    assert imported(tmp_path / "a", "", {"README.md": readme, "train.py": program}) == {"import": ["psutil"]}


@pytest.mark.parametrize(
    "start",
    [
        "python3 -u -X utf8 src/train.py --x",
        "cd src\npython3 train.py",
        "python -m src.train",
        "uv run --extra cuda src/train.py",
        "torchrun --nproc_per_node=8 src/train.py",
        "python -m torch.distributed.launch src/train.py",
        "CUDA_VISIBLE_DEVICES=0 python src/train.py",
        "sh scripts/train.sh",
        "./scripts/train.sh 0",
    ],
)
def test_programs_are_started_in_many_ways(tmp_path: Path, start: str) -> None:
    files = {"README.md": f"```\n{start}\n```\n", "src/train.py": "import psutil\n"}
    files["scripts/train.sh"] = "set -e\npython -u src/train.py $1\n"
    assert imported(tmp_path, "torch\n", files) == {"import": ["psutil"]}


@pytest.mark.parametrize("start", ["tests/run.py", "docs/make.py", "setup.py", "test_all.py"])
def test_what_authors_alone_start_is_none_of_it(tmp_path: Path, start: str) -> None:
    files = {"README.md": f"```\npython {start}\n```\n", start: "import psutil\n"}
    assert imported(tmp_path, "torch\n", files) == {}


def test_modules_of_a_folder_that_a_program_adds_are_followed(tmp_path: Path) -> None:
    files = {"train.py": "import sys\nsys.path.append('utils')\nimport boxes\n", "utils/boxes.py": "import psutil\n"}
    assert imported(tmp_path / "a", "torch\n", files) == {"import": ["psutil"]}
    twice = {**files, "other/boxes.py": "import cv2\n"}  # which of both nobody can say
    assert imported(tmp_path / "b", "torch\n", twice) == {}
    plain = {**files, "train.py": "import boxes\n"}
    assert imported(tmp_path / "c", "torch\n", plain) == {}


def test_a_state_of_a_repository_may_bring_less_than_the_releases(tmp_path: Path) -> None:
    line = "timm @ git+https://github.com/huggingface/pytorch-image-models@v0.1"
    told = imported(tmp_path, f"torch\n{line}\n", {"train.py": "import timm\nimport tqdm\n"})
    assert told == {"perhaps": ["tqdm (train.py:2)"]}


@pytest.mark.slow
def test_fifty_thousand_imports_are_read_in_seconds(tmp_path: Path) -> None:
    lines = [f"import nobody_{number}" for number in range(25_000)]
    late = [f"    import later_{number}" for number in range(12_000)]
    files = {"train.py": "\n".join(["import other, third", *lines[:12_000]]), "third.py": "\n".join(lines[12_000:])}
    files["other.py"] = "\n".join(["def f():", *late])
    begun = process_time()
    told = imported(tmp_path, "torch\n", files)
    assert {*told} == {"unknown", "late"}
    assert process_time() - begun < 20, "seconds of the processor, not of the clock"


def test_programs_deep_in_a_package_are_read_too(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.4.1\nflash-attn\n"}
    deep = "net/models/tokenizer/whisper/modeling.py"
    found = decided(tmp_path / "a", {**files, deep: "from flash_attn import flash_attn_func\n"}, PASCAL)
    assert [one.extras for one in found.understood.needing] == [(deep,)]
    assert "needing" in codes(found)
    guarded = "try:\n    import flash_attn\nexcept ImportError:\n    flash_attn = None\n"
    assert "needing" not in codes(decided(tmp_path / "b", {**files, deep: guarded}, PASCAL))


@pytest.mark.parametrize(("on", "code"), [(NO_CARD, "no-card"), (PASCAL, "old-card"), (AMPERE, "")])
def test_what_no_list_names_and_the_card_does_not_serve_is_told_with_its_programs(
    tmp_path: Path, on: Machine, code: str
) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.4.1\n", "net/a.py": "import flash_attn\n"}
    found = decided(tmp_path / "a", files, on)
    said = [one for one in found.remarks if one.key.startswith("project.native.unnamed-")]
    assert [(one.key.partition("unnamed-")[2], one.params["programs"]) for one in said] == [(code, "net/a.py")] * bool(
        code
    )
    assert (found.left_out, [one.name for one in found.understood.rest]) == ((), [])
    for number, more in enumerate(
        (
            {"net/a.py": "def f():\n    import flash_attn\n"},
            {"net/a.py": "try:\n    import flash_attn\nexcept ImportError:\n    pass\n"},
            {"tests/a.py": "import flash_attn\n", "net/a.py": ""},
            {"flash_attn/__init__.py": ""},  # its own
            {"requirements.txt": "torch==2.4.1\nflash-attn\n"},
        )
    ):
        keys = [one.key for one in decided(tmp_path / str(number), {**files, **more}, on).remarks]
        assert not [key for key in keys if key.startswith("project.native.unnamed-")]


def test_a_device_in_a_configuration_is_a_value_and_one_in_a_call_is_shown_itself(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\n",
        "config.py": 'train = dict(\n    device="cuda",\n)\n',
    }
    assert "named-no-card" not in codes(decided(tmp_path / "a", files, NO_CARD))
    files["main.py"] = 'from net import Net\n\nnet = Net(\n    3,\n    device="cuda",\n)\n'
    found = decided(tmp_path / "b", files, NO_CARD)
    [said] = [one.params for one in found.remarks if one.key.endswith("named-no-card")]
    assert (said["line"], said["text"]) == (5, 'device="cuda",')


STARTS = "```\npip install -r requirements.txt\npython train.py\n```\n"


def test_of_the_pair_what_a_start_imports_is_taken_beside_a_torch_that_a_list_names(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch~=2.1.0\nan-unknown-one\n", "README.md": STARTS}
    program, other = "import util.data\n", "from torchvision import transforms\n"
    found = decided(tmp_path / "a", {**files, "train.py": program, "util/data.py": other}, ADA)
    assert (build(found)[0], [*found.understood.pairs]) == ("2.1.2", ["torchvision"])
    assert "pair-imported" in codes(found)
    left = decided(tmp_path / "b", {**files, "train.py": "import torch\n", "other.py": other}, ADA)
    assert not left.understood.pairs


def test_what_a_start_imports_and_only_an_extra_has_is_told(tmp_path: Path) -> None:
    lines = "from setuptools import setup\nsetup(name='net', install_requires=['torch'{}], "
    lines += "extras_require={{'test': ['matplotlib']}})\n"
    files: dict[str, str | bytes] = {"README.md": STARTS, "train.py": "import matplotlib.pyplot as plt\n"}
    for more, is_told in (("", True), (", 'matplotlib'", False)):
        found = decided(tmp_path / str(is_told), {**files, "setup.py": lines.format(more)}, ADA)
        said = [one.params for one in found.remarks if one.key == "project.remark.import-of-extra"]
        assert [(one["file"], one["package"], one["extra"]) for one in said] == [
            ("train.py", "matplotlib", "test")
        ] * is_told


def test_programs_that_import_torch_alone_leave_nothing_to_add(tmp_path: Path) -> None:
    found = decided(tmp_path, {"train.py": "import torch\n"}, ADA)
    [said] = [text(one, "en") for one in found.remarks if ".imports-" in one.key]
    assert said.endswith("train.py, line 1 imports torch, and one that runs here is taken.")
    assert {"undeclared"} & codes(found) == set()
