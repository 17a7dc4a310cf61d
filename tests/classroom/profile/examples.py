"""Profiles for tests: made-up files under true names, so that the reader takes them."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from wizard.classroom.profile.model import CondaPackage, Profile, ProfileEnvironment, ProfileLock, ProfileSources
from wizard.model.lock import LockedFile
from wizard.sources.channel import channel_subdir

HOST = "https://files.example.org"
PLATFORM = {
    ("windows", "x86_64"): "win_amd64",
    ("linux", "x86_64"): "manylinux_2_28_x86_64",
    ("linux", "aarch64"): "manylinux_2_28_aarch64",
}


def wheel(name: str, version: str, tag: str = "py3-none-any", size: int | None = 1000) -> LockedFile:
    filename = f"{name.replace('-', '_')}-{version}-{tag}.whl"
    digest = hashlib.sha256(filename.encode()).hexdigest()
    return LockedFile(name, version, filename, (f"{HOST}/{filename.replace('+', '%2B')}",), digest, size)


def entry(
    os: str, variant: str, torch: str = "2.14.1", python: str = "3.12", arch: str = "x86_64", glibc: str = "2.28"
) -> ProfileLock:
    cp = "cp" + python.replace(".", "")
    files = (wheel("numpy", "2.3.0"), wheel("torch", f"{torch}+{variant}", f"{cp}-{cp}-{PLATFORM[(os, arch)]}"))
    return ProfileLock(os, arch, python, torch, variant, files, glibc if os == "linux" else None)


def conda(name: str, version: str, subdir: str = "noarch", **more: object) -> CondaPackage:
    filename = f"{name}-{version}-h1_0.conda"
    digest = hashlib.sha256(f"{subdir}/{filename}".encode()).hexdigest()
    file = LockedFile(name, version, filename, (f"{HOST}/forge/{subdir}/{filename}",), digest, 500)
    return CondaPackage(file, subdir, "h1_0", **more)  # type: ignore[arg-type]


def with_python(lock: ProfileLock) -> ProfileLock:
    """With the Python of the built-in engine, every field in use."""
    subdir = channel_subdir(lock.os, lock.arch)
    pip = conda("pip", "25.1", depends=("python >=3.9,<3.13.0a0", "setuptools"), noarch="python", license="MIT")
    python = conda(
        "python",
        f"{lock.python}.11",
        subdir,
        build_number=3,
        depends=("__glibc >=2.17,<3.0.a0",),
        constrains=(f"python_abi {lock.python}.* *_cp3",),
        timestamp=1_700_000_000_000,
        site_packages=f"lib/python{lock.python}/site-packages",
    )
    also = replace(python.file, urls=(*python.file.urls, f"https://mirror.example.org/f/{python.path}"))
    return replace(lock, conda=(pip, replace(python, file=also)))


def profile(*locks: ProfileLock, **more: object) -> Profile:
    given = {"environment": ProfileEnvironment("deep"), **more}
    return Profile("Deep learning 101", "2026-11-21", "0.1.0", locks=locks or (entry("windows", "cu126"),), **given)  # type: ignore[arg-type]


def full() -> Profile:
    """Every field in use."""
    return profile(
        entry("windows", "cu130"),
        with_python(entry("linux", "cu126", torch="2.13.0")),
        entry("linux", "cpu", python="3.13"),
        environment=ProfileEnvironment(
            "深度 学习",
            "rattler",
            "3.12",
            ("2.14.1", "2.13.0"),
            (),
            ("pandas>=2", 'x; os_name == "nt"'),
            "D:/class",
            "~/class",
        ),
        sources=ProfileSources(
            "https://index.example.org/simple",
            "https://torch.example.org/whl",
            "https://conda.example.org/forge",
            ("http://10.0.0.7:8080/pack", "https://pack.example.org"),
            True,
        ),
        ask=("name", "place", "python"),
        language="zh_CN",
    )
