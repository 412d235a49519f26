"""Masking: what is found, that equal values stay equal, and that no verdict changes unseen."""

import os
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from assay_core.arguments import ToolShape
from assay_core.results import Status
from tests.pure.replayed import loaded, rulebook
from verdicts.case import Case, Entry, Finding, Subject, Submission
from verdicts.fact import Fact
from verdicts.frozen import Frozen
from verdicts.masking.frozen_case import mask
from verdicts.masking.masker import Masker, MaskingRefused, Senses
from verdicts.outcomes import Verdict
from verdicts.plain import instant
from verdicts.rule import Rule, spec_of
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

FULL = os.environ.get("FULL") == "1"
START = instant("2026-07-01T10:00:00Z", "start")
SHAPE = ToolShape("find_account", "0" * 64, normalise={"email": ("strip", "lower")})


def book(holds: Any) -> Rulebook:
    class AccountIsTheirs(Rule):
        """The account is theirs."""

        version = 1
        kinds = {"claim"}
        account = Fact(tool="find_account", ask=lambda s: {"email": s["email"]}, holds=holds)

    spec = spec_of(AccountIsTheirs)
    return Rulebook(rules={spec.name: spec}, shapes={SHAPE.name: SHAPE})


def frozen(result: Any, **identifiers: str) -> Frozen:
    subject = Subject(
        incident=7,
        kind="claim",
        source="form",
        title="Where is it? Anna Miller",
        severity="normal",
        started_at=START,
        received_at=START,
        identifiers={"email": " Anna.Miller@Example.com", "order_id": "ORD-1042", **identifiers},
        labels={},
        annotations={"text": "I am Anna Miller and live in 12 Mill Lane."},
    )
    at = START + timedelta(minutes=5)
    entry = Entry(
        id=1, leaf="a" * 64, investigation=3, tool="find_account",
        arguments={"email": "anna.miller@example.com"}, status=Status.OBSERVED, result=result, reason="",
        called_at=at, finished_at=at, asked_by="person:anna.smith",
    )  # fmt: skip
    finding = Finding("account", 1, "belongs to anna.miller@example.com", "model")
    case = Case(
        3, Submission("account_is_theirs", (finding,), "Dear Anna Miller"), (), (), at, ((1, "a" * 64),)
    )
    return Frozen(subject, case, {1: entry})


def judge_by(rules: Rulebook) -> Any:
    def judge(each: Frozen) -> Verdict:
        return verdict(each.case, each.subject, each.entries, rules)

    return judge


THEIRS = book(lambda answer, subject: answer.text("account.email") == subject["email"].strip().lower())


def test_a_check_of_the_value_itself_is_refused_with_its_field() -> None:
    rules = book(lambda answer, subject: answer.text("account.city") == "Bern")
    case = frozen({"account": {"city": "Bern", "email": "x@y.example"}})
    with pytest.raises(MaskingRefused, match=r"entry 1: result\.account\.city: the verdict becomes another"):
        mask(case, Senses(), judge_by(rules))
    kept = mask(case, Senses(spared=frozenset({"Bern"})), judge_by(rules))
    assert kept.frozen.entries[1].result["account"] == {"city": "Bern", "email": "[email-2]"}


def test_values_that_only_together_change_the_verdict_are_refused_too() -> None:
    rules = book(lambda answer, _: "@" in answer.text("a") or "@" in answer.text("b"))
    case = frozen({"a": "x@y.example", "b": "z@y.example"})
    with pytest.raises(MaskingRefused, match="masked together"):
        mask(case, Senses(), judge_by(rules))


def test_a_fail_that_masking_would_turn_into_a_pass_is_refused() -> None:
    rules = book(lambda answer, _: "@" not in answer.text("mail"))
    with pytest.raises(MaskingRefused, match=r"result\.mail"):
        mask(frozen({"mail": "x@y.example"}), Senses(), judge_by(rules))


def test_one_value_has_one_placeholder_through_a_tools_normalisation() -> None:
    case = frozen({"account": {"email": "anna.miller@example.com", "full_name": "Anna Miller", "id": 4711}})
    before = judge_by(THEIRS)(case)
    made = mask(case, Senses(), judge_by(THEIRS))
    after = judge_by(THEIRS)(made.frozen)
    assert before.passed
    assert after.passed
    assert made.frozen.subject.identifiers == {"email": " [email-1]", "order_id": "ORD-1042"}
    assert made.frozen.entries[1].arguments == {"email": "[email-1]"}
    assert made.frozen.entries[1].result["account"]["id"] == 4711


def test_nothing_of_the_person_is_left_anywhere() -> None:
    case = frozen({"account": {"email": "anna.miller@example.com", "full_name": "Anna Miller", "iban": "x"}})
    made = mask(case, Senses(), judge_by(THEIRS)).frozen.text().lower()
    for word in ("anna", "miller", "mill lane", "smith"):
        assert word not in made


def test_ids_leaves_times_and_tools_stay() -> None:
    case = frozen({"account": {"email": "anna.miller@example.com"}})
    made = mask(case, Senses(), judge_by(THEIRS)).frozen
    assert made.case.entries == case.case.entries
    assert made.entries[1].called_at == case.entries[1].called_at
    assert (made.subject.incident, made.case.investigation) == (7, 3)
    assert not made.lacks


def test_masking_twice_changes_nothing_more() -> None:
    once = mask(frozen({"account": {"email": "anna.miller@example.com"}}), Senses(), judge_by(THEIRS)).frozen
    assert mask(once, Senses(), judge_by(THEIRS)).frozen == once


def test_free_words_may_be_kept_but_for_what_is_known() -> None:
    case = frozen({"account": {"email": "anna.miller@example.com", "full_name": "Anna Miller"}})
    made = mask(case, Senses(), judge_by(THEIRS), keep_words=True).frozen
    assert made.subject.annotations["text"] == "I am [name-1] and live in 12 Mill Lane."
    assert made.case.submission.draft == "Dear [name-1]"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("write to a.b+c@mail.example.org, please", "write to [email-1], please"),
        ("from 10.0.3.17:9100 to 10.0.3.17", "from [ip-1]:9100 to [ip-1]"),
        ("by 2001:db8::8a2e:370:7334 at 12:00:00", "by [ip-1] at 12:00:00"),
        ("call +49 151 2345 6789 now", "call [phone-1] now"),
        ("paid by 4111 1111 1111 1111.", "paid by [card-1]."),
        ("to DE89 3704 0044 0532 0130 00", "to [IBAN-1]"),
        ("version 1.2.3 of 2026-07-01T12:00:00.000000Z", "version 1.2.3 of 2026-07-01T12:00:00.000000Z"),
        ("trace 4bf92f3577b34da6a3ce929d0e0e4736", "trace 4bf92f3577b34da6a3ce929d0e0e4736"),
        ("serial DE00 3704 0044 0532 0130 00", "serial DE00 3704 0044 0532 0130 00"),
        ("ORD-1042, C-2001, job-48213", "ORD-1042, C-2001, job-48213"),
        ("[email-1]", "[email-1]"),
        ("  ", "  "),
    ],
)
def test_what_patterns_find_in_a_text(text: str, made: str) -> None:
    assert Masker(Senses()).text(text, "x") == made


@pytest.mark.parametrize(
    ("value", "made"),
    [
        ({"lastName": "Li", "name": "checkout"}, {"lastName": "[name-1]", "name": "checkout"}),
        ({"emails": [{"state": "sent"}], "count": 2}, {"emails": [{"state": "sent"}], "count": 2}),
        ({"phone": 4915123456789, "mobile": None}, {"phone": 1, "mobile": None}),
        ({"order_id": "4111111111111111"}, {"order_id": "4111111111111111"}),
        ({"token": {"id": "t", "n": 5}, "ok": True}, {"token": {"id": "[secret-1]", "n": 1}, "ok": True}),
        ({"a@b.example": 1}, {"[email-1]": 1}),
        ({"plate": "Ab 12", "seen": "Ab 12"}, {"plate": "[field-1]", "seen": "[field-1]"}),
    ],
)
def test_what_a_fields_name_tells(value: Any, made: Any) -> None:
    masker = Masker(Senses(names_secret=lambda name: name == "token", fields=frozenset({"plate"})))
    masker.learn(value)
    assert masker.masked(value, "x") == made


def test_capitals_share_a_placeholder_and_keep_their_case() -> None:
    masker = Masker(Senses())
    assert masker.masked(["a@b.example", "A@B.EXAMPLE", "c@b.example"], "x") == [
        "[email-1]",
        "[EMAIL-1]",
        "[email-2]",
    ]


def test_every_case_of_a_shipped_rule_keeps_its_verdict() -> None:
    """Every case in the full run, else one of each rule that passes, and every fifth."""
    judge = judge_by(rulebook())
    for name in rulebook().rules:
        cases = loaded(name)[1]
        passing = [each for each in cases if each.passes]
        for each in cases if FULL else (*passing[:1], *cases[2::5]):
            case = Frozen(each.subject, each.case, each.entries)
            made = mask(case, Senses(), judge).frozen
            assert judge(made).passed is each.passes, each.name
            assert mask(made, Senses(), judge).frozen == made
    assert replace(made) == made
