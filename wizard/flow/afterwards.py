"""What a person types after the setup: the line that switches the environment on, and a first program."""

from __future__ import annotations

import shlex

SNIPPET = """\
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.rand(3, 3, device=device)
print(x @ x, torch.__version__)
"""


def use_line(prefix: str, engine: str, os: str, has_conda: bool) -> str:
    """A venv has its own script; a conda prefix needs a conda to be activated, else its Python is called by path."""
    if engine == "venv":
        if os == "windows":
            return _windows_quote(f"{prefix}\\Scripts\\activate")
        return f"source {shlex.quote(f'{prefix}/bin/activate')}"
    if has_conda:
        return f"conda activate {_windows_quote(prefix) if os == 'windows' else shlex.quote(prefix)}"
    return _windows_quote(f"{prefix}\\python.exe") if os == "windows" else shlex.quote(f"{prefix}/bin/python")


def _windows_quote(path: str) -> str:
    return f'"{path}"' if any(sign in path for sign in " &()^;,=") else path
