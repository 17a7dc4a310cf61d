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
from wizard.model.lock import LockedFile
from wizard.model.messages import Message, message
from wizard.sources.table import listed_places
from wizard.transfer.address import host_of, is_loopback

_NAMED = 4
HERE = "127.0.0.1"  # stands in a profile for the teacher's computer, whose files a pack brings
IsHeld = Callable[[LockedFile], bool]
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


def has_none(file: LockedFile) -> bool:
    return False


def foreign_hosts(profile: Profile, for_pack: bool = False, is_held: IsHeld = has_none) -> tuple[ForeignHost, ...]:
    """In the order of their weight: who gives torch first. Where only class servers may be asked, the addresses of
    the locks count `for_pack` alone: making it asks them. `is_held`: by the class that was joined, whose own server or
    folder gives the file, so that no other place is asked for it. Raises UsageError `bad-mirrors-file`."""
    packages: dict[str, dict[str, None]] = {}
    roles: dict[str, dict[str, None]] = {}
    listed = listed_places()
    for url, package, role in _addresses(profile, for_pack or not profile.sources.only_share, is_held):
        if listed.has_channel(url) if role in ("conda_channel", "conda") else listed.has_wheels(url):
            continue
        host = host_of(url)
        packages.setdefault(host, {}).update({package: None} if package else {})
        roles.setdefault(host, {}).update({} if package else {role: None})
    found = [ForeignHost(host, _by_weight(packages[host]), tuple(roles[host])) for host in packages]
    return tuple(sorted(found, key=lambda host: (not set(host.packages) & set(FAMILY), not host.packages)))


def loopback_hosts(profile: Profile) -> tuple[str, ...]:
    """Return the hosts that each computer takes for itself: nobody else can fetch from there."""
    hosts = (host_of(url) for url, _, _ in _addresses(profile, True, has_none))
    return tuple(dict.fromkeys(host for host in hosts if is_loopback(_without_port(host))))


def is_foreign(url: str) -> bool:
    """Of the address of a wheel."""
    return not listed_places().has_wheels(url)


def allowed_urls(file: LockedFile, trusted: Collection[str]) -> tuple[str, ...]:
    """Return its addresses at places of the tables and at hosts that the person trusts."""
    listed = listed_places()
    return tuple(
        url
        for url in file.urls
        if listed.has_wheels(url) or listed.has_channel(url) or is_trusted(host_of(url), trusted)
    )


def _addresses(profile: Profile, with_locks: bool, is_held: IsHeld) -> Iterator[tuple[str, str, str]]:
    """(address, package or "", role)."""
    sources, files = profile.sources, profile.files
    is_whole, has_python = bool(files) and all(map(is_held, files)), all(lock.conda for lock in profile.locks)
    named = {"index": sources.index, "torch_index": sources.torch_index, "conda_channel": sources.conda_channel}
    needed = () if is_whole and has_python else ("conda_channel",) if is_whole else tuple(named)
    yield from ((url, "", role) for role, url in named.items() if url and role in needed)
    yield from ((url, "", "share") for url in sources.share if not is_whole)
    for lock in profile.locks if with_locks else ():
        yield from ((url, file.name, "file") for file in lock.files if not is_held(file) for url in file.urls)
        conda = (one.file for one in lock.conda if not is_held(one.file))
        yield from ((url, file.name, "conda") for file in conda for url in file.urls)


def _by_weight(names: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: name not in FAMILY))


def not_trusted(
    profile: Profile, trusted: Collection[str], for_pack: bool = False, is_held: IsHeld = has_none
) -> tuple[ForeignHost, ...]:
    """`trusted`: names with a port mean that one, names without any."""
    return tuple(host for host in foreign_hosts(profile, for_pack, is_held) if not is_trusted(host.name, trusted))


def is_trusted(host: str, trusted: Collection[str]) -> bool:
    return host in trusted or _without_port(host) in trusted


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def check_hosts(profile: Profile, trusted: Collection[str], for_pack: bool = False, is_held: IsHeld = has_none) -> None:
    """Raises UsageError `profile-hosts`, which names those that nobody has said yes to."""
    missing = not_trusted(profile, trusted, for_pack, is_held)
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
