"""Programs that people work with in an environment: VS Code with its Python, Jupyter with a kernel for it."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
import psutil

from wizard.environment.activate.scripts import scripts_folder
from wizard.environment.activate.terminal import users_environment
from wizard.environment.inspect.in_use import KERNEL_FILE, Kernel
from wizard.environment.layout import all_site_packages, is_conda_prefix, python_of
from wizard.model.errors import ErrorText, WizardError
from wizard.model.messages import message
from wizard.model.typed import from_json
from wizard.process.detached import start_detached
from wizard.system import paths
from wizard.system.disk import user_ids
from wizard.system.places import places
from wizard.undo.journal import UndoJournal
from wizard.undo.model import Change, ChangeState, TakenOut, Write

_LOG = logging.getLogger("wizard.environment.activate.programs")
_EDITORS = ("code", "codium", "code-insiders")
KERNEL_PACKAGE = "ipykernel"
NOTEBOOK_PACKAGE = "notebook"  # Jupyter itself, with the kernel
DEFAULT_KERNEL = "--MultiKernelManager.default_kernel_name="  # by which the server of an environment is known again
_NOTEBOOKS = {"jupyter-lab": "jupyter lab", "jupyter-notebook": "jupyter notebook"}
KERNEL_LACKS = ErrorText(
    "kernel-no-package",
    "Jupyter needs the package {package}, which is not in the environment “{path}”.",
    "Install {package} into the environment, then add it to Jupyter again.",
)


def find_editor(environment: Mapping[str, str]) -> Path | None:
    """Return VS Code, or a program that is built from it; None where there is none."""
    found = (paths.find_program(name, environment.get("PATH", "")) for name in _EDITORS)
    known = places().editors(environment, [Path(one) for one in found if one])
    return next((one for one in known if one.is_file()), None)


def open_in_editor(prefix: Path, folder: Path | None = None) -> int:
    """Open a window of VS Code in which the environment is active and return its process id.

    `folder`: what it shows. Raises WizardError `editor-none`, `editor-not-started`.
    """
    program = find_editor(os.environ)
    if program is None:
        raise WizardError(
            "editor-none",
            "VS Code was not found on this computer.",
            "Install VS Code, or choose {python} as the interpreter in your own editor.",
            python=str(python_of(prefix)),
        )
    log = paths.logs_dir() / "editor.txt"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        argv = (str(program), "--new-window", *([str(folder)] if folder else []))
        return start_detached(argv, _active(prefix), log)
    except (OSError, RuntimeError) as error:
        raise WizardError(
            "editor-not-started",
            "VS Code could not be started: {program}.",
            "Start it yourself and choose {python} as the interpreter.",
            details=str(error),
            program=str(program),
            python=str(python_of(prefix)),
        ) from error


def _active(prefix: Path) -> dict[str, str]:
    """As after `activate`: the Python extension takes what is active where it was started."""
    environment = users_environment(os.environ)
    environment[_active_variable(prefix)] = str(prefix)
    front = dict.fromkeys((str(python_of(prefix).parent), str(scripts_folder(prefix))))
    environment["PATH"] = os.pathsep.join((*front, environment.get("PATH", "")))
    return environment


def _active_variable(prefix: Path) -> str:
    return "CONDA_PREFIX" if is_conda_prefix(prefix) else "VIRTUAL_ENV"


def find_notebook(prefix: Path) -> str | None:
    """Return the command that opens notebooks where the environment is active; None where no Jupyter is found."""
    path = _active(prefix)["PATH"]
    found = next((command for name, command in _NOTEBOOKS.items() if paths.find_program(name, path)), None)
    refuses = (user_ids() or (1,))[0] == 0  # root's, as in containers and images of WSL
    return f"{found} --allow-root" if found and refuses else found


def jupyter_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Return the folder for the user's own data, in Jupyter's own order."""
    if named := environment.get("JUPYTER_DATA_DIR"):
        return Path(named)
    if roaming := environment.get("APPDATA"):
        return Path(roaming, "jupyter")
    return Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share", "jupyter")


class _Server(msgspec.Struct):
    """What a notebook server writes about itself while it runs."""

    pid: int
    url: str
    token: str = ""


def is_notebook_begun(prefix: Path, kernel: str) -> bool:
    """Say whether a notebook server of this environment with this default kernel runs or is starting."""
    return any(_is_server(process, prefix, kernel) for process in psutil.process_iter())


def notebook_address(prefix: Path, kernel: str) -> str | None:
    """Return where the notebook server of `is_notebook_begun` answers; None while none does."""
    named = os.environ.get("JUPYTER_RUNTIME_DIR")
    folder = Path(named) if named else jupyter_folder(os.environ, Path.home()) / "runtime"
    for file in folder.glob("jpserver-*.json"):
        try:
            server = from_json(file.read_bytes(), _Server)
            is_this = _is_server(psutil.Process(server.pid), prefix, kernel)
        except (OSError, ValueError, psutil.Error):  # one that was killed, and left its file
            continue
        if is_this:
            return f"{server.url}?token={server.token}" if server.token else server.url
    return None


def _is_server(process: psutil.Process, prefix: Path, kernel: str) -> bool:
    """The name alone is not enough: everybody's first environment has the same."""
    try:
        if f"{DEFAULT_KERNEL}{kernel}" not in process.cmdline():
            return False
        active = process.environ().get(_active_variable(prefix))
    except psutil.Error:  # another account's
        return False
    return active is not None and os.path.realpath(active) == os.path.realpath(prefix)


def has_kernel(prefix: Path) -> bool:
    """Say whether the environment has what Jupyter starts in it."""
    return any((folder / KERNEL_PACKAGE).is_dir() for folder in all_site_packages(prefix))


def notebook_lacks(prefix: Path) -> str:
    """Return the package that a notebook needs in this environment and that is not there; "" where it has all."""
    if find_notebook(prefix) is None:
        return NOTEBOOK_PACKAGE
    return "" if has_kernel(prefix) else KERNEL_PACKAGE


def register_kernel(prefix: Path, name: str, title: str) -> Path:
    """List the environment in Jupyter under `title` and return its file, which Undo takes back; one that says the same
    already stays.

    Raises WizardError `kernel-no-package` where the environment lacks ipykernel, and `undo-…`.
    """
    if not has_kernel(prefix):
        raise WizardError(KERNEL_LACKS, package=KERNEL_PACKAGE, path=str(prefix))
    spec = {
        "argv": [str(python_of(prefix)), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": title,
        "language": "python",
        "metadata": {"debugger": True},
    }
    file = jupyter_folder(os.environ, Path.home()) / "kernels" / name / KERNEL_FILE
    content = (json.dumps(spec, ensure_ascii=False, indent=1) + "\n").encode()
    if not file.is_file() or file.read_bytes() != content:
        reason = message("undo.reason.kernel", "“{title}” listed in Jupyter", title=title)
        UndoJournal().write(file, content, reason=reason)
    return file


def own_listings(kernels: Iterable[Kernel]) -> dict[Kernel, tuple[Change, ...]]:
    """Return our changes that list these kernels, the newest first; kernels that others have listed are left out."""
    written = [one for one in UndoJournal().changes() if one.state is ChangeState.WRITTEN]
    found = {}
    for kernel in kernels:
        file = os.path.normcase(kernel.folder / KERNEL_FILE)
        if changes := tuple(one for one in written if any(os.path.normcase(each.path) == file for each in one.files)):
            found[kernel] = changes
    return found


def may_take_off(kernel: Kernel) -> bool:
    """Say whether a listing that another program made can be taken away; that of all users belongs to the
    administrator."""
    return os.access(kernel.folder, os.W_OK | os.X_OK)


def take_off_jupyters_list(kernels: Iterable[Kernel]) -> None:
    """Take back our own listings of an environment that is gone, and take away those of others, which Undo puts back;
    one that cannot be stays, and the log says why: the environment's end does not hang on it."""
    kernels = tuple(kernels)
    try:
        ours = own_listings(kernels)
        for changes in ours.values():
            for change in changes:
                UndoJournal().undo(change.id, lambda file, now: TakenOut(None))
        for kernel in kernels:
            if kernel not in ours and may_take_off(kernel):
                file = kernel.folder / KERNEL_FILE
                reason = message("undo.reason.kernel-off", "“{title}” taken off Jupyter's list", title=kernel.title)
                UndoJournal().write_all([Write(file, None, file.read_bytes())], reason)
    except (WizardError, OSError):
        _LOG.warning("an entry in Jupyter stays", exc_info=True)
