"""The account pages in use: a passkey made and shown, an invitation without script."""

import re
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from allauth.mfa.totp.internal import auth as totp
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenWindow, Window
from tests.browser.site import Site

OWNER, ADMINISTRATOR = "mats", "oskar"


def authenticator(page: Page) -> None:
    """Give the page a device that makes passkeys and always says yes."""
    link = page.context.new_cdp_session(page)
    link.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "automaticPresenceSimulation": True}
    options |= {"hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True}
    link.send("WebAuthn.addVirtualAuthenticator", {"options": options})


@pytest.fixture
def owner(window: OpenWindow, site: Site) -> Iterator[Window]:
    """Somebody with a device, whose passkey is taken away again afterwards."""
    one = window()
    authenticator(one.page)
    one.sign_in_by_form(site, OWNER)
    yield one
    page = one.open("/account/security/")
    if page.get_by_role("link", name="Remove").count():
        page.get_by_role("link", name="Remove").click()
        page.get_by_role("button", name="Remove it").click()
        expect(page.get_by_text("Your password alone opens this account")).to_be_visible()


def test_a_passkey_is_made_signs_in_alone_and_shows_who_sits_there(owner: Window, site: Site) -> None:
    page = owner.open("/account/security/")
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("Name").fill("The laptop")
    page.get_by_role("button", name="Add it").click()
    expect(page.locator(".acct-codes li")).to_have_count(10)
    page.get_by_role("link", name="I have them").click()
    expect(page.get_by_text("The laptop")).to_be_visible()

    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Name").fill(OWNER)
    page.get_by_label("Password").fill(site.passwords[OWNER])
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{owner.address}/sign-in/second-factor/")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page).to_have_url(f"{owner.address}/")

    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Use a passkey").click()
    expect(page).to_have_url(f"{owner.address}/")
    expect(page.locator(".me-role")).to_have_text("on-call")

    owner.open("/step-up/?for=strong&next=/account/")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page).to_have_url(f"{owner.address}/account/")
    assert (owner.complaints, owner.strangers) == ([], [])


def test_a_passkey_that_is_called_off_is_said_in_words(window: OpenWindow, site: Site) -> None:
    page = window().open("/sign-in/")
    link = page.context.new_cdp_session(page)
    link.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
    }
    link.send("WebAuthn.addVirtualAuthenticator", {"options": {**options, "isUserVerified": True}})
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.locator("[data-passkey-error]")).to_contain_text("called off")


def test_without_script_one_is_invited_and_sets_up_an_app(window: OpenWindow, site: Site) -> None:
    page = window(script=False).sign_in(site, ADMINISTRATOR).open("/people/invitations/")
    page.get_by_label("E-mail", exact=True).fill("new@example.com")
    page.get_by_label("Role").select_option("auditor")
    page.get_by_role("button", name="Invite").click()
    link = page.locator("#once").input_value()

    new = window(script=False).page
    new.goto(link)
    new.get_by_label("Name to sign in with").fill("newcomer")
    for label in ("New password", "New password, again"):
        new.get_by_label(label, exact=True).fill("a sentence of words")
    new.get_by_role("button", name="Make the account").click()
    expect(new).to_have_url(re.compile("/account/security/$"))
    new.get_by_role("link", name="Set it up").click()
    expect(new).to_have_url(re.compile("/step-up/"))
    new.get_by_label(re.compile("Password of")).fill("a sentence of words")
    new.get_by_role("button", name="Go on").click()
    secret = new.get_by_label("The key in letters").input_value()
    counter = int(time.time()) // 30
    new.get_by_label("Code that the app shows").fill(totp.format_hotp_value(totp.hotp_value(secret, counter)))
    new.get_by_role("button", name="Set it up").click()
    expect(new.locator(".acct-codes li")).to_have_count(10)
    page.reload()
    page.goto(f"{site.address}/people/invitations/")
    expect(page.get_by_role("link", name="newcomer")).to_be_visible()


def tab_to(page: Page, name: str) -> None:
    """Press Tab until what has the focus bears this name."""
    held = "() => (document.activeElement.labels?.[0] || document.activeElement).textContent.trim()"
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(held) == name:
            return
    raise AssertionError(f"{name} cannot be reached by Tab")


def test_an_administrator_invites_and_withdraws_by_keyboard_alone(window: OpenWindow, site: Site) -> None:
    one = window()
    page = one.open("/sign-in/")
    page.keyboard.type(ADMINISTRATOR)
    page.keyboard.press("Tab")
    page.keyboard.type(site.passwords[ADMINISTRATOR])
    page.keyboard.press("Enter")
    page.wait_for_url(f"{one.address}/")
    for name, path in (("People", "/people/"), ("Invitations", "/people/invitations/")):
        tab_to(page, name)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{one.address}{path}")
    tab_to(page, "E-mail")
    page.keyboard.type("keyboard@example.com")
    page.keyboard.press("Enter")
    expect(page.locator("#once")).to_have_value(re.compile("/invitations/"))
    tab_to(page, "Withdraw")
    page.keyboard.press("Enter")
    expect(page.locator("#messages")).to_contain_text("is withdrawn")


def test_times_are_in_the_zone_of_the_profile(window: OpenWindow, site: Site) -> None:
    page = window().sign_in(site, ADMINISTRATOR).open("/account/")
    for zone, hours in (("Asia/Tokyo", 9), ("", 1)):
        page.get_by_label("Time zone").select_option(zone)
        page.get_by_role("button", name="Save").click()
        page.goto(f"{site.address}/people/")
        shown = page.locator("tr", has_text="oskar").locator("time")
        at = datetime.fromisoformat(shown.get_attribute("datetime") or "") + timedelta(hours=hours)
        expect(shown).to_have_text(re.compile(f"{at:%H:%M}$"))
        page.goto(f"{site.address}/account/")
