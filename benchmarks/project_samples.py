"""Plans for real projects' declarations on described machines, in the neutral form that their scorer reads.

`python benchmarks/project_samples.py SAMPLES PLANS`: SAMPLES holds `machines.json` and `corpus/<case>/files`, as they
were published; they belong to their projects, and none lies here. Writes PLANS/<case>_<machine>.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.machine.model import Driver, Gpu, Machine
from wizard.model.capability import ComputeCapability
from wizard.project.answer import project_document
from wizard.project.decide import decide
from wizard.project.read import read_project


def machine_of(row: dict[str, Any]) -> Machine:
    capability = row["compute_capability"]
    cards = (Gpu("nvidia", row["gpu"], None, ComputeCapability.parse(capability)),) if capability else ()
    driver = Driver(row["driver"]) if row["driver"] else None
    return Machine(row["os"], "x86_64", "2.35" if row["os"] == "linux" else None, driver, cards)


def neutral(document: dict[str, Any]) -> dict[str, Any]:
    relaxed = document["relaxed"]
    said = [*document["remarks"], *(one["reason"]["text"] for one in relaxed)]
    kept = ("torch", "variant", "python", "torchvision", "torchaudio", "numpy")
    return {
        **{name: document[name] for name in kept},
        "rest": [one.partition(" @ ")[0] for one in document["rest"]],
        "relaxed": [one["name"] for one in relaxed],
        "said": said,
        "mentioned": [*document["native"], *document["native_elsewhere"]],
        "crash": False,
        "refused": None,
    }


def main(samples: Path, plans: Path) -> None:
    machines = json.loads((samples / "machines.json").read_text("utf-8"))["machines"]
    plans.mkdir(parents=True, exist_ok=True)
    matrix = load_matrix()
    for case in sorted((samples / "corpus").iterdir()):
        name = json.loads((case / "expect.json").read_text("utf-8"))["id"]
        project = read_project(case / "files")
        for letter, row in machines.items():
            choices = Choices(python=row["fixed_python"])
            document = project_document(project, decide(project, machine_of(row), matrix, choices), None, "en")
            (plans / f"{name}_{letter}.json").write_text(json.dumps(neutral(document), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
