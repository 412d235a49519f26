"""Tools, waiting calls and entries in use: by mouse, by the address, without script."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import OpenWindow
from tests.browser.site import Site

ADMINISTRATOR = "oskar"


def test_a_tool_is_paused_and_resumed_by_mouse(window: OpenWindow, site: Site) -> None:
    page = window().sign_in(site, ADMINISTRATOR).open("/tools/")
    tool = page.locator("#tool-find_order")
    for verb, word in (("Pause", "paused"), ("Resume", "")):
        tool.get_by_text(verb, exact=True).click()
        tool.get_by_label("Why").fill("for a test")
        tool.get_by_role("button", name=f"{verb} the tool").click()
        expect(page.locator("#messages")).to_contain_text("Tool rule")
        if word:
            expect(tool.locator(".chip").first).to_have_text(word)


def test_a_search_of_entries_stands_in_the_address(window: OpenWindow, site: Site) -> None:
    page = window().sign_in(site, ADMINISTRATOR).open("/entries/")
    page.get_by_label("Tool").select_option("find_order")
    expect(page).to_have_url(re.compile(r"tool=find_order"))
    expect(page.locator("[data-row]").first).to_contain_text("find_order")
    page.reload()
    expect(page.locator("[data-row]").first).to_contain_text("find_order")
    page.locator("[data-row] a").first.click()
    expect(page.locator("#entry")).to_contain_text("find_order")


def test_without_script_everything_still_works(window: OpenWindow, site: Site) -> None:
    page = window(script=False).sign_in(site, ADMINISTRATOR).open("/entries/?tool=find_order")
    page.get_by_label("Actor").fill("playbook")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("[data-row]").first).to_contain_text("playbook")
