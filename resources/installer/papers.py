"""What goes with the files that are handed out, each made of the one version and the locks: lists for administrators.

`bills`: what is inside, as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/), for each system. `winget`: the three
files of a winget manifest, schema 1.10.0 (github.com/microsoft/winget-cli, schemas/JSON/manifests; read 2026-11-23).
`intune`: how Intune installs and finds it, in Graph's words (win32LobAppRegistryRule; read 2026-11-23).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import uuid
import zipfile
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BILLS = {"linux": "linux-x86_64", "linux-aarch64": "linux-aarch64", "windows": "windows-x86_64"}  # by the lock
IDENTIFIER = "TorchSetup.TorchSetup"
UNINSTALL_KEY = r"Software\Microsoft\Windows\CurrentVersion\Uninstall\TorchSetup"  # as torch-setup.nsi writes it
OLDEST_WINDOWS = "10.0.17763.0"
_LOCKED = re.compile(r"(?P<name>\S+)==(?P<version>\S+) --hash=sha256:(?P<hash>[0-9a-f]{64})  # (?P<wheel>\S+)")
_SCHEMA = "1.10.0"
# Of serial numbers, any that stays: the same list has the same number.
_NAMESPACE = uuid.UUID("6f1d8e5c-5b1e-4f0e-9d0c-0b6f0a4a7a51")


def bills(into: Path, version: str, date: int) -> list[Path]:
    made = []
    for system, named in BILLS.items():
        path = into / f"TorchSetup-{version}-{named}.cdx.json"
        _write(path, bill(system, version, date))
        made.append(path)
    return made


def bill(system: str, version: str, date: int) -> dict[str, Any]:
    lock = (HERE / f"requirements-{system}.txt").read_text("utf-8")
    components = [_component(found) for found in _LOCKED.finditer(lock)]
    number = uuid.uuid5(_NAMESPACE, f"{system} {version} {hashlib.sha256(lock.encode()).hexdigest()}")
    ours = {"type": "application", "bom-ref": "torch-setup", "name": "Torch Setup", "version": version}
    return {
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
        "dependencies": [{"ref": "torch-setup", "dependsOn": [one["bom-ref"] for one in components]}],
    }


def _component(found: re.Match[str]) -> dict[str, Any]:
    purl = f"pkg:pypi/{found['name']}@{found['version'].replace('+', '%2B')}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": found["name"],
        "version": found["version"],
        "purl": purl,
        "hashes": [{"alg": "SHA-256", "content": found["hash"]}],
        "properties": [{"name": "torch-setup:wheel", "value": found["wheel"]}],
    }


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
