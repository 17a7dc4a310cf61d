"""Signatures of class profiles: Ed25519 in the files of minisign, so that `minisign -V` can check them too.

`class.torchlab.minisig` lies beside the profile and signs its bytes. A signature says which key, not who holds it.
Formats: https://jedisct1.github.io/minisign/#signature-format (read 2026-11-22). Keys with a password are not read.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from dataclasses import dataclass
from pathlib import Path

from wizard.model.errors import ErrorText, UsageError

SIGNATURE_KEY_BAD = ErrorText(
    "signature-key-bad",
    "{path} is not a key in minisign's form.",
    "A public key is one line that begins with RW, as [the page {page.class} shows|`torch-wizard profile key` "
    "prints] it.",
)


SIGNATURE_BAD = ErrorText(
    "signature-bad",
    "The signature of the class profile is wrong: the profile was changed after it was "
    "signed, or the signature is damaged.",
    "Get the profile and its .minisig file again from your teacher; nothing was changed.",
)

ENDING = ".minisig"
LARGEST_BYTES = 4096
_PLAIN, _HASHED = b"Ed", b"ED"  # of the bytes themselves, or of their BLAKE2b-512 (minisign's own since 0.10)
_NO_PASSWORD, _CHECKSUM = b"\0\0", b"B2"
_UNTRUSTED, _TRUSTED = "untrusted comment: ", "trusted comment: "
_KEY_BYTES, _SIGNATURE_BYTES, _SECRET_BYTES = 42, 74, 158


@dataclass(frozen=True, slots=True)
class PublicKey:
    """`number`: 8 bytes by which minisign finds the key; it proves nothing."""

    number: bytes
    key: bytes

    @property
    def text(self) -> str:
        """As minisign's option -P takes it."""
        return base64.b64encode(_PLAIN + self.number + self.key).decode()

    @property
    def fingerprint(self) -> str:
        """For people to compare: 80 bits, `3f9a 22b1 07cd 91ee 5d0c`."""
        digest = hashlib.sha256(self.key).hexdigest()
        return " ".join(digest[start : start + 4] for start in range(0, 20, 4))


@dataclass(frozen=True, slots=True)
class SecretKey:
    number: bytes
    seed: bytes  # 32 bytes
    public: PublicKey


def new_key() -> SecretKey:
    return _secret_key(secrets.token_bytes(8), secrets.token_bytes(32))


def _secret_key(number: bytes, seed: bytes) -> SecretKey:
    from nacl.signing import SigningKey

    return SecretKey(number, seed, PublicKey(number, bytes(SigningKey(seed).verify_key)))


def secret_text(key: SecretKey) -> str:
    """A key file without a password."""
    pair = key.seed + key.public.key
    checksum = hashlib.blake2b(_PLAIN + key.number + pair, digest_size=32).digest()
    data = _PLAIN + _NO_PASSWORD + _CHECKSUM + bytes(48) + key.number + pair + checksum
    return f"{_UNTRUSTED}secret key of Torch Setup\n{base64.b64encode(data).decode()}\n"


def public_text(key: PublicKey) -> str:
    return f"{_UNTRUSTED}public key of Torch Setup\n{key.text}\n"


def parse_secret(text: str, path: str) -> SecretKey:
    """Raises UsageError `signature-key-bad`, `signature-key-locked`."""
    data = _decoded(text, _SECRET_BYTES)
    if data is None or data[:2] != _PLAIN or data[4:6] != _CHECKSUM:
        raise UsageError(SIGNATURE_KEY_BAD, path=path)
    if data[2:4] != _NO_PASSWORD:
        raise UsageError(
            "signature-key-locked",
            "The key in {path} has a password, which this program does not ask for.",
            "Sign with minisign itself (“`minisign -S`”), or put a key without a password there.",
            path=path,
        )
    key = _secret_key(data[54:62], data[62:94])
    checksum = hashlib.blake2b(data[:2] + data[54:126], digest_size=32).digest()
    if data[126:] not in (checksum, bytes(32)) or data[94:126] != key.public.key:  # minisign -W leaves it out
        raise UsageError(SIGNATURE_KEY_BAD, path=path)
    return key


def parse_public(text: str) -> PublicKey:
    """From a key file or its one line. Raises UsageError `signature-key-bad`."""
    data = _decoded(text, _KEY_BYTES)
    if data is None or data[:2] != _PLAIN:
        raise UsageError(SIGNATURE_KEY_BAD, path=text.strip()[:80])
    return PublicKey(data[2:10], data[10:])


def _decoded(text: str, size: int) -> bytes | None:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(_UNTRUSTED)]
    try:
        data = base64.b64decode(lines[0].strip(), validate=True) if len(lines) == 1 else b""
    except (binascii.Error, ValueError):
        return None
    return data if len(data) == size else None


def sign(data: bytes, key: SecretKey, comment: str) -> bytes:
    """The signature file. `comment`: one line, signed as well. The key lies in it in the open, so that whoever sees it
    first can remember it; minisign passes over that line."""
    from nacl.signing import SigningKey

    signing = SigningKey(key.seed)
    signature = bytes(signing.sign(hashlib.blake2b(data).digest()).signature)
    whole = bytes(signing.sign(signature + comment.encode()).signature)
    lines = (
        f"{_UNTRUSTED}{key.public.text}",
        base64.b64encode(_HASHED + key.number + signature).decode(),
        f"{_TRUSTED}{comment}",
        base64.b64encode(whole).decode(),
    )
    return ("\n".join(lines) + "\n").encode()


def verify(data: bytes, signature: bytes, key: PublicKey | None = None) -> PublicKey:
    """The key that has signed; `key` None: the one that the signature itself brings. Raises UsageError
    `signature-bad`, `signature-other-key`, `signature-no-key`."""
    first, block, comment, whole = _parts(signature)
    if key is None:
        key = _key_within(first)
    if block[2:10] != key.number:
        raise UsageError(
            "signature-other-key",
            "The class profile is signed with another key than {fingerprint}.",
            "Ask whoever gave you the profile which key they use; nothing was changed.",
            fingerprint=key.fingerprint,
        )
    signed = hashlib.blake2b(data).digest() if block[:2] == _HASHED else data
    if not (_is_right(key, signed, block[10:]) and _is_right(key, block[10:] + comment, whole)):
        raise UsageError(SIGNATURE_BAD)
    return key


def _parts(signature: bytes) -> tuple[str, bytes, bytes, bytes]:
    """(first comment, algorithm with key number and signature, signed comment, signature over both)."""
    try:
        first, block, comment, whole = signature.decode().splitlines()
        decoded = [base64.b64decode(text, validate=True) for text in (block, whole)]
    except (ValueError, binascii.Error) as error:
        raise UsageError(SIGNATURE_BAD, details=repr(error)) from error
    is_whole = len(signature) <= LARGEST_BYTES and [len(data) for data in decoded] == [_SIGNATURE_BYTES, 64]
    is_named = first.startswith(_UNTRUSTED) and comment.startswith(_TRUSTED)
    if not is_whole or not is_named or decoded[0][:2] not in (_PLAIN, _HASHED):
        raise UsageError(SIGNATURE_BAD, details="not in minisign's form")
    return first.removeprefix(_UNTRUSTED), decoded[0], comment.removeprefix(_TRUSTED).encode(), decoded[1]


def _key_within(comment: str) -> PublicKey:
    try:
        return parse_public(comment)
    except UsageError as error:
        raise UsageError(
            "signature-no-key",
            "The class profile is signed with a key that this computer does not know, and the "
            "signature does not name it.",
            "Ask your teacher for a profile whose signature names its key; nothing was changed[| (in a terminal: "
            "torch-wizard profile verify FILE --key KEY takes a key that you were given)].",
        ) from error


def _is_right(key: PublicKey, data: bytes, signature: bytes) -> bool:
    from nacl.exceptions import BadSignatureError
    from nacl.signing import VerifyKey

    try:
        VerifyKey(key.key).verify(data, signature)
    except BadSignatureError:
        return False
    return True


def signature_path(profile: Path) -> Path:
    return profile.with_name(profile.name + ENDING)
