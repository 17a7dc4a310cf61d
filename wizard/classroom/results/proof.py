"""Proofs of results: which computer wrote one, that nothing in it was changed, and that it belongs to the class.

A computer's number is the hash of its public key, and it signs its result together with a challenge of the server that
is good once: nobody else can write, change or send again its row. That it belongs to the class is shown by the key
behind the code's `+`, which only whoever saw the admin's screen knows. It keeps nothing secret.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from wizard.classroom.code import KEY_SIGNS
from wizard.classroom.pack.files import put_bytes
from wizard.classroom.pack.listing import REFUSED, RESULTS_KEY
from wizard.model.messages import Message, message
from wizard.model.typed import from_own_json
from wizard.system import paths

CHALLENGE = "results/challenge"  # where a server hands one out
LONGEST_CHALLENGE = 72
NONE, OWN, CLASS, FORGED = "none", "own", "class", "forged"
# Each guess costs some hundredths of a second.
_KEY = re.compile(f"^[0-9a-f]{{{KEY_SIGNS}}}$")
_CHALLENGE_SECONDS = 120
_MOST_REFUSED_BYTES = 256 * 1024
_Hex = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]*$", max_length=200)]


@dataclass(frozen=True, slots=True)
class Proof:
    """`challenge` "" where there is no server; `mac` "" where the class's key is not known."""

    challenge: _Hex
    key: _Hex
    signature: _Hex
    mac: _Hex = ""


@dataclass(frozen=True, slots=True)
class MachineKey:
    """A computer's own key for one class, made of 32 bytes that it keeps."""

    seed: bytes

    @property
    def public(self) -> bytes:
        from nacl.signing import SigningKey

        return bytes(SigningKey(self.seed).verify_key)

    @property
    def machine(self) -> str:
        return machine_of(self.public)

    def proof(self, statement: Mapping[str, Any], challenge: str, class_key: str) -> Proof:
        """`statement`: what the result says, as `Certificate.statement`."""
        from nacl.signing import SigningKey

        said = _signed_bytes(statement, challenge)
        signature = bytes(SigningKey(self.seed).sign(said).signature).hex()
        mac = _mac(said, class_key, str(statement["profile_sha256"])) if class_key else ""
        return Proof(challenge, self.public.hex(), signature, mac)


def machine_of(public: bytes) -> str:
    return hashlib.sha256(public).hexdigest()[:32]


def standing(statement: Mapping[str, Any], proof: Proof | None, class_key: str) -> str:
    """Return `class`: of this computer and of the class; `own`: of this computer; `none`: anybody's; `forged`: it says
    to be of a computer that did not write it, or was changed on the way."""
    if proof is None:
        return NONE
    from nacl.exceptions import CryptoError
    from nacl.signing import VerifyKey

    said = _signed_bytes(statement, proof.challenge)
    try:
        public = bytes.fromhex(proof.key)
        VerifyKey(public).verify(said, bytes.fromhex(proof.signature))
    except (CryptoError, ValueError, TypeError):
        return FORGED
    if machine_of(public) != statement["machine"]:
        return FORGED
    right = _mac(said, class_key, str(statement["profile_sha256"])) if class_key and proof.mac else ""
    return CLASS if right and hmac.compare_digest(right, proof.mac) else OWN


@dataclass(frozen=True, slots=True)
class Proofs:
    """`standings`: by the certificates' file names. `has_class_key`: students can be asked for the key of the class."""

    standings: Mapping[str, str]
    has_class_key: bool

    def doubt(self, filename: str) -> tuple[Message, ...]:
        """Return what the admin should know of that one; () where all is proven that can be."""
        found = self.standings.get(filename, NONE)
        if found == CLASS or (found == OWN and not self.has_class_key):
            return ()
        if found == OWN:
            return (
                message(
                    "share.why.own",
                    "This result is not signed for the class: only the first part of its code was typed.",
                ),
            )
        return (
            message("share.why.unproven", "This result is not signed: anybody on this network could have sent it."),
        )


def _signed_bytes(statement: Mapping[str, Any], challenge: str) -> bytes:
    said = json.dumps(statement, sort_keys=True, separators=(",", ":"))
    return f"torch-setup result 1\n{challenge}\n{said}".encode()


def _mac(said: bytes, class_key: str, profile_sha256: str) -> str:
    return hmac.new(_stretched(class_key, profile_sha256), said, hashlib.sha256).hexdigest()


@cache
def _stretched(class_key: str, profile_sha256: str) -> bytes:
    """A short key, so that it can be typed: whoever has seen a result must not find it by trying all."""
    return hashlib.scrypt(class_key.encode(), salt=profile_sha256.encode(), n=1 << 14, r=8, p=1, dklen=32)


class Challenges:
    """Those of one server. It remembers those that were used, not those that were asked for: anybody may ask."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._secret, self._clock = secrets.token_bytes(32), clock
        self._used: dict[str, float] = {}

    def new(self) -> str:
        made = f"{int(self._clock()) & 0xFFFFFFFF:08x}{secrets.token_hex(16)}"
        return made + self._seal(made)

    def use(self, challenge: str) -> bool:
        """Return whether it is ours, young, and was not used before."""
        made, seal = challenge[:40], challenge[40:]
        if len(made) != 40 or not hmac.compare_digest(seal, self._seal(made)):
            return False
        now = self._clock()
        self._used = {one: when for one, when in self._used.items() if now - when <= _CHALLENGE_SECONDS}
        if challenge in self._used or not 0 <= int(now) - int(made[:8], 16) <= _CHALLENGE_SECONDS:
            return False
        self._used[challenge] = now
        return True

    def _seal(self, made: str) -> str:
        return hmac.new(self._secret, made.encode(), hashlib.sha256).hexdigest()[:32]


# -- the class's key


def class_key_of(folder: Path) -> str:
    """Of a pack that is served from here; "" where it has none."""
    with contextlib.suppress(OSError, UnicodeDecodeError), (folder / RESULTS_KEY).open(encoding="ascii") as stream:
        kept = stream.read(KEY_SIGNS + 2).strip()
        return kept if _KEY.match(kept) else ""
    return ""


def made_class_key(folder: Path) -> str:
    """That of a pack, made when it is first asked for; "" where nothing can be written there."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder / RESULTS_KEY, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(secrets.token_hex(KEY_SIGNS // 2) + "\n")
    return class_key_of(folder)


def remember_class_key(profile_sha256: str, class_key: str) -> None:
    """What was typed behind the code, for the result at the end. Raises OSError."""
    put_bytes(_remembered(profile_sha256), class_key.encode())


def remembered_class_key(profile_sha256: str) -> str:
    """Return the class's key as it was typed on this computer; "" where none was."""
    with contextlib.suppress(OSError, ValueError), _remembered(profile_sha256).open(encoding="ascii") as stream:
        kept = stream.read(KEY_SIGNS + 1)
        return kept if _KEY.match(kept) else ""
    return ""


def _remembered(profile_sha256: str) -> Path:
    return paths.home() / "profiles" / f"{profile_sha256}.results-key"


# -- what was refused

Reason = Literal["forged", "replayed"]


@dataclass(frozen=True, slots=True)
class RefusedResult:
    """`machine`: the first eight signs of the one that it says to be of. `received`: in seconds since 1970."""

    received: float
    client: str
    machine: str
    reason: Reason

    @property
    def words(self) -> Message:
        """Return one sentence for the admin: who sent it, for which computer, and why it was refused."""
        if self.reason == "forged":
            return message(
                "share.refused.forged",
                "A result from {client} was refused: the computer {machine}, which it names, did not write it so.",
                client=self.client,
                machine=self.machine,
            )
        return message(
            "share.refused.replayed",
            "A result from {client} for the computer {machine} was refused: it was sent before, or is too old.",
            client=self.client,
            machine=self.machine,
        )


def note_refused(folder: Path, refused: RefusedResult) -> None:
    """Keep it for the room page, up to some thousands. Raises OSError."""
    path = folder / REFUSED
    with path.open("ab") as stream:
        if stream.tell() < _MOST_REFUSED_BYTES:
            stream.write(msgspec.json.encode(refused) + b"\n")


def read_refused(folder: Path) -> tuple[RefusedResult, ...]:
    """Return the refused results that are noted beside a pack; damaged lines are passed over."""
    found = []
    with contextlib.suppress(OSError), (folder / REFUSED).open("rb") as stream:
        for line in stream.read(_MOST_REFUSED_BYTES + 1000).splitlines():
            with contextlib.suppress(ValueError, RecursionError):
                found.append(from_own_json(line, RefusedResult))
    return tuple(found)
