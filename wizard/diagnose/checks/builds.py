"""Stage one, do the builds go together: the CUDA build that was meant, companions, numpy, what torch asks for.

Bounds come from `matrices/`, what torch wants from its own metadata. Imports nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from wizard.compatibility.data.model import AUDIO, PLATFORMS, Matrix
from wizard.compatibility.data.ordering import CPU, version_key
from wizard.compatibility.model import Candidate
from wizard.diagnose.model import Check, Evidence, Finding, Remedy, finding, found, not_looked, proof, ruled_out
from wizard.diagnose.right_build import judged
from wizard.environment.inspect.baseline import EnvironmentChanges, PackageChange
from wizard.environment.inspect.installation import Installation
from wizard.environment.inspect.start_files import at_each_start, names_torch, start_files, suspects
from wizard.machine.model import Machine
from wizard.model.distributions import Distribution
from wizard.model.messages import Message

_LAST_FREE_AUDIO = (2, 11)


def build(
    env: Installation, right: Candidate | None, machine: Machine, matrix: Matrix, drift: EnvironmentChanges | None
) -> Check:
    """`right`: the build that a repair would take. A CPU build is wrong only where a CUDA build was meant, or can run
    and nobody knows what was meant."""
    variant = env.variant
    if variant is None:
        return not_looked("build", "no-torch")
    if variant != CPU:
        return ruled_out("build", proof("build", torch=env.release or "?", variant=variant), variant=variant)
    meant = env.meant
    if meant and meant.variant != CPU:
        evidence = (_version_evidence(env), proof("meant", build=f"{meant.torch}+{meant.variant}", source=meant.source))
        one = _cpu_build(env, (*evidence, *_by(drift)), meant.variant, drift)
        if right is not None and (right.torch, right.variant) != (meant.torch, meant.variant):
            one = _instead(one, right, judged(env, machine, matrix, meant.torch, meant.variant))
        return found("build", one)
    if meant is None and right is not None and right.variant != CPU and machine.driver:
        card = next(iter(machine.nvidia_gpus)).name or "NVIDIA"
        evidence = (_version_evidence(env), proof("card-driver", card=card, driver=machine.driver.version))
        params = {"torch": env.release or "?", "card": card, "build": _name(right)}
        return found("build", finding("build", "cpu-build/card", evidence, Remedy(family=True), words=params))
    return ruled_out("build", proof("cpu-meant"), variant=variant)


def _version_evidence(env: Installation) -> str:
    cuda = env.torch.cuda if env.torch else None
    return f"torch {env.torch.version if env.torch else env.release}: torch.version.cuda = {cuda}"


def _cpu_build(
    env: Installation, evidence: tuple[Evidence, ...], variant: str, drift: EnvironmentChanges | None
) -> Finding:
    by = next((by for change in drift.changes if change.name == "torch" for by in change.by), "") if drift else ""
    code = "cpu-build/by" if by else "cpu-build"
    return finding("build", code, evidence, Remedy(family=True), torch=env.release or "?", variant=variant, by=by)


def _instead(one: Finding, right: Candidate, meant: Candidate | None) -> Finding:
    """Name what the repair takes where what was meant does not run on this computer, and why it does not."""
    why = meant.reasons[0].message if meant and meant.reasons else ""
    words = {"build": _name(right), "meant": _name(meant) if meant else "?", "why": why}
    return replace(one, repair=Message("doctor.cpu-build-other.repair", words))


def _name(one: Candidate) -> str:
    return f"torch {one.torch}+{one.variant}"


def _by(drift: EnvironmentChanges | None) -> tuple[Evidence, ...]:
    return tuple(_changed(change) for change in drift.changes) if drift else ()


def _changed(change: PackageChange) -> Message:
    name = "changed" if change.now else "taken-away"
    params = {"name": change.name, "was": change.was, "now": change.now or "-", "by": ", ".join(change.by)}
    return proof(f"{name}-by" if change.by else name, **params)


def answer(env: Installation, imported: str | None) -> Check:
    """Hold the version that torch says when it is imported against the one in its files: what Python runs at its start
    can change that in passing. `imported` None: it was not, or could not be."""
    torch, files = env.one("torch"), env.torch.version if env.torch else None
    if imported is None or torch is None:
        return not_looked("answer", "no-torch" if torch is None else "no-import")
    if imported == files or (files is None and imported.partition("+")[0] == torch.release):
        return ruled_out("answer", torch=imported)
    left = suspects(env.site)
    naming = [name for name, content in start_files(env.site).items() if names_torch(content)]
    names = left or dict.fromkeys((*naming, *at_each_start(env.site)))  # one of a package may import what changes it
    evidence: tuple[Evidence, ...] = (
        proof("answers", imported=imported, torch=files or torch.version),
        *(proof("runs-at-start", path=str(env.site / name)) for name in names),
    )
    code, aside = "torch-altered" if left else "torch-altered/unknown", tuple(env.site / name for name in left)
    words = {"imported": imported, "torch": files or torch.version, "names": ", ".join(left)}
    return found("answer", finding("answer", code, evidence, Remedy(aside=aside), words=words))


def drifted(env: Installation, drift: EnvironmentChanges | None) -> Check:
    """Another build than the one that was recorded; that alone breaks nothing, so it is no certain cause."""
    if env.state is None:
        return not_looked("drift", "no-record")
    if drift is None:
        return ruled_out("drift", proof("as-recorded", torch=env.state.torch), torch=env.state.torch)
    change = drift.changes[0]
    kept = {each.name: each.version for each in drift.state.packages}
    wanted = tuple(f"{each.name}=={kept[each.name]}" for each in drift.changes)
    code = "drift/gone" if change.now is None else "drift"
    if not change.by:
        code = {None: "drift/gone-alone", change.was: "drift/same"}.get(change.now, "drift/alone")
    one = finding(
        "drift",
        code,
        _by(drift),
        Remedy(wanted),
        certain=False,
        name=change.name,
        was=change.was,
        now=change.now or "-",
        by=", ".join(change.by),
    )
    return found("drift", one)


def companions(env: Installation, matrix: Matrix) -> Check:
    """torchvision and torchaudio are compiled against one build of torch."""
    torch, variant = env.one("torch"), env.variant
    if torch is None or variant is None:
        return not_looked("companions", "no-torch")
    installed = [each for name in ("torchvision", "torchaudio") for each in env.find(name)]
    wrong = tuple(one for each in installed if (one := _companion(each, env, variant, matrix)))
    if wrong:
        return found("companions", *wrong)
    if not installed:
        return not_looked("companions", "no-companions")
    names = ", ".join(f"{each.name} {each.version}" for each in installed)
    return ruled_out("companions", proof("beside", torch=torch.version, names=names), names=names)


def _has_audio(matrix: Matrix, release: str, variant: str) -> bool:
    """Return whether this release has a torchaudio for this CUDA on some system; also where the build is not known."""
    builds = [one for one in matrix.builds if (one.torch, one.variant) == (release, variant)]
    return not builds or any(matrix.audio_for(one, None) for one in builds)


def _companion(each: Distribution, env: Installation, variant: str, matrix: Matrix) -> Finding | None:
    release = env.release or ""
    row = matrix.releases.get(release)
    target = (row.torchvision if each.name == "torchvision" else row.torchaudio) if row else None
    params = {"name": each.name, "version": each.version, "torch": f"{release}+{variant}"}
    evidence: tuple[Evidence, ...] = (f"{each.name} {each.version}", f"torch {release}+{variant}")
    wanted = f"{each.name}=={target}" if target else each.name
    pin = next((r for r in each.wanted(env.markers()) if canonicalize_name(r.name) == "torch"), None)
    if pin and pin.specifier and not _contains(pin.specifier, release):
        return finding(
            "companions",
            "companion-release",
            (*evidence, proof("asks-for", name=each.name, wanted=str(pin))),
            Remedy((wanted,)),
            words=params,
        )
    if each.name == AUDIO and target == each.release and not _has_audio(matrix, release, variant):
        return finding("companions", "companion-cuda", evidence, Remedy(), words=params)
    if each.local and each.local != variant and not _any_variant(each):
        # Two CUDA builds of one major version mostly run together: then only the test can tell.
        certain = _cuda_major(each.local) != _cuda_major(variant)
        return finding("companions", "companion-variant", evidence, Remedy((wanted,)), certain, words=params)
    torch = env.one("torch")
    if torch and torch.local and not each.local and not _any_variant(each):
        # torch from PyTorch's own index, this one from the general index: which build that is, only the test can tell.
        return finding("companions", "companion-unmarked", evidence, Remedy((wanted,)), certain=False, words=params)
    if (
        pin is None
        and target
        and not _is_free(each, target)
        and version_key(each.release)[:2] != version_key(target)[:2]
    ):
        evidence = (*evidence, proof("goes-with", torch=release, name=each.name, version=target))
        return finding("companions", "companion-release", evidence, Remedy((wanted,)), certain=False, words=params)
    return None


def _cuda_major(variant: str) -> str:
    """`12` of cu126; other words as they are."""
    return variant[2:-1] if variant.startswith("cu") and variant[2:].isdigit() else variant


def _contains(specifier: SpecifierSet, version: str) -> bool:
    try:
        return specifier.contains(version, prereleases=True)
    except InvalidVersion:
        return True


def _any_variant(each: Distribution) -> bool:
    """torchaudio 2.11 and torchvision 0.29.2 are made for any Python, and run with any build: stable ABI."""
    return bool(each.tags) and all(tag.startswith("py3-none") for tag in each.tags)


def _is_free(each: Distribution, target: str) -> bool:
    return each.name == "torchaudio" and version_key(each.release)[:2] >= _LAST_FREE_AUDIO


def numpy(env: Installation, matrix: Matrix, machine: Machine) -> Check:
    """Hold the installed numpy against the versions that this torch was built for."""
    installed, platform = env.one("numpy"), PLATFORMS.get((machine.os, machine.arch))
    if env.release is None or platform is None:
        return not_looked("numpy", "no-torch")
    if installed is None:
        return ruled_out("numpy", proof("no-numpy"), numpy="-")
    python = ".".join(env.python.version.split(".")[:2]) if env.python else None
    bound = matrix.numpy_bound(env.release, platform, python)
    if not bound or _contains(SpecifierSet(bound), installed.release):
        return ruled_out(
            "numpy",
            proof("numpy-bound" if bound else "numpy-any", torch=env.release, bound=bound or ""),
            numpy=installed.version,
        )
    evidence = (f"numpy {installed.version}", proof("numpy-made-for", torch=env.release, bound=bound))
    remedy = Remedy((f"numpy{bound}",))
    return found(
        "numpy",
        finding("numpy", "numpy-too-new", evidence, remedy, numpy=installed.version, torch=env.release, bound=bound),
    )


def needs(env: Installation) -> Check:
    """What torch's own metadata asks for: NVIDIA's libraries in exact versions, and plain packages."""
    torch = env.one("torch")
    if torch is None:
        return not_looked("needs", "no-torch")
    wrong = tuple(_unmet(torch, env))
    if not wrong:
        return ruled_out("needs", proof("needs-met", torch=torch.version))
    hard = tuple(each for each in wrong if each.is_hard)
    soft = tuple(each for each in wrong if not each.is_hard)
    return found("needs", *(_needs(group, group is hard) for group in (hard, soft) if group))


def _needs(wrong: tuple[_Unmet, ...], certain: bool) -> Finding:
    evidence = tuple(each.said for each in wrong)
    remedy = Remedy(tuple(each.requirement for each in wrong))
    return finding("needs", "needs-unmet", evidence, remedy, certain, count=len(wrong), first=wrong[0].requirement)


@dataclass(frozen=True, slots=True)
class _Unmet:
    """`is_hard`: it is missing, or a library of NVIDIA's that must be the very one; a plain package mostly works."""

    said: Message
    requirement: str
    is_hard: bool


def _unmet(torch: Distribution, env: Installation) -> Iterator[_Unmet]:
    for requirement in torch.wanted(env.markers()):
        name = canonicalize_name(requirement.name)
        installed = env.one(name)
        written = f"{name}{requirement.specifier}"
        if installed is None:
            if not any(record.name == name for record in env.records):
                yield _Unmet(proof("need-missing", name=name, wanted=written), written, True)
        elif not _takes(requirement.specifier, installed.version):
            is_hard = name.startswith(("nvidia-", "cuda-"))
            yield _Unmet(proof("need-other", name=name, version=installed.version, wanted=written), written, is_hard)


def _takes(specifier: SpecifierSet, version: str) -> bool:
    try:
        return specifier.contains(Version(version), prereleases=True)
    except InvalidVersion:
        return True
