"""Each main form with two clicks on its button, then with the back button and a third: in a real browser."""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import connections, models
from playwright.sync_api import Page, expect

from accounts.models import Invitation, Team, Token
from approvals.models import Freeze
from incidents.models import Note, SavedView, Signal
from notices.models import Route
from tests.browser.conftest import OpenWindow
from tests.browser.pages import ADMINISTRATOR, MANAGER, SUPPORT
from tests.browser.site import Site
from tests.conftest import wait_until
from toolbox.models import ToolRule


@dataclass(frozen=True, slots=True)
class Made:
    """One form: where it stands, its button, what is typed, and what it makes, known by the typed words."""

    name: str
    path: str
    button: str
    typed: Mapping[str, str]
    made: type[models.Model]
    known_by: str
    who: str = ADMINISTRATOR
    chosen: Mapping[str, str] = field(default_factory=dict)
    ticked: str = ""
    is_sent_again: bool = True


_OPEN = "(one) => { for (; one; one = one.parentElement) if (one.tagName === 'DETAILS') one.open = true; }"
_MARK = "() => { for (const one of document.querySelectorAll('html, form')) one.dataset.old = '1'; }"
WORDS = "Seen twice {}"
FORMS = (
    Made("note", "/incidents/{incident}/", "Keep the note", {"note": WORDS}, Note, "text", MANAGER),
    Made("claim", "/claims/new/", "Hand in the claim",
         {"title": WORDS, "text": "It is late."}, Signal, "title", SUPPORT,
         is_sent_again=False),  # the same words in another minute are another claim
    Made("saved view", "/?tab=all", "Keep the view", {"name": WORDS}, SavedView, "name", MANAGER),
    Made("team", "/people/teams/", "Make it", {"name": WORDS}, Team, "name"),
    Made("invitation", "/people/invitations/", "Invite", {"email": "seen.twice.{}@example.com"}, Invitation,
         "email"),
    Made("token", "/account/tokens/", "Make it", {"name": "seen-twice-{}"}, Token, "name",
         ticked="[name=scopes][value=read]"),
    Made("route", "/notices/routes/", "Make it",
         {"title": WORDS, "address": "twice{}@example.com"}, Route, "title", chosen={"kind": "email"}),
    Made("freeze", "/approvals/calendar/", "Put it into the calendar",
         {"title": WORDS, "starts_at": "2032-01-01T10:00", "ends_at": "2032-01-02T10:00"},
         Freeze, "title", MANAGER),
    Made("tool rule", "/tools/", "Make the rule", {"tool": "x{}_*", "because": WORDS}, ToolRule, "because"),
)  # fmt: skip


# Each form with script or without, in turn; both with FULL=1.
TRIED = [
    pytest.param(form, script, id=f"{form.name}, {'with script' if script else 'without'}")
    for place, form in enumerate(FORMS)
    for script in (True, False)
    if os.environ.get("FULL") == "1" or script is (place % 2 == 1)
]


@pytest.mark.parametrize(("form", "script"), TRIED)
def test_two_clicks_and_the_back_button_make_one(
    window: OpenWindow, site: Site, form: Made, script: bool
) -> None:
    mark = f"{FORMS.index(form)}{'y' if script else 'n'}"
    typed = {name: words.format(mark) for name, words in form.typed.items()}
    known = typed[next(name for name in form.typed if name in (form.known_by, "note"))]
    path = form.path.format(incident=site.incidents["Watchdog"])
    one = window(script=script).sign_in(site, form.who)
    page = one.open(path)
    _fill(page, form, typed)
    is_swapped = script and form.name == "note"  # sent without leaving its page, so no step leads back to it
    _onwards(page, lambda: _button(page, form).dblclick(), is_swapped=is_swapped)
    wait_until(lambda: _count(form, known) > 0)
    if is_swapped:
        page.goto(f"{site.address}{path}")
    else:
        _onwards(page, lambda: page.evaluate("history.back()"))
    if form.is_sent_again:
        _fill(page, form, typed)
        _onwards(page, lambda: _button(page, form).click(), is_swapped=is_swapped)
    assert _count(form, known) == 1
    assert [line for line in one.complaints if "422" not in line] == []


def _onwards(page: Page, act: Callable[[], Any], *, is_swapped: bool = False) -> None:
    """Act, and wait until another page stands there, or another part of this one."""
    page.evaluate(_MARK)
    act()
    another = page.locator("main form:not([data-old])" if is_swapped else "html:not([data-old])")
    expect(another.first).to_be_attached()
    page.wait_for_load_state("load")


def _fill(page: Page, form: Made, typed: Mapping[str, str]) -> None:
    """As a person would who finds what they typed still there, or types it again."""
    for name, value in form.chosen.items():
        _part(page, form).locator(f"[name={name}]").select_option(value)
    if form.ticked:
        _part(page, form).locator(form.ticked).check()
    for name, value in typed.items():
        _part(page, form).locator(f"[name={name}]").fill(value)


def _part(page: Page, form: Made) -> Any:
    """The form itself; what is folded away is opened first."""
    button = page.get_by_role("button", name=form.button, exact=True, include_hidden=True)
    found = page.locator("form").filter(has=button).last
    found.evaluate(_OPEN)
    return found


def _button(page: Page, form: Made) -> Any:
    return _part(page, form).get_by_role("button", name=form.button, exact=True)


def _count(form: Made, known: str) -> int:
    """Look in the database from another thread: the browser's loop shuts it out of this one."""

    def count() -> int:
        try:
            return form.made._default_manager.filter(**{form.known_by: known}).count()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as other:
        return other.submit(count).result(60)
