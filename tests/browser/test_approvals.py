"""Deciding a write with one hand: on a phone, by keyboard, without script."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from approvals.models import ActionRequest
from tests.browser.conftest import OpenWindow
from tests.browser.proposing import Propose, beside, proposing
from tests.browser.site import Site


@pytest.fixture(scope="module")
def proposed(site: Site) -> Iterator[Propose]:
    """Propose writes to whoever is at the browser."""
    with proposing(site) as propose:
        yield propose


def state_of(number: int) -> str:
    return str(beside(lambda: ActionRequest.objects.values_list("state", flat=True).get(pk=number)))


def too_wide(page: Page) -> list[str]:
    """Return what stands out of the window to the right, where the page can be pushed aside at all."""
    found: list[str] = page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth
        ? [] : [...document.querySelectorAll("body *")]
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
        .map((one) => `${one.tagName} ${one.className} ${one.textContent.trim().slice(0, 40)}`)"""
    )
    return found


@pytest.mark.parametrize("script", [True, False])
def test_a_write_is_approved_on_a_phone_with_script_and_without(
    window: OpenWindow, site: Site, proposed: Propose, script: bool
) -> None:
    number = proposed(f"phone-{script}")
    one = window(width=390, script=script).sign_in(site)
    page = one.open("/approvals/")
    page.get_by_role("link", name=f"phone-{script}").click()
    expect(page.locator("#change ins")).to_have_text("7")
    assert too_wide(page) == []
    page.get_by_label("Why", exact=True).first.fill("I compared it with the warehouse.")
    page.get_by_role("button", name="Approve exactly this").click()
    expect(page.locator("#messages")).to_contain_text(
        "Approved. It is executed once the gates let it through."
    )
    assert state_of(number) == "approved"
    assert one.complaints == []


def test_a_write_is_denied_by_keyboard_alone(window: OpenWindow, site: Site, proposed: Propose) -> None:
    number = proposed("keys", action="stock.set_price")
    page = window().sign_in(site).open(f"/approvals/{number}/")
    expect(page.locator("#why-not")).to_contain_text("with a passkey or an authenticator app")
    expect(page.get_by_role("button", name="Approve exactly this")).to_be_disabled()
    page.get_by_label("Why", exact=True).first.focus()
    page.keyboard.type("Nobody has looked at the stock.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#messages")).to_contain_text("Denied.")
    assert state_of(number) == "denied"


def test_the_countdown_runs_and_the_gates_come_by_themselves(
    window: OpenWindow, site: Site, proposed: Propose
) -> None:
    one = window().sign_in(site)
    page = one.open(f"/approvals/{proposed('clock')}/")
    expect(page.locator("time[data-until]").first).to_contain_text(" s left")
    expect(page.locator("#gates")).to_contain_text("asked")
    assert one.complaints == []
