"""Deciding a write with one hand: on a phone, by keyboard, without script."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from django.test import override_settings
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django import DjangoDbBlocker

from approvals import preparing
from approvals.actions.base import Proposal
from approvals.models import ActionRequest, CredentialProbe, WriteSwitch
from approvals.outcomes import Proposer
from approvals.proposing import About, propose
from tests.browser.conftest import OpenWindow
from tests.browser.site import Site
from tests.db import writing
from tests.fakes import writes

Propose = Callable[..., int]
WHY = "The count fell to 0 after the deploy of 09:40, and the shop shows every article as sold out."


@pytest.fixture(scope="module")
def proposed(site: Site, django_db_blocker: DjangoDbBlocker) -> Iterator[Propose]:
    """Propose and prepare writes from this process, as a run and the execute worker do.

    The web process declares the same actions, and reads the same target.
    """

    def make(name: str, *, action: str = "stock.set_count", why: str = WHY) -> int:
        now = timezone.now()
        request = propose(
            Proposal(action, {"name": name, "value": 7}, why),
            by=Proposer("model"),
            about=About(None, None, None, ()),
            now=now,
        )
        preparing.prepare(request.pk, now=now)
        CredentialProbe.objects.update_or_create(
            credential="numbers", defaults={"is_ok": True, "sentence": "", "probed_at": now}
        )
        for scope in ("global", f"action:{action}"):
            WriteSwitch.objects.update_or_create(
                scope=scope,
                defaults={"writes_enabled": True, "changed_at": now, "changed_by": "person:oskar"},
            )
        return request.pk

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(writes.FOLDER, str(site.folder))
        declared = str(site.folder / "actions.yaml")
        with override_settings(TRIAGE_ACTIONS=declared, EXECUTOR_SECRETS=writing.SECRETS):
            yield lambda name, **more: beside(django_db_blocker, lambda: make(name, **more))


def beside(blocker: DjangoDbBlocker, ask: Callable[[], Any]) -> Any:
    """Use the database from a thread of its own: the browser's loop shuts it out of this one."""

    def asked() -> Any:
        try:
            return ask()
        finally:
            connections.close_all()

    with blocker.unblock(), ThreadPoolExecutor(1) as threads:
        return threads.submit(asked).result()


def state_of(blocker: DjangoDbBlocker, number: int) -> str:
    state: str = beside(blocker, lambda: ActionRequest.objects.values_list("state", flat=True).get(pk=number))
    return state


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
    window: OpenWindow, site: Site, proposed: Propose, django_db_blocker: DjangoDbBlocker, script: bool
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
    assert state_of(django_db_blocker, number) == "approved"
    assert one.complaints == []


def test_a_write_is_denied_by_keyboard_alone(
    window: OpenWindow, site: Site, proposed: Propose, django_db_blocker: DjangoDbBlocker
) -> None:
    number = proposed("keys", action="stock.set_price")
    page = window().sign_in(site).open(f"/approvals/{number}/")
    expect(page.locator("#why-not")).to_contain_text("with a passkey or an authenticator app")
    expect(page.get_by_role("button", name="Approve exactly this")).to_be_disabled()
    page.get_by_label("Why", exact=True).first.focus()
    page.keyboard.type("Nobody has looked at the stock.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#messages")).to_contain_text("Denied.")
    assert state_of(django_db_blocker, number) == "denied"


def test_the_countdown_runs_and_the_gates_come_by_themselves(
    window: OpenWindow, site: Site, proposed: Propose
) -> None:
    one = window().sign_in(site)
    page = one.open(f"/approvals/{proposed('clock')}/")
    expect(page.locator("time[data-until]").first).to_contain_text(" s left")
    expect(page.locator("#gates")).to_contain_text("asked")
    assert one.complaints == []
