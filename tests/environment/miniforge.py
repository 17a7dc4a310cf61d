"""A loopback "Miniforge": releases as the official place has them, and an installer that behaves like the real one.

The installer is a shell script (`-b -p PREFIX`) with a payload behind it; it refuses what the real one refuses and
puts the stand-in conda into the prefix.
"""

from __future__ import annotations

import hashlib
import platform
import random
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.servers.fault_server import Faults, FaultServer
from wizard.app.use.miniforge import InstallerPlaces
from wizard.environment.conda.miniforge import miniforge_table
from wizard.machine.host.operating_system import normal_arch
from wizard.system import paths

VERSION = "26.3.2-3"
NAME = miniforge_table().row(paths.os_name(), normal_arch(platform.machine())).filename(VERSION)
_PROJECT = Path(__file__).resolve().parents[2]
_SCRIPT = """#!/bin/sh
BATCH=0
while getopts "bp:" option; do
    case "$option" in b) BATCH=1;; p) PREFIX="$OPTARG";; *) exit 1;; esac
done
[ "$BATCH" = 1 ] || {{ echo "this would ask" >&2; exit 3; }}
case "$PREFIX" in *\\ *) echo "ERROR: Cannot install into directories with spaces" >&2; exit 1;; esac
[ -e "$PREFIX" ] && {{ echo "ERROR: File or directory already exists: '$PREFIX'" >&2; exit 1; }}
mkdir -p "$PREFIX" || exit 1
echo "PREFIX=$PREFIX"
env > "$PREFIX/environment"
mkdir "$PREFIX/pkgs" && echo half > "$PREFIX/pkgs/half"
{middle}
cd {project} && {python} -c 'import sys; from pathlib import Path; from tests.stand_in.conda import StandInConda
StandInConda(Path(sys.argv[1])).install({behaviour})' "$PREFIX" || exit 1
echo "installation finished."
exit 0
"""


def installer(middle: str = "", behaviour: str = "", payload: int = 3_000_000) -> bytes:
    """`middle` runs when the prefix is half made; `behaviour` is the stand-in conda's."""
    script = _SCRIPT.format(
        middle=middle, project=shlex.quote(str(_PROJECT)), python=shlex.quote(sys.executable), behaviour=behaviour
    )
    return script.encode() + b"# payload\n" + random.Random(payload).randbytes(payload)


@dataclass(frozen=True)
class Releases:
    """What lies on the server, and where the program is told to look."""

    server: FaultServer
    data: bytes

    @property
    def places(self) -> InstallerPlaces:
        return InstallerPlaces(f"{self.server.root}/releases/latest", (f"{self.server.root}/mirror/",))

    @property
    def file(self) -> str:
        return f"/releases/download/{VERSION}/{NAME}"

    @property
    def mirrored(self) -> str:
        return f"/mirror/{NAME}"


def publish(server: FaultServer, data: bytes, sha256: str | None = None) -> Releases:
    tag = server.add(f"/releases/tag/{VERSION}", b"<html>Release</html>")
    server.add("/releases/latest", b"", Faults(redirect=tag))
    releases = Releases(server, data)
    server.add(releases.file, data)
    server.add(releases.mirrored, data)
    digest = sha256 or hashlib.sha256(data).hexdigest()
    server.add(f"{releases.file}.sha256", f"{digest}  ./{NAME}\n".encode())
    return releases
