"""Files with code that Python runs at its start: which of them no package has brought."""

from __future__ import annotations

from pathlib import Path

from wizard.environment.inspect.start_files import at_each_start, start_files, strays, suspects


def test_what_no_package_lists_and_has_code(tmp_path: Path) -> None:
    info = tmp_path / "setuptools-80.0.dist-info"
    info.mkdir()
    (info / "RECORD").write_text("distutils-precedence.pth,,\n", encoding="utf-8")
    for name, words in {
        "distutils-precedence.pth": "import os",
        "_virtualenv.pth": "import _virtualenv",
        "easy-install.pth": "/code/torch\n# import torch\n",
        "other.pth": "\nimport\tother\n",
        "sitecustomize.py": "",
        "torch.pth": "import sys; exec('torch')",
    }.items():
        (tmp_path / name).write_text(words, encoding="utf-8")
    assert list(strays(tmp_path)) == ["other.pth", "sitecustomize.py", "torch.pth"]
    assert at_each_start(tmp_path) == ("other.pth", "sitecustomize.py", "torch.pth")
    assert suspects(tmp_path) == ("torch.pth",), "what names torch alone"
    assert start_files(tmp_path)["easy-install.pth"].startswith(b"/code")
    (tmp_path / "torch.pth").unlink()
    assert suspects(tmp_path) == ("other.pth", "sitecustomize.py")
    assert strays(tmp_path / "none") == {}
