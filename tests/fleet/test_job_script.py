"""The job for a compute node, written on a login node: checked by bash and shellcheck, run by a stand-in Slurm."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clone import typed
from tests.line.world import ROOT
from tests.stand_in import install, make_environment
from wizard.diagnose.job_script import BatchJob, check_options, slurm_script
from wizard.model.errors import UsageError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Slurm is for Linux")
# Like the real one: a copy of the script runs elsewhere, with the job's variables, and its words go to the log.
_SBATCH = """#!/bin/bash
output=$(sed -n 's/^#SBATCH "\\{0,1\\}--output=\\([^"]*\\)"\\{0,1\\}$/\\1/p' "$1")
spool=$(mktemp) && cp "$1" "$spool"
SLURM_JOB_ID=77 SLURM_PROCID=0 bash "$spool" > "$(printf '%s' "$output" | sed 's/%%/%/g; s/%j/77/')" 2>&1
status=$?
rm "$spool"
echo "Submitted batch job 77"
exit $status
"""
_SRUN = """#!/bin/bash
printf '%s\\n' "$@" > "$SRUN_SAID"
while [ "${1#-}" != "$1" ]; do shift; done
SLURM_JOB_ID=78 SLURM_PROCID=0 exec "$@"
"""


@pytest.fixture
def cluster(tmp_path: Path) -> dict[str, str]:
    """Variables of a login node: Slurm's commands on the PATH."""
    commands = tmp_path / "slurm"
    commands.mkdir()
    for name, text in (("sbatch", _SBATCH), ("srun", _SRUN)):
        (commands / name).write_text(text)
        (commands / name).chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
    return {
        **kept,
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "TORCH_WIZARD_LANG": "en",
        "SRUN_SAID": str(tmp_path / "srun.txt"),
        "PYTHONPATH": str(ROOT),
    }


def wizard(variables: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return typed(*arguments, env=variables)


def environment(prefix: Path, **behaviour: object) -> Path:
    make_environment(prefix)
    install(prefix, "torch", "2.13.0+cpu", **behaviour)
    return prefix


def test_the_script_is_written_once_and_its_report_lies_beside_it(tmp_path: Path, cluster: dict[str, str]) -> None:
    folder = tmp_path / "a user's 100% files"
    folder.mkdir()
    prefix, script = environment(folder / "env $HOME", do="work", cuda=None), folder / "try it.sh"
    words = (
        "doctor",
        "--prefix",
        str(prefix),
        "--job",
        "slurm",
        "-o",
        str(script),
        "--job-option=--partition=gpu long",
    )
    done = wizard(cluster, *words)
    assert done.returncode == 0, done.stderr
    assert "sbatch" in done.stderr
    assert os.access(script, os.X_OK)
    shellcheck = str(Path(sys.executable).with_name("shellcheck"))
    for check in (["bash", "-n"], [shellcheck, "--exclude=SC2016"]):  # a dollar sign in the name means nothing
        checked = subprocess.run([*check, str(script)], capture_output=True, text=True)
        assert checked.returncode == 0, checked.stdout + checked.stderr
    refused = wizard(cluster, *words)
    assert refused.returncode == 2
    assert "there already" in refused.stderr

    waited = subprocess.run(["bash", str(script)], env=cluster, capture_output=True, text=True, timeout=100)
    assert waited.returncode == 0, waited.stderr
    asked = Path(cluster["SRUN_SAID"]).read_text().splitlines()
    assert {"--gres=gpu:1", "--partition=gpu long"} <= set(asked)
    report = json.loads((folder / "torch-verify-78.json").read_text())
    assert report["verification"]["ok"]
    assert (folder / "torch-verify-78.html").is_file()
    assert str(folder / "torch-verify-78.html") in waited.stdout

    queued = subprocess.run(["sbatch", str(script)], env=cluster, capture_output=True, text=True, timeout=100)
    assert queued.returncode == 0, queued.stdout + queued.stderr
    assert str(folder / "torch-verify-77.html") in (folder / "torch-verify-77.log").read_text()


def test_what_fails_on_the_node_is_explained(tmp_path: Path, cluster: dict[str, str]) -> None:
    prefix, script = environment(tmp_path / "env", do="no-driver", cuda="12.6"), tmp_path / "job.sh"
    assert wizard(cluster, "doctor", "--prefix", str(prefix), "--job", "slurm", "-o", str(script)).returncode == 0
    done = subprocess.run(["bash", str(script)], env=cluster, capture_output=True, text=True, timeout=200)
    assert done.returncode == 3, done.stderr
    assert json.loads((tmp_path / "torch-verify-78.json").read_text())["status"] == 3
    assert (tmp_path / "torch-verify-78-doctor.html").is_file()


def test_in_a_shell_of_salloc_it_still_goes_to_the_node(tmp_path: Path, cluster: dict[str, str]) -> None:
    """There SLURM_JOB_ID is set on the login node."""
    script = tmp_path / "job.sh"
    script.write_text(slurm_script(BatchJob(tmp_path / "nowhere", tmp_path)))
    variables = {**cluster, "SLURM_JOB_ID": "12"}
    subprocess.run(["bash", str(script)], env=variables, capture_output=True, timeout=60)
    assert Path(cluster["SRUN_SAID"]).is_file()


def test_a_node_that_does_not_see_the_program_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.diagnose.job_script.own_program", lambda: ("/on/another node/torch-wizard",))
    script = tmp_path / "job.sh"
    script.write_text(slurm_script(BatchJob(tmp_path, tmp_path), "en"))
    done = subprocess.run(
        ["bash", str(script)], env={**os.environ, "SLURM_PROCID": "0"}, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "is not on this node (/on/another node/torch-wizard)" in done.stderr


@pytest.mark.parametrize(
    "option", ["gpu", "", "-", "--a\n#SBATCH --b", '--comment="x"', "--x\\y", "--x\x00", "---", "; rm -rf ~"]
)
def test_an_option_that_is_none(option: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_options(["--partition=gpu", option])
    assert caught.value.code == "job-option"


def test_options_reach_slurm_as_they_are(tmp_path: Path) -> None:
    """As a directive and as an argument, whatever a shell would make of them; a card is asked for once."""
    options = ("--comment=$(id) `id` 'x' #y", "--gpus=2")
    text = slurm_script(BatchJob(tmp_path, tmp_path, options))
    assert "#SBATCH \"--comment=$(id) `id` 'x' #y\"" in text
    assert "--gres" not in text
    line = next(line for line in text.splitlines() if line.startswith("options=("))
    assert shlex.split(line.removeprefix("options=(").removesuffix(")"))[-2:] == list(options)


def test_a_job_without_a_place_is_refused(cluster: dict[str, str]) -> None:
    done = wizard(cluster, "doctor", "--job", "slurm")
    assert done.returncode == 2
    assert "-o FILE" in done.stderr
