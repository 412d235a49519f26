// Keys: j and k move along the rows, Enter opens, ? shows the sheet. None fires while somebody types.
"use strict";

(() => {
  const sheet = document.getElementById("keys");
  let chosen = -1;

  const rows = () => [...document.querySelectorAll("[data-row]")];

  function choose(index) {
    const all = rows();
    if (!all.length) return;
    chosen = Math.max(0, Math.min(index, all.length - 1));
    all.forEach((row, place) => row.classList.toggle("is-chosen", place === chosen));
    const link = all[chosen].querySelector("a");
    link.focus({ preventScroll: true });
    all[chosen].scrollIntoView({ block: "nearest" });
    history.replaceState(history.state, "", `#${all[chosen].id}`);
  }

  function isTyping(target) {
    return target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]") !== null;
  }

  const acts = {
    j: () => choose(chosen + 1),
    k: () => choose(chosen - 1),
    "?": () => sheet.showModal(),
    "/": () => { const box = document.querySelector("[data-search]"); if (box) box.focus(); },
    a: () => { const form = document.querySelector("form[data-acknowledge]"); if (form) form.requestSubmit(); },
    c: () => { const form = document.getElementById("close"); if (form) { form.scrollIntoView(); form.querySelector("input[type=radio]").focus(); } },
    u: () => { const back = document.querySelector("a[data-back]"); if (back) location.assign(back.href); },
  };

  document.addEventListener("keydown", (event) => {
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

  function begin() {
    document.querySelectorAll("[data-open-keys]").forEach((button) => { button.hidden = false; });
    const named = location.hash.startsWith("#row-") ? rows().findIndex((row) => `#${row.id}` === location.hash) : -1;
    chosen = -1;
    if (named >= 0) choose(named);
  }

  begin();
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.target && event.detail.target.id === "queue") chosen = -1;
  });
})();
