"""What the build adds to the files of the tree: the compiled catalogues (wizard/model/catalogue.py).

They lie beside their text, where git ignores them, and go into the wheel with all of `resources`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from wizard.model.catalogue import compile_all  # noqa: E402


class CustomBuildHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        compile_all(ROOT / "resources")
