"""Small files in an environment that keep others out: the user's own packages, libraries of a foreign folder.

They are the environment's own (a .pth file, its activation scripts): nothing of the user's is edited, and taking the
repair back takes them out again. sh, bash, zsh and fish filter LD_LIBRARY_PATH themselves; csh, which cannot, asks a
small script of ours.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from wizard.environment.layout import is_conda_prefix
from wizard.system import moving
from wizard.system.links import long_path

NO_USER_SITE = "torch_setup_no_user_site.pth"
# In a namespace of its own: site runs such a line inside a function, where a comprehension sees no names.
_HOOK = (
    "import sys; exec('import os, site, sys; u = site.getusersitepackages(); "
    "sys.path[:] = [p for p in sys.path if p != u and not p.startswith(u + os.sep)]', {})\n"
)
_BEGIN, _END = "# >>> torch-setup: libraries of other folders stay out >>>", "# <<< torch-setup <<<"
_FILTER = """_torch_setup_rest="${{LD_LIBRARY_PATH:-}}:"
_torch_setup_kept=""
while [ -n "$_torch_setup_rest" ]; do
    _torch_setup_one="${{_torch_setup_rest%%:*}}"
    _torch_setup_rest="${{_torch_setup_rest#*:}}"
    case "$_torch_setup_one" in
        ""|{folders}) ;;
        *) _torch_setup_kept="${{_torch_setup_kept:+$_torch_setup_kept:}}$_torch_setup_one" ;;
    esac
done
"""
_SHELL = (
    _FILTER
    + """export LD_LIBRARY_PATH="$_torch_setup_kept"
if [ -z "$_torch_setup_kept" ]; then unset LD_LIBRARY_PATH; fi
unset _torch_setup_rest _torch_setup_kept _torch_setup_one
"""
)
_FISH = """if set -q LD_LIBRARY_PATH
    set -l _torch_setup_kept
    for _torch_setup_one in (string split -- ':' $LD_LIBRARY_PATH)
        if not contains -- "$_torch_setup_one" '' {folders}
            set _torch_setup_kept $_torch_setup_kept "$_torch_setup_one"
        end
    end
    if test (count $_torch_setup_kept) -gt 0
        set -gx LD_LIBRARY_PATH (string join -- ':' $_torch_setup_kept)
    else
        set -e LD_LIBRARY_PATH
    end
end
"""
_CSH = """if ( $?LD_LIBRARY_PATH ) then
    set _torch_setup_kept = "`sh {script}`"
    if ( "$_torch_setup_kept" == "" ) then
        unsetenv LD_LIBRARY_PATH
    else
        setenv LD_LIBRARY_PATH "$_torch_setup_kept"
    endif
    unset _torch_setup_kept
endif
"""
_SCRIPT = "#!/bin/sh\n" + _FILTER + """printf '%s\\n' "$_torch_setup_kept"\n"""
_SCRIPT_NAME, _CONDA_NAME = "torch-setup-library-path", "torch-setup-libraries"


def guard_files(prefix: Path, site: Path, no_user_site: bool, folders: Iterable[str]) -> dict[Path, str]:
    """Path -> what it will say. Files that are there keep what they say, with a block of ours at the end."""
    found: dict[Path, str] = {}
    if no_user_site:
        found[site / NO_USER_SITE] = _HOOK
    dropped = tuple(folders)
    if dropped:
        found.update(_activation(prefix, dropped))
    return found


def _activation(prefix: Path, folders: tuple[str, ...]) -> dict[Path, str]:
    """For every shell: conda reads all files of its folder; a venv has a script for each shell that it knows."""
    conda = is_conda_prefix(prefix)
    script = prefix / ("etc/conda" if conda else "bin") / _SCRIPT_NAME
    blocks: dict[str, Callable[[], str]] = {
        "": lambda: shell_block(folders),
        ".fish": lambda: fish_block(folders),
        ".csh": lambda: csh_block(script),
    }
    found: dict[Path, str] = {}
    for ending, block in blocks.items():
        name = prefix / "etc" / "conda" / "activate.d" / f"{_CONDA_NAME}{ending or '.sh'}"
        path = name if conda else prefix / "bin" / f"activate{ending}"
        if conda or not ending or long_path(path).is_file():
            found[path] = with_block(_text(path), block())
    found[script] = _SCRIPT.format(folders=_quoted(folders))
    return found


def shell_block(folders: tuple[str, ...]) -> str:
    """For sh, bash and zsh: takes these folders out of LD_LIBRARY_PATH."""
    return _block(_SHELL.format(folders=_quoted(folders)))


def fish_block(folders: tuple[str, ...]) -> str:
    quoted = ("'{}'".format(folder.replace("\\", "\\\\").replace("'", "\\'")) for folder in folders)
    return _block(_FISH.format(folders=" ".join(quoted)))


def csh_block(script: Path) -> str:
    """An exclamation mark would be a word of csh's history even in quotes."""
    return _block(_CSH.format(script=shlex.quote(str(script)).replace("!", "\\!")))


def _quoted(folders: tuple[str, ...]) -> str:
    return "|".join(shlex.quote(folder) for folder in folders)


def _block(text: str) -> str:
    return f"{_BEGIN}\n{text}{_END}\n"


def with_block(text: str, block: str) -> str:
    """An older block of ours is replaced."""
    before, found, rest = text.partition(_BEGIN)
    if found:
        text = before + rest.partition(_END + "\n")[2]
    glue = "" if not text or text.endswith("\n") else "\n"
    return text + glue + block


def _text(path: Path) -> str:
    try:
        return long_path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def write_guards(files: Mapping[Path, str]) -> None:
    """Raises OSError; each file whole or as it was."""
    for path, text in files.items():
        path = long_path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        moving.write_whole(path, text.encode(), mode, unfinished=path.with_name(f"{path.name}.torch-setup-new"))
