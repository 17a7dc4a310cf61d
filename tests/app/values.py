"""A realistic walk, recorded as values: a GTX 1660 Ti with driver 535 on Linux, cu126 as the best build.

Every sentence is the program's own: made by its functions where they take plain values, else by its keys. One file on
purpose: it is one walk, and its values hold each other.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from wizard.app.pages.requirements import requirements, with_lint
from wizard.compatibility.model import Candidate, Choices, DriverUpdate, Link, Plan, PlanSource, Reason, Verdict
from wizard.environment.disk import Ground
from wizard.machine.model import CondaInstall, Driver, Gpu, Machine, PythonInstall, Toolkit, Volume
from wizard.model.capability import ComputeCapability
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import bytes_text, in_each, message
from wizard.run.model import Facts, Preview, Requirement, RunInfo, SelectedBuild
from wizard.run.plan.place import environment_rows
from wizard.run.verify.diagnosis import diagnose
from wizard.run.verify.model import Diagnosis, SmokeCheck, Verification
from wizard.run.verify.smoke import check_message, headline
from wizard.sources.model import Availability, Layout, Origin, Source, SourceStatus, UserSettings
from wizard.sources.table import MirrorRow
from wizard.toolconfig.lint.finding import LintContext
from wizard.toolconfig.lint.lint import lint
from wizard.toolconfig.settings import read_own_settings

MACHINE = Machine(
    os="linux",
    arch="x86_64",
    glibc="2.36",
    driver=Driver("535.183.01", "12.2"),
    gpus=(Gpu("nvidia", "NVIDIA GeForce GTX 1660 Ti", "10de:2182", ComputeCapability(7, 5), 6 << 30),),
    toolkits=(Toolkit("11.2", "/usr/local/cuda-11.2", "PATH"),),
    pythons=(PythonInstall("/usr/bin/python3.12", "3.12.3", True),),
    condas=(CondaInstall("/home/li/miniforge3/bin/conda", "26.3", "/home/li/miniforge3", "conda"),),
    volumes=(Volume("/home/li/torch-envs", 81_000_000_000, True),),
)
_VARIABLES = {"PIP_INDEX_URL": "https://pypi.douban.com/simple"}
_OWN = read_own_settings(_VARIABLES, Path("/nobody"), "linux", Path("/nothing"))
_FINDINGS = lint(_OWN, LintContext("linux", "GTX 1660 Ti", "2.14.1", "cu126", "3.12", ("cu126",), ("conda",)))

FACTS = Facts(
    machine=MACHINE,
    settings=UserSettings(),
    requirements=with_lint(requirements(MACHINE, UserSettings()), _FINDINGS),
    seconds=0.42,
)

TOO_OLD = Reason("driver-too-old", {"need": "580", "have": "535.183.01", "branch": 580})
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
_BRINGS = "CUDA and cuDNN come with these packages: of NVIDIA, only the driver of this computer is used."
_OF = "{gpu}: {architecture} architecture, compute capability {capability} ({arch})"
_CARD, _BUILD = "GeForce GTX 1660 Ti", "2.14.1+cu126"
PROOF = (
    Link(
        "gpu",
        message("plan.proof.gpu-of", _OF, gpu=_CARD, architecture="Turing", capability="7.5", arch="sm_75"),
        "gpus.csv",
    ),
    Link(
        "kernels", message("plan.proof.kernels", arch="sm_75", first="sm_50", last="sm_90", gpu=_CARD), "arch_list.csv"
    ),
    Link("driver", message("plan.proof.driver", driver="535.183.01", need="525.60.13", cuda="12.6"), "driver_cuda.csv"),
    Link("wheel", message("plan.proof.wheel", build=_BUILD, python="3.12", platform="linux_x86_64"), "releases.csv"),
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
_NJU, _TUNA = ("Nanjing University", "南京大学"), ("Tsinghua University TUNA", "清华大学 TUNA")
NJU, TUNA_NAME, ALIYUN, FOUNDATION = (
    in_each(en=en, zh_CN=zh)
    for en, zh in (_NJU, _TUNA, ("Alibaba Cloud", "阿里云"), ("PyTorch Foundation", "PyTorch 基金会"))
)


def _mirror(kind: str, name: str, operator: tuple[str, str], url: str, layout: str = "simple") -> MirrorRow:
    en, zh = operator
    known = {"status": "alive", "as_of": "2026-11", "source": "recorded"}
    return MirrorRow(kind=kind, id=name, layout=layout, url=url, operator_en=en, operator_zh=zh, **known)


MIRRORS = (
    _mirror("pytorch-wheels", "nju", _NJU, "https://mirror.nju.edu.cn/pytorch/whl/{variant}"),
    _mirror("pytorch-wheels", "aliyun", ("Alibaba Cloud", "阿里云"), FLAT_URL, "flat"),
    _mirror("pypi", "tuna", _TUNA, "https://pypi.tuna.example/simple"),
    _mirror("conda-forge", "tuna", _TUNA, "https://mirrors.tuna.example/anaconda/cloud/conda-forge", "channel"),
)
TORCH_SOURCE = Source(
    "nju-cu126",
    Layout.SIMPLE,
    Origin.MIRROR,
    "https://mirror.nju.edu.cn/pytorch/whl/cu126",
    NJU,
    "cu126",
    MIRRORS[0],
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
    ALIYUN,
    "cu126",
    MIRRORS[1],
)
PACKAGES = Source("default", Layout.SIMPLE, Origin.OFFICIAL, None, message("source.default-index"))
CHANNEL = Source("forge", Layout.CHANNEL, Origin.OFFICIAL, "https://conda.anaconda.org/conda-forge", "conda-forge")

SELECTED = SelectedBuild(
    wanted=BEST,
    candidate=BEST,
    engine="rattler",
    engine_reason=message("environments.reason.rattler-channel", channel="https://conda.anaconda.org/conda-forge"),
    python="3.12",
    base_python=None,
    channels=("https://conda.anaconda.org/conda-forge",),
    torch_source=TORCH_SOURCE,
    offers={},
    requirements=("torch==2.14.1+cu126", "torchvision==0.29.1+cu126"),
    package_sources=(PACKAGES,),
    states=(
        SourceStatus(TORCH_SOURCE, Availability.COMPLETE, message("source.carries", build="2.14.1+cu126"), 0.21),
        SourceStatus(OFFICIAL, Availability.COMPLETE, message("source.carries", build="2.14.1+cu126"), 1.4),
        SourceStatus(FLAT, Availability.MISSING, message("source.missing", build="2.14.1+cu126"), 0.6),
        SourceStatus(PACKAGES, Availability.COMPLETE, message("truth.complete"), 0.3),
        SourceStatus(CHANNEL, Availability.COMPLETE, message("truth.complete"), 0.5),
    ),
)


TUNA = Source(
    "tuna-packages", Layout.SIMPLE, Origin.MIRROR, "https://pypi.tuna.example/simple", TUNA_NAME, row=MIRRORS[2]
)


def probed(source: Source, kind: str, word: str, rate: float | None = None, host: str | None = None) -> SourceStatus:
    words = {"elsewhere": message("truth.elsewhere", host=host or "")}.get(word, message(f"truth.{word}"))
    asked = time.time() - 7300
    size = 2_480_213_004 if kind == "torch" else None
    return SourceStatus(source, Availability(word), words, 0.31, asked, kind, host, size=size, rate=rate)


PROBED = (
    probed(TORCH_SOURCE, "torch", "complete", 38_200_000, "mirror.nju.edu.cn"),
    probed(OFFICIAL, "torch", "complete", 4_130_000, "download.pytorch.org"),
    probed(FLAT, "torch", "elsewhere", None, "download.pytorch.org"),
    probed(TUNA, "packages", "complete", 6_800_000, "pypi.tuna.example"),
    probed(PACKAGES, "packages", "silent"),
    SourceStatus(CHANNEL, Availability.COMPLETE, message("truth.complete"), 0.5, kind="conda", rate=912_000),
)
PROBED_SELECTED = replace(
    SELECTED,
    package_sources=(TUNA,),
    states=PROBED,
    packages_measured=True,
    notices=(
        message(
            "race.torch-rate",
            source=NJU,
            count=2,
            sources=message("race.sources", "out of {count} sources", count=2),
            rate=38.2,
            day="2026-11-20 10:12",
        ),
        message(
            "race.packages-rate",
            source=TUNA_NAME,
            count=1,
            sources=message("race.source", "the only source"),
            rate=6.8,
            day="2026-11-20 10:12",
        ),
    ),
)

_WHEELS = (
    ("torch", "2.14.1+cu126", 2_480_213_004),
    ("nvidia-cublas-cu12", "12.6.4.1", 393_138_322),
    ("torchvision", "0.29.1+cu126", 8_102_313),
    ("numpy", "2.5.5", 16_641_020),
    ("sympy", "1.14.0", 6_299_353),
)


def _urls(name: str) -> tuple[str, ...]:
    is_torch = name.startswith(("torch", "nvidia"))
    return (f"https://{'mirror.nju.edu.cn' if is_torch else 'pypi.tuna.example'}/{name}.whl",)


LOCK = Lock(
    tuple(
        LockedFile(name, version, f"{name}-{version}-cp312-manylinux_2_28_x86_64.whl", _urls(name), "3f1c" * 16, size)
        for name, version, size in _WHEELS
    ),
    "lock-version = '1.0'\n",
)

STEPS_WILL = {
    "preflight": message("step.preflight.will"),
    "create": message("step.create.rattler", python="3.12.11", prefix="/home/li/torch-envs/torch"),
    "fetch": message("step.fetch.will", count=5, size="2.9 GB"),
    "install": message("step.install.will", count=5),
    "check": message("step.check.will"),
    "verify": message("step.verify.gpu"),
}
STEPS_DONE = {
    "preflight": message("environments.volume.room", environment_free="413"),
    "create": message("step.create.done", python="3.12.11", prefix="/home/li/torch-envs/torch"),
    "fetch": message("step.fetch.done", fetched="2.9 GB", reused="0 B"),
    "install": message("step.install.done", count=5),
    "check": message("step.check.done", count=5),
    "verify": message("step.verify.gpu"),
}


def plan(run_id: str, prefix: str = "/home/li/torch-envs/torch", choices: Choices | None = None) -> Plan:
    return Plan(
        id=run_id,
        created=1_795_000_000.0,
        candidate=BEST,
        choices=choices or Choices(),
        prefix=prefix,
        engine="rattler",
        engine_reason=message("environments.reason.rattler-channel", channel="https://conda.anaconda.org/conda-forge"),
        python="3.12",
        base_python=None,
        channels=SELECTED.channels,
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
        (
            message("change.environment.rattler", prefix=prefix, python="3.12"),
            message("change.download", size=bytes_text(LOCK.total_bytes or 0), count=len(LOCK.files)),
            message("change.disk", gigabytes=7.4),
            message(
                "change.cuda",
                "CUDA and cuDNN come with these packages: of NVIDIA, only the driver of this computer is used.",
            ),
            message("environments.volume.environment", path=prefix, needed=7.4, free=81, total=256),
            message("change.settings"),
        ),
        (
            f"conda create -p {prefix} -c conda-forge --override-channels python=3.12 pip",
            f"{prefix}/bin/python -m pip install torch==2.14.1+cu126 torchvision==0.29.1+cu126 "
            "--index-url https://mirror.nju.edu.cn/pytorch/whl/cu126",
        ),
    )


def run_info(run_id: str, state: str, prefix: str = "/home/li/torch-envs/torch") -> RunInfo:
    return RunInfo(run_id, prefix, "2.14.1", "cu126", 1_795_000_000.0, state)


def ground(free: int = 81_000_000_000) -> Ground:
    return Ground(Path("/home/li/torch-envs/torch"), volume=1, free=free)


def place() -> tuple[Requirement, ...]:
    return tuple(environment_rows(ground()))


def blocked() -> Requirement:
    """A disk that is as good as full."""
    return next(environment_rows(ground(free=300_000_000)))


_SEEN: tuple[tuple[str, str, float | None, dict[str, Any]], ...] = (
    ("import", "ok", 2.1, {"torch": "2.14.1+cu126", "cuda": "12.6"}),
    ("zeros", "ok", 0.31, {"device": "cuda:0"}),
    ("matmul", "ok", 0.8, {"device": "cuda:0", "max_difference": 4e-6}),
    ("numpy", "ok", None, {"version": "2.5.5"}),
    ("speed", "ok", 0.7, {"name": "NVIDIA GeForce GTX 1660 Ti", "side": 4096, "tflops": 4.6}),
)
_DEVICE = {"name": "NVIDIA GeForce GTX 1660 Ti", "capability": "7.5", "memory_bytes": 6 << 30, "kernels": "sm_75"}
_OLD = {**_DEVICE, "name": "NVIDIA GeForce GTX 1080 Ti", "capability": "6.1", "memory_bytes": 11 << 30}
_NO_KERNEL = {
    "error_type": "AcceleratorError",
    "error": "CUDA error: no kernel image is available for execution on the device",
}


def verification(gpu_ok: bool) -> Verification:
    """As the smoke test ended: on the GTX 1660 Ti, or with a build that has no code for a GTX 1080 Ti."""
    device = _DEVICE if gpu_ok else _OLD
    seen = {name: (state, seconds, data) for name, state, seconds, data in _SEEN}
    seen["devices"] = ("ok", None, {"devices": [device]})
    if not gpu_ok:
        seen["import"] = ("ok", 2.1, {"torch": "2.14.1+cu130", "cuda": "13.0"})  # which begins with sm_75
        seen["zeros"] = ("failed", 0.2, _NO_KERNEL)
        del seen["matmul"], seen["speed"]
    checks = {
        name: SmokeCheck(name, state, check_message(name, state, data, seconds), seconds, data)
        for name, (state, seconds, data) in seen.items()
    }
    torch = "2.14.1+cu126" if gpu_ok else "2.14.1+cu130"
    return Verification(gpu_ok, gpu_ok, headline(checks), tuple(checks.values()), None, torch, "3.12.11", (device,))


REPORTED_MACHINE = {
    "os": "linux",
    "arch": "x86_64",
    "driver": {"version": "580.126.09", "cuda": "13.0"},
    "gpus": [{"vendor": "nvidia", "name": "NVIDIA GeForce GTX 1080 Ti", "compute_capability": "6.1"}],
}


def diagnosed(seen: Verification) -> Diagnosis | None:
    card = Gpu("nvidia", "NVIDIA GeForce GTX 1080 Ti", "10de:1b06", ComputeCapability(6, 1), 11 << 30)
    return diagnose(seen, replace(MACHINE, gpus=(card,), driver=Driver("580.126.09", "13.0")))
