"""Webhooks on a real socket: what is sent, what each answer means, and where none is sent to."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Team, User
from accounts.roles import Role
from approvals import telling as of_requests
from approvals.models import ActionRequest
from approvals.states import State
from notices import sending, services, telling
from notices.events import CHOOSABLE, Event, Kind
from notices.models import Message, Notice, Route
from tests.fakes.server import FakeServer, Reply

pytestmark = pytest.mark.django_db
ALL = [event.value for event in CHOOSABLE]


@pytest.fixture(autouse=True)
def _loopback_is_allowed(settings: Any) -> None:
    settings.NOTICE_NETWORKS = ["127.0.0.0/8"]


@pytest.fixture
def receiver() -> Iterator[FakeServer]:
    server = FakeServer(lambda asked: Reply(204))
    yield server
    server.close()


def a_webhook(address: str) -> tuple[Route, str]:
    administrator = User.objects.create_user("root")
    values = {
        "title": "Pager", "kind": Kind.WEBHOOK.value, "address": address, "events": ALL,
        "least_rank": 7, "wait_minutes": 0, "repeat_minutes": 0,
    }  # fmt: skip
    return services.make(values, by=administrator, now=timezone.now())


def tell(**values: Any) -> Message:
    news = telling.News(
        Event.EXECUTED, "request", values.pop("number", 7), "scale it", "done", "/approvals/7/"
    )
    assert telling.tell(news, now=timezone.now()) is not None
    return sent()


def sent() -> Message:
    message = Message.objects.latest("pk")
    sending.send(message.pk, now=timezone.now())
    message.refresh_from_db()
    return message


def verified(secret: str, asked: Any) -> bool:
    """Check a signature as a receiver does: with the secret that it was given, over the bytes that came."""
    headers = {name.lower(): value for name, value in asked.headers.items()}
    body = asked.body if isinstance(asked.body, bytes) else json.dumps(
        asked.body, ensure_ascii=False, separators=(",", ":")
    ).encode()  # fmt: skip
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    wanted = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert abs(time.time() - int(headers["webhook-timestamp"])) < 60
    return wanted in headers["webhook-signature"].split(" ")


def test_a_webhook_is_signed_with_the_secret_that_was_shown_once(receiver: FakeServer) -> None:
    _, secret = a_webhook(receiver.url + "/hook/")
    message = tell()
    assert (message.state, message.said) == ("sent", "204 No Content")
    (asked,) = receiver.asked
    assert (asked.method, asked.path) == ("POST", "/hook/")
    assert verified(secret, asked)
    assert not verified("whsec_" + base64.b64encode(b"x" * 32).decode(), asked)
    assert asked.body["type"] == "request.executed"
    assert asked.body["data"]["url"].endswith("/approvals/7/")


def test_the_database_does_not_hold_the_secret(receiver: FakeServer) -> None:
    route, secret = a_webhook(receiver.url)
    kept = json.dumps({field.name: str(getattr(route, field.name)) for field in route._meta.concrete_fields})
    assert secret not in kept
    assert secret.removeprefix("whsec_") not in kept


def test_for_a_day_the_old_secret_verifies_too(receiver: FakeServer) -> None:
    route, old = a_webhook(receiver.url)
    new = services.new_secret(route, by=User.objects.get(), now=timezone.now())
    tell()
    assert verified(new, receiver.asked[-1])
    assert verified(old, receiver.asked[-1])
    Route.objects.update(previous_until=timezone.now() - timedelta(seconds=1))
    tell(number=8)
    assert not verified(old, receiver.asked[-1])


def test_what_is_tried_again_has_the_same_id(receiver: FakeServer) -> None:
    a_webhook(receiver.url)
    receiver.answer = lambda asked: Reply(503)
    message = tell()
    assert (message.state, message.said, message.tries) == ("waiting", "503 Service Unavailable", 1)
    receiver.answer = lambda asked: Reply(200)
    Message.objects.update(due_at=timezone.now())
    assert sent().state == "sent"
    first, second = (
        {k.lower(): v for k, v in asked.headers.items()}["webhook-id"] for asked in receiver.asked
    )
    assert first == second


def test_a_redirect_is_not_followed(receiver: FakeServer) -> None:
    a_webhook(receiver.url)
    receiver.answer = lambda asked: Reply(302, headers={"Location": receiver.url + "/other"})
    assert "redirects are not followed" in tell().said
    assert len(receiver.asked) == 1


def test_who_is_gone_is_told_nothing_more(receiver: FakeServer) -> None:
    a_webhook(receiver.url)
    receiver.answer = lambda asked: Reply(410)
    assert tell().state == "failed"
    route = Route.objects.get()
    assert route.ended_because == "410 Gone: the receiver wants no more"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://169.254.169.254/latest/meta-data", "not public; see NOTICE_NETWORKS"),
        ("https://10.0.0.7/hook", "not public; see NOTICE_NETWORKS"),
        ("http://[::ffff:10.0.0.7]/hook", "not public; see NOTICE_NETWORKS"),
        ("http://8.8.8.8/hook", "plain text"),
    ],
)
def test_an_address_inside_that_nobody_named_is_not_reached(address: str, words: str) -> None:
    a_webhook(address)
    message = tell()
    assert message.state == "waiting"
    assert words in message.said


def test_nobody_who_listens_is_a_sentence() -> None:
    a_webhook("http://127.0.0.1:1/")
    assert tell().said == "no answer (ConnectError)"


def test_a_test_message_needs_no_choice_and_says_that_it_is_one(receiver: FakeServer) -> None:
    route, _ = a_webhook(receiver.url)
    Route.objects.update(events=[], wait_minutes=60)
    services.test(route, by=User.objects.get(), now=timezone.now())
    assert sent().state == "sent"
    assert receiver.asked[-1].body["type"] == "notice.test"


def a_request(**values: Any) -> ActionRequest:
    now = timezone.now()
    return ActionRequest.objects.create(
        action="job.retry", target="job 7", risk="high", reason="it failed", proposed_by="model",
        proposed_at=now, decide_by=now + timedelta(minutes=15), **values,
    )  # fmt: skip


def test_each_end_of_a_write_is_told_once(receiver: FakeServer) -> None:
    a_webhook(receiver.url)
    request, now = a_request(), timezone.now()
    of_requests.prepared(request, now)
    for state in (
        State.SUCCEEDED,
        State.SUCCEEDED,
        State.UNKNOWN,
        State.EXPIRED,
        State.ABORTED,
        State.DENIED,
    ):
        of_requests.moved(request, state, now)
    told = list(Notice.objects.order_by("pk").values_list("event", flat=True))
    assert told == [
        "request.proposed", "request.executed", "request.unknown", "request.expired", "request.failed",
    ]  # fmt: skip


def test_a_person_and_a_team_hear_of_the_writes_that_they_chose(make_user: Callable[..., User]) -> None:
    ours, theirs = Team.objects.create(name="Shop", slug="shop"), Team.objects.create(name="Pay", slug="pay")
    person = make_user("ada", role=Role.ON_CALL)
    User.objects.filter(pk=person.pk).update(email="ada@example.org")
    person.teams.add(ours)
    common = {"made_by": "test", "made_at": timezone.now(), "least_rank": 7}
    mine = Route.objects.create(kind="person", person=person, events=["request.proposed"], **common)
    team = Route.objects.create(
        kind="email", team=ours, address="shop@example.org", events=["request.unknown"], **common
    )
    for of, heard in ((ours, {mine.pk, team.pk}), (theirs, set())):
        request, now = a_request(team_id=of.pk), timezone.now()
        of_requests.prepared(request, now)
        of_requests.moved(request, State.EXPIRED, now)
        of_requests.moved(request, State.UNKNOWN, now)
        told = Message.objects.filter(notice__about_id=request.pk).values_list("route", "notice__event")
        assert {route for route, _ in told} == heard
        assert {event for _, event in told} <= {"request.proposed", "request.unknown"}


def test_a_request_about_to_expire_is_told_of(receiver: FakeServer) -> None:
    a_webhook(receiver.url)
    now = timezone.now()
    request = a_request(prepared_at=now)
    of_requests.expiring(now)
    assert not Notice.objects.exists()
    of_requests.expiring(request.decide_by - timedelta(minutes=4))
    of_requests.expiring(request.decide_by - timedelta(minutes=3))
    assert Notice.objects.get().event == "request.expiring"


def test_a_request_that_somebody_decided_is_not_told_of_any_more(receiver: FakeServer) -> None:
    a_webhook(receiver.url)
    request = a_request()
    of_requests.prepared(request, timezone.now())
    ActionRequest.objects.update(state=State.DENIED)
    message = sent()
    assert (message.state, message.said) == ("dropped", "the request is denied")
    assert receiver.asked == []
