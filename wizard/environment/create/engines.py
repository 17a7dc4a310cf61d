"""The engines by name."""

from __future__ import annotations

from collections.abc import Mapping

from wizard.environment.conda.engine import CondaEngine
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.environment.create.venv_engine import VenvEngine
from wizard.environment.model import Engine

_ENGINES: Mapping[str, type[RattlerEngine] | type[CondaEngine] | type[VenvEngine]] = {
    "rattler": RattlerEngine,
    "conda": CondaEngine,
    "venv": VenvEngine,
}


def engine_named(name: str, environment: Mapping[str, str] | None = None) -> Engine:
    """`environment` is added to the children's (proxy, certificate). Raises KeyError for a name that is none."""
    return _ENGINES[name](environment)
