"""Audits of passes: who is asked, who is not, what an answer does, and when a rule is stopped."""

from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import override_settings
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from audit import reading
from incidents import services, veiling
from incidents.figures import audits, upkeep
from incidents.figures.audits import AuditRefused
from incidents.models import Incident, PassAudit
from investigations import suspensions
from tests.db.investigated import world
from tests.db.sources import make_source
from tests.web.pages import MakeUser, judged

pytestmark = pytest.mark.django_db


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> Incident:
    """An incident whose verdict is a pass."""
    world(monkeypatch)
    incident = judged()
    assert incident.verdict_passed
    return incident


@pytest.fixture
def ada(make_user: MakeUser) -> User:
    return make_user("ada", role=Role.SUPPORT)


def close(incident: Incident, by: User, outcome: str = "harmless") -> datetime:
    """Let a person close it; return a time at which audits are drawn."""
    incident.refresh_from_db()
    services.close(
        incident.pk, by=by, outcome=outcome, answer="", reason="Looked at it.", version=incident.version,
        now=timezone.now(),
    )  # fmt: skip
    return timezone.now()


def drawn(incident: Incident, by: User) -> PassAudit:
    """Close an incident and draw its audit."""
    upkeep.tend(close(incident, by))
    return PassAudit.objects.get(incident=incident)


def test_nobody_audits_what_they_closed(passed: Incident, ada: User) -> None:
    audit = drawn(passed, ada)
    assert audit.reviewer is None
    with pytest.raises(AuditRefused, match="does not audit its pass"):
        audits.take(audit.pk, by=ada, now=timezone.now())
    with pytest.raises(IntegrityError), transaction.atomic():
        PassAudit.objects.filter(pk=audit.pk).update(reviewer=ada)


def test_nobody_is_asked_who_may_not_see_it_or_only_reads(
    monkeypatch: pytest.MonkeyPatch, ada: User, make_user: MakeUser
) -> None:
    from accounts.models import Team

    world(monkeypatch)
    payments, other = (Team.objects.create(name=name, slug=name) for name in ("payments", "other"))
    make_user("olga", role=Role.SUPPORT, teams=[other])
    make_user("vera", role=Role.AUDITOR)
    gone = make_user("gone", role=Role.SUPPORT, teams=[payments])
    User.objects.filter(pk=gone.pk).update(is_active=False)
    audit = drawn(judged(make_source(team=payments)), ada)
    assert audit.reviewer is None
    bea = make_user("bea", role=Role.SUPPORT, teams=[payments])
    assert audits.take(audit.pk, by=bea, now=timezone.now()).reviewer == bea


def test_a_pass_of_a_new_rule_goes_to_somebody_else_once(
    passed: Incident, ada: User, make_user: MakeUser
) -> None:
    bea = make_user("bea", role=Role.SUPPORT)
    audit = drawn(passed, ada)
    assert (audit.reviewer, audit.why, audit.rule) == (bea, "trial", passed.hypothesis)
    assert veiling.is_veiled(bea, passed.pk)
    assert not veiling.is_veiled(ada, passed.pk)
    upkeep.tend(timezone.now())
    assert PassAudit.objects.count() == 1


def test_its_closer_reads_nowhere_in_the_timeline_that_it_was_drawn(passed: Incident, ada: User) -> None:
    drawn(passed, ada)
    assert "pass.drawn" not in {entry.kind for entry in reading.of_incident(passed.pk)}


def test_what_was_closed_before_anybody_could_be_asked_in_time_is_left_alone(
    passed: Incident, ada: User
) -> None:
    now = close(passed, ada)
    upkeep.tend(now + timedelta(days=15))
    assert not PassAudit.objects.exists()


@pytest.mark.parametrize(
    ("outcome", "because", "complaint"),
    [
        ("lovely", "x", "cannot be closed as"),
        ("harmless", " ", "Say which"),
        ("harmless", "a\0", "Say which"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused(
    passed: Incident, ada: User, make_user: MakeUser, outcome: str, because: str, complaint: str
) -> None:
    bea = make_user("bea", role=Role.SUPPORT)
    audit = drawn(passed, ada)
    with pytest.raises(AuditRefused, match=complaint):
        audits.answer(audit.pk, by=bea, outcome=outcome, because=because, now=timezone.now())
    with pytest.raises(AuditRefused, match="somebody else's"):
        audits.answer(audit.pk, by=ada, outcome="harmless", because="x", now=timezone.now())


def test_the_first_answer_stands(passed: Incident, ada: User, make_user: MakeUser) -> None:
    bea, now = make_user("bea", role=Role.SUPPORT), timezone.now()
    audit = drawn(passed, ada)
    assert (
        audits.answer(audit.pk, by=bea, outcome="harmless", because="The job ran.", now=now).was_right is True
    )
    with pytest.raises(AuditRefused, match="answered already"):
        audits.answer(audit.pk, by=bea, outcome="real and fixed", because="No.", now=now)
    assert not veiling.is_veiled(bea, passed.pk)
    assert suspensions.standing(passed.hypothesis) is None


def test_a_false_pass_stops_the_rule_until_an_administrator_lifts_it(
    passed: Incident, ada: User, make_user: MakeUser
) -> None:
    bea, root, now = (
        make_user("bea", role=Role.SUPPORT),
        make_user("root", role=Role.ADMINISTRATOR),
        timezone.now(),
    )
    audit = drawn(passed, ada)
    PassAudit.objects.filter(pk=audit.pk).update(reviewer=bea)
    audits.answer(audit.pk, by=bea, outcome="real and fixed", because="The job ran twice.", now=now)
    standing = suspensions.standing(passed.hypothesis)
    assert standing is not None
    assert "1 of 1 audited passes were false" in standing.because
    assert standing.made_by == audits.ACTOR
    suspensions.lift(passed.hypothesis, because="Fixed.", by=root, now=now + timedelta(minutes=1))
    assert audits.watch(now + timedelta(minutes=2)) == []


@override_settings(PASS_AUDIT_OVERDUE=0)
def test_audits_behind_plan_stop_the_rule(passed: Incident, ada: User) -> None:
    drawn(passed, ada)
    assert audits.watch(timezone.now() + timedelta(days=13)) == []
    assert audits.watch(timezone.now() + timedelta(days=15)) == [passed.hypothesis]


def test_an_outcome_that_says_neither_counts_as_no_audit(
    passed: Incident, ada: User, make_user: MakeUser
) -> None:
    bea, now = make_user("bea", role=Role.SUPPORT), timezone.now()
    audit = drawn(passed, ada)
    audits.answer(audit.pk, by=bea, outcome="not reproducible", because="Nothing to see.", now=now)
    assert audits.standing(passed.hypothesis, now).audited == 0
