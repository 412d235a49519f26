"""Two people save the same form: the second is told who was first, and takes nothing back unseen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
from django.test import Client

from accounts.models import Team, User
from accounts.roles import Role
from incidents.models import Identifier, StampEdit
from notices.models import Route
from tests.db.investigated import world
from tests.web.forms import Form, forms_of
from tests.web.pages import MakeUser, judged, signed_in, text_of
from tests.web.signing import shown

pytestmark = pytest.mark.django_db


@dataclass(frozen=True, slots=True)
class Edited:
    """A form: its page, what its address ends in, what each of the two says, and what is kept by then."""

    page: str
    action: str
    first: Mapping[str, str]
    second: Mapping[str, str]
    kept: Callable[[], str]


def a_team() -> Edited:
    Team.objects.create(name="Payments", slug="payments")
    page = "/people/teams/payments/"
    return Edited(page, page, {"name": "Till"}, {"name": "Desk"}, lambda: Team.objects.get().name)


def a_route() -> Edited:
    route = Route.objects.create(
        title="Desk", kind="email", address="a@example.org", made_by="person:root",
        made_at="2026-01-01T00:00:00Z", events=["incident.needs_person"],
    )  # fmt: skip
    page = f"/notices/routes/{route.pk}/"
    first, second = {"address": "b@example.org"}, {"address": "c@example.org", "title": "Night"}
    return Edited(page, page, first, second, lambda: Route.objects.get().address)


def a_stamp() -> Edited:
    page = f"/incidents/{judged().pk}/stamps/"
    first = {"name": "mitigated", "at": "2026-01-01 10:00", "because": "The graph."}
    second = {**first, "at": "2026-01-01 11:00", "because": "The pager."}
    return Edited(page, page, first, second, lambda: StampEdit.objects.latest("pk").because)


def an_identifier() -> Edited:
    page = f"/incidents/{judged().pk}/"
    first, second = {"name": "host", "value": "db-1"}, {"name": "host", "value": "db-2"}
    return Edited(page, f"{page}identify/", first, second, lambda: Identifier.objects.latest("pk").value)


@pytest.fixture
def two(make_user: MakeUser) -> list[Client]:
    """The browsers of two administrators who have just shown who they are."""
    return [_browser(make_user(name, role=Role.ADMINISTRATOR)) for name in ("ada", "bea")]


def _browser(user: User) -> Client:
    client = signed_in(user)
    shown(client, user, method="password")
    return client


@pytest.mark.parametrize("make", [a_team, a_route, a_stamp, an_identifier])
def test_the_second_to_save_is_told_and_can_save_after_a_look(
    make: Callable[[], Edited], two: list[Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    world(monkeypatch)
    edited = make()
    ada, bea = two
    theirs, hers = form(ada, edited), form(bea, edited)
    assert ada.post(edited.action, dict(theirs.filled({}, edited.first))).status_code == 302
    kept = edited.kept()
    assert kept in edited.first.values()
    refused = bea.post(edited.action, dict(hers.filled({}, edited.second)))
    page = text_of(refused)
    assert (refused.status_code, edited.kept()) == (422, kept), "the first's was written over"
    assert "ada has " in page
    assert kept in page, "what stands now is not told"
    assert all(said in page for said in edited.second.values()), "what was typed is gone"
    again = next(
        one for one in forms_of(page, edited.page) if one.address({}) == edited.action and one.texts()
    )
    assert bea.post(edited.action, dict(again.filled({}, edited.second))).status_code == 302
    assert edited.kept() in edited.second.values()


def test_of_two_new_secrets_the_second_waits_for_a_look(two: list[Client]) -> None:
    route = Route.objects.create(
        title="Bot", kind="webhook", address="https://example.org/", made_by="person:root",
        made_at="2026-01-01T00:00:00Z", nonce="first",
    )  # fmt: skip
    page = f"/notices/routes/{route.pk}/"
    sent = [
        next(one for one in forms_of(text_of(client.get(page)), page) if one.action.endswith("/secret/"))
        for client in two
    ]
    for client, one in zip(two, sent, strict=True):
        client.post(one.action, dict(one.filled({}, {})))
    assert Route.objects.get().previous_nonce == "first", "the secret that the receiver knows signs no more"


def form(client: Client, edited: Edited) -> Form:
    found = forms_of(text_of(client.get(edited.page)), edited.page)
    return next(one for one in found if one.address({}) == edited.action and one.texts())
