"""What a project imports, tried in a real environment: which pass, which fail and why."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.stand_in import make_environment, site_packages
from wizard.compatibility.model import ProjectImport, ProjectUse
from wizard.diagnose.known_errors.match import cause_and_fix
from wizard.model.errors import Cancelled
from wizard.model.messages import LANGUAGES, Message, text
from wizard.run.verify.model import SmokeCheck
from wizard.run.verify.project import try_project

WORDS = "partially initialized module 'torchvision' has no attribute 'extension' (most likely due to a circular import)"


class Place:
    """An environment with packages that do what their one module says."""

    def __init__(self, prefix: Path) -> None:
        self.prefix, self.python = prefix, make_environment(prefix)
        self.site = site_packages(prefix)

    def bring(self, name: str, version: str, module: str, source: str) -> None:
        folder = self.site / module
        folder.mkdir()
        (folder / "__init__.py").write_text(source, encoding="utf-8")
        metadata = self.site / f"{name}-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (metadata / "RECORD").write_text(f"{module}/__init__.py,,\n")

    def tried(self, *wanted: str, promised: tuple[str, ...] = (), left: tuple[str, ...] = ()) -> list[SmokeCheck]:
        """`wanted`: `module` or `module:name`."""
        parts = [one.partition(":") for one in wanted]
        imports = tuple(
            ProjectImport(module, (name,) if name else (), f"train.py:{line}")
            for line, (module, _, name) in enumerate(parts, 1)
        )
        found = try_project(self.python, self.prefix, ProjectUse("/p", promised, imports, left), cause_and_fix)
        for check in found:
            assert check.state in ("ok", "warning", "skipped"), "nothing of a project says that torch does not work"
            assert all("{" not in text(check.message, language) for language in LANGUAGES)
        return list(found)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "torch-setup")


def said(checks: list[SmokeCheck], name: str) -> list[str]:
    return [text(check.message, "en") for check in checks if check.name == name]


def test_what_can_be_imported_and_what_nobody_brings(place: Place) -> None:
    place.bring("Good-Thing", "1.0", "good", "def use(): pass\n")
    (place.site / "good" / "part.py").write_text("")
    checks = place.tried("good:use", "good:part", "wandb", "flash_attn", left=("flash-attn",))
    assert [(check.name, check.state) for check in checks] == [
        ("declared", "ok"),
        ("imports", "ok"),
        ("left", "warning"),
        ("undeclared", "warning"),
    ]
    assert "good" in said(checks, "imports")[0]
    assert "wandb (train.py:3)" in said(checks, "undeclared")[0]
    assert "flash_attn (train.py:4)" in said(checks, "left")[0]


def test_what_was_left_out_is_to_do(place: Place) -> None:
    ways = (Message("project.left.self", {"command": "pip"}), Message("project.left.path", {"name": "lib"}))
    checks = try_project(place.python, place.prefix, ProjectUse("/p", (), (), ways=ways), cause_and_fix)
    assert [check.data["part"] for check in checks if check.name == "left"] == ["p", "lib"]


def test_a_failure_is_explained(place: Place) -> None:
    place.bring("renamed", "9.2", "renamed", "")
    place.bring("hungry", "1.0", "hungry", "import not_there\n")
    place.bring("opencv", "4.0", "cv2", "raise ImportError('libGL.so.1: cannot open shared object file')\n")
    place.bring("aged", "1.0", "aged", f"raise AttributeError({WORDS!r})\n")
    place.bring("odd", "1.0", "odd", "print('{\"smoke\": 1}')\nraise SystemExit('never mind')\n")
    checks = place.tried("renamed:gone", "renamed.inner", "hungry", "cv2", "aged", "odd")
    words = said(checks, "project-import")
    assert len(words) == 6
    for one in words[:2]:
        assert "renamed 9.2 has no such part" in one
    assert "hungry 1.0 needs not_there" in words[2]
    assert "torch-wizard envs add torch-setup PACKAGE" in words[2], "with the environment's name"
    assert "libGL.so.1" in words[3]
    assert "library of the system" in words[3]
    assert words[4].startswith("aged (train.py:5)")
    assert (cause := cause_and_fix(f"AttributeError: {WORDS}"))
    assert text(cause[0], "en") in words[4], "by the table of known errors"
    assert "SystemExit: never mind" in words[5]
    assert "The log has all of its words; no known error is among them." in words[5]


@pytest.mark.skipif(sys.platform == "win32", reason="a signal")
def test_one_that_ends_the_program_does_not_hide_the_others(place: Place) -> None:
    place.bring("bad", "1.0", "bad", "import os\nos.kill(os.getpid(), 11)\n")
    place.bring("worse", "1.0", "worse", "import os\nos._exit(0)\n")
    place.bring("good", "1.0", "good", "")
    checks = place.tried("bad", "worse", "good")
    assert [check.data.get("module") for check in checks if check.name == "project-import"] == ["bad", "worse"]
    assert "SIGSEGV" in said(checks, "project-import")[0]
    assert said(checks, "imports")


def test_what_was_promised_is_held_against_what_is_there(place: Place) -> None:
    place.bring("Good.Thing", "2.0", "good", "")
    assert "(1)" in said(place.tried(promised=("good-thing>=1,<3",)), "declared")[0]
    missing, wrong = place.tried(promised=("good-thing<2", "absent", "good_thing"))
    assert (missing.state, wrong.state) == ("warning", "warning")
    assert (missing.data["missing"], wrong.data["wrong"]) == (["absent"], ["good-thing<2 (2.0)"])


def test_what_the_plan_could_not_keep_counts_as_missing(place: Place) -> None:
    """The lock promised nothing of it: no source had it."""
    for name in ("torch", "numpy", "tqdm", "matplotlib"):
        place.bring(name, "1.0", name, "")
    promised = ("torch==1.0", "numpy>=1", "numpy", "tqdm", "matplotlib")
    use = ProjectUse("/p", promised, asked=(*promised, "torchvision"), left=("torchvision",))
    (check,) = try_project(place.python, place.prefix, use, cause_and_fix)
    assert (check.name, check.state) == ("declared", "warning")
    assert "torchvision. 4 of 5 " in text(check.message, "en")


def test_it_is_cancelled(place: Place) -> None:
    place.bring("slow", "1.0", "slow", "import time\ntime.sleep(600)\n")
    use = ProjectUse("/p", imports=(ProjectImport("slow", (), "a.py:1"),))
    with pytest.raises(Cancelled):
        try_project(place.python, place.prefix, use, cause_and_fix, lambda: True)
