"""What the pages show when there is much to show: settings that harm, an old driver, news, a race, a mirror for good.

Findings and differences are made by the real lint and the real editors from real files in the test's own folder.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.app import values
from tests.gui.fake_session import FakeSession
from wizard.app.pages.check import Looks
from wizard.compatibility.model import DriverUpdate
from wizard.diagnose.driver_guide import DriverNeed, driver_guide
from wizard.environment.inspect.baseline import Baseline, EnvironmentChanges, PackageChange
from wizard.machine.model import CondaInstall
from wizard.model.messages import message
from wizard.run.model import Preview
from wizard.run.select.learned_rows import JudgedBuild
from wizard.run.select.new_builds import NewBuild
from wizard.sources.model import Origin, Source, SourceStatus
from wizard.toolconfig.lint.finding import LintContext, LintFinding
from wizard.toolconfig.lint.lint import lint
from wizard.toolconfig.settings import read_own_settings

PIP_CONF = """\
# our lab's settings, please keep
[global]
timeout = 60
index-url = https://pypi.douban.com/simple
trusted-host = pypi.douban.com

[install]
no-cache-dir = true
"""
CONDARC = "channels:\n  - defaults\n  - pytorch  # for the course\nchannel_priority: strict\n"


def write_settings(session: FakeSession) -> Path:
    """Returns pip's file; conda's lies beside it."""
    home = session.around.home
    path = home / ".config" / "pip" / "pip.conf"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PIP_CONF, encoding="utf-8")
    (home / ".condarc").write_text(CONDARC, encoding="utf-8")
    return path


def findings(session: FakeSession) -> tuple[LintFinding, ...]:
    own = read_own_settings({}, session.around.home, "linux", session.around.root)
    best = values.BEST
    return lint(own, LintContext("linux", "GTX 1660 Ti", best.torch, best.variant, "3.12", ("cu126",), ("conda",)))


def looks(session: FakeSession) -> Looks:
    guide = driver_guide(DriverNeed(580, None, "optional"), ("ubuntu", "debian"))
    by = ("fancy-diffusion 1.4 (torch>=2.15)",)
    drift = EnvironmentChanges(
        Path("/home/li/torch-envs/lesson"),
        Baseline(1, 0.0, "2.14.1+cu126", "cu126", "3.12", "lib", ()),
        (PackageChange("torch", "2.14.1+cu126", "2.15.0", "pip", by),),
    )
    return Looks(findings(session), DriverUpdate("580", "2.15.0", "cu132"), guide, (drift,))


def news() -> tuple[JudgedBuild, ...]:
    source = Source("official-cu132", values.OFFICIAL.layout, Origin.OFFICIAL, None, values.FOUNDATION)
    build = NewBuild("2.15.1", "cu132", "linux_x86_64", "cu132", ("3.12",), None, False, source, "torch.whl", ("7.5",))
    cpu = replace(build, variant="cpu", local_version="cpu", architectures=())
    return (JudgedBuild(build, False, (values.TOO_OLD,)), JudgedBuild(cpu, True))


def told(upto: int = 4) -> tuple[SourceStatus, ...]:
    """A race in its middle: the first is measured, the second is being measured, the others have answered."""
    stages = ("measured", "measuring", "judged", "answered")
    rows = [state if number == 0 else replace(state, rate=None) for number, state in enumerate(values.PROBED)]
    return tuple(replace(state, stage=stage) for state, stage in zip(rows[:upto], stages, strict=False))


def rich(session: FakeSession) -> None:
    """Puts all of it into a recorded session."""
    write_settings(session)
    conda = CondaInstall("/home/li/miniforge3/bin/conda", "26.3", "/home/li/miniforge3", "conda")
    machine = replace(values.MACHINE, condas=(conda,))
    session.facts = replace(values.FACTS, machine=machine)
    session.looks = looks(session)
    session.found_news = news()
    session.selected = values.PROBED_SELECTED


def other_than_chosen(preview: Preview) -> Preview:
    """A plan that gives an older Python, no torchvision, and not the newest of a package."""
    why = message("environments.reason.venv-no-channel", python="3.9.2", path="/usr/bin/python3.9")
    held = {"name": "numpy", "version": "2.3.5", "newest": "2.4.0", "torch": "2.14.1", "python": "3.9"}
    left_out = message("notice.companion-dropped", name="torchvision", build="torch 2.14.1+cu126")
    notices = (left_out, message("notice.held-back", **held))
    choices = replace(preview.plan.choices, base_python="/usr/bin/python3.9")
    plan = replace(preview.plan, python="3.9", engine="venv", engine_reason=why, choices=choices, notices=notices)
    return replace(preview, plan=plan)
