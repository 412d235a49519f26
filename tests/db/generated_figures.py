"""Incidents for the figures: written into the tables, and kept beside as plain values."""

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import connection

from accounts.models import Team, User
from audit import writing
from incidents.models import Incident, Resolution, Source
from investigations.models import Case, Draft, Investigation, Verdict

ZONES = tuple(ZoneInfo(name) for name in ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"))
RULES = ("job_finished_on_retry", "queue_drained", "refund_already_paid", "none_of_these")
BODIES = {
    "pass": [{"outcome": "holds"}],
    "missing": [{"outcome": "holds"}, {"outcome": "unanswerable"}],
    "contrary": [{"outcome": "fails"}, {"outcome": "unanswerable"}],
    "no_rule": [],
}


@dataclass
class Plain:
    """One incident as it was made up. Times are in the zones of whoever reported them."""

    number: int
    source: int
    team: int | None
    kind: str
    service: str
    is_drill: bool
    impact: datetime
    detected: datetime
    acknowledged: datetime | None = None
    run: tuple[datetime, datetime] | None = None  # its start, and its draft and verdict
    judged: str = "none"
    rule: str = ""
    mitigated: datetime | None = None
    closings: list[tuple[datetime, str, bool, bool]] = field(
        default_factory=list
    )  # at, outcome, by rule, against
    reopened: list[datetime] = field(default_factory=list)
    is_closed: bool = False
    before: int | None = None
    opened: datetime | None = None  # as it came in; nobody corrects that


def make_up(count: int, *, now: datetime, seed: int = 5) -> list[Plain]:
    """Make up incidents of ten weeks: over both changes of clocks, with reopenings, merges, drills, skews."""
    dice = random.Random(seed)
    team = Team.objects.create(name="Payments", slug="payments")
    sources = [
        Source.objects.create(
            slug=f"s{n}", title=f"Source {n}", adapter="alertmanager", team=team if n else None,
            secret_digest="", created_at=now,
        )
        for n in range(4)
    ]  # fmt: skip
    spread = [
        (now - timedelta(seconds=dice.uniform(3 * 86_400, 70 * 86_400))).astimezone(dice.choice(ZONES))
        for _ in range(count)
    ]
    return [
        _one(number, dice.choice(sources), dice, detected)
        for number, detected in enumerate([*spread, *round_clock_changes(now)], 1)
    ]


def round_clock_changes(now: datetime) -> list[datetime]:
    """Every hour of the days of a year on which a zone's clocks changed; one that came twice, twice."""
    days = [now.date() - timedelta(days=back) for back in range(5, 370)]
    found = []
    for zone in ZONES:
        for day in days:
            midnight = datetime.combine(day, time.min, zone)
            if midnight.utcoffset() != (midnight + timedelta(days=1)).utcoffset():
                hours = [midnight + timedelta(hours=number, minutes=30) for number in range(24)]
                found += [each.replace(fold=fold) for each in hours for fold in (0, 1)]
    return found


def _one(number: int, source: Source, dice: random.Random, detected: datetime) -> Plain:
    impact = detected.astimezone(UTC) - timedelta(seconds=dice.lognormvariate(4, 1) - 5)
    one = Plain(
        number, source.pk, source.team_id, dice.choice(("alert", "claim")), dice.choice(("", "shop", "mail")),
        dice.random() < 0.03, impact.astimezone(detected.tzinfo), detected,
    )  # fmt: skip
    if dice.random() < 0.9:
        start = one.detected.astimezone(UTC) + timedelta(seconds=dice.uniform(1, 60))
        one.run = (start, start + timedelta(seconds=dice.lognormvariate(4, 1)))
        one.judged = dice.choice(tuple(BODIES))
        one.rule = "none_of_these" if one.judged == "no_rule" else dice.choice(RULES[:3])
    if dice.random() < 0.7:
        one.acknowledged = one.detected.astimezone(UTC) + timedelta(seconds=dice.lognormvariate(6, 1.5))
    if dice.random() < 0.5:
        one.mitigated = one.detected.astimezone(UTC) + timedelta(seconds=dice.lognormvariate(7, 1))
    if number > 10 and dice.random() < 0.04:
        one.before, one.opened = dice.randint(1, number - 1), one.detected
    if dice.random() < 0.85:
        _close(one, one.detected.astimezone(UTC) + timedelta(seconds=dice.lognormvariate(8, 1.5)), dice)
    return one


def _close(one: Plain, at: datetime, dice: random.Random) -> None:
    by_rule = one.judged == "pass" and dice.random() < 0.2
    outcome = (
        "harmless"
        if by_rule
        else dice.choice(("harmless", "real and fixed", "not reproducible", "duplicate of"))
    )
    says = {"harmless": True, "real and fixed": False}.get(outcome)
    against = one.judged != "none" and says is not None and says != (one.judged == "pass")
    one.closings.append((at, outcome, by_rule, against))
    one.is_closed = True


def write(every: list[Plain], by: User) -> None:
    """Write made-up incidents as rows, in bulk."""
    Incident.objects.bulk_create([_incident(one) for one in every], batch_size=2_000)
    Resolution.objects.bulk_create(
        [resolution(one.number, closing, one.rule, by) for one in every for closing in one.closings],
        batch_size=2_000,
    )
    ran = [one for one in every if one.run]
    runs = Investigation.objects.bulk_create(
        [Investigation(incident_id=one.number, state="judged", subject="{}", created_at=one.detected,
                       started_at=one.run[0], finished_at=one.run[1]) for one in ran if one.run],
        batch_size=2_000,
    )  # fmt: skip
    cases = Case.objects.bulk_create(
        [Case(investigation=run, body="{}", digest="", judged_at=_ended(run)) for run in runs],
        batch_size=2_000,
    )
    verdicts = Verdict.objects.bulk_create(
        [Verdict(case=case, investigation=run, passed=one.judged == "pass", hypothesis=one.rule, reason="",
                 body=json.dumps({"facts": BODIES[one.judged], "refutations": [], "rule_version": 1}),
                 rulebook_digest="", created_at=_ended(run))
         for one, run, case in zip(ran, runs, cases, strict=True)],
        batch_size=2_000,
    )  # fmt: skip
    Draft.objects.bulk_create(
        [Draft(investigation=run, verdict=verdict, text="", created_at=_ended(run))
         for run, verdict in zip(runs, verdicts, strict=True)],
        batch_size=2_000,
    )  # fmt: skip


def _ended(run: Investigation) -> datetime:
    assert run.finished_at is not None  # every one of these was judged
    return run.finished_at


def reopen(every: list[Plain]) -> None:
    """Open closed incidents again, now: the log keeps when."""
    for one in every:
        one.is_closed = False
    drafts = [
        writing.Draft("incident.reopened", {"reason": "It is back."}, incident=one.number) for one in every
    ]
    writing.write_many(drafts, actor="person:ada")
    Incident.objects.filter(pk__in=[one.number for one in every]).update(state="open", closed_at=None)
    with connection.cursor() as cursor:
        cursor.execute("SELECT incident, recorded_at FROM audit_entry WHERE kind = 'incident.reopened'")
        at = dict(cursor.fetchall())
    for one in every:
        one.reopened.append(at[one.number])


def judge_again(every: list[Plain], rule: str) -> None:
    """Give each of these a later verdict under another rule, and let its incident show it."""
    runs = {
        run.incident_id: run
        for run in Investigation.objects.filter(incident_id__in=[x.number for x in every])
    }
    for one in every:
        run = runs[one.number]
        case = Case.objects.create(investigation=run, body="{}", digest="", judged_at=_ended(run))
        body = json.dumps({"facts": BODIES["missing"], "refutations": [], "rule_version": 1})
        Verdict.objects.create(
            case=case, investigation=run, passed=False, hypothesis=rule, reason="", body=body,
            rulebook_digest="", created_at=_ended(run) + timedelta(days=2),
        )  # fmt: skip
        one.judged, one.rule = "missing", rule
    Incident.objects.filter(pk__in=[one.number for one in every]).update(verdict_passed=False)


def move(every: list[Plain], source: int, team: int | None, service: str) -> None:
    """Let incidents belong elsewhere: to another team, another source, another service."""
    Incident.objects.filter(pk__in=[one.number for one in every]).update(
        source=source, team=team, labels={"service": service}
    )
    for one in every:
        one.source, one.team, one.service, one.is_drill = source, team, service, False


def resolution(number: int, closing: tuple[datetime, str, bool, bool], rule: str, by: User) -> Resolution:
    """Return one closing's row."""
    at, outcome, by_rule, against = closing
    return Resolution(
        incident_id=number, outcome=outcome, contradicts_verdict=against, created_at=at,
        by=None if by_rule else by, by_rule=rule if by_rule else "",
    )  # fmt: skip


def _incident(one: Plain) -> Incident:
    labels: dict[str, Any] = {"service": one.service} if one.service else {}
    if one.is_drill:
        labels["drill"] = "true"
    return Incident(
        pk=one.number, source_id=one.source, team_id=one.team, kind=one.kind, sender_key=str(one.number),
        title="x", labels=labels, state="closed" if one.is_closed else "review" if one.run else "open",
        started_at=one.impact, first_received_at=one.detected, last_received_at=one.detected,
        episode_at=one.detected, acknowledged_at=one.acknowledged, recovered_at=one.mitigated,
        previous_id=one.before, closed_at=one.closings[-1][0] if one.is_closed else None,
        verdict_passed=None if one.judged == "none" else one.judged == "pass",
    )  # fmt: skip
