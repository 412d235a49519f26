// Times in the reader's zone, with UTC on hover; ages that go on counting.
"use strict";

(() => {
  const timeZone = chosenZone();
  const dayAndTime = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZone });
  const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", timeZone });
  const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", timeZone });
  const day = new Intl.DateTimeFormat("en-CA", { dateStyle: "short", timeZone });
  const steps = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];

  // The zone of the person's profile; the browser's own where none is chosen, or it knows no such zone.
  function chosenZone() {
    const holder = document.querySelector("[data-zone]");
    const zone = (holder && holder.dataset.zone) || undefined;
    try {
      return new Intl.DateTimeFormat(undefined, { timeZone: zone }) && zone;
    } catch {
      return undefined;
    }
  }

  function span(milliseconds) {
    const seconds = Math.max(0, Math.floor(milliseconds / 1000));
    const [size, unit] = steps.find(([length]) => seconds >= length) || [1, "s"];
    return `${Math.floor(seconds / size)} ${unit}`;
  }

  function shown(style, at) {
    if (style !== "clock") return dayAndTime.format(at);
    return day.format(at) === day.format(new Date()) ? clock.format(at) : whole.format(at);
  }

  function write(time) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) return;
    if (!time.dataset.utc) time.dataset.utc = time.title;
    const age = span(Date.now() - at.getTime());
    time.title = `${time.dataset.utc}\n${whole.format(at)} here, ${age} ago`;
    time.textContent = time.dataset.time === "ago" ? age : shown(time.dataset.time, at);
  }

  function writeAll(root) {
    root.querySelectorAll("time[data-time]").forEach(write);
  }

  writeAll(document);
  document.addEventListener("htmx:afterSettle", () => writeAll(document));
  setInterval(() => document.querySelectorAll('time[data-time="ago"]').forEach(write), 10000);
})();
