"""What the pages ask of the session: the shape only, so that the flow is tested with recorded answers.

Calls named here may take long (network, disk) unless the docstring says "fast"; the window makes them in
worker threads. All raise WizardError (or Cancelled, when `is_cancelled` said so).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from wizard.model.errors import WizardError
from wizard.model.messages import Message

if TYPE_CHECKING:  # names only: who follows this shape imports what makes the values
    from wizard.app.pages.check import Looks
    from wizard.app.use.settings import Mending, Used, UsePlan
    from wizard.compatibility.model import Choices, Plan, Verdict
    from wizard.run.model import Election, Facts, Preview, Requirement, RunInfo
    from wizard.run.select.judged_builds import JudgedBuild
    from wizard.sources.status import SourceStatus
    from wizard.sources.table import MirrorRow
    from wizard.toolconfig.lint.finding import LintFinding
    from wizard.transfer.download import FetchProgress
    from wizard.transfer.proxy.model import Network, SystemProxy
    from wizard.undo.model import Change

IsCancelled = Callable[[], bool]
OnPart = Callable[[str], None]
OnNote = Callable[[Message], None]
OnRows = Callable[["tuple[Requirement, ...]"], None]
OnSource = Callable[["SourceStatus"], None]
OnProgress = Callable[["FetchProgress"], None]


class SessionApi(Protocol):
    def probe(self, on_part: OnPart | None, is_cancelled: IsCancelled, on_rows: OnRows | None = None) -> Facts: ...

    def look_over(self, facts: Facts) -> Looks: ...

    def mending(self, findings: Sequence[LintFinding], code: str) -> Mending: ...

    def mend(self, planned: Mending) -> Change:
        """Writes, through the journal."""
        ...

    def news(self, facts: Facts, choices: Choices, is_cancelled: IsCancelled) -> tuple[JudgedBuild, ...]: ...

    def propose(self, facts: Facts, choices: Choices) -> Verdict:
        """Pure and fast."""
        ...

    def elect(
        self,
        facts: Facts,
        choices: Choices,
        on_note: OnNote | None,
        is_cancelled: IsCancelled,
        fresh: bool = False,
        on_source: OnSource = ...,
    ) -> Election:
        """`on_source` hears of each source that races, as it comes."""
        ...

    def mirrors(self) -> tuple[MirrorRow, ...]: ...

    def plan_use(self, mirror: str, kinds: tuple[str, ...]) -> UsePlan: ...

    def use(self, plan: UsePlan) -> Used:
        """Writes, through the journal."""
        ...

    def network(self) -> Network: ...

    def system_network(self) -> SystemProxy: ...

    def save_network(self, network: Network, facts: Facts) -> Facts:
        """The facts with the new way to the network in them."""
        ...

    def check_place(self, choices: Choices, facts: Facts) -> tuple[Requirement, ...]:
        """Raises UsageError for a name or folder that can never be right."""
        ...

    def remember_volumes(self, choices: Choices) -> None:
        """Fast; writes the program's own settings where something was wished."""
        ...

    def preview(
        self,
        facts: Facts,
        choices: Choices,
        election: Election,
        is_cancelled: IsCancelled,
        on_progress: OnProgress = ...,
    ) -> Preview:
        """Makes the lock and saves the plan as a run that has not started.

        `on_progress` hears of files that must come whole for that."""
        ...

    def set_limits(self, run_id: str, limit_rate: int | None, connections: int | None) -> Plan:
        """For a run that has not started."""
        ...

    def start(self, run_id: str) -> object:
        """Spawns the worker, which outlives the window."""
        ...

    def resume(self, run_id: str) -> object: ...

    def discard(self, run_id: str) -> None:
        """Never one that has ended well."""
        ...

    def request_cancel(self, run_id: str) -> None: ...

    def request_pause(self, run_id: str, paused: bool) -> None: ...

    def events_path(self, run_id: str) -> Path: ...

    def runs(self) -> tuple[RunInfo, ...]: ...

    def run(self, run_id: str) -> RunInfo: ...

    def report(self, run_id: str) -> dict[str, Any]: ...

    def environments_dir(self) -> Path: ...


def resume_or_show(session: SessionApi, run_id: str) -> None:
    """Resumes, unless somebody else has done so meanwhile or the run has ended well: then it is there to be shown."""
    try:
        session.resume(run_id)
    except WizardError as error:
        if error.code not in ("run-busy", "nothing-to-resume"):
            raise
