"""Packages with native code whose repository a README names, which programs import, and which no line installs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import AMPERE, ANY, decided
from tests.project.test_read import project_of
from wizard.compatibility.data.load import load_matrix
from wizard.project.answer import project_document
from wizard.project.decide import decide

IMPORTS = (
    "import torch\ntry:\n    import natten\n    from flash_attn import flash_attn_func\nexcept ImportError:\n    pass\n"
)
LINK = "* [NATTEN](https://github.com/SHI-Labs/NATTEN/tree/main) for the sparse attention.\n"
SUBMODULE = (
    '[submodule "flash-attention"]\n\tpath = flash-attention\n\turl = https://github.com/Some/flash-attention.git\n'
)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"README.md": LINK, "model.py": IMPORTS}, ["natten README.md:1 model.py"]),
        (
            {"README.md": "```\ngit clone git@github.com:somebody/natten.git\n```\n", "a/b.py": IMPORTS},
            ["natten README.md:2 a/b.py"],
        ),
        ({".gitmodules": SUBMODULE, "model.py": IMPORTS}, ["flash-attn .gitmodules:3 model.py"]),
        ({"README.md": LINK, "model.py": "import torch\n# import natten\n"}, []),
        ({"README.md": LINK, "tests/model.py": IMPORTS}, []),
        ({"README.md": LINK, "model.py": IMPORTS, "natten/__init__.py": ""}, []),
        ({"README.md": f"{LINK}```\npip install natten==0.17\n```\n", "model.py": IMPORTS}, []),
        ({"README.md": "<!--\n" + LINK + "-->\n", "model.py": IMPORTS}, []),
        ({"README.md": "[triton](https://github.com/triton-lang/triton)\n", "model.py": "import triton\n"}, []),
        ({"README.md": "See https://github.com/who/natten-tools for more.\n", "model.py": IMPORTS}, []),
    ],
)
def test_a_package_whose_repository_is_named_and_that_programs_import_is_told(
    tmp_path: Path, files: dict[str, str | bytes], told: list[str]
) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch==2.7.1\neinops\n", **files}, AMPERE)
    said = [one.params for one in found.remarks if one.key.endswith(".used-too")]
    assert [f"{one['name']} {one['file']}:{one['line']} {one['program']}" for one in said] == told
    assert [one.name for one in found.understood.rest] == ["einops"]
    assert {one.split()[0] for one in told} <= {one.name for one in found.understood.native}


def test_a_clone_that_is_built_is_told_by_the_name_of_its_package(tmp_path: Path) -> None:
    readme = "```\ngit clone https://github.com/mit-han-lab/Block-Sparse-Attention\ncd Block-Sparse-Attention\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.7.1\n", "run.py": "import block_sparse_attn\n"}
    found = decided(tmp_path, {**files, "README.md": f"{readme}python setup.py install\n```\n"}, AMPERE)
    assert [one.name for one in found.understood.native] == ["block-sparse-attn"]
    [said] = [str(one.params["packages"]) for one in found.remarks if one.key.endswith(".needed-too")]
    assert said.startswith("block-sparse-attn @ git+https://github.com/mit-han-lab/Block-Sparse-Attention (run.py)")


def test_a_folder_that_a_list_installs_and_that_compiles_is_native_in_the_document(tmp_path: Path) -> None:
    cuda = "from setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension\n"
    cuda += "setup(name='ops', ext_modules=[CUDAExtension('ops', ['a.cu'])])\n"
    files: dict[str, str | bytes] = {"ops/setup.py": cuda, "plain/setup.py": "from setuptools import setup\nsetup()\n"}
    listed = "channels:\n  - pytorch\ndependencies:\n  - pytorch=2.0.0\n  - pip:\n    - ./ops\n    - ./plain\n"
    project = project_of(tmp_path, {**files, "environment.yml": listed})
    document = project_document(project, decide(project, AMPERE, load_matrix(), ANY), None, "en")
    assert (document["native"], [one.partition(" ")[0] for one in document["rest"]]) == (["ops"], ["ops", "plain"])
