"""What is in an environment, by its metadata alone: Python, torch and its variant, companions.

No process is started and nothing is imported, so a broken environment can be read too. Only the tops of site-packages
and of torch are listed, never what is below: fifty environments are looked at in an instant. The names of conda's
records and of `.dist-info` folders carry the versions; one small file (`torch/version.py`) is read where they do not
say the variant.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from wizard.environment.layout import read_text, site_packages
from wizard.model.distributions import parse_info_name, read_record
from wizard.model.messages import Message, message
from wizard.system.links import long_path

COMPANIONS = ("torchvision", "torchaudio", "torchao", "torchcodec", "xformers", "triton")
_RECORD = re.compile(r"^(?P<name>.+)-(?P<version>[^-]+)-(?P<build>[^-]+)\.json$")
_CUDA = re.compile(r"^cuda\s*(?::[^=\n]*)?=\s*['\"]([\d.]+)['\"]", re.MULTILINE)
_HIP = re.compile(r"^hip\s*(?::[^=\n]*)?=\s*['\"](\d+)\.(\d+)[\d.-]*['\"]", re.MULTILINE)
_XPU = re.compile(r"^xpu\s*(?::[^=\n]*)?=\s*['\"]", re.MULTILINE)
_VERSION = re.compile(r"^(?:__version__|debug)\b", re.MULTILINE)
_BUILD_CUDA = re.compile(r"cuda_?(\d\d)\.?(\d)")  # conda: cuda126_mkl_py312_…, py3.12_cuda12.4_cudnn9_0
_LIBRARIES = tuple(  # what none of its builds does without, and CUDA's, the last, in those that have it
    (f"torch/lib/lib{name}.so", f"torch/lib/lib{name}.dylib", f"torch/lib/{name}.dll")
    for name in ("torch_python", "torch_cpu", "torch_cuda")
)
_COMPILED = re.compile(r"torch/_C\.(?:.*\.)?(?:so|pyd)")
_TORCH_RECORDS = ("pytorch", "pytorch-gpu", "pytorch-cpu", "libtorch")


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class EnvironmentContents:
    """`torch` is the release without its local part, `variant` "cpu", "cu126", "rocm6.4"…; None: not there, not said.

    `packages` counts distributions and conda's packages, each name once. `trouble`: why its torch cannot run.
    """

    python: str | None
    torch: str | None
    variant: str | None
    companions: tuple[Package, ...]
    packages: int
    trouble: Message | None = None


@dataclass(frozen=True, slots=True)
class CondaName:
    """A record's file name; the file itself need not be read."""

    version: str
    build: str


def conda_names(prefix: Path) -> dict[str, CondaName]:
    """Return version and build of each package by the file names of `conda-meta` alone, without opening any."""
    found = {}
    for name in _names_in(prefix / "conda-meta"):
        if match := _RECORD.match(name):
            found[match["name"]] = CondaName(match["version"], match["build"])
    return found


def read_contents(prefix: Path, python: str | None) -> EnvironmentContents:
    """Read what is in an environment. `python` is what a `pyvenv.cfg` said; a conda prefix says it itself."""
    conda = conda_names(prefix)
    python = conda["python"].version if "python" in conda else python
    site = site_packages(prefix, python)
    infos = {name: found for name in _names_in(site) if (found := parse_info_name(name))} if site else {}
    wheels = dict(infos.values())
    torch, variant = _torch(site, wheels, conda)
    companions = tuple(
        Package(name, (wheels.get(name) or conda[name].version).partition("+")[0])
        for name in COMPANIONS
        if name in wheels or name in conda
    )
    by_pip = (
        ()
        if any(name in conda for name in _TORCH_RECORDS)
        else tuple(name for name, (package, _) in sorted(infos.items()) if package == "torch")
    )
    trouble = _trouble(site, by_pip, variant) if site else None
    count = len({*wheels, *map(canonicalize_name, conda)})
    return EnvironmentContents(python, torch, variant, companions, count, trouble)


def _trouble(site: Path, torches: Sequence[str], variant: str | None) -> Message | None:
    """Say what is wrong by the metadata folders of the torch that pip put there."""
    if len(torches) > 1:
        names = ", ".join(name.removesuffix(".dist-info") for name in torches)
        return message(
            "envs.broken.two",
            "Two builds of PyTorch lie over each other in it ({names}). [{page.doctor}|“torch-wizard doctor”] "
            "brings one of them back.",
            names=names,
        )
    lost = next((lost for name in torches if (lost := lost_library(site / name, variant))), None)
    if lost is None:
        return None
    return message(
        "envs.broken.library",
        "A library of its PyTorch is missing ({path}). [{page.doctor}|“torch-wizard doctor”] brings it back.",
        path=lost,
    )


def lost_library(info: Path, variant: str | None) -> str | None:
    """Return torch's own library that its RECORD lists and that is gone. A `stat` for each that is there, and a look
    at the names beside its compiled part, which carries the Python's."""
    site, wanted = long_path(info.parent), _LIBRARIES if (variant or "").startswith("cu") else _LIBRARIES[:-1]
    absent = [names for names in wanted if not any((site / name).exists() for name in names)]
    has_part = any(_COMPILED.fullmatch(f"torch/{name}") for name in _names_in(site / "torch"))
    listed = {entry.path for entry in read_record(info)} if absent or not has_part else set()
    parts = [] if has_part else [name for name in sorted(listed) if _COMPILED.fullmatch(name)]
    return next((name for names in (*absent, parts) for name in names if name in listed), None)


def _torch(
    site: Path | None, wheels: Mapping[str, str], conda: Mapping[str, CondaName]
) -> tuple[str | None, str | None]:
    record = next((conda[name] for name in _TORCH_RECORDS if name in conda), None)
    version = wheels.get("torch") or (record.version if record else None)
    if version is None:
        return None, None
    release, _, local = version.partition("+")
    said = parse_variant(read_text(site / "torch" / "version.py") or "") if site else None
    return release, (local if _is_variant(local) else None) or said or (build_variant(record.build) if record else None)


def _is_variant(local: str) -> bool:
    return bool(re.fullmatch(r"cpu(?:\.cxx11\.abi)?|cu\d{2,3}|rocm[\d.]+|xpu", local))


def parse_variant(text: str) -> str | None:
    """Return the variant from torch/version.py; None when this is no such file."""
    if not _VERSION.search(text):
        return None
    if match := _CUDA.search(text):
        return "cu" + match[1].replace(".", "")
    if match := _HIP.search(text):
        return f"rocm{match[1]}.{match[2]}"
    return "xpu" if _XPU.search(text) else "cpu"


def build_variant(build: str) -> str | None:
    """Return the variant from the build string of a conda package."""
    if match := _BUILD_CUDA.search(build):
        return f"cu{match[1]}{match[2]}"
    return "cpu" if "cpu" in build else None


def telling_folders(prefix: Path) -> Iterator[Path]:
    """Yield the folders that change when a package comes or goes."""
    yield from (prefix, prefix / "conda-meta", prefix / "bin", prefix / "Scripts")
    site = site_packages(prefix)
    if site:
        yield from (site, site / "torch", site / "torch" / "lib")


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 (names are enough, and there are thousands)
    except OSError:
        return []
