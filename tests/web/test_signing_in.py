"""Signing in by more than a password, and without letting a stranger keep anybody out."""

from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client

from accounts import throttle
from accounts.models import User
from accounts.roles import Role
from tests.web.pages import MakeUser, text_of
from tests.web.signing import PASSWORD, code, entries, with_app

pytestmark = pytest.mark.django_db


def try_it(
    client: Client, name: str = "ada", password: str = PASSWORD, address: str = "192.0.2.1", **more: str
) -> Any:
    form = {"username": name, "password": password, **more}
    return client.post("/sign-in/", form, REMOTE_ADDR=address)


def test_the_password_alone_opens_nothing_for_who_has_an_app(client: Client, make_user: MakeUser) -> None:
    with_app(make_user("ada", role=Role.SUPPORT))
    response = try_it(client)
    assert response.headers["Location"] == "/sign-in/second-factor/"
    assert client.get("/").headers["Location"].startswith("/sign-in/")
    assert entries("session.opened") == []


def test_a_wrong_code_is_refused_and_recorded(client: Client, make_user: MakeUser) -> None:
    with_app(make_user("ada", role=Role.SUPPORT))
    try_it(client)
    response = client.post("/sign-in/second-factor/", {"code": "000000"})
    assert response.status_code == 422
    assert "That was not right" in text_of(response)
    assert entries("session.refused")[0]["reason"] == "the code of the second factor is wrong"


def test_the_sixth_code_waits_even_when_it_is_right(client: Client, make_user: MakeUser) -> None:
    with_app(make_user("ada", role=Role.SUPPORT))
    try_it(client)
    for _ in range(5):
        client.post("/sign-in/second-factor/", {"code": "000000"})
    response = client.post("/sign-in/second-factor/", {"code": code()})
    assert response.status_code == 422
    assert "Too many codes" in text_of(response)


def test_the_right_code_opens_the_session_and_leads_on(client: Client, make_user: MakeUser) -> None:
    with_app(make_user("ada", role=Role.SUPPORT))
    try_it(client, next="/deliveries/")
    response = client.post("/sign-in/second-factor/", {"code": code()})
    assert response.headers["Location"] == "/deliveries/"
    assert entries("session.opened")[0]["methods"] == ["password", "totp"]
    assert client.get("/deliveries/").status_code == 200


def test_a_code_is_good_once(client: Client, make_user: MakeUser) -> None:
    with_app(make_user("ada", role=Role.SUPPORT))
    used = code()
    for browser, status in ((client, 302), (Client(), 422)):
        try_it(browser)
        assert browser.post("/sign-in/second-factor/", {"code": used}).status_code == status


def test_the_key_of_an_app_is_kept_encrypted(make_user: MakeUser) -> None:
    with_app(make_user("ada"))
    assert "JBSWY3DP" not in str(Authenticator.objects.get().data)


def test_the_second_step_cannot_be_opened_first(client: Client) -> None:
    assert client.get("/sign-in/second-factor/").headers["Location"] == "/sign-in/"


def test_a_stranger_does_not_lock_a_name_out_of_the_browser_that_knows_it(make_user: MakeUser) -> None:
    make_user("ada")
    known = Client()
    assert try_it(known).status_code == 302
    known.post("/sign-out/")
    for number in range(throttle.TRIES_FOR_ONE_NAME + 5):
        try_it(Client(), password="guess", address=f"198.51.100.{number}")
    assert try_it(Client(), address="203.0.113.9").status_code == 429, "a new browser waits"
    assert try_it(known, address="203.0.113.9").status_code == 302, "the known one does not"


def test_a_stranger_at_the_same_address_does_not_either(make_user: MakeUser) -> None:
    make_user("ada")
    known = Client()
    try_it(known)
    known.post("/sign-out/")
    for number in range(throttle.TRIES_FROM_ONE_ADDRESS + 5):
        try_it(Client(), name=f"name-{number}", password="guess")
    assert try_it(Client()).status_code == 429
    assert try_it(known).status_code == 302


def test_the_known_browser_is_limited_too(make_user: MakeUser) -> None:
    make_user("ada")
    known = Client()
    try_it(known)
    known.post("/sign-out/")
    answers = [try_it(known, password="guess").status_code for _ in range(6)]
    assert answers == [422] * 5 + [429]


@pytest.mark.parametrize("change", ["name", "mark", "password"])
def test_the_mark_of_a_known_browser_is_for_one_name_and_one_password(
    make_user: MakeUser, change: str
) -> None:
    ada = make_user("ada")
    make_user("ben")
    known = Client()
    try_it(known)
    known.post("/sign-out/")
    if change == "mark":
        known.cookies["known_browser"] = known.cookies["known_browser"].value[:-2] + "xx"
    if change == "password":
        ada.set_password("another long password")
        ada.save()
    name = "ben" if change == "name" else "ada"
    password = "another long password" if change == "password" else PASSWORD
    for number in range(throttle.TRIES_FOR_ONE_NAME + 1):
        try_it(Client(), name=name, password="guess", address=f"198.51.100.{number}")
    assert try_it(known, name=name, password=password).status_code == 429


def test_an_account_switched_off_between_the_steps_stays_outside(client: Client, make_user: MakeUser) -> None:
    user = with_app(make_user("ada", role=Role.SUPPORT))
    try_it(client)
    User.objects.filter(pk=user.pk).update(is_active=False)
    client.post("/sign-in/second-factor/", {"code": code()})
    assert client.get("/").status_code == 302


def test_nobody_registers(client: Client) -> None:
    for path in ("/sign-up/", "/signup/", "/accounts/signup/", "/sign-in/signup/"):
        assert client.get(path).status_code == 404


def test_a_passkey_nobody_has_opens_nothing(client: Client) -> None:
    options = client.get("/sign-in/passkey/", headers={"Accept": "application/json"}).json()
    assert options["request_options"]["publicKey"]["userVerification"] == "required"
    for credential in ("", "{}", '{"response": {"userHandle": "MQ"}}', "[1]", '{"response": 1}'):
        response = client.post("/sign-in/passkey/", {"credential": credential})
        assert (response.status_code, response.headers["Location"]) == (302, "/sign-in/")
    assert entries("session.opened") == []


def test_the_look_of_the_profile_comes_with_the_sign_in(make_user: MakeUser) -> None:
    user = make_user("ada")
    User.objects.filter(pk=user.pk).update(theme="dark")
    assert try_it(Client()).cookies["theme"].value == "dark"
