"""A Debian package of what the archive holds, for Debian 12 and newer and its kin: `build.py deb`.

The program lies as a whole in /usr/lib/torch-setup; only what it does not bring is a dependency, read from its own
files. No script runs at its installation: menus, types and icons are Debian's own triggers. Not a package of
Debian's archive: that would want each library as a package of its own.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import elf

NAME = "torch-setup"
MAINTAINER = "Torch Setup <maintainers@torch-setup.example>"
# Libraries of the desktop, which PyInstaller leaves to it. One that is neither here nor in the folder stops the build.
_PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb.so.1": "libxcb1",
}
_OF_LIBC = ("ld-linux", "libc.", "libdl.", "libm.", "libpthread.", "libresolv.", "librt.", "libutil.")
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_CONTROL = """\
Package: {name}
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: {depends}
Recommends: ca-certificates, fonts-noto-cjk
Section: science
Priority: optional
Description: set up PyTorch for the graphics card of this computer
 A wizard that looks at the graphics card, driver and system of this computer,
 picks the newest PyTorch build that really runs there and says why, downloads
 it with resume and checksums, makes an environment with its own Python, and
 ends with a test on the card.
 .
 Qt and the Python that it runs in come with it.
"""
_OTHERS = """\
What comes with it has licences of its own; the texts and the places of the sources are in the folder licences beside
this file. Qt, PySide6 and shiboken6: LGPL version 3, /usr/share/common-licenses/LGPL-3 and GPL-3. zeroconf: LGPL
version 2.1 or later, /usr/share/common-licenses/LGPL-2.1. Qt and zeroconf are files that others may take the place of.
"""
# The program is frozen: what it is made of comes as its makers built it, with its own libraries beside it.
_OVERRIDES = (
    "custom-library-search-path",
    "embedded-library",
    "hardening-no-pie",
    "library-not-linked-against-libc",
    "script-not-executable",
    "shared-library-lacks-prerequisites",
    "unusual-interpreter",
)


def dependencies(program: Path) -> Iterator[str]:
    """Packages of what the folder needs and does not hold. Raise LookupError for a library of no known package."""
    floor, _ = elf.glibc_floor(program)
    yield f"libc6 (>= {floor[0]}.{floor[1]})"
    files = [path for path in program.rglob("*") if path.is_file()]
    here = {path.name for path in files}
    wanted = {name for path in files if not path.is_symlink() for name in elf.needed_libraries(path.read_bytes())}
    outside = sorted(name for name in wanted - here if not name.startswith(_OF_LIBC))
    unknown = [name for name in outside if name not in _PACKAGES]
    if unknown:
        raise LookupError(f"of which package are {', '.join(unknown)}?")
    yield from sorted({_PACKAGES[name] for name in outside})


def arrange(laid_out: Path, root: Path, manual: Path, changes: Path, version: str, date: int) -> None:
    """From the archive's folder to Debian's places. `changes`: what is new, as the sources tell it."""
    ours, documents = root / "usr/lib" / NAME, root / "usr/share/doc" / NAME
    ours.mkdir(parents=True)
    for name in ("program", "torch-wizard"):
        (laid_out / name).rename(ours / name)
    (laid_out / "share").rename(root / "usr/share")
    documents.mkdir(parents=True)
    (root / "usr/bin").mkdir()
    (root / "usr/bin/torch-wizard").symlink_to(f"../lib/{NAME}/torch-wizard")
    (documents / "licences").symlink_to(f"../../../lib/{NAME}/program/_internal/licences")
    _pack(root / "usr/share/man/man1/torch-wizard.1.gz", manual.read_text("utf-8"))
    day = datetime.fromtimestamp(date, timezone.utc).strftime("%a, %d %b %Y %H:%M:%S +0000")
    head = f"{NAME} ({version}) unstable; urgency=medium"
    entry = f"{head}\n\n  * What is new stands in NEWS.gz.\n\n -- {MAINTAINER}  {day}\n"
    _pack(documents / "changelog.gz", entry)
    _pack(documents / "NEWS.gz", changes.read_text("utf-8"))
    own = (ours / "program/_internal/licences/torch-setup.txt").read_text("utf-8")
    (documents / "copyright").write_text(f"{own}\n{_OTHERS}", "utf-8")
    overrides = root / "usr/share/lintian/overrides" / NAME
    overrides.parent.mkdir(parents=True)
    overrides.write_text("".join(f"{NAME}: {tag}\n" for tag in _OVERRIDES), "ascii")


def _pack(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))


def build(root: Path, made: Path, version: str, machine: str, date: int, level: int) -> None:
    """The package of a folder that is arranged; the same bytes every time."""
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    control = root / "DEBIAN"
    control.mkdir()
    sums = (f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n" for path in files)
    (control / "md5sums").write_text("".join(sums), "utf-8")
    (control / "control").write_text(
        _CONTROL.format(
            name=NAME,
            version=version,
            architecture=ARCHITECTURES[machine],
            maintainer=MAINTAINER,
            size=sum(path.stat().st_size for path in files) >> 10,
            depends=", ".join(dependencies(root / "usr/lib" / NAME / "program")),
        ),
        "utf-8",
    )
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 and ".so" not in path.name else 0o644)
    command = ["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{level}", "--build", str(root), str(made)]
    subprocess.run(command, env=dict(os.environ, SOURCE_DATE_EPOCH=str(date)), stdout=subprocess.DEVNULL, check=True)
