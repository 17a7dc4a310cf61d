"""Small files in an environment that keep others out: the user's own packages, libraries of a foreign folder.

They are the environment's own (a .pth file, its activation script): nothing of the user's is edited, and taking the
repair back takes them out again.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from wizard.environments.layout import is_conda_prefix

NO_USER_SITE = "torch_setup_no_user_site.pth"
# In a namespace of its own: site runs such a line inside a function, where a comprehension sees no names.
_HOOK = (
    "import sys; exec('import os, site, sys; u = site.getusersitepackages(); "
    "sys.path[:] = [p for p in sys.path if p != u and not p.startswith(u + os.sep)]', {})\n"
)
_BEGIN, _END = "# >>> torch-setup: libraries of other folders stay out >>>", "# <<< torch-setup <<<"
_SHELL = """{begin}
_torch_setup_rest="${{LD_LIBRARY_PATH:-}}:"
_torch_setup_kept=""
while [ -n "$_torch_setup_rest" ]; do
    _torch_setup_one="${{_torch_setup_rest%%:*}}"
    _torch_setup_rest="${{_torch_setup_rest#*:}}"
    case "$_torch_setup_one" in
        ""|{folders}) ;;
        *) _torch_setup_kept="${{_torch_setup_kept:+$_torch_setup_kept:}}$_torch_setup_one" ;;
    esac
done
if [ -n "$_torch_setup_kept" ]; then export LD_LIBRARY_PATH="$_torch_setup_kept"; else unset LD_LIBRARY_PATH; fi
unset _torch_setup_rest _torch_setup_kept _torch_setup_one
{end}
"""


def guard_files(prefix: Path, site: Path, no_user_site: bool, folders: Iterable[str]) -> dict[Path, str]:
    """Path -> what it will say. Files that are there keep what they say, with a block of ours at the end."""
    found: dict[Path, str] = {}
    if no_user_site:
        found[site / NO_USER_SITE] = _HOOK
    dropped = tuple(folders)
    if dropped:
        path = activation_file(prefix)
        found[path] = with_block(_text(path), shell_block(dropped))
    return found


def activation_file(prefix: Path) -> Path:
    if is_conda_prefix(prefix):
        return prefix / "etc" / "conda" / "activate.d" / "torch-setup-libraries.sh"
    return prefix / "bin" / "activate"


def shell_block(folders: tuple[str, ...]) -> str:
    """For sh, bash and zsh: takes these folders out of LD_LIBRARY_PATH."""
    quoted = "|".join(shlex.quote(folder) for folder in folders)
    return _SHELL.format(begin=_BEGIN, end=_END, folders=quoted)


def with_block(text: str, block: str) -> str:
    """An older block of ours is replaced."""
    before, found, rest = text.partition(_BEGIN)
    if found:
        text = before + rest.partition(_END + "\n")[2]
    glue = "" if not text or text.endswith("\n") else "\n"
    return text + glue + block


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def write_guards(files: Mapping[Path, str]) -> None:
    """Raises OSError; each file whole or as it was."""
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        fresh = path.with_name(f"{path.name}.torch-setup-new")
        fresh.write_text(text, encoding="utf-8", newline="\n")
        fresh.chmod(mode)
        fresh.replace(path)
