"""The whole job of manager, administrator and auditor: with the keyboard alone, and with script off."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.browser import jobsite
from tests.browser.conftest import OpenWindow
from tests.browser.hands import HANDS, Hand, hand_of, sign_in
from tests.browser.proposing import beside, proposing
from tests.browser.site import Site
from tests.servers import Servers

KEYS, PLAIN = HANDS
AUDITED = {KEYS: "A disk of db-1 is almost full", PLAIN: "The queue mail is longer than usual"}
JUDGED = "A pod of billing is not ready"
RULE = "Transient upstream timeout"
_WAYS = {"GRANT": "TO", "REVOKE": "FROM"}
READ = (
    "Entries", "Audit log", "Rules", "Tools", "Approvals", "Figures", "Models", "Trials", "Notices",
)  # fmt: skip
MOVES = ("acknowledge", "assign", "close", "notes", "stop", "ask")
# What an auditor may send: it is theirs alone, and changes nothing that others see.
OWN = re.compile(r"^/(sign-out|theme|account|step-up|queue/columns|queue/views)/")


def downloaded(hand: Hand, name: str, within: str) -> str:
    """Follow a link that hands out a file; return what is in it."""
    with hand.page.expect_download() as download:
        hand.follow(name, within)
    return Path(download.value.path()).read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", HANDS)
def test_a_manager_reads_the_figures_and_audits_a_pass(window: OpenWindow, site: Site, kind: str) -> None:
    number = site.incidents[AUDITED[kind]]
    beside(lambda: jobsite.to_be_audited(number, closer="mats", reviewer="katarina"))
    with proposing(site) as propose:
        propose(f"switched-{len(kind)}")  # and writes are on
    hand = hand_of(window, kind)
    sign_in(hand, site, "katarina")
    a_pass_is_audited_unseen(hand, number)
    figures_are_read_filtered_and_taken_along(hand)
    a_view_is_shared_with_all(hand)
    hand.go("Notices")
    hand.sees("h1", "Notices")
    hand.go("Approvals")
    hand.follow("Write switch", ".a-bar")
    hand.write("Why, for Everywhere", "The payment provider has an outage.")
    hand.press("Switch off", "#scope-global")
    hand.sees("#messages", "Writes are off for global")
    assert hand.complaints() == []


def a_pass_is_audited_unseen(hand: Hand, number: int) -> None:
    hand.go("Audits")
    hand.follow(re.compile(f"^#{number} "), "#mine")
    hand.sees("h1", f"#{number}")
    assert not re.search("Earned a pass|As the rule says", hand.page.inner_text("main .stack"))
    hand.choose("Outcome", "harmless", "#answer")
    hand.write("Which answers show it", "The newest answer says so.", "#answer")
    hand.press("Answer", "#answer")
    hand.sees("main .note", "The pass was right")


def figures_are_read_filtered_and_taken_along(hand: Hand) -> None:
    hand.go("Figures")
    hand.follow("91 days", ".figures-form")
    hand.sees(".figures-form [aria-current]", "91 days")
    hand.choose("Kind", "alert", ".figures-form")
    hand.press("Show", ".figures-form")
    expect(hand.page).to_have_url(re.compile(r"from=\d{4}-\d\d-\d\d.*kind=alert"))
    hand.sees("h1", "Figures")
    hand.follow("Print view")
    hand.sees(".on-paper h1", "Figures")
    hand.follow("Back")
    hand.sees("h1", "Figures")
    charts = hand.page.locator("section:has(svg.chart)")
    assert charts.count() == charts.filter(has=hand.page.locator("table")).count() > 0
    assert "week" in downloaded(hand, "CSV", "#weeks").splitlines()[0].casefold()
    hand.unfold("The same as a table", "#weeks")
    expect(hand.page.locator("#weeks table")).to_be_visible()


def a_view_is_shared_with_all(hand: Hand) -> None:
    hand.go("Queue")
    hand.past_the_rows()
    hand.unfold("Views", ".q-foot")
    hand.write("Keep these filters as", "For all of us", ".q-foot")
    hand.choose("For", "everybody", ".q-foot")
    hand.press("Keep the view")
    hand.sees("#tabs", "For all of us")
    hand.past_the_rows()
    hand.unfold("Views", ".q-foot")
    hand.press("Delete the view For all of us")
    hand.sees("h1", "Queue")


@pytest.fixture(scope="module")
def plant(servers: Servers, site: Site) -> Iterator[Callable[[str], None]]:
    """Change the shop's own database, as its administrator; in the end nobody may lock there any more."""
    lock = "EXECUTE ON FUNCTION pg_advisory_lock(bigint)"
    with psycopg.connect(servers.postgres.dsn("shop"), autocommit=True) as link:

        def run(verb: str) -> None:
            link.execute(f"{verb} {lock} {_WAYS[verb]} PUBLIC".encode())

        yield run
        run("REVOKE")


@pytest.mark.parametrize("kind", HANDS)
def test_an_administrator_lets_in_and_keeps_out(
    window: OpenWindow, site: Site, plant: Callable[[str], None], kind: str
) -> None:
    drill = beside(lambda: jobsite.passed_drill(timezone.now()))
    beside(lambda: jobsite.changed("find_order"))
    plant("GRANT")
    hand = hand_of(window, kind)
    sign_in(hand, site, "oskar")
    somebody_is_invited_and_somebody_moved(hand, f"new-{len(kind)}@example.com")
    a_token_is_shown_once(hand, f"token-{len(kind)}")
    a_changed_tool_and_a_right_are_looked_at(hand, plant)
    tools_are_denied_and_paused(hand)
    passes_of_a_rule_close_by_themselves(hand)
    terms_are_recorded_and_a_candidate_promoted(hand, drill)
    a_route_is_tried(hand, f"Route {len(kind)}")
    beside(jobsite.nothing_is_in_use)
    assert hand.complaints() == []


def somebody_is_invited_and_somebody_moved(hand: Hand, mail: str) -> None:
    hand.go("People")
    hand.follow("Invitations", ".acct-tabs")
    hand.write("E-mail", mail)
    hand.choose("Role", "auditor")
    hand.press("Invite")
    expect(hand.page.locator("#once")).to_have_value(re.compile("/invitations/"))
    hand.follow("People", ".acct-tabs")
    hand.follow("Elif Özdemir")
    hand.sees("h1", "Elif")
    for role in ("auditor", "on-call"):
        hand.choose("Role", role)
        hand.tick("payments")
        hand.press("Save")
        hand.sees("#messages", f"the role is {role} now")


def a_token_is_shown_once(hand: Hand, name: str) -> None:
    hand.follow(re.compile("Your account$"), ".me")
    hand.follow("Tokens", ".acct-tabs")
    hand.write("Name", name)
    hand.tick(re.compile(r"^\s*read:"))
    hand.press("Make it")
    secret = hand.page.locator("#once").input_value()
    assert secret
    hand.follow("Tokens", ".acct-tabs")
    hand.sees("main", name)
    assert secret not in hand.page.content()


def a_changed_tool_and_a_right_are_looked_at(hand: Hand, plant: Callable[[str], None]) -> None:
    hand.go("Tools")
    hand.unfold("Go to a tool")
    hand.follow("find_order", "#jump")
    hand.follow("look", "#tool-find_order")
    hand.sees("#changed-find_order", "_as_it_was")
    hand.press("Let it be asked as it stands")
    hand.sees("#messages", "find_order")
    hand.press("Prove it now")
    hand.sees("main", "can do more than read")
    hand.choose("Right", "advisory locks")
    hand.write("Why it cannot be revoked", "The provider keeps it.")
    hand.press("Acknowledge")
    hand.sees("#messages", "is acknowledged")
    hand.sees("main", "proven to read only")
    hand.press("Take back")
    plant("REVOKE")
    hand.press("Prove it now")
    hand.sees("main", "proven to read only")


def tools_are_denied_and_paused(hand: Hand) -> None:
    hand.go("Tools")
    hand.sees("h1", "Tools")
    for verb in ("Pause", "Resume"):
        hand.unfold("Go to a tool")
        hand.follow("find_job", "#jump")
        hand.unfold(verb, "#tool-find_job")
        hand.write("Why", "for a test", "#tool-find_job")
        hand.press(f"{verb} the tool", "#tool-find_job")
        hand.sees("#messages", "Tool rule")
    hand.follow(re.compile("^Tool rules"))
    hand.write("Tool", "count_nothing", "#toolrules")
    hand.write(re.compile("^Why$"), "Nobody counts here.", ".t-form")
    hand.press("Make the rule")
    hand.sees("#toolrules", "Nobody counts here.")
    number = re.findall(r"Tool rule (\d+)", hand.page.inner_text("#messages"))[0]
    hand.follow(re.compile("^Tool rules"))
    hand.write(f"Why rule {number} ends", "for a test")
    hand.press(f"End rule {number}")
    hand.sees("#messages", "Tool rule")


def passes_of_a_rule_close_by_themselves(hand: Hand) -> None:
    hand.go("Rules")
    hand.follow(RULE)
    hand.sees("h1", RULE)
    for button, says in ((re.compile("^Let passes of version"), "on for version"),
                         ("Leave closing to people", "People close the passes")):  # fmt: skip
        hand.write("Why", "for a test", "#closing")
        hand.press(button)
        hand.sees("#closing", says)


def terms_are_recorded_and_a_candidate_promoted(hand: Hand, drill: int) -> None:
    hand.go("Models")
    hand.write("Who hosts it", "Example Ltd", "#endpoint-candidate")
    hand.write("Which data terms were read", "Kept for no day.", "#endpoint-candidate")
    hand.press("I have read them: it may be spoken to")
    hand.sees("#endpoint-candidate", "Example Ltd")
    hand.press("Take back", "#endpoint-candidate")
    hand.sees("#endpoint-candidate", "nothing is sent there")
    hand.go("Trials")
    hand.follow(re.compile(rf"\b{drill}$"), "#drills")
    hand.sees("h1", f"Drill {drill}")
    hand.choose("For", "critic", "#promote")
    hand.press("Promote")
    hand.sees("main", "Promoted by")


def a_route_is_tried(hand: Hand, title: str) -> None:
    hand.go("Notices")
    hand.follow("Routes", ".acct-tabs")
    hand.write("Name", title)
    hand.choose("How", "Mail to these addresses")
    hand.write("Address", "desk@example.com")
    hand.press("Make it")
    hand.sees("main", title)
    hand.press(f"Test {title}")
    hand.sees("#messages", "test")


@pytest.mark.parametrize("kind", HANDS)
def test_an_auditor_reads_everything_and_changes_nothing(window: OpenWindow, site: Site, kind: str) -> None:
    beside(jobsite.sealed)
    hand = hand_of(window, kind)
    sign_in(hand, site, "ines")
    seen = Seen(hand)
    hand.shelf("All")
    hand.open_row(JUDGED)
    seen.note()
    assert JUDGED in downloaded(hand, "Markdown", "#take-along")
    record = downloaded(hand, "JSON", "#take-along")
    assert JUDGED in record
    downloaded(hand, "Proof of this verdict", "#verdict")
    for name in READ:
        hand.go(name)
        hand.sees(".nav [aria-current]", name)
        seen.note()
    hand.go("Entries")
    hand.choose("Tool", "find job", "form.filters")
    hand.press("Search", "form.filters")
    expect(hand.page).to_have_url(re.compile("tool=find_job"))
    hand.open_row("")
    hand.sees("#entry", "leaf hash")
    seen.note()
    assert "tlog-proof" in downloaded(hand, "download the proof", "#entry")
    refused(hand, site)
    assert hand.complaints() == []


class Seen:
    """What pages offered to send."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand

    def note(self) -> None:
        forms = self._hand.page.locator("form[method=post]").evaluate_all(
            "(all) => all.map((one) => new URL(one.action).pathname)"
        )
        assert [one for one in forms if not OWN.match(one)] == [], self._hand.page.url


def refused(hand: Hand, site: Site) -> None:
    """Send what the pages do not offer: each is refused."""
    number = site.incidents[JUDGED]
    token = next(one["value"] for one in hand.page.context.cookies() if one["name"] == "csrftoken")
    form: dict[str, Any] = {"csrfmiddlewaretoken": token}
    headers = {"Referer": f"{site.address}/"}
    for path in (
        *(f"/incidents/{number}/{move}/" for move in MOVES),
        "/queue/act/", "/approvals/1/decide/", "/approvals/switch/flip/", "/tools/rules/", "/people/",
        "/rules/transient_upstream_timeout/let-close/", "/connectors/shop/prove/", "/notices/routes/",
    ):  # fmt: skip
        answer = hand.page.context.request.post(f"{site.address}{path}", form=form, headers=headers)
        assert answer.status in (403, 405), f"{path} answers {answer.status}"
