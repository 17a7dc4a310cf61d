"""What administrators get beside the files: what is inside, winget's manifest, Intune's rule, a signature."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
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


@pytest.mark.parametrize(
    ("system", "named"),
    [("linux", "linux-x86_64"), ("linux-aarch64", "linux-aarch64"), ("windows", "windows-x86_64")],
)
def test_all_that_is_locked_is_in_the_bill(made: Path, system: str, named: str) -> None:
    """The form is CycloneDX 1.6: these fields are required or have a fixed form there."""
    bill = json.loads((made / f"{NAME}-{named}.cdx.json").read_text(encoding="utf-8"))
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"])
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", bill["metadata"]["timestamp"])
    assert bill["metadata"]["component"]["version"] == wizard.__version__
    lock = (INSTALLER / f"requirements-{system}.txt").read_text(encoding="utf-8").splitlines()[1:]
    listed = [
        f"{one['name']}=={one['version']} --hash=sha256:{found['content']}  # {wheel['value']}"
        for one in bill["components"]
        for found, wheel in zip(one["hashes"], one["properties"], strict=True)
    ]
    assert listed == lock
    assert {one["type"] for one in bill["components"]} == {"library"}
    references = [one["bom-ref"] for one in bill["components"]]
    assert len(references) == len(set(references))
    assert all(re.fullmatch(r"pkg:pypi/[a-z0-9-]+@[\w.%-]+", one["purl"]) for one in bill["components"])
    assert bill["dependencies"] == [{"ref": bill["metadata"]["component"]["bom-ref"], "dependsOn": references}]


def test_the_bill_is_valid_cyclonedx(made: Path) -> None:
    """By CycloneDX's own validator."""
    bills = sorted(made.glob("*.cdx.json"))
    assert len(bills) == 3
    for bill in bills:
        checked = JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill.read_text("utf-8"))
        assert checked is None


def test_a_bill_is_the_same_twice(made: Path, builder: ModuleType, tmp_path: Path) -> None:
    assert builder.main(["sbom", "--into", str(tmp_path / "again")]) == 0
    for path in made.glob("*.cdx.json"):
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()


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
