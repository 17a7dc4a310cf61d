"""Which builds a room needs: each machine finds in the profile what `pick` would have given it alone."""

from __future__ import annotations

import pytest

from tests.classroom.profile.examples import entry, profile
from tests.compatibility.machines import machine, names
from wizard.classroom.profile.choose import choose
from wizard.classroom.profile.needs import (
    Allowed,
    ProfileNeed,
    checked,
    needs_of_machines,
    needs_of_platforms,
    one_python,
    together,
)
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.model.errors import UsageError

ROOM = [(name, machine(name)) for name in names()]


def built(need: ProfileNeed) -> tuple[str, str, str, str]:
    return need.os, need.arch, need.torch, need.variant


def test_each_machine_of_a_mixed_room_takes_what_it_would_pick_alone() -> None:
    matrix = load_matrix()
    found = needs_of_machines(ROOM, Allowed(), matrix)
    locks = [
        entry(need.os, need.variant, need.torch, need.pythons[-1], need.arch, need.glibc or "") for need in found.needs
    ]
    room = profile(*locks)
    for name, here in ROOM:
        best = resolve(here, matrix, Choices(), prove_all=False).best
        taken = choose(room, here, matrix).lock
        assert (taken is None) == (best is None), name
        if taken and best:
            assert (taken.torch, taken.variant) == (best.torch, best.variant), name
    assert sorted(one.machine for one in found.unmet) == ["musl-linux", "windows-on-arm"]
    assert all(one.reason for one in found.unmet)
    assert sorted(name for need in found.needs for name in need.machines) == sorted(
        set(names()) - {"musl-linux", "windows-on-arm"}
    )
    assert len({built(need) for need in found.needs}) == len(found.needs)


def test_one_release_for_all_where_the_admin_says_so() -> None:
    found = needs_of_machines(ROOM, checked(Allowed(torch=("2.14.1",)), load_matrix()), load_matrix())
    assert {need.torch for need in found.needs} == {"2.14.1"}
    assert [(need.os, need.arch, need.variant) for need in found.needs] == [
        ("windows", "x86_64", "cu132"),
        ("windows", "x86_64", "cu126"),
        ("windows", "x86_64", "cpu"),
        ("linux", "aarch64", "cu132"),
        ("linux", "aarch64", "cpu"),
        ("linux", "x86_64", "cu132"),
        ("linux", "x86_64", "cu126"),
        ("linux", "x86_64", "cpu"),
    ]


def test_only_these_tags() -> None:
    allowed = checked(Allowed(variants=("CU126", "cpu")), load_matrix())
    found = needs_of_machines(ROOM, allowed, load_matrix())
    assert {need.variant for need in found.needs} == {"cu126", "cpu"}


def test_the_c_library_is_that_of_the_oldest_that_takes_part_and_never_newer_than_is_usual() -> None:
    found = needs_of_machines(
        [("a", machine("v100-linux-535")), ("b", machine("old-glibc-linux"))], Allowed(), load_matrix()
    )
    assert {need.torch: need.glibc for need in found.needs} == {"2.14.1": "2.28", "2.6.0": "2.17"}


def test_systems_and_tags_by_name() -> None:
    allowed = Allowed(variants=("cu126", "cpu"))
    found = needs_of_platforms([("windows", "x86_64"), ("linux", "x86_64")], allowed, load_matrix())
    assert [built(need) for need in found.needs] == [
        ("windows", "x86_64", "2.15.0", "cpu"),
        ("windows", "x86_64", "2.14.1", "cu126"),
        ("linux", "x86_64", "2.15.0", "cpu"),
        ("linux", "x86_64", "2.14.1", "cu126"),
    ]
    both = together([found, needs_of_machines([("a", machine("v100-linux-535"))], Allowed(), load_matrix())])
    assert len(both.needs) == 4
    assert next(need.machines for need in both.needs if built(need) == ("linux", "x86_64", "2.14.1", "cu126")) == ("a",)


def test_what_was_never_built_is_said() -> None:
    with pytest.raises(UsageError) as caught:
        needs_of_platforms([("linux", "aarch64")], Allowed(("2.4.0",), ("cu121",)), load_matrix())
    assert caught.value.code == "profile-no-build"
    with pytest.raises(UsageError) as unknown:
        checked(Allowed(variants=("cu999",)), load_matrix())
    assert unknown.value.code == "no-such-variant"


def test_one_python_for_all() -> None:
    def need(*pythons: str) -> ProfileNeed:
        return ProfileNeed("linux", "x86_64", "2.28", "2.14.1", "cpu", pythons)

    matrix = load_matrix()
    assert one_python([need("3.10", "3.11", "3.12"), need("3.11", "3.12", "3.13")], matrix) == "3.12"
    assert one_python([need("3.8", "3.9"), need("3.9", "3.10")], matrix) == "3.9"
    assert one_python([need("3.8"), need("3.13")], matrix) is None
