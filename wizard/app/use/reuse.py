"""A setup into an environment that is there: what would change, package by package, as a run that has not started.

Its Python decides which builds fit, and its packages stay in their versions wherever they can: uv prefers what a lock
names already, so it is given one of what is installed. What would break by the change is said before anything is
begun. Nothing is changed here.

One file: each refusal stands where it is found, with its sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from wizard.app.companion_torch import NOTHING_OF_USE, with_named_beside
from wizard.app.refused_lock import with_lacking
from wizard.app.use.doctor import plans_for, put_in_last
from wizard.app.use.environments import conda_roots, find_environment
from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.diagnose.repair.lock import inside_plan
from wizard.diagnose.repair.reuse import (
    REPLACED,
    REUSE,
    SETS_UP,
    ReuseChange,
    Wish,
    changes_of,
    check_held,
    conda_owned,
    held_family,
    preferences,
    provided_by_conda,
    words_of,
)
from wizard.diagnose.repair.snapshot import ADD, UPDATE
from wizard.diagnose.repair.states import under_way
from wizard.diagnose.repair.steps import Repair, write_repair
from wizard.diagnose.repair.update import cannot_live, known_nowhere, no_newer, update_of
from wizard.environment.inspect.installation import Installation, read_installation, user_variables
from wizard.environment.inspect.reusable import REUSE_BROKEN, check_not_in_use, check_reusable
from wizard.environment.model import Environment
from wizard.install.lock import NO_SOLUTION
from wizard.model.distributions import FAMILY
from wizard.model.errors import UsageError, WizardError
from wizard.model.lock import Lock
from wizard.model.messages import Message, message
from wizard.run.model import Facts, Preview, SelectedBuild
from wizard.run.plan.commands import equivalent_commands
from wizard.run.plan.computed import Asker, OnProgress
from wizard.run.plan.conda_part import Around, Locked
from wizard.run.plan.held_back import held_back
from wizard.run.plan.other_packages import locked_somewhere, of_both
from wizard.run.plan.place import target_prefix
from wizard.run.plan.preview import locked, save_run
from wizard.run.run_folder import RUN_BUSY, RunFolder, planned_run
from wizard.run.select.alternates import further_sources
from wizard.run.select.build_search import BuildSearch, FoundBuild, second_choice, wanted_candidates
from wizard.run.select.mirror_policy import MirrorPolicy
from wizard.run.select.select_build import COMPANION_NOT_CARRIED, NO_SOURCE, NO_SOURCE_SOME_SILENT
from wizard.run.select.source_catalog import SourceCatalog
from wizard.run.steps.disk_space import files_here, room_told
from wizard.run.steps.preflight import is_busy
from wizard.sources.read import Reader
from wizard.system import moving

IsCancelled = Callable[[], bool]


def environment_for(choices: Choices) -> Environment:
    """What `--into` or `--reuse` names, if packages may be put into it. Raises UsageError `reuse-…`, `env-…`,
    WizardError `run-busy`."""
    if choices.engine != "auto" or choices.conda or choices.channel:
        raise UsageError(
            "reuse-engine",
            "An environment that is there needs no engine, conda or channel to be made.",
            "[Choose neither engine nor channel|Leave out --engine, --conda and --channel]; or [choose another "
            "folder on the page {page.place}|leave out --into and --reuse] to make a new environment.",
        )
    one = find_environment(str(target_prefix(choices)))
    if is_busy(one.prefix):  # else what is told are the setup's own programs, or that it is not whole yet
        raise WizardError(RUN_BUSY, path=str(one.prefix))
    check_reusable(one, conda_roots())
    return one


def plan_reuse(
    facts: Facts,
    matrix: Matrix,
    choices: Choices,
    is_cancelled: IsCancelled,
    on_progress: OnProgress = lambda progress: None,
    wish: Wish = SETS_UP,
) -> Preview | None:
    """None: nothing would change. Raises UsageError `reuse-…`, WizardError `reuse-…`, `nothing-of-use`,
    `repair-under-way`, `no-…`, `lock-…`, Cancelled."""
    one = environment_for(choices)
    check_not_in_use(one.prefix)
    if half := under_way(one.prefix):
        raise half
    env = read_installation(one.prefix, user_variables())
    choices = _for_python(choices, env)
    with planned_run() as folder:
        preview = _planned(facts, matrix, env, choices, folder, Asker(choices, is_cancelled, on_progress), wish)
    if preview is None:
        moving.remove_tree(folder.path)
    return preview


def plan_add(
    facts: Facts,
    matrix: Matrix,
    choices: Choices,
    is_cancelled: IsCancelled,
    on_progress: OnProgress = lambda progress: None,
) -> Preview | None:
    """`plan_reuse` of `choices.extras` and companions with the torch that is there, in one resolution.

    Without sources by hand, those of the setup that made the environment are asked. Raises UsageError `add-no-torch`,
    WizardError `add-no-solution`, `add-no-source`, `add-not-held`, and as `plan_reuse`."""
    one = environment_for(choices)
    held = held_family(read_installation(one.prefix, user_variables()))
    kept = _with_torch_held(one, _from_its_sources(one.prefix, choices), held)
    try:
        return plan_reuse(facts, matrix, kept, is_cancelled, on_progress, Wish(ADD, held))
    except WizardError as error:
        if error.code in (NO_SOURCE.code, NO_SOURCE_SOME_SILENT.code):
            raise WizardError(
                "add-no-source",
                "No reachable source has torch {torch}, which stays in this environment, so nothing can be planned "
                "beside it.",
                "Check the network; or name a source that has it [on the page {page.source}.|with --torch-index.]",
                details=error.details,
                torch=held["torch"],
            ) from error
        if error.code != "lock-no-solution":
            raise
        raise cannot_live(error, kept, held) from error


def plan_update(
    facts: Facts,
    matrix: Matrix,
    choices: Choices,
    is_cancelled: IsCancelled,
    on_progress: OnProgress = lambda progress: None,
    with_torch: bool = False,
) -> Preview | None:
    """`plan_reuse` of what `choices.extras` names, or of all, in the newest versions that fit each other and what
    stays. `with_torch`: its family may move too. Raises UsageError `add-no-torch`, `update-…`, WizardError
    `update-no-solution`, `add-not-held`, and as `plan_reuse`."""
    one = environment_for(choices)
    env = read_installation(one.prefix, user_variables())
    held = held_family(env)
    declared = list(_declared(one.prefix))
    left: list[str] = []
    while True:
        update = update_of(env, choices.extras, declared, left)
        if not update.lines and not with_torch:
            return None
        wished = _from_its_sources(one.prefix, replace(choices, extras=update.lines))
        kept = _with_torch_held(one, wished, held)
        if with_torch:
            kept = replace(wished, companions=kept.companions)
        wish = Wish(UPDATE, {} if with_torch else held, update.names, update.met)
        try:
            preview = plan_reuse(facts, matrix, kept, is_cancelled, on_progress, wish)
        except WizardError as error:
            if error.code != "lock-no-solution":
                raise
            nowhere = known_nowhere(error)
            if choices.extras or nowhere not in update.names:
                raise no_newer(error, one.prefix) from error
            left.append(str(nowhere))
            continue
        return _with_left(preview, left) if preview and left else preview


def _declared(prefix: Path) -> Iterator[str]:
    """What was asked for by name there, the newest first; of a project its own lines, then what they became."""
    for plan in plans_for(prefix):
        yield from plan.choices.extras
        if plan.project:
            lines = (*plan.project.asked, *plan.project.promised)
            yield from sorted(lines, key=lambda line: Requirement(line).name == line)  # a bare name bounds nothing


def _with_left(preview: Preview, left: Iterable[str]) -> Preview:
    stays = message("update.left", "No source here has these; they stay as they are: {names}", names=", ".join(left))
    return replace(preview, changes=(stays, *preview.changes))


def _from_its_sources(prefix: Path, choices: Choices) -> Choices:
    """Those of the setup that made the environment, unless some were given by hand."""
    earlier = next(iter(plans_for(prefix)), None)
    if earlier is None or choices.index or choices.torch_index or choices.find_links:
        return choices
    known = earlier.choices
    return replace(choices, index=known.index, torch_index=known.torch_index, find_links=known.find_links)


def _with_torch_held(one: Environment, choices: Choices, held: Mapping[str, str]) -> Choices:
    return replace(
        choices,
        torch=held["torch"].partition("+")[0],
        variant=held["torch"].partition("+")[2] or one.variant,
        companions=tuple(name for name in FAMILY[1:] if name in {*held, *(choices.companions or ())}),
        include_unadvertised=True,
    )


def _for_python(choices: Choices, env: Installation) -> Choices:
    """Raises UsageError `reuse-broken`, `reuse-python`."""
    if env.python is None:
        raise UsageError(
            REUSE_BROKEN,
            details=env.trouble,
            path=str(env.prefix),
            reason=message("reuse.python", "Its Python does not run."),
        )
    python = ".".join(env.python.version.split(".")[:2])
    if choices.python not in (None, python) or env.python.tag.endswith("t"):
        raise UsageError(
            "reuse-python",
            "The environment in “{path}” has Python {found}, and Python {python} was asked for.",
            "[Choose no Python on the page {page.build}|Leave out --python], or make a new environment; a "
            "free-threaded Python (3.13t) is not supported.",
            path=str(env.prefix),
            found=python + ("t" if env.python.tag.endswith("t") else ""),
            python=choices.python or python,
        )
    return replace(choices, python=python, prefix=str(env.prefix), name=None)


def _planned(
    facts: Facts, matrix: Matrix, env: Installation, choices: Choices, folder: RunFolder, asker: Asker, wish: Wish
) -> Preview | None:
    selected = _selected_build(facts, matrix, env, choices, asker.is_cancelled)
    unused: tuple[Message, ...] = ()
    if wish.how != UPDATE:  # what is there already has a use
        selected, named = with_named_beside(facts, matrix, choices, selected)
        choices, unused = replace(choices, extras=named.open.extras), named.said
    selected = replace(selected, requirements=(*selected.requirements, *choices.extras, *wish.met))
    if wish.held:
        pins = {**{offer.project: offer.version for offer in selected.offers.values()}, **wish.held}
        others = (line for line in selected.requirements if canonicalize_name(Requirement(line).name) not in pins)
        # What torch's index shows beside the very build is no promise about it.
        selected = replace(
            selected, offers={}, requirements=(*(f"{name}=={version}" for name, version in pins.items()), *others)
        )
    try:
        lock, selected = _locked(facts, choices, env, selected, folder, asker, wish.newest)
    except WizardError as error:
        if wish.how == UPDATE:
            raise
        raise with_lacking(error, facts, replace(selected, requirements=choices.extras)) from error
    changes = changes_of(lock, env)
    check_held(changes, wish.held)
    owned = conda_owned(env, changes)
    if owned:
        names = ", ".join(f"{each.name} ({each.record})" for each in owned)
        raise WizardError(
            "reuse-conda-owned",
            "conda owns what would have to be replaced in “{path}”: {names}. Other files over "
            "conda's would break both.",
            "Make a new environment [on the page {page.welcome}|with torch-wizard setup]; or copy this one[| "
            "(torch-wizard envs clone)], remove these in the copy with `conda remove`, and install into the copy.",
            path=str(env.prefix),
            names=names,
        )
    if not changes and unused:
        raise WizardError(NOTHING_OF_USE, path=str(env.prefix), why=unused)
    if not changes:
        return None
    coming_names = {change.name for change in changes}
    coming = Lock(tuple(file for file in lock.files if file.name in coming_names), lock.text)
    repair = _repair(env, selected, changes, wish.how)
    is_expected = selected.candidate.fits and selected.candidate.variant != CPU
    both = of_both(coming, selected.package_sources, facts.settings, asker.is_cancelled)
    behind = held_back(facts, _asked_only(selected, wish), coming, asker.is_cancelled)
    notices = (*facts.settings.notices, *selected.notices, *both, *(one.said for one in behind))
    plan = inside_plan(facts, env, selected, choices, folder, coming, is_expected, notices)
    write_repair(folder.path, repair)
    save_run(folder, plan, coming)
    left = len(env.distributions) - sum(change.kind == REPLACED for change in changes)
    words = (*words_of(plan, coming, env, changes, left), *room_told(plan, coming))
    return Preview(plan, coming, words, equivalent_commands(plan, coming), here=files_here(plan, coming))


def _asked_only(selected: SelectedBuild, wish: Wish) -> SelectedBuild:
    """Without what other packages here ask for: nobody named those."""
    return replace(selected, requirements=tuple(line for line in selected.requirements if line not in wish.met))


def _selected_build(
    facts: Facts, matrix: Matrix, env: Installation, choices: Choices, is_cancelled: IsCancelled
) -> SelectedBuild:
    """As for a new environment, but the Python is given and no engine is needed."""
    python = choices.python or ""
    verdict = resolve(facts.machine, matrix, choices)
    candidates = wanted_candidates(verdict, choices)
    policy = MirrorPolicy(choices, facts, is_cancelled)
    with Reader(facts.settings) as reader:
        catalog = SourceCatalog(choices, facts.settings, reader, policy)
        needed = {*(choices.companions or ()), *(name for name in FAMILY[1:] if env.one(name))}
        search = BuildSearch(facts.machine, matrix, choices, catalog, is_cancelled, needed)
        found = search.find(candidates, (python,))
        if found is None:
            details = "\n".join(f"{state.source.id}: {state.verdict}" for state in search.states.values())
            best = f"torch {candidates[0].torch}+{candidates[0].variant}"
            raise WizardError(NO_SOURCE, details=details, build=best)
        companions = _companions(choices, env, found)
        packages = catalog.package_sources(found.source, python, found.candidate.numpy)
    kept = [found.offers[name] for name in ("torch", *companions)]
    candidate = replace(
        found.candidate,
        python=python,
        torchvision=found.candidate.torchvision if "torchvision" in companions else None,
        torchaudio=found.candidate.torchaudio if "torchaudio" in companions else None,
    )
    pins = tuple(f"{offer.project}=={offer.version}" for offer in kept)
    return SelectedBuild(
        wanted=candidates[0],
        candidate=candidate,
        engine="existing",
        engine_reason=message(
            "reuse.reason",
            "The environment in {prefix} is there already, with Python {python}; that Python decides which builds fit.",
            prefix=str(env.prefix),
            python=env.python.version if env.python else "?",
        ),
        python=python,
        base_python=None,
        channels=(),
        torch_source=found.source,
        offers={offer.project: offer for offer in kept},
        requirements=(*pins, f"numpy{found.candidate.numpy}"),
        package_sources=packages,
        states=(),
        notices=second_choice(candidates[0], found.candidate),
        further=further_sources(packages, choices, facts.settings, policy),
    )


def _companions(choices: Choices, env: Installation, found: FoundBuild) -> tuple[str, ...]:
    """Those that were asked for, else torchvision; and those that are there, which must follow torch."""
    asked = choices.companions
    missing = [name for name in asked or () if name not in found.offers]
    if missing:
        build = f"torch {found.candidate.torch}+{found.candidate.variant}"
        raise UsageError(COMPANION_NOT_CARRIED, name=", ".join(missing), build=build)
    wanted = {*(("torchvision",) if asked is None else asked), *(name for name in FAMILY[1:] if env.one(name))}
    return tuple(name for name in FAMILY[1:] if name in wanted and name in found.offers)


def _locked(
    facts: Facts,
    choices: Choices,
    env: Installation,
    selected: SelectedBuild,
    folder: RunFolder,
    asker: Asker,
    newest: frozenset[str],
) -> Locked:
    """Around what conda owns and a project put in last; where that has no solution, freely: conda's is then named."""

    def lock_it(around: Around) -> Locked:
        return locked_somewhere(
            facts, choices, selected, lambda some: locked(facts, some, folder, asker, around), asker.is_cancelled
        )

    preferred = tuple(each for each in preferences(env) if each.name not in newest)
    provided = (*provided_by_conda(env), *put_in_last(env))
    try:
        return lock_it(Around(provided, preferred))
    except WizardError as error:
        if error.code not in NO_SOLUTION or not provided:
            raise
        return lock_it(Around(preferred=preferred))


def _repair(env: Installation, selected: SelectedBuild, changes: Iterable[ReuseChange], how: str) -> Repair:
    return Repair(
        code=REUSE,
        names=tuple(change.name for change in changes),
        aside=(),
        no_user_site=False,
        drop_library_folders=(),
        site=str(env.site),
        python_version=env.python.version if env.python else "",
        variant=selected.candidate.variant,
        variables=env.variables,
        how=how,
    )
