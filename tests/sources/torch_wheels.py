"""Wheels with the very files of a torch wheel that tell what it holds; the rest is ballast that nobody should fetch."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path

TABLE = """
PYTORCH_RELEASES_CODE_CC: dict[str, dict[str, set[int]]] = {
    "13.0": {"x86_64": {75, 80, 86, 90, 100, 120}, "aarch64": {80, 90, 100, 110, 120}},
    "13.2": {"x86_64": {75, 80, 86, 90, 100, 120}, "aarch64": {80, 90, 100, 110, 120}},
}
"""
OLD_TABLE = 'PYTORCH_RELEASES_CODE_CC: dict[str, set[int]] = {"12.6": {50, 60, 70, 75, 80, 86, 90}}\n'
FLAGS = "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"


def version_file(version: str, cuda: str | None) -> str:
    return f"from typing import Optional\n\n__version__ = {version!r}\ndebug = False\ncuda: Optional[str] = {cuda!r}\n"


def library(flags: str) -> bytes:
    """The string stands deep in the file, among others of its kind."""
    dice = random.Random(1)
    return dice.randbytes(600_000) + b"\0sm_90\0" + f"\0{flags}\0".encode() + dice.randbytes(300_000)


def torch_wheel(
    folder: Path,
    filename: str,
    cuda: str | None,
    *,
    table: str = TABLE,
    flags: str | None = None,
    version: str | None = None,
    ballast: int = 3_000_000,
) -> Path:
    """`version`: what stands inside (default: as the file name says, with the tag of `cuda`)."""
    folder.mkdir(parents=True, exist_ok=True)
    named = filename.split("-")[1]
    tag = f"cu{cuda.replace('.', '')}" if cuda else "cpu"
    inside = version or (named if "+" in named else f"{named}+{tag}")
    path = folder / filename
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr("torch/lib/libtorch_cuda.so", random.Random(2).randbytes(ballast))
        wheel.writestr("torch/version.py", version_file(inside, cuda))
        wheel.writestr("torch/cuda/__init__.py", f"import torch\n{table}\n\ndef is_available() -> bool: ...\n")
        if flags is not None:
            name = "torch_python.dll" if "win" in filename else "libtorch_python.so"
            wheel.writestr(f"torch/lib/{name}", library(flags))
        wheel.writestr(f"torch-{named}.dist-info/METADATA", f"Metadata-Version: 2.4\nName: torch\nVersion: {named}\n")
    return path


def companion(folder: Path, filename: str, *requires: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    name, version = filename.split("-")[:2]
    lines = [f"Requires-Dist: {requirement}" for requirement in requires]
    text = "\n".join(["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}", *lines, "", "About."])
    path = folder / filename
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}-{version}.dist-info/METADATA", text)
    return path
