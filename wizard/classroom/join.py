"""One machine of a class: from what a person typed (a folder, an address, a code) to a profile and opened packs.

What makes it safe is the order: the profile comes from a file, from a folder that the person chose, over https, or
from anybody if its hash begins with the code that was typed. After that a server can only be slow or wrong, and wrong
bytes are not taken.

One file: each way to a class ends in the same proof, and those to a server in the same waiting.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from wizard.classroom.code import CODE_SIGNS, read_code
from wizard.classroom.pack.files import put_bytes
from wizard.classroom.pack.listing import LISTING, PROFILE
from wizard.classroom.pack.opened import (
    PACK_UNREACHABLE,
    OpenPack,
    base_of,
    open_pack,
    read_profile_of,
    read_signature_of,
)
from wizard.classroom.profile.hosts import Agree, not_trusted, trust_nobody
from wizard.classroom.profile.keys import check_signature
from wizard.classroom.profile.model import ProfileFile
from wizard.classroom.profile.read import parse_profile, read_profile
from wizard.classroom.profile.signature import signature_path
from wizard.classroom.results.proof import remember_class_key
from wizard.classroom.server.announce import search
from wizard.model.errors import Cancelled, ErrorText, UsageError, WizardError
from wizard.model.lock import LockedFile
from wizard.model.messages import Message, message
from wizard.process import redact
from wizard.system import paths
from wizard.transfer.address import host_of
from wizard.transfer.proxy.bypass import is_link_local
from wizard.transfer.proxy.environment import present_environment, with_direct
from wizard.transfer.proxy.model import Network

# Puts the servers of a class before the other addresses of each file, in an order of this client's own.
#
# With several servers each client begins elsewhere, and at another one for each file, so that they share the load
# without asking each other. The addresses that the lock itself names stay behind them, as the last way out, unless the
# profile says that only the class is to be asked. A file of which the profile tells no size is not asked of who speaks
# plain http: that may be anybody, who could send without end.


class LoadBalancer:
    """One per client. `packs`: opened, in any order."""

    def __init__(self, packs: Sequence[OpenPack]) -> None:
        self._packs = tuple(packs)

    def urls_of(self, file: LockedFile) -> tuple[str, ...]:
        """Where the class has this very file; () where it has not."""
        folders = [url for pack in self._packs if pack.is_folder and (url := pack.address_of(file))]
        servers = [url for pack in self._packs if not pack.is_folder and (url := pack.address_of(file))]
        if file.size is None:
            servers = [url for url in servers if not url.startswith("http:")]
        random.shuffle(servers)
        return tuple(dict.fromkeys(folders + servers))  # a stick or share that is at hand costs the servers nothing


START_SECONDS = 300.0  # for the server of a class that begins: it reads the whole pack before it answers
_AGAIN_AFTER, _SELDOM = 0.5, 4.0  # seconds, from the first to the later times
_NAP = 0.2
_AT_ONCE = 16
_MOST_FOUND = 32  # servers that the network tells of: anybody may announce any number
NOT_ANNOUNCED = ErrorText(
    "share-not-announced",
    "No class with this code was found in this network.",
    "Check the code, or give the address that your teacher shows, too[| (--pack http://ADDRESS:PORT/)]. Some "
    "networks let no announcements through[| (--announce makes a server announce itself)].",
)
_MISTYPED = {
    "length": ErrorText(
        "share-bad-code",
        "This is not a class code: it has 14 letters and digits.",
        "Compare it with your teacher's screen, for example 7YD-25C8-7SP-8YWZ.",
    ),
    "sign": ErrorText(
        "share-bad-code",
        "No class code has the sign “{sign}”.",
        "Compare it with your teacher's screen, for example 7YD-25C8-7SP-8YWZ.",
    ),
    "check": ErrorText(
        "share-bad-code",
        "One letter or digit of the class code is wrong, or two have changed places.",
        "Compare it with your teacher's screen, for example 7YD-25C8-7SP-8YWZ.",
    ),
}
Search = Callable[[str], tuple[str, ...]]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed. `profile`: a file; `pack`: a folder or address; `code`: of the class."""

    profile: Path | None = None
    pack: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server is waited for that is not up yet, and who is told of it, once."""

    seconds: float = 3.0
    on_wait: Callable[[Message], None] = lambda words: None
    is_cancelled: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class Classroom:
    """`path`: where the profile lies on this computer."""

    file: ProfileFile
    path: Path
    packs: tuple[OpenPack, ...]
    notices: tuple[Message, ...] = ()

    @property
    def bases(self) -> tuple[str, ...]:
        return tuple(pack.base for pack in self.packs)

    def further_urls(self) -> Callable[[LockedFile], tuple[str, ...]]:
        return LoadBalancer(self.packs).urls_of


def announced(code: str) -> tuple[str, ...]:
    """Servers that say on the local network that they have it."""
    return tuple(each.base for each in search(code))[:_MOST_FOUND]


def enter(
    asked: Asked,
    network: Network | None = None,
    look: Search = announced,
    agree: Agree = trust_nobody,
    patience: Patience = Patience(),
) -> Classroom:
    """`agree` is called when the profile is known and before any host that it names is asked; a class server of it
    that nobody trusts is not. Who was typed, or announces the code that was typed, is asked without.

    Raises UsageError `pack-…`, `share-…`, `profile-…`, `signature-…`, WizardError `pack-…`, `share-not-found`, as
    `agree`, Cancelled."""
    environment = present_environment(network or Network())
    code, class_key = _checked_code(asked.code)
    if asked.profile is not None:
        file, path, first = read_profile(asked.profile), asked.profile, None
        if code and not file.sha256.startswith(code):
            raise UsageError(
                "share-other-code",
                "The profile {path} has another code than the one given.",
                "Leave the code out, or take the profile of your class.",
                path=str(path),
            )
    else:
        file, path, first = _from_pack(asked.pack, code, environment, look, patience)
    check_signature(file)
    if class_key:
        _remembered(file, class_key)
    foreign = {host.name for host in not_trusted(file.profile, agree(file))}
    shares = tuple(url for url in file.profile.sources.share if host_of(url) not in foreign)
    if asked.pack and not first:
        base = base_of(asked.pack)
        first = _named(base, lambda: open_pack(base, with_direct(environment, (base,))), patience)
    packs, notices = _packs(asked, file, path, first, environment, look, shares)
    return Classroom(file, path, packs, notices)


def profile_path(sha256: str) -> Path:
    """Where this computer keeps a class profile that came from elsewhere."""
    return paths.home() / "profiles" / f"{sha256}.torchlab"


def _remembered(file: ProfileFile, class_key: str) -> None:
    try:
        remember_class_key(file.sha256, class_key)
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(paths.home())) from error


def _checked_code(code: str | None) -> tuple[str, str]:
    """The code, and the key of the class where it was typed behind a `+`."""
    if code is None:
        return "", ""
    try:
        return read_code(code)
    except ValueError as error:
        what, *sign = error.args
        raise UsageError(_MISTYPED[what], typed=code[:80], sign="".join(sign)) from error


def _from_pack(
    spec: str | None, code: str, environment: Mapping[str, str], look: Search, patience: Patience
) -> tuple[ProfileFile, Path, OpenPack]:
    """The profile that a pack carries, and that pack."""
    if spec:
        base = base_of(spec)
        if base.startswith("http:") and not code:
            raise UsageError(
                "share-needs-code",
                "Nothing proves that the server {address} is the right one, so its profile can't be taken unseen.",
                "Add the class's code[| (--class CODE)], or use the profile file[| (--profile FILE)].",
                address=redact(base),
            )
        return _kept(*_named(base, lambda: _profile_of(base, code, environment), patience))
    bases = _once_it_is_up(
        lambda: _announced(code, look),
        message(
            "share.waiting-for-class",
            "No server in this network announces this class yet. It is looked for again, for up to {minutes} min; "
            "one that does not announce itself needs its address, too[| (--pack http://ADDRESS:PORT/)].",
            minutes=round(patience.seconds / 60),
        ),
        patience,
    )
    altered: WizardError | None = None
    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        for answer in as_completed([pool.submit(_profile_of, base, code, environment) for base in bases]):
            try:
                found = answer.result()
            except WizardError as error:  # one that announces a code and has another profile, or is gone
                altered = error if error.code == "pack-profile-differs" else altered
                continue
            return _kept(*found)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    if altered:
        raise altered
    raise WizardError(
        "share-not-found",
        "No server of this class answered in this network (announced here: {found}).",
        "Check the code, or give the server's address too[| (--pack http://ADDRESS:PORT/)]. Some networks let no "
        "announcements through.",
        found=len(bases),
    )


def _announced(code: str, look: Search) -> tuple[str, ...]:
    bases = look(code)
    if not bases:
        raise WizardError(NOT_ANNOUNCED)
    return bases


def _named(base: str, ask: Callable[[], T], patience: Patience) -> T:
    """What the one says that was named; a folder is there or is not."""
    patience = patience if base.startswith("http") else replace(patience, seconds=0.0)
    words = message(
        "share.waiting-for-server",
        "Trying to reach the class server {address} (up to {minutes} min)…",
        address=redact(base),
        minutes=round(patience.seconds / 60),
    )
    return _once_it_is_up(ask, words, patience)


def _once_it_is_up(ask: Callable[[], T], words: Message, patience: Patience) -> T:
    """A class often starts before its server. `words`: what is waited for. Raises Cancelled, or as `ask` in the end."""
    until, pause, is_told = time.monotonic() + patience.seconds, _AGAIN_AFTER, False
    while True:
        try:
            return ask()
        except WizardError as error:
            if error.code not in (PACK_UNREACHABLE.code, NOT_ANNOUNCED.code) or time.monotonic() >= until:
                raise
        if not is_told:
            patience.on_wait(words)
            is_told = True
        again = min(until, time.monotonic() + pause * random.uniform(0.8, 1.2))  # a room does not ask as one
        while time.monotonic() < again:
            if patience.is_cancelled():
                raise Cancelled
            time.sleep(_NAP)
        pause = min(2 * pause, _SELDOM)


def _profile_of(base: str, code: str, environment: Mapping[str, str]) -> tuple[ProfileFile, OpenPack]:
    direct = with_direct(environment, (base,))
    pack = open_pack(base, direct)
    if not pack.listing.profile_sha256.startswith(code):
        raise WizardError(
            "share-wrong-code",
            "The server {address} has another profile than the code names.",
            "Check the code and the address; nothing of it was used.",
            address=redact(base),
        )
    data = read_profile_of(pack, direct)
    signature = read_signature_of(pack, direct)
    return ProfileFile(parse_profile(data, PROFILE), data, pack.listing.profile_sha256, signature), pack


def _kept(file: ProfileFile, pack: OpenPack) -> tuple[ProfileFile, Path, OpenPack]:
    path = profile_path(file.sha256)
    try:
        put_bytes(path, file.data)
        if file.signature is not None:
            put_bytes(signature_path(path), file.signature)
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(path.parent)) from error
    return file, path, pack


def _packs(
    asked: Asked,
    file: ProfileFile,
    path: Path,
    first: OpenPack | None,
    environment: Mapping[str, str],
    look: Search,
    shares: tuple[str, ...],
) -> tuple[tuple[OpenPack, ...], tuple[Message, ...]]:
    """`first`: whoever was named; of the others those that are there. `shares`: of the profile's, those to be asked."""
    packs: dict[str, OpenPack] = {first.base: first} if first else {}
    notices = []
    may_be = [base_of(str(path.parent))] if (path.parent / LISTING).is_file() else []
    named = [base_of(address) for address in shares]
    may_be += named
    if asked.code:
        may_be += _looked_for(file, look)
    for base, pack in _opened([base for base in dict.fromkeys(may_be) if base not in packs], named, environment):
        if pack:
            packs[base] = pack
        else:
            notices.append(message("share.silent", address=redact(base)))
    return tuple(packs.values()), tuple(notices)


def _opened(
    bases: Iterable[str], named: Collection[str], environment: Mapping[str, str]
) -> Iterator[tuple[str, OpenPack | None]]:
    """All at once: one that keeps silent costs its time only once, however many there are. `named`: by the profile."""

    def opened(base: str) -> tuple[str, OpenPack | None]:
        try:
            if base in named and is_link_local(base):
                return base, None
            return base, open_pack(base, with_direct(environment, (base,)))
        except WizardError:
            return base, None

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        yield from pool.map(opened, bases)


def _looked_for(file: ProfileFile, look: Search) -> tuple[str, ...]:
    try:
        return look(file.sha256[:CODE_SIGNS])
    except WizardError:  # no multicast here: who was named by address is enough
        return ()
