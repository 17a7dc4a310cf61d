"""Which hosts would a profile send this computer to, beside the official places and the mirrors of the tables?

Whoever makes a profile chooses its addresses and its hashes together, so the hashes vouch for nobody: it is the host
that a person has to know. Counted are all addresses that may be asked, not only those of the indexes. Nothing is asked
here, and nothing remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from wizard.classroom.profile.model import Profile, ProfileFile
from wizard.model.distributions import FAMILY
from wizard.model.errors import UsageError
from wizard.model.messages import Message, message
from wizard.sources.table import listed_places
from wizard.transfer.address import host_of, is_loopback

_NAMED = 4
Agree = Callable[[ProfileFile], Collection[str]]  # the hosts of it that the person trusts


@dataclass(frozen=True, slots=True)
class ForeignHost:
    """`name`: with the port where it is not the usual one. `packages`: those that may come from it, torch's family
    first; `roles`: what else the profile has it for (index, torch_index, conda_channel, share)."""

    name: str
    packages: tuple[str, ...]
    roles: tuple[str, ...]

    @property
    def words(self) -> tuple[Message, ...]:
        """What comes from it, one message for each kind."""
        names, more = ", ".join(self.packages[:_NAMED]), len(self.packages) - _NAMED
        key = "profile.host.packages-more" if more > 0 else "profile.host.packages"
        packages = (message(key, names=names, more=more),) if names else ()
        return (*packages, *(message(f"profile.host.{role}") for role in self.roles))


def trust_nobody(file: ProfileFile) -> Collection[str]:
    return ()


def foreign_hosts(profile: Profile, for_pack: bool = False) -> tuple[ForeignHost, ...]:
    """In the order of their weight: who gives torch first. Where only class servers may be asked, the addresses of
    the locks count `for_pack` alone: making it asks them. Raises UsageError `bad-mirrors-file`."""
    packages: dict[str, dict[str, None]] = {}
    roles: dict[str, dict[str, None]] = {}
    listed = listed_places()
    for url, package, role in _addresses(profile, for_pack or not profile.sources.only_share):
        if listed.has_channel(url) if role in ("conda_channel", "conda") else listed.has_wheels(url):
            continue
        host = host_of(url)
        packages.setdefault(host, {}).update({package: None} if package else {})
        roles.setdefault(host, {}).update({} if package else {role: None})
    found = [ForeignHost(host, _by_weight(packages[host]), tuple(roles[host])) for host in packages]
    return tuple(sorted(found, key=lambda host: (not set(host.packages) & set(FAMILY), not host.packages)))


def loopback_hosts(profile: Profile) -> tuple[str, ...]:
    """Return the hosts that each computer takes for itself: nobody else can fetch from there."""
    hosts = (host_of(url) for url, _, _ in _addresses(profile, with_locks=True))
    return tuple(dict.fromkeys(host for host in hosts if is_loopback(_without_port(host))))


def is_foreign(url: str) -> bool:
    """Of the address of a wheel."""
    return not listed_places().has_wheels(url)


def _addresses(profile: Profile, with_locks: bool) -> Iterator[tuple[str, str, str]]:
    """(address, package or "", role)."""
    sources = profile.sources
    named = (("index", sources.index), ("torch_index", sources.torch_index), ("conda_channel", sources.conda_channel))
    yield from ((url, "", role) for role, url in named if url)
    yield from ((url, "", "share") for url in sources.share)
    for lock in profile.locks if with_locks else ():
        yield from ((url, file.name, "file") for file in lock.files for url in file.urls)
        yield from ((url, one.file.name, "conda") for one in lock.conda for url in one.file.urls)


def _by_weight(names: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: name not in FAMILY))


def not_trusted(profile: Profile, trusted: Collection[str], for_pack: bool = False) -> tuple[ForeignHost, ...]:
    """`trusted`: names with a port mean that one, names without any."""
    return tuple(host for host in foreign_hosts(profile, for_pack) if not is_trusted(host.name, trusted))


def is_trusted(host: str, trusted: Collection[str]) -> bool:
    return host in trusted or _without_port(host) in trusted


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def check_hosts(profile: Profile, trusted: Collection[str], for_pack: bool = False) -> None:
    """Raises UsageError `profile-hosts`, which names those that nobody has said yes to."""
    missing = not_trusted(profile, trusted, for_pack)
    if missing:
        hosts, options = (form.join(host.name for host in missing) for form in (", ", " --trust "))
        raise UsageError(
            "profile-hosts",
            "The class profile would send this computer to hosts that are neither official nor in "
            "this program's tables: {hosts}.",
            "If you know them and trust them with this computer, add {options} (--yes alone is no "
            "yes to this); none of them was asked and nothing was changed.",
            hosts=hosts,
            options=f"--trust {options}",
        )
