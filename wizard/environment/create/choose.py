"""Which engine makes the environment, and why: one pure decision.

The built-in engine (rattler) makes a complete conda environment wherever a channel answers. Without a channel
the machine's own Python of the wanted version serves (venv). The user's own conda makes it on request only. The
types are plain ones of this layer: the caller translates what it knows about mirrors and the machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from wizard.environment.conda.find import ENGINE_CONDA_NONE, OwnConda
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import Message, message
from wizard.process import redact

ENGINES = ("auto", "rattler", "conda", "venv")


@dataclass(frozen=True, slots=True)
class ChannelVerdict:
    url: str
    answers: bool
    by_hand: bool = False  # the person named it


@dataclass(frozen=True, slots=True)
class BasePython:
    """A Python of this machine. `has_venv`: it can make virtual environments."""

    executable: str
    version: str  # "3.12.11"
    has_venv: bool


@dataclass(frozen=True, slots=True)
class ChosenEngine:
    engine: str  # "rattler" | "conda" | "venv"
    base_python: Path | None
    channels: tuple[str, ...]
    reason: Message
    conda: Path | None = None


def choose_engine(
    wanted: str,
    channel_verdicts: tuple[ChannelVerdict, ...],
    pythons: tuple[BasePython, ...],
    python: str,
    own_conda: OwnConda | None = None,
    is_named: bool = False,
) -> ChosenEngine:
    """Choose the engine. `python` is "3.12"; `own_conda` was confirmed before, when "conda" is wanted. `is_named`: the
    person named the Python itself, by its path.

    Raises UsageError for a wish that cannot be honoured, WizardError when nothing is left.
    """
    if wanted not in ENGINES:
        raise UsageError(
            "engine-unknown",
            "There is no engine called “{engine}”.",
            "Choose one of: {engines}.",
            engine=wanted,
            engines=", ".join(ENGINES),
        )
    channels = tuple(verdict.url for verdict in channel_verdicts if verdict.answers)
    if wanted == "conda":
        return _conda_choice(own_conda, channels, channel_verdicts)
    base = suitable_python(pythons, python)
    if wanted == "rattler" and not channels:
        raise UsageError(
            "engine-rattler-no-channel",
            "The built-in engine gets Python from a conda channel (a server with packages), and none "
            "of these answers: {tried}.",
            "Check the network or the proxy, name another channel (page {page.source}[|, or --channel]), or use "
            "this computer's own Python (page {page.place}[|, or --engine venv]).",
            tried=_tried(channel_verdicts),
        )
    if wanted == "venv" and base is None:
        raise UsageError(
            "engine-venv-no-python",
            "This computer has no Python {python} that can make virtual environments (found: {found}).",
            "Install Python {python} (on Debian and Ubuntu with python{python}-venv), choose another "
            "Python version, or let the program choose the engine (auto).",
            python=python,
            found=_found(pythons),
        )
    if channels and wanted != "venv":
        return ChosenEngine("rattler", None, channels, _rattler_reason(wanted, channels[0]))
    if base is None:
        raise WizardError(
            "no-engine",
            "No environment with Python {python} can be made: no conda channel answers (tried: "
            "{tried}) and this computer has no Python {python} with venv (found: {found}).",
            "Connect to the network, name a channel (page {page.source}[|, or --channel]), or choose or install a "
            "Python version that is there.",
            python=python,
            found=_found(pythons),
            tried=_tried(channel_verdicts),
        )
    return ChosenEngine("venv", Path(base.executable), (), _venv_reason(wanted, base, is_named))


def _conda_choice(
    own_conda: OwnConda | None, channels: tuple[str, ...], verdicts: tuple[ChannelVerdict, ...]
) -> ChosenEngine:
    if own_conda is None:
        raise UsageError(ENGINE_CONDA_NONE, tried="-")
    if not channels:
        raise UsageError(
            "engine-conda-no-channel",
            "conda needs a channel, and none of these answers: {tried}.",
            "Check the network or the proxy, or name another channel [on the page {page.source}|with --channel].",
            tried=_tried(verdicts),
        )
    return ChosenEngine("conda", None, channels, own_conda.reason, own_conda.executable)


def suitable_python(pythons: tuple[BasePython, ...], python: str) -> BasePython | None:
    """Return the newest patch release of that minor version which can make environments; the first listed among
    equals."""
    fitting = [found for found in pythons if found.has_venv and _minor(found.version) == python]
    return max(fitting, key=lambda found: Version(found.version), default=None)


def _minor(version: str) -> str:
    try:
        parsed = Version(version)
    except InvalidVersion:
        return ""
    return f"{parsed.major}.{parsed.minor}"


def _rattler_reason(wanted: str, channel: str) -> Message:
    key = "asked" if wanted == "rattler" else "channel"
    return message(f"environments.reason.rattler-{key}", channel=redact(channel))


def _venv_reason(wanted: str, base: BasePython, is_named: bool) -> Message:
    """What was asked for may be the kind of the environment alone, and then not this Python."""
    key = "asked" if is_named else "kind-asked" if wanted == "venv" else "no-channel"
    return message(f"environments.reason.venv-{key}", python=base.version, path=base.executable)


def _found(pythons: tuple[BasePython, ...]) -> str:
    return ", ".join(sorted({found.version for found in pythons if found.has_venv})) or "-"


def _tried(verdicts: tuple[ChannelVerdict, ...]) -> str:
    return ", ".join(redact(verdict.url) for verdict in verdicts) or "-"
