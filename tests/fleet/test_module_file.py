"""Module files: loaded and unloaded by the real Environment Modules, and read by a real Lua."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clone import typed
from tests.stand_in import install, make_environment
from tests.tools import needs
from wizard.environment.activate.scripts import (
    ModuleFacts,
    lua_module,
    module_name,
    modules_folder,
    tcl_module,
    usual_name,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modules are for Linux")
ODD = 'a "b" $HOME [pwd] {c} \\n ;d 深度'
_MODULES = Path("/usr/lib/x86_64-linux-gnu/modulecmd.tcl")
# What Lmod gives to a module file, writing down what it is asked.
_LMOD = """
function help() end
function whatis() end
function family(name) print("family", name) end
function pathJoin(a, b) return a .. "/" .. b end
function prepend_path(name, value) print("prepend", name, value) end
function setenv(name, value) print("set", name, value) end
dofile(arg[1])
"""


@needs("modulecmd")
def test_the_real_modules_load_and_unload_it(tmp_path: Path) -> None:
    prefix = tmp_path / ODD
    (prefix / "bin").mkdir(parents=True)
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "torch").write_text(tcl_module(ModuleFacts(prefix, "PyTorch [exit] $x", False)))
    script = """
        eval "$("$MODULES" bash load torch)"; printf '%s\\n' "${PATH%%:*}" "$VIRTUAL_ENV" "$PYTHONNOUSERSITE"
        eval "$("$MODULES" bash unload torch)"; printf '%s\\n' "${VIRTUAL_ENV-gone}"
        "$MODULES" bash whatis torch
    """
    variables = {
        "PATH": os.environ["PATH"],
        "MODULEPATH": str(tmp_path / "modules"),
        "HOME": str(tmp_path),
        "MODULES": str(_MODULES),
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(["bash", "-c", script], env=variables, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == [f"{prefix}/bin", str(prefix), "1", "gone"], done.stderr
    assert "PyTorch [exit] $x" in done.stderr


@needs("modulecmd")
@pytest.mark.parametrize("before", ["", "rename family {}\n"], ids=["families", "before 5.1"])
def test_two_of_them_are_never_loaded_together(tmp_path: Path, before: str) -> None:
    """Whatever they are called. `before` makes the real Modules one that knows no families, as it was until 5.1."""
    folder = tmp_path / "modules"
    for name in ("torch/2.13", "torch/2.14", "course"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        text = tcl_module(ModuleFacts(tmp_path / name, "PyTorch", False))
        (folder / name).write_text(text.replace("\n", f"\n{before}", 1))
    script = """
        load() { eval "$("$MODULES" bash load "$1")"; printf '%s\\n' "$VIRTUAL_ENV" "$LOADEDMODULES"; }
        load torch/2.13; load torch/2.14; load course
        eval "$("$MODULES" bash unload torch/2.13)"; load course
    """
    variables = {"PATH": os.environ["PATH"], "MODULEPATH": str(folder), "HOME": str(tmp_path), "MODULES": str(_MODULES)}
    done = subprocess.run(["bash", "-c", script], env=variables, capture_output=True, text=True, timeout=60)
    first = [str(tmp_path / "torch/2.13"), "torch/2.13"]
    why = f"Another PyTorch is loaded ({first[0]})" if before else "cannot be loaded due to a conflict"
    assert done.stdout.splitlines() == [*first * 3, str(tmp_path / "course"), "course"], done.stderr
    assert done.stderr.count(why) == 2


@needs("lua")
def test_a_real_lua_reads_it(tmp_path: Path) -> None:
    prefix = tmp_path / ODD
    (tmp_path / "lmod.lua").write_text(_LMOD)
    (tmp_path / "torch.lua").write_text(lua_module(ModuleFacts(prefix, 'what "is" it\\', True)))
    done = subprocess.run(
        ["lua", str(tmp_path / "lmod.lua"), str(tmp_path / "torch.lua")], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines() == [
        "family\tpytorch",
        f"prepend\tPATH\t{prefix}/bin",
        f"set\tCONDA_PREFIX\t{prefix}",
        "set\tPYTHONNOUSERSITE\t1",
    ], done.stderr


def test_by_the_command_line(tmp_path: Path) -> None:
    prefix = tmp_path / "deep learning"
    make_environment(prefix)
    install(prefix, "torch", "2.13.0+cpu", do="work", cuda=None)

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return typed("--lang", "en", "envs", "module", str(prefix), *arguments)

    shown = call()
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith("#%Module")
    assert "PyTorch 2.13.0+cpu, Python 3." in shown.stdout
    saved = call("-o", str(tmp_path), "--format", "lua")
    assert saved.returncode == 0, saved.stderr
    written = tmp_path / "deep-learning.lua"
    assert written.read_text().startswith("-- Written")
    assert "module load deep-learning" in saved.stderr
    named = call("-o", str(tmp_path / "modulefiles" / "torch" / "2.14"))
    assert named.returncode == 0, "as in the documentation: " + named.stderr
    assert "module load torch/2.14" in named.stderr
    again = call("-o", str(written))
    assert again.returncode == 2
    assert "there already" in again.stderr


def test_names() -> None:
    for name in ("2.13.lua", "2.13"):
        assert module_name(Path("/m/torch", name)) == "torch/2.13"
        assert modules_folder(Path("/m/torch", name)) == Path("/m")
    assert module_name(Path("/m/deep.lua")) == "deep"
    assert modules_folder(Path("/m/deep.lua")) == Path("/m")
    assert usual_name(Path("/e/a b"), is_lua=True) == "a-b.lua"
