"""Trials that run by themselves: once for their day, skipped with a sentence, and alarms of one incident."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import redis
from django.db import IntegrityError, transaction
from django.utils import timezone

from incidents import folding, sending
from incidents.models import Delivery, Incident
from tests.db.drilled import answering, golden_file, reply, two_endpoints
from tests.db.evaluated import three
from tests.db.investigated import Scripted, world
from tests.db.modelled import speaking
from tests.scripted import Request, status
from tests.scripted.agents import asks_what_is_told
from tests.scripted.settings import endpoint_settings
from trials import tasks
from trials.evaluating import driving
from trials.models import Drill, Evaluation, ScheduledTrial, TrialAlarm
from trials.schedules import keeping, weekly
from trials.states import Schedule

pytestmark = pytest.mark.django_db
MakeUser = Callable[..., Any]
HOUR = 3
NIGHT = datetime(2026, 8, 2, HOUR, 5, tzinfo=UTC)  # a Sunday
NIGHTLY = {
    "hour": HOUR, "day": None, "set": "closed:", "endpoint": "default", "runs": 1, "cap": Decimal(1),
    "wrong": Decimal("0.99"), "false_passes": Decimal("0.01"),
}  # fmt: skip
WEEKLY = {
    "hour": HOUR, "day": 6, "golden": "", "endpoint": "default", "baseline": "promoted", "cap": Decimal(1),
    "wrong": Decimal("0.2"), "false_passes": Decimal("0.05"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def schedules(settings: Any) -> None:
    settings.NIGHTLY_TRIAL = NIGHTLY
    settings.WEEKLY_DRILL = {**WEEKLY, "hour": None}
    sending._resume_at = 0.0


@pytest.fixture
def sent(redis_url: str) -> Iterator[Callable[[], list[str]]]:
    """The tasks that wait for a worker with the models' key."""
    broker = redis.from_url(redis_url)

    def waiting() -> list[str]:
        return [json.loads(raw)["headers"]["task"] for raw in broker.lrange("investigate", 0, -1)]

    broker.delete("investigate")
    yield waiting
    broker.delete("investigate")
    broker.close()


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def begun(at: datetime = NIGHT) -> ScheduledTrial:
    keeping.look(at)
    return ScheduledTrial.objects.latest("pk")


def ended(at: datetime = NIGHT) -> ScheduledTrial:
    """Let a trial begin and go on to its end, as messages would have it."""
    trial = begun(at)
    for _ in range(50):
        if not keeping.go_on(trial.pk):
            break
    trial.refresh_from_db()
    return trial


def test_a_night_begins_once_however_often_beat_looks_and_not_before_its_hour(
    sent: Callable[[], list[str]],
) -> None:
    assert keeping.look(NIGHT - timedelta(hours=1)) == 0
    looks = [NIGHT + timedelta(minutes=minutes) for minutes in (0, 0, 1, 60 * 20)]
    assert [keeping.look(at) for at in looks[:3]] == [1, 0, 0]
    assert sent() == ["trials.tasks.go_on"]
    keeping.look(looks[3])  # nobody took it all day: the number is sent again, and no second night is begun
    assert sent() == ["trials.tasks.go_on"] * 2
    trial = ScheduledTrial.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        ScheduledTrial.objects.create(schedule="nightly", day=trial.day, created_at=NIGHT, moved_at=NIGHT)
    assert keeping.look(NIGHT + timedelta(days=1)) == 1
    trial.refresh_from_db()
    assert (trial.state, trial.note) == ("stopped", "It was not finished when the next one was due.")


def test_without_an_hour_nothing_runs_and_a_drill_only_on_its_day(settings: Any) -> None:
    settings.NIGHTLY_TRIAL = {**NIGHTLY, "hour": None}
    assert keeping.look(NIGHT) == 0
    settings.WEEKLY_DRILL = WEEKLY
    assert [keeping.look(NIGHT + timedelta(days=day)) for day in (1, 6, 7)] == [0, 0, 1]


def test_a_night_that_cannot_be_is_skipped_with_what_to_do(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    paid = {"price_in": Decimal(1), "price_out": Decimal(1)}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"set": ""}, "TRIAL_NIGHTLY_SET names no set"),
        ({"set": "closed:colour=red"}, "'colour=red' says nothing about closed incidents"),
        ({"endpoint": "night"}, "There is no model endpoint named 'night'"),
        ({"cap": Decimal(0)}, "TRIAL_NIGHTLY_CAP is 0"),
        ({}, "holds no case"),
    ]
    with speaking(settings, lambda _: status(503), tries=1, **paid) as server:
        for day, (given, words) in enumerate(cases):
            settings.NIGHTLY_TRIAL = {**NIGHTLY, **given}
            trial = ended(NIGHT + timedelta(days=day))
            assert (trial.state, trial.evaluation) == ("skipped", None)
            assert words in trial.note
        assert not server.requests
        three(make_user)
        trial = ended(NIGHT + timedelta(days=9))
    assert (trial.state, Evaluation.objects.count()) == ("skipped", 0)
    assert trial.note.startswith("The endpoint default gives no reply: ")
    assert not TrialAlarm.objects.exists()


def test_a_hosted_endpoint_without_prices_is_not_asked_as_its_cap_cannot_be_kept(settings: Any) -> None:
    free = {"price_in": Decimal(0), "price_out": Decimal(0)}
    place = {"base_url": "https://models.example/v1", "model": "m", "key": "k", **free}
    settings.MODEL_ENDPOINTS = endpoint_settings(default=place)
    trial = ended()
    assert trial.state == "skipped"
    assert "TRIAL_NIGHTLY_CAP cannot be kept" in trial.note


def test_a_night_makes_each_run_once_over_messages_that_come_twice_and_workers_that_die(
    settings: Any,
    connector: Scripted,
    make_user: MakeUser,
    monkeypatch: pytest.MonkeyPatch,
    sent: Callable[[], list[str]],
) -> None:
    three(make_user)
    with speaking(settings, asks_what_is_told) as server:
        trial = begun()
        assert keeping.go_on(trial.pk)
        tasks.go_on(trial.pk)
        assert sent()[-2:] == ["trials.tasks.go_on"] * 2  # one to begin it, one for the step after this
        with monkeypatch.context() as killed:
            killed.setattr(driving, "made", _killed)
            with pytest.raises(KeyboardInterrupt):
                keeping.go_on(trial.pk)
        ended_at = ended()
        asked = len(server.requests)
        assert not keeping.go_on(trial.pk)
        assert len(server.requests) == asked
    assert (ended_at.pk, ended_at.state) == (trial.pk, "done")
    assert ended_at.note == "3 runs of 3 cases: 2 of 3 verdicts as it really was, 1 false passes."
    evaluation = Evaluation.objects.get()
    assert evaluation.finished_at is not None
    assert evaluation.asked_by == "schedule:nightly"
    assert list(evaluation.all_runs.values_list("attempt", flat=True)) == [1, 1, 1]


def _killed(run: int) -> None:
    raise KeyboardInterrupt


def test_an_endpoint_that_goes_down_in_the_night_ends_it_and_counts_for_nothing(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    three(make_user)
    answers = iter([asks_what_is_told])

    def script(request: Request) -> Any:
        return next(answers)(request) if "ready" in request.last else status(503)

    with speaking(settings, script, tries=1):
        trial = ended()
    assert (trial.state, TrialAlarm.objects.count()) == ("skipped", 0)
    assert trial.note.startswith("The endpoint gave no reply 5 times this night. 0 of 3 runs are done.")


def test_a_night_stops_at_its_cap(settings: Any, connector: Scripted, make_user: MakeUser) -> None:
    three(make_user)
    settings.NIGHTLY_TRIAL = {**NIGHTLY, "cap": Decimal("0.000001")}
    with speaking(settings, asks_what_is_told, price_in=Decimal(1), price_out=Decimal(1)):
        trial = ended()
    assert trial.state == "skipped"
    assert "spending cap" in trial.note


def test_an_alarm_opens_one_incident_and_no_other_while_that_is_open(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    three(make_user)
    settings.NIGHTLY_TRIAL = {**NIGHTLY, "runs": 2}
    now, of_schedule = timezone.now(), Delivery.objects.filter(source__slug="schedule")
    now = now.replace(hour=23, minute=0)
    with speaking(settings, asks_what_is_told):
        assert ended(now).state == "done"
        alarm = TrialAlarm.objects.get()
        assert (alarm.key, alarm.hits, alarm.of) == ("trials:nightly:false_passes:default", 2, 6)
        folding.fold(of_schedule.get().pk, timezone.now())
        incident = Incident.objects.get(source__slug="schedule")
        assert incident.title == (
            "The nightly evaluation of default has more passes of what was real than its limit"
        )
        assert "2 of 6 since" in incident.annotations["description"]
        assert ended(now + timedelta(days=1)).state == "done"
        assert (TrialAlarm.objects.count(), of_schedule.count()) == (1, 1)
        # What was seen before it was closed does not open it again.
        closed_at = now + timedelta(days=1, seconds=1)
        Incident.objects.filter(pk=incident.pk).update(state="closed", closed_at=closed_at)
        ended(now + timedelta(days=2))
    assert (TrialAlarm.objects.count(), TrialAlarm.objects.latest("pk").of) == (2, 6)


def test_a_drill_a_week_is_compared_with_the_one_before_and_goes_on_where_it_paused(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEEKLY_DRILL = {
        **WEEKLY, "golden": str(golden_file(tmp_path, 6)), "wrong": Decimal("0.01"),
    }  # fmt: skip
    now = timezone.now().replace(hour=HOUR, minute=5)
    sunday = now + timedelta(days=(6 - now.weekday()) % 7)
    settings.NIGHTLY_TRIAL, settings.DRILLS_FOLDER = {**NIGHTLY, "hour": None}, str(tmp_path)
    said = {1: reply("bug")}
    with two_endpoints(settings, answering_ready(said), answering({})) as (server, _):
        monkeypatch.setattr(weekly, "_STEP_SECONDS", 0.0)
        first = ended(sunday)
        assert len(server.requests) == 1 + 6
        said[2] = reply("spam")
        second = ended(sunday + timedelta(days=7))
    assert (first.state, second.state) == ("done", "done")
    assert "is the first run of these rows" in first.note
    assert "1 rows differ and are to be read." in second.note
    assert "No candidate was promoted yet" in second.note
    drill = Drill.objects.get()
    assert (drill.baseline, drill.candidate) == (first.run, second.run)
    assert second.drill == drill
    # Its alarm has no figure while the rows that differ are unread.
    alarm = TrialAlarm.objects.get()
    assert (alarm.key, alarm.hits, alarm.of) == ("trials:weekly:wrong:default", 3, 12)
    told = json.loads(bytes(Delivery.objects.get(source__slug="schedule").body))["alarm"]["description"]
    assert told.startswith(f"DRILL_WEEKLY_WRONG allows 0.01. Read drill {drill.pk} first.")
    assert "3 of 12" not in told


def test_a_drill_that_cannot_be_is_skipped_and_one_at_its_cap_stops(settings: Any, tmp_path: Path) -> None:
    golden = str(golden_file(tmp_path, 6))
    settings.NIGHTLY_TRIAL, settings.DRILLS_FOLDER = {**NIGHTLY, "hour": None}, str(tmp_path)
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"golden": ""}, "skipped", "DRILL_WEEKLY_GOLDEN names no golden set"),
        ({"golden": "nosuch"}, "skipped", "'nosuch' is neither a file nor a stored golden set"),
        ({"cap": Decimal(0)}, "skipped", "DRILL_WEEKLY_CAP is 0"),
        ({"cap": Decimal("0.000001")}, "stopped", "DRILL_WEEKLY_CAP was reached: the next exchange"),
        ({"endpoint": "candidate"}, "skipped", "The endpoint candidate gives no reply"),
    ]
    with two_endpoints(settings, answering_ready({}), lambda _: status(503)):
        for week, (given, state, words) in enumerate(cases):
            settings.WEEKLY_DRILL = {**WEEKLY, "golden": golden, **given}
            trial = ended(NIGHT + timedelta(days=7 * week))
            assert trial.state == state
            assert words in trial.note


def answering_ready(given: dict[int, Any]) -> Callable[[Request], Any]:
    """Return a script that also answers whoever asks whether it is there."""
    whole = answering(given)
    return lambda request: reply("bug") if "ready" in request.last else whole(request)


def test_each_schedule_has_its_settings() -> None:
    assert {each: keeping.given(each)["hour"] for each in Schedule} == {
        Schedule.NIGHTLY: HOUR,
        Schedule.WEEKLY: None,
    }
