"""Single sign-on: whom the provider vouches for comes in as an account that is there, or invited."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts import invitations, people
from accounts.models import Team, User
from accounts.roles import Role
from tests.fakes.oidc import CLIENT, Provider, provider
from tests.web.pages import MakeUser, text_of
from tests.web.signing import code, entries, with_app

pytestmark = pytest.mark.django_db
ADA = {"sub": "1", "email": "ada@example.com", "email_verified": True, "preferred_username": "ada"}
ADA |= {"name": "Ada L"}


@pytest.fixture
def idp(settings: Settings) -> Iterator[Provider]:
    with provider() as one:
        one.claims = dict(ADA)
        app = {
            "provider_id": "sso", "name": "Example", "client_id": CLIENT, "secret": "a client secret",
            "settings": {"server_url": one.url},
        }  # fmt: skip
        settings.SSO_ISSUER, settings.SSO_NAME = one.url, "Example"
        settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}}
        yield one


def begin(client: Client, next_page: str = "/deliveries/") -> dict[str, list[str]]:
    """Go to the provider; return what it was asked with."""
    response = client.get(f"/sign-in/sso/start/?next={next_page}")
    assert response.status_code == 302
    return parse_qs(urlsplit(response.headers["Location"]).query)


def come_back(client: Client, **query: str) -> Any:
    return client.get("/sign-in/sso/done/", {"code": "a code", **query})


def sign_in(client: Client) -> Any:
    return come_back(client, state=begin(client)["state"][0])


def refused(client: Client, words: str) -> None:
    response = sign_in(client)
    assert response.headers["Location"] == "/sign-in/"
    assert words in text_of(client.get("/sign-in/"))
    assert client.get("/").status_code == 302
    assert words in entries("session.refused")[-1]["reason"]


def with_address(user: User, email: str = "Ada@example.com") -> User:
    User.objects.filter(pk=user.pk).update(email=email)
    return user


def test_without_a_provider_there_is_no_such_address(client: Client) -> None:
    assert client.get("/sign-in/sso/start/").status_code == 404
    assert client.get("/sign-in/sso/done/").status_code == 404
    assert "Sign in with" not in text_of(client.get("/sign-in/"))


def test_nobody_whom_nobody_knows_comes_in(client: Client, idp: Provider) -> None:
    refused(client, "Nobody with the address ada@example.com has an account")
    assert not User.objects.exists()


@pytest.mark.parametrize("claims", [{"email_verified": False}, {"email_verified": None}, {"email": None}])
def test_an_address_that_is_not_verified_opens_no_account(
    client: Client, idp: Provider, make_user: MakeUser, claims: dict[str, Any]
) -> None:
    with_address(make_user("ada", role=Role.SUPPORT))
    idp.claims |= claims
    refused(client, "names no verified e-mail address")


def test_an_address_of_two_accounts_opens_neither(client: Client, idp: Provider, make_user: MakeUser) -> None:
    for name in ("ada", "ben"):
        with_address(make_user(name, role=Role.SUPPORT))
    refused(client, "Several accounts have the address")


def test_an_account_that_is_switched_off_stays_shut(
    client: Client, idp: Provider, make_user: MakeUser
) -> None:
    user = with_address(make_user("ada", role=Role.SUPPORT))
    User.objects.filter(pk=user.pk).update(is_active=False)
    sign_in(client)
    assert client.get("/").status_code == 302
    assert entries("session.opened") == []


def test_the_verified_address_opens_its_account_and_links_it(
    client: Client, idp: Provider, make_user: MakeUser
) -> None:
    user = with_address(make_user("ada", role=Role.SUPPORT))
    assert "Sign in with Example" in text_of(client.get("/sign-in/"))
    assert sign_in(client).headers["Location"] == "/deliveries/"
    assert client.get("/deliveries/").status_code == 200
    assert entries("person.linked")[0]["username"] == "ada"
    assert entries("session.opened")[0]["methods"] == ["socialaccount"]
    with_address(user, "elsewhere@example.com")
    assert sign_in(Client()).headers["Location"] == "/deliveries/", "from then on by the provider's own id"
    assert len(entries("person.linked")) == 1


def test_who_is_invited_gets_the_account_that_they_were_invited_to(
    client: Client, idp: Provider, make_user: MakeUser
) -> None:
    root = make_user("ada", role=Role.ADMINISTRATOR)
    team = Team.objects.create(name="Payments", slug="payments")
    invitations.invite("ada@example.com", role=Role.ON_CALL, team=team, by=root, now=timezone.now())
    assert sign_in(client).headers["Location"] == "/deliveries/"
    user = User.objects.get(email="ada@example.com")
    assert (user.username, user.get_full_name(), user.has_usable_password()) == ("ada-2", "Ada L", False)
    assert people.place_of(user) == people.Place(Role.ON_CALL, frozenset({team.pk}), True)
    User.objects.filter(pk=user.pk).update(email="")
    idp.claims["sub"] = "2"
    refused(Client(), "Nobody with the address")


def test_a_second_factor_here_is_asked_for_after_the_provider(
    client: Client, idp: Provider, make_user: MakeUser
) -> None:
    with_app(with_address(make_user("ada", role=Role.SUPPORT)))
    assert sign_in(client).headers["Location"] == "/sign-in/second-factor/"
    assert client.get("/").status_code == 302
    assert client.post("/sign-in/second-factor/", {"code": code()}).headers["Location"] == "/deliveries/"


def test_state_and_pkce_tie_the_answer_to_the_browser_that_asked(
    client: Client, idp: Provider, make_user: MakeUser
) -> None:
    with_address(make_user("ada", role=Role.SUPPORT))
    asked = begin(client)
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["redirect_uri"] == ["http://testserver/sign-in/sso/done/"]
    for stranger, state in ((Client(), asked["state"][0]), (client, "another"), (client, "")):
        come_back(stranger, state=state)
        assert stranger.get("/").status_code == 302
    assert idp.forms == [], "no code was exchanged"
    come_back(client, state=asked["state"][0])
    assert idp.forms[0]["code_verifier"][0]
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("fault", ["denied", "token", "audience", "gone"])
def test_a_provider_that_fails_is_said_in_words(
    client: Client, idp: Provider, make_user: MakeUser, fault: str
) -> None:
    with_address(make_user("ada", role=Role.SUPPORT))
    state = begin(client)["state"][0]
    if fault == "denied":
        response = client.get("/sign-in/sso/done/", {"error": "access_denied", "state": state})
    else:
        if fault == "token":
            idp.token_status = 500
        elif fault == "audience":
            idp.audience = "another client"
        else:
            idp.claims = {}
        response = come_back(client, state=state)
    assert response.headers["Location"] == "/sign-in/"
    assert "did not finish" in text_of(client.get("/sign-in/"))
    assert client.get("/").status_code == 302


def test_a_provider_that_cannot_be_reached_is_said_in_words(client: Client, idp: Provider) -> None:
    idp.discovery_status = 500
    assert client.get("/sign-in/sso/start/").headers["Location"] == "/sign-in/"
    assert "did not finish" in text_of(client.get("/sign-in/"))


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example"])
def test_nobody_is_sent_elsewhere_afterwards(
    client: Client, idp: Provider, make_user: MakeUser, target: str
) -> None:
    with_address(make_user("ada", role=Role.SUPPORT))
    state = begin(client, target)["state"][0]
    assert come_back(client, state=state).headers["Location"] == "/"
