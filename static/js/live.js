// What goes on right now, as the server tells it. While this link holds, the page asks the server less often;
// without it, or where it breaks, the page goes on asking every few seconds.
"use strict";

(() => {
  const SHOWN = 60;
  const PATIENCE = 15000;
  const links = new Map();
  const asked = new Map();

  function add(place, told) {
    const list = place.querySelector("[data-live-lines]");
    const none = list.querySelector("[data-live-none]");
    if (none) none.remove();
    const line = document.createElement("li");
    line.textContent = told.words;
    if (told.entry) {
      const cite = document.createElement("a");
      cite.className = "cite";
      cite.href = `/entries/${Number(told.entry)}/`;
      cite.dataset.peek = "";
      cite.textContent = `entry ${Number(told.entry)}`;
      line.append(" ", cite);
    }
    list.append(line);
    while (list.children.length > SHOWN) list.firstElementChild.remove();
    list.scrollTop = list.scrollHeight;
  }

  function end(place) {
    close(place);
    const poll = document.getElementById(place.dataset.polls);
    if (poll) htmx.trigger(poll, "live-ended");
  }

  function close(place) {
    const link = links.get(place);
    if (link) link.close();
    links.delete(place);
  }

  function open(place) {
    const link = new EventSource(`${place.dataset.live}?after=${encodeURIComponent(place.dataset.after || "0")}`);
    links.set(place, link);
    link.addEventListener("told", (event) => {
      place.dataset.after = event.lastEventId;
      add(place, JSON.parse(event.data));
    });
    link.addEventListener("text", (event) => {
      place.dataset.after = event.lastEventId;
      const words = place.querySelector("[data-live-text]");
      words.textContent = JSON.parse(event.data).text;
      words.hidden = false;
    });
    link.addEventListener("ended", () => end(place));
    link.addEventListener("error", () => { if (link.readyState === EventSource.CLOSED) links.delete(place); });
  }

  // A browser opens six links to a host at the most, and those of hidden tabs would shut out the one that is read.
  function look() {
    for (const place of [...links.keys()]) if (!place.isConnected || document.hidden) close(place);
    if (document.hidden) return;
    document.querySelectorAll("[data-live]").forEach((place) => { if (!links.has(place)) open(place); });
  }

  function holds(poll) {
    return [...links].some(([place, link]) => place.dataset.polls === poll.id && link.readyState === EventSource.OPEN);
  }

  // The poll that a link stands in for waits; once in a while it asks all the same.
  document.body.addEventListener("htmx:beforeRequest", (event) => {
    const poll = event.detail.elt;
    if (!poll.matches("[data-poll]")) return;
    const why = event.detail.requestConfig.triggeringEvent;
    const isPatient = Date.now() - (asked.get(poll.id) || 0) < PATIENCE;
    if ((document.hidden || holds(poll)) && isPatient && !(why && why.type === "live-ended")) event.preventDefault();
    else asked.set(poll.id, Date.now());
  });

  look();
  document.addEventListener("htmx:afterSettle", look);
  document.addEventListener("visibilitychange", look);
  addEventListener("pagehide", () => { for (const place of [...links.keys()]) close(place); });
})();
