"""What a project's files import and what its README runs first, read by syntax alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from wizard.app.project_use import first_command, promised_of, use_of
from wizard.compatibility.model import ProjectUse
from wizard.project.search.files import ProjectFolder


def use(root: Path, **files: str) -> ProjectUse:
    """`a__b` is the file `a/b.py`, `md` the README."""
    for name, text in files.items():
        path = root / (name.replace("__", "/").replace("INIT", "__init__") + ".py" if name != "md" else "README.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return use_of(str(root), ProjectFolder(root))


def test_only_what_every_start_imports_and_nobody_here_brings(tmp_path: Path) -> None:
    found = use(
        tmp_path,
        train=(
            "import os, numpy as np\nfrom torch.utils.data import Dataset, DataLoader\nfrom torch.utils.data import *\n"
            "from . import sibling\nimport models, lib.deep, helper\nfrom mine import x\n"
            "try:\n    import wandb\nexcept ImportError:\n    wandb = None\n"
            "if True:\n    import maybe\ndef later():\n    import lazy\n"
        ),
        models__net="import timm\nfrom models.other import y\nimport near\n",
        models__near="",
        lib__deep="import helper\n",
        helper="",
        src__mine__x="",
        other__near_only="import near\n",
        setup="import setuptools_scm\n",
        tests__test_it="import pytest_thing\n",
        broken="import (\n",
        zero="import nul\0l\n",
    )
    assert {one.module: (one.names, one.place) for one in found.imports} == {
        "numpy": ((), "train.py:1"),
        "torch.utils.data": (("Dataset", "DataLoader"), "train.py:2"),
        "timm": ((), "models/net.py:1"),
        "near": ((), "other/near_only.py:1"),
    }


def test_each_line_says_what_it_takes(tmp_path: Path) -> None:
    found = use(tmp_path, a="import torch\nfrom torch import nn, cuda\nfrom torch import nn, jit\n")
    assert [(one.names, one.place) for one in found.imports] == [
        ((), "a.py:1"),
        (("nn", "cuda"), "a.py:2"),
        (("jit",), "a.py:3"),
    ]


def test_a_package_of_the_project_is_its_own_wherever_it_lies(tmp_path: Path) -> None:
    found = use(tmp_path, packages__one__mine__INIT="", scripts__go="import mine\nimport torch\n")
    assert [one.module for one in found.imports] == ["torch"]


def test_nothing_is_read_from_outside_and_not_without_end(tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("import secret\n")
    root = tmp_path / "project"
    root.mkdir()
    (root / "link.py").symlink_to(outside)
    (root / "deep.py").write_text("(" * 100_000)
    (root / "dots.py").write_text("import a" + ".a" * 100_000)  # Python's own parser takes gigabytes for it
    (root / "folded.py").write_text("import a" + "\\\n .a" * 50_000)
    (root / "large.py").write_text("import large\n" + "#" * 500_000)
    (root / "many.py").write_text("".join(f"import many{number}\n" for number in range(1000)))
    found = use(root)
    assert len(found.imports) == 200
    assert not {"secret", "large", "a"} & {one.module.partition(".")[0] for one in found.imports}


def test_what_counts_here_is_promised() -> None:
    lines = ("torch==2.1+cpu", "numpy<2 ; python_version < '3.9'", "numpy>=1.2 ; python_version >= '3.9'", "a[b]", "!")
    assert promised_of(lines, "3.12") == ("torch==2.1+cpu", "numpy>=1.2", "a")


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (
            "```bash\ngit clone x\npip install -r r.txt\npython train.py --lr 1 # go\n```\n",
            "python train.py --lr 1",
        ),
        ("```\n$ A=0 python -m app \\\n    --a <path to data>\n```", "A=0 python -m app --a <path to data>"),
        ("    torchrun --nproc_per_node 1 a.py\n", "torchrun --nproc_per_node 1 a.py"),
        ("Run python train.py now.\n", ""),
        ("```\npython \\\n\\\n\n```", ""),
        ("```\npython -m pip install x\npython -m venv e\npython setup.py develop\nbash install.sh\n```", ""),
        ("```\npython -c 'import torch'\n```", ""),
        ("```\npython a.py; rm -rf ~\npython b.py | sh\npython c.py > ~/.bashrc\npython `x`\npython $(x)\n```", ""),
        ("```\npython a.py \u202e--x\npython 'a.py\npython \x1b[2Ja.py\n```", ""),
        ("```\npython " + "a" * 400 + "\n```", ""),
        ("```\npython a.py\\\n" * 1000, ""),
    ],
)
def test_the_first_command_of_a_readme(text: str, command: str) -> None:
    assert first_command(text) == command


def test_the_readme_is_named(tmp_path: Path) -> None:
    found = use(tmp_path, md="```\npython demo.py\n```\n")
    assert (found.command, found.command_file) == ("python demo.py", "README.md")
