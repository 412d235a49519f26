"""Two ways to do the same job without a mouse: by keys alone, and by plain forms with script switched off."""

import re
from collections.abc import Mapping
from typing import Any, Protocol

from playwright.sync_api import Error, Locator, Page, expect

from tests.browser.conftest import OpenWindow, Window
from tests.browser.site import Site

_KINDS = {
    "link": "a[href]",
    "button": "button",
    "field": "input, textarea",
    "list": "select",
    "box": "input[type=checkbox], input[type=radio]",
    "fold": "summary",
}
# What holds the cursor: its name as it is read out, whether it can be seen, and whether it is marked.
_HELD = """([kind, within]) => {
    const one = document.activeElement;
    if (!one || one === document.body) return null;
    const plain = (text) => (text || "").replace(/\\s+/g, " ").trim();
    const label = one.labels && one.labels[0];
    const bare = (node) => {
        const copy = node.cloneNode(true);
        const unread = "select, textarea, input, option, [aria-hidden=true]";
        copy.querySelectorAll(unread).forEach((each) => each.remove());
        return plain(copy.textContent);
    };
    const isPlace = ["main", "after-rows"].includes(one.id);  // where a link leads, and nothing to act on
    const name = plain(one.getAttribute("aria-label")) || bare(label || one) || plain(one.title);
    const drawn = label && one.getBoundingClientRect().width < 4 ? label : one;
    const isOutlined = (node, part) => {
        const style = node && getComputedStyle(node, part);
        return Boolean(style) && ((style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)
            || style.boxShadow !== "none");
    };
    const box = [...drawn.getClientRects()].find((each) => each.width > 0) || drawn.getBoundingClientRect();
    const points = [[.5, .5], [.1, .5], [.9, .5], [.5, .1], [.5, .9]]
        .map(([x, y]) => document.elementFromPoint(box.left + box.width * x, box.top + box.height * y));
    const found = {
        name,
        fits: one.matches(kind) && (!within || one.closest(within) !== null),
        marked: isPlace || [[one], [one, "::after"], [one.nextElementSibling], [label]]
            .some(([node, part]) => isOutlined(node, part)),
        seen: isPlace || points.some((hit) => hit
            && (drawn.contains(hit) || hit.contains(drawn) || (label && label.contains(hit)))),
        stuck: one === window.heldBefore && !one.matches("[type^=date], [type=time]"),
        is: one.outerHTML.slice(0, 160),
    };
    window.heldBefore = one;
    return found;
}"""
_GROUP = """() => [...document.querySelectorAll(`input[type=radio][name="${document.activeElement.name}"]`)]
    .filter((one) => one.form === document.activeElement.form)
    .map((one) => {
        const copy = one.labels[0]?.cloneNode(true);
        copy?.querySelectorAll("[aria-hidden=true]").forEach((each) => each.remove());
        return (copy?.textContent || "").replace(/\\s+/g, " ").trim();
    })"""
_KEPT = """() => window.heldBefore === undefined
    || (document.activeElement !== null && document.activeElement !== document.body)"""
# A refusal that the page shows, and a static file that somebody changed under the running server.
_NO_FAULT = ("status of 422", "ERR_CONTENT_LENGTH_MISMATCH")
_TYPING = "() => document.activeElement.matches('select, textarea, input:not([type=checkbox])')"
Name = str | re.Pattern[str]


class Hand(Protocol):
    """Somebody at work. Each act ends when it was done, not when its answer is there."""

    page: Page
    has_script: bool
    window: Window

    def follow(self, name: Name, within: str = "") -> None:
        """Follow the link of this name."""

    def press(self, name: Name, within: str = "") -> None:
        """Press the button of this name."""

    def unfold(self, name: Name, within: str = "") -> None:
        """Open what is folded under these words."""

    def write(self, label: Name, words: str, within: str = "") -> None:
        """Put these words in the place of what the field holds."""

    def choose(self, label: Name, option: str, within: str = "") -> None:
        """Choose this option of a list."""

    def tick(self, label: Name, within: str = "") -> None:
        """Tick a box, or choose one of several."""

    def go(self, name: str) -> None:
        """Go to the page of this name, by the navigation."""

    def open_row(self, title: str) -> None:
        """Open the row with this title of the list that is shown."""

    def choose_rows(self, many: int) -> None:
        """Choose so many rows for the bar below."""

    def shelf(self, name: str) -> None:
        """Go to this tab of the queue."""

    def past_the_rows(self) -> None:
        """Go to what stands below a list."""

    def act(self, verb: str, number: int) -> None:
        """Acknowledge or change the row of this incident."""

    def undo(self) -> None:
        """Take back what was just done to rows."""

    def back(self) -> None:
        """Go back from what a citation opened."""

    def up(self) -> None:
        """Go back to the list that this came from."""

    def decide(self) -> None:
        """Go to the closing form of the incident."""

    def sees(self, where: str, words: Name) -> None:
        """Wait until these words are there."""

    def complaints(self) -> list[str]:
        """Return what the console said, but for answers that refuse."""


class _Seated:
    def __init__(self, window: Window) -> None:
        self.window, self.page = window, window.page

    def complaints(self) -> list[str]:
        said = [*self.window.complaints, *self.window.strangers]
        return [line for line in said if not any(words in line for words in _NO_FAULT)]


class Plain(_Seated):
    """Somebody whose browser runs no script."""

    has_script = False

    def _within(self, within: str) -> Page | Locator:
        return self.page.locator(within).first if within else self.page

    def follow(self, name: Name, within: str = "") -> None:
        self._within(within).get_by_role("link", name=name, exact=True).first.click()

    def press(self, name: Name, within: str = "") -> None:
        self._within(within).get_by_role("button", name=name, exact=True).first.click()

    def unfold(self, name: Name, within: str = "") -> None:
        fold = self._within(within).locator("summary").filter(has_text=name).first
        if fold.locator("xpath=..").get_attribute("open") is None:
            fold.click()

    def write(self, label: Name, words: str, within: str = "") -> None:
        self._within(within).get_by_label(label, exact=True).first.fill(words)

    def choose(self, label: Name, option: str, within: str = "") -> None:
        # By its role: what a label is called does not hold the choices of the list inside it.
        self._within(within).get_by_role("combobox", name=label, exact=True).first.select_option(label=option)

    def tick(self, label: Name, within: str = "") -> None:
        # By its role: what a label shows and nobody reads out is no part of its name.
        there = self._within(within)
        box = there.get_by_role("checkbox", name=label, exact=True)
        box.or_(there.get_by_role("radio", name=label, exact=True)).first.check()

    def go(self, name: str) -> None:
        self.page.get_by_role("navigation", name="Main", exact=True).get_by_role("link", name=name).click()

    def open_row(self, title: str) -> None:
        self.page.locator("[data-row]").get_by_role("link", name=title).first.click()
        self.sees("h1", title)

    def choose_rows(self, many: int) -> None:
        for place in range(many):
            self.page.locator("[data-pick]").nth(place).check()

    def shelf(self, name: str) -> None:
        self.follow(re.compile(f"^{name}"), "#tabs")
        self.sees(f"#tabs [aria-current]:has-text('{name}')", name)

    def past_the_rows(self) -> None:
        """Everything is one click away."""

    def act(self, verb: str, number: int) -> None:
        kind = "link" if verb == "Change" else "button"
        row = self.page.locator(f"#row-{number}")
        row.get_by_role(kind, name=f"{verb} #{number}").click()  # type: ignore[arg-type]  # one of two of its names

    def undo(self) -> None:
        self.press("Undo")

    def back(self) -> None:
        self.page.go_back()

    def decide(self) -> None:
        self.follow("Close …")

    def up(self) -> None:
        self.page.locator("a[data-back]").click()
        self.page.wait_for_selector("[data-row]")

    def sees(self, where: str, words: Name) -> None:
        expect(self.page.locator(where).first).to_contain_text(words)


class Keys(_Seated):
    """Somebody with a keyboard alone: what has the cursor can be seen at each step, and each leads on."""

    has_script = True
    MOST = 60  # presses of Tab to anything: who needs more has to be given a shorter way

    def follow(self, name: Name, within: str = "") -> None:
        self._reach("link", name, within)
        self.page.keyboard.press("Enter")

    def press(self, name: Name, within: str = "") -> None:
        self._reach("button", name, within)
        self.page.keyboard.press("Enter")

    def unfold(self, name: Name, within: str = "") -> None:
        self._reach("fold", name, within)
        if not self._ask("() => document.activeElement.parentElement.open"):
            self.page.keyboard.press("Space")

    def write(self, label: Name, words: str, within: str = "") -> None:
        self._reach("field", label, within)
        if self._ask("() => document.activeElement.value !== ''"):
            self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(words)

    def choose(self, label: Name, option: str, within: str = "") -> None:
        self._reach("list", label, within)
        chosen = "() => document.activeElement.selectedOptions?.[0]?.textContent.trim()"
        self.page.keyboard.press("Home")
        for _ in range(60):
            if self._ask(chosen) == option:
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"{label} has no {option} among its choices")

    def tick(self, label: Name, within: str = "") -> None:
        """A group of radios is one stop of Tab: inside it the arrows choose."""
        self._reach("box", label, within, in_group=True)
        for _ in range(12):
            if self._fits(self._held("box", within), label):
                break
            self.page.keyboard.press("ArrowDown")
        if not self._ask("() => document.activeElement.checked"):
            self.page.keyboard.press("Space")

    def go(self, name: str) -> None:
        self._reach("link", re.compile(rf"^{re.escape(name)}( \d+)?$"), "nav[aria-label=Main]")
        self.page.keyboard.press("Enter")

    def open_row(self, title: str) -> None:
        self._walk_to(title, "[data-row]")
        self.page.keyboard.press("Enter")
        self.sees("h1", title)

    def _walk_to(self, title: str, row: str) -> None:
        self._leave_the_field()
        for _ in range(60):
            held = self._held("link", row)
            if held and held["fits"] and title in held["name"]:
                return
            self.page.keyboard.press("j")
        raise AssertionError(f"no row {title} is reached by j")

    def shelf(self, name: str) -> None:
        self._leave_the_field()
        self.page.keyboard.press("/")
        self._reach("link", re.compile(f"^{name}"), "#tabs", key="Shift+Tab")
        self._ask("() => { document.getElementById('tabs').dataset.left = ''; }")
        self.page.keyboard.press("Enter")
        # It may be the tab that is shown already, and is about to be drawn anew.
        self.sees(f"#tabs:not([data-left]) [aria-current]:has-text('{name}')", name)

    def past_the_rows(self) -> None:
        self.page.wait_for_load_state("domcontentloaded")
        if self._ask("() => document.activeElement.closest('[data-row]') !== null"):
            self.page.keyboard.press("b")
        else:
            self.follow("Past the rows")

    def act(self, verb: str, number: int) -> None:
        self._walk_to("", f"#row-{number}")
        self.page.keyboard.press({"Acknowledge": "a", "Change": "s"}[verb])
        if verb == "Change":
            expect(self.page.locator(".q-edit [data-snooze]")).to_be_focused()

    def undo(self) -> None:
        self.page.keyboard.press("z")

    def choose_rows(self, many: int) -> None:
        self._leave_the_field()
        for _ in range(many):
            self.page.keyboard.press("j")
            self.page.keyboard.press("x")
        self.page.keyboard.press("b")

    def _leave_the_field(self) -> None:
        """Letters are letters there: the keys of rows work outside, once the page's scripts are here."""
        self.page.wait_for_load_state("domcontentloaded")
        while self._ask(_TYPING):
            self.page.keyboard.press("Tab")

    def back(self) -> None:
        self.page.keyboard.press("Escape")

    def decide(self) -> None:
        self._leave_the_field()
        self.page.keyboard.press("c")

    def up(self) -> None:
        self._leave_the_field()
        self.page.keyboard.press("u")
        self.page.wait_for_selector("[data-row]")

    def sees(self, where: str, words: Name) -> None:
        expect(self.page.locator(where).first).to_contain_text(words)
        # A page that came anew begins at its top; on one that was drawn again in part the cursor has a place.
        self.page.wait_for_function(_KEPT)

    def _reach(self, kind: str, name: Name, within: str, *, in_group: bool = False, key: str = "Tab") -> None:
        passed: list[str] = []
        for _ in range(self.MOST):
            held = self._held(kind, within)
            if self._fits(held, name) or (in_group and held and held["fits"] and self._is_in_group(name)):
                return
            self.page.keyboard.press(key)
            held = self._held(kind, within)
            if held:
                passed.append(held["name"][:30])
                assert not held["stuck"], f"the cursor does not get away from {held['is']}"
                assert held["seen"], f"the cursor is out of sight at {held['is']}"
                assert held["marked"], f"nothing shows that the cursor is at {held['is']}"
        raise AssertionError(f"{name} is not reached by {self.MOST} presses of Tab, but {passed}")

    def _held(self, kind: str, within: str) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self._ask(_HELD, [_KINDS[kind], within])
        return found

    def _ask(self, script: str, *given: Any) -> Any:
        try:
            return self.page.evaluate(script, *given)
        except Error as error:
            if not any(words in str(error) for words in ("navigation", "of null")):  # no page, or no body yet
                raise
            self.page.wait_for_load_state()  # of the page that was about to come
            return self._ask(script, *given)

    def _is_in_group(self, name: Name) -> bool:
        names: list[str] = self._ask(_GROUP)
        return any(_is(one, name) for one in names)

    @staticmethod
    def _fits(held: dict[str, Any] | None, name: Name) -> bool:
        return bool(held and held["fits"] and _is(held["name"], name))


def _is(found: str, name: Name) -> bool:
    return bool(name.search(found)) if isinstance(name, re.Pattern) else found == name


HANDS: Mapping[str, type[Keys | Plain]] = {"by keyboard alone": Keys, "with script off": Plain}


def hand_of(window: OpenWindow, kind: str, *, width: int = 1440) -> Keys | Plain:
    """Return somebody who works in this way, at a window of their own."""
    made = HANDS[kind]
    return made(window(width=width, script=made.has_script))


def sign_in(hand: Hand, site: Site, name: str, code: str = "") -> None:
    """Come in by the door: name, password, and the code of an app where there is one."""
    hand.window.open("/sign-in/")
    hand.write("Name", name)
    hand.write("Password", site.passwords[name])
    hand.press("Sign in")
    if code:
        hand.sees("h1", "One more step")
        hand.write("Code", code)
        hand.press("Go on")
    hand.sees("h1", "Queue")
