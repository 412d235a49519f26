// Where the cursor goes when what it stood on is drawn again: to the same control, or to the heading of what holds it.
"use strict";

(() => {
  let held = null;

  const words = (one) => (one.getAttribute("aria-label") || one.textContent).replace(/\s+/g, " ").trim();

  function places(one) {
    const found = [];
    for (let up = one.closest("[id]"); up; up = up.parentElement && up.parentElement.closest("[id]")) found.push(up.id);
    return found;
  }

  function note() {
    const one = document.activeElement;
    if (!one || one === document.body) return;
    held = { tag: one.tagName, name: one.name || "", words: words(one), places: places(one) };
  }

  // Never another control of the same kind: a second Enter would then mean something else.
  function again(was) {
    const name = was.places.find((each) => document.getElementById(each));
    const place = document.getElementById(name || "main");
    const same = name === was.places[0] && [place, ...place.querySelectorAll(was.tag)].find((one) =>
      one.tagName === was.tag && (one.name || "") === was.name && words(one) === was.words);
    if (same) same.focus({ preventScroll: true });
    if (same && document.activeElement === same) return;
    const spot = place.matches("[data-row]") ? place.querySelector("a") : place.querySelector("h1, h2, h3") || place;
    if (!spot.matches("a, button, input, select, textarea, summary")) spot.tabIndex = -1;
    spot.focus({ preventScroll: true });
  }

  // A button that was pressed is switched off at once, and loses the cursor before its answer is here.
  document.body.addEventListener("htmx:beforeRequest", (event) => {
    if (!event.detail.elt.matches("[data-poll]")) note();
  });

  document.body.addEventListener("htmx:beforeSwap", note);

  // Parts may be drawn again at once, and the last one to settle need not be the one that took the cursor away.
  document.body.addEventListener("htmx:afterSettle", () => {
    if (held && (!document.activeElement || document.activeElement === document.body)) again(held);
  });

  // Who goes elsewhere meanwhile stays there.
  ["focusin", "pointerdown"].forEach((kind) => document.addEventListener(kind, () => { held = null; }));
})();
