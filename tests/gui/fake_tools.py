"""Recorded answers for the pages beside the wizard: environments, the doctor, undo. Errors are explained for real.

One file on purpose: it answers all that these pages may ask (`Tools`), each answer a few lines.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.app import values
from wizard.app.classroom import ClassTools
from wizard.app.notebook import Notebook
from wizard.app.pages.after_setup import Section, UsableEnvironment, afterwards
from wizard.app.pages.versions import ReleaseRow, release_rows
from wizard.app.tools import Tools
from wizard.app.use.doctor import Examination
from wizard.app.use.environments import Closer, Glance, Replaced
from wizard.app.use.explain import ExplainResult as Explained
from wizard.app.use.explain import with_package
from wizard.app.use.settings import UndoDiff
from wizard.classroom.join import Classroom
from wizard.classroom.profile.hosts import ForeignHost
from wizard.classroom.profile.model import Profile, ProfileEnvironment, ProfileFile
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices, ProjectUse
from wizard.diagnose.document import doctor_document
from wizard.diagnose.known_errors.match import explain
from wizard.diagnose.known_errors.pasted import read_pasted
from wizard.diagnose.model import Check, DoctorResult, Finding, Remedy, finding
from wizard.diagnose.repair.plan import RepairPreview
from wizard.diagnose.repair.steps import Repair
from wizard.environment.inspect.baseline import Baseline, EnvironmentChanges
from wizard.environment.inspect.baseline import PackageChange as Changed
from wizard.environment.inspect.contents import Package
from wizard.environment.inspect.in_use import RunningProgram
from wizard.environment.inspect.owned import Unowned
from wizard.environment.inspect.sizes import Sizes
from wizard.environment.model import Environment, EnvironmentKind, EnvironmentState
from wizard.environment.remove.delete import DeletionPlan
from wizard.install.store import StoreEntry
from wizard.install.store.space import Stored, Usage
from wizard.model.errors import Cancelled, WizardError
from wizard.model.messages import Message, in_each, message
from wizard.run.model import Facts, Preview
from wizard.run.plan.computed import OnProgress
from wizard.run.report.privacy import Private
from wizard.system.paths import matrices_dir
from wizard.undo.model import Change, FileChange, How, Undone, UndoneFile
from wizard.undo.model import ChangeState as Written

REAL = Tools(None)  # type: ignore[arg-type]  # for what needs no session
HOME = Path("/home/li/torch-envs")
WHEN = 1_795_000_000.0
A_WEEK_AGO = time.time() - 7 * 86_400  # is said in days: no picture ages


def environment(name: str, **changes: Any) -> Environment:
    made = Environment(
        name,
        HOME / name,
        EnvironmentKind.RATTLER,
        EnvironmentState.OK,
        python="3.12.11",
        torch="2.14.1",
        variant="cu126",
        companions=(Package("torchvision", "0.29.1+cu126"),),
        packages=61,
        last_used=A_WEEK_AGO,
    )
    return replace(made, **changes)


ENVIRONMENTS = (
    environment("torch"),
    environment(
        "lesson-3",
        kind=EnvironmentKind.CONDA,
        prefix=Path("/home/li/miniforge3/envs/lesson-3"),
        torch="2.7.0",
        variant="cpu",
    ),
    environment(
        "项目 甲",
        kind=EnvironmentKind.VENV,
        python="3.11.9",
        prefix=Path("/home/li/项目 甲/.venv"),
        torch=None,
        variant=None,
        companions=(),
        packages=14,
    ),
    environment(
        "old",
        state=EnvironmentState.BROKEN,
        kind=EnvironmentKind.VENV,
        reason=message("envs.broken.base", path="/usr/bin/python3.9"),
        python=None,
    ),
    environment(
        "half", state=EnvironmentState.UNFINISHED, run="20261101-101010-abcd", torch=None, variant=None, companions=()
    ),
    environment(
        "base", kind=EnvironmentKind.BASE, prefix=Path("/home/li/miniforge3"), torch=None, variant=None, companions=()
    ),
    environment(
        "python3.12", kind=EnvironmentKind.SYSTEM, prefix=Path("/usr"), torch=None, variant=None, companions=()
    ),
)
SIZES = {
    one.prefix: Sizes(5_312_000_000 // (place + 1), 5_000_000_000, 60_412) for place, one in enumerate(ENVIRONMENTS)
}


def deletion(one: Environment, **changes: Any) -> DeletionPlan:
    made = DeletionPlan(
        one,
        Sizes(5_312_000_000, 4_900_000_000, 60_412),
        unowned=(Unowned("notes.txt", 1, 4_212, False), Unowned("checkpoints", 12, 812_000_000, True)),
        running=(),
        kernels=(),
        dependants=(ENVIRONMENTS[3],),
        stays=(message("envs.stays.conda-cache"), message("envs.stays.downloads")),
    )
    return replace(made, **changes)


IN_USE = (RunningProgram(4711, "python3.12", "/home/li/torch-envs/torch/bin/python3.12"),)
CPU_BUILD = finding(
    "build",
    "cpu-build",
    ("torch/version.py: 2.15.0+cpu", "card: NVIDIA GeForce GTX 1660 Ti (7.5), driver 535.183.01"),
    Remedy(family=True),
    torch="2.15.0+cpu",
    variant="cu126",
)
LOOKS = (
    Check("interpreter", "ruled-out", message("doctor.look.interpreter.ruled-out", version="3.12.11")),
    Check("copies", "ruled-out", message("doctor.look.copies.ruled-out")),
    Check("build", "found", CPU_BUILD.cause),
    Check("drift", "not-looked", message("doctor.not-looked.no-record")),
)


def answer(verdict: str, prefix: Path, cause: Finding | None = None, others: tuple[Finding, ...] = ()) -> DoctorResult:
    return DoctorResult(verdict, prefix, cause, others, LOOKS)


def examination(given: DoctorResult, drift: EnvironmentChanges | None = None) -> Examination:
    return Examination(values.FACTS, None, given, drift)  # type: ignore[arg-type]


def drift_in(prefix: Path) -> EnvironmentChanges:
    state = Baseline(1, WHEN, "2.14.1+cu126", "cu126", "3.12.11", "lib/python3.12/site-packages", ())
    change = Changed("torch", "2.14.1+cu126", "2.15.0", "pip", ("some-trainer 1.2 (torch>=2.15)",))
    return EnvironmentChanges(prefix, state, (change,))


def repair(prefix: Path) -> RepairPreview:
    plan = values.plan("20261101-121212-beef", str(prefix))
    changes = (
        message("doctor.change.reinstall", names="torch 2.14.1+cu126, torchvision 0.29.1+cu126"),
        message("doctor.change.others"),
        message("doctor.change.download", size="1.2 GB", count=5, minutes=4),
    )
    return RepairPreview(
        plan, values.LOCK, Repair("cpu-build", (), (), False, (), "", "", "cu126"), changes, 1_200_000_000
    )


TUNA = in_each(en="Tsinghua University TUNA", zh_CN="清华大学 TUNA")
CHANGES = (
    Change(
        "2",
        WHEN + 90_000,
        message("settings-file.reason.source", id="tuna", name=TUNA),
        (
            FileChange("/home/li/.config/pip/pip.conf", "/home/li/.config/pip/pip.conf", "pip", (), "aa", "bb", 0o600),
            FileChange("/home/li/.condarc", "/home/li/.condarc", "conda", (), None, "cc", None),
        ),
        Written.WRITTEN,
    ),
    Change(
        "1",
        WHEN,
        message("settings-file.reason.source", id="ustc", name="ustc"),
        (FileChange("/home/li/.config/uv/uv.toml", "/home/li/.config/uv/uv.toml", "uv", (), "aa", "bb", 0o600),),
        Written.UNDONE,
    ),
)
DIFF = """--- /home/li/.config/pip/pip.conf
+++ /home/li/.config/pip/pip.conf
@@ -1,3 +1,2 @@
 [global]
-index-url = https://mirror.example/simple
 timeout = 20"""


def _stored(name: str, size: int, is_used: bool) -> Stored:
    return Stored(StoreEntry(Path(name), Path(name) / f"{name}.whl", ()), size, is_used)


USAGE = Usage(
    (_stored("torch-2.14.1", 4_900_000_000, True), _stored("torch-2.13.0", 5_300_000_000, False)),
    (_stored("torch-2.13.0", 5_300_000_000, False),),
)


class FakeTools(Tools):
    """`fail`: name of a call -> the error it raises. `hold`: calls that wait until `let_go` is set."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.fail: dict[str, WizardError] = {}
        self.hold: set[str] = set()
        self.let_go = threading.Event()
        self.known: tuple[Environment, ...] = ENVIRONMENTS
        self.kept: Replaced | None = None
        self.older: tuple[Replaced, ...] = ()
        self.lacks = ""  # for a notebook
        self.notebook_runs = ""  # where
        self.deleted: set[Path] = set()
        self.project: ProjectUse | None = None
        self.notebook_command: str | None = "jupyter lab"
        self.editor = True
        self.running: tuple[RunningProgram, ...] = ()
        self.environment: Path | None = None  # that a text names
        self.seen = Glance("NVIDIA GeForce GTX 1660 Ti", 5, "old")
        self.drifts: tuple[EnvironmentChanges, ...] = ()
        self.answer: Callable[[Path], Examination] = lambda prefix: examination(answer("found", prefix, CPU_BUILD))
        self.known_changes: tuple[Change, ...] = CHANGES
        self.would_change = True
        self.usage = USAGE
        self.set_up = False  # the class profile, in its place
        self.classes = ClassTools()  # the real one: it needs no session

    def names(self) -> list[str]:
        return [name for name, _ in self.calls]

    def _called(self, name: str, value: Any = None, is_cancelled: Callable[[], bool] = lambda: False) -> None:
        self.calls.append((name, value))
        while name in self.hold and not self.let_go.is_set():
            if is_cancelled():
                raise Cancelled
            time.sleep(0.005)
        if name in self.fail:
            raise self.fail[name]

    # -- a class profile

    def read_profile(self, path: Path) -> ProfileFile:
        return REAL.read_profile(path)

    def foreign_hosts(self, file: ProfileFile, room: Classroom | None = None) -> tuple[ForeignHost, ...]:
        return REAL.foreign_hosts(file, room)

    def signer(self, file: ProfileFile) -> Message:
        return REAL.signer(file)

    def remember_key(self, file: ProfileFile) -> None:
        REAL.remember_key(file)

    def profile_choices(self, file: ProfileFile, wishes: Choices) -> Choices:
        return REAL.profile_choices(file, wishes)

    def plan_profile(
        self,
        facts: Facts,
        file: ProfileFile,
        choices: Choices,
        is_cancelled: Callable[[], bool],
        classroom: Classroom | None = None,
        trusted: frozenset[str] = frozenset(),
    ) -> Preview | None:
        self._called("plan_profile", choices, is_cancelled)
        return None if self.set_up else values.preview("run-class", str(HOME / "class"), choices)

    def make_profile(
        self, facts: Facts, preview: Preview, choices: Choices, path: Path, is_cancelled: Callable[[], bool]
    ) -> ProfileFile:
        self._called("make_profile", (preview.plan.id, path), is_cancelled)
        return ProfileFile(Profile("x", "2026-11-21", "0.1.0", ProfileEnvironment("x"), ()), b"x", "ab" * 32)

    # -- environments

    def environments(self, is_cancelled: Callable[[], bool]) -> tuple[Environment, ...]:
        self._called("environments", None, is_cancelled)
        return self.known

    def sizes(
        self, found: Iterable[Environment], on_sizes: Callable[[Path, Sizes], None], is_cancelled: Callable[[], bool]
    ) -> None:
        self._called("sizes", None, is_cancelled)
        for one in found:
            if one.prefix in SIZES and one.kind is not EnvironmentKind.SYSTEM:
                on_sizes(one.prefix, SIZES[one.prefix])

    def store_usage(self, is_cancelled: Callable[[], bool]) -> Usage:
        self._called("store_usage", None, is_cancelled)
        return self.usage

    def glance(self, is_cancelled: Callable[[], bool]) -> Glance:
        self._called("glance", None, is_cancelled)
        return self.seen

    def disk_room(self) -> tuple[int, int] | None:
        return 81_000_000_000, 256_000_000_000

    def prune_store(self, is_cancelled: Callable[[], bool]) -> int:
        self._called("prune_store", None, is_cancelled)
        freed, self.usage = self.usage.freed, Usage(self.usage.stored[:1], ())
        return freed

    def closer(self, one: Environment) -> Closer:
        self._called("closer", one)
        return Closer(
            self.ways(one.prefix, one.variant == "cu126"), self.kept, self.older, self.lacks, self.notebook_runs
        )

    def ways(self, prefix: Path, has_cuda: bool) -> tuple[Section, ...]:
        self._called("ways", prefix)
        if prefix in self.deleted:
            return ()
        return afterwards(UsableEnvironment(str(prefix), "linux", "bash", has_cuda=has_cuda, project=self.project))

    def bring_back(self, prefix: Path, run: str = "") -> tuple[str, ...]:
        self._called("bring_back", (prefix, run))
        return self.kept.names if self.kept else ()

    def open_terminal(self, prefix: Path, command: str = "", meant: Path | None = None) -> None:
        self._called("open_terminal", prefix)

    def has_editor(self) -> bool:
        return self.editor

    def open_in_editor(self, prefix: Path, folder: Path | None = None) -> None:
        self._called("open_in_editor", prefix)

    def notebook(self, prefix: Path) -> str | None:
        return self.notebook_command

    def open_notebook(self, prefix: Path, is_cancelled: Callable[[], bool]) -> Notebook:
        was_there = ("open_notebook", prefix) in self.calls
        self._called("open_notebook", prefix, is_cancelled)
        return Notebook("http://localhost:8888/?token=secret", was_there)

    def stop_notebook(self, prefix: Path, every: bool = False) -> None:
        self._called("stop_notebook", (prefix, every))
        self.running = ()

    def register_kernel(self, prefix: Path) -> str:
        self._called("register_kernel", prefix)
        return f"PyTorch ({prefix.name})"

    def clone(
        self, one: Environment, name: str, on_progress: Callable[[int, int], None], is_cancelled: Callable[[], bool]
    ) -> int:
        on_progress(1_000_000_000, 4_000_000_000)
        self._called("clone", name, is_cancelled)
        self.known = (*self.known, replace(one, name=name, prefix=HOME / name))
        return 4_000_000_000

    def export(self, one: Environment, path: Path) -> None:
        self._called("export", path)

    def plan_deletion(self, one: Environment, is_cancelled: Callable[[], bool]) -> DeletionPlan:
        self._called("plan_deletion", one, is_cancelled)
        ours = frozenset(each.pid for each in self.running if each.program.startswith("jupyter"))
        return deletion(one, running=self.running, notebooks=ours)

    def delete(
        self, plan: DeletionPlan, typed: str, on_progress: Callable[[int, int], None], is_cancelled: Callable[[], bool]
    ) -> None:
        on_progress(30_000, 2_500_000_000)
        self._called("delete", typed, is_cancelled)
        self.known = tuple(one for one in self.known if one.prefix != plan.environment.prefix)

    # -- an environment as the target

    def check_reuse(self, choices: Choices) -> None:
        self._called("check_reuse", choices)

    def plan_reuse(
        self, facts: Facts, choices: Choices, is_cancelled: Callable[[], bool], on_progress: OnProgress
    ) -> Preview | None:
        self._called("plan_reuse", choices, is_cancelled)
        return values.preview("run-reuse", choices.prefix or "", choices) if self.would_change else None

    # -- doctor

    def drift(self) -> tuple[EnvironmentChanges, ...]:
        self._called("drift")
        return self.drifts

    def examine(
        self, prefix: Path, on_stage: Callable[[str], None], is_cancelled: Callable[[], bool], deep: bool = False
    ) -> Examination:
        for stage in ("files", *(("read torch",) if deep else ("test", "machine"))):
            on_stage(stage)
        self._called("examine-deep" if deep else "examine", prefix, is_cancelled)
        found = self.answer(prefix)
        read = Check("files", "ruled-out", message("doctor.look.files.read", count=12))
        return replace(found, answer=replace(found.answer, looks=(*found.answer.looks, read))) if deep else found

    def plan_repair(self, found: Examination, sources: Choices, is_cancelled: Callable[[], bool]) -> RepairPreview:
        self.named_sources = sources
        self._called("plan_repair", found, is_cancelled)
        return repair(found.answer.prefix)

    def document(self, found: Examination, planned: RepairPreview | None, language: str) -> Mapping[str, Any]:
        changes = planned.changes if planned else ()
        private = Private((), "", "")
        return doctor_document(
            found.answer, {"schema": 1}, found.drift, changes, created=WHEN, language=language, private=private
        )

    def document_text(self, document: Mapping[str, Any], language: str) -> str:
        return REAL.document_text(document, language)

    def save(self, path: Path, document: Mapping[str, Any], language: str) -> None:
        self._called("save", path)
        REAL.save(path, document, language)

    # -- explain

    def explain(self, words: str, is_cancelled: Callable[[], bool]) -> Explained:
        self._called("explain", words, is_cancelled)
        found = with_package(explain(words))
        facts = (message("explain.fact.driver", driver="535.183.01", cuda="12.2"),) if found else ()
        return Explained(found, facts, environment=self.environment)

    def read_pasted(self, path: Path) -> str:
        self._called("read_pasted", path)
        return read_pasted(path)

    # -- undo

    def settle(self) -> tuple[Message, ...]:
        self._called("settle")
        return ()

    def releases(self) -> tuple[ReleaseRow, ...]:
        return release_rows(load_matrix(matrices_dir()))

    def changes(self) -> tuple[Change, ...]:
        self._called("changes")
        return self.known_changes

    def undo_diffs(self, change: Change) -> tuple[UndoDiff, ...]:
        self._called("undo_diffs", change)
        first, *rest = change.files
        return (
            UndoDiff(first.path, How.RESTORED, DIFF),
            *(UndoDiff(file.path, How.TAKEN_OUT, "", ("channels",)) for file in rest),
        )

    def undo(self, change: Change) -> Undone:
        self._called("undo", change)
        done = replace(change, state=Written.UNDONE)
        self.known_changes = tuple(done if one.id == change.id else one for one in self.known_changes)
        return Undone(done, tuple(UndoneFile(file.path, How.RESTORED) for file in change.files))
