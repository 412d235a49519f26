// Keys: j and k move along the rows, the row's letters act on it, ? shows the sheet. None fires while somebody types.
"use strict";

(() => {
  const sheet = document.getElementById("keys");
  let chosen = -1;

  const rows = () => [...document.querySelectorAll("[data-row]")];
  const row = () => rows()[chosen];

  function choose(index, isHere = true) {
    const all = rows();
    if (!all.length) return;
    chosen = Math.max(0, Math.min(index, all.length - 1));
    all.forEach((one, place) => one.classList.toggle("is-chosen", place === chosen));
    if (isHere) all[chosen].querySelector("a").focus({ preventScroll: true });
    if (isHere) all[chosen].scrollIntoView({ block: "nearest" });
    history.replaceState(history.state, "", `#${all[chosen].id}`);
  }

  function isTyping(target) {
    return target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]") !== null;
  }

  function press(selector) {
    const found = row() && row().querySelector(selector);
    if (found) found.click();
    return Boolean(found);
  }

  // The row opens in its place; the field that was meant has the cursor once it is there.
  let wanted = "";
  function change(field) {
    if (press("[data-do=edit]")) wanted = field;
  }

  function acknowledge() {
    if (press("[data-do=acknowledge]")) return;
    const form = document.querySelector("form[data-acknowledge]");
    if (form) form.requestSubmit();
  }

  function find() {
    const box = document.querySelector("[data-search]");
    if (box) box.focus();
    else document.dispatchEvent(new CustomEvent("assay:palette"));
  }

  // Where a page shows one row of many, the same keys go from page to page.
  function follow(selector) {
    const link = document.querySelector(selector);
    if (link) location.assign(link.href);
  }

  function read() {
    const form = document.querySelector("form[data-read]");
    if (form) form.requestSubmit();
  }

  function answer(place) {
    const choice = document.querySelectorAll("form[data-read] input[type=radio], #close-form [name=outcome]")[place];
    if (!choice) return;
    choice.click();
    choice.focus();
  }

  const acts = {
    j: () => rows().length ? choose(chosen + 1) : follow("a[data-next]"),
    k: () => rows().length ? choose(chosen - 1) : follow("a[data-before]"),
    n: () => follow("a[data-next]"),
    p: () => follow("a[data-before]"),
    r: read,
    1: () => answer(0),
    2: () => answer(1),
    3: () => answer(2),
    4: () => answer(3),
    5: () => answer(4),
    6: () => answer(5),
    7: () => answer(6),
    "?": () => sheet.showModal(),
    "/": find,
    a: acknowledge,
    e: () => change("[data-first]"),
    s: () => change("[data-snooze]"),
    t: () => press("[data-do=take]"),
    x: () => press("[data-pick]"),
    X: () => { const all = document.querySelector("[data-pick-all]"); if (all) all.click(); },
    b: () => { const below = document.querySelector("[data-bulk].is-open button") || document.getElementById("after-rows"); if (below) below.focus(); },
    z: () => { const undo = document.querySelector("[data-undo]"); if (undo) undo.click(); },
    c: () => { const form = document.getElementById("close"); if (form) { form.scrollIntoView(); form.querySelector("input[type=radio]").focus(); } },
    u: () => { const back = document.querySelector("a[data-back]"); if (back) location.assign(back.href); },
  };

  document.addEventListener("keydown", (event) => {
    if ((event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      document.dispatchEvent(new CustomEvent("assay:palette"));
      return;
    }
    const swift = event.key === "Enter" && (event.metaKey || event.ctrlKey) && event.target.form;
    if (swift && swift.matches("[data-swift]")) {
      event.preventDefault();
      swift.querySelector(".button-main").click(); // the button says where it goes on to
      return;
    }
    if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-open-keys]")) sheet.showModal();
  });

  // The address keeps the chosen row: after a reload, and after the list was drawn again.
  function begin() {
    document.querySelectorAll("[data-open-keys]").forEach((button) => { button.hidden = false; });
    const named = location.hash.startsWith("#row-") ? rows().findIndex((one) => `#${one.id}` === location.hash) : -1;
    const cursor = document.activeElement;
    if (named >= 0) choose(named, !cursor || cursor === document.body || cursor.closest("#rows") !== null);
    else chosen = Math.min(chosen, rows().length - 1);
    const field = wanted && document.querySelector(`.q-edit ${wanted}`);
    if (field) field.focus();
    wanted = "";
  }

  begin();
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id === "queue") begin();
  });
})();
