"""The queue in a real browser: its keys, its bar, the offer to undo, the palette; and without script."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SCREENSHOTS, OpenWindow
from tests.browser.site import Site


def picture(page: Page, name: str) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png")


def test_the_row_keys_choose_change_and_take_back(window: OpenWindow, site: Site) -> None:
    one = window().sign_in(site, "sofie")
    page = one.open("/?tab=all&sort=oldest")
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator("[data-chosen-count]")).to_have_text("2 chosen")
    picture(page, "queue-chosen-1440")
    page.keyboard.press("x")
    expect(page.locator("[data-chosen-count]")).to_have_text("1 chosen")

    title = page.locator(".is-chosen .q-title").inner_text()
    page.keyboard.press("e")
    expect(page.locator(".q-edit [data-first]")).to_be_focused()
    picture(page, "queue-edit-1440")
    page.keyboard.type("katarina")
    page.keyboard.press("Enter")
    expect(page.locator("#messages")).to_contain_text("Given: 1.")
    row = page.locator("[data-row]").filter(has_text=title).first
    expect(row.locator(".q-who")).to_contain_text("ka", ignore_case=True)

    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#messages")).to_contain_text("Taken back: 1.")
    expect(page.locator(".q-undo")).to_have_count(0)
    assert one.complaints == []


def test_a_list_is_worked_off_by_keys_alone(window: OpenWindow, site: Site) -> None:
    one = window().sign_in(site)
    page = one.open("/?tab=all&q=hostile")
    page.keyboard.press("Shift+X")
    expect(page.locator("[data-chosen-count]")).to_have_text(f"{page.locator('[data-row]').count()} chosen")
    page.keyboard.press("Shift+X")
    expect(page.locator("[data-bulk]")).not_to_be_visible()
    places = page.locator(".q-title").evaluate_all("all => all.map((one) => one.pathname)")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{places[0]}?in=*")
    page.keyboard.press("n")
    page.wait_for_url(f"**{places[1]}?in=*")
    page.keyboard.press("p")
    page.wait_for_url(f"**{places[0]}?in=*")
    page.keyboard.press("3")
    expect(page.get_by_label("Real and handed over")).to_be_focused()
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**{places[1]}?in=*")
    expect(page.locator("#messages")).to_contain_text("Closed: real and handed over.")
    page.keyboard.press("u")
    page.wait_for_url("**/?tab=all&q=hostile#row-*")
    assert one.complaints == []


def test_the_answer_is_copied_without_the_numbers_of_entries(window: OpenWindow, site: Site) -> None:
    one = window().sign_in(site, "sofie")
    page = one.open(f"/incidents/{site.incidents['Where is my refund?']}/")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    assert page.locator("#draft .prose .cite").count() > 0
    page.get_by_role("button", name="Copy the answer").click()
    expect(page.locator("#toast")).to_contain_text("Copied")
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("Hello,")
    assert not re.search(r"\bentry \d", text)
    assert "ORD-" in text


def test_nothing_that_comes_or_goes_moves_the_row_under_the_cursor(window: OpenWindow, site: Site) -> None:
    one = window().sign_in(site)
    page = one.open("/?tab=all&sort=newest")
    row = page.locator("[data-row]").nth(2)
    name = row.get_attribute("id")
    top = f"document.getElementById('{name}').getBoundingClientRect().top"
    before = page.evaluate(top)
    page.evaluate("htmx.ajax('GET', '/pulse/?tab=all&since=1', {swap: 'none'})")
    expect(page.get_by_role("link", name=re.compile("new incidents. Show them"))).to_be_visible()
    assert page.evaluate(top) == before
    row.locator("[data-do=take]").click()
    expect(page.locator(".q-undo")).to_be_in_viewport()
    expect(page.locator("#messages")).to_contain_text("Taken by you: 1.")
    expect(page.locator("#queue.htmx-settling")).to_have_count(0)  # before that a link is a plain one
    assert page.evaluate(top) == before
    row.locator("[data-do=edit]").click()
    expect(page.locator(".q-edit")).to_be_visible()
    expect(page.locator("#queue.htmx-settling")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".q-edit")).to_have_count(0)
    assert page.evaluate(top) == before
    assert one.complaints == []


def test_many_are_closed_by_the_bar_and_come_back(window: OpenWindow, site: Site) -> None:
    one = window().sign_in(site)
    page = one.open("/?q=job&tab=needs-a-person")
    count = page.locator("[data-row]").count()
    picks = page.locator("[data-pick]")
    picks.nth(0).click()
    picks.nth(2).click(modifiers=["Shift"])
    expect(page.locator("[data-chosen-count]")).to_have_text("3 chosen")
    page.get_by_text("Close…").click()
    page.get_by_label("Outcome").select_option("real and fixed")
    page.get_by_label("Note").fill("One deploy broke all three.")
    page.get_by_label("Note").press("Enter")
    expect(page.locator("#messages")).to_contain_text("Closed 3.")
    expect(page.locator("[data-row]")).to_have_count(count - 3)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#messages")).to_contain_text("Taken back: 3.")
    expect(page.locator("[data-row]")).to_have_count(count)
    assert one.complaints == []


def test_the_palette_goes_anywhere_by_keyboard(window: OpenWindow, site: Site) -> None:
    one = window().sign_in(site)
    page = one.open("/rules/")
    page.keyboard.press("Control+k")
    expect(page.locator("#palette input")).to_be_focused()
    expect(page.locator("#palette")).to_contain_text("Pages")
    page.keyboard.type("job-48107")
    expect(page.locator("#palette [data-hit]").first).to_contain_text("job-48107")
    picture(page, "palette-1440")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("job-48107")
    page.keyboard.press("/")
    expect(page.locator("#palette")).to_be_visible()
    page.keyboard.type("audit log")
    expect(page.locator("#palette [data-hit]")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/log/"))
    assert one.complaints == []


def test_without_script_rows_are_chosen_changed_and_views_kept(window: OpenWindow, site: Site) -> None:
    page = window(script=False).sign_in(site).open("/?q=job-48290&tab=all")
    page.get_by_role("link", name=re.compile("^Change #")).first.click()
    page.locator(".q-edit").get_by_label("Severity").select_option("critical")
    page.locator(".q-edit").get_by_role("button", name="Set").click()
    expect(page.locator("#messages")).to_contain_text("Severity set: 1.")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#messages")).to_contain_text("Taken back: 1.")
    page.locator("[data-pick]").first.check()
    page.locator(".bulk").get_by_role("button", name="Acknowledge").click()
    expect(page.locator("#messages")).to_contain_text(re.compile("Acknowledged 1|acknowledged already"))
    page.locator(".q-foot summary", has_text="Views").click()
    page.get_by_label("Keep these filters as").fill("That job")
    page.get_by_role("button", name="Keep the view").click()
    page.get_by_role("link", name=re.compile("That job")).click()
    expect(page).to_have_url(re.compile("q=job-48290"))
    page.goto(f"{site.address}/find/?q=refund")
    expect(page.locator("[data-hit]").first).to_be_visible()


@pytest.mark.parametrize("look", ["light", "dark"])
def test_on_a_phone_the_bar_is_within_reach(window: OpenWindow, site: Site, look: str) -> None:
    one = window(width=390, look=look).sign_in(site, "sofie")
    page = one.open("/")
    page.locator("[data-pick]").first.check()
    expect(page.locator(".bulk")).to_be_in_viewport()
    picture(page, f"queue-chosen-{look}-390")
    sticking = page.evaluate(
        """() => [...document.querySelectorAll("#queue *")]
            .filter((one) => !one.closest(".tabs, .filters, .bulk, .sr, thead"))
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
            .map((one) => one.className || one.tagName)"""
    )
    assert sticking == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.get_by_text("Snooze…").click()
    expect(page.locator(".bulk-panel select[name=hours]")).to_be_in_viewport()
    picture(page, f"queue-snooze-{look}-390")
