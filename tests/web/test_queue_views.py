"""Saved views of the queue and its columns: whose they are, and who may share one."""

import pytest
from django.test import Client

from accounts.models import Team, User
from accounts.roles import Role
from incidents.models import QueueLook, SavedView
from tests.web.pages import MakeUser, signed_in, text_of

pytestmark = pytest.mark.django_db


def keep(client: Client, name: str, audience: str = "") -> str:
    form = {"name": name, "audience": audience, "here": "tab=person&severity=critical"}
    return text_of(client.post("/queue/views/", form, follow=True))


def of_team(make_user: MakeUser, role: Role, name: str) -> User:
    user = make_user(role=role, username=name)
    user.teams.add(Team.objects.get_or_create(name="Payments", slug="payments")[0])
    return user


@pytest.mark.parametrize("name", ["", "   ", "x" * 41, "\0"])
def test_a_view_needs_a_name_that_fits(make_user: MakeUser, name: str) -> None:
    assert "at most 40 characters" in keep(signed_in(make_user(role=Role.SUPPORT)), name)
    assert not SavedView.objects.exists()


@pytest.mark.parametrize("audience", ["payments", "all"])
def test_who_only_reads_shares_nothing(make_user: MakeUser, audience: str) -> None:
    client = signed_in(of_team(make_user, Role.AUDITOR, "iris"))
    assert "keep the view for yourself" in keep(client, "Critical", audience)
    assert not SavedView.objects.exists()
    assert "Kept as “Critical”." in keep(client, "Critical")


@pytest.mark.parametrize(
    ("audience", "says"),
    [("all", "who sees every team"), ("other", "a team that you are in"), ("a\0b", "a team that you are in")],
)
def test_a_view_is_shared_as_far_as_its_owner_sees(make_user: MakeUser, audience: str, says: str) -> None:
    Team.objects.create(name="Other", slug="other")
    assert says in keep(signed_in(of_team(make_user, Role.SUPPORT, "ada")), "Critical", audience)
    assert not SavedView.objects.exists()


def test_a_teams_view_is_seen_by_the_team_and_deleted_by_its_owner(make_user: MakeUser) -> None:
    owner, mate = (signed_in(of_team(make_user, Role.SUPPORT, name)) for name in ("ada", "ben"))
    stranger = signed_in(make_user(role=Role.SUPPORT, username="cy"))
    keep(owner, "Critical <now>", "payments")
    view = SavedView.objects.get()
    assert "Critical &lt;now&gt;" in mate.get("/").content.decode()
    assert "Critical" not in text_of(stranger.get("/")).replace("critical", "")
    for other in (mate, stranger):
        assert "somebody else" in text_of(other.post(f"/queue/views/{view.pk}/delete/", follow=True))
    assert SavedView.objects.exists()
    assert "No incident was touched." in text_of(owner.post(f"/queue/views/{view.pk}/delete/", follow=True))
    assert not SavedView.objects.exists()


def test_the_same_name_again_replaces_the_own_view(make_user: MakeUser) -> None:
    client = signed_in(make_user(role=Role.SUPPORT))
    keep(client, "Critical")
    keep(client, "Critical")
    assert SavedView.objects.count() == 1


def test_unknown_columns_are_not_kept(make_user: MakeUser) -> None:
    client = signed_in(make_user(role=Role.SUPPORT))
    client.post("/queue/columns/", {"column": ["kind", "<b>", "age"], "here": ""})
    assert QueueLook.objects.get().columns == ["kind", "age"]
