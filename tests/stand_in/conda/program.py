"""A conda for tests: an own program with conda's habits, as they were recorded, that makes true prefixes.

Its folder holds `behaviour.json`:
  kind          "conda" or "micromamba"
  say           {verb: {"stdout": …, "stderr": …, "code": …, "hang": seconds}}: what is printed instead of working;
                the verbs are info, plan (a dry run) and create
  fetch_pause   seconds between two pieces of a package
  link_pause    seconds before the prefix is filled, with a few files in it already
  makes         false: says success and makes nothing
`calls.jsonl` keeps each call: arguments, variables, what was in the target. Any option that conda does not have ends
it with status 2. A package is copied from the channel to `pkgs/<name>.partial` in pieces; then rattler links it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BEHAVIOUR = json.loads((HERE / "behaviour.json").read_text(encoding="utf-8"))
IS_MAMBA = BEHAVIOUR.get("kind") == "micromamba"
FLAGS = {"--override-channels", "--json", "--yes", "--dry-run", "--show"} | (
    set() if IS_MAMBA else {"--no-default-packages", "--force-reinstall"}
)
VALUES = {"--prefix", "--channel"}
PIECE = 256 * 1024
PKGS = Path(os.environ.get("CONDA_PKGS_DIRS") or ROOT / "pkgs")


LINK = """
import asyncio, json, os, sys
from pathlib import Path
from rattler import Gateway, MatchSpec, VirtualPackage, VirtualPackageOverrides, install, solve

async def link(request):
    cache = Path(request["cache"])
    records = await solve(
        request["channels"], [MatchSpec(spec) for spec in request["specs"]], gateway=Gateway(cache / "repodata"),
        virtual_packages=VirtualPackage.detect(VirtualPackageOverrides.from_env()),
    )
    if request["prefix"]:
        await install(records, request["prefix"], cache_dir=cache / "packages", show_progress=False)
    return [record.file_name for record in records]

try:
    os.write(1, json.dumps({"done": asyncio.run(link(json.load(sys.stdin)))}).encode())
except Exception as error:
    os.write(1, json.dumps({"error": str(error)}).encode())
os._exit(0)  # rattler's threads can crash an interpreter that leaves in the ordinary way
"""


def main(argv: list[str]) -> int:
    if argv[1:] == ["--version"]:
        sys.stdout.write("2.3.2\n" if IS_MAMBA else "conda 26.7.1\n")
        return 0
    verb, options, specs = parse(argv[1:])
    role = "plan" if "--dry-run" in options else "create" if verb in ("create", "install") else verb
    note(argv, role, options)
    if os.environ.get("CI") or os.environ.get("CONDA_PLUGINS_AUTO_ACCEPT_TOS", "").lower() in ("1", "yes", "true"):
        (HERE / "terms-accepted").touch()
    said = BEHAVIOUR.get("say", {}).get(role)
    if said:
        return say(said)
    if role == "info":
        return show(info())
    if role == "plan":
        return plan(options, specs)
    if role in OTHER_VERBS:
        return OTHER_VERBS[role](options, specs)
    return create(verb, options, specs)


def parse(words: list[str]) -> tuple[str, dict[str, list[str]], list[str]]:
    verb, rest = words[0], words[1:]
    options: dict[str, list[str]] = {}
    specs: list[str] = []
    while rest:
        word = rest.pop(0)
        if word in VALUES:
            options.setdefault(word, []).append(rest.pop(0))
        elif word in FLAGS:
            options[word] = []
        elif word.startswith("-"):
            sys.stderr.write(f"usage: unrecognized arguments: {word}\n")
            raise SystemExit(2)
        else:
            specs.append(word)
    return verb, options, specs


def note(argv: list[str], role: str, options: dict[str, list[str]]) -> None:
    prefix = Path(options.get("--prefix", ["-"])[0])
    inside = sorted(path.name for path in prefix.iterdir()) if prefix.is_dir() else None
    call = {"argv": argv[1:], "role": role, "environment": dict(os.environ), "inside": inside, "pid": os.getpid()}
    with (HERE / "calls.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(call) + "\n")


def say(said: dict[str, Any]) -> int:
    if said.get("hang"):
        time.sleep(said["hang"])
    sys.stdout.write(said.get("stdout", ""))
    sys.stderr.write(said.get("stderr", ""))
    sys.stdout.flush()
    if said.get("signal"):
        os.kill(os.getpid(), said["signal"])
    return int(said.get("code", 0))


def show(document: dict[str, Any]) -> int:
    sys.stdout.write(json.dumps(document, indent=2) + "\n")
    return 0


def info() -> dict[str, Any]:
    pkgs, envs = [str(PKGS)], [str(ROOT / "envs")]
    if IS_MAMBA:
        return {
            "libmamba version": "2.3.2",
            "micromamba version": "2.3.2",
            "base environment": str(ROOT),
            "package cache": pkgs,
            "envs directories": envs,
            "platform": "linux-64",
        }
    return {
        "conda_version": "26.7.1",
        "root_prefix": str(ROOT),
        "pkgs_dirs": pkgs,
        "envs_dirs": envs,
        "platform": "linux-64",
        "offline": False,
    }


def trouble(name: str, words: str) -> int:
    if IS_MAMBA:
        sys.stderr.write(f"critical libmamba {words}\n")
    else:
        show({"caused_by": "None", "error": f"{name}: {words}", "exception_name": name, "message": words})
    return 1


def read(url: str) -> bytes:
    """Raises OSError, an HTTPError for a status."""
    with urllib.request.urlopen(url) as answer:
        return bytes(answer.read())


def packages(options: dict[str, list[str]]) -> list[dict[str, Any]]:
    found = []
    for channel in options["--channel"]:
        for subdir in ("linux-64", "linux-aarch64", "noarch"):
            try:
                page = read(f"{channel}/{subdir}/repodata.json")
            except urllib.error.HTTPError as error:
                if subdir != "noarch":
                    continue
                words = f"HTTP {error.code} {error.reason} for channel x <{channel}>\n\nThe channel is not accessible"
                raise SystemExit(trouble("UnavailableInvalidChannel", words)) from error
            except urllib.error.URLError as error:
                if channel.startswith("file:"):
                    continue
                words = f"HTTP 000 CONNECTION FAILED for url <{channel}/noarch/repodata.json>"
                raise SystemExit(trouble("CondaHTTPError", words)) from error
            for name, record in json.loads(page)["packages"].items():
                found.append({**record, "fn": name, "url": f"{channel}/{subdir}/{name}"})
    return found


def by_rattler(prefix: str, options: dict[str, list[str]], specs: list[str]) -> list[str]:
    """The solved packages' file names; with a prefix they are linked, too."""
    request = {"prefix": prefix, "channels": options["--channel"], "specs": specs, "cache": str(ROOT / "rattler")}
    (ROOT / "rattler" / "repodata").mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [BEHAVIOUR["python"], "-c", LINK], input=json.dumps(request), capture_output=True, text=True, check=False
    )
    said: dict[str, Any] = json.loads(done.stdout) if done.stdout.startswith("{") else {"error": done.stderr}
    if "error" in said:
        raise SystemExit(trouble("UnsatisfiableError", said["error"]))
    return list(said["done"])


def actions(options: dict[str, list[str]], specs: list[str]) -> dict[str, Any]:
    """Of what lies in the cache conda says less: nothing of what it depends on."""
    solved = by_rattler("", options, specs)
    rows = [row for row in packages(options) if row["fn"] in solved]
    missing = [row for row in rows if not (PKGS / row["fn"]).is_file()]
    link = [
        {"name": row["name"], "version": row["version"], "build_string": row["build"], "dist_name": row["fn"]}
        for row in rows
    ]
    return {"FETCH": missing, "PREFIX": options["--prefix"][0], "LINK": link}


def plan(options: dict[str, list[str]], specs: list[str]) -> int:
    prefix = Path(options["--prefix"][0])
    if prefix.exists():  # as conda: it would have to ask, and a dry run stops there
        return show({"dry_run": True, "message": "Dry run. Exiting.", "success": True})
    wanted = next(spec for spec in specs if spec.startswith("python=")).removeprefix("python=")
    found = [row for row in packages(options) if row["name"] == "python"]
    if not any(row["version"].startswith(f"{wanted}.") for row in found):
        words = (
            "The following packages are not available from current channels:\n\n"
            f"  - python={wanted}\n\nCurrent channels:\n\n  - {options['--channel'][0]}\n"
        )
        return trouble("PackagesNotFoundInChannelsError", words)
    needs = [need for row in packages(options) for need in row["depends"] if need.startswith("__cuda")]
    if needs and not os.environ.get("CONDA_OVERRIDE_CUDA"):
        words = f"The following packages are not available from current channels:\n\n  - {needs[0]}\n\nCurrent\n"
        return trouble("PackagesNotFoundInChannelsError", words)
    return show({"success": True, "dry_run": True, "prefix": str(prefix), "actions": actions(options, specs)})


def create(verb: str, options: dict[str, list[str]], specs: list[str]) -> int:
    prefix = Path(options["--prefix"][0])
    if IS_MAMBA and verb == "create" and prefix.is_dir() and any(prefix.iterdir()):
        return trouble("", "Non-conda folder exists at prefix - aborting.")
    if verb == "install" and not (prefix / "conda-meta").is_dir():
        return trouble("EnvironmentLocationNotFound", f"Not a conda environment: {prefix}")
    if not IS_MAMBA and any(letter in " :#" for letter in prefix.name):
        return trouble("CondaValueError", "Environment names cannot contain any of these characters: {':', ' ', '#'}")
    if verb == "create" and (prefix / "conda-meta" / "history").is_file():
        shutil.rmtree(prefix)  # the trap: an environment that is there is replaced
    if (prefix / "conda-meta" / "frozen").is_file():
        return trouble("EnvironmentIsFrozenError", f"Cannot modify '{prefix}'. The environment is marked as frozen.")
    document = {"success": True, "prefix": str(prefix), "actions": actions(options, specs)}
    for row in document["actions"]["FETCH"]:
        fetch(row["url"], PKGS / row["fn"])
    if BEHAVIOUR.get("makes", True):
        link(prefix, options, specs)
    return show(document)


def fetch(url: str, target: Path) -> None:
    target.parent.mkdir(exist_ok=True)
    partial = target.with_name(f"{target.name}.partial")
    with partial.open("wb") as file, urllib.request.urlopen(url) as source:
        while piece := source.read(PIECE):
            file.write(piece)
            file.flush()
            time.sleep(BEHAVIOUR.get("fetch_pause", 0))
    partial.replace(target)


def link(prefix: Path, options: dict[str, list[str]], specs: list[str]) -> None:
    (prefix / "conda-meta").mkdir(parents=True, exist_ok=True)
    (prefix / "lib").mkdir(exist_ok=True)
    time.sleep(BEHAVIOUR.get("link_pause", 0))
    by_rattler(str(prefix), options, specs)
    with (prefix / "conda-meta" / "history").open("a", encoding="utf-8") as file:
        file.write("==> now <==\n")
    listed = Path.home() / ".conda" / "environments.txt"
    listed.parent.mkdir(exist_ok=True)
    with listed.open("a", encoding="utf-8") as file:
        file.write(f"{prefix}\n")


def show_list(options: dict[str, list[str]], specs: list[str]) -> int:
    records = sorted((Path(options["--prefix"][0]) / "conda-meta").glob("*.json"))
    rows = [json.loads(path.read_text(encoding="utf-8")) for path in records]
    sys.stdout.write(json.dumps([{"name": row["name"], "version": row["version"]} for row in rows]) + "\n")
    return 0


def remove(options: dict[str, list[str]], specs: list[str]) -> int:
    prefix = Path(options["--prefix"][0])
    for path in (prefix / "conda-meta").glob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["name"] in specs:
            for inside in record["files"]:
                (prefix / inside).unlink(missing_ok=True)
            path.unlink()
    return show({"success": True})


def env(options: dict[str, list[str]], specs: list[str]) -> int:
    """Only `env remove`."""
    shutil.rmtree(options["--prefix"][0])
    return show({"success": True})


def config(options: dict[str, list[str]], specs: list[str]) -> int:
    said = os.environ.get("CONDA_PLUGINS_AUTO_ACCEPT_TOS", "no").lower() in ("1", "yes", "true")
    return show({"plugins": {"auto_accept_tos": said}})


OTHER_VERBS = {"list": show_list, "remove": remove, "env": env, "config": config}

if __name__ == "__main__":
    sys.exit(main(sys.argv))
