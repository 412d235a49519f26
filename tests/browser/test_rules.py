"""A rule suspended and lifted, and a person's second look at a verdict."""

from playwright.sync_api import expect

from tests.browser.conftest import SCREENSHOTS, OpenWindow
from tests.browser.site import Site

ADMINISTRATOR = "oskar"
RULE = "/rules/transient_upstream_timeout/"


def test_a_person_speaks_against_a_verdict_and_withdraws_it(window: OpenWindow, site: Site) -> None:
    one = window().sign_in(site, ADMINISTRATOR)
    page = one.open(f"/incidents/{site.incidents['Watchdog']}/")
    page.get_by_text("Say that an answer speaks against it").click()
    page.get_by_label("Why", exact=True).first.fill("for a test")
    page.screenshot(path=SCREENSHOTS / "against-1440-light.png", full_page=True)
    page.get_by_role("button", name="Say so and judge again").click()
    expect(page.locator("#evidence")).to_contain_text("oskar: for a test")
    page.get_by_text("Withdraw it").click()
    page.get_by_placeholder("Why it no longer counts").fill("for a test")
    page.get_by_role("button", name="Withdraw and judge again").click()
    expect(page.locator("#evidence")).not_to_contain_text("oskar: for a test")


def test_a_rule_is_suspended_and_in_force_again(window: OpenWindow, site: Site) -> None:
    page = window().sign_in(site, ADMINISTRATOR).open(RULE)
    page.locator("#because").fill("for a test")
    page.get_by_role("button", name="Suspend the rule").click()
    expect(page.locator("#messages")).to_contain_text("suspended")
    page.locator("#because").fill("for a test")
    page.get_by_role("button", name="Lift the suspension").click()
    expect(page.locator("#messages")).to_contain_text("in force again")
