"""The review of a drill in a real browser: by keys, and without script."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenWindow
from tests.browser.proposing import beside
from tests.browser.site import Site
from tests.web import trialled
from trials.models import DisagreementRead


@pytest.mark.parametrize("script", [True, False])
def test_rows_are_read_one_by_one_until_the_drill_says_what_it_comes_to(
    window: OpenWindow, site: Site, script: bool
) -> None:
    number = beside(lambda: trialled.drilled({1: "question", 4: "docs"}).pk)
    one = window(script=script).sign_in(site)
    page = one.open(f"/trials/drills/{number}/")
    page.get_by_role("link", name="Read them").click()
    expect(page.locator("h1")).to_have_text("The page stays white 1")
    if script:
        page.keyboard.press("n")
        expect(page.locator("h1")).to_have_text("The page stays white 4")
        page.keyboard.press("p")
        expect(page.locator("h1")).to_have_text("The page stays white 1")
        page.keyboard.press("2")
        page.keyboard.press("r")
    else:
        page.get_by_role("radio", name="The candidate").check()
        page.get_by_role("button", name="Read, next").click()
    expect(page.locator("h1")).to_have_text("The page stays white 4")
    page.get_by_label("Note").fill("n and r are letters here")
    page.get_by_role("button", name="Read: show what it comes to").click()
    expect(page.locator("#decision")).to_contain_text("The policy says")
    said = beside(lambda: list(DisagreementRead.objects.filter(drill=number).values_list("right", "note")))
    assert said == [("candidate", ""), ("", "n and r are letters here")]
    assert (one.complaints, one.strangers) == ([], [])
