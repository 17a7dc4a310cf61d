"""What goes with the files that are handed out, made of the one version and the files themselves: for administrators.

`bill`: what is inside of a frozen folder, as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/). `winget`: the three
files of a winget manifest, schema 1.10.0 (github.com/microsoft/winget-cli, schemas/JSON/manifests; read 2026-11-23).
`intune`: how Intune installs and finds it, in Graph's words (win32LobAppRegistryRule; read 2026-11-23).
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import struct
import uuid
import zipfile
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BILLS = {"linux": "linux-x86_64", "linux-aarch64": "linux-aarch64", "windows": "windows-x86_64"}  # by the lock
IDENTIFIER = "TorchSetup.TorchSetup"
UNINSTALL_KEY = r"Software\Microsoft\Windows\CurrentVersion\Uninstall\TorchSetup"  # as torch-setup.nsi writes it
OLDEST_WINDOWS = "10.0.17763.0"
_LOCKED = re.compile(r"(?P<name>\S+)==(?P<version>\S+) --hash=sha256:(?P<hash>[0-9a-f]{64})  # (?P<wheel>\S+)")
_SYSTEM = "system-"  # before the name of a package, in the name of its notice
_OF_PYTHON = re.compile(r"libpython3\.\d+\.so[.\d]*|python3\d+\.dll", re.IGNORECASE)
_LIBRARY = re.compile(r"lib.+\.so[.\d]*|.+\.dll", re.IGNORECASE)
_SCHEMA = "1.10.0"
# Of serial numbers, any that stays: the same list has the same number.
_NAMESPACE = uuid.UUID("6f1d8e5c-5b1e-4f0e-9d0c-0b6f0a4a7a51")


def bill(into: Path, frozen: Path, version: str, date: int) -> Path:
    """Of a folder that was frozen here: what its notices name, and the libraries that lie in it."""
    is_windows = (frozen / "torch-wizard.exe").is_file()
    system = "windows" if is_windows else "linux" if platform.machine() == "x86_64" else "linux-aarch64"
    made = into / f"TorchSetup-{version}-{BILLS[system]}.cdx.json"
    inside = frozen / "_internal"
    told = dict(_notices(inside / "licences"))
    components = [*_wheels(told, system), _cpython(told["python"][0], inside), *_libraries(told, inside)]
    references = [one["bom-ref"] for one in components]
    number = uuid.uuid5(_NAMESPACE, f"{system} {version} {json.dumps(components)}")
    ours = {"type": "application", "bom-ref": "torch-setup", "name": "Torch Setup", "version": version}
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(date, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {**ours, "licenses": [{"license": {"id": "MIT"}}]},
        },
        "components": components,
        "dependencies": [{"ref": "torch-setup", "dependsOn": references}],
        # Nobody has taken apart what a wheel or a library was linked from.
        "compositions": [
            {"aggregate": "complete", "assemblies": ["torch-setup"]},
            {"aggregate": "unknown", "assemblies": references},
        ],
    }
    _write(made, document)
    return made


def _notices(licences: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """Name, version, and the third line of each notice, which for a system's package names its files."""
    for path in sorted(licences.glob("*.txt")):
        lines = path.read_text("utf-8").split("\n", 3)
        name, _, version = lines[0].partition(" ")
        if name == path.stem and name != "torch-setup":
            yield name, (version, lines[2])


def _wheels(told: Mapping[str, tuple[str, str]], system: str) -> Iterator[dict[str, Any]]:
    """With the checksum of the file where it is the one of the lock, as in what is handed out."""
    lock = (HERE / f"requirements-{system}.txt").read_text("utf-8")
    is_locked = f"for Python {told['python'][0].rpartition('.')[0]}." in lock.partition("\n")[0]
    locked = {found["name"]: found for found in _LOCKED.finditer(lock)} if is_locked else {}
    for name, (version, _) in told.items():
        if name == "python" or name.startswith(_SYSTEM):
            continue
        purl = f"pkg:pypi/{name}@{version.replace('+', '%2B')}"
        one: dict[str, Any] = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
        found = locked.get(name)
        if found and found["version"] == version:
            one["hashes"] = [{"alg": "SHA-256", "content": found["hash"]}]
            one["properties"] = [{"name": "torch-setup:wheel", "value": found["wheel"]}]
        yield one


def _cpython(version: str, inside: Path) -> dict[str, Any]:
    """Its modules and its library; that is no file of its own where Python was built without one."""
    return {
        "type": "library",
        "bom-ref": "cpython",
        "name": "CPython",
        "version": version,
        "cpe": f"cpe:2.3:a:python:python:{version}:*:*:*:*:*:*:*",
        "hashes": [_sha256(path) for path in sorted(inside.iterdir()) if _OF_PYTHON.fullmatch(path.name)][:1],
    }


def _libraries(told: Mapping[str, tuple[str, str]], inside: Path) -> Iterator[dict[str, Any]]:
    """Of the system that it was frozen on, or of Python's own installer: those that lie beside all else."""
    for path in sorted(inside.iterdir()):
        is_library = _LIBRARY.fullmatch(path.name) and path.is_file() and not path.is_symlink()
        if not is_library or _OF_PYTHON.fullmatch(path.name):
            continue
        one: dict[str, Any] = {"type": "library", "bom-ref": f"file:{path.name}", "name": path.name}
        package = _package_of(path.name, told)
        version = told[package][0] if package else _windows_version(path.read_bytes())
        if version:
            one["version"] = version
        one["hashes"] = [_sha256(path)]
        if package:
            one["properties"] = [{"name": "torch-setup:package", "value": package.removeprefix(_SYSTEM)}]
        yield one


def _package_of(library: str, told: Mapping[str, tuple[str, str]]) -> str | None:
    """The notice names what a link leads to, libz.so.1.2.13 for libz.so.1."""
    for name, (_, files) in told.items():
        if name.startswith(_SYSTEM) and any(f"{one}.".startswith(f"{library}.") for one in files.split(", ")):
            return name
    return None


def _windows_version(data: bytes) -> str | None:
    """As its makers wrote it into the file (VS_FIXEDFILEINFO); None: they did not."""
    at = data.find(b"\xbd\x04\xef\xfe\x00\x00\x01\x00")
    if at < 0 or len(data) < at + 16:
        return None
    high, low = struct.unpack_from("<II", data, at + 8)
    return ".".join(str(part) for number in (high, low) for part in (number >> 16, number & 0xFFFF))


def _sha256(path: Path) -> dict[str, str]:
    return {"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}


def winget(into: Path, installer: Path, version: str) -> Path:
    """An archive of the three files, for `winget install --manifest FOLDER` or winget's own repository."""
    made = into / f"TorchSetup-{version}-winget.zip"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in winget_files(installer, version).items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return made


def winget_files(installer: Path, version: str) -> Mapping[str, str]:
    checksum = hashlib.sha256(installer.read_bytes()).hexdigest().upper()
    repository = os.environ.get("GITHUB_REPOSITORY", "OWNER/NAME")
    url = f"https://github.com/{repository}/releases/download/v{version}/{installer.name}"
    head = f"PackageIdentifier: {IDENTIFIER}\nPackageVersion: {version}\n"
    kinds = {
        "": "DefaultLocale: en-US\nManifestType: version\n",
        ".locale.en-US": _LOCALE,
        ".installer": _INSTALLER.format(oldest=OLDEST_WINDOWS, version=version, url=url, checksum=checksum),
    }
    return {f"{IDENTIFIER}{kind}.yaml": f"{head}{text}ManifestVersion: {_SCHEMA}\n" for kind, text in kinds.items()}


_LOCALE = """PackageLocale: en-US
Publisher: Torch Setup
PackageName: Torch Setup
License: MIT
ShortDescription: Sets up PyTorch for the graphics card of this computer.
Moniker: torch-setup
ManifestType: defaultLocale
"""
# Exit statuses as the head of torch-setup.nsi names them.
_INSTALLER = """Platform:
- Windows.Desktop
MinimumOSVersion: {oldest}
InstallerType: nullsoft
Scope: user
InstallModes:
- interactive
- silent
UpgradeBehavior: install
FileExtensions:
- torchlab
ExpectedReturnCodes:
- InstallerReturnCode: 1
  ReturnResponse: cancelledByUser
- InstallerReturnCode: 4
  ReturnResponse: packageInUse
- InstallerReturnCode: 6
  ReturnResponse: systemNotSupported
AppsAndFeaturesEntries:
- DisplayName: Torch Setup
  DisplayVersion: {version}
  Publisher: Torch Setup
  ProductCode: TorchSetup
Installers:
- Architecture: x64
  InstallerUrl: {url}
  InstallerSha256: {checksum}
ManifestType: installer
"""


_FOLDER, _COPY = r"%LOCALAPPDATA%\Programs\TorchSetup", r"%TEMP%\TorchSetup-uninstall.exe"
# From a copy, and so until it is done: `uninstall.exe /S` alone answers at once (see torch-setup.nsi).
_UNINSTALL = f'cmd.exe /d /s /c "copy /y "{_FOLDER}\\uninstall.exe" "{_COPY}" >nul && "{_COPY}" /S _?={_FOLDER}"'


def intune(into: Path, installer: Path, version: str) -> Path:
    """One user's program, so it is installed and looked for as that user."""
    rule = {
        "@odata.type": "#microsoft.graph.win32LobAppRegistryRule",
        "ruleType": "detection",
        "check32BitOn64System": False,
        "keyPath": rf"HKEY_CURRENT_USER\{UNINSTALL_KEY}",
        "valueName": "DisplayVersion",
        "operationType": "version",
        "operator": "greaterThanOrEqual",
        "comparisonValue": version,
    }
    made = into / f"TorchSetup-{version}-intune.json"
    _write(
        made,
        {
            "@odata.type": "#microsoft.graph.win32LobApp",
            "displayName": "Torch Setup",
            "displayVersion": version,
            "publisher": "Torch Setup",
            "setupFilePath": installer.name,
            "installCommandLine": f"{installer.name} /S",
            "uninstallCommandLine": _UNINSTALL,
            "installExperience": {"runAsAccount": "user", "deviceRestartBehavior": "suppress"},
            "minimumSupportedWindowsRelease": "1809",
            "returnCodes": [
                {"returnCode": 0, "type": "success"},
                {"returnCode": 4, "type": "retry"},
                *({"returnCode": code, "type": "failed"} for code in (1, 2, 5, 6)),
            ],
            "rules": [rule],
        },
    )
    return made


def _write(path: Path, document: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json.dumps(document, indent=1).encode() + b"\n")
