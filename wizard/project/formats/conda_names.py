"""What conda calls a package: its name on the package index, and which of conda's have none there.

The rows are those of `matrices/companions.toml`; how conda writes versions is the readers' matter.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from functools import lru_cache

from wizard.compatibility.data.ordering import version_key
from wizard.project.model import normalized
from wizard.project.packages.companions import companion, has_row
from wizard.project.packages.rows import companion_table

# Of conda: `h30feacc_1`, `nompi_h2c03a5b_102`. The hashes of a build that holds nothing for one system (`hd8ed1ab`) are
# those of packages in plain Python, too.
_LIBRARY_BUILD = re.compile(
    r"(?!.*(?:py|h(?:d8ed1ab|d3eb1b0|06a4308|aa95532|ecd8cb5|ca03da5|a770c72|57928b3|694c41f|ce30654)))"
    r"(?:[a-z0-9_.]*[\d_l])?h[0-9a-f]{7}_\w+"
)


def name_of_conda(name: str, specifier: str) -> str:
    """Return what the package index calls it."""
    name = normalized(name)
    if name == "pyqt":  # one name for all of Qt's releases
        return "pyqt6" if version_key(specifier)[:1] == (6,) else "pyqt5"
    return _of_conda().get(name, name)


@lru_cache(maxsize=1)
def _of_conda() -> dict[str, str]:
    return {other: row.names[0] for row in companion_table().conda_alias for other in row.names[1:]}


@lru_cache(maxsize=1)
def conda_names() -> frozenset[str]:
    """Return what is the same package when conda names it. Others may be anything on the package index."""
    return frozenset(name for row in companion_table().conda_named for name in row.names)


@lru_cache(maxsize=8192)
def is_condas_alone(name: str, build: str = "") -> bool:
    """Return whether it is a library or a program that the index has not, or as another thing; what no row knows is
    one by its build, where that names no Python."""
    names = (one for row in companion_table().conda_only for one in row.names)
    is_known = has_row(name) or name in conda_names()
    is_library = bool(_LIBRARY_BUILD.fullmatch(build)) and not is_known
    return is_library or (companion(name) is None and any(fnmatch(name, one) for one in names))
