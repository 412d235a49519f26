"""`assay-replay`: what is red, what it says, its exit codes, and who may accept what."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pure.replayed import RULE, a_replay
from tests.pure.shipped_rules import FOLDER, ROOT
from verdicts.replay.command import GREEN, RED, UNREADABLE, main
from verdicts.replay.file import Replay

ACCEPT = ("--by", "Grace", "--because", "The new fact is right.", "--at", "2026-07-02T08:00:00Z")


def run(*arguments: str | Path) -> tuple[int, str]:
    out = io.StringIO()
    return main([str(each) for each in arguments], out), out.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "replays").mkdir()
    return tmp_path / "replays"


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Our rules in a folder of their own, to be changed."""
    copied = tmp_path / "rules"
    copied.mkdir()
    for name in (f"{RULE}.py", f"{RULE}.cases.json"):
        (copied / name).write_bytes((FOLDER / name).read_bytes())
    return copied


def write(folder: Path, name: str, *, passes: bool, outcome: str) -> Path:
    path = folder / f"{name}.json"
    path.write_text(a_replay(passes=passes, outcome=outcome).text())
    return path


def rename_a_fact(rules: Path) -> None:
    for path in rules.iterdir():
        path.write_text(path.read_text().replace("no_recurrence_since", "nothing_logged_since"))


def test_a_false_pass_is_red_and_named_with_the_facts_that_carried_it(folder: Path) -> None:
    path = write(folder, "bad", passes=True, outcome="real and fixed")
    code, said = run(folder)
    assert code == RED
    assert f"false pass   {path}" in said
    assert "no_recurrence_since" in said
    assert "never accepted" in said


def test_a_false_pass_can_not_be_accepted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(folder, "bad", passes=True, outcome="real and fixed")
    before = path.read_text()
    assert run("accept", path, *ACCEPT) == (RED, "")
    assert path.read_text() == before
    assert "can't be accepted by anybody" in capsys.readouterr().err


def test_a_false_pass_with_a_forged_acceptance_stays_red(folder: Path) -> None:
    path = folder / "forged.json"
    forged = a_replay(passes=True, outcome="harmless").to_plain()
    forged["actual"]["outcome"] = "real and fixed"
    import json

    path.write_text(json.dumps(forged))
    assert run(folder)[0] == RED


def test_an_accepted_false_fail_is_told_and_green(folder: Path) -> None:
    path = write(folder, "cheap", passes=False, outcome="harmless")
    code, said = run(folder)
    assert code == GREEN
    assert f"false fail   {path}" in said
    assert "decided" in said
    assert "1 false fail. 1 green, 0 red" in said


def test_a_verdict_that_changed_is_red_until_a_person_accepts_it(folder: Path, rules: Path) -> None:
    path = write(folder, "one", passes=True, outcome="harmless")
    assert run(folder, "--rules", rules)[0] == GREEN
    rename_a_fact(rules)
    code, said = run(folder, "--rules", rules)
    assert code == RED
    assert f"changed      {path}" in said
    assert "another than Ada accepted: no_recurrence_since: holds became absent; nothing_logged_since" in said
    assert run("accept", folder, "--rules", rules, *ACCEPT)[0] == GREEN
    code, said = run(folder, "--rules", rules)
    assert code == GREEN
    accepted = Replay.from_text(path.read_text()).accepted
    assert accepted is not None
    assert accepted.by == "Grace"


@pytest.mark.parametrize(("option", "value"), [("--by", " "), ("--because", "")])
def test_nobody_accepts_without_a_name_and_a_reason(folder: Path, option: str, value: str) -> None:
    write(folder, "one", passes=True, outcome="harmless")
    given = dict(zip(ACCEPT[::2], ACCEPT[1::2], strict=True)) | {option: value}
    assert run("accept", folder, *(part for pair in given.items() for part in pair))[0] == RED


def test_a_replay_that_nobody_accepted_is_red(folder: Path) -> None:
    path = folder / "new.json"
    path.write_text(a_replay(passes=True, outcome="harmless").accepted_as(None).text())
    code, said = run(folder)
    assert code == RED
    assert "Nobody has accepted" in said
    assert run("accept", path, *ACCEPT)[0] == GREEN
    assert run(folder)[0] == GREEN


def test_a_file_that_does_not_load_is_named_and_the_others_are_still_judged(folder: Path) -> None:
    write(folder, "a", passes=True, outcome="harmless")
    (folder / "b.json").write_text("{")
    (folder / "c.json").write_bytes(b"\xff")
    code, said = run(folder)
    assert code == UNREADABLE
    assert "b.json: does not load: replay: not JSON" in said
    assert "c.json: can't be read" in said
    assert "3 replays" in said
    assert "1 green, 0 red" in said


@pytest.mark.parametrize("missing", ["folder", "rules", "tools"])
def test_a_place_that_is_not_there_is_refused(
    folder: Path, missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, "a", passes=True, outcome="harmless")
    nowhere = folder / "nowhere"
    given = {
        "folder": (nowhere,),
        "rules": (folder, "--rules", nowhere),
        "tools": (folder, "--tools", nowhere),
    }
    assert run(*given[missing])[0] == UNREADABLE
    assert "nowhere" in capsys.readouterr().err


def test_a_folder_without_replays_is_not_green(folder: Path) -> None:
    assert run(folder)[0] == UNREADABLE


def test_a_rule_that_can_not_be_loaded_turns_its_replays_red_and_says_why(folder: Path, rules: Path) -> None:
    write(folder, "one", passes=True, outcome="harmless")
    (rules / f"{RULE}.py").write_text("class (")
    code, said = run(folder, "--rules", rules)
    assert code == RED
    assert "is not Python" in said


def test_what_is_not_comparable_is_green_and_counted(folder: Path) -> None:
    write(folder, "one", passes=True, outcome="not reproducible")
    code, said = run(folder)
    assert code == GREEN
    assert "1 not comparable" in said


def test_it_runs_in_a_bare_python_without_django(folder: Path) -> None:
    write(folder, "one", passes=True, outcome="harmless")
    script = (
        "import sys; from verdicts.replay.command import main; code = main(sys.argv[1:]); "
        "loaded = {name.partition('.')[0] for name in sys.modules}; "
        "strangers = loaded & {'django', 'psycopg', 'yaml', 'celery', 'pytest', 'toolbox'}; "
        "sys.exit(f'imported {strangers}' if strangers else code)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script, str(folder), "-v"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "1 as it was. 1 green, 0 red" in done.stdout
