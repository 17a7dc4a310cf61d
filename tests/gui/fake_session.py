"""A session that replays recorded answers and writes a real event file, for the window's tests and the gallery.

One file on purpose: it answers all that the window may ask, and has the run that goes with the answers.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.app import values
from tests.gui.fake_tools import FakeTools
from tests.sentences import error_text
from wizard.app.pages.check import Looks
from wizard.app.project import ProjectRequest
from wizard.app.tools import WindowSession
from wizard.app.use.settings import Mending, Used, UsePlan, mend, mending, plan_use
from wizard.compatibility.model import Choices, Plan, Verdict
from wizard.machine.probe import PARTS
from wizard.model.errors import Cancelled, ExitStatus, UsageError, WizardError
from wizard.model.events import Event, EventKind
from wizard.model.messages import Message, message
from wizard.run.model import Facts, Preview, Requirement, RunInfo, SelectedBuild
from wizard.run.plan.computed import OnProgress
from wizard.run.report.document import diagnosis_facts, verification_facts
from wizard.run.select.learned_rows import JudgedBuild
from wizard.sources.model import SourceStatus
from wizard.sources.table import MirrorRow
from wizard.toolconfig.edit import apply
from wizard.toolconfig.lint.finding import LintFinding
from wizard.toolconfig.model import UserContext
from wizard.transfer.download import FetchProgress
from wizard.transfer.proxy.model import Network, SystemProxy
from wizard.undo.model import Change

STEPS = (("preflight", 1), ("create", 6), ("fetch", 60), ("install", 23), ("check", 1), ("verify", 9))
IsCancelled = Callable[[], bool]


class FakeSession(WindowSession):
    """`fail`: name of a call -> the error it raises. `hold`: a call that waits until `let_go` is set."""

    def __init__(self, root: Path, gpu_ok: bool = True) -> None:
        self.root = root
        self.gpu_ok = gpu_ok
        self.verified = True
        self.facts = values.FACTS
        self.selected = values.SELECTED
        self.looks = Looks()
        self.parts: tuple[str, ...] = PARTS
        self.found_news: tuple[JudgedBuild, ...] = ()
        self.told: tuple[SourceStatus, ...] = ()
        self.fresh: list[bool] = []
        self.table = values.MIRRORS
        self.around = UserContext({}, root / "person", "linux", root / "system")
        self.wish, self.system = Network(), SystemProxy()
        self.fail: dict[str, WizardError] = {}
        self.hold: set[str] = set()
        self.whole_files: tuple[FetchProgress, ...] = ()  # that a plan needs
        self.let_go = threading.Event()
        self.known_runs: list[RunInfo] = []
        self.calls: list[tuple[str, Any]] = []
        self.worker: threading.Thread | None = None
        self.script: Callable[[FakeRun], None] = whole_run
        self._count = 0
        self.tools = FakeTools()

    # -- the pages' calls

    def probe(
        self,
        on_part: Callable[[str], None] | None,
        is_cancelled: IsCancelled,
        on_rows: Callable[[tuple[Requirement, ...]], None] | None = None,
    ) -> Facts:
        for part in self.parts:
            if on_part:
                on_part(part)
            if on_rows:
                on_rows(self.facts.requirements)
        self._called("probe", None, is_cancelled)
        return self.facts

    def look_over(self, facts: Facts) -> Looks:
        self._called("look_over", None)
        return self.looks

    def mending(self, findings: Sequence[LintFinding], code: str) -> Mending:
        self._called("mending", code)
        return mending(findings, code)

    def mend(self, planned: Mending) -> Change:
        self._called("mend", planned)
        change = mend(planned)
        self.looks = replace(self.looks, findings=())
        return change

    def news(self, facts: Facts, choices: Choices, is_cancelled: IsCancelled) -> tuple[JudgedBuild, ...]:
        self._called("news", choices, is_cancelled)
        return self.found_news

    def propose(self, facts: Facts, choices: Choices) -> Verdict:
        self._called("propose", choices)
        return values.verdict(choices.python or "3.12")

    def select_build(
        self,
        facts: Facts,
        choices: Choices,
        on_note: Callable[[Message], None] | None,
        is_cancelled: IsCancelled,
        fresh: bool = False,
        on_source: Callable[[SourceStatus], None] = lambda told: None,
    ) -> SelectedBuild:
        if on_note:
            on_note(message("notice.asked-unfit", build="torch 2.15.0+cu132", reason=values.TOO_OLD.message))
        for told in self.told:
            on_source(told)
        self.fresh.append(fresh)
        self._called("select_build", choices, is_cancelled)
        picked = next(
            (one for one in values.candidates() if (one.torch, one.variant) == (choices.torch, choices.variant)),
            values.BEST,
        )
        engine = values.SELECTED.engine if choices.engine == "auto" else choices.engine
        return replace(self.selected, candidate=picked, engine=engine)

    def mirrors(self) -> tuple[MirrorRow, ...]:
        return self.table

    def plan_use(self, mirror: str, kinds: tuple[str, ...]) -> UsePlan:
        self._called("plan_use", (mirror, kinds))
        return plan_use(mirror, kinds, self.around)

    def use(self, plan: UsePlan) -> Used:
        """Writes in earnest, into the folder of the test; the tools are not asked."""
        self._called("use", plan.mirror)
        return Used(apply(plan.diffs, message("settings-file.reason.source", id=plan.mirror, name=plan.mirror)), (), ())

    def network(self) -> Network:
        return self.wish

    def system_network(self) -> SystemProxy:
        return self.system

    def save_network(self, network: Network, facts: Facts) -> Facts:
        self._called("save_network", network)
        self.wish = network
        return facts

    def set_limits(self, run_id: str, limit_rate: int | None, connections: int | None) -> Plan:
        self._called("set_limits", (limit_rate, connections))
        made = values.plan(run_id)
        return replace(made, choices=replace(made.choices, limit_rate=limit_rate, connections=connections))

    def check_place(self, choices: Choices, facts: Facts) -> tuple[Requirement, ...]:
        self._called("check_place", choices)
        if "/" in (choices.name or ""):
            raise UsageError("bad-name", name=choices.name or "")
        return values.place()

    def preview(
        self,
        facts: Facts,
        choices: Choices,
        selected: SelectedBuild,
        is_cancelled: IsCancelled,
        on_progress: OnProgress = lambda progress: None,
    ) -> Preview:
        for progress in self.whole_files:
            on_progress(progress)
        self._called("preview", choices, is_cancelled)
        self._count += 1
        run_id = f"run-{self._count}"
        prefix = choices.prefix or f"{self.environments_dir()}/{choices.name or 'torch'}"
        self.known_runs.append(values.run_info(run_id, "planned", prefix))
        made = values.preview(run_id, prefix, choices)
        plan = replace(made.plan, candidate=selected.candidate)
        return replace(made, plan=plan)

    def plan_project(
        self,
        facts: Facts,
        request: ProjectRequest,
        choices: Choices,
        trusted: frozenset[str],
        is_strict: bool,
        is_cancelled: IsCancelled,
        on_progress: OnProgress = lambda progress: None,
    ) -> Preview:
        self._called("plan_project", (request, trusted, is_strict))
        return self.preview(facts, choices, self.selected, is_cancelled, on_progress)

    def environments_dir(self) -> Path:
        return Path("/home/li/torch-envs")

    def remember_volumes(self, choices: Choices) -> None:
        self._called("remember_volumes", (choices.cache_dir, choices.temp_dir))

    # -- runs

    def plan_add(
        self,
        facts: Facts,
        choices: Choices,
        is_cancelled: IsCancelled = lambda: False,
        on_progress: OnProgress = lambda progress: None,
    ) -> Preview | None:
        self._called("plan_add", choices.extras, is_cancelled)
        self.tools.fail.pop("register_kernel", None)  # what it lacked is there from now on
        return self._changing(choices)

    def plan_update(self, facts: Facts, choices: Choices, *rest: Any, **more: Any) -> Preview | None:
        self._called("plan_update", choices.extras)
        return self._changing(choices)

    def _changing(self, choices: Choices) -> Preview:
        added = [{"name": name, "now": "1.0"} for name in ("ipykernel", "comm")]
        changes = tuple(Message("reuse.change.added", one, "{name} {now} is added") for one in added)
        self.known_runs.append(values.run_info("run-kernel", "planned", choices.prefix or ""))
        return replace(values.preview("run-kernel", choices.prefix or "", choices), changes=changes)

    def start(self, run_id: str) -> int:
        self._called("start", run_id)
        self.set_state(run_id, "running", asked="")
        FakeRun(self, run_id).emit(EventKind.ATTEMPT_STARTING)
        self.worker = threading.Thread(target=self.script, args=(FakeRun(self, run_id),), daemon=True)
        self.worker.start()
        return 1

    def resume(self, run_id: str) -> int:
        self._called("resume", run_id)
        return self.start(run_id)

    def discard(self, run_id: str) -> None:
        self._called("discard", run_id)
        self.known_runs = [run for run in self.known_runs if run.id != run_id]

    def request_cancel(self, run_id: str) -> None:
        self._called("request_cancel", run_id)
        self.set_state(run_id, asked="cancel")

    def request_pause(self, run_id: str, paused: bool) -> None:
        self._called("request_pause", paused)
        self.set_state(run_id, asked="pause" if paused else "")

    def events_path(self, run_id: str) -> Path:
        folder = self.root / run_id
        folder.mkdir(parents=True, exist_ok=True)
        return folder / "events.jsonl"

    def runs(self) -> tuple[RunInfo, ...]:
        self._called("runs", None)
        return tuple(self.known_runs)

    def run(self, run_id: str) -> RunInfo:
        self._called("run", run_id)
        for run in self.known_runs:
            if run.id == run_id:
                return run
        raise UsageError(error_text("no-such-run"), run=run_id)

    def report(self, run_id: str) -> dict[str, Any]:
        self._called("report", run_id)
        return report(self.gpu_ok) if self.verified else {"schema": 1, "verification": None}

    # -- for the tests

    def names(self) -> list[str]:
        return [name for name, _ in self.calls]

    def set_state(self, run_id: str, state: str | None = None, **more: Any) -> None:
        more |= {"state": state} if state else {}
        self.known_runs = [replace(run, **more) if run.id == run_id else run for run in self.known_runs]

    def _called(self, name: str, value: Any, is_cancelled: IsCancelled = lambda: False) -> None:
        self.calls.append((name, value))
        while name in self.hold and not self.let_go.is_set():
            if is_cancelled():
                raise Cancelled
            time.sleep(0.005)
        if name in self.fail:
            raise self.fail[name]


class FakeRun:
    """Writes the events of one attempt."""

    def __init__(self, session: FakeSession, run_id: str) -> None:
        self.session, self.run_id = session, run_id
        self._path = session.events_path(run_id)
        self._seq = 0

    def emit(self, kind: EventKind, **data: Any) -> None:
        self._seq += 1
        with self._path.open("a", encoding="utf-8") as file:
            at = 1_795_000_000.0 + 3 * self._seq  # seconds: a speed counts once it rests on some of them
            file.write(Event(kind, self._seq, at, self.run_id, data).to_line() + "\n")

    def begin(self) -> None:
        self.emit(EventKind.RUN_STARTED, steps=[{"name": name, "weight": weight} for name, weight in STEPS])

    def step(self, name: str, outcome: str = "done") -> None:
        said = values.STEPS_DONE[name].to_json("en")
        self.emit(EventKind.STEP_STARTED, step=name, message=values.STEPS_WILL[name].to_json("en"))
        ended = said if outcome == "done" else None  # as the program says it of a step that was cancelled or failed
        self.emit(EventKind.STEP_FINISHED, step=name, outcome=outcome, seconds=1.9, message=ended)

    def fetch(self, parts: Sequence[float]) -> None:
        self.emit(EventKind.STEP_STARTED, step="fetch", message=values.STEPS_WILL["fetch"].to_json("en"))
        total = values.LOCK.total_bytes or 1
        for part in parts:
            self.emit(
                EventKind.PROGRESS,
                step="fetch",
                done=int(total * part),
                total=total,
                unit="bytes",
                rate=36.2e6,
                eta=(1 - part) * total / 36.2e6,
                limited_by="network",
                detail="torch-2.14.1+cu126-cp312-manylinux_2_28_x86_64.whl",
                files_done=int(5 * part),
                files_total=5,
                files=[["torch", int(2_480_000_000 * part), 2_480_000_000], ["numpy", 12_300_000, 12_300_000]],
            )

    def log(self, *lines: str) -> None:
        for line in lines:
            self.emit(EventKind.LOG, step="fetch", text=line)

    def finish(self, status: ExitStatus = ExitStatus.DONE, error: dict[str, Any] | None = None) -> None:
        done = status in (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED)
        self.session.verified = done
        self.session.set_state(self.run_id, "finished" if done else "unfinished")
        self.emit(
            EventKind.RUN_FINISHED, status=int(status), outcome=status.name.lower(), error=error, report="report.json"
        )


LOG = (
    "numpy-2.5.5-cp312-manylinux_2_28_x86_64.whl sha256 3f1c3f1c3f1c…",
    "mirrors.example.org refused sympy (403): next source",
    "sympy-1.14.0-py3-none-any.whl sha256 3f1c3f1c3f1c…",
    "torch: connection lost at 0.71 GB, resumed after 2 s",
)


def half_run(run: FakeRun) -> None:
    """Stays in the middle of the download."""
    run.begin()
    run.step("preflight")
    run.step("create")
    run.fetch((0.1, 0.3, 0.46))
    run.log(*LOG)


def whole_run(run: FakeRun) -> None:
    half_run(run)
    run.fetch((0.8, 1.0))
    for name in ("fetch", "install", "check", "verify"):
        run.step(name)
    run.finish(ExitStatus.DONE if run.session.gpu_ok else ExitStatus.GPU_TEST_FAILED)


def failed_run(run: FakeRun) -> None:
    half_run(run)
    run.step("fetch", "failed")
    lost = WizardError(
        "fetch-unreachable",
        details="ConnectionError: [Errno 101] Network is unreachable",
        file="torch 2.14.1+cu126",
    )
    run.finish(ExitStatus.FAILED, lost.to_json("en"))


def until_cancelled(run: FakeRun) -> None:
    half_run(run)
    while "request_cancel" not in run.session.names():
        time.sleep(0.005)
    run.step("fetch", "cancelled")
    run.finish(ExitStatus.CANCELLED)


def report(gpu_ok: bool) -> dict[str, Any]:
    seen = values.verification(gpu_ok)
    diagnosis = None if gpu_ok else values.diagnosed(seen)
    return {
        "schema": 1,
        "verification": verification_facts(seen, "en"),
        "diagnosis": diagnosis and diagnosis_facts(diagnosis, "en"),
        "outcome": "done" if gpu_ok else "gpu_test_failed",
        "created": "2026-11-18T10:06:40Z",
        "plan": {"engine": "rattler", "torch": "2.14.1", "variant": "cu126" if gpu_ok else "cu130", "python": "3.12"},
        "machine": values.REPORTED_MACHINE,
    }
