"""Does the program find the wheels that its tables promise? Every row whose wheel the default index carries.

    python benchmarks/walk_tables.py

For each such row and each of its Pythons the live check (`BuildSearch`) is asked, as a setup would, on a made-up
machine of the row's platform. Reads three pages of the default index, once each. Names the rows where one is missed; in
November 2026 that is one of 539, a wheel of 1.7.0 for Windows with a wrong name (see the row's note).
"""

from __future__ import annotations

import sys
from dataclasses import replace

from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.data.model import PLATFORMS, Build, Matrix
from wizard.compatibility.model import Candidate, Choices
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Machine
from wizard.run.select.build_search import BuildSearch
from wizard.run.select.source_catalog import SourceCatalog
from wizard.sources.known_sources import default_index
from wizard.sources.model import Source, UserSettings
from wizard.sources.read import Reader


class OfDefaultIndex(SourceCatalog):
    """The default index alone, whatever else a setup would ask."""

    def torch_sources(self, variant: str) -> tuple[Source, ...]:
        return (default_index(),)


def candidates(matrix: Matrix, build: Build) -> list[tuple[Machine, Candidate]]:
    os_name, arch = next(place for place, platform in PLATFORMS.items() if platform == build.platform)
    machine = Machine(os_name, arch, "2.39" if os_name == "linux" else None, None, ())
    asked = Choices(torch=build.torch, variant=build.variant, include_unadvertised=True)
    found: list[tuple[Machine, Candidate]] = []
    for python in build.pythons:
        verdict = resolve(machine, matrix, replace(asked, python=python), prove_all=False)
        found += [
            (machine, one) for one in verdict.candidates if (one.torch, one.variant) == (build.torch, build.variant)
        ]
    return found


def main() -> int:
    matrix = load_matrix()
    rows = [build for build in matrix.builds if build.pypi_default]
    asked, missed, companions = 0, [], 0
    with Reader(UserSettings()) as reader:
        for build in rows:
            for machine, candidate in candidates(matrix, build):
                choices = Choices(python=candidate.python)
                search = BuildSearch(
                    machine, matrix, choices, OfDefaultIndex(choices, UserSettings(), reader), lambda: False
                )
                found = search.find((candidate,), None)
                asked += 1
                if found is None:
                    states = ", ".join(state.verdict for state in search.states.values())
                    missed.append(f"{build.torch}+{build.variant} {build.platform} Python {candidate.python}: {states}")
                else:
                    companions += len(found.offers) - 1
    print(f"{len(rows)} rows, {asked} wheels asked for, {asked - len(missed)} found, {companions} companions with them")
    print("\n".join(missed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
