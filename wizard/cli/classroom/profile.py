"""`torch-wizard profile`: show a class profile, check it, hold it against the machines of a room; `make` is apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard.cli.command import Arguments, CommandGroup, Late, argument, option
from wizard.cli.help import N_
from wizard.cli.options import JSON
from wizard.cli.terminal import Terminal
from wizard.model.errors import ExitStatus, UsageError
from wizard.model.messages import Message, bytes_text, message

if TYPE_CHECKING:
    from wizard.classroom.profile.choose import Refusal, Selection
    from wizard.classroom.profile.model import ProfileFile, ProfileLock
    from wizard.compatibility.model import DriverUpdate
    from wizard.machine.model import Machine

_MAKE, _SIGN = "wizard.cli.classroom.profile_make", "wizard.cli.classroom.profile_sign"
_FILE = argument("profile", "FILE")

profile = CommandGroup(
    "profile",
    late={
        "make": Late(
            _MAKE, N_("lock the builds that a class needs; without machines and tags: the build for this computer")
        ),
        "key": Late(_SIGN, N_("your own public key for signing profiles; made when first asked for")),
        "sign": Late(_SIGN, N_("sign one with your key: FILE.minisig beside it")),
        "verify": Late(_SIGN, N_("who signed one (exit 1: nobody)"), "check_signed"),
    },
)


@profile.add("show", N_("what is in one, and which build this computer takes"), _FILE, JSON)
def show(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.session import Session
    from wizard.classroom.profile.choose import choose
    from wizard.classroom.profile.hosts import foreign_hosts
    from wizard.classroom.profile.keys import check_signature
    from wizard.classroom.profile.read import read_profile
    from wizard.cli.classroom.machine import gives

    file, session = read_profile(Path(arguments.profile).expanduser()), Session()
    machine = session.probe().machine
    selection = choose(file.profile, machine, session.matrix)
    if arguments.json:
        terminal.document({**_document(file), "here": _selected(selection, terminal)})
        return ExitStatus.DONE
    wish = file.profile.environment
    terminal.line(f"{file.profile.title}  ({file.profile.made}, sha256 {file.sha256})")
    packages = ", ".join(("torch", *wish.companions, *wish.extras))
    asked = ", ".join(file.profile.ask) or "-"
    terminal.line(terminal.words(message("profile.show.environment", name=wish.name, packages=packages, asked=asked)))
    terminal.line(terminal.words(check_signature(file).words))
    for host in foreign_hosts(file.profile):
        terminal.line("! " + terminal.words(message("profile.host", host=host.name, gives=gives(host, terminal))))
    _tell_locks(file, terminal)
    _tell(selection, machine, terminal)
    return ExitStatus.DONE


@profile.add(
    "check",
    N_("every mistake in one; with machine files: which build each machine takes (exit 1: one has none)"),
    _FILE,
    option("--machine", takes_several=True, metavar="FILE...", help=N_("machine files, or a folder of them")),
    JSON,
)
def check(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.session import Session
    from wizard.classroom.profile.choose import choose
    from wizard.cli.classroom.profile_make import machines_of

    file = _checked(Path(arguments.profile).expanduser(), terminal)
    machines, unread = machines_of(arguments.machine) if arguments.machine else ([], [])
    matrix = Session().matrix if machines else None
    chosen = [(name, machine, choose(file.profile, machine, matrix)) for name, machine in machines if matrix]
    lacks = sum(selection.lock is None for _, _, selection in chosen) + len(unread)
    if arguments.json:
        rows = [{"machine": name, **_selected(selection, terminal)} for name, _, selection in chosen]
        rows += [
            {"machine": name, "takes": None, "refused": [], "unread": terminal.words(error.summary)}
            for name, error in unread
        ]
        updates = [{**_update(update), "machines": names} for update, names in _updates(chosen).items()]
        terminal.document({**_document(file), "machines": rows, "driver_updates": updates})
    else:
        for name, machine, selection in chosen:
            terminal.line(f"== {name}")
            _tell(selection, machine, terminal)
        if not arguments.machine:
            _tell_locks(file, terminal)
        for name, error in unread:
            terminal.line(f"== {name}")
            terminal.line("  " + terminal.words(error.summary))
        for update, names in _updates(chosen).items() if len(machines) > 1 else ():
            terminal.line(terminal.words(_gain(update, names, len(machines))))
        key = "profile.check.lacks" if lacks else "profile.check.sound"
        terminal.say(message(key, count=lacks, code=file.sha256[:12], entries=len(file.profile.locks)))
    return ExitStatus.FAILED if lacks else ExitStatus.DONE


def _updates(chosen: Sequence[tuple[str, Machine, Selection]]) -> Mapping[DriverUpdate, Sequence[str]]:
    """What other drivers would change in the room, with the machines; what serves most of them first."""
    found: dict[DriverUpdate, list[str]] = {}
    for name, _, selection in chosen:
        if selection.after_driver_update:
            found.setdefault(selection.after_driver_update, []).append(name)
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def _gain(update: DriverUpdate, names: Sequence[str], total: int) -> Message:
    return message(
        "profile.check.driver",
        "With NVIDIA driver {driver}, {count} of {total} computers would take {build}: {names}.",
        driver=update.number,
        count=len(names),
        total=total,
        build=f"torch {update.torch}+{update.variant}",
        names=", ".join(names),
    )


def _update(update: DriverUpdate) -> dict[str, str]:
    return {"driver": update.driver, "torch": update.torch, "variant": update.variant}


def _checked(path: Path, terminal: Terminal) -> ProfileFile:
    """Every mistake on a line of its own, for who has to mend them; a signature beside it has to be right."""
    from wizard.classroom.profile.keys import check_signature
    from wizard.classroom.profile.read import read_profile

    try:
        file = read_profile(path)
        if file.signature is not None:  # before it is signed there is none
            check_signature(file)
        return file
    except UsageError as error:
        if error.code == "profile-bad":
            for line in error.details.splitlines():
                terminal.write(f"  {line}")
        raise


def _size(lock: ProfileLock, terminal: Terminal) -> str:
    total = sum(file.size or 0 for file in lock.files)
    key = "profile.show.size" if lock.total_bytes is not None else "profile.show.size-least"
    return terminal.words(message(key, count=len(lock.files), size=bytes_text(total)))


def _tell_locks(file: ProfileFile, terminal: Terminal) -> None:
    for lock in file.profile.locks:
        terminal.line(f"  {lock.label}: {_size(lock, terminal)}")
        if lock.conda:
            terminal.line(f"    {_python_size(lock, terminal)}")


def _python_size(lock: ProfileLock, terminal: Terminal) -> str:
    python = next(package.file.version for package in lock.conda if package.file.name == "python")
    size = bytes_text(lock.conda_bytes)
    return terminal.words(message("profile.show.python", python=python, count=len(lock.conda), size=size))


def _tell(selection: Selection, machine: Machine, terminal: Terminal) -> None:
    lock, refused = selection.lock, selection.refused
    if lock:
        terminal.line("  " + terminal.words(message("profile.show.takes", entry=lock.label)))
        if lock.variant != "cpu" or not machine.nvidia_gpus:
            _tell_update(selection, terminal)
            return
        # A card that lies idle is what an admin wants to know before the class does.
        refused = tuple(one for one in refused if (one.lock.os, one.lock.arch) == (machine.os, machine.arch))
    key = "card-unused" if lock and refused else "card-no-build" if lock else "takes-none"
    terminal.line("  " + terminal.words(message(f"profile.show.{key}")))
    update = selection.after_driver_update
    for refusal in refused:
        for reason in refusal.reasons:
            is_told_below = update and reason.key == "reason.driver-too-old"
            words = message("profile.show.driver-old", **reason.params) if is_told_below else reason
            terminal.line(f"    {refusal.lock.label}: {terminal.words(words)}")
    _tell_update(selection, terminal)


def _tell_update(selection: Selection, terminal: Terminal) -> None:
    """Of the builds of this profile, once."""
    from wizard.compatibility.explain import last_series

    update = selection.after_driver_update
    if update:
        build, last = f"torch {update.torch}+{update.variant}", last_series(selection.notices)
        words = message("profile.show.driver", driver=update.number, build=build)
        if last:
            words = message(
                "profile.show.driver-until",
                "with an NVIDIA driver from {driver} to {last} it would take {build}; do not install a newer one",
                driver=update.number,
                last=last,
                build=build,
            )
        terminal.line("  " + terminal.words(words))


def _document(file: ProfileFile) -> dict[str, Any]:
    from wizard.classroom.profile.hosts import foreign_hosts
    from wizard.classroom.profile.keys import check_signature

    wish = file.profile.environment
    return {
        "schema": 1,
        "sha256": file.sha256,
        "title": file.profile.title,
        "made": file.profile.made,
        "ask": list(file.profile.ask),
        "signed_by": signer.key.text if (signer := check_signature(file)).key else None,
        "foreign_hosts": [host.name for host in foreign_hosts(file.profile)],
        "environment": {
            "name": wish.name,
            "engine": wish.engine,
            "python": wish.python,
            "torch": list(wish.torch),
            "companions": list(wish.companions),
            "extras": list(wish.extras),
        },
        "locks": [
            {
                **_entry(lock),
                "files": len(lock.files),
                "bytes": lock.total_bytes,
                "conda": {"packages": len(lock.conda), "bytes": lock.conda_bytes},
            }
            for lock in file.profile.locks
        ],
        "bytes": sum(each.size or 0 for each in file.profile.files),
    }


def _entry(lock: ProfileLock) -> dict[str, Any]:
    return {
        "os": lock.os,
        "arch": lock.arch,
        "glibc": lock.glibc,
        "python": lock.python,
        "torch": lock.torch,
        "variant": lock.variant,
    }


def _selected(selection: Selection, terminal: Terminal) -> dict[str, Any]:
    return {
        "takes": _entry(selection.lock) if selection.lock else None,
        "refused": [_refusal(refusal, terminal) for refusal in selection.refused],
        "after_driver_update": _update(selection.after_driver_update) if selection.after_driver_update else None,
    }


def _refusal(refusal: Refusal, terminal: Terminal) -> dict[str, Any]:
    return {**_entry(refusal.lock), "reasons": [terminal.words(reason) for reason in refusal.reasons]}
