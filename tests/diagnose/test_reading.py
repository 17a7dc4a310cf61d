"""The small rules of stage one: cut libraries, wheel tags, version files, what belongs to whom."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.diagnose.world import HEALTHY, TORCH, Patient, library
from wizard.app.use.doctor import verify_prefix
from wizard.diagnose.checks.damage import damage_of, is_cut
from wizard.diagnose.checks.outside import _set_in
from wizard.diagnose.checks.packages import fits
from wizard.diagnose.model import READS
from wizard.diagnose.repair.guards import shell_block, with_block
from wizard.diagnose.repair.owned_files import claims, distributions_named
from wizard.diagnose.repair.snapshot import RepairSnapshot
from wizard.environment.inspect.installation import parse_interpreter, parse_version_file, user_variables
from wizard.model.distributions import content_digest, parse_headers, read_distribution
from wizard.model.errors import UsageError, WizardError


@pytest.mark.parametrize("keep", [5, 40, 63, 64, 1000, -1])
def test_a_library_that_ends_too_early(tmp_path: Path, keep: int) -> None:
    whole = library()
    path = tmp_path / "libx.so.1"
    path.write_bytes(whole[:keep])
    assert is_cut(path, path.stat().st_size)
    path.write_bytes(whole)
    assert not is_cut(path, len(whole))


def test_zeros_are_no_library_and_a_script_is_no_elf(tmp_path: Path) -> None:
    (tmp_path / "zeros.so").write_bytes(b"\0" * 5000)
    (tmp_path / "linker.so").write_bytes(b"INPUT(-lfoo)\n")
    assert is_cut(tmp_path / "zeros.so", 5000)
    assert not is_cut(tmp_path / "linker.so", 13)


@pytest.mark.parametrize(
    ("tag", "python", "expected"),
    [
        ("cp312-cp312-manylinux_2_28_x86_64", "cp312", True),
        ("cp311-cp311-manylinux_2_28_x86_64", "cp312", False),
        ("cp39-abi3-manylinux_2_28_x86_64", "cp312", True),
        ("cp313-abi3-linux_x86_64", "cp312", False),
        ("py3-none-any", "cp312", True),
        ("cp36-cp36m-manylinux1_x86_64", "cp36", True),
        ("cp37-cp37m-win_amd64", "cp37", True),
        ("cp36-cp36m-manylinux1_x86_64", "cp37", False),
        ("py2.py3-none-any", "cp315", True),
        ("cp313-cp313t-linux_x86_64", "cp313", False),
        ("cp313-cp313t-linux_x86_64", "cp313t", True),
        ("cp313-cp313-linux_x86_64", "cp313t", False),
        ("cp39-abi3-linux_x86_64", "cp313t", False),
    ],
)
def test_tags(tag: str, python: str, expected: bool) -> None:
    assert fits((tag,), python) is expected


@pytest.mark.parametrize(
    ("words", "variant"),
    [
        ("__version__ = '2.15.0+cu132'\ncuda: Optional[str] = '13.2'\n", "cu132"),
        ("__version__ = '2.15.0'\ncuda: Optional[str] = '13.2'\nhip = None\n", "cu132"),
        ("__version__ = '2.15.0'\ncuda: Optional[str] = None\n", "cpu"),
        ("__version__ = '1.7.0'\ndebug = False\ncuda = '10.2'\n", "cu102"),
        ("__version__ = '2.5.0'\ncuda: Optional[str] = None\nhip: Optional[str] = '6.2'\n", None),
        ("", None),
        ("print('hello')", None),
    ],
)
def test_version_file(words: str, variant: str | None) -> None:
    assert parse_version_file(words, Path("torch")).variant == variant


def test_headers_end_with_the_first_empty_line() -> None:
    text = "Name: a\nRequires-Dist: b\nrequires-dist: c\n\nRequires-Dist: not this\n"
    assert parse_headers(text, "Requires-Dist") == ("b", "c")


@pytest.mark.parametrize("said", ["", "noise", "[]", "{}", '{"version": 3}', "null"])
def test_a_python_that_says_something_else(said: str) -> None:
    assert parse_interpreter(said) is None


def test_a_frozen_programs_own_library_path_is_not_the_users() -> None:
    mine = {"LD_LIBRARY_PATH": "/opt/program", "LD_LIBRARY_PATH_ORIG": "/usr/cuda", "OTHER": "x"}
    assert user_variables(mine) == {"LD_LIBRARY_PATH": "/usr/cuda"}
    assert user_variables({"PYTHONPATH": "/x", "LD_LIBRARY_PATH": ""}) == {"PYTHONPATH": "/x"}


def test_what_is_shared_is_not_moved_as_a_whole(patient: Patient) -> None:
    """`nvidia/` belongs to many; of two packages in one folder only the own files go."""
    other = patient.site / "other-1.0.dist-info"
    other.mkdir()
    (patient.site / "nvidia" / "cublas").mkdir()
    (patient.site / "nvidia" / "cublas" / "x.txt").write_text("x")
    (other / "METADATA").write_text("Name: other\nVersion: 1.0\n")
    (other / "RECORD").write_text("nvidia/cublas/x.txt,,\nother-1.0.dist-info/RECORD,,\n")
    inside = os.path.relpath(patient.site, patient.prefix)
    going = distributions_named(patient.site, ["nvidia-cudnn-cu12", "torch"])
    assert sorted(claims(patient.prefix, patient.site, going, (), ())) == [
        f"{inside}/nvidia/cudnn",
        f"{inside}/nvidia_cudnn_cu12-9.1.0.dist-info",
        f"{inside}/torch",
        f"{inside}/torch-{TORCH}+cu126.dist-info",
    ]


def test_a_record_that_leads_out_of_the_environment_claims_nothing_there(patient: Patient, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("the user's")
    record = next(patient.site.glob("numpy-*.dist-info")) / "RECORD"
    with record.open("a") as file:
        file.write(f"../../../../victim,,\n{victim},,\n")
    claimed = claims(patient.prefix, patient.site, distributions_named(patient.site, ["numpy"]), (), ())
    assert not [path for path in claimed if "victim" in path]


def test_verify_compares_contents_when_asked_to(patient: Patient) -> None:
    """Of every package, not of torch's alone, and before anything of the environment is run."""
    path = patient.site / "numpy" / "__init__.py"
    path.write_bytes(bytes(path.stat().st_size))
    with pytest.raises(WizardError) as caught:
        verify_prefix(patient.prefix, lambda: False, deep=True)
    assert caught.value.code == "contents-differ"
    assert "numpy content: numpy/__init__.py" in caught.value.details


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_record_claims_only_its_own_packages_files(patient: Patient, tmp_path: Path) -> None:
    """What conda brought, what makes the environment one, the user's notes, and what a link leads to."""
    prefix, site = patient.prefix, patient.site
    victims = [
        "lib/libcrypto.so.3",
        "bin/python3",
        "pyvenv.cfg",
        "conda-meta/history",
        "notes.txt",
        "project/train.py",
        "share/away/mine.txt",
    ]
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine.txt").write_text("the user's")
    (prefix / "share").mkdir(exist_ok=True)
    (prefix / "share" / "away").symlink_to(outside)
    for victim in victims[:-1]:
        path = prefix / victim
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text("x")
    record = prefix / "conda-meta" / "openssl-3.5.0-0.json"
    record.write_text('{"name": "openssl", "files": ["lib/libcrypto.so.3"]}')
    tool = prefix / "bin" / "f2py"
    tool.write_text("of numpy itself")
    up = os.path.relpath(prefix, site)
    with (next(site.glob("numpy-*.dist-info")) / "RECORD").open("a") as file:
        file.writelines(f"{up}/{victim},,\n" for victim in victims)
        file.write(f"{up}/bin/f2py,{content_digest(tool)},16\n")
    claimed = claims(prefix, site, distributions_named(site, ["numpy"]), (), ())
    assert not set(claimed) & set(victims)
    assert "bin/f2py" in claimed


NOBODYS = ["project/__init__.py", "project/notes.txt", "results.csv", "__init__.py", "numpy_mine/train.py"]


@pytest.mark.parametrize("spare", [False, True])
def test_a_record_does_not_claim_what_is_nobodys(patient: Patient, spare: bool) -> None:
    """Neither by naming it, nor by the hash of an empty file; an empty one in the package's own folder is its own."""
    site = patient.site
    (site / "numpy" / "py.typed").touch()
    victims = [site / name for name in NOBODYS]
    victims += [patient.prefix / name for name in ("share/__init__.py", "bin/mine.sh", "etc/mine.toml")]
    for victim in victims:
        victim.parent.mkdir(parents=True, exist_ok=True)
        victim.write_text("" if victim.name == "__init__.py" else "the user's")
    with (next(site.glob("numpy-*.dist-info")) / "RECORD").open("a") as file:
        for victim in (*victims, site / "numpy" / "py.typed"):
            file.write(f"{os.path.relpath(victim, site)},{content_digest(Path(os.devnull))},0\n")
    names = [os.path.relpath(victim, patient.prefix) for victim in victims]
    before = set(claims(patient.prefix, site, distributions_named(site, ["numpy"]), (), (), spare))
    assert not [name for name in names if any(f"{name}/".startswith(f"{path}/") for path in before)]
    assert any(path.endswith("/numpy") for path in before)
    (site / "numpy" / "__init__.py").write_text("damaged")  # nothing with its content is left
    wheel = next((patient.wheels / "packages").glob("numpy-*.whl"))
    mended = set(claims(patient.prefix, site, distributions_named(site, ["numpy"]), (wheel,), (), spare))
    assert {path for path in mended if "dist-info" not in path} == {path for path in before if "dist-info" not in path}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_repair_leaves_what_a_record_names_and_nobody_owns(patient: Patient) -> None:
    mine = patient.prefix / "share" / "models" / "mine.pt"
    mine.parent.mkdir(parents=True)
    mine.write_bytes(b"hours of training")
    record = next(patient.site.glob("numpy-*.dist-info")) / "RECORD"
    with record.open("a") as file:
        file.write(f"{os.path.relpath(mine, patient.site)},,\n")
    snapshot = RepairSnapshot(patient.prefix, patient.site, "run")
    assert snapshot.put(["numpy"], (), (), ()) > 0
    assert mine.read_bytes() == b"hours of training"
    assert not (patient.site / "numpy").exists()
    assert snapshot.restore()
    assert (patient.site / "numpy" / "__init__.py").is_file()


def test_content_that_changed_is_seen(patient: Patient) -> None:
    """Same size, another byte: a small file by the sample, any file with `deep`."""
    numpy = read_distribution(next(patient.site.glob("numpy-*.dist-info")))
    torch = read_distribution(next(patient.site.glob("torch-*.dist-info")))
    assert numpy
    assert torch
    assert damage_of(numpy, deep=True) == damage_of(torch, deep=True) == ()
    path = patient.site / "numpy" / "__init__.py"
    path.write_bytes(path.read_bytes().replace(b"6.0", b"7.0"))
    assert [damage.kind for damage in damage_of(numpy)] == ["content"]
    path = patient.site / "torch" / "lib" / "libcudnn.so.9"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert [damage.kind for damage in damage_of(torch, deep=True)] == ["content"]


def test_a_deep_look_names_each_package_as_it_is_read(patient: Patient) -> None:
    """It takes minutes: the window says what it reads."""
    heard: list[str] = []
    patient.examine(imports=False, deep=True, on_stage=heard.append)
    read = [stage.removeprefix(READS) for stage in heard if stage.startswith(READS)]
    assert {"torch", "numpy"} <= set(read)
    assert heard.index(f"{READS}torch") > heard.index("files")
    heard.clear()
    patient.examine(imports=False, on_stage=heard.append)
    assert heard == ["files", "machine"], "only where every file is read"


def test_the_activation_keeps_what_it_said() -> None:
    text = "deactivate () { :; }\nexport PATH"
    once = with_block(text, shell_block(("/a b", "/c'd")))
    assert once.startswith(text + "\n")
    assert with_block(once, shell_block(("/x",))) == with_block(text, shell_block(("/x",)))


def test_the_line_that_sets_the_path_is_named(tmp_path: Path) -> None:
    (tmp_path / ".bashrc").write_text("# x\nexport LD_LIBRARY_PATH=/usr/local/cuda-11/lib64:$LD_LIBRARY_PATH\n")
    told = _set_in(("/usr/local/cuda-11/lib64",), tmp_path)
    assert told == ("~/.bashrc:2: export LD_LIBRARY_PATH=/usr/local/cuda-11/lib64:$LD_LIBRARY_PATH",)
    assert _set_in(("/other",), tmp_path) == ()


def test_leftovers_alone_are_tidied_on_request(bare: Patient) -> None:
    bare.make(*HEALTHY)
    (bare.site / "~orch" / "lib").mkdir(parents=True)
    (bare.site / "~orch" / "lib" / "x.so").write_text("x")
    found = bare.examine()
    assert found.answer.verdict == "nothing-wrong"
    assert [other.code for other in found.answer.others] == ["leftovers"]
    preview = bare.plan(found)
    assert preview.lock.files == ()
    assert bare.carry_out(preview).returncode == 0
    assert not (bare.site / "~orch").exists()
    assert (bare.prefix / ".torch-setup-aside" / preview.plan.id / "kept").is_dir()
    assert bare.answer().others == ()


def test_a_folder_that_is_no_environment(bare: Patient) -> None:
    with pytest.raises(UsageError, match="no Python environment"):
        bare.examine()


def test_a_python_that_does_not_start(patient: Patient) -> None:
    python = patient.prefix / "bin" / "python"
    python.unlink()
    python.symlink_to("/no/such/python")
    answer = patient.answer()
    assert (answer.verdict, answer.cause and answer.cause.code) == ("found", "python-broken")
    assert not answer.remedy.changes_something


def test_pythonpath_is_told_and_left_to_the_user(patient: Patient, tmp_path: Path) -> None:
    (tmp_path / "mine" / "torch").mkdir(parents=True)
    (tmp_path / "mine" / "torch" / "__init__.py").write_text("raise ImportError('mine')")
    patient.variables["PYTHONPATH"] = str(tmp_path / "mine")
    answer = patient.answer()
    assert (answer.verdict, answer.cause and answer.cause.code) == ("found", "pythonpath-shadow")
    assert f"PYTHONPATH={tmp_path / 'mine'}" in (answer.cause.evidence if answer.cause else ())
    assert not answer.remedy.changes_something


def test_another_cuda_of_the_same_major_is_a_suspicion_until_the_test_fails(patient: Patient) -> None:
    """torchvision +cu128 beside torch +cu126 runs; only where its own check fails is it the cause."""
    from tests.line.wheel import build_wheel
    from tests.line.world import TAG

    works = (patient.site / "torchvision" / "__init__.py").read_bytes()
    fails = b"raise RuntimeError('operator torchvision::nms does not exist')\n"
    for words, verdict in ((works, "nothing-wrong"), (fails, "found")):
        files = {"torchvision/__init__.py": words}
        wheel = build_wheel(patient.world.home, "torchvision", "0.28.0+cu128", files, [f"torch=={TORCH}"], TAG)
        for path in patient.site.glob("torchvision-*.dist-info"):
            path.rename(patient.world.home / f"{path.name}-{verdict}")
        patient.unpack(wheel)
        answer = patient.answer()
        assert answer.verdict == verdict
        (one,) = [each for look in answer.looks for each in look.findings]
        assert (one.code, one.certain) == ("companion-variant", verdict == "found")


def test_a_plain_package_of_another_version_is_only_a_suspicion(patient: Patient) -> None:
    metadata = next(patient.site.glob("torch-*.dist-info")) / "METADATA"
    metadata.write_text(metadata.read_text().replace("Requires-Dist: sympy", "Requires-Dist: sympy==1.13.1"))
    record = metadata.with_name("RECORD")
    record.write_text("".join(line for line in record.read_text().splitlines(True) if "METADATA" not in line))
    answer = patient.answer()
    assert answer.verdict == "nothing-wrong"
    assert [other.code for other in answer.others] == ["needs-unmet"]
