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
  - An environment that is there as it was asked for is left as it is; one that is something else is never replaced.
  - In check mode nothing is written; the plan is made, sources included, and told.
  - An attempt of an earlier play that was cut off is removed first; verified downloads are kept.
options:
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

- name: One environment for every user of a cluster
  torch_setup.torch.torch_setup:
    prefix: /opt/torch/2.14
    torch: 2.14.1
    packages: [torchvision]
    shared: true
    gpu_test: reported
"""

RETURN = r"""
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
_OPTIONS = (
    "profile",
    "name",
    "prefix",
    "python",
    "torch",
    "variant",
    "engine",
    "pack",
    "label",
    "index",
    "torch_index",
    "channel",
    "cache_dir",
)


def arguments_of(parameters, check_mode):
    """The words after the program."""
    words = ["--lang", parameters["language"]] if parameters["language"] else []
    words += ["setup", "--events"]
    for name in _OPTIONS:
        if parameters[name]:
            words.append(f"--{name.replace('_', '-')}={parameters[name]}")
    if parameters["packages"]:
        words.append(f"--with={','.join(parameters['packages'])}")
    words += [f"--trust={host}" for host in parameters["trust"] or ()]
    if parameters["shared"]:
        words.append("--shared")
    if not parameters["profile"]:
        words.append("--if-missing")
    words.append("--dry-run" if check_mode else "--yes")
    return words


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
        self.module = module
        self.parameters = module.params
        home = self.parameters["home"]
        self.environment = {"TORCH_WIZARD_HOME": home} if home else {}

    def call(self, words):
        program, *first = self.parameters["program"]
        return self.module.run_command(
            [os.path.expanduser(program), *first, *words],  # noqa: PTH111 (a dollar sign in a folder's name stays)
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
        status, event, said = self.carry_out()
        kind, error = event.get("event"), event.get("error") or {}
        result = known(event)
        if kind == "unchanged":
            self.finish(False, int(event.get("status", 0)), result)
        if kind == "planned" and status == 0:
            self.module.exit_json(changed=True, diff=difference(event), **result)
        if kind == "run-finished":
            report = read_report(event.get("report"))
            result.update(of_report(report), report=event.get("report"))
            if int(event.get("status", 1)) in (0, INSTALLED_BUT_GPU_FAILED):
                self.finish(True, int(event["status"]), result, report)
            words = sentences(error) or said_of_test(report) or spoken(said)
            self.module.fail_json(msg=words, changed=True, code=error.get("code"), rc=status, **result)
        self.module.fail_json(msg=sentences(error) or spoken(said), code=error.get("code"), rc=status, **result)

    def finish(self, changed, status, result, report=None):
        """The environment is there. What failed its card's test then is tested again now."""
        passed = status == 0
        if not passed and not changed and not self.module.check_mode:
            code, output, said = self.call(["verify", "--prefix", result["prefix"], "--json"])
            report = read_document(output)
            passed = code == 0
        result.update(changed=changed, gpu_test_passed=passed)
        if not passed and self.parameters["gpu_test"] == "required" and not self.module.check_mode:
            self.module.fail_json(msg=said_of_test(report) or "The test on the graphics card did not pass.", **result)
        self.module.exit_json(**result)


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
        with open(path, encoding="utf-8") as stream:  # noqa: PTH123 (a module is one file, and short)
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
    plan = report.get("plan") or {}
    return known(
        {
            "prefix": report.get("prefix"),
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


def main():
    texts = ("name", "python", "torch", "variant", "pack", "label")
    spec = {name: {"type": "str"} for name in texts}
    spec.update({name: {"type": "path"} for name in ("profile", "prefix", "cache_dir", "home")})
    # An address may hold a password: it is kept out of the host's log and of every result.
    spec.update({name: {"type": "str", "no_log": True} for name in ("index", "torch_index", "channel")})
    spec.update(
        packages={"type": "list", "elements": "str"},
        trust={"type": "list", "elements": "str"},
        engine={"type": "str", "choices": ["auto", "rattler", "conda", "venv"]},
        shared={"type": "bool", "default": False},
        gpu_test={"type": "str", "choices": ["required", "reported"], "default": "required"},
        language={"type": "str", "choices": ["en", "zh_CN"]},
        program={"type": "list", "elements": "str", "default": ["torch-wizard"]},
    )
    module = AnsibleModule(argument_spec=spec, supports_check_mode=True, mutually_exclusive=[["name", "prefix"]])
    Setup(module).run()


if __name__ == "__main__":
    main()
