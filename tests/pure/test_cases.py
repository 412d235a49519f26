"""Subjects, entries and cases are read strictly, and the short cases beside a rule are filled in."""

import json
import math
from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from assay_core.instants import NotAnInstant
from tests.pure.rules_for_tests._world import (
    BEGAN,
    FOLDER,
    JOB_ENTRY,
    LOG_ENTRY,
    RETRY_FINISHED,
    SHAPES,
    SUBJECT,
    case_of,
    submitted,
)
from verdicts.case import Case, CaseUnreadable, Entry, Finding, IdentifierMissing, Subject
from verdicts.cases import read_cases, too_few

CASE = case_of(
    [JOB_ENTRY, LOG_ENTRY],
    submission=submitted(("job_completed", 11)),
    added=(Finding("no_recurrence", 12, "", "rule"),),
    refutations=(Finding("x", 1, "", "person"),),
)
WHOLE = [SUBJECT, JOB_ENTRY, LOG_ENTRY, CASE, CASE.submission.findings[0], CASE.submission]


@pytest.mark.parametrize("value", WHOLE, ids=lambda value: type(value).__name__)
def test_a_value_is_written_and_read_back_the_same(value: Any) -> None:
    assert type(value).from_plain(json.loads(json.dumps(value.to_plain()))) == value


@pytest.mark.parametrize("value", WHOLE, ids=lambda value: type(value).__name__)
def test_no_field_may_be_missing_renamed_or_of_another_type(value: Any) -> None:
    plain = value.to_plain()
    for name, stood in plain.items():
        for spoiled in ({}, {f"{name}_renamed": stood}, {name: object()}):
            rest = {key: kept for key, kept in plain.items() if key != name}
            if name == "result" and name in spoiled:
                continue
            with pytest.raises(CaseUnreadable, match=name):
                type(value).from_plain({**rest, **spoiled})
    for stranger in (None, [], "text", [plain]):
        with pytest.raises(CaseUnreadable):
            type(value).from_plain(stranger)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"id": True}, "entry.id"),
        ({"id": "11"}, "entry.id"),
        ({"id": 11.0}, "entry.id"),
        ({"investigation": None}, "entry.investigation"),
        ({"status": "Observed"}, "entry.status"),
        ({"status": "ok"}, "entry.status"),
        ({"called_at": "2026-07-01T10:20:00"}, "entry.called_at"),
        ({"called_at": 1782900000}, "entry.called_at"),
        ({"arguments": [["job_id", "J-7"]]}, "entry.arguments"),
        ({"covered": "all"}, "entry.covered"),
    ],
)
def test_an_entry_is_read_strictly(change: dict[str, Any], path: str) -> None:
    with pytest.raises(CaseUnreadable) as raised:
        Entry.from_plain({**JOB_ENTRY.to_plain(), **change})
    assert raised.value.path == path


def test_a_findings_author_is_one_of_five() -> None:
    with pytest.raises(CaseUnreadable, match="'root' is not one of"):
        Finding.from_plain({"fact": "f", "entry": 1, "note": "", "author": "root"})


def test_a_label_is_text() -> None:
    with pytest.raises(
        CaseUnreadable, match=r"subject\.labels\.about: must be text, found a number"
    ) as raised:
        Subject.from_plain({**SUBJECT.to_plain(), "labels": {"about": 1}})
    assert raised.value.path == "subject.labels.about"


def test_naive_times_are_refused_where_they_are_made() -> None:
    naive = datetime(2026, 7, 1)
    with pytest.raises(NotAnInstant, match="started_at"):
        replace(SUBJECT, started_at=naive)
    with pytest.raises(NotAnInstant, match="called_at"):
        replace(JOB_ENTRY, called_at=naive)
    with pytest.raises(NotAnInstant, match="judged_at"):
        replace(CASE, judged_at=naive)


def test_a_listed_entry_is_a_pair_of_id_and_leaf() -> None:
    for pair in ([1], [1, "a", 2], ["1", "a"], [True, "a"], "1a", [1, None]):
        with pytest.raises(CaseUnreadable):
            Case.from_plain({**CASE.to_plain(), "entries": [pair]})


def test_a_subject_gives_its_identifiers_and_nothing_for_a_missing_one() -> None:
    assert SUBJECT["job_id"] == "J-7"
    for name in ("Job_id", "title", ""):
        with pytest.raises(IdentifierMissing, match="the incident carries no"):
            SUBJECT[name]


TEXT = (FOLDER / "retry_finished.cases.json").read_text()


def read(text: str) -> Any:
    return read_cases(text, RETRY_FINISHED.spec, SHAPES)


def spoiled(path: tuple[Any, ...], value: Any) -> str:
    cases = deepcopy(json.loads(TEXT))
    node = cases
    for step in path[:-1]:
        node = node[step]
    if value is ...:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return json.dumps(cases)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ((0, "name"), " ", "must say something"),
        ((0, "because"), ..., "lacks because"),
        ((0, "because"), "", "must say something"),
        ((0, "expect"), "passes", "'passes' is not one of pass, fail"),
        ((0, "expect"), True, "must be text"),
        ((0, "entires"), [], "has entires"),
        ((0, "judged_at"), "soon", "is not an ISO 8601 time"),
        ((0, "subject", "started_at"), ..., "lacks"),
        ((0, "subject", "labels"), {"a": 1}, "must be text"),
        ((0, "entries", 0, "tool"), ..., "lacks tool"),
        ((0, "entries", 0, "status"), "fine", "is not one of observed"),
        ((0, "entries", 0, "id"), 9, "numbered by their order"),
        ((0, "entries", 0, "truncated"), True, "has truncated"),
        ((0, "findings"), [{"fact": "f"}], "lacks entry"),
        ((1, "name"), "the retry finished and the log stayed clean", "two of them are named"),
        ((0, "entries"), {}, "must be a list"),
    ],
)
def test_a_case_that_is_not_in_its_form_is_refused_by_name(
    path: tuple[Any, ...], value: Any, words: str
) -> None:
    with pytest.raises(CaseUnreadable, match=words):
        read(spoiled(path, value))


@pytest.mark.parametrize("text", ["", "{}", "[1]", "null", '[{"name": 1, "name": 2}]', "[" * 100_000])
def test_text_that_holds_no_cases_is_refused(text: str) -> None:
    with pytest.raises(CaseUnreadable):
        read(text)


def test_what_goes_without_saying_is_filled_in() -> None:
    example = read(TEXT)[1]
    assert example.passes
    assert example.subject.kind == "alert"
    assert example.subject.received_at == BEGAN
    assert sorted(example.entries) == [1, 2, 3, 4]
    assert example.entries[1].arguments == {"job_id": "J-7"}
    assert example.entries[3].arguments == {
        "query": "UpstreamTimeout",
        "since": "2026-07-01T10:00:00.000000Z",
        "until": None,
    }
    assert example.case.entries == tuple((n, example.entries[n].leaf) for n in (1, 2, 3, 4))
    assert len({entry.leaf for entry in example.entries.values()}) == 4


def test_a_foreign_entry_is_given_and_not_listed() -> None:
    example = read(spoiled((0, "entries", 0, "investigation"), 2))[0]
    assert [number for number, _ in example.case.entries] == [2]
    assert 1 in example.entries


def test_two_cases_that_pass_and_two_that_fail_are_needed() -> None:
    examples = read(TEXT)
    assert too_few(examples) == ""
    assert too_few(examples[1:]) == "it has 1 cases that pass and 2 that fail, and needs two of each"
    assert too_few(examples[:3]) == "it has 2 cases that pass and 1 that fail, and needs two of each"


def test_not_a_number_in_a_result_is_kept_for_the_check_to_refuse() -> None:
    entry = Entry.from_plain({**JOB_ENTRY.to_plain(), "result": {"rate": math.nan}})
    assert math.isnan(entry.result["rate"])
