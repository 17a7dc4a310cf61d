"""What is this Python, and where does it look for packages? Run by the Python that is asked; standard library only.

Prints one JSON object as its last line. Imports no package of the environment; Python >= 3.6. Started without `-I`,
so that the user's own folders and variables are seen as they are; this script's own folder is left out.
"""

import json
import os
import platform
import site
import sys
import sysconfig


def describe() -> "dict[str, object]":
    threads = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    own = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 (as sys.path spells it)
    return {
        "version": platform.python_version(),
        "tag": ("cp{}{}".format(*sys.version_info[:2]) if sys.implementation.name == "cpython" else "") + threads,
        "executable": sys.executable,
        "prefix": sys.prefix,
        "base_prefix": sys.base_prefix,
        "path": [entry for entry in sys.path if entry and entry != own],
        "site": sysconfig.get_path("platlib"),
        "stdlib": sysconfig.get_path("stdlib"),
        "user_site": site.getusersitepackages() if site.ENABLE_USER_SITE else None,
    }


if __name__ == "__main__":
    print("\n" + json.dumps(describe()))
