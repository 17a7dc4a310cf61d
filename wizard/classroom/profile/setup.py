"""A class profile on one machine: what may still be chosen, which entry fits, and the plan with that entry's lock.

Nothing is resolved: the lock of the profile is the lock of the run, file by file. Making profiles is `profile_make`.

One file: each refusal stands beside the step that it guards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from wizard.classroom.profile.choose import Selection, choose_among, lock_of, none_fits
from wizard.classroom.profile.family import check_family, official_torch, own_word
from wizard.classroom.profile.hosts import allowed_urls, check_hosts, foreign_hosts, is_foreign, is_trusted
from wizard.classroom.profile.keys import check_signature
from wizard.classroom.profile.model import Profile, ProfileFile, ProfileLock, channels_of, chosen_text
from wizard.classroom.profile.rows import with_profile_rows
from wizard.compatibility.data.model import Matrix
from wizard.compatibility.model import Candidate, Choices
from wizard.environment.create.choose import ChosenEngine, choose_engine
from wizard.environment.inspect.baseline import changes_since_baseline
from wizard.environment.naming import is_environment
from wizard.environment.remove.unfinished import holds_something, unfinished_run
from wizard.install.provided import leave_to_conda
from wizard.machine.model import Machine
from wizard.model.distributions import FAMILY
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import Message, message
from wizard.run.model import Facts, Preview, SelectedBuild
from wizard.run.plan.computed import with_credentials
from wizard.run.plan.conda_part import Around, Locked, LockedPython, own_conda
from wizard.run.plan.place import target_prefix
from wizard.run.plan.plan_file import read_plan
from wizard.run.plan.preview import network_environment, saved_preview
from wizard.run.run_folder import RunFolder, run_folders
from wizard.run.runs import run_info
from wizard.run.select.alternates import further_channels
from wizard.run.select.build_search import available_pythons
from wizard.run.select.mirror_policy import MirrorPolicy
from wizard.run.select.select_build import base_pythons, channel_verdicts, with_serving_pythons
from wizard.run.select.source_catalog import SourceCatalog
from wizard.sources.known_sources import conda_channels, default_index, package_sources, torch_sources
from wizard.sources.model import Layout, Origin, Source, SourceKind, UserSettings
from wizard.sources.read import Reader
from wizard.system import paths
from wizard.system.places import places
from wizard.transfer.address import host_of
from wizard.transfer.download.sizes import with_sizes
from wizard.transfer.http import list_headers

IsCancelled = Callable[[], bool]
FurtherUrls = Callable[[LockedFile], tuple[str, ...]]  # a class server's addresses of a file, to be asked first
Held = Callable[[LockedFile], LockedFile]  # with those


def no_further(file: LockedFile) -> tuple[str, ...]:
    return ()


def profile_choices(profile: Profile, wishes: Choices) -> Choices:
    """What the profile says, with the student's wishes where it asks for them. Raises UsageError `profile-fixed`,
    `profile-place`."""
    wish = profile.environment
    for what, given in _given(profile, wishes):
        if given and what not in profile.ask:
            raise UsageError(
                "profile-fixed",
                "The class profile does not let you choose {what}.",
                "Leave that option out, or ask whoever made the profile to add it to [“ask”|`ask`]; nothing was "
                "changed.",
                what=message(f"profile.ask.{what}"),
            )
    name = wishes.name or wish.name
    place = wish.place(paths.os_name())
    prefix = wishes.prefix or (str(_chosen_place(Path(place).expanduser() / name)) if place else None)
    return replace(
        wishes,
        companions=wish.companions,
        extras=wish.extras,
        engine=wish.engine if wishes.engine == "auto" else wishes.engine,
        name=None if prefix else name,
        prefix=prefix,
        channel=profile.sources.conda_channel,
    )


def _chosen_place(prefix: Path) -> Path:
    """By the profile. Raises UsageError `profile-place`, also for what a link on the way leads to."""
    for place, home in ((prefix, Path.home()), (prefix.resolve(), Path.home().resolve())):
        below = place.relative_to(home) if place.is_relative_to(home) else place  # root's home is no place else
        if not places().is_open_to_files(below) or places().is_anothers(place, home):
            raise UsageError(
                "profile-place",
                "The class profile wants its environment in {path}, which no profile may choose: a "
                "hidden folder, one of the system or of programs that start by themselves, or another "
                "user's.",
                "Ask whoever made the profile for another place, such as ~/class; nothing was changed.",
                path=str(prefix),
            )
    return prefix


NAME_TAKEN = ErrorText(
    "profile-name-taken",
    "There is an environment called {name} already, which was not made from this class profile ({path}).",
    "Delete it [on the page {page.environments}|with `torch-wizard envs delete`], or [choose another name on the page "
    "{page.place}|use another --name]; nothing was changed.",
)
NAME_TAKEN_AT_PLACE = ErrorText(
    "profile-name-taken",
    "There is an environment called {name} already, which was not made from this class profile ({path}).",
    "Delete it [on the page {page.environments}|with `torch-wizard envs delete`], or [choose another folder on the "
    "page {page.place}|use another --prefix]; nothing was changed.",
)
NAME_TAKEN_FOR_GOOD = ErrorText(
    "profile-name-taken",
    "There is an environment called {name} already, which was not made from this class profile ({path}).",
    "Delete it [on the page {page.environments}|with `torch-wizard envs delete`], or ask whoever made the profile for "
    "another name; nothing was changed.",
)
TARGET_FILLED = ErrorText(
    "target-not-empty",
    "The folder “{path}” is not empty; nothing in it was changed.",
    "The class uses this folder: move or delete what is in it yourself, or ask whoever made the profile for another.",
)


def _given(profile: Profile, wishes: Choices) -> Iterator[tuple[str, bool]]:
    yield "name", wishes.name not in (None, profile.environment.name)
    yield "place", wishes.prefix is not None
    yield "engine", wishes.engine not in ("auto", profile.environment.engine)
    yield "python", wishes.python is not None
    yield "torch", wishes.torch is not None
    yield "variant", wishes.variant is not None
    yield "companions", wishes.companions is not None or bool(wishes.extras)
    yield "sources", any((wishes.index, wishes.torch_index, wishes.find_links, wishes.channel))
    yield "environment", wishes.reuse


def check_target(file: ProfileFile, choices: Choices) -> bool:
    """True: this profile was set up there already, and it is as it was. Raises UsageError `profile-name-other`,
    `profile-name-taken`, `profile-changed-since` for an environment that is something else, `target-not-empty`."""
    prefix, ask = target_prefix(choices), file.profile.ask
    if unfinished_run(prefix):  # `check_place` says how to go on
        return False
    if not is_environment(prefix):
        with suppress(OSError):  # what nobody may read `check_place` refuses
            if not {"name", "place"} & set(ask) and prefix.is_dir() and holds_something(prefix):
                raise UsageError(TARGET_FILLED, path=str(prefix))
        return False
    made_from = _made_from(prefix)
    if made_from is None:
        words = NAME_TAKEN if "name" in ask else NAME_TAKEN_AT_PLACE if "place" in ask else NAME_TAKEN_FOR_GOOD
        raise UsageError(words, path=str(prefix), name=prefix.name)
    if made_from != file.sha256:
        raise UsageError(
            "profile-name-other",
            "The environment {name} was made from another class profile, or from an earlier one of "
            "the same class ({path}).",
            "Delete it [on the page {page.environments}|with `torch-wizard envs delete`] if this profile is to "
            "take its place, or ask for profiles with different names; nothing was changed.",
            path=str(prefix),
            name=prefix.name,
        )
    drift = changes_since_baseline(prefix)
    if drift:
        names = ", ".join(change.name for change in drift.changes)
        raise UsageError(
            "profile-changed-since",
            "The environment was made from this class profile, but these packages have changed "
            "since: {names} ({path}).",
            "[{page.doctor}|`torch-wizard doctor --prefix`] says what happened and repairs it; nothing was changed.",
            path=str(prefix),
            names=names,
        )
    return True


def _made_from(prefix: Path) -> str | None:
    """The SHA-256 of the profile of the newest run that ended well there."""
    for folder in run_folders():
        try:
            plan = read_plan(folder.plan)
            if Path(plan.prefix) == prefix and run_info(folder).state == "finished":
                return plan.profile_sha256
        except WizardError:
            continue
    return None


def select(
    profile: Profile, machine: Machine, matrix: Matrix, choices: Choices, pythons: tuple[str, ...] | None = None
) -> Selection:
    """The entry for this machine among those that the student's wishes leave. Raises WizardError `profile-none-fits`,
    `profile-none-fits-driver…`, UsageError `profile-none-chosen`."""
    wanted = (choices.python, choices.torch, choices.variant)
    locks = [
        lock
        for lock in profile.locks
        if all(asked in (None, has) for asked, has in zip(wanted, (lock.python, lock.torch, lock.variant), strict=True))
    ]
    if not locks:
        has = ", ".join(dict.fromkeys(lock.label for lock in profile.locks))
        raise UsageError(
            "profile-none-chosen",
            "The class profile has no build like the one you asked for.",
            "It has: {has}.",
            has=has,
        )
    matrix = with_profile_rows(matrix, profile)
    selection = choose_among(locks, machine, matrix, pythons, choices.python or profile.environment.python)
    if selection.lock is None:
        raise none_fits(selection)
    return selection


def preview_profile(
    facts: Facts,
    matrix: Matrix,
    file: ProfileFile,
    choices: Choices,
    is_cancelled: IsCancelled,
    further_urls: FurtherUrls = no_further,
    trusted: Collection[str] = (),
) -> Preview:
    """`choices` as `profile_choices` gives them; `trusted`: hosts that the person said yes to. Raises UsageError
    `profile-hosts`, `profile-torch-…`, WizardError `profile-none-fits`, `profile-no-share` and as `preview`."""
    signer = check_signature(file)
    check_hosts(file.profile, trusted, is_held=lambda one: bool(further_urls(one)))
    entry, selected = _selected_build(facts, matrix, file, choices, trusted, is_cancelled)
    doubts = check_family(entry, matrix, facts.settings, is_cancelled)
    selected = replace(
        selected, notices=(*selected.notices, signer.words, *doubts, *own_word(entry), *_carried(entry, file, matrix))
    )

    def held(one: LockedFile) -> LockedFile:
        return _from(one, further_urls(one), file.profile.sources.only_share, trusted)

    python = _python(facts, entry, choices, held) if _brings_python(entry, choices) else None
    known = replace(choices, python=entry.python, torch=entry.torch, variant=entry.variant)

    def lock_it(_: RunFolder, around: Around) -> Locked:
        return leave_to_conda(_lock(facts, entry, known, held), around.provided), selected

    return saved_preview(facts, known, selected, lock_it, is_cancelled, file.sha256, python)


def _carried(entry: ProfileLock, file: ProfileFile, matrix: Matrix) -> Iterator[Message]:
    """Say that the profile's own rows were used for it, since whoever made it answers for them."""
    if file.profile.rows and entry.torch not in matrix.releases:
        yield message(
            "profile.rows-used",
            "This Torch Setup does not know torch {torch} yet; what the class profile says of it was used.",
            torch=entry.torch,
        )


def _selected_build(
    facts: Facts,
    matrix: Matrix,
    file: ProfileFile,
    choices: Choices,
    trusted: Collection[str],
    is_cancelled: IsCancelled,
) -> tuple[ProfileLock, SelectedBuild]:
    """The entry, and the engine that can bring its Python."""
    selection = select(file.profile, facts.machine, matrix, choices)
    if selection.lock and _brings_python(selection.lock, choices):
        packages = selection.lock.conda
        reason = message(
            "profile.python-locked",
            "Built-in engine: Python {python} comes with the class profile (packages: {count}), so "
            "no conda channel is asked.",
            count=len(packages),
            python=selection.lock.python,
        )
        return _selected_of(file, selection, ChosenEngine("rattler", None, channels_of(packages), reason), trusted)
    facts = with_serving_pythons(facts, choices, is_cancelled)
    own, policy = own_conda(facts, choices, is_cancelled), MirrorPolicy(choices, facts, is_cancelled)
    headers = list_headers() if policy.is_on(SourceKind.CONDA) else None
    with Reader(facts.settings, headers=headers) as reader:
        catalog = SourceCatalog(choices, facts.settings, reader, policy)
        channels = channel_verdicts(choices, catalog, facts, _candidate(selection))
    if choices.engine == "venv" or not any(channel.answers for channel in channels):
        selection = select(file.profile, facts.machine, matrix, choices, available_pythons(facts.machine.pythons))
    python = _candidate(selection).python or ""
    engine = choose_engine(choices.engine, channels, base_pythons(facts), python, own, bool(choices.base_python))
    return _selected_of(file, selection, engine, trusted, _further(policy, choices, facts.settings, engine))


def _brings_python(entry: ProfileLock, choices: Choices) -> bool:
    """Its Python is in the profile, so the built-in engine can make the environment where no channel answers."""
    return bool(entry.conda) and choices.engine in ("auto", "rattler")


def _selected_of(
    file: ProfileFile,
    selection: Selection,
    engine: ChosenEngine,
    trusted: Collection[str],
    further: tuple[str, ...] = (),
) -> tuple[ProfileLock, SelectedBuild]:
    entry, candidate = selection.lock, _candidate(selection)
    assert entry is not None  # `select` raises
    used = message(
        "profile.used",
        "From the class profile “{title}” ({code}): {entry}.",
        title=file.profile.title,
        code=file.sha256[:12],
        entry=entry.label,
    )
    hosts = (host.name for host in foreign_hosts(file.profile))
    allowed = (message("profile.host.allowed", host=host) for host in hosts if is_trusted(host, trusted))
    return entry, SelectedBuild(
        wanted=candidate,
        candidate=candidate,
        engine=engine.engine,
        engine_reason=engine.reason,
        python=entry.python,
        base_python=str(engine.base_python) if engine.base_python else None,
        channels=engine.channels,
        torch_source=_torch_source(file.profile, entry),
        offers={},
        requirements=tuple(_requirements(file.profile, entry)),
        package_sources=(_package_source(file.profile),),
        states=(),
        notices=(used, *allowed, *selection.notices),
        conda=str(engine.conda) if engine.conda else None,
        further_channels=further,
    )


def _further(policy: MirrorPolicy, choices: Choices, settings: UserSettings, engine: ChosenEngine) -> tuple[str, ...]:
    return further_channels(policy, choices, settings, engine.channels)


def _candidate(selection: Selection) -> Candidate:
    assert selection.candidate is not None  # `select` raises where there is none
    return selection.candidate


def _torch_source(profile: Profile, entry: ProfileLock) -> Source:
    """For the report and the equivalent command; the bytes come from the addresses in the lock. Who hands out torch
    from a place of their own is named, whatever the profile calls its index."""
    torch = next(file for file in entry.files if file.name == "torch")
    if not profile.sources.only_share and is_foreign(torch.urls[0]):
        folder = torch.urls[0].rpartition("/")[0] + "/"
        return Source("by-hand-find-links", Layout.FLAT, Origin.BY_HAND, folder, host_of(folder))
    if profile.sources.torch_index:
        return _named(profile.sources.torch_index)
    return official_torch(entry.variant)


def _package_source(profile: Profile) -> Source:
    return _named(profile.sources.index) if profile.sources.index else default_index()


def _named(url: str) -> Source:
    return Source("by-hand-index", Layout.SIMPLE, Origin.BY_HAND, url, message("profile.source"))


def _requirements(profile: Profile, entry: ProfileLock) -> Iterator[str]:
    # torchvision may be in this entry and not in all; numpy is asked for by whoever makes a profile, as torch warns.
    pins = ((name, entry.version_of(name)) for name in (*FAMILY, "numpy"))
    yield from (f"{name}=={version}" for name, version in pins if version)
    yield from profile.environment.extras


def _lock(facts: Facts, entry: ProfileLock, choices: Choices, held: Held) -> Lock:
    """The entry's files with a class server's addresses before the official ones."""
    sources = (*package_sources(choices, facts.settings), *torch_sources(choices, facts.settings, entry.variant))
    lock = with_credentials(lock_of(entry), sources)
    return with_sizes(replace(lock, files=tuple(map(held, lock.files))), network_environment(facts.settings))


def _python(facts: Facts, entry: ProfileLock, choices: Choices, held: Held) -> LockedPython:
    files = tuple(package.file for package in entry.conda)
    # The profile names its channel without a login; this computer's own settings may know one for that host.
    own = conda_channels(replace(choices, channel=None), facts.settings)
    files = with_credentials(Lock(files, ""), own).files
    return LockedPython(chosen_text(entry.conda), tuple(map(held, files)))


def _from(file: LockedFile, nearer: tuple[str, ...], only_share: bool, trusted: Collection[str]) -> LockedFile:
    """`nearer`: where the class has it. A host that nobody said yes to is not asked for what the class has."""
    if only_share and not nearer:
        raise WizardError(
            "profile-no-share",
            "This class profile allows downloads from the class server only, and no class server was "
            "named that has {file}.",
            "Check that the class server is running and that this computer is in its network; nothing was changed.",
            file=file.filename,
        )
    others = () if only_share else allowed_urls(file, trusted) if nearer else file.urls
    return replace(file, urls=tuple(dict.fromkeys((*nearer, *others))))
