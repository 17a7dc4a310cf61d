"""A module file for an environment: `module load NAME` switches it on, on clusters with Lmod or Environment Modules.

Text only. It does what the environment's own activation does, and leaves the user's own packages out: what lies in
~/.local of one user must not break what all share. Two of them are never loaded together, whatever they are called: the
first Python on the PATH would run with the other's variables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from wizard.environment.layout import is_conda_prefix

FAMILY = "pytorch"  # of which one module is loaded at a time
_BARE = re.compile(r"[^\w.+-]")


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """`what`: one line for `module whatis`. `is_conda`: of the two variables by which programs find an environment."""

    prefix: Path
    what: str
    is_conda: bool

    @property
    def variable(self) -> str:
        return "CONDA_PREFIX" if self.is_conda else "VIRTUAL_ENV"


def module_facts(prefix: Path, torch: str | None, python: str | None) -> ModuleFacts:
    inside = [f"PyTorch {torch}" if torch else "", f"Python {python}" if python else ""]
    return ModuleFacts(prefix, ", ".join(part for part in inside if part) or prefix.name, is_conda_prefix(prefix))


def lua_module(facts: ModuleFacts) -> str:
    """Return the module file for Lmod; of its family one is loaded at a time."""
    prefix = lua_quoted(str(facts.prefix))
    return f"""-- Written by Torch Setup. Lmod reads it; its name must end in .lua
help({lua_quoted(f"{facts.what}: {facts.prefix}")})
whatis({lua_quoted("Name: " + facts.prefix.name)})
whatis({lua_quoted("Description: " + facts.what)})
family("{FAMILY}")
local prefix = {prefix}
prepend_path("PATH", pathJoin(prefix, "bin"))
setenv("{facts.variable}", prefix)
setenv("PYTHONNOUSERSITE", "1")
"""


def tcl_module(facts: ModuleFacts) -> str:
    """Return the module file for Environment Modules, also before 5.1, which knows no families."""
    prefix = tcl_quoted(str(facts.prefix))
    help_text = tcl_quoted(f"{facts.what}: {facts.prefix}")
    return f"""#%Module1.0
# Written by Torch Setup. Environment Modules and Lmod read it.
proc ModulesHelp {{}} {{
    puts stderr {help_text}
}}
module-whatis {tcl_quoted(facts.what)}
set prefix {prefix}
if {{[llength [info commands family]]}} {{
    family {FAMILY}
}} elseif {{[module-info mode load] && [info exists env(TORCH_SETUP_MODULE)]}} {{
    # Environment Modules before 5.1 knows no families.
    puts stderr "Another PyTorch is loaded ($env(TORCH_SETUP_MODULE)): unload its module first."
    break
}}
setenv TORCH_SETUP_MODULE $prefix
prepend-path PATH $prefix/bin
setenv {facts.variable} $prefix
setenv PYTHONNOUSERSITE 1
"""


def lua_quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def tcl_quoted(text: str) -> str:
    """Quote a text for Tcl: inside double quotes these signs begin something."""
    return '"' + re.sub(r'([\\"$\[\]{};])', r"\\\1", text) + '"'


def module_name(path: Path) -> str:
    """Return the name as `module load` takes it: for Lmod without its suffix, and a version (`torch/2.14`) with its
    folder."""
    name = path.stem if path.suffix == ".lua" else path.name
    return f"{path.parent.name}/{name}" if name[:1].isdigit() and path.parent.name else name


def modules_folder(path: Path) -> Path:
    """Return what `module use` takes."""
    return path.parents[1] if "/" in module_name(path) else path.parent


def usual_name(prefix: Path, is_lua: bool) -> str:
    return _BARE.sub("-", prefix.name) + (".lua" if is_lua else "")
