"""A subprocess is two frozen values and one end; and the one place that makes a child's environment.

Out: what would change the child's behaviour behind our back (`PYTHON*`, `CI`, library paths of a frozen program, an
active conda or venv, the user's pip and uv variables, which are read once as settings and handed over as options). In:
UTF-8, no user site, the proxy and certificate choice.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wizard.model.redact import redact
from wizard.system import paths
from wizard.system.traits import this

# CI=1 would make conda's terms-of-service plugin accept for the user.
_DROPPED = frozenset(
    {
        "CI",
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "CONDA_DEFAULT_ENV",
        "CONDA_SHLVL",
        "CONDA_PROMPT_MODIFIER",
        "QT_PLUGIN_PATH",
        "QML2_IMPORT_PATH",
        "QT_QPA_PLATFORM_PLUGIN_PATH",
    }
)
_DROPPED_PREFIXES = ("PYTHON", "_PYI_", "_MEI", "PIP_", "UV_", "CONDA_PREFIX_")
# What `extra` says of proxies or certificates is the whole truth: the shell's own would go another way.
_PROXY_VARIABLES = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY"})
_CERTIFICATE_VARIABLES = frozenset(
    {"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "CONDA_SSL_VERIFY"}
)
# GPU visibility belongs to the user's session and must reach the test.


def child_environment(extra: Mapping[str, str] | None = None, base: Mapping[str, str] | None = None) -> dict[str, str]:
    """A complete environment. `extra` wins; `base` is os.environ unless a test says otherwise. PATH comes without its
    relative entries: in the folder of a stranger's project they lead to the stranger's programs."""
    source = os.environ if base is None else base
    replaced = _replaced(extra or {})
    kept = {key: value for key, value in source.items() if not _is_dropped(key) and key.upper() not in replaced}
    if "LD_LIBRARY_PATH_ORIG" in source and paths.is_frozen():
        kept["LD_LIBRARY_PATH"] = source["LD_LIBRARY_PATH_ORIG"]
    kept.pop("LD_LIBRARY_PATH_ORIG", None)
    kept.update({key: _without_relative(value) for key, value in kept.items() if key.upper() == "PATH"})
    kept.update(_temp_folder())
    kept.update({"PYTHONUTF8": "1", "PYTHONNOUSERSITE": "1", "PYTHONIOENCODING": "utf-8"})
    kept.update(extra or {})
    return kept


def _temp_folder() -> dict[str, str]:
    """The person's own choice, once it is there: a variable that leads nowhere stops tools."""
    folder = paths.chosen_temp()
    return dict.fromkeys(this().temp_variables, str(folder)) if folder and folder.is_dir() else {}


def _without_relative(path: str) -> str:
    return os.pathsep.join(one for one in path.split(os.pathsep) if Path(one.strip('"')).is_absolute())


def _is_dropped(key: str) -> bool:
    name = key.upper()
    return name in _DROPPED or name.startswith(_DROPPED_PREFIXES)


def _replaced(extra: Mapping[str, str]) -> frozenset[str]:
    given = {key.upper() for key in extra}
    kinds = (_PROXY_VARIABLES, _CERTIFICATE_VARIABLES)
    return frozenset().union(*(kind for kind in kinds if kind & given))


@dataclass(frozen=True, slots=True)
class StopTimeouts:
    """Seconds that each rung of the stop ladder is given before the next one."""

    interrupt: float = 2.0
    terminate: float = 2.0
    kill: float = 5.0


@dataclass(frozen=True, slots=True)
class Request:
    """`environment` is the child's whole environment (see `child_environment`); None makes the plain one.

    `stdin_file`: in place of `stdin`, from byte `stdin_from` on. `timeout` is in seconds and meant for probes: real
    work has none and is cancelled by a person. `silence`: seconds without a line and without processor time, after
    which it hangs. `most_bytes` of one stream, after which it is ended as if it were late: of a stranger.
    """

    argv: tuple[str, ...]
    cwd: Path | None = None
    environment: Mapping[str, str] | None = None
    stdin: str = ""
    stdin_file: Path | None = None
    stdin_from: int = 0
    timeout: float | None = None
    silence: float | None = None
    most_bytes: int | None = None
    stop: StopTimeouts = field(default_factory=StopTimeouts)

    def __str__(self) -> str:
        return redact(shlex.join(self.argv))


@dataclass(frozen=True, slots=True)
class Outcome:
    """`exit_code` is None when the program could not be started (`start_error` says why).

    A negative code is the signal that ended it. `timed_out` and `cancelled` say that it was we.
    """

    request: Request
    exit_code: int | None
    stdout: str
    stderr: str
    seconds: float
    start_error: str = ""
    timed_out: bool = False
    cancelled: bool = False

    @property
    def ok(self) -> bool:
        return self.exit_code == 0 and not self.timed_out and not self.cancelled

    def tail(self, lines: int = 20) -> str:
        """For an error's `details`: the command and the end of what it printed, without secrets."""
        said = (self.stderr.strip() or self.stdout.strip() or self.start_error).splitlines()[-lines:]
        state = "not started" if self.exit_code is None else f"exit {self.exit_code}"
        return redact("\n".join([f"$ {self.request} [{state}]", *said]))
