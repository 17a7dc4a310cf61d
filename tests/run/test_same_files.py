"""Of packages that bring the same module one is locked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from packaging.requirements import Requirement

from tests.app import values
from wizard.compatibility.model import ProjectUse
from wizard.model.errors import WizardError
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import text
from wizard.run.model import SelectedBuild
from wizard.run.plan.same_files import locked_once

CONTRIB, PLAIN, HEADLESS = "opencv-contrib-python", "opencv-python", "opencv-python-headless"


class Index:
    """Locks what is asked for, and what `needs` says beside it."""

    def __init__(self, needs: Mapping[str, str], newest: str = "4.11.0.86") -> None:
        self._needs, self._newest = needs, newest
        self.asked: list[tuple[str, ...]] = []

    def lock(self, selected: SelectedBuild) -> Lock:
        self.asked.append(selected.requirements)
        lines = {Requirement(line).name: str(Requirement(line).specifier) for line in selected.requirements}
        needed = {self._needs[name]: "" for name in lines if name in self._needs}
        names = {**needed, **lines}
        kept = {name: pin for name, pin in names.items() if name not in selected.apart}
        if kept.get(CONTRIB) == "==4.0":
            raise WizardError("lock-no-solution", details="there is no such release of it")
        files = (self._file(name, pin.removeprefix("==") or self._newest) for name, pin in kept.items())
        return Lock(tuple(files), "")

    @staticmethod
    def _file(name: str, version: str) -> LockedFile:
        return replace(values.LOCK.files[0], name=name, version=version)


def once(requirements: tuple[str, ...], index: Index) -> tuple[dict[str, str], SelectedBuild]:
    use = ProjectUse("/project", promised=requirements, asked=requirements)
    selected = replace(values.SELECTED, requirements=requirements, project=use, notices=())
    lock, found = locked_once(index.lock, selected)
    return {file.name: file.version for file in lock.files}, found


def test_the_one_that_has_it_all_stays_in_the_version_that_was_asked_of_another() -> None:
    index = Index({"mediapipe": CONTRIB, "albumentations": HEADLESS})
    lines = ("mediapipe", "albumentations", f"{PLAIN}==4.9.0.80")
    locked, found = once(lines, index)
    assert locked == {"mediapipe": "4.11.0.86", "albumentations": "4.11.0.86", CONTRIB: "4.9.0.80"}
    assert found.project is not None
    assert found.project.promised == found.project.asked == ("mediapipe", "albumentations", f"{CONTRIB}==4.9.0.80")
    assert set(found.apart) == {PLAIN, HEADLESS}
    said = [text(one, "en") for one in found.notices]
    assert said[0].startswith(f"{PLAIN} and {CONTRIB} bring the same files: {CONTRIB} 4.9.0.80 alone is installed")
    assert len(said) == 2


def test_its_own_line_counts_and_what_has_no_twin_is_locked_once() -> None:
    locked, _ = once((f"{CONTRIB}==4.8", f"{PLAIN}==4.9"), Index({}))
    assert locked == {CONTRIB: "4.8"}
    index = Index({"a": PLAIN})
    locked, found = once(("a", PLAIN), index)
    assert (locked, len(index.asked), found.notices) == ({PLAIN: "4.11.0.86", "a": "4.11.0.86"}, 1, ())


def test_a_version_that_only_the_other_one_has_is_let_go() -> None:
    index = Index({"mediapipe": CONTRIB})
    locked, found = once(("mediapipe", f"{PLAIN}==4.0"), index)
    assert locked[CONTRIB] == "4.11.0.86"
    assert "4.11.0.86 alone" in text(found.notices[0], "en")


def test_another_error_of_the_second_lock_is_told() -> None:
    def lock(selected: SelectedBuild) -> Lock:
        if selected.apart:
            raise WizardError("lock-network")
        return Index({"mediapipe": CONTRIB}).lock(selected)

    selected = replace(values.SELECTED, requirements=("mediapipe", PLAIN), project=None)
    with pytest.raises(WizardError) as raised:
        locked_once(lock, selected)
    assert raised.value.code == "lock-network"
