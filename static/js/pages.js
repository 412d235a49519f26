// What pages do beyond links and forms: peek at an entry, filter at once, say when the server is out of reach.
"use strict";

(() => {
  const toast = document.getElementById("toast");
  const peek = document.getElementById("peek");
  let hiding = 0;

  function say(words) {
    toast.textContent = words;
    toast.hidden = false;
    clearTimeout(hiding);
    hiding = setTimeout(() => { toast.hidden = true; }, 8000);
  }

  // Who walks through the choices by keys is sent on once they rest, not at each choice on the way.
  const REST = 500;
  let isWalking = false;
  let resting = 0;
  document.addEventListener("keydown", (event) => { isWalking = event.target.matches("select"); });
  document.addEventListener("pointerdown", () => { isWalking = false; });
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-auto-submit]");
    if (!form || !event.target.matches("select, input[type=checkbox]")) return;
    clearTimeout(resting);
    resting = setTimeout(() => { if (form.isConnected) form.requestSubmit(); }, isWalking ? REST : 0);
  });

  // Where tabs have to be pushed aside, the open one is in sight.
  function showTab() {
    document.querySelectorAll(".tabs").forEach((tabs) => {
      const open = tabs.querySelector("[aria-current]");
      if (open) tabs.scrollLeft = open.offsetLeft - (tabs.clientWidth - open.offsetWidth) / 2;
    });
  }
  showTab();
  document.addEventListener("htmx:afterSettle", showTab);

  // A citation opens beside the draft; with a modifier, or without this script, it is a plain link.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.cite, a[data-peek]");
    if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.closest("#peek")) return;
    event.preventDefault();
    htmx.ajax("GET", link.getAttribute("href"), { target: "#peek-body", swap: "innerHTML" }).then(() => {
      if (!peek.open) peek.showModal();
      peek.scrollTop = 0;
    });
  });

  // The answer goes to whoever asked, in another program: as plain text, without the numbers of entries.
  async function copy(button) {
    const draft = button.closest(".card").querySelector(".prose");
    draft.classList.add("is-copied");
    const text = draft.innerText.replace(/[ \t]+\n/g, "\n").trim();
    draft.classList.remove("is-copied");
    try {
      await navigator.clipboard.writeText(text);
      say("Copied, without the numbers of entries.");
    } catch {
      getSelection().selectAllChildren(draft);
      say("This browser copies nothing by itself: the answer is marked, press Ctrl C.");
    }
  }
  const offerCopies = () => document.querySelectorAll("[data-copy]").forEach((button) => { button.hidden = false; });
  offerCopies();
  document.addEventListener("htmx:afterSettle", offerCopies);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) copy(button);
  });

  peek.addEventListener("click", (event) => {
    if (event.target === peek) peek.close();
  });

  document.body.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.verb !== "get") return;
    const given = event.detail.formData;
    for (const [name, value] of [...given.entries()]) if (value === "") given.delete(name);
  });

  // What somebody sent is answered where it was sent from: a poll meanwhile would draw that place anew, or come
  // back to one that is gone.
  const sent = new Set();
  const polls = new Set();
  const isPoll = (event) => event.detail.elt.matches("[data-poll]");
  document.body.addEventListener("htmx:beforeRequest", (event) => {
    if (isPoll(event) && sent.size) event.preventDefault();
  });
  document.body.addEventListener("htmx:beforeSend", (event) => {
    if (isPoll(event)) polls.add(event.detail.xhr);
    if (event.detail.requestConfig.verb === "get") return;
    sent.add(event.detail.xhr);
    for (const poll of polls) poll.abort();
  });
  document.body.addEventListener("htmx:afterRequest", (event) => {
    sent.delete(event.detail.xhr);
    polls.delete(event.detail.xhr);
  });

  // A poll must not wipe what somebody is typing.
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    const source = event.detail.requestConfig && event.detail.requestConfig.elt;
    if (!source || !source.matches("[data-poll]")) return;
    const fields = [...event.detail.target.querySelectorAll("textarea, input:not([type=hidden])")];
    const isTyping = fields.some((field) =>
      field.type === "radio" || field.type === "checkbox" ? field.checked !== field.defaultChecked : field.value !== field.defaultValue);
    if (isTyping || peek.open) event.detail.shouldSwap = false;
  });

  document.body.addEventListener("htmx:afterSwap", (event) => {
    const refusal = event.detail.target && document.querySelector("[data-focus]");
    if (refusal && event.detail.xhr.status === 422) refusal.focus();
  });

  document.body.addEventListener("htmx:sendError", () => say("The server cannot be reached. What you typed is still here; try again in a moment."));
  document.body.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    if (status === 403) say("Your role does not allow this, or this page is too old. Reload it and try again.");
    else if (status === 404) say("This is gone, or belongs to another team now.");
    else say(`The server answered ${status}. Nothing was lost here; try again in a moment.`);
  });
})();
