"""A realistic walk, recorded as values: a GTX 1660 Ti with driver 535 on Linux, cu126 as the best build.

The sentences are in `words.toml` (both languages) under `replay.`; `put_words()` adds them to the catalogue,
so that these values do not depend on the wording of the real areas.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from wizard import i18n
from wizard.capability import ComputeCapability
from wizard.i18n import Message, message
from wizard.machine.model import Driver, Gpu, Machine, PythonInstall
from wizard.mirrors.model import Layout, Origin, Source, UserSettings
from wizard.mirrors.table import MirrorRow
from wizard.packages.model import Lock, LockedFile
from wizard.plan.model import Candidate, Choices, DriverUpdate, Link, Plan, PlanSource, Reason, Verdict
from wizard.plan.requirement import Requirement
from wizard.session.model import Election, Facts, Preview, RunInfo, SourceState

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_WORDS = Path(__file__).parent / "words.toml"


def put_words() -> None:
    """Idempotent; both languages get the same keys."""
    data = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
    for language in i18n.LANGUAGES:
        catalogue = i18n.catalogue(language)
        assert isinstance(catalogue, dict)
        catalogue.update({f"replay.{key}": pair[language] for key, pair in data.items()})


def say(key: str, **params: str | int | float) -> Message:
    return message(f"replay.{key}", **params)


MACHINE = Machine(
    os="linux",
    arch="x86_64",
    glibc="2.36",
    driver=Driver("535.183.01", "12.2"),
    gpus=(Gpu("nvidia", "NVIDIA GeForce GTX 1660 Ti", "10de:2182", ComputeCapability(7, 5), 6 << 30),),
    pythons=(PythonInstall("/usr/bin/python3.12", "3.12.3", True),),
)

FACTS = Facts(
    machine=MACHINE,
    settings=UserSettings(),
    requirements=(
        Requirement("gpu", "ok", say("gpu"), say("gpu-why")),
        Requirement("driver", "warning", say("driver"), say("driver-why"), say("driver-fix")),
        Requirement("toolkit", "note", say("toolkit"), say("toolkit-why")),
        Requirement("conda", "ok", say("conda")),
        Requirement("settings", "problem", say("settings"), say("settings-why"), say("settings-fix")),
        Requirement("disk", "ok", say("disk"), mandatory=True),
        Requirement("network", "ok", say("network")),
    ),
    seconds=0.42,
)

TOO_OLD = Reason("driver-too-old", {"need": "580", "have": "535.183.01", "branch": 580})
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
PROOF = (
    Link("gpu", say("link-gpu"), "gpus.csv"),
    Link("kernels", say("link-kernels"), "arch_list.csv"),
    Link("driver", say("link-driver"), "driver_cuda.csv"),
    Link("wheel", say("link-wheel"), "releases.csv"),
)


def candidate(torch: str, variant: str, *reasons: Reason, python: str = "3.12") -> Candidate:
    return Candidate(
        torch=torch,
        variant=variant,
        python=python,
        torchvision="0.29.1",
        torchaudio="2.11.0",
        fits=not reasons,
        reasons=reasons,
        proof=() if reasons else PROOF,
        pythons=PYTHONS,
    )


_ROWS = (
    ("2.15.0", ("cu132", TOO_OLD), ("cu130", TOO_OLD), ("cpu",)),
    ("2.14.1", ("cu132", TOO_OLD), ("cu130", TOO_OLD), ("cu126",), ("cpu",)),
    ("2.13.0", ("cu130", TOO_OLD), ("cu129", TOO_OLD), ("cu126",), ("cpu",)),
    ("2.12.0", ("cu130", TOO_OLD), ("cu126",), ("cpu",)),
    ("2.11.0", ("cu130", TOO_OLD), ("cu128",), ("cu126",), ("cpu",)),
    ("2.9.1", ("cu130", TOO_OLD), ("cu128",), ("cu126",), ("cpu",)),
    ("2.7.1", ("cu128",), ("cu126",), ("cu118",), ("cpu",)),
    ("2.6.0", ("cu126",), ("cu124",), ("cu118",), ("cpu",)),
)


def candidates(python: str = "3.12") -> tuple[Candidate, ...]:
    every = [candidate(torch, cell[0], *cell[1:], python=python) for torch, *cells in _ROWS for cell in cells]
    best = next(one for one in every if (one.torch, one.variant) == ("2.14.1", "cu126"))
    return (best, *(one for one in every if one.fits and one is not best), *(one for one in every if not one.fits))


def verdict(python: str = "3.12") -> Verdict:
    rows = candidates(python)
    return Verdict(rows[0], DriverUpdate("580", "2.15.0", "cu132"), rows)


VERDICT = verdict()
assert VERDICT.best is not None
BEST = VERDICT.best

FLAT_URL = "https://mirrors.aliyun.com/pytorch-wheels/{variant}"
TORCH_SOURCE = Source(
    "nju-cu126",
    Layout.SIMPLE,
    Origin.MIRROR,
    "https://mirror.nju.edu.cn/pytorch/whl/cu126",
    "Nanjing University",
    "cu126",
)
OFFICIAL = Source(
    "official-cu126",
    Layout.SIMPLE,
    Origin.OFFICIAL,
    "https://download.pytorch.org/whl/cu126",
    "PyTorch",
    "cu126",
)
FLAT = Source(
    "aliyun-cu126",
    Layout.FLAT,
    Origin.MIRROR,
    FLAT_URL.replace("{variant}", "cu126"),
    "Alibaba Cloud",
    "cu126",
)
PACKAGES = Source("default", Layout.SIMPLE, Origin.OFFICIAL, None)
CHANNEL = Source("forge", Layout.CHANNEL, Origin.OFFICIAL, "https://conda.anaconda.org/conda-forge", "conda-forge")

ELECTION = Election(
    wanted=BEST,
    candidate=BEST,
    engine="rattler",
    engine_reason=say("engine-reason"),
    python="3.12",
    base_python=None,
    channels=("https://conda.anaconda.org/conda-forge",),
    torch_source=TORCH_SOURCE,
    offers={},
    requirements=("torch==2.14.1+cu126", "torchvision==0.29.1+cu126"),
    package_sources=(PACKAGES,),
    states=(
        SourceState(TORCH_SOURCE, "carries", say("source-carries"), 0.21),
        SourceState(OFFICIAL, "carries", say("source-carries"), 1.4),
        SourceState(FLAT, "missing", say("source-missing"), 0.6),
        SourceState(PACKAGES, "carries", say("source-complete"), 0.3),
        SourceState(CHANNEL, "carries", say("source-channel"), 0.5),
    ),
)


def _mirror(kind: str, name: str, operator: tuple[str, str], url: str, layout: str = "simple") -> MirrorRow:
    return MirrorRow(kind, name, *operator, layout, "alive", "2026-11", "recorded", url)


_NJU, _TUNA = ("Nanjing University", "南京大学"), ("Tsinghua University TUNA", "清华大学 TUNA")
MIRRORS = (
    _mirror("pytorch-wheels", "nju", _NJU, "https://mirror.nju.edu.cn/pytorch/whl/{variant}"),
    _mirror("pytorch-wheels", "aliyun", ("Alibaba Cloud", "阿里云"), FLAT_URL, "flat"),
    _mirror("pypi", "tuna", _TUNA, "https://pypi.tuna.example/simple"),
    _mirror("conda-forge", "tuna", _TUNA, "https://mirrors.tuna.example/anaconda/cloud/conda-forge", "channel"),
)
TUNA = Source("tuna-packages", Layout.SIMPLE, Origin.MIRROR, "https://pypi.tuna.example/simple", "Tsinghua")


def raced(source: Source, kind: str, truth: str, rate: float | None = None, host: str | None = None) -> SourceState:
    verdict = {"complete": "carries", "elsewhere": "carries", "missing": "missing"}.get(truth, "unreachable")
    words = {"elsewhere": message("truth.elsewhere", host=host or "")}.get(truth, message(f"truth.{truth}"))
    return SourceState(source, verdict, words, 0.31, kind, truth, rate, host, time.time() - 7300 if rate else None)


RACED = (
    raced(TORCH_SOURCE, "torch", "complete", 38_200_000, "mirror.nju.edu.cn"),
    raced(OFFICIAL, "torch", "complete", 4_130_000, "download.pytorch.org"),
    raced(FLAT, "torch", "elsewhere", None, "download.pytorch.org"),
    raced(TUNA, "packages", "complete", 6_800_000, "pypi.tuna.example"),
    raced(PACKAGES, "packages", "silent"),
    SourceState(CHANNEL, "carries", say("source-channel"), 0.5, "conda", "complete", 912_000),
)
RACED_ELECTION = replace(
    ELECTION, package_sources=(TUNA,), states=RACED, races_packages=True,
    notices=(
        message("race.torch-rate", source="Nanjing University", count=2, rate=38.2, day="2026-11-20 10:12"),
        message("race.packages-rate", source="Tsinghua University TUNA", count=1, rate=6.8, day="2026-11-20 10:12"),
    ),
)  # fmt: skip

_WHEELS = (
    ("torch", "2.14.1+cu126", 2_480_213_004), ("nvidia-cublas-cu12", "12.6.4.1", 393_138_322),
    ("torchvision", "0.29.1+cu126", 8_102_313), ("numpy", "2.5.5", 16_641_020), ("sympy", "1.14.0", 6_299_353),
)  # fmt: skip
LOCK = Lock(
    tuple(
        LockedFile(name, version, f"{name}-{version}-cp312-manylinux_2_28_x86_64.whl", (), "3f1c" * 16, size)
        for name, version, size in _WHEELS
    ),
    "lock-version = '1.0'\n",
)


def plan(run_id: str, prefix: str = "/home/li/torch-envs/torch", choices: Choices | None = None) -> Plan:
    return Plan(
        id=run_id,
        created=1_795_000_000.0,
        candidate=BEST,
        choices=choices or Choices(),
        prefix=prefix,
        engine="rattler",
        engine_reason=say("engine-reason"),
        python="3.12",
        base_python=None,
        channels=ELECTION.channels,
        sources=(PlanSource("torch", "simple", "mirror", TORCH_SOURCE.url, TORCH_SOURCE.name),),
        requirements=("torch==2.14.1+cu126", "torchvision==0.29.1+cu126"),
        gpu_expected=True,
        machine={"schema": 1},
        total_bytes=LOCK.total_bytes,
    )


def preview(run_id: str, prefix: str = "/home/li/torch-envs/torch", choices: Choices | None = None) -> Preview:
    return Preview(
        plan(run_id, prefix, choices),
        LOCK,
        (say("change-create", prefix=prefix), say("change-fetch"), say("change-install"), message("change.settings")),
        (
            f"conda create -p {prefix} -c conda-forge --override-channels python=3.12 pip",
            f"{prefix}/bin/python -m pip install torch==2.14.1+cu126 torchvision==0.29.1+cu126 "
            "--index-url https://mirror.nju.edu.cn/pytorch/whl/cu126",
        ),
    )


def run_info(run_id: str, state: str, prefix: str = "/home/li/torch-envs/torch") -> RunInfo:
    return RunInfo(run_id, prefix, "2.14.1", "cu126", 1_795_000_000.0, state)


def place(*extra: Requirement) -> tuple[Requirement, ...]:
    return (
        Requirement("path", "ok", say("place-path")),
        Requirement("disk", "ok", say("place-disk"), mandatory=True),
        *extra,
    )


def blocked(fact: str = "place-full") -> Requirement:
    return replace(place()[1], state="problem", fact=say(fact), fix=say("place-fix"))


def check(name: str, state: str, key: str, seconds: float | None = None) -> dict[str, Any]:
    return {"name": name, "state": state, "message": say(key).to_json("en"), "seconds": seconds, "data": {}}
