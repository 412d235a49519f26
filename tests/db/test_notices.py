"""Who is told that an incident needs a person: at once, again, not twice, and no more once somebody came."""

import smtplib
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from accounts.models import Team, User
from accounts.roles import Role
from incidents import notes, services
from incidents.models import Incident, PassAudit
from notices import sending, telling
from notices.events import Event, Kind, MessageState
from notices.models import Message, Notice, Route
from tests.db.investigated import job, world
from tests.db.sources import make_source
from tests.web.pages import MakeUser, judged

pytestmark = pytest.mark.django_db
NEEDS = [Event.NEEDS_PERSON.value]


@pytest.fixture(autouse=True)
def _a_world(monkeypatch: pytest.MonkeyPatch) -> None:
    world(monkeypatch).answers["find_job"] = job("failed")


@pytest.fixture
def payments() -> Team:
    return Team.objects.create(name="Payments", slug="payments")


def a_route(**values: Any) -> Route:
    values = {"kind": Kind.EMAIL, "address": "desk@example.org", "events": NEEDS, **values}
    return Route.objects.create(title="Desk", made_by="a test", made_at=timezone.now(), **values)


def on_call(make_user: MakeUser, name: str, team: Team, **values: Any) -> User:
    person = make_user(name, role=Role.ON_CALL, teams=[team])
    User.objects.filter(pk=person.pk).update(email=f"{name}@example.org", **values)
    return person


def send_due(now: datetime | None = None) -> list[str]:
    """Send what is due by then; return whom the new mails went to."""
    before = len(mail.outbox)
    moment = now or timezone.now()
    for number in sending.due(moment):
        sending.send(number, now=moment)
    return [address for letter in mail.outbox[before:] for address in letter.to]


def test_without_a_route_nothing_is_written() -> None:
    judged()
    assert not Notice.objects.exists()


def test_a_pass_tells_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    world(monkeypatch)
    a_route()
    incident = judged()
    assert incident.verdict_passed
    assert not Message.objects.exists()


def test_a_fail_reaches_the_on_call_people_of_its_team_and_nobody_else(
    make_user: MakeUser, payments: Team
) -> None:
    platform = Team.objects.create(name="Platform", slug="platform")
    on_call(make_user, "ada", payments)
    on_call(make_user, "bob", platform)
    on_call(make_user, "cyd", payments, is_active=False)
    make_user("dan", role=Role.SUPPORT, teams=[payments])
    a_route(kind=Kind.ON_CALL, address="")
    incident = judged(make_source(team=payments))
    assert send_due() == ["ada@example.org"]
    letter = mail.outbox[-1]
    assert letter.subject.startswith("[Assay] warning: #")
    assert f"/incidents/{incident.pk}/" in str(letter.body)
    assert Message.objects.get().said == "the mail server took it"


def test_who_has_no_address_is_said_where_nobody_was_told(make_user: MakeUser, payments: Team) -> None:
    make_user("ada", role=Role.ON_CALL, teams=[payments])
    a_route(kind=Kind.ON_CALL, address="")
    judged(make_source(team=payments))
    message = Message.objects.get()
    assert (message.state, message.said) == ("failed", "nobody on call there has a mail address: see People")


@pytest.mark.parametrize(
    ("values", "is_told"),
    [({"least_rank": 2}, False), ({"least_rank": 3}, True), ({"events": ["request.proposed"]}, False)],
)
def test_a_route_hears_of_what_it_chose(values: dict[str, Any], is_told: bool) -> None:
    a_route(**values)
    judged()  # a warning, which is rank 3
    assert bool(send_due()) is is_told


def test_a_route_of_one_team_does_not_hear_of_another_s(payments: Team) -> None:
    platform = Team.objects.create(name="Platform", slug="platform")
    a_route(team=platform)
    judged(make_source(team=payments))
    assert send_due() == []


def test_a_person_hears_of_no_more_than_they_may_see(make_user: MakeUser, payments: Team) -> None:
    stranger = make_user("eve", role=Role.SUPPORT)
    User.objects.filter(pk=stranger.pk).update(email="eve@example.org")
    a_route(kind=Kind.PERSON, address="", person=stranger)
    judged(make_source(team=payments))
    assert not Notice.objects.exists()


def test_it_is_told_again_until_somebody_acknowledges(make_user: MakeUser) -> None:
    a_route(repeat_minutes=30)
    incident = judged()
    start = timezone.now()
    assert send_due(start) == ["desk@example.org"]
    assert send_due(start + timedelta(minutes=29)) == []
    assert send_due(start + timedelta(minutes=31)) == ["desk@example.org"]
    assert mail.outbox[-1].subject.startswith("[Assay] still waiting: ")
    now = start + timedelta(minutes=40)
    services.acknowledge(incident.pk, by=make_user(role=Role.SUPPORT), version=incident.version, now=now)
    assert send_due(start + timedelta(minutes=70)) == []
    last = Message.objects.latest("pk")
    assert (last.state, last.said) == (MessageState.DROPPED, "somebody acknowledged it")
    assert send_due(start + timedelta(days=2)) == []


def test_an_escalation_waits_and_is_not_sent_where_somebody_came(make_user: MakeUser) -> None:
    a_route(wait_minutes=15, address="boss@example.org")
    incident = judged()
    start = timezone.now()
    assert send_due(start + timedelta(minutes=14)) == []
    assert send_due(start + timedelta(minutes=16)) == ["boss@example.org"]
    other = judged(name="job-8", source=make_source("second"))
    services.acknowledge(other.pk, by=make_user(role=Role.SUPPORT), version=other.version, now=start)
    assert send_due(start + timedelta(minutes=40)) == []
    assert Incident.objects.get(pk=incident.pk).acknowledged_at is None


def test_a_snoozed_incident_is_told_of_again_afterwards() -> None:
    a_route(repeat_minutes=10)
    incident = judged()
    start = timezone.now()
    send_due(start)
    Incident.objects.filter(pk=incident.pk).update(snoozed_until=start + timedelta(hours=2))
    assert send_due(start + timedelta(minutes=11)) == []
    assert send_due(start + timedelta(hours=1)) == []
    assert send_due(start + timedelta(hours=2, minutes=1)) == ["desk@example.org"]


def test_what_is_told_already_is_not_told_twice_and_after_a_reopen_it_is(make_user: MakeUser) -> None:
    a_route()
    ada = make_user(role=Role.SUPPORT)
    incident = judged()
    news = telling.News(Event.NEEDS_PERSON, "incident", incident.pk, "again", "", "/")
    assert telling.tell(news, now=timezone.now()) is None
    services.close(
        incident.pk, by=ada, outcome="real and fixed", answer="", reason="fixed", version=incident.version,
        now=timezone.now(),
    )  # fmt: skip
    assert Notice.objects.filter(ended_at=None).count() == 0
    assert telling.tell(news, now=timezone.now()) is not None


def test_of_many_at_once_the_first_go_alone_and_the_rest_in_one() -> None:
    a_route()
    source = make_source()
    for number in range(9):
        judged(source, name=f"job-{number}")
    start = timezone.now()
    for step, number in enumerate(list(Message.objects.order_by("pk").values_list("pk", flat=True))[:5]):
        Message.objects.exclude(pk=number).filter(state="waiting").update(due_at=start + timedelta(days=1))
        Message.objects.filter(pk=number).update(due_at=start)
        sending.send(number, now=start + timedelta(seconds=step))
    Message.objects.filter(state="waiting").update(due_at=start)
    assert send_due(start + timedelta(seconds=10)) == []
    assert send_due(start + timedelta(seconds=61)) == ["desk@example.org"]
    assert mail.outbox[-1].subject.startswith("[Assay] 4 notices, the first: ")
    assert str(mail.outbox[-1].body).count("/incidents/") == 4
    assert not Message.objects.filter(state="waiting").exists()


def test_a_mail_server_that_is_away_is_tried_again_and_in_the_end_it_failed(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    a_route()
    judged()
    now = timezone.now()
    for _ in range(len(sending.PAUSES) + 1):
        send_due(now)
        now += timedelta(hours=6)
    message = Message.objects.get()
    assert (message.state, message.tries) == ("failed", len(sending.PAUSES) + 1)
    assert message.said == "the mail server cannot be reached, or breaks off (ConnectionRefusedError)"


def test_a_title_cannot_add_a_header_nor_hide_what_follows() -> None:
    a_route()
    incident = judged()
    Notice.objects.update(title=f"#{incident.pk} bad\r\nBcc: eve@example.org\u202etxt\u200b")
    assert send_due() == ["desk@example.org"]
    subject = mail.outbox[-1].subject
    assert subject == f"[Assay] warning: #{incident.pk} bad Bcc: eve@example.org txt"


def test_a_secret_in_the_words_is_masked() -> None:
    a_route()
    judged()
    Notice.objects.update(words="password=hunter2hunter2 of postgres://me:s3cretpassw0rd@db/x")
    send_due()
    assert "s3cretpassw0rd" not in str(mail.outbox[-1].body)


def test_two_workers_send_a_message_once() -> None:
    a_route()
    judged()
    number, now = Message.objects.get().pk, timezone.now()
    Message.objects.update(claimed_until=now + timedelta(seconds=5))
    assert sending.send(number, now=now) is None
    assert sending.send(number, now=now + timedelta(seconds=6)) is not None
    assert sending.send(number, now=now + timedelta(seconds=7)) is None
    assert len(mail.outbox) == 1


def test_a_refused_address_is_not_tried_again(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.EMAIL_BACKEND = "tests.db.test_notices.RefusingBackend"
    a_route()
    judged()
    send_due()
    message = Message.objects.get()
    assert (message.state, message.tries) == ("failed", 1)
    assert message.said == "the mail server refuses the address (550)"


class RefusingBackend:
    """A mail server that knows nobody."""

    def __init__(self, **_: Any) -> None:
        """Take what Django gives every backend."""

    def send_messages(self, letters: Any) -> int:
        """Refuse."""
        raise smtplib.SMTPRecipientsRefused({"desk@example.org": (550, b"no such user")})


# --- Who is named in a note ------------------------------------------------------------------------


def named(person: User, **values: Any) -> Route:
    User.objects.filter(pk=person.pk).update(email=f"{person.username}@example.org")
    chosen = {"events": [Event.MENTIONED.value], **values}
    return a_route(kind=Kind.PERSON, address="", person=person, **chosen)


def test_who_is_named_in_a_note_is_told_once_with_its_place_and_nobody_else(make_user: MakeUser) -> None:
    ada, bea, cyd = (make_user(name, role=Role.SUPPORT) for name in ("ada", "bea", "cyd"))
    for person in (ada, bea, cyd):
        named(person)
    incident = judged()
    for _ in range(2):  # the form was sent twice
        kept = notes.write(incident, "@bea look, says @ada", by=ada, once="f", now=timezone.now())
    assert send_due() == ["bea@example.org"]
    assert f"/incidents/{incident.pk}/#note-{kept.note.pk}" in str(mail.outbox[-1].body)
    notes.write(incident, "@bea again", by=ada, once="g", now=timezone.now())
    assert send_due() == ["bea@example.org"]


def test_who_did_not_choose_it_or_audits_the_pass_is_not_told_of_a_note(make_user: MakeUser) -> None:
    ada, bea, cyd = (make_user(name, role=Role.SUPPORT) for name in ("ada", "bea", "cyd"))
    named(bea, events=NEEDS)
    named(cyd)
    incident, now = judged(), timezone.now()
    PassAudit.objects.create(
        incident=incident, verdict_id=1, rule="x", rule_version=1, why="trial", reviewer=cyd, drawn_at=now,
        due_at=now,
    )  # fmt: skip
    notes.write(incident, "@bea and @cyd", by=ada, once="", now=now)
    assert not Notice.objects.filter(event=Event.MENTIONED).exists()
