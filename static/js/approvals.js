// A request's countdown, and one decision for two clicks.
"use strict";

(() => {
  const SHORT = 120;

  function words(seconds) {
    if (seconds <= 0) return "over";
    const minutes = Math.floor(seconds / 60);
    if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
    return minutes ? `${minutes} min ${seconds % 60} s left` : `${seconds} s left`;
  }

  function tick() {
    for (const time of document.querySelectorAll("time[data-until]")) {
      const seconds = Math.ceil((new Date(time.dateTime).getTime() - Date.now()) / 1000);
      if (Number.isNaN(seconds)) continue;
      time.textContent = words(seconds);
      time.classList.toggle("is-short", seconds <= SHORT);
      time.title = new Date(time.dateTime).toUTCString();
      if (seconds <= 0) for (const button of document.querySelectorAll("form[data-once] button")) button.disabled = true;
    }
  }

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-once]");
    if (!form) return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "1";
  });

  tick();
  setInterval(tick, 1000);
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-once]")) delete form.dataset.sent;
  });
})();
