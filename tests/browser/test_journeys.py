"""The whole job in a real browser: by mouse, by keyboard alone, and with script switched off."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import OpenWindow
from tests.browser.site import Site


def test_a_wrong_password_is_refused_in_words(window: OpenWindow) -> None:
    one = window()
    page = one.open("/incidents/1/")
    page.get_by_label("Name").fill("katarina")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("do not match")


def test_from_queue_to_closed_with_an_edited_answer_and_open_again(window: OpenWindow, site: Site) -> None:
    page = window().sign_in_by_form(site).page
    page.get_by_role("link", name=re.compile("^Earned a pass")).click()
    expect(page).to_have_url(re.compile("tab=earned-a-pass"))
    page.get_by_role("link", name="Where is my refund?").click()
    expect(page.locator("#verdict")).to_contain_text("Earned a pass")

    page.locator("#draft a.cite").first.click()
    expect(page.locator("#peek")).to_contain_text("The question")
    page.locator("#peek").get_by_role("link", name="Raw").click()
    expect(page.locator("#peek pre.raw")).to_be_visible()
    page.locator("#peek").get_by_role("button", name="Close").click()

    page.get_by_text("Edit the answer before it is kept").click()
    page.get_by_label("Answer", exact=True).fill("Your refund was paid on Monday. **Thank you.**")
    page.get_by_label("Claim refused").check()
    page.get_by_role("button", name="Close the incident").click()
    refusal = page.locator(".refusal")
    expect(refusal.or_(page.locator("#resolution"))).to_be_visible()
    if refusal.is_visible():  # an outcome against the verdict wants its reason; what was typed is still there
        expect(page.get_by_label("Answer", exact=True)).to_have_value(re.compile("paid on Monday"))
        page.get_by_label("Reason").fill("The customer wrote that it is there.")
        page.get_by_role("button", name="Close the incident").click()
    expect(page.locator("#resolution")).to_contain_text("Your refund was paid on Monday.")
    expect(page.locator("#resolution strong")).to_have_text("Thank you.")

    page.get_by_placeholder("Why it is open again").fill("The customer wrote again.")
    page.get_by_role("button", name="Reopen").click()
    expect(page.locator("#messages")).to_contain_text("Open again")
    expect(page.locator("#verdict")).to_contain_text("Earned a pass")
    expect(page.get_by_text("How it was closed before")).to_be_visible()


def test_by_keyboard_alone(window: OpenWindow, site: Site) -> None:
    page = window().sign_in(site).page
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("j")
    expect(page.locator(".is-chosen")).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator("[data-row]").first).to_have_class(re.compile("is-chosen"))
    expect(page).to_have_url(re.compile("#row-"))
    page.keyboard.press("/")
    page.keyboard.type("jjk?")
    expect(page.locator("[data-search]")).to_have_value("jjk?")
    page.locator("[data-search]").fill("job-48301")
    page.keyboard.press("Enter")
    expect(page.locator("[data-row]")).to_have_count(1)
    expect(page).to_have_url(re.compile("q=job-48301"))
    page.locator("body").evaluate("() => document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("job-48301")

    page.keyboard.press("a")
    expect(page.locator("#messages")).to_contain_text("Acknowledged")
    page.keyboard.press("c")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Real and fixed")).to_be_checked()
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.textContent").strip() == "Close the incident":
            break
    page.keyboard.press("Enter")
    expect(page.locator("#resolution")).to_contain_text("Closed: real and fixed")
    page.keyboard.press("u")
    expect(page).to_have_url(re.compile(r"/\?q=job-48301#row-"))


def test_with_script_switched_off(window: OpenWindow, site: Site) -> None:
    page = window(script=False).sign_in_by_form(site).page
    page.get_by_label("Search").fill("job-48107")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("[data-row]")).to_have_count(1)
    page.get_by_role("link", name=re.compile("job-48107")).click()
    expect(page.locator("time").first).to_contain_text("UTC")
    page.get_by_role("button", name="Acknowledge").click()
    expect(page.locator("#messages")).to_contain_text("Acknowledged")
    page.get_by_text("Edit the answer before it is kept").click()
    page.get_by_label("Answer", exact=True).fill("It was real.")
    page.get_by_label("Real and fixed").check()
    page.get_by_role("button", name="Close the incident").click()
    expect(page.locator("#resolution")).to_contain_text("It was real.")
    page.get_by_placeholder("Why it is open again").fill("Once more.")
    page.get_by_role("button", name="Reopen").click()
    expect(page.locator("#messages")).to_contain_text("Open again")
    for _ in range(40):
        if page.locator("a.cite").count():
            break
        page.wait_for_timeout(250)
        page.reload()
    page.locator("a.cite").first.click()
    expect(page).to_have_url(re.compile("/entries/"))
    page.get_by_role("button", name="Look: dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(re.compile("/sign-in/"))


def test_the_look_is_switched_at_once_and_remembered(window: OpenWindow, site: Site) -> None:
    page = window().sign_in(site).page
    page.get_by_role("button", name="Look: light").click()  # a person's look is kept from test to test
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    before = page.evaluate("() => getComputedStyle(document.body).color")
    page.get_by_role("button", name="Look: dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("() => getComputedStyle(document.body).color") != before
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_claim_is_handed_in_and_judged(window: OpenWindow, site: Site) -> None:
    page = window().sign_in(site, "sofie").page
    page.get_by_role("link", name="New claim").click()
    page.get_by_label("In one line").fill("Can I have a blue one?")
    page.get_by_label("It is about").select_option("other")
    page.get_by_role("button", name="Hand in the claim").click()
    expect(page.locator("#messages")).to_contain_text("The claim is in")
    page.get_by_role("link", name=re.compile(r"^#\d+$")).click()
    expect(page.locator("h1")).to_have_text("Can I have a blue one?")
    expect(page.locator("#verdict")).to_contain_text("Needs a person")


def test_an_auditor_finds_no_button_that_moves_anything(window: OpenWindow, site: Site) -> None:
    page = window().sign_in(site, "ines").open(f"/incidents/{site.incidents['Watchdog']}/")
    expect(page.locator("#evidence")).to_be_visible()
    for name in ("Acknowledge", "Assign to me", "Close the incident", "Ask it now"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
