"""The pytest plugin: one test for each incident, in anybody's project."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.pure.replayed import a_replay
from tests.pure.shipped_rules import ROOT


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable, "-m", "pytest", "-v", "-p", "verdicts.pytest_plugin", "-p", "no:django",
            "-p", "no:cacheprovider", "--rootdir", str(folder), "-c", str(folder / "pytest.ini"), str(folder),
        ],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text("[pytest]\nassay_replays = replays\n")
    (tmp_path / "replays").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.json").write_text("no replay")
    return tmp_path


def test_red_and_unreadable_incidents_fail_with_their_sentence_alone(project: Path) -> None:
    bad = a_replay(passes=True, outcome="real and fixed")
    (project / "replays" / "bad.json").write_text(bad.text())
    (project / "replays" / "cut.json").write_text(bad.text()[:-9])
    done = run(project)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "A false pass is never accepted" in done.stdout
    assert "cut.json: does not load" in done.stdout
    assert "2 failed" in done.stdout
    assert "Traceback" not in done.stdout


def test_each_green_incident_is_one_passed_test(project: Path) -> None:
    for name in ("one", "two"):
        text = a_replay(passes=True, outcome="harmless").text()
        (project / "replays" / f"{name}.json").write_text(text)
    (project / "replays" / "tools.json").write_text('{"tools":{},"v":1}')
    done = run(project)
    assert "2 passed" in done.stdout, done.stdout + done.stderr
    assert "replays/one.json::one PASSED" in done.stdout


def test_rules_of_ones_own_replace_the_shipped(project: Path) -> None:
    (project / "replays" / "one.json").write_text(a_replay(passes=True, outcome="harmless").text())
    (project / "rules").mkdir()
    (project / "pytest.ini").write_text("[pytest]\nassay_replays = replays\nassay_rules = rules\n")
    done = run(project)
    assert "No rule is named" in done.stdout
    assert "pass became fail" in done.stdout
