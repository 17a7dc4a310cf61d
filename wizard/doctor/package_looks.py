"""Stage one, the packages themselves: is torch there and whole, once, and made for this Python? Imports nothing.

Each look is one question with its evidence. What they find is certain: a file that is missing is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from packaging.tags import parse_tag

from wizard.doctor.distributions import FAMILY, Distribution
from wizard.doctor.files import damage_of
from wizard.doctor.installation import Installation
from wizard.doctor.model import Finding, Look, Remedy, finding, found, not_looked, ruled_out

_SHOWN = 5
_CONDA_NAMES = {
    "pytorch": "torch", "pytorch-cpu": "torch", "pytorch-gpu": "torch", "torchvision": "torchvision",
    "torchaudio": "torchaudio", "numpy": "numpy",
}  # fmt: skip
_CONDA_TORCH_PARTS = ("libtorch", "pytorch-cuda", "pytorch-mutex")


def interpreter(env: Installation) -> Look:
    if env.python:
        return ruled_out(
            "interpreter", f"{env.python.executable} is Python {env.python.version}", version=env.python.version
        )
    return found("interpreter", finding("interpreter", "python-broken", tuple(env.trouble.splitlines()[-4:]) or ("-",)))


def presence(env: Installation) -> Look:
    """A torch folder and its metadata belong together; one without the other is half a package."""
    halves = tuple(_halves(env))
    if halves:
        return found("presence", *halves)
    torch = env.one("torch")
    if torch is None:
        if any(each.name == "torch" for each in env.outside):
            return not_looked("presence", "torch-outside")
        return found(
            "presence", finding("presence", "torch-missing", (f"no torch in {env.site}",), Remedy(family=True))
        )
    return ruled_out("presence", f"torch {torch.version} in {torch.site}", torch=torch.version)


def _halves(env: Installation) -> Iterator[Finding]:
    for name in (*FAMILY, "numpy"):
        folder, installed = env.site / name, env.one(name)
        if installed is None and folder.is_dir():
            if _is_conda_owned(env, name):
                continue
            evidence = (f"{folder} is there, its metadata is not",)
            yield _half(name, evidence, Remedy(_anew(name), (folder,)))
        elif installed and installed.info.is_dir():
            if not (installed.has_metadata and installed.has_record):
                lost = "METADATA" if not installed.has_metadata else "RECORD"
                yield _half(name, (f"{installed.info} has no {lost}",), Remedy(_anew(name, installed)))
            elif not folder.is_dir():
                yield _half(name, (f"{folder} is gone",), Remedy(_anew(name, installed)))


def _half(name: str, evidence: tuple[str, ...], remedy: Remedy) -> Finding:
    return finding("presence", "half-deleted", evidence, remedy, name=name)


def _anew(name: str, installed: Distribution | None = None) -> tuple[str, ...]:
    return (f"{name}=={installed.version}" if installed else name,)


def _is_conda_owned(env: Installation, name: str) -> bool:
    return any(_CONDA_NAMES.get(record.name) == name for record in env.records)


def leftover_folders(env: Installation) -> Look:
    """`~orch`: harmless to PyTorch, but pip warns of it for ever and it takes gigabytes."""
    if not env.leftovers:
        return ruled_out("leftovers", f"nothing like ~orch in {env.site}")
    names = tuple(f"{path}" for path in env.leftovers)
    one = finding(
        "leftovers", "leftovers", names, Remedy(aside=env.leftovers), certain=False, count=len(names),
        first=env.leftovers[0].name,
    )  # fmt: skip
    return found("leftovers", one)


def copies(env: Installation) -> Look:
    """Two sets of metadata for one package, or conda's record beside pip's: their files lie over each other."""
    several = tuple(_copies(env))
    if several:
        return found("copies", *several)
    return ruled_out("copies", "each of torch, torchvision, torchaudio, numpy is installed once")


def _copies(env: Installation) -> Iterator[Finding]:
    for name in (*FAMILY, "numpy"):
        installed = env.find(name)
        records = [record for record in env.records if _CONDA_NAMES.get(record.name) == name]
        by_pip = [each for each in installed if each.installer not in ("conda", "")]
        metas = tuple(env.prefix / "conda-meta" / f"{r.name}-{r.version}-{r.build}.json" for r in records)
        if len(installed) > 1:
            evidence = tuple(f"{each.info.name} (by {each.installer or '?'})" for each in installed)
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
    evidence: tuple[str, ...],
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


def whole_files(env: Installation, deep: bool = False) -> Look:
    """Every file of the torch family, numpy and NVIDIA's libraries against the RECORD."""
    looked, damaged = 0, []
    halves = {each.code and str(each.cause.params.get("name")) for each in _halves(env)}
    for distribution in env.distributions:
        if not is_of_torch(distribution.name) or distribution.name in halves or not distribution.info.is_dir():
            continue
        looked += 1
        wrong = damage_of(distribution, deep)
        if wrong:
            damaged.append(_damaged(distribution, tuple(map(str, wrong))))
    if damaged:
        return found("files", *damaged)
    if not looked:
        return not_looked("files", "no-torch")
    return ruled_out("files", f"{looked} packages hold what their RECORD lists", count=looked)


def is_of_torch(name: str) -> bool:
    return name in (*FAMILY, "numpy", "triton") or name.startswith(("nvidia-", "cuda-"))


def _damaged(distribution: Distribution, wrong: tuple[str, ...]) -> Finding:
    shown = (*(f"{distribution.name}: {line}" for line in wrong[:_SHOWN]),)
    shown += (f"and {len(wrong) - _SHOWN} more",) if len(wrong) > _SHOWN else ()
    remedy = Remedy((f"{distribution.name}=={distribution.version}",))
    return finding("files", "damaged", shown, remedy, name=distribution.name, count=len(wrong), first=wrong[0])


def python_tags(env: Installation) -> Look:
    """Binary wheels name the Python that they are for; another one cannot load them."""
    if env.python is None or not env.python.tag:
        return not_looked("python", "no-python")
    tag = env.python.tag
    wrong = [each for each in env.distributions if is_of_torch(each.name) and each.tags and not fits(each.tags, tag)]
    elsewhere = _in_another_folder(env)
    if elsewhere:
        evidence = (f"{elsewhere} holds torch", f"this Python is {env.python.version}")
        return found("python", finding("python", "wrong-python/folder", evidence, Remedy(family=True), name="torch",
                                       found=elsewhere.parent.name, python=env.python.version))  # fmt: skip
    if not any(is_of_torch(each.name) for each in env.distributions):
        return not_looked("python", "no-torch")
    if not wrong:
        return ruled_out("python", f"every wheel fits {tag}", python=env.python.version)
    misfits = tuple(f"{each.info.name}: {each.tags[0]}, this Python is {tag}" for each in wrong)
    others = tuple(f"{each.name}=={each.version}" for each in wrong if each.name not in FAMILY)
    is_family = any(each.name in FAMILY for each in wrong)
    remedy = Remedy(others, family=is_family)
    one = finding("python", "wrong-python", misfits, remedy, name=wrong[0].name, found=wrong[0].tags[0].split("-")[0],
                  python=env.python.version)  # fmt: skip
    return found("python", one)


def _in_another_folder(env: Installation) -> Path | None:
    """conda changed the Python, and torch stayed in the folder of the old one."""
    if env.os == "windows" or env.one("torch") or (env.site / "torch").exists():
        return None
    sites = (path for path in env.prefix.glob("lib/python3.*/site-packages") if path != env.site)
    return next((site for site in sites if (site / "torch").is_dir()), None)


def fits(tags: tuple[str, ...], python: str) -> bool:
    """`python` is `cp312`; `cp39-abi3` fits every later one, `py3-none` any."""
    free = python.endswith("t")
    number = int(python.rstrip("t")[3:] or 0)
    for text in tags:
        for tag in parse_tag(text):
            if tag.interpreter.startswith("py"):
                return True
            if tag.abi == python or (tag.interpreter == python.rstrip("t") and tag.abi == "none"):
                return True
            if tag.abi == "abi3" and not free and tag.interpreter[3:].isdigit() and int(tag.interpreter[3:]) <= number:
                return True
    return False
