"""Rules about single addresses: gone or never there, without encryption, with certificate checks switched off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from wizard.mirrors.address import address_problem, has_scheme, is_loopback
from wizard.mirrors.address_facts import DeadAddress, dead_address
from wizard.mirrors.conda_settings import is_false
from wizard.mirrors.table import mirror_rows
from wizard.settings.finding import Finding, Repair, Situation, finding
from wizard.settings.model import Tool
from wizard.settings.options import Option, OwnSettings

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
    """Hosts of the public places that we know: all of them answer by https."""
    return frozenset(host_of(row.address()) for row in mirror_rows() if row.url)


def addresses(own: OwnSettings) -> Iterator[tuple[Option, int, str]]:
    """Every address that a tool would go to: (option, position, URL)."""
    for option in own.options:
        if option.role in PLACES:
            for position, value in enumerate(option.values):
                if has_scheme(value):
                    yield option, position, value


def dead_mirrors(own: OwnSettings, situation: Situation) -> Iterator[Finding]:
    for option, position, url in addresses(own):
        dead = dead_address(url)
        if dead:
            instead = _instead(url, dead) or _living(option, url, dead, situation)
            yield finding(
                "dead-mirror", "error" if dead.status in _BAD else "warning", option, position,
                repairs=(Repair(option, url, instead),), touches=True,
                words=(f"cause-{dead.status}", _remedy(dead, instead), "effect"),
                as_of=dead.as_of, instead=instead or "",
            )  # fmt: skip


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


def _living(option: Option, url: str, dead: DeadAddress, situation: Situation) -> str | None:
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


def plain_http(own: OwnSettings, situation: Situation) -> Iterator[Finding]:
    trusted = {host for option in own.options if option.role == "trusted" for host in option.values}
    for option, position, url in addresses(own):
        if address_problem(url) != "address-not-secure" or dead_address(url):
            continue
        host = host_of(url)
        is_known = host in known_hosts()
        is_refused = option.tool is Tool.PIP and option.role != "links" and not _is_trusted(url, trusted)
        yield finding(
            "plain-http", "error" if is_refused else "warning", option, position, touches=True, host=host,
            repairs=(Repair(option, url, f"https{url[4:]}"),) if is_known else (),
            words=("cause-refused" if is_refused else "cause", "fix" if is_known else "fix-unknown", "effect"),
        )  # fmt: skip


def _is_trusted(url: str, trusted: set[str]) -> bool:
    return host_of(url) in trusted or urlsplit(url).netloc.rpartition("@")[2] in trusted


def trusted_hosts(own: OwnSettings, situation: Situation) -> Iterator[Finding]:
    """pip's `trusted-host` and uv's `allow-insecure-host`: no certificate of that host is looked at any more."""
    urls = [url for _, _, url in addresses(own) if not dead_address(url)]
    for option in own.options:
        for position, value in enumerate(option.values if option.role == "trusted" else ()):
            host = (host_of(value) if has_scheme(value) else value.partition(":")[0]).lower()
            if is_loopback(host):
                continue
            mine = [url for url in urls if host_of(url) == host]
            is_needed = any(url.lower().startswith("http:") for url in mine) and host not in known_hosts()
            is_harmful = any(url.lower().startswith("https:") for url in mine) or host in known_hosts()
            yield finding(
                "trusted-host", "error" if is_harmful else "warning", option, position, host=host,
                repairs=() if is_needed else (Repair(option, value),),
                words=("cause", "fix-needed" if is_needed else "fix", "effect"),
            )  # fmt: skip


def tls_off(own: OwnSettings, situation: Situation) -> Iterator[Finding]:
    for option in own.options:
        is_verify = option.tool is Tool.CONDA and option.key in ("ssl_verify", "verify_ssl")
        if is_verify and option.values and is_false(option.values[0]):
            yield finding("tls-off", "error", option, repairs=(Repair(option, option.values[0]),))


def missing_certificates(own: OwnSettings, situation: Situation) -> Iterator[Finding]:
    for option in own.options:
        is_file = (option.tool is Tool.PIP and option.key == "cert") or (
            option.tool is Tool.CONDA and option.key == "ssl_verify" and "/" in "".join(option.values[:1])
        )
        if is_file and option.values and not Path(option.values[0]).expanduser().exists():
            is_pip = option.tool is Tool.PIP
            yield finding("certificate-missing", "error", option, touches=is_pip,
                          words=("cause", "fix", "effect" if is_pip else "effect-conda"),
                          repairs=(Repair(option, option.values[0]),))  # fmt: skip


ADDRESS_RULES = (dead_mirrors, plain_http, trusted_hosts, tls_off, missing_certificates)
