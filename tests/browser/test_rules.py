"""The pages of the rulebook and a person's second look: free of barriers, inside a phone, fit to be shown."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SCREENSHOTS, SIZES, OpenWindow
from tests.browser.site import Site
from tests.browser.test_looks import serious

ADMINISTRATOR = "oskar"
PATHS = {"rules": "/rules/", "rule": "/rules/transient_upstream_timeout/", "flips": "/rules/diff/"}


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("width", sorted(SIZES))
def test_they_have_no_barrier_and_nothing_sticks_out(
    window: OpenWindow, site: Site, look: str, width: int
) -> None:
    one = window(look=look, width=width).sign_in(site, ADMINISTRATOR)
    for name, path in PATHS.items():
        page = one.open(path)
        page.wait_for_load_state("networkidle")
        page.evaluate("() => document.fonts.ready")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width, path
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{name}-{width}-{look}.png", full_page=True)
        assert serious(page) == [], path
    assert (one.complaints, one.strangers) == ([], [])


def test_a_person_speaks_against_a_verdict_and_withdraws_it(window: OpenWindow, site: Site) -> None:
    one = window().sign_in(site, ADMINISTRATOR)
    page = one.open(f"/incidents/{site.incidents['Watchdog']}/")
    page.get_by_text("An answer speaks against it").click()
    page.get_by_label("Why", exact=True).first.fill("for a test")
    page.screenshot(path=SCREENSHOTS / "against-1440-light.png", full_page=True)
    page.get_by_role("button", name="Say so and judge again").click()
    expect(page.locator("#evidence")).to_contain_text("oskar: for a test")
    page.get_by_text("Withdraw it").click()
    page.get_by_placeholder("Why it no longer counts").fill("for a test")
    page.get_by_role("button", name="Withdraw and judge again").click()
    expect(page.locator("#evidence")).not_to_contain_text("oskar: for a test")


def test_a_rule_is_suspended_and_in_force_again(window: OpenWindow, site: Site) -> None:
    page = window().sign_in(site, ADMINISTRATOR).open(PATHS["rule"])
    page.locator("#because").fill("for a test")
    page.get_by_role("button", name="Suspend the rule").click()
    expect(page.locator("#messages")).to_contain_text("suspended")
    page.locator("#because").fill("for a test")
    page.get_by_role("button", name="Lift the suspension").click()
    expect(page.locator("#messages")).to_contain_text("in force again")
