"""Signs what is handed out, where the keys are given: Windows programs, and SHA256SUMS for everybody.

`python resources/installer/sign.py FILE...`: programs. TORCH_SETUP_CERTIFICATE is a PKCS#12 file in base64,
TORCH_SETUP_CERTIFICATE_PASSWORD its password, TORCH_SETUP_TIMESTAMP the address of a time stamp service. Without a
certificate nothing is signed, and that is said. Needs `signtool` of the Windows SDK.

`python resources/installer/sign.py FOLDER/SHA256SUMS`: makes SHA256SUMS.sig with `ssh-keygen`, which Windows 10 and
most Linux systems have, so that everybody can check it (docs/download.md). TORCH_SETUP_SUMS_KEY is an OpenSSH private
key (Ed25519) without a password; its public half stands in `allowed_signers` here, or nothing is signed.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SIGNERS = Path(__file__).resolve().with_name("allowed_signers")
SIGNER, NAMESPACE = "torch-setup", "file"


def signtool() -> str:
    kits = Path(os.environ.get("PROGRAMFILES(X86)", "C:/Program Files (x86)"), "Windows Kits", "10", "bin")
    found = shutil.which("signtool") or next(map(str, sorted(kits.glob("*/x64/signtool.exe"), reverse=True)), None)
    if found is None:
        raise SystemExit("signtool was not found: install the Windows SDK")
    return found


def timestamp() -> str:
    """Without a time stamp a signature ends with its certificate."""
    service = os.environ.get("TORCH_SETUP_TIMESTAMP")
    if not service:
        raise SystemExit("TORCH_SETUP_TIMESTAMP is not set: a signature without a time stamp ends with its certificate")
    return service


def sign(files: list[str], certificate: bytes) -> None:
    """The password goes by an argument: signtool takes it in no other way; the file lives for that long only."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "certificate.pfx")
        path.write_bytes(certificate)
        command = [signtool(), "sign", "/q", "/fd", "SHA256", "/f", str(path)]
        if password := os.environ.get("TORCH_SETUP_CERTIFICATE_PASSWORD"):
            command += ["/p", password]
        command += ["/tr", timestamp(), "/td", "SHA256"]
        if subprocess.run([*command, *files], check=False).returncode != 0:
            raise SystemExit("signing failed")  # without the command: the password is in it


def sign_sums(sums: Path, key: str) -> Path:
    """Check it as a user would, too: a signature that nobody can check is worse than none."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "key")
        path.touch(mode=0o600)
        path.write_text(key.strip() + "\n", encoding="ascii")
        made = sums.with_name(f"{sums.name}.sig")
        made.unlink(missing_ok=True)
        command = ["ssh-keygen", "-Y", "sign", "-q", "-f", str(path), "-n", NAMESPACE, str(sums)]
        if subprocess.run(command, check=False).returncode != 0:
            raise SystemExit("signing failed")
    check = ["ssh-keygen", "-Y", "verify", "-f", str(SIGNERS), "-I", SIGNER, "-n", NAMESPACE, "-s", str(made)]
    with sums.open("rb") as stream:
        if subprocess.run(check, stdin=stream, check=False).returncode != 0:
            made.unlink()
            raise SystemExit(f"{SIGNERS.name} does not hold this key")
    return made


def main(files: list[str]) -> int:
    if [Path(name).name for name in files] == ["SHA256SUMS"] and Path(files[0]).is_file():
        key = os.environ.get("TORCH_SETUP_SUMS_KEY", "")
        print(f"signed: {sign_sums(Path(files[0]), key)}" if key else "not signed: no key was given")
        return 0
    given = os.environ.get("TORCH_SETUP_CERTIFICATE", "")
    missing = [name for name in files if not Path(name).is_file()]
    if missing or not files:
        raise SystemExit(f"nothing to sign: {', '.join(missing) or 'no file named'}")
    if not given:
        print("not signed: no certificate was given")
        return 0
    sign(files, base64.b64decode(given))
    print(f"signed: {', '.join(files)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
