// A request's countdown; when it is over, there is nothing to decide.
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
      if (seconds <= 0) for (const button of document.querySelectorAll("form[data-until-over] button")) button.disabled = true;
    }
  }

  tick();
  setInterval(tick, 1000);
})();
