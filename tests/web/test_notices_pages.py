"""The pages of messages and routes: who makes a route, what is shown once, what another team does not see."""

from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.models import Team, User
from accounts.roles import Role
from audit.models import Entry
from notices import sending
from notices.models import Message, Notice, Route
from tests.db.investigated import job, world
from tests.db.sources import make_source
from tests.web.pages import HTMX, MakeUser, a_person, judged, signed_in, text_of
from tests.web.signing import shown

pytestmark = pytest.mark.django_db
WANTED = {
    "title": "On call", "kind": "on-call", "team": "", "address": "", "events": ["incident.needs_person"],
    "least_rank": "7", "wait_minutes": "0", "repeat_minutes": "30",
}  # fmt: skip


@pytest.fixture
def root(make_user: MakeUser) -> Client:
    """The browser of an administrator who has just shown who they are."""
    user = make_user("root", role=Role.ADMINISTRATOR)
    client = signed_in(user)
    shown(client, user, method="password")
    return client


def made(client: Client, **values: Any) -> Any:
    return client.post("/notices/routes/", {**WANTED, **values})


def test_without_a_route_the_page_says_that_nobody_is_told(make_user: MakeUser) -> None:
    page = text_of(a_person(make_user).get("/notices/"))
    assert "No route stands" in page
    assert "Nobody was told of anything yet" in page


def test_a_route_is_made_and_leaves_an_entry(root: Client) -> None:
    assert made(root).status_code == 302
    assert Entry.objects.filter(kind="route.made", actor="person:root").count() == 1
    assert "On call" in text_of(root.get("/notices/routes/"))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kind": "email", "address": "nobody"}, "nobody is no mail address"),
        ({"kind": "email", "address": ""}, "Give 1 to 20 mail addresses"),
        ({"kind": "webhook", "address": "ftp://x"}, "no address like https://host/path"),
        ({"kind": "webhook", "address": "https://me:pw@host/"}, "without user"),
        ({"kind": "on-call", "address": "x@example.org"}, "Leave it empty"),
        ({"events": ["incident.closed"]}, "not one of the available choices"),
        ({"repeat_minutes": "-1"}, "greater than or equal to 0"),
    ],
)
def test_what_is_no_route_is_said_beside_its_field(root: Client, values: dict[str, Any], words: str) -> None:
    answer = made(root, **values)
    assert answer.status_code == 422
    assert words in text_of(answer)
    assert not Route.objects.exists()


def test_a_webhook_s_secret_is_shown_once(root: Client) -> None:
    page = text_of(made(root, kind="webhook", address="https://example.org/hook"))
    assert "whsec_" in page
    number = Route.objects.get().pk
    for address in ("/notices/routes/", f"/notices/routes/{number}/", "/notices/"):
        assert "whsec_" not in text_of(root.get(address))
    again = text_of(root.post(f"/notices/routes/{number}/secret/"))
    assert "whsec_" in again
    assert Route.objects.get().previous_nonce


def test_without_a_key_no_webhook_is_made(root: Client, settings: Any) -> None:
    settings.NOTICE_KEY = ""
    answer = made(root, kind="webhook", address="https://example.org/hook")
    assert answer.status_code == 422
    assert "NOTICE_KEY is not set" in text_of(answer)


def test_routes_are_an_administrator_s(make_user: MakeUser, root: Client) -> None:
    made(root)
    number = Route.objects.get().pk
    support = a_person(make_user, "sue", Role.MANAGER)
    for rest in ("", f"{number}/", f"{number}/test/", f"{number}/end/", f"{number}/secret/"):
        assert support.post(f"/notices/routes/{rest}", WANTED).status_code == 403, rest
    assert support.get("/notices/routes/").status_code == 403


def test_a_route_is_changed_tried_out_and_ended(root: Client) -> None:
    made(root, kind="email", address="desk@example.org")
    number = Route.objects.get().pk
    root.post(f"/notices/routes/{number}/", {**WANTED, "kind": "email", "address": "other@example.org"})
    assert root.post(f"/notices/routes/{number}/test/").headers["Location"] == "/notices/"
    sending.send(Message.objects.get().pk, now=timezone.now())
    assert mail.outbox[-1].to == ["other@example.org"]
    page = text_of(root.get("/notices/", headers=HTMX))
    assert "the mail server took it" in page
    root.post(f"/notices/routes/{number}/end/", {"because": "mo\0ved"})
    assert root.get(f"/notices/routes/{number}/").status_code == 404
    assert Route.objects.get().ended_because == "moved"


def test_another_team_does_not_see_whom_a_team_told(
    make_user: MakeUser, root: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    world(monkeypatch).answers["find_job"] = job("failed")
    team = Team.objects.create(name="Payments", slug="payments")
    made(root, kind="email", address="desk@example.org")
    incident = judged(make_source(team=team))
    own = a_person(make_user, "ada", Role.SUPPORT, teams=[team])
    other = a_person(make_user, "eve", Role.SUPPORT)
    assert f"/incidents/{incident.pk}/" in text_of(own.get("/notices/"))
    assert f"/incidents/{incident.pk}/" not in text_of(other.get("/notices/?state=waiting"))


def test_a_hostile_title_stays_text(root: Client) -> None:
    made(root, kind="email", address="desk@example.org", title="<img src=x onerror=alert(1)>\u202e")
    root.post(f"/notices/routes/{Route.objects.get().pk}/test/")
    Notice.objects.update(title="<script>alert(1)</script>")
    Message.objects.update(said="<b>bold</b>")
    for address in ("/notices/", "/notices/routes/"):
        page = text_of(root.get(address))
        for hostile in ("<img src=x", "<script>alert", "<b>bold", "\u202e"):
            assert hostile not in page, (address, hostile)


def test_a_person_chooses_what_they_hear_of_and_nothing_again(make_user: MakeUser) -> None:
    ada = a_person(make_user)
    assert "no mail address" in text_of(ada.get("/account/notices/"))
    User.objects.update(email="ada@example.org")
    chosen = {"events": ["request.proposed"], "least_rank": "2", "repeat_minutes": "0"}
    for _ in range(2):
        ada.post("/account/notices/", chosen)
    route = Route.objects.get(ended_at=None)
    assert (route.kind, route.events, route.least_rank) == ("person", ["request.proposed"], 2)
    ada.post("/account/notices/test/")
    sending.send(Message.objects.get().pk, now=timezone.now())
    assert mail.outbox[-1].to == ["ada@example.org"]
    ada.post("/account/notices/", {"least_rank": "2", "repeat_minutes": "0"})
    assert not Route.objects.filter(ended_at=None).exists()


def test_older_messages_are_one_step_away(root: Client) -> None:
    made(root, kind="email", address="desk@example.org")
    number = Route.objects.get().pk
    for _ in range(51):
        root.post(f"/notices/routes/{number}/test/")
    page = text_of(root.get("/notices/"))
    oldest = Message.objects.order_by("pk").first()
    assert oldest is not None
    assert f'id="row-{oldest.pk}"' not in page
    assert f'id="row-{oldest.pk}"' in text_of(root.get(f"/notices/?older={oldest.pk + 1}"))
    assert root.get("/notices/?older=999999999999999999999").status_code == 200
