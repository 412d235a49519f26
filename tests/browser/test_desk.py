"""Two people at one incident, each button twice, and the back button: nothing is lost, nothing is doubled."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenWindow, Window
from tests.browser.looking import serious
from tests.browser.site import Site

TITLE = "Watchdog"


def opened(window: Window, site: Site, name: str) -> Page:
    return window.sign_in(site, name).open(f"/incidents/{site.incidents[TITLE]}/")


def test_two_people_edit_one_answer_and_see_both_texts(window: OpenWindow, site: Site) -> None:
    ada, ben = window(), window()
    one, other = opened(ada, site, "katarina"), opened(ben, site, "mats")
    for page, text in ((one, "Katarina wrote this."), (other, "Mats wrote that.")):
        page.get_by_text("Edit the answer before it is kept").click()
        page.get_by_label("Answer", exact=True).fill(text)
    other.get_by_label("Reason").fill("half a reason")
    one.get_by_role("button", name="Keep this text").dblclick()
    expect(one.locator("#edited")).to_contain_text("state 1")
    other.get_by_role("button", name="Keep this text").click()
    expect(other.locator(".refusal")).to_contain_text("has kept another text")
    expect(other.locator("#overlap del").first).to_have_text("Katarina")
    expect(other.locator("#overlap ins").first).to_have_text("Mats")
    expect(other.get_by_label("Answer", exact=True)).to_have_value("Mats wrote that.")
    expect(other.get_by_label("Reason")).to_have_value("half a reason")
    other.get_by_label("Answer", exact=True).fill("Katarina and Mats wrote this.")
    other.get_by_role("button", name="Keep this text").click()
    expect(other.locator("#edited")).to_contain_text("state 2")
    one.reload()
    expect(one.locator("#draft .prose").first).to_contain_text("Katarina and Mats wrote this.")
    one.get_by_role("link", name="Every state").click()
    expect(one.locator("section[id^=state-]")).to_have_count(2)
    assert serious(one) == []
    assert [line for line in (*ada.complaints, *ben.complaints) if "422" not in line] == []


def test_a_double_click_and_the_back_button_keep_one_note_each(window: OpenWindow, site: Site) -> None:
    for script in (True, False):
        page = opened(window(script=script), site, "katarina")
        words = f"Seen with script {script}."
        page.get_by_label("Leave a note").fill(words)
        page.get_by_role("button", name="Keep the note").dblclick()
        expect(page.locator("#notes li").filter(has_text=words)).to_have_count(1)
        page.go_back()
        page.goto(f"{site.address}/incidents/{site.incidents[TITLE]}/")
        expect(page.locator("#notes li").filter(has_text=words)).to_have_count(1)


def test_a_recorded_question_is_asked_again_once_and_the_answers_stand_beside(
    window: OpenWindow, site: Site
) -> None:
    page = opened(window(), site, "katarina")
    page.goto(f"{site.address}{page.locator('#evidence a.cite').first.get_attribute('href')}")
    page.get_by_role("button", name="Run it again").dblclick()
    expect(page.locator("#difference")).to_contain_text("Beside what was recorded")
    assert serious(page) == []
    page.get_by_role("link", name=re.compile(r"^entry \d+$")).first.click()
    expect(page.locator("#checks li")).to_have_count(1)
