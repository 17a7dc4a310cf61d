"""What an index has as source alone is built last where that was asked for, and told where it was not."""

from __future__ import annotations

from pathlib import Path

from tests.line.test_project import folder, installed, setup, write
from tests.line.test_project_parts import lay, package, source_of
from tests.line.wheel import build_wheel
from tests.line.world import World

__all__ = ["folder"]


def test_what_an_index_has_as_source_alone_and_what_another_package_brings(world: World, folder: Path) -> None:
    """The source is built last; a part of the name of a locked package does not replace it."""
    shelf = world.packages.root
    source_of("runtime", shelf, folder.parent)
    build_wheel(shelf, "runtime", "2.0", {"runtime.py": b""})
    build_wheel(shelf, "hydra", "1.0", {"hydra.py": b""}, ["runtime==1.0", "inner"])
    build_wheel(shelf, "inner", "0.9", {"inner.py": b"WHERE = 'the index'"})
    lay(folder / "lib", package("inner"))
    for name in ("numpy", "torch"):
        lay(folder / f"{name}like", package(name))
    lay(folder / "padding-b", package("padding_b"))
    write(folder, "requirements.txt", "torch", "hydra", "./lib", "./torchlike", "./numpylike", "./padding-b")
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "runtime, which hydra needs and the package index has as source alone, is installed last" in done.stderr
    why = "lib was not installed: it is the package inner, and the plan has the one of the package index"
    assert why in done.stderr, "only its build tells its name"
    assert "unless you want this one in place of what is there: " in done.stderr
    assert "To try it again by hand" not in done.stderr, "that would replace what is locked"
    advised = done.stderr.partition("What to do:")[2].partition("Found:")[0]
    for name in ("torch", "numpy"):
        assert f"{name}like was not installed: it is the package {name}, and the plan has the one" in advised
        assert f"installed by hand it would replace {name}, which PyTorch needs." in advised
        assert f"{name}like'" not in advised, "no command"
    found = installed(world)
    assert (found["runtime"], found["inner"]) == ("1.0", "0.9")
    build_wheel(shelf, "hydra", "1.1rc1", {"hydra.py": b""}, ["inner"])
    build_wheel(shelf, "hydra", "0.1", {"hydra.py": b""})
    for names in ((), ("hydra",)):
        newer = world.run("envs", "update", "demo", *names, "--yes", *world.sources[:4])
        assert newer.returncode == 0, newer.stderr
        assert (found := installed(world))["hydra"] == "1.0", newer.stderr
        assert found["runtime"] == "1.0"
    build_wheel(shelf, "padding_b", "9.0", {"padding_b/__init__.py": b""})
    newer = world.run("envs", "update", "demo", "padding-b", "--yes", *world.sources[:4])
    assert installed(world)["padding-b"] == "9.0", "no part, though one had its name"


def test_what_a_line_names_and_an_index_has_as_source_alone(world: World, folder: Path) -> None:
    """Unasked it is left out, which needs a yes; asked for, it is there as the line says."""
    source_of("cutter", world.packages.root, folder.parent)
    write(folder, "requirements.txt", "torch", "cutter==1.0")
    done = world.run(*setup(world, folder, "--yes"))
    assert done.returncode == 2
    why = "the index has its source alone, which is built only where that is asked for (--parts)"
    assert f"cutter: asked ==1.0 (requirements.txt:2), you get –: {why}" in done.stderr
    done = world.run(*setup(world, folder, "--dry-run"))
    assert "cutter is on the package index as source alone and is left out of the plan" in done.stderr
    assert "-m pip install --no-deps cutter==1.0" in done.stderr
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "requirements.txt, line 2: cutter, which the package index has as source alone, is installed last" in (
        done.stderr
    )
    assert "Installed last: cutter." in done.stderr
    assert "cutter: asked" not in done.stderr
    assert "this is missing" not in done.stderr
    assert installed(world)["cutter"] == "1.0"


def test_strictly_what_a_line_names_is_built_last_or_said_to_be_source_alone(world: World, folder: Path) -> None:
    source_of("cutter", world.packages.root, folder.parent)
    write(folder, "requirements.txt", "torch", "cutter==1.0")
    done = world.run(*setup(world, folder, "--yes", "--strict"))
    assert done.returncode == 1
    assert "source alone of this, and nothing is compiled unasked: requirements.txt:2: cutter==1.0." in done.stderr
    assert "do not go together" not in done.stderr
    done = world.run(*setup(world, folder, "--dry-run", "--strict", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "cutter, which the package index has as source alone, is installed last" in done.stderr
    for line, why in (
        ("padding-a==9.9.9", "The package index has no such release: requirements.txt:2: padding-a==9.9.9."),
        ("cutter==9.9.9", "The package index has no such release: requirements.txt:2: cutter==9.9.9."),
        ("numpy==9.9.9", "The package index has no such release: requirements.txt:2: numpy==9.9.9."),
        ("not-there==1.0", "No index here has a package of this name: requirements.txt:2: not-there==1.0."),
    ):
        write(folder, "requirements.txt", "torch", line)
        done = world.run(*setup(world, folder, "--dry-run", "--strict", "--parts"))
        assert done.returncode == 1
        assert why in done.stderr, done.stderr
    done = world.run(*setup(world, folder, "--dry-run"))
    assert "not-there: asked ==1.0 (requirements.txt:2), you get –: no index here has a package of this name" in (
        done.stderr
    )


def test_strictly_what_a_package_needs_as_source_alone_is_built_where_that_is_asked(world: World, folder: Path) -> None:
    source_of("runtime", world.packages.root, folder.parent)
    build_wheel(world.packages.root, "hydra", "1.0", {"hydra.py": b""}, ["runtime==1.0"])
    write(folder, "requirements.txt", "torch", "hydra==1.0")
    done = world.run(*setup(world, folder, "--dry-run", "--strict"))
    assert (done.returncode, "Have it built last (--parts)." in done.stderr) == (1, True), done.stderr
    done = world.run(*setup(world, folder, "--dry-run", "--strict", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "runtime, which hydra needs and" in done.stderr
    assert "is installed last" in done.stderr


def test_a_pin_that_a_source_alone_meets_is_built_and_unasked_it_moves_with_that_reason(
    world: World, folder: Path
) -> None:
    """Another release of it is ready, and another package would bring that."""
    shelf = world.packages.root
    source_of("runtime", shelf, folder.parent)
    build_wheel(shelf, "runtime", "1.13", {"runtime.py": b""})
    build_wheel(shelf, "hydra", "1.0", {"hydra.py": b""}, ["runtime>=1.0"])
    write(folder, "requirements.txt", "torch", "hydra", "runtime==1.0")
    done = world.run(*setup(world, folder, "--yes"))
    assert done.returncode == 2
    why = "the index has what the line asks for as source alone, which is built only where that is asked for (--parts)"
    assert f"runtime: asked ==1.0 (requirements.txt:3), you get 1.13: {why}" in done.stderr, done.stderr
    done = world.run(*setup(world, folder, "--yes", "--parts"))
    assert done.returncode == 0, done.stderr
    assert "requirements.txt, line 3: runtime, which the package index has as source alone, is installed last" in (
        done.stderr
    )
    assert "runtime: asked" not in done.stderr
    found = installed(world)
    assert (found["runtime"], found["hydra"]) == ("1.0", "1.0")


def test_a_range_that_a_source_alone_meets_is_built_as_a_pin_is_and_strictly_all_such_lines_are_named(
    world: World, folder: Path
) -> None:
    shelf = world.packages.root
    for name in ("runtime", "cutter"):
        source_of(name, shelf, folder.parent)
    build_wheel(shelf, "runtime", "1.13", {"runtime.py": b""})
    write(folder, "requirements.txt", "torch", "runtime<1.1", "cutter>=0.5")
    done = world.run(*setup(world, folder, "--dry-run", "--parts"))
    assert done.returncode == 0, done.stderr
    for line, name in ((2, "runtime"), (3, "cutter")):
        said = f"requirements.txt, line {line}: {name}, which the package index has as source alone, is installed last"
        assert said in done.stderr
    assert ": asked" not in done.stderr
    done = world.run(*setup(world, folder, "--yes", "--strict"))
    assert done.returncode == 1
    assert "requirements.txt:2: runtime<1.1" in done.stderr, done.stderr
    assert "requirements.txt:3: cutter>=0.5" in done.stderr
