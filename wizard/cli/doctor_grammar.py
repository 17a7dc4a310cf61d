"""The words of `torch-wizard doctor` on the command line."""

from __future__ import annotations

import argparse


def add_doctor(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    doctor = commands.add_parser(
        "doctor",
        help="why an environment does not work, and the smallest repair",
        description="Looks into any environment, also one that was made by other means. Without --prefix: whether "
        "something has replaced PyTorch in the environments that were set up here.",
        epilog="Exit status: 0 nothing is wrong, or repaired and tested; 1 found and not repaired; 2 wrong usage; "
        "3 the environment is fine, this computer keeps PyTorch from the card.",
    )
    doctor.add_argument("--prefix", metavar="P", help="folder of the environment")
    doctor.add_argument("--json", action="store_true", help="one document on stdout")
    doctor.add_argument("--repair", action="store_true", help="carry out the smallest repair, after asking")
    doctor.add_argument("--yes", "-y", action="store_true", help="do not ask")
    doctor.add_argument("--no-import", action="store_true", help="only look: do not import PyTorch")
    doctor.add_argument("--deep", action="store_true", help="also read every file and compare its SHA-256")
    doctor.add_argument("--undo", action="store_true", help="take the last repair of this environment back")
    doctor.add_argument("--save", metavar="FILE", help="also save the answer (.html, .json or .txt)")
    job = doctor.add_argument_group("from a login node without a card")
    job.add_argument("--job", choices=("slurm",), help="write a script that tests it on a compute node (sbatch, srun)")
    job.add_argument("--output", "-o", metavar="FILE", help="the script, a new file on a disk that all nodes see")
    job.add_argument(
        "--job-option",
        action="append",
        default=[],
        metavar="OPTION",
        help="for Slurm, such as --job-option=--partition=gpu",
    )
    sources = doctor.add_argument_group("sources by hand (default: those of its setup, then the official ones)")
    sources.add_argument("--index", metavar="URL", help="Python packages")
    sources.add_argument("--torch-index", metavar="URL", help="torch wheels, simple or flat")
    sources.add_argument(
        "--find-links", action="append", default=[], metavar="DIR|URL", help="a folder or page of wheels"
    )
