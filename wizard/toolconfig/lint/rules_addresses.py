"""Rules about addresses: single ones, and what an index holds.

Rules about single addresses: gone or never there, without encryption, with certificate checks switched off. One file:
both kinds ask the same tables which host is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from wizard.process import redact
from wizard.sources.address_facts import DeadAddress, dead_address
from wizard.sources.table import listed_places, mirror_rows
from wizard.toolconfig.conda import is_false
from wizard.toolconfig.lint.finding import LintContext, LintFinding, OptionFix, finding
from wizard.toolconfig.model import Option, Tool
from wizard.toolconfig.settings import OwnSettings
from wizard.transfer.address import address_problem, has_scheme, is_loopback

VARIANT = re.compile(r"/(cpu|cu\d{2,3}|rocm[\d.]+|xpu)(?:/|$)")
PLACES = ("index", "extra", "explicit", "links", "channel")
_BAD = ("gone", "invented")


def host_of(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


@lru_cache(maxsize=1)
def known_hosts() -> frozenset[str]:
    """Return hosts of the public places that we know: all of them answer by https."""
    return frozenset(host_of(row.address()) for row in mirror_rows() if row.url)


def is_known_host(host: str) -> bool:
    """Tell whether it answers by https, as the tables know: the official index and other names of a mirror, too."""
    return host in known_hosts() or (bool(host_of(url := f"https://{host}")) and listed_places().has_wheels(url))


def addresses(own: OwnSettings) -> Iterator[tuple[Option, int, str]]:
    """Yield every address that a tool would go to: (option, position, URL)."""
    for option in own.options:
        if option.role in PLACES:
            for position, value in enumerate(option.values):
                if has_scheme(value):
                    yield option, position, value


def dead_mirrors(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Yield the addresses of mirrors that have ended or moved, with one that lives."""
    for option, position, url in addresses(own):
        dead = dead_address(url)
        if dead:
            instead = _instead(url, dead) or _living(option, url, dead, situation)
            yield finding(
                "dead-mirror",
                "error" if dead.status in _BAD else "warning",
                option,
                position,
                repairs=(OptionFix(option, url, instead),),
                meets="mirror",
                words=(f"cause-{dead.status}", _remedy(dead, instead), "effect"),
                value=redact(url).partition("://")[2],  # nobody is to open it
                as_of=dead.as_of,
                instead=instead or "",
            )


def _instead(url: str, dead: DeadAddress) -> str | None:
    """The rest of the address (a CUDA tag) is the same at the new place, where it is one of wheels."""
    if dead.instead is None:
        return None
    rest = url.partition(dead.begins)[2].strip("/")
    return f"{dead.instead}/{rest}" if rest and "/whl" in dead.instead else dead.instead


def _remedy(dead: DeadAddress, instead: str | None) -> str:
    if instead is None:
        return "fix"
    return "fix-moved" if dead.instead else "fix-living"


def _living(option: Option, url: str, dead: DeadAddress, situation: LintContext) -> str | None:
    """Another mirror of the kind, in the place of one that was wanted. None where no mirror is needed: an index that
    only adds to the main one, a CUDA tag that is not this computer's."""
    if option.role == "index" and dead.kind == "pypi":
        return next(iter(_mirrors(dead.kind, "simple")), None)
    tag = VARIANT.search(url)
    if dead.kind == "pytorch-wheels" and tag and option.role in ("extra", "links") and tag[1] == situation.variant:
        living = _mirrors(dead.kind, "flat" if option.role == "links" else "simple", tag[1])
        return next(iter(living), None)
    return None


def _mirrors(kind: str, layout: str, variant: str = "cpu") -> list[str]:
    """Addresses of the living ones, in the table's order."""
    rows = (row for row in mirror_rows() if (row.kind, row.layout, row.status) == (kind, layout, "alive"))
    return [row.address(variant) for row in rows if row.id != "official"]


def plain_http(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Yield the addresses without TLS: an error where pip refuses them anyway."""
    trusted = {host for option in own.options if option.role == "trusted" for host in option.values}
    for option, position, url in addresses(own):
        if address_problem(url) != "address-not-secure" or dead_address(url):
            continue
        host = host_of(url)
        is_known = is_known_host(host)
        is_refused = option.tool is Tool.PIP and option.role != "links" and not _is_trusted(url, trusted)
        yield finding(
            "plain-http",
            "error" if is_refused else "warning",
            option,
            position,
            meets="source",
            host=host,
            repairs=(OptionFix(option, url, f"https{url[4:]}"),) if is_known else (),
            words=("cause-refused" if is_refused else "cause", "fix" if is_known else "fix-unknown", "effect"),
        )


def _is_trusted(url: str, trusted: set[str]) -> bool:
    return host_of(url) in trusted or urlsplit(url).netloc.rpartition("@")[2] in trusted


def trusted_hosts(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Find pip's `trusted-host` and uv's `allow-insecure-host`: no certificate of that host is looked at any more."""
    urls = [url for _, _, url in addresses(own) if not dead_address(url)]
    for option in own.options:
        for position, value in enumerate(option.values if option.role == "trusted" else ()):
            host = (host_of(value) if has_scheme(value) else value.partition(":")[0]).lower()
            if is_loopback(host):
                continue
            mine = [url for url in urls if host_of(url) == host]
            is_needed = any(url.lower().startswith("http:") for url in mine) and not is_known_host(host)
            is_harmful = any(url.lower().startswith("https:") for url in mine) or is_known_host(host)
            yield finding(
                "trusted-host",
                "error" if is_harmful else "warning",
                option,
                position,
                host=host,
                repairs=() if is_needed else (OptionFix(option, value),),
                words=("cause", "fix-needed" if is_needed else "fix", "effect"),
            )


def tls_off(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Yield where conda is told not to check certificates."""
    for option in own.options:
        is_verify = option.tool is Tool.CONDA and option.key in ("ssl_verify", "verify_ssl")
        if is_verify and option.values and is_false(option.values[0]):
            yield finding("tls-off", "error", option, repairs=(OptionFix(option, option.values[0]),))


def missing_certificates(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Yield the certificate files that are named and not there."""
    for option in own.options:
        is_file = (option.tool is Tool.PIP and option.key == "cert") or (
            option.tool is Tool.CONDA and option.key == "ssl_verify" and "/" in "".join(option.values[:1])
        )
        if is_file and option.values and not Path(option.values[0]).expanduser().exists():
            is_pip = option.tool is Tool.PIP
            yield finding(
                "certificate-missing",
                "error",
                option,
                meets="stops" if is_pip else "",
                words=("cause", "fix", "effect" if is_pip else "effect-conda"),
                repairs=(OptionFix(option, option.values[0]),),
            )


ADDRESS_RULES = (dead_mirrors, plain_http, trusted_hosts, tls_off, missing_certificates)


# Rules about what an index holds: torch indexes in the wrong place, a listing taken for an index, a private index
# beside a public one. pip has no order of indexes: the highest version of all of them wins.

_INDEX_ROLES = ("index", "extra")


def _torch_layout(url: str) -> str | None:
    """ "simple" or "flat" for a public place of torch wheels; None for any other."""
    secure = re.sub(r"^http:", "https:", url, flags=re.I)
    rows = (row for row in mirror_rows() if row.kind == "pytorch-wheels" and row.url)
    return next((row.layout for row in rows if secure.startswith((row.url or "").partition("{variant}")[0])), None)


def torch_index_as_index(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Yield where torch's own index stands in the place of the package index, which it is not."""
    for option, position, url in addresses(own):
        if option.role == "index" and _torch_layout(url) == "simple" and not dead_address(url):
            yield finding(
                "torch-index-as-index",
                "error",
                option,
                position,
                repairs=(OptionFix(option, url),),
                meets="stops",
                build=situation.build,
            )


def other_variant(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Find a torch index that stays in the settings after the command that needed it."""
    for option, position, url in addresses(own):
        match = VARIANT.search(url)
        if option.role not in ("extra", "links") or not match or _torch_layout(url) is None or dead_address(url):
            continue
        if match[1] == situation.variant or _is_flat_index(option, url):
            continue
        is_old = bool(situation.current_variants) and match[1] not in situation.current_variants
        if is_old or situation.variant:
            yield finding(
                "torch-index-other",
                "warning",
                option,
                position,
                repairs=(OptionFix(option, url),),
                meets="around",
                words=("cause-old" if is_old else "cause", "fix", "effect"),
                variant=match[1],
                build=situation.build,
            )


def _is_flat_index(option: Option, url: str) -> bool:
    return option.role in _INDEX_ROLES and _torch_layout(url) == "flat"


def flat_as_index(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Yield the pages of files that are named as an index; they belong under find-links."""
    for option, position, url in addresses(own):
        if _is_flat_index(option, url):
            repairs = (OptionFix(option, url), OptionFix(_links_beside(own, option), None, url))
            yield finding(
                "flat-as-index",
                "error" if option.role == "index" else "warning",
                option,
                position,
                repairs=repairs,
                meets="around",
            )


def _links_beside(own: OwnSettings, option: Option) -> Option:
    """`find-links` in the same file and section, there or not yet."""
    section = option.spelled.rpartition(".")[0] if option.tool is Tool.PIP or "pip." in option.spelled else ""
    spelled = f"{section}.find-links" if section else "find-links"
    found = (one for one in own.options if one.path == option.path and one.spelled == spelled)
    return next(found, Option(option.tool, option.path, spelled, "find-links", (), is_list=True, role="links"))


def foreign_index(own: OwnSettings, situation: LintContext) -> Iterator[LintFinding]:
    """Find dependency confusion: who can publish on the public one can take the place of a private package."""
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
    return (
        bool(host)
        and not is_loopback(host)
        and not is_known_host(host)
        and not dead_address(url)
        and (host.partition(".")[2] not in _public_domains())
    )


def _public_domains() -> frozenset[str]:
    """`pypi.tuna.tsinghua.edu.cn` is an older name of a host that we know."""
    domains = (host.partition(".")[2] for host in known_hosts())
    return frozenset(domain for domain in domains if "." in domain)


INDEX_RULES = (torch_index_as_index, other_variant, flat_as_index, foreign_index)
