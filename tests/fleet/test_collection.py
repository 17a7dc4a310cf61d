"""The collection as a whole: its documentation, the role's options, what a linter says, and what Galaxy would get."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from tests.clone import ROOT, tracked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Ansible runs on Linux")
COLLECTION = ROOT / "resources" / "ansible"
ROLE = COLLECTION / "roles" / "torch_setup"


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def role_options() -> dict[str, Any]:
    options: dict[str, Any] = read(ROLE / "meta" / "argument_specs.yml")["argument_specs"]["main"]["options"]
    return options


@pytest.fixture(scope="module")
def module() -> ModuleType:
    path = COLLECTION / "plugins" / "modules" / "torch_setup.py"
    spec = importlib.util.spec_from_file_location("torch_setup_module", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture
def collections(tmp_path: Path) -> Path:
    """A folder of collections with ours in it, as git has it."""
    for name in tracked("resources/ansible"):
        target = tmp_path / "ansible_collections/torch_setup/torch" / Path(name).relative_to("resources/ansible")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    return tmp_path


def run(collections: Path, name: str, *arguments: str) -> str:
    programs = Path(sys.executable).parent
    done = subprocess.run(
        [str(programs / name), *arguments],
        cwd=collections / "ansible_collections/torch_setup/torch",
        env={
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "ANSIBLE_COLLECTIONS_PATH": str(collections),
            "ANSIBLE_HOME": str(collections / "home"),
            "HOME": str(collections / "home"),
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_documentation_has_every_option(module: ModuleType) -> None:
    documented = yaml.safe_load(module.DOCUMENTATION)["options"]
    taken = module.spec_of_options()
    assert set(taken) == set(documented)
    for name, spec in taken.items():
        told = {key: documented[name].get(key) for key in ("type", "choices", "default", "elements")}
        assert told == {key: spec.get(key) for key in told}, name
    assert yaml.safe_load(module.EXAMPLES)
    assert yaml.safe_load(module.RETURN)


def test_the_role_has_every_option_of_the_module(module: ModuleType) -> None:
    options = role_options()
    for name, spec in module.spec_of_options().items():
        assert f"torch_setup_{name}" in options, name
        told = options[f"torch_setup_{name}"]
        assert told["type"] == spec["type"], name
        for key in ("choices", "elements", "no_log"):
            assert told.get(key) == spec.get(key), (name, key)
    defaults = read(ROLE / "defaults" / "main.yml")
    assert set(options) - set(defaults) == {"torch_setup_language"}, "left to the host's own"
    assert set(defaults) <= set(options)
    for name, told in options.items():
        assert told.get("default", defaults.get(name)) == defaults.get(name), name


@pytest.mark.parametrize("file", ["linux.yml", "windows.yml"])
def test_every_option_of_the_role_is_used(file: str) -> None:
    """On Windows but those that are refused or that there are not."""
    told = "".join((ROLE / name).read_text(encoding="utf-8") for name in (f"tasks/{file}", "vars/main.yml"))
    unused = {name for name in role_options() if name not in told}
    if file == "windows.yml":
        assert unused == {"torch_setup_shared", "torch_setup_profile_dest"}
    else:
        assert unused == {"torch_setup_windows_program", "torch_setup_windows_profile"}


def test_a_linter_finds_nothing(collections: Path) -> None:
    """By the strictest profile, without the network."""
    run(collections, "ansible-lint", "--offline", "--strict", ".")


def test_galaxy_can_take_it(collections: Path) -> None:
    run(collections, "ansible-galaxy", "collection", "build", "--output-path", str(collections))
    [made] = collections.glob("torch_setup-torch-*.tar.gz")
    with tarfile.open(made) as tar:
        names = set(tar.getnames())
    ours = {str(Path(name).relative_to("resources/ansible")) for name in tracked("resources/ansible")}
    assert ours - names == {"galaxy.yml", ".ansible-lint"}
    assert "roles/torch_setup/README.md" in names, "galaxy-importer takes no role without one"
    told = read(COLLECTION / "galaxy.yml")
    assert all(told[key] for key in ("readme", "authors", "description", "license", "tags", "repository"))


def test_the_script_for_windows_is_powershell() -> None:
    """By a parser of the language; PowerShell itself is not here, so nothing of it is run."""
    import tree_sitter
    import tree_sitter_powershell

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
    script = (ROLE / "files" / "setup.ps1").read_bytes()
    assert not parser.parse(script).root_node.has_error
    assert parser.parse(script.replace(b"} else {", b"} els {", 1)).root_node.has_error, "it does see mistakes"


def test_what_a_windows_host_is_told(collections: Path) -> None:
    """The words of the command, rendered by Ansible itself as for a host that is reached by WinRM."""
    [task] = [one for one in read(ROLE / "tasks/windows.yml") if "ansible.windows.win_powershell" in one]
    book = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {
            **read(ROLE / "defaults" / "main.yml"),
            **read(ROLE / "vars" / "main.yml"),
            **task["vars"],
            "ansible_python_interpreter": sys.executable,
            "torch_setup_profile": "class.torchlab",
            "torch_setup_packages": ["torchvision", "numpy"],
            "torch_setup_trust": ["one.example"],
            "torch_setup_torch_index": "https://wheels.example/a b",
        },
        "tasks": [
            {"ansible.builtin.assert": {"that": "torch_setup_on_windows"}, "vars": {"ansible_connection": "winrm"}},
            {"ansible.builtin.assert": {"that": "not torch_setup_on_windows"}},
            {
                "ansible.builtin.copy": {
                    "content": "{{ torch_setup_windows_words | to_json }}",
                    "dest": str(collections / "words"),
                    "mode": "0644",
                }
            },
        ],
    }
    (collections / "play.yml").write_text(yaml.safe_dump([book], sort_keys=False), encoding="utf-8")
    run(collections, "ansible-playbook", "-i", "localhost,", "-c", "local", str(collections / "play.yml"))
    assert yaml.safe_load((collections / "words").read_text(encoding="utf-8")) == [
        "setup",
        "--events",
        "--profile=C:\\ProgramData\\class.torchlab",
        "--label=localhost",
        "--with=torchvision,numpy",
        "--torch-index=https://wheels.example/a b",
        "--trust=one.example",
    ]
