// The queue's rows: how many are chosen, a range with shift, names for giving, and an offer that ends.
"use strict";

(() => {
  const SECONDS = 10;
  let last = null;
  let names = "";

  const picks = () => [...document.querySelectorAll("[data-pick]")];

  function count() {
    const bar = document.querySelector("[data-bulk]");
    if (!bar) return;
    const many = picks().filter((pick) => pick.checked).length;
    bar.classList.toggle("is-open", many > 0);
    bar.querySelector("[data-chosen-count]").textContent = `${many} chosen`;
    const all = document.querySelector("[data-pick-all]");
    if (all) {
      all.checked = many > 0 && many === picks().length;
      all.indeterminate = many > 0 && !all.checked;
    }
    picks().forEach((pick) => pick.closest("tr").classList.toggle("is-picked", pick.checked));
  }

  document.addEventListener("change", (event) => {
    if (!event.target.matches("[data-pick-all]")) return;
    picks().forEach((pick) => { pick.checked = event.target.checked; });
    count();
  });

  document.addEventListener("click", (event) => {
    const pick = event.target.closest("[data-pick]");
    if (!pick) return;
    const all = picks();
    if (event.shiftKey && last && all.includes(last)) {
      const [from, to] = [all.indexOf(last), all.indexOf(pick)].sort((one, other) => one - other);
      all.slice(from, to + 1).forEach((one) => { one.checked = pick.checked; });
    }
    last = pick;
    count();
  });

  // Only one panel of the bar is open; Escape shuts it, and the row that is open.
  document.addEventListener("toggle", (event) => {
    if (!event.target.matches || !event.target.matches(".bulk-more") || !event.target.open) return;
    document.querySelectorAll(".bulk-more[open]").forEach((one) => { if (one !== event.target) one.open = false; });
    const field = event.target.querySelector("input, select");
    if (field) field.focus();
  }, true);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
    document.querySelectorAll(".bulk-more[open]").forEach((one) => { one.open = false; });
    const leave = document.querySelector("[data-edit-end]");
    if (leave) leave.click();
  });

  // Enter in a field of the bar means the button beside it, not the first one of the form.
  document.addEventListener("keydown", (event) => {
    const panel = event.key === "Enter" && event.target.matches("input") && event.target.closest(".bulk-panel, .q-edit-fields");
    if (!panel) return;
    event.preventDefault();
    let next = event.target.closest("label").nextElementSibling;
    while (next && !next.matches("button")) next = next.nextElementSibling;
    if (next) next.click();
  });

  document.addEventListener("focusin", async (event) => {
    const field = event.target.closest("[data-people]");
    const list = document.getElementById("people");
    if (!field || !list || list.children.length) return;
    if (!names) {
      const answer = await fetch(field.dataset.people, { headers: { "HX-Request": "true" } });
      if (answer.ok) names = await answer.text();
    }
    list.innerHTML = names;
  });

  function offer() {
    const form = document.querySelector(".q-undo");
    if (form) setTimeout(() => form.remove(), SECONDS * 1000);
  }

  function begin() {
    document.querySelectorAll(".pick[hidden]").forEach((label) => { label.hidden = false; });
    count();
    offer();
  }

  // What somebody does draws the list anew, with what came in meanwhile: the row stays where it was under their cursor.
  let kept = [];
  document.addEventListener("htmx:beforeSwap", (event) => {
    kept = [];
    if (event.detail.target.id !== "queue" || event.detail.requestConfig.verb !== "post") return;
    const all = [...document.querySelectorAll("[data-row]")];
    const pressed = (event.detail.requestConfig.triggeringEvent || {}).submitter;
    const own = (pressed && pressed.closest("[data-row]")) || document.querySelector("[data-row].is-chosen");
    const at = Math.max(0, own ? all.indexOf(own) : all.findIndex((one) => one.getBoundingClientRect().bottom > 0));
    kept = all.slice(at).map((one) => ({ id: one.id, top: all[at].getBoundingClientRect().top }));
  });

  function hold() {
    const row = kept.map((one) => ({ ...one, is: document.getElementById(one.id) })).find((one) => one.is);
    if (row) scrollBy({ top: row.is.getBoundingClientRect().top - row.top, behavior: "instant" });
    kept = [];
  }

  begin();
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id !== "queue") return;
    begin();
    hold();
  });
})();
