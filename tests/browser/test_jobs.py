"""The whole job of support and of on-call, twice: with the keyboard alone, and with script switched off."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.browser import jobsite
from tests.browser.conftest import OpenWindow
from tests.browser.hands import HANDS, Hand, hand_of, sign_in
from tests.browser.looking import sticking_out
from tests.browser.proposing import Propose, beside, proposing
from tests.browser.site import Site
from tests.scripted import says
from tests.web.signing import code

KEYS, PLAIN = HANDS
CLAIMS = {KEYS: "Only one parcel came", PLAIN: "No confirmation received"}
WATCHED = {KEYS: "The queue labels is longer than usual", PLAIN: "A disk of db-2 is almost full"}
ENTRY = re.compile(r"^entry \d+$")


def look_again_until(hand: Hand, where: str, words: str) -> None:
    """Wait for what a worker does: a page with script shows it by itself, another is loaded again."""
    for _ in range(0 if hand.has_script else 60):
        if words in hand.page.locator(where).last.inner_text():
            return
        hand.page.wait_for_timeout(500)
        hand.page.reload()
    expect(hand.page.locator(where).last).to_contain_text(words)


@pytest.mark.parametrize("kind", HANDS)
def test_support_answers_a_claim(window: OpenWindow, site: Site, kind: str) -> None:
    hand = hand_of(window, kind)
    sign_in(hand, site, "sofie")
    hand.shelf("Earned a pass")
    hand.open_row(CLAIMS[kind])
    hand.sees("#verdict", "Earned a pass")
    hand.follow(ENTRY, "#draft")
    hand.sees("#entry", "The question")
    hand.back()
    the_answer_is_edited_and_talked_over(hand, site)
    it_is_closed_opened_again_and_overridden(hand, CLAIMS[kind])
    many_are_acknowledged_and_a_view_is_kept(hand)
    assert hand.complaints() == []


def the_answer_is_edited_and_talked_over(hand: Hand, site: Site) -> None:
    hand.unfold("Edit the answer before it is kept")
    hand.write("Answer", "Both parcels were handed over on Monday.")
    hand.press("Keep this text")
    hand.sees("#edited", "state 1")
    hand.write("Leave a note", "@katarina they write for the second time.")
    hand.press("Keep the note")
    hand.sees("#notes ol", "for the second time")
    site.model.script = lambda request: says("Nobody else has written about it.")
    hand.write("Ask about this incident", "Has anybody else written?")
    hand.press("Ask")
    hand.sees("#thread", "Has anybody else written?")
    look_again_until(hand, "#thread", "Nobody else has written about it.")


def it_is_closed_opened_again_and_overridden(hand: Hand, title: str) -> None:
    hand.decide()
    hand.tick("Claim refused", "#close")
    hand.press("Close the incident")
    hand.sees("#resolution", "Closed: claim refused")
    hand.up()
    hand.shelf("Closed")
    hand.open_row(title)
    hand.write("Why it is open again", "They wrote again.", "#resolution")
    hand.press("Reopen")
    hand.sees("#messages", "Open again")
    look_again_until(hand, "#verdict", "Earned a pass")
    hand.decide()
    hand.tick("Claim upheld", "#close")
    hand.press("Close the incident")
    hand.sees(".refusal", "reason")
    hand.write("Reason", "The neighbour took one of them.")
    hand.press("Close the incident")
    hand.sees("#resolution", "Overrides the verdict")
    hand.up()


def many_are_acknowledged_and_a_view_is_kept(hand: Hand) -> None:
    hand.shelf("My team")  # the way back led to the closed ones, as they were left
    hand.choose("Kind", "claim", "form.filters")
    if not hand.has_script:
        hand.press("Apply", "form.filters")
    expect(hand.page).to_have_url(re.compile("kind=claim"))
    hand.choose_rows(2)
    hand.press("Acknowledge", ".bulk")
    hand.sees("#messages", "Acknowledged 2")
    hand.undo()
    hand.sees("#messages", re.compile("Taken back:? 2"))
    hand.past_the_rows()
    hand.unfold("Views", ".q-foot")
    hand.write("Keep these filters as", "Claims", ".q-foot")
    hand.press("Keep the view")
    hand.sees("#tabs", "Claims")
    hand.shelf("Claims")
    hand.past_the_rows()
    hand.unfold("Views", ".q-foot")
    hand.press("Delete the view Claims")
    hand.sees("h1", "Queue")


@pytest.fixture(scope="module")
def proposed(site: Site) -> Iterator[Propose]:
    """Propose writes to whoever is at the browser."""
    with proposing(site) as propose:
        yield propose


@pytest.mark.parametrize("kind", HANDS)
def test_on_call_decides_on_a_phone(window: OpenWindow, site: Site, proposed: Propose, kind: str) -> None:
    name, (wanted, unwanted) = f"night-{len(kind)}", [f"{one}-{len(kind)}" for one in ("wanted", "unwanted")]
    beside(lambda: jobsite.on_call_with_an_app(name))
    for article in (wanted, unwanted):
        proposed(article)
    hand = hand_of(window, kind, width=390)
    sign_in(hand, replace(site, passwords={name: jobsite.PASSWORD}), name, code())
    beside(lambda: jobsite.an_hour_later(name))
    hand.follow(re.compile("^Approvals"), ".thumb")
    hand.open_row(f"number:{wanted}")
    one_write_is_approved_and_one_denied(hand, unwanted)
    hand.follow(re.compile("^Approvals"), ".thumb")
    hand.follow("Write switch", ".a-bar")
    hand.sees("h1", "Write switch")
    assert hand.page.get_by_role("button", name=re.compile("Switch|Ask for on")).count() == 0
    an_incident_is_seen_to_and_its_run_stopped(hand, name, site.incidents[WATCHED[kind]], WATCHED[kind])
    assert hand.complaints() == []


def one_write_is_approved_and_one_denied(hand: Hand, unwanted: str) -> None:
    hand.sees("#change ins", "7")
    hand.sees("#exactly", "digest")
    hand.sees("#why-not", "Approve is disabled")
    hand.follow("Show who you are", "#decide")
    hand.sees("h1", "Show who you are")
    hand.write("Code", code(1))
    hand.press("Go on")
    hand.sees("#decide", "You showed who you are by totp")
    assert sticking_out(hand.page) == []
    hand.write("Why", "I compared it with the warehouse.", "#decide")
    hand.press("Approve exactly this")
    hand.sees("#messages", "Approved. It is executed once the gates let it through.")
    hand.sees("#record", "approved")
    if not hand.has_script:
        hand.follow("Ask the gates now")
    hand.sees("#gates ol", "switch")
    if not hand.has_script:
        hand.back()
    hand.up()
    hand.open_row(f"number:{unwanted}")
    hand.write("Why", "Nobody has looked at the stock.", "#decide")
    hand.press("Deny")
    hand.sees("#messages", "Denied.")
    hand.sees(".i-meta", "denied")


def an_incident_is_seen_to_and_its_run_stopped(hand: Hand, name: str, number: int, title: str) -> None:
    hand.follow("Queue", ".thumb")
    hand.sees("h1", "Queue")
    hand.act("Acknowledge", number)
    hand.sees("#messages", "Acknowledged")
    hand.act("Change", number)
    hand.choose("Snooze for", "1 hour", ".q-edit")
    hand.press("Snooze", ".q-edit")
    hand.sees("#messages", re.compile("Snoozed:? 1"))
    hand.undo()
    hand.sees("#messages", re.compile("Taken back:? 1"))
    beside(lambda: jobsite.running(number))
    hand.shelf("Investigating")
    hand.open_row(title)
    hand.write("Why it is stopped", "The deploy is rolled back already.", "#run-live")
    hand.press("Stop the run")
    hand.sees("#messages", f"Stopped by {name}.")
