"""Rules about what an index holds: torch indexes in the wrong place, a listing taken for an index, a private index
beside a public one. pip has no order of indexes: the highest version of all of them wins."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wizard.mirrors.address import is_loopback
from wizard.mirrors.address_facts import dead_address
from wizard.mirrors.table import mirror_rows
from wizard.settings.finding import Finding, Repair, Situation, finding
from wizard.settings.lint_rules_addresses import VARIANT, addresses, host_of, known_hosts
from wizard.settings.model import Tool
from wizard.settings.options import Option, OwnSettings

_INDEX_ROLES = ("index", "extra")


def _torch_layout(url: str) -> str | None:
    """ "simple" or "flat" for a public place of torch wheels; None for any other."""
    secure = re.sub(r"^http:", "https:", url, flags=re.I)
    rows = (row for row in mirror_rows() if row.kind == "pytorch-wheels" and row.url)
    return next((row.layout for row in rows if secure.startswith((row.url or "").partition("{variant}")[0])), None)


def torch_index_as_index(own: OwnSettings, situation: Situation) -> Iterator[Finding]:
    for option, position, url in addresses(own):
        if option.role == "index" and _torch_layout(url) == "simple" and not dead_address(url):
            yield finding("torch-index-as-index", "error", option, position,
                          repairs=(Repair(option, url),), touches=True, build=situation.build)  # fmt: skip


def other_variant(own: OwnSettings, situation: Situation) -> Iterator[Finding]:
    """A torch index that stays in the settings after the command that needed it."""
    for option, position, url in addresses(own):
        match = VARIANT.search(url)
        if option.role not in ("extra", "links") or not match or _torch_layout(url) is None or dead_address(url):
            continue
        if match[1] == situation.variant or _is_flat_index(option, url):
            continue
        is_old = bool(situation.current_variants) and match[1] not in situation.current_variants
        if is_old or situation.variant:
            yield finding(
                "torch-index-other", "warning", option, position, repairs=(Repair(option, url),), touches=True,
                words=("cause-old" if is_old else "cause", "fix", "effect"),
                variant=match[1], build=situation.build,
            )  # fmt: skip


def _is_flat_index(option: Option, url: str) -> bool:
    return option.role in _INDEX_ROLES and _torch_layout(url) == "flat"


def flat_as_index(own: OwnSettings, situation: Situation) -> Iterator[Finding]:
    for option, position, url in addresses(own):
        if _is_flat_index(option, url):
            repairs = (Repair(option, url), Repair(_links_beside(own, option), None, url))
            yield finding("flat-as-index", "error" if option.role == "index" else "warning", option, position,
                          repairs=repairs, touches=True)  # fmt: skip


def _links_beside(own: OwnSettings, option: Option) -> Option:
    """`find-links` in the same file and section, there or not yet."""
    section = option.spelled.rpartition(".")[0] if option.tool is Tool.PIP or "pip." in option.spelled else ""
    spelled = f"{section}.find-links" if section else "find-links"
    found = (one for one in own.options if one.path == option.path and one.spelled == spelled)
    return next(found, Option(option.tool, option.path, spelled, "find-links", (), is_list=True, role="links"))


def foreign_index(own: OwnSettings, situation: Situation) -> Iterator[Finding]:
    """Dependency confusion: who can publish on the public one can take the place of a private package."""
    for tool in (Tool.PIP, Tool.UV):
        options = [option for option in own.options if option.tool is tool and option.role in _INDEX_ROLES]
        if tool is Tool.UV and not _uv_mixes(own):
            continue
        mains = [value for option in options if option.role == "index" for value in option.values]
        for option in options:
            for position, url in enumerate(option.values if option.role == "extra" else ()):
                others = mains or [""]  # "": the official index, which is public
                if any(_is_private(url) != _is_private(other) for other in others):
                    fix = "fix" if tool is Tool.PIP else "fix-uv"
                    yield finding("foreign-index", "warning", option, position, words=("cause", fix, "effect"))


def _uv_mixes(own: OwnSettings) -> bool:
    """uv takes a package from the first index that has it, unless told otherwise."""
    return any(
        option.key in ("index-strategy", "UV_INDEX_STRATEGY") and "unsafe" in "".join(option.values)
        for option in own.options
    )


def _is_private(url: str) -> bool:
    """Neither a public place that we know nor this computer itself."""
    host = host_of(url)
    return bool(host) and not is_loopback(host) and host not in known_hosts() and not dead_address(url) and (
        host.partition(".")[2] not in _public_domains()
    )  # fmt: skip


def _public_domains() -> frozenset[str]:
    """`pypi.tuna.tsinghua.edu.cn` is an older name of a host that we know."""
    domains = (host.partition(".")[2] for host in known_hosts())
    return frozenset(domain for domain in domains if "." in domain)


INDEX_RULES = (torch_index_as_index, other_variant, flat_as_index, foreign_index)
