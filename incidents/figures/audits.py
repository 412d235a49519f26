"""Audits of earned passes: who checks which one, what they answered, and when a rule is stopped for it."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet

from accounts.models import User
from accounts.permissions import Permission
from accounts.services import actor_name
from audit import writing
from incidents.figures import plan
from incidents.figures.plan import Limits, Standing
from incidents.figures.stages import Ended, Judged
from incidents.models import Incident, PassAudit, Record, Resolution
from investigations import suspensions
from investigations.models import RuleSuspension, Verdict
from toolbox.values import is_storable
from verdicts.closings import Actual, NoSuchOutcome, actual

ACTOR = "code:pass_audits"
BECAUSE_MAX = 2_000
_AT_ONCE = 500
_ANSWERED = {Actual.PASS: True, Actual.FAIL: False}


@dataclass(frozen=True, slots=True)
class Passed:
    """One pass whose lot is drawn: the verdict, and the rule's version that earned it."""

    incident: Incident
    verdict: int
    rule: str
    version: int


class AuditRefused(Exception):
    """An answer to an audit was not taken; the message says why, for a person."""


def limits() -> Limits:
    """Return what is set: the share that is drawn, the limit of the bound, how many audits may be overdue."""
    return Limits(
        float(settings.PASS_AUDIT_SHARE), float(settings.PASS_AUDIT_LIMIT), settings.PASS_AUDIT_OVERDUE
    )


def draw(now: datetime) -> int:
    """Draw a lot for each pass that was closed since; return how many audits that made. Repeating is safe."""
    waiting = Record.objects.filter(
        ~Q(lot_drawn_for=F("verdict_id")), judged=Judged.PASS, ended__in=[Ended.PERSON, Ended.PASS]
    )
    made = 0
    for record in waiting.order_by("incident")[:_AT_ONCE]:
        with transaction.atomic():
            was = Record.objects.filter(pk=record.pk, lot_drawn_for=record.lot_drawn_for)
            if was.update(lot_drawn_for=record.verdict_id):
                made += _draw_one(record, now)
    return made


def draw_for(passed: Passed, *, closer: int | None, now: datetime) -> bool:
    """Draw the lot of one pass, inside the caller's transaction; return whether it is audited.

    Called once for a pass: a second audit of one verdict is refused by the database.
    """
    stands = _of_version(passed.rule, passed.version, now)
    why = plan.drawn(passed.verdict, stands, limits(), key=settings.SECRET_KEY.encode())
    if why is None:
        return False
    audit = PassAudit.objects.create(
        incident=passed.incident, verdict_id=passed.verdict, rule=passed.rule, rule_version=passed.version,
        why=why, closer_id=closer, reviewer=_choose(passed.incident, closer), drawn_at=now,
        due_at=now + timedelta(days=settings.PASS_AUDIT_DAYS),
    )  # fmt: skip
    # Without the incident: its timeline would tell its closer that somebody looks again.
    writing.write("pass.drawn", {"audit": audit.pk, "verdict": passed.verdict, "why": str(why)}, actor=ACTOR)
    return True


def answer(audit: int, *, by: User, outcome: str, because: str, now: datetime) -> PassAudit:
    """Store what a reviewer found, once. Raises AuditRefused; a false pass may stop the rule at once."""
    row = PassAudit.objects.select_related("incident").filter(pk=audit).first()
    if row is None or row.reviewer_id != by.pk:
        raise AuditRefused("This audit is somebody else's. Yours are in the list.")
    words = because.strip()
    try:
        said = actual(row.incident.kind, outcome)
    except NoSuchOutcome as error:
        raise AuditRefused(str(error)) from None
    if not words or len(words) > BECAUSE_MAX or not is_storable(words):
        raise AuditRefused(f"Say which answers show it, in 1 to {BECAUSE_MAX} characters.")
    was_right = _ANSWERED.get(said)
    with transaction.atomic():
        open_one = PassAudit.objects.filter(pk=audit, reviewer=by, answered_at=None)
        if not open_one.update(answered_at=now, outcome=outcome, was_right=was_right, because=words):
            raise AuditRefused("This audit is answered already; the first answer stands.")
        writing.write(
            "pass.audited",
            {"audit": audit, "rule": row.rule, "version": row.rule_version, "verdict": row.verdict_id,
             "outcome": outcome, "was_right": was_right, "reason": words},
            actor=actor_name(by), incident=row.incident_id,
        )  # fmt: skip
    watch(now, only=row.rule)
    row.refresh_from_db()
    return row


def take(audit: int, *, by: User, now: datetime) -> PassAudit:
    """Give an audit that nobody has, or that is overdue, to a person who asks. Raises AuditRefused."""
    row = PassAudit.objects.select_related("incident").filter(pk=audit, answered_at=None).first()
    if row is None:
        raise AuditRefused("This audit is answered already.")
    if not _reviewers(row.incident, row.closer_id).filter(pk=by.pk).exists():
        raise AuditRefused(
            "Who closed an incident or worked on it does not audit its pass. Leave it to others."
        )
    free = PassAudit.objects.filter(Q(reviewer=None) | Q(due_at__lt=now), pk=audit, answered_at=None)
    with transaction.atomic():
        # As it was seen: of two who take an overdue one at once, the second takes nothing from the first.
        if not free.filter(reviewer=row.reviewer_id).update(reviewer=by):
            raise AuditRefused("Somebody else has this audit, and it is not overdue.")
        writing.write("pass.audit_taken", {"audit": audit}, actor=actor_name(by), incident=row.incident_id)
    row.refresh_from_db()
    return row


def standing(rule: str, now: datetime) -> Standing:
    """Return how the newest audited version of a rule stands."""
    version = PassAudit.objects.filter(rule=rule).aggregate(last=Max("rule_version"))["last"]
    return _of_version(rule, version, now)


def standings(now: datetime) -> Mapping[str, Standing]:
    """Return how the newest audited version of every rule stands, by one query."""
    rows = list(
        PassAudit.objects.order_by("answered_at", "pk").values_list(
            "rule", "rule_version", "was_right", "answered_at", "due_at"
        )
    )
    newest: dict[str, int] = {}
    for rule, version, *_ in rows:
        newest[rule] = max(version, newest.get(rule, version))
    answers: dict[str, list[bool]] = {rule: [] for rule in newest}
    overdue = dict.fromkeys(newest, 0)
    for rule, version, was_right, answered_at, due_at in rows:
        if version != newest[rule]:
            continue
        if was_right is not None:
            answers[rule].append(was_right)
        overdue[rule] += answered_at is None and due_at < now
    return {rule: Standing(tuple(answers[rule]), overdue[rule]) for rule in newest}


def watch(now: datetime, *, only: str = "") -> Sequence[str]:
    """Suspend each rule whose audits say so, or are not done; return the names of those suspended now.

    What an administrator has lifted stays lifted until there is newer evidence.
    """
    rules = PassAudit.objects.order_by().values_list("rule", flat=True).distinct()
    stopped = []
    for rule in [only] if only else list(rules):
        reason = plan.why_to_stop(standing(rule, now), limits())
        if not reason or suspensions.standing(rule) or not _is_news(rule, now):
            continue
        try:
            suspensions.suspend(rule, because=reason[: suspensions.BECAUSE_MAX], actor=ACTOR, now=now)
        except suspensions.SuspensionRefused:
            continue  # a person was faster
        stopped.append(rule)
    return stopped


def _of_version(rule: str, version: int | None, now: datetime) -> Standing:
    if version is None:
        return Standing(())
    rows = PassAudit.objects.filter(rule=rule, rule_version=version)
    answers = rows.filter(was_right__isnull=False).order_by("answered_at", "pk")
    return Standing(
        tuple(answer is True for answer in answers.values_list("was_right", flat=True)),
        rows.filter(answered_at=None, due_at__lt=now).count(),
    )


def _is_news(rule: str, now: datetime) -> bool:
    lifted = RuleSuspension.objects.filter(rule=rule).aggregate(last=Max("lifted_at"))["last"]
    if lifted is None:
        return True
    newer = Q(was_right=False, answered_at__gt=lifted) | Q(
        answered_at=None, due_at__gt=lifted, due_at__lt=now
    )
    return PassAudit.objects.filter(newer, rule=rule).exists()


def _draw_one(record: Record, now: datetime) -> int:
    if PassAudit.objects.filter(verdict_id=record.verdict_id).exists():
        return 0  # drawn before it could close by itself
    verdict = Verdict.objects.get(pk=record.verdict_id)
    closing = Resolution.objects.filter(incident=record.pk).order_by("pk").last()
    age = timedelta(days=settings.PASS_AUDIT_DAYS)
    if closing is None or closing.created_at < now - age:
        return 0  # closed before there were audits: nobody could be asked in time
    version = int(json.loads(verdict.body)["rule_version"])
    incident = Incident.objects.get(pk=record.pk)
    passed = Passed(incident, verdict.pk, record.rule, version)
    return int(draw_for(passed, closer=closing.by_id, now=now))


def _choose(incident: Incident, closer: int | None) -> User | None:
    """Return the one with the fewest open audits; among equals chance decides."""
    open_ones = Count("pass_audits", filter=Q(pass_audits__answered_at=None), distinct=True)
    people = list(_reviewers(incident, closer).annotate(open_audits=open_ones))
    if not people:
        return None
    fewest = min(each.open_audits for each in people)
    return secrets.choice([each for each in people if each.open_audits == fewest])


def _reviewers(incident: Incident, closer: int | None) -> QuerySet[User]:
    people = User.objects.filter(
        is_active=True, groups__permissions__codename=Permission.TRIAGE_INCIDENTS.codename
    )
    if incident.team_id is not None:
        sees_all = Q(groups__permissions__codename=Permission.SEE_EVERY_TEAM.codename)
        people = people.filter(Q(teams=incident.team_id) | Q(pk__in=User.objects.filter(sees_all)))
    worked = [each for each in (closer, incident.assignee_id) if each is not None]
    closers = Resolution.objects.filter(incident=incident, by__isnull=False).values("by")
    return people.exclude(pk__in=worked).exclude(pk__in=closers).distinct()
