"""What the tables say to an error text of the builds that it asks for: pins, tags, indexes, Pythons, systems."""

from __future__ import annotations

from tests.compatibility.judged_text import pin, reasons
from wizard.app.use.explain import answer, by_the_texts_facts
from wizard.diagnose.known_errors.facts import parse_facts
from wizard.diagnose.known_errors.match import explain
from wizard.model.messages import text


def test_a_pin_is_told_its_pythons_and_tags() -> None:
    said = "Could not find a version that satisfies the requirement torch==1.8.1+cu128 (from versions: 2.0.0)"
    found = reasons(said)
    assert found["pythons"] == {"torch": "1.8.1", "first": "3.6", "last": "3.9"}
    assert "cu111" in found["no-tag"]["tags"]
    assert found["nearest"] == {"nearest": "2.0.0"}


def test_a_python_that_has_early_wheels_counts() -> None:
    said = pin("torch==2.3.1", "none", "/home/user/v/lib/python3.12/site-packages/pip/a.py x86_64")
    assert reasons(said)["pythons"]["last"] == "3.12"
    assert "nearest-build" not in reasons(said)


def test_an_index_of_one_tag_is_told_the_tags_that_there_are() -> None:
    said = "Could not find a version that satisfies the requirement torch==2.7.0 (from versions: {})"
    listed = reasons(said.format("2.5.1+cu124, 2.6.0+cu124"))["no-tag"]
    assert listed["tag"] == "cu124"
    assert "cu128" in listed["tags"]
    index = "--index-url https://download.pytorch.org/whl/test/cu124"
    assert reasons(f"{index}\n{said.format('none')}")["no-tag"] == listed
    assert "no-tag" not in reasons(said.format("2.5.1, 2.6.0+cu124"))


def test_a_version_that_the_index_listed_is_not_blamed_on_the_python() -> None:
    said = "Could not find a version that satisfies the requirement torch==2.7.1+cu128 (from versions: 2.6.0, 2.7.1)"
    assert reasons(said) == {}
    assert reasons(said.replace("2.6.0, 2.7.1", "1.13.0, 2.6.0, 2.8.0"))["nearest"]["nearest"] == "2.6.0"


def test_of_the_listed_versions_below_the_newest_is_the_nearest() -> None:
    said = pin("torch==2.5.1", "2.0.0, 2.2.0, 2.2.1, 2.2.2")
    assert reasons(said)["nearest"]["nearest"] == "2.2.2"
    assert reasons(pin("torch==2.4.1", "2.6.0, 2.6.1, 2.7.0"))["nearest"]["nearest"] == "2.6.0"


def test_a_pin_of_poetry_is_read_too() -> None:
    found = reasons("Unable to find installation candidates for torch (2.7.1)")
    assert found["pythons"]["last"] == "3.13"


def test_a_pin_is_judged_for_the_python_and_the_system() -> None:
    said = pin("torch==2.1.0+cu121", "2.6.0, 2.7.0", r"C:\lab\Python313\Lib\site-packages\pip\a.py")
    assert reasons(said)["nearest-build"]["system"] == "Windows"
    assert reasons(said)["nearest-build"]["python"] == "3.13"
    aarch64 = pin("torch==2.1.0+cu121", "2.6.0", "/home/user/venv/lib/python3.11/site-packages/pip/a.py aarch64")
    assert reasons(aarch64)["no-tag"]["tags"] == "cpu"


def test_a_build_that_exists_is_found_in_its_own_index() -> None:
    said = pin("torch==2.7.1+cu128", "2.6.0, 2.7.1", "/home/user/v/lib/python3.12/site-packages/pip/a.py x86_64")
    assert reasons(said)["exists"]["tag"] == "cu128"
    assert "exists" not in reasons(f"Looking in indexes: https://download.pytorch.org/whl/cu128\n{said}")


def test_a_mac_has_no_cuda_tags() -> None:
    assert set(reasons(pin("torch==2.7.1+cu128", "2.6.0", "/Users/user/x macosx_14_0_arm64"))) == {"mac"}


def test_a_wheel_of_another_python() -> None:
    wheel = "ERROR: torch-2.7.0+cu128-cp310-cp310-win_amd64.whl is not a supported wheel on this platform."
    found = reasons(f"Python 3.12.4\n{wheel}")["wheel-python"]
    assert (found["made"], found["python"]) == ("3.10", "3.12")
    assert "wheel-python" not in reasons(f"Python 3.10.4\n{wheel}")


def test_a_build_that_never_was_is_said_first() -> None:
    said = "a version that satisfies the requirement torch==2.7.0+cu121 (from versions: 1.11.0, ..., 2.6.0)"
    given = answer(said, lambda: (_ for _ in ()).throw(AssertionError("no facts are asked for")))
    assert given.found[0].cause.key == "explain.cause-no-such-build"
    assert reasons(said)["nearest"] == {"nearest": "2.6.0"}


def test_a_release_above_the_whole_list_is_not_told_to_take_an_older_python() -> None:
    said = pin("torch==2.6.0", "2.3.1, 2.4.0, 2.4.1", "")
    found = by_the_texts_facts(explain(said), parse_facts(said))
    assert found[0].cause.key == "explain.cause-newer-listed"
    assert "2.4.1" in text(found[0].fix, "en")
    below = pin("torch==1.8.1", "2.3.1, 2.4.0, 2.4.1", "")
    assert by_the_texts_facts(explain(below), parse_facts(below))[0].fix.key == "explain.error.no-version-listed.fix"


def test_an_old_index_is_told_the_nearest_one_that_has_the_release() -> None:
    said = "Looking in indexes: https://download.pytorch.org/whl/{}\n" + pin("torch==2.6.0", "none", "")
    assert reasons(said.format("cu117"))["nearest-tag"] == {"tag": "cu117", "near": "cu118"}
    assert reasons(said.format("cu128"))["nearest-tag"]["near"] == "cu126"
    assert "nearest-tag" not in reasons(said.format("cu12.1"))
