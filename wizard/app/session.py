"""The use cases, one object for the window and the command line: probe, propose, select, preview, run, resume.

It decides nothing itself: it asks the layers below in the right order and hands on their values. What only a call needs
is imported by that call: Welcome waits for no solver, no network and no doctor. One file: one thin line for each call.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard.app.use.runs import Runs, drift, set_limits
from wizard.compatibility.model import Choices, Plan, Verdict
from wizard.sources.model import SourceStatus, UserSettings
from wizard.system import paths

if TYPE_CHECKING:
    from wizard.app.pages.check import Looks
    from wizard.app.project import ProjectRequest
    from wizard.app.use.doctor import Examination
    from wizard.app.use.settings import Mending, Used, UsePlan
    from wizard.compatibility.data.model import Matrix
    from wizard.compatibility.resolve import Judge
    from wizard.diagnose.repair.plan import RepairPreview
    from wizard.environment.inspect.baseline import EnvironmentChanges
    from wizard.machine.model import Machine
    from wizard.model.errors import ExitStatus
    from wizard.model.messages import Message
    from wizard.project.model import Project
    from wizard.run.model import Facts, Preview, Requirement, SelectedBuild
    from wizard.run.plan.computed import OnProgress
    from wizard.run.select.learned_rows import JudgedBuild
    from wizard.sources.table import MirrorRow
    from wizard.toolconfig.lint.finding import LintFinding
    from wizard.transfer.proxy.model import Network, SystemProxy
    from wizard.undo.model import Change

IsCancelled = Callable[[], bool]


def _never() -> bool:
    return False


class Session(Runs):
    """`network`: how to reach it this time; None: as it was saved (session.network)."""

    def __init__(self, network: Network | None = None) -> None:
        self._network = network

    @cached_property
    def matrix(self) -> Matrix:
        from wizard.compatibility.data.load import load_matrix

        return load_matrix()

    @cached_property
    def _judge(self) -> Judge:
        from wizard.compatibility.resolve import Judge

        return Judge(self.matrix)

    def probe(
        self,
        on_part: Callable[[str], None] | None = None,
        is_cancelled: IsCancelled = _never,
        on_rows: Callable[[tuple[Requirement, ...]], None] | None = None,
    ) -> Facts:
        """`on_part` hears each part of the look as it ends, and then `on_rows` what the machine looks like so far."""
        from wizard.app.pages.check import host_checks
        from wizard.app.pages.requirements import requirements, with_lint
        from wizard.machine.probe import probe

        started = time.monotonic()
        around = host_checks()

        def told(machine: Machine) -> None:
            if on_rows:
                on_rows((*requirements(machine, UserSettings()), *around))

        facts = self._facts(probe(on_part, is_cancelled, on_machine=told), started)
        return replace(facts, requirements=(*with_lint(facts.requirements, self.lint(facts)), *around))

    def facts_of(self, machine: Machine) -> Facts:
        """For a machine that was described in a file."""
        return self._facts(machine, time.monotonic())

    def _facts(self, machine: Machine, started: float) -> Facts:
        from wizard.app.pages.requirements import requirements
        from wizard.app.use.network import load_network, with_network
        from wizard.run.model import Facts
        from wizard.toolconfig.settings import read_user_settings

        roots = (conda.root_prefix for conda in machine.condas if conda.root_prefix)
        conda_root = next((Path(root) for root in roots), None)
        settings = read_user_settings(os.environ, Path.home(), paths.os_name(), conda_root=conda_root)
        settings = with_network(settings, self._network or load_network())
        rows = requirements(machine, settings, self.matrix, self._variant(machine))
        return Facts(machine, settings, rows, round(time.monotonic() - started, 2))

    def _variant(self, machine: Machine) -> str:
        """Return that of the build which would be chosen for it; '' where none fits."""
        best = self.judge(machine, Choices()).best
        return best.variant if best else ""

    def lint(self, facts: Facts) -> tuple[LintFinding, ...]:
        """What in the user's own pip, uv and conda settings would harm this install, the worst first."""
        from wizard.app.use.settings import findings_for, own_settings, situation_of

        own = own_settings(os.environ, Path.home(), facts.machine)
        best = self.judge(facts.machine, Choices()).best
        return findings_for(own, situation_of(facts.machine, best, self.matrix))

    def look_over(self, facts: Facts) -> Looks:
        """What else is worth knowing before a setup: settings, driver, environments that are not as they were."""
        from wizard.app.pages.check import Looks, driver_advice, proxy_in_use
        from wizard.app.pages.requirements import verdict_rows
        from wizard.transfer.proxy.tunnel import is_reachable

        verdict = self.judge(facts.machine, Choices())
        guide = driver_advice(facts.machine, self.matrix, verdict.after_driver_update)
        rows = verdict_rows(facts, verdict)
        is_dead = (proxy := proxy_in_use(facts)) is not None and not is_reachable(proxy)
        return Looks(self.lint(facts), verdict.after_driver_update, guide, self.drift(), rows, is_dead)

    def mending(self, findings: Sequence[LintFinding], code: str) -> Mending:
        """What mending the findings of this code would write. Raises UsageError `lint-unknown`."""
        from wizard.app.use.settings import mending

        return mending(findings, code)

    def mend(self, planned: Mending) -> Change:
        """Raises WizardError `undo-…`, with nothing changed."""
        from wizard.app.use.settings import mend

        return mend(planned)

    def propose(self, facts: Facts, choices: Choices) -> Verdict:
        """Raises UsageError for a Python, a release or a variant that does not exist."""
        from wizard.compatibility.resolve import resolve

        return resolve(facts.machine, self.matrix, self.canonical(choices))

    def judge(self, machine: Machine, choices: Choices) -> Verdict:
        """`propose` for described machines: only the best has its proof. Machines alike are judged once."""
        return self._judge.judge(machine, choices)

    def news(self, facts: Facts, choices: Choices, is_cancelled: IsCancelled = _never) -> tuple[JudgedBuild, ...]:
        """Builds that the sources list and the tables do not know, looked into and judged for this computer."""
        from wizard.run.select.learned_rows import judge_new_builds

        return judge_new_builds(facts.machine, self.matrix, choices, facts.settings, is_cancelled)

    def select_build(
        self,
        facts: Facts,
        choices: Choices,
        on_note: Callable[[Message], None] | None = None,
        is_cancelled: IsCancelled = _never,
        fresh: bool = False,
        on_source: Callable[[SourceStatus], None] = lambda status: None,
    ) -> SelectedBuild:
        """Asks the sources. Raises WizardError `no-source`, `no-build-fits`, `no-python`."""
        from wizard.app.companion_torch import select_for_named
        from wizard.run.select.select_build import select_build

        choices = self.canonical(choices)

        def select(wanted: Choices, *how: Any) -> SelectedBuild:
            return select_build(facts, self.matrix, self.propose(facts, wanted), wanted, on_note, is_cancelled, *how)

        verdict, first = self.propose(facts, choices), lambda wanted: select(wanted, fresh, on_source)
        return select_for_named(facts, self.matrix, choices, verdict, first, select, is_cancelled)

    def mirrors(self) -> tuple[MirrorRow, ...]:
        """Every place of the tables that may be chosen by name. Raises UsageError `bad-mirrors-file`."""
        from wizard.app.use.sources import NEEDED
        from wizard.sources.known_sources import rows_of

        return tuple(row for kind in NEEDED for row in rows_of(kind))

    def plan_use(self, mirror: str, kinds: tuple[str, ...] = ()) -> UsePlan:
        """What using a mirror for good would write. Raises WizardError `settings-…`."""
        from wizard.app.use.settings import plan_use

        return plan_use(mirror, kinds)

    def use(self, plan: UsePlan) -> Used:
        """Writes what was shown, then asks the tools. Raises WizardError `undo-…`, with nothing changed."""
        from wizard.app.use.settings import use

        return use(plan)

    def network(self) -> Network:
        """The wish that is in force."""
        from wizard.app.use.network import load_network

        return self._network or load_network()

    def system_network(self) -> SystemProxy:
        from wizard.transfer.proxy.system import system_proxy

        return system_proxy(os.environ, Path.home(), paths.os_name())

    def save_network(self, network: Network, facts: Facts) -> Facts:
        """For this and every later start. Returns the facts with the new way in them.

        Raises WizardError `state-not-writable`.
        """
        from wizard.app.use.network import save_network

        save_network(network)
        self._network = network
        return replace(facts, settings=self.facts_of(facts.machine).settings)

    def set_limits(self, run_id: str, limit_rate: int | None, connections: int | None) -> Plan:
        """Raises WizardError `run-busy`, `state-not-writable`."""
        from wizard.run.run_folder import find_run_folder

        return set_limits(find_run_folder(run_id), limit_rate, connections)

    def check_place(self, choices: Choices, facts: Facts) -> tuple[Requirement, ...]:
        """Hazards of the place; other places for caches and temporary files are put in force. Raises UsageError for one
        that can never be right."""
        from wizard.app.use.volumes import with_volumes
        from wizard.run.plan.place import check_place

        return check_place(with_volumes(choices), choices.variant or self._variant(facts.machine))

    def remember_volumes(self, choices: Choices) -> None:
        """What was wished for caches and temporary files, for later starts. Raises WizardError `state-not-writable`."""
        from wizard.app.use.volumes import remember

        remember(choices)

    def canonical(self, choices: Choices) -> Choices:
        """`2.10` is 2.10.0, `CU126` is cu126, `3.12.4` is 3.12."""
        from wizard.compatibility.resolve import canonical

        return canonical(choices)

    def _placed(self, choices: Choices) -> Choices:
        """Write the choices in one way, and put their places for caches and temporary files in force."""
        from wizard.app.use.volumes import with_volumes

        return with_volumes(self.canonical(choices))

    def check_choices(self, choices: Choices) -> None:
        """All that can be known to be wrong before anything takes time. Raises UsageError."""
        from wizard.app.use.reuse import environment_for
        from wizard.app.use.volumes import with_volumes
        from wizard.compatibility.resolve import check_choices, check_extras
        from wizard.environment.disk import check_volumes
        from wizard.run.plan.place import check_place, target_prefix
        from wizard.run.select.mirror_policy import check_mirror
        from wizard.run.steps.preflight import check_ground

        check_choices(choices, self.matrix)
        check_extras(choices.extras)
        check_mirror(choices.mirrors)
        choices = with_volumes(choices)
        if choices.reuse:
            check_volumes(environment_for(choices).prefix)
            return
        check_place(choices)
        check_ground(target_prefix(choices))

    def preview(
        self,
        facts: Facts,
        choices: Choices,
        selected: SelectedBuild,
        is_cancelled: IsCancelled = _never,
        on_progress: OnProgress = lambda progress: None,
    ) -> Preview:
        """Raises as `named_preview`."""
        from wizard.app.companion_torch import kept_extras
        from wizard.app.refused_lock import named_preview

        kept = kept_extras(facts.machine, self.matrix, self._placed(choices))
        return named_preview(facts, kept, selected, is_cancelled, on_progress)

    def plan_reuse(
        self,
        facts: Facts,
        choices: Choices,
        is_cancelled: IsCancelled = _never,
        on_progress: OnProgress = lambda progress: None,
    ) -> Preview | None:
        """A setup into an environment that is there; None: nothing would change. Raises as `reuse.plan_reuse`."""
        from wizard.app.use.reuse import plan_reuse

        return plan_reuse(facts, self.matrix, self._placed(choices), is_cancelled, on_progress)

    def read_project(self, where: str, is_cancelled: IsCancelled = _never) -> Project:
        """Of a folder, a file, an archive or an address, which is brought here first. Raises UsageError
        `no-such-project`, `nothing-declared`, `project-address…`, WizardError `project-…`."""
        from wizard.app.project_address import bring_project
        from wizard.project.read import read_project

        return read_project(bring_project(where, is_cancelled))

    def project_name(self, project: Project) -> str:
        """For its environment."""
        from wizard.app.pages.project import environment_name

        return environment_name(project)

    def project_request(self, project: Project, facts: Facts, choices: Choices) -> ProjectRequest:
        """What a project gets on this computer, without asking a source. Raises as `app.project.request_of`."""
        from wizard.app.project import request_of

        return request_of(project, facts, self.matrix, self.canonical(choices))

    def plan_project(
        self,
        facts: Facts,
        request: ProjectRequest,
        choices: Choices,
        trusted: frozenset[str],
        is_strict: bool,
        is_cancelled: IsCancelled = _never,
        on_progress: OnProgress = lambda progress: None,
    ) -> Preview:
        """All of a project in one lock, with nothing from its hosts but `trusted` ones. Raises as
        `app.project.plan_project`."""
        from wizard.app.project import with_trusted
        from wizard.app.project_plan import plan_project
        from wizard.app.use.volumes import with_volumes

        request = self.project_request(request.project, facts, with_volumes(choices))
        facts = with_trusted(facts, request, trusted, {*request.hosts} - trusted)
        return plan_project(facts, self.matrix, request, is_strict, is_cancelled, on_progress)[0]

    def plan_add(
        self,
        facts: Facts,
        choices: Choices,
        is_cancelled: IsCancelled = _never,
        on_progress: OnProgress = lambda progress: None,
    ) -> Preview | None:
        """Packages beside the torch that is there; None: nothing would change. Raises as `reuse.plan_add`."""
        from wizard.app.use.reuse import plan_add

        return plan_add(facts, self.matrix, self._placed(choices), is_cancelled, on_progress)

    def plan_update(
        self,
        facts: Facts,
        choices: Choices,
        is_cancelled: IsCancelled = _never,
        on_progress: OnProgress = lambda progress: None,
        with_torch: bool = False,
    ) -> Preview | None:
        """Packages that are there, in the newest versions that fit; None: nothing would change. Raises as
        `reuse.plan_update`."""
        from wizard.app.use.reuse import plan_update

        choices = self._placed(choices)
        return plan_update(facts, self.matrix, choices, is_cancelled, on_progress, with_torch)

    def verify(
        self, prefix: Path, is_cancelled: IsCancelled = _never, deep: bool = False
    ) -> tuple[dict[str, Any], ExitStatus]:
        """Smoke test of any environment: (report, exit status). See `verify_prefix`."""
        from wizard.app.use.doctor import verify_prefix

        return verify_prefix(prefix, is_cancelled, deep)

    def doctor(self, facts: Facts, prefix: Path, **options: Any) -> Examination:
        """Why an environment does not work; see `examine_prefix`. Raises UsageError `no-environment`, Cancelled."""
        from wizard.app.use.doctor import examine_prefix

        return examine_prefix(facts, self.matrix, prefix, **options)

    def plan_repair(self, found: Examination, choices: Choices, is_cancelled: IsCancelled = _never) -> RepairPreview:
        """The smallest repair with its bytes, saved as a run. Raises WizardError `repair-…`, `no-source`, `lock-…`."""
        from wizard.app.use.doctor import plan_examined

        return plan_examined(found, self.matrix, self.canonical(choices), is_cancelled)

    def undo_repair(self, prefix: Path) -> str:
        """Raises UsageError `nothing-to-undo`, WizardError `restore-failed`, `state-covered`."""
        from wizard.diagnose.repair.states import undo_repair
        from wizard.environment.naming import absolute_prefix

        return undo_repair(absolute_prefix(str(prefix)))

    def drift(self, prefixes: Iterable[Path] | None = None) -> tuple[EnvironmentChanges, ...]:
        """What replaced a recorded build since; None: in every environment that a run of ours made."""

        return drift(prefixes)

    def environments_dir(self) -> Path:
        return paths.default_environments_dir()
