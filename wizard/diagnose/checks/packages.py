"""Stage one, the packages themselves: is torch there and whole, once, and made for this Python? Imports nothing.

Each look is one question with its evidence. What they find is certain: a file that is missing is missing.

One file: the checks read one installation and share its files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from packaging.tags import parse_tag
from packaging.utils import canonicalize_name

from wizard.diagnose.checks.damage import Damage, damage_of
from wizard.diagnose.model import Check, Evidence, Finding, Remedy, finding, found, not_looked, proof, ruled_out
from wizard.environment.inspect.installation import Installation
from wizard.environment.inspect.look import moved_from
from wizard.environment.layout import python_of
from wizard.model.distributions import FAMILY, Distribution
from wizard.model.errors import Cancelled
from wizard.model.messages import Message
from wizard.sources.wanted import takes
from wizard.system.links import long_path
from wizard.system.traits import of

_SHOWN = 5
_CONDA_NAMES = {
    "pytorch": "torch",
    "pytorch-cpu": "torch",
    "pytorch-gpu": "torch",
    "torchvision": "torchvision",
    "torchaudio": "torchaudio",
    "numpy": "numpy",
}
_CONDA_TORCH_PARTS = ("libtorch", "pytorch-cuda", "pytorch-mutex")


def interpreter(env: Installation) -> Check:
    """Tell why the environment's Python does not start (locked, a link into nothing, gone, or broken), or that only its
    full path starts it."""
    if env.python and (before := moved_from(env.prefix)):
        evidence = (proof("leads-elsewhere", path=str(env.prefix), base=before),)
        return found("interpreter", finding("interpreter", "moved", evidence, path=before))
    if env.python:
        return ruled_out(
            "interpreter",
            proof("python", path=str(env.python.executable), version=env.python.version),
            version=env.python.version,
        )
    path = python_of(env.prefix, env.os)
    base = os.path.realpath(path)
    if _is_locked(path):
        evidence = (proof("leads-locked", path=str(path), base=base),)
        return found("interpreter", finding("interpreter", "python-broken/locked", evidence, base=base))
    if path.is_symlink() and not path.exists():
        evidence = (proof("leads-nowhere", path=str(path), base=base),)
        return found("interpreter", finding("interpreter", "python-broken/base", evidence, base=base))
    if not path.exists():
        return found("interpreter", finding("interpreter", "python-broken/none", (proof("missing", path=str(path)),)))
    if "SyntaxError" in env.trouble:  # it starts, and does not understand what it is asked
        path = next(iter(env.prefix.glob("lib/python*")), env.prefix)
        return found("interpreter", finding("interpreter", "python-broken/old", (proof("too-old", path=str(path)),)))
    return found("interpreter", finding("interpreter", "python-broken", tuple(env.trouble.splitlines()[-4:]) or ("-",)))


def _is_locked(path: Path) -> bool:
    """A colleague's environment mostly stands on a Python in the colleague's own home."""
    try:
        path.stat()
    except PermissionError:
        return True
    except OSError:
        return False
    return not os.access(path, os.X_OK)


def presence(env: Installation) -> Check:
    """A torch folder and its metadata belong together; one without the other is half a package."""
    halves = tuple(_halves(env))
    if halves:
        return found("presence", *halves)
    torch = env.one("torch")
    if torch is None:
        if any(each.name == "torch" for each in env.outside):
            return not_looked("presence", "torch-outside")
        return found(
            "presence",
            finding("presence", "torch-missing", (proof("no-torch-in", path=str(env.site)),), Remedy(family=True)),
        )
    return ruled_out("presence", proof("torch-in", torch=torch.version, path=str(torch.site)), torch=torch.version)


def _halves(env: Installation) -> Iterator[Finding]:
    for name in (*FAMILY, "numpy"):
        folder, installed = env.site / name, env.one(name)
        if installed is None and long_path(folder).is_dir():
            if _is_conda_owned(env, name):
                continue
            evidence = (proof("no-metadata", path=str(folder)),)
            yield _half(name, evidence, Remedy(_anew(name), (folder,)))
        elif installed and installed.is_folder:
            if not (installed.has_metadata and installed.has_record):
                lost = "METADATA" if not installed.has_metadata else "RECORD"
                yield _half(name, (proof("lost", path=str(installed.info), name=lost),), Remedy(_anew(name, installed)))
            elif not long_path(folder).is_dir():
                yield _half(name, (proof("gone", path=str(folder)),), Remedy(_anew(name, installed)))


def _half(name: str, evidence: tuple[Evidence, ...], remedy: Remedy) -> Finding:
    return finding("presence", "half-deleted", evidence, remedy, name=name)


def _anew(name: str, installed: Distribution | None = None) -> tuple[str, ...]:
    return (f"{name}=={installed.version}" if installed else name,)


def _is_conda_owned(env: Installation, name: str) -> bool:
    return any(_CONDA_NAMES.get(record.name) == name for record in env.records)


def leftover_folders(env: Installation) -> Check:
    """`~orch`: harmless to PyTorch, but pip warns of it for ever and it takes gigabytes."""
    if not env.leftovers:
        return ruled_out("leftovers", proof("no-leftovers", path=str(env.site)))
    names = tuple(f"{path}" for path in env.leftovers)
    one = finding(
        "leftovers",
        "leftovers",
        names,
        Remedy(aside=env.leftovers),
        certain=False,
        count=len(names),
        first=env.leftovers[0].name,
    )
    return found("leftovers", one)


def copies(env: Installation) -> Check:
    """Two sets of metadata for one package, or conda's record beside pip's: their files lie over each other."""
    several = tuple(_copies(env))
    if several:
        return found("copies", *several)
    return ruled_out("copies", proof("once"))


def _copies(env: Installation) -> Iterator[Finding]:
    for name in (*FAMILY, "numpy"):
        installed = env.find(name)
        records = [record for record in env.records if _CONDA_NAMES.get(record.name) == name]
        by_pip = [each for each in installed if each.installer not in ("conda", "")]
        metas = tuple(env.prefix / "conda-meta" / f"{r.name}-{r.version}-{r.build}.json" for r in records)
        if len(installed) > 1:
            evidence: tuple[Evidence, ...] = tuple(
                proof("installed-by", name=each.info.name, installer=each.installer or "?") for each in installed
            )
            yield _twice(env, name, installed, metas, evidence)
        elif by_pip and records:
            evidence = (
                f"conda: {records[0].name} {records[0].version}",
                f"{by_pip[0].installer}: {by_pip[0].info.name}",
            )
            yield _twice(env, name, installed, metas, evidence)


def _twice(
    env: Installation,
    name: str,
    installed: tuple[Distribution, ...],
    metas: tuple[Path, ...],
    evidence: tuple[Evidence, ...],
) -> Finding:
    """The copy that was meant stays; else the one whose files lie on top, which version.py tells."""
    parts = [r for r in env.records if name == "torch" and r.name.startswith(_CONDA_TORCH_PARTS)]
    metas += tuple(env.prefix / "conda-meta" / f"{r.name}-{r.version}-{r.build}.json" for r in parts)
    remedy = Remedy((f"{name}=={_kept_version(env, name, installed)}",), (*(each.info for each in installed), *metas))
    return finding("copies", "two-copies", evidence, remedy, name=name)


def _kept_version(env: Installation, name: str, installed: tuple[Distribution, ...]) -> str:
    if env.state and (kept := next((each for each in env.state.packages if each.name == name), None)):
        return kept.version
    versions = [each.version for each in installed if each.installer not in ("conda", "")]
    on_top = env.torch.version if name == "torch" and env.torch else None
    if on_top and on_top in versions:
        return on_top
    return versions[-1] if versions else installed[-1].version


def whole_files(
    env: Installation,
    deep: bool = False,
    is_cancelled: Callable[[], bool] = lambda: False,
    on_package: Callable[[str], None] = lambda name: None,
) -> Check:
    """Every file of the torch family, numpy, NVIDIA's libraries and all that torch asks for, against the RECORD.
    `on_package` hears the name of each before it is read.

    Raises Cancelled.
    """
    looked, damaged = 0, []
    needed = _needed(env)
    of_conda = _files_of_conda(env) if env.records else frozenset()
    halves = {each.code and str(each.cause.params.get("name")) for each in _halves(env)}
    for distribution in env.distributions:
        is_watched = is_of_torch(distribution.name) or distribution.name in needed
        if not is_watched or distribution.name in halves or not distribution.is_folder:
            continue
        if is_cancelled():
            raise Cancelled
        looked += 1
        on_package(distribution.name)
        wrong = damage_of(distribution, deep, of_conda if distribution.installer == "conda" else None)
        if wrong:
            damaged.append(_damaged(distribution, wrong))
    if damaged:
        return found("files", *damaged)
    if not looked:
        return not_looked("files", "no-torch")
    whole = ruled_out("files", proof("whole", count=looked), count=looked)
    return replace(whole, message=Message("doctor.look.files.read", whole.message.params)) if deep else whole


def compare_contents(env: Installation, is_cancelled: Callable[[], bool]) -> tuple[str, ...]:
    """Every file of every package against its RECORD, by SHA-256. Raises Cancelled."""
    of_conda = _files_of_conda(env) if env.records else frozenset()
    wrong: list[str] = []
    for distribution in env.distributions:
        if is_cancelled():
            raise Cancelled
        if distribution.is_folder:
            found = damage_of(distribution, True, of_conda if distribution.installer == "conda" else None)
            wrong += [f"{distribution.name} {damage}" for damage in found]
    return tuple(wrong)


def is_of_torch(name: str) -> bool:
    return name in (*FAMILY, "numpy", "triton") or name.startswith(("nvidia-", "cuda-"))


def _needed(env: Installation) -> frozenset[str]:
    """torch, what it asks for, and what that asks for in turn: without one of them the import may fail."""
    names: set[str] = set()
    waiting = ["torch"]
    while waiting:
        installed = env.one(waiting.pop())
        if installed and installed.name not in names:
            names.add(installed.name)
            waiting += [canonicalize_name(each.name) for each in installed.wanted(env.markers())]
    return frozenset(names)


def _files_of_conda(env: Installation) -> frozenset[str]:
    """What conda's records list below the folder of packages, relative to it."""
    below = f"{env.site.relative_to(env.prefix).as_posix()}/" if env.prefix in env.site.parents else "/"
    listed = (name for record in env.records for name in record.files)
    return frozenset(name[len(below) :] for name in listed if name.startswith(below))


def _damaged(distribution: Distribution, wrong: tuple[Damage, ...]) -> Finding:
    shown = tuple(proof(f"damage-{one.kind}", name=distribution.name, path=one.path) for one in wrong[:_SHOWN])
    shown += (proof("more", count=len(wrong) - _SHOWN),) if len(wrong) > _SHOWN else ()
    remedy = Remedy((f"{distribution.name}=={distribution.version}",))
    return finding("files", "damaged", shown, remedy, name=distribution.name, count=len(wrong), first=wrong[0].path)


def python_tags(env: Installation) -> Check:
    """Binary wheels name the Python that they are for; another one cannot load them."""
    if env.python is None or not env.python.tag:
        return not_looked("python", "no-python")
    tag = env.python.tag
    wrong = [each for each in env.distributions if is_of_torch(each.name) and each.tags and not fits(each.tags, tag)]
    elsewhere = _in_another_folder(env)
    if elsewhere:
        evidence = (proof("holds-torch", path=str(elsewhere)), proof("this-python", version=env.python.version))
        return found(
            "python",
            finding(
                "python",
                "wrong-python/folder",
                evidence,
                Remedy(family=True),
                name="torch",
                found=elsewhere.parent.name,
                python=env.python.version,
            ),
        )
    if not any(is_of_torch(each.name) for each in env.distributions):
        return not_looked("python", "no-torch")
    if not wrong:
        return ruled_out("python", proof("tags-fit", tag=tag), python=env.python.version)
    misfits = tuple(proof("tag", name=each.info.name, found=each.tags[0], tag=tag) for each in wrong)
    others = tuple(f"{each.name}=={each.version}" for each in wrong if each.name not in FAMILY)
    is_family = any(each.name in FAMILY for each in wrong)
    remedy = Remedy(others, family=is_family)
    one = finding(
        "python",
        "wrong-python",
        misfits,
        remedy,
        name=wrong[0].name,
        found=wrong[0].tags[0].split("-")[0],
        python=env.python.version,
    )
    return found("python", one)


def _in_another_folder(env: Installation) -> Path | None:
    """conda changed the Python, and torch stayed in the folder of the old one."""
    if not of(env.os).sites_by_python or env.one("torch") or long_path(env.site / "torch").exists():
        return None
    sites = (path for path in env.prefix.glob("lib/python3.*/site-packages") if path != env.site)
    return next((site for site in sites if (site / "torch").is_dir()), None)


def fits(tags: tuple[str, ...], python: str) -> bool:
    """`python` is `cp312`; `cp39-abi3` fits every later one, `py3-none` any."""
    return takes(f"{python[2]}.{python[3:]}", (tag for text in tags for tag in parse_tag(text)))
