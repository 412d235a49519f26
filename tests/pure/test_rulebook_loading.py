"""Rules from folders: each is proved by its cases before it earns anything, and a bad one stops no other."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.pure.rules_for_tests._world import FOLDER, JOB_ENTRY, LOG_ENTRY, RULEBOOK, SHAPES, judge
from verdicts.loading import RuleUnusable, load_rule, load_rulebook
from verdicts.scrutiny import complaints

SOURCE = (FOLDER / "retry_finished.py").read_text()
CASES = json.loads((FOLDER / "retry_finished.cases.json").read_text())


def written(folder: Path, *, source: str = SOURCE, cases: Any = CASES, name: str = "retry_finished") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.py"
    path.write_text(source)
    if cases is not None:
        text = cases if isinstance(cases, str) else json.dumps(cases)
        (folder / f"{name}.cases.json").write_text(text)
    return path


def test_a_rule_with_its_cases_loads(tmp_path: Path) -> None:
    written(tmp_path)
    book = load_rulebook([tmp_path], SHAPES)
    assert dict(book.broken) == {}
    assert judge(JOB_ENTRY, LOG_ENTRY, rulebook=book).passed


EDITS = [
    (
        "Fact, Refutation\n",
        "Fact, Refutation\nraise RuntimeError\n",
        "can't be run: the code raised RuntimeError",
    ),
    ("version = 1", "version = 1 +", "is not Python"),
    (
        "class RetryFinished",
        "class RetryFinishedTwice",
        "declares RetryFinishedTwice; the file of that is retry_finished_twice.py",
    ),
    ("kinds = {", "kind = {", "kinds is a set of alert or claim or issue"),
    ('tool="find_job"', 'tool="find_jobs"', "it asks find_jobs, which no connector here offers"),
    ('tool="find_job",', "tool=find_job,", "can't be run: the code raised NameError"),
    ("import Rule\n", "import Rule\nimport os\n", "os reaches outside"),
    ("(Rule):", "(object):", "must declare exactly one class of Rule, and declares 0"),
    ('== "completed"', '!= "completed"', "must end as a pass and ends as a fail"),
    ("answer.instant", "answer._result.get", "_result is private"),
]


@pytest.mark.parametrize(("old", "new", "words"), EDITS)
def test_a_rule_that_can_not_be_used_is_broken_with_a_sentence(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    assert old in SOURCE
    written(tmp_path, source=SOURCE.replace(old, new))
    book = load_rulebook([tmp_path], SHAPES)
    assert "retry_finished" not in book.rules
    assert words in book.broken["retry_finished"]
    decided = judge(JOB_ENTRY, LOG_ENTRY, rulebook=book)
    assert not decided.passed
    assert words in decided.reason


def changed(index: int, **changes: Any) -> list[dict[str, Any]]:
    return [{**case, **changes} if at == index else case for at, case in enumerate(CASES)]


@pytest.mark.parametrize(
    ("cases", "words"),
    [
        (None, "its cases are missing: write retry_finished.cases.json"),
        ("{", "can't be read: cases: not JSON"),
        ([], "0 cases that pass and 0 that fail"),
        (CASES[1:], "1 cases that pass"),
        (CASES[:3], "2 cases that pass and 1 that fail"),
        (
            [*changed(2, expect="pass"), {**CASES[2], "name": "again"}],
            "must end as a pass and ends as a fail: job_completed does not hold",
        ),
        (
            [*changed(0, expect="fail"), {**CASES[1], "name": "again"}],
            "must end as a fail and ends as a pass",
        ),
        (changed(2, deciding="no_recurrence"), "must be decided by no_recurrence, and job_completed decides"),
    ],
)
def test_cases_that_do_not_prove_the_rule_leave_it_broken(tmp_path: Path, cases: Any, words: str) -> None:
    with pytest.raises(RuleUnusable) as raised:
        load_rule(written(tmp_path, cases=cases), SHAPES)
    assert words in str(raised.value)


def test_a_source_or_folder_that_can_not_be_read_is_broken(tmp_path: Path) -> None:
    written(tmp_path).write_bytes(b"\xff\xfe")
    book = load_rulebook([tmp_path, tmp_path / "no_such_pack"], SHAPES)
    assert "can't be read" in book.broken["retry_finished"]
    assert "there is no folder" in book.broken["pack no_such_pack"]


def test_a_bad_rule_does_not_stop_the_others(tmp_path: Path) -> None:
    written(tmp_path)
    written(tmp_path, source="raise SystemExit(3)", name="another")
    written(tmp_path, source="not a rule", name="_shared")
    book = load_rulebook([tmp_path], SHAPES)
    assert list(book.rules) == ["retry_finished"]
    assert list(book.broken) == ["another"]


def test_a_name_that_two_files_claim_earns_nothing_in_either_order(tmp_path: Path) -> None:
    one, other = written(tmp_path / "one").parent, written(tmp_path / "other").parent
    written(one, source="broken", name="third")
    written(other, source="broken", name="third")
    for folders in ([one, other], [other, one]):
        book = load_rulebook(folders, SHAPES)
        assert dict(book.rules) == {}
        assert "two files claim this name" in book.broken["retry_finished"]
        assert "two files claim this name" in book.broken["third"]
    assert list(load_rulebook([one, one], SHAPES).rules) == ["retry_finished"]


def test_a_retired_rule_keeps_its_name_and_earns_nothing(tmp_path: Path) -> None:
    written(tmp_path, source=SOURCE.replace("version = 1", 'version = 2\n    retired = "Too broad."'))
    book = load_rulebook([tmp_path], SHAPES)
    assert dict(book.broken) == {}
    assert not judge(JOB_ENTRY, LOG_ENTRY, rulebook=book).passed


def test_the_digest_covers_source_cases_tools_and_suspensions(tmp_path: Path) -> None:
    path = written(tmp_path)
    digests = [load_rulebook([tmp_path], SHAPES).digest]
    digests.append(load_rulebook([tmp_path], SHAPES, frozenset({"retry_finished"})).digest)
    path.write_text(SOURCE + "\n# a comment\n")
    digests.append(load_rulebook([tmp_path], SHAPES).digest)
    written(tmp_path, cases=changed(0, because="Another reason."))
    digests.append(load_rulebook([tmp_path], SHAPES).digest)
    other = {
        **SHAPES,
        "find_job": type(SHAPES["find_job"])("find_job", "other", normalise={"job_id": ("strip",)}),
    }
    digests.append(load_rulebook([tmp_path], other).digest)
    path.unlink()
    digests.append(load_rulebook([tmp_path], SHAPES).digest)
    assert len(set(digests)) == len(digests)
    written(tmp_path)
    assert load_rulebook([tmp_path], SHAPES).digest == digests[0]


def test_the_rulebook_knows_no_rule_under_another_name() -> None:
    with pytest.raises(ValueError, match="stands in the rulebook as 'other'"):
        type(RULEBOOK)(rules={"other": RULEBOOK.rules["retry_finished"]}, shapes=SHAPES)


CARELESS = [
    ("import time", "time reaches outside"),
    ("from urllib.request import urlopen", "urllib.request reaches outside"),
    ("datetime.now(UTC)", "now reads the clock"),
    ("answer._result", "_result is private"),
    ("subject.labels.get('about', 'refund')", "get() turns what is missing into a default"),
    ("getattr(answer, 'get')", "getattr has no place"),
    ("open('/etc/passwd')", "open has no place"),
    ("with suppress(Exception): pass", "suppress() hides"),
    ("try: pass\nexcept: pass", "a bare except hides"),
    ("import acme.helpers", "acme.helpers reaches outside"),
    ("from . import shared", ". reaches outside"),
    ("from verdicts.attempt import attempt", "verdicts.attempt reaches outside"),
    ("hidden = LookupError", "LookupError stands for a field that can't be read"),
    ("try: pass\nexcept KeyError: pass", "except KeyError hides"),
    ("try: pass\nfinally: pass", "finally can hide"),
    ("next(iter([]), 0)", "next() with a default"),
    ("max([], default=0)", "max() with a default"),
    ("'{0._result}'.format(answer)", "format() reads attributes"),
    ("match answer:\n case object(reads=x): pass", "a pattern reads attributes"),
    ("while True: pass", "while may never end"),
    ("with answer: pass", "with can hide"),
    ("def f():\n global seen", "a rule keeps nothing"),
    ("hash('a')", "hash() differs from one process to the next"),
    ("def f():\n yield 1", "a check returns True or False at once"),
    ("try: pass\nexcept Exception: pass", "except Exception hides"),
    ("try: pass\nexcept (ValueError, answers.FieldMissing): pass", "except FieldMissing hides"),
]


def test_careless_and_impure_sources_are_refused_with_their_line() -> None:
    for line, words in CARELESS:
        found = complaints(f"first = 1\n{line}\n")
        assert found, line
        assert any(words in each for each in found), (line, words, found)
        assert all(each.startswith(("line 2", "line 3")) for each in found), (line, found)


def test_careful_sources_are_not_refused() -> None:
    assert complaints(SOURCE) == ()
    assert complaints("raise LookupError('no such tenant')") == ()
    assert complaints("def _own(answer): return answer.text('a')\ntry: pass\nexcept ValueError: pass") == ()
