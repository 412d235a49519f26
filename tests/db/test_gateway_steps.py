"""The steps before a question: each refusal beats every later one, and a deny beats whatever would allow."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
import redis
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from assay_core.results import Status
from audit import reading
from tests.db.faulty_questions import FAULTS, TOKEN, bound_world, good
from tests.db.investigated import Scripted
from toolbox import gateway, steps, toolrules
from toolbox.called import Called
from toolbox.connectors.base import Outcome
from toolbox.models import Ask, Call, ToolRule
from toolbox.patterns import Pattern
from toolbox.scope import Budget, CallScope
from toolbox.toolrules import ToolRuleRefused, Wanted

pytestmark = pytest.mark.django_db
MakeUser = Callable[..., User]


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return bound_world(monkeypatch)


@pytest.fixture
def boss(make_user: MakeUser) -> User:
    return make_user("boss", role=Role.ADMINISTRATOR)


def test_every_step_has_a_fault_here_in_the_order_of_the_steps() -> None:
    assert tuple(FAULTS) == steps.ORDER


def test_a_question_without_a_fault_may_be_put(connector: Scripted) -> None:
    assert steps.passage(good()).stopped_by == ""


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_refused_by_its_own_step(connector: Scripted, settings: Any, name: str) -> None:
    settings.TOOL_ASK_SECONDS = 0
    passage = steps.passage(FAULTS[name](good()))
    assert passage.stopped_by == name
    assert passage.reason


@pytest.mark.parametrize(("first", "second"), list(combinations(FAULTS, 2)))
def test_a_refusal_beats_every_later_one(connector: Scripted, settings: Any, first: str, second: str) -> None:
    settings.TOOL_ASK_SECONDS = 0
    assert steps.passage(FAULTS[second](FAULTS[first](good()))).stopped_by == first


def test_with_everything_wrong_at_once_the_first_step_speaks(connector: Scripted, settings: Any) -> None:
    settings.TOOL_ASK_SECONDS = 0
    left = list(FAULTS)
    while left:
        question = good()
        for name in left:
            question = FAULTS[name](question)
        assert steps.passage(question).stopped_by == left[0]
        left = left[1:]


# --- Deny -------------------------------------------------------------------------------------


def test_a_deny_beats_the_allow_list_the_token_a_yes_and_code_itself(connector: Scripted, boss: User) -> None:
    deny(boss, tool="count_*")
    arguments = {"query": "x", "since": "y"}
    for scope in (
        TOKEN,
        replace(TOKEN, allow=frozenset({"count_errors"})),
        CallScope(caller="playbook", investigation=7, is_derived=True),
        CallScope(caller="person:boss", budget=Budget(5)),
    ):
        called = gateway.call("count_errors", arguments, scope)
        assert called.status is Status.REFUSED
        assert called.reason == "tool rule {}: secret project".format(
            f"{ToolRule.objects.get().pk} denies it"
        )
    assert connector.asked == []


@pytest.mark.parametrize("asked", ["job-9", " job-9", "JOB-9", "Job-9\t", "ｊｏｂ-9"])
def test_a_denied_argument_is_denied_however_it_is_spelled(
    connector: Scripted, boss: User, asked: str
) -> None:
    deny(boss, tool="*", arguments={"job_id": "job-9"})
    called = gateway.call("find_job", {"job_id": asked}, replace(TOKEN, subject={"job_id": asked}))
    assert "denies it" in called.reason
    other = gateway.call("find_job", {"job_id": "job-91"}, replace(TOKEN, subject={"job_id": "job-91"}))
    assert other.status is Status.OBSERVED


@pytest.mark.parametrize(
    ("pattern", "is_meant"),
    [
        (Pattern("find_job"), True),
        (Pattern("FIND_*"), True),
        (Pattern("find"), False),
        (Pattern("*", "token:*"), True),
        (Pattern("*", "model*"), False),
        (Pattern("*", "*", {"job_id": "*"}), True),
        (Pattern("*", "*", {"*": "deep"}), True),
        (Pattern("*", "*", {"more": "3"}), True),
        (Pattern("*", "*", {"job_id": "job-*", "more": "nothing"}), False),
        (Pattern("*", "*", {"absent": "*"}), False),
        (Pattern("*", "*", {"job_id": "job"}), False),
    ],
)
def test_a_pattern_means_what_it_says(pattern: Pattern, is_meant: bool) -> None:
    arguments = {"job_id": "job-9", "more": {"in": ["deep", 3]}}
    assert pattern.matches("find_job", "token:agent", arguments) is is_meant


def test_a_deny_holds_from_the_next_call_on_and_ends_with_the_next(connector: Scripted, boss: User) -> None:
    arguments = {"query": "x", "since": "y"}
    assert gateway.call("count_errors", arguments, TOKEN).status is Status.OBSERVED
    rule = deny(boss, tool="count_errors", caller="token:agent")
    assert gateway.call("count_errors", arguments, TOKEN).status is Status.REFUSED
    assert gateway.call("count_errors", arguments, CallScope(caller="token:other")).status is Status.OBSERVED
    toolrules.end(rule.pk, by=boss, because="over", now=timezone.now())
    assert gateway.call("count_errors", arguments, TOKEN).status is Status.OBSERVED


# --- Pause ------------------------------------------------------------------------------------


def test_a_paused_tool_refuses_everybody_until_it_is_resumed(connector: Scripted, boss: User) -> None:
    arguments = {"query": "x", "since": "y"}
    make(boss, "pause", "count_errors")
    with pytest.raises(ToolRuleRefused, match="paused already"):
        make(boss, "pause", "count_errors")
    for scope in (TOKEN, CallScope(caller="rule", investigation=7, is_derived=True)):
        assert "is paused" in gateway.call("count_errors", arguments, scope).reason
    toolrules.resume("count_errors", by=boss, because="repaired", now=timezone.now())
    assert gateway.call("count_errors", arguments, TOKEN).status is Status.OBSERVED
    make(boss, "pause", "count_errors")


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (Wanted("allow", "x", "y"), "use one of deny, pause, ask"),
        (Wanted("deny", "", "y"), "tool: write 1 to 100"),
        (Wanted("deny", "x", " "), "because: write 1 to 300"),
        (Wanted("deny", "x", "y", caller="z" * 201), "caller: write 1 to 200"),
        (Wanted("deny", "x\ny", "y"), "on one line"),
        (Wanted("pause", "x*", "y"), "one tool and everybody"),
        (Wanted("pause", "x", "y", caller="z"), "one tool and everybody"),
        (Wanted("deny", "x", "y", arguments={"a": ""}), "texts of 1 to 200"),
        (Wanted("deny", "x", "y", arguments={str(n): "a" for n in range(21)}), "At most 20"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_not_made(boss: User, wanted: Wanted, words: str) -> None:
    with pytest.raises(ToolRuleRefused, match=words):
        toolrules.make(wanted, by=boss, now=timezone.now())
    assert not ToolRule.objects.exists()


@pytest.mark.parametrize("role", [role for role in Role if role != Role.ADMINISTRATOR])
def test_only_administrators_make_and_end_rules(boss: User, make_user: MakeUser, role: Role) -> None:
    other = make_user("other", role=role)
    with pytest.raises(ToolRuleRefused, match="other may not"):
        make(other, "deny", "find_job")
    rule = make(boss, "deny", "find_job")
    with pytest.raises(ToolRuleRefused, match="other may not"):
        toolrules.end(rule.pk, by=other, because="no", now=timezone.now())
    boss.is_active = False
    with pytest.raises(ToolRuleRefused, match="boss may not"):
        make(boss, "deny", "find_job")


def test_a_rule_is_ended_once_with_its_reason_and_both_are_on_record(boss: User) -> None:
    rule = make(boss, "deny", "find_job")
    with pytest.raises(ToolRuleRefused, match="Say why"):
        toolrules.end(rule.pk, by=boss, because=" ", now=timezone.now())
    toolrules.end(rule.pk, by=boss, because="over", now=timezone.now())
    with pytest.raises(ToolRuleRefused, match="ended already"):
        toolrules.end(rule.pk, by=boss, because="over", now=timezone.now())
    with pytest.raises(ToolRuleRefused, match="no tool rule"):
        toolrules.end(rule.pk + 1, by=boss, because="over", now=timezone.now())
    assert entries_of("toolrule.made") == ["person:boss"]
    assert entries_of("toolrule.ended") == ["person:boss"]


# --- Subject ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        (None, "asked about the subject of an investigation"),
        ({}, "the subject does not have"),
        ({"job_id": "job-8"}, "job_id must be the subject's job_id"),
        ({"job_id": ""}, "job_id must be the subject's job_id"),
    ],
)
def test_a_tool_that_holds_to_the_subject_answers_about_nobody_else(
    connector: Scripted, subject: dict[str, str] | None, words: str
) -> None:
    called = gateway.call("find_job", {"job_id": "job-7"}, replace(TOKEN, subject=subject))
    assert (called.status, words in called.reason) == (Status.REFUSED, True)
    assert "job-8" not in called.reason
    assert connector.asked == []


def test_the_subjects_own_question_passes_in_any_spelling_of_its_one_form(connector: Scripted) -> None:
    called = gateway.call("find_job", {"job_id": " Job-7 "}, replace(TOKEN, subject={"job_id": "job-7"}))
    assert called.status is Status.OBSERVED


def test_what_a_rule_demands_is_not_held_to_the_subject_but_belongs_to_a_run(connector: Scripted) -> None:
    derived = CallScope(caller="rule", investigation=7, is_derived=True)
    assert gateway.call("find_job", {"job_id": "job-9"}, derived).status is Status.OBSERVED
    called = gateway.call("find_job", {"job_id": "job-9"}, replace(derived, investigation=None))
    assert "belongs to an investigation" in called.reason


# --- Entries ----------------------------------------------------------------------------------


def test_a_refused_call_is_an_entry_and_a_line_that_name_the_step(connector: Scripted, boss: User) -> None:
    deny(boss, tool="find_job")
    called = gateway.call("find_job", {"job_id": "job-7"}, TOKEN)
    stored = reading.entry(called.entry)
    assert stored is not None
    assert stored.payload is not None
    assert (stored.payload["stopped_by"], stored.payload["status"]) == ("deny", "refused")
    line = Call.objects.get(entry=called.entry)
    assert (line.tool, line.stopped_by, line.caller, line.leaf) == (
        "find_job",
        "deny",
        "token:agent",
        called.leaf,
    )


def test_a_call_is_returned_and_drafted_as_its_entry_is_read(connector: Scripted) -> None:
    places: Any = ("a", "b")
    connector.answers["count_errors"] = Outcome(
        Status.OBSERVED, {"match_count": 0}, covered={"places": places}
    )
    coming: list[Called] = []
    called = gateway.call("count_errors", {"query": "x", "since": "y"}, TOKEN, meanwhile=coming.append)
    stored = reading.entry(called.entry)
    assert stored is not None
    assert stored.payload is not None
    assert called == Called.from_payload(stored.id, stored.leaf, stored.payload)
    assert coming == [replace(called, entry=0, leaf="")]
    line = Call.objects.get(entry=called.entry)
    took = called.finished_at - called.called_at
    assert (line.status, line.connector) == ("observed", stored.payload["connector"])
    assert line.milliseconds == round(took.total_seconds() * 1000)


def test_refused_calls_count_for_their_caller_and_not_for_the_tool(
    connector: Scripted, settings: Any, redis_url: str
) -> None:
    with contextlib.closing(redis.from_url(redis_url)) as link:
        link.delete("assay:limit:tool:count_errors")
    settings.CALLER_CALLS_A_MINUTE, settings.TOOL_CALLS_A_MINUTE = 3, 1
    scope, other = CallScope(caller="token:counted"), CallScope(caller="token:counted-2")
    good_arguments = {"query": "x", "since": "y"}
    for _ in range(3):
        assert "required property" in gateway.call("count_errors", {}, scope).reason
    assert "asks too often (3 in a minute)" in gateway.call("count_errors", good_arguments, scope).reason
    assert gateway.call("count_errors", good_arguments, other).status is Status.OBSERVED
    assert "count_errors is asked too often" in gateway.call("count_errors", good_arguments, other).reason
    assert Ask.objects.count() == 0


def make(by: User, effect: str, tool: str, **parts: Any) -> ToolRule:
    return toolrules.make(Wanted(effect, tool, "secret project", **parts), by=by, now=timezone.now())


def deny(by: User, *, tool: str, **parts: Any) -> ToolRule:
    return make(by, "deny", tool, **parts)


def entries_of(kind: str) -> list[str]:
    from audit.models import Entry

    return list(Entry.objects.filter(kind=kind).values_list("actor", flat=True))
