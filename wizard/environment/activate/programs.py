"""Programs that people work with in an environment: VS Code with its Python, Jupyter with a kernel for it."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import psutil

from wizard.environment.activate.scripts import scripts_folder
from wizard.environment.activate.terminal import users_environment
from wizard.environment.inspect.in_use import KERNEL_FILE, Kernel, RunningProgram
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
_END_SECONDS = 8.0  # for the kernels, and a file that is still written
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


@dataclass(frozen=True, slots=True)
class Jupyter:
    """`command` opens notebooks where the environment at `prefix` is active."""

    command: str
    prefix: Path


def find_notebook(prefix: Path) -> Jupyter | None:
    """Return the Jupyter of the environment, else the person's own on PATH."""
    return _notebook_on(_active(prefix)["PATH"], prefix)


def notebook_inside(prefix: Path) -> Jupyter | None:
    """Return the Jupyter that lies in the environment."""
    return _notebook_on(str(scripts_folder(prefix)), prefix)


def _notebook_on(path: str, prefix: Path) -> Jupyter | None:
    found = next((command for name, command in _NOTEBOOKS.items() if paths.find_program(name, path)), None)
    refuses = (user_ids() or (1,))[0] == 0  # root's, as in containers and images of WSL
    return Jupyter(f"{found} --allow-root" if refuses else found, prefix) if found else None


def jupyter_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Return the folder for the user's own data, in Jupyter's own order."""
    if named := environment.get("JUPYTER_DATA_DIR"):
        return Path(named)
    if roaming := environment.get("APPDATA"):
        return Path(roaming, "jupyter")
    return Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share", "jupyter")


class Server(msgspec.Struct):
    """What a notebook server writes about itself while it runs."""

    pid: int
    url: str
    token: str = ""

    @property
    def address(self) -> str:
        return f"{self.url}?token={self.token}" if self.token else self.url


def is_notebook_begun(prefix: Path, kernel: str) -> bool:
    """Say whether a notebook server with this default kernel runs or is starting where the environment is active."""
    return any(_is_server(process, prefix, kernel) for process in psutil.process_iter())


def notebook_address(prefix: Path, kernel: str) -> str | None:
    """Return where the notebook server of `is_notebook_begun` answers; None while none does."""
    return next((server.address for _, server in servers_for(prefix, kernel)), None)


Running = tuple[psutil.Process, Server]


def servers_for(prefix: Path, kernel: str) -> tuple[Running, ...]:
    """Return the servers of `is_notebook_begun` that answer."""
    return tuple(one for one in _servers() if _is_server(one[0], prefix, kernel))


def servers_among(running: Iterable[RunningProgram]) -> tuple[Running, ...]:
    """Return the servers that this program has started and that run here, or have a kernel here."""
    pids = {one.pid for one in running}
    return tuple(one for one in _servers() if _is_ours(one[0]) and pids & family(one[0]))


def family(process: psutil.Process) -> set[int]:
    """Return its process id and those of its children."""
    try:
        return {process.pid, *(child.pid for child in process.children(recursive=True))}
    except psutil.Error:
        return {process.pid}


def _servers() -> Iterator[Running]:
    named = os.environ.get("JUPYTER_RUNTIME_DIR")
    folder = Path(named) if named else jupyter_folder(os.environ, Path.home()) / "runtime"
    for file in folder.glob("jpserver-*.json"):
        try:
            server = from_json(file.read_bytes(), Server)
            process = psutil.Process(server.pid)
        except (OSError, ValueError, psutil.Error):  # one that was killed, and left its file
            continue
        yield process, server


def stop_servers(servers: Iterable[Running]) -> None:
    """Ask each to end, with its kernels, as Jupyter's own menu does; end what does not within some seconds. Raises
    WizardError `notebook-not-stopped`."""
    found = tuple(servers)
    asked = [process for process, server in found if _is_ours(process) and _ask_to_end(server)]
    psutil.wait_procs(asked, _END_SECONDS)
    left = [process for process, _ in found if _is_ours(process)]  # one whose number another has taken is not
    for process in left:
        with suppress(psutil.Error):
            process.terminate()
    _, still = psutil.wait_procs(left, _END_SECONDS)
    if still:
        raise WizardError(
            "notebook-not-stopped",
            "Jupyter does not end (process {pid}).",
            "Choose “Shut Down” in the “File” menu of its page.",
            pid=still[0].pid,
        )


def _ask_to_end(server: Server) -> bool:
    """By the call that `jupyter server stop` makes; no proxy stands before this computer itself."""
    from http.client import HTTPConnection, HTTPException  # only a press of a button needs it

    parts = urlsplit(server.url)
    if parts.scheme != "http" or not parts.hostname:
        return False
    connection = HTTPConnection(parts.hostname, parts.port, timeout=_END_SECONDS)
    try:
        connection.request("POST", f"{parts.path}api/shutdown", headers={"Authorization": f"token {server.token}"})
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _is_ours(process: psutil.Process) -> bool:
    """By the option that this program gives it."""
    try:
        return any(word.startswith(DEFAULT_KERNEL) for word in process.cmdline())
    except psutil.Error:
        return False


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
