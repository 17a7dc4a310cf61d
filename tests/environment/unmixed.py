"""Is every file of an environment either conda's or a wheel's? Read from the records of both, with their digests."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

from wizard.environment.conda.records import owners_of_files
from wizard.model.distributions import Distribution, read_distributions


def distributions(prefix: Path) -> tuple[Distribution, ...]:
    return read_distributions(prefix.glob("lib/python3.*/site-packages"))


def versions(prefix: Path) -> dict[str, str]:
    found = distributions(prefix)
    assert len({each.name for each in found}) == len(found), f"a package is there twice: {found}"
    return {each.name: each.version for each in found}


def check_unmixed(prefix: Path) -> None:
    """No path that conda's records list belongs to a wheel, and every one is as conda put it there."""
    owners = owners_of_files(prefix)
    versions(prefix)
    for each in distributions(prefix):
        if each.installer != "conda":
            written = {(each.site / entry.path).resolve().relative_to(prefix.resolve()) for entry in each.record()}
            both = [path for path in map(Path.as_posix, written) if path in owners]
            assert not both, f"{each.name} {each.version} owns {both}"
    for path in (prefix / "conda-meta").glob("*.json"):
        for entry in json.loads(path.read_text(encoding="utf-8"))["paths_data"]["paths"]:
            file, digest = _place(prefix, entry["_path"]), entry.get("sha256_in_prefix") or entry.get("sha256")
            if digest and not file.is_symlink() and not entry["_path"].endswith(".pyc"):
                assert hashlib.sha256(file.read_bytes()).hexdigest() == digest, f"{file} is not conda's any more"


def _place(prefix: Path, path: str) -> Path:
    """conda itself keeps the package's own paths for what fits any Python."""
    site = next(prefix.glob("lib/python3.*/site-packages"))
    return site / path.removeprefix("site-packages/") if path.startswith("site-packages/") else prefix / path


def pip_check(prefix: Path) -> str:
    done = subprocess.run(
        [prefix / "bin" / "python", "-I", "-m", "pip", "check"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()
