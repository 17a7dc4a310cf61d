"""Each command of the README and of the documents for classes and fleets, run as it is written there.

Lines in fences are run in their order, by a shell, in a small world on loopback: the place of the official sources is
that world's, and folders that only an administrator may write lie elsewhere. What cannot run here says why; its grammar
is checked all the same, as is that of every `torch-wizard …` within a sentence.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import click
import pytest

from tests.classroom.profile.known import make_official
from tests.line.wheel import build_wheel
from tests.line.world import ROOT, TAG, World, build_torch
from tests.servers.index_server import IndexServer
from wizard.classroom.profile.signature import new_key, secret_text
from wizard.cli.root import parse
from wizard.cli.terminal import Terminal
from wizard.system.paths import MATRICES_VARIABLE

DOCUMENTS = ("README.md", "docs/classroom.md", "docs/profile.md", "docs/fleet.md")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NAMED, VISION = "2.14.1", "0.29.1"
_PLACEHOLDER = re.compile(r"[…\[]|NAME\|")

# What is not run here, and why.
NOT_RUN = {
    "python3 start.py": "prepares a whole environment from the package index: tests/start",
    "python3 start.py test": "the tests would run the tests",
    '.venv/bin/pip install -e ".[freeze]"': "from the package index: the hosted workflow",
    ".venv/bin/python resources/installer/build.py freeze": "minutes: tests/frozen",
    ".venv/bin/python resources/installer/build.py tar": "of a frozen folder: tests/frozen",
    ".venv/bin/python resources/installer/build.py deb": "of a frozen folder: tests/frozen/test_debian_package.py",
    ".venv/bin/python resources/installer/build.py windows": "wants Windows' frozen folder: tests/frozen",
    ".venv/bin/python resources/installer/build.py papers": "wants the installer: tests/frozen/test_papers.py",
    ".venv/bin/python resources/installer/build.py sbom": "of a frozen folder: tests/frozen/test_papers.py",
    ".venv/bin/python resources/installer/build.py sums": "of what is frozen: tests/frozen",
    "torch-wizard setup --conda ~/miniforge3 --yes": "wants a conda: tests/environment/test_real_conda.py",
    "torch-wizard mirrors test": "asks the real mirrors: tests/line/test_mirrors.py",
    "torch-wizard setup --mirror race --yes": "asks the real mirrors: tests/line/test_mirrors.py",
    "torch-wizard lesson.torchlab": "opens the window: tests/gui",
    "torch-wizard pack serve PACK --announce": "until Ctrl+C: tests/classroom/server/test_line.py",
    "ansible-playbook -i room.ini lab.yml --check --diff": "wants hosts: tests/fleet/test_ansible.py",
    "ansible-playbook -i room.ini lab.yml": "wants hosts: tests/fleet/test_ansible.py",
    "ansible-playbook -i room.ini lab.yml -e torch_setup_state=previous -e torch_setup_name=class": (
        "wants hosts: tests/fleet/test_ansible.py"
    ),
    "module use /opt/modulefiles && module load torch/2.14": "a function of the shell: tests/fleet/test_module_file.py",
    "torch-wizard setup --host user@box --archive TorchSetup-VERSION-linux-x86_64.tar.xz --name demo": (
        "wants another computer: tests/line/host"
    ),
    "torch-wizard setup --host user@box --project ~/code/their-repo --name demo": (
        "wants another computer: tests/line/host"
    ),
    "torch-wizard setup --host user@box --profile class.torchlab --yes": ("wants another computer: tests/line/host"),
    "torch-wizard resume --host user@box": "wants another computer: tests/line/host",
    "sbatch ~/torch-verify.sh": "wants Slurm: tests/fleet/test_job_script.py",
    "bash ~/torch-verify.sh": "wants Slurm: tests/fleet/test_job_script.py",
}
NO_KEY = "no copy offers updates before there is a key: tests/update takes them from a place with one"
# Of those that end otherwise than with 0, how and why.
STATUS = {
    "torch-wizard update --check": (2, NO_KEY),
    "torch-wizard update": (2, NO_KEY),
    "torch-wizard update --undo": (2, NO_KEY),
    "torch-wizard doctor --prefix ~/miniforge3/envs/old": (1, "it finds that torch is missing there"),
    "torch-wizard setup --prefix $WORK/torch-envs/demo --cache-dir $WORK/torch-setup --temp-dir $TMPDIR": (
        2,
        "nobody is there to say yes",
    ),
    "torch-wizard setup --project ~/code/their-repo": (2, "nobody is there to say yes"),
    "torch-wizard envs add demo einops timm": (2, "nobody is there to say yes"),
    "torch-wizard envs update demo": (2, "nobody is there to say yes"),
    "torch-wizard setup --prefix /data/torch --python 3.12 --variant cu126 --with torchvision,torchaudio": (
        2,
        "nobody is there to say yes",
    ),
}


def lines(document: str) -> list[str]:
    fences = _FENCE.findall((ROOT / document).read_text(encoding="utf-8"))
    found = [block for language, block in fences if not language]
    return [re.sub(r"\s{2,}#.*$", "", line).strip() for block in found for line in block.splitlines() if line.strip()]


def within(document: str) -> Iterator[str]:
    """Commands in sentences and tables; those with blanks for people are none."""
    text = _FENCE.sub("", (ROOT / document).read_text(encoding="utf-8"))
    for span in re.findall(r"`([^`]+)`", text):
        command = " ".join(span.split()).replace("\\|", "|")
        if command.startswith("torch-wizard ") and not _PLACEHOLDER.search(command):
            yield command


def test_each_line_is_run_or_says_why_not() -> None:
    """A reason that outlives its command says something untrue."""
    written = {line for document in DOCUMENTS for line in lines(document)}
    assert set(NOT_RUN) | set(STATUS) <= written
    named = re.findall(r"tests/[\w/.]+\w", " ".join((*NOT_RUN.values(), NO_KEY)))
    assert [name for name in named if not (ROOT / name).exists()] == [], "where it is run instead"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_is_one_that_the_program_takes(document: str) -> None:
    commands = [line for line in lines(document) if line.startswith("torch-wizard ")] + list(within(document))
    assert commands
    for command in commands:
        words = shlex.split(re.split(r" (?:[>|]|&&) ", command)[0])[1:]
        if words[0].endswith(".torchlab"):
            continue
        try:
            parse(words, Terminal("en"))
        except click.exceptions.Exit:
            pass  # --version, --help
        except click.UsageError as error:
            pytest.fail(f"{document}: {command}: {error.format_message()}")


# -- and is run ----------------------------------------------------------------------------------------------------


class Place:
    """A shell in an empty folder; `/opt` and `/data` lie in it."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder, self.home = world, folder, world.home / "user"
        (folder / "bin").mkdir()
        program = folder / "bin" / "torch-wizard"
        start, sources = f'exec {shlex.quote(sys.executable)} -m wizard "$@"', shlex.join(world.sources)
        program.write_text(
            "#!/bin/sh\n"
            'case "$*" in\n'
            f"setup*--into*) {start} {shlex.join(world.sources[:4])};;\n"
            f"setup*--profile*) {start};;\n"
            f"setup*) {start} {sources};;\n"
            f"'profile make'*) {start} {shlex.join(replace(world, channel=None).sources)};;\n"
            f"*) {start};;\n"
            "esac\n"
        )
        program.chmod(0o755)
        python = folder / "bin" / "python"
        python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
        python.chmod(0o755)
        (folder / "bin" / "ansible-galaxy").symlink_to(Path(sys.executable).with_name("ansible-galaxy"))
        (folder / "resources").symlink_to(ROOT / "resources")
        make_official(world, self.home / ".local" / "share" / "torch-setup")

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        command = re.sub(r"(?<=\s)/(opt|data)/", f"{self.folder}/\\1/", line)
        environment = {
            **self.world.environment,
            "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin",
            "PYTHONPATH": str(ROOT),
            "WORK": str(self.folder / "work"),
            "TMPDIR": str(self.folder),
        }
        del environment["TORCH_WIZARD_HOME"]
        if line.startswith("torch-wizard update"):  # of a copy with tables of its own
            del environment[MATRICES_VARIABLE]
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
        )


_ERROR = """  File "/home/me/env/lib/python3.12/site-packages/torch/nn/modules/linear.py", line 134, in forward
    return F.linear(input, self.weight, self.bias)
torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device
CUDA kernel errors might be asynchronously reported at some other API call.
"""


def _readme(place: Place) -> None:
    project = place.home / "code" / "their-repo"
    project.mkdir(parents=True)
    (project / "requirements.txt").write_text("torch>=2.0\nnumpy\n")
    (place.folder / "lab").mkdir()
    for machine in ("no-gpu-linux", "v100-linux-580"):
        shutil.copy(ROOT / "tests" / "data" / "machines" / f"{machine}.json", place.folder / "lab")
    (place.folder / "error.txt").write_text(_ERROR)
    for prefix in (place.home / "miniforge3" / "envs" / "old", place.home / "work" / ".venv"):
        subprocess.run([sys.executable, "-m", "venv", str(prefix)], check=True)


def _room(place: Place) -> None:
    (place.folder / "room").mkdir()


def _class(place: Place) -> None:
    _room(place)
    done = place.run("torch-wizard probe --json > room/pc-01.json")
    assert done.returncode == 0, done.stderr


def _key(place: Place) -> None:
    (place.folder / "KEYFILE").write_text(secret_text(new_key()))


@pytest.fixture(scope="module")
def newer_wheels(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the release that the documents name."""
    folder = Path(shutil.copytree(wheels, tmp_path_factory.mktemp("documents") / "wheels"))
    build_torch(folder / "torch", f"{NAMED}+cpu", ["padding-a"], 1, {"do": "work", "cuda": None})
    vision = next((wheels / "torch").glob("torchvision-*"))
    with zipfile.ZipFile(vision) as archive:
        module = archive.read("torchvision/__init__.py")
    files = {"torchvision/__init__.py": module.replace(b"0.28.0", VISION.encode())}
    build_wheel(folder / "torch", "torchvision", f"{VISION}+cpu", files, [f"torch=={NAMED}"], TAG)
    build_wheel(folder / "packages", "pandas", "3.0.0", {"pandas/__init__.py": b""})
    return folder


@pytest.fixture
def documents_world(newer_wheels: Path, tmp_path: Path, conda_channel: str) -> Iterator[World]:
    (tmp_path / "user").mkdir()
    with IndexServer(newer_wheels / "packages") as packages, IndexServer(newer_wheels / "torch") as torch:
        yield World(tmp_path, packages, torch, conda_channel)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Where every user may come to, as to /opt; pytest's own folder is closed."""
    folder = Path(tempfile.mkdtemp(prefix="torch-setup-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a shell and folders as on Linux")
@pytest.mark.parametrize(
    ("document", "prepare"),
    list(zip(DOCUMENTS, (_readme, _class, _room, _key), strict=True)),
    ids=DOCUMENTS,
)
def test_it_is_as_it_is_written(
    document: str, prepare: Callable[[Place], None], documents_world: World, open_folder: Path
) -> None:
    place = Place(documents_world, open_folder)
    prepare(place)
    wrong = []
    for line in lines(document):
        if line in NOT_RUN:
            continue
        done = place.run(line)
        expected, _ = STATUS.get(line, (0, ""))
        if done.returncode != expected or "Traceback" in done.stderr:
            wrong.append(
                f"{line}\n{done.returncode} instead of {expected}\n{done.stdout[-600:]}\n{done.stderr[-1500:]}"
            )
    assert not wrong, "\n\n".join(wrong)
