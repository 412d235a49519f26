"""GitHub's events about issues, read."""

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import pytest

from incidents.adapters import github
from incidents.adapters.reading import Reading
from incidents.states import Condition, Event
from tests.db.issues import REPOSITORY, an_issue, event

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def read(whole: Any, kind: str = "issues") -> Reading:
    body = whole if isinstance(whole, bytes) else json.dumps(whole).encode()
    return github.read(body, NOW, {"x-github-event": kind})


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"null", b"{", b'{"action": NaN}', b'{"a":1,"a":2}', b"\xff", b"[" * 40_000, b"payload=%FF"],
)
def test_what_is_no_object_is_unreadable(body: bytes) -> None:
    reading = read(body)
    assert (reading.condition, reading.signals) == (Condition.UNREADABLE, ())
    assert reading.notes


@pytest.mark.parametrize(
    ("whole", "says"),
    [
        ({}, "no action"),
        (event(action=""), "no action"),
        ({"action": "opened"}, "no issue"),
        (event(issue="7"), "no issue"),
        (event(repository=None), "no repository"),
        (event(repository={"full_name": "nothing"}), "no repository"),
        (event(issue=an_issue() | {"number": "7"}), "no number"),
        (event(issue=an_issue() | {"number": True}), "no number"),
        (event(issue=an_issue() | {"number": -1}), "no number"),
    ],
)
def test_an_event_that_lacks_what_names_the_issue_says_so_and_opens_nothing(whole: Any, says: str) -> None:
    reading = read(whole)
    assert (reading.condition, reading.signals) == (Condition.PARTIAL, ())
    assert says in reading.notes[0]


@pytest.mark.parametrize("kind", ["issue_comment", "pull_request", "push", "sub_issues", "x" * 99])
def test_another_event_is_parked_with_a_sentence(kind: str) -> None:
    reading = read(event(), kind)
    assert reading.is_parked
    assert "not about an issue itself" in reading.notes[0]
    assert not reading.signals


def test_without_its_header_a_comment_ends_no_issue() -> None:
    reading = read({**event("deleted"), "comment": {"id": 1, "body": "x"}}, "")
    assert (reading.is_parked, reading.signals) == (True, ())
    assert read(event("deleted"), "").signals[0].event is Event.RESOLVED


def test_an_issue_whose_server_says_that_it_is_no_pull_request_is_an_issue() -> None:
    assert read(event(issue=an_issue(pull_request=None))) == read(event())


def test_a_pull_request_is_parked() -> None:
    reading = read(event(issue=an_issue(pull_request={"url": "…"})))
    assert reading.is_parked
    assert "pull request" in reading.notes[0]


def test_a_ping_is_answered_and_says_what_the_webhook_lacks() -> None:
    ping = {"zen": "…", "hook": {"events": ["push"]}, "repository": {"full_name": REPOSITORY}}
    reading = read(ping, "ping")
    assert not reading.is_parked
    assert REPOSITORY in reading.notes[0]
    assert "Issues" in reading.notes[1]
    assert len(read(ping | {"hook": {"events": ["*"]}}, "ping").notes) == 1


def test_an_opened_issue_is_read_whole() -> None:
    labels = [{"name": "bug"}, {"name": " "}, "odd", {"name": None}]
    (signal,) = read(event(issue=an_issue(labels=labels))).signals
    assert (signal.event, signal.kind, signal.sender_key) == (Event.FIRING, "issue", "octo-org/shop#7")
    assert signal.title == "The parcel page is empty"
    assert signal.labels == {"repository": REPOSITORY, "number": "7", "author": "octocat"}
    assert signal.identifiers == {"repository": REPOSITORY, "issue_number": "7"}
    assert signal.annotations["template labels"] == "bug"
    assert signal.annotations["body"] == signal.text == "Open a parcel. The page stays white."
    assert signal.starts_at == datetime(2026, 3, 1, 11, tzinfo=UTC)
    assert signal.link == f"https://github.com/{REPOSITORY}/issues/7"


def test_a_form_with_the_payload_in_one_field_is_read_like_json() -> None:
    assert read(urlencode({"payload": json.dumps(event())}).encode()) == read(event())


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("opened", Event.FIRING), ("reopened", Event.FIRING), ("closed", Event.RESOLVED),
        ("deleted", Event.RESOLVED), ("edited", Event.COMMENT), ("labeled", Event.COMMENT),
        ("unlabeled", Event.COMMENT), ("assigned", Event.COMMENT), ("milestoned", Event.COMMENT),
        ("pinned", Event.COMMENT), ("a word of next year", Event.COMMENT),
    ],
)  # fmt: skip
def test_only_opening_opens_and_only_closing_ends(action: str, expected: Event) -> None:
    issue = an_issue(closed_at="2026-03-01T11:30:00Z")
    (signal,) = read(event(action, issue)).signals
    assert signal.event is expected
    assert "template labels" not in signal.annotations


def test_an_issue_that_is_opened_again_begins_again_then() -> None:
    (signal,) = read(event("reopened", an_issue(updated_at="2026-03-01T11:59:00Z"))).signals
    assert signal.starts_at == datetime(2026, 3, 1, 11, 59, tzinfo=UTC)


def test_both_events_of_a_transfer_name_the_new_key_and_the_old_one() -> None:
    there = {"new_issue": an_issue(3), "new_repository": {"full_name": "octo-org/docs"}}
    (left,) = read(event("transferred", changes=there)).signals
    before = {"old_issue": an_issue(), "old_repository": {"full_name": REPOSITORY}}
    came = event("opened", an_issue(3), changes=before, repository={"full_name": "octo-org/docs"})
    (arrived,) = read(came).signals
    assert left.event is Event.COMMENT
    assert arrived.event is Event.FIRING
    for signal in (left, arrived):
        assert (signal.sender_key, signal.moved_from) == ("octo-org/docs#3", "octo-org/shop#7")
        assert signal.annotations["transferred from"] == "octo-org/shop#7"


@pytest.mark.parametrize("changes", [None, [], {}, {"new_issue": None}, {"new_issue": {"number": 3}}])
def test_a_transfer_that_does_not_say_where_to_is_partial_and_stays_where_it_was(changes: Any) -> None:
    reading = read(event("transferred", changes=changes))
    assert reading.condition is Condition.PARTIAL
    assert (reading.signals[0].sender_key, reading.signals[0].moved_from) == ("octo-org/shop#7", "")


def test_an_empty_body_is_null_and_odd_characters_are_replaced() -> None:
    odd = an_issue(body=None, title="a\0\ud83d\nb", user={"login": "x\0"}, html_url="javascript:alert(1)")
    reading = read(event(issue=odd))
    (signal,) = reading.signals
    assert (signal.title, signal.text, signal.link) == ("a\ufffd\ufffd b", "", "")
    assert signal.labels["author"] == "x\ufffd"
    assert any("replaced" in note for note in reading.notes)


def test_a_body_of_a_megabyte_is_cut_with_a_note() -> None:
    reading = read(event(issue=an_issue(body="é" * 1_000_000, title="t" * 5_000)))
    (signal,) = reading.signals
    assert len(signal.text) == len(signal.annotations["body"]) == github.BODY_MAX
    assert len(signal.title) == 300
    assert any("cut from 1000000" in note for note in reading.notes)
