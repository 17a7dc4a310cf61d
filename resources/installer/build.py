"""Makes what is handed out: `python resources/installer/build.py freeze | tar | deb | windows | sbom | papers | sums`.

The hosted workflow runs these same commands, so everything that it does can be done at a desk. `freeze` needs the
extra `freeze`, `windows` needs NSIS (`makensis`, 3.08 or newer). Nothing is signed and nothing is sent here.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path

import archive
import deb
import elf
import papers
import windows_files

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LINUX = ROOT / "resources" / "linux"
DIST = ROOT / "dist"
MEBIBYTE = 1 << 20
MOST_MEBIBYTES = 240
# Where git knows no date (a copy without history): the day of the first release's branch.
SOME_DATE = 1_790_000_000


def version() -> str:
    text = (ROOT / "wizard" / "__init__.py").read_text("utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    if found is None:
        raise LookupError("wizard/__init__.py has no __version__")
    return found[1]


def date() -> int:
    """Of the sources, not of this minute: what is built twice is the same twice."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        said = ""
    return int(said) if said.isdigit() else SOME_DATE


def mebibytes(folder: Path) -> int:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return round(sum(path.stat().st_size for path in files) / MEBIBYTE)


def freeze(into: Path) -> Path:
    """PyInstaller with a clean slate; a folder made earlier is replaced when the new one is whole."""
    into.mkdir(parents=True, exist_ok=True)
    target = into / "TorchSetup"
    # PYTHONHASHSEED: the order of sets ends up in byte code.
    environment = dict(os.environ, PYTHONHASHSEED="0", SOURCE_DATE_EPOCH=str(date()))
    with tempfile.TemporaryDirectory(dir=into) as scratch:
        command = [
            sys.executable,
            "-m",
            "PyInstaller",
            "--noconfirm",
            "--log-level",
            "WARN",
            "--distpath",
            f"{scratch}/dist",
            "--workpath",
            f"{scratch}/work",
            str(ROOT / "build_installer.spec"),
        ]
        subprocess.run(command, env=environment, cwd=scratch, check=True)
        shutil.rmtree(target, ignore_errors=True)
        Path(scratch, "dist", "TorchSetup").rename(target)
    size = mebibytes(target)
    print(f"{target}: {size} MB")
    if size > MOST_MEBIBYTES and sys.platform != "win32":
        raise SystemExit(f"more than {MOST_MEBIBYTES} MB: something came in that nobody needs")
    return target


def lay_out(frozen: Path, target: Path, *, as_copies: bool = False) -> None:
    """What the Linux archive unpacks to: the program, its launcher, and what a desktop wants to know.

    As links to the frozen files where the disk can, unless their modes are to be changed (`as_copies`)."""
    floor, why = elf.glibc_floor(frozen)
    print(f"glibc {floor[0]}.{floor[1]} or newer ({why.relative_to(frozen)})")
    shutil.copytree(
        frozen, target / "program", symlinks=True, copy_function=shutil.copy2 if as_copies else _link_or_copy
    )
    day = datetime.fromtimestamp(date(), timezone.utc).date().isoformat()
    filled = {
        "@FLOOR@": f"{floor[0]}.{floor[1]}",
        "@VERSION@": version(),
        "@DATE@": day,
        "@MACHINE@": platform.machine(),
    }
    for name, place, mode in (
        ("torch-wizard.sh", "torch-wizard", 0o755),
        ("install.sh", "install.sh", 0o755),
        ("README.txt", "README.txt", 0o644),
        ("torch-setup.desktop", "share/applications/torch-setup.desktop", 0o644),
        ("torch-setup.metainfo.xml", "share/metainfo/torch-setup.metainfo.xml", 0o644),
        ("torch-setup.mime.xml", "share/mime/packages/torch-setup.xml", 0o644),
    ):
        text = (LINUX / name).read_text("utf-8")
        for blank, value in filled.items():
            text = text.replace(blank, value)
        path = target / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        path.chmod(mode)
    icon = target / "share/icons/hicolor/scalable/apps/torch-setup.svg"
    icon.parent.mkdir(parents=True)
    shutil.copyfile(ROOT / "resources" / "icons" / "app.svg", icon)
    (target / "licences").symlink_to("program/_internal/licences")


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk
        shutil.copy2(source, target)


def tar(frozen: Path, into: Path, preset: int) -> Path:
    into.mkdir(parents=True, exist_ok=True)
    made = into / f"TorchSetup-{version()}-linux-{platform.machine()}.tar.xz"
    top = f"TorchSetup-{version()}"
    with tempfile.TemporaryDirectory(dir=into) as scratch:
        lay_out(frozen, Path(scratch, top))
        archive.pack(Path(scratch, top), made, top, date(), preset)
    print(f"{made}: {made.stat().st_size / MEBIBYTE:.1f} MB")
    return made


def debian_package(frozen: Path, into: Path, preset: int) -> Path:
    """Beside the archive, from the same folder."""
    into.mkdir(parents=True, exist_ok=True)
    machine = platform.machine()
    made = into / f"TorchSetup-{version()}-linux-{deb.ARCHITECTURES[machine]}.deb"
    with tempfile.TemporaryDirectory(dir=into) as scratch:
        root = Path(scratch, "root")
        lay_out(frozen, Path(scratch, "archive"), as_copies=True)
        root.mkdir()
        manual, changes = LINUX / "torch-wizard.1", ROOT / "CHANGELOG.md"
        deb.arrange(Path(scratch, "archive"), root, manual, changes, version(), date())
        deb.build(root, made, version(), machine, date(), preset)
    print(f"{made}: {made.stat().st_size / MEBIBYTE:.1f} MB")
    return made


def nsis_definitions(payload: Path, made: Path, icon: Path, side: Path) -> Iterable[str]:
    """What the script cannot know: the version, where things are, how large they are, what lies at the top."""
    values = {
        "VERSION": version(),
        "VERSION_FOUR": ".".join(map(str, windows_files.four_numbers(version()))),
        "PAYLOAD": str(payload),
        "OUTPUT": str(made),
        "ICON": str(icon),
        "SIDE": str(side),
        "SIZE_KB": str(max(1, sum(path.stat().st_size for path in payload.rglob("*") if path.is_file()) >> 10)),
    }
    if os.environ.get("TORCH_SETUP_CERTIFICATE"):
        values["SIGN"] = f'"{sys.executable}" "{HERE / "sign.py"}"'
    if has_64_bit_stub():
        values["TARGET"] = "amd64-unicode"
    return [f"-D{name}={value}" for name, value in values.items()]


def has_64_bit_stub() -> bool:
    """Debian's NSIS makes 64-bit installers; the one from its own site makes 32-bit ones, which do the same."""
    said = subprocess.run([str(makensis()), "-HDRINFO"], capture_output=True, text=True, check=False).stdout
    folder = re.search(r"NSISDIR=([^,\n]+)", said)
    return folder is not None and Path(folder[1], "Stubs", "lzma_solid-amd64-unicode").is_file()


def makensis() -> Path:
    usual = Path(os.environ.get("PROGRAMFILES(X86)", "C:/Program Files (x86)"), "NSIS", "makensis.exe")
    found = shutil.which("makensis") or (str(usual) if usual.is_file() else None)
    if found is None:
        raise SystemExit("makensis was not found: install NSIS 3.08 or newer (Debian: apt-get install nsis)")
    return Path(found)


def windows(frozen: Path, into: Path) -> Path:
    """The installer; works on Linux too, for a folder that was frozen on Windows."""
    into.mkdir(parents=True, exist_ok=True)
    made = into / f"TorchSetup-{version()}-windows-x86_64.exe"
    with tempfile.TemporaryDirectory(dir=into) as scratch:
        icon, side = Path(scratch, "app.ico"), Path(scratch, "side.bmp")
        windows_files.make_icon(ROOT / "resources" / "icons" / "app.svg", icon)
        windows_files.make_side_picture(ROOT / "resources" / "icons" / "app.svg", side)
        script = str(HERE / "torch-setup.nsi")
        definitions = nsis_definitions(frozen.resolve(), made.resolve(), icon, side)
        options = ["-V2", "-WX", "-INPUTCHARSET", "UTF8", *definitions]
        # Its own options begin with a slash on Windows and with a dash everywhere; the dash works on both.
        subprocess.run(
            [str(makensis()), *options, script], check=True, env=dict(os.environ, SOURCE_DATE_EPOCH=str(date()))
        )
    print(f"{made}: {made.stat().st_size / MEBIBYTE:.1f} MB")
    return made


def write_papers(folder: Path) -> None:
    """What administrators install by; of the installer that lies there."""
    installer = folder / f"TorchSetup-{version()}-windows-x86_64.exe"
    if not installer.is_file():
        raise SystemExit(f"there is no {installer}")
    made = [papers.winget(folder, installer, version()), papers.intune(folder, installer, version())]
    print("\n".join(map(str, made)))


def sums(folder: Path) -> Path:
    """SHA256SUMS of what is handed out, as `sha256sum -c` reads it."""
    files = sorted(path for path in folder.iterdir() if path.name.startswith("TorchSetup-") and path.is_file())
    if not files:
        raise SystemExit(f"nothing to hand out in {folder}")
    made = folder / "SHA256SUMS"
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    made.write_bytes("".join(lines).encode("ascii"))
    print("".join(lines), end="")
    return made


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Makes the folder, the Linux archive and the Windows installer.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, words in (
        ("freeze", "the folder TorchSetup, for this system"),
        ("tar", "the archive for Linux"),
        ("deb", "the package for Debian and Ubuntu"),
        ("windows", "the installer for Windows, from a folder that was frozen there"),
        ("sbom", "what is inside, as CycloneDX"),
        ("papers", "what winget and Intune install the installer by"),
        ("sums", "SHA256SUMS of all that is handed out"),
    ):
        command = commands.add_parser(name, help=words)
        command.add_argument("--into", type=Path, default=DIST, metavar="FOLDER")
        if name in ("tar", "deb", "windows", "sbom"):
            command.add_argument("--from", dest="frozen", type=Path, default=DIST / "TorchSetup", metavar="FOLDER")
        if name in ("tar", "deb"):
            command.add_argument("--preset", type=int, default=6, help="of xz; 0 is quick and large")
    wanted = parser.parse_args(argv)
    if wanted.command == "freeze":
        freeze(wanted.into)
    elif wanted.command == "tar":
        tar(wanted.frozen, wanted.into, wanted.preset)
    elif wanted.command == "deb":
        debian_package(wanted.frozen, wanted.into, wanted.preset)
    elif wanted.command == "windows":
        windows(wanted.frozen, wanted.into)
    elif wanted.command == "sbom":
        print(papers.bill(wanted.into, wanted.frozen, version(), date()))
    elif wanted.command == "papers":
        write_papers(wanted.into)
    else:
        sums(wanted.into)
    return 0


if __name__ == "__main__":
    sys.exit(main())
