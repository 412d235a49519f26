"""Showing again who one is: what counts, for how long, and where one comes back to."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.test import Client, RequestFactory

from accounts import stepup
from accounts.models import User
from accounts.roles import Role
from accounts.stepup import Method
from tests.web.pages import MakeUser, signed_in, text_of
from tests.web.signing import PASSWORD, code, entries, fresh, shown, with_app

pytestmark = pytest.mark.django_db
MFA = {"method": "mfa"}


def proof(client: Client, user: User) -> stepup.StepUp | None:
    request = RequestFactory().get("/")
    request.session, request.user = client.session, user
    return stepup.recent(request, datetime.now(UTC))


@pytest.mark.parametrize(
    ("record", "method", "is_strong"),
    [
        ({}, Method.PASSWORD, False),
        ({"method": "socialaccount"}, Method.SINGLE_SIGN_ON, False),
        ({**MFA, "type": "recovery_codes"}, Method.RECOVERY_CODE, False),
        ({**MFA, "type": "totp"}, Method.TOTP, True),
        ({**MFA, "type": "webauthn"}, Method.PASSKEY, True),
    ],
)
def test_a_proof_says_what_was_shown_and_whether_it_is_strong(
    make_user: MakeUser, record: dict[str, Any], method: Method, is_strong: bool
) -> None:
    user = make_user("ada")
    found = proof(fresh(user, **record), user)
    assert found is not None
    assert (found.method, found.is_strong) == (method, is_strong)
    assert abs(found.at - datetime.now(UTC)) < timedelta(seconds=30)


def test_a_session_in_which_nothing_was_shown_proves_nothing(make_user: MakeUser) -> None:
    user = make_user("ada")
    assert proof(signed_in(user), user) is None


def test_what_another_person_showed_in_this_browser_proves_nothing(make_user: MakeUser) -> None:
    ada, ben = make_user("ada"), make_user("ben")
    client = signed_in(ben)
    shown(client, ada)
    assert proof(client, ben) is None


@pytest.mark.parametrize(("seconds", "counts"), [(290, True), (301, False), (-60, False)])
def test_a_proof_is_good_for_300_seconds(make_user: MakeUser, seconds: int, counts: bool) -> None:
    user = make_user("ada")
    assert (proof(fresh(user, seconds_ago=seconds), user) is not None) is counts


@pytest.mark.parametrize(
    "record",
    [None, "totp", {}, {"method": "mfa"}, {"method": "mfa", "type": "sms", "at": 1}, {"method": "totp"},
     {"method": "mfa", "type": "totp", "at": "now"}, {"method": "mfa", "type": "totp", "at": True},
     {"method": "mfa", "type": "totp", "at": float("inf")}, {"method": ["mfa"], "type": {}, "at": 0}],
)  # fmt: skip
def test_a_record_that_cannot_be_read_proves_nothing(record: Any) -> None:
    assert stepup.strongest([record], datetime.now(UTC)) is None


def test_a_newer_password_does_not_hide_a_stronger_proof() -> None:
    at = time.time()
    records = [{**MFA, "type": "totp", "at": at - 100}, {"method": "password", "at": at}]
    found = stepup.strongest(records, datetime.now(UTC))
    assert found is not None
    assert found.method is Method.TOTP


def test_without_a_proof_the_page_sends_to_show_one_and_comes_back(make_user: MakeUser) -> None:
    client = signed_in(make_user("ada", role=Role.SUPPORT))
    response = client.get("/account/tokens/")
    assert response.headers["Location"] == "/step-up/?next=%2Faccount%2Ftokens%2F"
    response = client.post("/step-up/", {"password": PASSWORD, "next": "/account/tokens/"})
    assert response.headers["Location"] == "/account/tokens/"
    assert client.get("/account/tokens/").status_code == 200
    assert entries("session.confirmed") == [
        {"kind": "session.confirmed", "actor": "person:ada", "username": "ada", "method": "password"}
    ]


def test_a_wrong_password_shows_nothing(make_user: MakeUser) -> None:
    client = signed_in(make_user("ada", role=Role.SUPPORT))
    response = client.post("/step-up/", {"password": "guess", "next": "/"})
    assert response.status_code == 422
    assert "not your password" in text_of(response)
    assert client.get("/account/tokens/").status_code == 302
    for _ in range(5):
        response = client.post("/step-up/", {"password": PASSWORD if _ == 4 else "guess"})
    assert "Too many" in text_of(response)


def test_who_has_an_app_cannot_do_with_the_password(make_user: MakeUser) -> None:
    user = with_app(make_user("ada", role=Role.SUPPORT))
    client = fresh(user)
    assert client.get("/account/tokens/").status_code == 302, "the password of the sign-in is not enough"
    response = client.post("/step-up/", {"password": PASSWORD})
    assert response.status_code == 422
    assert "not enough" in text_of(response)
    assert 'name="password"' not in text_of(client.get("/step-up/"))
    assert client.post("/step-up/", {"code": "000000"}).status_code == 422
    assert client.post("/step-up/", {"code": code()}).status_code == 302
    assert client.get("/account/tokens/").status_code == 200
    found = proof(client, user)
    assert found is not None
    assert found.method is Method.TOTP
    assert entries("session.confirmed")[0]["method"] == "totp"


def test_a_recovery_code_stands_in_for_the_app_and_is_not_strong(make_user: MakeUser) -> None:
    user = with_app(make_user("ada", role=Role.SUPPORT))
    first = RecoveryCodes.activate(user).get_unused_codes()[0]
    client = signed_in(user)
    assert client.post("/step-up/", {"code": first}).status_code == 302
    found = proof(client, user)
    assert found is not None
    assert (found.method, found.is_strong) == (Method.RECOVERY_CODE, False)
    assert client.get("/account/tokens/").status_code == 200
    assert client.post("/step-up/", {"code": first}).status_code == 422, "each is good once"


def test_what_is_of_high_risk_does_not_ask_for_a_password(make_user: MakeUser) -> None:
    client = signed_in(make_user("ada", role=Role.SUPPORT))
    page = text_of(client.get("/step-up/?for=strong&next=/"))
    assert 'name="password"' not in page
    assert "Set one up" in page
    assert client.post("/step-up/", {"password": PASSWORD, "for": "strong"}).status_code == 422


@pytest.mark.parametrize("credential", ["", "{}", "[]", '{"id": "x", "response": {}}'])
def test_an_invented_passkey_shows_nothing(make_user: MakeUser, credential: str) -> None:
    user = make_user("ada", role=Role.SUPPORT)
    client = signed_in(user)
    assert client.post("/step-up/", {"credential": credential}).status_code == 422
    assert proof(client, user) is None
    assert Authenticator.objects.count() == 0


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "javascript:alert(1)"])
def test_nobody_is_sent_elsewhere(make_user: MakeUser, target: str) -> None:
    client = signed_in(make_user("ada"))
    response = client.post("/step-up/", {"password": PASSWORD, "next": target})
    assert response.headers["Location"] == "/"
