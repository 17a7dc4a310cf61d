#!/usr/bin/python
# MIT licence, as the rest of Torch Setup.
"""Drives `torch-wizard setup --events` and tells Ansible what came of it. Decides nothing itself: whether there is
anything to do, what fits and why not is the program's answer, in its own sentence. One file on purpose: nearly
half of it is what `ansible-doc` shows, which has to stand here."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: torch_setup
short_description: An environment with PyTorch that runs on the computer's graphics card
description:
  - Has Torch Setup (C(torch-wizard), which must be on the host) make an environment, from a profile or from choices.
  - An environment that is there as it was asked for is left as it is; one that is something else is replaced with
    O(state=latest) only, and the one before it is kept beside it for O(state=previous).
  - In check mode nothing is changed; the plan is made, sources included, and told.
  - An attempt of an earlier play that was cut off is removed first; verified downloads are kept.
options:
  state:
    description:
      - V(present) makes the environment where there is none, and refuses where there is another.
      - V(latest) puts what the profile says now, or the newest torch that fits, in the place of an older one. That one
        is kept, and comes back by itself where the new one cannot be made or fails a test that is required.
      - V(previous) brings back the one that V(latest) has replaced, and deletes the newer one. Where none is kept,
        nothing is done.
      - V(absent) deletes the environment and the one that is kept. Downloads stay. It needs O(name) or O(prefix).
    type: str
    choices: [present, latest, previous, absent]
    default: present
  profile:
    description: A class profile (C(*.torchlab)) on the host. It decides what it does not leave to be asked.
    type: path
  name:
    description: Name of the environment.
    type: str
  prefix:
    description: Folder of the environment, in place of O(name).
    type: path
  python:
    description: Python version, such as V(3.12).
    type: str
  torch:
    description: Torch release. Without it, the newest that fits; one that is there already stays.
    type: str
  variant:
    description: V(cpu) or a CUDA tag, such as V(cu126). Without it, the best for the host's cards.
    type: str
  packages:
    description: Companions and further packages, such as V(torchvision). V(none) is torch alone.
    type: list
    elements: str
  engine:
    description: What makes the environment.
    type: str
    choices: [auto, rattler, conda, venv]
    default: auto
  shared:
    description: Every user of the host may use the environment; its owner alone changes it.
    type: bool
    default: false
  pack:
    description: A folder or address that has the profile's files.
    type: str
  trust:
    description: Hosts that the profile names and that are neither official nor in the program's tables.
    type: list
    elements: str
  label:
    description: What the class's results call this host. Only with O(pack) or O(profile).
    type: str
  index:
    description: Address of Python packages. Better kept in the host's own pip settings where it holds a password.
    type: str
  torch_index:
    description: Address of torch wheels.
    type: str
  channel:
    description: Conda channel of the Python.
    type: str
  cache_dir:
    description: Folder for downloads and package caches.
    type: path
  home:
    description: Folder of the program's own data (E(TORCH_WIZARD_HOME)).
    type: path
  gpu_test:
    description:
      - V(required) fails the task when the environment is there and the card's test did not pass; the next play
        tests again.
      - V(reported) only tells so in RV(gpu_test_passed).
    type: str
    choices: [required, reported]
    default: required
  language:
    description: Language of the program's sentences.
    type: str
    choices: [en, zh_CN]
  program:
    description: The command of Torch Setup on the host, with its first arguments.
    type: list
    elements: str
    default: [torch-wizard]
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
author:
  - Torch Setup
"""

EXAMPLES = r"""
- name: The class's environment, from its profile
  torch_setup.torch.torch_setup:
    profile: /opt/class/class.torchlab
    pack: http://192.0.2.10:8765/
    label: "{{ inventory_hostname }}"

- name: This term's profile in the place of the last one's
  torch_setup.torch.torch_setup:
    profile: /opt/class/class.torchlab
    state: latest

- name: The one before it, after all
  torch_setup.torch.torch_setup:
    name: class
    state: previous

- name: One environment for every user of a cluster
  torch_setup.torch.torch_setup:
    prefix: /opt/torch/2.14
    torch: 2.14.1
    packages: [torchvision]
    shared: true
    gpu_test: reported
"""

RETURN = r"""
previous:
  description: Folder of the environment that was replaced and is kept. It works again once it is brought back.
  type: str
  returned: when there is one
prefix:
  description: Folder of the environment.
  type: str
  returned: when it is known
torch:
  description: Release and variant, such as V(2.14.1+cu126).
  type: str
  returned: when it is known
python:
  description: Python version of the environment.
  type: str
  returned: when it is known
download_bytes:
  description: What would be downloaded at most.
  type: int
  returned: in check mode, when something would be done
run:
  description: Id of the run that made the environment.
  type: str
  returned: when there is one
report:
  description: The run's report on the host, without secrets.
  type: str
  returned: after a run
gpu_test_passed:
  description: Whether the test in the environment passed; of a build for the processor, the test there.
  type: bool
  returned: when the environment is there
code:
  description: The program's name of the trouble.
  type: str
  returned: on failure, when it has one
"""

import json
import os

from ansible.module_utils.basic import AnsibleModule

INSTALLED_BUT_GPU_FAILED = 3
ANOTHER = ("present-other", "profile-name-other", "profile-name-taken")
_OPTIONS = (
    "profile",
    "name",
    "prefix",
    "python",
    "torch",
    "variant",
    "pack",
    "label",
    "index",
    "torch_index",
    "channel",
    "cache_dir",
)


def arguments_of(parameters, check_mode):
    """The words after the program."""
    if_missing = [] if parameters["profile"] else ["--if-missing"]
    return [*wanted(parameters), *if_missing, "--dry-run" if check_mode else "--yes"]


def wanted(parameters):
    words = ["--lang", parameters["language"]] if parameters["language"] else []
    words += ["setup", "--events"]
    for name in _OPTIONS:
        if parameters[name]:
            words.append(f"--{name.replace('_', '-')}={parameters[name]}")
    if parameters["engine"] != "auto":
        words.append(f"--engine={parameters['engine']}")
    if parameters["packages"]:
        words.append(f"--with={','.join(parameters['packages'])}")
    words += [f"--trust={host}" for host in parameters["trust"] or ()]
    if parameters["shared"]:
        words.append("--shared")
    return words


def beside(prefix, what):
    """Where a replaced environment lies: on the same disk, so that it is moved in one step."""
    return os.path.join(os.path.dirname(prefix), f".{os.path.basename(prefix)}.{what}")


def last_event(output):
    """The line that says how it went; {} where there is none."""
    found = {}
    for line in output.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and event.get("event") in ("unchanged", "planned", "refused", "run-finished"):
            found = event
    return found


def sentences(error):
    return f"{error.get('summary', '')} {error.get('hint', '')}".strip()


def spoken(stderr):
    """The program's last sentence and its advice, from what it says to people."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    marked = [at for at, line in enumerate(lines) if line.startswith("✗ ")]
    chosen = lines[marked[-1] : marked[-1] + 2] if marked else lines[-1:]
    return " ".join(chosen).replace("✗ ", "") or "Torch Setup ended without a word."


class Setup:
    def __init__(self, module):
        self.module, self.prefix = module, None
        self.parameters = module.params
        home = self.parameters["home"]
        self.environment = {"TORCH_WIZARD_HOME": home} if home else {}

    def call(self, words):
        program, *first = self.parameters["program"]
        return self.module.run_command(
            [os.path.expanduser(program), *first, *words],
            environ_update=self.environment,
            expand_user_and_vars=False,
            encoding="utf-8",
            errors="replace",
        )

    def carry_out(self):
        """(exit status, event, stderr), after making a cut-off attempt undone."""
        words = arguments_of(self.parameters, self.module.check_mode)
        status, output, said = self.call(words)
        event = last_event(output)
        error = event.get("error") or {}
        if event.get("event") == "refused" and error.get("code") == "target-unfinished":
            run = str(error.get("params", {}).get("run", ""))
            if self.module.check_mode:
                self.module.exit_json(changed=True, prefix=error["params"].get("path"), run=run)
            self.call(["runs", "--remove", run])
            status, output, said = self.call(words)
            event = last_event(output)
        return status, event, said

    def run(self):
        if self.parameters["state"] in ("absent", "previous"):
            self.take_away()
        status, event, said = self.carry_out()
        old = self.outdated(event) if self.parameters["state"] == "latest" else None
        if old:
            if self.module.check_mode:
                self.module.exit_json(changed=True, prefix=old)
            self.keep_replaced(old)
            os.rename(old, beside(old, "replaced"))
            status, event, said = self.carry_out()
        self.prefix = old or event.get("prefix")
        self.conclude(status, event, said)

    def outdated(self, event):
        """The folder of an environment that is older than what is wanted now; None: there is none."""
        error = event.get("error") or {}
        if event.get("event") == "refused" and error.get("code") in ANOTHER:
            return error["params"]["path"]
        if event.get("event") != "unchanged" or self.parameters["profile"]:
            return None
        elsewhere = {**self.parameters, "name": None, "prefix": beside(event["prefix"], "newest")}
        _, output, _ = self.call([*wanted(elsewhere), "--dry-run"])
        newest = last_event(output)
        builds = [(one.get("torch"), one.get("variant")) for one in (event, newest)]
        return event["prefix"] if newest.get("event") == "planned" and builds[0] != builds[1] else None

    def conclude(self, status, event, said):
        kind, error = event.get("event"), event.get("error") or {}
        result = known(event)
        if kind == "unchanged":
            self.finish(False, int(event.get("status", 0)), result)
        if kind == "planned" and status == 0:
            self.module.exit_json(changed=True, diff=difference(event), **result)
        if kind == "run-finished":
            report = read_report(event.get("report"))
            result = dict(of_report(report), **result, report=event.get("report"))
            if int(event.get("status", 1)) in (0, INSTALLED_BUT_GPU_FAILED):
                self.finish(True, int(event["status"]), result, report)
            words = sentences(error) or said_of_test(report) or spoken(said)
            self.fail(words, result, changed=True, code=error.get("code"), rc=status)
        if kind == "refused" and error.get("code") in ANOTHER and self.parameters["state"] == "present":
            error["hint"] = "With state=latest the new one takes its place, and the one from before is kept."
        self.fail(sentences(error) or spoken(said), result, code=error.get("code"), rc=status)

    def fail(self, words, result, **more):
        """With the environment that was there before in its place again."""
        aside = self.prefix and beside(self.prefix, "replaced")
        if aside and os.path.isdir(aside):
            self.bring_back(self.prefix, aside)
            words += " The environment that was there before is in its place again."
            result.pop("report", None)
            more["changed"] = False
        self.module.fail_json(msg=words, **more, **result)

    def take_away(self):
        """`absent` and `previous`."""
        prefix = self.folder()
        kept = [beside(prefix, name) for name in ("replaced", "previous")] if prefix else []
        kept = [path for path in kept if os.path.isdir(path)]
        going_back = self.parameters["state"] == "previous"
        there = [prefix] if prefix and os.path.isdir(prefix) else []
        changed = bool(kept) if going_back else bool(kept or there)
        if changed and not self.module.check_mode:
            if going_back:
                self.bring_back(prefix, kept[0])
            else:
                self.forget_runs(prefix, 0)
                for path in there + kept:
                    if os.path.lexists(path):
                        self.delete(path)
        self.module.exit_json(changed=changed, prefix=prefix)

    def folder(self):
        """Of the environment that was named; None: there is none."""
        if self.parameters["prefix"]:
            return os.path.abspath(self.parameters["prefix"])
        status, output, said = self.call(["envs", "list", "--json"])
        if status != 0:
            self.module.fail_json(msg=spoken(said), rc=status)
        rows = read_document(output).get("environments", [])
        found = [row["prefix"] for row in rows if row["name"] == self.parameters["name"]]
        if len(found) > 1:
            self.module.fail_json(msg=f"Several environments have this name; give `prefix`: {', '.join(found)}")
        return found[0] if found else None

    def bring_back(self, prefix, kept):
        """Put what is kept in the place of the newer one, and forget the runs that made that."""
        since = read_report(os.path.join(kept, ".torch-setup.json")).get("written", float("inf"))
        self.forget_runs(prefix, since)
        if os.path.lexists(prefix):
            self.delete(prefix)
        os.rename(kept, prefix)

    def forget_runs(self, prefix, since):
        """Remove runs that began there later, with what they left half done: else the program would take the kept
        environment for a changed newer one."""
        _, output, _ = self.call(["runs", "--json"])
        for line in output.splitlines():
            run = read_document(line)
            if run.get("prefix") == prefix and run.get("created", 0) > since:
                self.call(["runs", "--remove", run["id"]])

    def delete(self, prefix):
        name = os.path.basename(prefix)
        status, _, said = self.call(["envs", "delete", prefix, "--yes", name])
        if status != 0 and os.path.lexists(prefix):
            self.module.fail_json(msg=spoken(said), rc=status, prefix=prefix)

    def finish(self, changed, status, result, report=None):
        """The environment is there. What failed its card's test then is tested again now."""
        passed = status == 0
        if not passed and not changed and not self.module.check_mode:
            code, output, said = self.call(["verify", "--prefix", result["prefix"], "--json"])
            report = read_document(output)
            passed = code == 0
        result.update(gpu_test_passed=passed)
        if not passed and self.parameters["gpu_test"] == "required" and not self.module.check_mode:
            words = said_of_test(report) or "The test on the graphics card did not pass."
            self.fail(words, result, changed=changed)
        if not self.module.check_mode:
            self.keep_replaced(result["prefix"])
        previous = beside(result["prefix"], "previous")
        if os.path.isdir(previous):
            result["previous"] = previous
        self.module.exit_json(changed=changed, **result)

    def keep_replaced(self, prefix):
        """Put what was replaced in the place of what was kept before; also after a run that was cut off."""
        aside, previous = (beside(prefix, name) for name in ("replaced", "previous"))
        if os.path.isdir(aside):
            if os.path.lexists(previous):
                self.delete(previous)
            os.rename(aside, previous)


def known(event):
    found = {"prefix": event.get("prefix"), "python": event.get("python"), "run": event.get("run")}
    if event.get("torch"):
        found["torch"] = f"{event['torch']}+{event.get('variant')}"
    if event.get("download_bytes") is not None:
        found["download_bytes"] = event["download_bytes"]
    return {name: value for name, value in found.items() if value}


def difference(event):
    lines = [f"torch {event.get('torch')}+{event.get('variant')}", f"python {event.get('python')}"]
    lines += sorted(event.get("packages", []))
    return {
        "before_header": event.get("prefix"),
        "after_header": event.get("prefix"),
        "before": "",
        "after": "\n".join(lines) + "\n",
    }


def read_report(path):
    try:
        with open(path, encoding="utf-8") as stream:
            return read_document(stream.read())
    except (OSError, TypeError):
        return {}


def read_document(text):
    try:
        document = json.loads(text)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def of_report(report):
    """Without the folder: the report is for people and writes the home as ~, the account as <user>."""
    plan = report.get("plan") or {}
    return known(
        {
            "run": plan.get("id"),
            "python": plan.get("python"),
            "torch": plan.get("torch"),
            "variant": plan.get("variant"),
        }
    )


def said_of_test(report):
    headline = ((report or {}).get("verification") or {}).get("headline") or {}
    diagnosis = (report or {}).get("diagnosis") or {}
    parts = [headline, diagnosis.get("cause") or {}, diagnosis.get("repair") or {}]
    return " ".join(part["text"] for part in parts if isinstance(part, dict) and part.get("text"))


def spec_of_options():
    texts = ("name", "python", "torch", "variant", "pack", "label")
    spec = {name: {"type": "str"} for name in texts}
    spec.update({name: {"type": "path"} for name in ("profile", "prefix", "cache_dir", "home")})
    # An address may hold a password: it is kept out of the host's log and of every result.
    spec.update({name: {"type": "str", "no_log": True} for name in ("index", "torch_index", "channel")})
    spec.update(
        packages={"type": "list", "elements": "str"},
        trust={"type": "list", "elements": "str"},
        engine={"type": "str", "choices": ["auto", "rattler", "conda", "venv"], "default": "auto"},
        state={"type": "str", "choices": ["present", "latest", "previous", "absent"], "default": "present"},
        shared={"type": "bool", "default": False},
        gpu_test={"type": "str", "choices": ["required", "reported"], "default": "required"},
        language={"type": "str", "choices": ["en", "zh_CN"]},
        program={"type": "list", "elements": "str", "default": ["torch-wizard"]},
    )
    return spec


def main():
    module = AnsibleModule(
        argument_spec=spec_of_options(),
        supports_check_mode=True,
        mutually_exclusive=[["name", "prefix"]],
        required_if=[["state", state, ["name", "prefix"], True] for state in ("absent", "previous")],
    )
    Setup(module).run()


if __name__ == "__main__":
    main()
