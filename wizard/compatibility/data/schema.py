"""The form of every table in `matrices/`: one schema per file, its columns in order, what a cell must look like.

Only forms; what the tables say of each other is checked by `validate`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wizard.compatibility.data.model import CONFIDENCES, PLATFORMS
from wizard.model import tables

Check = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Form:
    """What a cell must look like, in words for the message."""

    words: str
    check: Check


@dataclass(frozen=True, slots=True)
class TableSchema:
    name: str
    columns: Mapping[str, Form]
    key: tuple[str, ...]


def _pattern(words: str, pattern: str) -> Form:
    compiled = re.compile(pattern)
    return Form(words, lambda text: compiled.fullmatch(text) is not None)


def _one_of(*values: str) -> Form:
    return Form(f"one of {', '.join(values)}", lambda text: text in values)


def _maybe(form: Form) -> Form:
    return Form(f"{form.words}, or empty", lambda text: text == "" or form.check(text))


def _list(form: Form) -> Form:
    """Separated by semicolons, none twice."""
    return Form(f"a list of {form.words}", lambda text: bool(text) and _is_list(text.split(";"), form))


def _is_list(items: list[str], form: Form) -> bool:
    return all(form.check(item) for item in items) and len(set(items)) == len(items)


TEXT = Form("a text", lambda text: bool(text.strip()) and text == text.strip())
NOTE = Form("a text without spaces around it", lambda text: text == text.strip())
VERSION = _pattern("a version such as 2.14.1", r"\d+(\.\d+){1,3}")
DRIVER = _pattern("a driver such as 580.65.06", r"\d{3}(\.\d+){0,2}")
BRANCH = _pattern("a driver branch such as 580", r"\d{3}")
FIRST_DRIVER = _pattern("a driver branch such as 580, or none where no driver runs it", r"\d{3}|none")
PYTHON = _pattern("a Python such as 3.12", r"3\.\d{1,2}")
TAG = _pattern("a CUDA tag such as cu126, or cpu", r"cu\d{2,3}|cpu")
CUDA = _pattern("a CUDA version such as 12.6", r"\d{1,2}\.\d")
ARCH = _pattern("an architecture such as sm_75 or compute_120", r"(sm|compute)_\d{2,3}")
CAPABILITY = _pattern("a compute capability such as 7.5", r"\d{1,2}\.\d")
DATE = _pattern("a date such as 2026-11 or 2026-11-21", tables.DATE)
PCI_ID = _pattern("a PCI id such as 10de:2182", r"[0-9a-f]{4}:[0-9a-f]{4}")
WHEEL = _pattern(
    "a wheel of torch, torchvision or torchaudio", r"torch(vision|audio)?(-[a-z0-9][a-z0-9_.+]*){4,5}\.whl"
)
SHA256 = _pattern("a SHA-256 in lower case", "[0-9a-f]{64}")
BYTES = _pattern("a number of bytes", r"[1-9]\d{3,11}")
TFLOPS = _pattern("a number such as 35.6", r"\d{1,3}(\.\d)?")
NUMPY = _pattern("a NumPy bound such as <2", r"<\d+(\.\d+)?")
YES_NO = _one_of("yes", "no")
PLATFORM = _one_of(*PLATFORMS.values())
SYSTEM = _one_of("linux", "windows")

_ORIGIN = {"as_of": DATE, "confidence": _one_of(*CONFIDENCES), "source": TEXT}

TABLES = (
    TableSchema(
        "releases",
        {
            "torch": VERSION,
            "released": DATE,
            "torchvision": _maybe(VERSION),
            "torchaudio": _maybe(VERSION),
            "torchaudio_python_max": _maybe(PYTHON),
            **_ORIGIN,
            "note": NOTE,
        },
        ("torch",),
    ),
    TableSchema(
        "builds",
        {
            "torch": VERSION,
            "variant": TAG,
            "platform": PLATFORM,
            "local_version": _maybe(TAG),
            "pythons": _list(PYTHON),
            "experimental_pythons": _maybe(_list(PYTHON)),
            "advertised": YES_NO,
            "pypi_default": YES_NO,
            "min_glibc": _maybe(VERSION),
            **_ORIGIN,
            "note": NOTE,
        },
        ("torch", "variant", "platform"),
    ),
    TableSchema(
        "arch_list",
        {
            "torch": VERSION,
            "variant": TAG,
            "platform": PLATFORM,
            "architectures": _list(ARCH),
            "evidence": TEXT,
            **_ORIGIN,
            "note": NOTE,
        },
        ("torch", "variant", "platform"),
    ),
    TableSchema(
        "wheel_sizes",
        {
            "torch": VERSION,
            "variant": TAG,
            "platform": PLATFORM,
            "python": PYTHON,
            "bytes": BYTES,
            **_ORIGIN,
            "note": NOTE,
        },
        ("torch", "variant", "platform"),
    ),
    TableSchema("wheel_hashes", {"file": WHEEL, "sha256": SHA256, **_ORIGIN}, ("file", "sha256")),
    TableSchema(
        "cuda_driver_floors",
        {
            "cuda": CUDA,
            "os": SYSTEM,
            "driver_floor": DRIVER,
            "toolkit_driver": _maybe(DRIVER),
            **_ORIGIN,
            "note": NOTE,
        },
        ("cuda", "os"),
    ),
    TableSchema(
        "cuda_capabilities", {"cuda": CUDA, "capabilities": _list(CAPABILITY), **_ORIGIN, "note": NOTE}, ("cuda",)
    ),
    TableSchema(
        "architectures",
        {
            "architecture": TEXT,
            "capabilities": _list(CAPABILITY),
            "last_driver_branch": _maybe(BRANCH),
            "dropped_since": _maybe(BRANCH),
            "first_driver_linux": _maybe(FIRST_DRIVER),
            "first_driver_windows": _maybe(FIRST_DRIVER),
            "open_kernel_module": _one_of("no", "optional", "required"),
            **_ORIGIN,
            "note": NOTE,
        },
        ("architecture",),
    ),
    TableSchema(
        "gpus",
        {
            "pci_id": PCI_ID,
            "name": NOTE,
            "chip": TEXT,
            "architecture": TEXT,
            "capability": CAPABILITY,
            "segment": TEXT,
            "several_names": YES_NO,
            **_ORIGIN,
            "note": NOTE,
        },
        ("pci_id",),
    ),
    TableSchema(
        "numpy_bounds",
        {
            "torch": VERSION,
            "platform": PLATFORM,
            "python": _pattern("a Python or *", r"\*|3\.\d{1,2}"),
            "numpy": NUMPY,
            **_ORIGIN,
        },
        ("torch", "platform", "python"),
    ),
    TableSchema(
        "integrated_gpus",
        {
            "board": TEXT,
            "capability": CAPABILITY,
            "chip": TEXT,
            "official_wheels": YES_NO,
            **_ORIGIN,
            "note": NOTE,
        },
        ("board",),
    ),
    TableSchema("matrix_speed", {"name": TEXT, "fp32_tflops": TFLOPS, **_ORIGIN, "note": NOTE}, ("name",)),
)
