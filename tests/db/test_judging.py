"""What a verdict leaves behind: a frozen case, the entry that binds it to evidence, further verdicts."""

import json
import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.utils import timezone

from assay_core.canonical import digest
from assay_core.results import Status
from audit import reading, verification
from investigations import queries, services
from investigations.evidence import Asker
from investigations.judging import Frozen
from investigations.models import Case, Draft, Investigation, Verdict
from investigations.outcomes import Judgement, NothingToAsk
from investigations.topping import top_up
from tests.db.investigated import Scripted, ignore, job, never, queued, subject, together, world
from toolbox import gateway, registry
from toolbox.connectors.base import Outcome
from toolbox.registry import Toolbox
from toolbox.scope import CallScope
from verdicts.verdict import verdict

DOWN = Outcome(Status.UNAVAILABLE, reason="the shop's database does not answer")


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def judge(row: Investigation) -> Judgement:
    outcome = services.run(row.pk, on_judged=ignore, on_failed=never)
    assert outcome.judgement is not None, outcome
    row.refresh_from_db()
    return outcome.judgement


@pytest.mark.django_db
def test_the_stored_case_has_the_digest_of_its_canonical_text_and_gives_the_same_verdict(
    tools: Scripted,
) -> None:
    from investigations import rulebook

    judge(queued())
    case = Case.objects.get()
    assert case.digest == digest(json.loads(case.body))
    frozen = Frozen.stored(case)
    again = verdict(frozen.case, frozen.subject, frozen.entries, rulebook.current_rulebook())
    assert again.to_plain() == json.loads(Verdict.objects.get().body)


@pytest.mark.django_db
def test_a_result_with_fractions_can_be_frozen(tools: Scripted) -> None:
    tools.answers["count_errors"] = Outcome(Status.OBSERVED, {"match_count": 0, "rate": 0.25})
    assert judge(queued()).passed


@pytest.mark.django_db
def test_the_verdicts_entry_names_each_entry_that_was_read_by_its_leaf(tools: Scripted) -> None:
    row = queued()
    judgement = judge(row)
    entries = reading.of_investigation(row.pk)
    (written,) = [entry for entry in entries if entry.kind == "investigation.judged"]
    called = [[entry.id, entry.leaf] for entry in entries if entry.kind == "tool.called"]
    assert written.payload is not None
    assert written.payload["entries"] == called
    assert written.payload["case_digest"] == Case.objects.get().digest
    assert written.payload["verdict"] == judgement.verdict
    assert written.payload["rulebook_digest"] == Verdict.objects.get().rulebook_digest
    assert written.actor == "playbook"


@pytest.mark.django_db
def test_verification_checks_what_the_cases_cite(tools: Scripted) -> None:
    from investigations.bindings import cited_entries

    judge(queued())
    assert "cases" in verification.registered()
    assert [where for _, _, where in cited_entries()] == [f"case {Case.objects.get().pk}"] * 2


@pytest.mark.django_db
def test_asking_a_judged_investigation_that_lacks_nothing_is_refused(tools: Scripted, make_user: Any) -> None:
    row = queued()
    judge(row)
    with pytest.raises(NothingToAsk):
        services.ask_and_judge(row.pk, fact=None, by=make_user(), on_judged=never)
    with pytest.raises(NothingToAsk):
        services.ask_and_judge(row.pk, fact="job_completed", by=make_user("bo"), on_judged=never)
    assert Verdict.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("fact", ["no_such_fact", ""])
def test_asking_a_fact_that_the_rule_does_not_know_is_refused(
    fact: str, tools: Scripted, make_user: Any
) -> None:
    tools.answers["find_job"] = DOWN
    row = queued()
    judge(row)
    with pytest.raises(NothingToAsk):
        services.ask_and_judge(row.pk, fact=fact, by=make_user(), on_judged=never)


@pytest.mark.django_db
def test_asking_is_refused_until_judged_and_when_there_is_no_rule(tools: Scripted, make_user: Any) -> None:
    row = queued(order_id="ORD-1")
    person = make_user()
    with pytest.raises(NothingToAsk, match="queued"):
        services.ask_and_judge(row.pk, fact=None, by=person, on_judged=never)
    judge(row)
    with pytest.raises(NothingToAsk, match="none_of_these"):
        services.ask_and_judge(row.pk, fact=None, by=person, on_judged=never)
    with pytest.raises(NothingToAsk):
        services.ask_and_judge(404, fact=None, by=person, on_judged=never)


@pytest.mark.django_db
def test_asking_on_an_investigation_that_has_a_newer_one_is_refused(tools: Scripted, make_user: Any) -> None:
    tools.answers["find_job"] = DOWN
    row = queued()
    judge(row)
    queued()
    with pytest.raises(NothingToAsk, match="newer"):
        services.ask_and_judge(row.pk, fact=None, by=make_user(), on_judged=never)


@pytest.mark.django_db
def test_what_was_missing_is_asked_in_the_persons_name_and_judged_again(
    tools: Scripted, make_user: Any
) -> None:
    tools.answers["find_job"] = DOWN
    row = queued()
    assert not judge(row).passed
    tools.answers["find_job"] = job("completed")
    again = services.ask_and_judge(row.pk, fact="job_completed", by=make_user("ada"), on_judged=ignore)
    assert again.passed
    assert [stored.passed for stored in Verdict.objects.all()] == [False, True]
    entries = json.loads(Case.objects.latest("pk").body)["entries"]
    assert [(entry["tool"], entry["asked_by"]) for entry in entries] == [
        ("find_job", "playbook"),
        ("count_errors", "playbook"),
        ("find_job", "person:ada"),
    ]
    told = queries.story(row)
    assert told.verdict is not None
    assert told.verdict.passed
    assert [line.passed for line in told.earlier] == [False]


@pytest.mark.django_db
def test_what_was_asked_too_long_ago_is_asked_again_with_what_was_missing(
    tools: Scripted, make_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What held yesterday and what is found today do not make one case."""
    tools.answers["count_errors"] = DOWN
    row = queued()
    assert not judge(row).passed
    tools.answers["count_errors"] = Outcome(Status.OBSERVED, {"match_count": 0})
    tomorrow = timezone.now() + timedelta(days=1)
    monkeypatch.setattr(timezone, "now", lambda: tomorrow)
    again = services.ask_and_judge(row.pk, fact=None, by=make_user(), on_judged=ignore)
    assert not again.passed
    assert [tool for tool, _ in tools.asked].count("find_job") == 2


@pytest.mark.django_db
@pytest.mark.parametrize(("declared", "asked"), [("as it was", 1), ("otherwise", 2)])
def test_what_was_asked_of_a_tool_that_is_declared_otherwise_by_now_is_asked_again(
    declared: str, asked: int, tools: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = queued()
    scope = CallScope(caller="rule", investigation=row.pk, incident=row.incident_id, is_derived=True)
    gateway.call("find_job", {"job_id": "job-7"}, scope)
    if declared == "otherwise":
        now = registry.current()
        changed = replace(now.definitions["find_job"], plain={"name": "find_job", "sql": "SELECT 2"})
        other = Toolbox({**now.definitions, "find_job": changed}, {"scripted": tools})
        monkeypatch.setattr(registry, "current", lambda: other)
    top_up(row, subject(), "job_finished_on_retry", Asker(scope, lease=None, limit=9))
    assert [tool for tool, _ in tools.asked].count("find_job") == asked


@pytest.mark.django_db
def test_asking_again_can_also_lower_a_verdict_and_keeps_every_answer(
    tools: Scripted, make_user: Any
) -> None:
    tools.answers["count_errors"] = DOWN
    row = queued()
    judge(row)
    tools.answers["count_errors"] = Outcome(Status.OBSERVED, {"match_count": 4})
    again = services.ask_and_judge(row.pk, fact=None, by=make_user(), on_judged=ignore)
    assert not again.passed
    assert "match_count is 4" in again.reason


@pytest.mark.django_db
def test_a_refused_second_verdict_leaves_the_first(tools: Scripted, make_user: Any) -> None:
    tools.answers["find_job"] = DOWN
    row = queued()
    judge(row)

    def refuse(_: Judgement) -> None:
        raise RuntimeError("closed meanwhile")

    with pytest.raises(RuntimeError):
        services.ask_and_judge(row.pk, fact=None, by=make_user(), on_judged=refuse)
    assert (Case.objects.count(), Verdict.objects.count(), Draft.objects.count()) == (1, 1, 1)


@pytest.mark.django_db
def test_an_answer_erased_since_still_speaks_in_the_next_verdict(
    tools: Scripted, make_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools.answers["find_job"] = job("lost")
    tools.answers["count_errors"] = DOWN
    row = queued()
    assert judge(row).deciding == "lost_again"
    lost = Case.objects.get()
    tools.answers["find_job"] = job("completed")
    tools.answers["count_errors"] = Outcome(Status.OBSERVED, {"match_count": 0})
    from investigations import asking
    from investigations.evidence import entries_of

    def without_the_first(number: int) -> Any:
        return dict(list(entries_of(number).items())[1:])

    monkeypatch.setattr(asking, "entries_of", without_the_first)
    again = services.ask_and_judge(row.pk, fact=None, by=make_user(), on_judged=ignore)
    assert again.deciding == "lost_again"
    entries = json.loads(Case.objects.latest("pk").body)["case"]["entries"]
    assert entries[:2] == json.loads(lost.body)["case"]["entries"]


def test_two_people_who_ask_at_once_leave_a_last_verdict_over_both_answers(
    committed_db: None, tools: Scripted, make_user: Any
) -> None:
    tools.answers["find_job"] = DOWN
    row = queued()
    judge(row)
    ada, bo = make_user("ada"), make_user("bo")
    tools.answers["find_job"] = job("completed")
    both_ask = threading.Barrier(2)
    tools.before_answer = lambda tool: both_ask.wait(10)
    results = together(
        *[
            lambda person=person: services.ask_and_judge(row.pk, fact=None, by=person, on_judged=ignore)
            for person in (ada, bo)
        ]
    )
    assert all(isinstance(each, Judgement) for each in results), results
    assert Verdict.objects.count() == 3
    last = json.loads(Case.objects.latest("pk").body)
    assert len(last["entries"]) == 4
    assert len(last["case"]["added"]) == 2


@pytest.mark.django_db
def test_the_story_of_an_investigation_not_yet_judged_is_short(tools: Scripted) -> None:
    told = queries.story(queued())
    assert (told.state, told.verdict, told.facts, told.draft) == ("queued", None, (), "")


@pytest.mark.django_db
def test_the_story_shows_each_fact_with_its_question_its_entry_and_the_checks_source(tools: Scripted) -> None:
    tools.answers["count_errors"] = Outcome(Status.TRUNCATED, {"match_count": 0}, reason="cut at 50 rows")
    row = queued()
    judge(row)
    told = queries.story(row)
    held, missing = told.facts
    assert (held.name, held.outcome, held.tool, held.demanded) == (
        "job_completed",
        "holds",
        "find_job",
        {"job_id": "job-7"},
    )
    assert held.source.startswith("tests/db/investigated.py:")
    assert (missing.outcome, missing.can_ask, held.can_ask) == ("unanswerable", True, False)
    assert "cut by a limit" in missing.reason
    assert [line.accepted for line in told.citations] == [True, False]
    assert [line.outcome for line in told.refutations] == ["silent"]
    cited = [piece for piece in told.segments if piece.entry is not None]
    assert {piece.entry for piece in cited} == {held.entry, missing.entry}
    assert all(piece.verified for piece in cited)
    assert "".join(piece.text for piece in told.segments) == told.draft


@pytest.mark.django_db
def test_a_case_that_was_changed_afterwards_is_neither_shown_nor_judged_again(
    tools: Scripted, make_user: Any
) -> None:
    tools.answers["find_job"] = job("failed")
    row = queued()
    judge(row)
    case = Case.objects.get()
    Case.objects.filter(pk=case.pk).update(body=case.body.replace('"failed"', '"completed"'))
    told = queries.story(row)
    assert told.verdict is None
    assert "does not have its digest" in told.reason
    with pytest.raises(NothingToAsk, match="digest"):
        services.ask_and_judge(row.pk, fact="job_completed", by=make_user(), on_judged=never)


@pytest.mark.django_db
def test_a_pass_that_was_written_over_a_fail_is_not_shown_as_one(tools: Scripted) -> None:
    tools.answers["find_job"] = job("failed")
    row = queued()
    judge(row)
    Verdict.objects.update(passed=True)
    told = queries.story(row)
    assert told.verdict is None
    assert "pass in one place" in told.reason


@pytest.mark.django_db
def test_an_entry_that_decides_no_fact_is_shown_beside(tools: Scripted, make_user: Any) -> None:
    tools.answers["find_job"] = DOWN
    row = queued()
    judge(row)
    tools.answers["find_job"] = job("completed")
    services.ask_and_judge(row.pk, fact=None, by=make_user(), on_judged=ignore)
    (beside,) = queries.story(row).other_entries
    assert (beside.tool, beside.status) == ("find_job", "unavailable")


def test_a_citation_of_an_entry_outside_the_case_is_not_verified() -> None:
    pieces = queries.segments("So it is [entry 5] and [entry 6].", {})
    assert [(piece.text, piece.entry, piece.verified) for piece in pieces] == [
        ("So it is ", None, False),
        ("[entry 5]", 5, False),
        (" and ", None, False),
        ("[entry 6]", 6, False),
        (".", None, False),
    ]


def test_an_answer_erased_before_any_case_held_it_lets_nothing_pass(
    committed_db: None, tools: Scripted, superuser_dsn: str
) -> None:
    row = queued()
    tools.answers["find_job"] = job("lost")
    scope = CallScope(caller="playbook", investigation=row.pk, incident=row.incident_id)
    bad = gateway.call("find_job", {"job_id": "job-1"}, scope)
    with psycopg.connect(superuser_dsn, autocommit=True) as link:
        link.execute("SET session_replication_role = replica")
        link.execute("ALTER TABLE audit_payload DISABLE TRIGGER ALL")
        link.execute("DELETE FROM audit_payload WHERE entry = %s", [bad.entry])
    tools.answers["find_job"] = job("completed")
    judgement = judge(row)
    assert not judgement.passed
    assert f"lacks entry {bad.entry}" in judgement.reason
