"""The one place that makes a child's environment.

Out: what would change the child's behaviour behind our back (`PYTHON*`, `CI`, library paths of a
frozen program, an active conda or venv, the user's pip and uv variables, which are read once as
settings and handed over as options). In: UTF-8, no user site, the proxy and certificate choice.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

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
    """A complete environment. `extra` wins; `base` is os.environ unless a test says otherwise."""
    source = os.environ if base is None else base
    replaced = _replaced(extra or {})
    kept = {key: value for key, value in source.items() if not _is_dropped(key) and key.upper() not in replaced}
    if "LD_LIBRARY_PATH_ORIG" in source and paths.is_frozen():
        kept["LD_LIBRARY_PATH"] = source["LD_LIBRARY_PATH_ORIG"]
    kept.pop("LD_LIBRARY_PATH_ORIG", None)
    kept.update(_temp_folder())
    kept.update({"PYTHONUTF8": "1", "PYTHONNOUSERSITE": "1", "PYTHONIOENCODING": "utf-8"})
    kept.update(extra or {})
    return kept


def _temp_folder() -> dict[str, str]:
    """The person's own choice, once it is there: a variable that leads nowhere stops tools."""
    folder = paths.chosen_temp()
    return dict.fromkeys(this().temp_variables, str(folder)) if folder and folder.is_dir() else {}


def _is_dropped(key: str) -> bool:
    name = key.upper()
    return name in _DROPPED or name.startswith(_DROPPED_PREFIXES)


def _replaced(extra: Mapping[str, str]) -> frozenset[str]:
    given = {key.upper() for key in extra}
    kinds = (_PROXY_VARIABLES, _CERTIFICATE_VARIABLES)
    return frozenset().union(*(kind for kind in kinds if kind & given))
