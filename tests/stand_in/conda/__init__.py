"""`StandInConda`: an installation of the stand-in conda in a folder of its own. See `program.py`."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.stand_in import put_program
from wizard.system.traits import this

RECORDED = Path(__file__).resolve().parents[2] / "data" / "conda"
_PROGRAM = Path(__file__).with_name("program.py")


@dataclass(frozen=True)
class StandInConda:
    root: Path
    kind: str = "conda"

    @property
    def executable(self) -> Path:
        return next(self.root / name for name in this().conda_programs if Path(name).stem == self.kind)

    @property
    def pkgs(self) -> Path:
        return self.root / "pkgs"

    def install(self, **behaviour: Any) -> StandInConda:
        """Also changes the behaviour of one that is there."""
        (self.root / "conda-meta").mkdir(parents=True, exist_ok=True)
        self.executable.parent.mkdir(exist_ok=True)
        script = self.executable.with_name("program.py")
        shutil.copyfile(_PROGRAM, script)
        run = f"import runpy\nrunpy.run_path({str(script)!r}, run_name='__main__')\n"
        put_program(self.executable.with_suffix(""), run)
        fixed = {"kind": self.kind, "python": sys.executable}
        self.executable.with_name("behaviour.json").write_text(json.dumps({**fixed, **behaviour}), encoding="utf-8")
        return self

    def calls(self, role: str | None = None) -> list[dict[str, Any]]:
        path = self.executable.with_name("calls.jsonl")
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        lines = text[: text.rfind("\n") + 1].splitlines()  # one may be half written
        return [call for call in map(json.loads, lines) if role in (None, call["role"])]

    @property
    def has_accepted_terms(self) -> bool:
        return self.executable.with_name("terms-accepted").exists()


def recorded(name: str) -> str:
    return (RECORDED / name).read_text(encoding="utf-8")
