"""Small true wheels for tests: real zip files that hold nothing but their METADATA."""

from __future__ import annotations

import zipfile
from pathlib import Path


def make_wheel(folder: Path, filename: str, requires_python: str | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    name, version = filename.split("-")[:2]
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    if requires_python:
        metadata += f"Requires-Python: {requires_python}\n"
    path = folder / filename
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}-{version}.dist-info/METADATA", metadata)
    return path


CU126 = "torch-2.14.1+cu126-cp312-cp312-manylinux_2_28_x86_64.whl"
CPU = "torch-2.14.1+cpu-cp312-cp312-manylinux_2_28_x86_64.whl"
PLAIN = "torch-2.14.1-cp312-cp312-manylinux_2_28_x86_64.whl"
WINDOWS = "torch-2.14.1+cu126-cp312-cp312-win_amd64.whl"
