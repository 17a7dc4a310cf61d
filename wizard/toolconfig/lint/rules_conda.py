"""Rules about conda's channels: their order, names and forms. The order that counts is that of all files together."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from wizard.sources.address_facts import address_facts, channel_name, needs_terms
from wizard.sources.table import FORGE, mirror_rows
from wizard.toolconfig.conda import CondaValues, addresses, is_closed
from wizard.toolconfig.lint.finding import LintContext, LintFinding, OptionFix, finding
from wizard.toolconfig.model import Option, Tool
from wizard.toolconfig.settings import OwnSettings
from wizard.transfer.address import has_scheme

_PRIORITIES = ("strict", "flexible", "disabled", "true", "false", "yes", "no", "on", "off")
_FAMILIES = {"linux": "linux", "windows": "win"}
_PYTORCH = ("pytorch", "pytorch-lts")


def _urls(name: str, values: CondaValues) -> tuple[str, ...]:
    return addresses(name, values)


def _is_main(name: str, values: CondaValues) -> bool:
    """A channel of Anaconda's that holds a pytorch of its own."""
    return any(needs_terms(url) and channel_name(url) in ("main", "anaconda") for url in _urls(name, values))


def _holds_cuda(name: str, values: CondaValues) -> bool:
    return any(channel_name(url) in (FORGE, *_PYTORCH) and not needs_terms(url) for url in _urls(name, values))


def _owner(own: OwnSettings, *values: str) -> Option | None:
    """The one option that holds them all: only there can an order be changed."""
    options = [option for option in own.options if option.key == "channels" and option.tool is Tool.CONDA]
    return next((option for option in options if all(value in option.values for value in values)), None)


def _any_owner(own: OwnSettings, value: str) -> Option:
    found = _owner(own, value)
    return found or Option(Tool.CONDA, None, "channels", "channels", (value,), role="channel")


def cpu_order(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Find Anaconda's channel above the one with the CUDA builds; without a card the CPU build is the right one."""
    channels = own.conda.channels
    main = next((at for at, name in enumerate(channels) if _is_main(name, own.conda)), None)
    below = next((name for name in channels[(main or 0) + 1 :] if _holds_cuda(name, own.conda)), None)
    if main is None or below is None or situation.gpu is None or own.conda.priority == "disabled":
        return
    if any(_holds_cuda(name, own.conda) for name in channels[:main]):
        return
    name = channels[main]
    above = [one for one in channels[: channels.index(below)] if _is_main(one, own.conda)]
    together = _owner(own, *above, below)
    option = together or _any_owner(own, name)
    last = (repair for one in above for repair in (OptionFix(option, one), OptionFix(option, None, one)))
    repairs = tuple(last) if together else ()
    position = option.values.index(name)
    yield finding(
        "conda-cpu-order",
        "warning",
        option,
        position,
        repairs=repairs,
        below=below,
        gpu=situation.gpu,
        build=situation.build,
    )


def cpu_only(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Find Anaconda's channel, and none beside it that has the CUDA builds. Whether others come in is the user's to
    say."""
    channels = own.conda.channels
    name = next((name for name in channels if _is_main(name, own.conda)), None)
    if name is None or situation.gpu is None or is_closed(own.conda):
        return
    if any(_holds_cuda(other, own.conda) for other in channels):
        return
    option, forge = _any_owner(own, name), _forge_beside(name)
    yield finding(
        "conda-cpu-only",
        "note",
        option,
        option.values.index(name),
        forge=forge,
        gpu=situation.gpu,
        build=situation.build,
    )


def _forge_beside(name: str) -> str:
    """conda-forge by its name; of an address, the one that the same host has."""
    rows = (row.address() for row in mirror_rows() if row.kind == FORGE and row.url)
    hosts = {urlsplit(url).hostname: url for url in rows}
    return hosts.get(urlsplit(name).hostname, FORGE) if has_scheme(name) else FORGE


def frozen_pytorch(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Find the channel of PyTorch, which ended at 2.5. Below conda-forge it does no harm: packages of one name come
    from above."""
    for name in own.conda.channels:
        found = [channel_name(url) for url in _urls(name, own.conda)]
        if FORGE in found:
            return
        if any(one in _PYTORCH for one in found):
            option = _any_owner(own, name)
            is_strict = own.conda.priority == "strict"
            new = None if _is_right_without(name, own.conda, situation) else _forge_beside(name)
            yield finding(
                "conda-frozen-pytorch",
                "warning" if is_strict else "note",
                option,
                option.values.index(name),
                repairs=(OptionFix(option, name, new),),
                build=situation.build,
                forge=new or "",
                words=("cause-strict" if is_strict else "cause", "fix-instead" if new else "fix", "effect"),
            )


def _is_right_without(name: str, values: CondaValues, situation: LintContext) -> bool:
    """Would the next `conda install pytorch` find the right build? Not in Anaconda's channel for a card."""
    left = (other for other in values.channels if other != name)
    for other in left:
        names = [channel_name(url) for url in _urls(other, values)]
        if FORGE in names or _is_main(other, values):
            return FORGE in names or situation.gpu is None
    return False


def platform_in_address(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Yield the channels whose address ends in a platform, an error where it is another one than this."""
    platforms = address_facts().platforms
    for option, position, value in _channel_values(own):
        head, _, last = value.rstrip("/").rpartition("/")
        if head and last in platforms:
            is_other = not last.startswith((_FAMILIES.get(situation.os, ""), "noarch"))
            yield finding(
                "channel-platform",
                "error" if is_other else "warning",
                option,
                position,
                repairs=(OptionFix(option, value, head),),
                platform=last,
            )


def free_channel(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Yield Anaconda's channel "free", which has had nothing new since 2017."""
    for option, position, value in _channel_values(own):
        urls = _urls(value, own.conda) if option.key == "channels" else (value,)
        if len(urls) == 1 and needs_terms(urls[0]) and channel_name(urls[0]) == "free":
            yield finding("free-channel", "warning", option, position, repairs=(OptionFix(option, value),))


def _channel_values(own: OwnSettings) -> Iterator[tuple[Option, int, str]]:
    for option in own.options:
        if option.role == "channel" and option.key != "channel_alias":
            for position, value in enumerate(option.values):
                yield option, position, value


def name_in_custom(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Find a channel's name in its folder: custom_channels wants the folder above, for conda puts the name behind
    it."""
    for option in own.options:
        if option.key == "custom_channels" and option.name and option.values:
            value = option.values[0].rstrip("/")
            if has_scheme(value) and urlsplit(value).path.endswith(f"/{option.name}"):
                parent = value[: -len(option.name) - 1]
                yield finding(
                    "custom-channel-name",
                    "error",
                    option,
                    name=option.name,
                    repairs=(OptionFix(option, option.values[0], parent),),
                )


def mirrored_channels(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Find the option that only mamba knows. With mamba alone on the computer, or said for conda too, all is well."""
    if situation.condas and "conda" not in situation.condas:
        return
    custom = {option.name for option in own.options if option.key == "custom_channels"}
    for option in own.options:
        if option.key == "mirrored_channels" and not option.for_mamba and option.name not in custom:
            yield finding("mirrored-channels", "note", option, name=option.name or "")


def bad_values(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Find values at which conda stops with a long text."""
    for option in own.options:
        if option.tool is not Tool.CONDA or option.path is None or not option.values:
            continue
        if option.key == "channel_priority" and option.values[0].lower() not in _PRIORITIES:
            yield finding("conda-bad-priority", "error", option, repairs=(OptionFix(option, option.values[0]),))
        if option.key in ("channels", "default_channels") and not option.is_list:
            yield finding("conda-no-list", "error", option)


CONDA_RULES = (
    cpu_order,
    cpu_only,
    frozen_pytorch,
    platform_in_address,
    free_channel,
    name_in_custom,
    mirrored_channels,
    bad_values,
)
