"""What administrators get beside the files: what is inside, winget's manifest, Intune's rule, a signature."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ruamel.yaml import YAML

import wizard
from tests.test_version import INSTALLER, load
from tests.tools import path_of

NAME = f"TorchSetup-{wizard.__version__}"
SCRIPT = (INSTALLER / "torch-setup.nsi").read_text(encoding="utf-8")


@pytest.fixture
def made(builder: ModuleType, tmp_path: Path) -> Path:
    (tmp_path / f"{NAME}-windows-x86_64.exe").write_bytes(b"MZ")
    assert builder.main(["papers", "--into", str(tmp_path)]) == 0
    return tmp_path


ONLY_FOR_BUILDING = {"altgraph", "pefile", "pyinstaller-hooks-contrib", "pywin32-ctypes", "setuptools"}
_SYSTEMS = [("linux", "x86_64"), ("linux-aarch64", "aarch64"), ("windows", "x86_64")]


def _locked(system: str) -> dict[str, str]:
    """Line by name, of what the program takes along."""
    lines = (INSTALLER / f"requirements-{system}.txt").read_text(encoding="utf-8").splitlines()[1:]
    return {name: line for line in lines if (name := line.partition("==")[0]) not in ONLY_FOR_BUILDING}


def _frozen(folder: Path, system: str) -> Path:
    """A frozen folder in small, with the notices that the build writes."""
    inside = folder / "TorchSetup" / "_internal"
    (inside / "licences").mkdir(parents=True)
    notices = [(name, line.split()[0].partition("==")[2], "MIT") for name, line in _locked(system).items()]
    notices += [("python", "3.12.11", "PSF"), ("torch-setup", wizard.__version__, "MIT")]
    if system == "windows":
        (inside.parent / "torch-wizard.exe").write_bytes(b"MZ")
        fixed = b"\xbd\x04\xef\xfe\x00\x00\x01\x00" + struct.pack("<II", 3 << 16, 15 << 16)
        (inside / "libcrypto-3.dll").write_bytes(b"MZ" + fixed)
        (inside / "python312.dll").write_bytes(b"MZ python")
    else:
        notices += [("system-libssl3", "3.0.17-1~deb12u2", "libcrypto.so.3, libssl.so.3.0.17")]
        (inside / "libpython3.12.so.1.0").write_bytes(b"python")
        for name in ("libcrypto.so.3", "libssl.so.3", "libnobody.so.1"):
            (inside / name).write_bytes(name.encode())
        (inside / "libQt6Core.so.6").symlink_to("PySide6/Qt/lib/libQt6Core.so.6")
    (inside / "_cffi_backend.cpython-312-x86_64-linux-gnu.so").write_bytes(b"of a wheel")
    for name, version, text in notices:
        (inside / "licences" / f"{name}.txt").write_text(f"{name} {version}\n\n{text}\n", encoding="utf-8")
    for name in ("README.txt", "LGPL-3.0.txt"):
        (inside / "licences" / name).write_text("A text\n\nof many lines\n", encoding="utf-8")
    return inside.parent


@pytest.fixture(params=_SYSTEMS, ids=[system for system, _ in _SYSTEMS])
def bill(
    request: pytest.FixtureRequest, builder: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> tuple[str, Path]:
    """The system, and its bill as the hosted workflow makes it there."""
    system, machine = request.param
    monkeypatch.setattr(platform, "machine", lambda: machine)
    frozen = _frozen(tmp_path, system)
    assert builder.main(["sbom", "--from", str(frozen), "--into", str(tmp_path)]) == 0
    path = tmp_path / f"{NAME}-{system.partition('-')[0]}-{machine}.cdx.json"
    first = path.read_bytes()
    assert builder.main(["sbom", "--from", str(frozen), "--into", str(tmp_path)]) == 0
    assert path.read_bytes() == first, "the same twice"
    return system, path


def test_all_that_is_inside_is_in_the_bill(bill: tuple[str, Path]) -> None:
    """And what only builds is not."""
    system, path = bill
    document = json.loads(path.read_text(encoding="utf-8"))
    components = {one["name"]: one for one in document["components"]}
    wheels = [one for one in document["components"] if one.get("purl", "").startswith("pkg:pypi/")]
    form = "{0[name]}=={0[version]} --hash=sha256:{0[hashes][0][content]}  # {0[properties][0][value]}"
    listed = {form.format(one) for one in wheels}
    assert listed == set(_locked(system).values())
    assert "setuptools" not in components
    python = components["CPython"]
    library = b"MZ python" if system == "windows" else b"python"
    assert (python["version"], python["hashes"][0]["content"]) == ("3.12.11", hashlib.sha256(library).hexdigest())
    others = {name: one.get("version") for name, one in components.items() if one not in wheels and one != python}
    if system == "windows":
        assert others == {"libcrypto-3.dll": "3.0.15.0"}
    else:
        openssl = "3.0.17-1~deb12u2"
        assert others == {"libcrypto.so.3": openssl, "libssl.so.3": openssl, "libnobody.so.1": None}
        assert components["libssl.so.3"]["hashes"][0]["content"] == hashlib.sha256(b"libssl.so.3").hexdigest()
    references = [one["bom-ref"] for one in document["components"]]
    assert len(references) == len(set(references))
    assert document["dependencies"] == [{"ref": document["metadata"]["component"]["bom-ref"], "dependsOn": references}]
    whole, unknown = document["compositions"]
    assert (whole["aggregate"], whole["assemblies"]) == ("complete", ["torch-setup"])
    assert (unknown["aggregate"], unknown["assemblies"]) == ("unknown", references)


def test_the_bill_is_valid_cyclonedx(bill: tuple[str, Path]) -> None:
    """By CycloneDX's own validator, whose grammars take seconds to read: not while tests are collected."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill[1].read_text("utf-8")) is None


def test_who_froze_another_python_than_the_locks_gets_no_checksum_of_a_wheel_that_is_not_inside(
    builder: ModuleType, tmp_path: Path
) -> None:
    frozen = _frozen(tmp_path, "windows")
    (frozen / "_internal" / "licences" / "python.txt").write_text("python 3.11.9\n\nPSF\n", encoding="utf-8")
    assert builder.main(["sbom", "--from", str(frozen), "--into", str(tmp_path)]) == 0
    document = json.loads((tmp_path / f"{NAME}-windows-x86_64.cdx.json").read_text(encoding="utf-8"))
    assert {one["name"] for one in document["components"] if "hashes" in one} == {"CPython", "libcrypto-3.dll"}


# Of winget's schema 1.10.0: what each file must have.
_REQUIRED = {
    "version": {"DefaultLocale"},
    "defaultLocale": {"PackageLocale", "Publisher", "PackageName", "License", "ShortDescription"},
    "installer": {"Installers"},
}


def _manifests(made: Path) -> dict[str, dict[str, Any]]:
    with zipfile.ZipFile(made / f"{NAME}-winget.zip") as archive:
        read = [YAML(typ="safe").load(archive.read(name).decode()) for name in archive.namelist()]
        assert sorted(archive.namelist()) == [
            "TorchSetup.TorchSetup.installer.yaml",
            "TorchSetup.TorchSetup.locale.en-US.yaml",
            "TorchSetup.TorchSetup.yaml",
        ]
    return {one["ManifestType"]: one for one in read}


def test_winget_gets_the_three_files_that_it_wants(made: Path) -> None:
    manifests = _manifests(made)
    assert set(manifests) == set(_REQUIRED)
    for kind, manifest in manifests.items():
        assert _REQUIRED[kind] <= set(manifest)
        assert manifest["PackageVersion"] == wizard.__version__
        assert re.fullmatch(r"[^.\s]{1,32}(\.[^.\s]{1,32}){1,7}", manifest["PackageIdentifier"])
        assert re.fullmatch(r"\d+\.\d+\.\d+", manifest["ManifestVersion"])
    assert manifests["version"]["DefaultLocale"] == manifests["defaultLocale"]["PackageLocale"]
    assert 3 <= len(manifests["defaultLocale"]["ShortDescription"]) <= 256
    (installer,) = manifests["installer"]["Installers"]
    assert set(installer) == {"Architecture", "InstallerUrl", "InstallerSha256"}
    assert re.fullmatch(r"[A-F0-9]{64}", installer["InstallerSha256"])
    assert installer["InstallerUrl"].endswith(f"/releases/download/v{wizard.__version__}/{NAME}-windows-x86_64.exe")


def test_what_is_said_of_the_installer_is_what_its_script_does(made: Path) -> None:
    manifest = _manifests(made)["installer"]
    assert (manifest["InstallerType"], manifest["Scope"]) == ("nullsoft", "user")
    assert "RequestExecutionLevel user" in SCRIPT
    (entry,) = manifest["AppsAndFeaturesEntries"]
    assert f'!define KEY "{entry["ProductCode"]}"' in SCRIPT
    assert f'!define PRODUCT "{entry["DisplayName"]}"' in SCRIPT
    codes = {one["InstallerReturnCode"]: one["ReturnResponse"] for one in manifest["ExpectedReturnCodes"]}
    assert codes == {1: "cancelledByUser", 4: "packageInUse", 6: "systemNotSupported"}
    for words in ("1 cancelled", "4 the program is running", "6 this Windows is too old"):
        assert words in SCRIPT


def test_intune_finds_what_the_installer_writes(made: Path) -> None:
    app = json.loads((made / f"{NAME}-intune.json").read_text(encoding="utf-8"))
    (rule,) = app["rules"]
    assert rule["@odata.type"] == "#microsoft.graph.win32LobAppRegistryRule"
    assert set(rule) - {"@odata.type"} == {
        "ruleType",
        "check32BitOn64System",
        "keyPath",
        "valueName",
        "operationType",
        "operator",
        "comparisonValue",
    }
    assert rule["comparisonValue"] == app["displayVersion"] == wizard.__version__
    key = rule["keyPath"].removeprefix("HKEY_CURRENT_USER\\").removesuffix("\\TorchSetup")
    assert f'!define UNINSTALL_KEY "{key}\\${{KEY}}"' in SCRIPT
    assert f'WriteRegStr HKCU "${{UNINSTALL_KEY}}" "{rule["valueName"]}"' in SCRIPT
    assert app["installExperience"]["runAsAccount"] == "user"
    assert app["installCommandLine"] == f"{app['setupFilePath']} /S"
    assert "_?=" in app["uninstallCommandLine"]


def test_without_an_installer_there_are_no_papers(builder: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="there is no"):
        builder.main(["papers", "--into", str(tmp_path)])


def test_everything_is_in_the_sums(made: Path, builder: ModuleType) -> None:
    text = builder.sums(made).read_text()
    assert {line.split()[1] for line in text.splitlines()} == {path.name for path in made.iterdir()} - {"SHA256SUMS"}


# -- the signature of SHA256SUMS -----------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="a key there wants rights that only its own tools set")
def test_everybody_can_check_the_sums(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the very command of docs/download.md."""
    keygen, sign, sums = path_of("ssh-keygen"), load("sign", monkeypatch), tmp_path / "SHA256SUMS"
    sums.write_text("0" * 64 + "  x\n")
    monkeypatch.delenv("TORCH_SETUP_SUMS_KEY", raising=False)
    assert sign.main([str(sums)]) == 0
    assert "not signed" in capsys.readouterr().out
    for name in ("right", "wrong"):
        subprocess.run([keygen, "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)], check=True)
    public = (tmp_path / "right.pub").read_text()
    (tmp_path / "allowed_signers").write_text(f'torch-setup namespaces="file" {public}')
    monkeypatch.setattr(sign, "SIGNERS", tmp_path / "allowed_signers")
    monkeypatch.setenv("TORCH_SETUP_SUMS_KEY", (tmp_path / "wrong").read_text())
    with pytest.raises(SystemExit, match="does not hold this key"):
        sign.main([str(sums)])
    assert not (tmp_path / "SHA256SUMS.sig").exists()
    monkeypatch.setenv("TORCH_SETUP_SUMS_KEY", (tmp_path / "right").read_text())
    assert sign.main([str(sums)]) == 0
    document = (INSTALLER.parents[1] / "docs" / "download.md").read_text(encoding="utf-8")
    (command, _) = re.findall(r"`(ssh-keygen -Y verify [^`]+)`", document)
    for content, status in (("0" * 64 + "  x\n", 0), ("1" * 64 + "  x\n", 255)):
        sums.write_text(content)
        done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) == (status == 0), done.stdout + done.stderr
