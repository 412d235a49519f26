"""Who holds an investigation, and what ends a run that no longer does."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from audit import reading
from investigations import leases, services
from investigations.models import Case, Draft, Investigation, Verdict
from investigations.outcomes import Ending, Failure, Judgement, LeaseLost
from investigations.states import State
from tests.db.investigated import Scripted, ignore, never, queued, together, world


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def expire(pk: int) -> None:
    Investigation.objects.filter(pk=pk).update(lease_until=timezone.now() - timedelta(seconds=1))


@pytest.mark.django_db
def test_an_investigation_that_does_not_exist_is_not_claimed(tools: Scripted) -> None:
    assert services.run(404, on_judged=never, on_failed=never).ending is Ending.NOT_CLAIMED


@pytest.mark.django_db
@pytest.mark.parametrize("state", sorted(set(State) - {State.QUEUED, State.RUNNING}))
def test_only_a_queued_or_abandoned_investigation_can_be_claimed(state: State, tools: Scripted) -> None:
    row = queued()
    Investigation.objects.filter(pk=row.pk).update(
        state=state, lease_until=timezone.now() - timedelta(days=1), due_at=timezone.now()
    )
    assert leases.claim(row.pk) is None
    assert Investigation.objects.get(pk=row.pk).attempt == 0


@pytest.mark.django_db
def test_a_lease_that_lives_is_not_taken_over(tools: Scripted) -> None:
    row = queued()
    assert leases.claim(row.pk) is not None
    assert leases.claim(row.pk) is None


@pytest.mark.django_db
def test_a_lease_that_ran_out_is_taken_over_with_the_next_attempt(tools: Scripted) -> None:
    row = queued()
    first = leases.claim(row.pk)
    expire(row.pk)
    second = leases.claim(row.pk)
    assert first is not None
    assert second is not None
    assert (first.attempt, second.attempt) == (1, 2)
    with pytest.raises(LeaseLost):
        leases.renew(first)
    leases.renew(second)


@pytest.mark.django_db
def test_a_lost_lease_gives_nothing_back_and_puts_nothing_off(tools: Scripted) -> None:
    row = queued()
    first = leases.claim(row.pk)
    assert first is not None
    expire(row.pk)
    assert leases.claim(row.pk) is not None
    assert not leases.give_back(first, "an error")
    with pytest.raises(LeaseLost):
        leases.put_off(first, timezone.now(), "waits")
    assert Investigation.objects.get(pk=row.pk).state == State.RUNNING


@pytest.mark.django_db
def test_every_move_has_its_audit_entry(tools: Scripted) -> None:
    row = queued()
    services.run(row.pk, on_judged=ignore, on_failed=never)
    kinds = [entry.kind for entry in reading.of_investigation(row.pk)]
    assert kinds == [
        "investigation.queued",
        "investigation.claimed",
        "tool.called",
        "tool.called",
        "investigation.judged",
    ]


def test_two_workers_that_claim_at_once_are_one_run(committed_db: None, tools: Scripted) -> None:
    row = queued()
    judged: list[Judgement] = []

    def work() -> Ending:
        return services.run(row.pk, on_judged=judged.append, on_failed=never).ending

    endings = together(work, work, work, work)
    assert sorted(endings) == [Ending.JUDGED, *[Ending.NOT_CLAIMED] * 3]
    assert len(judged) == 1
    assert (Case.objects.count(), Verdict.objects.count(), Draft.objects.count()) == (1, 1, 1)


@pytest.mark.django_db
def test_a_lease_lost_in_the_middle_writes_no_verdict_and_stops_asking(tools: Scripted) -> None:
    row = queued()

    def steal(tool: str) -> None:
        expire(row.pk)
        leases.claim(row.pk)

    tools.before_answer = steal
    outcome = services.run(row.pk, on_judged=never, on_failed=never)
    assert outcome.ending is Ending.LEASE_LOST
    assert len(tools.asked) == 1
    assert not Case.objects.exists()
    assert Investigation.objects.get(pk=row.pk).attempt == 2


@pytest.mark.django_db
def test_a_lease_lost_after_the_last_answer_writes_no_verdict(tools: Scripted) -> None:
    row = queued()

    def steal(tool: str) -> None:
        if tool == "count_errors":
            expire(row.pk)
            leases.claim(row.pk)

    tools.before_answer = steal
    outcome = services.run(row.pk, on_judged=never, on_failed=never)
    assert outcome.ending is Ending.LEASE_LOST
    assert not Verdict.objects.exists()


@pytest.mark.django_db
def test_a_second_message_for_a_judged_investigation_does_nothing(tools: Scripted) -> None:
    row = queued()
    services.run(row.pk, on_judged=ignore, on_failed=never)
    asked = len(tools.asked)
    assert services.run(row.pk, on_judged=never, on_failed=never).ending is Ending.NOT_CLAIMED
    assert len(tools.asked) == asked


@pytest.mark.django_db
def test_after_too_many_attempts_the_incident_reaches_a_person(tools: Scripted, settings: Any) -> None:
    settings.INVESTIGATION_ATTEMPTS = 2
    row = queued()
    failed: list[Failure] = []
    for _ in range(2):
        assert leases.claim(row.pk) is not None
        expire(row.pk)
    outcome = services.run(row.pk, on_judged=never, on_failed=failed.append)
    assert outcome.ending is Ending.FAILED
    assert "2 attempts" in outcome.reason
    assert [failure.incident for failure in failed] == [1]
    assert Investigation.objects.get(pk=row.pk).state == State.FAILED
    assert services.run(row.pk, on_judged=never, on_failed=never).ending is Ending.NOT_CLAIMED


@pytest.mark.django_db
def test_the_last_try_is_not_given_up_while_its_worker_lives(tools: Scripted, settings: Any) -> None:
    settings.INVESTIGATION_ATTEMPTS = 1
    row = queued()
    assert leases.claim(row.pk) is not None
    assert services.run(row.pk, on_judged=never, on_failed=never).ending is Ending.NOT_CLAIMED


@pytest.mark.django_db
def test_a_failing_that_can_not_be_told_is_tried_again(tools: Scripted, settings: Any) -> None:
    settings.INVESTIGATION_ATTEMPTS = 1
    row = queued()
    assert leases.claim(row.pk) is not None
    expire(row.pk)

    def refuse(_: Failure) -> None:
        raise RuntimeError("the incident can't be moved")

    with pytest.raises(RuntimeError):
        services.run(row.pk, on_judged=never, on_failed=refuse)
    assert services.run(row.pk, on_judged=never, on_failed=ignore).ending is Ending.FAILED


@pytest.mark.django_db
def test_a_second_investigation_of_an_incident_is_the_open_one(tools: Scripted) -> None:
    first = queued()
    assert queued().pk == first.pk
    assert Investigation.objects.count() == 1


@pytest.mark.django_db
def test_a_judged_investigation_makes_room_for_another(tools: Scripted) -> None:
    first = queued()
    services.run(first.pk, on_judged=ignore, on_failed=never)
    assert queued().pk != first.pk


def test_an_incident_opened_from_two_sides_has_one_investigation(committed_db: None, tools: Scripted) -> None:
    def work() -> int:
        return queued().pk

    found = together(work, work, work, work)
    assert len(set(found)) == 1
    assert Investigation.objects.count() == 1
