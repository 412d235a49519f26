"""People, teams, invitations and tokens: who may change them, and that each change is an entry."""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts import invitations, people, tokens
from accounts.models import Invitation, Team, Token, User
from accounts.roles import Role
from tests.web.pages import MakeUser, signed_in, text_of
from tests.web.signing import PASSWORD, entries, fresh, with_app

pytestmark = pytest.mark.django_db
NEW = {"username": "new", "full_name": "New Person"} | {
    "password": "a sentence of words",
    "again": "a sentence of words",
}


@pytest.fixture
def root(make_user: MakeUser) -> User:
    return make_user("root", role=Role.ADMINISTRATOR)


@pytest.fixture
def admin(root: User) -> Client:
    return fresh(root)


@pytest.fixture
def payments(db: None) -> Team:
    return Team.objects.create(name="Payments", slug="payments")


def form_of(role: str = "support", teams: tuple[Team, ...] = (), is_active: bool = True) -> dict[str, Any]:
    form: dict[str, Any] = {"role": role, "teams": [team.pk for team in teams]}
    return {**form, "is_active": "on"} if is_active else form


def link_in(page: str, path: str) -> str:
    (link,) = re.findall(rf'value="http://[^/]+({path}[^"]+)"', page)
    return str(link)


@pytest.mark.parametrize("role", [None, Role.SUPPORT, Role.ON_CALL, Role.MANAGER, Role.AUDITOR])
def test_nobody_but_an_administrator_looks_after_people(make_user: MakeUser, role: Role | None) -> None:
    user = make_user("ada", role=role or "")
    client = fresh(user, method="mfa", type="totp")
    for path in ("/people/", f"/people/{user.pk}/", "/people/teams/", "/people/invitations/"):
        assert client.get(path).status_code == 403
        assert client.post(path, form_of("administrator")).status_code in (403, 405)
    for act in ("end-sessions", "take-second-factors", "password-link"):
        assert client.post(f"/people/{user.pk}/{act}/").status_code == 403
    assert people.place_of(user).role == role


def test_a_role_does_not_change_without_a_fresh_proof(root: User, make_user: MakeUser) -> None:
    ada = make_user("ada", role=Role.SUPPORT)
    answer = signed_in(root).post(f"/people/{ada.pk}/", form_of("administrator"))
    assert answer.headers["Location"].startswith("/step-up/")
    assert people.place_of(ada).role is Role.SUPPORT


def test_a_form_without_a_page_comes_back_to_the_page_that_it_stood_on(root: User) -> None:
    page = f"/people/{root.pk}/"
    for referer, leads_to in (
        (f"http://testserver{page}", page),
        ("http://evil.example/x/", f"{page}password-link/"),
    ):
        answer = signed_in(root).post(f"{page}password-link/", headers={"Referer": referer})
        assert answer.headers["Location"] == f"/step-up/?{urlencode({'next': leads_to})}"
    assert entries("password.") == []


def test_an_administrator_changes_role_and_teams_and_each_is_an_entry(
    admin: Client, make_user: MakeUser, payments: Team
) -> None:
    ada = make_user("ada", role=Role.SUPPORT)
    assert admin.post(f"/people/{ada.pk}/", form_of("manager", (payments,))).status_code == 302
    assert people.place_of(ada) == people.Place(Role.MANAGER, frozenset({payments.pk}), True)
    role, teams = entries("person.")
    assert (role["actor"], role["before"], role["after"]) == ("person:root", ["support"], ["manager"])
    assert (teams["before"], teams["after"]) == ([], ["payments"])
    assert admin.post(f"/people/{ada.pk}/", form_of("manager", (payments,))).status_code == 302
    assert len(entries("person.")) == 2, "what changes nothing is no entry"


@pytest.mark.parametrize("form", [{"role": "root", "is_active": "on"}, {"role": "support", "teams": ["99"]}])
def test_a_role_or_team_that_is_none_changes_nothing(
    admin: Client, make_user: MakeUser, form: dict[str, Any]
) -> None:
    ada = make_user("ada", role=Role.SUPPORT)
    assert admin.post(f"/people/{ada.pk}/", form).status_code == 422
    assert people.place_of(ada) == people.Place(Role.SUPPORT, frozenset(), True)


def test_the_last_administrator_stays(admin: Client, root: User, make_user: MakeUser) -> None:
    for form in (form_of("support"), form_of("administrator", is_active=False)):
        answer = admin.post(f"/people/{root.pk}/", form)
        assert answer.status_code == 422
        assert "last administrator" in text_of(answer)
    assert people.place_of(root).role is Role.ADMINISTRATOR
    assert entries("person.") == []
    make_user("second", role=Role.ADMINISTRATOR)
    assert admin.post(f"/people/{root.pk}/", form_of("support")).status_code == 302


def test_who_is_switched_off_is_out_at_once(admin: Client, make_user: MakeUser) -> None:
    ada = make_user("ada", role=Role.SUPPORT)
    theirs = Client()
    theirs.post("/sign-in/", {"username": "ada", "password": PASSWORD})
    wanted = tokens.Wanted("agent", ("read",), "http://here", timedelta(days=1))
    _, secret = tokens.make(wanted, owner=ada, by="x", now=timezone.now())
    admin.post(f"/people/{ada.pk}/", form_of(is_active=False))
    assert theirs.get("/").status_code == 302
    with pytest.raises(tokens.TokenRefused, match="switched off"):
        tokens.verify(secret, audience="http://here", now=timezone.now())
    kinds = [entry["kind"] for entry in entries("person.") + entries("session.ended")]
    assert kinds == ["person.switched_off", "session.ended"]


def test_lost_second_factors_are_taken_away_by_an_administrator(admin: Client, make_user: MakeUser) -> None:
    ada = with_app(make_user("ada", role=Role.SUPPORT))
    assert "an authenticator app" in text_of(admin.get(f"/people/{ada.pk}/"))
    admin.post(f"/people/{ada.pk}/take-second-factors/")
    removed = entries("second_factor.removed")[0]
    assert (removed["actor"], removed["username"]) == ("person:root", "ada")
    assert Client().post("/sign-in/", {"username": "ada", "password": PASSWORD}).headers["Location"] == "/"


def test_a_link_for_a_new_password_works_once(admin: Client, make_user: MakeUser) -> None:
    ada = make_user("ada", role=Role.SUPPORT)
    link = link_in(text_of(admin.post(f"/people/{ada.pk}/password-link/")), "/new-password/")
    stranger = Client()
    assert stranger.post(link, {"password": "ada", "again": "ada"}).status_code == 422
    form = {"password": "a new sentence of it", "again": "a new sentence of it"}
    assert stranger.post(link, form).headers["Location"] == "/sign-in/"
    assert stranger.post(link, form).status_code == 404
    assert stranger.get(link[:-3] + "xx/").status_code == 404
    assert stranger.post("/sign-in/", {"username": "ada", "password": form["password"]}).status_code == 302
    assert [entry["kind"] for entry in entries("password.")] == ["password.link_made", "password.changed"]


def test_an_invitation_makes_one_account_once(admin: Client, payments: Team) -> None:
    wanted = {"email": "new@example.com", "role": "on-call", "team": payments.pk}
    page = text_of(admin.post("/people/invitations/", wanted))
    link = link_in(page, "/invitations/")
    assert link not in text_of(admin.get("/people/invitations/")), "it is shown once"
    newcomer = Client()
    assert "as on-call of the team Payments" in text_of(newcomer.get(link))
    assert newcomer.post(link, {**NEW, "again": "else"}).status_code == 422
    assert newcomer.post(link, {**NEW, "username": "root"}).status_code == 422
    assert newcomer.post(link, {**NEW, "role": "administrator"}).headers["Location"] == "/account/security/"
    user = User.objects.get(username="new")
    assert people.place_of(user) == people.Place(Role.ON_CALL, frozenset({payments.pk}), True)
    assert (user.email, user.get_full_name()) == ("new@example.com", "New Person")
    assert newcomer.get("/").status_code == 200
    again = Client().post(link, {**NEW, "username": "second"})
    assert again.status_code == 404
    assert "used, withdrawn or too old" in text_of(again)
    kinds = [entry["kind"] for entry in entries("invitation.")]
    assert kinds == ["invitation.made", "invitation.accepted"]
    assert entries("session.opened")[0]["username"] == "new"


def test_the_secret_of_an_invitation_is_kept_nowhere(admin: Client) -> None:
    page = text_of(admin.post("/people/invitations/", {"email": "new@example.com", "role": "support"}))
    secret = link_in(page, "/invitations/").split("/")[2]
    assert secret not in str(list(Invitation.objects.values()))
    assert secret not in str(entries("invitation."))


def made(root: User, email: str = "new@example.com") -> tuple[Invitation, str]:
    return invitations.invite(email, role=Role.SUPPORT, team=None, by=root, now=timezone.now())


@pytest.mark.parametrize("end", ["withdrawn", "late", "inviter"])
def test_an_invitation_that_is_over_opens_nothing(admin: Client, root: User, end: str) -> None:
    invitation, secret = made(root)
    if end == "withdrawn":
        admin.post(f"/people/invitations/{invitation.pk}/withdraw/")
        admin.post(f"/people/invitations/{invitation.pk}/withdraw/")
    elif end == "late":
        early = timezone.now() - timedelta(days=8)
        Invitation.objects.update(made_at=early, expires_at=early + invitations.LASTS)
    else:
        User.objects.filter(pk=root.pk).update(is_active=False)
    stranger = Client()
    assert stranger.get(f"/invitations/{secret}/").status_code == 404
    assert stranger.post(f"/invitations/{secret}/", NEW).status_code == 404
    assert not User.objects.filter(username="new").exists()


def test_of_two_who_accept_at_once_one_has_the_account(root: User) -> None:
    invitation, _ = made(root)
    invitations.accept(invitation, invitations.Newcomer("one", "", PASSWORD), now=timezone.now())
    with pytest.raises(invitations.InvitationRefused, match="used"):
        invitations.accept(invitation, invitations.Newcomer("two", "", PASSWORD), now=timezone.now())
    assert not User.objects.filter(username="two").exists()


def test_who_has_an_account_is_not_invited(admin: Client, root: User) -> None:
    User.objects.filter(pk=root.pk).update(email="Root@example.com")
    answer = admin.post("/people/invitations/", {"email": "root@Example.com", "role": "support"})
    assert answer.status_code == 422
    assert Invitation.objects.count() == 0


def test_an_invitation_goes_out_by_mail_when_asked(admin: Client, settings: Settings) -> None:
    form = {"email": "new@example.com", "role": "support", "is_sent": "on"}
    page = text_of(admin.post("/people/invitations/", form))
    assert link_in(page, "/invitations/") in mail.outbox[0].body
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    page = text_of(admin.post("/people/invitations/", {**form, "email": "b@example.com"}))
    assert "could not be sent" in page
    assert link_in(page, "/invitations/")


def test_teams_are_made_and_renamed_and_keep_their_slug(admin: Client) -> None:
    assert admin.post("/people/teams/", {"name": "!!!"}).status_code == 422
    assert admin.post("/people/teams/", {"name": "Card Payments"}).status_code == 302
    assert admin.post("/people/teams/", {"name": "card payments"}).status_code == 422
    assert admin.post("/people/teams/card-payments/", {"name": "Cards"}).status_code == 302
    assert Team.objects.get().name == "Cards"
    assert admin.get("/people/teams/none/").status_code == 404
    assert [entry["kind"] for entry in entries("team.")] == ["team.made", "team.renamed"]


def test_a_token_is_made_shown_once_and_revoked(make_user: MakeUser) -> None:
    client = fresh(make_user("ada", role=Role.ON_CALL))
    form = {"name": "agent", "scopes": ["read", "tools"], "days": "7", "tools": "find_job  find_order"}
    page = text_of(client.post("/account/tokens/", form))
    (secret,) = re.findall(r'value="(assay_[\w-]{43})"', page)
    assert secret not in text_of(client.get("/account/tokens/"))
    token = Token.objects.get()
    assert (token.scopes, token.tools, token.owner.username) == (
        ["read", "tools"], ["find_job", "find_order"], "ada",
    )  # fmt: skip
    assert client.post("/account/tokens/", form).status_code == 422, "its name is taken"
    assert client.post("/account/tokens/agent/revoke/", {"because": "over"}).status_code == 302
    assert Token.objects.get().revoked_at is not None
    assert [entry["kind"] for entry in entries("token.")] == ["token.made", "token.revoked"]


@pytest.mark.parametrize(
    "change", [{"scopes": ["approve"]}, {"scopes": []}, {"days": "0"}, {"days": "9999"}, {"name": "a b"}]
)
def test_a_token_that_cannot_be_is_not_made(make_user: MakeUser, change: dict[str, Any]) -> None:
    client = fresh(make_user("ada", role=Role.ON_CALL))
    answer = client.post("/account/tokens/", {"name": "agent", "scopes": ["read"], "days": "7", **change})
    assert answer.status_code == 422
    assert Token.objects.count() == 0


def test_an_auditor_makes_no_token_that_asks_or_submits(make_user: MakeUser) -> None:
    client = fresh(make_user("ada", role=Role.AUDITOR))
    form = {"name": "agent", "scopes": ["tools"], "days": "7"}
    assert client.post("/account/tokens/", form).status_code == 422
    assert client.post("/account/tokens/", {**form, "scopes": ["read"]}).status_code == 200


def test_anybody_elses_token_is_an_administrators_alone(admin: Client, make_user: MakeUser) -> None:
    wanted = tokens.Wanted("agent", ("read",), "http://here", timedelta(days=1))
    tokens.make(wanted, owner=make_user("ada", role=Role.ON_CALL), by="x", now=timezone.now())
    other = fresh(make_user("ben", role=Role.ON_CALL))
    assert '<b class="mono">agent' not in text_of(other.get("/account/tokens/"))
    assert '<b class="mono">agent' in text_of(admin.get("/account/tokens/"))
    assert other.post("/account/tokens/agent/revoke/").status_code == 404
    assert admin.post("/account/tokens/agent/revoke/").status_code == 302
    assert Token.objects.get().revoked_at is not None


def test_a_token_changes_no_role_and_makes_no_token(root: User) -> None:
    scopes = tuple(scope.value for scope in tokens.Scope)
    wanted = tokens.Wanted("agent", scopes, "http://localhost:8000", timedelta(days=1))
    _, secret = tokens.make(wanted, owner=root, by="x", now=timezone.now())
    bearer = Client(headers={"Authorization": f"Bearer {secret}"})
    for path in (f"/people/{root.pk}/", "/people/invitations/", "/account/tokens/", "/step-up/"):
        answer = bearer.post(path, {"role": "auditor", "password": PASSWORD})
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith("/sign-in/")
    assert people.place_of(root).role is Role.ADMINISTRATOR
